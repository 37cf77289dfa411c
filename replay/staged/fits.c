#include "replay/staged/fits.h"

#include <stdarg.h>
#include <stdio.h>

#include "hw-models/cache/staged.h"

static bool misfit(struct staged_misfit *out, const char *one, const char *other, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool misfit(struct staged_misfit *out, const char *one, const char *other, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    out->keys[0] = one;
    out->keys[1] = other;
    vsnprintf(out->text, sizeof out->text, format, args);
    va_end(args);
    return false;
}

static bool is_staged(const struct machine_part *cache) { return cache->model == &cache_staged.model; }

static bool other_pipeline_fits(const struct machine *m, struct staged_misfit *out)
{
    static const char why[] = "%s 'staged' is stepped by pipeline 'staged', which this machine has not";
    if (((const struct scheduler_model *)m->scheduler.model)->observe)
        return misfit(out, "scheduler.model", "pipeline.model",
                      "scheduler '%s' must know which warps wait: choose pipeline 'staged'", m->scheduler.model->name);
    if (is_staged(&m->l1))
        return misfit(out, "l1.model", "pipeline.model", why, "l1");
    if (is_staged(&m->l2))
        return misfit(out, "l2.model", "pipeline.model", why, "l2");
    return m->dram.model != &dram_staged.model || misfit(out, "dram.model", "pipeline.model", why, "dram");
}

static bool sm_fits(const struct machine *m, struct staged_misfit *out)
{
    int64_t collectors = m->pipeline.options[STAGED_COLLECTORS] * m->subcores;
    if (((const struct memory_model *)m->memory.model)->drawn)
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

static bool l1_fits(const struct machine *m, struct staged_misfit *out)
{
    if (!((const struct cache_model *)m->l1.model)->keeps)
        return true;
    if (!is_staged(&m->l1))
        return misfit(out, "l1.model", "pipeline.model",
                      "pipeline 'staged' steps its caches: l1.model must be 'staged', or 'none'");
    return m->l1.options[STAGED_CACHE_LATENCY] ||
           misfit(out, "l1.latency", NULL, "l1.latency of pipeline 'staged' is at least 1");
}

static bool l2_fits(const struct machine *m, struct staged_misfit *out)
{
    int64_t at_channel = m->l2_slices / m->dram_channels;
    if (!is_staged(&m->l2))
        return misfit(out, "l2.model", "pipeline.model",
                      "pipeline 'staged' steps its caches: l2.model must be 'staged'");
    if (m->dram.model != &dram_staged.model)
        return misfit(out, "dram.model", "pipeline.model",
                      "pipeline 'staged' steps its channels: dram.model must be 'staged'");
    if (m->l2.options[STAGED_CACHE_SETS] != 64)
        return misfit(out, "l2.sets", NULL, "l2.sets of pipeline 'staged' is 64, for which its hash is made");
    if (m->l2.options[STAGED_CACHE_BANKS] != 1)
        return misfit(out, "l2.banks", NULL, "l2.banks of pipeline 'staged' is 1");
    if (m->l2_slices % m->dram_channels || at_channel < 1 || at_channel > 2)
        return misfit(out, "l2.slices", "dram.channels",
                      "l2.slices (%d) of pipeline 'staged' are as many as dram.channels (%d), or twice as many",
                      (int)m->l2_slices, (int)m->dram_channels);
    if (at_channel == 2 && (m->l2_interleave != STAGED_LINE || m->dram_interleave < 2 * STAGED_LINE))
        return misfit(out, "l2.interleave", "dram.interleave",
                      "lines take turns between two slices of a channel in pipeline 'staged': l2.interleave is 128, "
                      "and dram.interleave at least 256");
    return m->l2_queue < 0 || m->l2_queue >= 8 ||
           misfit(out, "l2.queue", NULL, "l2.queue of pipeline 'staged' is at least 8");
}

bool staged_fits(const struct machine *m, struct staged_misfit *out)
{
    if (!((const struct pipeline_model *)m->pipeline.model)->staged)
        return other_pipeline_fits(m, out);
    return sm_fits(m, out) && l1_fits(m, out) && l2_fits(m, out);
}
