#!/bin/bash
# reprise timeline, given what is wrong: one line that says what, the exit status, and no file.
set -u
. tests/support/cli.sh
"$r" record -q -o "$work/t.wtr" --launch-file tests/golden/streams.cfg || exit 1

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
"$r" record -q -o "$work/none.wtr" --module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 1 --block 16,16 --arg buf=zeros:1K --arg buf=zeros:1K --arg buf=zeros:1K --arg i32=16 || exit 1
fails 1 "nothing of what is asked for happens in the whole replay; --tracks names other tracks" "$r" timeline "$work/none.wtr" "${to[@]}" --tracks copies
refuses 1 "there is no 'wraps'; did you mean 'warps'?" "${to[@]}" --tracks launches,wraps
refuses 1 "name some" "${to[@]}" --tracks ""
refuses 1 "there is no 'x'; there are launches, blocks, warps" "${to[@]}" --tracks x
refuses 1 "caches, dram and copies serve all blocks" "${to[@]}" --tracks warps,dram --blocks 0
refuses 1 "--konata shows instructions alone" "${to[@]}" --tracks warps --konata
refuses 1 "--tracks: machine orin-wcet has no 'dram' (pipeline 'direct', dram 'ideal'); it has launches, blocks," -m orin-wcet -o "$work/no" --tracks dram
refuses 1 "does not report blocks: pipeline 'one-at-a-time'" -m san-rtx2080 -o "$work/no" --konata
refuses 1 "would be written over the trace" -m rtx2060 -o "$work/t.wtr"
refuses 1 "No such file or directory" -m rtx2060 -o "$work/nowhere/t.pftrace"
refuses 1 "not a regular file" -m rtx2060 -o /dev/null
refuses 1 "not a regular file" -m rtx2060 -o "$work"
mkdir "$work/shut"
chmod 555 "$work/shut"
if [ -w "$work/shut" ]; then # root may write everywhere, but in /proc
    refuses 1 "cannot write '/proc/t.pftrace'" -m rtx2060 -o /proc/t.pftrace
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
