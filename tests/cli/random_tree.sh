#!/bin/bash
# A slice of make random-tree, always the same; twelve of its programs go to ptxas, two for each target.
set -u
build=${BUILD:-build}
"$build/random-tree" --seed 1 --count 500
status=$?
what="random PTX of sm_70 to sm_90: ptxas takes the programs"
if [ -e "$build/toolchain/complete" ]; then
    "$build/random-tree" --seed 3 --count 12 --ptxas "$build/toolchain/12.9/ptxas" || status=1
else
    echo "ok - $what # SKIP no $build/toolchain: make toolchain fetches it"
fi
exit $status
