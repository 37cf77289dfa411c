#!/bin/bash
# Memory that runs out: allocations of a command fail in turn (tests/preload/fail_allocation.c), three of each call stack,
# or all with FULL=1. Either the command does without and its results are what they always are, or it says so in one line
# and ends with status 4; what it leaves behind is whole.
. tests/support/cli.sh
if address_sanitizer; then
    echo "ok - memory that runs out # SKIP AddressSanitizer allocates in place of the library that fails"
    exit 0
fi
python3 tests/cli/memory.py
