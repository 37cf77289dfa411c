/* Work that cannot be done within its call: a launch whose threads wait for a store of the host or of another stream,
 * and what its stream got afterwards. It goes on when the memory that the threads look at has changed: within later
 * calls, and in a thread of ours, so that the host may wait for the kernel without a call.
 *
 * All functions are called with the driver's lock held; those that wait release it meanwhile. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_PENDING_H
#define REPRISE_FRONTEND_CUDA_DRIVER_PENDING_H

#include "frontend/cuda/driver/driver.h"

/* A launch that has begun. */
struct open_launch;
/* Begins a launch and runs it. *open: it waits; NULL: it has ended. */
CUresult launch_start(CUstream, const struct launch *, struct open_launch **open);
/* Runs the launch, if what it waits for has changed. True: it still waits. */
bool launch_waits(struct open_launch *);
/* Ends the launch and frees it. One that waits has a fault: livelock. */
CUresult launch_end(struct open_launch *, const struct launch *);

/* Keeps a launch that waits, as the stream's last work. */
CUresult pending_open(CUstream, const struct launch *, struct open_launch *);
/* Runs the work, or keeps it until what it must follow is done. */
CUresult pending_submit(CUstream, const struct work *);
/* Does what can be done. */
void pending_advance(void);
/* A launch that waited has found other memory: a reason to be patient. */
void pending_progress(void);
/* Whether work of a stream, or the record of an event, is pending; NULL, NULL: any. */
bool pending_on(CUstream, CUevent);
/* Waits until pending_on is false. Where nobody is left who could end the wait of a launch, that is a livelock, and the
 * result is the driver's error. */
CUresult pending_wait(CUstream, CUevent);
/* The event is destroyed. */
void pending_forget_event(CUevent);
/* Whether the process has threads of its own beside this one, or shares memory with other processes. */
bool others_run(void);
/* Ends all launches that wait and drops the rest: the trace, a context or the process ends. */
void pending_drop(void);
/* The same before the process ends; called without the lock. */
void pending_end(void);

#endif
