#include "replay/engines/staged/fits.h"

#include <stdarg.h>
#include <stdio.h>

#include "hw-models/cache/stepped.h"
#include "replay/engines/staged/options.h"

static bool misfit(struct machine_misfit *out, const char *one, const char *other, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool misfit(struct machine_misfit *out, const char *one, const char *other, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    out->keys[0] = one;
    out->keys[1] = other;
    vsnprintf(out->text, sizeof out->text, format, args);
    va_end(args);
    return false;
}

static const struct cache_model *cache_of(const struct machine_part *part)
{
    return (const struct cache_model *)part->model;
}

static struct cache_shape shape_of(const struct machine_part *part)
{
    struct cache_shape shape;
    cache_of(part)->shape(part->options, &shape);
    return shape;
}

static bool other_pipeline_fits(const struct machine *m, struct machine_misfit *out)
{
    static const char why[] = "%s '%s' is stepped by pipeline 'staged', which this machine has not";
    if (((const struct scheduler_model *)m->scheduler.model)->observe)
        return misfit(out, "scheduler.model", "pipeline.model",
                      "scheduler '%s' must know which warps wait: choose a machine with pipeline 'staged', such as "
                      "rtx2060-accelsim",
                      m->scheduler.model->name);
    if (((const struct scheduler_model *)m->scheduler.model)->feedback)
        return misfit(out, "scheduler.model", "pipeline.model",
                      "scheduler '%s' must know what L1 replaces: choose a machine with pipeline 'staged', such as "
                      "rtx2060-accelsim",
                      m->scheduler.model->name);
    if (cache_of(&m->l1)->stepped)
        return misfit(out, "l1.model", "pipeline.model", why, "l1", m->l1.model->name);
    if (cache_of(&m->l2)->stepped)
        return misfit(out, "l2.model", "pipeline.model", why, "l2", m->l2.model->name);
    if (((const struct dram_model *)m->dram.model)->stepped)
        return misfit(out, "dram.model", "pipeline.model", why, "dram", m->dram.model->name);
    return !m->l2_clock || cache_of(&m->l2)->keeps ||
           misfit(out, "l2.clock_mhz", "l2.model", "l2.clock_mhz is that of a cache: l2.model is 'none'; leave it 0");
}

static bool has_defaults(const struct machine_part *part)
{
    for (size_t i = 0; i < part->model->option_count; i++)
        if (part->options[i] != part->model->options[i].initial)
            return false;
    return true;
}

/* Whether accesses are coalesced in a way that the pipeline has: its own, or the ideal one. */
static bool access_fits(const struct machine *m, struct machine_misfit *out)
{
    bool sectors = m->coalescer.model == &coalescer_segments.model && has_defaults(&m->coalescer);
    if (!sectors && m->coalescer.model != &coalescer_ideal.model)
        return misfit(out, "coalescer.", "pipeline.model",
                      "pipeline 'staged' coalesces into sectors: coalescer is 'segments' of 32 bytes, or 'ideal'");
    bool banks = m->shared.model == &shared_memory_banks.model && has_defaults(&m->shared);
    return banks || m->shared.model == &shared_memory_ideal.model ||
           misfit(
               out, "shared.", "pipeline.model",
               "pipeline 'staged' has banks of shared memory with times of its own (pipeline.shared_latency): shared "
               "is 'banks' without options, or 'ideal'");
}

/* Options that the pipeline does not use must have values without effect. */
static bool nothing_unused(const struct machine *m, struct machine_misfit *out)
{
    const struct {
        const char *key;
        int64_t value, unsaid;
        const char *instead;
    } numbers[] = {
        {"lsu.queue", m->lsu_queue, -1, "its load/store unit holds one instruction of each sub-core"},
        {"lsu.load_line", m->lsu_load_line, 0, "loads do not wait for shared memory"},
        {"lsu.store_line", m->lsu_store_line, 0, "stores do not wait for shared memory"},
        {"l1.queue", m->l1_queue, -1, "l1.banks have a queue of l1.latency each"},
        {"port.width", m->port_width, 0, "an SM sends a packet in a cycle"},
        {"port.sectors", m->port_sectors, 1, "a packet is for one sector"},
        {"port.latency", m->port_latency, 0, "a crossbar moves packets in a cycle; l2.latency has the rest of the way"},
        {"port.queue", m->port_queue, -1, "pipeline.crossbar_buffer bounds packets"},
        {"l2.slice_hash", m->l2_slice_hash, 0, "slices take turns"},
        {"l2.fill", m->l2_fill, 0, "a slice fetches sector by sector"},
        {"dram.channel_hash", m->dram_channel_hash, 0, "channels take turns"},
        {"dispatch_latency", m->dispatch_latency, 0, "pipeline.launch_latency comes before a launch"},
        {"dispatch_interval", m->dispatch_interval, 0, "pipeline.block_rate says it"},
        {"dispatch_warp_interval", m->dispatch_warp_interval, 0, "pipeline.block_rate says it"},
        {"launch_latency", m->launch_latency, 0, "pipeline.launch_latency comes before a launch"},
        {"barrier_latency", m->barrier_latency, 0, "warps go on in the cycle of the last arrival"},
        {"control_interval", m->control_interval, 1, "classes.control says it"},
        {"issue_exit", m->issue_exit, true, "an exit issues as any instruction"},
        {"placement", m->placement, PLACEMENT_WARP_ID, "a warp's number says its sub-core"},
        {"dependencies", m->dependencies, DEPENDENCIES_SCOREBOARD, "it has a scoreboard"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value != numbers[i].unsaid)
            return misfit(out, numbers[i].key, "pipeline.model", "pipeline 'staged' does not look at %s: %s",
                          numbers[i].key, numbers[i].instead);
    if (m->interconnect.model != &interconnect_direct.model && !has_defaults(&m->interconnect))
        return misfit(
            out, "interconnect.", "pipeline.model",
            "pipeline 'staged' moves a packet over a link in a cycle: interconnect is 'crossbar' without options, "
            "or 'direct'");
    return access_fits(m, out);
}

static bool sm_fits(const struct machine *m, struct machine_misfit *out)
{
    int64_t collectors = m->pipeline.options[STAGED_COLLECTORS] * m->subcores;
    if (((const struct memory_model *)m->memory.model)->sampled)
        return misfit(out, "memory.model", "pipeline.model",
                      "pipeline 'staged' has a memory of its own: memory.model must be 'hierarchy'");
    if (((const struct tlb_model *)m->tlb.model)->keeps)
        return misfit(out, "tlb.model", "pipeline.model",
                      "pipeline 'staged' has a memory of its own, without translation: tlb.model must be 'none'");
    if (((const struct instruction_cache_model *)m->constants.model)->keeps)
        return misfit(out, "constants.model", "pipeline.model",
                      "pipeline 'staged' has no constant cache, as Accel-Sim's traces have no constants: "
                      "constants.model must be 'perfect'");
    if (collectors > STAGED_MOST_COLLECTORS)
        return misfit(out, "pipeline.collectors", "subcores",
                      "pipeline.collectors of all subcores are %d, more than %d", (int)collectors,
                      STAGED_MOST_COLLECTORS);
    return m->warps % m->subcores == 0 ||
           misfit(out, "subcores", "limits.warps", "subcores (%d) does not divide limits.warps (%d)", (int)m->subcores,
                  (int)m->warps);
}

static bool l1_fits(const struct machine *m, struct machine_misfit *out)
{
    if (!cache_of(&m->l1)->keeps)
        return true;
    if (!cache_of(&m->l1)->stepped)
        return misfit(out, "l1.model", "pipeline.model",
                      "pipeline 'staged' steps its caches: l1.model must be 'staged', or 'none'");
    return shape_of(&m->l1).latency || misfit(out, "l1.latency", NULL, "l1.latency of pipeline 'staged' is at least 1");
}

static bool l2_fits(const struct machine *m, struct machine_misfit *out)
{
    if (!cache_of(&m->l2)->keeps)
        return true;
    if (!cache_of(&m->l2)->stepped)
        return misfit(out, "l2.model", "pipeline.model",
                      "pipeline 'staged' steps its caches: l2.model must be 'staged', or 'none'");
    if (shape_of(&m->l2).sets != 64)
        return misfit(out, "l2.sets", NULL, "l2.sets of pipeline 'staged' is 64, for which its hash is made");
    return shape_of(&m->l2).banks == 1 || misfit(out, "l2.banks", NULL, "l2.banks of pipeline 'staged' is 1");
}

/* Each cycle of each clock is a step. If frequencies differ too much, a launch takes too many steps. */
static bool clocks_fit(const struct machine *m, struct machine_misfit *out)
{
    enum { MOST = 100 };
    const struct {
        const char *key;
        int64_t mhz;
    } clocks[] = {{"l2.clock_mhz", m->l2_clock}, {"interconnect.clock_mhz", m->interconnect_clock}};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (clocks[i].mhz && (clocks[i].mhz < m->clock_mhz / MOST || clocks[i].mhz / MOST > m->clock_mhz))
            return misfit(
                out, clocks[i].key, "clock_mhz",
                "%s of pipeline 'staged' is at least a hundredth of clock_mhz, and at most a hundred times that",
                clocks[i].key);
    return true;
}

static bool chip_fits(const struct machine *m, struct machine_misfit *out)
{
    if (!clocks_fit(m, out))
        return false;
    int64_t at_channel = m->l2_slices / m->dram_channels;
    if (!((const struct dram_model *)m->dram.model)->stepped && m->dram.model != &dram_ideal.model)
        return misfit(out, "dram.model", "pipeline.model",
                      "pipeline 'staged' steps its channels: dram.model must be 'staged', or 'ideal'");
    if (m->l2_slices % m->dram_channels || at_channel < 1 || at_channel > 2)
        return misfit(out, "l2.slices", "dram.channels",
                      "l2.slices (%d) of pipeline 'staged' are as many as dram.channels (%d), or twice as many",
                      (int)m->l2_slices, (int)m->dram_channels);
    if (at_channel == 2 && (m->l2_interleave != STEPPED_LINE || m->dram_interleave < 2 * STEPPED_LINE))
        return misfit(out, "l2.interleave", "dram.interleave",
                      "lines take turns between two slices of a channel in pipeline 'staged': l2.interleave is 128, "
                      "and dram.interleave at least 256");
    return m->l2_queue < 0 || m->l2_queue >= 8 ||
           misfit(out, "l2.queue", NULL, "l2.queue of pipeline 'staged' is at least 8");
}

bool staged_fits(const struct machine *m, struct machine_misfit *out)
{
    if (m->pipeline.model != &pipeline_staged)
        return other_pipeline_fits(m, out);
    return sm_fits(m, out) && nothing_unused(m, out) && l1_fits(m, out) && l2_fits(m, out) && chip_fits(m, out);
}
