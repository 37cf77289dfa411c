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

static void cycles_json(struct json_stream *out, const struct ablation *a, size_t stage)
{
    json_open(out, NULL, '{');
    json_part(out, "stage", json_string(ablation_stage_name(a, stage)));
    json_part(out, "machine", machine_json(a->stages[stage].machine));
    json_open(out, "cycles", '[');
    for (size_t t = 0; t < a->request->trace_count; t++) {
        struct launch_reader r = launch_log_read(ablation_log(a, stage, t));
        json_t *list = json_array();
        for (struct replay_launch l; launch_log_next(&r, &l);)
            json_add(list, json_number(l.statistics.cycles));
        json_part(out, NULL, list);
    }
    json_close(out, ']');
    json_close(out, '}');
}

int ablation_print_json(const struct ablation *a)
{
    struct rp_error err;
    struct json_stream out = {0};
    json_t *traces = json_array();
    for (size_t t = 0; t < a->request->trace_count; t++) {
        json_t *one = trace_json(a->traces[t], &err);
        if (!one) {
            json_decref(traces);
            return command_fail(&err);
        }
        json_add(traces, one);
    }
    json_open(&out, NULL, '{');
    json_part(&out, "tool", json_string("reprise " REPRISE_VERSION));
    json_part(&out, "traces", traces);
    json_open(&out, "steps", '[');
    for (size_t i = 1; i < a->count; i++)
        json_part(&out, NULL, step_json(a, i));
    json_close(&out, ']');
    json_open(&out, "stages", '[');
    for (size_t i = 0; i < a->count; i++)
        cycles_json(&out, a, i);
    json_close(&out, ']');
    json_close(&out, '}');
    return json_stream_end(&out);
}
