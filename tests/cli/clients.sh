#!/bin/bash
# Python's clients of CUDA under reprise run: Numba and CuPy, with CUDA 12 and 13, in the virtual environments of make
# clients-environment, Triton in that of make python-environment. WHOLE_SUITE="12 13" runs all tests of numba-cuda with
# these versions of CUDA.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder PYTHONDONTWRITEBYTECODE=1
if [ -e "$BUILD/python/complete" ]; then
    for device in jetson-tx2 rtx2080 a100 h100; do
        "$REPRISE" run --device $device -- "$BUILD/python/bin/python" tests/python/clients/triton_smoke.py |
            sed "s/$/ on $device/"
        [ "${PIPESTATUS[0]}" -eq 0 ] || echo "not ok - Triton ends with status ${PIPESTATUS[0]}"
    done
else
    echo "ok - Triton # SKIP it is not here: make python-environment"
fi
clients() { # environment, version of CUDA
    local python=$PWD/$BUILD/$1/bin/python log=$folder/log
    if ! [ -e "$BUILD/$1/complete" ]; then
        echo "ok - Numba and CuPy with $2 # SKIP they are not here: make clients-environment"
        return
    fi
    for client in numba_smoke cupy_parts; do
        "$REPRISE" run -- "$python" -W ignore "tests/python/clients/$client.py" | sed "s/$/, $2/"
        [ "${PIPESTATUS[0]}" -eq 0 ] || echo "not ok - $client ends with status ${PIPESTATUS[0]}, $2"
    done
    "$REPRISE" record -o "$folder/t.wtr" --quiet -- "$python" -W ignore tests/python/clients/numba_smoke.py >&2
    if "$REPRISE" info --json "$folder/t.wtr" | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["launches"]) == 3' >&2; then
        echo "ok - the launches of Numba are in the trace, $2"
    else
        echo "not ok - the launches of Numba are in the trace, $2"
    fi
    # All of numba-cuda's own tests take some ten minutes of processor time: a piece of them, unless WHOLE_SUITE asks.
    local modules=(cudapy.test_warp_ops cudapy.test_sm cudapy.test_cooperative_groups cudadrv.test_events) what="some of"
    case " ${WHOLE_SUITE:-} " in *" ${2#CUDA } "*) modules=() what="all of" ;; esac
    if PYTHON=$python REPORT=$folder/suite tests/python/clients/numba_suite "${modules[@]}" >"$log"; then
        echo "ok - $what numba-cuda's own tests, $2"
    else
        echo "not ok - $what numba-cuda's own tests, $2"
    fi
    tail -n 20 "$log" >&2
}
clients clients "CUDA 12"
clients clients13 "CUDA 13"
