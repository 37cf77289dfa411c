#include "frontend/core/target.h"

#include <stdio.h>
#include <string.h>

#include "tracefmt/trace.h"

#define TARGET(n)                                                                                                      \
    {                                                                                                                  \
        "sm_" #n, n, n >= INDEPENDENT_THREADS                                                                          \
    }
#define SUFFIXED(n, suffix)                                                                                            \
    {                                                                                                                  \
        "sm_" #n #suffix, n, n >= INDEPENDENT_THREADS                                                                  \
    }
#define FAMILY(n) TARGET(n), SUFFIXED(n, f), SUFFIXED(n, a)

/* As of PTX ISA 9.0. */
static const struct target targets[] = {
    TARGET(10), TARGET(11),      TARGET(12),  TARGET(13),  TARGET(20),  TARGET(21),  TARGET(30),  TARGET(32),
    TARGET(35), TARGET(37),      TARGET(50),  TARGET(52),  TARGET(53),  TARGET(60),  TARGET(61),  TARGET(62),
    TARGET(70), TARGET(72),      TARGET(75),  TARGET(80),  TARGET(86),  TARGET(87),  TARGET(88),  TARGET(89),
    TARGET(90), SUFFIXED(90, a), FAMILY(100), FAMILY(101), FAMILY(103), FAMILY(110), FAMILY(120), FAMILY(121),
};
enum { TARGETS = sizeof targets / sizeof *targets };

const struct target *target_find(const char *name, size_t length)
{
    for (unsigned i = 0; i < TARGETS; i++)
        if (strlen(targets[i].name) == length && !memcmp(targets[i].name, name, length))
            return &targets[i];
    return NULL;
}

const struct target *target_named(const char *name, struct rp_error *err)
{
    char known[400];
    const struct target *t = target_find(name, strlen(name));
    target_list(known, sizeof known);
    if (!t)
        rp_fail(err, RP_USAGE, "no target '%.100s'; known are %s", name, known);
    return t;
}

const struct target *target_of_sm(unsigned sm)
{
    for (unsigned i = 0; i < TARGETS; i++) /* the name without a suffix is the first match */
        if (targets[i].sm == sm)
            return &targets[i];
    return NULL;
}

uint32_t target_warps(const struct target *t)
{
    switch (t ? t->sm : 0) {
    case 75: return 32;
    case 86:
    case 87:
    case 88:
    case 89:
    case 101:
    case 110:
    case 120:
    case 121: return 48;
    default: return 64;
    }
}

enum { REGISTERS_OF_WARP = 256, SUBCORES = 4 }; /* multiples */

/* Of a block, as the sub-cores give registers to them. */
static uint64_t warps_of(uint64_t threads)
{
    return ((threads + RP_WARP_LANES - 1) / RP_WARP_LANES + SUBCORES - 1) / SUBCORES * SUBCORES;
}

uint32_t registers_that_fit(uint64_t threads, uint32_t blocks)
{
    enum { MOST = 255, MOST_WARPS = 64 };
    uint64_t warps = warps_of(threads);
    if (warps && blocks > 1 && blocks <= MOST_WARPS / warps)
        warps *= blocks;
    uint64_t each = warps ? SM_REGISTERS / warps / REGISTERS_OF_WARP * REGISTERS_OF_WARP / RP_WARP_LANES : MOST;
    return each < MOST ? (uint32_t)each : MOST;
}

uint64_t registers_of_block(uint64_t threads, uint32_t each)
{
    uint64_t of_warp = (uint64_t)each * RP_WARP_LANES + REGISTERS_OF_WARP - 1;
    return warps_of(threads) * (of_warp / REGISTERS_OF_WARP * REGISTERS_OF_WARP);
}

void target_list(char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (unsigned i = 0; i < TARGETS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", targets[i].name);
}
