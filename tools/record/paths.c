/* No output of a plan may be written over one of its inputs, or over another output. */
#include "tools/lib/output.h"
#include "tools/record/plan.h"

/* What the output is, and its path; NULL: it is not asked for. */
struct written {
    const char *what, *path;
};

static bool spares(struct written o, const char *other, const char *role, struct rp_error *err)
{
    return output_spares(o.what, o.path, other, role, err);
}

/* A buffer may be saved over its own file, to carry state from run to run. */
static bool spares_buffers(const struct plan *p, struct written o, struct rp_error *err)
{
    for (size_t i = 0; i < p->buffer_count; i++)
        if (!spares(o, p->buffers[i].path, "a buffer's file", err))
            return false;
    return true;
}

static bool spares_inputs(const struct plan *p, const char *launch_file, struct written o, struct rp_error *err)
{
    if (!spares(o, p->module, "the module", err) || !spares(o, launch_file, "the launch file", err) ||
        !spares(o, p->findings.suppressions, "the suppressions", err) ||
        !spares(o, p->findings.baseline, "the baseline", err))
        return false;
    for (size_t i = 0; i < p->expect_count; i++)
        if (!spares(o, p->expects[i].path, "what is expected", err))
            return false;
    return true;
}

bool plan_check_paths(const struct plan *p, const char *launch_file, struct rp_error *err)
{
    const struct written trace = {"the trace", p->output}, prints = {"what kernels print", p->kernel_output};
    if (!finding_files_differ(&p->findings, p->output, "the trace", err) ||
        !finding_files_differ(&p->findings, p->kernel_output, "what kernels print", err) ||
        !spares_inputs(p, launch_file, trace, err) || !spares_buffers(p, trace, err) ||
        !spares_inputs(p, launch_file, prints, err) || !spares_buffers(p, prints, err) ||
        !spares(prints, p->output, "the trace", err))
        return false;
    for (size_t i = 0; i < p->findings.file_count; i++) {
        const struct written found = {"what is found", p->findings.files[i]};
        if (!spares_inputs(p, launch_file, found, err) || !spares_buffers(p, found, err))
            return false;
    }
    for (size_t i = 0; i < p->save_count; i++) {
        const struct written saved = {"the saved buffer", p->saves[i].path};
        if (!spares_inputs(p, launch_file, saved, err) || !spares(saved, p->output, "the trace", err) ||
            !spares(saved, p->kernel_output, "what kernels print", err) ||
            !finding_files_differ(&p->findings, p->saves[i].path, "the saved buffer", err))
            return false;
        for (size_t j = 0; j < i; j++)
            if (!spares(saved, p->saves[j].path, "another one", err))
                return false;
    }
    return true;
}
