#!/bin/bash
# --check init,race,sync: each kind of finding at the line that is at fault, nothing in kernels that are right.
set -u
. tests/support/cli.sh
dir=$work
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; cat "$dir/err" >&2; }
source=tests/cli/check.cu
line() { grep -n "// $1\$" $source | cut -d: -f1; }
run() { # target, kernel, checks, grid, block, arguments: the status
    local target=$1 kernel=$2 checks=$3 grid=$4 block=$5
    shift 5
    "$REPRISE" run --module $source --clang-flags=-Wno-everything --target "$target" -k "$kernel" --grid "$grid" --block "$block" \
        --check "$checks" --threads 2 -q "$@" >"$dir/out" 2>"$dir/err"
    echo $?
}
# Expects a finding of a kind at a marked line and, of a race, another one behind it.
finds() { # target, kernel, check, "mark" or "mark / mark", grid, block, arguments
    local what="$3: $2 on $1" first second
    first=$(line "${4% / *}") second=$(line "${4#* / }")
    [ -n "$first" ] && [ -n "$second" ] || { bad "$what: no line marked $4"; return; }
    [ "$4" = "${4#* / }" ] && second=
    local status
    status=$(run "$1" "$2" "$3" "${@:5}")
    # a race may be seen from either side
    if [ "$status" = 3 ] && grep -qE "check.cu:$first\)${second:+.*check.cu:$second\)}${second:+|check.cu:$second\).*check.cu:$first\)}" "$dir/err"; then ok "$what"; else bad "$what (status $status)"; fi
}
clean() { # target, kernel, grid, block, arguments
    local status
    status=$(run "$1" "$2" all "${@:3}")
    if [ "$status" = 0 ] && ! [ -s "$dir/err" ]; then ok "nothing in $2 on $1"; else bad "nothing in $2 on $1 (status $status)"; fi
}
out="--arg buf=zeros:1024"
for sm in sm_62 sm_75; do
    finds $sm init_shared init init_shared 1 64 $out
    finds $sm init_local init init_local 1 32 $out --arg i32=9
    finds $sm init_heap init init_heap 1 1 $out
    finds $sm init_buffer init init_buffer 1 32 --arg buf=unset:128 $out
    if grep -q "thread (8,0,0); 12 times" "$dir/err"; then ok "init_buffer: what was written is not named"; else bad "init_buffer: what was written"; fi
    clean $sm init_buffer 1 8 --arg buf=unset:128 $out
    clean $sm init_buffer 1 32 $out $out
    finds $sm race_warps race "race_warps load / race_warps store" 1 64 $out
    finds $sm race_row race "race_row load / race_row store" 1 160 $out
    finds $sm race_row race "race_row store / race_row load" 1 160 $out
    finds $sm race_store_after_load race "race_store_after_load store / race_store_after_load load" 1 64 $out
    finds $sm race_blocks race race_blocks 2 32 $out
    finds $sm race_bytes race "race_bytes load / race_bytes store" 1 64 $out
    finds $sm race_no_fence race "race_no_fence load / race_no_fence store" 2 1 $out $out $out
    finds $sm sync_never sync sync_never 1 32 $out
    clean $sm right_flag 3 1 $out $out $out
    clean $sm right_bytes 1 64 $out
    clean $sm right_named 1 64 $out
    clean $sm right_lock 4 32 $out $out
done
# Lanes of a warp are ordered by nothing but what they do, from Volta on.
finds sm_75 race_lanes race "race_lanes load / race_lanes store" 1 32 $out
clean sm_62 race_lanes 1 32 $out
finds sm_75 race_scattered race "race_scattered store / race_scattered load" 1 32 $out
finds sm_75 sync_part sync sync_part 1 32 $out
finds sm_75 sync_around sync sync_around 1 64 $out
finds sm_75 sync_two sync "sync_two even / sync_two odd" 1 32 $out
for sm in sm_62 sm_75; do finds $sm sync_mixed sync "sync_mixed red / sync_mixed sync" 1 64 $out; done
finds sm_75 sync_warp sync sync_warp 1 32 $out
clean sm_75 right_one_by_one 1 64 $out $out
finds sm_75 sync_shuffle sync sync_shuffle 1 32 $out
clean sm_75 right_warp 1 32 $out
finds sm_75 race_scope race race_scope 2 32 $out
if grep -q "behind an atomic by another block, of a scope that ends at its block" "$dir/err"; then ok "race_scope: why"; else bad "race_scope: why"; fi
finds sm_75 race_block_fence race "race_block_fence load / race_block_fence store" 2 1 $out $out $out
clean sm_75 right_scope 2 64 $out
finds sm_75 race_told race "race_told load / race_told store" 2 1 $out $out $out
finds sm_75 race_reset race "race_reset add / race_reset store" 1 64 $out
finds sm_75 race_reset race "race_reset add / race_reset store" 2 1 $out
clean sm_75 right_same 2 64 $out
finds sm_75 race_same race race_same 1 64 $out
clean sm_75 right_swap 2 64 $out
clean sm_75 right_told 2 1 $out $out $out
clean sm_75 right_last 3 1 $out $out $out

for place in store shared load atomic; do finds sm_75 memory_goes_on memory "memory $place" 1 64 $out; done
if grep -q "misaligned address: not a multiple of 4; .* times" "$dir/err"; then ok "memory: misaligned"; else bad "memory: misaligned"; fi
status=$(run sm_75 memory_goes_on memory 1 64 $out --print 0=i32:64)
if [ "$status" = 3 ] && [ "$(grep -ow 7 "$dir/out" | wc -l)" = 56 ] && [ "$(grep -ow 14 "$dir/out" | wc -l)" = 8 ]; then ok "memory: the others go on, bad loads are 0"; else bad "memory: the others go on"; fi
status=$(run sm_75 memory_goes_on race 1 64 $out)
if [ "$status" = 3 ] && [ "$(grep -c '^reprise: ' "$dir/err")" = 1 ]; then ok "without --check memory the first bad access ends the launch"; else bad "the first bad access (status $status)"; fi

# Barrier objects: what each line 8 does wrong; a right one.
object() { # what is said, or "" for nothing; lines of PTX
    local says=$1 status
    { echo '.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {'; printf '%s\n' "${@:2}" 'ret; }'; } >"$dir/object.ptx"
    "$REPRISE" run --module "$dir/object.ptx" --grid 2 --block 4 --check sync -q >"$dir/out" 2>"$dir/err"
    status=$?
    if [ -z "$says" ] && [ "$status" = 0 ] && ! [ -s "$dir/err" ]; then ok "a right barrier object"
    elif [ -n "$says" ] && [ "$status" = 3 ] && grep -q ":8).*$says\|$says.*:8)" "$dir/err"; then ok "a barrier object: $says"
    else bad "a barrier object: $says (status $status)"; fi
}
one='.shared .b64 o; .reg .b64 %s; .reg .pred %p; .reg .b32 %x; mov.u32 %x, %tid.x; setp.eq.u32 %p, %x, 0;'
make='@%p mbarrier.init.shared.b64 [o], 4; bar.sync 0;'
object "" "$one" "$make" 'mbarrier.arrive.shared.b64 %s, [o];' 'W: mbarrier.try_wait.shared.b64 %p, [o], %s; @!%p bra W;' \
    'bar.sync 0; setp.eq.u32 %p, %x, 0;' '@%p mbarrier.inval.shared.b64 [o];' "$make"
object "it has not been made" "$one" "" "" 'mbarrier.arrive.shared.b64 %s, [o];'
object "it has not been made" "$one" "" "" '@%p mbarrier.test_wait.parity.shared.b64 %p, [o], 1;'
object "it is stored to, and was not invalidated" "$one" "$make" "" '@%p st.shared.u32 [o+4], %x;'
object "it is stored to, and was not invalidated" "$one" "$make" "" 'atom.shared.add.u32 %x, [o], %x;'
object "" "$one" "$make" '@%p mbarrier.inval.shared.b64 [o];' '@%p st.shared.u32 [o+4], %x;'
object "it was invalidated" "$one" "$make" '@%p mbarrier.inval.shared.b64 [o]; bar.sync 0;' '@%p mbarrier.arrive.shared.b64 %s, [o];'
object "it is made again" "$one" "$make" "" '@%p mbarrier.init.shared.b64 [o], 4;'
object "it is made for 0 arrivals" "$one" "" "" '@%p mbarrier.init.shared.b64 [o], 0;'
object "1 arrive, and its phase waits for 0" "$one" "@%p mbarrier.init.shared.b64 [o], 3; bar.sync 0;" \
    '@%p mbarrier.expect_tx.relaxed.cta.shared.b64 [o], 16; bar.sync 0;' 'mbarrier.arrive.shared.b64 %s, [o];'
object "5 arrive, and its phase waits for 4" "$one" "$make" "" '@%p mbarrier.arrive.shared.b64 %s, [o], 5;'
object "it would wait for 1048576 bytes" "$one" "$make" '@%p mbarrier.expect_tx.relaxed.cta.shared.b64 [o], 1; bar.sync 0;' \
    '@%p mbarrier.expect_tx.relaxed.cta.shared.b64 [o], 1048575;'

# A race in inlined functions: the calls of both places.
"$REPRISE" run --module tests/golden/cubin/inlined.ptx --kernel k --grid 2 --block 2 --arg buf=zeros:8 --check race -q 2>"$dir/err"
if [ $? = 3 ] && [ "$(grep -o '(dot.cuh:7, in dot at k.cu:20, in norm at k.cu:41)' "$dir/err" | wc -l)" = 2 ] &&
    [ "$(grep -o '(k.cu:20, in norm at k.cu:41)' "$dir/err" | wc -l)" = 2 ]; then ok "calls of a race"; else bad "calls of a race"; fi

# A block that ends while another one of its cluster may still read its memory.
remote() { # instructions behind the load, and before the end of block 0
    printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' '.visible .entry k(.param .u64 p) .reqnctapercluster 2 {' \
        '.reg .b32 %r<5>; .reg .pred %p<2>; .reg .b64 %d<2>; .shared .align 4 .b32 s[64];' \
        'mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, s; st.shared.u32 [s], %r1; barrier.cluster.arrive; barrier.cluster.wait;' \
        "setp.eq.u32 %p1, %r1, 0; @%p1 bra END; mapa.shared::cluster.u32 %r3, %r2, 0; ld.param.u64 %d1, [p];" \
        "ld.shared::cluster.u32 %r4, [%r3]; // remote" 'st.global.u32 [%d1], %r4;' "END: $1" 'ret; }' >"$dir/remote.ptx"
    "$REPRISE" run -q --module "$dir/remote.ptx" --grid 2 --block 32 $out --check all >"$dir/out" 2>"$dir/err"
    status=$?
}
remote ""
if [ $status = 3 ] && grep -q "race: load.* in shared memory, and nothing orders it before the end of the block whose.*:8)" "$dir/err"; then ok "a load from a block that ends"; else bad "a load from a block that ends"; fi
remote "barrier.cluster.arrive; barrier.cluster.wait;"
if [ $status = 0 ] && ! [ -s "$dir/err" ]; then ok "the same before a barrier of the cluster"; else bad "a load before a barrier of the cluster"; fi

# Random kernels, beside a model that compares all accesses.
if python3 tests/random/races.py --count 120 >"$dir/out" 2>"$dir/err"; then ok "races of random kernels: $(tail -1 "$dir/out")"
else cat "$dir/out" >>"$dir/err"; bad "races of random kernels"; fi

# What is said where not everything can be checked: a store to what the kernel was given to load; too many instructions.
missed() { # what, text, module, arguments
    "$REPRISE" run --module "$3" --check race -q "${@:4}" 2>"$dir/err"
    if [ $? = 3 ] && grep -q "^reprise: $2" "$dir/err"; then ok "not everything is checked: $1"; else bad "not everything is checked: $1"; fi
}
cat >"$dir/stray.ptx" <<'PTX'
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .s64 far) {
.reg .u32 %x; .reg .u64 %in, %out, %far;
ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.s64 %far, [far];
ld.global.u32 %x, [%in];
add.s64 %out, %out, %far;
st.global.u32 [%out], %x;
ret; }
PTX
missed "a store far away" "a kernel stored to a buffer that it was not given" "$dir/stray.ptx" --grid 1 --block 1 --arg buf=zeros:64 --arg buf=zeros:64 --arg i64=-1024
{ printf '%s\n' '.version 7.0' '.target sm_75' '.address_size 64' '.visible .entry k() {' '.reg .u32 %x; bra E;'
yes 'add.u32 %x, %x, 1;' | head -524288; echo 'E: ret; }'; } >"$dir/long.ptx"
missed "a long kernel" "a kernel has more than 524,288 instructions" "$dir/long.ptx" --grid 1 --block 1

# More blocks than the log of who ran when remembers: the right one is named, and what is older is over.
cat >"$dir/blocks.ptx" <<'PTX'
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 one, .param .u32 two) {
.reg .u32 %b, %x; .reg .u64 %out, %at; .reg .pred %p;
ld.param.u64 %out, [out]; mov.u32 %b, %ctaid.x;
mul.wide.u32 %at, %b, 4; add.u64 %at, %at, %out; st.global.u32 [%at], %b;
ld.param.u32 %x, [one]; setp.eq.u32 %p, %b, %x;
@%p st.global.u32 [%out+4800000], %b;
ld.param.u32 %x, [two]; setp.eq.u32 %p, %b, %x;
@%p st.global.u32 [%out+4800000], %b;
ret; }
PTX
blocks() { "$REPRISE" run --module "$dir/blocks.ptx" --grid 1200000 --block 1 --arg buf=zeros:4800004 --arg "i32=$1" --arg i32=1199999 --check race -q 2>"$dir/err"; }
blocks 700000
if [ $? = 3 ] && grep -q ':11), block (1199999,0,0).*:9), block (700000,0,0)' "$dir/err"; then ok "two of 1,200,000 blocks"; else bad "two of 1,200,000 blocks"; fi
if blocks 70000 && ! [ -s "$dir/err" ]; then ok "two of 1,200,000 blocks, far apart"; else bad "two of 1,200,000 blocks, far apart"; fi

# Asynchronous copies: line 9 and what follows; a copy of line 8 is met too early, at the line that is said, or nowhere.
copies() { # what, line or "" for nothing, lines of PTX
    local status
    { echo '.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a) { .shared .align 16 .b8 t[2048]; .shared .b64 o; .reg .b64 %a, %g, %s, %n, %q; .reg .b32 %x, %y, %m, %v; .reg .pred %p;
ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; mul.wide.u32 %q, %x, 4; add.u64 %g, %a, %q; mov.u32 %y, t; mov.u32 %m, %tid.x;
mad.lo.u32 %m, %m, 4, %y; xor.b32 %v, %x, 32; mad.lo.u32 %y, %v, 4, %y;
setp.eq.u32 %p, %x, 0; @%p mbarrier.init.shared.b64 [o], 64; bar.sync 0;
cp.async.ca.shared.global [%m], [%g], 4;'; printf '%s\n' "${@:3}" 'ret; }'; } >"$dir/copies.ptx"
    "$REPRISE" run --module "$dir/copies.ptx" --grid 2 --block 64 --arg buf=zeros:1024 --check all -q 2>"$dir/err"
    status=$?
    if [ -z "$2" ] && [ "$status" = 0 ] && ! [ -s "$dir/err" ]; then ok "copies: $1"
    elif [ -n "$2" ] && [ "$status" = 3 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q ":$2), .*; the .* was at 'cp.async.*:8), block" "$dir/err"; then ok "copies: $1"
    else bad "copies: $1 (status $status)"; fi
}
copies "its thread reads before it waits" 9 'ld.shared.u32 %v, [%m];' 'cp.async.wait_all;'
copies "its thread reads behind the wait" "" 'cp.async.wait_all;' 'ld.shared.u32 %v, [%m];'
copies "a barrier is no wait" 10 'bar.sync 0;' 'ld.shared.u32 %v, [%y];'
copies "the wait and a barrier" "" 'cp.async.wait_all; bar.sync 0;' 'ld.shared.u32 %v, [%y];'
copies "the wait without a barrier" 10 'bar.sync 0; cp.async.wait_all;' 'ld.shared.u32 %v, [%y];'
copies "two groups, one may be pending" "" 'cp.async.commit_group; cp.async.ca.shared.global [%m+1024], [%g], 4; cp.async.commit_group;' 'cp.async.wait_group 1;' 'ld.shared.u32 %v, [%m];'
copies "two groups, both may be pending" 11 'cp.async.commit_group; cp.async.ca.shared.global [%m+1024], [%g], 4; cp.async.commit_group;' 'cp.async.wait_group 2;' 'ld.shared.u32 %v, [%m];'
copies "a group that is not closed" 10 'cp.async.wait_group 0;' 'ld.shared.u32 %v, [%m];'
copies "a store to where it stores" 9 'st.shared.u32 [%m], %x;' 'cp.async.wait_all;'
copies "another copy to there" 9 'cp.async.ca.shared.global [%m], [%g+4], 4;' 'cp.async.wait_all;'
copies "a barrier object that arrives behind it" "" 'cp.async.mbarrier.arrive.noinc.shared.b64 [o];' 'mov.u64 %n, 0; W: mbarrier.try_wait.parity.shared.b64 %p, [o], 0; @!%p bra W;' \
    'ld.shared.u32 %v, [%y];'

# Bulk copies count as done where they are issued: a race with a store before, by another warp; a right one.
bulk() { # what, line or "", lines of PTX
    local status
    { echo '.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a) { .shared .align 16 .b8 t[256]; .shared .b64 o; .reg .b64 %a, %s; .reg .b32 %x, %m, %v; .reg .pred %p;
ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; mov.u32 %m, t; mad.lo.u32 %m, %x, 4, %m; setp.eq.u32 %p, %x, 32;
@%p mbarrier.init.shared.b64 [o], 1; fence.proxy.async; bar.sync 0;'; printf '%s\n' "${@:3}" '
@%p mbarrier.arrive.expect_tx.shared.b64 %s, [o], 256;
@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [t], [%a], 256, [o];
W: mbarrier.try_wait.parity.shared.b64 %p, [o], 0; @!%p bra W;
ld.shared.u32 %v, [%m]; ret; }'; } >"$dir/bulk.ptx"
    "$REPRISE" run --module "$dir/bulk.ptx" --grid 2 --block 64 --arg buf=zeros:1024 --check all -q 2>"$dir/err"
    status=$?
    if [ -z "$2" ] && [ "$status" = 0 ] && ! [ -s "$dir/err" ]; then ok "bulk copies: $1"
    elif [ -n "$2" ] && [ "$status" = 3 ] && grep -q "store of 4 bytes.*behind a store by another warp; at 'st.shared.*:7), .*; the store was at '@%p cp.async.bulk.*:$2), block" "$dir/err"; then ok "bulk copies: $1"
    else bad "bulk copies: $1 (status $status)"; fi
}
bulk "right" "" 'st.shared.u32 [%m], %x; bar.sync 0;'
bulk "stores before that nothing orders" 10 'st.shared.u32 [%m], %x;'

# Shared memory that is reserved for the system is what the system made it; a kernel's own is not.
cat >"$dir/reserved.ptx" <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a) { .shared .b32 own; .reg .b32 %r, %v;
mov.u32 %r, %reserved_smem_offset_1;
red.and.release.cta.shared.b32 [%r], -2;
red.and.release.cta.shared.b32 [own], -2; ret; }
PTX
"$REPRISE" run --module "$dir/reserved.ptx" --grid 1 --block 1 --arg buf=zeros:4 --check init -q 2>"$dir/err"
if [ $? = 3 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q "uninitialised read.*ptx:7)" "$dir/err"; then ok "reserved shared memory"; else bad "reserved shared memory"; fi

# Padding: what copies a structure reads it, and no more; an exchange of which nobody needs the old value reads nothing.
padding() { # file, instructions behind the stores of a structure of char and int at s, and of a char at s + 8
    printf '%s\n' '.version 8.0' '.target sm_80' '.address_size 64' '.file 1 "pad.cu"' '.visible .entry k(.param .u64 p, .param .u64 u) {' \
        '.shared .align 16 .b8 s[32]; .local .b32 l; .reg .b64 %p, %d, %u; .reg .b32 %a, %b, %c, %e, %v; .reg .b16 %h<4>; .reg .pred %q;' \
        'ld.param.u64 %p, [p]; ld.param.u64 %u, [u];' \
        'st.shared.u8 [s], 1; st.shared.u32 [s+4], 2; st.shared.u8 [s+8], 3;' '.loc 1 8 0' "$2" 'ret; }' >"$dir/$1"
    "$REPRISE" run --module "$dir/$1" --grid 1 --block 1 --arg buf=zeros:64 --arg buf=unset:8 --check init -q 2>"$dir/err"
}
moved() { if padding moved.ptx "$2" && [ ! -s "$dir/err" ]; then ok "padding: $1"; else bad "padding: $1"; cat "$dir/err" >&2; fi; }
unmoved() { padding read.ptx "$3"
    if [ $? = 3 ] && [ "$(grep -c uninitialised "$dir/err")" = 1 ] && grep -q "$2; at .*(pad.cu:8)" "$dir/err"; then ok "padding: $1"; else bad "padding: $1"; cat "$dir/err" >&2; fi; }
moved "a copy" 'ld.shared.v4.u32 {%a, %b, %c, %e}, [s]; st.global.v4.u32 [%p], {%a, %b, %c, %e};'
moved "a copy by way of moves" 'ld.shared.v4.u16 {%h0, %h1, %h2, %h3}, [s]; mov.b32 %a, {%h0, %h1}; mov.b32 %b, {%h2, %h3}; mov.b64 %d, {%a, %b}; st.global.u64 [%p], %d;'
moved "what else is there is used" 'ld.shared.v2.u32 {%a, %b}, [s]; st.global.u32 [%p], %a; add.u32 %b, %b, 1; st.global.u32 [%p+4], %b;'
moved "an asynchronous copy" 'mov.u64 %d, s; cvta.shared.u64 %d, %d; st.global.u8 [%p+1], 1; cp.async.ca.shared.global [s+16], [%p], 16; cp.async.wait_all;'
moved "an exchange" 'atom.shared.exch.b32 %v, [s+12], 0; atom.shared.exch.b32 _, [s+16], 0;'
unmoved "is used" "load of 8 bytes at 0x0 in shared memory, 3 of which nobody has written since the block began" \
    'ld.shared.v2.u32 {%a, %b}, [s]; add.u32 %a, %a, 1; st.global.v2.u32 [%p], {%a, %b};'
unmoved "is used behind a move" "load of 4 bytes at 0x0 .* 3 of which nobody .*" 'ld.shared.u32 %a, [s]; mov.b32 %b, %a; add.u32 %b, %b, 1; st.global.u32 [%p], %b;'
unmoved "a word of which nothing is written" "load of 4 bytes at 0xc .*, which nobody .*" 'ld.shared.u32 %a, [s+12]; st.global.u32 [%p], %a;'
unmoved "a byte before what is written" "load of 2 bytes at 0x2 .*, which nobody .*" 'ld.shared.u16 %h0, [s+2]; st.global.u16 [%p], %h0;'
unmoved "the old value of an exchange" "atomic of 4 bytes at 0xc .*, which nobody .*" 'atom.shared.exch.b32 %v, [s+12], 0; st.global.u32 [%p], %v;'
# Bits that nobody has written: code that is not optimised loads a word to put a few bits into it. What is put there can be read.
word='ld.shared.u32 %a, [s+12]; and.b32 %a, %a, -16; or.b32 %a, %a, 3; st.shared.u32 [s+12], %a;'
moved "a field of bits" "$word ld.shared.u32 %b, [s+12]; and.b32 %b, %b, 15; st.global.u32 [%p], %b;"
moved "two fields" "$word ld.shared.u32 %a, [s+12]; bfi.b32 %a, 5, %a, 4, 4; st.shared.u32 [s+12], %a; ld.shared.u8 %a, [s+12]; add.u32 %a, %a, 1; st.global.u32 [%p], %a;"
moved "a field of a byte" 'ld.shared.u8 %h0, [s+12]; and.b16 %h0, %h0, -8; or.b16 %h0, %h0, 5; st.shared.u8 [s+12], %h0; ld.shared.s8 %b, [s+12]; shl.b32 %b, %b, 29; shr.s32 %b, %b, 29; setp.eq.u32 %q, %b, -3; @%q st.global.u32 [%p], %b;'
moved "fields of device memory" 'ld.global.u64 %d, [%u]; and.b64 %d, %d, -65536; or.b64 %d, %d, 7; st.global.u64 [%u], %d; ld.global.u16 %h0, [%u]; add.u16 %h0, %h0, 1; st.global.u16 [%p], %h0;'
moved "a structure with fields, by way of local memory" "$word ld.shared.u32 %a, [s+12]; st.local.u32 [l], %a; ld.local.u32 %a, [l]; st.global.u32 [%p], %a;"
moved "a field whose register is stored twice" "$word st.local.u32 [l], %a; st.global.u32 [%p], %a;"
double='st.shared.u32 [s+16], 1; mov.u64 %d, 2; st.shared.u64 [s+24], %d; ld.shared.u32 %a, [s+20];'
moved "a word between an int and a double" "$double st.global.u32 [%p+4], %a;"
unmoved "... at another place" "load of 4 bytes at 0x14 .*" "$double st.global.u32 [%p], %a;"
moved "bytes of padding" 'ld.shared.u8 %h0, [s]; ld.shared.u8 %h1, [s+1]; ld.shared.u8 %h2, [s+2]; ld.shared.u8 %h3, [s+3]; st.global.u8 [%p], %h0; st.global.u8 [%p+1], %h1; st.global.v2.u8 [%p+2], {%h2, %h3};'
unmoved "a field that nobody has written" "load of 4 bytes at 0xc .*" "$word ld.shared.u32 %b, [s+12]; bfe.u32 %b, %b, 4, 4; st.global.u32 [%p], %b;"
unmoved "bits of a word" "load of 4 bytes at 0xc .*" 'ld.shared.u32 %a, [s+12]; and.b32 %a, %a, 15; st.global.u32 [%p], %a;'
unmoved "a word that is shifted" "load of 4 bytes at 0xc .*" 'ld.shared.u32 %a, [s+12]; shl.b32 %a, %a, 2; st.global.u32 [%p], %a;'
unmoved "an address" "load of 4 bytes at 0xc .*" 'ld.shared.u32 %a, [s+12]; and.b32 %a, %a, 12; cvt.u64.u32 %d, %a; add.u64 %p, %p, %d; st.global.u32 [%p], 1;'
unmoved "a comparison" "load of 4 bytes at 0xc .*" 'ld.shared.u32 %a, [s+12]; setp.lt.s32 %q, %a, 4; @%q st.global.u32 [%p], 1;'
unmoved "a sum by way of local memory" "load of 4 bytes at 0xc .*" 'ld.shared.u32 %a, [s+12]; st.local.u32 [l], %a;'$'\n.loc 1 9 0\n''ld.local.u32 %b, [l]; add.u32 %b, %b, 1; st.global.u32 [%p], %b;'
unmoved "an atomic" "load of 4 bytes at 0xc .*" 'ld.shared.u32 %a, [s+12]; red.global.add.u32 [%p], %a;'
unmoved "a shuffle" "load of 4 bytes at 0xc .*" 'ld.shared.u32 %a, [s+12]; shfl.sync.idx.b32 %b, %a, 0, 31, 1; cvt.rn.f32.u32 %b, %b; st.global.u32 [%p], %b;'
# Functions of the toolkit that are called, not inlined: the finding names the call in the program's own code, and each such call is one.
cat >"$dir/toolkit.ptx" <<'PTX'
.version 8.0
.target sm_75
.address_size 64
.file 1 "/usr/local/cuda/include/sm_30_intrinsics.hpp"
.file 2 "own.cu"
.func (.param .b32 r) _Z7shuffleii(.param .b32 v, .param .b32 l) { .reg .b32 %v, %l;
ld.param.u32 %v, [v]; ld.param.u32 %l, [l];
.loc 1 373 0
shfl.sync.idx.b32 %v, %v, %l, 31, 0xffff;
st.param.b32 [r], %v; ret; }
.func (.param .b32 r) _Z6middlei(.param .b32 v) { .reg .b32 %v, %l; ld.param.u32 %v, [v]; mov.u32 %l, 20;
.loc 1 400 0
{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %v; st.param.b32 [b], %l; call.uni (c), _Z7shuffleii, (a, b); ld.param.b32 %v, [c]; }
st.param.b32 [r], %v; ret; }
.visible .entry k(.param .u64 p) { .reg .b32 %v; .reg .b64 %p; .reg .pred %q;
ld.param.u64 %p, [p]; mov.u32 %v, %tid.x; setp.ge.u32 %q, %v, 16; @%q bra D;
.loc 2 12 0
{ .param .b32 a; .param .b32 c; st.param.b32 [a], %v; call.uni (c), _Z6middlei, (a); ld.param.b32 %v, [c]; }
.loc 2 14 0
{ .param .b32 a; .param .b32 c; st.param.b32 [a], %v; call.uni (c), _Z6middlei, (a); ld.param.b32 %v, [c]; }
D: st.global.u32 [%p], %v; ret; }
PTX
"$REPRISE" run --module "$dir/toolkit.ptx" --grid 1 --block 32 --arg buf=zeros:4 --check sync -q 2>"$dir/err"
if [ $? = 3 ] && [ "$(grep -c "sm_30_intrinsics.hpp:373), in middle at own.cu:1[24], block" "$dir/err")" = 2 ]; then ok "calls of the toolkit's functions"; else bad "calls of the toolkit's functions"; cat "$dir/err" >&2; fi
"$REPRISE" run --module "$dir/toolkit.ptx" --grid 1 --block 32 --arg buf=zeros:4 --check sync -q --findings "$dir/toolkit.sarif" 2>"$dir/err"
if [ "$(python3 -c "import json; print(*sorted(l['physicalLocation']['artifactLocation']['uri'] + str(l['physicalLocation']['region']['startLine']) for r in json.load(open('$dir/toolkit.sarif'))['runs'][0]['results'] for l in r['locations']))")" = "own.cu12 own.cu14" ]; then ok "... in SARIF"; else bad "... in SARIF"; grep uri "$dir/toolkit.sarif" >&2; fi
# What nvcc makes of such source without optimisation, as PTX and, where there is a ptxas, as machine code.
ptxas=$PWD/$BUILD/toolchain/12.9/ptxas
[ -x "$ptxas" ] || ptxas=
unoptimised() { # kernel, options: the status
    REPRISE_PTXAS=$ptxas "$REPRISE" run --module tests/golden/nvcc/unoptimised-75.ptx -k "$1" --grid 1 --block 32 --arg buf=zeros:1024 --check init -q "${@:2}" 2>"$dir/err"
    echo $?
}
for how in "" ${ptxas:+"--assemble sm_75"}; do
    # shellcheck disable=SC2086
    for kernel in fields flags in_shared padded; do
        if [ "$(unoptimised $kernel $how)" = 0 ] && [ ! -s "$dir/err" ]; then ok "nvcc -G: $kernel $how"; else bad "nvcc -G: $kernel $how"; fi
    done
    # shellcheck disable=SC2086
    for kernel in wrong_field:60 wrong_element:66; do
        if [ "$(unoptimised ${kernel%:*} $how)" = 3 ] && { [ "$how" ] || grep -q "uninitialised.*unoptimised.cu:${kernel#*:})" "$dir/err"; }; then ok "nvcc -G: $kernel $how"; else bad "nvcc -G: $kernel $how"; fi
    done
done
[ -n "$ptxas" ] || echo "ok - nvcc -G in machine code # SKIP no ptxas here; make toolchain fetches it"
# What a compiler makes of one access of the source is one finding; of two buffers it is two.
padding unrolled.ptx 'ld.shared.u32 %a, [s+12]; ld.shared.u32 %b, [s+16]; ld.shared.u32 %c, [s+20]; add.u32 %a, %a, 1; st.shared.u32 [s], %a; add.u32 %b, %b, 1; st.shared.u32 [s], %b; add.u32 %c, %c, 1; st.shared.u32 [s], %c;'
if [ "$(grep -c uninitialised "$dir/err")" = 1 ] && grep -q "; 3 times$" "$dir/err"; then ok "one finding for a line that is unrolled"; else bad "a line that is unrolled"; fi
"$REPRISE" run --module <(sed 's/^ret;/ld.param.u64 %d, [u]; ld.global.u32 %a, [%p]; ld.global.u32 %b, [%d]; add.u32 %a, %a, 1; st.global.u32 [%p], %a; add.u32 %b, %b, 1; st.global.u32 [%d], %b; ret;/' "$dir/unrolled.ptx") \
    --grid 1 --block 1 --arg buf=unset:4 --arg buf=unset:4 --check init -q 2>"$dir/err"
if [ "$(grep -c "uninitialised.*global" "$dir/err")" = 2 ]; then ok "two findings for a line that reads two buffers"; else bad "a line that reads two buffers"; cat "$dir/err" >&2; fi

# Bulk copies that are met before anybody has found their phase over: line 10 and what follows; the copies are line 9's.
early() { # what, line or "", lines of PTX
    local status
    { echo '.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a) { .shared .align 16 .b8 t[512]; .shared .b64 o[2]; .reg .b64 %a, %s; .reg .b32 %x, %m, %v; .reg .pred %p, %q;
ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; mov.u32 %m, t; mad.lo.u32 %m, %x, 4, %m; setp.eq.u32 %p, %x, 32;
@%p mbarrier.init.shared.b64 [o], 1; @%p mbarrier.init.shared.b64 [o+8], 1; fence.proxy.async; bar.sync 0;
@%p mbarrier.arrive.expect_tx.shared.b64 %s, [o], 256;
@%p mbarrier.arrive.expect_tx.shared.b64 %s, [o+8], 256;
@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [t], [%a], 256, [o]; @%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [t+256], [%a], 256, [o+8];'
    printf '%s\n' "${@:3}" 'ret; }'; } >"$dir/early.ptx"
    "$REPRISE" run --module "$dir/early.ptx" --grid 2 --block 64 --arg buf=zeros:1024 --check all -q 2>"$dir/err"
    status=$?
    if [ -z "$2" ] && [ "$status" = 0 ] && ! [ -s "$dir/err" ]; then ok "early: $1"
    elif [ -n "$2" ] && [ "$status" = 3 ] && grep -q "a bulk copy stores there whose barrier object nobody has waited for; at '.*:$2), .*; the store was at '@%p cp.async.bulk.*:9), block" "$dir/err"; then ok "early: $1"
    else bad "early: $1 (status $status)"; fi
}
first='W: mbarrier.try_wait.parity.shared.b64 %q, [o], 0; @!%q bra W;' second='V: mbarrier.try_wait.parity.shared.b64 %q, [o+8], 0; @!%q bra V;'
early "nobody waits, behind a barrier of the block" 11 'bar.sync 0;' 'ld.shared.u32 %v, [%m];'
early "the thread that copies" 10 '@%p ld.shared.u32 %v, [t];' "$first"
early "it stores" 10 '@%p st.shared.u32 [t+252], %x;' "$first"
early "both phases are waited for" "" "$first" "$second" 'ld.shared.u32 %v, [%m]; ld.shared.u32 %v, [%m+256];'
early "the other copy's phase" 11 "$first" 'ld.shared.u32 %v, [%m+256];' "$second"
early "one warp waits, a barrier tells the others" "" "@!%p bra B; $first" 'B: bar.sync 0;' 'ld.shared.u32 %v, [%m];'
early "vectors that reach into the other copy's bytes" 11 "$first" '@%p ld.shared.v4.u32 {%v, %v, %v, %v}, [t+256];' "$second"

# Barrier objects as PTX and, where there is a ptxas, as machine code, where they are plain memory before sm_90: `wait`
# is right in any form, without it there is a race. Reserved memory counts as written; what lanes go around is found.
cat >"$dir/objects.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry waits(.param .u64 a) { .shared .b32 s[64]; .shared .b64 o; .reg .b32 %x, %m, %v; .reg .b64 %t, %a; .reg .pred %p, %q;
ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; mov.u32 %m, s; mad.lo.u32 %m, %x, 4, %m; setp.eq.u32 %p, %x, 0; mad.wide.u32 %a, %x, 4, %a;
@%p mbarrier.init.shared.b64 [o], 64; bar.sync 0;
st.shared.u32 [%m], %x;
mbarrier.arrive.shared.b64 %t, [o];
W: mbarrier.test_wait.shared.b64 %q, [o], %t; @!%q bra W;
xor.b32 %m, %m, 128; ld.shared.u32 %v, [%m]; st.global.u32 [%a], %v; ret; }
.visible .entry consumes(.param .u64 a) { .shared .b32 s[32]; .shared .b64 o; .reg .b32 %x, %m, %v; .reg .b64 %t, %a; .reg .pred %p, %q;
ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; and.b32 %v, %x, 31; mov.u32 %m, s; mad.lo.u32 %m, %v, 4, %m; setp.eq.u32 %p, %x, 0; mad.wide.u32 %a, %x, 4, %a;
@%p mbarrier.init.shared.b64 [o], 32; bar.sync 0;
setp.lt.u32 %p, %x, 32; @%p bra W;
st.shared.u32 [%m], %x; mbarrier.arrive.shared.b64 %t, [o]; ret;
W: mbarrier.test_wait.parity.shared.b64 %q, [o], 0; @!%q bra W;
ld.shared.u32 %v, [%m]; st.global.u32 [%a], %v; ret; }
.visible .entry copies(.param .u64 a) { .shared .b32 s[64]; .shared .b64 o; .reg .b32 %x, %m, %v; .reg .b64 %t, %a; .reg .pred %p, %q;
ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; mov.u32 %m, s; mad.lo.u32 %m, %x, 4, %m; setp.eq.u32 %p, %x, 0; mad.wide.u32 %a, %x, 4, %a;
@%p mbarrier.init.shared.b64 [o], 64; bar.sync 0;
cp.async.ca.shared.global [%m], [%a], 4; cp.async.mbarrier.arrive.shared.b64 [o];
mbarrier.arrive.shared.b64 %t, [o];
W: mbarrier.test_wait.shared.b64 %q, [o], %t; @!%q bra W;
xor.b32 %m, %m, 128; ld.shared.u32 %v, [%m]; st.global.u32 [%a+256], %v; ret; }
.visible .entry reserved(.param .u64 a) { .shared .b32 own; .reg .b32 %r;
mov.u32 %r, %reserved_smem_offset_1; red.and.release.cta.shared.b32 [%r], -2; st.shared.u32 [own], %r; ret; }
.visible .entry around(.param .u64 a) { .reg .b32 %x; .reg .b64 %a; .reg .pred %p; ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; setp.lt.u32 %p, %x, 16; mad.wide.u32 %a, %x, 4, %a;
@!%p bra D; bar.sync 0;
D: st.global.u32 [%a], %x; ret; }
.visible .entry leaves(.param .u64 a) { .reg .b32 %x; .reg .b64 %a; .reg .pred %p; ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; setp.lt.u32 %p, %x, 16; mad.wide.u32 %a, %x, 4, %a;
@!%p ret; bar.sync 0; st.global.u32 [%a], %x; ret; }
.visible .entry reads(.param .u64 a) { .reg .b32 %x, %v; .reg .b64 %a; .reg .pred %p; ld.param.u64 %a, [a]; mov.u32 %x, %tid.x; mov.u32 %v, 0; setp.lt.u32 %p, %x, 16; mad.wide.u32 %a, %x, 4, %a;
@!%p bra D; shfl.sync.idx.b32 %v, %x, 20, 31, 0xffff;
D: st.global.u32 [%a], %v; ret; }
PTX
sed 's/^W: .*//' "$dir/objects.ptx" | grep -v '%p bra W' >"$dir/no_wait.ptx"
sed 's/, 20, 31, 0xffff/, 12, 31, 0xffff/' "$dir/objects.ptx" >"$dir/in_mask.ptx"
both_ways() { # what, file, kernel, what a finding says or ""
    local how status
    for how in "" ${ptxas:+"--assemble sm_80" "--assemble sm_86" "--assemble sm_90"}; do
        # shellcheck disable=SC2086
        REPRISE_PTXAS=$ptxas "$REPRISE" run --module "$dir/$2.ptx" -k "$3" --grid 1 --block 64 --arg buf=zeros:512 --check all -q $how 2>"$dir/err"
        status=$?
        if [ -z "$4" ] && [ $status = 0 ] && ! [ -s "$dir/err" ]; then ok "$1 $how"
        elif [ "$4" ] && [ $status = 3 ] && grep -q "$4" "$dir/err"; then ok "$1 $how"
        else bad "$1 $how (status $status)"; fi
    done
}
both_ways "a barrier object" objects waits ""
both_ways "... nobody waits" no_wait waits "race: .* by another warp"
both_ways "a consumer that waits first" objects consumes ""
both_ways "... that does not wait" no_wait consumes "race: .* by another warp"
both_ways "copies and a barrier object" objects copies ""
both_ways "... nobody waits" no_wait copies "race: .* by another warp"
both_ways "reserved shared memory" objects reserved ""
both_ways "lanes that go around a barrier" objects around "synchronisation: .*lanes 0x0000ffff .*lanes 0xffff0000"
both_ways "lanes that return before it" objects leaves ""
both_ways "a shuffle from a lane that takes no part" objects reads "synchronisation: lane 0 reads from lane 20, which takes no part"
both_ways "... that takes part" in_mask reads ""

# Textures and surfaces: threads of two warps read texels that the other one stores.
cat >"$dir/images.ptx" <<'PTX'
.version 7.0
.target sm_75
.address_size 64
.visible .entry texture(.param .u64 canvas, .param .u64 picture, .param .u32 turn) {
.reg .b64 %t, %s; .reg .b32 %x, %y, %v, %w;
ld.param.u64 %s, [canvas]; ld.param.u64 %t, [picture]; mov.u32 %x, %tid.x;
shl.b32 %y, %x, 2;
sust.b.1d.b32.trap [%s, {%y}], %x;
ld.param.u32 %w, [turn]; xor.b32 %x, %x, %w;
tex.1d.v4.u32.s32 {%v, _, _, _}, [%t, {%x}];
ret; }
.visible .entry surface(.param .u64 canvas, .param .u64 picture, .param .u32 turn) {
.reg .b64 %s; .reg .b32 %x, %y, %v, %w;
ld.param.u64 %s, [canvas]; mov.u32 %x, %tid.x;
shl.b32 %y, %x, 2;
sust.b.1d.b32.trap [%s, {%y}], %x;
ld.param.u32 %w, [turn]; shl.b32 %w, %w, 2; xor.b32 %y, %y, %w;
suld.b.1d.b32.trap %v, [%s, {%y}];
ret; }
PTX
images() { # kernel, which texel: the other one is so many further on
    cat >"$dir/images.cfg" <<CFG
module = "images.ptx"; check = "all";
buffers = { C = "zeros:256"; };
images = { canvas = { buffer = "C"; element = "u32"; width = 64; }; };
launches = ( { kernel = "$1"; grid = 1; block = 64; args = ( "surf=canvas", "tex=canvas", "i32=$2" ); } );
CFG
    "$REPRISE" run -f "$dir/images.cfg" -q 2>"$dir/err"
}
for k in texture:10:8 surface:18:16; do
    IFS=: read -r kernel load store <<<"$k"
    if images $kernel 0 && ! [ -s "$dir/err" ]; then ok "a $kernel, its own texels"; else bad "a $kernel, its own texels"; fi
    images $kernel 32
    if [ $? = 3 ] && grep -q "at 'sust.*ptx:$store), .*; the load was at .*ptx:$load), " "$dir/err"; then ok "a $kernel, another warp's texels"; else bad "a $kernel, another warp's texels"; fi
done

# Several checks, all findings; nothing is asked for twice.
status=$(run sm_75 race_warps race,init 1 64 $out)
if [ "$status" = 3 ] && [ "$(grep -c '^reprise: ' "$dir/err")" = 2 ]; then ok "all findings of one run"; else bad "all findings of one run"; fi
status=$(run sm_75 race_warps memory 1 64 $out)
if [ "$status" = 0 ]; then ok "memory is always checked"; else bad "memory is always checked"; fi

# JSON
"$REPRISE" run --module $source --clang-flags=-Wno-everything -k race_warps --grid 2 --block 64 --check race $out --json >"$dir/out" 2>"$dir/err"
if python3 - "$dir/out" "$(line 'race_warps load')" "$(line 'race_warps store')" <<'PY'
import json, sys
found = json.load(open(sys.argv[1]))["findings"]
load, store = int(sys.argv[2]), int(sys.argv[3])
[f] = [f for f in found if f["other"]["line"] == load]
assert (f["here"]["line"], f["here"]["access"], f["other"]["access"]) == (store, "store", "load"), f
assert f["kind"] == "race" and f["space"] == "shared" and f["size"] == 4 and f["times"] == 128, f
assert f["here"]["file"].endswith("check.cu") and f["here"]["thread"][0] // 32 != f["other"]["thread"][0] // 32
PY
then ok "findings as JSON"; else bad "findings as JSON"; fi

# The same on any number of threads; and from a launch file.
for t in 1 3; do
    "$REPRISE" run --module $source --clang-flags=-Wno-everything -k race_blocks --grid 9 --block 64 --check all $out -t $t -q 2>"$dir/err.$t"
done
if [ -s "$dir/err.1" ] && cmp -s "$dir/err.1" "$dir/err.3"; then ok "the same findings on any number of threads"; else bad "threads"; fi
cat >"$dir/l.cfg" <<CFG
module = "$PWD/$source"; check = "race";
buffers = { A = "zeros:1024"; };
launches = ( { kernel = "race_blocks"; grid = 2; block = 32; args = ( "buf=A" ); } );
CFG
"$REPRISE" record -o "$dir/t.wtr" -f "$dir/l.cfg" --clang-flags=-Wno-everything -q 2>"$dir/err"
if [ $? = 3 ] && grep -q ': race: ' "$dir/err" && "$REPRISE" verify "$dir/t.wtr" >/dev/null; then ok "launch files; the trace is whole"; else bad "launch files"; fi
sed -i 's/check = "race"/check = "rice"/' "$dir/l.cfg"
"$REPRISE" record -o "$dir/t.wtr" -f "$dir/l.cfg" -q 2>"$dir/err"
if [ $? = 2 ] && grep -q "l.cfg:1: .*no check 'rice'" "$dir/err"; then ok "a wrong check in a launch file"; else bad "a wrong check in a launch file"; fi
status=$(run sm_75 race_warps race, 1 64 $out)
if [ "$status" = 1 ] && grep -q "no check ''" "$dir/err"; then ok "a wrong check"; else bad "a wrong check"; fi

# Clusters: each block stores in the memory of the next, which reads it.
cluster_kernel() { # what stands in the place of each mark
    cat <<PTX
.version 8.0
.target sm_90
.address_size 64
.visible .entry k() .reqnctapercluster 2 {
.shared .align 4 .b8 data[256]; .shared .align 8 .b64 obj;
.reg .b32 %i, %s, %d, %m, %r, %v; .reg .pred %f;
.file 1 "cluster.cu"
mov.u32 %i, %tid.x; mov.u32 %r, %cluster_ctarank; xor.b32 %r, %r, 1; setp.eq.u32 %f, %i, 0;
mov.u32 %s, data; mad.lo.u32 %s, %i, 4, %s; mapa.shared::cluster.u32 %d, %s, %r; mov.u32 %m, obj;
mapa.shared::cluster.u32 %m, %m, %r;
.loc 1 10 0
$1
barrier.cluster.arrive; barrier.cluster.wait;
.loc 1 20 0
st.shared::cluster.u32 [%d], %i;
$2
.loc 1 30 0
ld.shared.u32 %v, [%s];
.loc 1 40 0
@%f mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%m];
barrier.cluster.arrive; barrier.cluster.wait; ret; }
PTX
}
together="barrier.cluster.arrive; barrier.cluster.wait;" make="@%f mbarrier.init.shared.b64 [obj], 1;"
in_cluster() { # what is expected, lines expected or none, what stands at the marks
    cluster_kernel "$3" "$4" >"$dir/cluster.ptx"
    "$REPRISE" run --module "$dir/cluster.ptx" -g 4 -b 32 --check init,race,sync -q >"$dir/out" 2>"$dir/err"
    local status=$?
    if [ -z "$2" ] && [ $status = 0 ] && ! [ -s "$dir/err" ]; then ok "$1"
    elif [ -n "$2" ] && [ $status = 3 ] && [ "$(grep -cE "$2" "$dir/err")" = 1 ]; then ok "$1"
    else bad "$1 (status $status)"; fi
}
in_cluster "clusters: nothing in a kernel that is right" "" "$make" "$together"
in_cluster "clusters: a race of two blocks" 'race: store .*shared memory, .*by another block.*cluster.cu:20.*cluster.cu:30' "$make" ""
in_cluster "clusters: a read of what no block has written" 'uninitialised read: load .*cluster.cu:10' "$make ld.shared::cluster.u32 %v, [%d]; setp.eq.u32 %f, %v, 7; @%f bra N; N: setp.eq.u32 %f, %i, 0;" "$together"
in_cluster "clusters: an object of another block that is not made" 'synchronisation: .*it has not been made.*cluster.cu:40' "" "$together"

# One race is one finding, with lines and without: a store and the loads of an unrolled loop, which came first or not.
for loc in '' '.loc 1 %d 0\n'; do
    { printf '.version 8.0\n.target sm_75\n.address_size 64\n.file 1 "u.cu"\n.visible .entry k() {\n.shared .b32 s[64]; .reg .b32 %%a, %%r; .reg .b64 %%d;\n'
      printf 'mov.u32 %%a, %%tid.x; shl.b32 %%a, %%a, 2; cvt.u64.u32 %%d, %%a; mov.u64 %%d, s; cvt.u32.u64 %%r, %%d; add.u32 %%a, %%a, %%r;\n'
      # shellcheck disable=SC2059
      printf "$loc" 4; echo 'st.shared.u32 [%a], 1;'
      for at in 0 4 8 252; do
          # shellcheck disable=SC2059
          printf "$loc" 6; echo "ld.shared.u32 %r, [s+$at];"
      done
      echo 'ret; }'; } >"$dir/unrolled.ptx"
    "$REPRISE" run --module "$dir/unrolled.ptx" --grid 1 --block 64 --check race -q 2>"$dir/err"
    if [ $? = 3 ] && [ "$(grep -c ': race: ' "$dir/err")" = 1 ]; then ok "one race is one finding ${loc:+with lines}"; else bad "one race is one finding ${loc:+with lines}"; fi
done
verdict() { if "${@:2}"; then ok "$1"; else bad "$1"; fi; }
# A value that a selection discards is not read; one that it takes, or that something else reads, is. The test stands before or
# behind the load; machine code, where there is a ptxas, has them as that schedules them.
select_of() { # status, times, how many threads take it, before, behind the load, behind the selection, options...
    { printf '.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n) {\n.local .b32 v[32]; .reg .b32 %%a, %%b, %%n, %%r; .reg .b64 %%d, %%l; .reg .pred %%p, %%q;\n'
      printf 'ld.param.u64 %%d, [p]; ld.param.u32 %%n, [n]; mov.u32 %%a, %%tid.x; mul.wide.u32 %%l, %%a, 4; add.u64 %%d, %%d, %%l; mov.u64 %%l, v; mad.wide.u32 %%l, %%a, 4, %%l;\n'
      printf '%s\nld.local.u32 %%r, [%%l];\n%s\nselp.b32 %%b, %%r, -1, %%p; st.global.u32 [%%d], %%b;\n%s ret; }\n' "$4" "$5" "$6"; } >"$dir/select.ptx"
    "$REPRISE" run --module "$dir/select.ptx" --grid 1 --block 32 --arg buf=zeros:128 --arg "i32=$3" --check init -q "${@:7}" 2>"$dir/err"
    [ $? = "$1" ] && { [ "$2" = 0 ] || grep -q "; $2 times$" "$dir/err"; }
}
test='setp.lt.u32 %p, %a, %n;'
square='mul.lo.u32 %r, %r, %r;' float='.reg .f32 %f; mov.b32 %f, %r; fma.rn.f32 %f, %f, %f, %f; mov.b32 %r, %f;'
greater='setp.gt.s32 %q, %r, 7; setp.lt.u32 %p, %a, %n; and.pred %p, %p, %q;'
for how in "" ${ptxas:+"--assemble sm_75"}; do
    export REPRISE_PTXAS=$ptxas
    # shellcheck disable=SC2086
    { verdict "a load that a selection discards $how" select_of 0 0 0 "$test" '' '' $how
      verdict "... the test behind it $how" select_of 0 0 0 '' "$test" '' $how
      verdict "a load that a selection takes $how" select_of 3 4 4 '' "$test" '' $how
      verdict "... and that is read behind it, too $how" select_of 3 32 0 '' "$test" 'st.global.u32 [%d], %r;' $how
      verdict "a product that a selection discards $how" select_of 0 0 0 '' "$square $test" '' $how
      verdict "... and takes $how" select_of 3 4 4 '' "$square $test" '' $how
      verdict "a sum of single precision that a selection discards $how" select_of 0 0 0 '' "$float $test" '' $how
      verdict "a comparison that a logical and discards $how" select_of 0 0 0 '' "$greater" '' $how
      verdict "... and takes $how" select_of 3 4 4 '' "$greater" '' $how
    }
done
verdict "a test of another load, behind it" select_of 0 0 0 '' 'ld.global.u32 %n, [%d]; setp.ne.u32 %p, %n, 0;' ''
verdict "... by which it is taken" select_of 3 32 0 '' 'ld.global.u32 %n, [%d]; setp.eq.u32 %p, %n, 0;' ''
# Comparisons of unwritten bits that decide something: a branch, a guard, what is selected, a vote.
verdict "a branch" select_of 3 32 0 '' "setp.gt.s32 %p, %r, 7; @%p bra L; L: $test" ''
verdict "a guard" select_of 3 32 0 '' "setp.gt.s32 %p, %r, 7; @%p mov.u32 %b, 1; $test" ''
verdict "a selection by a comparison with one number" select_of 3 32 0 '' 'setp.eq.u32 %p, %r, 12345; mov.u32 %r, 5;' ''
verdict "... the other one of two" select_of 3 32 0 '' 'setp.ne.u32 %p|%q, %r, 12345; selp.b32 %r, 5, 6, %q; setp.lt.u32 %p, %a, 32;' ''
verdict "a vote" select_of 3 32 0 '' 'setp.lt.s32 %p, %r, 7; vote.sync.ballot.b32 %r, %p, -1;' ''
[ -n "$ptxas" ] || echo "ok - selections in machine code # SKIP no ptxas here; make toolchain fetches it"
# race=strict, red zones, faults of synchronisation: what the lines of a kernel of two buffers do, with and without.
lines() { # status, checks, grid, lines of PTX
    { printf '.version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q) {\n'
      printf '.reg .b64 %%p, %%q; .reg .b32 %%t, %%c, %%r; .reg .pred %%a, %%b; ld.param.u64 %%p, [p]; ld.param.u64 %%q, [q];\n'
      printf 'mov.u32 %%t, %%tid.x; mov.u32 %%c, %%ctaid.x; setp.eq.u32 %%a, %%c, 0;\n'
      printf '%s\n' "${@:4}" 'ret; }'; } >"$dir/lines.ptx"
    "$REPRISE" run --module "$dir/lines.ptx" --grid "$3" --block 64 --arg buf=zeros:1024 --arg buf=zeros:1024 --check "$2" \
        --findings "$dir/lines.json" -q 2>"$dir/err"
    [ $? = "$1" ]
}
volatile='st.volatile.global.u32 [%p], %t;'
verdict "volatile stores are in no race" lines 0 race 1 "$volatile"
verdict "race=strict: they are" lines 3 race=strict 1 "$volatile"
# one thread of block 0 tells a thread of block 1 by a flag
told() { # status, checks, what is behind the flag, the atomic that waits for it, the load behind
    lines "$1" "$2" 2 'setp.ne.u32 %b, %t, 0; @%b ret; @!%a bra W;' 'st.global.u32 [%p], 1; membar.gl; atom.global.exch.b32 %r, [%q], 1; ret;' \
        \
        "W: atom.global.${4:-cas.b32 %r, [%q], 1, 1}; setp.ne.u32 %b, %r, 1; @%b bra W;" "$3" "${5:-ld.global.u32} %r, [%p]; st.global.u32 [%p+8], %r;"
}
verdict "a flag without a fence behind it orders" told 0 race ''
verdict "race=strict: it does not" told 3 race=strict ''
verdict "race=strict: with a fence it does" told 0 race=strict 'membar.gl;'
verdict "race=strict: not with one of the block" told 3 race=strict 'membar.cta;'
verdict "race=strict: not for a plain load behind another atomic" told 3 race=strict '' 'or.b32 %r, [%q], 0'
verdict "race=strict: for a volatile load behind one it does" told 0 race=strict '' 'or.b32 %r, [%q], 0' ld.volatile.global.u32
# a thread of block 0 and one of block 1 take a lock and store, in this order
locked() { # status, what is behind block 0's compare-and-swap, what the lock is then set to
    lines "$1" race=strict 2 'setp.ne.u32 %b, %t, 0; @%b ret;' "mul.lo.u32 %t, %c, ${3:-0};" 'L: atom.global.cas.b32 %r, [%q], %t, 9; setp.ne.u32 %b, %r, %t; @%b bra L;' \
        '@!%a bra F;' "$2" 'bra S; F: membar.gl; S: st.global.u32 [%p], %c; membar.gl;' "atom.global.exch.b32 %r, [%q], ${3:-0};"
}
verdict "race=strict: locks with fences" locked 0 'membar.gl;'
verdict "race=strict: a lock without a fence, though its section is first" locked 3 ''
verdict "race=strict: a lock with a fence of the block" locked 3 'membar.cta;'
verdict "race=strict: what is handed on is no lock" locked 0 '' 2
verdict "lanes that store different values by one instruction" lines 3 race 1 'st.global.u32 [%p], %t;'
verdict "... to two places" lines 3 race 1 'and.b32 %r, %t, 1; mad.wide.u32 %p, %r, 8, %p; setp.ge.u32 %b, %t, 32; @%b ret; st.global.u32 [%p], %t;'
verdict "... but not the same values" lines 0 race 1 'and.b32 %r, %t, 1; mad.wide.u32 %p, %r, 8, %p; st.global.u32 [%p], %r;'
verdict "an index into the next buffer is not found" lines 0 race 1 'st.global.u32 [%p+2048], 1;'
verdict "memory: it is" lines 3 memory 1 'st.global.u32 [%p+2048], 1;'
verdict "a warp barrier whose mask does not name a lane" lines 3 sync 1 'bar.warp.sync 1;'
if grep -q '"kind": "sync"' "$dir/lines.json"; then ok "... is of kind sync"; else bad "... is of kind sync"; fi
# JSON: the calls whose bodies were inlined, how many findings are left out, and names that are no UTF-8.
json() { # what, condition on the document d
    "$REPRISE" run "${@:3}" $out --json >"$dir/out" 2>"$dir/err"
    if [ $? = 3 ] && python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), d' "$dir/out" "$2" 2>>"$dir/err"
    then ok "JSON: $1"; else bad "JSON: $1"; fi
}
cat >"$dir/inlined.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry inlined(.param .u64 p) {
.reg .b32 %r; .shared .b32 s;
.loc 1 41 5
.loc 1 20 9, function_name info, inlined_at 1 41 5
ld.shared.u32 %r, [s]; add.u32 %r, %r, 1; st.shared.u32 [s], %r;
ret; }
.file 1 "a.cu"
.section .debug_str { info: .b8 95, 90, 51, 114, 111, 119, 118, 0 }
PTX
json "inlined calls" "[tuple(s.values()) for s in d['findings'][0]['here']['source']] == [('row()', 'a.cu', 20), ('inlined', 'a.cu', 41)]" \
    --module "$dir/inlined.ptx" --grid 1 --block 32 --check init
if grep -q "a.cu:20, in row at a.cu:41" "$dir/err"; then ok "inlined calls in the report have plain names"; else bad "inlined calls in the report"; fi
{ printf '.version 8.0\n.target sm_80\n.address_size 64\n.file 1 "odd\377.cu"\n.visible .entry k(.param .u64 p) {\n'
  printf '.reg .b32 %%r; .shared .b32 s[151];\n'
  for i in $(seq 150); do printf '.loc 1 %d 0\nld.shared.u32 %%r, [s+%d]; add.u32 %%r, %%r, 1; st.shared.u32 [s+%d], %%r;\n' "$i" $((4 * i)) $((4 * i)); done
  printf 'ret; }\n'; } >"$dir/many.ptx"
json "a name that is no UTF-8; findings that are not printed" \
    "d['findings'][0]['here']['file'] == 'odd?.cu' and len(d['findings']) == 150 and d['findings_not_shown'] == 0" \
    --module "$dir/many.ptx" --grid 1 --block 32 --check init
# A fault shows its line of the source, and its place as JSON.
cat >"$dir/fault.cu" <<'CU'
extern "C" __global__ void k(int *out)
{
    if (threadIdx.x == 3)
        out[1 << 20] = 1; // beyond
}
CU
json "the place of a fault" "d['fault_place']['kind'] == 'out of bounds' and d['fault_place']['thread'] == [3, 0, 0] and d['fault_place']['source'][0]['line'] == 4" \
    --module "$dir/fault.cu" --grid 1 --block 32
if grep -q "    4 | out\[1 << 20\] = 1; // beyond" "$dir/err"; then ok "a fault shows the line of the source"; else bad "a fault's line"; fi
# A fault in a called function has the place of the call, if the function has none in the source.
cat >"$dir/trapped.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.func trapped() { trap; ret; }
.visible .entry k() {
.loc 1 7 3
call trapped, ();
ret; }
.file 1 "mine.cu"
PTX
"$REPRISE" run --module "$dir/trapped.ptx" --grid 1 --block 1 --check all --findings "$dir/trapped.json" -q >"$dir/out" 2>"$dir/err"
if [ $? = 3 ] && python3 -c '
import json, sys
f = json.load(open(sys.argv[1]))["findings"][0]
assert f["here"]["source"][-1] == {"function": "k", "file": "mine.cu", "line": 7}, f
assert "in trapped at mine.cu:7" in f["text"], f' "$dir/trapped.json" 2>>"$dir/err"; then ok "a fault in a called function"; else bad "a fault in a called function"; fi
# A barrier object that nobody completes, in a loop that reads a clock and sleeps longer and longer. Whoever comes late completes it.
for test in sm_80:test_wait sm_90:try_wait; do
    cat >"$dir/never.ptx" <<PTX
.version 7.8
.target ${test%:*}
.address_size 64
.visible .entry k(.param .u32 arrivals, .param .u32 late, .param .u32 steps)
{
    .reg .pred %p, %q; .reg .b32 %n, %t, %s, %l; .reg .b64 %a, %c, %d, %z;
    .shared .align 8 .b64 object;
    mov.u32 %t, %tid.x;
    setp.ne.u32 %q, %t, 0;
    ld.param.u32 %n, [arrivals];
    @%q bra made;
    mbarrier.init.shared.b64 [object], %n;
made:
    bar.sync 0;
    ld.param.u32 %l, [late];
    setp.ne.u32 %q, %t, %l;
    @%q bra arrive;
    ld.param.u32 %n, [steps];
work:
    sub.u32 %n, %n, 1;
    setp.ne.u32 %q, %n, 0;
    @%q bra work;
arrive:
    mov.u64 %z, %globaltimer;
    mbarrier.arrive.shared.b64 %a, [object];
again:
    mov.u64 %c, %globaltimer;
    sub.u64 %d, %c, %z;
    shr.u64 %d, %d, 2;
    setp.lt.u64 %q, %d, 100;
    cvt.u32.u64 %s, %d;
    @%q bra test;
    nanosleep.u32 %s;
test:
    mbarrier.${test#*:}.shared.b64 %p, [object], %a;
    @!%p bra again;
    ret;
}
PTX
    never() { timeout 60 "$REPRISE" run --module "$dir/never.ptx" --grid 2 --block 64 --arg u32="$1" --arg u32="$2" --arg u32=1000000 -q >"$dir/out" 2>"$dir/err"; echo $?; }
    if [ "$(never 65 99)" = 3 ] && grep -q "barrier never completed: .*waits for 1 more arrival" "$dir/err"; then ok "${test#*:}: a barrier object that nobody completes"; else bad "${test#*:}: a barrier object that nobody completes"; fi
    for late in 5 40; do
        if [ "$(never 64 $late)" = 0 ]; then ok "${test#*:}: thread $late arrives late"; else bad "${test#*:}: thread $late arrives late"; fi
    done
done
# A volatile flag in shared memory, as PTX and, where there is a ptxas, as machine code, which does not say that it is volatile.
for fence in "membar.cta;" ""; do
    cat >"$dir/flag.ptx" <<PTX
.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %first, %writes, %p; .reg .b32 %t, %x, %f, %at; .reg .b64 %out, %o;
    .shared .b32 flag; .shared .b32 data[32];
    mov.u32 %t, %tid.x; mov.u32 %at, data; ld.param.u64 %out, [out];
    setp.eq.u32 %first, %t, 0; setp.lt.u32 %writes, %t, 32;
    @%first st.volatile.shared.b32 [flag], 0;
    bar.sync 0;
    @!%writes bra waits;
    mad.lo.u32 %at, %t, 4, %at;
    st.shared.b32 [%at], %t;
    $fence
    bar.warp.sync 0xffffffff;
    @%first st.volatile.shared.b32 [flag], 1;
    ret;
waits:
    ld.volatile.shared.b32 %f, [flag];
    setp.eq.u32 %p, %f, 0;
    @%p bra waits;
    membar.cta;
    sub.u32 %t, %t, 32;
    mad.lo.u32 %at, %t, 4, %at;
    ld.shared.b32 %x, [%at];
    mul.wide.u32 %o, %t, 4; add.u64 %out, %out, %o;
    st.global.b32 [%out], %x;
    ret;
}
PTX
    for how in "" ${ptxas:+"--assemble sm_75" "--assemble sm_86" "--assemble sm_90"}; do
        # shellcheck disable=SC2086
        REPRISE_PTXAS=$ptxas "$REPRISE" run --module "$dir/flag.ptx" --grid 1 --block 64 --arg buf=zeros:128 --check race -q $how 2>"$dir/err"
        status=$?
        if [ -n "$fence" ] && [ $status = 0 ] && [ ! -s "$dir/err" ]; then ok "a volatile flag in shared memory $how"
        elif [ -z "$fence" ] && [ $status = 3 ] && grep -q "of 4 bytes at 0x[0-9a-f]* in shared memory, and nothing orders it behind a" "$dir/err"; then ok "... without a fence $how"
        else bad "a volatile flag in shared memory, fence '$fence' $how (status $status)"; fi
    done
done
