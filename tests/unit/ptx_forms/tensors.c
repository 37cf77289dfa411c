/* Every form of cp.async.bulk.tensor and cp.reduce.async.bulk.tensor in tiled mode, with tensors of every type of
 * elements, against a model that moves them one by one (tests/support/tensor_box.h). PTX ISA,
 * "Data Movement and Conversion Instructions: Asynchronous copy", "Tensors". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "frontend/operation/uop.h"
#include "tests/support/tensor_box.h"
#include "tests/unit/ptx_forms/batch.h"
#include "tests/unit/ptx_forms/reference.h"

enum { IMAGE = 4096, BLOCKS = 2, TENSOR = 1 << 16, MAP = 128, FORMS = 240 };

/* Of a copy, as the kernel reads it: coordinates; where the box begins in shared memory, and its bytes; a bit for each
 * block of the cluster that it goes to. */
struct box_call {
    int32_t x[TENSOR_RANKS];
    uint32_t base, bytes, mask;
};

static bool is(const struct spelled *s, int modifier) { return mods_have(&s->mods, modifier); }
static bool is_box_copy(const struct ptx_form *f) { return f->lowering == LOW_TENSOR; }
static bool has_hint(const struct spelled *s) { return strstr(s->text, ".L2::cache_hint") != NULL; }
static bool loads(const struct spelled *s) { return is(s, M_COMPLETE_BYTES); }
static bool reduces(const struct spelled *s) { return !strncmp(s->text, "cp.reduce.", 10); }
/* To one block by its address in the window of the cluster. */
static bool goes_astray(const struct spelled *s)
{
    return strstr(s->text, ".shared::cluster.global") && !is(s, M_MULTICAST);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* The first block of a cluster of two copies between its shared memory, or that of other blocks, and the tensor. */
static const char kernel_begin[] =
    ".visible .entry k%u(.param .u64 call, .param .u64 map, .param .u64 image) .reqnctapercluster 2 {\n"
    ".reg .b64 %%call, %%map, %%image, %%at, %%policy; .reg .b32 %%x<5>, %%t, %%i, %%s, %%v, %%to, %%obj, %%bytes, "
    "%%mask, %%rank;\n"
    ".reg .b16 %%h; .reg .pred %%first, %%takes, %%copies, %%q;\n"
    ".shared .align 1024 .b8 data[4096]; .shared .align 8 .b64 object;\n"
    "ld.param.u64 %%call, [call]; ld.param.u64 %%map, [map]; ld.param.u64 %%image, [image];\n"
    "ld.global.b32 %%x0, [%%call]; ld.global.b32 %%x1, [%%call+4]; ld.global.b32 %%x2, [%%call+8];\n"
    "ld.global.b32 %%x3, [%%call+12]; ld.global.b32 %%x4, [%%call+16]; ld.global.b32 %%to, [%%call+20];\n"
    "ld.global.b32 %%bytes, [%%call+24]; ld.global.b32 %%mask, [%%call+28]; mov.u32 %%rank, %%cluster_ctarank;\n"
    "mul.wide.u32 %%at, %%rank, 4096; add.u64 %%image, %%image, %%at; mov.u32 %%t, %%tid.x; mov.u32 %%i, %%t;\n"
    "fill: mul.wide.u32 %%at, %%i, 4; add.u64 %%at, %%at, %%image; mov.u32 %%s, data; mad.lo.u32 %%s, %%i, 4, %%s;\n"
    "ld.global.b32 %%v, [%%at]; st.shared.b32 [%%s], %%v; add.u32 %%i, %%i, 32; setp.lt.u32 %%q, %%i, 1024;\n"
    "@%%q bra fill; setp.eq.u32 %%first, %%t, 0; @%%first mbarrier.init.shared.b64 [object], 1;\n"
    "shr.u32 %%v, %%mask, %%rank; and.b32 %%v, %%v, 1; setp.ne.u32 %%takes, %%v, 0; and.pred %%q, %%first, %%takes;\n"
    "@%%q mbarrier.arrive.expect_tx.shared.b64 _, [object], %%bytes; setp.eq.u32 %%copies, %%rank, 0;\n"
    "and.pred %%copies, %%copies, %%first; mov.u32 %%s, data; add.u32 %%to, %%to, %%s; mov.u32 %%obj, object;\n"
    "cvt.u16.u32 %%h, %%mask; mov.u64 %%policy, 0; shr.u32 %%v, %%mask, 1; fence.proxy.async;\n"
    "barrier.cluster.arrive; barrier.cluster.wait;\n";
static const char kernel_end[] =
    "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %i, %t;\n"
    "drain: mul.wide.u32 %at, %i, 4; add.u64 %at, %at, %image; mov.u32 %s, data; mad.lo.u32 %s, %i, 4, %s;\n"
    "ld.shared.b32 %v, [%s]; st.global.b32 [%at], %v; add.u32 %i, %i, 32; setp.lt.u32 %q, %i, 1024;\n"
    "@%q bra drain; ret; }\n";

static size_t print_copy(char *to, size_t size, const struct spelled *s)
{
    char tensor[60];
    size_t n = 0;
    unsigned rank = (unsigned)mods_value(&s->mods, G_GEOMETRY, 1);
    snprintf(tensor, sizeof tensor, "[%%map, {%.*s}]", (int)(rank * 5 - 2), "%x0, %x1, %x2, %x3, %x4");
    if (goes_astray(s))
        n += (size_t)snprintf(
            to, size, "mapa.shared::cluster.u32 %%to, %%to, %%v; mapa.shared::cluster.u32 %%obj, %%obj, %%v;\n");
    n += (size_t)snprintf(to + n, size - n, "@%%copies %s ", s->text);
    if (loads(s))
        n += (size_t)snprintf(to + n, size - n, "[%%to], %s, [%%obj]%s", tensor, is(s, M_MULTICAST) ? ", %h" : "");
    else
        n += (size_t)snprintf(to + n, size - n, "%s, [%%to]", tensor);
    n += (size_t)snprintf(to + n, size - n, "%s;\n", has_hint(s) ? ", %policy" : "");
    if (loads(s))
        return n + (size_t)snprintf(to + n, size - n,
                                    "@!%%takes bra over; wait: mbarrier.try_wait.parity.shared.b64 %%q, [object], 0; "
                                    "@!%%q bra wait; over:\n");
    return n + (size_t)snprintf(to + n, size - n, "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n");
}

static size_t box_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    size_t n = (size_t)snprintf(to, size, kernel_begin, number);
    n += print_copy(to + n, size - n, s);
    return n + (size_t)snprintf(to + n, size - n, "%s", kernel_end);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static const struct {
    uint8_t type; /* enum ptx_type of reductions */
    bool fills_nan, flushes;
} elements[TENSOR_ELEMENTS] = {
    [TENSOR_U8] = {PT_U8, false, false},      [TENSOR_U16] = {PT_U16, false, false},
    [TENSOR_U32] = {PT_U32, false, false},    [TENSOR_S32] = {PT_S32, false, false},
    [TENSOR_U64] = {PT_U64, false, false},    [TENSOR_S64] = {PT_S64, false, false},
    [TENSOR_F16] = {PT_F16, true, false},     [TENSOR_F32] = {PT_F32, true, false},
    [TENSOR_F64] = {PT_F64, true, false},     [TENSOR_BF16] = {PT_BF16, true, false},
    [TENSOR_F32_FTZ] = {PT_F32, true, true},  [TENSOR_TF32] = {PT_F32, true, false},
    [TENSOR_TF32_FTZ] = {PT_F32, true, true},
};

/* PTX ISA, cp.reduce.async.bulk: the types of each .redOp. */
static bool has_reduction(int op, enum ptx_type t)
{
    unsigned bits = bits_of(t);
    switch (op) {
    case RP_ATOMIC_AND:
    case RP_ATOMIC_OR:
    case RP_ATOMIC_XOR: return bits >= 32 && !is_float_type(t);
    case RP_ATOMIC_INC:
    case RP_ATOMIC_DEC: return t == PT_U32;
    case RP_ATOMIC_MIN:
    case RP_ATOMIC_MAX: return is_float_type(t) ? bits == 16 : bits >= 32;
    default: return bits >= 32 || is_float_type(t);
    }
}

struct box_memory {
    uint8_t tensor[TENSOR], image[BLOCKS][IMAGE];
};

static void load_element(const struct tensor_box *t, const struct box_call *c, uint32_t e, struct box_memory *m)
{
    uint64_t value = tensor_box_outside(t);
    uint32_t bytes = tensor_element_bytes(t->element);
    int64_t from = tensor_box_place(t, e);
    if (from >= 0)
        memcpy(&value, m->tensor + from, bytes);
    if (from >= 0 && elements[t->element].flushes)
        value = without_subnormals(format_named(PT_F32), value);
    for (unsigned block = 0; block < BLOCKS; block++)
        if (c->mask >> block & 1)
            memcpy(m->image[block] + tensor_box_swizzled(t, c->base + e * bytes), &value, bytes);
}

static void store_element(const struct spelled *s, const struct tensor_box *t, const struct box_call *c, uint32_t e,
                          struct box_memory *m)
{
    uint64_t value = 0, old = 0;
    uint32_t bytes = tensor_element_bytes(t->element);
    int64_t to = tensor_box_place(t, e);
    if (to < 0)
        return;
    memcpy(&value, m->image[0] + tensor_box_swizzled(t, c->base + e * bytes), bytes);
    memcpy(&old, m->tensor + to, bytes);
    if (reduces(s))
        cr_assert_eq(reference_atomic(mods_value(&s->mods, G_OPERATION, -1), (enum ptx_type)elements[t->element].type,
                                      true, old, value, 0, &value),
                     ANSWERED, "%s has no model", s->text);
    memcpy(m->tensor + to, &value, bytes);
}

static void box_model(const struct spelled *s, const struct tensor_box *t, const struct box_call *c,
                      struct box_memory *m)
{
    for (uint32_t e = 0; e < tensor_box_count(t); e++)
        if (loads(s))
            load_element(t, c, e, m);
        else
            store_element(s, t, c, e, m);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static uint32_t below(struct batch *b, uint32_t n) { return (uint32_t)(batch_random(b) % n); }

/* Bytes from the first element to the last one. */
static uint64_t random_tensor(struct batch *b, struct tensor_box *t, unsigned rank, unsigned element)
{
    uint32_t size = tensor_element_bytes(element);
    uint64_t span = 0;
    *t = (struct tensor_box){.rank = rank, .element = element, .swizzle = below(b, 4)};
    t->fill = elements[element].fills_nan && below(b, 2);
    for (unsigned d = 0; d < rank; d++) {
        t->sizes[d] = 1 + below(b, d ? 5 : 60);
        t->box[d] = d ? 1 + below(b, 5) : 16 / size * (1 + below(b, 8));
        t->steps[d] = d && !below(b, 4) ? 1 + below(b, 8) : 1;
        t->at[d] = (int)below(b, (uint32_t)t->sizes[d] + t->box[d] + 1) - (int)t->box[d];
        if (d)
            t->strides[d - 1] = (span + 15) / 16 * 16 + 16 * below(b, 2);
        span = t->sizes[d] * (d ? t->strides[d - 1] : size);
    }
    return span;
}

/* A tensor and box that fit. */
static struct tensor_box random_input(struct batch *b, unsigned rank, unsigned element, struct box_call *c)
{
    static const uint32_t spans[] = {2048, 32, 64, 128};
    struct tensor_box t;
    uint64_t span;
    do {
        span = random_tensor(b, &t, rank, element);
        c->bytes = tensor_box_count(&t) * tensor_element_bytes(element);
        c->base = 128 * below(b, 8);
    } while (span > TENSOR || c->base + c->bytes > IMAGE ||
             t.box[0] * tensor_element_bytes(element) > spans[t.swizzle]);
    for (unsigned d = 0; d < TENSOR_RANKS; d++)
        c->x[d] = t.at[d];
    return t;
}

static uint32_t random_mask(struct batch *b, const struct spelled *s)
{
    return is(s, M_MULTICAST) ? 1 + below(b, 3) : goes_astray(s) ? 1 + below(b, 2) : loads(s);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

struct box_params {
    uint64_t call, map, image;
};
struct box_host {
    struct box_call *call;
    struct tensor_map *map;
    uint8_t *tensor, *image;
};

static void expect_refused(struct batch *b, struct program *p, const struct spelled *s, const struct box_params *params)
{
    struct rp_launch_result result;
    struct rp_error err = {0};
    bool fine = batch_try(b, p, BLOCKS, params, &result, &err);
    cr_expect(!fine && strstr(err.text, "elements without this reduction"), "%s: %s", s->text,
              fine ? "no fault" : err.text);
}

static void run_box(struct batch *b, struct program *p, const struct spelled *s, const struct tensor_box *t,
                    const struct box_host *h, const struct box_params *params)
{
    static struct box_memory want;
    enum ptx_type type = (enum ptx_type)elements[t->element].type;
    batch_numbers(b, h->tensor, TENSOR, tensor_element_bytes(t->element));
    batch_numbers(b, h->image, BLOCKS * IMAGE, tensor_element_bytes(t->element));
    memcpy(want.tensor, h->tensor, TENSOR);
    memcpy(want.image, h->image, BLOCKS * IMAGE);
    if (reduces(s) && !has_reduction(mods_value(&s->mods, G_OPERATION, -1), type)) {
        expect_refused(b, p, s, params);
        return;
    }
    box_model(s, t, h->call, &want);
    if (!batch_launch(b, p, s, BLOCKS, params))
        return;
    cr_expect(!memcmp(want.tensor, h->tensor, TENSOR), "%s, elements of type %u: another tensor", s->text, t->element);
    cr_expect(!memcmp(want.image, h->image, BLOCKS * IMAGE), "%s, elements of type %u: something else in shared memory",
              s->text, t->element);
}

static void compare_box(struct batch *b, struct program *p, const struct spelled *s)
{
    struct box_params params;
    uint64_t address;
    struct rp_error err;
    struct box_host h = {.call = batch_memory(b, sizeof *h.call, &params.call),
                         .map = batch_memory(b, MAP, &params.map),
                         .tensor = batch_memory(b, TENSOR, &address),
                         .image = batch_memory(b, BLOCKS * IMAGE, &params.image)};
    for (unsigned element = 0; element < TENSOR_ELEMENTS; element++) {
        struct tensor_box t = random_input(b, (unsigned)mods_value(&s->mods, G_GEOMETRY, 1), element, h.call);
        h.call->mask = random_mask(b, s);
        cr_assert(tensor_box_encode(h.map, &t, address, &err), "%s", err.text);
        run_box(b, p, s, &t, &h, &params);
    }
}

Test(tensors, every_form_moves_each_element)
{
    static const struct batch_of forms = {
        .what = "copies of boxes of tensors",
        .chosen = is_box_copy,
        .print = box_kernel,
        .compare = compare_box,
        .at_least = FORMS,
    };
    batch_every_form(&forms);
}

/* Other modes than tiles are refused, and the message names them. */
Test(tensors, other_modes_are_refused)
{
    static const char *const forms[][2] = {
        {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
         "[data], [%d, {0, 0, 0}], [object], {%h}"},
        {"cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group", "[%d, {0, 0, 0, 0}], [data]"},
        {"cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group", "[%d, {0, 0, 0}], [data]"},
        {"cp.async.bulk.prefetch.tensor.3d.L2.global.im2col", "[%d, {0, 0, 0}], {%h}"},
        {"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes",
         "[data], [%d, {0, 0, 0, 0, 0}], [object]"},
        {"cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster",
         "[data], [%d, {0}], [object], %h"},
    };
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[600], said[300];
        struct rp_error err = {0};
        int n = snprintf(text, sizeof text,
                         BATCH_HEAD ".entry k() {\n.reg .b64 %%d; .reg .b16 %%h; .shared .align 128 .b8 data[128];\n"
                                    ".shared .b64 object;\n%s %s;\nret; }\n",
                         forms[i][0], forms[i][1]);
        snprintf(said, sizeof said, "'%s' is not covered yet", forms[i][0]);
        struct module *m = ptx_load_text("k.ptx", text, (uint64_t)n, 0, &err);
        cr_expect(!m || !module_find(m, "k", &err), "%s is taken", forms[i][0]);
        cr_expect(strstr(err.text, said), "%s", err.text);
        module_free(m);
    }
}
