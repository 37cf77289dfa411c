#!/bin/bash
# PTX as machine code: record --assemble, and run --prefer sass of CUDA programs, by the ptxas of make toolchain. Which ptxas
# is taken, what is said without one, and what is kept need none.
set -u
. tests/support/cli.sh
export XDG_CACHE_HOME=$work/cache
unset REPRISE_PTXAS CUDA_HOME CUDA_PATH VIRTUAL_ENV CONDA_PREFIX
kernel() { # version of PTX
    cat <<END
.version $1
.target sm_50
.address_size 64
.visible .entry triple(.param .u64 to)
{
    .reg .b32 %i, %v; .reg .b64 %at, %offset;
    ld.param.u64 %at, [to];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %offset, %i, 4;
    add.u64 %at, %at, %offset;
    ld.global.u32 %v, [%at];
    mad.lo.u32 %v, %v, 3, %i;
    st.global.u32 [%at], %v;
    ret;
}
END
}
kernel 7.0 >"$work/k.ptx"
launch=(--grid 1 --block 40 --arg buf=iota-i32:40)
assemble() { "$r" run -q --module "$work/k.ptx" --assemble "$@" "${launch[@]}" --print 0=i32:40; }

# ---- which ptxas ----------------------------------------------------------------------------------------------------
# ptxas that are no ptxas: each notes its name; all but the last say that they are too old.
cubin=tests/golden/cubin/sm_75-13.0.cubin
fake() { # name, folder, what it does
    mkdir -p "$work/$2"
    printf '#!/bin/sh\necho %s >>%s/called\n%s\n' "$1" "$work" "$3" >"$work/$2/ptxas"
    chmod +x "$work/$2/ptxas"
}
old="echo \"ptxas k.ptx, line 1; fatal   : Unsupported .version 99.0; current version is '1.0'\" >&2; exit 255"
makes="cp $PWD/$cubin out.cubin"
fake path bin "$old"
fake home home/bin "$old"
fake cuda-path toolkit/bin "$old"
fake wheel venv/lib/python3.9/site-packages/nvidia/cu13/bin "$old"
fake triton venv/lib/python3.9/site-packages/triton/backends/nvidia/bin "$makes"
kernel 99.0 >"$work/new.ptx"
order() (
    export PATH=$work/bin:$PATH CUDA_HOME=$work/home CUDA_PATH=$work/toolkit VIRTUAL_ENV=$work/venv
    rm -f "$work/called"
    "$r" run --module "$work/new.ptx" --assemble sm_75 --kernel none --grid 1 --block 1 >&2
    tr '\n' ' ' <"$work/called"
)
is "PATH, CUDA_HOME, CUDA_PATH, wheels, Triton, in this order" "$(order)" "path home cuda-path wheel triton "
is "what was made is kept, and those that are too old are asked again" "$(order)" "path home cuda-path wheel "
for kept in "$XDG_CACHE_HOME"/reprise/ptxas/*.cubin; do head -c 1000 "$kept" >"$work/part" && cp "$work/part" "$kept"; done
is "what is kept and damaged is made again" "$(order)" "path home cuda-path wheel triton "
kernel 99.1 >"$work/new.ptx"
is "other PTX is assembled" "$(order)" "path home cuda-path wheel triton "
is "no file of ptxas is left" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'reprise-ptxas-*' -newer "$work/k.ptx" -user "$(id -un)" | wc -l)" 0

fake given given "$old"
export REPRISE_PTXAS=$work/given/ptxas
rm "$work/called"
fails 2 "k.ptx: for sm_75, $work/given/ptxas says: ptxas k.ptx, line 1; fatal   : Unsupported .version 99.0" assemble sm_75
is "REPRISE_PTXAS, and then no other" "$(cat "$work/called")" given
fake given given "echo \"ptxas fatal   : Value 'sm_70' is not defined for option 'gpu-name'\" >&2; exit 255"
fails 2 "option 'gpu-name'; another version of ptxas knows it (CUDA 13 begins at sm_75): REPRISE_PTXAS names one" assemble sm_70
kernel 9.0 | sed 's/sm_50/sm_75/' >"$work/k13.ptx"
later() { "$r" run -q --module "$work/k13.ptx" --assemble sm_70 "${launch[@]}"; }
fails 2 "its PTX is for sm_75 and later, so no ptxas makes code for sm_70 of it: compile with -arch=sm_70" later
kernel 9.0 >"$work/k13.ptx"
fails 2 "CUDA 13 begins at sm_75, and ptxas of CUDA 12 does not take its PTX: compile with CUDA 12" later
export REPRISE_PTXAS=$work/nowhere
fails 4 "REPRISE_PTXAS=$work/nowhere cannot be run; pip install nvidia-cuda-nvcc-cu12, or make toolchain, brings one" assemble sm_86
TMPDIR=$work/nowhere fails 4 "k.ptx: no file for ptxas can be written in $work/nowhere: No such file" env REPRISE_PTXAS="$work/given/ptxas" "$r" run \
    --module "$work/k.ptx" --assemble sm_80 --grid 1 --block 1
fake silent given "exit 0"
export REPRISE_PTXAS=$work/given/ptxas
fails 4 "made nothing of it and said nothing (status 0)" assemble sm_86

# ---- a signal while ptxas runs --------------------------------------------------------------------------------------
mkfifo "$work/begun"
mkdir "$work/temporary"
fake slow given "echo begun >$work/begun; exec sleep 1000"
stopped() { # SIGNAL COMMAND...: sets status, and $work/err
    TMPDIR=$work/temporary XDG_CACHE_HOME=$work/no-cache "${@:2}" >"$work/out" 2>"$work/err" &
    local pid=$!
    read -r _ <"$work/begun"
    kill -"$1" $pid
    wait $pid 2>/dev/null
    status=$?
}
stopped TERM "$r" run --module "$work/k.ptx" --assemble sm_86 "${launch[@]}"
is "ends the command with a line" "$status $(cat "$work/err")" "143 reprise: stopped by SIGTERM"
is "and leaves nothing" "$(ls "$work/temporary")" ""
if [ "$(uname -sm)" = "Linux x86_64" ] && ! address_sanitizer; then
    stopped TERM "$r" run --device a100 --prefer sass -- tests/cuda/prebuilt/vector_add 100
    is "ends a program with a line" "$status $(cat "$work/err")" "143 reprise: stopped by SIGTERM while ptxas made machine code of vector_add"
    is "and leaves nothing" "$(ls "$work/temporary")" ""
    stopped TERM "$r" record -o "$work/stopped.wtr" --device a100 --prefer sass -- tests/cuda/prebuilt/vector_add 100
    # The program may still launch its kernel, by PTX, before it learns that it is stopped.
    is "ends a program that is recorded" "$status $(grep -c 'stopped.wtr: [01] launch.* recorded' "$work/err")" "143 1"
    is "and leaves nothing" "$(ls "$work/temporary")" ""
fi

# ---- what is refused ------------------------------------------------------------------------------------------------
fails 1 "--assemble sm_91: no such architecture; there are sm_50, " assemble sm_91
fails 1 ", sm_89, sm_90, sm_90a" assemble sm_91
fails 1 "--assemble 86: no such architecture" assemble 86
echo 'extern "C" __global__ void triple(int *a) { a[threadIdx.x] *= 3; }' >"$work/k.cu"
for name in sm_100 86 "" SM_86 compute_86 sm_86a sm_90f sm_086 "sm_ 86" sm_90aa; do
    for form in k.ptx k.cu; do
        fails 1 "reprise: --assemble $name: no such architecture; there are sm_50, " env CLANG=/nonexistent "$r" run --module "$work/$form" --assemble "$name" "${launch[@]}"
    done
done
fails 1 "--assemble sm_86 and --target sm_80: machine code has the target" assemble sm_86 --target sm_80
fails 2 "it is machine code for sm_75 already, which sm_80 does not run" "$r" run --module "$cubin" --assemble sm_80 --grid 1 --block 1
echo 'module = "k.ptx"; assemble = "sm_1"; launches = ( { grid = 1; block = 1; } );' >"$work/wrong.cfg"
fails 2 "wrong.cfg:1: --assemble sm_1: no such architecture" "$r" run --launch-file "$work/wrong.cfg"

# ---- linked by nvlink -----------------------------------------------------------------------------------------------
linked=$(python3 - <<'END'
factors = 2, 3, 5, 7
scaled = lambda x: 3 * x + 1
deep = lambda x: x if x < 10 else deep(x - 10) + 5
print("arg0: 40 of 40 elements of i32", end="")
for i in range(40):
    value = scaled(i) * factors[i & 3] + (scaled, deep)[i & 1](scaled(i)) + 1000
    print(f"\n  [{i}]" if i % 8 == 0 else "", value, end="" if i < 39 else "\n")
END
)
runs_linked() { is "functions and variables of two objects: $1" "$("$r" run -q --module "$2" --grid 1 --block 40 --arg buf=zeros:160 --print 0=i32:40 2>&1)" "$linked"; }
for file in linked.sm_75 linked.sm_90 linked-g.sm_90; do runs_linked $file tests/golden/cubin/$file.cubin; done

# ---- by NVIDIA's ----------------------------------------------------------------------------------------------------
tool=$BUILD/toolchain/13.0/ptxas
if ! [ -x "$tool" ]; then
    echo "ok - machine code of PTX, and of programs that have PTX # SKIP no $tool: make toolchain fetches it"
    exit 0
fi
export REPRISE_PTXAS=$PWD/$BUILD/toolchain/12.9/ptxas
ptx=$("$r" run -q --module "$work/k.ptx" "${launch[@]}" --print 0=i32:40)
for sm in sm_50 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a; do
    is "--assemble $sm computes what the PTX does" "$(assemble $sm 2>&1)" "$ptx"
done
echo '.version 8.0 .target sm_90a .address_size 64 .visible .entry a() { ret; }' >"$work/a.ptx" && "$REPRISE_PTXAS" -arch sm_90a -o "$work/a.cubin" "$work/a.ptx"
"$r" disasm "$work/a.cubin" >"$work/a.sass"
check "disasm names sm_90a" eval 'grep -q "code for sm_90a$" "$work/a.sass" && grep -q "EF_CUDA_ACCELERATORS EF_CUDA_SM90" "$work/a.sass"'
check "asm takes it" "$r" asm --check "$work/a.sass"
# Collectives that a mask enters in several arms: from sm_90 on each arm has code of its own for lanes that are apart.
collectives() { # kernel, command, options
    "$r" "$2" -q --module tests/kernels/sm_75/collectives.cu --kernel "$1" --grid 1 --block 32 --arg buf=zeros:128 --print 0=i32:32 "${@:3}" 2>&1
}
is "a ballot in three arms" "$(collectives ballots run | tr ' ' '\n' | grep -c -e "^$((0xfedc3210 - (1 << 32)))\$")" 32
for kernel in shuffles ballots matches loops masks nested; do
    wanted=$(collectives $kernel run)
    for version in 12.9 13.0; do
        for level in 0 1 2 3; do
            printf '#!/bin/sh\nexec "%s" "$@" -O%s\n' "$PWD/$BUILD/toolchain/$version/ptxas" $level >"$work/ptxas-$level" && chmod +x "$work/ptxas-$level"
            is "$kernel in several arms, sm_90, ptxas $version -O$level" "$(REPRISE_PTXAS=$work/ptxas-$level collectives $kernel run --assemble sm_90)" "$wanted"
        done
    done
    is "... the checker finds nothing" "$(collectives $kernel run --assemble sm_90 --check sync,race)" "$wanted"
    is "... recorded" "$(collectives $kernel record --assemble sm_90 -o "$work/arms.wtr")" "$wanted"
    check "... the trace is whole" "$r" verify "$work/arms.wtr"
    for engine in fast reference; do
        "$r" replay "$work/arms.wtr" --machine h100 --engine $engine --json 2>/dev/null | grep -v engine >"$work/$engine.arms"
    done
    check "... both engines agree" eval '[ -s "$work/fast.arms" ] && cmp "$work/fast.arms" "$work/reference.arms"'
done
# Special registers that ptxas takes from the driver's words.
special() { # target
    local reserved=0
    [ "$1" = sm_75 ] || reserved=%reserved_smem_offset_1,%reserved_smem_offset_end
    {
        printf '%s\n' '.version 8.0' ".target $1" '.address_size 64' '.visible .entry k(.param .u64 to) { .reg .b64 %a, %d; .reg .b32 %x; ld.param.u64 %a, [to];'
        for register in ${reserved/,/ } %nwarpid %pm0 %pm7; do
            echo "mov.u32 %x, $register; st.global.u32 [%a], %x; add.u64 %a, %a, 4;"
        done
        echo 'mov.u64 %d, %current_graph_exec; st.global.u32 [%a+8], 1; cvt.u32.u64 %x, %d; st.global.u32 [%a], %x; shr.u64 %d, %d, 32; cvt.u32.u64 %x, %d; st.global.u32 [%a+4], %x; ret; }'
    } >"$work/special.ptx"
}
for target in "sm_75 0 32" "sm_80 512 1024 64" "sm_86 512 1024 48" "sm_89 512 1024 48" "sm_90 512 1024 64"; do
    special "${target%% *}"
    for how in "" "--assemble ${target%% *}"; do
        # shellcheck disable=SC2086
        is "special registers ${how:-of ${target%% *}}" "$("$r" run -q --module "$work/special.ptx" $how --grid 1 --block 1 --arg buf=zeros:32 --print 0=i32:8 2>&1 | grep -o '  \[0\].*1\b' | xargs)" \
            "[0] ${target#* } 0 0 0 0 1"
    done
done
# cuobjdump writes the upper half of a word in a line of its own.
sed 's|0x\([0-9a-f]\{16\}\)\([0-9a-f]\{16\}\) \*/|0x\2 */\n                    /* 0x\1 */|' "$work/a.sass" >"$work/halves.sass"
check "asm takes words in two lines" "$r" asm --check "$work/halves.sass"
sed '0,/^ *\/\* 0x/s|^\( */\* 0x.*\)... \*/|\1fff */|' "$work/halves.sass" >"$work/wrong.sass"
fails 2 "is 0x000fe2000000080000000a00ff017b82, the comment says 0x" "$r" asm --check "$work/wrong.sass"
# The same by hand.
"$REPRISE_PTXAS" -arch sm_86 -lineinfo -o "$work/k.cubin" "$work/k.ptx"
for form in k.ptx k.cubin; do
    "$r" record -q -o "$work/$form.wtr" --module "$work/$form" $([ $form = k.cubin ] || echo --assemble sm_86) "${launch[@]}"
    "$r" dump "$work/$form.wtr" | sed 's/k\.[a-z]*//' >"$work/$form.dump"
done
check "the trace is that of ptxas's cubin" cmp "$work/k.ptx.dump" "$work/k.cubin.dump"
check "it is machine code" eval '"$r" info "$work/k.ptx.wtr" | grep -q sm_86'
sed 's/mad.lo.u32/mad.lo.blob/' "$work/k.ptx" >"$work/wrong.ptx"
fails 2 "says: ptxas wrong.ptx, line 12; error   : Unknown modifier '.blob'" "$r" run --module "$work/wrong.ptx" --assemble sm_86 "${launch[@]}" --print 0=i32
echo 'module = "k.ptx"; assemble = "sm_80"; buffers: { a = "iota-i32:40"; }; launches = ( { grid = 1; block = 40; args = ( "buf=a" ); } ); print: { a = "i32:40"; };' >"$work/k.cfg"
is "a launch file's assemble" "$("$r" run -q --launch-file "$work/k.cfg" | tail -n +2)" "$(tail -n +2 <<<"$ptx")"

# Lines and the chains of inlined calls, of optimised code and of a debug build.
cat >"$work/chains.py" <<'END'
import json, sys
chains = {tuple((p["function"], p["file"], p["line"]) for p in i["source"]) for i in json.load(open(sys.argv[1]))["instructions"] if "source" in i}
norm = (("norm", "k.cu", 20), ("k", "k.cu", 41))
assert chains == {(("k", "k.cu", 41),), norm, (("dot", "dot.cuh", 7),) + norm, (("k", "k.cu", 43),)}, chains
END
for version in 12.9 13.0; do
    for sm in 75 90; do
        for form in inlined inlined-g; do
            REPRISE_PTXAS=$PWD/$BUILD/toolchain/$version/ptxas "$r" record -q -o "$work/lines.wtr" --module tests/golden/cubin/$form.ptx --assemble sm_$sm \
                --kernel k --grid 1 --block 32 --arg buf=zeros:8
            "$r" dump --source --json "$work/lines.wtr" >"$work/lines.json"
            check "lines of $form, sm_$sm by ptxas $version" python3 "$work/chains.py" "$work/lines.json"
        done
    done
done

# A debug build (clang -g, so that ptxas -g assembles it): recursion, and what ends a kernel, with the message and the line of the PTX.
cat >"$work/debug.cu" <<'END'
extern "C" __attribute__((device)) void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
#define KERNEL extern "C" __attribute__((global)) void
__attribute__((device, noinline)) int deep(int n, const int *p) { return n ? deep(n - 1, p) + p[n] : p[0]; }
KERNEL good(int *p)
{
    int a[4] = {1, 2, 3, 4};
    p[0] = a[p[1] & 3] + deep(5, p) / (p[2] + 7);
}
KERNEL trapped(int *p)
{
    if (p[0] == 0)
        __builtin_trap();
}
KERNEL stopped(int *p) { asm volatile("brkpt;"); }
KERNEL outside(int *p) { p[1 << 20] = 1; }
KERNEL unaligned(int *p) { *(int *)((char *)p + 2) = 1; }
KERNEL asserted(int *p)
{
    if (p[0] != 1)
        __assertfail("p[0] == 1", "debug.cu", 21, "asserted", 1);
}
END
"${CLANG:-clang}" -x cuda --cuda-device-only --cuda-gpu-arch=sm_52 -nocudainc -nocudalib --cuda-path=/nonexistent -Wno-unknown-cuda-version -g -O0 \
    -S -o "$work/debug.ptx" "$work/debug.cu"
end_of() { # kernel, options: what it says up to the instruction, and the line, which an assertion says itself
    "$r" run -q --module "$work/debug.ptx" --kernel "$@" --grid 1 --block 1 --arg buf=iota-i32:64 2>&1 |
        sed -nE "s/(assertion '.*'); at .*/\1/; s/; at .*debug\.cu:([0-9]+)\).*/ \1/; 1p"
}
debug_results() {
    for k in trapped stopped outside unaligned asserted; do end_of $k "$@"; done
    "$r" run -q --module "$work/debug.ptx" --kernel good "$@" --grid 1 --block 1 --arg buf=iota-i32:64 --print 0=i32:1 2>&1
}
wanted=$(debug_results)
is "a debug build: five ways to end, each with its line" "$(sed -nE "s/^reprise: kernel '([a-z]*)'.*[ :]([0-9]+)(: asserted.*)?$/\\1 \\2/p" <<<"$wanted" | xargs)" \
    "trapped 12 stopped 14 outside 15 unaligned 16 asserted 21"
for version in 12.9 13.0; do
    for sm in 62 75 80 86 90; do
        [ $version.$sm = 13.0.62 ] || is "a debug build, sm_$sm by ptxas $version: as from PTX" \
            "$(export REPRISE_PTXAS=$PWD/$BUILD/toolchain/$version/ptxas; debug_results --assemble sm_$sm)" "$wanted"
    done
done

# Parameters that end within a word, which code reads whole.
for last in .u8 .u16; do
    printf '%s\n' '.version 7.0' '.target sm_50' '.address_size 64' ".visible .entry k(.param .u64 to, .param .u16 h, .param $last c)" \
        '{ .reg .b64 %at; .reg .b16 %h, %c; .reg .b32 %x, %y; ld.param.u64 %at, [to]; ld.param.u16 %h, [h];' \
        "ld.param$last %c, [c]; cvt.u32.u16 %x, %h; cvt.u32.u16 %y, %c; st.global.v2.u32 [%at], {%x, %y}; ret; }" >"$work/ends.ptx"
    value=$([ $last = .u8 ] && echo fe || echo fe00)
    for sm in 62 75 80 90; do
        is "a parameter $last at the end, sm_$sm" "$("$r" run -q --module "$work/ends.ptx" --assemble sm_$sm --grid 1 --block 1 --arg buf=zeros:8 \
            --arg bytes=3412 --arg bytes=$value --print 0=i32:2 2>&1 | tail -1)" "  [0] 4660 254"
    done
done

for sm in 75 80 86 89 90; do
    for debug in "" -g; do
        for part in a b; do
            # shellcheck disable=SC2086
            "$tool" $debug -c -w -arch sm_$sm -o "$work/$part.o" tests/golden/cubin/linked-$part.ptx 2>/dev/null
        done
        # shellcheck disable=SC2086
        "${tool%ptxas}nvlink" $debug -arch=sm_$sm "$work/a.o" "$work/b.o" -o "$work/linked.cubin" 2>/dev/null
        runs_linked "sm_$sm $debug" "$work/linked.cubin"
    done
done

# Grid-wide barriers of libcudadevrt; without a cooperative launch they return 1, which each thread adds to its word.
cat >"$work/rounds.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    assert status == 0, (name, status)
context, module, kernel, at = (ctypes.c_void_p() for _ in range(4))
call("cuInit", 0)
call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
call("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"rounds")
call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(4 * 240))
call("cuMemsetD32_v2", at, 0, ctypes.c_size_t(240))
n = ctypes.c_int(25)
parameters = (ctypes.c_void_p * 2)(ctypes.addressof(at), ctypes.addressof(n))
call("cuLaunchCooperativeKernel", kernel, 6, 1, 1, 40, 1, 1, 0, None, parameters)
words = (ctypes.c_uint * 240)()
call("cuMemcpyDtoH_v2", words, at, ctypes.c_size_t(4 * 240))
print(set(words))
END
devices=([75]=rtx2080 [80]=a100 [90]=h100)
for sm in 75 80 90; do
    "$tool" -c -arch sm_$sm -o "$work/rounds.o" tests/golden/cubin/rounds.ptx && "${tool%ptxas}nvlink" -arch=sm_$sm "$work/rounds.o" -o "$work/rounds.cubin"
    is "a grid-wide barrier without a cooperative launch, sm_$sm" \
        "$("$r" run -q --module "$work/rounds.cubin" --grid 1 --block 40 --arg buf=zeros:160 --arg i32=3 --print 0=i32:1 | tail -1)" "  [0] 4"
    if ! address_sanitizer; then
        is "grid-wide barriers of sm_$sm" "$("$r" record -q -o "$work/rounds.wtr" --device ${devices[sm]} -- python3 "$work/rounds.py" "$work/rounds.cubin")" "{25}"
        check "in a trace that is whole" "$r" verify -q "$work/rounds.wtr"
        check "that both engines replay alike" cmp -s <("$r" replay -q --json -m ${devices[sm]} "$work/rounds.wtr" | grep -v '"engine"') \
            <("$r" replay -q --json -m ${devices[sm]} --engine reference "$work/rounds.wtr" | grep -v '"engine"')
    fi
done

# Two modules of PTX that a program has the driver link: joined by the nvlink beside ptxas, of which version 12.9 has none here.
cat >"$work/pieces.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    assert status == 0, (name, status)
context, link, image, module, kernel, at = (ctypes.c_void_p() for _ in range(6))
call("cuInit", 0)
call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
call("cuLinkCreate_v2", 0, None, None, ctypes.byref(link))
for path in sys.argv[1:]:
    text = open(path, "rb").read()
    call("cuLinkAddData_v2", link, 1, text, ctypes.c_size_t(len(text) + 1), b"a piece", 0, None, None)
call("cuLinkComplete", link, ctypes.byref(image), None)
call("cuModuleLoadData", ctypes.byref(module), image)
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(160))
call("cuLaunchKernel", kernel, 1, 1, 1, 40, 1, 1, 0, None, (ctypes.c_void_p * 1)(ctypes.addressof(at)), None)
words = (ctypes.c_uint * 40)()
call("cuMemcpyDtoH_v2", words, at, ctypes.c_size_t(160))
print(*words)
END
linked_words=$(sed '1d; s/\[[0-9]*\]//' <<<"$linked" | xargs)
pieces() { # device, ptxas
    REPRISE_PTXAS=$2 "$r" record -q -o "$work/pieces.wtr" --prefer sass --device "$1" -- python3 "$work/pieces.py" tests/golden/cubin/linked-{a,b}.ptx 2>"$work/err"
}
if ! address_sanitizer; then
    for sm in 75 80 90; do
        is "two pieces of PTX that the driver links, sm_$sm" "$(pieces ${devices[sm]} "$PWD/$tool")" "$linked_words"
        check "are machine code" eval '"$r" info "$work/pieces.wtr" | grep -q "^module 0 .*(sass, sm_$sm)"'
    done
    sed 's/__cuda_syscall_CGS_get_intrinsic_handle/cudaCGGetIntrinsicHandle/; s/__cuda_syscall_CGS_sync/cudaCGSynchronize/' \
        tests/golden/cubin/rounds.ptx >"$work/rounds.ptx"
    is "grid-wide barriers of PTX as machine code" \
        "$(REPRISE_PTXAS=$PWD/$tool "$r" run --prefer sass --device a100 -- python3 "$work/rounds.py" "$work/rounds.ptx")" "{25}"
    is "without an nvlink they run as PTX" "$(pieces rtx2080 "$PWD/$BUILD/toolchain/12.9/ptxas")" "$linked_words"
    check "and that is said" grep -q '2 modules of PTX in one; to join their machine code there is no .*12\.9/nvlink; the PTX is run$' "$work/err"
fi

# ---- CUDA source, and calls through pointers -----------------------------------------------------------------------
export REPRISE_PTXAS=$PWD/$tool
cat >"$work/sum.cu" <<'END'
extern "C" __global__ void sum(float *a, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += a[(threadIdx.x + i) % n];
    a[threadIdx.x] = s;
}
END
count() { "$r" info --json "$work/$1.wtr" >"$work/info.json" && json "$work/info.json" 'd["launches"][0]["warp_instructions"]'; }
sum=(--grid 1 --block 32 --arg buf=zeros:512 --arg i32=100)
check "CUDA source is assembled" "$r" record -q -o "$work/cu.wtr" --module "$work/sum.cu" --assemble sm_86 "${sum[@]}"
check "... and runs as PTX" "$r" record -q -o "$work/ptx.wtr" --module "$work/sum.cu" "${sum[@]}"
check "its machine code is optimised: $(count cu) warp instructions, $(count ptx) of PTX" [ "$(count cu)" -lt $((2 * $(count ptx))) ]
cat >"$work/through.ptx" <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry through(.param .u64 f)
{
    .reg .b64 %f;
    ld.param.u64 %f, [f];
    prototype: .callprototype ()_ ();
    call %f, (), prototype;
    ret;
}
END
for at in 0 7 1000000; do
    for arch in sm_75 sm_86 sm_90; do
        fails 3 "bad jump: to a$([ $at = 0 ] && echo " null pointer" || echo "n address that is none of this code")" \
            "$r" run --module "$work/through.ptx" --assemble $arch --grid 1 --block 1 --arg i64=$at
    done
done

cat >"$work/room.ptx" <<'END'
.version 7.3
.target sm_75
.address_size 64
.visible .entry room(.param .u64 to, .param .u64 n, .param .u64 last)
{
    .reg .b64 %to, %n, %at, %end, %last;
    ld.param.u64 %to, [to];
    ld.param.u64 %n, [n];
    ld.param.u64 %last, [last];
    alloca.u64 %at, %n;
    add.u64 %end, %at, %n;
    add.u64 %last, %at, %last;
    st.local.u64 [%last], %n;
    ld.local.u64 %n, [%end + -8];
    st.global.u64 [%to], %n;
    ret;
}
END
room() { "$r" run -q --module "$work/room.ptx" --assemble sm_86 --grid 1 --block 1 --arg buf=zeros:8 --arg i64="$1" --arg i64="$2" --print 0=i64; }
is "memory of alloca() on the stack" "$(room 640 632 | tail -1)" "  [0] 640"
fails 3 "stack exhausted" room 100000 0

# A block whose registers no GPU has: refused as by a GPU, with .maxntid it fits. PTX has an estimate that fits.
large() { # what stands behind the parameters
    printf '%s\n' '.version 7.0' '.target sm_50' '.address_size 64' ".visible .entry large(.param .u64 to) $1" '{ .reg .b64 %at; .reg .f32 %f<96>; ld.param.u64 %at, [to];'
    for i in {0..95}; do echo "ld.volatile.global.f32 %f$i, [%at+$((4 * i))];"; done
    for i in {0..95}; do echo "st.volatile.global.f32 [%at+$((4 * i))], %f$((95 - i));"; done
    echo 'ret; }'
}
large "" >"$work/large.ptx"
large ".maxntid 1024" >"$work/bounded.ptx"
of_block() { REPRISE_PTXAS=$PWD/$BUILD/toolchain/12.9/ptxas "$r" run -q --module "$work/$1.ptx" "${@:3}" --grid 1 --block "$2" --arg buf=zeros:384; }
for sm in sm_62 sm_75 sm_90; do
    fails 1 "; a GPU has 65536 for a block and refuses the launch: launch smaller blocks, or compile the kernel with __launch_bounds__(1024) (.maxntid in PTX)" \
        of_block large 32x32 --assemble $sm
    is "what the launch takes, $sm" "$(grep -cE "kernel 'large' has (9[6-9]|1[0-9][0-9]) registers a thread, so that a block of 1024 threads takes 1[0-9]{5};" "$work/err")" 1
    check "a smaller block of $sm" of_block large 512 --assemble $sm
    check "with .maxntid, $sm" of_block bounded 1024 --assemble $sm
done
check "PTX" of_block large 1024

# ---- programs -------------------------------------------------------------------------------------------------------
[ "$(uname -sm)" = "Linux x86_64" ] || exit 0
if address_sanitizer; then
    echo "ok - programs as machine code # SKIP LD_AUDIT and AddressSanitizer do not go together"
    exit 0
fi
export REPRISE_PTXAS=$PWD/$tool
cat >"$work/large.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
context, module, kernel, at, count = *(ctypes.c_void_p() for _ in range(4)), ctypes.c_int()
cuda.cuInit(0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
cuda.cuModuleLoad(ctypes.byref(module), sys.argv[1].encode())
cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"large")
cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(384))
for threads in 1024, 512, 1024:
    print(threads, cuda.cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, None, (ctypes.c_void_p * 1)(ctypes.addressof(at)), None))
cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(ctypes.byref(count), kernel, 1024, ctypes.c_size_t(0))
print(count.value)
END
for how in "sass large 1024 701 512 0 1024 701 0" "sass bounded 1024 0 512 0 1024 0 1" "ptx large 1024 0 512 0 1024 0 0"; do
    read -r prefer name wanted <<<"$how"
    is "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, $prefer, $name" "$("$r" record -o "$work/large.wtr" --prefer "$prefer" --device a100 -- python3 "$work/large.py" "$work/$name.ptx" 2>"$work/err" | xargs)" "$wanted"
    is "... is said once" "$(grep -c "kernel 'large' has .* refuses the launch" "$work/err")" "$(grep -c 701 <<<"$how")"
done
for device in rtx2080 rtx3070 a100 h100; do
    # barriers has PTX for sm_80 and sm_90 alone, which ptxas refuses for sm_75
    for program in runtime memory classes occupancy graphs groups barriers halves eights blocks "cooperative plain" "errors trap"; do
        [ "$device $program" = "rtx2080 barriers" ] && continue
        # shellcheck disable=SC2086
        "$r" run --prefer sass --device $device -- tests/cuda/prebuilt/$program >"$work/out" 2>"$work/err"
        status=$?
        # shellcheck disable=SC2086
        expected=$("$r" run --prefer ptx --device $device -- tests/cuda/prebuilt/$program 2>/dev/null | grep -c '^ok ')
        if [ $status = 0 ] && [ "$(grep -c '^ok ' "$work/out")" = "$expected" ] && ! grep -q "the PTX is run" "$work/err"; then
            echo "ok - $program as machine code of $device: $expected parts"
        else
            echo "not ok - $program as machine code of $device (status $status)"
            cat "$work/out" "$work/err" >&2
        fi
    done
done
"$r" record -q -o "$work/p.wtr" --prefer sass --device a100 -- tests/cuda/prebuilt/vector_add 100 >&2
check "a module that has only PTX is assembled" eval '"$r" info "$work/p.wtr" | grep -q "^module 0  vector_add (sass, sm_80)"'
REPRISE_PTXAS=/nowhere "$r" record -q -o "$work/p.wtr" --prefer sass --device a100 -- tests/cuda/prebuilt/vector_add 100 >&2 2>"$work/err"
check "without a ptxas the PTX is run" eval '"$r" info "$work/p.wtr" | grep -q "^module 0  vector_add (ptx, sm_75)"'
is "and that is said once" "$(grep -c 'cannot be run; pip install .*; the PTX is run$' "$work/err")" 1
# A program that nvlink linked brings machine code of sm_75 and the PTX of its objects.
for how in sass ptx; do
    "$r" record -q -o "$work/s.wtr" --prefer $how --device rtx2080 -- tests/cuda/prebuilt/separate >&2
    check "--prefer $how of a program that has both" eval '"$r" info "$work/s.wtr" | grep -q "^module 0  separate ($how, sm_75)"'
done
"$r" record -q -o "$work/s.wtr" --device rtx2080 -- tests/cuda/prebuilt/separate >&2
check "without --prefer it is PTX on sm_75" eval '"$r" info "$work/s.wtr" | grep -q "^module 0  separate (ptx, sm_75)"'
# NVIDIA's device runtime, with which nvcc links each such program, has PTX for the newest devices alone
if nvcc=$(command -v nvcc) && "$nvcc" -rdc=true -arch=compute_75 -code=compute_75 -cudart shared -o "$work/ptx-alone" tests/cuda/separate/*.cu 2>/dev/null; then
    LD_LIBRARY_PATH=${nvcc%/bin/nvcc}/lib64 "$r" record -q -o "$work/s.wtr" --device rtx3070 -- "$work/ptx-alone" >&2
    check "PTX of several objects keeps its target" eval '"$r" info "$work/s.wtr" | grep -q "^module 0  ptx-alone (ptx, sm_75)"'
else
    echo "ok - PTX of several objects keeps its target # SKIP no nvcc"
fi
