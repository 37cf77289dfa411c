#include "tools/lib/json.h"
#include "tools/ablate/ablation.h"
#include "tools/lib/command.h"

static json_t *settings_json(const struct step *s)
{
    json_t *out = json_object();
    for (size_t i = 0; i < s->count; i++)
        json_put(out, s->settings[i].key, option_json(s->settings[i].value));
    return out;
}

static json_t *step_json(const struct ablation *a, size_t stage)
{
    struct ablation_summary s = ablation_summary(a, stage);
    json_t *out = json_pack("{s:s, s:s, s:o, s:b, s:o}", "step", ablation_stage_name(a, stage), "against",
                            ablation_stage_name(a, ablation_before(a, stage)), "set",
                            settings_json(&a->request->steps.list[stage - 1]), "changes", !ablation_unchanged(a, stage),
                            "launches", json_number(s.launches));
    if (out && s.launches) {
        json_put(out, "speedup", json_real(s.speedup));
        json_put(out, "deviation", json_real(s.deviation));
        json_put(out, "least", json_real(s.least));
        json_put(out, "greatest", json_real(s.greatest));
    }
    return out;
}

/* The element of a stage within a trace: its machine, and the launches as `reprise replay` prints them. */
static void stage_json(struct json_stream *out, const struct ablation *a, size_t trace, size_t stage)
{
    const struct result *r = ablation_result(a, stage, trace);
    json_open(out, NULL, '{');
    json_part(out, "step", json_string(ablation_stage_name(a, stage)));
    json_part(out, "machine", machine_json(a->stages[stage].machine));
    results_json(out, a->traces[trace], a->stages[stage].machine, &r->launches, &r->total);
    json_close(out, '}');
}

static bool trace_stages_json(struct json_stream *out, const struct ablation *a, size_t trace, struct rp_error *err)
{
    json_t *its = trace_json(a->traces[trace], err);
    if (!its)
        return false;
    json_open(out, NULL, '{');
    json_part(out, "trace", its);
    json_open(out, "stages", '[');
    for (size_t i = 0; i < a->count; i++)
        stage_json(out, a, trace, i);
    json_close(out, ']');
    json_close(out, '}');
    return true;
}

int ablation_print_json(const struct ablation *a)
{
    struct rp_error err;
    struct json_stream out = {.name = "ablate"};
    for (size_t t = 0; t < a->request->trace_count; t++) /* what may fail comes before the document */
        if (!rp_trace_sha256(a->traces[t], &err))
            return command_fail(&err);
    json_document_open(&out);
    json_open(&out, "steps", '[');
    for (size_t i = 1; i < a->count; i++)
        json_part(&out, NULL, step_json(a, i));
    json_close(&out, ']');
    json_open(&out, "traces", '[');
    for (size_t t = 0; t < a->request->trace_count; t++)
        if (!trace_stages_json(&out, a, t, &err))
            return command_fail(&err);
    json_close(&out, ']');
    json_close(&out, '}');
    return json_stream_end(&out);
}
