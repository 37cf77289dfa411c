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
#include "frontend/host/launch.h"

#define DRIVER_VERSION 13000

struct driver {
    pthread_mutex_t lock;
    bool initialised, figures_complete;
    CUresult failed; /* why every call fails from now on: an error of a kernel, or a fork */
    struct device_figures figures;
    struct rp_device *device; /* NULL: no context has been made */
    uint64_t used;            /* bytes of device memory */
    CUcontext contexts;
    struct buffer *buffers;
    CUmodule modules;
    CUstream streams;
    unsigned module_count; /* loaded so far */
    uint32_t stream_count; /* made so far: numbers in the trace */
    uint32_t event_count;
    bool strict, recording;
    struct rp_launch_config defaults; /* what all launches share */
    uint64_t workspace;               /* of cooperative launches; 0: there was none */
    unsigned long long next_id;       /* of contexts, streams, buffers */
    int newest;                       /* version that a client has asked cuGetProcAddress for */
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

/* ---- handles: handle.c ------------------------------------------------------------------------------------------- */

enum handle {
    HANDLE_MODULE = 1,
    HANDLE_FUNCTION,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_POOL,
    HANDLE_LINK,
    HANDLE_ARRAY,
    HANDLE_MIPMAP,
    HANDLE_GRAPH,
    HANDLE_NODE,
    HANDLE_EXEC,
    HANDLE_USER_OBJECT
};
/* What programs hold; anything else that they pass is no handle. False: no memory. */
bool handle_add(enum handle, void *);
bool handle_is(enum handle, const void *);
void handle_remove(void *);

/* ---- memory: memory.c -------------------------------------------------------------------------------------------- */

enum buffer_kind { BUFFER_DEVICE, BUFFER_PINNED, BUFFER_MANAGED, BUFFER_REGISTERED };
/* Hints for managed memory, which a program can ask for again. Places: a device, or CPU; NOWHERE: not said. */
enum { PLACE_CPU = -1, PLACE_NOWHERE = -2 };
struct advice {
    bool given, read_mostly, accessed_by_device, accessed_by_host;
    int preferred, prefetched;
};
struct buffer {
    uint64_t base, bytes; /* as asked for */
    uint64_t room;        /* what it counts for of the device's memory */
    enum buffer_kind kind;
    unsigned flags;
    unsigned long long id;
    CUcontext context;
    CUmemoryPool pool;              /* NULL: of none */
    struct buffer_history *history; /* check.c's; NULL: memory is not checked */
    bool of_graph;                  /* made by a node: there for every launch, until the program frees it */
    struct advice advice;
    struct buffer *next, **link;
};
/* The buffer that holds an address, or NULL. */
struct buffer *buffer_at(CUdeviceptr);
CUresult buffer_new(enum buffer_kind, size_t bytes, unsigned flags, CUmemoryPool, struct buffer **);
CUresult buffer_release(struct buffer *);
/* Those of a context; NULL: all. */
void buffers_free(CUcontext);
/* Where [address, address + bytes) is in this process; NULL: it is not all in one allocation of the device. What the
 * device does not have is memory of the host. *device: it is the device's. Who writes tells wrote() what. */
uint8_t *view(CUdeviceptr address, size_t bytes, bool write, bool *device);
enum { OWN_FILE = 4096 };
/* The file that this process writes of one that the session names: %p is its number, and where another process of the
 * command has that file f.2.wtr stands for f.wtr, and so on, which is said with what it is that goes there. */
void own_file(const char *given, const char *what, char to[OWN_FILE]);
/* So many rows of so many bytes of the device's memory. */
void wrote(CUdeviceptr address, size_t bytes, size_t pitch, size_t rows);
/* 0: done; else the pool has changed. */
void pool_account(CUmemoryPool, int64_t bytes);

/* ---- streams and work: stream.c, work.c -------------------------------------------------------------------------- */

enum { STREAM_ATTRIBUTES = 11 };
struct CUstream_st {
    uint32_t number; /* in the trace */
    unsigned flags;
    int priority;
    unsigned long long id;
    CUcontext context;
    struct capture *capture; /* NULL: what it is given is done at once */
    CUgraphNode *tail;       /* what its next node comes after */
    size_t tail_count;
    CUlaunchAttributeValue attributes[STREAM_ATTRIBUTES]; /* by CUstreamAttrID; but for the priority */
    struct CUstream_st *next;
};
/* The stream of a handle, NULL for one that is none. */
CUstream stream_of(CUstream);
void streams_free_of(CUcontext);

struct launch {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    unsigned cluster[3]; /* 0, 0, 0: what the kernel requires, or a block alone */
    bool cooperative;
    uint8_t *params; /* the parameter block */
};
/* Something that a stream does. */
struct work {
    enum {
        WORK_LAUNCH,
        WORK_COPY,
        WORK_SET,
        WORK_HOST,
        WORK_EMPTY,
        WORK_CHILD,
        WORK_RECORD,
        WORK_WAIT,
        WORK_ALLOCATE,
        WORK_FREE
    } kind;
    enum { OF_GRAPH, ASYNCHRONOUS, BLOCKING } call; /* what the program made it by */
    union {
        struct launch launch;
        CUDA_MEMCPY3D copy;
        CUDA_MEMSET_NODE_PARAMS set;
        CUDA_HOST_NODE_PARAMS host;
        CUgraph child;
        CUevent event;
        CUdeviceptr memory; /* of WORK_ALLOCATE, which is there from the beginning, and WORK_FREE */
    };
};
/* Does it, or adds it to the graph that the stream captures, which a BLOCKING call breaks. */
CUresult submit(CUstream, const struct work *);
/* The stream captures no more. */
void capture_leave(CUstream);
/* Waiting for a stream, or for all with NULL, asking whether it is done, and giving the legacy stream work. */
CUresult capture_forbids(CUstream);
CUresult capture_forbids_event(const struct CUevent_st *);
/* What the mode of a capture is about: allocating and freeing. */
CUresult capture_forbids_unsafe(void);
/* Does it now. */
CUresult work_run(CUstream, const struct work *);
CUresult launch_check(const struct launch *);
void launch_attributes(const CUlaunchConfig *, struct launch *);
CUresult launch_run(CUstream, const struct launch *);
CUresult copy_check(const CUDA_MEMCPY3D *);
CUresult copy_run(CUstream, const struct work *);
CUresult set_check(const CUDA_MEMSET_NODE_PARAMS *);
CUresult set_run(CUstream, const struct work *);
void event_take_place(CUstream, CUevent);
uint32_t event_number(CUevent);

/* ---- modules: module.c, function.c ------------------------------------------------------------------------------- */

struct CUmod_st {
    struct module *module;
    char name[64];
    CUcontext context;
    CUfunction functions;
    struct CUmod_st *next;
};
struct CUfunc_st {
    struct program *program;
    CUmodule module;
    int max_dynamic, carveout;
    bool large_clusters;                    /* of more than 8 blocks are allowed */
    uint32_t recorded;                      /* launches so far, for --first */
    int wanted;                             /* by the filter of names: 0 not known yet, 1 yes, -1 no */
    unsigned block[3], shared, params_used; /* of the launches before CUDA 4 */
    uint8_t *params;
    struct CUfunc_st *next;
};
void modules_free(CUcontext);
/* Builds the parameter block of a launch in `to`, program->parameter_bytes long. */
CUresult function_params(CUfunction, void **params, void **extra, uint8_t *to);
/* Whether a block may have so many bytes of dynamic shared memory: more than the usual 48 KB must have been asked for.
 */
bool shared_fits(CUfunction, size_t dynamic_shared);
/* Blocks of a kernel that an SM holds at a time; 0: none. */
/* Whether the clusters of a launch can be had: cluster.c. */
CUresult cluster_check(const struct launch *);
unsigned occupancy(CUfunction, unsigned threads, size_t dynamic_shared);

/* ---- recording: record.c ----------------------------------------------------------------------------------------- */

/* Opens the trace, if one is wanted. */
bool record_open(struct rp_error *);
/* Where a launch of this function is to be recorded; NULL: nowhere. Counts it. */
struct rp_writer *record_launch(CUfunction);
/* It has ended. */
void record_launched(void);
void record_profile(bool on);
/* Ends the trace: the process is about to go. Whoever holds the lock is waited for, but not for ever. */
void record_end(void);
/* With the lock: ends the trace and the process, which a signal wants to end. */
void record_interrupted(void);
/* What the host did, for the trace. */
void tell(enum rp_host_kind, uint32_t stream, uint32_t event);
void tell_operation(const struct rp_host_operation *);

#endif
