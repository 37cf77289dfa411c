/* The findings: one entry for each source location or pair of locations, with its text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"
#include "tracefmt/plural.h"

struct rp_check_location check_location(const struct block *b, uint32_t instruction, uint32_t thread, uint8_t access)
{
    struct rp_check_location p = {.instruction = instruction, .access = access};
    const struct warp *w = &b->warps[thread / RP_WARP_LANES].w;
    for (int i = 0; i < 3; i++) {
        p.block[i] = b->ctaid[i];
        p.thread[i] = w->tid[i][thread % RP_WARP_LANES];
    }
    return p;
}

static const char *kind_name(enum rp_check_kind k)
{
    return k == RP_CHECK_INIT     ? "uninitialised read"
           : k == RP_CHECK_RACE   ? "race"
           : k == RP_CHECK_MEMORY ? "memory"
                                  : "synchronisation";
}

void check_block_at(const struct grid *g, uint32_t index, uint32_t at[3])
{
    at[0] = index % g->dim[0];
    at[1] = index / g->dim[0] % g->dim[1];
    at[2] = index / g->dim[0] / g->dim[1];
}

static char *copy_of_file(const struct rp_kernel *k, uint32_t file, uint32_t line)
{
    return line && file < k->file_count ? strdup(k->files[file]) : NULL;
}

/* Appends the inlined calls around an instruction. */
static void find_calls(struct rp_check_location *at, const struct rp_kernel *k, uint32_t innermost)
{
    uint32_t count = at->call_count;
    for (uint32_t i = innermost; i; i = k->inlined[i - 1].inlined)
        count++;
    struct rp_check_call *calls = realloc(at->calls, (count + 1) * sizeof *calls);
    if (!calls)
        return;
    at->calls = calls;
    for (uint32_t i = innermost; i; i = k->inlined[i - 1].inlined) {
        const struct rp_inlined_call *c = &k->inlined[i - 1];
        at->calls[at->call_count++] =
            (struct rp_check_call){strdup(c->function), copy_of_file(k, c->file, c->line), c->line};
    }
}

/* Appends the calls that the thread is in, each with those around it. */
static void find_callers(struct rp_check_location *at, const struct program *p, const struct callers *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct rp_instruction *in = &p->kernel.instructions[c->at[i]];
        struct rp_check_call *calls = realloc(at->calls, (at->call_count + 1) * sizeof *calls);
        if (!calls)
            return;
        at->calls = calls;
        at->calls[at->call_count++] =
            (struct rp_check_call){check_callee(in->text), copy_of_file(&p->kernel, in->file, in->line),
                                   in->file || in->raw_size ? in->line : 0};
        find_calls(at, &p->kernel, in->line ? in->inlined : 0);
    }
}

static void find_source(struct rp_check_location *at, const struct program *p)
{
    const struct rp_instruction *in = &p->kernel.instructions[at->instruction];
    at->line = in->line;
    at->in_ptx = in->line && !in->file && !in->raw_size;
    at->file = copy_of_file(&p->kernel, in->file, in->line);
    if (in->line)
        find_calls(at, &p->kernel, in->inlined);
}

/* The call by the program's own code through which the thread came there, if that is no such code itself. What the
 * compiler has replaced is in the place. */
static void print_caller(FILE *to, const struct rp_kernel *k, const struct rp_check_location *at)
{
    uint32_t inlined = 0;
    bool own = at->file && !at->in_ptx && !rp_file_is_of_toolkit(at->file);
    for (uint32_t i = at->line ? k->instructions[at->instruction].inlined : 0; i; i = k->inlined[i - 1].inlined)
        inlined++;
    for (uint32_t i = 0; i < at->call_count && !own; i++) {
        const struct rp_check_call *c = &at->calls[i];
        own = c->file && !rp_file_is_of_toolkit(c->file);
        if (own && i >= inlined)
            fprintf(to, ", in %s at %s:%u", c->function, c->file, c->line);
    }
}

void rp_finding_locate(struct rp_finding *f, const struct program *p, uint32_t instruction, const uint32_t block[3],
                       const uint32_t thread[3], const struct callers *callers)
{
    char *caller = NULL;
    size_t size;
    f->one = true;
    f->here = (struct rp_check_location){.instruction = instruction, .access = RP_ACCESS_LOAD};
    memcpy(f->here.block, block, sizeof f->here.block);
    memcpy(f->here.thread, thread, sizeof f->here.thread);
    find_source(&f->here, p);
    find_callers(&f->here, p, callers);
    FILE *to = f->text ? open_memstream(&caller, &size) : NULL;
    if (!to)
        return;
    fputs(f->text, to);
    print_caller(to, &p->kernel, &f->here);
    if (fclose(to))
        return;
    free(f->text);
    f->text = caller;
}

static void print_place(FILE *to, const struct program *p, const struct rp_check_location *at)
{
    const struct rp_instruction *in = &p->kernel.instructions[at->instruction];
    fprintf(to, "'%s'", in->text ? in->text : "?");
    if (in->raw_size)
        fprintf(to, " (address 0x%" PRIx64 ")", in->pc);
    if (in->line) {
        char source[600];
        describe_source(&p->kernel, in, source, sizeof source);
        fputs(source, to);
    }
    print_caller(to, &p->kernel, at);
    fprintf(to, ", block (%u,%u,%u), thread (%u,%u,%u)", at->block[0], at->block[1], at->block[2], at->thread[0],
            at->thread[1], at->thread[2]);
}

static void print_finding(FILE *to, const struct block *b, const struct rp_finding *f, const char *detail)
{
    fprintf(to, "kernel '%s': %s: ", b->program->name, kind_name(f->kind));
    if (f->space != RP_SPACE_NONE)
        fprintf(to, "%s of %u byte%s at 0x%" PRIx64 " in %s memory, ", check_access_name(f->here.access), f->size,
                rp_plural(f->size), f->address, rp_space_name((enum rp_space)f->space));
    fprintf(to, "%s; at ", detail);
    print_place(to, b->program, &f->here);
    if (f->two) {
        if (f->kind == RP_CHECK_SYNC)
            fputs("; the others were at ", to);
        else
            fprintf(to, "; the %s was at ", check_access_name(f->other.access));
        print_place(to, b->program, &f->other);
    }
}

static char *finding_text(const struct block *b, const struct rp_finding *f, const char *detail)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    print_finding(to, b, f, detail);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}

static bool same_calls(const struct rp_kernel *k, uint32_t a, uint32_t b)
{
    for (; a && b && a != b; a = k->inlined[a - 1].inlined, b = k->inlined[b - 1].inlined) {
        const struct rp_inlined_call *x = &k->inlined[a - 1], *y = &k->inlined[b - 1];
        if (x->file != y->file || x->line != y->line || strcmp(x->function, y->function))
            return false;
    }
    return a == b;
}

/* Whether the instruction has a line of the source, not only of PTX. */
static bool has_line(const struct rp_instruction *in) { return in->line && (in->file || in->raw_size); }

/* Whether two accesses are at the same source location. Compilers make many instructions of one access when they unroll
 * loops, and a load and a store of one line, such as of x[i]++, are the two sides of one race or of two. */
static bool same_location(const struct rp_kernel *k, const struct rp_check_location *a,
                          const struct rp_check_location *b, bool by_line)
{
    const struct rp_instruction *x = &k->instructions[a->instruction], *y = &k->instructions[b->instruction];
    return x == y || (by_line && has_line(x) && x->line == y->line && x->file == y->file &&
                      same_calls(k, x->inlined, y->inlined));
}

static bool same_pair(const struct rp_kernel *k, const struct rp_check_location *a, const struct rp_check_location *b,
                      const struct rp_check_location *c, const struct rp_check_location *d, bool by_line)
{
    return same_location(k, a, c, by_line) && same_location(k, b, d, by_line);
}

static bool without_lines(const struct rp_kernel *k, const struct rp_finding *f)
{
    return !has_line(&k->instructions[f->here.instruction]) && !has_line(&k->instructions[f->other.instruction]);
}

static bool has_register(const rp_register *list, uint32_t count, rp_register r)
{
    bool has = false;
    for (uint32_t i = 0; i < count; i++)
        has |= list[i] == r;
    return has;
}

/* Whether the instruction uses what a load before it has read, a few instructions apart: the two are one update, such
 * as s[i] += s[j]. */
static bool uses_load(const struct rp_kernel *k, uint32_t load, uint32_t use)
{
    enum { NEAR = 16, VALUES = NEAR };
    rp_register values[VALUES];
    uint32_t count = 0;
    for (uint32_t at = load; at < use && use - load <= NEAR; at++) {
        const struct rp_instruction *in = &k->instructions[at];
        bool derived = at == load;
        for (uint32_t i = 0; i < in->src_count; i++)
            derived |= has_register(values, count, in->src[i]);
        for (uint32_t i = 0; derived && i < in->dst_count && count < VALUES; i++)
            values[count++] = in->dst[i];
    }
    bool uses = false;
    for (uint32_t i = 0; i < k->instructions[use].src_count; i++)
        uses |= has_register(values, count, k->instructions[use].src[i]);
    return uses;
}

static bool one_update(const struct rp_kernel *k, const struct rp_check_location *a, const struct rp_check_location *b)
{
    bool load = a->access == RP_ACCESS_LOAD && b->access == RP_ACCESS_STORE;
    return a->instruction == b->instruction || (load && uses_load(k, a->instruction, b->instruction));
}

static bool share_update(const struct rp_kernel *k, const struct rp_finding *a, const struct rp_finding *b)
{
    const struct rp_check_location *x[] = {&a->here, &a->other}, *y[] = {&b->here, &b->other};
    bool share = false;
    for (int i = 0; i < 4 && !share; i++)
        share = one_update(k, x[i / 2], y[i % 2]) || one_update(k, y[i % 2], x[i / 2]);
    return share;
}

/* A race is of two accesses, whichever came first. Without lines each side may be many instructions of one access. */
static bool same_race(const struct rp_kernel *k, const struct rp_finding *a, const struct rp_finding *b, bool by_line)
{
    return same_pair(k, &a->here, &a->other, &b->here, &b->other, by_line) ||
           same_pair(k, &a->here, &a->other, &b->other, &b->here, by_line) ||
           (by_line && without_lines(k, a) && without_lines(k, b) && share_update(k, a, b));
}

bool check_same(const struct rp_kernel *k, const struct rp_finding *a, const struct rp_finding *b)
{
    bool init = a->kind == RP_CHECK_INIT, race = a->kind == RP_CHECK_RACE;
    if (a->kind != b->kind || a->program != b->program || a->space != b->space || a->two != b->two)
        return false;
    if (a->kind == RP_CHECK_SYNC && a->here.callers != b->here.callers) /* of a function of the toolkit */
        return false;
    if (race && a->two)
        return same_race(k, a, b, a->memory == b->memory);
    bool by_line = (race || init) && a->memory == b->memory && a->size == b->size;
    return same_location(k, &a->here, &b->here, by_line) &&
           (!a->two || same_location(k, &a->other, &b->other, by_line));
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* Appends to a list; NULL: out of memory, and it was freed. */
static struct rp_finding *list_append(struct rp_check *c, struct rp_finding **list, size_t *count, size_t *room,
                                      struct rp_finding f)
{
    if (*count == *room) {
        size_t new = 2 * *room + 16;
        struct rp_finding *more = realloc(*list, new * sizeof *more);
        if (!more) {
            c->missed |= MISSED_MEMORY;
            rp_finding_clear(&f);
            return NULL;
        }
        *list = more;
        *room = new;
    }
    (*list)[*count] = f;
    return &(*list)[(*count)++];
}

struct rp_finding check_key_of(const struct rp_finding *f)
{
    struct rp_finding key = *f;
    key.kernel = key.text = key.here.file = key.other.file = NULL;
    key.here.calls = key.other.calls = NULL;
    key.here.call_count = key.other.call_count = key.stack_count = 0;
    memset(key.stacks, 0, sizeof key.stacks);
    return key;
}

/* Keeps what makes the finding one, so that it counts once. */
static void drop(struct rp_check *c, struct rp_finding f)
{
    struct rp_finding key = check_key_of(&f);
    rp_finding_clear(&f);
    list_append(c, &c->beyond, &c->beyond_count, &c->beyond_room, key);
}

/* Appends a finding and tells the listener; NULL: it is beyond the limit, and was freed. */
static struct rp_finding *append(struct rp_check *c, struct rp_finding f)
{
    f.times = f.times ? f.times : 1;
    if (c->complete)
        c->complete(c->found_user, &f);
    if (!f.suppressed && c->kept == c->limit) {
        drop(c, f);
        return NULL;
    }
    if (c->added)
        c->added(c->found_user, &f);
    c->kept += !f.suppressed;
    return list_append(c, &c->findings, &c->count, &c->room, f);
}

/* The finding of a list with this kind and key; NULL: none. */
static struct rp_finding *with_key(struct rp_finding *list, size_t count, const struct rp_finding *f)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == f->kind && list[i].program == f->program)
            return &list[i];
    return NULL;
}

struct rp_finding *rp_check_add(struct rp_check *c, struct rp_finding f)
{
    struct rp_finding *same = with_key(c->findings, c->count, &f);
    bool hidden = !same && with_key(c->beyond, c->beyond_count, &f);
    if (!same && !hidden)
        return append(c, f);
    if (same)
        same->times += f.times ? f.times : 1;
    rp_finding_clear(&f);
    return same;
}

static struct rp_finding *find_same(const struct rp_kernel *k, struct rp_finding *list, size_t count,
                                    const struct rp_finding *f)
{
    for (size_t i = 0; i < count; i++)
        if (check_same(k, &list[i], f))
            return &list[i];
    return NULL;
}

static bool same_instructions(const struct rp_finding *a, const struct rp_finding *b)
{
    uint32_t x = a->here.instruction, y = a->other.instruction;
    return (x == b->here.instruction && y == b->other.instruction) ||
           (y == b->here.instruction && x == b->other.instruction);
}

/* Keeps a race of other instructions that is part of the finding, so that what shares one with it is, too. */
static void join(struct rp_check *c, const struct rp_finding *to, const struct rp_finding *f)
{
    struct rp_finding key = check_key_of(f);
    if (f->kind != RP_CHECK_RACE || same_instructions(to, f))
        return;
    key.joined = (size_t)(to - c->findings);
    list_append(c, &c->joined, &c->joined_count, &c->joined_room, key);
}

/* The first race of the list by the same instructions; NULL: none. */
static struct rp_finding *find_instructions(struct rp_finding *list, size_t count, const struct rp_finding *f)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == RP_CHECK_RACE && list[i].program == f->program && list[i].space == f->space &&
            list[i].two && same_instructions(&list[i], f))
            return &list[i];
    return NULL;
}

/* The finding of the list that this is part of; NULL: none. A race that was seen before is found without a look at what
 * the instructions do. */
static struct rp_finding *find_whole(struct rp_check *c, const struct rp_kernel *k, const struct rp_finding *f)
{
    bool race = f->kind == RP_CHECK_RACE && f->two;
    struct rp_finding *same = race ? find_instructions(c->findings, c->count, f) : NULL;
    struct rp_finding *by = race && !same ? find_instructions(c->joined, c->joined_count, f) : NULL;
    if (same || by)
        return same ? same : &c->findings[by->joined];
    same = find_same(k, c->findings, c->count, f);
    by = same ? NULL : find_same(k, c->joined, c->joined_count, f);
    same = by ? &c->findings[by->joined] : same;
    if (same)
        join(c, same, f);
    return same;
}

/* Gives the finding its texts. */
static void describe(struct rp_check *c, const struct block *b, struct rp_finding *f, const struct callers *callers,
                     const char *detail)
{
    f->one = true;
    f->program = b->program->kernel.identity;
    f->kernel = strdup(b->program->name);
    find_source(&f->here, b->program);
    if (f->two)
        find_source(&f->other, b->program);
    find_callers(&f->here, b->program, callers);
    f->text = finding_text(b, f, detail);
    if (!f->kernel || !f->text)
        c->missed |= MISSED_MEMORY;
}

void check_report(struct rp_check *c, const struct block *b, struct rp_finding f, const char *detail)
{
    if (c->muted)
        return;
    f.program = b->program->kernel.identity;
    const struct rp_kernel *k = &b->program->kernel;
    struct callers callers = {.count = 0};
    if (f.kind != RP_CHECK_INIT) /* which is of an earlier access */
        check_callers(b, &f.here, &callers);
    f.here.callers = check_callers_key(&callers);
    struct rp_finding *same = find_whole(c, k, &f);
    if (!same)
        same = find_same(k, c->beyond, c->beyond_count, &f);
    if (same) {
        same->times++;
        return;
    }
    describe(c, b, &f, &callers, detail);
    append(c, f);
}

struct rp_finding check_make(struct rp_check *c, const struct block *b, struct rp_finding f, const char *detail)
{
    describe(c, b, &f, &(struct callers){.count = 0}, detail);
    if (c->complete)
        c->complete(c->found_user, &f);
    return f;
}

static bool same_file(const char *a, const char *b) { return a && b && !strcmp(a, b); }

/* Whether findings of one access are one, as check_same has it: their kernels may be gone. */
static bool same_made(const struct rp_finding *a, const struct rp_finding *b)
{
    const struct rp_check_location *x = &a->here, *y = &b->here;
    bool line = x->line && x->line == y->line && same_file(x->file, y->file) && x->call_count == y->call_count;
    for (uint32_t i = 0; line && i < x->call_count; i++)
        line = x->calls[i].line == y->calls[i].line && same_file(x->calls[i].file, y->calls[i].file);
    return a->kind == b->kind && a->program == b->program && a->space == b->space && !a->two && !b->two &&
           (x->instruction == y->instruction || (line && a->memory == b->memory && a->size == b->size));
}

void check_add_made(struct rp_check *c, struct rp_finding f)
{
    struct rp_finding *same = NULL;
    for (size_t i = 0; i < c->count && !same; i++)
        same = same_made(&c->findings[i], &f) ? &c->findings[i] : NULL;
    if (!same) {
        append(c, f);
        return;
    }
    same->times++;
    rp_finding_clear(&f);
}

struct rp_check *rp_check_new(unsigned kinds, uint32_t limit)
{
    struct rp_check *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->kinds = kinds;
    c->limit = limit;
    c->all = SIMD_SELECT(scan_all);
    c->any = SIMD_SELECT(scan_any);
    c->owned = SIMD_SELECT(scan_owned);
    c->keep = SIMD_SELECT(scan_keep);
    c->steps = SIMD_SELECT(scan_steps);
    c->place = SIMD_SELECT(scan_place);
    c->scattered = SIMD_SELECT(scan_scattered);
    return c;
}

void rp_check_on_finding(struct rp_check *c, rp_check_found_fn *complete, rp_check_found_fn *added, void *user)
{
    c->complete = complete;
    c->added = added;
    c->found_user = user;
}

void rp_check_mute(struct rp_check *c, bool muted) { c->muted = muted; }

size_t rp_check_count(const struct rp_check *c) { return c->count; }
struct rp_finding *rp_check_finding(const struct rp_check *c, size_t i) { return &c->findings[i]; }

struct rp_finding *rp_check_take(struct rp_check *c, size_t *count)
{
    struct rp_finding *list = c->findings;
    *count = c->count;
    c->findings = NULL;
    c->count = c->room = 0;
    return list;
}

uint64_t rp_check_dropped(const struct rp_check *c) { return c->beyond_count; }

const char *rp_check_incomplete(const struct rp_check *c)
{
    if (c->missed & MISSED_MEMORY)
        return "there was not enough memory to check everything";
    if (c->missed & MISSED_INSTRUCTIONS)
        return "a kernel has more than 524,288 instructions: not all races in it are found, and the places of those "
               "that "
               "are may be wrong";
    if (c->missed & MISSED_TIME)
        return "a launch was too long to check all of it for races";
    if (c->missed & MISSED_STORE)
        return "a kernel stored to a buffer that it was not given to store to: races with loads before that were not "
               "looked for";
    return NULL;
}

void rp_check_free(struct rp_check *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->count; i++)
        rp_finding_clear(&c->findings[i]);
    check_launch_end(c);
    for (uint32_t i = 0; i < c->allocation_count; i++) {
        cells_free(c, &c->allocations[i].cells);
        free(c->allocations[i].written);
        free(c->allocations[i].wide);
        free(c->allocations[i].moved);
    }
    free(c->allocations);
    cells_free_memory(c);
    free(c->origins.parameters);
    origins_free(c);
    moved_free(c);
    free(c->types.holds);
    free(c->trials);
    free(c->findings);
    free(c->beyond);
    free(c->joined);
    free(c);
}
