/* What the parts of libcuda.so.1 share: devices behind one lock. All devices are of one kind. Their memory is one
 * rp_device, so that an address means the same everywhere; which kernels may access it follows from peer access.
 *
 * A function of the API is a few lines: enter() (the driver is initialised, the thread has a context, there was no
 * permanent error), the work, leave(). Functions of the API never call one another. What is asynchronous on a GPU
 * happens within the call, as CUDA allows the order of the calls; only what waits for a later call is kept (pending.h).
 */
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
    CUresult failed; /* why every call fails from now on: a fork, or with one device a kernel's error */
    struct device_figures figures;
    int devices;                  /* that the program sees */
    uint8_t place[DEVICES_MOST];  /* of each, its number on the machine: CUDA_VISIBLE_DEVICES reorders */
    struct rp_device *device;     /* the memory and modules of all devices; NULL: no context was made yet */
    uint64_t used[DEVICES_MOST];  /* bytes of device memory in use */
    uint32_t peers[DEVICES_MOST]; /* the devices whose kernels may access its memory, a bit each */
    CUcontext contexts;
    struct buffer *buffers;
    CUmodule modules;
    CUstream streams;
    unsigned module_count; /* modules loaded so far */
    uint32_t stream_count; /* streams made so far; numbers them in the trace */
    uint32_t event_count;
    bool strict, recording;
    uint64_t spared;                  /* nanoseconds of launches that did not run: events take place so much later */
    struct rp_launch_config defaults; /* what all launches have in common */
    uint64_t workspace;               /* of cooperative launches; 0: none yet */
    unsigned long long next_id;       /* of the next context, stream or buffer */
    int newest;                       /* the newest version that a client has asked cuGetProcAddress for */
};
extern struct driver driver;

/* ---- entering and leaving: state.c ------------------------------------------------------------------------------- */

enum need { NEED_DRIVER, NEED_CONTEXT };
/* Takes the lock if it returns CUDA_SUCCESS. */
CUresult enter(enum need);
/* Enters for a call on a stream's handle: a thread without a current context has that of the stream. */
CUresult enter_on(CUstream);
/* Releases the lock and returns its argument. */
CUresult leave(CUresult);
/* The value of a session variable, or NULL. */
const char *session_value(enum session_variable);
/* Prints one line for the user, on standard error or to the file that REPRISE_LOG names. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns CUDA_ERROR_NOT_SUPPORTED; reports once per `reported` what is not supported. */
CUresult refuse(const char *what, bool *reported);
/* The device's figures, computed when a client first needs them. */
const struct device_figures *figures(void);
/* The capability of the device for a program that names none: clients.c. */
unsigned clients_capability(void);

/* The error of every call of this thread from now on: that of the driver, or of the current context. */
CUresult failed_for_good(void);
/* Reads CUDA_VISIBLE_DEVICES: which of so many devices the program sees. visible.c */
void devices_select(int count);
bool is_device(CUdevice);
CUresult device_attribute(CUdevice, int attribute, int *value);
CUuuid device_uuid(int place);

/* Creates the device. */
bool driver_open(struct rp_error *);
/* Frees what belongs to a context that ends. last: no other context is left, so errors are forgotten. */
void driver_release(CUcontext, bool last);

/* ---- contexts: context.c ----------------------------------------------------------------------------------------- */

struct CUctx_st {
    bool primary, alive;
    int device;
    CUresult failed;               /* of a kernel: why every call fails in this context */
    uint32_t peers;                /* devices to whose memory it has enabled access, a bit each */
    unsigned flags, retained, api; /* retained: for the primary context */
    unsigned long long id;
    size_t limits[16]; /* by CUlimit */
    int cache_config, shared_config;
    CUcontext next;
};
/* The current context of this thread; NULL: none. */
CUcontext current_context(void);
/* Its device; 0 without a context. */
int current_device(void);
bool is_context(CUcontext);
/* A kernel of the function has failed: calls in its context do, from now on. */
void context_fails(const struct CUfunc_st *, CUresult);
/* What kernels ask (struct rp_launch_config): ask.c. */
uint32_t device_ask(const struct device_asked *, struct program *kernel, uint64_t *value);
/* Takes back the peer access of a context that ends: peer.c. */
void peers_release(CUcontext);

/* Whether a null stream means the thread's own: within functions of variants _ptsz and _ptds. */
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
/* Registers a handle that programs may pass; any other value is invalid. False: out of memory. */
bool handle_add(enum handle, void *);
bool handle_is(enum handle, const void *);
void handle_remove(void *);

/* ---- memory: memory.c -------------------------------------------------------------------------------------------- */

enum buffer_kind { BUFFER_DEVICE, BUFFER_PINNED, BUFFER_MANAGED, BUFFER_REGISTERED, BUFFER_RESERVED, BUFFER_IMPORTED };
/* Hints for managed memory, which a program can query. Locations: a device, or CPU; NOWHERE: not set. */
enum { PLACE_CPU = -1, PLACE_NOWHERE = -2 };
struct advice {
    bool given, read_mostly, accessed_by_host;
    uint32_t accessed_by; /* devices, a bit each */
    int preferred, prefetched;
};
struct buffer {
    uint64_t base, bytes; /* as requested */
    uint64_t room;        /* the device memory that it counts for */
    enum buffer_kind kind;
    unsigned flags;
    unsigned long long id;
    CUcontext context;
    int device;                     /* that has it; of host and managed memory: the one that was current */
    CUmemoryPool pool;              /* NULL: not from a pool */
    struct buffer_history *history; /* owned by check.c; NULL: memory is not checked */
    bool given_back;                /* the program has tried to free it when all calls failed */
    bool of_graph;                  /* made by a graph node: kept for every launch */
    bool in_use, reserved;          /* of a graph: graph_memory.c */
    struct advice advice;
    struct buffer *next, **link;
};
/* Memory of a graph is allocated by a launch, freed by a launch or the program, and no longer there: graph_memory.c. */
void graph_memory_taken(struct buffer *);
void graph_memory_given_back(struct buffer *);
void graph_memory_released(struct buffer *);
/* The addresses of a reservation are given back: mapping.c. */
void mappings_forget(const struct buffer *);
/* Memory that is given to other processes, or theirs, is freed: ipc.c. */
void ipc_forget(const struct buffer *);
/* Whether there is any, so that other processes may store to it. */
bool ipc_used(void);
/* Whether the address is that of memory of another process's pool, which is freed like memory of one's own. */
bool ipc_of_pool(const struct buffer *, CUdeviceptr);
/* The buffer that holds an address, or NULL. */
struct buffer *buffer_at(CUdeviceptr);
CUresult buffer_new(enum buffer_kind, size_t bytes, unsigned flags, CUmemoryPool, struct buffer **);
CUresult buffer_release(struct buffer *);
/* Which devices' kernels may access the device memory of a device, or of a pool (NULL: of none), a bit each. */
uint32_t access_to(int device, CUmemoryPool);
/* To be called before what the device gets: modules, launches, buffers. */
void memory_is_of(int device, uint32_t devices);
/* Brings up to date who may access the memory of the device. */
void access_changed(int device);
/* The device that has the memory at the address, or `other`: host and managed memory belong to none. */
int device_at(CUdeviceptr, int other);
/* The device whose memory is mapped at an address of a reservation, or `other`: mapping.c. */
int mapped_device(CUdeviceptr, int other);
/* Frees the buffers of a context; NULL: of all contexts. */
void buffers_free(CUcontext);
/* The host address of [address, address + bytes). NULL: the range is not within one allocation of the device. Addresses
 * that are not the device's are host memory; *device: whether it is the device's. Callers that write call wrote()
 * afterwards. */
uint8_t *view(CUdeviceptr address, size_t bytes, bool write, bool *device);
/* The content of [address, address + bytes), to be compared with what the program writes there: what changes nothing
 * need not be written (frontend/host/repeats.h). NULL: there is no such range, about which nothing is reported. */
const uint8_t *content_at(CUdeviceptr address, size_t bytes);
enum { OWN_FILE = 4096 };
/* The name of the file that this process writes, derived from the one that the session names: %p becomes the process
 * id; if another process of the command writes that file, f.wtr becomes f.2.wtr and so on, and a message says that
 * `what` goes there. */
void own_file(const char *given, const char *what, char to[OWN_FILE]);
/* Reports a write of `rows` rows of `bytes` bytes to device memory. */
void wrote(CUdeviceptr address, size_t bytes, size_t pitch, size_t rows);
/* Adds `bytes` to the usage of the pool, if there is one; negative bytes are freed. */
void pool_account(CUmemoryPool, int64_t bytes);
int pool_device(CUmemoryPool);
/* Whether handles of the type (a descriptor: 1) may stand for the pool in other processes. */
bool pool_is_for(CUmemoryPool, int type);
/* A pool of this process has a number for others. One that is of another process has that one's, the process and a
 * descriptor of its memory, which the pool closes when it is destroyed; `file` is -1 for one of this process. */
struct pool_origin {
    uint64_t number;
    int process, file;
};
/* NULL: it is no pool. */
const struct pool_origin *pool_origin(CUmemoryPool);
/* A pool of another process, on the current device; it allocates nothing. NULL: out of memory. */
CUmemoryPool pool_import(const struct pool_origin *);
uint32_t pool_access(CUmemoryPool);

/* ---- streams and work: stream.c, work.c -------------------------------------------------------------------------- */

enum { STREAM_ATTRIBUTES = 11 };
struct CUstream_st {
    uint32_t number; /* in the trace; 0: the default stream of its device */
    int device;
    unsigned flags;
    int priority;
    unsigned long long id;
    CUcontext context;
    struct capture *capture; /* NULL: work runs at once */
    CUgraphNode *tail;       /* the predecessors of its next node */
    size_t tail_count;
    CUlaunchAttributeValue attributes[STREAM_ATTRIBUTES]; /* by CUstreamAttrID; without the priority */
    struct CUstream_st *next;
};
/* The stream of a handle; NULL: the handle is invalid. */
CUstream stream_of(CUstream);
CUstream default_stream(int device);
/* Enters the driver for an operation on a stream and replaces the handle by its stream; `result`, where the value goes,
 * must not be NULL. If it fails, the driver has been left. */
CUresult enter_stream(CUstream *, const void *result);
void streams_free_of(CUcontext);

struct launch {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    unsigned cluster[3]; /* 0, 0, 0: what the kernel requires, or no clusters */
    bool cooperative;
    uint8_t *params; /* the parameter block */
};
struct conditional {
    uint64_t handle; /* address of the condition */
    int type;
    unsigned size; /* number of bodies */
    CUgraph *bodies;
};
/* A piece of a stream's work. */
struct work {
    enum {
        WORK_LAUNCH,
        WORK_COPY,
        WORK_SET,
        WORK_HOST,
        WORK_EMPTY,
        WORK_CHILD,
        WORK_CONDITIONAL,
        WORK_RECORD,
        WORK_WAIT,
        WORK_ALLOCATE,
        WORK_FREE
    } kind;
    enum { OF_GRAPH, ASYNCHRONOUS, BLOCKING } call; /* the kind of call that made it */
    union {
        struct launch launch;
        CUDA_MEMCPY3D copy;
        CUDA_MEMSET_NODE_PARAMS set;
        CUDA_HOST_NODE_PARAMS host;
        CUgraph child;
        struct conditional conditional; /* conditional.c */
        CUevent event;
        CUdeviceptr memory; /* WORK_ALLOCATE, whose memory exists from the beginning, and WORK_FREE */
    };
};
/* Runs the work, or adds it to the graph that the stream captures. A BLOCKING call breaks a capture. */
CUresult submit(CUstream, const struct work *);
/* Ends the part in its capture of a stream that is destroyed. */
void capture_stream_destroyed(CUstream);
/* Checks operations that a capture forbids: waiting for a stream (NULL: for all streams), querying it, and giving work
 * to the legacy stream. */
CUresult capture_forbids(CUstream);
CUresult capture_forbids_event(const struct CUevent_st *);
/* The same for operations that depend on the mode of the capture: allocating and freeing. */
CUresult capture_forbids_unsafe(void);
/* Runs the work now. */
CUresult work_run(CUstream, const struct work *);
CUresult launch_check(const struct launch *);
void launch_attributes(const CUlaunchConfig *, struct launch *);
CUresult launch_run(CUstream, const struct launch *);
CUresult copy_check(const CUDA_MEMCPY3D *);
/* Whether one end is host memory that CUDA does not know, so that the host waits for the copy. */
bool copy_is_pageable(const CUDA_MEMCPY3D *);
CUresult copy_run(CUstream, const struct work *);
CUresult set_check(const CUDA_MEMSET_NODE_PARAMS *);
CUresult set_run(CUstream, const struct work *);
void event_take_place(CUstream, CUevent);
uint32_t event_number(CUevent);

/* ---- modules: module.c, function.c ------------------------------------------------------------------------------- */

struct CUmod_st {
    struct module *module;
    char name[64];
    CUcontext context; /* NULL: what a library is on a further device */
    int device;
    struct library *library; /* NULL: a module, which one context has */
    CUfunction functions;
    struct CUmod_st *next;
};
struct CUfunc_st {
    struct program *program;
    CUmodule module;
    int max_dynamic, carveout;
    bool large_clusters;                    /* clusters of more than 8 blocks are allowed */
    uint32_t recorded;                      /* launches recorded so far, for --first */
    bool sampled;                           /* a launch of it was looked at: hint.c */
    bool too_large;                         /* a block had too many registers, which was said */
    int wanted;                             /* whether the name filter selects it: 0 unknown, 1 yes, -1 no */
    unsigned block[3], shared, params_used; /* for launches in the style before CUDA 4 */
    uint8_t *params;
    struct CUfunc_st *next;
};
void modules_free(CUcontext);
/* Who may access the variables of the device's modules. */
void modules_access(int device, uint32_t devices);
/* The function on a device: itself, or for a library's that of the same name in what the library is there. */
CUresult function_on(int device, CUfunction *);
/* The function with this program, as the program's settings have it. */
struct CUfunc_st function_with(struct program *);
CUresult function_attribute(const struct CUfunc_st *, CUfunction_attribute, int *value);
/* Builds the parameter block of a launch in `to`, program->parameter_bytes long. */
CUresult function_params(CUfunction, void **params, void **extra, uint8_t *to);
/* Whether a block may have this much dynamic shared memory: more than the default of 48 KB must have been requested. */
bool shared_fits(CUfunction, size_t dynamic_shared);
/* The number of blocks of a kernel that are resident on an SM at once; 0: none. */
/* Checks the cluster size of a launch: cluster.c. */
CUresult cluster_check(const struct launch *);
unsigned occupancy(CUfunction, unsigned threads, size_t dynamic_shared);

/* ---- recording: record.c ----------------------------------------------------------------------------------------- */

/* Opens the trace, if one is requested. */
bool record_open(struct rp_error *);
/* The trace in which a launch of this function is recorded; NULL: none. Counts the launch. */
struct rp_writer *record_launch(CUfunction);
/* To be called when the launch has ended. */
void record_launched(void);
/* Counts the launches that it has made, which are recorded where it is. */
void record_children(uint64_t count, bool recorded);
void record_profile(bool on);
/* Ends the trace, because the process is about to end. Waits for the lock, but not for ever. */
void record_end(void);
/* The system has failed while a module was loaded: the trace is whole, but not what was asked for. */
void record_lacks(const char *why);
/* The status with which the program should end: that of a failed system in the place of 0, if the trace is not whole,
 * or not what was asked for. */
int record_status(int status);
/* With the lock held: ends the trace and then the process, because of a signal. */
void record_interrupted(void);
/* Records an operation of the host; stream NULL: of the current device. */
void record_stream_operation(enum rp_host_kind, CUstream, uint32_t event);
void record_operation(const struct rp_host_operation *);

#endif
