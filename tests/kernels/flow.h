/* Control flow that takes neighbouring threads apart and together again, compiled for the device and for the CPU from
 * one text: loops with several exits, nested conditions, switches with fall-through, jumps into loops, early returns,
 * conditions with side effects. Each function makes a number of x. */
#ifndef REPRISE_TESTS_KERNELS_FLOW_H
#define REPRISE_TESTS_KERNELS_FLOW_H

#if defined __CUDA__ || defined __NVCC__
#define FLOW static __attribute__((device, noinline)) unsigned
#else
#define FLOW static unsigned
#endif

#define FLOWS(X)                                                                                                       \
    X(flow_nested) X(flow_exits) X(flow_switch) X(flow_jumps) X(flow_short_circuit) X(flow_calls) X(flow_deep)

FLOW flow_mix(unsigned h, unsigned v) { return (h ^ v) * 0x9e3779b1u + (h >> 15); }

FLOW flow_nested(unsigned x)
{
    unsigned h = x;
    if (x & 1) {
        h = flow_mix(h, 3);
        if (x & 2)
            h = x & 4 ? flow_mix(h, 5) : h + 1;
        else if (x & 8)
            h ^= x << 7;
    } else {
        for (unsigned i = 0; i < (x & 7); i++)
            for (unsigned j = i; j < (x >> 3 & 7); j++)
                if ((i ^ j) & 1)
                    h = flow_mix(h, i * j);
    }
    return h;
}

FLOW flow_exits(unsigned x)
{
    unsigned h = 1;
    for (unsigned i = 0; i < 40; i++) {
        h = flow_mix(h, x + i);
        if (h % 13 == 0)
            break;
        if (h % 5 == 0)
            continue;
        if (h % 31 == 7)
            return h ^ i;
        for (unsigned j = 0; j < 6; j++) {
            h += j;
            if ((h & 15) == (x & 15))
                goto out;
        }
        h ^= 0x55;
    }
    return h;
out:
    return h + 1000;
}

FLOW flow_switch(unsigned x)
{
    unsigned h = 0;
    for (unsigned i = 0; i < 5; i++)
        switch ((x >> 2 * i) % 11) {
        case 0: h += 3;
#if defined(__GNUC__)
            __attribute__((fallthrough));
#endif
        case 1: h = flow_mix(h, i); break;
        case 2: return h;
        case 3: h ^= x; continue;
        case 4:
            while (h & 3)
                h = h * 5 + 2 + (h >> 3);
            break;
        case 5: h -= i; break;
        case 6: h = ~h; break;
        case 9: i++; break;
        default: h = h << 1 | h >> 31;
        }
    return h;
}

/* A loop with two entries. */
FLOW flow_jumps(unsigned x)
{
    unsigned h = x, left = 10 + x % 7;
    if (x & 4)
        goto middle;
    while (left > 0) {
        h = flow_mix(h, left);
    middle:
        left--;
        if (h & 32)
            h += 77;
        else if (left > 3 && h % 3 == 0)
            left -= 2;
    }
    return h;
}

FLOW flow_short_circuit(unsigned x)
{
    unsigned h = 0, n = x;
    do {
        if ((n & 1 && (h += 5) % 3 != 0) || (n & 6) == 2)
            h = flow_mix(h, n);
        n = n & 8 && n > 100 ? n / 3 : n / 2;
    } while (n && (h & 127) != 99);
    return h;
}

/* Every lane runs a helper a different number of times, some of them from inside a condition. */
FLOW flow_collatz(unsigned n)
{
    unsigned steps = 0;
    for (; n > 1; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}
FLOW flow_calls(unsigned x)
{
    unsigned h = flow_collatz(x % 97 + 1);
    if (h > 20)
        for (unsigned i = 0; i < h % 4; i++)
            h += flow_collatz(h + i);
    return x & 16 ? flow_mix(h, flow_collatz(x % 50 + 1)) : h;
}

/* Ten levels of conditions, every path its own. */
FLOW flow_deep(unsigned x)
{
    unsigned h = 0;
#define LEVEL(n, inner)                                                                                                \
    if (x & 1u << (n)) {                                                                                               \
        h = flow_mix(h, n);                                                                                            \
        inner                                                                                                          \
    } else                                                                                                             \
        h += (n);
    LEVEL(0, LEVEL(1, LEVEL(2, LEVEL(3, LEVEL(4, LEVEL(5, LEVEL(6, LEVEL(7, LEVEL(8, LEVEL(9, h ^= 1;))))))))))
#undef LEVEL
    return h;
}

#endif
