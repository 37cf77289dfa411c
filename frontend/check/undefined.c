/* Registers whose bits nobody has written, as Valgrind's memcheck has them (Nethercote and Seward, "How to Shadow Every
 * Byte of Memory Used by a Program", VEE 2007). A load brings the state of memory, bit by bit; moves, shifts and
 * operations on bits carry it on; a store takes it back to memory. Only what decides something is a read of unwritten
 * memory: an address, a comparison, arithmetic, an atomic.
 *
 * Which bits of a result depend on undefined bits is found out by trying: the operation runs with these bits as zeros,
 * ones, and others, and the bits of its results that change are undefined. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/operation/flags.h"

enum { GRANULE = 64 }; /* registers begin at multiples of it */
enum { WIDEST = 8, REGISTER_BYTES = 2 * WIDEST * RP_WARP_LANES, REGISTER_WORDS = REGISTER_BYTES / 4 };
enum { MOST_SOURCES = 64, MOST_RESULTS = 8, TRIALS = 6 };

struct granule {
    uint32_t start;   /* 1 + the index of the first granule of the undefined register here; 0: none */
    uint8_t element;  /* bytes of a lane; this and what follows: of a register's first granule */
    lanemask changed; /* lanes in which undefined bits have been combined with others within a byte */
    uint32_t origin[RP_WARP_LANES];
};
struct undefined {
    uint8_t *bits; /* as the register stack; 1: undefined */
    struct granule *granules;
    size_t bytes;
    uint32_t live; /* registers with undefined bits */
};

void undefined_free(struct undefined *v)
{
    if (!v)
        return;
    free(v->bits);
    free(v->granules);
    free(v);
}

void undefined_clear(struct undefined *v)
{
    if (!v || !v->live)
        return;
    memset(v->bits, 0, v->bytes);
    memset(v->granules, 0, v->bytes / GRANULE * sizeof *v->granules);
    v->live = 0;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static struct undefined *undefined_of(const struct checked_block *cb, const struct warp_state *s)
{
    return cb->undefined[s->w.id];
}

static size_t register_place(const struct warp_state *s, struct operand o)
{
    return current_window(s) + register_offset(o);
}

/* The register that begins there, if it has undefined bits; or NULL. */
static struct granule *undefined_register(const struct undefined *v, size_t at)
{
    size_t g = at / GRANULE;
    return v && at < v->bytes && at % GRANULE == 0 && v->granules[g].start == g + 1 ? &v->granules[g] : NULL;
}

static uint8_t *bits_of_lane(const struct undefined *v, const struct granule *g, unsigned lane)
{
    return v->bits + (size_t)(g - v->granules) * GRANULE + (size_t)lane * g->element;
}

static bool any_bits(const uint8_t *bits, size_t bytes)
{
    uint8_t any = 0;
    for (size_t i = 0; i < bytes; i++)
        any |= bits[i];
    return any;
}

/* The lanes of an array in which some bits are set; `whole`: in which all are. */
#define LANES_OF(type)                                                                                                 \
    static lanemask lanes_of_##type(const type *bits, bool whole)                                                      \
    {                                                                                                                  \
        lanemask lanes = 0;                                                                                            \
        for (unsigned l = 0; l < RP_WARP_LANES; l++)                                                                   \
            lanes |= (lanemask)(whole ? bits[l] == (type)-1 : bits[l] != 0) << l;                                      \
        return lanes;                                                                                                  \
    }
LANES_OF(uint16_t)
LANES_OF(uint32_t)
LANES_OF(uint64_t)
static lanemask lanes_of(const void *bits, unsigned element, bool whole)
{
    return element == 4   ? lanes_of_uint32_t(bits, whole)
           : element == 8 ? lanes_of_uint64_t(bits, whole)
                          : lanes_of_uint16_t(bits, whole);
}

/* The lanes in which it has undefined bits, or in which all of its bits are undefined. */
static lanemask undefined_lanes(const struct undefined *v, const struct granule *g, bool whole)
{
    return lanes_of(bits_of_lane(v, g, 0), g->element, whole);
}

static void forget_register(struct undefined *v, struct warp_state *s, struct granule *g)
{
    size_t bytes = (size_t)g->element * RP_WARP_LANES, count = (bytes + GRANULE - 1) / GRANULE;
    memset(bits_of_lane(v, g, 0), 0, bytes);
    for (size_t i = 0; i < count; i++)
        g[i].start = 0;
    s->undefined = --v->live > 0;
}

static void define_lanes(struct undefined *v, struct warp_state *s, struct granule *g, lanemask lanes)
{
    FOR_LANES(l, lanes)
    memset(bits_of_lane(v, g, l), 0, g->element);
    g->changed &= ~lanes;
    if (!undefined_lanes(v, g, false))
        forget_register(v, s, g);
}

/* The lanes get other values, of `element` bytes. */
static void overwrite(struct undefined *v, struct warp_state *s, struct operand o, unsigned element, lanemask lanes)
{
    if (!is_register(o) || !v->live)
        return;
    size_t at = register_place(s, o), end = at + (size_t)element * RP_WARP_LANES;
    struct granule *same = undefined_register(v, at);
    if (same && same->element == element && lanes != ~(lanemask)0) {
        define_lanes(v, s, same, lanes);
        return;
    }
    for (; at < end && at < v->bytes; at += GRANULE)
        if (v->granules[at / GRANULE].start)
            forget_register(v, s, &v->granules[v->granules[at / GRANULE].start - 1]);
}

static bool make_room(struct undefined *v, size_t bytes)
{
    bytes = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    if (bytes <= v->bytes)
        return true;
    uint8_t *bits = realloc(v->bits, bytes);
    v->bits = bits ? bits : v->bits;
    struct granule *granules = bits ? realloc(v->granules, bytes / GRANULE * sizeof *granules) : NULL;
    if (!granules)
        return false;
    v->granules = granules;
    memset(bits + v->bytes, 0, bytes - v->bytes);
    memset(granules + v->bytes / GRANULE, 0, (bytes - v->bytes) / GRANULE * sizeof *granules);
    v->bytes = bytes;
    return true;
}

/* The register at the operand, to get undefined bits. NULL: out of memory. */
static struct granule *make_undefined(struct checked_block *cb, struct warp_state *s, struct operand o,
                                      unsigned element)
{
    struct undefined **v = &cb->undefined[s->w.id];
    size_t at = register_place(s, o), bytes = (size_t)element * RP_WARP_LANES;
    if (!*v)
        *v = calloc(1, sizeof **v);
    if (!*v || !make_room(*v, at + REGISTER_BYTES)) {
        cb->check->missed |= MISSED_MEMORY;
        return NULL;
    }
    struct granule *g = undefined_register(*v, at);
    if (g && g->element == element)
        return g;
    overwrite(*v, s, o, element, ~(lanemask)0);
    g = &(*v)->granules[at / GRANULE];
    for (size_t i = 0; i < (bytes + GRANULE - 1) / GRANULE; i++)
        g[i].start = (uint32_t)(at / GRANULE) + 1;
    g->element = (uint8_t)element;
    g->changed = 0;
    (*v)->live++;
    s->undefined = true;
    return g;
}

/* ---- loads and stores -------------------------------------------------------------------------------------------- */

/* An element of an access: its register, and its bytes in memory and there. */
struct element {
    struct operand o;
    unsigned at, bytes, room;
    bool sign;
};

static unsigned element_count(const struct uop *u)
{
    return u->type == T_B128 ? 2 : u->memory->count ? u->memory->count : 1;
}

static struct element element_of(const struct uop *u, unsigned i)
{
    const struct memory_descriptor *d = u->memory;
    enum lane_type type = (enum lane_type)u->type, reg = d->dtype ? (enum lane_type)d->dtype : type;
    unsigned bytes = d->operand.width / element_count(u);
    if (u->type == T_B128)
        return (struct element){{u->d.at + i * WIDEST * RP_WARP_LANES}, i * bytes, bytes, WIDEST, false};
    struct operand o = d->count ? d->elements[i] : u->d;
    return (struct element){o, i * bytes, bytes, lane_element_bytes(reg), lane_is_signed(type)};
}

void undefined_loaded(struct checked_block *cb, struct warp_state *s, const struct uop *u, unsigned lane,
                      const uint8_t *bits, uint32_t origin)
{
    for (unsigned i = 0; i < element_count(u); i++) {
        struct element e = element_of(u, i);
        struct granule *g = is_register(e.o) && any_bits(bits + e.at, e.bytes) ? make_undefined(cb, s, e.o, e.room) : 0;
        if (!g)
            continue;
        uint8_t *to = bits_of_lane(undefined_of(cb, s), g, lane);
        memset(to, e.sign && bits[e.at + e.bytes - 1] & 0x80 ? 0xff : 0, e.room);
        memcpy(to, bits + e.at, e.bytes < e.room ? e.bytes : e.room);
        g->origin[lane] = origin;
        g->changed &= ~((lanemask)1 << lane);
    }
}

uint32_t undefined_before(const struct checked_block *cb, const struct warp_state *s, const struct uop *u,
                          unsigned lane)
{
    const struct undefined *v = undefined_of(cb, s);
    struct operand o = element_of(u, 0).o;
    size_t at = is_register(o) ? register_place(s, o) : 0;
    return v && is_register(o) && at < v->bytes ? v->granules[at / GRANULE].origin[lane] : 0;
}

lanemask undefined_to_store(const struct checked_block *cb, const struct warp_state *s, const struct uop *u)
{
    const struct undefined *v = undefined_of(cb, s);
    lanemask lanes = 0;
    for (unsigned i = 0; i < element_count(u); i++) {
        struct operand o = element_of(u, i).o;
        const struct granule *g = is_register(o) ? undefined_register(v, register_place(s, o)) : NULL;
        lanes |= g ? undefined_lanes(v, g, false) : 0;
    }
    return lanes;
}

bool undefined_stored(const struct checked_block *cb, const struct warp_state *s, const struct uop *u, unsigned lane,
                      struct stored_bits *to)
{
    const struct undefined *v = undefined_of(cb, s);
    bool any = false;
    to->changed = false;
    for (unsigned i = 0; i < element_count(u); i++) {
        struct element e = element_of(u, i);
        const struct granule *g = is_register(e.o) ? undefined_register(v, register_place(s, e.o)) : NULL;
        memset(to->bits + e.at, 0, e.bytes);
        if (!g)
            continue;
        memcpy(to->bits + e.at, bits_of_lane(v, g, lane), e.bytes < g->element ? e.bytes : g->element);
        if (!any_bits(to->bits + e.at, e.bytes))
            continue;
        any = true;
        to->changed |= g->changed >> lane & 1;
        for (unsigned k = 0; k < e.bytes; k++)
            to->origins[e.at + k] = g->origin[lane];
    }
    return any;
}

void undefined_put_back(const struct checked_block *cb, const struct warp_state *s, const struct uop *u, unsigned lane)
{
    const struct undefined *v = undefined_of(cb, s);
    for (unsigned i = 0; i < element_count(u); i++) {
        struct operand o = element_of(u, i).o;
        struct granule *g = is_register(o) ? undefined_register(v, register_place(s, o)) : NULL;
        if (g)
            g->changed &= ~((lanemask)1 << lane);
    }
}

/* ---- what a uop reads -------------------------------------------------------------------------------------------- */

struct sources { /* registers with undefined bits */
    struct granule *list[MOST_SOURCES];
    struct operand at[MOST_SOURCES];
    unsigned count;
};

static void add_source(struct sources *r, const struct undefined *v, const struct warp_state *s, struct operand o)
{
    struct granule *g = is_register(o) && r->count < MOST_SOURCES ? undefined_register(v, register_place(s, o)) : NULL;
    for (unsigned i = 0; i < r->count; i++)
        g = r->list[i] == g ? NULL : g;
    if (!g)
        return;
    r->list[r->count] = g;
    r->at[r->count++] = o;
}

static void add_lists(struct sources *r, const struct undefined *v, const struct warp_state *s, const struct uop *u)
{
    for (unsigned n = lane_op_writes_list(u->op) ? 1 : 0; u->lane && n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < list_count(u->lane, n); i++)
            add_source(r, v, s, list_elements(u->lane, n)[i]);
}

static bool is_lane_kind(const struct uop *u)
{
    return u->kind == UOP_LANE || u->kind == UOP_UNIFORM || u->kind == UOP_CLOCK || u->kind == UOP_SHUFFLE ||
           (u->kind == UOP_COLLECTIVE && u->fn);
}

static bool is_memory_kind(const struct uop *u)
{
    return u->kind == UOP_MEMORY || u->kind == UOP_OBJECT_WAIT || u->kind == UOP_STRONG;
}

/* Of an access, all but what a plain store stores. */
static struct sources find_sources(const struct undefined *v, const struct warp_state *s, const struct uop *u)
{
    struct sources r;
    r.count = 0; /* the rest is large, and not read */
    add_source(&r, v, s, u->a);
    add_source(&r, v, s, u->b);
    add_source(&r, v, s, u->c);
    if (is_lane_kind(u))
        add_lists(&r, v, s, u);
    const struct program *p = s->w.block->program;
    const struct operation *o = &p->operations[u - p->uops]; /* accesses are where their operations are */
    for (unsigned n = 1; is_memory_kind(u) && n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            add_source(&r, v, s, o->lists[n].at[i]);
    return r;
}

/* The lanes use undefined bits. */
static void use_lanes(struct checked_block *cb, struct warp_state *s, const struct sources *r, lanemask lanes)
{
    struct undefined *v = undefined_of(cb, s);
    for (unsigned i = 0; i < r->count; i++) {
        lanemask of = r->list[i]->start ? undefined_lanes(v, r->list[i], false) & lanes : 0;
        FOR_LANES(l, of)
        origins_used(cb, s->w.block, r->list[i]->origin[l]);
        if (of)
            define_lanes(v, s, r->list[i], of);
    }
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* MOVES: its bits are those of its operands, or it makes bits of bits. SUMS: arithmetic on integers, of which the lower
 * bits may be defined. USES: anything else. */
enum effect { MOVES, SUMS, USES };

static bool is_whole(unsigned type) { return !lane_is_float((enum lane_type)type) && type != T_PRED; }

static enum effect effect_of(const struct uop *u)
{
    bool codes = u->flags & (UF_CARRY_IN | UF_CARRY_OUT | UF_SAT);
    switch (u->op) {
    case OP_MOV:
    case OP_PACK:
    case OP_UNPACK:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_LOP3:
    case OP_SHL:
    case OP_SHR:
    case OP_SHF:
    case OP_BFE:
    case OP_BFI:
    case OP_BREV:
    case OP_PRMT:
    case OP_SELP:
    case OP_SLCT:
    case OP_SZEXT:
    case OP_SHFL:
    case OP_BROADCAST: return MOVES;
    case OP_CVT: return is_whole(u->type) && is_whole(u->stype) && !codes ? MOVES : USES;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_NEG:
    case OP_SUM3:
    case OP_ADD3: return is_whole(u->type) && !codes ? SUMS : USES;
    default: return USES;
    }
}

/* Whether undefined bits keep their bytes. */
static bool moves_bytes(const struct uop *u)
{
    return u->op == OP_MOV || u->op == OP_PACK || u->op == OP_UNPACK || u->op == OP_PRMT || u->op == OP_SELP ||
           u->op == OP_SLCT || u->op == OP_CVT || u->op == OP_SHFL || u->op == OP_BROADCAST;
}

/* Whether it may be tried with other values. */
static bool can_try(const struct uop *u)
{
    bool plain = u->op <= OP_OR || (u->op >= OP_XOR && u->op <= OP_SHFL) || u->op == OP_ADD3 || u->op == OP_BROADCAST ||
                 u->op == OP_SUM3 || u->op == OP_COMPARE_X || u->op == OP_FCHK || u->op == OP_COMPARE_LONG;
    return plain && u->op != OP_SPECIAL && u->type != T_B128 && u->fn && u->kind != UOP_CLOCK;
}

static bool has_predicates(const struct uop *u)
{
    return !(u->flags & UF_EQUAL_B) && u->op != OP_FRAME && u->op != OP_XMAD && u->op != OP_VIDEO && u->op != OP_GUEST;
}

static unsigned result_element(const struct uop *u)
{
    unsigned type = u->op == OP_UNPACK ? u->stype : u->type;
    if (u->op == OP_POPC || u->op == OP_CLZ || u->op == OP_BFIND)
        type = T_U32;
    unsigned bytes = type == T_PRED || !type ? 4 : lane_element_bytes((enum lane_type)type);
    return u->flags & UF_WIDE && bytes < WIDEST ? 2 * bytes : bytes;
}

/* What an operation writes, and how that depends on undefined bits. */
struct result {
    struct operand o;
    unsigned element; /* 0: a predicate */
    size_t bytes;
    uint32_t before[REGISTER_WORDS], first[REGISTER_WORDS], differs[REGISTER_WORDS];
};
static const uint8_t *differs_of_lane(const struct result *r, unsigned lane)
{
    return (const uint8_t *)r->differs + (size_t)lane * r->element;
}
struct results {
    struct result list[MOST_RESULTS + 3];
    unsigned count;
};
/* Memory for trying. */
struct trials {
    struct results to;
    uint8_t saved[MOST_SOURCES][WIDEST * RP_WARP_LANES];
};

static void add_result(struct results *r, struct operand o, unsigned element, size_t bytes)
{
    if (is_register(o) && r->count < MOST_RESULTS + 3) {
        r->list[r->count].o = o;
        r->list[r->count].element = element;
        r->list[r->count++].bytes = bytes;
    }
}

static void find_results(struct results *r, const struct uop *u)
{
    unsigned element = result_element(u);
    bool lists = u->lane && lane_op_writes_list(u->op), predicate = u->op == OP_MOV && u->type == T_PRED;
    size_t bytes = u->type == T_B128 && !lists ? REGISTER_BYTES : (size_t)element * RP_WARP_LANES;
    r->count = 0;
    add_result(r, u->d, predicate ? 0 : element, predicate ? sizeof(lanemask) : bytes);
    for (uint32_t i = 0; lists && i < list_count(u->lane, 0); i++)
        add_result(r, u->lane->elements[i], element, bytes);
    if (has_predicates(u))
        add_result(r, u->pd, 0, sizeof(lanemask));
    add_result(r, second_predicate(u), 0, sizeof(lanemask));
}

/* Fills the undefined bits of a source in the n-th way: with zeros, ones, and then with others for each source. */
static void fill(uint64_t *data, const uint64_t *bits, size_t bytes, unsigned n, unsigned source)
{
    uint64_t with = (n * UINT64_C(0xbf58476d1ce4e5b9)) ^ ((source + n) * UINT64_C(0x94d049bb133111eb));
    with = n == 0 ? 0 : n == 1 ? ~UINT64_C(0) : with ^ with >> 31;
    for (size_t i = 0; i < bytes / sizeof with; i++)
        data[i] = (data[i] & ~bits[i]) | (with & bits[i]);
}

/* Notes in which bits the n-th result differs from the first. */
static void compare_result(struct result *r, const uint32_t *now, unsigned n)
{
    for (size_t k = 0; n && k < r->bytes / sizeof *now; k++)
        r->differs[k] |= now[k] ^ r->first[k];
    if (!n)
        memcpy(r->first, now, r->bytes);
}

/* Tries the operation. Afterwards all is as before. */
static void try_values(const struct undefined *v, struct warp_state *s, const struct uop *u, lanemask executed,
                       const struct sources *from, struct trials *t)
{
    struct warp before = s->w;
    struct results *to = &t->to;
    for (unsigned i = 0; i < from->count; i++)
        memcpy(t->saved[i], operand_at(&s->w, from->at[i]), (size_t)from->list[i]->element * RP_WARP_LANES);
    for (unsigned i = 0; i < to->count; i++) {
        memcpy(to->list[i].before, operand_at(&s->w, to->list[i].o), to->list[i].bytes);
        memset(to->list[i].differs, 0, to->list[i].bytes);
    }
    for (unsigned n = 0; n < TRIALS; n++) {
        for (unsigned i = 0; i < from->count; i++)
            fill(operand_at(&s->w, from->at[i]), (const uint64_t *)(void *)bits_of_lane(v, from->list[i], 0),
                 (size_t)from->list[i]->element * RP_WARP_LANES, n, i);
        u->fn(&s->w, u, executed);
        for (unsigned i = 0; i < to->count; i++)
            compare_result(&to->list[i], operand_at(&s->w, to->list[i].o), n);
        s->w = before;
        for (unsigned i = 0; i < to->count; i++)
            memcpy(operand_at(&s->w, to->list[i].o), to->list[i].before, to->list[i].bytes);
        for (unsigned i = 0; i < from->count; i++)
            memcpy(operand_at(&s->w, from->at[i]), t->saved[i], (size_t)from->list[i]->element * RP_WARP_LANES);
    }
}

/* The lanes of which a result depends on undefined bits: of the predicates, or of the registers. */
static lanemask differing(const struct results *to, bool predicates)
{
    lanemask lanes = 0;
    for (unsigned i = 0; i < to->count; i++) {
        const struct result *r = &to->list[i];
        if (predicates == !r->element)
            lanes |= predicates ? r->differs[0] : lanes_of(r->differs, r->element, false);
    }
    return lanes;
}

/* A constant operand that is a power of 256: by which machine code multiplies to move bytes. */
static bool shifts_bytes(const struct warp_state *s, struct operand o)
{
    uint32_t by = is_register(o) || is_sink(o) ? 0 : lane_u32(&s->w, o, 0);
    return by == 1 || by == 1u << 8 || by == 1u << 16 || by == 1u << 24;
}

/* Whether it is arithmetic with which machine code moves bytes: adds nothing, or multiplies to shift by bytes. */
static bool sums_to_move(const struct warp_state *s, const struct uop *u)
{
    const struct operand all[] = {u->a, u->b, u->c};
    unsigned others = 0, registers = 0;
    for (int i = 0; i < 3; i++) {
        registers += is_register(all[i]);
        others += !is_register(all[i]) && !is_sink(all[i]) && lane_u32(&s->w, all[i], 0);
    }
    if (u->flags & (UF_NEGATE_A | UF_NEGATE_B | UF_NEGATE_C | UF_PLUS_ONE | UF_HI))
        return false;
    bool product = u->op == OP_MUL || u->op == OP_MAD;
    return (registers == 1 && !others) || (product && (shifts_bytes(s, u->a) || shifts_bytes(s, u->b)));
}

static bool has_byte(const struct undefined *v, const struct sources *from, unsigned lane, uint8_t byte)
{
    bool found = false;
    for (unsigned i = 0; i < from->count; i++)
        found |= memchr(bits_of_lane(v, from->list[i], lane), byte, from->list[i]->element) != NULL;
    return found;
}

/* Whether some byte of the result is defined in part, as no byte of a source is. */
static bool cuts_bytes(const struct undefined *v, const struct sources *from, unsigned lane, const uint8_t *bits,
                       unsigned bytes)
{
    bool cuts = false;
    for (unsigned i = 0; i < bytes; i++)
        cuts |= bits[i] && bits[i] != 0xff && !has_byte(v, from, lane, bits[i]);
    return cuts;
}

/* A lane's part of a result that has undefined bits. */
struct part {
    uint32_t origin;
    bool changed;
};

/* Where its bits are from, and whether they were combined with others before. of: the undefined lanes of each source.
 */
static struct part part_of(const struct sources *from, const lanemask *of, unsigned lane)
{
    struct part p = {0, false};
    uint32_t other = 0;
    for (unsigned i = 0; i < from->count; i++) {
        const struct granule *g = from->list[i];
        if (of[i] >> lane & 1) {
            p.origin = p.origin ? p.origin : g->origin[lane];
            p.changed |= g->changed >> lane & 1;
        }
        other = of[i] ? g->origin[__builtin_ctz(of[i])] : other;
    }
    p.origin = p.origin ? p.origin : other; /* of a shuffle, another lane */
    return p;
}

static void find_parts(const struct undefined *v, const struct warp_state *s, const struct uop *u,
                       const struct sources *from, const struct results *to, lanemask lanes,
                       struct part parts[][RP_WARP_LANES])
{
    lanemask of[MOST_SOURCES];
    bool sums = effect_of(u) == SUMS && !sums_to_move(s, u), cuts = !sums && !moves_bytes(u);
    for (unsigned i = 0; i < from->count; i++)
        of[i] = undefined_lanes(v, from->list[i], false);
    for (unsigned i = 0; i < to->count; i++) {
        const struct result *r = &to->list[i];
        lanemask differ = r->element ? lanes_of(r->differs, r->element, false) & lanes : 0;
        FOR_LANES(l, differ)
        {
            parts[i][l] = part_of(from, of, l);
            parts[i][l].changed |= sums || (cuts && cuts_bytes(v, from, l, differs_of_lane(r, l), r->element));
        }
    }
}

/* The lanes' results have undefined bits, where they differ. */
static void carry_on(struct checked_block *cb, struct warp_state *s, const struct uop *u, const struct sources *from,
                     const struct results *to, lanemask lanes)
{
    struct part parts[MOST_RESULTS + 3][RP_WARP_LANES];
    struct undefined *v = undefined_of(cb, s);
    find_parts(v, s, u, from, to, lanes, parts);
    for (unsigned i = 0; i < to->count; i++) { /* the sources may be lost from here on */
        const struct result *r = &to->list[i];
        lanemask differ = r->element ? lanes_of(r->differs, r->element, false) & lanes : 0;
        if (r->element)
            overwrite(v, s, r->o, r->element, lanes);
        struct granule *g = differ ? make_undefined(cb, s, r->o, r->element) : NULL;
        if (!g)
            continue;
        FOR_LANES(l, differ)
        {
            memcpy(bits_of_lane(v, g, l), differs_of_lane(r, l), r->element);
            g->origin[l] = parts[i][l].origin;
            g->changed = (g->changed & ~((lanemask)1 << l)) | (lanemask)parts[i][l].changed << l;
        }
    }
}

/* All that the operation writes is defined, in these lanes. */
static void define_results(struct undefined *v, struct warp_state *s, const struct uop *u, lanemask lanes)
{
    unsigned element = result_element(u);
    if (u->op != OP_MOV || u->type != T_PRED)
        overwrite(v, s, u->d, element, lanes);
    if (u->type == T_B128 && is_register(u->d))
        overwrite(v, s, (struct operand){u->d.at + WIDEST * RP_WARP_LANES}, element, lanes);
    for (uint32_t i = 0; u->lane && lane_op_writes_list(u->op) && i < list_count(u->lane, 0); i++)
        overwrite(v, s, u->lane->elements[i], element, lanes);
}

/* The lanes in which all bits of a source are undefined. */
static lanemask whole_lanes(const struct undefined *v, const struct sources *from)
{
    lanemask lanes = 0;
    for (unsigned i = 0; i < from->count; i++)
        lanes |= undefined_lanes(v, from->list[i], true);
    return lanes;
}

/* NULL: out of memory. */
static struct trials *trials_of(struct rp_check *c)
{
    if (!c->trials)
        c->trials = malloc(sizeof *c->trials);
    if (!c->trials)
        c->missed |= MISSED_MEMORY;
    return c->trials;
}

static void lane_operation(struct checked_block *cb, struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct undefined *v = undefined_of(cb, s);
    struct sources from = find_sources(v, s, u);
    enum effect effect = effect_of(u);
    executed = u->kind == UOP_UNIFORM ? ~(lanemask)0 : executed;
    struct trials *t = from.count && can_try(u) ? trials_of(cb->check) : NULL;
    if (!t) {
        use_lanes(cb, s, &from, executed);
        define_results(v, s, u, executed);
        return;
    }
    find_results(&t->to, u);
    try_values(v, s, u, executed, &from, t);
    lanemask uses = differing(&t->to, true);
    if (effect == USES)
        uses |= differing(&t->to, false);
    if (effect == USES || (effect == SUMS && !sums_to_move(s, u)))
        uses |= whole_lanes(v, &from);
    uses &= executed;
    use_lanes(cb, s, &from, uses);
    define_results(v, s, u, effect == USES ? executed : uses);
    if (effect != USES && executed & ~uses)
        carry_on(cb, s, u, &from, &t->to, executed & ~uses);
}

static void access_memory(struct checked_block *cb, struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct undefined *v = undefined_of(cb, s);
    struct sources from = find_sources(v, s, u);
    use_lanes(cb, s, &from, executed);
    enum rp_access_kind kind = (enum rp_access_kind)u->memory->operand.kind;
    if (kind == RP_ACCESS_STORE)
        return;
    bool plain = kind == RP_ACCESS_LOAD || kind == RP_ACCESS_ATOMIC;
    for (unsigned i = 0; i < element_count(u); i++) {
        struct element e = element_of(u, i);
        overwrite(v, s, e.o, plain ? e.room : WIDEST, executed);
    }
}

void check_values(struct observer *o, struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct checked_block *cb = (struct checked_block *)o;
    struct undefined *v = undefined_of(cb, s);
    if (is_lane_kind(u)) {
        lane_operation(cb, s, u, executed);
    } else if (is_memory_kind(u)) {
        access_memory(cb, s, u, executed);
    } else {
        struct sources from = find_sources(v, s, u);
        use_lanes(cb, s, &from, executed);
        if (u->kind == UOP_STACK || u->kind == UOP_BARRIER)
            overwrite(v, s, u->d, 4, executed);
    }
}
