#!/bin/bash
# rtx2060-accelsim gives Accel-Sim's cycles, of every trace; make bench-parity prints the speeds, too.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/kernels/matmul.ptx"
python3 tests/bench/parity.py m_ sgemm >"$dir/out" 2>&1
status=$?
cat "$dir/out" >&2
[ $status -eq 0 ] && echo "ok - within 1 %, and GTO - LRR of the same sign" || echo "not ok - within 1 %, and GTO - LRR of the same sign"
grep -q "^32 of 32 are equal" "$dir/out" && echo "ok - equal to the cycle" || echo "not ok - equal to the cycle"
"$r" import accelsim -q tests/golden/accelsim/m_ldg_stride4_8w/kernelslist.g -o "$dir/a.wtr"
"$r" export accelsim -q "$dir/a.wtr" -o "$dir/out.d" && "$r" import accelsim -q "$dir/out.d/kernelslist.g" -o "$dir/b.wtr"
cycles() { "$r" replay --json -q "$1" -m rtx2060-accelsim | python3 -c 'import json,sys; print(json.load(sys.stdin)["traces"][0]["total"])'; }
a=$(cycles "$dir/a.wtr")
[ -n "$a" ] && [ "$a" = "$(cycles "$dir/b.wtr")" ] && echo "ok - out and in again: the same statistics" || echo "not ok - out and in again: the same statistics"
# two launches, one after the other, as Accel-Sim runs them: the second takes as long (m_ffma_dep twice: 7171 + 7171)
mkdir "$dir/twice"
cp tests/golden/accelsim/m_ffma_dep_1w/kernel-1.traceg.xz "$dir/twice"
printf 'kernel-1.traceg.xz\nkernel-1.traceg.xz\n' >"$dir/twice/kernelslist.g"
"$r" import accelsim -q "$dir/twice/kernelslist.g" -o "$dir/twice.wtr"
[ "$("$r" replay --json -q "$dir/twice.wtr" -m rtx2060-accelsim --set pipeline.launch_latency=0 |
    python3 -c 'import json,sys; print([l["statistics"]["cycles"] if "statistics" in l else l["cycles"] for l in json.load(sys.stdin)["traces"][0]["launches"]])')" = "[7171, 7171]" ] &&
    echo "ok - two launches" || echo "not ok - two launches"
says() { # text, command...: exit status 1, one line
    local text=$1
    shift
    "$@" >"$dir/o" 2>"$dir/e"
    [ $? -eq 1 ] && [ "$(wc -l <"$dir/e")" -eq 1 ] && grep -qF "$text" "$dir/e" && echo "ok - $text" || { echo "not ok - $text"; cat "$dir/e" >&2; }
}
says "choose a machine with pipeline 'staged', such as rtx2060-accelsim" "$r" replay "$dir/a.wtr" -m jetson-tx2 --set scheduler=two-level-active
says "scheduler 'ccws' must know what L1 replaces" "$r" replay "$dir/a.wtr" -m jetson-tx2 --set scheduler=ccws
says "pipeline 'direct'" "$r" wcet "$dir/a.wtr" -m rtx2060-accelsim
says "issue_exit" "$r" replay "$dir/a.wtr" -m rtx2060-accelsim --set issue_exit=false
says "placement" "$r" replay "$dir/a.wtr" -m rtx2060-accelsim --set placement=balanced
says "dependencies" "$r" replay "$dir/a.wtr" -m rtx2060-accelsim --set dependencies=control-words
says "at most 4 are simulated" "$r" replay "$dir/a.wtr" -m rtx2060 --set l1.size=4G
# ideal twins of what the pipeline has itself; a full set of written lines makes room
count() { # trace, part of the statistics, options
    "$r" replay --json -q "$dir/$1.wtr" -m rtx2060-accelsim "${@:3}" | python3 -c 'import json, sys; t = json.load(sys.stdin)["traces"][0]["total"]; print(eval(sys.argv[1], t))' "$2"
}
for n in m_ldg_stride128_8w m_lds_conf32_1w; do "$r" import accelsim -q tests/golden/accelsim/$n/kernelslist.g -o "$dir/$n.wtr"; done
all=$(count m_ldg_stride128_8w cycles) one=$(count m_ldg_stride128_8w cycles --set coalescer=ideal)
[ "$((2 * one))" -lt "$all" ] && echo "ok - coalescer=ideal" || echo "not ok - coalescer=ideal: $one, $all"
[ "$(count m_lds_conf32_1w 'shared["conflicts"]')" -gt 0 ] && [ "$(count m_lds_conf32_1w 'shared["conflicts"]' --set shared=ideal)" = 0 ] &&
    echo "ok - shared=ideal" || echo "not ok - shared=ideal"
"$r" import accelsim -q tests/golden/accelsim/m_copy_240b/kernelslist.g -o "$dir/copy.wtr"
"$r" replay -q "$dir/copy.wtr" -m rtx2060-accelsim --set l1.dirty=99 >&2 && echo "ok - a set full of written lines" || echo "not ok - a set full of written lines"
says "t_wl is more than" "$r" replay "$dir/a.wtr" -m rtx2060-accelsim --set dram.t_wl=100
# a trace of ours goes through as well
"$r" record -q -o "$dir/own.wtr" --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,4 --block 16,16 --arg buf=rand-f32:4K:seed=1 \
    --arg buf=rand-f32:4K:seed=2 --arg buf=zeros:16K --arg i32=64 2>&2
"$r" replay -q "$dir/own.wtr" -m rtx2060-accelsim >&2 && echo "ok - a trace of ours" || echo "not ok - a trace of ours"
