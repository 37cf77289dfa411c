#!/bin/bash
# Slices of make random-ptx, always the same.
set -u
python3 tests/random/ptx_run.py --seed 1 --count 200 --reduce 0
status=$?
python3 tests/random/ptx_run.py --late --seed 1 --count 240 --per-file 10 --reduce 0 || status=1
exit $status
