/* --check api: calls that fail. Which call it is follows from the stack: the outermost function of our libraries. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/cuda/abi/internal.h"
#include "frontend/cuda/driver/calls.h"
#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/findings.h"
#include "frontend/cuda/driver/host_stack.h"

bool calls_checked;

static const struct {
    int code;
    const char *driver, *runtime, *text;
} errors[] = {
#define ERROR(code, driver, runtime, text) {code, #driver, #runtime, text},
#define DRIVER_ERROR(code, name, text) {code, #name, #name, text},
#define RUNTIME_ERROR(code, name, text) {code, #name, #name, text},
#include "frontend/cuda/abi/errors.def"
};

/* What is a result and no failure. */
static bool is_answer(int code) { return code == CUDA_SUCCESS || code == CUDA_ERROR_NOT_READY; }

static _Thread_local char reason[500]; /* why the current call fails; "": not known */

int call_refused(int code, const char *why, ...)
{
    va_list list;
    va_start(list, why);
    vsnprintf(reason, sizeof reason, why, list);
    va_end(list);
    return code;
}

#define STICKY 1 /* the key of calls that return what a launch has caused: they are one finding */

static _Thread_local bool misused; /* why the current call fails was a finding of its own */

void call_misused(void) { misused = true; }
void call_begins(void) { misused = false; }

static void add(const char *call, bool runtime, int code, const struct host_stack *here)
{
    const char *name = "an unknown error", *what = "";
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code) {
            name = runtime ? errors[i].runtime : errors[i].driver;
            what = errors[i].text;
        }
    bool sticky = failed_for_good() && (int)failed_for_good() == code;
    bool found = misused;
    misused = false;
    if (found || (sticky && check_said_sync()))
        return;
    struct rp_finding f = {.kind = RP_CHECK_API};
    f.text = finding_text("%s returned %s (%s)%s%s%s", call, name, what, sticky ? ", as later calls do" : "",
                          *reason && !sticky ? ": " : "", sticky ? "" : reason);
    *reason = 0;
    host_stack_add(&f, "called", here);
    findings_add(f, sticky ? STICKY : host_stack_key(here));
}

CUresult check_call(CUresult r)
{
    struct host_stack here;
    bool runtime = false;
    misused &= !is_answer((int)r);
    if (!calls_checked || is_answer((int)r))
        return r;
    host_stack_take(&here);
    const char *call = host_stack_call(&here, &runtime);
    if (call && !runtime) /* the runtime says itself what it returns */
        add(call, false, (int)r, &here);
    return r;
}

void reprise_call_failed(int code)
{
    struct host_stack here;
    bool runtime = false;
    if (!calls_checked || is_answer(code))
        return;
    host_stack_take(&here);
    const char *call = host_stack_call(&here, &runtime);
    if (!call || !runtime)
        return;
    pthread_mutex_lock(&driver.lock);
    add(call, true, code, &here);
    pthread_mutex_unlock(&driver.lock);
}
