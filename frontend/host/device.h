/* A device: an address space, the modules loaded into it, and threads of the host that run its kernels.
 *
 * The address space holds buffers, the variables of modules, what kernels take from the device heap, and memory of the
 * host at its own address. Modules may be loaded and unloaded in any order; each has addresses of its own, so that
 * kernels of several modules may pass pointers to each other's variables. What a kernel allocates stays until a kernel
 * frees it or the device goes.
 *
 * One thread at a time may use a device and its launches (launch.h); several devices share nothing. */
#ifndef REPRISE_FRONTEND_HOST_DEVICE_H
#define REPRISE_FRONTEND_HOST_DEVICE_H

#include <stddef.h>

#include "frontend/core/program.h"
#include "tracefmt/error.h"

struct rp_device;
struct rp_check; /* frontend/check/check.h */

struct rp_device *rp_device_new(struct rp_error *);
/* One whose buffers and variables have the same address here and there: what the device has at an address lies there in
 * this process, too. Modules with 32-bit addresses are not for it. One in a process at a time. */
struct rp_device *rp_device_new_unified(struct rp_error *);
/* Ends the launches that are still open, without a result, and frees all modules. */
void rp_device_free(struct rp_device *);

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/* Loads a module: its variables get memory and their initial values. The device owns it until it is unloaded. `path`
 * names one that is given by its bytes in errors; the bytes may go afterwards. */
struct module *rp_device_load(struct rp_device *, const char *path, struct rp_error *);
struct module *rp_device_load_bytes(struct rp_device *, const char *path, const void *bytes, size_t size,
                                    struct rp_error *);
/* The same with a module that was loaded otherwise, for the addresses that it was loaded for: RP_USAGE if another
 * module has them. The device owns it, also after a failure. */
bool rp_device_adopt(struct rp_device *, struct module *, struct rp_error *);
/* Frees the module, its kernels and its variables. RP_USAGE while a launch of one of its kernels is open. */
bool rp_device_unload(struct rp_device *, struct module *, struct rp_error *);

/* The host's view of a variable of the module, in global or constant memory, while no kernel runs; NULL: there is none
 * of that name. */
void *rp_variable(struct rp_device *, const struct module *, const char *name, uint64_t *bytes);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Device memory: zeroed, 512-byte aligned, with a gap after it that belongs to nobody. The same calls give the same
 * addresses every time. `name` is for reports and the trace. 0 on failure. */
uint64_t rp_alloc(struct rp_device *, uint64_t bytes, const char *name, struct rp_error *);
/* What is allocated from now on reaches to the next multiple of `granule` bytes for kernels that have overruns
 * (overrun.h); 0: no further than was asked for. */
void rp_set_granule(struct rp_device *, uint32_t granule);
/* Makes [host, host + bytes) the device's at the same address, as cudaMallocManaged does: kernels work on the host's
 * memory itself. It must stay until it is freed from the device, which leaves the host its memory. RP_USAGE below 4
 * GiB, where a kernel has its windows, and where the device has something else. */
bool rp_share(struct rp_device *, void *host, uint64_t bytes, const char *name, struct rp_error *);
/* A buffer, or memory of the host, by its first address. */
bool rp_free(struct rp_device *, uint64_t address, struct rp_error *);
/* The host's view of device memory [address, address+bytes), or NULL if that is not inside one allocation. */
void *rp_host(struct rp_device *, uint64_t address, uint64_t bytes);
/* The same, of what the caller writes and then tells by rp_wrote(). */
void *rp_host_range(struct rp_device *, uint64_t address, uint64_t bytes);
/* For a check of what is read before it is written; NULL: there is none. */
void rp_wrote(struct rp_device *, struct rp_check *, uint64_t address, uint64_t bytes);
/* The same of a copy from other memory of the device, of which some may never have been written. */
void rp_copied(struct rp_device *, struct rp_check *, uint64_t address, uint64_t from, uint64_t bytes);
/* How many bytes of a range of one buffer nobody has written; *first: the first one's offset in it. */
uint64_t rp_unwritten(struct rp_device *, struct rp_check *, uint64_t address, uint64_t bytes, uint64_t *first);
/* The same, only to be read. */
const void *rp_host_read(const struct rp_device *, uint64_t address, uint64_t bytes);

/* What holds an address: a buffer, memory of the host, or a variable. `user` is what rp_set_user gave it, or NULL. */
struct rp_range {
    uint64_t base, bytes;
    void *user;
};
bool rp_find(const struct rp_device *, uint64_t address, struct rp_range *);
/* The constants of a module that hold an address of the host that rp_variable gave; `user` is NULL. */
bool rp_find_constants(const struct rp_device *, uint64_t address, struct rp_range *);
bool rp_set_user(struct rp_device *, uint64_t address, void *user);
/* Whether an address lies among those that a unified device has for itself. */
bool rp_reserved(const struct rp_device *, uint64_t address);
/* Bytes that kernels may still allocate. */
void rp_set_heap(struct rp_device *, uint64_t bytes);

/* ---- what the host does, for the trace ----------------------------------------------------------------------------
 */

/* Keeps in mind from now on what the host does, for the trace that the next launch goes into. Without it, that trace
 * has what is allocated then; what comes later is told in any case. Before any allocation and module. */
void rp_remember(struct rp_device *);
/* The host did something else than to allocate and free, which tell themselves: it copied or filled memory through
 * rp_host, waited, or had an event recorded or waited for. Streams and events are the caller's numbers; 0 is the
 * default stream, for which all others wait and which waits for them; RP_HOST_CREATE_STREAM makes one of those that do
 * not, non_blocking, and is not needed for the others. Allocations of rp_share are told as managed. That one launch
 * comes after another because of it, the trace says as a dependency of the later one. */
bool rp_tell(struct rp_device *, const struct rp_host_operation *, struct rp_error *);
/* Writes what happened since the last launch of this trace. */
struct rp_writer;
bool rp_tell_rest(struct rp_device *, struct rp_writer *, struct rp_error *);

#endif
