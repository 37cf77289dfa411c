/* PTX statements on memory and packed integers as machine code, as agree.c compares those on floats. */
#include <criterion/criterion.h>

#include "tests/unit/sass7x/statements.h"

/* What the memory at %r3 then holds, and %lb: the old value. */
#define BOTH_64 " ld.global.u64 %%ld, [%%r3]; xor.b64 %%ld, %%ld, %%lb;"
#define BOTH_128                                                                                                       \
    " ld.global.v2.u64 {%%ld, %%la}, [%%r3]; xor.b64 %%ld, %%ld, %%la; shl.b64 %%lb, %%lb, 1; xor.b64 %%ld, %%ld, "    \
    "%%lb; xor.b64 %%ld, %%ld, %%lc;"

Test(agree7x, vectors_of_floats_in_memory)
{
    static const char *const operations[] = {"add", "min", "max"}, *const pairs[] = {"f16x2", "bf16x2"};
    for (unsigned i = 0; i < 6; i++) {
        const char *op = operations[i / 2], *type = pairs[i % 2];
        add(90, V_INT, LONG, "red.global.%s.noftz.v2.%s [%%r3], {%%b, %%c}; mov.b64 %%lb, 0;" BOTH_64, op, type);
        add(90, V_INT, LONG,
            "atom.global.%s.noftz.v2.%s {%%b, %%c}, [%%r3], {%%b, %%c}; mov.b64 %%lb, {%%b, %%c};" BOTH_64, op, type);
        add(90, V_INT, LONG, "red.global.%s.noftz.v4.%s [%%r3], {%%b, %%c, %%a, %%b};" BOTH_128, op, type);
        add(90, V_INT, LONG,
            "atom.global.%s.noftz.v4.%s {%%a, %%b, %%c, %%t}, [%%r3], {%%b, %%c, %%a, %%b}; mov.b64 %%lb, {%%a, %%b}; "
            "mov.b64 %%lc, {%%c, %%t};" BOTH_128,
            op, type);
        add(90, V_INT, LONG, "atom.%s.noftz.v2.%s {%%b, %%c}, [%%r3], {%%b, %%c}; mov.b64 %%lb, {%%b, %%c};" BOTH_64,
            op, type);
    }
    add(90, V_F32, LONG, "red.global.add.v2.f32 [%%r3], {%%fb, %%fc}; mov.b64 %%lb, 0;" BOTH_64);
    add(90, V_F32, LONG, "red.global.add.v4.f32 [%%r3], {%%fb, %%fc, %%fa, %%fb};" BOTH_128);
    add(90, V_F32, LONG,
        "atom.global.add.v4.f32 {%%fa, %%fb, %%fc, %%fd}, [%%r3], {%%fb, %%fc, %%fa, %%fb}; mov.b64 %%lb, {%%fa, "
        "%%fb}; "
        "mov.b64 %%lc, {%%fc, %%fd};" BOTH_128);
    compare_all();
}

#define LONG_VALUES                                                                                                    \
    "{ .reg .b128 %%x<3>; .shared .align 16 .b8 all[4096]; selp.b64 %%ld, %%lb, %%la, %%p; mov.b128 %%x0, {%%ld, "     \
    "%%lb}; "                                                                                                          \
    "mov.b128 %%x1, {%%lc, %%la}; "
#define OLD_LONG_VALUE " mov.b128 {%%lb, %%lc}, %%x2;"
#define IN_SHARED                                                                                                      \
    "mov.u32 %%t, %%tid.x; shl.b32 %%t, %%t, 4; mov.u32 %%u, all; add.u32 %%u, %%u, %%t; st.shared.v2.u64 [%%u], "     \
    "{%%la, %%lb}; "
#define FROM_SHARED " ld.shared.v2.u64 {%%ld, %%la}, [%%u]; st.global.v2.u64 [%%r3], {%%ld, %%la};"

Test(agree7x, atomics_of_128_bits)
{
    add(90, V_LONG, LONG, LONG_VALUES "atom.global.b128.exch %%x2, [%%r3], %%x1;" OLD_LONG_VALUE BOTH_128 "}");
    add(90, V_LONG, LONG, LONG_VALUES "atom.global.b128.cas %%x2, [%%r3], %%x0, %%x1;" OLD_LONG_VALUE BOTH_128 "}");
    add(90, V_LONG, LONG, LONG_VALUES "atom.b128.exch %%x2, [%%r3], %%x1;" OLD_LONG_VALUE BOTH_128 "}");
    add(90, V_LONG, LONG, LONG_VALUES "atom.b128.cas %%x2, [%%r3], %%x0, %%x1;" OLD_LONG_VALUE BOTH_128 "}");
    add(90, V_LONG, LONG,
        LONG_VALUES IN_SHARED "atom.shared.b128.exch %%x2, [%%u], %%x1;" FROM_SHARED OLD_LONG_VALUE BOTH_128 "}");
    add(90, V_LONG, LONG,
        LONG_VALUES IN_SHARED "atom.shared.b128.cas %%x2, [%%u], %%x0, %%x1;" FROM_SHARED OLD_LONG_VALUE BOTH_128 "}");
    compare_all();
}

Test(agree7x, packed_integers)
{
    static const char *const types[] = {"u16x2", "s16x2"}, *const extremes[] = {"min", "max"};
    add(75, V_INT, BITS, "vabsdiff4.u32.u32.u32 %%d, %%a, %%b, %%c;");
    add(75, V_INT, BITS, "vabsdiff4.u32.u32.u32.add %%d, %%a, %%b, %%c;");
    for (unsigned i = 0; i < 4; i++) {
        const char *type = types[i / 2], *extreme = extremes[i % 2];
        add(90, V_INT, BITS, "add.%s %%d, %%a, %%b;", type);
        add(90, V_INT, BITS, "mov.b32 %%t, 0x12345678; add.%s %%d, %%a, %%t;", type);
        add(90, V_INT, BITS, "add.%s %%d, %%a, %%b; %s.%s %%d, %%d, %%c;", type, extreme, type);
        add(90, V_INT, BITS, "mov.b32 %%t, 0x10ffe; add.%s %%d, %%a, %%t; %s.%s %%d, %%d, %%c;", type, extreme, type);
        add(90, V_INT, BITS, "%s.%s %%d, %%a, %%b; %s.%s %%d, %%d, %%c;", extreme, type, extreme, type);
        add(90, V_INT, BITS, "mov.b32 %%t, 0x107f00; %s.%s %%d, %%a, %%t; %s.%s %%d, %%d, %%c;", extreme, type, extreme,
            type);
        add(90, V_INT, BITS, "%s.relu.s16x2 %%d, %%a, %%b; %s.relu.s16x2 %%d, %%d, %%c;", extreme, extreme);
        add(90, V_INT, BITS, "add.s16x2 %%d, %%a, %%b; %s.relu.s16x2 %%d, %%d, %%c;", extreme);
    }
    for (unsigned i = 0; i < 2; i++) {
        add(75, V_INT, BITS, "%s.s32 %%d, %%a, %%b; %s.s32 %%d, %%d, %%c;", extremes[i], extremes[i]);
        add(75, V_INT, BITS, "%s.u32 %%d, %%a, %%b; %s.u32 %%d, %%d, %%c;", extremes[i], extremes[i]);
        add(75, V_INT, BITS, "add.s32 %%d, %%a, %%b; %s.s32 %%d, %%d, %%c;", extremes[i]);
    }
    compare_all();
}

/* A block launched without a cluster is a cluster by itself. */
Test(agree7x, no_cluster)
{
    add(90, V_INT, BITS, "mov.pred %%q, %%is_explicit_cluster; selp.u32 %%d, 1, 0, %%q;");
    add(90, V_INT, BITS, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.u32 %%d, 1;");
    compare_all();
}
