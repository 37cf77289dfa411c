#!/bin/bash
# The tables of docs/micro.md that take no time to make again.
set -u
. tests/support/cli.sh
if python3 tests/validation/micro.py --quick --check >"$work/tables"; then
    echo "ok - docs/micro.md has what make validation-micro writes"
else
    echo "not ok - docs/micro.md has what make validation-micro writes"
    cat "$work/tables" >&2
fi
