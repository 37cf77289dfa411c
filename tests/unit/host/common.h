/* A module with small kernels, written by hand so that what each does can be seen here. */
#ifndef REPRISE_TESTS_UNIT_HOST_COMMON_H
#define REPRISE_TESTS_UNIT_HOST_COMMON_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tools/host/reprise.h"

/* add(p, n, v):          p[i] += v for i < n, 32-bit integers
 * copy(to, from, n):     to[i] = from[i] for i < n
 * shapes(out, b, f, d, s): out[0] = b (8 bits, signed), out[1] = bits of f, out[2..3] = bits of d, out[4..5] = the two
 *                        halves of the struct s
 * shift({from, n, to}):  to[i] = from[i] + n, the pointers in a structure
 * _Z5countPi(out):       out[0] = ++counter, a variable of the module that begins with 7
 * lookup(out):           out[i] = table[i] for three i, a constant {4, 5, 6}
 * forever():             never ends
 * twice(out):            launches count(out) twice */
extern const char module_text[];

#define THREADS 64u

static inline struct reprise *open_with(struct reprise_options options)
{
    struct rp_error err = {0};
    options.image = module_text;
    options.image_bytes = strlen(module_text);
    struct reprise *r = reprise_open(&options, &err);
    cr_assert(r, "%s", err.text);
    return r;
}

static inline void run(struct reprise *r, struct reprise_launch l, struct reprise_result *result)
{
    struct rp_error err = {0};
    cr_assert(reprise_run(r, &l, result, &err), "%s", err.text);
}

/* Of `n` numbers. */
static inline struct reprise_launch add_launch(int32_t *p, uint32_t n, int32_t v)
{
    struct reprise_launch l = {.kernel = "add", .grid = {(n + THREADS - 1) / THREADS}, .block = {THREADS}};
    l.args[0] = reprise_inout(p, n * sizeof *p);
    l.args[1] = reprise_u32(n);
    l.args[2] = reprise_i32(v);
    return l;
}

static inline struct reprise_launch copy_launch(struct reprise_arg to, struct reprise_arg from, uint32_t n)
{
    struct reprise_launch l = {.kernel = "copy", .grid = {(n + THREADS - 1) / THREADS}, .block = {THREADS}};
    l.args[0] = to;
    l.args[1] = from;
    l.args[2] = reprise_u32(n);
    return l;
}

#endif
