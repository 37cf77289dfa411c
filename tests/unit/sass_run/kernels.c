/* Every kernel of tests/kernels as machine code: clang's PTX through NVIDIA's ptxas, for five architectures at four
 * levels of optimisation, and for six later ones, with FULL=1 at all levels, too. What comes out equals the CPU's
 * computation (the case's own check) and, byte for byte, what the PTX frontend makes of the same kernel.
 */
#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/support/full.h"
#include "tests/support/kernel_case.h"
#include "tests/support/toolchain.h"

enum { FIRST_INDEPENDENT = 70 };
struct variant {
    unsigned sm, level;
};
/* The Makefile's SASS_VARIANTS, SASS_VARIANTS_O0 (of PTX that clang -O0 made), and LATE_VARIANTS, without FULL=1 and
 * with it. */
static const struct variant all[] = {{50, 0}, {50, 1}, {50, 2}, {50, 3}, {52, 0}, {52, 1}, {52, 2},
                                     {52, 3}, {60, 0}, {60, 1}, {60, 2}, {60, 3}, {61, 0}, {61, 1},
                                     {61, 2}, {61, 3}, {62, 0}, {62, 1}, {62, 2}, {62, 3}},
                            some[] = {{50, 0}, {52, 1}, {60, 2}, {61, 3}},
                            late[] = {{70, 3}, {75, 3}, {80, 0}, {80, 3}, {86, 3}, {89, 1}, {90, 0}, {90, 3}},
                            all_late[] = {{70, 0}, {70, 1}, {70, 2}, {70, 3}, {75, 0}, {75, 1}, {75, 2}, {75, 3},
                                          {80, 0}, {80, 1}, {80, 2}, {80, 3}, {86, 0}, {86, 1}, {86, 2}, {86, 3},
                                          {89, 0}, {89, 1}, {89, 2}, {89, 3}, {90, 0}, {90, 1}, {90, 2}, {90, 3}};

/* What an architecture does not have; ptxas refuses the PTX. */
static bool exists(const struct kernel_case *c, const struct variant *v)
{
    bool unsynchronised = !strcmp(c->module, "scan") || !strcmp(c->module, "votes"); /* shfl, vote without .sync */
    /* ptxas 12.9 merges the upper half of the result, not the lower one, where vmin and its kin write to .h1 (PRMT
     * 0x3254), which PTX ISA "Scalar Video Instructions" does not say */
    if (v->sm >= FIRST_INDEPENDENT && (unsynchronised || !strcmp(c->name, "ptx_integer")))
        return false;
    return strcmp(c->module, "ptx") || v->sm >= 61; /* dp4a */
}

/* What a run leaves: its buffers and what it printed. */
struct remains {
    void *buffers[SESSION_BUFFERS], *printed;
    size_t printed_bytes;
};
static void keep(struct kernel_session *s, void *data)
{
    struct remains *r = data;
    for (uint32_t b = 0; b < s->buffer_count; b++) {
        r->buffers[b] = malloc(s->buffers[b].bytes + 1);
        memcpy(r->buffers[b], session_after(s, (int)b), s->buffers[b].bytes);
    }
    r->printed = malloc(s->printed_bytes + 1);
    r->printed_bytes = s->printed_bytes;
    memcpy(r->printed, s->printed, s->printed_bytes);
}
static void forget(struct remains *r)
{
    for (uint32_t b = 0; b < SESSION_BUFFERS; b++)
        free(r->buffers[b]);
    free(r->printed);
}

/* NaNs may be others, as the case's own comparison allows, too: the word at byte i, of 4 or 8 bytes, is one in both. */
static bool both_nan(const uint8_t *ours, const uint8_t *theirs, uint64_t i, uint64_t bytes)
{
    float f[2];
    double d[2];
    uint64_t word = i / 4 * 4, pair = i / 8 * 8;
    if (word + 4 > bytes)
        return false;
    memcpy(&f[0], ours + word, 4);
    memcpy(&f[1], theirs + word, 4);
    if (isnan(f[0]) && isnan(f[1]))
        return true;
    if (pair + 8 > bytes)
        return false;
    memcpy(&d[0], ours + pair, 8);
    memcpy(&d[1], theirs + pair, 8);
    return isnan(d[0]) && isnan(d[1]);
}
static void compare(struct kernel_session *s, void *data)
{
    const struct remains *r = data;
    for (uint32_t b = 0; b < s->buffer_count; b++) {
        const uint8_t *ours = session_after(s, (int)b), *theirs = r->buffers[b];
        uint64_t bytes = s->buffers[b].bytes;
        for (uint64_t i = 0; i < bytes; i++)
            if (ours[i] != theirs[i] && !both_nan(ours, theirs, i, bytes)) {
                session_fail(s, "%s, byte %llu: %02x, but PTX gives %02x", s->buffers[b].name, (unsigned long long)i,
                             ours[i], theirs[i]);
                return;
            }
    }
    if (s->printed_bytes != r->printed_bytes || memcmp(s->printed, r->printed, r->printed_bytes))
        session_fail(s, "prints other text than the PTX");
}

/* Vertices of one level come into the queue in the order of the warps, which depends on the number of instructions. */
static bool may_differ(const struct kernel_case *c) { return !strcmp(c->name, "bfs_queue"); }

static void run(const struct kernel_case *c, const struct variant *v, bool unoptimised, const struct remains *ptx)
{
    char name[16];
    snprintf(name, sizeof name, "sm_%u.O%u", v->sm, v->level);
    struct kernel_options options = {.threads = 2, .cubin = name, .unoptimised = unoptimised};
    if (!may_differ(c)) {
        options.inspect = compare;
        options.data = (void *)ptx;
    }
    struct rp_error err;
    struct kernel_totals totals;
    bool ok = kernel_run(c, &options, &totals, &err);
    cr_expect(ok, "%s", ok ? "" : err.text);
    cr_expect(!ok || totals.warp_instructions > 0, "%s ran nothing", c->name);
}

static void run_all(const struct variant *variants, unsigned count, bool unoptimised)
{
    need_toolchain();
    for (size_t i = 0; kernel_cases[i]; i++) {
        struct remains ptx = {0};
        struct kernel_options options = {.threads = 2, .unoptimised = unoptimised, .inspect = keep, .data = &ptx};
        struct rp_error err;
        bool ok = kernel_run(kernel_cases[i], &options, NULL, &err);
        cr_assert(ok, "%s", ok ? "" : err.text);
        for (unsigned v = 0; v < count; v++)
            if (exists(kernel_cases[i], &variants[v]))
                run(kernel_cases[i], &variants[v], unoptimised, &ptx);
        forget(&ptx);
    }
}

Test(kernels, equal_the_cpu_and_ptx) { run_all(all, sizeof all / sizeof *all, false); }
Test(kernels, of_volta_to_hopper)
{
    if (full_sweep())
        run_all(all_late, sizeof all_late / sizeof *all_late, false);
    else
        run_all(late, sizeof late / sizeof *late, false);
}
Test(kernels, of_unoptimised_ptx) { run_all(some, sizeof some / sizeof *some, true); }
