#!/bin/bash
# Kernels whose lanes wait for one another, from record to replay, on sm_75 and beside it on sm_62.
set -u
. tests/support/cli.sh
dir=$work
record() { # kernel, target, blocks
    "$REPRISE" record -o "$dir/$1.wtr" --module tests/golden/splits.ptx --kernel "$1" --target "$2" --grid "$3" --block 64 \
        --arg buf=zeros:512 --save "0=$dir/$1.bin" --quiet 2>"$dir/err"
}
words() { od -An -tu4 -v -w4 "$dir/$1.bin" | xargs; }

record lock sm_75 2
check "sm_75: every lane gets the lock" test $? -eq 0
check "sm_75: none is lost" test "$(words lock | cut -d' ' -f1-3)" = "0 384 0"
"$REPRISE" run --module tests/golden/splits.ptx --kernel backoff --target sm_75 --grid 2 --block 64 --limit 100M \
    --arg buf=zeros:512 --save "0=$dir/backoff.bin" --quiet 2>"$dir/err"
check "sm_75: lanes that wait for random times get the lock" test "$(words backoff | cut -d' ' -f1-3)" = "0 384 0"
record arms sm_75 2
check "sm_75: collectives and barriers in two arms" test $? -eq 0
check "sm_75: neighbours exchange" test "$(words arms)" = \
    "$(for t in $(seq 0 63); do n=$((t ^ 1)); echo $((n % 2 ? 10 * n : 100 * n)); done | xargs) $(yes 0 | head -64 | xargs)"

for kernel in lock arms; do
    check "$kernel: the trace is whole" "$REPRISE" verify "$dir/$kernel.wtr"
    check "$kernel: info" "$REPRISE" info "$dir/$kernel.wtr"
    for engine in fast reference; do
        "$REPRISE" replay "$dir/$kernel.wtr" --machine jetson-tx2 --engine $engine --json 2>/dev/null | grep -v engine >"$dir/$engine"
        check "$kernel: the $engine engine replays it" test "${PIPESTATUS[0]}" -eq 0
    done
    check "$kernel: both engines agree" cmp "$dir/fast" "$dir/reference"
done

record deadlock sm_75 1
status=$?
check "sm_75: a deadlock is told at once" eval '[ $status -eq 3 ] && grep -q "deadlock: lane [0-9]* of warp 0 waits here forever for lane [0-9]*, which its mask 0xffffffff names: lane [0-9]* waits at" "$dir/err"'
record lock sm_62 2
status=$?
check "sm_62: spinning lanes are a livelock" eval '[ $status -eq 3 ] && grep -q "livelock.*as on GPUs before Volta" "$dir/err"'
record arms sm_62 2
status=$?
check "sm_62: a barrier in an arm is a fault" eval '[ $status -eq 3 ] && grep -q "16 threads of warp 0 while 16 others" "$dir/err"'
