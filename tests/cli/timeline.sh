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

# ---- what is wrong gives one line and no file ------------------------------------------------------------------------
refuses() { # status, text, options
    fails "$1" "$2" "$r" timeline "$work/t.wtr" "${@:3}"
    if [ -e "$work/no" ]; then echo "not ok - and writes no file"; rm -f "$work/no"; fi
}
to=(-m rtx2060 -o "$work/no")
fails 1 "reprise timeline mm.wtr --machine rtx2060 -o mm.pftrace" "$r" timeline -m rtx2060 -o "$work/no"
fails 2 "is a launch file, not a trace" "$r" timeline tests/golden/streams.cfg -m rtx2060 -o "$work/no"
refuses 1 "into which file?" -m rtx2060
refuses 1 "unknown machine 'rtx2061'" -m rtx2061 -o "$work/no"
refuses 1 "there is no launch 8; the trace has 8" "${to[@]}" --launch 8
refuses 1 "there is no block 40; the largest launch has blocks 0 to 39" "${to[@]}" --blocks 40..50
refuses 1 "there is no block 9; the launch has blocks 0 to 8" "${to[@]}" --launch 1 --blocks 9
refuses 1 "--blocks 3..2: give A..B" "${to[@]}" --blocks 3..2
refuses 1 "--cycles all: give A..B" "${to[@]}" --cycles all
refuses 1 "--cycles -1..2: give A..B" "${to[@]}" --cycles -1..2
refuses 1 "nothing of what is asked for happens in these cycles" "${to[@]}" --cycles 100000000..200000000
refuses 1 "nothing of what is asked for happens in these cycles" "${to[@]}" --cycles 100000000..200000000 --konata
refuses 1 "there is no 'wraps'; did you mean 'warps'?" "${to[@]}" --tracks launches,wraps
refuses 1 "name some" "${to[@]}" --tracks ""
refuses 1 "there is no 'x'; there are launches, blocks, warps" "${to[@]}" --tracks x
refuses 1 "caches, dram and copies serve all blocks" "${to[@]}" --tracks warps,dram --blocks 0
refuses 1 "--konata shows instructions alone" "${to[@]}" --tracks warps --konata
refuses 1 "does not report DRAM commands: pipeline 'direct', memory 'hierarchy', dram 'ideal'" -m orin-wcet -o "$work/no" --tracks dram
refuses 1 "does not report blocks: pipeline 'one-at-a-time'" -m san-rtx2080 -o "$work/no" --konata
refuses 1 "this is the trace" -m rtx2060 -o "$work/t.wtr"
refuses 1 "No such file or directory" -m rtx2060 -o "$work/nowhere/t.pftrace"
refuses 1 "not a regular file" -m rtx2060 -o /dev/null
refuses 1 "not a regular file" -m rtx2060 -o "$work"
mkdir "$work/shut"
chmod 555 "$work/shut"
if [ -w "$work/shut" ]; then # root may write everywhere, but in /proc
    refuses 4 "cannot write '/proc/t.pftrace'" -m rtx2060 -o /proc/t.pftrace
else
    refuses 1 "Permission denied" -m rtx2060 -o "$work/shut/t.pftrace"
fi
full() { # no file may grow beyond 64 KB
    trap '' XFSZ
    ulimit -f 64
    exec "$r" timeline "$work/t.wtr" "$@"
}
mkdir "$work/disk"
for more in "" --konata; do
    # shellcheck disable=SC2086
    (full -m rtx2060 -o "$work/disk/t.pftrace" $more) >"$work/out" 2>"$work/err"
    is "a full disk${more:+ with $more}: one error, and no file" "$? $(grep -c "^reprise: cannot write '$work/disk/t.pftrace': " "$work/err") $(wc -l <"$work/err") $(wc -c <"$work/out") $(ls "$work/disk")" "4 1 1 0 "
done
