#!/bin/bash
# Fat binaries that NVIDIA's tools made of tests/golden/fatbin/which.ptx, a kernel that tells which entry it is: 50, 52 and
# 61 are machine code of ptxas 11.8, 12.3 and 12.9 for that architecture, 1050, 1060 and 1062 are PTX.
#
#   zstd, lz4, plain  libnvfatbin 12.9.82 with -compress-all -compress-mode=size, speed, none: PTX for 62, machine code for
#                     50, 61 and 52, PTX for 60, in this order
#   mixed             the same with the tool's defaults: PTX in LZ4, machine code plain
#   ptx               PTX for 60, 62 and 50
#   fatbinary-13      fatbinary 13.0 --compress-all: machine code for 50, PTX for 60, machine code for 61
#   sm_75             fatbinary 13.0 with what ptxas 13.0 makes for sm_75
#   no-kernel         libnvfatbin 12.9.82 with a cubin for sm_61 without kernels, as nvcc puts before a program's own
#
# clang puts them into host objects as it does for a program with kernels.
set -u
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; }
. tests/support/cli.sh
golden=tests/golden/fatbin

# takes WHICH NAME FILE: a run of the file's kernel leaves WHICH
takes() {
    local said
    rm -f "$work/out"
    said=$("$REPRISE" record -o "$work/t.wtr" --module "$3" --grid 1 --block 1 --arg buf=zeros:4 --save 0="$work/out" 2>&1)
    if [ -s "$work/out" ] && [ "$(od -An -tu4 "$work/out" | tr -d ' ')" = "$1" ]; then ok "$2"; else bad "$2: $said"; fi
}
refuses() { # PATTERN NAME FILE
    local said
    said=$("$REPRISE" record -o "$work/none" --module "$3" --grid 1 --block 1 --arg buf=zeros:4 2>&1)
    if [ $? = 2 ] && grep -q -- "$1" <<<"$said" && [ ! -e "$work/none" ]; then ok "$2"; else bad "$2: $said"; fi
}
for how in zstd lz4 plain mixed; do takes 61 "the newest machine code: $how" $golden/$how.fatbin; done
takes 61 "the newest machine code: fatbinary 13" $golden/fatbinary-13.fatbin
takes 1062 "the newest PTX where there is no machine code" $golden/ptx.fatbin
takes 1060 "machine code of sm_75, made of PTX for 60, where there is nothing else" $golden/sm_75.fatbin
sed 's/\x4b\x00\x00\x00/\x64\x00\x00\x00/' $golden/sm_75.fatbin >"$work/sm_100.fatbin" # the entry says sm_100
refuses 'neither PTX nor machine code for sm_50 to sm_62, sm_70 to sm_90' "machine code for later GPUs alone" "$work/sm_100.fatbin"
refuses 'has no kernel' "a fat binary without kernels" $golden/no-kernel.fatbin
{ head -c 16 $golden/sm_75.fatbin && printf '\10' && tail -c +18 $golden/sm_75.fatbin; } >"$work/link-time.fatbin" # the kind of its entry
refuses 'code for link-time optimisation alone: link it with nvcc -dlto' "code for link-time optimisation" "$work/link-time.fatbin"
fails 2 "code for link-time optimisation alone: link it with nvcc -dlto" "$REPRISE" disasm "$work/link-time.fatbin"
refuses 'kernels that launch kernels (dynamic parallelism) are run as PTX, not as machine code' "machine code that launches kernels" tests/golden/cubin/launches.cubin
for how in zstd lz4 mixed; do
    if cmp -s <("$REPRISE" disasm $golden/$how.fatbin) <("$REPRISE" disasm $golden/plain.fatbin); then ok "disasm lists what is packed: $how"; else bad "disasm lists what is packed: $how"; fi
done
if [ "$("$REPRISE" disasm $golden/plain.fatbin | grep -o 'code for sm_.*\|MOV32I R0, 0x..' | tr '\n' ' ')" = "code for sm_50 MOV32I R0, 0x32 code for sm_61 MOV32I R0, 0x3d code for sm_52 MOV32I R0, 0x34 " ]; then ok "disasm lists all machine code"; else bad "disasm lists all machine code"; fi

# ---- in objects and programs of the host ------------------------------------------------------------------------------

# host NAME FATBIN: an object of the host that registers the fat binary
host() {
    echo "__attribute__((device)) int variable_of_$1;" >"$work/$1.cu"
    "${CLANG:-clang}" -x cuda --cuda-host-only -nocudainc -nocudalib --cuda-path=/nonexistent -Wno-unknown-cuda-version \
        --cuda-gpu-arch=sm_61 -Xclang -fcuda-include-gpubinary -Xclang "$golden/$2.fatbin" -c -fPIE -o "$work/$1.o" "$work/$1.cu"
}
host first zstd
host second ptx
host empty no-kernel
for f in RegisterFatBinary RegisterFatBinaryEnd RegisterVar UnregisterFatBinary; do echo "void __cuda$f(void) {}"; done >"$work/runtime.c"
echo 'int main(void) { return 0; }' >>"$work/runtime.c"
link() { "${CLANG:-clang}" -o "$work/$1" "$work/runtime.c" "${@:2}"; }
link one "$work/empty.o" "$work/first.o"
link two "$work/first.o" "$work/second.o"
link bare
takes 61 "in an object of the host" "$work/first.o"
takes 1062 "in another one" "$work/second.o"
takes 61 "in a program, behind a fat binary without kernels" "$work/one"
objcopy --rename-section .nv_fatbin=__nv_relfatbin "$work/first.o" "$work/relocatable.o"
takes 61 "in an object of relocatable device code" "$work/relocatable.o"
listed() { "$REPRISE" disasm "$1" --kernel "$2" 2>&1 | sed -n 's/^.*\(code for\|Function :\|has no kernel\) */\1 /p' | tr '\n' ' '; }
is "disasm finds a kernel behind images without it" "$(listed "$work/one" which)" \
    "code for sm_50 Function : which code for sm_61 Function : which code for sm_52 Function : which "
is "disasm names a kernel once, of whatever images it is" "$(listed "$work/one" wich)" "has no kernel 'wich'; did you mean 'which'? "
(cd "$work" && ar rcs lib.a bare second.o empty.o first.o && ar rcs none.a bare)
is "disasm finds a kernel in a static library, of which some members have none" "$(listed "$work/lib.a" which)" "$(listed "$work/one" which)"
is "... and names the member" "$("$REPRISE" disasm "$work/lib.a" --kernel which | grep '^// member ' | sort -u)" "// member first.o"
is "... also in one that comes by a pipe" "$("$REPRISE" disasm - <"$work/lib.a" | sha256sum)" "$("$REPRISE" disasm "$work/lib.a" | sha256sum)"
fails 2 "none.a: no member of this static library holds machine code" "$REPRISE" disasm "$work/none.a"
fails 2 "it holds PTX for compute_60, PTX for compute_62, PTX for compute_50" "$REPRISE" disasm $golden/ptx.fatbin --kernel which
(cd "$work" && ar rcsT thin.a second.o)
fails 2 "thin.a: a thin static library, which only names its objects; give one of them: 'ar t' lists them" "$REPRISE" disasm "$work/thin.a"
refuses "a thin static library, which only names its objects" "a thin one as a module" "$work/thin.a"
takes 1062 "in a static library: the first member that has it" "$work/lib.a"
cp "$golden"/../cubin/module.cubin "$work/module.bin" && cp "$golden"/../cubin/object.cubin "$work/object.bin"
(cd "$work" && ar rcs all.a empty.o first.o module.bin object.bin && ar rcs object.a object.bin && ar rcs empty.a empty.o && printf '!<arch>\nnonsense' >broken.a)
"$REPRISE" record -o "$work/second.wtr" --module "$work/all.a" --kernel second --grid 1 --block 64 --arg i32=3 >/dev/null 2>"$work/err"
is "... a kernel of another member, which is a cubin" "$(grep -o "kernel 'second'" "$work/err")" "kernel 'second'"
fails 2 "all.a has no kernel 'third'; it has: which, second, first; and $work/all.a(object.bin): a relocatable object" "$REPRISE" run --module "$work/all.a" --kernel third --grid 1 --block 1
fails 2 "all.a has several kernels; name one with --kernel: which, second, first" "$REPRISE" run --module "$work/all.a" --grid 1 --block 1
refuses "object.a(object.bin): a relocatable object; link it" "a static library of an object that is not linked" "$work/object.a"
refuses "empty.a: no member of this static library has a kernel" "a static library without kernels" "$work/empty.a"
refuses "none.a: no member of this static library has a kernel" "a static library without code for GPUs" "$work/none.a"
refuses "broken.a: " "a static library that is damaged" "$work/broken.a"
refuses 'kernels of several source files, as .which. and .which.' "a program with kernels of two files" "$work/two"
refuses 'not for an NVIDIA GPU' "a program without a fat binary" "$work/bare"
refuses 'has no kernel' "an object whose fat binary has no kernel" "$work/empty.o"
head -c 700 "$work/first.o" >"$work/short.o"
refuses 'not for an NVIDIA GPU' "an object cut short" "$work/short.o"
