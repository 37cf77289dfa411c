/* Every form of atom and red on memory: each operation, type, vector, order, scope and space runs on corner values, one
 * cell per thread, and what it returns and leaves is compared with a model: integers of the host, and the model of add,
 * min and max of floats (reference.h). PTX ISA, "atom" and "red". Contention: tests/unit/engine/atomics.c. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/host/launch.h"
#include "frontend/isa/ptx/check.h"
#include "tests/support/model_float.h"
#include "tests/unit/ptx_forms/reference.h"
#include "tests/unit/ptx_forms/walk.h"

/* A thread's data: the cell, the operand, and cas's other operand; its results: what was returned, and what is left. */
enum { THREADS = 32, WIDTH = 16, DATA = 3 * WIDTH, RESULTS = 2 * WIDTH, BATCH = 300, TEXT = 1 << 20 };

struct batch {
    struct spelled forms[BATCH];
    unsigned count;
    char *text;
    size_t length;
    unsigned checked, refused;
};

static uint64_t state = 15;
static uint64_t next_random(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 24;
}

static uint64_t corner(enum ptx_type t)
{
    static const uint64_t c16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x3c00, 0xbc00, 0x7bff, 0xfbff,
                                   0x7c00, 0xfc00, 0x7e00, 0x7f80, 0xff80, 0x7f7f, 0x0080, 0x7fff, 0xffff};
    static const uint64_t c32[] = {0,          1,          0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000,
                                   0x3f800001, 0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x807fffff, 0x7f7fffff};
    static const uint64_t c64[] = {0,
                                   1,
                                   0xffffffff,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0x8000000000000001,
                                   0xffffffffffffffff,
                                   0x3ff0000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000001,
                                   0x0010000000000000,
                                   0x7fefffffffffffff};
    uint64_t r = next_random(), x = next_random() << 32 ^ next_random();
    if (r % 4 == 0)
        return x;
#define PICK(list) list[x % (sizeof(list) / sizeof *(list))]
    if (is_pair_type(t))
        return PICK(c16) << 16 | c16[next_random() % (sizeof c16 / sizeof *c16)];
    return bits_of(t) == 16 ? PICK(c16) : bits_of(t) == 32 ? PICK(c32) : PICK(c64);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static bool does(const struct spelled *s, const char *operation)
{
    char middle[20];
    snprintf(middle, sizeof middle, ".%s.", operation);
    return strstr(s->text, middle);
}
static bool in_shared(const struct spelled *s) { return strstr(s->text, ".shared"); }
static unsigned elements_of(const struct spelled *s) { return (unsigned)mods_value(&s->mods, G_VECTOR, 1); }
/* Of vectors and floats: as the instruction that computes in registers. */
static uint64_t as_in_registers(const char *opcode, enum ptx_type t, uint64_t old, uint64_t b)
{
    struct ptx_modifiers mods = {.leading = {-1, -1}, .type_count = 1, .types = {t}};
    struct call c = {.opcode = opcode, .mods = &mods, .a = old, .b = b, .imm = 0};
    struct answer r;
    cr_assert_eq(reference(&c, &r), ANSWERED, "no model of %s.%s", opcode, ptx_types[t].name);
    return r.d;
}

static uint64_t sum(const struct spelled *s, enum ptx_type t, uint64_t old, uint64_t b)
{
    if (t == PT_F32 && !in_shared(s)) /* "atom.add.f32 on global memory flushes subnormal inputs and results" */
        return flushed(soft_add(&FORMAT_F32, ROUND_N, flushed(old), flushed(b)));
    return is_float_type(t) ? as_in_registers("add", t, old, b) : low_bits(old + b, bits_of(t));
}

static bool less(enum ptx_type t, uint64_t a, uint64_t b)
{
    return is_signed_type(t) ? signed_of(a, bits_of(t)) < signed_of(b, bits_of(t)) : a < b;
}

static bool model(const struct spelled *s, uint64_t old, uint64_t b, uint64_t c, uint64_t *left)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    if (does(s, "add"))
        *left = sum(s, t, old, b);
    else if (does(s, "min"))
        *left = is_float_type(t) ? as_in_registers("min", t, old, b) : less(t, b, old) ? b : old;
    else if (does(s, "max"))
        *left = is_float_type(t) ? as_in_registers("max", t, old, b) : less(t, old, b) ? b : old;
    else if (does(s, "inc"))
        *left = old >= b ? 0 : old + 1;
    else if (does(s, "dec"))
        *left = old == 0 || old > b ? b : old - 1;
    else if (does(s, "and"))
        *left = old & b;
    else if (does(s, "or"))
        *left = old | b;
    else if (does(s, "xor"))
        *left = old ^ b;
    else if (does(s, "exch"))
        *left = b;
    else if (does(s, "cas"))
        *left = old == b ? c : old;
    else
        return false;
    return true;
}

/* The cell after the instruction, in bytes. */
static void expected_cell(const struct spelled *s, const uint8_t *data, uint8_t *cell)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    unsigned size = bits_of(t) / 8;
    memcpy(cell, data, WIDTH);
    if (size == WIDTH) { /* exch and cas of 128 bits */
        bool taken = does(s, "exch") || !memcmp(data, data + WIDTH, WIDTH);
        memcpy(cell, does(s, "exch") ? data + WIDTH : taken ? data + 2 * WIDTH : data, WIDTH);
        return;
    }
    for (unsigned e = 0; e < elements_of(s); e++) {
        uint64_t v[3] = {0}, left = 0;
        for (unsigned i = 0; i < 3; i++)
            memcpy(&v[i], data + i * WIDTH + e * size, size);
        cr_assert(model(s, v[0], v[1], v[2], &left), "there is no model for %s", s->text);
        memcpy(cell + e * size, &left, size);
    }
}

/* ---- one form as a kernel ---------------------------------------------------------------------------------------- */

static const char *class_of(enum ptx_type t)
{
    unsigned bits = bits_of(t);
    return bits == 128 ? "q" : bits == 64 ? "d" : bits == 32 ? "r" : "h";
}

/* Each element of a list of registers, to memory ('o') or from it. */
static size_t moves(char *to, size_t size, const struct spelled *s, char list, const char *base, unsigned offset)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    size_t n = 0;
    for (unsigned e = 0; e < elements_of(s); e++) {
        unsigned at = offset + e * bits_of(t) / 8;
        if (list == 'o')
            n += (size_t)snprintf(to + n, size - n, "st.global.b%u [%s+%u], %%%so%u;\n", bits_of(t), base, at,
                                  class_of(t), e);
        else
            n += (size_t)snprintf(to + n, size - n, "ld.global.b%u %%%s%c%u, [%s+%u];\n", bits_of(t), class_of(t), list,
                                  e, base, at);
    }
    return n;
}

static size_t list_of(char *to, size_t size, const struct spelled *s, char list)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    unsigned count = elements_of(s);
    size_t n = 0;
    for (unsigned e = 0; e < count; e++)
        n += (size_t)snprintf(to + n, size - n, "%s%%%s%c%u", e ? ", " : count > 1 ? "{" : "", class_of(t), list, e);
    return n + (size_t)snprintf(to + n, size - n, count > 1 ? "}" : "");
}

static size_t instruction(char *to, size_t size, const struct spelled *s)
{
    size_t n = (size_t)snprintf(to, size, "%s ", s->text);
    for (uint32_t i = 0; i < s->operands; i++) {
        char role = s->form->operands[i].role;
        n += (size_t)snprintf(to + n, size - n, i ? ", " : "");
        if (role == 'm')
            n += (size_t)snprintf(to + n, size - n, in_shared(s) ? "[%%r1]" : "[%%in]");
        else if (role == 'x')
            n += (size_t)snprintf(to + n, size - n, "%%d3");
        else
            n += list_of(to + n, size - n, s, role == 'd' ? 'o' : role);
    }
    return n + (size_t)snprintf(to + n, size - n, ";\n");
}

static size_t kernel_text(char *to, size_t size, const struct spelled *s, unsigned number)
{
    const char *registers = ".reg .b128 %qo<8>, %qb<8>, %qc<8>; .reg .b64 %in, %out, %d<8>, %do<8>, %db<8>, %dc<8>;\n"
                            ".reg .b32 %r<8>, %ro<8>, %rb<8>, %rc<8>; .reg .b16 %ho<8>, %hb<8>, %hc<8>;\n";
    bool returns = s->form->operands[0].role == 'd', other = false;
    for (uint32_t i = 0; i < s->operands; i++)
        other |= s->form->operands[i].role == 'c';
    size_t n = (size_t)snprintf(to, size,
                                ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n%s"
                                ".shared .align 16 .b8 cells[%d];\n"
                                "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%r0, %%tid.x;\n"
                                "mad.wide.u32 %%in, %%r0, %d, %%in; mad.wide.u32 %%out, %%r0, %d, %%out;\n"
                                "mov.u32 %%r1, cells; mad.lo.u32 %%r1, %%r0, %d, %%r1; mov.b64 %%d3, 0;\n"
                                "ld.global.v2.b64 {%%d4, %%d5}, [%%in]; st.shared.v2.b64 [%%r1], {%%d4, %%d5};\n",
                                number, registers, WIDTH * THREADS, DATA, RESULTS, WIDTH);
    n += moves(to + n, size - n, s, 'b', "%in", WIDTH);
    n += other ? moves(to + n, size - n, s, 'c', "%in", 2 * WIDTH) : 0;
    n += instruction(to + n, size - n, s);
    n += returns ? moves(to + n, size - n, s, 'o', "%out", 0) : 0;
    return n +
           (size_t)snprintf(to + n, size - n,
                            "ld.%s.v2.b64 {%%d4, %%d5}, [%s];\nst.global.v2.b64 [%%out+%d], {%%d4, %%d5};\nret;\n}\n",
                            in_shared(s) ? "shared" : "global", in_shared(s) ? "%r1" : "%in", WIDTH);
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static void fill(const struct spelled *s, uint8_t *data)
{
    enum ptx_type t = (enum ptx_type)s->mods.types[0];
    unsigned size = bits_of(t) < 64 ? bits_of(t) / 8 : 8;
    for (unsigned i = 0; i < DATA; i += size) {
        uint64_t v = corner(t);
        memcpy(data + i, &v, size);
    }
    if (does(s, "cas") && next_random() % 2)
        memcpy(data + WIDTH, data, WIDTH); /* the values agree */
}

static void expect_thread(const struct spelled *s, const uint8_t *data, const uint8_t *results)
{
    unsigned bytes = elements_of(s) * bits_of((enum ptx_type)s->mods.types[0]) / 8;
    uint8_t cell[WIDTH];
    expected_cell(s, data, cell);
    bool returned = s->form->operands[0].role != 'd' || !memcmp(results, data, bytes);
    cr_expect(returned, "%s does not return what was there", s->text);
    if (!memcmp(results + WIDTH, cell, WIDTH))
        return;
    uint64_t v[8];
    memcpy(v, data, 16), memcpy(v + 2, data + WIDTH, 16), memcpy(v + 4, cell, 16), memcpy(v + 6, results + WIDTH, 16);
    cr_expect(false, "%s of %#lx %#lx with %#lx %#lx leaves %#lx %#lx, not %#lx %#lx", s->text, v[0], v[1], v[2], v[3],
              v[6], v[7], v[4], v[5]);
}

static void run_form(struct rp_device *device, struct program *p, const struct spelled *s, const uint64_t *addresses)
{
    struct rp_launch_config config = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .params = addresses, .threads = 1};
    struct rp_launch_result result;
    struct rp_error err;
    uint8_t kept[THREADS * DATA], *data = rp_host(device, addresses[0], 8), *results = rp_host(device, addresses[1], 8);
    for (int t = 0; t < THREADS; t++)
        fill(s, data + t * DATA);
    memcpy(kept, data, sizeof kept);
    memset(results, 0x5a, THREADS * RESULTS);
    cr_assert(rp_launch_kernel(device, p, &config, &result, &err), "%s: %s", s->text, err.text);
    for (int t = 0; t < THREADS; t++)
        expect_thread(s, kept + t * DATA, results + t * RESULTS);
}

static void run_batch(struct batch *b)
{
    struct rp_error err;
    struct rp_device *device = rp_device_new(&err);
    struct module *m = ptx_load_text("atomics.ptx", b->text, b->length, 0, &err);
    cr_assert(device && m, "%s", err.text);
    cr_assert(rp_device_adopt(device, m, &err), "%s", err.text);
    uint64_t in = rp_alloc(device, THREADS * DATA, "in", &err), out = rp_alloc(device, THREADS * RESULTS, "out", &err);
    for (unsigned i = 0; i < b->count; i++) {
        char name[20];
        snprintf(name, sizeof name, "k%u", i);
        struct program *p = module_find(m, name, &err);
        if (p)
            run_form(device, p, &b->forms[i], (const uint64_t[]){in, out}), b->checked++;
        else
            b->refused++;
        cr_expect(p || strstr(err.text, "go to .global or .shared memory"), "%s",
                  err.text); /* .const, .local, .param */
    }
    rp_device_free(device);
    b->count = 0;
    b->length = (size_t)snprintf(b->text, TEXT, ".version 9.0\n.target sm_90\n.address_size 64\n");
}

static void add_form(const struct spelled *s, void *data)
{
    struct batch *b = data;
    b->forms[b->count] = *s;
    b->length += kernel_text(b->text + b->length, TEXT - b->length, s, b->count++);
    cr_assert_lt(b->length, (size_t)TEXT);
    if (b->count == BATCH)
        run_batch(b);
}

static void walk(const char *opcode, struct batch *b)
{
    uint32_t count;
    const struct ptx_form *forms = ptx_opcode(opcode, (uint32_t)strlen(opcode), &count);
    for (uint32_t f = 0; f < count; f++) {
        unsigned before = b->checked;
        if (forms[f].lowering != LOW_ATOMIC)
            continue;
        walk_row(&forms[f], true, add_form, b);
        run_batch(b);
        cr_expect_gt(b->checked, before, "no form of row %u of %s runs", f, opcode);
    }
}

Test(atomics, every_form_against_its_model)
{
    struct batch b = {.text = malloc(TEXT)};
    cr_assert(b.text);
    b.length = (size_t)snprintf(b.text, TEXT, ".version 9.0\n.target sm_90\n.address_size 64\n");
    walk("atom", &b);
    walk("red", &b);
    fprintf(stderr, "# %u forms of atom and red agree with their models, %u are refused\n", b.checked, b.refused);
    free(b.text);
}
