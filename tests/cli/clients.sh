#!/bin/bash
# Python's clients of CUDA under reprise run: Numba and CuPy, with CUDA 12 and 13, in the virtual environments of make
# clients-environment, Triton in that of make python-environment. WHOLE_SUITE="12 13" runs all tests of numba-cuda with
# these versions of CUDA. clients.sh [PIECE]: all pieces without one.
# pieces: triton machine_code programs-12 programs-13 numba-12 numba-13
# limit: 3600
set -u
. tests/support/cli.sh
folder=$work
export XDG_CACHE_HOME=$folder PYTHONDONTWRITEBYTECODE=1
triton() {
    if ! [ -e "$BUILD/python/complete" ]; then
        echo "ok - Triton # SKIP it is not here: make python-environment"
        return
    fi
    for device in jetson-tx2 rtx2080 a100 h100; do
        "$REPRISE" record -q -o "$work/$device.wtr" --device $device -- "$BUILD/python/bin/python" tests/python/clients/triton_smoke.py |
            sed "s/$/ on $device/"
        [ "${PIPESTATUS[0]}" -eq 0 ] || echo "not ok - Triton ends with status ${PIPESTATUS[0]}"
    done
    is "docs/cuda.md has the cycles of Triton's kernels" "$(cd "$work" && "$r" replay -q a100.wtr --machine a100 | sed -n '3,/^ total/p')" \
        "$(sed -n '/^t.wtr on a100 /,/^ total/p' docs/cuda.md | sed '1,2d')"
}
# What the clients' own compilers make for sm_75, sm_86 and sm_90: Triton's ptxas, NVIDIA's linker behind Numba.
machine_code() {
    local device client status
    for device in rtx2080 rtx3070 h100; do
        for client in "python triton" "clients numba" "clients13 numba"; do
            local folder=${client% *} program=${client#* }
            if ! [ -e "$BUILD/$folder/complete" ]; then
                echo "ok - $program as machine code of $device # SKIP $BUILD/$folder is not there: make clients-environment, make python-environment"
                continue
            fi
            "$REPRISE" record -q -o "$work/m.wtr" --prefer sass --device $device -- "$BUILD/$folder/bin/python" -W ignore \
                tests/python/clients/${program}_smoke.py >"$work/out"
            status=$?
            sed "s/$/, machine code of $device, $folder/" "$work/out"
            check "$program ends well as machine code of $device, $folder" test $status -eq 0
            check "and nothing else ran" eval '[ "$("$REPRISE" info "$work/m.wtr" | grep -c "^module .*(sass, ")" -ge 1 ] && ! "$REPRISE" info "$work/m.wtr" | grep -q "^module .*(ptx, "'
        done
    done
}
# environment VERSION WHAT: $python is that with this version of CUDA; without one, WHAT is skipped
environment() {
    local name=clients
    [ "$1" = 12 ] || name=clients$1
    python=$PWD/$BUILD/$name/bin/python
    [ -e "$BUILD/$name/complete" ] || { echo "ok - $2 with CUDA $1 # SKIP they are not here: make clients-environment"; false; }
}
# Half of CuPy's parts with each version, and those that depend on libraries of a version with both; FULL=1: all with both.
programs() { # version of CUDA
    environment "$1" "Numba and CuPy" || return 0
    local half=("$1") client
    [ -z "${FULL:-}" ] || half=()
    for client in numba_smoke cupy_parts; do
        "$REPRISE" run -- "$python" -W ignore "tests/python/clients/$client.py" "${half[@]}" | sed "s/$/, CUDA $1/"
        [ "${PIPESTATUS[0]}" -eq 0 ] || echo "not ok - $client ends with status ${PIPESTATUS[0]}, CUDA $1"
    done
    "$REPRISE" record -o "$folder/t.wtr" --quiet -- "$python" -W ignore tests/python/clients/numba_smoke.py >&2
    check "the launches of Numba are in the trace, CUDA $1" eval '"$REPRISE" info --json "$folder/t.wtr" |
        python3 -c "import json, sys; assert len(json.load(sys.stdin)[\"traces\"][0][\"launches\"]) == 3"'
}
# All of numba-cuda's own tests take some ten minutes of processor time: a part of them, unless WHOLE_SUITE asks.
numba() { # version of CUDA
    environment "$1" "numba-cuda's own tests" || return 0
    local modules=(cudapy.test_warp_ops cudapy.test_sm cudapy.test_cooperative_groups cudadrv.test_events) what="some of"
    case " ${WHOLE_SUITE:-} " in *" $1 "*) modules=() what="all of" ;; esac
    PYTHON=$python REPORT=$folder/suite tests/python/clients/numba_suite "${modules[@]}" >"$folder/log"
    check "$what numba-cuda's own tests, CUDA $1" test $? -eq 0
    tail -n 20 "$folder/log" >&2
}
[ $# -gt 0 ] || set -- triton machine_code programs-12 programs-13 numba-12 numba-13
for piece; do "${piece%-*}" "${piece#*-}"; done
