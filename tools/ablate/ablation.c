#include "tools/ablate/ablation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool make_stages(struct ablation *a, struct rp_error *err)
{
    for (; a->count <= a->request->steps.count; a->count++) {
        struct stage *s = &a->stages[a->count];
        s->same = a->count;
        s->results = calloc(a->request->trace_count, sizeof *s->results);
        s->machine = steps_machine(&a->request->steps, a->count, a->request->alone, &a->request->machine, err);
        if (!s->results || !s->machine)
            return s->results ? false : rp_fail(err, RP_SYSTEM, "out of memory");
        while (s->same && strcmp(a->stages[s->same - 1].machine->text, s->machine->text))
            s->same--;
        s->same = s->same ? a->stages[s->same - 1].same : a->count;
    }
    return true;
}

static bool open_traces(struct ablation *a, struct rp_error *err)
{
    if (!(a->traces = calloc(a->request->trace_count, sizeof *a->traces)))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    for (size_t i = 0; i < a->request->trace_count; i++) {
        const char *path = a->request->traces[i];
        if (!(a->traces[i] = trace_of_launches(path, err)))
            return false;
    }
    return true;
}

bool ablation_open(struct ablation *a, const struct ablation_request *request, struct rp_error *err)
{
    *a = (struct ablation){.request = request};
    return make_stages(a, err) && open_traces(a, err);
}

void ablation_free(struct ablation *a)
{
    for (size_t i = 0; i <= MOST_STEPS; i++) {
        for (size_t t = 0; a->stages[i].results && t < a->request->trace_count; t++)
            result_free(&a->stages[i].results[t]);
        free(a->stages[i].results);
        machine_free(a->stages[i].machine);
    }
    for (size_t t = 0; a->traces && t < a->request->trace_count; t++)
        if (a->traces[t])
            rp_trace_close(a->traces[t]);
    free(a->traces);
}

const char *ablation_stage_name(const struct ablation *a, size_t stage)
{
    return stage ? a->request->steps.list[stage - 1].name : "baseline";
}

size_t ablation_before(const struct ablation *a, size_t stage) { return a->request->alone ? 0 : stage - 1; }

bool ablation_unchanged(const struct ablation *a, size_t stage)
{
    return a->stages[stage].same == a->stages[ablation_before(a, stage)].same;
}

const struct result *ablation_result(const struct ablation *a, size_t stage, size_t trace)
{
    return &a->stages[a->stages[stage].same].results[trace];
}

const struct launch_log *ablation_log(const struct ablation *a, size_t stage, size_t trace)
{
    return &ablation_result(a, stage, trace)->launches;
}

static void add(struct ablation_summary *s, double *squares, double speedup)
{
    double from_mean = speedup - s->speedup;
    s->least = !s->launches || speedup < s->least ? speedup : s->least;
    s->greatest = !s->launches || speedup > s->greatest ? speedup : s->greatest;
    s->speedup += from_mean / (double)++s->launches;
    *squares += from_mean * (speedup - s->speedup);
}

struct ablation_summary ablation_summary(const struct ablation *a, size_t stage)
{
    struct ablation_summary s = {0};
    double squares = 0;
    for (size_t t = 0; t < a->request->trace_count; t++) {
        struct launch_reader from = launch_log_read(ablation_log(a, ablation_before(a, stage), t));
        struct launch_reader to = launch_log_read(ablation_log(a, stage, t));
        struct replay_launch b, c;
        while (launch_log_next(&from, &b) && launch_log_next(&to, &c))
            if (c.statistics.cycles)
                add(&s, &squares, (double)b.statistics.cycles / (double)c.statistics.cycles);
    }
    s.deviation = s.launches > 1 ? sqrt(squares / (double)(s.launches - 1)) : 0;
    return s;
}
