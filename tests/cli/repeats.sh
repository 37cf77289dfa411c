#!/bin/bash
# Launches that repeat others (frontend/host/repeats.h): how many of each part of tests/cuda/repeats.cu do not run. The
# program itself compares results.
set -u
. tests/support/cli.sh
dir=$work
program=tests/cuda/prebuilt/repeats
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then
    echo "ok - launches that repeat others # SKIP it takes CUDA programs and LD_AUDIT"
    exit 0
fi

spared() { # what --stats says: launches that did not run
    sed -n 's/.* s were saved: \([0-9]*\) launch.*/\1/p' "$dir/err" | grep . || echo 0
}
part() { # name, launches that do not run, options...
    local name=$1 count=$2
    shift 2
    "$REPRISE" run --stats "$@" -- $program $name >"$dir/out" 2>"$dir/err"
    check "$name: results" grep -qx "ok $name" "$dir/out"
    is "$name: launches that do not run" "$(spared)" $count
}

part same 9
part accumulate 0
part other_parameters 9
part other_shape 4
part maximum 8
part in_place 8
part increments 0
part single_block 8
part graph 9
part streams 8
part events 101
part copy 5
part fill 4
part other_kernel 7
part waiting 4
for kind in managed pinned registered managed_variable; do part $kind 6; done
part large_managed 0
part large_managed_long 6
part only_reads 3
part variables 5
part freed 2
part peers 2 --devices 2
part texture 6
part surface 4
part prints 0
is "what kernels print" "$(grep -c printed "$dir/out")" 5
for kind in clocks order; do part $kind 0; done
part cooperative 2
part stack 2
part modules 16

part same 0 --every-launch
part same 0 --check init
part same 9 --threads 1
"$REPRISE" record -q -o "$dir/all.wtr" -- $program same >&2
check "a trace has all of all launches" python3 -c '
import json, sys
launches = json.load(sys.stdin)["traces"][0]["launches"]
assert len(launches) == 10 and {launch["warp_instructions"] for launch in launches} == {1920}, launches
' < <("$REPRISE" info --json "$dir/all.wtr")
