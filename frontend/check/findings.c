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

const char *check_access_name(uint8_t access)
{
    switch (access) {
    case RP_ACCESS_LOAD:
    case RP_ACCESS_BULK_LOAD: return "load";
    case RP_ACCESS_STORE:
    case RP_ACCESS_BULK_STORE: return "store";
    default: return "atomic";
    }
}

static char *copy_of_file(const struct rp_kernel *k, uint32_t file, uint32_t line)
{
    return line && file < k->file_count ? strdup(k->files[file]) : NULL;
}

static void find_calls(struct rp_check_location *at, const struct rp_kernel *k, uint32_t innermost)
{
    uint32_t count = 0;
    for (uint32_t i = innermost; i; i = k->inlined[i - 1].inlined)
        count++;
    if (!count || !(at->calls = calloc(count, sizeof *at->calls)))
        return;
    for (uint32_t i = innermost; i; i = k->inlined[i - 1].inlined) {
        const struct rp_inlined_call *c = &k->inlined[i - 1];
        at->calls[at->call_count++] =
            (struct rp_check_call){strdup(c->function), copy_of_file(k, c->file, c->line), c->line};
    }
}

static void find_source(struct rp_check_location *at, const struct program *p)
{
    const struct rp_instruction *in = &p->kernel.instructions[at->instruction];
    at->line = in->line;
    at->file = copy_of_file(&p->kernel, in->file, in->line);
    if (in->line)
        find_calls(at, &p->kernel, in->inlined);
}

static void free_place(struct rp_check_location *at)
{
    for (uint32_t i = 0; i < at->call_count; i++) {
        free(at->calls[i].function);
        free(at->calls[i].file);
    }
    free(at->calls);
    free(at->file);
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

/* Whether two accesses are at the same source location. Compilers make many instructions of one access when they unroll
 * loops. */
static bool same_location(const struct rp_kernel *k, const struct rp_check_location *a,
                          const struct rp_check_location *b, bool by_line)
{
    const struct rp_instruction *x = &k->instructions[a->instruction], *y = &k->instructions[b->instruction];
    by_line &= x->line && (x->file || x->raw_size); /* locations in the source, not in PTX */
    return x == y || (by_line && x->line == y->line && x->file == y->file && a->access == b->access &&
                      x->unit_class == y->unit_class && same_calls(k, x->inlined, y->inlined));
}

static bool same_finding(const struct rp_kernel *k, const struct rp_finding *a, const struct rp_finding *b)
{
    bool by_line =
        (a->kind == RP_CHECK_RACE || a->kind == RP_CHECK_INIT) && a->memory == b->memory && a->size == b->size;
    return a->kind == b->kind && a->program == b->program && a->space == b->space && a->two == b->two &&
           same_location(k, &a->here, &b->here, by_line) &&
           (!a->two || same_location(k, &a->other, &b->other, by_line));
}

void check_report(struct rp_check *c, const struct block *b, struct rp_finding f, const char *detail)
{
    f.program = b->program->kernel.identity;
    for (size_t i = 0; i < c->count; i++)
        if (same_finding(&b->program->kernel, &c->findings[i], &f)) {
            c->findings[i].times++;
            return;
        }
    if (c->count == c->limit) {
        c->dropped++;
        return;
    }
    f.times = 1;
    f.kernel = strdup(b->program->name);
    f.text = finding_text(b, &f, detail);
    find_source(&f.here, b->program);
    if (f.two)
        find_source(&f.other, b->program);
    if (!f.kernel || !f.text)
        c->missed |= MISSED_MEMORY;
    c->findings[c->count++] = f;
}

struct rp_check *rp_check_new(unsigned kinds, uint32_t limit)
{
    struct rp_check *c = calloc(1, sizeof *c);
    if (!c || !(c->findings = calloc(limit ? limit : 1, sizeof *c->findings))) {
        free(c);
        return NULL;
    }
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

size_t rp_check_count(const struct rp_check *c) { return c->count; }
const struct rp_finding *rp_check_finding(const struct rp_check *c, size_t i) { return &c->findings[i]; }
uint64_t rp_check_dropped(const struct rp_check *c) { return c->dropped; }

const struct fault *rp_check_left_out(const struct rp_check *c)
{
    return c->left_out.kind == RP_FAULT_NONE ? NULL : &c->left_out;
}

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
    for (size_t i = 0; i < c->count; i++) {
        free(c->findings[i].kernel);
        free(c->findings[i].text);
        free_place(&c->findings[i].here);
        free_place(&c->findings[i].other);
    }
    check_launch_end(c);
    for (uint32_t i = 0; i < c->allocation_count; i++) {
        cells_free(c, &c->allocations[i].cells);
        free(c->allocations[i].written);
    }
    free(c->allocations);
    cells_free_memory(c);
    free(c->origins.parameters);
    free(c->moves.instructions);
    free(c->findings);
    free(c);
}

static void place_source(const struct rp_check_location *p, struct source_files *files, source_line_fn *fn, void *user)
{
    source_line_call(files, p->file, p->line, fn, user);
    if (p->call_count)
        source_line_call(files, p->calls[p->call_count - 1].file, p->calls[p->call_count - 1].line, fn, user);
}

void rp_finding_source(const struct rp_finding *f, struct source_files *files, source_line_fn *fn, void *user)
{
    place_source(&f->here, files, fn, user);
    if (f->two)
        place_source(&f->other, files, fn, user);
}
