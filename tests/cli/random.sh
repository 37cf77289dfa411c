#!/bin/bash
# A slice of random programs on the host, as PTX and as machine code of sm_75, sm_86 and sm_90, always the same; and a program that ptxas refuses, between two that it takes.
set -u
tools=${BUILD:-build}/toolchain
. tests/support/cli.sh
python3 tests/random/run.py --seed 1 --count 200 --reduce 0 --check --text
status=$?
what="random programs: one that ptxas refuses is left out by itself"
if [ ! -e "$tools/complete" ]; then
    echo "ok - $what # SKIP no $tools: make toolchain fetches it"
    exit $status
fi
python3 tests/random/run.py --seed 1 --first 6179 --count 3 --reduce 0 >"$work/said"
if grep -q '^# 2 of 3 programs compared in every way, 0 differ, 1 known' "$work/said" && grep -q '^ok .*PTX.*(6 runs)' "$work/said" &&
    grep -q '^ok .*machine code.*(4 runs)' "$work/said" && grep -q 'known.txt): 6180$' "$work/said"; then
    echo "ok - $what"
else
    echo "not ok - $what"
    sed 's/^/# /' "$work/said"
fi
exit $status
