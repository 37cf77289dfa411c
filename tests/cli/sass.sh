#!/bin/bash
# reprise disasm and asm; against NVIDIA's own tools where make toolchain has fetched them.
set -u
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; }
. tests/support/cli.sh
golden=tests/golden/cubin
export REPRISE work

# ---- without NVIDIA's tools -------------------------------------------------------------------------------------------

# where functions were inlined: the same chains from PTX and from what ptxas -lineinfo made of it, and, where .debug_info
# alone has them, from PTX and from what ptxas -g made of it
for form in inlined.ptx inlined.cubin inlined-g.ptx inlined-g.cubin; do
    "$REPRISE" record -q -o "$work/inlined.wtr" --module $golden/$form --kernel k --grid 1 --block 32 --arg buf=zeros:8
    "$REPRISE" dump --source --json "$work/inlined.wtr" >"$work/inlined.json"
    if python3 - "$work/inlined.json" <<'PY'; then ok "$form: the chains of inlined calls are in the trace"; else bad "$form: inlined calls"; fi
import json, sys
chains = {tuple((p["function"], p["file"], p["line"]) for p in i["source"]) for i in json.load(open(sys.argv[1]))["instructions"]}
norm = (("norm", "k.cu", 20), ("k", "k.cu", 41))
assert chains == {(("k", "k.cu", 41),), norm, (("dot", "dot.cuh", 7),) + norm, (("k", "k.cu", 43),)}, chains
PY
    "$REPRISE" run --module $golden/$form --kernel k --grid 1 --block 1 --arg buf=zeros:3 2>"$work/err"
    if grep -q "(k.cu:20, in norm at k.cu:41), block" "$work/err"; then ok "$form: ... and in a fault's message"; else bad "$form: a fault"; cat "$work/err" >&2; fi
done

# an assertion that fails is where the user's code calls, not in the function of the runtime; its file has its folder (assertion.cu, ptxas -lineinfo)
for sm in sm_62 sm_86; do
    "$REPRISE" run --module $golden/assertion.$sm.cubin --kernel k --grid 1 --block 32 --arg buf=iota-i32:33 2>"$work/err"
    if grep -qE "assertion 'p\[i\] <= 7'; at '(JMX R3|CALL.ABS.NOINC R2)' \(address 0x[0-9a-f]*\) \(src/assertion.cu:5\), block \(0,0,0\), thread \(8,0,0\)" "$work/err"; then ok "$sm: where an assertion fails"; else bad "$sm: where an assertion fails"; cat "$work/err" >&2; fi
done

# parameters of more than 4 KB: attributes of another form, and another place in bank 0
many=0100000002000000$(printf '%08776d' 0)28000000 # 1, 2, 0, ..., 40
for file in wide-parameters.ptx wide-parameters.sm_86.cubin wide-parameters.sm_90.cubin; do
    "$REPRISE" run --module $golden/$file --kernel k --grid 1 --block 1 --arg bytes=07 --arg bytes="$many" --arg buf=zeros:4 --print 2=i32 >"$work/out" 2>"$work/err"
    if grep -q '^  \[0\] 49$' "$work/out"; then ok "$file"; else bad "$file"; cat "$work/out" "$work/err" >&2; fi
done

# a stack pointer below 0 as a generic address, as in code of nvcc -G
cat >"$work/deep.sass" <<'END'
.target sm_75
Function : deep
.entry
.registers 8
    MOV R1, c[0x0][0x28] ;
    IADD3 R1, R1, -0x100000, RZ ;
    IADD3 R4, P0, R1, c[0x0][0x20], RZ ;
    IADD3.X R5, RZ, c[0x0][0x24], RZ, P0, !PT ;
    ST.E.SYS [R4], R1 ;
    EXIT ;
END
"$REPRISE" asm "$work/deep.sass" -o "$work/deep.cubin" && "$REPRISE" run -q --module "$work/deep.cubin" --grid 1 --block 32 2>"$work/err"
if grep -q "stack exhausted: .*the stack of [0-9]* bytes per thread is exhausted.*--stack BYTES gives more" "$work/err"; then ok "a generic address below the stack"; else bad "a generic address below the stack: $(cat "$work/err")"; fi

# what sm_72 has and sm_70 has not
for form in ptx cubin; do "$REPRISE" run -q --module $golden/sm_72.$form --kernel k --grid 1 --block 32 --arg buf=zeros:2048 --save "0=$work/sm_72.$form" 2>"$work/err"; done
if cmp "$work/sm_72.ptx" "$work/sm_72.cubin"; then ok "sm_72: products, minima, conversions, matrices"; else bad "sm_72: $(cat "$work/err")"; fi

# the listing of a kernel, and the machine code that its text gives
if "$REPRISE" disasm $golden/module.cubin >"$work/all.sass" && [ "$(grep -c 'Function :' "$work/all.sass")" = 2 ]; then ok "disasm lists both kernels"; else bad "disasm lists both kernels"; fi
if grep -qE '^ +/\*0038\*/ +@P0 LDG\.E R8, \[R2\] ; +/\* 0xeed4200000000208 \*/$' "$work/all.sass"; then ok "one line per instruction, address and word"; else bad "one line per instruction"; fi
if "$REPRISE" asm --check "$work/all.sass" | grep -q 'every word as in its comment'; then ok "asm gives the words back"; else bad "asm gives the words back"; fi
"$REPRISE" disasm $golden/module.cubin --kernel first >"$work/first.sass"
"$REPRISE" asm "$work/first.sass" -o "$work/first.bin"
"$REPRISE" disasm --binary sm_62 "$work/first.bin" | grep '0x' >"$work/again"
if grep '/\*' "$work/first.sass" | cmp -s - "$work/again" && [ "$(stat -c %s "$work/first.bin")" = 384 ]; then ok "text to machine code to text, control words too"; else bad "text to machine code to text"; fi
if "$REPRISE" asm "$work/all.sass" --into $golden/module.cubin -o "$work/same.cubin" && cmp -s "$work/same.cubin" $golden/module.cubin; then ok "asm --into gives the cubin back"; else bad "asm --into gives the cubin back"; fi
sed '0,/EXIT ;/s//NOP ;/; s,/\* 0x[0-9a-f]* \*/$,,' "$work/first.sass" >"$work/changed.sass"
if "$REPRISE" asm "$work/changed.sass" --into $golden/module.cubin -o "$work/changed.cubin" && "$REPRISE" disasm "$work/changed.cubin" --kernel first | grep -c 'NOP ;' >"$work/nops" &&
    [ "$(cat "$work/nops")" = "$(($("$REPRISE" disasm $golden/module.cubin --kernel first | grep -c 'NOP ;') + 1))" ]; then ok "asm --into with a changed instruction"; else bad "asm --into with a changed instruction"; fi
if [ "$("$REPRISE" disasm "$work/changed.cubin" --kernel second)" = "$("$REPRISE" disasm $golden/module.cubin --kernel second)" ]; then ok "... the other function is as it was"; else bad "... the other function is as it was"; fi
if "$REPRISE" asm "$work/all.sass" --kernel first -o "$work/k.bin" && cmp -s "$work/k.bin" "$work/first.bin"; then ok "asm --kernel"; else bad "asm --kernel"; fi
printf 'MOV R1, c[0x0][0x20] ;\n@!P0 IADD3.X R4.CC, R2, -R3, R5 ;\nEXIT ;\nBRA 0x28 ;\n' >"$work/hand.sass"
if "$REPRISE" asm --arch sm_61 "$work/hand.sass" -o "$work/hand.bin" && "$REPRISE" disasm --binary sm_61 "$work/hand.bin" | grep -q 'BRA 0x28'; then ok "text without addresses and control words"; else bad "text without addresses"; fi

# the numbers at both ends of what a field holds read back as they are written
cat >"$work/ends.sass" <<'END'
LDG.E R0, [R2+-0x800000] ;
LDG.E R0, [R2+0x7fffff] ;
LDG.E R0, [0xffffff] ;
RED.E.ADD [R2+-0x80000], R3 ;
RED.E.ADD [R2+0x7ffff], R3 ;
LDC R0, c[0x3][R1+-0x8000] ;
LDC R0, c[0x3][R1+0x7fff] ;
IADD R0, R1, -0x80000 ;
IADD R0, R1, 0x7ffff ;
IADD32I R0, R1, -0x80000000 ;
MOV32I R0, 0xffffffff ;
END
text_of() { sed -nE 's|^ *(/\*[0-9a-f]*\*/)? *([A-Z].*) ;.*|\2 ;|p' "$1"; }
"$REPRISE" asm --arch sm_62 "$work/ends.sass" -o "$work/ends.bin" && "$REPRISE" disasm --binary sm_62 "$work/ends.bin" >"$work/ends.text"
if text_of "$work/ends.text" | grep -v '^NOP' | cmp -s - "$work/ends.sass"; then ok "the largest and smallest numbers"; else bad "the largest and smallest numbers"; fi

# refuses STATUS PATTERN NAME COMMAND...: exit status and message, and no file left
refuses() {
    local status=$1 pattern=$2 name=$3 said
    shift 3
    said=$("$REPRISE" "$@" 2>&1 >/dev/null)
    if [ $? = "$status" ] && echo "$said" | grep -q -- "$pattern" && [ ! -e "$work/none" ]; then ok "$name"; else bad "$name: $said"; fi
}
head -c 3000 $golden/module.cubin >"$work/short.cubin"
printf '\360\007\100\376\000\304\037\000\000\000\000\000\000\000\355\376\000\017\007\000\000\000\260\120\000\017\007\000\000\000\260\120' >"$work/unknown.bin"
# Words that ptxas writes for accesses that it has found to be wrong are printed as NVIDIA's tool prints them.
python3 -c "
import struct
for word in (0xeedf000000070200, 0xef5f000000070200, 0xef57000000070200, 0xa0e0000000070200):
    import sys; sys.stdout.buffer.write(struct.pack('<4Q', 0x001f8000fc0007e0, word, 0x50b0000000070f00, 0x50b0000000070f00))" >"$work/invalid.bin"
"$REPRISE" disasm --binary sm_62 "$work/invalid.bin" >"$work/invalid.sass"
if [ "$(grep -o '[A-Z]*\.INVALIDSIZE7 \[R2\], R0' "$work/invalid.sass" | xargs)" = "STG.INVALIDSIZE7 [R2], R0 STS.INVALIDSIZE7 [R2], R0 STL.INVALIDSIZE7 [R2], R0 ST.INVALIDSIZE7 [R2], R0" ]; then ok "sizes that are none"; else bad "sizes that are none"; cat "$work/invalid.sass" >&2; fi
"$REPRISE" asm --arch sm_62 --check "$work/invalid.sass" >/dev/null && ok "... and back" || bad "... and back"
refuses 2 'unknown.bin: unknown instruction 0xfeed000000000000 at address 0x8; printed as .word$' "an unknown word: address and bits" disasm --binary sm_62 "$work/unknown.bin"
"$REPRISE" disasm --binary sm_62 "$work/unknown.bin" >"$work/unknown.sass" 2>/dev/null
"$REPRISE" asm --check "$work/unknown.sass" -o "$work/unknown.back" >/dev/null
if grep -qE '/\*0008\*/ +\.word 0xfeed000000000000 ; +/\* 0xfeed000000000000 \*/$' "$work/unknown.sass" && grep -qE '/\*0018\*/ +NOP' "$work/unknown.sass" && cmp "$work/unknown.bin" "$work/unknown.back"; then ok "... the rest is printed, and all of it reads back"; else bad "... the rest is printed, and all of it reads back"; fi
# the last word of the first kernel and the first word of the second overwritten
python3 - $golden/module.cubin "$work/two.cubin" <<'END'
import sys
code = bytearray(open(sys.argv[1], 'rb').read())
at = code.find((0xe30000000007000f).to_bytes(8, 'little'))  # EXIT
for where in (at, code.find((0xe30000000007000f).to_bytes(8, 'little'), at + 8)):
    code[where:where + 8] = (0xfeed000000000001).to_bytes(8, 'little')
open(sys.argv[2], 'wb').write(code)
END
refuses 2 'two.cubin: kernel [a-z]*: unknown instruction 0xfeed000000000001 at address 0x[0-9a-f]*; 2 words that are no instructions are printed as .word$' "unknown words in two kernels" disasm "$work/two.cubin"
if [ "$("$REPRISE" disasm "$work/two.cubin" 2>/dev/null | sed 's/[.]word 0xfeed000000000001 *;/EXIT ;/; s/0xfeed000000000001/0xe30000000007000f/' | tr -s ' ')" = "$(tr -s ' ' <"$work/all.sass")" ]; then ok "... all else is printed as it was"; else bad "... all else is printed as it was"; fi
echo '.word 0xx ;' >"$work/wrong.sass"
refuses 2 'wrong.sass:1:[0-9]*: .*hexadecimal' "a word that is no number" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
echo '.word 0x10000000000000000 ;' >"$work/wrong.sass"
refuses 2 'wrong.sass:1:[0-9]*: .*hexadecimal' "a word of more than 64 bits" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
sed '/EXIT/,$d' "$work/first.sass" >"$work/less.sass"
refuses 2 "'first' has [0-9]* bytes, and its code in .*module.cubin has [0-9]*: keep the number" "a function that is shorter" asm "$work/less.sass" --into $golden/module.cubin -o "$work/none"
sed 's/Function : first/Function : third/' "$work/first.sass" >"$work/third.sass"
refuses 2 "module.cubin: there is no code of 'third' in it" "a function that the cubin has not" asm "$work/third.sass" --into $golden/module.cubin -o "$work/none"
refuses 2 'first.sass is no cubin' "text as a cubin" asm "$work/first.sass" --into "$work/first.sass" -o "$work/none"
refuses 1 'where shall the new cubin go' "--into without -o" asm "$work/first.sass" --into $golden/module.cubin
refuses 2 'short.cubin: ' "a cubin cut short" disasm "$work/short.cubin"
refuses 2 'module.cubin is no text; .reprise disasm. prints that of a cubin' "a cubin as text" asm $golden/module.cubin -o "$work/none"
refuses 2 'all.sass:[0-9]*: the text is code for sm_62, and --arch says sm_86' "another architecture than the text's" asm --arch sm_86 "$work/all.sass" --kernel first -o "$work/none"
refuses 2 'no kernel .frist.; did you mean .first.' "a kernel that is not there" disasm $golden/module.cubin -k frist
refuses 1 'one of sm_50' "an architecture that is none" disasm --binary sm_99 "$work/hand.bin"
refuses 2 'No such file' "a file that is not there" disasm "$work/nothing"
refuses 1 'one file at a time' "two files" disasm a b
: >"$work/empty"
refuses 2 'empty: empty; machine code is' "an empty file" disasm "$work/empty"
refuses 2 'empty: empty; machine code is' "an empty file of bare code" disasm --binary sm_62 "$work/empty"
refuses 2 '/dev/null: empty' "a device without content" disasm /dev/null
echo '@P0 BPT.TRAP 0x1 ;' >"$work/wrong.sass"
refuses 2 'wrong.sass:1:[0-9]*: .*no form of BPT' "a guard on what takes none" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
echo 'FADD R1, R2 ;' >"$work/wrong.sass"
refuses 2 'wrong.sass:1:[0-9]*: .*no form of FADD' "text that is no instruction" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
echo 'LDG.E R0, [R2+0xffffff] ;' >"$work/wrong.sass"
refuses 2 "0xffffff is no signed number of 24 bits: -0x800000 to 0x7fffff" "an offset that would read back as -1" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
echo 'IADD.SAT R0, R1, 0x80000 ;' >"$work/wrong.sass"
refuses 2 "0x80000 is no signed number of 20 bits: -0x80000 to 0x7ffff" "a number that would read back as another" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
echo 'LDC.64 R0, c[0x3][R1+0xfffc] ;' >"$work/wrong.sass"
refuses 2 "0xfffc is no signed number of 16 bits" "an offset of a constant that would read back as -4" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
echo 'LDG.E R0, [0x1000000] ;' >"$work/wrong.sass"
refuses 2 "0x1000000 is no number of 24 bits: 0 to 0xffffff" "an address that no field holds" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
echo 'LDG.Q R0, [R2+0xffffff] ;' >"$work/wrong.sass"
refuses 2 "no form of LDG" "what is wrong before a number is said first" asm --arch sm_62 "$work/wrong.sass" -o "$work/none"
refuses 2 'several functions' "two functions into one file" asm "$work/all.sass" -o "$work/none"
sed 's/0xeed4200000000208/0xeed4200000000209/' "$work/all.sass" >"$work/other.sass"
refuses 2 'the comment says 0xeed4200000000209' "a word that is not its comment's" asm --check "$work/other.sass"
printf 'NOP ;\n' >"$work/bare.sass"
refuses 2 'no comment with' "nothing to compare with" asm --check --arch sm_62 "$work/bare.sass"
refuses 2 'none of sm_50' "an architecture with more behind it" asm --arch sm_62x "$work/bare.sass" -o "$work/none"

refuses 1 'would be written over the text' "the code over its text" asm --arch sm_62 "$work/bare.sass" -o "$work/../${work##*/}/bare.sass"
refuses 1 'not a regular file' "the code into a device" asm --arch sm_62 "$work/bare.sass" -o /dev/full
refuses 1 'No such file or directory' "the code into no folder" asm --arch sm_62 "$work/bare.sass" -o "$work/no/none"
refuses 2 'larger than 256 MiB' "text without end" asm --arch sm_62 /dev/zero -o "$work/none"
mkdir "$work/limit"
for _ in $(seq 2000); do echo 'NOP ;'; done >"$work/long.sass"
(
    ulimit -c 0 -f 1
    exec "$REPRISE" asm --arch sm_62 "$work/long.sass" -o "$work/limit/long.bin" 2>/dev/null
)
status=$?
if [ $status -ne 0 ] && [ -z "$(ls -A "$work/limit")" ]; then ok "a limit on file sizes leaves no file of asm"; else bad "a limit on file sizes leaves no file of asm: $status, $(ls "$work/limit")"; fi

# what cannot run: one clear error, and no trace
record() { refuses 2 "$1" "$2" record -o "$work/none" --grid 1 --block 32 --module "${@:3}"; }
record 'object.cubin: .*relocatable' "recording a relocatable object" $golden/object.cubin
record 'no kernel .frist.; did you mean .first.' "recording a kernel that is not there" $golden/module.cubin --kernel frist
record 'short.cubin: ' "recording a cubin cut short" "$work/short.cubin"

# ---- against NVIDIA's tools: a part of each, all of it with FULL=1 (make disassembly) ------------------------------

export tools=$BUILD/toolchain
if [ ! -e "$tools/complete" ]; then
    for what in "the largest and smallest numbers" "kernels at -O0 to -O3 for sm_50 to sm_62" "volta-to-hopper" "libdevice"; do
        echo "ok - disassembly equals NVIDIA's: $what # SKIP no $tools: make toolchain fetches it"
    done
    exit 0
fi

"$tools/12.3/nvdisasm" -b SM62 "$work/ends.bin" >"$work/ends.nvidia"
if text_of "$work/ends.nvidia" | grep -v '^NOP' | cmp -s - "$work/ends.sass"; then ok "disassembly equals NVIDIA's: the largest and smallest numbers"; else bad "disassembly equals NVIDIA's: the largest and smallest numbers"; fi

# compare NAME VERSION OPTIONS ARCH PTX...: one cubin of all the files, its text and its words compared. One line.
compare() {
    local name=$1 version=$2 options=$3 arch=$4 to=$work/$1-$2-$4-${3//[^O0-9]/} file isa=""
    shift 4
    [ "$arch" -lt 75 ] || isa='s/^\.version .*/.version 7.8/;' # which knows sm_75 to sm_90
    mkdir "$to"
    for file; do
        # dp4a, in ptx.cu, is only from sm_61 on; shuffles and votes without .sync are not for sm_75 and later
        [ "$arch" -lt 75 ] || case ${file##*/} in scan.* | votes.*) continue ;; esac
        if [ "$arch" -ge 61 ] || [ "${file##*/}" != ptx.ptx ]; then sed "${isa}s/^\.target .*/.target sm_$arch/" "$file" >"$to/${file##*/}"; fi
    done
    # shellcheck disable=SC2086
    if "$tools/$version/ptxas" -w $options -arch="sm_$arch" -o "$to/$name.cubin" "$to"/*.ptx 2>"$to/err"; then
        tests/support/same_text "$tools/12.3" "$to/$name.cubin"
    else
        echo "FAIL $name $version $options sm_$arch: $(head -n 3 "$to/err" | tr '\n' ' ')"
    fi
    rm -r "$to"
}
export -f compare
# in_parallel NAME OPTIONS VARIANT...: compares each variant, VERSION:LEVEL:ARCH, of the files $ptx, and reports
in_parallel() {
    local name=$1 options=$2 variant version level arch
    shift 2
    for variant; do
        IFS=: read -r version level arch <<<"$variant"
        printf '%s\0' "compare $name $version '$options -O$level' $arch $ptx"
    done | xargs -0 -n 1 -P "$(nproc)" bash -c >"$work/results"
    grep FAIL "$work/results" >&2
    if ! grep -q SAME "$work/results" || grep -q FAIL "$work/results"; then bad "disassembly equals NVIDIA's: $name"; else
        ok "disassembly equals NVIDIA's: $name ($(grep -c SAME "$work/results") variants, $(awk '/SAME/ { n += $2 } END { print n }' "$work/results") instructions)"; fi
}
# every version, level and architecture
all_variants() { for v in 12.3 12.9; do for l in 0 1 2 3; do for a in 50 52 53 60 61 62; do echo "$v:$l:$a"; done; done; done; }

later_variants() { for l in 0 1 2 3; do for a in 70 75 80 86 89 90; do echo "12.9:$l:$a"; done; done; }

ptx=$(echo "$BUILD"/kernels/*.ptx)
variants="12.3:3:50 12.9:0:52 12.3:2:53 12.9:1:60 12.3:0:61 12.9:3:61 12.9:2:62 12.3:1:62"
# shellcheck disable=SC2046,SC2086
in_parallel kernels "" $([ -z "${FULL:-}" ] && echo $variants || all_variants)
variants="12.9:3:70 12.9:0:75 12.9:1:80 12.9:2:86 12.9:3:89 12.9:3:90"
# shellcheck disable=SC2046,SC2086
in_parallel volta-to-hopper "" $([ -z "${FULL:-}" ] && echo $variants || later_variants)

# llvm.nvvm.tanh.approx is left as an unresolved call by this compiler, under a name that ptxas does not take
"${CLANG:-clang}" -target nvptx64-nvidia-cuda -Wno-override-module -Xclang -target-cpu -Xclang sm_62 -Xclang -target-feature -Xclang +ptx50 -O0 -S \
    -x ir -o "$work/libdevice.s" "$tools/libdevice.10.bc"
ptx=$work/libdevice.ptx
sed 's/llvm\.nvvm\.tanh\.approx\.f32/llvm_nvvm_tanh_approx_f32/g' "$work/libdevice.s" >"$ptx"
variants="12.3:3:50 12.9:3:60 12.3:0:62"
# shellcheck disable=SC2046,SC2086
in_parallel libdevice -c $([ -z "${FULL:-}" ] && echo $variants || all_variants)
