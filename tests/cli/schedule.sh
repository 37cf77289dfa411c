#!/bin/bash
# record --schedule: PTX in the order of an optimising assembler, with the results that it has in its own.
set -u
. tests/support/cli.sh
k=$BUILD/kernels/matmul.ptx
needs "$k"
launch=(--kernel matmul --grid 4,4 --block 16,16 --arg buf=rand-f32:4K:seed=1 --arg buf=rand-f32:4K:seed=2 --arg buf=zeros:16K --arg i32=64)
record() { "$r" record -q -o "$work/$1.wtr" --module "$k" "${launch[@]}" --save 2="$work/$1.bin" "${@:2}"; }
listing() { "$r" dump "$work/$1.wtr"; }
says_so() { "$r" info --json "$1" | python3 -c 'import json, sys; print([o["value"] for o in json.load(sys.stdin)["traces"][0]["options"] if o["key"] == "schedule"])'; }

record plain
record other --schedule
check "the result is the same" cmp "$work/plain.bin" "$work/other.bin"
listing plain >"$work/plain.txt"
listing other >"$work/other.txt"
differs() { ! cmp -s "$1" "$2"; }
check "the order is not" differs "$work/plain.txt" "$work/other.txt"
record again --schedule --threads 1
check "the trace is the same with one thread" cmp "$work/other.wtr" "$work/again.wtr"
is "the trace says so" "$(says_so "$work/other.wtr") $(says_so "$work/plain.wtr")" "['yes'] []"
check "it is whole" "$r" verify "$work/other.wtr"

# ---- launch files ---------------------------------------------------------------------------------------------------
file() {
    printf 'module = "%s"; %s\nbuffers: { A = "rand-f32:4K:seed=1"; B = "rand-f32:4K:seed=2"; C = "zeros:16K"; };\n' "$(realpath "$k")" "$1"
    printf 'launches = ( { kernel = "matmul"; grid = [4, 4]; block = [16, 16]; args = ("buf=A", "buf=B", "buf=C", "i32=64"); } );\n'
}
file 'schedule = true;' >"$work/yes.cfg"
file 'schedule = false;' >"$work/no.cfg"
file 'schedule = 1;' >"$work/bad.cfg"
"$r" record -q -o "$work/yes.wtr" --launch-file "$work/yes.cfg"
"$r" record -q -o "$work/no.wtr" --launch-file "$work/no.cfg"
listing yes >"$work/yes.txt"
listing no >"$work/no.txt"
check "schedule = true in a launch file" cmp "$work/yes.txt" "$work/other.txt"
check "schedule = false in a launch file" cmp "$work/no.txt" "$work/plain.txt"
fails 2 "bad.cfg:1: 'schedule' must be true or false" "$r" record -q -o "$work/bad.wtr" --launch-file "$work/bad.cfg"

# ---- what it does not go with ---------------------------------------------------------------------------------------
fails 1 "--schedule and --assemble sm_86: the order of machine code is its assembler's" \
    "$r" run --module "$k" --schedule --assemble sm_86 "${launch[@]}"
fails 1 "--schedule and --check: checks look at the order of the source; leave --schedule out" \
    "$r" run --module "$k" --schedule --check all "${launch[@]}"
fails 1 "--schedule and --check: checks look at the order of the source; leave --schedule out" \
    "$r" run --schedule --check race -- true
cubin=$BUILD/cubin/matmul.sm_61.O3.cubin
if [ -e "$cubin" ]; then
    fails 1 "matmul.sm_61.O3.cubin is machine code, whose order is its assembler's; only PTX can be scheduled" \
        "$r" run --module "$cubin" --schedule "${launch[@]}"
else
    echo "ok - machine code is refused # SKIP no $cubin: make toolchain fetches NVIDIA's ptxas"
fi

# ---- programs -------------------------------------------------------------------------------------------------------
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then
    echo "ok - programs # SKIP they are for Linux on x86-64, without AddressSanitizer"
    exit 0
fi
for program in memory classes thrust cub textures driver cooperative; do
    "$r" run -q -- tests/cuda/prebuilt/$program >"$work/plain.out" 2>&1
    plain=$?
    "$r" run -q --schedule -- tests/cuda/prebuilt/$program >"$work/other.out" 2>&1
    is "$program ends as it does without" "$?" "$plain"
    check "$program prints what it prints without" cmp "$work/plain.out" "$work/other.out"
done
"$r" record -q -o "$work/plain.wtr" -- tests/cuda/prebuilt/classes >"$work/out" 2>&1
"$r" record -q -o "$work/other.wtr" --schedule -- tests/cuda/prebuilt/classes >"$work/out" 2>&1
is "the trace of a program says so, too" "$(says_so "$work/other.wtr") $(says_so "$work/plain.wtr")" "['yes'] []"
ptxas=$(realpath "$BUILD/toolchain/13.0/ptxas" 2>/dev/null)
if [ -n "$ptxas" ]; then
    REPRISE_PTXAS=$ptxas "$r" run -q --schedule --device a100 --prefer sass -- tests/cuda/prebuilt/classes >"$work/out" 2>"$work/err"
    is "of machine code its order is said to be its assembler's, once" \
        "$(grep -c "runs as machine code, whose order is its assembler's already; --prefer ptx runs its PTX in the order of --schedule" "$work/err")" 1
else
    echo "ok - of machine code its order is said to be its assembler's # SKIP no $BUILD/toolchain: make toolchain fetches NVIDIA's ptxas"
fi
# A program that nvlink linked has the PTX of its objects; a cubin has none.
"$r" run -q --schedule --device rtx2080 --prefer sass -- tests/cuda/prebuilt/separate >"$work/out" 2>"$work/err"
check "of machine code beside PTX the way to the PTX is said" grep -q "separate runs as machine code, .*; --prefer ptx runs its PTX" "$work/err"
cat >"$work/load.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
context, module = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
print(cuda.cuModuleLoadData(ctypes.byref(module), open(sys.argv[1], "rb").read()))
END
for prefer in ptx sass; do
    "$r" run -q --schedule --device rtx2080 --prefer $prefer -- python3 "$work/load.py" tests/golden/cubin/sm_75-13.0.cubin >"$work/out" 2>"$work/err"
    is "a module of machine code alone is loaded" "$(cat "$work/out")" 0
    check "and --prefer ptx is no way out" grep -q "has machine code alone, .*: --schedule changes nothing of it; with PTX in it" "$work/err"
done
