#!/bin/bash
# Eviction priorities of PTX (PTX ISA, "Cache Eviction Priority Hints"), from the kernel to the caches that obey them: one
# thread reads a line, then as many others as push it out, and does so 20 times.
set -u
. tests/support/cli.sh

is() { # what, actual, expected
    if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; echo "  '$2', not '$3'" >&2; fi
}

record() { # file, what the line's load says, what the stream's loads say
    cat >"$work/$1.ptx" <<EOF
.version 7.4
.target sm_100
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .pred %q; .reg .b32 %r<6>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, 0;
AGAIN:
ld.global$2.u32 %r3, [%rd1];
mov.u64 %rd2, %rd1; mov.u32 %r2, 0;
NEXT:
add.s64 %rd2, %rd2, 128;
ld.global$3.u32 %r4, [%rd2];
add.s32 %r2, %r2, 1; setp.lt.s32 %q, %r2, 64; @%q bra NEXT;
add.s32 %r1, %r1, 1; setp.lt.s32 %q, %r1, 20; @%q bra AGAIN;
ret;
}
EOF
    "$r" record -q -o "$work/$1.wtr" --module "$work/$1.ptx" --kernel k --grid 1 --block 1 --arg buf=zeros:16K
}

# Hits in an L1, then in an L2, of 32 lines in one set; the other level is not there.
one_set="sectored --set LEVEL.size=4K --set LEVEL.ways=32 --set LEVEL.line=128 --set LEVEL.sector=128"
hits() { # file, level, the other
    local on=(-m orin-wcet --set "$3=none" --set coalescer=segments --set coalescer.size=128) engine
    # shellcheck disable=SC2206
    on+=(--set $2=${one_set//LEVEL/$2})
    for engine in fast reference; do
        "$r" replay -q "$work/$1.wtr" "${on[@]}" --engine $engine --json >"$work/$1.$engine"
    done
    is "$1, $2: both engines agree" "$(sed '/"engine"/d' "$work/$1.fast")" "$(sed '/"engine"/d' "$work/$1.reference")"
    hit=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["traces"][0]["total"][sys.argv[2]]["hits"])' "$work/$1.fast" "$2")
}

record normal "" ""
record last .L1::evict_last.L2::evict_last ""
record first "" .L1::evict_first.L2::evict_first
record nowhere "" .L1::no_allocate
record unchanged "" .L1::evict_unchanged
record l1 .L1::evict_last ""
record l2 .L2::evict_last ""
record operator "" .cs
while read -r file l1 l2; do
    hits "$file" l1 l2
    is "$file: hits in L1" "$hit" "$l1"
    hits "$file" l2 l1
    is "$file: hits in L2" "$hit" "$l2"
done <<EOF
normal 0 0
last 19 19
first 19 19
nowhere 19 0
unchanged 0 0
l1 19 0
l2 0 19
operator 19 19
EOF
