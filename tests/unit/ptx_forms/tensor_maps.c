/* Every form of tensormap.replace, with each field, place of it and value of those that are named, leaves the map that
 * the host makes of the changed tensor; every form of tensormap.cp_fenceproxy copies a map. PTX ISA, "Data Movement and
 * Conversion Instructions: tensormap.replace", "Parallel Synchronization and Communication Instructions:
 * tensormap.cp_fenceproxy". */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/tensor_box.h"
#include "tests/unit/ptx_forms/batch.h"

enum { MAP = 128, ROUNDS = 8, SAMPLES = 10000, CHANGES = 400 };

/* What an instruction is given. */
struct map_change {
    unsigned ordinal;
    uint64_t value;
    bool in_register; /* the value; then each launch has one of its own */
    bool in_room;     /* the map: in shared memory */
};
static struct map_change changes[CHANGES]; /* by the variant of a form */
static unsigned change_count;
struct map_params {
    uint64_t map, value, out;
};

static bool is_field(const struct ptx_form *f) { return f->lowering == LOW_MAP_FIELD; }
static bool is_map_copy(const struct ptx_form *f) { return f->lowering == LOW_MAP_COPY; }
static enum map_field_name field_of(const struct spelled *s)
{
    return (enum map_field_name)mods_value(&s->mods, G_MAP_FIELD, -1);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* The map is at %map in device memory and in `room`; afterwards it is at %map. */
static size_t print_kernel(char *to, size_t size, unsigned number, const char *instruction, bool in_room)
{
    return (size_t)snprintf(
        to, size,
        ".visible .entry k%u(.param .u64 map, .param .u64 value, .param .u64 out) {\n"
        ".reg .b64 %%map, %%value, %%out, %%at, %%g; .reg .b32 %%t, %%s, %%v, %%w; .reg .pred %%first;\n"
        ".shared .align 128 .b8 room[128];\n"
        "ld.param.u64 %%map, [map]; ld.param.u64 %%value, [value]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x;\n"
        "mul.wide.u32 %%at, %%t, 4; add.u64 %%at, %%at, %%map; ld.global.b32 %%v, [%%at]; mov.u32 %%s, room;\n"
        "mad.lo.u32 %%s, %%t, 4, %%s; st.shared.b32 [%%s], %%v; setp.eq.u32 %%first, %%t, 0; cvt.u32.u64 %%w, "
        "%%value;\n"
        "bar.warp.sync -1;\n%s;\nbar.warp.sync -1; %s ret; }\n",
        number, instruction, in_room ? "ld.shared.b32 %v, [%s]; st.global.b32 [%at], %v;" : "");
}

static size_t field_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    char text[400];
    size_t n = 0;
    int space = mods_value(&s->mods, G_SPACE, -1);
    const struct map_change *c = &changes[s->variant];
    if (space < 0)
        n += (size_t)snprintf(text, sizeof text, "cvta.%s.u64 %%g, %s; ", c->in_room ? "shared" : "global",
                              c->in_room ? "room" : "%map");
    n += (size_t)snprintf(text + n, sizeof text - n, "@%%first %s [%s], ", s->text,
                          space < 0    ? "%g"
                          : c->in_room ? "room"
                                       : "%map");
    if (s->operands == 3)
        n += (size_t)snprintf(text + n, sizeof text - n, "%u, ", c->ordinal);
    if (c->in_register)
        snprintf(text + n, sizeof text - n, "%s", s->mods.types[0] == PT_B64 ? "%value" : "%w");
    else
        snprintf(text + n, sizeof text - n, "%llu", (unsigned long long)c->value);
    return print_kernel(to, size, number, text, c->in_room);
}

static size_t map_copy_kernel(char *to, size_t size, const struct spelled *s, unsigned number)
{
    char text[200];
    snprintf(text, sizeof text, "%s [%%out], [room], 128", s->text);
    return print_kernel(to, size, number, text, true);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

static uint32_t below(struct batch *b, uint32_t n) { return (uint32_t)(batch_random(b) % n); }

/* Dimensions from `rank` on have one element. */
static struct tensor_box random_tensor(struct batch *b, unsigned rank)
{
    struct tensor_box t = {.rank = TENSOR_RANKS, .element = below(b, TENSOR_ELEMENTS), .swizzle = below(b, 4)};
    t.fill = below(b, 2);
    for (unsigned d = 0; d < TENSOR_RANKS; d++) {
        bool used = d < rank;
        t.sizes[d] = used ? 1 + (batch_random(b) >> 32) : 1;
        t.box[d] = !used ? 1 : d ? 1 + below(b, 256) : 16 * (1 + below(b, 16));
        t.steps[d] = used && d ? 1 + below(b, 8) : 1;
        if (d)
            t.strides[d - 1] = used ? batch_random(b) >> 24 & ~15ull : 0;
    }
    return t;
}

/* A value for the field. */
static uint64_t random_value(struct batch *b, enum map_field_name field, unsigned ordinal)
{
    switch (field) {
    case MAP_ADDRESS: return batch_random(b) & ~15ull;
    case MAP_RANK: return below(b, TENSOR_RANKS);
    case MAP_BOX: return ordinal ? 1 + below(b, 256) : 16 * (1 + below(b, 16));
    case MAP_SIZE: return below(b, 4) ? batch_random(b) >> 32 : 0; /* 2^32 */
    case MAP_STRIDE: return batch_random(b) >> 24 & ~15ull;
    case MAP_STEP: return ordinal ? 1 + below(b, 8) : 1;
    default: return 0;
    }
}

/* What the field says of a tensor (PTX ISA, tensormap.replace, the tables of values of .field2 and .field3). */
static void change(struct tensor_box *t, uint64_t *address, enum map_field_name field, unsigned ordinal, uint64_t value)
{
    static const uint8_t types[] = {TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
                                    TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
                                    TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};
    switch (field) {
    case MAP_ADDRESS: *address = value; break;
    case MAP_RANK: t->rank = (unsigned)value + 1; break;
    case MAP_BOX: t->box[ordinal] = (uint32_t)value; break;
    case MAP_SIZE: t->sizes[ordinal] = value ? value : 1ull << 32; break;
    case MAP_STRIDE: t->strides[ordinal] = value; break;
    case MAP_STEP: t->steps[ordinal] = (uint32_t)value; break;
    case MAP_ELEMENT: t->element = types[value]; break;
    case MAP_SWIZZLE: t->swizzle = (unsigned)value; break;
    case MAP_FILL: t->fill = (unsigned)value; break;
    case MAP_INTERLEAVE: break; /* only without */
    }
}

/* A map, and the one that it becomes; both are such as the host makes. */
static void random_maps(struct batch *b, enum map_field_name field, unsigned ordinal, uint64_t value,
                        struct tensor_map *before, struct tensor_map *after)
{
    struct rp_error err;
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint64_t address = batch_random(b) & ~15ull;
        unsigned rank = field == MAP_RANK ? 1 + below(b, TENSOR_RANKS) : TENSOR_RANKS;
        unsigned used = field == MAP_RANK && value + 1 < rank ? (unsigned)value + 1 : rank;
        struct tensor_box t = random_tensor(b, used);
        t.rank = rank;
        if (!tensor_box_encode(before, &t, address, &err))
            continue;
        change(&t, &address, field, ordinal, value);
        if (tensor_box_encode(after, &t, address, &err))
            return;
    }
    cr_assert(false, "no tensor goes with %llu: %s", (unsigned long long)value, err.text);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void compare_field(struct batch *b, struct program *p, const struct spelled *s)
{
    const struct map_change *c = &changes[s->variant];
    struct map_params params = {0};
    struct tensor_map *map = batch_memory(b, MAP, &params.map), want;
    for (unsigned round = 0; round < ROUNDS; round++) {
        params.value = c->in_register ? random_value(b, field_of(s), c->ordinal) : c->value;
        random_maps(b, field_of(s), c->ordinal, params.value, map, &want);
        if (!batch_launch(b, p, s, 1, &params))
            return;
        cr_expect(!memcmp(map, &want, MAP), "%s of %u, %#llx: another map", s->text, c->ordinal,
                  (unsigned long long)params.value);
    }
}

static unsigned places_of(enum map_field_name field)
{
    return field == MAP_STRIDE                                          ? TENSOR_RANKS - 1
           : field == MAP_BOX || field == MAP_SIZE || field == MAP_STEP ? TENSOR_RANKS
                                                                        : 1;
}
/* 0: values are not named. */
static unsigned named_values(enum map_field_name field)
{
    switch (field) {
    case MAP_ELEMENT: return TENSOR_ELEMENTS;
    case MAP_SWIZZLE: return 4;
    case MAP_FILL: return 2;
    case MAP_INTERLEAVE: return 1;
    default: return 0;
    }
}

static void add_change(const struct spelled *s, void *batch, struct map_change c)
{
    struct spelled v = *s;
    int space = mods_value(&s->mods, G_SPACE, -1);
    for (unsigned room = space == RP_SPACE_SHARED; room <= (space != RP_SPACE_GLOBAL); room++) {
        cr_assert_lt(change_count, (unsigned)CHANGES);
        c.in_room = room;
        changes[v.variant = change_count++] = c;
        batch_add(&v, batch);
    }
}

static void add_field(const struct spelled *s, void *batch)
{
    enum map_field_name field = field_of(s);
    unsigned places = places_of(field), named = named_values(field);
    for (unsigned at = 0; at < places; at++) {
        for (unsigned value = 0; value < named; value++)
            add_change(s, batch, (struct map_change){.value = value});
        if (named)
            continue;
        add_change(s, batch, (struct map_change){.ordinal = at, .value = random_value(batch, field, at)});
        add_change(s, batch, (struct map_change){.ordinal = at, .in_register = true});
    }
}

Test(tensor_maps, every_field_is_replaced)
{
    static const struct batch_of forms = {
        .what = "tensormap.replace",
        .head = ".version 9.0\n.target sm_90a\n.address_size 64\n",
        .chosen = is_field,
        .add = add_field,
        .print = field_kernel,
        .compare = compare_field,
        .at_least = 240,
    };
    batch_every_form(&forms);
}

static void compare_map_copy(struct batch *b, struct program *p, const struct spelled *s)
{
    struct map_params params = {0};
    uint8_t *map = batch_memory(b, MAP, &params.map), *out = batch_memory(b, 2 * MAP, &params.out), want[2 * MAP];
    for (unsigned i = 0; i < MAP; i++)
        want[i] = map[i] = (uint8_t)batch_random(b);
    memset(want + MAP, 0xa5, MAP);
    memset(out, 0xa5, 2 * MAP);
    if (!batch_launch(b, p, s, 1, &params))
        return;
    cr_expect(!memcmp(want, map, MAP), "%s: the source has changed", s->text);
    cr_expect(!memcmp(want, out, 2 * MAP), "%s: something else was copied", s->text);
}

Test(tensor_maps, every_copy_is_the_map)
{
    static const struct batch_of forms = {
        .what = "tensormap.cp_fenceproxy",
        .chosen = is_map_copy,
        .print = map_copy_kernel,
        .compare = compare_map_copy,
        .at_least = 4,
    };
    batch_every_form(&forms);
}
