/* The functions of double_math.cu, compiled for the device and, with DEVICE empty, for the CPU. */
#ifndef REPRISE_TESTS_KERNELS_DOUBLE_MATH_H
#define REPRISE_TESTS_KERNELS_DOUBLE_MATH_H

#if defined __CUDA__ || defined __NVCC__
#define DEVICE static __attribute__((device, unused))
#else
#define DEVICE static
#endif

/* 2^k for |k| < 1022 */
DEVICE double dm_power_of_two(int k)
{
    union {
        unsigned long long bits;
        double value;
    } u;
    u.bits = (unsigned long long)(k + 1023) << 52;
    return u.value;
}

DEVICE double dm_exp(double x)
{
    double t = x * 0x1.71547652b82fep+0;
    int k = (int)(t < 0 ? t - 0.5 : t + 0.5);
    double r = (x - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
    double term = 1, sum = 1;
    for (int i = 1; i < 18; i++) {
        term = term * r / i;
        sum += term;
    }
    return sum * dm_power_of_two(k);
}

DEVICE double dm_sqrt(double x)
{
    double y = x > 1 ? x : 1;
    for (int i = 0; i < 60; i++) {
        double next = 0.5 * (y + x / y);
        if (next >= y)
            break;
        y = next;
    }
    return y;
}

DEVICE double dm_sin(double x)
{
    double term = x, sum = x;
    for (int i = 1; i < 30; i++) {
        term = -term * x * x / ((2 * i) * (2 * i + 1));
        sum += term;
    }
    return sum;
}

#endif
