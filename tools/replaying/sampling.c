#include "tools/replaying/sampling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/replaying/replaying.h"
#include "tools/ui/figure.h"

/* ---- the option -------------------------------------------------------------------------------------------------- */

/* Reads "2%" as 0.02. NULL: it is no such number. */
static const char *read_percent(const char *text, double *part)
{
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    *part = strtod(text, &end) / 100;
    return *end == '%' ? end + 1 : NULL;
}

bool sample_parse(const char *text, struct sample_request *q, struct rp_error *err)
{
    *q = (struct sample_request){.confidence = 0.95};
    const char *at = read_percent(text, &q->error);
    if (at && *at == '@')
        at = read_percent(at + 1, &q->confidence);
    if (at && !*at && q->error >= 1e-5 && q->error <= 0.5 && q->confidence >= 0.5 && q->confidence <= 0.9999)
        return true;
    return rp_fail(err, RP_USAGE,
                   "--sample %s: give ERROR%%@CONFIDENCE, for example 2%%@95%%: an error from 0.001%% to 50%%, a "
                   "confidence from 50%% to 99.99%%",
                   text);
}

const char *sample_text(const struct sample_request *q, char text[SAMPLE_TEXT])
{
    *text = 0;
    if (q->error > 0)
        snprintf(text, SAMPLE_TEXT, "%.9g%%@%.9g%%", 100 * q->error, 100 * q->confidence);
    return text;
}

const char *replay_source_name(unsigned source)
{
    static const char *const names[] = {
#define X(id, name) name,
        REPLAY_SOURCES(X)
#undef X
    };
    return names[source];
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static double part_of(double part, double all) { return all > 0 ? part / all : 0; }

void sample_print(const struct sample_request *q, const struct sample_result *r, const struct statistics *total)
{
    char cycles[FIGURE], width[FIGURE];
    double share = 100 * part_of((double)r->instructions, (double)r->all);
    printf("Sampled: %s ± %s cycles (%.3g %%) with a confidence of %.9g %%%s.\n", figure(total->cycles, cycles),
           figure(r->half_width.cycles, width), 100 * part_of((double)r->half_width.cycles, (double)total->cycles),
           100 * q->confidence, r->reached ? "" : ": wider than was asked for");
    printf("%.3g %% of the warp instructions were replayed. Launches: %" PRIu32 " replayed, %" PRIu32
           " equal to one of them, %" PRIu32 " replayed in part, %" PRIu32 " estimated",
           share, r->count[REPLAY_REPLAYED], r->count[REPLAY_EQUAL], r->count[REPLAY_IN_PART],
           r->count[REPLAY_ESTIMATED]);
    if (r->count[REPLAY_ESTIMATED])
        printf(" from %" PRIu32 " strat%s", r->strata, r->strata == 1 ? "um" : "a");
    puts(".\n");
}

json_t *sample_json(const struct machine *m, const struct sample_request *q, const struct sample_result *r)
{
    json_t *launches = json_object(), *widths = statistics_json(m, &r->half_width);
    for (unsigned i = 0; i < REPLAY_SOURCE_COUNT; i++)
        json_put(launches, i == REPLAY_IN_PART ? "in_part" : replay_source_name(i), json_number(r->count[i]));
    json_object_del(widths, "ipc"); /* what is no sum has no interval */
    json_object_del(widths, "main_stall");
    json_object_del(json_object_get(widths, "occupancy"), "achieved");
    return json_pack("{s:f, s:f, s:b, s:o, s:i, s:{s:o, s:o, s:f}, s:o}", "error", q->error, "confidence",
                     q->confidence, "reached", r->reached, "launches", launches, "strata", (int)r->strata,
                     "warp_instructions", "replayed", json_number(r->instructions), "all", json_number(r->all), "share",
                     part_of((double)r->instructions, (double)r->all), "half_width", widths);
}
