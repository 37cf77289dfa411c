/* Every form of mbarrier, cp.async.mbarrier.arrive, st.async and red.async runs on an object in a state that is drawn,
 * by lanes that are drawn; what it returns, and what the object does afterwards as arrivals and bytes come one by one,
 * is compared with a plain count. PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier",
 * "Asynchronous operations". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "frontend/operation/uop.h"
#include "tests/unit/ptx_forms/batch.h"
#include "tests/unit/ptx_forms/reference.h"

enum { LANES = 32, ROUNDS = 12, CELL = 32, FORMS_AT_LEAST = 300 };

struct lane_in {
    uint32_t goes, a; /* a: count, bytes, or parity */
    uint64_t values[4];
};
/* The kernel's input: the object before, and how it is watched afterwards. */
struct input {
    uint32_t expected, arrivals, bytes; /* at init; then, by lane 0 */
    uint32_t more, rest;                /* arrivals one by one; bytes that complete what is left */
    uint32_t state_of;                  /* the arrival of lane 0 whose state is asked about */
    uint64_t none;
    struct lane_in lane[LANES];
};
struct output {
    struct lane_out {
        uint64_t d, q;
        uint8_t cell[CELL];
    } lane[LANES];
    uint64_t phases; /* a bit for each time that lane 0 looked: the parity of the phases that are over */
};

/* ---- the model --------------------------------------------------------------------------------------------------- */

struct object {
    uint32_t expected, pending;
    int64_t bytes;
    uint32_t phase;
};

static void complete_if(struct object *o)
{
    if (o->pending || o->bytes)
        return;
    o->phase++;
    o->pending = o->expected;
}

static void arrive(struct object *o, uint32_t count)
{
    o->pending -= count;
    complete_if(o);
}

static void come(struct object *o, int64_t bytes)
{
    o->bytes -= bytes;
    complete_if(o);
}

/* An arrival that was seen: its phase, and what was pending before it. */
struct token {
    uint32_t phase, pending;
};

static bool is(const struct spelled *s, int modifier) { return mods_have(&s->mods, modifier); }
static bool copies(const struct spelled *s) { return s->form->opcode[0] == 'c'; }
static bool stores(const struct spelled *s) { return s->form->lowering == LOW_STORE_ASYNC; }
static bool reduces(const struct spelled *s) { return s->form->lowering == LOW_REDUCE_ASYNC; }
static bool waits(const struct spelled *s) { return s->form->lowering == LOW_OBJECT_WAIT; }
static bool arrives(const struct spelled *s)
{
    return !copies(s) && !stores(s) && !reduces(s) && (is(s, M_ARRIVE) || is(s, M_ARRIVE_DROP));
}
static enum ptx_type element_type(const struct spelled *s) { return (enum ptx_type)s->mods.types[0]; }
static unsigned bytes_of(const struct spelled *s)
{
    return bits_of(element_type(s)) / 8 * (unsigned)mods_value(&s->mods, G_VECTOR, 1);
}
static bool names_operand(const struct spelled *s, char role)
{
    for (uint32_t i = 0; i < s->operands; i++)
        if (s->form->operands[i].role == role)
            return true;
    return false;
}
static uint32_t count_of(const struct spelled *s, const struct lane_in *in)
{
    return names_operand(s, 'a') && !is(s, M_EXPECT_TX) ? in->a : 1;
}

static uint64_t reduced(const struct spelled *s, uint64_t old, uint64_t b)
{
    unsigned bits = bits_of(element_type(s));
    bool less = is_signed_type(element_type(s)) ? signed_of(b, bits) < signed_of(old, bits) : b < old;
    switch (mods_value(&s->mods, G_OPERATION, -1)) {
    case RP_ATOMIC_INC: return old >= b ? 0 : old + 1;
    case RP_ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case RP_ATOMIC_MIN: return less ? b : old;
    case RP_ATOMIC_MAX: return less || b == old ? old : b;
    case RP_ATOMIC_AND: return old & b;
    case RP_ATOMIC_OR: return old | b;
    case RP_ATOMIC_XOR: return old ^ b;
    default: return low_bits(old + b, bits);
    }
}

/* What the lane's cell holds then. */
static void write_cell(const struct spelled *s, const struct lane_in *in, uint8_t *cell)
{
    unsigned each = bits_of(element_type(s)) / 8;
    for (unsigned i = 0; stores(s) && i < bytes_of(s) / each; i++)
        memcpy(cell + i * each, &in->values[i], each);
    if (reduces(s)) {
        uint64_t old = 0, value;
        memcpy(&old, cell, each);
        value = reduced(s, old, low_bits(in->values[0], 8 * each));
        memcpy(cell, &value, each);
    }
}

/* One lane executes the form. */
static void object_step(const struct spelled *s, const struct lane_in *in, const struct token *asked, struct object *o,
                        struct lane_out *out)
{
    if (stores(s) || reduces(s)) {
        write_cell(s, in, out->cell);
        come(o, bytes_of(s));
    } else if (copies(s)) { /* its copies are done; without .noinc it was not expected */
        o->pending += !is(s, M_NOINC);
        arrive(o, 1);
    } else if (waits(s)) {
        uint32_t parity = in->a & 1;
        out->q = is(s, M_PARITY) ? (o->phase & 1) != parity : o->phase != asked->phase;
    } else if (s->form->lowering == LOW_PENDING_COUNT) {
        out->d = asked->pending;
    } else if (is(s, M_INIT)) {
        *o = (struct object){.expected = in->a, .pending = in->a};
    } else if (arrives(s)) {
        o->bytes += is(s, M_EXPECT_TX) ? in->a : 0;
        out->d = names_operand(s, 'd') && mods_value(&s->mods, G_SPACE, 0) != RP_SPACE_SHARED_CLUSTER ? o->pending : 0;
        o->expected -= is(s, M_ARRIVE_DROP) ? count_of(s, in) : 0;
        arrive(o, count_of(s, in));
    } else if (is(s, M_EXPECT_TX)) {
        o->bytes += in->a;
    } else if (is(s, M_COMPLETE_TX)) {
        come(o, in->a);
    } else {
        cr_expect(is(s, M_INVAL), "there is no model for %s: %s", s->text, __FILE__);
    }
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

#define SAY(...) n += (size_t)snprintf(to + n, size - n, __VA_ARGS__)

static size_t object_values(char *to, size_t size, const struct spelled *s)
{
    unsigned count = (unsigned)mods_value(&s->mods, G_VECTOR, 1);
    const char *class = bits_of(element_type(s)) == 64 ? "%v" : "%w";
    size_t n = 0;
    for (unsigned i = 0; i < count; i++)
        SAY("%s%s%u%s", i ? ", " : count > 1 ? "{" : "", class, i, count > 1 && i + 1 == count ? "}" : "");
    return n;
}

static size_t object_instruction(char *to, size_t size, const struct spelled *s)
{
    bool remote = mods_value(&s->mods, G_SPACE, 0) == RP_SPACE_SHARED_CLUSTER, first = true;
    size_t n = 0;
    SAY("@%%go %s", s->text);
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        SAY("%s", i ? ", " : " ");
        if (o->role == 'm') /* of st.async and red.async the first is the place */
            SAY("[%s]", (stores(s) || reduces(s)) && first ? "%place" : "%object");
        else if (o->role == 'q')
            SAY("%%q");
        else if (o->role == 'd')
            SAY(s->form->lowering == LOW_PENDING_COUNT ? "%%count" : remote ? "_" : "%%d");
        else if (o->role == 'b' && waits(s))
            SAY("1"); /* a limit of time */
        else if (stores(s) || reduces(s))
            n += object_values(to + n, size - n, s);
        else
            SAY(s->form->lowering == LOW_PENDING_COUNT || (waits(s) && !is(s, M_PARITY)) ? "%%state" : "%%a");
        first &= o->role != 'm';
    }
    SAY(";\n");
    return n;
}

/* Lane 0 looks which phases are over. */
static const char look[] = "@%zero mbarrier.test_wait.parity.shared.b64 %p, [object], 0;\n"
                           "@%zero selp.b64 %x, 1, 0, %p; @%zero shl.b64 %phases, %phases, 1;\n"
                           "@%zero or.b64 %phases, %phases, %x;\n";

static size_t object_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    int space = mods_value(&s->mods, G_SPACE, RP_SPACE_GENERIC);
    size_t n = 0;
    SAY(".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
        ".shared .align 8 .b64 object; .shared .align 16 .b8 cells[%d];\n"
        ".reg .b64 %%in, %%out, %%own, %%object, %%place, %%state, %%states, %%d, %%x, %%phases, %%v<4>;\n"
        ".reg .b32 %%t, %%a, %%i, %%n, %%count, %%asked, %%w<4>; .reg .pred %%go, %%zero, %%q, %%p, %%again;\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; setp.eq.u32 %%zero, %%t, 0;\n"
        "mov.u64 %%object, object; mov.u64 %%place, cells; mul.wide.u32 %%own, %%t, %d;\n"
        "add.u64 %%place, %%place, %%own; mov.u64 %%phases, 0; mov.u64 %%d, 0; mov.u32 %%count, 0;\n"
        "mov.u64 %%x, 0x1122334455667788; st.shared.b64 [%%place], %%x; st.shared.b64 [%%place+8], %%x;\n"
        "st.shared.b64 [%%place+16], %%x; st.shared.b64 [%%place+24], %%x;\n"
        "ld.global.u32 %%n, [%%in]; @%%zero mbarrier.init.shared.b64 [object], %%n;\n"
        "ld.global.u32 %%n, [%%in+8]; @%%zero mbarrier.expect_tx.relaxed.cta.shared.b64 [object], %%n;\n"
        "ld.global.u32 %%n, [%%in+4]; ld.global.u32 %%asked, [%%in+20]; mov.u32 %%i, 0; mov.u64 %%state, 0;\n"
        "before: setp.ge.u32 %%p, %%i, %%n; @%%p bra ready;\n"
        "@%%zero mbarrier.arrive.shared.b64 %%states, [object];\n"
        "setp.eq.u32 %%p, %%i, %%asked; @%%p mov.b64 %%state, %%states;\n"
        "add.u32 %%i, %%i, 1; bra before;\nready: bar.warp.sync -1;\n",
        number, LANES * CELL, CELL);
    SAY("mov.b64 {%%n, %%i}, %%state; shfl.sync.idx.b32 %%n, %%n, 0, 31, -1; shfl.sync.idx.b32 %%i, %%i, 0, 31, -1;\n"
        "mov.b64 %%state, {%%n, %%i};\n");
    if (space == RP_SPACE_GENERIC)
        SAY("cvta.shared.u64 %%object, %%object; cvta.shared.u64 %%place, %%place;\n");
    if (space == RP_SPACE_SHARED_CLUSTER)
        SAY("mapa.shared::cluster.u64 %%object, %%object, 0; mapa.shared::cluster.u64 %%place, %%place, 0;\n");
    SAY("mul.wide.u32 %%own, %%t, %d; add.u64 %%own, %%own, %%in; ld.global.u32 %%n, [%%own+32];\n"
        "setp.ne.u32 %%go, %%n, 0; ld.global.u32 %%a, [%%own+36]; setp.ne.u32 %%q, 0, 0;\n",
        (int)sizeof(struct lane_in));
    for (unsigned i = 0; i < 4; i++)
        SAY("ld.global.b64 %%v%u, [%%own+%u]; cvt.u32.u64 %%w%u, %%v%u;\n", i, 40 + 8 * i, i, i);
    n += object_instruction(to + n, size - n, s);
    SAY("bar.warp.sync -1;\n");
    if (s->form->lowering == LOW_PENDING_COUNT)
        SAY("cvt.u64.u32 %%d, %%count;\n");
    else if (names_operand(s, 'd') && space != RP_SPACE_SHARED_CLUSTER)
        SAY("mbarrier.pending_count.b64 %%count, %%d; cvt.u64.u32 %%d, %%count; @!%%go mov.u64 %%d, 0;\n");
    if (is(s, M_INVAL))
        SAY("@%%zero mbarrier.init.shared.b64 [object], 1;\n");
    SAY("%sld.global.u32 %%n, [%%in+12]; mov.u32 %%i, 0;\n"
        "after: setp.ge.u32 %%p, %%i, %%n; @%%p bra bytes;\n"
        "@%%zero mbarrier.arrive.shared.b64 %%states, [object];\n%sadd.u32 %%i, %%i, 1; bra after;\n"
        "bytes: ld.global.u32 %%n, [%%in+16]; setp.eq.u32 %%p, %%n, 0; @%%p bra end;\n"
        "@%%zero mbarrier.complete_tx.relaxed.cta.shared.b64 [object], %%n;\n%send:\n"
        "mul.wide.u32 %%own, %%t, %d; add.u64 %%own, %%own, %%out; st.global.b64 [%%own], %%d;\n"
        "selp.b64 %%x, 1, 0, %%q; st.global.b64 [%%own+8], %%x; mov.u64 %%place, cells; mul.wide.u32 %%x, %%t, %d;\n"
        "add.u64 %%place, %%place, %%x;\n",
        look, look, look, (int)sizeof(struct lane_out), CELL);
    for (unsigned i = 0; i < CELL; i += 8)
        SAY("ld.shared.b64 %%x, [%%place+%u]; st.global.b64 [%%own+%u], %%x;\n", i, 16 + i);
    SAY("@%%zero st.global.b64 [%%out+%d], %%phases;\nret;\n}\n", (int)offsetof(struct output, phases));
    return n;
}

/* ---- values and comparison --------------------------------------------------------------------------------------- */

/* A state in which the form may be executed by all lanes that do. */
static void random_input(struct batch *b, const struct spelled *s, struct input *in)
{
    static const uint32_t masks[] = {0xffffffff, 1, 0x80000000, 0x0000ffff, 0x5a5a0f01};
    uint32_t mask = masks[batch_random(b) % 5], lanes, count = 1 + (uint32_t)(batch_random(b) % 3);
    if (is(s, M_INIT) || is(s, M_INVAL))
        mask = 1u << batch_random(b) % 32;
    lanes = (uint32_t)__builtin_popcount(mask);
    bool adds = arrives(s) || copies(s), drops = is(s, M_ARRIVE_DROP),
         bytes = is(s, M_EXPECT_TX) || is(s, M_COMPLETE_TX);
    bool whole =
        is(s, M_NO_COMPLETE) || is(s, M_EXPECT_TX) || drops || batch_random(b) % 2; /* one phase has room for all */
    memset(in, 0, sizeof *in);
    in->expected = adds ? whole ? count * lanes + 1 + (uint32_t)(batch_random(b) % 3) : count
                        : 1 + (uint32_t)(batch_random(b) % 4);
    in->arrivals = adds ? 0 : 1 + (uint32_t)(batch_random(b) % (2 * in->expected));
    in->state_of = (uint32_t)(batch_random(b) % (in->arrivals + !in->arrivals));
    if (is(s, M_COMPLETE_TX) || stores(s) || reduces(s)) {
        in->arrivals = (uint32_t)(batch_random(b) % in->expected);
        in->bytes = (stores(s) || reduces(s) ? bytes_of(s) : 8) * lanes;
    }
    for (unsigned l = 0; l < LANES; l++) {
        in->lane[l].goes = mask >> l & 1;
        in->lane[l].a = waits(s) ? l & 1 : bytes ? 8 : is(s, M_INIT) ? 1 + (uint32_t)(batch_random(b) % 5) : count;
        for (unsigned i = 0; i < 4; i++)
            in->lane[l].values[i] =
                batch_random(b) % 3 ? batch_random(b) : 0x1122334455667788 + batch_random(b) % 3 - 1;
    }
}

/* What lane 0 sees as it looks, and how much it has to add for this phase and, without bytes, the next to end. */
static uint64_t watch(struct input *in, struct object *o)
{
    uint64_t seen = o->phase & 1;
    in->more = o->pending + (o->bytes ? 0 : o->expected);
    for (uint32_t i = 0; i < in->more; i++) {
        arrive(o, 1);
        seen = seen << 1 | (o->phase & 1);
    }
    in->rest = (uint32_t)o->bytes;
    if (in->rest) {
        come(o, in->rest);
        seen = seen << 1 | (o->phase & 1);
    }
    return seen;
}

static void model(const struct spelled *s, struct input *in, struct output *out)
{
    struct object o = {.expected = in->expected, .pending = in->expected, .bytes = in->bytes};
    struct token asked = {0};
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < in->arrivals; i++) {
        if (i == in->state_of)
            asked = (struct token){o.phase, o.pending};
        arrive(&o, 1);
    }
    for (unsigned l = 0; l < LANES; l++) {
        for (unsigned i = 0; i < CELL; i += 8)
            memcpy(out->lane[l].cell + i, &(uint64_t){0x1122334455667788}, 8);
        if (in->lane[l].goes)
            object_step(s, &in->lane[l], &asked, &o, &out->lane[l]);
    }
    if (is(s, M_INVAL))
        o = (struct object){.expected = 1, .pending = 1};
    out->phases = watch(in, &o);
}

static void compare_object(struct batch *b, struct program *p, const struct spelled *s)
{
    struct {
        uint64_t in, out;
    } params;
    struct output wanted;
    struct input *in = batch_memory(b, sizeof *in, &params.in);
    struct output *out = batch_memory(b, sizeof *out, &params.out);
    for (unsigned round = 0; round < ROUNDS; round++) {
        random_input(b, s, in);
        model(s, in, &wanted);
        memset(out, 0, sizeof *out);
        if (!batch_launch(b, p, s, 1, &params))
            return;
        for (unsigned l = 0; l < LANES; l++) {
            const struct lane_out *w = &wanted.lane[l], *g = &out->lane[l];
            if (memcmp(w, g, sizeof *w)) {
                cr_expect(false, "%s, round %u, lane %u: d %#lx, q %lu, not %#lx, %lu; its cell %s", s->text, round, l,
                          g->d, g->q, w->d, w->q, memcmp(w->cell, g->cell, CELL) ? "differs" : "agrees");
                return;
            }
        }
        cr_expect_eq(out->phases, wanted.phases, "%s, round %u: phases %#lx, not %#lx", s->text, round, out->phases,
                     wanted.phases);
    }
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool is_of_objects(const struct ptx_form *f)
{
    return f->lowering == LOW_OBJECT || f->lowering == LOW_OBJECT_WAIT || f->lowering == LOW_PENDING_COUNT ||
           f->lowering == LOW_STORE_ASYNC || f->lowering == LOW_REDUCE_ASYNC;
}

Test(objects, every_form_against_its_model)
{
    static const struct batch_of forms = {
        .what = "barrier objects",
        .chosen = is_of_objects,
        .print = object_kernel,
        .compare = compare_object,
        .at_least = FORMS_AT_LEAST,
    };
    batch_every_form(&forms);
}
