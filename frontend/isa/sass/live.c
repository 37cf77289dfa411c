#include "frontend/isa/sass/live.h"

#include <string.h>

enum { GENERAL_WORDS = 4, WORDS = GENERAL_WORDS + 1, GENERAL = 255 };

/* A set of general registers and predicates. */
struct set {
    uint64_t word[WORDS];
};

struct work {
    const struct sass_flow *flow;
    struct set clobbered, kept; /* what a call overwrites; what a return reads */
    uint32_t *block_of;         /* by instruction */
    uint32_t *first;            /* by block; one more entry for the end of the last block */
    uint32_t blocks;
    struct set *begin; /* by block: registers that are live at its beginning */
};

static void add(struct set *s, rp_register r)
{
    unsigned file = rp_register_file(r), n = rp_register_index(r);
    if (file == RP_FILE_PREDICATE && n < 64)
        s->word[GENERAL_WORDS] |= 1ull << n;
    for (unsigned i = 0; file == RP_FILE_GENERAL && i < rp_register_count(r) && n + i < GENERAL; i++)
        s->word[(n + i) / 64] |= 1ull << (n + i) % 64;
}

static void unite(struct set *s, const struct set *with)
{
    for (unsigned i = 0; i < WORDS; i++)
        s->word[i] |= with->word[i];
}

static void subtract(struct set *s, const struct set *what)
{
    for (unsigned i = 0; i < WORDS; i++)
        s->word[i] &= ~what->word[i];
}

static void intersect(struct set *s, const struct set *with)
{
    for (unsigned i = 0; i < WORDS; i++)
        s->word[i] &= with->word[i];
}

static struct set sources(const struct work *w, uint32_t i)
{
    const struct rp_instruction *in = &w->flow->instructions[i];
    const struct sass_step *step = &w->flow->steps[i];
    struct set s = {{0}};
    add(&s, RP_REGISTER(RP_FILE_GENERAL, 1, 1));
    for (uint32_t r = 0; r < in->src_count; r++)
        add(&s, in->src[r]);
    if (step->flags & STEP_CALL)
        add(&s, RP_REGISTER(RP_FILE_GENERAL, 0, 1));
    if (step->flags & STEP_RETURN)
        unite(&s, &w->kept);
    return s;
}

static struct set results(const struct work *w, uint32_t i)
{
    const struct rp_instruction *in = &w->flow->instructions[i];
    struct set s = {{0}};
    for (uint32_t r = 0; r < in->dst_count; r++)
        add(&s, in->dst[r]);
    if (w->flow->steps[i].flags & STEP_CALL)
        unite(&s, &w->clobbered);
    return s;
}

/* All registers and predicates that the file's code names. */
static struct set find_named(const struct work *w)
{
    struct set all = {{0}};
    for (uint32_t i = 0; i < w->flow->own; i++) {
        struct set s = sources(w, i), d = results(w, i);
        unite(&all, &s);
        unite(&all, &d);
    }
    return all;
}

/* Adds all that have lower numbers than one of the set. */
static void fill(struct set *s)
{
    bool above = false;
    for (unsigned r = GENERAL; r-- > 0;) {
        above |= s->word[r / 64] >> r % 64 & 1;
        s->word[r / 64] |= (uint64_t)above << r % 64;
    }
    above = false;
    for (unsigned p = 64; p-- > 0;) {
        above |= s->word[GENERAL_WORDS] >> p & 1;
        s->word[GENERAL_WORDS] |= (uint64_t)above << p;
    }
}

/* Returns keep registers up to the number that the file says, calls overwrite them up to the highest one that the code
 * names or a return keeps. */
static void find_convention(struct work *w)
{
    struct set clobbered = {
        {0x0f0f0f0f0000fff9, 0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f, UINT64_MAX}};
    struct set kept = {{0xf0f0f0f0ffff0006, 0xf0f0f0f0f0f0f0f0, 0xf0f0f0f0f0f0f0f0, 0xf0f0f0f0f0f0f0f0, 0}};
    struct set named = find_named(w), said = named;
    for (unsigned r = 0; r < w->flow->registers && r < GENERAL; r++)
        add(&said, RP_REGISTER(RP_FILE_GENERAL, r, 1));
    fill(&said);
    intersect(&kept, &said);
    w->kept = kept;
    for (uint32_t i = 0; i < w->flow->own; i++)
        if (w->flow->steps[i].flags & STEP_RETURN)
            unite(&named, &kept);
    fill(&named);
    intersect(&clobbered, &named);
    w->clobbered = clobbered;
}

static void find_blocks(struct work *w, struct arena *a)
{
    const struct sass_flow *f = w->flow;
    uint8_t *begins = ARENA_ARRAY(a, uint8_t, (size_t)f->count + 1);
    begins[0] = 1;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct sass_step *s = &f->steps[i];
        bool second = i && f->steps[i - 1].flags & STEP_PAIR;
        for (uint32_t t = 0; t < s->count; t++)
            begins[f->targets[s->first + t]] = 1;
        if (s->flags & STEP_BEGINS)
            begins[second ? i - 1 : i] = 1;
        if (!(s->flags & STEP_FALLS))
            begins[i + 1] = 1;
    }
    w->block_of = ARENA_ARRAY(a, uint32_t, (size_t)f->count + 1);
    w->first = ARENA_ARRAY(a, uint32_t, (size_t)f->count + 2);
    for (uint32_t i = 0; i < f->count; i++) {
        if (begins[i])
            w->first[w->blocks++] = i;
        w->block_of[i] = w->blocks - 1;
    }
    w->first[w->blocks] = f->count;
    w->begin = ARENA_ARRAY(a, struct set, (size_t)w->blocks + 1);
}

/* The registers that are live at places outside of the block to which the instruction may go. */
static struct set beyond(const struct work *w, uint32_t i)
{
    const struct sass_step *s = &w->flow->steps[i];
    struct set out = {{0}};
    for (uint32_t t = 0; t < s->count; t++)
        unite(&out, &w->begin[w->block_of[w->flow->targets[s->first + t]]]);
    if (s->flags & STEP_FALLS && i + 1 < w->flow->count && i + 1 == w->first[w->block_of[i] + 1])
        unite(&out, &w->begin[w->block_of[i + 1]]);
    return out;
}

/* Finds what is live at the beginning of the block: what the block reads before it writes it, what its guarded writes
 * keep alive, and what is live after the block and not written in it. True: it has changed. */
static bool update(struct work *w, uint32_t block)
{
    struct set own = {{0}}, through = {{0}};
    for (uint32_t i = w->first[block + 1]; i-- > w->first[block];) {
        struct set out = beyond(w, i), s = sources(w, i), d = results(w, i);
        unite(&through, &out);
        subtract(&through, &d);
        if (!(w->flow->instructions[i].flags & RP_GUARDED))
            subtract(&own, &d);
        unite(&own, &s);
    }
    unite(&own, &through);
    bool changed = memcmp(&own, &w->begin[block], sizeof own);
    w->begin[block] = own;
    return changed;
}

static unsigned count_words(const uint64_t *word, unsigned words)
{
    unsigned n = 0;
    for (unsigned i = 0; i < words; i++)
        n += rp_lane_count((uint32_t)word[i]) + rp_lane_count((uint32_t)(word[i] >> 32));
    return n;
}

static void count_block(const struct work *w, uint32_t block, struct rp_live *out)
{
    struct set now = {{0}};
    for (uint32_t i = w->first[block + 1]; i-- > w->first[block];) {
        struct set alive = beyond(w, i), s = sources(w, i), d = results(w, i);
        unite(&now, &alive);
        out[i].after = (uint16_t)count_words(now.word, GENERAL_WORDS);
        if (!(w->flow->instructions[i].flags & RP_GUARDED))
            subtract(&now, &d);
        unite(&now, &s);
        alive = now;
        unite(&alive, &d);
        bool pair = w->flow->steps[i].flags & STEP_PAIR && i + 1 < w->first[block + 1];
        if (pair) {
            d = results(w, i + 1);
            unite(&alive, &d);
        }
        out[i].registers = (uint16_t)count_words(alive.word, GENERAL_WORDS);
        out[i].predicates = (uint16_t)count_words(alive.word + GENERAL_WORDS, 1);
        if (pair) {
            out[i + 1].registers = out[i].registers;
            out[i + 1].predicates = out[i].predicates;
        }
    }
}

const struct rp_live *sass_live(struct arena *a, const struct sass_flow *f)
{
    struct work w = {.flow = f};
    struct rp_live *out = ARENA_ARRAY(a, struct rp_live, (size_t)f->count + 1);
    find_convention(&w);
    find_blocks(&w, a);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = w.blocks; b-- > 0;)
            changed |= update(&w, b);
    }
    for (uint32_t b = 0; b < w.blocks; b++)
        count_block(&w, b, out);
    return out;
}
