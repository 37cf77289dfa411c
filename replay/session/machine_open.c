#include "replay/session/machine_open.h"

#include "replay/session/engines.h"

struct model_set machine_models(const struct model_set *own)
{
    struct model_set set = own ? *own : built_in_models;
    if (!set.of[KIND_PIPELINE])
        set.of[KIND_PIPELINE] = engine_pipelines();
    return set;
}

struct machine *machine_open(const struct machine_request *request, struct rp_error *err)
{
    struct model_set models = machine_models(request->models);
    return machine_read(request, &(struct machine_rules){&models, engines_fit}, err);
}

struct machine *machine_parse(const struct machine_request *request, const char *text, size_t size,
                              struct rp_error *err)
{
    struct model_set models = machine_models(request->models);
    return machine_read_text(request, &(struct machine_rules){&models, engines_fit}, text, size, err);
}
