/* Atomics of f16, bf16, several elements and 128 bits: one warp, each lane's result against sums and extremes computed
 * here one after the other, in the order of the lanes. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "tests/support/model_float.h"

#include "frontend/operation/uop.h"

enum { LANES = 32, PLACES = 3, MAX_BYTES = 16 };

struct shape {
    const char *spelling;                    /* behind atom or red */
    unsigned elements, element_bytes, parts; /* parts: numbers of 16 bits in an element */
    char operation;                          /* + < > */
    const struct format *format;
};

static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t x = 0;
    memcpy(&x, at, bytes);
    return x;
}

static int64_t rank(uint64_t x) { return x & 0x8000 ? -(int64_t)(x & 0x7fff) - 1 : (int64_t)(x & 0x7fff); }

static uint64_t combined(const struct shape *s, uint64_t old, uint64_t b)
{
    const struct format *f = s->format;
    if (s->operation == '+' && f->bits == 32) /* f32 in device memory flushes */
        return flushed(soft_add(f, ROUND_N, flushed(old), flushed(b)));
    if (s->operation == '+')
        return soft_add(f, ROUND_N, old, b);
    if (is_nan(f, old) || is_nan(f, b))
        return is_nan(f, old) && is_nan(f, b) ? 0x7fff : is_nan(f, old) ? b : old;
    return (rank(old) < rank(b)) == (s->operation == '<') ? old : b;
}

static void change(const struct shape *s, uint8_t *memory, const uint8_t *operand)
{
    unsigned bytes = s->format->bits / 8, numbers = s->elements * s->element_bytes / bytes;
    for (unsigned i = 0; i < numbers; i++) {
        uint64_t r = combined(s, number(memory + i * bytes, bytes), number(operand + i * bytes, bytes));
        memcpy(memory + i * bytes, &r, bytes);
    }
}

/* Values: corners and random bits. */
static uint64_t state = 7;
static uint8_t any_byte(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint8_t)(state >> 56);
}
static void fill(uint8_t *to, size_t bytes, unsigned width)
{
    static const uint32_t corners[] = {0,      0x8000, 1,      0x8001, 0x7c00, 0xfc00, 0x7e00,
                                       0x3c00, 0xbc00, 0x7bff, 0x7f80, 0xff80, 0x03ff};
    for (size_t i = 0; i < bytes; i++)
        to[i] = any_byte();
    for (size_t i = 0; i + width <= bytes; i += width)
        if (any_byte() % 3 == 0) {
            uint32_t c = corners[any_byte() % (sizeof corners / sizeof *corners)];
            c = width == 4 ? c << 16 : c;
            memcpy(to + i, &c, width);
        }
}

/* The elements as registers: {%x0,%x1} or %x0. */
static void vector(char *text, size_t size, const struct shape *s, const char *name)
{
    size_t n = 0;
    for (unsigned i = 0; i < s->elements; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%%%s%u", i ? ", " : s->elements > 1 ? "{" : "", name, i);
    snprintf(text + n, size - n, "%s", s->elements > 1 ? "}" : "");
}
static void moves(char *text, size_t size, const struct shape *s, bool load, const char *name, const char *base)
{
    size_t n = 0;
    unsigned bits = 8 * s->element_bytes;
    for (unsigned i = 0; i < s->elements; i++) {
        unsigned at = i * s->element_bytes;
        if (load)
            n += (size_t)snprintf(text + n, size - n, "ld.global.b%u %%%s%u, [%s+%u];\n", bits, name, i, base, at);
        else
            n += (size_t)snprintf(text + n, size - n, "st.global.b%u [%s+%u], %%%s%u;\n", bits, base, at, name, i);
    }
}

/* Arguments: memory, operands of the lanes, old values. Lane l goes to place l % PLACES. `same`: the old values go
 * where the operands were, in another order. */
static void run(const struct shape *s, bool result, bool same)
{
    unsigned width = s->elements * s->element_bytes;
    const uint64_t bytes[] = {PLACES * width, LANES * width, LANES * width};
    char body[6000], load[1000], store[1000], b[200], d[200], instruction[2000];
    struct rig r;
    vector(b, sizeof b, s, "b");
    vector(d, sizeof d, s, same ? "b" : "d");
    moves(load, sizeof load, s, true, "b", "%b");
    moves(store, sizeof store, s, false, same ? "b" : "d", "%o");
    if (result)
        snprintf(instruction, sizeof instruction, "atom.%s %s, [%%m], %s;\n%s", s->spelling, d, b, store);
    else
        snprintf(instruction, sizeof instruction, "red.%s [%%m], %s;\n", s->spelling, b);
    snprintf(body, sizeof body,
             ".visible .entry k(.param .u64 memory, .param .u64 operands, .param .u64 old) {\n"
             ".reg .b64 %%m, %%b, %%o, %%t; .reg .b32 %%i; .reg .b%u %%b<8>, %%d<8>;\n"
             "ld.param.u64 %%m, [memory]; ld.param.u64 %%b, [operands]; ld.param.u64 %%o, [old];\n"
             "mov.u32 %%i, %%tid.x; mul.wide.u32 %%t, %%i, %u; add.u64 %%b, %%b, %%t; add.u64 %%o, %%o, %%t;\n"
             "rem.u32 %%i, %%i, %d; mul.wide.u32 %%t, %%i, %u; add.u64 %%m, %%m, %%t;\n%s%sret; }\n",
             8 * s->element_bytes, width, PLACES, width, load, instruction);
    rig_target = "sm_90";
    rig_open(&r, body, 3, bytes);
    uint8_t memory[PLACES * MAX_BYTES], old[LANES * MAX_BYTES] = {0};
    fill(r.host[0], bytes[0], s->format->bits / 8);
    fill(r.host[1], bytes[1], s->format->bits / 8);
    memcpy(memory, r.host[0], bytes[0]);
    for (unsigned l = 0; l < LANES; l++) {
        uint8_t *at = memory + l % PLACES * width;
        memcpy(old + l * width, at, width);
        change(s, at, (uint8_t *)r.host[1] + l * width);
    }
    cr_assert(rig_run(&r, 1, LANES), "%s: %s", s->spelling, r.err.text);
    cr_expect_arr_eq(r.host[0], memory, bytes[0], "%s", s->spelling);
    if (result)
        cr_expect_arr_eq(r.host[2], old, bytes[2], "%s", s->spelling);
    rig_close(&r);
    rig_target = "sm_62";
}

#define F32 &FORMAT_F32
#define F16 &FORMAT_F16
#define BF16 &FORMAT_BF16
static const struct shape shapes[] = {
    {"global.add.noftz.f16", 1, 2, 1, '+', F16},        {"global.add.noftz.f16x2", 1, 4, 2, '+', F16},
    {"global.add.noftz.bf16", 1, 2, 1, '+', BF16},      {"relaxed.gpu.global.add.noftz.bf16x2", 1, 4, 2, '+', BF16},
    {"global.add.v2.f32", 2, 4, 0, '+', F32},           {"global.v4.f32.add", 4, 4, 0, '+', F32},
    {"global.add.noftz.v2.f16", 2, 2, 1, '+', F16},     {"global.add.noftz.v4.f16", 4, 2, 1, '+', F16},
    {"global.add.noftz.v8.f16", 8, 2, 1, '+', F16},     {"global.add.noftz.v8.bf16", 8, 2, 1, '+', BF16},
    {"global.min.noftz.v4.f16", 4, 2, 1, '<', F16},     {"global.max.noftz.v2.bf16", 2, 2, 1, '>', BF16},
    {"global.add.noftz.v4.f16x2", 4, 4, 2, '+', F16},   {"global.min.noftz.v2.f16x2", 2, 4, 2, '<', F16},
    {"global.max.noftz.v4.bf16x2", 4, 4, 2, '>', BF16}, {"global.add.noftz.v2.bf16x2", 2, 4, 2, '+', BF16},
};
Test(atomics, small_numbers_and_vectors)
{
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int k = 0; k < 8; k++) {
            run(&shapes[i], true, false);
            run(&shapes[i], true, true);
            run(&shapes[i], false, false);
        }
}

/* 128 bits out of four words and into four, some of which nobody wants; a lane that is not there keeps what it has. */
Test(atomics, words_of_128_bits)
{
    const uint64_t bytes[] = {LANES * 16, LANES * 16};
    struct rig r;
    rig_target = "sm_90";
    rig_open(&r,
             ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
             ".reg .b64 %i, %o, %t; .reg .b32 %l, %w, %x, %y, %z; .reg .b128 %q; .reg .pred %p;\n"
             "ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %l, %tid.x; mul.wide.u32 %t, %l, 16;\n"
             "add.u64 %i, %i, %t; add.u64 %o, %o, %t; ld.global.v4.b32 {%w, %x, %y, %z}, [%i];\n"
             "setp.lt.u32 %p, %l, 20; mov.b128 %q, {%w, %x, %y, %z}; @%p mov.b128 %q, {%z, %y, %x, %w};\n"
             "st.global.b128 [%o], %q; ld.global.v4.b32 {%w, %x, %y, %z}, [%i];\n"
             "@%p mov.b128 {%w, _, %y, %z}, %q; st.global.v4.b32 [%i], {%w, %x, %y, %z};\nret; }\n",
             2, bytes);
    uint32_t *in = r.host[0], *out = r.host[1], before[4 * LANES];
    uint64_t seed = 1;
    for (unsigned i = 0; i < 4 * LANES; i++)
        before[i] = in[i] = (uint32_t)(seed = seed * 6364136223846793005ull + 1) ^ i;
    cr_assert(rig_run(&r, 1, LANES), "%s", r.err.text);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < 4; k++) {
            uint32_t turned = before[4 * l + (l < 20 ? 3 - k : k)];
            cr_expect_eq(out[4 * l + k], turned, "lane %u word %u", l, k);
            cr_expect_eq(in[4 * l + k], k == 1 ? before[4 * l + 1] : turned, "lane %u word %u", l, k);
        }
    rig_close(&r);
    rig_target = "sm_62";
}

/* Lanes of one warp exchange 128 bits at one place: each gets what the lane before it left. */
Test(atomics, exchange_of_128_bits)
{
    const uint64_t bytes[] = {16, LANES * 16};
    struct rig r;
    rig_target = "sm_90";
    rig_open(&r,
             ".visible .entry k(.param .u64 memory, .param .u64 out) {\n"
             ".reg .b64 %m, %o, %t, %x, %y; .reg .b32 %i; .reg .b128 %q, %d;\n"
             "ld.param.u64 %m, [memory]; ld.param.u64 %o, [out];\n"
             "mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 16; add.u64 %o, %o, %t;\n"
             "cvt.u64.u32 %x, %i; not.b64 %y, %x; mov.b128 %q, {%x, %y};\n"
             "atom.global.exch.b128 %d, [%m], %q; mov.b128 {%x, %y}, %d; st.global.v2.b64 [%o], {%x, %y};\nret; }\n",
             2, bytes);
    uint64_t *memory = r.host[0], *out = r.host[1];
    memory[0] = 111, memory[1] = 222;
    cr_assert(rig_run(&r, 1, LANES), "%s", r.err.text);
    for (uint64_t l = 0; l < LANES; l++)
        cr_expect(out[2 * l] == (l ? l - 1 : 111) && out[2 * l + 1] == (l ? ~(l - 1) : 222), "lane %lu", l);
    cr_expect(memory[0] == LANES - 1 && memory[1] == ~(uint64_t)(LANES - 1));
    rig_close(&r);
    rig_target = "sm_62";
}

/* Each lane adds its number to both words by a loop of cas: equal halves alone do not swap. */
Test(atomics, compare_and_swap_of_128_bits)
{
    const uint64_t bytes[] = {16, 16};
    struct rig r;
    rig_target = "sm_90";
    rig_open(&r,
             ".visible .entry k(.param .u64 memory, .param .u64 out) {\n"
             ".shared .align 16 .b8 s[16]; .reg .b64 %m, %x, %y, %u, %v, %n; .reg .b32 %i, %a; .reg .b128 %e, %q, %d;\n"
             ".reg .pred %p, %o;\n"
             "ld.param.u64 %m, [memory]; mov.u32 %i, %tid.x; mov.u32 %a, s; mov.b64 %x, 0; setp.eq.u32 %o, %i, 0;\n"
             "@%o st.shared.v2.b64 [s], {%x, %x}; bar.sync 0; cvt.u64.u32 %n, %i;\n"
             "mov.b64 %x, 0; mov.b64 %y, 0;\n"
             "AGAIN: mov.b128 %e, {%x, %y}; add.u64 %u, %x, 1; add.u64 %v, %y, %n; mov.b128 %q, {%u, %v};\n"
             "atom.shared.cas.b128 %d, [%a], %e, %q; mov.b128 {%u, %v}, %d;\n"
             "setp.ne.u64 %p, %u, %x; setp.ne.or.u64 %p, %v, %y, %p; mov.b64 %x, %u; mov.b64 %y, %v; @%p bra AGAIN;\n"
             "bar.sync 0; ld.shared.v2.b64 {%x, %y}, [s]; @%o st.global.v2.b64 [%m], {%x, %y};\nret; }\n",
             2, bytes);
    cr_assert(rig_run(&r, 1, 64), "%s", r.err.text);
    const uint64_t *memory = r.host[0];
    cr_expect(memory[0] == 64 && memory[1] == 63 * 64 / 2, "%lu %lu", memory[0], memory[1]);
    rig_close(&r);
    rig_target = "sm_62";
}

Test(atomics, vectors_are_aligned_as_a_whole)
{
    const uint64_t bytes[] = {64};
    struct rig r;
    rig_target = "sm_90";
    rig_open(&r,
             ".visible .entry k(.param .u64 memory) {\n.reg .b64 %m; .reg .f32 %f; ld.param.u64 %m, [memory];\n"
             "mov.f32 %f, 0f3F800000; red.global.add.v2.f32 [%m+4], {%f, %f};\nret; }\n",
             1, bytes);
    rig_expect_fault(&r, 1, 1, RP_FAULT_MISALIGNED, "not a multiple of 8");
    rig_close(&r);
    rig_target = "sm_62";
}
