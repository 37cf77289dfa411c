#!/bin/bash
# Traces of Accel-Sim, in and out. tests/golden/accelsim holds traces in its format; accelsim.py reads and writes them, too.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/kernels/matmul.ptx"
golden=tests/golden/accelsim
py() { python3 tests/cli/accelsim.py "$@"; }
says() { # status, text, command...: one line of error with that text
    local status=$1 text=$2
    shift 2
    "$@" >"$dir/out" 2>"$dir/err"
    local got=$?
    [ $got -eq "$status" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -qF -- "$text" "$dir/err" && return
    echo "exit status $got, wanted $status with '$text': $*"
    cat "$dir/err"
    return 1
}

# ---- what goes in comes out ----------------------------------------------------------------------------------------
for t in m_ffma_ind_4w m_bar_8w m_ldg_dram_dep_1lane m_ldg_l1hit_dep_1w m_lds_conf32_1w m_empty_1000b m_ldg_stride4_8w; do
    "$r" import accelsim -q "$golden/$t/kernelslist.g" -o "$dir/$t.wtr" && "$r" verify -q "$dir/$t.wtr" &&
        "$r" export accelsim -q "$dir/$t.wtr" -o "$dir/$t.out"
    check "$t: export of the import says the same" cmp <(py content "$golden/$t/kernelslist.g") <(py content "$dir/$t.out/kernelslist.g")
done
t=m_ldg_stride4_8w
for form in v2 list packed; do
    py rewrite $golden/$t/kernelslist.g "$dir/$form" $form
    "$r" import accelsim -q "$dir/$form/kernelslist.g" -o "$dir/$form.wtr" && "$r" export accelsim -q "$dir/$form.wtr" -o "$dir/$form.out"
    check "$t as $form: the same" cmp <(py content $golden/$t/kernelslist.g) <(py content "$dir/$form.out/kernelslist.g" |
        sed 's/^-accelsim tracer version = 2$/-accelsim tracer version = 3/')
done
py rewrite $golden/$t/kernelslist.g "$dir/lines" lines
"$r" import accelsim -q "$dir/lines/kernelslist.g" -o "$dir/lines.wtr" && "$r" export accelsim -q "$dir/lines.wtr" -o "$dir/lines.out"
check "line numbers are kept" cmp <(py content "$dir/lines/kernelslist.g") <(py content "$dir/lines.out/kernelslist.g")
check "the same input makes the same trace" eval '"$r" import accelsim -q $golden/$t/kernelslist.g -o "$dir/again.wtr" && cmp "$dir/again.wtr" "$dir/$t.wtr"'
check "copies are host operations" eval '"$r" info --json "$dir/$t.wtr" | grep -q "\"copy\""'

# a trace of ours, out and in again, takes as long
"$r" record -q -o "$dir/own.wtr" --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 2,2 --block 16,16 --arg buf=rand-f32:4K:seed=1 \
    --arg buf=rand-f32:4K:seed=2 --arg buf=zeros:4K --arg i32=32 2>"$dir/err" || cat "$dir/err" >&2
"$r" export accelsim -q "$dir/own.wtr" -o "$dir/own" && "$r" import accelsim -q "$dir/own/kernelslist.g" -o "$dir/own2.wtr" &&
    "$r" export accelsim -q "$dir/own2.wtr" -o "$dir/own2" && "$r" import accelsim -q "$dir/own2/kernelslist.g" -o "$dir/own3.wtr"
check "a trace of ours has something in it" test -s "$dir/own/kernel-1.traceg"
check "out and in again changes nothing" cmp <(py content "$dir/own/kernelslist.g") <(py content "$dir/own2/kernelslist.g")
cycles() { "$r" replay --json "$1" -m jetson-tx2 | python3 -c 'import json,sys; print(json.load(sys.stdin)["traces"][0]["total"]["cycles"])'; }
check "and replays in the same cycles" eval '[ "$(cycles "$dir/own2.wtr")" = "$(cycles "$dir/own3.wtr")" ] && [ "$(cycles "$dir/own2.wtr")" -gt 100 ]'

# ---- instructions that are odd --------------------------------------------------------------------------------------
kernel() { # folder, instructions from standard input: a kernel of one warp
    mkdir -p "$1"
    echo kernel-1.traceg >"$1/kernelslist.g"
    cat >"$dir/lines.txt"
    printf '%s\n' '-kernel name = k' '-kernel id = 1' '-grid dim = (1,1,1)' '-block dim = (32,1,1)' '-shmem = 0' '-nregs = 16' \
        '-binary version = 80' '-cuda stream id = 7' '-accelsim tracer version = 5' '' '#traces format = x' '' '#BEGIN_TB' '' \
        'thread block = 0,0,0' '' 'warp = 0' "insts = $(wc -l <"$dir/lines.txt")" >"$1/kernel-1.traceg"
    cat "$dir/lines.txt" >>"$1/kernel-1.traceg"
    printf '\n#END_TB\n' >>"$1/kernel-1.traceg"
}
kernel "$dir/odd" <<'K'
0000 ffffffff 1 R255 FROB.X 2 R255 R2 0
0010 00000000 1 R4 LDG.E.64 1 R2 8 1 0x0 0
0010 0000ffff 1 R4 LDG.E.64 1 R2 8 1 0x7f0000000000 8
0020 80000001 0 STG.E 2 R2 R4 4 2 0x7f0000000000 -64
0030 ffffffff 0 UTMALDG.2D 1 UR4 4 0x123 0 1 2 3
0040 ffffffff 1 R1 FROB.X 1 R2 0 17
0050 ffffffff 0 EXIT 0 0
K
"$r" import accelsim "$dir/odd/kernelslist.g" -o "$dir/odd.wtr" 2>"$dir/err"
check "an unknown opcode is said once, and counted" eval '[ "$(grep -c "opcodes of 2 instructions are not known, .FROB.X.* in 2 warp instructions" "$dir/err")" -eq 1 ]'
check "bulk copies' addresses are said to be left out" grep -q "addresses of 1 bulk copy" "$dir/err"
"$r" dump "$dir/odd.wtr" >"$dir/dump"
check "an instruction without lanes is there" grep -qE '^000010 +ffffffff 00000000 +LDG.E.64' "$dir/dump"
check "lanes that are apart" grep -q 'global:0x7f0000000000,0x7effffffffc0' "$dir/dump"
check "stream and architecture" eval '"$r" info "$dir/odd.wtr" | grep -q "k (sm_80)"'
check "nothing waits for RZ: replay" "$r" replay -q "$dir/odd.wtr" -m jetson-tx2
"$r" export accelsim -q "$dir/odd.wtr" -o "$dir/odd.out"
check "what is odd comes out as it went in" cmp <(grep -v UTMALDG "$dir/odd/kernel-1.traceg" | sed -n '/^0/p' | sed 's/ *$//') \
    <(grep -v UTMALDG "$dir/odd.out/kernel-1.traceg" | sed -n '/^0/p' | sed 's/ *$//')

# Every opcode of sm_70 to sm_90 that kernels for computing have has a class.
sed 's/.*/0000 ffffffff 0 & 0 0/' tests/golden/accelsim/opcodes.txt | kernel "$dir/all"
"$r" import accelsim -q "$dir/all/kernelslist.g" -o "$dir/all.wtr" 2>"$dir/err"
check "all opcodes of Volta to Hopper are known" eval '! grep "not known" "$dir/err"'

# LDGSTS, LDGDEPBAR and DEPBAR of sm_80: a copy of which a warp waits for as many groups as the immediate leaves.
cycles() { "$r" replay --json -q "$1" -m "$2" | python3 -c 'import json, sys; print(json.load(sys.stdin)["traces"][0]["total"]["cycles"])'; }
for pending in 0 2; do
    kernel "$dir/async$pending" <<K
0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f0000000000 16
0010 ffffffff 0 LDGDEPBAR 0 0
0020 ffffffff 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f0000100000 16
0030 ffffffff 0 LDGDEPBAR 0 0
0040 ffffffff 0 DEPBAR.LE 0 0 $pending
0050 ffffffff 1 R6 LDS 1 R2 4 1 0x0 4
0060 ffffffff 1 R7 FFMA 1 R6 0
0070 ffffffff 0 EXIT 0 0
K
    "$r" import accelsim -q "$dir/async$pending/kernelslist.g" -o "$dir/async$pending.wtr"
    "$r" dump --cycles "$dir/async$pending.wtr" -m a100 | awk '/DEPBAR.LE|LDS/ { print $2 }' >"$dir/at$pending"
done
check "DEPBAR of sm_80 waits for copies" eval '[ "$(sed -n 2p "$dir/at0")" -gt 400 ] && [ "$(sed -n 2p "$dir/at2")" -lt 100 ]'

# Eviction priorities: what L1 must not keep misses again.
for hint in "" .NA; do
    kernel "$dir/hint$hint" <<K
0000 ffffffff 1 R4 LDG.E$hint 1 R2 4 1 0x7f0000000000 4
0010 ffffffff 1 R5 IADD3 1 R4 0
0020 ffffffff 1 R6 LDG.E$hint 1 R5 4 1 0x7f0000000000 4
0030 ffffffff 0 EXIT 0 0
K
    "$r" import accelsim -q "$dir/hint$hint/kernelslist.g" -o "$dir/hint$hint.wtr"
    "$r" replay --json -q "$dir/hint$hint.wtr" -m v100 | python3 -c 'import json, sys; print(json.load(sys.stdin)["traces"][0]["total"]["l1"].get("hits", 0))' >"$dir/hits$hint"
done
check "LDG.E.NA stays out of L1" eval '[ "$(cat "$dir/hits")" = 4 ] && [ "$(cat "$dir/hits.NA")" = 0 ]'

# ---- errors ----------------------------------------------------------------------------------------------------------
i() { "$r" import accelsim "$1/kernelslist.g" -o "$dir/bad.wtr"; }
bad() { # what, text: the kernel's lines from standard input
    kernel "$dir/bad"
    check "$1" says 2 "$2" i "$dir/bad"
}
bad "no opcode" "kernel-1.traceg:19: '4' is no opcode" <<<"0000 ffffffff 0 4"
bad "an instruction cut short" "kernel-1.traceg:19: the line ends where its opcode should be" <<<"0000 ffffffff 0"
bad "no register" "'X3' is no register" <<<"0000 ffffffff 1 X3 MOV 0 0"
bad "addresses missing" "the line ends where its address should be" <<<"0000 00000003 0 STG 1 R2 4 0 0x10"
bad "unknown way of addresses" "addresses in way 3" <<<"0000 00000003 0 STG 1 R2 4 3 0x10"
bad "stride across a gap" "not neighbours" <<<"0000 00000005 0 STG 1 R2 4 1 0x10 4"
bad_grid() { sed "s/^-grid dim = .*/-grid dim = ($1,65535,65535)/" "$dir/odd/kernel-1.traceg" >"$dir/bad/kernel-1.traceg"; }
bad_grid 2147483647
check "nearly all of a grid is missing" says 2 "blocks fewer than its grid of 2147483647 × 65535 × 65535" i "$dir/bad"
sed '/STG/,$d' "$dir/odd/kernel-1.traceg" >"$dir/bad/kernel-1.traceg"
check "a file cut short" says 2 "the file ends in a block; it was cut short" i "$dir/bad"
sed '/STG/d' "$dir/odd/kernel-1.traceg" >"$dir/bad/kernel-1.traceg"
check "a line is missing" says 2 "warp 0 says 7 instructions and has 6" i "$dir/bad"
xz -kc "$dir/odd/kernel-1.traceg" | head -c 200 >"$dir/bad/kernel-1.traceg.xz"
echo kernel-1.traceg.xz >"$dir/bad/kernelslist.g"
check "a compressed file cut short" says 2 "damaged or cut short" i "$dir/bad"
for n in 20 400; do
    head -c -$n "$dir/packed/kernel-1.tracez" >"$dir/bad/kernel-1.tracez"
    echo kernel-1.tracez >"$dir/bad/kernelslist.g"
    check "a packed file cut short by $n bytes" says 2 "damaged or cut short" i "$dir/bad"
done
echo kernel-9.traceg >"$dir/bad/kernelslist.g"
check "a kernel that is not there" says 2 "kernelslist.g:1: $dir/bad/kernel-9.traceg: No such file" i "$dir/bad"
sed '/^-kernel name/d' "$dir/odd/kernel-1.traceg" >"$dir/bad/kernel-1.traceg"
echo kernel-1.traceg >"$dir/bad/kernelslist.g"
check "a kernel without a name" says 2 "the header has no name" i "$dir/bad"
printf '\377\376\033[2J\n' >"$dir/bad/kernel-1.traceg"
check "what is no text is not printed" says 2 "'???[2J' is no line" i "$dir/bad"
echo nonsense >"$dir/bad/kernelslist.g"
check "no list of kernels" says 2 "kernelslist.g:1: 'nonsense' is neither" i "$dir/bad"
echo "MemcpyHtoD,zero" >"$dir/bad/kernelslist.g"
check "no copy" says 2 "is not of the form MemcpyHtoD,0xADDRESS,BYTES" i "$dir/bad"
: >"$dir/bad/kernelslist.g"
check "an empty list" says 2 "it names no kernel" i "$dir/bad"
sed 's/tracer version = 5/tracer version = 9/' "$dir/odd/kernel-1.traceg" >"$dir/bad/kernel-1.traceg"
echo kernel-1.traceg >"$dir/bad/kernelslist.g"
check "a later tracer" says 2 "tracer version 9; versions 2 to 5 are known" i "$dir/bad"
check "no half-written trace" test ! -e "$dir/bad.wtr"
check "and no temporary file" eval '[ -z "$(ls "$dir" | grep "bad.wtr")" ]'
check "an unknown form" says 1 "'foo' is no form" "$r" import foo x -o y
: >"$dir/plain"
check "export: a file is no folder" says 1 "plain is no folder" "$r" export accelsim "$dir/odd.wtr" -o "$dir/plain"
check "an output is needed" says 1 "-o TRACE" "$r" import accelsim x
check "export: a trace is needed" says 2 "kernelslist.g" "$r" export accelsim $golden/$t/kernelslist.g -o "$dir/no"
check "export: a trace that is there" says 2 "nope.wtr" "$r" export accelsim "$dir/nope.wtr" -o "$dir/no"
check "... and no folder is left" test ! -e "$dir/no"
# What is not whole is written as far as it goes, and the status says so.
"$r" record -q -o "$dir/whole.wtr" --module "$BUILD/kernels/matmul.ptx" -k matmul -g 8x8 -b 16x16 --arg buf=zeros:64K --arg buf=zeros:64K --arg buf=zeros:64K --arg i32=128
head -c $(($(wc -c <"$dir/whole.wtr") * 2 / 3)) "$dir/whole.wtr" >"$dir/half.wtr"
check "export: half a trace" says 5 "half.wtr: 1 launch is not whole; what is there was written" "$r" export accelsim "$dir/half.wtr" -o "$dir/part" -q
