#!/bin/bash
# A slice of make random-programs, always the same.
set -u
exec python3 tests/random/run.py --seed 1 --count 200 --reduce 0 --text
