/* The driver's state, its lock, and its messages. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/names.h"
#include "frontend/core/overrun.h"
#include "frontend/cuda/driver/calls.h"
#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/filter.h"
#include "frontend/cuda/driver/findings.h"
#include "frontend/cuda/driver/pending.h"
#include "tracefmt/file_write.h"

struct driver driver = {.lock = PTHREAD_MUTEX_INITIALIZER};
_Thread_local bool per_thread_streams;

const char *session_value(enum session_variable v)
{
    const char *text = getenv(session_variable_names[v]);
    return text && *text ? text : NULL;
}

static void write_message(FILE *to, const char *text)
{
    flockfile(to);
    fputs("reprise: ", to);
    print_readable(to, text);
    fputc('\n', to);
    funlockfile(to);
}

/* What the log has no room for goes to standard error. */
void say(const char *format, ...)
{
    va_list list;
    const char *path = session_value(SESSION_LOG);
    FILE *log = path ? fopen(path, "ae") : NULL;
    struct file_limit limit;
    char text[2048];
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    file_limit_hold(&limit);
    if (log)
        write_message(log, text);
    bool lost = log && fclose(log);
    if (lost)
        findings_unwritten(file_write_error(errno));
    if (!log || lost)
        write_message(stderr, text);
    file_limit_release(&limit);
}

CUresult refuse(const char *what, bool *reported)
{
    if (!__atomic_exchange_n(reported, true, __ATOMIC_RELAXED))
        say("%s is not supported (CUDA_ERROR_NOT_SUPPORTED)", what);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* With the lock held; releases it where the call fails. */
static CUresult enter_with(enum need need, CUcontext context)
{
    call_begins();
    CUresult r = CUDA_SUCCESS;
    if (!driver.initialised)
        r = CUDA_ERROR_NOT_INITIALIZED;
    else if (driver.failed && (need == NEED_CONTEXT || driver.failed == CUDA_ERROR_NOT_INITIALIZED))
        r = driver.failed;
    else if (need == NEED_CONTEXT && !context)
        r = CUDA_ERROR_INVALID_CONTEXT;
    else if (need == NEED_CONTEXT && !context->alive)
        r = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    else if (need == NEED_CONTEXT)
        r = context->failed;
    if (r) {
        check_call(r);
        pthread_mutex_unlock(&driver.lock);
    }
    return r;
}

CUresult enter(enum need need)
{
    pthread_mutex_lock(&driver.lock);
    return enter_with(need, current_context());
}

CUresult enter_on(CUstream handle)
{
    pthread_mutex_lock(&driver.lock);
    CUcontext context = current_context();
    return enter_with(NEED_CONTEXT, !context && handle_is(HANDLE_STREAM, handle) ? handle->context : context);
}

CUresult failed_for_good(void)
{
    CUcontext c = current_context();
    return driver.failed ? driver.failed : c ? c->failed : CUDA_SUCCESS;
}

CUresult leave(CUresult r)
{
    check_call(r);
    pthread_mutex_unlock(&driver.lock);
    return r;
}

const struct device_figures *figures(void)
{
    if (!driver.figures_complete)
        device_figures_complete(&driver.figures, clients_capability());
    driver.figures_complete = true;
    return &driver.figures;
}

/* After a fork, the child has neither the other threads nor a trace of its own: as with CUDA, it cannot go on. */
static void before_fork(void) { pthread_mutex_lock(&driver.lock); }
static void after_fork(void) { pthread_mutex_unlock(&driver.lock); }
static void child_of_fork(void)
{
    if (driver.initialised)
        driver.failed = CUDA_ERROR_NOT_INITIALIZED;
    pthread_mutex_unlock(&driver.lock);
}

static bool number_of(enum session_variable v, uint64_t *value, struct rp_error *err)
{
    const char *text = session_value(v);
    char *end;
    *value = text ? strtoull(text, &end, 10) : 0;
    return !text || !*end || rp_fail(err, RP_USAGE, "%s: '%s' is not a number", session_variable_names[v], text);
}

static bool read_devices(struct rp_error *err)
{
    uint64_t count;
    if (!number_of(SESSION_DEVICES, &count, err))
        return false;
    if (count > DEVICES_MOST)
        return rp_fail(err, RP_USAGE, "REPRISE_DEVICES: %" PRIu64 " devices; at most %d are possible", count,
                       DEVICES_MOST);
    devices_select(count ? (int)count : 1);
    return true;
}

static CUresult initialise(void)
{
    struct rp_error err = {0};
    if (!read_devices(&err) || !device_figures_parse(session_value(SESSION_DEVICE), &driver.figures, &err)) {
        say("%s", err.text);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!driver.devices) { /* then nothing opens the device, and calls that fail are findings all the same */
        if (!check_any() && !check_open(&err))
            say("%s", err.text);
        return CUDA_ERROR_NO_DEVICE;
    }
    pthread_atfork(before_fork, after_fork, child_of_fork);
    driver.initialised = true;
    return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&driver.lock);
    CUresult r = driver.initialised ? CUDA_SUCCESS : initialise();
    if (driver.failed == CUDA_ERROR_NOT_INITIALIZED)
        r = driver.failed;
    return leave(r);
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

static void report_overrun(void *unused, const char *text)
{
    (void)unused;
    check_overrun(text);
}
static const struct overruns overruns = {report_overrun, NULL};

static bool read_defaults(struct rp_error *err)
{
    uint64_t threads, limit, strict;
    if (!number_of(SESSION_THREADS, &threads, err) || !number_of(SESSION_LIMIT, &limit, err) ||
        !number_of(SESSION_STRICT, &strict, err))
        return false;
    enum tensor_sums sums = TENSOR_SUMS_EXACT;
    const char *name = session_value(SESSION_TENSOR_SUMS);
    if (name && !tensor_sums_read(name, &sums))
        return rp_fail(err, RP_USAGE, "REPRISE_TENSOR_SUMS: '%s'; there are " TENSOR_SUMS_NAMES, name);
    driver.strict = strict;
    driver.defaults = (struct rp_launch_config){.threads = (unsigned)threads,
                                                .limit = limit,
                                                .sums = sums,
                                                .overruns = strict ? NULL : &overruns,
                                                .shared_limit = UINT32_MAX};
    return true;
}

/* A trace has all launches, and checks look at all of them. */
static bool read_spare_repeats(struct rp_error *err)
{
    uint64_t every;
    if (!number_of(SESSION_EVERY_LAUNCH, &every, err))
        return false;
    driver.defaults.spare_repeats = !every && !driver.recording && !session_value(SESSION_CHECK);
    return true;
}

/* The device stays until the process ends; contexts come and go. */
bool driver_open(struct rp_error *err)
{
    if (!read_defaults(err) || !filter_open(err) || !check_open(err) || !(driver.device = rp_device_new_unified(err)))
        return false;
    rp_set_granule(driver.device, driver.strict ? 0 : DEVICE_GRANULE);
    rp_set_red_zone(driver.device, check_memory() ? RP_RED_ZONE : 0);
    return record_open(err) && read_spare_repeats(err);
}

void driver_release(CUcontext context, bool last)
{
    pending_drop();
    check_leaks(context);
    streams_free_of(context);
    modules_free(context);
    buffers_free(context);
    if (last && driver.failed != CUDA_ERROR_NOT_INITIALIZED)
        driver.failed = CUDA_SUCCESS;
}

CUresult cuProfilerInitialize(const char *config, const char *output, int mode)
{
    (void)config, (void)output, (void)mode;
    return CUDA_SUCCESS;
}

static CUresult profile(bool on)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    record_profile(on);
    return leave(CUDA_SUCCESS);
}
CUresult cuProfilerStart(void) { return profile(true); }
CUresult cuProfilerStop(void) { return profile(false); }
