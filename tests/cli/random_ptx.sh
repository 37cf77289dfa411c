#!/bin/bash
# Slices of make random-ptx, always the same; the first is twice as large with FULL=1.
set -u
each=20 # of the programs that are compiled together
[ -z "${FULL:-}" ] || each=40
python3 tests/random/ptx_run.py --seed 1 --count 200 --per-file $each --reduce 0
status=$?
python3 tests/random/ptx_run.py --late --seed 1 --count 240 --per-file 10 --reduce 0 || status=1
exit $status
