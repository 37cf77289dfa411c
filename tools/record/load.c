#include "tools/record/load.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/core/target.h"
#include "frontend/loader/assemble.h"
#include "frontend/module/module.h"
#include "tools/cuda/compile.h"
#include "tools/lib/input.h"
#include "tools/record/library.h"

/* The target of CUDA source that is assembled afterwards: ptxas takes PTX for its architecture and for earlier ones. */
static const char *source_target(const struct plan *p)
{
    bool earlier = !p->target && p->assemble && strncmp(p->assemble, CUDA_TARGET, sizeof CUDA_TARGET - 1) < 0;
    return earlier ? p->assemble : p->target;
}

/* The module's bytes; those of CUDA source are its PTX. */
static char *read_module(const struct plan *p, size_t *size, struct rp_error *err)
{
    if (input_kind(p->module) == INPUT_CUDA)
        return cuda_compile(p->module, source_target(p), p->clang_flags, size, err);
    return module_read_file(p->module, size, err);
}

static bool check_names(const struct plan *p, int *line, struct rp_error *err)
{
    /* names of architectures first, before clang compiles for them */
    *line = p->target_line;
    if (p->target && !target_named(p->target, err))
        return false;
    *line = p->assemble_line;
    if (p->assemble && !module_can_assemble(p->assemble, err))
        return false;
    if (p->assemble && p->target && input_kind(p->module) != INPUT_CUDA)
        return rp_fail(err, RP_USAGE,
                       "--assemble %s and --target %s: machine code has the target that it is assembled for",
                       p->assemble, p->target);
    *line = p->schedule_line;
    if (p->schedule && p->assemble)
        return rp_fail(err, RP_USAGE, "--schedule and --assemble %s: the order of machine code is its assembler's",
                       p->assemble);
    if (p->schedule && p->checks)
        return rp_fail(err, RP_USAGE,
                       "--schedule and --check: checks look at the order of the source; leave --schedule out");
    return true;
}

/* What --module names, as a module: CUDA source as its PTX, of a static library the member that is meant. */
static char *prepare_module(const struct plan *p, size_t *size, struct rp_error *err)
{
    char *bytes = read_module(p, size, err);
    if (bytes && library_choose(p, &bytes, size, err))
        return bytes;
    free(bytes);
    return NULL;
}

struct module *record_load_module(const struct plan *p, struct rp_device *d, int *line, struct rp_error *err)
{
    size_t size;
    if (!check_names(p, line, err))
        return NULL;
    *line = 0;
    char *bytes = prepare_module(p, &size, err);
    if (bytes && p->assemble) {
        char *given = bytes;
        bytes = (char *)module_assemble(p->module, given, size, p->assemble, &size, err);
        free(given);
        *line = !bytes && err->status == RP_USAGE ? p->assemble_line : 0;
    }
    struct module *m = bytes ? rp_device_load_bytes(d, p->module, bytes, size, err) : NULL;
    free(bytes);
    if (!m)
        return NULL;
    *line = p->target_line;
    if (p->target && !p->assemble && !module_set_target(m, p->target, err))
        return NULL; /* the device owns the module */
    *line = p->schedule_line;
    return !p->schedule || module_schedule(m, err) ? m : NULL;
}
