#include "tools/lib/json.h"
#include "tools/info/counts.h"
#include "tools/info/info.h"
#include "tools/lib/command.h"

static json_t *json_kernels(const struct rp_trace *t)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < rp_trace_kernel_count(t); i++) {
        const struct rp_kernel *k = rp_trace_kernel(t, i);
        json_t *kernel = json_object();
        json_put_kernel(kernel, k->name);
        json_join(kernel, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "isa", k->isa, "instructions",
                                    json_number(k->instruction_count), "registers", json_number(k->registers),
                                    "static_shared_bytes", json_number(k->static_shared), "local_bytes",
                                    json_number(k->local_bytes), "max_threads", json_number(k->max_threads)));
        json_put(kernel, "module", k->module ? json_number(k->module - 1) : json_null());
        json_add(list, kernel);
    }
    return list;
}

static json_t *json_mix(const struct rp_class_counts *counts)
{
    json_t *mix = json_object();
    for (int c = 0; c < RP_CLASS_COUNT; c++)
        if (counts->warp[c])
            json_put(mix, rp_class_name((enum rp_class)c),
                     json_pack("{s:o, s:o}", "warp_instructions", json_number(counts->warp[c]), "thread_instructions",
                               json_number(counts->thread[c])));
    return mix;
}

static json_t *json_modules(const struct rp_trace *t)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < rp_trace_module_count(t); i++) {
        const struct rp_module *m = rp_trace_module(t, i);
        json_add(list, json_pack("{s:s, s:s, s:s, s:s}", "name", m->name, "sha256", m->sha256, "isa", m->isa, "target",
                                 m->target));
    }
    return list;
}

static json_t *json_host(const struct rp_trace *t)
{
    struct info_host_counts c = info_count_host(t);
    json_t *out = json_object();
    for (int k = 0; k < RP_HOST_KIND_COUNT; k++)
        if (c.count[k])
            json_put(out, rp_host_kind_name((enum rp_host_kind)k),
                     json_pack("{s:o, s:o}", "count", json_number(c.count[k]), "bytes", json_number(c.bytes[k])));
    return out;
}

static json_t *json_dependencies(const struct rp_launch *l)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < l->dependency_count; i++)
        json_add(list, json_number(l->dependencies[i]));
    return list;
}

static json_t *json_extent(const uint32_t extent[3])
{
    return json_pack("[o, o, o]", json_number(extent[0]), json_number(extent[1]), json_number(extent[2]));
}

static json_t *json_launch(const struct info_request *a, uint32_t launch, struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(a->trace, launch);
    const struct rp_launch_end *end = rp_trace_launch_end(a->trace, launch);
    struct rp_launch_totals t = rp_trace_launch_totals(a->trace, launch);
    json_t *out = json_pack("{s:o}", "launch", json_number(launch));
    json_put_kernel(out, rp_trace_kernel(a->trace, l->kernel)->name);
    json_join(out, json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "kernel_index",
                             json_number(l->kernel), "grid", json_extent(l->grid), "block", json_extent(l->block),
                             "dynamic_shared_bytes", json_number(l->dynamic_shared), "outcome", info_outcome(end),
                             "blocks", json_number(rp_launch_blocks(l)), "blocks_recorded", json_number(t.blocks),
                             "warp_instructions", json_number(t.warp_instructions), "thread_instructions",
                             json_number(t.thread_instructions), "compressed_bytes", json_number(t.compressed_bytes),
                             "raw_bytes", json_number(t.raw_bytes), "chunks", json_number(t.chunks),
                             "bits_per_warp_instruction", info_bits(t.compressed_bytes, t.warp_instructions)));
    json_put(out, "cluster", json_extent(l->cluster));
    json_put(out, "cooperative", json_boolean(l->cooperative));
    json_put(out, "device", json_number(l->device));
    json_put(out, "stream", json_number(l->stream));
    json_put(out, "depends_on", json_dependencies(l));
    if (l->parent)
        json_put(out, "parent", json_number(l->parent - 1));
    if (end && end->outcome == RP_OUTCOME_FAULT)
        json_put(out, "fault", json_message(end->fault));
    struct rp_class_counts counts;
    if (!a->mix)
        return out;
    if (!info_count_classes(a->trace, launch, &counts, err)) {
        json_decref(out);
        return NULL;
    }
    json_put(out, "mix", json_mix(&counts));
    return out;
}

/* The options of the recording. */
static json_t *json_options(const struct rp_provenance *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->option_count; i++)
        json_add(list, json_pack("{s:s, s:s}", "key", p->options[i].key, "value", p->options[i].value));
    return list;
}

int info_print_json(const struct info_request *a, struct json_stream *out)
{
    struct rp_error err = {RP_SYSTEM, "out of memory for the result in JSON"};
    const char *sha256 = rp_trace_sha256(a->trace, &err);
    if (!sha256)
        return command_fail(&err);
    json_t *launches = json_array();
    for (uint32_t l = 0; l < rp_trace_launch_count(a->trace); l++) {
        json_t *launch = json_launch(a, l, &err);
        if (!launch) {
            json_decref(launches);
            return command_fail(&err);
        }
        json_add(launches, launch);
    }
    struct info_sums s = info_add_up(a->trace);
    uint64_t bytes = rp_trace_file_bytes(a->trace);
    const char *damage = rp_trace_damage(a->trace);
    json_t *total =
        json_pack("{s:o, s:o, s:o, s:f}", "blocks_recorded", json_number(s.blocks), "warp_instructions",
                  json_number(s.warp_instructions), "thread_instructions", json_number(s.thread_instructions),
                  "bits_per_warp_instruction", info_bits(bytes, s.warp_instructions));
    const struct rp_provenance *p = rp_trace_provenance(a->trace);
    json_t *trace =
        json_pack("{s:o, s:s, s:o, s:s, s:s, s:s}", "file", json_text(a->file), "sha256", sha256, "bytes",
                  json_number(bytes), "module", p->module_name, "module_sha256", p->module_sha256, "tool", p->tool);
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "trace", trace, "damage", json_text(damage), "options",
                            json_options(p), "kernels", json_kernels(a->trace), "launches", launches, "total", total);
    json_put(all, "modules", json_modules(a->trace));
    json_put(all, "host", json_host(a->trace));
    json_traces_begin(out);
    json_part(out, NULL, all);
    return RP_OK;
}
