/* What the parts of libcuda.so.1 share: one device behind one lock.
 *
 * A function of the API is a few lines: enter() (the driver is there, the thread has a context, nothing has failed for
 * good), the work, leave(). Functions of the API never call one another. What is asynchronous on a GPU happens within
 * the call: the order of the calls is one that CUDA allows. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_H
#define REPRISE_FRONTEND_CUDA_DRIVER_H

#include <pthread.h>
#include <stdbool.h>

#include "frontend/cuda/abi/driver.h"
#include "frontend/cuda/session.h"
#include "frontend/host/device.h"

#define DRIVER_VERSION 13000

struct driver {
    pthread_mutex_t lock;
    bool initialised, figures_complete;
    CUresult failed; /* why every call fails from now on: an error of a kernel, or a fork */
    struct device_figures figures;
    struct rp_device *device; /* NULL: no context has been made */
    uint64_t used;            /* bytes of device memory */
    CUcontext contexts;
    unsigned long long next_id; /* of contexts, streams, buffers */
    int newest;                 /* version that a client has asked cuGetProcAddress for */
};
extern struct driver driver;

/* ---- entering and leaving: state.c ------------------------------------------------------------------------------- */

enum need { NEED_DRIVER, NEED_CONTEXT };
/* Takes the lock if it is CUDA_SUCCESS. */
CUresult enter(enum need);
/* Gives the lock back and returns its argument. */
CUresult leave(CUresult);
/* The value of a session's variable, or NULL. */
const char *session_value(enum session_variable);
/* One line for the user, on standard error or where REPRISE_LOG says. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* CUDA_ERROR_NOT_SUPPORTED; says once per `said` what is not there. */
CUresult refuse(const char *what, bool *said);
/* The device's figures, once a client wants to know them. */
const struct device_figures *figures(void);

/* Makes the device. */
bool driver_open(struct rp_error *);
/* Frees what belongs to a context that ends; last: no other one is left, so that what has failed is forgotten. */
void driver_release(CUcontext, bool last);

/* ---- contexts: context.c ----------------------------------------------------------------------------------------- */

struct CUctx_st {
    bool primary, alive;
    unsigned flags, retained, api; /* retained: of the primary one */
    unsigned long long id;
    size_t limits[16]; /* by CUlimit */
    int cache_config, shared_config;
    CUcontext next;
};
/* Of this thread; NULL: none. */
CUcontext current_context(void);

/* Whether a null stream is the thread's own: within functions of variant _ptsz and _ptds. */
extern _Thread_local bool per_thread_streams;

#endif
