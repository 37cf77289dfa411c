#!/bin/bash
# A slice of make random-ptx, always the same.
set -u
python3 tests/random/ptx_run.py --seed 1 --count 200 --reduce 0
