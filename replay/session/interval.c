#include "replay/session/interval.h"

#include <math.h>

/* The x from 0 on at which an increasing function has this value. */
static double inverse(double (*of)(double x, double parameter), double parameter, double value)
{
    double low = 0, high = 1;
    while (of(high, parameter) < value && high < 1e15)
        high *= 2;
    for (unsigned i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(of(middle, parameter) < value ? &low : &high) = middle;
    }
    return high;
}

static double normal_within(double x, double unused)
{
    (void)unused;
    return erf(x / sqrt(2));
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), evaluated from the front
 * (Lentz, "Generating Bessel functions in Mie scattering calculations using continued fractions", 1976). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double f = 1, c = 1, d = 0;
    for (unsigned i = 0; i < 10000; i++) {
        double m = i / 2, part;
        if (i == 0)
            part = 1;
        else if (i % 2)
            part = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        else
            part = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 + part * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + part / c;
        c = fabs(c) < tiny ? tiny : c;
        f *= c * d;
        if (fabs(1 - c * d) < 1e-15)
            break;
    }
    return f - 1;
}

/* The regularized incomplete beta function I_x(a, b). */
static double beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x > 0;
    if (x > (a + 1) / (a + b + 2))
        return 1 - beta(1 - x, b, a);
    double front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b));
    return front / a * beta_fraction(x, a, b);
}

static double student_within(double x, double degrees) { return beta(x * x / (degrees + x * x), 0.5, degrees / 2); }

double interval_normal(double confidence) { return inverse(normal_within, 0, confidence); }

double interval_student(double confidence, uint64_t degrees)
{
    return inverse(student_within, (double)degrees, confidence);
}

double running_deviation(const struct running *r)
{
    return r->count < 2 ? 0 : sqrt(r->squares / (double)(r->count - 1));
}

double running_half_width(const struct running *r, double confidence)
{
    if (r->count < 2)
        return INFINITY;
    double deviation = running_deviation(r);
    return deviation > 0 ? interval_student(confidence, r->count - 1) * deviation / sqrt((double)r->count) : 0;
}
