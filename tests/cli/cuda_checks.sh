#!/bin/bash
# What reprise run and record say of CUDA programs that are wrong: memory on the host's side, with call stacks, and the
# checks of kernels.
set -u
. tests/support/cli.sh
dir=$work
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then
    echo "ok - checks of CUDA programs # SKIP they are for Linux on x86-64, without AddressSanitizer"
    exit 0
fi
${CC:-gcc} -std=c17 -D_GNU_SOURCE -g -O0 -no-pie -fno-inline -I. tests/cuda/wrong.c -L"$BUILD/lib" -l:libcuda.so.1 -o "$dir/wrong"
line=" (wrong.c:[0-9]*)"
command -v addr2line >/dev/null || line=

ends() { # status, what is wrong, options...: err has what is said
    local status=$1 what=$2 got
    shift 2
    "$REPRISE" run "$@" -- "$dir/wrong" "$what" >"$dir/out" 2>"$dir/err"
    got=$?
    [ $got = "$status" ] || { echo "status $got, not $status" >&2; cat "$dir/out" "$dir/err" >&2; return 1; }
}
wrong() { ends 0 "$@"; }
found() { ends 3 "$@"; } # with --check
says() { grep -q -- "$1" "$dir/err" || { cat "$dir/err" >&2; false; }; }
stack() { # text, function, in which of the first lines of the stack behind the text
    grep -A"${3:-1}" -- "$1" "$dir/err" | grep -q "    at $2$line" || { cat "$dir/err" >&2; false; }
}
case_of() { # what, text, options...
    local what=$1 text=$2
    shift 2
    check "$what runs to its end" ends $(($# ? 3 : 0)) "$what" "$@"
    check "$what: $text" says "$text"
}

case_of leak "leak: 40 bytes at 0x[0-9a-f]* were not freed" --check leak
check "leak: where it was allocated" stack "  allocated$" main 2
check "leak: nothing with --check memory" eval 'wrong leak --check memory && [ ! -s "$dir/err" ]'
check "leak: nothing without --check leak" eval 'wrong leak && [ ! -s "$dir/err" ]'
check "a child that borrows the memory has no leaks" eval 'wrong borrows --check all && [ ! -s "$dir/err" ]'
case_of graph_leak "leak: 80 bytes at 0x[0-9a-f]* were not freed" --check leak
check "graph_leak: where it was added" stack "  allocated$" memory_of_graph 2
case_of twice "is freed, but it is not the beginning of an allocation"
check "twice: where" stack "is freed, but it is not" twice
check "twice: what it was" says "at byte 0 of 40 bytes that were freed (--check says where)"
case_of twice "at byte 0 of 40 bytes that were freed" --check memory
check "twice: where it was freed, and allocated" eval 'stack "  freed$" twice 2 && stack "  allocated$" main 2'
case_of middle "is freed, but it is not the beginning of an allocation"
case_of beyond "a copy or fill of 64 bytes at 0x[0-9a-f]* goes beyond what is allocated there"
check "beyond: where" stack "goes beyond" beyond
case_of copied "at byte 0 of 40 bytes that were freed"
check "copied: one finding" [ "$(grep -c "bytes that were freed" "$dir/err")" = 1 ]
case_of arrays "leak: an array of 512 bytes was not freed" --check leak
check "arrays: where it was allocated" stack "  allocated$" made 2
check "arrays: the one that was freed is none" [ "$(grep -c "leak:" "$dir/err")" = 2 ]
check "arrays: a mipmapped one" says "leak: a mipmapped array of 80 bytes was not freed"
check "arrays: all in all" says "2 allocations of 592 bytes in all were not freed"
case_of array_twice "an array is freed, but it was freed: 0x[0-9a-f]*, of 256 bytes" --check memory
check "array_twice: where, and where before" eval 'stack "an array is freed" array_twice && stack "  freed$" array_twice 2 && stack "  allocated$" made 2'
case_of array_used "an array is used, but it was freed: 0x[0-9a-f]*, of 256 bytes" --check all
check "array_used: one finding" [ "$(grep -c "^reprise: [a-z]" "$dir/err")" = 1 ]
case_of pinned "is freed by cudaFree() or cuMemFree(), but it is pinned memory of the host: cudaFreeHost() frees it"
check "pinned: the other way around" says "is freed by cudaFreeHost() or cuMemFreeHost(), but it is memory of the device: cudaFree() frees it"
# copies that say a wrong direction: one finding a call, and none where the memory is both
case_of direction "a copy says that it goes from the host to the device, but 0x[0-9a-f]* is memory of the device, and 0x[0-9a-f]* memory of the host" --check memory
check "direction: where" stack "goes from the host to the device" direction
check "direction: each call once" test "$(grep -c "reprise: a copy says" "$dir/err")" = 5
check "direction: to the host" says "a copy says that it goes to the host, but 0x[0-9a-f]* is memory of the device"
check "direction: from the device" says "a copy says that it comes from the device, but 0x[0-9a-f]* is memory of the host"
check "direction: rows" says "a copy says that it comes from the host, but 0x[0-9a-f]* is memory of the device"
check "direction: nothing without --check" eval 'wrong direction && [ ! -s "$dir/err" ]'
case_of used "out of bounds: store of 4 bytes"
case_of used "memory: store of 4 bytes at 0x[0-9a-f]* in global memory, out of bounds" --check memory
check "used: it was freed" says "at byte 0 of 40 bytes that were freed"
check "used: where it was freed" stack "  freed$" used 2
# with --check memory the launch goes on, and fails then; the source is shown where it is
printf '%s\n' "first" "  a[i] = i; // second" "third" >"$dir/wrong.cu"
program=$(realpath "$REPRISE")
in_folder() { (cd "$dir" && REPRISE=$program && wrong "$@"); }
check "wild ends the launch at once" eval 'in_folder wild && [ "$(grep -c "^reprise: kernel" "$dir/err")" = 1 ]'
check "wild: the source of the fault" says "^reprise:         2 | a\[i\] = i; // second"
in_folder_found() { (cd "$dir" && REPRISE=$program && found "$@"); }
check "wild runs with --check memory" in_folder_found wild --check memory
check "wild: all odd threads" says "out of bounds: .*thread (1,0,0); 32 times"
check "wild: what comes after it" says "misaligned address.*thread (3,0,0)$"
check "wild: the source of both" eval 'grep -A1 "out of bounds" "$dir/err" | grep -q "2 | a" && grep -A1 misaligned "$dir/err" | grep -q "3 | third"'
check "race: the source" eval 'in_folder_found race --check race && grep -A1 "kernel .race.: race" "$dir/err" | grep -q "  2 | a"'
# what a GPU would not notice is told, and with --check memory a finding
case_of granule "out of bounds: store of 4 bytes .*(a GPU goes on)"
check "granule: with --check memory" eval '"$REPRISE" run --check memory --findings "$dir/f.json" -- "$dir/wrong" granule >/dev/null 2>"$dir/err"; ! grep -q "goes on" "$dir/err" && says "memory: store of 4 bytes .* 0 bytes past the end of" && grep -q "out of bounds" "$dir/f.json"'
# PTX without .loc has the name of the program that it is in, which is no text
check "used: no line of the program itself" eval 'in_folder used && says "wrong:[0-9]*), block" && ! grep -qa " | " "$dir/err"'
# copies and fills of a part write that part
for part in 0 4; do check "part$part: all of it was written" eval "wrong part$part --check init && [ ! -s '$dir/err' ]"; done
case_of part1 "uninitialised read.*thread (0,0,0); 4 times$" --check init
for part in 2 3; do case_of part$part "uninitialised read.*thread (2,0,0)" --check init; done
# copies to the host, and from one buffer to another
case_of taken "uninitialised read: a copy to the host reads 24 bytes that nobody has written, the first at 0x[0-9a-f]*10$" --check init
check "taken: where, and no other" eval 'stack "reads 24 bytes" taken && [ "$(grep -c uninit "$dir/err")" = 1 ]'
check "a structure of an int and a double has padding" eval 'wrong int_double --check init && [ ! -s "$dir/err" ]'
check "one of a double and an int, too" eval 'wrong double_int_ --check init && [ ! -s "$dir/err" ]'
check "one of a double2 and a double, too" eval 'wrong double2_double --check init && [ ! -s "$dir/err" ]'
check "an array of which some elements are not written has none" eval 'found int_gap_int --check init && says "a copy to the host reads 16 bytes that nobody has written"'
check "passed: in two kernels" eval 'found passed --check init && says "kernel .again.: uninitialised read.*thread (4,0,0); 4 times$"'
case_of passed "kernel 'read': uninitialised read.*thread (4,0,0); 4 times$" --check init
# What nvcc makes of launches is in no stack: of a plain kernel, of one with C linkage, of a template in a namespace.
cat >"$dir/stubs.cc" <<'CC'
typedef struct CUctx_st *CUcontext; typedef struct CUmod_st *CUmodule; typedef struct CUfunc_st *CUfunction;
extern "C" {
int cuInit(unsigned), cuDevicePrimaryCtxRetain(CUcontext *, int), cuCtxSetCurrent(CUcontext), cuModuleLoadData(CUmodule *, const void *);
int cuModuleGetFunction(CUfunction *, CUmodule, const char *), cuMemAlloc_v2(unsigned long long *, unsigned long);
int cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
}
#ifndef ALONE
#define ALONE __attribute__((noinline))
#endif
static CUfunction race;
static ALONE void launch(int *p)
{
    void *arguments[] = {&p};
    cuLaunchKernel(race, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
    asm volatile("");
}
ALONE void __device_stub__Z5plainPi(int *p) { launch(p); asm volatile(""); }
ALONE void plain(int *p) { __device_stub__Z5plainPi(p); asm volatile(""); }
ALONE void __device_stub__Z6with_cPi(int *p) { launch(p); asm volatile(""); }
extern "C" ALONE void with_c(int *p) { __device_stub__Z6with_cPi(p); asm volatile(""); }
namespace n {
template <int N> static ALONE void __wrapper__device_stub_made(int *&p, float &) { launch(p + N); asm volatile(""); }
template <int N> static ALONE void made(int *p, float x) { __wrapper__device_stub_made<N>(p, x); asm volatile(""); }
}
static ALONE void caller(int *p, int which)
{
    if (which == 0) plain(p);
    if (which == 1) with_c(p);
    if (which == 2) n::made<3>(p, 1.f);
    asm volatile("");
}
int main(int, char **argv)
{
    CUcontext context; CUmodule module; unsigned long long p;
    cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
    cuModuleLoadData(&module, ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .b64 %p; .reg .b32 %t; ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; st.global.u32 [%p], %t; ret; }\n");
    cuModuleGetFunction(&race, module, "k");
    cuMemAlloc_v2(&p, 64);
    caller((int *)p, argv[1][0] - '0');
}
CC
"${CXX:-g++}" -std=c++17 -g -O0 -no-pie -w "$dir/stubs.cc" -L"$BUILD/lib" -l:libcuda.so.1 -o "$dir/stubs" >&2
for which in 0 1 2; do
    "$REPRISE" run --check race -- "$dir/stubs" $which 2>"$dir/err"
    check "stack of a launch by nvcc: $which" test "$(sed -n 's/^reprise:     at \([a-z_]*\).*/\1/p' "$dir/err" | head -3 | tr '\n' ' ')" = "launch caller main "
done
# The same where the compiler has put all into main, and a call of the toolkit's own inline function.
mkdir -p "$dir/toolkit"
cat >"$dir/toolkit/cuda_runtime.h" <<'CC'
extern "C" int cuMemAlloc_v2(unsigned long long *, unsigned long);
template <class T> static inline __attribute__((always_inline)) int cudaMalloc(T **p, unsigned long n) { return cuMemAlloc_v2((unsigned long long *)p, n); }
CC
"${CXX:-g++}" -std=c++17 -g -O1 -w "-DALONE=inline __attribute__((always_inline))" "$dir/stubs.cc" -L"$BUILD/lib" -l:libcuda.so.1 -o "$dir/stubs_inlined" >&2
for which in 0 1 2; do
    "$REPRISE" run --check race -- "$dir/stubs_inlined" $which 2>"$dir/err"
    check "stack of an inlined launch: $which" test "$(sed -n 's/^reprise:     at .*(\(stubs.cc:[0-9]*\))/\1/p' "$dir/err" | head -3 | tr '\n' ' ')" = \
        "$(grep -n -e 'cuLaunchKernel(race' -e "which == $which" -e '    caller(' "$dir/stubs.cc" | sed 's/\([0-9]*\).*/stubs.cc:\1/' | tr '\n' ' ')"
done
cat >"$dir/typed.cc" <<'CC'
#include "cuda_runtime.h"
extern "C" int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int main()
{
    void *context;
    int *p;
    cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
    return cudaMalloc(&p, 40); // the leak
}
CC
"${CXX:-g++}" -std=c++17 -g -O2 -w -isystem "$dir/toolkit" "$dir/typed.cc" -L"$BUILD/lib" -l:libcuda.so.1 -o "$dir/typed" >&2
"$REPRISE" run --check leak --write-suppressions "$dir/known" -- "$dir/typed" 2>"$dir/err"
if [ -n "$line" ]; then
    is "an inlined call of the toolkit: the program's line" "$(sed -n 's/^reprise:     at //p' "$dir/err")" "main (typed.cc:8)"
    is "... and the suppression has it" "$(grep -v "^#" "$dir/known")" 'kind=leak file="typed.cc:8"'
fi
# Without the program's own line, what is suppressed is this finding alone: no other one of the toolkit's.
sed 's/^#include.*/#line 9 "cuda_runtime.h"/' "$dir/typed.cc" >"$dir/typed_only.cc"
"${CXX:-g++}" -std=c++17 -g -O2 -w -include "$dir/toolkit/cuda_runtime.h" "$dir/typed_only.cc" -L"$BUILD/lib" -l:libcuda.so.1 -o "$dir/typed_only" >&2
"$REPRISE" run --check leak --write-suppressions "$dir/known" -- "$dir/typed_only" 2>"$dir/err"
check "a suppression names no file of the toolkit" grep -qx 'kind=leak fingerprint=[0-9a-f]\{16\}' "$dir/known"
# A function that its library does not export has no other one's name.
cat >"$dir/hidden.c" <<'C'
#include <stddef.h>
int cuMemAlloc_v2(unsigned long long *, size_t);
__attribute__((noinline)) void exported(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void hidden(unsigned long long *p) { cuMemAlloc_v2(p, 40); __asm__ volatile(""); }
void (*get_hidden(void))(unsigned long long *) { return hidden; }
C
${CC:-gcc} -O1 -fno-toplevel-reorder -shared -fPIC -s "$dir/hidden.c" -o "$dir/libhidden.so" >&2
cat >"$dir/caller.c" <<'C'
int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
void (*get_hidden(void))(unsigned long long *);
int main(void)
{
    void *context;
    unsigned long long p;
    cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
    get_hidden()(&p);
    return 0;
}
C
${CC:-gcc} -O0 "$dir/caller.c" -L"$dir" -lhidden -Wl,-rpath,"$dir" -L"$BUILD/lib" -l:libcuda.so.1 -Wl,--no-as-needed -o "$dir/caller" >&2
"$REPRISE" run --check leak -- "$dir/caller" 2>"$dir/err"
check "a function without a name has its library's, and a place there" eval 'grep -q "    at .*libhidden.so+0x[0-9a-f]*$" "$dir/err" && ! grep -q exported "$dir/err"'
# the same as JSON
document() { # status, what, checks, Python of d
    rm -f "$dir/f.json"
    ends "$1" "$2" --check "$3" --findings "$dir/f.json" && python3 -c "import json; d = json.load(open('$dir/f.json')); assert $4, d"
}
check "findings: one, as of --module" document 3 part1 init '[(f["kind"], f["kernel"], f["times"], f["here"]["thread"]) for f in d["findings"]] == [("init", "read", 4, [0, 0, 0])]'
check "findings: none" document 0 part0 init 'd["findings"] == [] and d["findings_not_shown"] == 0 and d["schema"] == "reprise-findings" and d["version"] == 1'
check "findings: the fault that ended a launch" document 3 wild init '[(f["kind"], f["here"]["thread"]) for f in d["findings"]] == [("fault", [1, 0, 0])] and "out of bounds: store" in d["findings"][0]["text"]'
check "findings: with --check memory all of its kind" document 3 wild memory '[f["times"] for f in d["findings"]] == [32, 1]'
check "findings: no file half written" eval '[ "$(ls "$dir" | grep -c json)" = 1 ]'
refused() { "$REPRISE" run "$@" -- "$dir/wrong" part0 2>"$dir/err"; [ $? = 1 ]; }
check "findings need a check" eval 'refused --findings "$dir/g.json" && says "Such as --check all" && ! [ -e "$dir/g.json" ]'
check "findings need a folder" eval 'refused --check init --findings "$dir/none/g.json" && says "No such file"'
check "--json is for --module" eval 'refused --json --check init && says "--findings FILE"'
# two processes of one command, and one that both have
"$REPRISE" run --check init --findings "$dir/two.json" -- sh -c "'$dir/wrong' part1; '$dir/wrong' taken; '$dir/wrong' part1" 2>"$dir/err"
check "findings of all processes" eval '[ $? = 0 ]; [ "$(json "$dir/two.json" "[(f[\"kind\"], f[\"times\"]) for f in d[\"findings\"]]")" = "[('"'init'"', 8), ('"'init'"', 1)]" ]'
for kind in race init sync; do
    case_of $kind "kernel '$kind'" --check race,init,sync
    check "$kind is not looked for unless asked" eval 'wrong $kind --check memory && [ ! -s "$dir/err" ]'
    "$REPRISE" record -q -o "$dir/$kind.wtr" --check $kind -- "$dir/wrong" $kind >/dev/null 2>"$dir/err"
    check "$kind: while recording, too" eval 'says "kernel .$kind." && "$REPRISE" verify -q "$dir/$kind.wtr"'
done

# ---- programs that are right: nothing is found (tests/unit/kernels/checks.c has the kernels) -----------------------------
for program in classes cub memory thrust vector_add; do
    "$REPRISE" run -q --check all -- tests/cuda/prebuilt/$program >"$dir/out" 2>"$dir/err"
    check "$program is clean: --check all" test "$? $(wc -l <"$dir/err")" = "0 0"
done
for program in blocks graphs halves occupancy separate textures; do # these leave memory to the end, or make calls fail
    "$REPRISE" run -q --check memory,init,race,sync -- tests/cuda/prebuilt/$program >"$dir/out" 2>"$dir/err"
    check "$program is clean: memory, init, race, sync" test "$? $(wc -l <"$dir/err")" = "0 0"
done

# ---- structures with padding (tests/cuda/padding.cu): copies of them read nothing, what lacks in them is found -----------
lacks() { # program, what is wrong, what is said of it: status 3, and nothing else is found
    "$REPRISE" run -q --check init -- "$1" "$2" >"$dir/out" 2>"$dir/err"
    [ $? = 3 ] && says "^reprise: .*$3" && ! grep "uninitialised read" "$dir/err" | grep -vq "$3"
}
padding_in() { # program
    local name
    name=$(basename "$1")
    "$REPRISE" run -q --check init -- "$1" >"$dir/out" 2>"$dir/err"
    check "$name: all that is used is written" test "$? $(wc -l <"$dir/err")" = "0 0"
    check "$name: an element" lacks "$1" element "copy to the host reads 16 bytes"
    check "$name: an element without padding" lacks "$1" pair "copy to the host reads 8 bytes"
    check "$name: an element in shared memory" lacks "$1" shared "kernel 'lacks_in_shared<Tail>.*in shared memory"
    check "$name: a number" lacks "$1" number "copy to the host reads 4 bytes"
    check "$name: each second number" lacks "$1" second "copy to the host reads 128 bytes"
    check "$name: numbers in shared memory" lacks "$1" half "kernel 'half_in_shared.*in shared memory"
    check "$name: what another launch uses" lacks "$1" later "kernel 'lacks_in_shared<Pair>.*in shared memory"
}
padding_in tests/cuda/prebuilt/padding
padding_in tests/cuda/prebuilt/padding_unoptimised
nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
if [ -x "$nvcc" ]; then
    "$nvcc" -G -arch=sm_75 -Wno-deprecated-gpu-targets -cudart shared -o "$dir/padding_sm_75" tests/cuda/padding.cu >&2
    padding_in "$dir/padding_sm_75"
else
    echo "ok - padding in machine code # SKIP no nvcc here"
fi
