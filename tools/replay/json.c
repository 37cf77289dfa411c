#include "tools/hotspots/units.h"
#include "tools/lib/command.h"
#include "tools/replay/replay.h"
#include "tools/replaying/sampling.h"

/* The members with which the element of each trace begins. */
static void begin_json(struct json_stream *out, const struct replay_request *a, json_t *trace, const struct machine *m)
{
    json_traces_begin(out);
    json_open(out, NULL, '{');
    json_part(out, "engine", json_string(a->replay.engine == REPLAY_FAST ? "fast" : "reference"));
    json_part(out, "trace", trace);
    json_part(out, "machine", machine_json(m));
    if (*a->shares.from)
        json_part(out, "memory_from", shares_json(&a->shares));
}

static json_t *copies_json(const struct copy_counts copies[COPY_PATHS])
{
    json_t *object = json_object();
    for (unsigned p = 0; p < COPY_PATHS; p++)
        json_put(object, copy_path_names[p],
                 json_pack("{s:o, s:o, s:o}", "count", json_number(copies[p].count), "bytes",
                           json_number(copies[p].bytes), "cycles", json_number(copies[p].cycles)));
    return object;
}

static json_t *devices_json(const struct result *r)
{
    json_t *all = json_array();
    for (uint32_t d = 0; d < r->device_count; d++)
        json_add(all, json_pack("{s:o, s:o}", "launches", json_number(r->devices[d].launches), "cycles",
                                json_number(r->devices[d].cycles)));
    return all;
}

/* An object for each pair of devices with copies from one to the other. */
static json_t *links_json(const struct result *r)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < r->device_count * r->device_count; i++) {
        const struct copy_counts *c = &r->links[i];
        if (c->count)
            json_add(all, json_pack("{s:o, s:o, s:o, s:o, s:o}", "from", json_number(i / r->device_count), "to",
                                    json_number(i % r->device_count), "count", json_number(c->count), "bytes",
                                    json_number(c->bytes), "cycles", json_number(c->cycles)));
    }
    return all;
}

/* An object for each channel. */
static json_t *channels_json(const struct machine *m, const uint64_t *counts)
{
    const struct model *model = m->dram.model;
    json_t *all = json_array();
    for (int64_t c = 0; c < m->dram_channels; c++) {
        json_t *channel = json_object();
        for (unsigned i = 0; i < model->counter_count; i++)
            json_put(channel, model->counters[i].name, json_number(*counts++));
        json_add(all, channel);
    }
    return all;
}

/* An object for each core: its statistics without what they begin with, "cycles.base". */
static json_t *cores_json(const struct machine *m, const struct core_counts *counts)
{
    json_t *all = json_array();
    for (int64_t c = 0; c < m->cores; c++) {
        json_t *core = json_pack("{s:I}", "core", (json_int_t)c);
        for (size_t i = 0; i < CORE_COUNT_WORDS; i++) {
            const char *name = core_count_name(i);
            json_put_path(core, strncmp(name, "cores.", 6) ? name : name + 6,
                          json_number(((const uint64_t *)&counts[c])[i]));
        }
        json_add(all, core);
    }
    return all;
}

int replay_print_json(struct replay_request *a, struct rp_trace *t, const struct machine *m, const struct outcome *o)
{
    struct rp_error err;
    json_t *trace = trace_json(t, &err);
    if (!trace)
        return command_fail(&err);
    struct json_stream *out = &a->out.json;
    begin_json(out, a, trace, m);
    results_json(out, t, m, &o->result.launches, &o->result.total);
    if (o->result.sample.sampled)
        json_part(out, "sample", sample_json(m, &a->replay.sample, &o->result.sample));
    if (copies_take_time(m))
        json_part(out, "copies", copies_json(o->result.copies));
    if (o->result.device_count) {
        json_part(out, "devices", devices_json(&o->result));
        json_part(out, "links", links_json(&o->result));
    }
    if (o->result.channels && !o->result.sample.sampled)
        json_part(out, "dram_channels", channels_json(m, o->result.channels));
    if (o->result.cores)
        json_part(out, "cores", cores_json(m, o->result.cores));
    if (a->units)
        json_part(out, "units", unit_shares_json(&o->hotspots));
    else if (a->by)
        json_part(out, "hotspots", hotspots_json(&o->hotspots, replay_top(a), o->files));
    json_close(out, '}');
    return RP_OK;
}

int replay_print_repeated_json(struct replay_request *a, struct rp_trace *t, const struct machine *m,
                               const struct repeat_result *repeated, const struct engine_exact *exact)
{
    struct rp_error err;
    json_t *trace = trace_json(t, &err);
    if (!trace)
        return command_fail(&err);
    struct json_stream *out = &a->out.json;
    begin_json(out, a, trace, m);
    if (repeated)
        repeat_json(out, m, &a->repeat, repeated);
    else
        json_part(out, "exact", exact_json(exact));
    json_close(out, '}');
    return RP_OK;
}
