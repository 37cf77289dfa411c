/* Opening and closing sessions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/host/session.h"
#include "tools/lib/output.h"

static struct module *load(struct reprise *r, const struct reprise_options *o, struct rp_error *err)
{
    if (!o->module == !o->image) {
        rp_fail(err, RP_USAGE, "give the session a module: its file or its image in memory, one of them");
        return NULL;
    }
    if (o->module)
        return rp_device_load(r->device, o->module, err);
    return rp_device_load_bytes(r->device, "module in memory", o->image, o->image_bytes, err);
}

/* The options that affect the trace's content, for its provenance, as `reprise record` has them. */
static uint32_t describe(const struct reprise_options *o, struct rp_option options[3], char text[3][24])
{
    const struct {
        const char *key;
        uint64_t value;
    } limits[] = {{"limit", o->limit}, {"stack", o->stack}, {"shared-limit", o->shared_limit}};
    uint32_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        if (!limits[i].value)
            continue;
        snprintf(text[count], 24, "%" PRIu64, limits[i].value);
        options[count] = (struct rp_option){limits[i].key, text[count]};
        count++;
    }
    return count;
}

static bool open_trace(struct reprise *r, const struct reprise_options *o, struct rp_error *err)
{
    struct rp_option options[3];
    char text[3][24];
    if (!o->trace)
        return true;
    if (!output_check(o->trace, INPUT_TRACE, err))
        return false;
    if (!output_spares("the trace", o->trace, o->module, "the module", err))
        return false;
    struct rp_provenance from = {.tool = "reprise " REPRISE_VERSION,
                                 .module_name = r->module->file_name,
                                 .module_sha256 = r->module->sha256,
                                 .option_count = describe(o, options, text),
                                 .options = options};
    r->writer = rp_writer_open(o->trace, &from, NULL, err);
    return r->writer != NULL;
}

static void session_free(struct reprise *r)
{
    rp_writer_abandon(r->writer);
    timing_close(r);
    rp_device_free(r->device);
    free(r->mirrors);
    free(r);
}

struct reprise *reprise_open(const struct reprise_options *o, struct rp_error *err)
{
    struct reprise *r = o ? calloc(1, sizeof *r) : NULL;
    if (!o) {
        rp_fail(err, RP_USAGE, "no options for a session: NULL");
        return NULL;
    }
    if (!r) {
        rp_fail(err, RP_SYSTEM, "out of memory for a session");
        return NULL;
    }
    r->defaults = (struct rp_launch_config){.threads = o->threads,
                                            .limit = o->limit,
                                            .stack_bytes = o->stack,
                                            .shared_limit = o->shared_limit,
                                            .output = o->output};
    r->device = rp_device_new(err);
    if (r->device && o->trace)
        rp_log_operations(r->device);
    if (r->device && (r->module = load(r, o, err)) && timing_open(r, o, err) && open_trace(r, o, err))
        return r;
    session_free(r);
    return NULL;
}

bool reprise_close(struct reprise *r, struct rp_error *err)
{
    if (!r)
        return true;
    bool ok = !r->writer || r->dead || rp_write_operations(r->device, r->writer, err);
    if (ok && r->writer) {
        ok = rp_writer_close(r->writer, err);
        r->writer = NULL;
    }
    session_free(r);
    return ok;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static bool record_operation(struct reprise *r, enum rp_host_kind kind, uint32_t stream, uint32_t event,
                             struct rp_error *err)
{
    struct rp_host_operation o = {.kind = (uint8_t)kind, .stream = stream, .event = event};
    return r ? rp_report_operation(r->device, &o, err) : rp_fail(err, RP_USAGE, "no session: NULL");
}

bool reprise_create_stream(struct reprise *r, uint32_t stream, bool non_blocking, struct rp_error *err)
{
    struct rp_host_operation o = {.kind = RP_HOST_CREATE_STREAM, .stream = stream, .non_blocking = non_blocking};
    return r ? rp_report_operation(r->device, &o, err) : rp_fail(err, RP_USAGE, "no session: NULL");
}

bool reprise_record_event(struct reprise *r, uint32_t event, uint32_t stream, struct rp_error *err)
{
    return record_operation(r, RP_HOST_RECORD_EVENT, stream, event, err);
}

bool reprise_wait_event(struct reprise *r, uint32_t stream, uint32_t event, struct rp_error *err)
{
    return record_operation(r, RP_HOST_WAIT_EVENT, stream, event, err);
}

bool reprise_synchronise(struct reprise *r, struct rp_error *err)
{
    return record_operation(r, RP_HOST_SYNCHRONISE, 0, 0, err);
}

bool reprise_synchronise_stream(struct reprise *r, uint32_t stream, struct rp_error *err)
{
    return record_operation(r, RP_HOST_SYNCHRONISE_STREAM, stream, 0, err);
}
