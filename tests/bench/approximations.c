/* The approximate functions of f32 over all 2^32 arguments, without and with .ftz (tanh has none), against double
 * precision: the largest error in each range for which the PTX ISA states a bound ("Floating Point Instructions": rcp,
 * sqrt, rsqrt, sin, cos, lg2, ex2, tanh .approx.f32). What it leaves open, and special values, are looked at too: NaN,
 * infinities, results in
 * [-1, 1]. `approximations NAME` runs one function, `approximations PART/PARTS` every so many of the arguments.
 * tests/unit/lanes holds that all vector widths give the same bits. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/core/lanes/lanes.h"
#include "frontend/core/lanes/simd.h"
#include "frontend/operation/warp.h"

enum { REGISTER = 256, RANGES = 3, SLICES = 64, THREADS_MOST = 64 };
static const double two_pi = 6.283185307179586, smallest = 0x1p-126;

/* |x| from low to high; relative or absolute. */
struct range {
    double low, high, bound;
    bool relative;
};
static double reciprocal(double x) { return 1 / x; }
static double inverse_root(double x) { return 1 / sqrt(x); }
/* 1 ulp is at most 2^-23 of the value. */
static const struct function {
    const char *name;
    uint8_t op;
    double (*exact)(double);
    struct range ranges[RANGES];
} functions[] = {
    {"rcp", OP_RCP, reciprocal, {{0, INFINITY, -23, true}}},
    {"sqrt", OP_SQRT, sqrt, {{0, INFINITY, -23, true}}},
    {"rsqrt", OP_RSQRT, inverse_root, {{0, INFINITY, -22.9, true}}},
    {"sin", OP_SIN, sin, {{0, two_pi, -20.5, false}, {two_pi, 50 * two_pi, -14.7, false}}},
    {"cos", OP_COS, cos, {{0, two_pi, -20.5, false}, {two_pi, 50 * two_pi, -14.7, false}}},
    {"lg2", OP_LG2, log2, {{0.5, 2, -22.6, false}, {0, INFINITY, -22.6, true}}},
    {"ex2", OP_EX2, exp2, {{0, INFINITY, -22.5, true}}},
    {"tanh", OP_TANH, tanh, {{0, INFINITY, -11, true}}},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

struct found {
    double worst[RANGES];
    float at[RANGES];
    uint64_t wrong; /* special values that are not what they are to be, and results out of [-1, 1] */
    float wrong_at;
};
static void join(struct found *all, const struct found *part)
{
    for (int i = 0; i < RANGES; i++)
        if (part->worst[i] > all->worst[i])
            all->worst[i] = part->worst[i], all->at[i] = part->at[i];
    if (part->wrong)
        all->wrong_at = part->wrong_at;
    all->wrong += part->wrong;
}

static const struct range *range_of(const struct function *f, float x)
{
    for (int i = 0; i < RANGES; i++)
        if (f->ranges[i].bound && fabs(x) >= f->ranges[i].low && fabs(x) <= f->ranges[i].high)
            return &f->ranges[i];
    return NULL;
}

/* Whether `got` is a special value where `exact` is one; what is too large may be infinite or the largest number, and
 * with ftz what is too small 0. */
static bool is_special(double exact, float got, bool ftz, bool *right)
{
    if (isnan(exact)) {
        *right = isnan(got);
        return true;
    }
    if (fabs(exact) > FLT_MAX) {
        *right = fabsf(got) >= FLT_MAX && !signbit(got) == !signbit(exact);
        return true;
    }
    *right = ftz && got == 0 && fabs(exact) < smallest;
    return *right;
}

static void look(const struct function *f, float x, float got, bool ftz, struct found *found)
{
    const struct range *range = range_of(f, x);
    double argument = ftz && fabsf(x) < FLT_MIN ? copysign(0, x) : x;
    bool right = fabsf(got) <= 1; /* a sine or cosine for which no bound is stated */
    if (range || !isfinite(x)) {
        double exact = f->exact(argument), error = fabs(got - exact);
        if (is_special(exact, got, ftz, &right) || !range) {
            found->wrong += !right;
            found->wrong_at = right ? found->wrong_at : x;
            return;
        }
        error /= !range->relative ? 1 : fabs(exact) < smallest ? smallest : fabs(exact);
        long i = range - f->ranges;
        if (!(error <= found->worst[i]))
            found->worst[i] = isnan(got) ? INFINITY : error, found->at[i] = x;
        return;
    }
    found->wrong += !right;
    found->wrong_at = right ? found->wrong_at : x;
}

/* ---- slices of the arguments, dealt out to threads ---- */

static struct task {
    const struct function *function;
    bool ftz;
    struct found found;
} tasks[2 * FUNCTIONS];
static uint32_t task_count, part = 1, parts = 1;
static atomic_uint next_slice;
static pthread_mutex_t joining = PTHREAD_MUTEX_INITIALIZER;

static void bind_function(const struct task *t, struct uop *packed)
{
    struct operation u = {.kind = UOP_LANE, .op = t->function->op, .type = T_F32, .stype = T_F32};
    u.flags = UF_APPROX | (t->ftz ? UF_FTZ : 0);
    u.a = OPERAND_REGISTER(0);
    u.d = OPERAND_REGISTER(REGISTER);
    if (!operation_bind(&u)) {
        fprintf(stderr, "approximations: no handler for %s\n", t->function->name);
        exit(1);
    }
    uop_pack(packed, &u, NULL);
}

static void run_slice(struct task *t, uint32_t slice)
{
    alignas(64) uint8_t window[2 * REGISTER] = {0};
    alignas(64) struct uop uop;
    struct warp w = {.active = ~0u};
    struct found found = {0};
    bind_function(t, &uop);
    warp_set_window(&w, window);
    for (uint64_t warp = slice * (1ull << 27) / SLICES + part - 1; warp < (slice + 1) * (1ull << 27) / SLICES;
         warp += parts) {
        uint32_t bits[RP_WARP_LANES];
        float x[RP_WARP_LANES], got[RP_WARP_LANES];
        for (uint32_t l = 0; l < RP_WARP_LANES; l++)
            bits[l] = (uint32_t)(warp * RP_WARP_LANES + l);
        memcpy(x, bits, sizeof x);
        memcpy(window, bits, sizeof bits);
        uop.fn(&w, &uop, ~0u);
        memcpy(got, window + REGISTER, sizeof got);
        for (uint32_t l = 0; l < RP_WARP_LANES; l++)
            look(t->function, x[l], got[l], t->ftz, &found);
    }
    pthread_mutex_lock(&joining);
    join(&t->found, &found);
    pthread_mutex_unlock(&joining);
}

static void *work(void *unused)
{
    const uint32_t all = task_count * SLICES;
    for (uint32_t n; (n = atomic_fetch_add(&next_slice, 1)) < all;) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%u %%%s", 100 * (n + 1) / all, n + 1 == all ? "\n" : " ");
        run_slice(&tasks[n / SLICES], n % SLICES);
    }
    return unused;
}

/* ---- what comes of it ---- */

static bool report(const struct task *t)
{
    bool fine = !t->found.wrong;
    for (int i = 0; i < RANGES; i++) {
        const struct range *r = &t->function->ranges[i];
        if (!r->bound)
            continue;
        char name[40];
        snprintf(name, sizeof name, "%s.approx%s.f32", t->function->name, t->ftz ? ".ftz" : "");
        printf("%-20s %-8s error for |x| in [%g, %g]: at most 2^%.2f (at %a), bound 2^%.1f\n", name,
               r->relative ? "relative" : "absolute", r->low, r->high, log2(t->found.worst[i]), (double)t->found.at[i],
               r->bound);
        fine &= log2(t->found.worst[i]) <= r->bound;
    }
    if (t->found.wrong)
        printf("  %llu special values are wrong, one at %a\n", (unsigned long long)t->found.wrong,
               (double)t->found.wrong_at);
    return fine;
}

static bool read_arguments(int argc, char **argv)
{
    char end;
    const char *name = NULL;
    for (int i = 1; i < argc; i++)
        if (!strchr(argv[i], '/'))
            name = argv[i];
        else if (sscanf(argv[i], "%u/%u%c", &part, &parts, &end) != 2 || part < 1 || part > parts)
            return false;
    for (uint32_t i = 0; i < 2 * FUNCTIONS; i++)
        if ((!name || strcmp(name, functions[i / 2].name) == 0) && !(i % 2 && functions[i / 2].op == OP_TANH))
            tasks[task_count++] = (struct task){.function = &functions[i / 2], .ftz = i % 2};
    return task_count && argc <= 3;
}

int main(int argc, char **argv)
{
    if (!read_arguments(argc, argv)) {
        fprintf(stderr, "Usage: approximations [rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh] [PART/PARTS]\n");
        return 2;
    }
    pthread_t threads[THREADS_MOST];
    long cores = sysconf(_SC_NPROCESSORS_ONLN), count = 0;
    for (; count < cores - 1 && count < THREADS_MOST; count++)
        if (pthread_create(&threads[count], NULL, work, NULL))
            break;
    work(NULL);
    while (count-- > 0)
        pthread_join(threads[count], NULL);
    bool fine = true;
    for (uint32_t i = 0; i < task_count; i++)
        fine &= report(&tasks[i]);
    return fine ? 0 : 1;
}
