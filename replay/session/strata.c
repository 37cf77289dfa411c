#include "replay/session/strata.h"

#include <math.h>
#include <string.h>

#include "replay/session/interval.h"

void stratum_add(struct stratum *s, double size, double weight, const struct statistics *statistics,
                 const double *half_width)
{
    uint64_t words[STATISTICS_WORDS];
    memcpy(words, statistics, sizeof words);
    s->drawn++;
    s->x += size;
    s->xx += size * size;
    for (size_t w = 0; w < STATISTICS_WORDS; w++) {
        double y = weight * (double)words[w], h = half_width ? weight * half_width[w] : 0;
        s->y[w] += y;
        s->yy[w] += y * y;
        s->xy[w] += size * y;
        s->hh[w] += h * h;
    }
}

double stratum_ratio(const struct stratum *s, size_t word) { return s->x > 0 ? s->y[word] / s->x : 0; }
double stratum_total(const struct stratum *s, size_t word)
{
    return s->drawn == s->items ? s->y[word] : stratum_ratio(s, word) * s->size;
}

double stratum_deviation(const struct stratum *s, size_t word)
{
    if (s->drawn < 2)
        return s->items > s->drawn ? INFINITY : 0;
    double least = s->drawn < s->items ? s->least * s->y[word] / s->drawn : 0;
    double r = stratum_ratio(s, word), sum = s->yy[word] - 2 * r * s->xy[word] + r * r * s->xx;
    /* what is left of terms that cancel is no variance */
    return fmax(least, sum > 1e-13 * s->yy[word] ? sqrt(sum / (s->drawn - 1)) : 0);
}

#define KEPT 256u /* quantiles that are computed once */

/* Without two drawn items there is none. */
double stratum_quantile(const struct stratum *s, double confidence)
{
    static _Thread_local double of, kept[KEPT];
    if (s->drawn < 2)
        return INFINITY;
    if (s->drawn >= KEPT)
        return interval_student(confidence, s->drawn - 1);
    if (of != confidence)
        memset(kept, 0, sizeof kept);
    of = confidence;
    if (kept[s->drawn] == 0)
        kept[s->drawn] = interval_student(confidence, s->drawn - 1);
    return kept[s->drawn];
}

double stratum_half_width(const struct stratum *s, size_t word, double confidence)
{
    double within = s->hh[word], n = s->drawn, all = s->items;
    if (s->drawn == s->items)
        return sqrt(within);
    double deviation = stratum_deviation(s, word), larger = s->size / all / (s->x / n);
    double sampling =
        deviation > 0 ? stratum_quantile(s, confidence) * deviation * all * sqrt((1 - n / all) / n) * larger : 0;
    return sqrt(sampling * sampling + all / n * within);
}

/* t × deviation of a stratum of which not all items are wanted; else 0. */
static double spread_of(const struct stratum *s, size_t word, double confidence, uint32_t wanted)
{
    double deviation = wanted < s->items && s->drawn < s->items ? stratum_deviation(s, word) : 0;
    return deviation > 0 ? stratum_quantile(s, confidence) * deviation : 0;
}

/* A round: sizes of the strata that are not wanted whole. True: one of them is now. */
static bool divide_width(const struct stratum *list, uint32_t count, size_t word, double width, double confidence,
                         uint32_t *sizes)
{
    double costs = 0, variances = 0;
    bool more = false;
    for (uint32_t i = 0; i < count; i++) {
        double spread = spread_of(&list[i], word, confidence, sizes[i]);
        costs += list[i].items ? list[i].items * spread * sqrt(list[i].cost / list[i].items) : 0;
        variances += list[i].items * spread * spread;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct stratum *s = &list[i];
        double spread = spread_of(s, word, confidence, sizes[i]), size = s->drawn;
        if (spread > 0)
            size = s->items * spread / sqrt(s->cost / s->items) * costs / (width * width + variances);
        if (sizes[i] == s->items)
            continue;
        sizes[i] = !(size < s->items) ? s->items : size > s->drawn ? (uint32_t)ceil(size) : s->drawn;
        more |= sizes[i] == s->items;
    }
    return more;
}

void strata_sizes(const struct stratum *list, uint32_t count, size_t word, double half, double confidence,
                  uint32_t *sizes)
{
    double within = 0;
    for (uint32_t i = 0; i < count; i++) {
        within += list[i].drawn ? list[i].hh[word] * list[i].items / list[i].drawn : 0;
        sizes[i] = list[i].drawn;
    }
    double width = half * half > within ? sqrt(half * half - within) : 0;
    while (divide_width(list, count, word, width, confidence, sizes))
        ;
}
