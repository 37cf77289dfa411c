/* Code compiled once per vector width: files named *.simd.c (see the Makefile). Inside one, SIMD_NAME(f) is f with the
 * width's suffix. Outside, simd_level() says which copy this CPU can run best:
 *
 *     SIMD_DECLARE(void, add_all, (float *d, const float *s))   // declares add_all_v2, _v3, _v4
 *     SIMD_SELECT(add_all)                                      // the pointer to use
 */
#ifndef REPRISE_FRONTEND_CORE_LANES_SIMD_H
#define REPRISE_FRONTEND_CORE_LANES_SIMD_H

#define SIMD_PASTE2(a, b) a##_##b
#define SIMD_PASTE(a, b) SIMD_PASTE2(a, b)
#ifdef SIMD_LEVEL
#define SIMD_NAME(x) SIMD_PASTE(x, SIMD_LEVEL)
#endif

/* 2, 3 or 4: the highest x86-64 level that this CPU has. The environment variable REPRISE_SIMD can lower it, for
 * tests. */
int simd_level(void);

#ifdef __x86_64__
#define SIMD_DECLARE(type, name, args)                                                                                 \
    type name##_v2 args;                                                                                               \
    type name##_v3 args;                                                                                               \
    type name##_v4 args;
#define SIMD_SELECT(name) (simd_level() >= 4 ? name##_v4 : simd_level() == 3 ? name##_v3 : name##_v2)
#else
#define SIMD_DECLARE(type, name, args) type name##_v2 args;
#define SIMD_SELECT(name) (name##_v2)
#endif

#endif
