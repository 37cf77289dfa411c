/* No output of a plan may be written over one of its inputs, or over another output. */
#include "tools/lib/output.h"
#include "tools/record/plan.h"

static bool apart(const char *output, const char *what, const char *other, const char *role, struct rp_error *err)
{
    if (!output || !other || !output_same_file(output, other))
        return true;
    return rp_fail(err, RP_USAGE, "%s '%s' would be written over %s; give it another name", what, output, role);
}

bool plan_check_paths(const struct plan *p, const char *launch_file, struct rp_error *err)
{
    if (!finding_files_differ(&p->findings, p->output, "the trace", err) ||
        !apart(p->output, "the trace", p->module, "the module", err) ||
        !apart(p->output, "the trace", launch_file, "the launch file", err))
        return false;
    if (!apart(p->kernel_output, "what kernels print", p->module, "the module", err) ||
        !apart(p->kernel_output, "what kernels print", launch_file, "the launch file", err) ||
        !apart(p->kernel_output, "what kernels print", p->output, "the trace", err))
        return false;
    for (size_t i = 0; i < p->buffer_count; i++)
        if (!apart(p->output, "the trace", p->buffers[i].path, "a buffer's file", err) ||
            !apart(p->kernel_output, "what kernels print", p->buffers[i].path, "a buffer's file", err))
            return false;
    for (size_t i = 0; i < p->save_count;
         i++) { /* a buffer may be saved over its own file, to carry state from run to run */
        const char *path = p->saves[i].path;
        if (!apart(path, "the saved buffer", p->module, "the module", err) ||
            !apart(path, "the saved buffer", launch_file, "the launch file", err) ||
            !apart(path, "the saved buffer", p->output, "the trace", err) ||
            !apart(path, "the saved buffer", p->kernel_output, "what kernels print", err))
            return false;
        for (size_t j = 0; j < p->expect_count; j++)
            if (!apart(path, "the saved buffer", p->expects[j].path, "what is expected", err))
                return false;
        for (size_t j = 0; j < i; j++)
            if (!apart(path, "the saved buffer", p->saves[j].path, "another one", err))
                return false;
    }
    return true;
}
