#!/bin/bash
# reprise disasm's text as a cubin of its own, and what else reprise asm reads: docs/assembly.md.
set -u
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; }
. tests/support/cli.sh
golden=tests/golden/cubin
check() { if "${@:2}"; then ok "$1"; else bad "$1"; fi; }

# again CUBIN NAME: the text, the cubin of it, and the text of that
again() {
    "$REPRISE" disasm "$1" >"$work/$2.sass" && "$REPRISE" asm "$work/$2.sass" -o "$work/$2.cubin" &&
        "$REPRISE" disasm "$work/$2.cubin" >"$work/$2.again" && cmp "$work/$2.sass" "$work/$2.again"
}

# every linked cubin: parameters, banks, variables, relocations (with addends and without), functions within code and apart, indirect branches,
# 32 and 64 bits, CUDA 11.8 to 13
for name in module module-11.8 module-12.9 functions pointers.sm_62 pointers.sm_86 32-bit neighbours silent launches linked.sm_75 linked.sm_90 linked-g.sm_90 sm_72 sm_75-13.0 \
    wide-parameters.sm_86 wide-parameters.sm_90; do
    check "$name: text, cubin, text" again $golden/$name.cubin $name
done
for name in linked.sm_75 linked.sm_90 linked-g.sm_90; do
    for file in $golden/$name.cubin "$work/$name.cubin"; do
        "$REPRISE" run -q --module "$file" --kernel k --grid 1 --block 32 --arg buf=iota-i32:32 --save "0=$file.out" --save "0=$work/out"
        mv "$work/out" "$work/out.$(dirname "$file" | tr / _)"
    done
    check "$name: what it computes" cmp "$work"/out.*
    rm "$work"/out.*
done

# by hand, as the document shows
awk '/^```sass/ { f = 1; next } /^```/ { f = 0 } f' docs/assembly.md >"$work/twice.sass"
(cd "$work" && grep '^    reprise .* twice.cubin' "$OLDPWD/docs/assembly.md" | sed "s,reprise,'$REPRISE'," >twice.sh && bash twice.sh >twice.out 2>twice.err)
check "a kernel by hand" grep -q '\[8\] 16 18 20 22 24 26 28 30' "$work/twice.out"
check "... its label" eval '"$REPRISE" disasm "$work/twice.cubin" | grep -q "@P0 BRA 0x80 ;"'
"$REPRISE" record -q -o "$work/twice.wtr" --module "$work/twice.cubin" --kernel twice --grid 1 --block 32 --arg buf=iota-i32:32 --arg i32=30
"$REPRISE" verify --control "$work/twice.wtr" >"$work/control"
check "... verify --control says what would be read too early" grep -q 'IADD3 R4, R4, R4, RZ reads R4 before' "$work/control"

# nvdisasm's listing: labels, braces, notes
check "nvdisasm -hex: every word" eval '"$REPRISE" asm --check $golden/module-12.9.nvdisasm | grep -q "48 instructions in 2 functions"'
check "nvdisasm -hex: into its cubin" eval '"$REPRISE" asm $golden/module-12.9.nvdisasm --into $golden/module-12.9.cubin -o "$work/n.cubin" && cmp "$work/n.cubin" $golden/module-12.9.cubin'
"$REPRISE" asm $golden/module-12.9.nvdisasm --kernel second -o "$work/second.bin"
"$REPRISE" asm "$work/module-12.9.sass" --kernel second -o "$work/second.too"
check "nvdisasm -hex: one function, not the last" cmp "$work/second.bin" "$work/second.too"
{
    printf '\t.headerflags\t@"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"\n.section .text.k,"ax",@progbits\n'
    printf '/*0000*/ MOV R20, 32@lo((k + .L_x_0@srel)) ; /* 0x0000000000147802 */\n/* 0x000fe20000000f00 */\n'
    printf '/*0010*/ CALL.ABS.NOINC `(scaled) ; /* 0x0000000000007943 */\n/* 0x000fea0003c00000 */\n'
} >"$work/linked.sass"
check "nvdisasm -hex: operands that the linker fills in" eval '"$REPRISE" asm --check "$work/linked.sass" | grep -q "2 instructions"'

# cuobjdump's listing: NaNs without their bits, which the words have
printf 'code for sm_86\n/*0000*/ FSEL R15, R0, -QNAN , !P0 ; /* 0xfff80000000f7808 */\n/* 0x000fe20004000000 */\n' >"$work/nan.86"
printf 'code for sm_62\n/* 0x001fc060fe4007b2 */\n/*0008*/ FADD32I R0, R0, +QNAN  ; /* 0x0807fc1234570000 */\n' >"$work/nan.62"
for sm in 86 62; do
    "$REPRISE" asm "$work/nan.$sm" -o "$work/nan.bin"
    check "cuobjdump: the bits of a NaN, sm_$sm" eval '"$REPRISE" disasm --binary sm_$sm "$work/nan.bin" | grep -q "QNAN:0x\(fff80000\|7fc12345\)"'
done

# the architecture: twice, the second time behind a tab, in listings of CUDA 12.8 and later; of the cubin of --into where the text has none
sed '1s/.*/\tcode for sm_75\n\t.target\tsm_75/' "$work/twice.sass" >"$work/tab.sass"
check "'code for' and '.target' of one cubin" eval '"$REPRISE" asm "$work/tab.sass" -o "$work/tab.cubin" && cmp "$work/tab.cubin" "$work/twice.cubin"'
sed 1d $golden/module-12.9.nvdisasm >"$work/bare.nvdisasm"
check "a text without an architecture: into its cubin" eval '"$REPRISE" asm "$work/bare.nvdisasm" --into $golden/module-12.9.cubin -o "$work/n.cubin" && cmp "$work/n.cubin" $golden/module-12.9.cubin'

# what cannot be
# refuses STATUS PATTERN NAME COMMAND...: exit status and message, and no file left
refuses() {
    local status=$1 pattern=$2 name=$3 said
    shift 3
    said=$("$REPRISE" "$@" 2>&1 >/dev/null)
    if [ $? = "$status" ] && echo "$said" | grep -q -- "$pattern" && [ ! -e "$work/none.cubin" ]; then ok "$name"; else bad "$name: $said"; fi
}
# wrong SED PATTERN NAME: the document's kernel, changed
wrong() {
    sed "$1" "$work/twice.sass" >"$work/wrong.sass"
    refuses 2 "wrong.sass$2" "$3" asm "$work/wrong.sass" -o "$work/none.cubin"
}
wrong 's/\.registers 8/.register 8/' ":4: '.register': no such directive" "a directive that is none"
wrong 's/\.registers 8/.registers many/' ":4: '.registers': 'many' is no number" "no number"
wrong 's/\.registers 8/.registers 300/' ":4: '.registers': 300 is too large: 0 to 0xff" "a number too large"
wrong '/\.registers/d' ": function 'twice' has no line '.registers N'; its code names 5" "no registers"
wrong 's/\.param 0x8 4/.param 0x4 4/' ":6: '.param': parameter 1 at 0x4 begins within the one before it, which ends at 0x8" "parameters that overlap"
wrong 's/\.param 0x8 4/.param 8/' ":6: the line has the form '.param OFFSET SIZE'" "words missing"
wrong '/\.param 0x8/d' ": function 'twice' reads a parameter, c\[0x0\]\[0x168\], that no line gives" "a parameter that no line gives"
wrong 's/\[0x168\]/[0x168000]/' ":8:41: .*: 0x168000 is no number of 16 bits: 0 to 0xffff" "an offset in a constant bank that is too large"
wrong 's/EXIT/BAR.SYNC 0x0/' ": function 'twice' has a barrier and no line '.barriers N'" "a barrier that no line gives"
wrong 's/(done)/(don)/' ":9: no label 'don' in this function" "a label that is not there"
wrong 's/R4, R4, R4/R4, R99, R4/' ": function 'twice' has '.registers 8', which are too few: R99 is named in line 13" "a register beyond '.registers'"
wrong '/\.entry/d' ": no function is a kernel: a kernel has a line '.entry'" "no kernel"
wrong '7s,$, /* all threads,' ":7: a comment ends in '\*/', in its own line" "a comment without an end"
wrong '8s/^/done:\n/' ":1[0-9]: label 'done' comes a second time" "a label twice"
wrong '$s/$/\n.target sm_75/' ":17: a second cubin begins here" "two cubins"
wrong '1s/$/\n.target sm_86/' ":2: a second cubin begins here" "two architectures"
wrong '$s/$/\nFunction : twice/' ":17: function 'twice' comes a second time" "two functions of one name"
refuses 2 "module.sass: code for sm_62, and .*assertion.sm_86.cubin is a cubin for sm_86" "into a cubin of another architecture" asm "$work/module.sass" \
    --into $golden/assertion.sm_86.cubin -o "$work/none.cubin"
wrong '2s/^/.data initialised 4\n.bytes 2 000000\n/' ":3: '.bytes': bytes reach to 0x5 in data of 0x4" "bytes outside"
wrong '2s/^/.bytes 2 00\n/' ":2: '.bytes': bytes of what?" "bytes of nothing"
wrong '2s/^/.data initialised 4\n.bytes 2 0g\n/' ":3: '.bytes': '0g' is not bytes" "bytes that are none"
wrong '2s/^/.data initialised 4\n.variable v 2 4\n/' ":3: '.variable': 4 is too large: 0 to 0x2" "a variable outside"
wrong '2s/^/.data somewhere 4\n/' ":2: '.data': 'somewhere' is no data" "data that is none"
wrong '3s/^/.elf 64 0x33 7 0x81 0x4b054b 75\n/' ":3: '.elf' belongs before the first function" "the header within a function"
wrong '2s/^/.entry\n/' ":2: '.entry' belongs below a line" "a kernel's line before kernels"
wrong '4s/^/.relocation 0x8000 0x38 x 0\n/' ": section .rela.text.twice: patches .text.twice at 0x8000, outside it" "a relocation outside"
"$REPRISE" disasm $golden/object.cubin >"$work/object.sass"
refuses 2 "object.sass:4: '.relocatable': text of an object that is not linked" "an object" asm "$work/object.sass" -o "$work/none.cubin"
refuses 1 "a cubin has all functions of the text" "one function as a cubin" asm "$work/module.sass" --kernel first -o "$work/none.cubin"
refuses 2 "module-12.9.nvdisasm: function 'second' has no line '.registers N'; its code names 2" "a listing of nvdisasm's as a cubin" asm $golden/module-12.9.nvdisasm -o "$work/none.cubin"
sed 's,/\* 0x[0-9a-f]* \*/,,' "$work/linked.sass" >"$work/bare.sass"
refuses 2 "bare.sass:3: no label '32@lo((k + .L_x_0@srel))' in this function, and no word" "an operand for the linker without a word" asm --check "$work/bare.sass"
sed 's/147802/147803/' "$work/linked.sass" >"$work/other.sass"
refuses 2 "other.sass:3: 'MOV R20, 32@lo((k + .L_x_0@srel))' is not what the comment says" "... and with another's word" asm --check "$work/other.sass"

wrong 's/MOV R3, 0x4/MOV R3 0x4/' ":10:16: 'MOV R3 0x4': no form of MOV has" "an instruction that is wrong from a column on"
wrong 's/MOV R3, 0x4/MOVE R3, 0x4/' ":10:9: 'MOVE R3, 0x4': no such instruction MOVE" "an instruction that is none"
refuses 2 "twice.sass is machine code as text, not a module .*; 'reprise asm -o FILE.cubin' makes a cubin of it" "a text as a module" run --module "$work/twice.sass" --grid 1 --block 1
refuses 2 "twice.sass is machine code as text, not machine code" "a text to disassemble" disasm "$work/twice.sass"

# ---- with NVIDIA's tools --------------------------------------------------------------------------------------------

tools=$BUILD/toolchain
if [ ! -e "$tools/complete" ]; then
    for what in "every kernel of tests/kernels" "nvdisasm's listings"; do echo "ok - $what # SKIP no $tools: make toolchain fetches it"; done
    exit 0
fi
# The kernels as cubins of ours, in a folder as the build folder has them, run and compared with the CPU. NVIDIA's tool reads the code from them as
# from its own.
mkdir -p "$work/build/cubin" "$work/traces"
for variant in sm_62.O3 sm_75.O3 sm_86.O3 sm_90.O3; do
    failed=0 cases=
    for case in matmul:matmul reduce:reduce_shuffle bfs:bfs_level calls:calls_struct calls:calls_indirect flow:flow print:print \
        memory_kinds:module_variables memory_kinds:constant_tables; do
        name=${case%:*}
        cases+=" ${case#*:}@$variant"
        again "$BUILD/cubin/$name.$variant.cubin" kernel && mv "$work/kernel.cubin" "$work/build/cubin/$name.$variant.cubin" || failed=1
        [ "$case" = calls:calls_struct ] || [ "$case" = memory_kinds:constant_tables ] || continue
        "$tools/12.3/cuobjdump" -sass "$BUILD/cubin/$name.$variant.cubin" | grep -v '^Fatbin' >"$work/theirs"
        "$tools/12.3/cuobjdump" -sass "$work/build/cubin/$name.$variant.cubin" | grep -v '^Fatbin' >"$work/ours"
        cmp "$work/theirs" "$work/ours" || failed=1
    done
    check "$variant: kernels: text, cubin, text; NVIDIA's tool reads the same" [ $failed = 0 ]
    # shellcheck disable=SC2086
    check "$variant: ... and they compute what the CPU does" eval 'BUILD=$work/build "$BUILD/record-cases" "$work/traces" $cases >/dev/null'
done
for file in "$BUILD"/cubin/all/*.cubin; do
    check "${file##*/}: text, cubin, text" again "$file" all
    "$tools/12.3/nvdisasm" -hex "$file" >"$work/nvidia"
    check "nvdisasm's listing of ${file##*/}" eval '"$REPRISE" asm --check "$work/nvidia" | grep -q "every word as in its comment"'
done
