#!/bin/bash
# Memory that runs out: each allocation of a command fails in turn (tests/preload/fail_allocation.c). Either the command
# does without and its results are what they always are, or it says so in one line and ends with status 4; what it leaves
# behind is whole.
exec python3 tests/cli/memory.py
