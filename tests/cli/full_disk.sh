#!/bin/bash
# Full disks: an error that says so, a status that is not 0, and nothing that is half there.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/matmul.ptx"
mm=(--module "$BUILD/kernels/matmul.ptx" --kernel matmul --grid 4,4 --block 16,16 --arg buf=rand-f32:4096:seed=1 --arg buf=rand-f32:4096:seed=2
    --arg buf=zeros:16K --arg i32=64)
"$r" record -q -o "$work/t.wtr" "${mm[@]}" || exit 1

# ---- standard output -----------------------------------------------------------------------------------------------
for command in "info" "info --json" "dump" "dump --json" "dump --csv" "replay -m orin" "replay -m orin --json" "replay -m orin --csv" \
    "diff -m orin --vary sms=1,2" "diff -m orin --vary sms=1,2 --json" "diff -m orin --vary sms=1,2 --csv" "ablate -m orin --json"; do
    read -r -a words <<<"$command"
    "$r" "${words[0]}" "$work/t.wtr" "${words[@]:1}" >/dev/full 2>"$work/err"
    is "$command to a full disk" "$? $(cat "$work/err")" "4 reprise: cannot write to standard output: No space left on device"
done

if [ "$(uname -sm)" = "Linux x86_64" ] && ! address_sanitizer; then
    for format in json sarif junit github gitlab; do
        "$r" run -q --check all --format $format -- tests/cuda/prebuilt/errors >/dev/full 2>"$work/err"
        is "findings as $format to a full disk" "$? $(grep -c '^reprise: cannot write to standard output: No space left on device' "$work/err")" "4 1"
    done
fi

# ---- a limit of files' sizes -------------------------------------------------------------------------------------------
limited() { # a command that may make files of 1 KB: its status, what it said, and what it has left of $work/few
    rm -rf "$work/few"
    mkdir "$work/few"
    (ulimit -f 1; "$@" 2>&1 >/dev/null; echo "$? $(ls "$work/few")") | cat
}
too_large() { echo "reprise: cannot write '$work/few/$1': File too large: 'ulimit -f' limits the size of files; raise the limit"; echo "4 "; }
is "record beyond a limit" "$(limited "$r" record -q -o "$work/few/t.wtr" "${mm[@]}")" "$(too_large t.wtr)"
is "timeline beyond a limit" "$(limited "$r" timeline -q "$work/t.wtr" -m orin -o "$work/few/t.json")" "$(too_large t.json)"
is "report beyond a limit" "$(limited "$r" report -q "$work/t.wtr" -m orin -o "$work/few/r.html")" "$(too_large r.html)"
is "phases beyond a limit" "$(limited "$r" wcet -q "$work/t.wtr" -m orin-wcet --assume all --phases "$work/few/p.csv")" "$(too_large p.csv)"
is "sweep beyond a limit" "$(limited "$r" sweep -q "$work/t.wtr" -m orin -o "$work/few/r.db")" \
    "reprise: $work/few/r.db: cannot be read or written: disk I/O error; 'ulimit -f' limits the size of files; raise the limit
4 "
is "standard output beyond a limit" "$( (ulimit -f 1; "$r" replay "$work/t.wtr" -m orin --json 2>&1 >"$work/long"; echo "$?") | cat)" \
    "reprise: cannot write to standard output: File too large: 'ulimit -f' limits the size of files; raise the limit
4"

# Two ptxas that are no ptxas: each notes its name, and ends with 0 where a part of the machine code is written, as that of CUDA 13 does.
export XDG_CACHE_HOME=$work/cache
unset REPRISE_PTXAS CUDA_HOME CUDA_PATH VIRTUAL_ENV CONDA_PREFIX
for name in path home; do
    mkdir -p "$work/$name/bin"
    printf '#!/bin/sh\necho %s >>%s/called\ncp %s out.cubin 2>/dev/null\nexit 0\n' $name "$work" "$PWD/tests/golden/cubin/linked-g.sm_90.cubin" >"$work/$name/bin/ptxas"
    chmod +x "$work/$name/bin/ptxas"
done
assembles() { # folder for temporary files, command
    rm -rf "$work/called" "$work/cache"
    : >"$work/called"
    env TMPDIR="$1" PATH="$work/path/bin:$PATH" CUDA_HOME="$work/home" "${@:2}"
}
export -f assembles
export work
mkdir "$work/temporary"
is "PTX for ptxas beyond a limit" "$(limited assembles "$work/temporary" "$r" run --assemble sm_75 "${mm[@]}" | sed 's/ptxas-....../ptxas-X/') $(cat "$work/called")$(ls "$work/temporary")" \
    "reprise: $BUILD/kernels/matmul.ptx: no file for ptxas can be written in $work/temporary/reprise-ptxas-X: File too large: 'ulimit -f' limits the size of files; raise the limit
4  "

# ---- files ---------------------------------------------------------------------------------------------------------
mkdir "$work/disk"
inside() { # command, with a disk of 64 KB in $work/disk of which $1 KB are left
    local left=$1
    shift
    unshare --user --map-root-user --mount bash -c 'mount -t tmpfs -o size=64k none "$0" && dd if=/dev/zero of="$0/taken" bs=1k count=$((64 - $1)) 2>/dev/null
        shift; "$@"; echo "$? $(ls "${0}" | tr "\n" " ")" >"${0%/disk}/ended"' "$work/disk" "$left" "$@" >"$work/out" 2>"$work/err"
    cat "$work/ended"
}
if [ "$(inside 4 true 2>/dev/null)" != "0 taken " ]; then
    echo "ok - full disks # SKIP no file system can be mounted here"
    exit
fi
is "record" "$(inside 0 "$r" record -q -o "$work/disk/t.wtr" "${mm[@]}") $(grep -c 'No space left on device' "$work/err")" "4 taken  1"
is "export" "$(inside 4 "$r" export accelsim -q "$work/t.wtr" -o "$work/disk/out") $(grep -c 'No space left on device' "$work/err")" "4 taken  1"
is "timeline" "$(inside 0 "$r" timeline -q "$work/t.wtr" -m orin -o "$work/disk/t.json") $(grep -c 'No space left on device' "$work/err")" "4 taken  1"
is "phases" "$(inside 0 "$r" wcet -q "$work/t.wtr" -m orin-wcet --assume all --phases "$work/disk/p.csv") $(grep -c 'No space left on device' "$work/err")" "4 taken  1"
no_file='no file for ptxas can be written in .*/disk/reprise-ptxas-......: No space left on device'
is "PTX for ptxas" "$(inside 0 assembles "$work/disk" "$r" run --assemble sm_75 "${mm[@]}") $(grep -c "ptx: $no_file$" "$work/err") $(cat "$work/called")" "4 taken  1 "
is "what ptxas makes, of which a part is written" "$(inside 16 assembles "$work/disk" "$r" run --assemble sm_75 "${mm[@]}") $(grep -c "ptx: $no_file$" "$work/err") $(cat "$work/called")" "4 taken  1 path"
is "... is not kept" "$(find "$work/cache" -type f)" ""
if [ "$(uname -sm)" = "Linux x86_64" ] && ! address_sanitizer; then
    is "record of a program, which itself ends with 0" "$(inside 0 "$r" record -q -o "$work/disk/t.wtr" -- tests/cuda/prebuilt/vector_add) $(grep -c 'the trace is not whole: .*No space left on device' "$work/err")" "4 taken  1"
    for left in 0 16; do
        is "a program's PTX for ptxas, $left KB" "$(inside $left assembles "$work/disk" "$r" record -o "$work/p.wtr" --device rtx2080 --prefer sass -- tests/cuda/prebuilt/vector_add 100) $(grep -c "vector_add: $no_file; the PTX is run$" "$work/err")" "4 taken  1"
        check "... is run, and the trace lacks its machine code" eval '"$r" info "$work/p.wtr" | grep -q "^module 0  vector_add (ptx, sm_75)" && grep -q "the trace is not what was asked for: vector_add: $no_file$" "$work/err"'
    done
    is "findings" "$(inside 0 "$r" run --check all --findings "$work/disk/f.json" -- tests/cuda/prebuilt/errors) $(grep -c 'the findings cannot be written: No space left on device' "$work/err")" "4 taken  1"
    is "a log" "$(inside 0 "$r" run -q --check all --log-file "$work/disk/log" -- tests/cuda/prebuilt/errors) $(grep -c 'cannot write .*log.: No space left on device' "$work/err")" "4 log taken  1"
    check "... what it should have is on standard error" grep -q "^reprise: cudaLaunchKernel returned" "$work/err"
else
    echo "ok - programs # SKIP CUDA programs do not run here"
fi
