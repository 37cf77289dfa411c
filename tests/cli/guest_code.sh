#!/bin/bash
# Guests' code: what is no instruction, what guests may not have, jumps to what is no code, and files without symbols. The
# programs are made of words, so that no compiler is needed.
set -u
. tests/support/cli.sh
small() { python3 tests/guests/small.py "$work/small.elf" "$@"; }
# refused WHAT TEXT ISA WORD...: both engines end with status 3 and say so
refused() {
    local what=$1 text=$2 engine
    shift 2
    small "$@"
    for engine in lockstep reference; do
        "$r" run --guest "$work/small.elf" --engine $engine >"$work/out" 2>"$work/err"
        is "$what: status 3 ($engine)" $? 3
        check "$what: $text ($engine)" grep -qF -- "core 0, _start$text" "$work/err"
    done
}
# exits STATUS WHAT ISA WORD...: in both engines
exits() {
    local status=$1 what=$2 engine
    shift 2
    small "$@"
    for engine in lockstep reference; do
        "$r" run --guest "$work/small.elf" --engine $engine >"$work/out" 2>"$work/err"
        is "$what ($engine)" $? "$status"
    done
}

# ---- by its name ---------------------------------------------------------------------------------------------------------
float=": guests compute in integers; compile with -march=rv32imac -mabi=ilp32"
refused "a load of F" " (0x10074): flw (floating point)$float" rv32 00052507
refused "a sum of F" " (0x10074): fadd.s (floating point)$float" rv32 00c5f553
refused "a product and sum of D" " (0x10074): fmadd.d (floating point)$float" rv32 6ac5f543
refused "a compressed store of D" " (0x10074): c.fsdsp (floating point)$float" rv32 a42a
refused "a register of status" " (0x10074): csrrs (is for operating systems)" rv32 c0002573
refused "LZCNT, which is not BSR" " (0x10074): lzcnt (LZCNT: compile with -march=i686)" ia32 f3 0f bd c0
refused "MOVBE" " (0x10074): movbe (MOVBE: compile with -march=i686)" ia32 0f 38 f0 08
refused "CRC32" " (0x10074): crc32 (SSE4.2: compile with -march=i686)" ia32 f2 0f 38 f1 c8
refused "RDRAND" " (0x10074): rdrand (random numbers)" ia32 0f c7 f0
refused "AVX" " (0x10074): avx (floating point or vectors)" ia32 c5 f4 58 d0
refused "BMI" " (0x10074): bmi (BMI: compile with -march=i686)" ia32 c4 e2 60 f2 c8

refused "CPUID, and what to do" " (0x10074): cpuid (which processor this is): C libraries of Linux ask this; link what 'reprise guest --flags ia32' names instead" ia32 0f a2
refused "a trap of RISC-V" " (0x10074): c.ebreak (the program stops itself)" rv32 9002
refused "a trap of ARM" " (0x10074): udf #65006 (the program stops itself)" arm e7ffdefe
refused "a trap of T32" " (0x10074): udf #254 (the program stops itself)" thumb defe
refused "a breakpoint of ARM" " (0x10074): bkpt 0x0000 (the program stops itself)" arm e1200070

# ---- by its bytes --------------------------------------------------------------------------------------------------------
refused "no instruction of RISC-V" "+0x2 (0x10076): 0x13003b is no instruction of RV32IMAC" rv32 0001 0013003b
refused "no instruction of ARM" "+0x4 (0x10078): 0xee100f10 is no instruction of ARMv7-A" arm e1a00000 ee100f10
refused "no instruction of T32" "+0x2 (0x10076): 0xfc00f000 is no instruction of ARMv7-A" thumb bf00 fc00 f000
refused "no instruction of IA-32" "+0x1 (0x10075): 0xc8 0x08 ... is no instruction of IA-32" ia32 90 c8 08 00 01

# ---- accesses --------------------------------------------------------------------------------------------------------------
code="bytes at 0x10074: code, which no program may change"
refused "an atomic sum in code" "+0x4 (0x10078): store of 4 $code" rv32 00000517 00c525af
refused "an exchange with code" " (0x10074): store of 4 $code" ia32 87 05 +0
refused "an atomic sum in no memory" " (0x10074): load of 4 bytes at 0x0: not the program's memory" rv32 00c025af
refused "a load over the upper end of a stack" "+0x4 (0x10078): load of 4 bytes at 0xbffffffe: beyond the upper end of the stack of core 0" rv32 c0000537 ffe52583
# a loop that counts: addi a0, a0, 1; j .-4
small rv32 00150513 ffdff06f
for engine in lockstep reference; do
    "$r" run --guest "$work/small.elf" --engine $engine --limit 100 >"$work/out" 2>"$work/err"
    check "the limit is named ($engine)" grep -q "core 0, _start (0x10074): endless loop? The core has executed 100 instructions, the limit is 100 (--limit gives more)" "$work/err"
done

# the same by a register: lui a0, 0x10; addi a0, a0, 124; addi a1, a1, 1; jr a0
small rv32 00010537 07c50513 00158593 00050067
for engine in lockstep reference; do
    timeout -s KILL 20 "$r" run --guest "$work/small.elf" --engine $engine --limit 10000 2>"$work/err"
    check "the limit of a loop of jumps by a register ($engine)" grep -q "(0x1007c): endless loop? The core has executed 10000 instructions" "$work/err"
done

# a jump to itself, by all cores
small rv32 0000006f
for cores in 1 32 33; do
    fails 3 "core 0, _start (0x10074): waits for ever: it repeats the same instructions, and no core stores anything" "$r" run --guest "$work/small.elf" --cores $cores
done

# an exchange of a byte with what it is, by a register that has other bytes, too: mov eax, 0x12345600; mov al, 1; xchg [DATA], al; jmp .-8
small ia32 b8 00 56 34 12 b0 01 86 05 DATA eb f6
for cores in 3 64; do
    fails 3 "waits for ever: it repeats the same instructions, and no core stores anything" "$r" run --guest "$work/small.elf" --cores $cores --limit 1000000
done

# a jump by a register that is not taken, behind which there is no code
refused "behind the last instruction" "+0x4 (0x10078): jump to 0x1007c, which is no code: not the program's memory" arm e3b00000 112fff1e

# ---- behind what is no instruction ---------------------------------------------------------------------------------------
# a register leads there: exit 7
exits 7 "behind a word that is no instruction of RISC-V" rv32 00000517 01050513 00050067 0013003b 00700513 05d00893 00000073
is "a word that is no instruction is printed as one" "$("$r" disasm "$work/small.elf" 2>"$work/err" | grep -A1 '\.word' | cut -f2- | tr -s '\t ' ' ')" \
    "0013003b .word 0x0013003b
00700513 addi a0,zero,7"
is "... and then the status is 2" "$("$r" disasm "$work/small.elf" >/dev/null 2>&1; echo $?)" 2
check "... with the first one's place" grep -q "small.elf: 0x10080: 0x13003b is no instruction of RV32IMAC; printed as .word" "$work/err"
exits 7 "behind one of T32" thumb a001 3003 4700 fc00 f000 2007 2701 df00
exits 7 "behind AVX-512" ia32 b8 +15 ff e0 62 f3 75 48 25 50 01 03 b8 00000001 bb 00000007 cd 80

# ---- IA-32 with the prefix 66 --------------------------------------------------------------------------------------------
# push $0x11223344; mov %esp,%ebp; enterw; leavew; pushaw; popaw; pushfw; popfw; and what is on the stack and in EBP has not changed
exits 0 "halves of registers on the stack" ia32 68 11223344 89 e5 66 c8 08 00 00 66 c9 66 60 66 61 66 9c 66 9d \
    29 e5 58 2d 11223344 09 e8 89 c3 b8 00000001 cd 80

# ---- jumps to no code ----------------------------------------------------------------------------------------------------
refused "a jump out of the program (RISC-V)" " (0x10074): jump to 0x90074, which is no code: not the program's memory" rv32 0008006f
refused "a jump out of the program (ARM)" "+0x4 (0x10078): jump to 0x110080, which is no code: not the program's memory" arm e1a00000 ea040000
refused "a jump out of the program (IA-32)" "+0x1 (0x10075): jump to 0x2001007a, which is no code: not the program's memory" ia32 90 e9 20000000
refused "a jump to data" "+0x5 (0x10079): jump to 0x$(python3 -c 'import sys; sys.path.insert(0, "tests/guests"); import random_programs; print("%x" % random_programs.DATA)'), which is no code: data" \
    ia32 b8 DATA ff e0
small ia32 b8 +6 ff e0 b8 01
fails 3 "jump to 0x1007a, where lock step has found no code: it is data, or within an instruction (--engine reference tries to execute it)" \
    "$r" run --guest "$work/small.elf"

# ---- files without symbols -----------------------------------------------------------------------------------------------
golden=tests/golden/guests
for elf in quicksort.gcc-Os.thumb bytecode.clang-O2.thumb idct.gcc-O2.arm; do
    python3 tests/guests/small.py "$work/stripped.elf" strip $golden/$elf.elf
    "$r" run -q --guest $golden/$elf.elf --cores 3 >"$work/right"
    "$r" run -q --guest "$work/stripped.elf" --cores 3 >"$work/out"
    check "$elf without symbols" cmp "$work/right" "$work/out"
done
"$r" disasm --kernel main $golden/quicksort.gcc-Os.thumb.elf | sed 1,2d >"$work/main"
python3 tests/guests/small.py "$work/stripped.elf" strip $golden/quicksort.gcc-Os.thumb.elf
"$r" disasm "$work/stripped.elf" >"$work/all"
check "a listing finds the encoding" test "$(grep -cxFf "$work/main" "$work/all")" -ge "$(wc -l <"$work/main")"
exits 7 "an address that is a sum" arm e3a00801 e2800080 e12fff10 e3a00007 e3a07001 ef000000
python3 tests/guests/small.py "$work/stripped.elf" strip "$work/small.elf"
fails 3 "jump to 0x10080, where lock step has found no code: the file has no symbols; link it without -s, or take --engine reference" \
    "$r" run --guest "$work/stripped.elf"

# ---- cores that wait for one another -------------------------------------------------------------------------------------
# Each core takes a lock by xchg, looks whether it is its turn, from the highest core to core 0, and gives the lock back. No
# core waits for the lock for long, but who always took it first would take it for ever.
small ia32 b8 00005250 cd 80 89 c6 b8 00005251 cd 80 89 c7 29 f7 4f bb DATA \
    b8 00000001 87 03 85 c0 75 f5 8b 4b 04 39 f9 0f 95 c2 75 03 ff 43 04 c7 03 00000000 84 d2 75 de b8 00000001 31 db cd 80
for cores in 1 2 3 8 32 33 64; do
    timeout 60 "$r" run -q --guest "$work/small.elf" --cores $cores --limit 1000000 2>"$work/err"
    is "turns under a lock, $cores cores" "$? $(cat "$work/err")" "0 "
done
timeout 60 "$r" run -q --guest "$work/small.elf" --cores 4 --engine reference
is "turns under a lock, one core after another" $? 0

# Each core takes a lock by LDREX and STREX without a load before, which lets one core of a group by at a time: that all spin
# shows once the last has come by. A core has 18,000 instructions if nobody sees it.
small arm e59f2038 e3a01001 e1923f9f e1820f91 e3500000 1afffffb e3530000 1afffff7 e5923004 e2833001 e5823004 e3a03000 e5823000 \
    e3a00000 e3a07001 ef000000 DATA
timeout 60 "$r" run -q --guest "$work/small.elf" --cores 256 --limit 9000 2>"$work/err"
is "an exchange by LDREX and STREX, 256 cores" "$? $(cat "$work/err")" "0 "

# ---- limits --------------------------------------------------------------------------------------------------------------
"$r" run --guest $golden/matmul.gcc-O2.rv32imac.elf --cores 4 --limit 10 2>"$work/err"
executed=$(sed -n 's/.*has executed \([0-9]*\) instructions, the limit is 10 .*/\1/p' "$work/err")
check "the limit is looked at where the straight line behind it ends" test "${executed:-1000}" -le 40
python3 tests/guests/small.py "$work/small.elf" bytes 1090519040
fails 2 "a segment has more than 1 GiB: a program may have more on the heap" "$r" run --guest "$work/small.elf"
if ! address_sanitizer; then
    fails 4 "no room for 2 GiB of addresses" sh -c "ulimit -v 2000000; exec '$r' run --guest $golden/matmul.gcc-O2.rv32imac.elf"
fi
