#!/bin/bash
# What guests get from the files that 'reprise guest --flags' names: memory for all cores, conversions and divisions that
# compilers have no library for, and headers of the C library.
set -u
. tests/support/cli.sh
clang=${CLANG:-clang}
# has COMMAND PACKAGE
has() {
    command -v "$1" >/dev/null && return
    echo "ok - guests by $1 # SKIP no $1 here (Debian: $2)"
    return 1
}
compilers=
has riscv64-unknown-elf-gcc gcc-riscv64-unknown-elf && compilers="$compilers riscv64-unknown-elf-gcc:rv32"
has arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf && compilers="$compilers arm-linux-gnueabihf-gcc:arm arm-linux-gnueabihf-gcc:thumb"
has i686-linux-gnu-gcc gcc-i686-linux-gnu && compilers="$compilers i686-linux-gnu-gcc:ia32"
has ld.lld lld && has "$clang" clang && compilers="$compilers $clang:rv32 $clang:arm $clang:thumb $clang:ia32"
# built COMPILER:ISA SOURCE OPTION...: makes guest.elf. CLANG alone needs --clang, and no library.
built() {
    local compiler=${1%:*} isa=${1#*:} source=$2
    shift 2
    # shellcheck disable=SC2046
    "$compiler" "$@" -o "$work/guest.elf" "$work/$source" $("$r" guest --flags "$isa" $([ "$compiler" != "$clang" ] || echo --clang))
}
emulator() { command -v "$(case ${1#*:} in rv32) echo qemu-riscv32 ;; ia32) echo qemu-i386 ;; *) echo qemu-arm ;; esac)"; }
# prints WHAT COMPILER:ISA CORES TEXT: in both engines, and under qemu-user if that is installed
prints() {
    local what=$1 with=$2 cores=$3 text=$4 engine qemu
    for engine in lockstep reference; do
        is "$what ($with, $engine)" "$("$r" run -q --guest "$work/guest.elf" --cores "$cores" --engine $engine 2>&1)" "$text"
    done
    qemu=$(emulator "$with")
    [ -z "$qemu" ] || is "$what ($with, qemu)" "$(CORES=$((cores < 8 ? cores : 8)) $qemu "$work/guest.elf" 2>&1)" "$text"
}

# ---- memory for all cores ------------------------------------------------------------------------------------------------
# each core asks three times, all at the same time, and what it writes there stays
cat >"$work/grow.c" <<'END'
#include "reprise_guest.h"
static unsigned bad;
int main(void)
{
    unsigned *mine[3], core = guest_core();
    for (int i = 0; i < 3; i++) {
        mine[i] = guest_grow(24);
        for (int k = 0; mine[i] && k < 6; k++) {
            __atomic_fetch_add(&bad, mine[i][k] != 0, __ATOMIC_SEQ_CST);
            mine[i][k] = 1000 * core + i;
        }
    }
    guest_barrier();
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            if (!mine[i] || mine[i][k] != 1000 * core + i)
                __atomic_fetch_add(&bad, 1, __ATOMIC_SEQ_CST);
    guest_barrier();
    if (core == 0) {
        guest_print_hex(bad);
        guest_print_hex(guest_grow(0xfffffff0) != 0);
        guest_print_hex(guest_grow(64) == 0);
    }
    return 0;
}
END
for with in $compilers; do
    built "$with" grow.c -O1
    for cores in 3 100; do
        prints "no two of $cores cores get the same memory" "$with" $cores "00000000
00000000
00000000"
    done
done

# ---- C++ -----------------------------------------------------------------------------------------------------------------
# classes, templates, and constructors of global variables, which run once, before any core's main
cat >"$work/classes.cpp" <<'END'
#include "reprise_guest.h"
struct shape {
    unsigned side;
    explicit shape(unsigned s) : side(s) {}
    virtual unsigned area() const { return side * side; }
};
struct half : shape {
    using shape::shape;
    unsigned area() const override { return side * side / 2; }
};
static unsigned constructed;
template <unsigned N> struct table {
    unsigned of[N];
    table() { for (unsigned i = 0; i < N; i++) of[i] = ++constructed * guest_cores(); }
};
static table<5> first;
static table<3> second;
static unsigned bad;
extern "C" int main(void)
{
    const unsigned core = guest_core();
    const shape whole(core);
    const half part(core);
    const shape *const shapes[] = {&whole, &part};
    if (constructed != 8 || first.of[core % 5] != (core % 5 + 1) * guest_cores() ||
        second.of[core % 3] != (core % 3 + 6) * guest_cores() ||
        shapes[core % 2]->area() != (core % 2 ? core * core / 2 : core * core))
        __atomic_fetch_add(&bad, 1, __ATOMIC_SEQ_CST);
    guest_barrier();
    if (!core)
        guest_print_hex(bad);
    return 0;
}
END
for with in $compilers; do
    case $with in
    "$clang":*) plus=${clang/clang/clang++} ;;
    *:rv32) plus=riscv64-unknown-elf-g++ ;;
    *) continue ;; # Debian has g++ of these in packages of their own
    esac
    # shellcheck disable=SC2046
    "$plus" -O1 -fno-exceptions -fno-rtti -o "$work/guest.elf" "$work/classes.cpp" $("$r" guest --flags "${with#*:}" $([ "${with%:*}" != "$clang" ] || echo --clang)) 2>"$work/err"
    check "$plus makes a guest of ${with#*:}" test -x "$work/guest.elf"
    for cores in 1 40; do
        prints "C++, $cores cores" "$plus:${with#*:}" $cores 00000000
    done
done

# ---- before main ---------------------------------------------------------------------------------------------------------
# a constructor of C runs once, before main; what goes to 1 and to 2 comes in its order, also into one file
cat >"$work/before.c" <<'END'
#include "reprise_guest.h"
static unsigned times;
__attribute__((constructor)) static void begin(void) { times++; }
int main(void)
{
    if (guest_core() == 0) {
        guest_write(1, "one\n", 4);
        guest_write(2, "two\n", 4);
        guest_print_hex(times);
    }
    return 0;
}
END
for with in $compilers; do
    built "$with" before.c -O1
    prints "constructors run once" "$with" 40 "one
two
00000001"
done
# conversions of floating point, which compilers call after optimising the whole program
cat >"$work/whole.c" <<'END'
#include "reprise_guest.h"
int main(void)
{
    volatile float f = (float)guest_core() + 1.5f;
    guest_print_hex((uint32_t)(int64_t)(f * 100));
    return 0;
}
END
for with in $compilers; do
    case $with in
    arm*) built "$with" whole.c -O2 -flto 2>"$work/err" && prints "with -flto" "$with" 1 00000096 || cat "$work/err" ;;
    esac
done
cat >"$work/local.c" <<'END'
#include "reprise_guest.h"
static _Thread_local unsigned mine = 3;
int main(void)
{
    mine += guest_core();
    guest_print_hex(mine);
    return 0;
}
END
for with in $compilers; do
    built "$with" local.c -O1 2>"$work/err" || continue # clang for ARM calls a library for them
    fails 2 "it has variables of threads, which guests do not have: leave _Thread_local out" "$r" run --guest "$work/guest.elf"
done

# ---- divisions -----------------------------------------------------------------------------------------------------------
cat >"$work/divide.c" <<'END'
#include <limits.h>
#ifdef NATIVE
#include <stdio.h>
static void guest_print_hex(unsigned x) { printf("%08x\n", x); }
#else
#include "reprise_guest.h"
#endif
static unsigned state = 12345;
static unsigned next(void)
{
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state >> (state >> 27);
}
int main(void)
{
    static const unsigned limits[] = {0, 1, 2, 3, 7, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    unsigned sum = 0;
    for (unsigned i = 0; i < 3000; i++) {
        volatile unsigned a = i < 100 ? limits[i / 10] : next(), b = i < 100 ? limits[i % 10] : next();
        if (!b)
            continue;
        sum = sum * 31 + a / b;
        sum = sum * 31 + a % b;
        if (a == 1u + INT_MAX && b == UINT_MAX)
            continue;
        sum = sum * 31 + (unsigned)((int)a / (int)b);
        sum = sum * 31 + (unsigned)((int)a % (int)b);
    }
    guest_print_hex(sum);
    return 0;
}
END
"${CC:-gcc}" -DNATIVE -o "$work/divide" "$work/divide.c"
for with in $compilers; do
    for level in -O0 -O2; do
        built "$with" divide.c $level
        prints "divisions, without a library ($level)" "$with" 1 "$("$work/divide")"
    done
done

# ---- conversions ---------------------------------------------------------------------------------------------------------
# of numbers of all sizes that fit; then of those that do not, which are the nearest that does, and 0 for what is no number
cat >"$work/convert.c" <<'END'
#include <stdint.h>
#ifdef NATIVE
#include <stdio.h>
static void guest_print_hex(unsigned x) { printf("%08x\n", x); }
#else
#include "reprise_guest.h"
#endif
static uint64_t state = 88172645463325252u, sum;
static uint64_t next(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}
static void add(uint64_t x) { sum = sum * 31 + x; }
static volatile union { uint64_t bits; double value; } d;
static volatile union { uint32_t bits; float value; } f;
int main(void)
{
    for (unsigned i = 0; i < 4000; i++) {
        const uint64_t bits = next();
        const unsigned exponent = i % 70, negative = i / 70 % 2; /* from 1/32 to 2^64 */
        d.bits = (bits << 12 >> 12) | (uint64_t)(1018 + exponent) << 52 | (uint64_t)negative << 63;
        f.bits = (uint32_t)bits >> 9 | (122 + exponent) << 23 | negative << 31;
        if (exponent < 68) { /* less than 2^63 */
            add((uint64_t)(int64_t)d.value);
            add((uint64_t)(int64_t)f.value);
        }
        if (!negative && exponent < 69) {
            add((uint64_t)d.value);
            add((uint64_t)f.value);
        }
        add((uint64_t)(int64_t)(double)(int64_t)bits / 2);
    }
    d.bits = 0xc3e0000000000000u; /* -2^63 */
    add((uint64_t)(int64_t)d.value);
    d.value = f.value = 0;
    add((uint64_t)d.value + (uint64_t)(int64_t)f.value);
    f.bits = 1;
    add((uint64_t)f.value + (uint64_t)(int64_t)f.value);
    guest_print_hex((uint32_t)(sum >> 32));
    guest_print_hex((uint32_t)sum);
#ifdef BEYOND
    static const uint64_t beyond[] = {0x43e0000000000000u, 0xc3e0000000000001u, 0x43f0000000000000u, 0x7ff0000000000000u,
                                      0xfff0000000000000u, 0x7ff8000000000000u, 0xbff0000000000000u};
    static const uint32_t of_floats[] = {0x5f000000, 0xdf000001, 0x5f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xbf800000};
    for (unsigned i = 0; i < 7; i++) {
        d.bits = beyond[i];
        f.bits = of_floats[i];
        const int64_t s = (int64_t)d.value, t = (int64_t)f.value;
        const uint64_t u = (uint64_t)d.value, v = (uint64_t)f.value;
        guest_print_hex((uint32_t)(s >> 32));
        guest_print_hex((uint32_t)(u >> 32));
        guest_print_hex(s != t || u != v);
    }
#endif
    return 0;
}
END
"${CC:-gcc}" -DNATIVE -o "$work/convert" "$work/convert.c"
beyond="7fffffff 80000000 00000000 80000000 00000000 00000000 7fffffff ffffffff 00000000 7fffffff ffffffff 00000000
80000000 00000000 00000000 00000000 00000000 00000000 ffffffff 00000000 00000000"
for with in $compilers; do
    case $with in arm-*) ;; *) continue ;; esac
    for level in -O0 -O2; do
        built "$with" convert.c $level -DBEYOND
        prints "numbers as integers of 64 bits ($level)" "$with" 1 "$("$work/convert"; echo "$beyond" | tr ' ' '\n')"
    done
    cat >"$work/complex.c" <<'END'
static volatile double _Complex x = 1, y = 2;
int main(void) { x = x / y; return 0; }
END
    built "$with" complex.c -O1
    for engine in lockstep reference; do
        fails 3 "(floating point): guests compute in integers, and this function of libgcc does not; define it in the program" \
            "$r" run --guest "$work/guest.elf" --cores 1 --engine $engine
    done
done

# ---- tables of jumps, of files without symbols ---------------------------------------------------------------------------
# gcc's table of next() has code before it, and labels have addresses without the bit of T32
cat >"$work/jumps.c" <<'END'
#include "reprise_guest.h"
static const unsigned char code[] = {0, 1, 2, 3, 1, 2, 3, 0, 2, 1, 4};
__attribute__((noinline)) static int labels(const unsigned char *p, int y)
{
    static void *const to[] = {&&a, &&b, &&c, &&d, &&e};
    goto *to[*p++];
a:
    y = y * 3 + 1;
    goto *to[*p++];
b:
    y ^= 0x55;
    goto *to[*p++];
c:
    guest_print("c");
    goto *to[*p++];
d:
    y -= 9;
    goto *to[*p++];
e:
    return y;
}
__attribute__((noinline)) static int next(const unsigned char *p, int y)
{
    for (;;)
        switch (*p++) {
        case 0: y = y * 3 + 1; break;
        case 1: y ^= 0x55; break;
        case 2: guest_print("c"); break;
        case 3: y -= 9; break;
        case 5: y += p[1]; break;
        case 6: y *= p[2]; break;
        case 7: y |= 3; break;
        case 8: y &= ~8; break;
        default: return y;
        }
}
int main(void)
{
    guest_print_hex(labels(code, 5) ^ next(code, 5));
    return 0;
}
END
for with in $compilers; do
    for level in -O0 -O1 -O2 -Os; do
        built "$with" jumps.c $level -s
        prints "tables of jumps ($level -s)" "$with" 1 "cccccc00000000"
    done
done

# ---- headers -------------------------------------------------------------------------------------------------------------
echo '#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "reprise_guest.h"
int main(void) { guest_print_hex(INT_MAX); return 0; }' >"$work/headers.c"
for with in $compilers; do
    built "$with" headers.c -O1
    prints "limits.h" "$with" 1 7fffffff
done
