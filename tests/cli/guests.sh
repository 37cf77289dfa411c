#!/bin/bash
# Guests: programs for a chip of many cores. tests/golden/guests has them as gcc 12 and clang 14 compile them; where these
# compilers, qemu-user and objdump are, they judge, too.
set -u
. tests/support/cli.sh
golden=tests/golden/guests
programs="matmul idct fft quicksort digests bytecode locks longs"

# ---- the host says what is right ---------------------------------------------------------------------------------------
for p in $programs; do
    "${CC:-gcc}" -O1 -w -Dmain=guest_main -Itools/guest -c "tests/guests/$p.c" -o "$work/$p.o" &&
        "${CC:-gcc}" -Itools/guest tests/guests/native.c "$work/$p.o" -pthread -o "$work/$p.native" || echo "not ok - $p for the host"
done
for p in $programs; do
    for cores in 1 3 32 1024 4096; do
        [ $p != locks ] || [ $cores -le 32 ] || continue # threads of the host would spin for minutes
        CORES=$cores "$work/$p.native" >"$work/right"
        for elf in "$golden/$p".*.elf; do
            case $cores,$elf in 4096,*.gcc-O2.* | 4096,*.gcc-Os.thumb.* | 1,* | 3,* | 32,* | 1024,*) ;; *) continue ;; esac
            "$r" run --guest "$elf" --cores $cores -q >"$work/lockstep"
            check "$(basename "$elf"), $cores cores, in lock step" cmp "$work/right" "$work/lockstep"
            [ $cores = 3 ] || continue
            "$r" run --guest "$elf" --cores $cores -q --engine reference >"$work/plain"
            check "$(basename "$elf"), $cores cores, core by core" cmp "$work/right" "$work/plain"
        done
    done
done

# ---- cores that wait for one another -------------------------------------------------------------------------------------
# instructions ELF OPTION...: how many all cores execute
instructions_of() {
    local elf=$1
    shift
    "$r" run --guest "$elf" --json -q "$@" 2>/dev/null | sed -n '/^{/,$p' >"$work/json"
    json "$work/json" 'd["instructions"]'
}
# locks prints the same on any number of cores
CORES=3 "$work/locks.native" >"$work/right"
for elf in "$golden"/locks.*.elf; do
    name=$(basename "$elf")
    impatient=$(instructions_of "$elf" --cores 64 --patience 16)
    check "$name: 64 cores that wait take no more instructions than three times those with patience 16" \
        test "$(instructions_of "$elf" --cores 64)" -le $((3 * impatient))
    "$r" run --guest "$elf" --cores 1024 -q --limit 200000 >"$work/lockstep"
    check "$name: a thousand cores that wait" cmp "$work/right" "$work/lockstep"
done
is "cores that do not wait take as many instructions, whatever the patience" \
    "$(instructions_of $golden/quicksort.gcc-O2.arm.elf --cores 64 --patience 1)" "$(instructions_of $golden/quicksort.gcc-O2.arm.elf --cores 64)"

# ---- where cores meet again ----------------------------------------------------------------------------------------------
# meets NAME LANES: on 64 cores at least so many of 32 are active
meets() {
    "$r" run --guest "$golden/$1.elf" --cores 64 --json -q >"$work/json" 2>/dev/null
    sed -n '/^{/,$p' "$work/json" >"$work/lanes"
    check "$1: cores that went apart meet again" test "$(json "$work/lanes" "d['active_lanes'] >= $2")" = True
}
meets bytecode.gcc-O2.rv32imac 6 # those that have come round a loop wait
meets fft.gcc-O2.rv32imac 17
meets idct.gcc-O2.arm 15 # those that have returned wait
meets bytecode.gcc-Os.thumb 4.5 # those that call wait

# ---- recording ---------------------------------------------------------------------------------------------------------
mm=$golden/matmul.gcc-O2.rv32imac.elf
"$r" record -o "$work/mm.wtr" --guest $mm --cores 64 --save "C=$work/C.bin" --save "C=$work/C.txt:i32" >"$work/out" 2>"$work/err"
is "what a run says of itself" "$(sed 's/[0-9,]* M.s/R M\/s/; s/^[^:]*/T/' "$work/err")" \
    "T: 64 cores (rv32imac), 264,702 instructions, 18.3 of 32 lanes active, R M/s; $(stat -c %s "$work/mm.wtr" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta') bytes, $(awk "BEGIN { printf \"%.4f\", 8 * $(stat -c %s "$work/mm.wtr") / 264702 }") bits per instruction"
check "the trace is whole" "$r" verify -q "$work/mm.wtr"
is "the variable as bytes" "$(stat -c %s "$work/C.bin")" 4096
is "the variable as text" "$(od -An -v -td4 -w4 "$work/C.bin" | tr -d ' ')" "$(cat "$work/C.txt")"
"$r" record -o "$work/again.wtr" --guest $mm --cores 64 -q >/dev/null
check "the trace is the same again" cmp "$work/mm.wtr" "$work/again.wtr"
"$r" record -o "$work/clusters.wtr" --guest $mm --cores 64 --cluster 32 -q >/dev/null
"$r" info --json "$work/clusters.wtr" >"$work/info"
is "a cluster of cores is a block" "$(json "$work/info" 'd["launches"][0]["grid"], d["launches"][0]["block"]')" "([2, 1, 1], [32, 1, 1])"
"$r" record -o "$work/wide.wtr" --guest $mm --cores 64 --cluster 1024 -q --limit 0 >/dev/null
check "a larger cluster than there are cores is all of them" cmp "$work/mm.wtr" "$work/wide.wtr"
check "GPUs replay it as threads" "$r" replay "$work/mm.wtr" --machine rtx2060 --json
"$r" record -o "$work/apart.wtr" --guest $golden/bytecode.gcc-O2.arm.elf --cores 32 -q >/dev/null
is "a group's arrivals at each of two barriers are one behind the other, however far apart its cores are" \
    "$("$r" dump "$work/apart.wtr" | awk '/\(barrier\)/ { runs += NR != last + 1; last = NR; parts++ } END { print runs, (parts > runs) }')" "2 1"
"$r" run --guest $mm --cores 8 --data "A=iota-i32:100" --save "A=$work/A.txt:i32" -q >/dev/null
is "as many threads as one likes change nothing" "$("$r" record -o "$work/threads.wtr" --guest $mm --cores 64 -q --threads 3 >/dev/null; cmp "$work/mm.wtr" "$work/threads.wtr" && echo same)" same
is "what a trace says of the run" "$("$r" info "$work/mm.wtr" | sed -n '/^options/,/^$/s/^[a-z]* *//p' | paste -sd' ')" "cores = 64 cluster = 64 patience = 256 stack = 65536 "
head -c 8 /dev/zero >"$work/zeros"
"$r" record -o "$work/filled.wtr" --guest $mm --cores 40 --cluster 32 --patience 9 --data A=iota-i32:100 --data "B=file:$work/zeros" -q >/dev/null
is "and of what was filled" "$("$r" info "$work/filled.wtr" | sed -n '/^options/,/^$/s/^[a-z]* *//p' | paste -sd' ')" \
    "cores = 40 cluster = 32 patience = 9 stack = 65536 buffer.A = iota-i32:100 buffer.B = file:8:sha256=$(sha256sum <"$work/zeros" | cut -d' ' -f1) "
is "functions have rows of their own" "$("$r" replay "$work/mm.wtr" -m manycore-1024 --by function --json | python3 -c 'import json, sys
print(*sorted(p["function"] for p in json.load(sys.stdin)["traces"][0]["hotspots"]["places"]))')" "_start guest_barrier guest_call guest_core guest_cores guest_exit guest_print_hex guest_start main"
is "what is filled is there before the run" "$(wc -l <"$work/A.txt")" 1024
"$r" run --guest $mm --cores 2 --json >"$work/json" 2>/dev/null
is "the result as JSON" "$(json "$work/json" '(d["outcome"], d["isa"], d["cores"], d["status"])')" "('complete', 'rv32imac', 2, 0)"

# ---- what goes wrong -----------------------------------------------------------------------------------------------------
fails 1 "where shall the trace go?" "$r" record --guest $mm
fails 1 "--guest needs the name of a file" "$r" run --guest ''
fails 1 "--cores 5000: from 1 to 4096" "$r" run --guest $mm --cores 5000
fails 1 "there are lockstep and reference" "$r" run --guest $mm --engine fast
fails 1 "records nothing" "$r" record -o "$work/x.wtr" --guest $mm --engine reference
fails 1 "there is no variable 'Q'" "$r" run --guest $mm --data Q=zeros:4
fails 1 "but the variable has 4096" "$r" run --guest $mm --data A=zeros:1M
fails 1 "write SYMBOL=FILE" "$r" run --guest $mm --save 2
fails 1 "do not fit between 0x80000000 and 0xc0000000; --stack 258048 is the most for so many cores" "$r" run --guest $mm --cores 4096 --stack 1M
fails 1 "--grid is for kernels and CUDA programs, not for guests" "$r" run --guest $mm --grid 4
fails 1 "--threads x: give a whole number" "$r" run --guest $mm --threads x
for option in "--cores 3" "--data A=zeros:4" "--patience 3" "--engine reference"; do
    # shellcheck disable=SC2086
    fails 1 "${option% *} is for guests: --guest FILE names one" "$r" run $option
done
fails 1 "--data A=zeros:8: 'A' is given twice" "$r" run --guest $mm --data A=zeros:4 --data A=zeros:8
for same in "--save C=$work/k.wtr" "--save C=$work/../${work##*/}/k.wtr"; do
    # shellcheck disable=SC2086
    fails 1 "k.wtr' would be written over the trace" "$r" record -o "$work/k.wtr" --guest $mm $same
done
fails 1 "the saved buffer '$work/C.bin' would be written over another one" "$r" run --guest $mm --save "A=$work/C.bin" --save "C=$work/C.bin"
fails 1 "the trace '$work/zeros' would be written over a buffer's file" "$r" record -o "$work/zeros" --guest $mm --data "A=file:$work/zeros"
fails 1 "--cluster 40: a multiple of 32, or all cores" "$r" record -o "$work/x.wtr" --guest $mm --cores 64 --cluster 40
fails 1 "--cluster 100: a multiple of 32, or all cores" "$r" record -o "$work/x.wtr" --guest $mm --cores 64 --cluster 100
fails 1 "--stack 4097: give a multiple of 4096" "$r" run --guest $mm --stack 4097
fails 1 "1 stack of 1073741824 bytes, each with a page behind it, does not fit" "$r" run --guest $mm --cores 1 --stack 1G
fails 1 "--stack -5: from 4096 to 1073741824" "$r" run --guest $mm --stack -5
fails 1 "--cores -5: from 1 to 4096" "$r" run --guest $mm --cores -5
fails 2 "No such file" "$r" run --guest "$work/nothing.elf"
fails 2 "a little-endian ELF file of 32 bits for RISC-V" "$r" run --guest "$r"
head -c 400 $mm >"$work/short.elf"
fails 2 "outside of the file" "$r" run --guest "$work/short.elf"
fails 1 "there are rv32, arm, thumb and ia32" "$r" guest --flags mips
fails 1 "rv32, arm, thumb or ia32" "$r" guest
is "RISC-V under the name that compilers have for it" "$("$r" guest --flags riscv32 --clang)" "$("$r" guest --flags rv32 --clang)"
fails 2 "and no guest, which is a little-endian file of 32 bits for RISC-V, ARM or IA-32" "$r" disasm "$work/matmul.o"
check "no trace is left" test ! -e "$work/x.wtr"
"$r" record -o "$work/limit.wtr" --guest $mm --cores 4 --limit 1000 >"$work/out" 2>"$work/err"
is "an endless loop: status 3" $? 3
check "an endless loop is said, with its place" grep -q "core 0, .*: endless loop? The core has executed .* (--limit gives more)" "$work/err"
check "the trace is kept up to there" eval '"$r" verify "$work/limit.wtr" | grep -q "1 launch ended early: .reprise info. says why$"'
check "... which JSON says, too" test "$("$r" verify --json "$work/limit.wtr" | grep -c '"ended_early": 1')" = 1

# A signal: what the guest has written and what was recorded stay. Byte codes take long on so many cores.
for signal in SIGINT SIGTERM; do
    is "$signal ends a recording" "$(python3 tests/support/stop_at.py $signal 0.3 "$r" record -o "$work/stopped.wtr" --guest $golden/bytecode.gcc-O2.rv32imac.elf --cores 4096 2>"$work/err" | tail -1)" "by the signal"
    check "... in a line ($signal)" grep -qx "reprise: .*bytecode.gcc-O2.rv32imac.elf: interrupted before all cores had exited" "$work/err"
    check "... and keeps it ($signal)" eval '"$r" verify -q "$work/stopped.wtr" && "$r" info "$work/stopped.wtr" | grep -q "interrupted before"'
done
is "the plain engine, too" "$(python3 tests/support/stop_at.py SIGINT 0.3 "$r" run --json --engine reference --guest $golden/bytecode.gcc-O2.rv32imac.elf --cores 4096 2>"$work/err" | tee "$work/json" | tail -1)" "by the signal"
is "which JSON says" "$(sed -n '/^{/,/^}/p' "$work/json" | python3 -c 'import json, sys; print(json.load(sys.stdin)["outcome"])')" interrupted

# ---- random programs -----------------------------------------------------------------------------------------------------
qemu=$(command -v qemu-riscv32)
check "random programs, in lock step, core by core${qemu:+, under qemu}" \
    python3 tests/guests/random_rv32.py "$r" --count "${RANDOM_GUESTS:-200}" ${qemu:+--qemu "$qemu"}

qemu=$(command -v qemu-arm)
for isa in a32 t32; do
    check "random programs of ARMv7-A, $isa, in lock step, core by core${qemu:+, under qemu}" \
        python3 tests/guests/random_arm.py "$r" --isa $isa --count "${RANDOM_GUESTS:-200}" ${qemu:+--qemu "$qemu"}
done

qemu=$(command -v qemu-i386)
check "random programs of IA-32, in lock step, core by core${qemu:+, under qemu}" \
    python3 tests/guests/random_ia32.py "$r" --count "${RANDOM_GUESTS:-200}" ${qemu:+--qemu "$qemu"}

# as_under_qemu QEMU CORES ELF...: they print what they print there
as_under_qemu() {
    local qemu=$1 cores=$2 elf
    shift 2
    for elf in "$@"; do
        CORES=$cores "$qemu" "$elf" >"$work/qemu"
        "$r" run --guest "$elf" --cores "$cores" -q >"$work/lockstep"
        check "$(basename "$elf"), $cores cores, as under qemu" cmp "$work/qemu" "$work/lockstep"
    done
}
# registers_of_qemu QEMU ELF...: before each instruction
registers_of_qemu() {
    local qemu elf
    qemu=$(command -v "$1")
    shift
    for elf in "$@"; do
        env -i CORES=1 "$qemu" -singlestep -d cpu,nochain -D "$work/log" "$elf" >/dev/null
        "$BUILD/programs/guest_registers" "$elf" >"$work/registers" 2>/dev/null
        check "all registers before each instruction of $(basename "$elf"), as qemu has them" python3 tests/guests/qemu.py "$work/log" "$work/registers"
    done
}
# built_here FOLDER OBJDUMP DISASM: guests print what they shall, and the functions, filters of what objdump and disasm print, make
# the same of both
built_here() {
    local elf name
    for elf in "$1"/*.elf; do
        name=$(basename "$elf")
        CORES=3 "$work/${name%%.*}.native" >"$work/right"
        "$r" run --guest "$elf" --cores 3 -q >"$work/lockstep"
        check "$name as it is built here" cmp "$work/right" "$work/lockstep"
        "$2" "$elf" >"$work/objdump"
        "$r" disasm "$elf" | "$3" >"$work/disasm"
        check "$name disassembles as objdump has it" cmp "$work/objdump" "$work/disasm"
    done
}
# address, bytes or words, and text of each instruction
instructions() { sed -n 's/^ *\([0-9a-f]*\):\t\([0-9a-f ]*[0-9a-f]\) *\t/\1 \2 /p'; }

command -v ld.lld >/dev/null && command -v "${CLANG:-clang}" >/dev/null ||
    echo "ok - guests that clang compiles # SKIP no clang or ld.lld here (Debian: clang, lld)"

# ---- compilers, qemu-user, objdump ---------------------------------------------------------------------------------------
if command -v riscv64-unknown-elf-gcc >/dev/null; then
    cat >"$work/bad.c" <<'END'
#include "reprise_guest.h"
int numbers[4];
static int at(volatile int *where) { return *where; }
int main(void) { return guest_core() == 2 ? at(numbers + 1000000) : 0; }
END
    # shellcheck disable=SC2046
    riscv64-unknown-elf-gcc -g -O1 -fno-inline -o "$work/bad.elf" "$work/bad.c" $("$r" guest --flags rv32)
    for engine in lockstep reference; do
        "$r" run --guest "$work/bad.elf" --cores 4 --engine $engine >"$work/out" 2>"$work/err"
        is "a bad access: status 3 ($engine)" $? 3
        check "a bad access is said with core, function, line and address ($engine)" grep -q "core 2, at.*, $work/bad.c:3: load of 4 bytes at 0x.*: not the program's memory" "$work/err"
    done
    riscv64-unknown-elf-objcopy --dump-section .debug_line="$work/lines" "$work/bad.elf"
    printf '\377\377' | dd of="$work/lines" bs=1 seek=2 conv=notrunc 2>"$work/dd"
    riscv64-unknown-elf-objcopy --update-section .debug_line="$work/lines" "$work/bad.elf" "$work/damaged.elf"
    fails 2 "section .debug_line: the line program at 0x4 is damaged" "$r" run --guest "$work/damaged.elf"
    "$r" record -o "$work/bad.wtr" --guest "$work/bad.elf" --cores 40 >"$work/out" 2>"$work/err"
    check "what led to a bad access is in the trace, which is whole" "$r" verify -q "$work/bad.wtr"
    cat >"$work/forever.c" <<'END'
#include "reprise_guest.h"
static volatile int flag;
int main(void)
{
    if (guest_core() % 3 == 1)
        while (!flag)
            ;
    guest_barrier();
    return 0;
}
END
    # shellcheck disable=SC2046
    riscv64-unknown-elf-gcc -O1 -o "$work/forever.elf" "$work/forever.c" $("$r" guest --flags rv32)
    for cores in 3 40; do
        "$r" record -o "$work/forever.wtr" --guest "$work/forever.elf" --cores $cores >"$work/out" 2>"$work/err"
        is "cores that wait for ever: status 3 ($cores cores)" $? 3
        check "cores that wait for ever are said ($cores cores)" grep -q "core 1, main.*: waits for ever" "$work/err"
        check "their trace is whole ($cores cores)" "$r" verify -q "$work/forever.wtr"
    done
    # what a loop changes in its own stack and puts back: 1,200 instructions of a core, 360,000 if nobody sees that it spins
    cat >"$work/owner.c" <<'END'
#include "reprise_guest.h"
static unsigned owner, sections;
int main(void)
{
    for (int i = 0; i < 3; i++) {
        unsigned expected = 0;
        while (!__atomic_compare_exchange_n(&owner, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            expected = 0;
        sections++;
        __atomic_store_n(&owner, 0, __ATOMIC_SEQ_CST);
    }
    return 0;
}
END
    # shellcheck disable=SC2046
    riscv64-unknown-elf-gcc -O0 -o "$work/owner.elf" "$work/owner.c" $("$r" guest --flags rv32)
    timeout 60 "$r" run -q --guest "$work/owner.elf" --cores 256 --limit 20000 --save sections="$work/sections" 2>"$work/err"
    is "a lock by compare and swap at -O0" "$? $(od -An -tu4 "$work/sections" | tr -d ' ')" "0 768"
    # loops of clang -O0 store what they load on the stack
    if command -v ld.lld >/dev/null && command -v "${CLANG:-clang}" >/dev/null; then
        sed 's/static volatile int flag/static int flag/; s/!flag/!__atomic_load_n(\&flag, __ATOMIC_SEQ_CST)/' "$work/forever.c" >"$work/spills.c"
        # shellcheck disable=SC2046
        "${CLANG:-clang}" -O0 -o "$work/spills.elf" "$work/spills.c" $("$r" guest --flags rv32 --clang)
        fails 3 "waits for ever: it repeats the same instructions" "$r" run --guest "$work/spills.elf" --cores 40
    fi
    ISAS=rv32 REPRISE=$r tests/guests/build "$work/built" >&2
    objdump_rv32() {
        riscv64-unknown-elf-objdump -d -M no-aliases "$1" | disasm_rv32 |
            sed 's/ *#.*//; s/ *<.*//; s/\t/ /'
    }
    disasm_rv32() { sed -n 's/^ *\([0-9a-f]*\):\t\([0-9a-f]*\) *\t/\1 /p' | grep -v '\.[24]byte\|\.short\|\.word\|unimp'; }
    built_here "$work/built" objdump_rv32 disasm_rv32
else
    echo "ok - guests of RISC-V, built anew # SKIP no riscv64-unknown-elf-gcc here (Debian: gcc-riscv64-unknown-elf)"
fi
if command -v arm-linux-gnueabihf-gcc >/dev/null; then
    cat >"$work/float.c" <<'END'
#include "reprise_guest.h"
static volatile float x = 1;
int main(void) { x = x + 2; return 0; }
END
    # shellcheck disable=SC2046
    arm-linux-gnueabihf-gcc -g -O1 -o "$work/float.elf" "$work/float.c" $("$r" guest --flags arm) -mfloat-abi=hard -mfpu=vfpv3
    for engine in lockstep reference; do
        "$r" run --guest "$work/float.elf" --engine $engine >"$work/out" 2>"$work/err"
        is "floating point: status 3 ($engine)" $? 3
        check "floating point is refused by name and place ($engine)" grep -q "core 0, main+0x.*, $work/float.c:3: vldr (floating point): guests compute in integers" "$work/err"
    done
    echo 'int deep(int n) { volatile char a[500]; a[n % 500] = n; return n ? a[3] + deep(n - 1) : 0; } int main(void) { return deep(20); }' >"$work/deep.c"
    # shellcheck disable=SC2046
    arm-linux-gnueabihf-gcc -O0 -o "$work/deep.elf" "$work/deep.c" $("$r" guest --flags arm)
    fails 3 "below the stack of core 0, which has 4096 bytes (--stack gives more)" "$r" run --guest "$work/deep.elf" --stack 4096
    echo 'int main(void) { volatile char a[100000]; a[0] = 1; return a[0] - 1; }' >"$work/frame.c"
    # shellcheck disable=SC2046
    arm-linux-gnueabihf-gcc -O1 -o "$work/frame.elf" "$work/frame.c" $("$r" guest --flags arm)
    fails 3 "below all stacks, of 65536 bytes each (--stack gives more)" "$r" run --guest "$work/frame.elf" --cores 1
    # an instruction that is executed by some cores, and fails in the first of its three accesses
    cat >"$work/list.c" <<'END'
#include "reprise_guest.h"
int main(void)
{
    __asm__ volatile("cmp %0, #5\n ldmeq %1, {r0-r6}\n" ::"r"(guest_core()), "r"(0x70000000) : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "cc");
    return 0;
}
END
    # shellcheck disable=SC2046
    arm-linux-gnueabihf-gcc -O1 -o "$work/list.elf" "$work/list.c" $("$r" guest --flags arm)
    "$r" record -o "$work/list.wtr" --guest "$work/list.elf" --cores 40 >"$work/out" 2>"$work/err"
    is "a bad list: status 3" $? 3
    check "a bad list is said" grep -q "core 5, main.*: load of 16 bytes at 0x70000000: not the program's memory" "$work/err"
    check "the trace of a bad list is whole" "$r" verify -q "$work/list.wtr"
    # objdump: without comments and names of targets; zeros that fill the end of a section are instructions to us
    # shellcheck disable=SC2086
    ISAS=arm REPRISE=$r tests/guests/build "$work/arm" ${FULL:+matmul idct fft quicksort bytecode locks digests} longs >&2
    objdump_arm() {
        arm-linux-gnueabihf-objdump -d "$1" | instructions |
            sed 's/[ \t]*@.*//; s/ *<.*//; s/\t/ /; s/ *$//' | grep -v ' \.word\| \.short\| \.byte\| 0000 movs r0, r0$'
    }
    disasm_arm() { instructions | grep -v ' \.word\| \.short\| \.byte\| 0000 movs r0, r0$'; }
    built_here "$work/arm" objdump_arm disasm_arm
    # A jump table of seven bytes, and the byte that fills it up, which has a mapping symbol of its own
    printf '.syntax unified\n.thumb\n.global _start\n.thumb_func\n_start: tbb [pc, r0]\n.byte 4, 4, 5, 5, 6, 6, 4\n.p2align 1\nmovs r0, #1\nmovs r7, #1\nsvc 0\n' >"$work/table.s"
    arm-linux-gnueabihf-gcc -march=armv7-a -mthumb -static -nostdlib -o "$work/table.elf" "$work/table.s"
    arm-linux-gnueabihf-objdump -d "$work/table.elf" | instructions | sed 's/\t/ /; s/ *$//' >"$work/objdump"
    "$r" disasm "$work/table.elf" | instructions >"$work/disasm"
    check "a table of seven bytes as objdump has it" cmp "$work/objdump" "$work/disasm"
    check "its last byte" grep -q "[.]byte 0x00" "$work/disasm"
else
    echo "ok - guests of ARM, built anew # SKIP no arm-linux-gnueabihf-gcc here (Debian: gcc-arm-linux-gnueabihf)"
fi
if command -v qemu-arm >/dev/null; then
    as_under_qemu qemu-arm 3 "$golden"/*.gcc-O2.arm.elf "$golden"/*.gcc-Os.thumb.elf
    registers_of_qemu qemu-arm $golden/longs.gcc-O2.arm.elf $golden/longs.gcc-Os.thumb.elf
else
    echo "ok - guests of ARM as under qemu # SKIP no qemu-arm here (Debian: qemu-user)"
fi
if command -v i686-linux-gnu-gcc >/dev/null; then
    cat >"$work/refused.c" <<'END'
#include "reprise_guest.h"
static volatile float x = 1;
static volatile unsigned zero;
int main(void)
{
#if WHAT == 0
    x = x + 2;
#elif WHAT == 1
    __asm__ volatile("addsd %xmm0, %xmm1");
#elif WHAT == 2
    __asm__ volatile("movl %%gs:20, %%eax" ::: "eax");
#else
    if (guest_core() == 1)
        zero = 7 / zero;
#endif
    return 0;
}
END
    what=0
    for text in "fld (floating point): guests compute in integers; use fixed point" "addsd (floating point or vectors): guests compute in integers" "mov %gs:0x14,%eax (variables of threads" "div.*: the divisor is 0, or the quotient does not fit"; do
        # shellcheck disable=SC2046
        i686-linux-gnu-gcc -g -O1 -DWHAT=$what -o "$work/refused.elf" "$work/refused.c" $("$r" guest --flags ia32)
        for engine in lockstep reference; do
            "$r" run --guest "$work/refused.elf" --cores 2 --engine $engine >"$work/out" 2>"$work/err"
            is "$text: status 3 ($engine)" $? 3
            check "$text is said with its place ($engine)" grep -q "core [01], main.*, $work/refused.c:[0-9]*: $text" "$work/err"
        done
        what=$((what + 1))
    done
    # an instruction that repeats itself, and one that branches may enter behind its prefix
    cat >"$work/bytes.c" <<'END'
#include "reprise_guest.h"
static char a[64], b[64];
static volatile unsigned count[3];
int main(void)
{
    void *to = a;
    const void *from = b;
    unsigned n = guest_core() % 3 * 4;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
    __asm__ volatile("testl $1, %1\n je 1f\n lock\n 1: incl %0" : "+m"(count[guest_core()]) : "r"(guest_core()) : "cc");
    guest_barrier();
    if (guest_core() == 0)
        guest_print_hex(count[0] + count[1] + count[2]);
    return n;
}
END
    # shellcheck disable=SC2046
    i686-linux-gnu-gcc -O2 -o "$work/bytes.elf" "$work/bytes.c" $("$r" guest --flags ia32)
    for engine in lockstep reference; do
        is "a branch into an instruction ($engine)" "$("$r" run -q --guest "$work/bytes.elf" --cores 3 --engine $engine)" 00000003
    done
    "$r" record -q -o "$work/bytes.wtr" --guest "$work/bytes.elf" --cores 3 >/dev/null
    is "each repetition is an execution, of cores with something to do" "$("$r" dump "$work/bytes.wtr" | sed -n 's/^[0-9a-f]*  \([0-9a-f]* [0-9a-f]*\)  rep movsb.*/\1/p' | uniq -c | tr -s ' \n' ' ')" \
        " 1 00000007 00000006 3 00000006 00000006 4 00000004 00000004 "
    # objdump: without names of targets; compilers fill what lies between functions with int3
    # shellcheck disable=SC2086
    ISAS=ia32 REPRISE=$r tests/guests/build "$work/ia32" ${FULL:+matmul idct fft quicksort bytecode locks digests} longs >&2
    objdump_ia32() { i686-linux-gnu-objdump -d --insn-width=15 "$1" | instructions | sed 's/ *<.*//; s/  */ /g; s/ $//'; }
    disasm_ia32() { instructions | sed 's/ (breakpoint)//'; }
    built_here "$work/ia32" objdump_ia32 disasm_ia32
else
    echo "ok - guests of IA-32, built anew # SKIP no i686-linux-gnu-gcc here (Debian: gcc-i686-linux-gnu)"
fi
if command -v qemu-i386 >/dev/null; then
    as_under_qemu qemu-i386 3 "$golden"/*.gcc-O2.ia32.elf "$golden"/locks.*.ia32.elf
    registers_of_qemu qemu-i386 $golden/longs.gcc-O2.ia32.elf
else
    echo "ok - guests of IA-32 as under qemu # SKIP no qemu-i386 here (Debian: qemu-user)"
fi
if command -v qemu-riscv32 >/dev/null; then
    for cores in 1 3 16; do
        for p in $programs; do
            as_under_qemu qemu-riscv32 $cores "$golden/$p.gcc-O2.rv32imac.elf"
        done
    done
    registers_of_qemu qemu-riscv32 $golden/longs.clang-O2.rv32imac.elf $golden/longs.gcc-O2.rv32imac.elf
else
    echo "ok - guests of RISC-V as under qemu # SKIP no qemu-riscv32 here (Debian: qemu-user)"
fi
