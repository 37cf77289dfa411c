#!/bin/bash
# The command line of CUDA programs: reprise run --, record -- and env; and the layout of the runtime's structures.
set -u
. tests/support/cli.sh
dir=$work
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "ok - CUDA programs # SKIP they are for Linux on x86-64"
    exit 0
fi
if address_sanitizer; then
    echo "ok - CUDA programs # SKIP a program without AddressSanitizer cannot load libraries with it"
    exit 0
fi

# ---- the command line -----------------------------------------------------------------------------------------------
says() { # status, text, arguments...
    local status=$1 text=$2 got
    shift 2
    "$REPRISE" "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    if [ $got -eq "$status" ] && grep -qF -- "$text" "$dir/err"; then echo "ok - says: $text"; else
        echo "not ok - says: $text"
        cat "$dir/err" >&2
    fi
}
check "the status of the program is passed on" eval '! "$REPRISE" run -- false && "$REPRISE" run -- sh -c "exit 7"; [ $? -eq 7 ]'
says 127 "cannot run $dir/none: No such file or directory" run -- "$dir/none"
says 126 "cannot run $dir: Permission denied" run -- "$dir"
says 1 "which program? It stands behind --" run --
says 1 "where shall the trace go?" record -- true
says 1 "--grid is for --module; a program makes its own launches" run --grid 3 -- true
says 1 "--clang-flags is for --module" record -o x.wtr --clang-flags -O1 -- true
for option in cores patience; do says 1 "--$option is for --guest" run --$option 3 -- true; done
check "lists of checks add up" test "$("$REPRISE" run --check init --check race,init --check sync -- sh -c 'echo $REPRISE_CHECK' 2>/dev/null)" = init,race,init,sync
says 1 "is for CUDA programs" run --device v100
says 1 "--kernels (: " record -o x.wtr --kernels '(' -- true
for list in 5..2 x 3, ..4 1..2..3; do says 1 "--launches $list: write numbers and ranges" record -o x.wtr --launches "$list" -- true; done
check "lists of launches, checks and limits" "$REPRISE" record -o x.wtr --launches 3,5..9,20.. --check race,init --error-exitcode 0 --limit 1M -- true
says 1 "--launches 5..2: write numbers" record -o x.wtr --launches 5..2 -- true
says 1 "--prefer c: there are ptx and sass" run --prefer c -- true
says 1 "--tensor-sums sm_75: there are exact, sm_70, sm_80 (for 8.6 and 8.7, too), sm_89 and sm_90" run --tensor-sums sm_75 -- true
check "--tensor-sums reaches programs" test "$("$REPRISE" run --tensor-sums sm_90 -- sh -c 'echo $REPRISE_TENSOR_SUMS')" = sm_90
says 1 "unknown machine 'v1000'" run --device v1000 -- true
says 1 "--set changes the machine of --device, and none is named: '--device rtx2060 --set sms=3'; 'reprise machine list' has the names" run --set sms=3 -- true
says 1 "--set device.memory=0: device.memory: '0' is not a whole number from 67108864" run --device v100 --set device.memory=0 -- true
says 1 "--set device.memory=2048G: device.memory: '2048G' is not" run --device v100 --set device.memory=2048G -- true
says 1 "device.capability: '71' is not one of unknown, 50, 52" run --device v100 --set device.capability=71 -- true
says 1 "device.name: 'a;sms=3' has a character that is not allowed" run --device v100 --set 'device.name=a;sms=3' -- true
says 1 "has 256 characters; there must be 0 to 255" run --device v100 --set "device.name=$(printf '%0256d' 0 | tr 0 x)" -- true
printf 'base = "v100";\ndevice: { capability = 7.0; };\n' >"$dir/seven.cfg"
says 2 "seven.cfg:2: device.capability: '7' is not one of unknown, 50, 52" run --device "$dir/seven.cfg" -- true
check "reprise env: machine code where the file's capability has it" eval '! "$REPRISE" env --device v100 --set device.capability=61 | grep -q CUPY_COMPILE_WITH_PTX &&
    "$REPRISE" env --device v100 | grep -q CUPY_COMPILE_WITH_PTX'
check "reprise env: no more than a shell reads" eval '(eval "$("$REPRISE" env --device v100 -o t.wtr)" && [ "$REPRISE_TRACE" = "$PWD/t.wtr" ] && [[ $REPRISE_DEVICE == *capability=70* ]])'

# ---- tables ---------------------------------------------------------------------------------------------------------
cuda=${CUDA_HOME:-/usr/local/cuda}
if [ -e "$cuda/include/cuda_runtime_api.h" ]; then
    check "structures are as in NVIDIA's headers" tests/cuda/layout "$cuda/include"
else
    echo "ok - structures as in NVIDIA's headers # SKIP no toolkit here"
fi
