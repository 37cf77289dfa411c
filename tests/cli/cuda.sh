#!/bin/bash
# Unmodified CUDA programs: those of tests/cuda/prebuilt, which NVIDIA's compiler made, under reprise run and record.
set -u
. tests/support/cli.sh
dir=$work
export XDG_CACHE_HOME=$dir/cache
programs=tests/cuda/prebuilt
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "ok - CUDA programs # SKIP they are for Linux on x86-64"
    exit 0
fi
run() { "$REPRISE" run -- "$@"; }
if address_sanitizer; then
    # AddressSanitizer's library comes first, and LD_AUDIT would load it once more.
    sanitizer=$(ldd "$BUILD/lib/libcuda.so.1" | awk '/libasan/ { print $3 }')
    run() (
        eval "$("$REPRISE" env)"
        unset LD_AUDIT
        LD_PRELOAD=$sanitizer:$LD_PRELOAD exec "$@"
    )
fi

# ---- results --------------------------------------------------------------------------------------------------------
# Every part of a program says "ok NAME" or ends it with status 1.
parts() { # program, arguments...: its parts as results of ours
    local name=$1 status
    shift
    run "$programs/$name" "$@" >"$dir/out" 2>"$dir/err"
    status=$?
    sed -n "s/^ok /ok - $name: /p" "$dir/out"
    if [ $status -ne 0 ] || ! grep -q '^ok ' "$dir/out"; then
        echo "not ok - $name $* ends with status $status"
        cat "$dir/out" "$dir/err" >&2
    fi
}
parts vector_add 1000
for program in runtime runtime_12 memory classes occupancy thrust cub graphs textures driver separate; do parts $program; done
parts cooperative plain
for how in illegal misaligned assert shared reset trap; do
    parts errors_12 $how
    parts errors $how
    [ $how = assert ] && cp "$dir/err" "$dir/asserted"
done
is "a failed assertion has CUDA's line" "$(sed -n 's,.*errors.cu:[0-9]*: ,,p' "$dir/asserted" | head -1)" \
    "void claim(int): block: [0,0,0], thread: [3,0,0] Assertion \`threadIdx.x + n < 3\` failed."
check "a fault is reported with its kernel" grep -q "kernel 'trap()'" "$dir/err"
if address_sanitizer; then
    echo "ok - what reprise run, record and env do for CUDA programs # SKIP LD_AUDIT and AddressSanitizer do not go together"
    exit 0
fi
# The same source for three targets: PTX of sm_75, sm_80 and sm_90.
for device in rtx2080 a100 h100; do
    for program in groups barriers halves eights blocks; do
        "$REPRISE" run --device $device -- "$programs/$program" >"$dir/out" 2>"$dir/err"
        status=$?
        sed -n "s/^ok /ok - $program on $device: /p" "$dir/out"
        if [ $status -ne 0 ]; then
            echo "not ok - $program on $device ends with status $status"
            cat "$dir/out" "$dir/err" >&2
        fi
    done
done
# Kernels that set conditions of graphs, as PTX, and as machine code that calls the function by its address or directly.
for device in rtx2080 a100 h100; do
    for how in "ptx conditions" "sass conditions" "sass conditions_linked"; do
        "$REPRISE" run --device $device --prefer ${how% *} -- "$programs/${how#* }" >"$dir/out" 2>"$dir/err"
        status=$?
        sed -n "s/^ok /ok - $how on $device: /p" "$dir/out"
        if [ $status -ne 0 ] || [ "$(grep -c '^ok ' "$dir/out")" -ne 6 ] || [ -s "$dir/err" ]; then
            echo "not ok - $how on $device (status $status)"
            cat "$dir/out" "$dir/err" >&2
        fi
    done
done
# Pipelines of cp.async, barrier objects, groups: nothing in them races.
for program in groups barriers blocks; do
    "$REPRISE" run --device a100 --check race -- "$programs/$program" >"$dir/out" 2>"$dir/err"
    status=$?
    if [ $status = 0 ] && grep -q '^ok ' "$dir/out" && ! grep -q ': race: ' "$dir/err"; then echo "ok - $program races nowhere"
    else echo "not ok - $program races nowhere (status $status)"; cat "$dir/out" "$dir/err" >&2; fi
done
# Several devices.
for n in 2 3; do
    "$REPRISE" run --device a100 --devices $n -- "$programs/devices" >"$dir/out" 2>"$dir/err"
    status=$?
    sed -n "s/^ok /ok - $n devices: /p" "$dir/out"
    if [ $status -ne 0 ] || ! grep -qx 'ok denied' "$dir/out"; then
        echo "not ok - the program of $n devices ends with status $status"
        cat "$dir/out" "$dir/err" >&2
    fi
done
check "a fault says whose memory it is" grep -q "of device 1; device 0 has no access to it" "$dir/err"
is "CUDA_VISIBLE_DEVICES hides devices" "$(CUDA_VISIBLE_DEVICES=1 "$REPRISE" run --devices 2 -- "$programs/devices")" "one device"
"$REPRISE" run -q --devices 2 -- "$programs/managed" >"$dir/out" 2>"$dir/err"
is "a __managed__ variable on two devices: one on each" "$(cat "$dir/out")" $'device 0: 1\ndevice 1: 1'
check "a __managed__ variable on two devices: says so" grep -q "the __managed__ variable 'counter' is not one for all devices" "$dir/err"
"$REPRISE" run -q -- "$programs/managed" >"$dir/out" 2>"$dir/err"
is "a __managed__ variable on one device: says nothing" "$(cat "$dir/out" "$dir/err")" "device 0: 1"
for n in 0 17 two; do fails 1 "--devices $n: it must be 1 to 16" "$REPRISE" run --devices $n -- "$programs/devices"; done
"$REPRISE" run --device h100 -- "$programs/graphs" >"$dir/out" 2>"$dir/err"
check "graphs on a device with clusters" grep -qx "ok launches with attributes" "$dir/out"
# Our cuBLAS, which a program finds under either name.
if [ -e "$BUILD/lib/libcublas.so.12" ]; then
    ${CC:-gcc} -std=c17 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -I. tests/cuda/cublas.c -L"$BUILD/lib" -l:libcuda.so.1 -lm -ldl -o "$dir/cublas"
    for v in 12 13; do
        "$REPRISE" run -- "$dir/cublas" libcublas.so.$v >"$dir/blas" 2>"$dir/blas.err"
        check "libcublas.so.$v: $(tail -1 "$dir/blas")" grep -q '^ok [1-9]' "$dir/blas"
        check "libcublas.so.$v: what is missing is said once" test "$(sort "$dir/blas.err" | uniq -c | awk '{ print $1 }' | sort -u)" = 1
    done
    "$REPRISE" record -q -o "$dir/blas.wtr" --first 1 -- "$dir/cublas" libcublas.so.12 >&2 2>"$dir/blas.err"
    check "libcublas: the trace names its kernels as ours" eval '"$REPRISE" info "$dir/blas.wtr" | grep -q reprise_cublas_sgemm'
else
    echo "ok - libcublas # SKIP it is made with clang, which is not here"
fi
for v in 12 13; do
    ${CC:-gcc} -std=c17 -D_GNU_SOURCE -DCUDART_MAJOR=$v -I. tests/cuda/runtime_calls.c -o "$dir/calls" \
        -L"$BUILD/lib" -l:libcudart.so.$v -l:libcuda.so.1 -Wl,-rpath-link,"$BUILD/lib" >&2
    "$REPRISE" run -- "$dir/calls" >"$dir/calls.out" 2>&1
    check "calls of libcudart.so.$v: $(tail -1 "$dir/calls.out")" test "$(grep -c '^ok ' "$dir/calls.out")" -eq 6
done
# What a program sees of a machine, its own file included.
printf 'base = "v100";\ndevice: { name = "A card of my own"; memory = "128M"; };\n' >"$dir/mine.cfg"
sees() { # what, line of the program, options of run: with either runtime
    local what=$1 line=$2
    shift 2
    for v in 12 13; do
        check "$what (libcudart.so.$v)" test "$("$REPRISE" run "$@" -- "$dir/device_$v")" = "$line|cudaErrorMemoryAllocation"
    done
}
for v in 12 13; do
    ${CC:-gcc} -std=c17 -D_GNU_SOURCE -DCUDART_MAJOR=$v -I. tests/cuda/device.c -o "$dir/device_$v" \
        -L"$BUILD/lib" -l:libcudart.so.$v -l:libcuda.so.1 -Wl,-rpath-link,"$BUILD/lib" >&2
done
sees "a program sees v100" "Tesla V100-SXM2-16GB|7.0|80|17179869184|877000|4096|-" --device v100
sees "a program sees a machine built on v100" "A card of my own|7.0|80|134217728|877000|4096|-" --device "$dir/mine.cfg"
sees "and what --set says of it" "Another one|9.0|3|268435456|1000500|512|persisting" --device "$dir/mine.cfg" --set "device.name=Another one" \
    --set device.capability=90 --set sms=3 --set device.memory=256M --set device.memory_clock_mhz=1000.5 --set device.memory_bus=512
"$REPRISE" machine show san-rtx2080 | sed 's/^device: .*//' >"$dir/bare.cfg"
check "of a machine that says nothing a program sees its name and SMs" \
    eval '[[ $("$REPRISE" run --device "$dir/bare.cfg" -- "$dir/device_13") == "bare|7.5|46|8589934592|5505000|256|"* ]]'
# The capability of the default device: what compilers at run time know. The libraries are empty ones of NVIDIA's names.
for library in libnvrtc.so.12 libnvrtc.so.13 libnvJitLink.so.13 libtriton.so; do
    ${CC:-gcc} -shared -Wl,-soname,$library -o "$dir/$library" -x c /dev/null
done
capability() { # what, expected, compiler's arguments
    ${CC:-gcc} -std=c17 -I. tests/cuda/capability.c -o "$dir/capability" -Wl,--no-as-needed "${@:3}" \
        -L"$BUILD/lib" -l:libcuda.so.1 -ldl -Wl,-rpath,"$dir" >&2
    is "capability of the default device: $1" "$("$REPRISE" run -- "$dir/capability" 2>&1)" "$2"
}
capability "of the driver API alone" 6.1
for library in libnvrtc.so.13 libnvJitLink.so.13; do capability "with $library" 7.5 "$dir/$library"; done
capability "with libnvrtc.so.12" 6.1 "$dir/libnvrtc.so.12"
is "and with one that was loaded later" "$("$REPRISE" run -- "$dir/capability" "$dir/libnvrtc.so.13" 2>&1)" 7.5
is "and with Triton" "$("$REPRISE" run -- "$dir/capability" "$dir/libtriton.so" 2>&1)" 8.0

# ---- what is said -----------------------------------------------------------------------------------------------------
says() { [ "$(cat "$dir/err")" = "$1" ]; }
"$REPRISE" record -o "$dir/said.wtr" -- "$programs/vector_add" 100 >&2 2>"$dir/err"
check "the launches recorded are counted" says "reprise: $dir/said.wtr: 1 launch recorded, $(stat -c %s "$dir/said.wtr") bytes"
check "modules are named after the program" eval '"$REPRISE" info "$dir/said.wtr" | grep -q "^module 0  vector_add (ptx, sm_75)"'
"$REPRISE" record -o "$dir/said.wtr" --launches 1 -- "$programs/vector_add" 100 >&2 2>"$dir/err"
check "and those left out" says "reprise: $dir/said.wtr: 0 of 1 launch recorded, $(stat -c %s "$dir/said.wtr") bytes"
for command in "replay -m orin" "wcet -m orin-bound" "diff -m orin --vary sms=1,2" "ablate -m orin" "dump"; do
    # shellcheck disable=SC2086
    "$REPRISE" $command "$dir/said.wtr" >"$dir/out" 2>"$dir/err"
    status=$?
    check "a trace of none: $command" eval '[ $status = 2 ] && [ ! -s "$dir/out" ] && says "reprise: $dir/said.wtr has no launches: the program launched no kernel, or --kernels or --launches left all out"'
done
"$REPRISE" record -q -o "$dir/said.wtr" -- "$programs/vector_add" 100 >&2 2>"$dir/err"
check "--quiet says nothing" says ""

"$REPRISE" run --stats --check race -- "$programs/runtime" >/dev/null 2>"$dir/stats"
check "--stats: the parts add up to the whole, and nothing is missing" python3 -c '
import re, sys
lines = [line for line in open(sys.argv[1]) if re.match(r"reprise: \d+\.\d+ s: ", line)]
whole, *parts = (float(x) for x in re.findall(r"\d+\.\d+", lines[0]))
assert len(parts) == 5 and abs(whole - sum(parts)) < 0.004 and parts[3] > 0, lines[0]
launches = {name: int(n) for name, n in re.findall(r"kernel .([a-z_]*).*, (\d+) launch", "".join(lines[1:]))}
assert launches["add_one"] == 62 and launches["call"] == 2, launches
' "$dir/stats"

"$REPRISE" run -- python3 -c '
import ctypes
for version in 12, 13:
    library = ctypes.CDLL(f"libcublasLt.so.{version}")
    library.cublasLtGetStatusName.restype = ctypes.c_char_p
    handle = ctypes.c_void_p()
    print(library.cublasLtCreate(ctypes.byref(handle)), bool(handle), library.cublasLtDestroy(handle),
          library.cublasLtGetStatusName(library.cublasLtMatmul(handle)).decode(), library.cublasLtGetVersion())
' >"$dir/lt" 2>"$dir/lt.err"
check "libcublasLt gives a handle and refuses the rest by name" eval '[ "$(tr "\n" " " <"$dir/lt")" = "0 True 0 CUBLAS_STATUS_NOT_SUPPORTED 120000 0 True 0 CUBLAS_STATUS_NOT_SUPPORTED 130000 " ] &&
    [ $(grep -c "cublasLtMatmul is not there" "$dir/lt.err") -eq 2 ]'

# ---- kernels that launch kernels ----------------------------------------------------------------------------------------
xz -dc $programs/nested.xz >"$dir/nested"
chmod +x "$dir/nested"
run "$dir/nested" >"$dir/out" 2>"$dir/err"
status=$?
sed -n "s/^ok /ok - launches by kernels: /p" "$dir/out"
check "a program whose kernels launch kernels" eval '[ $status -eq 0 ] && [ $(grep -c "^ok " "$dir/out") -eq 11 ] || { cat "$dir/out" "$dir/err"; false; }'
check "more launches than can be pending" eval 'run "$dir/nested" many | grep -qx "ok too many launches"'
check "a fault in a child is one of its kernel" eval 'run "$dir/nested" fault 2>"$dir/err"; [ $? -eq 3 ] && grep -q "kernel .wrong(unsigned int\*).: out of bounds" "$dir/err"'
"$REPRISE" run --prefer sass --device rtx2060 -- "$dir/nested" >/dev/null 2>"$dir/err"
check "as machine code it is refused" eval '[ $? -ne 0 ]; grep -q "(dynamic parallelism) are run as PTX, not as machine code" "$dir/err"'

# A device whose machine code cannot be executed: its PTX is run, which is said once.
"$REPRISE" record -q -o "$dir/later.wtr" --prefer sass --device rtxpro6000 -- $programs/vector_add 100 >"$dir/out" 2>"$dir/err"
check "--prefer sass for a later GPU is said to run PTX" \
    eval '[ "$(grep -c "vector_add: machine code for sm_120 cannot be executed, sm_50 to sm_62, sm_70 to sm_90 can; the PTX is run\." "$dir/err")" -eq 1 ]'
check "... with a way to have it in another order" grep -q "of sm_90 instead; --schedule orders PTX" "$dir/err"
"$REPRISE" record -q -o "$dir/later.wtr" --prefer sass --schedule --device rtxpro6000 -- $programs/vector_add 100 >"$dir/out" 2>"$dir/err"
check "... which is not named where it is taken" grep -q "the PTX is run in the order of --schedule\. --device h100 has machine code of sm_90 instead$" "$dir/err"

# ---- the static runtime ---------------------------------------------------------------------------------------------
xz -dc $programs/vector_add_static.xz >"$dir/static"
chmod +x "$dir/static"
xz -dc $programs/runtime_12_static.xz >"$dir/static_12"
chmod +x "$dir/static_12"
check "a program with the static runtime of CUDA 12" eval '[ "$("$REPRISE" run -- "$dir/static_12" | grep -c "^ok ")" -eq 9 ]'
check "a program with the static runtime" eval '"$REPRISE" run -- "$dir/static" 500 | grep -qx "ok vector add"'
# A library of NVIDIA's beside the program, as in wheels, by RPATH and by its path.
mkdir "$dir/theirs"
echo 'int cublasLtGetVersion(void) { return 1; }' | ${CC:-gcc} -shared -fPIC -Wl,-soname,libcublasLt.so.12 -o "$dir/theirs/libcublasLt.so.12" -x c -
cat >"$dir/search.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
size_t cublasLtGetVersion(void);
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    size_t (*version)(void) = library ? dlsym(library, "cublasLtGetVersion") : NULL;
    printf("%zu %zu\n", cublasLtGetVersion(), version ? version() : 0);
}
END
${CC:-gcc} -o "$dir/search" "$dir/search.c" "$dir/theirs/libcublasLt.so.12" -Wl,--disable-new-dtags,-rpath,"$dir/theirs" -ldl
is "a library beside the program: its own run" "$("$dir/search" "$dir/theirs/libcublasLt.so.12")" "1 1"
is "a library beside the program: ours takes its place" "$("$REPRISE" run -- "$dir/search" "$dir/theirs/libcublasLt.so.12" 2>&1)" "120000 120000"
strip -o "$dir/stripped" "$dir/static"
touch "$dir/stripped.wtr"
"$REPRISE" record -o "$dir/stripped.wtr" -- "$dir/stripped" >/dev/null 2>"$dir/err"
status=$?
check "a stripped one: what to do" grep -q "stripped, so .*-cudart shared, or do not strip" "$dir/err"
check "a stripped one is not started" test $status -eq 126
check "a stripped one: no trace of an earlier command is left" test ! -e "$dir/stripped.wtr"
for section in nvFatBinSegment nv_fatbin; do
    printf '__attribute__((section(".%s"))) const int code = 1; int f(void) { return 0; }\n' $section >"$dir/library.c"
    echo 'int f(void); int main(void) { return f(); }' >"$dir/uses.c"
    ${CC:-gcc} -shared -fPIC -s -o "$dir/library.so" "$dir/library.c" && ${CC:-gcc} -o "$dir/uses" "$dir/uses.c" "$dir/library.so"
    is "a stripped library with device code in .$section is named" "$("$REPRISE" run -- "$dir/uses" 2>&1 | sed "s|.*/library|library|")" \
        "library.so has a CUDA runtime of its own, whose symbols are stripped; calls of it will fail"
done

# ---- traces ---------------------------------------------------------------------------------------------------------
"$REPRISE" record -q -o "$dir/a.wtr" --threads 1 -- $programs/vector_add 3000 >"$dir/out" 2>&1
check "record passes on what the program prints" grep -qx "ok vector add" "$dir/out"
check "the trace is whole" "$REPRISE" verify "$dir/a.wtr"
"$REPRISE" info --json "$dir/a.wtr" >"$dir/info"
check "one launch of 12 blocks" python3 - "$dir/info" <<'PY'
import json, sys
launches = json.load(open(sys.argv[1]))["traces"][0]["launches"]
assert len(launches) == 1 and launches[0]["grid"] == [12, 1, 1] and launches[0]["block"] == [256, 1, 1], launches
PY
"$REPRISE" dump --host "$dir/a.wtr" >"$dir/host"
check "three allocations, three copies" eval '[ $(grep -c allocate "$dir/host") -ge 3 ] && [ $(grep -c "copy.*12000 bytes" "$dir/host") -eq 3 ]'
check "it replays" eval '"$REPRISE" replay --json "$dir/a.wtr" --machine v100 | python3 -c "import json, sys; assert json.load(sys.stdin)[\"traces\"][0][\"total\"][\"cycles\"] > 0"'
"$REPRISE" record -q -o "$dir/c.wtr" -- $programs/memory >/dev/null 2>&1
check "a copy to constants goes to the device" eval '"$REPRISE" dump --host "$dir/c.wtr" | grep -q "copy .*to-device 0x0 from 0x0 128 bytes"'
"$REPRISE" record -q -o "$dir/b.wtr" --threads 2 -- $programs/vector_add 3000 >/dev/null 2>&1
check "recorded again with 2 threads: the same bytes" cmp "$dir/a.wtr" "$dir/b.wtr"
"$REPRISE" record -q -o "$dir/r%p.wtr" -- bash -c "$programs/vector_add 10; $programs/vector_add 20" >/dev/null 2>&1
check "%p: a trace for each process" eval '[ $(ls "$dir"/r*.wtr | wc -l) -eq 2 ]'
launches() { # options of record: the number of launches of runtime's
    "$REPRISE" record -q -o "$dir/f.wtr" "$@" -- $programs/runtime >/dev/null 2>&1
    "$REPRISE" info --json "$dir/f.wtr" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["traces"][0]["launches"]))'
}
all=$(launches)
check "all launches of a larger program" test "$all" -gt 60
check "--launches" test "$(launches --launches 3..7)" -eq 5
check "--kernels" test "$(launches --kernels '^scaled_sum')" -eq 1
check "--first" test "$(launches --kernels '^add_one' --first 4)" -eq 4

check "reprise env: the same by hand" eval '(eval "$("$REPRISE" env)"; $programs/vector_add 77) | grep -qx "ok vector add"'
check "docs/cuda-functions.md is what make cuda-docs writes" eval 'make -s cuda-docs CUDA_FUNCTIONS="$dir/functions.md" && diff docs/cuda-functions.md "$dir/functions.md"'
cuda=${CUDA_HOME:-/usr/local/cuda}
if [ -x "$cuda/bin/nvcc" ]; then
    "$cuda/bin/nvcc" -arch=sm_75 -o "$dir/now" tests/cuda/runtime.cu >&2
    check "a program that nvcc has just made" eval '[ "$("$REPRISE" run -- "$dir/now" | grep -c "^ok ")" -eq 9 ]'
fi
