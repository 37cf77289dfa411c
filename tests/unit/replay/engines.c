/* The table of engines: each pipeline has one in both modes, and what an engine says it can do is what it has. */
#include <criterion/criterion.h>
#include <string.h>

#include "replay/session/engines.h"
#include "replay/session/machine_open.h"

Test(engines, every_pipeline_has_one_in_both_modes)
{
    const struct model *const *pipelines = engine_pipelines();
    cr_assert_eq(pipelines[0], &pipeline_direct, "machines that name no pipeline have the direct one");
    for (size_t i = 0; pipelines[i]; i++) {
        struct machine m = {.pipeline.model = pipelines[i]};
        for (size_t j = 0; j < i; j++)
            cr_expect_str_neq(pipelines[j]->name, pipelines[i]->name);
        for (enum replay_engine mode = REPLAY_FAST; mode <= REPLAY_REFERENCE; mode++) {
            const struct engine *e = engine_of(&m, mode);
            cr_assert(e, "pipeline %s has no engine in mode %d", pipelines[i]->name, (int)mode);
            cr_expect_eq(e->pipeline, pipelines[i]);
            cr_expect(e->modes >> mode & 1);
        }
    }
}

Test(engines, capabilities_go_with_functions)
{
    for (const struct engine *const *e = engines; *e; e++) {
        cr_expect((*e)->run && (*e)->name && (*e)->modes, "%s", (*e)->name);
        cr_expect_eq((*e)->batches != NULL, ((*e)->capabilities & ENGINE_SUMS) != 0, "%s", (*e)->name);
        cr_expect_eq((*e)->open != NULL, (*e)->close != NULL, "%s", (*e)->name);
        cr_expect(!((*e)->capabilities & ENGINE_OVERLAPS) || (*e)->capabilities & ENGINE_USES_MEMORY, "%s", (*e)->name);
    }
}

/* A set of models may bring a pipeline that no engine carries out: that is said when the machine is opened. */
Test(engines, a_pipeline_without_engine_is_refused)
{
    static const struct model nobody = {.name = "nobody", .help = "", .state_size = NULL};
    const struct model *const pipelines[] = {&nobody, NULL};
    struct model_set set = machine_models(NULL);
    set.of[KIND_PIPELINE] = pipelines;
    struct rp_error err;
    cr_assert_null(machine_open(&(struct machine_request){.name = "rtx2060", .models = &set}, &err));
    cr_expect(strstr(err.text, "nobody"), "%s", err.text);
}
