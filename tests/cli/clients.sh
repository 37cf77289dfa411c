#!/bin/bash
# Python's clients of CUDA under reprise run: Numba and CuPy in the virtual environment of make check-clients, Triton in that
# of make check-python.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder PYTHONDONTWRITEBYTECODE=1 CUPY_ACCELERATORS=
if [ -e "$BUILD/python/complete" ]; then
    for device in jetson-tx2 rtx2080 a100 h100; do
        "$REPRISE" run --device $device -- "$BUILD/python/bin/python" tests/python/clients/triton_smoke.py |
            sed "s/$/ on $device/"
        [ "${PIPESTATUS[0]}" -eq 0 ] || echo "not ok - Triton ends with status ${PIPESTATUS[0]}"
    done
else
    echo "ok - Triton # SKIP it is not here: make python-environment"
fi
python=$PWD/$BUILD/clients/bin/python
if ! [ -e "$BUILD/clients/complete" ]; then
    echo "ok - Numba and CuPy # SKIP they are not here: make check-clients"
    exit 0
fi
for client in numba_smoke cupy_parts; do
    "$REPRISE" run -- "$python" "tests/python/clients/$client.py" || echo "not ok - $client ends with status $?"
done
"$REPRISE" record -o "$folder/t.wtr" --quiet -- "$python" tests/python/clients/numba_smoke.py >&2
if "$REPRISE" info --json "$folder/t.wtr" | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["launches"]) == 3' >&2; then
    echo "ok - the launches of Numba are in the trace"
else
    echo "not ok - the launches of Numba are in the trace"
fi
