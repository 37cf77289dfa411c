/* Registers whose bits nobody has written, as Valgrind's memcheck has them (Nethercote and Seward, "How to Shadow Every
 * Byte of Memory Used by a Program", VEE 2007). A load brings the state of memory, bit by bit; moves, shifts and
 * operations carry it on, comparisons to predicates, which a select or a logical "and" may discard; a store takes it
 * back to memory. Only what decides something is a read of unwritten memory: an address, a guard, a branch, an atomic,
 * a vote, and a store of what was computed.
 *
 * Which bits of a result depend on undefined bits is found out by trying: the operation runs with these bits as zeros,
 * ones, and others, and the bits of its results that change are undefined. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/shadow.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/operation/flags.h"

enum { MOST_SOURCES = 64, MOST_RESULTS = 8 };

/* ---- what a uop reads -------------------------------------------------------------------------------------------- */

/* A register or predicate with undefined bits. */
struct source {
    struct operand at;
    struct granule *granule; /* NULL: a predicate */
};
struct sources {
    struct source list[MOST_SOURCES];
    unsigned count;
};

static bool is_source(const struct sources *r, struct operand o)
{
    bool is = false;
    for (unsigned i = 0; i < r->count; i++)
        is |= r->list[i].at.at == o.at;
    return is;
}

static void add_source(struct sources *r, const struct undefined *v, const struct warp_state *s, struct operand o)
{
    if (!is_register(o) || r->count == MOST_SOURCES || is_source(r, o))
        return;
    struct granule *g = undefined_register(v, register_place(s, o));
    if (g || undefined_predicate(v, register_place(s, o)))
        r->list[r->count++] = (struct source){o, g};
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

/* Whether p and pd of the uop are predicates, or nothing. */
static bool has_predicates(const struct uop *u)
{
    bool kind = is_lane_kind(u) || u->kind == UOP_BARRIER;
    return kind && !(u->flags & UF_EQUAL_B) && u->op != OP_FRAME && u->op != OP_XMAD && u->op != OP_VIDEO &&
           u->op != OP_GUEST && !(u->op >= OP_MMA && u->op <= OP_MATRIX_TRANSPOSE);
}

/* Of an access, all but what a plain store stores. */
static struct sources find_sources(const struct undefined *v, const struct warp_state *s, const struct uop *u)
{
    struct sources r;
    r.count = 0; /* the rest is large, and not read */
    add_source(&r, v, s, u->a);
    add_source(&r, v, s, u->b);
    add_source(&r, v, s, u->c);
    if (has_predicates(u))
        add_source(&r, v, s, u->p);
    if (is_lane_kind(u))
        add_lists(&r, v, s, u);
    const struct program *p = s->w.block->program;
    const struct operation *o = &p->operations[u - p->uops]; /* accesses are where their operations are */
    for (unsigned n = 1; is_memory_kind(u) && n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            add_source(&r, v, s, o->lists[n].at[i]);
    return r;
}

static const struct predicate *predicate_of(const struct undefined *v, const struct warp_state *s,
                                            const struct source *of)
{
    return of->granule ? NULL : undefined_predicate(v, register_place(s, of->at));
}

/* The lanes in which it has undefined bits; whole: in which all are. */
static lanemask source_lanes(const struct undefined *v, const struct warp_state *s, const struct source *of, bool whole)
{
    const struct predicate *p = predicate_of(v, s, of);
    return p ? p->lanes : of->granule && of->granule->start ? undefined_lanes(v, of->granule, whole) : 0;
}

static uint32_t source_origin(const struct undefined *v, const struct warp_state *s, const struct source *of,
                              unsigned lane)
{
    const struct predicate *p = predicate_of(v, s, of);
    return p ? p->origin[lane] : of->granule->origin[lane];
}

/* The lanes use undefined bits. */
static void use_lanes(struct checked_block *cb, struct warp_state *s, const struct sources *r, lanemask lanes)
{
    struct undefined *v = undefined_of(cb, s);
    for (unsigned i = 0; i < r->count; i++) {
        const struct source *from = &r->list[i];
        lanemask of = source_lanes(v, s, from, false) & lanes;
        FOR_LANES(l, of)
        origins_used(cb, s->w.block, source_origin(v, s, from, l));
        if (of && from->granule)
            define_lanes(v, s, from->granule, of);
        else if (of)
            define_predicate(v, s, from->at, of);
    }
}

/* What lanes do depends on the guard. */
static void use_guard(struct checked_block *cb, struct warp_state *s, const struct uop *u, lanemask lanes)
{
    struct undefined *v = undefined_of(cb, s);
    struct sources guard;
    guard.count = 0;
    if (!(u->flags & UF_GUARDED) || !v->predicate_count)
        return;
    add_source(&guard, v, s, u->guard);
    use_lanes(cb, s, &guard, lanes);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* MOVES: its bits are those of its operands, or it makes bits of bits. SUMS: arithmetic on integers. COMPUTES: anything
 * else that can be tried. USES: what cannot, and what sets condition codes. */
enum effect { MOVES, SUMS, COMPUTES, USES };

static bool is_whole(unsigned type) { return !lane_is_float((enum lane_type)type) && type != T_PRED; }

static enum effect effect_of(const struct uop *u)
{
    bool codes = u->flags & (UF_CARRY_IN | UF_CARRY_OUT) && u->op != OP_ADD3;
    if (codes || u->op == OP_COMPARE_X || u->op == OP_FLAGS)
        return USES;
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
    case OP_CVT: return is_whole(u->type) && is_whole(u->stype) && !(u->flags & UF_SAT) ? MOVES : COMPUTES;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_NEG:
    case OP_SUM3:
    case OP_ADD3: return is_whole(u->type) && !(u->flags & UF_SAT) ? SUMS : COMPUTES;
    default: return COMPUTES;
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
                 u->op == OP_SUM3 || u->op == OP_COMPARE_X || u->op == OP_FCHK || u->op == OP_COMPARE_LONG ||
                 (u->op >= OP_PREDICATE_TABLE && u->op <= OP_SCATTER_PREDICATES);
    return plain && u->op != OP_SPECIAL && u->type != T_B128 && u->fn && u->kind != UOP_CLOCK;
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
    unsigned element = u->type == T_PRED ? 0 : result_element(u);
    bool lists = u->lane && lane_op_writes_list(u->op), scatters = u->op == OP_SCATTER_PREDICATES;
    size_t bytes = u->type == T_B128 && !lists ? REGISTER_BYTES : (size_t)element * RP_WARP_LANES;
    r->count = 0;
    add_result(r, u->d, element, element ? bytes : sizeof(lanemask));
    for (uint32_t i = 0; lists && i < list_count(u->lane, 0); i++)
        add_result(r, u->lane->elements[i], scatters ? 0 : element, scatters ? sizeof(lanemask) : bytes);
    if (has_predicates(u))
        add_result(r, u->pd, 0, sizeof(lanemask));
    add_result(r, second_predicate(u), 0, sizeof(lanemask));
}

/* What undefined bits are set to: zeros; ones; great and small numbers of every type; the bits of the other operand,
 * for comparisons; and others for each source. */
enum trial { ZEROS, ONES, GREAT, SMALL, EQUAL, OTHERS, TRIALS = OTHERS + 2 };

static uint64_t filling(unsigned trial, unsigned source)
{
    static const uint64_t with[] = {0, ~UINT64_C(0), 0x7b7b7b7b7b7b7b7b, 0xfbfbfbfbfbfbfbfb};
    if (trial < EQUAL)
        return with[trial];
    uint64_t n = (trial * UINT64_C(0xbf58476d1ce4e5b9)) ^ ((source + trial) * UINT64_C(0x94d049bb133111eb));
    return n ^ n >> 31;
}

static void fill(uint32_t *data, const uint32_t *bits, size_t bytes, uint64_t with)
{
    for (size_t i = 0; i < bytes / sizeof *data; i++)
        data[i] = (data[i] & ~bits[i]) | ((uint32_t)(with >> (i % 2 * 32)) & bits[i]);
}

static void fill_from(uint32_t *data, const uint32_t *bits, size_t bytes, const uint32_t *with)
{
    for (size_t i = 0; i < bytes / sizeof *data; i++)
        data[i] = (data[i] & ~bits[i]) | (with[i] & bits[i]);
}

/* Notes in which bits the n-th result differs from the first. */
static void compare_result(struct result *r, const uint32_t *now, unsigned n)
{
    for (size_t k = 0; n && k < r->bytes / sizeof *now; k++)
        r->differs[k] |= now[k] ^ r->first[k];
    if (!n)
        memcpy(r->first, now, r->bytes);
}

static size_t source_bytes(const struct source *of)
{
    return of->granule ? (size_t)of->granule->element * RP_WARP_LANES : sizeof(lanemask);
}

static const uint32_t *source_bits(const struct undefined *v, const struct warp_state *s, const struct source *of)
{
    const struct predicate *p = predicate_of(v, s, of);
    return p ? &p->lanes : (const uint32_t *)(void *)bits_of_lane(v, of->granule, 0);
}

static void fill_sources(const struct undefined *v, struct warp_state *s, const struct uop *u,
                         const struct sources *from, unsigned trial)
{
    for (unsigned i = 0; i < from->count; i++) {
        const struct source *of = &from->list[i];
        struct operand other = of->at.at == u->a.at ? u->b : of->at.at == u->b.at ? u->a : OPERAND_NONE;
        const uint32_t *bits = source_bits(v, s, of);
        uint32_t *data = operand_at(&s->w, of->at);
        if (trial == EQUAL && of->granule && !is_sink(other))
            fill_from(data, bits, source_bytes(of), operand_at(&s->w, other));
        else
            fill(data, bits, source_bytes(of), filling(trial, i));
    }
}

/* Tries the operation. Afterwards all is as before. */
static void try_values(const struct undefined *v, struct warp_state *s, const struct uop *u, lanemask executed,
                       const struct sources *from, struct trials *t)
{
    struct warp before = s->w;
    struct results *to = &t->to;
    for (unsigned i = 0; i < from->count; i++)
        memcpy(t->saved[i], operand_at(&s->w, from->list[i].at), source_bytes(&from->list[i]));
    for (unsigned i = 0; i < to->count; i++) {
        memcpy(to->list[i].before, operand_at(&s->w, to->list[i].o), to->list[i].bytes);
        memset(to->list[i].differs, 0, to->list[i].bytes);
    }
    for (unsigned n = 0; n < TRIALS; n++) {
        fill_sources(v, s, u, from, n);
        u->fn(&s->w, u, executed);
        for (unsigned i = 0; i < to->count; i++)
            compare_result(&to->list[i], operand_at(&s->w, to->list[i].o), n);
        s->w = before;
        for (unsigned i = 0; i < to->count; i++)
            memcpy(operand_at(&s->w, to->list[i].o), to->list[i].before, to->list[i].bytes);
        for (unsigned i = 0; i < from->count; i++)
            memcpy(operand_at(&s->w, from->list[i].at), t->saved[i], source_bytes(&from->list[i]));
    }
}

static lanemask differing_lanes(const struct result *r)
{
    return r->element ? lanes_of(r->differs, r->element, false) : r->differs[0];
}

/* The lanes with a result that depends on undefined bits. */
static lanemask differing(const struct results *to)
{
    lanemask lanes = 0;
    for (unsigned i = 0; i < to->count; i++)
        lanes |= differing_lanes(&to->list[i]);
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
    for (unsigned i = 0; i < from->count; i++) {
        const struct granule *g = from->list[i].granule;
        found |= g && memchr(bits_of_lane(v, g, lane), byte, g->element) != NULL;
    }
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
static struct part part_of(struct checked_block *cb, const struct warp_state *s, const struct sources *from,
                           const lanemask *of, unsigned lane)
{
    const struct undefined *v = undefined_of(cb, s);
    struct part p = {0, false};
    uint32_t other = 0;
    for (unsigned i = 0; i < from->count; i++) {
        const struct source *source = &from->list[i];
        if (of[i] >> lane & 1) {
            p.origin = origins_join(cb->check, p.origin, source_origin(v, s, source, lane));
            p.changed |= !source->granule || source->granule->changed >> lane & 1;
        }
        other = of[i] ? source_origin(v, s, source, (unsigned)__builtin_ctz(of[i])) : other;
    }
    p.origin = p.origin ? p.origin : other; /* of a shuffle, another lane */
    return p;
}

static void find_parts(struct checked_block *cb, const struct warp_state *s, const struct uop *u,
                       const struct sources *from, const struct results *to, lanemask lanes,
                       struct part parts[][RP_WARP_LANES])
{
    const struct undefined *v = undefined_of(cb, s);
    lanemask of[MOST_SOURCES];
    enum effect effect = effect_of(u);
    bool computes = effect == COMPUTES || (effect == SUMS && !sums_to_move(s, u)), cuts = !computes && !moves_bytes(u);
    for (unsigned i = 0; i < from->count; i++)
        of[i] = source_lanes(v, s, &from->list[i], false);
    for (unsigned i = 0; i < to->count; i++) {
        const struct result *r = &to->list[i];
        lanemask differ = differing_lanes(r) & lanes;
        FOR_LANES(l, differ)
        {
            parts[i][l] = part_of(cb, s, from, of, l);
            parts[i][l].changed |=
                computes || (r->element && cuts && cuts_bytes(v, from, l, differs_of_lane(r, l), r->element));
        }
    }
}

static void carry_to_register(struct checked_block *cb, struct warp_state *s, const struct result *r,
                              const struct part *parts, lanemask lanes)
{
    lanemask differ = differing_lanes(r) & lanes;
    overwrite(undefined_of(cb, s), s, r->o, r->element, lanes);
    struct granule *g = differ ? make_undefined(cb, s, r->o, r->element) : NULL;
    if (!g)
        return;
    FOR_LANES(l, differ)
    {
        memcpy(bits_of_lane(undefined_of(cb, s), g, l), differs_of_lane(r, l), r->element);
        g->origin[l] = parts[l].origin;
        g->changed = (g->changed & ~((lanemask)1 << l)) | (lanemask)parts[l].changed << l;
    }
}

static void carry_to_predicate(struct checked_block *cb, struct warp_state *s, const struct result *r,
                               const struct part *parts, lanemask lanes)
{
    lanemask differ = differing_lanes(r) & lanes;
    define_predicate(undefined_of(cb, s), s, r->o, lanes);
    struct predicate *p = differ ? make_undefined_predicate(cb, s, r->o) : NULL;
    if (!p)
        return;
    FOR_LANES(l, differ)
    p->origin[l] = parts[l].origin;
    p->lanes |= differ;
}

/* The lanes' results have undefined bits, where they differ. */
static void carry_on(struct checked_block *cb, struct warp_state *s, const struct uop *u, const struct sources *from,
                     const struct results *to, lanemask lanes)
{
    struct part parts[MOST_RESULTS + 3][RP_WARP_LANES];
    find_parts(cb, s, u, from, to, lanes, parts);
    for (unsigned i = 0; i < to->count; i++) /* the sources may be lost from here on */
        (to->list[i].element ? carry_to_register : carry_to_predicate)(cb, s, &to->list[i], parts[i], lanes);
}

/* All that the operation writes is defined, in these lanes. */
static void define_results(struct undefined *v, struct warp_state *s, const struct uop *u, lanemask lanes)
{
    unsigned element = result_element(u);
    bool lists = u->lane && lane_op_writes_list(u->op);
    if (u->type == T_PRED)
        define_predicate(v, s, u->d, lanes);
    else
        overwrite(v, s, u->d, element, lanes);
    if (u->type == T_B128 && is_register(u->d))
        overwrite(v, s, (struct operand){u->d.at + WIDEST * RP_WARP_LANES}, element, lanes);
    for (uint32_t i = 0; lists && i < list_count(u->lane, 0); i++)
        if (u->op == OP_SCATTER_PREDICATES)
            define_predicate(v, s, u->lane->elements[i], lanes);
        else
            overwrite(v, s, u->lane->elements[i], element, lanes);
    if (has_predicates(u))
        define_predicate(v, s, u->pd, lanes);
    define_predicate(v, s, second_predicate(u), lanes);
}

/* The lanes in which all bits of a source are undefined. */
static lanemask whole_lanes(const struct undefined *v, const struct warp_state *s, const struct sources *from)
{
    lanemask lanes = 0;
    for (unsigned i = 0; i < from->count; i++)
        lanes |= source_lanes(v, s, &from->list[i], true);
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
    if (effect != USES) {
        carry_on(cb, s, u, &from, &t->to, executed);
        return;
    }
    use_lanes(cb, s, &from, (differing(&t->to) | whole_lanes(v, s, &from)) & executed);
    define_results(v, s, u, executed);
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
    for (unsigned i = 0; i < access_elements(u); i++) {
        struct element e = access_element(u, i);
        overwrite(v, s, e.o, plain ? e.room : WIDEST, executed);
    }
}

void check_values(struct observer *o, struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct checked_block *cb = (struct checked_block *)o;
    struct undefined *v = undefined_of(cb, s);
    use_guard(cb, s, u, u->kind == UOP_COLLECTIVE ? executed : s->w.active);
    if (!executed)
        return;
    if (is_lane_kind(u)) {
        lane_operation(cb, s, u, executed);
    } else if (is_memory_kind(u)) {
        access_memory(cb, s, u, executed);
    } else {
        struct sources from = find_sources(v, s, u);
        use_lanes(cb, s, &from, executed);
        if (u->kind == UOP_STACK || u->kind == UOP_BARRIER)
            overwrite(v, s, u->d, 4, executed);
        if (u->kind == UOP_BARRIER)
            define_predicate(v, s, u->pd, executed);
    }
}
