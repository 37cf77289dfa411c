/* A device: an address space, the modules loaded into it, and threads of the host that run its kernels.
 *
 * The address space holds buffers, the variables of modules, what kernels allocate on the device heap, and memory of
 * the host at its own address. Modules may be loaded and unloaded in any order; each has addresses of its own, so
 * kernels of several modules may pass pointers to each other's variables. What a kernel allocates stays until a kernel
 * frees it or the device is freed.
 *
 * Only one thread at a time may use a device and its launches (launch.h); several devices share nothing. */
#ifndef REPRISE_FRONTEND_HOST_DEVICE_H
#define REPRISE_FRONTEND_HOST_DEVICE_H

#include <stddef.h>

#include "frontend/core/program.h"
#include "tracefmt/error.h"

struct rp_device;
struct rp_check; /* frontend/check/check.h */

struct rp_device *rp_device_new(struct rp_error *);
/* A device whose buffers and variables have the same address in the device and in this process. It does not take
 * modules with 32-bit addresses. At most one per process at a time. */
struct rp_device *rp_device_new_unified(struct rp_error *);
/* Ends the launches that are still open, without a result, and frees all modules. */
void rp_device_free(struct rp_device *);

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/* Loads a module: its variables get memory and their initial values. The device owns the module until it is unloaded.
 * If the module is given by its bytes, `path` names it in errors, and the bytes may be freed afterwards. */
struct module *rp_device_load(struct rp_device *, const char *path, struct rp_error *);
struct module *rp_device_load_bytes(struct rp_device *, const char *path, const void *bytes, size_t size,
                                    struct rp_error *);
/* The same with a module that is already loaded, at the addresses that it was loaded for: RP_USAGE if another module
 * has them. The device owns it, also after a failure. */
bool rp_device_adopt(struct rp_device *, struct module *, struct rp_error *);
/* Frees the module, its kernels and its variables. RP_USAGE while a launch of one of its kernels is open. */
bool rp_device_unload(struct rp_device *, struct module *, struct rp_error *);

/* The host's view of a variable in global or constant memory, while no kernel runs. NULL: the module has no variable of
 * that name. */
void *rp_variable(struct rp_device *, const struct module *, const char *name, uint64_t *bytes);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Allocates device memory: zeroed, 512-byte aligned, with a gap after it that belongs to no allocation. The same calls
 * return the same addresses every time. `name` is for reports and the trace. 0 on failure. */
uint64_t rp_alloc(struct rp_device *, uint64_t bytes, const char *name, struct rp_error *);
/* For kernels that have overruns (overrun.h), allocations from now on reach to the next multiple of `granule` bytes; 0:
 * exactly as far as requested. */
void rp_set_granule(struct rp_device *, uint32_t granule);
/* Allocations from now on have this many bytes of addresses behind them that nothing else gets, so that an index that
 * goes too far finds no other allocation. A multiple of 512. */
#define RP_RED_ZONE 65536u
void rp_set_red_zone(struct rp_device *, uint32_t bytes);
/* Whose modules and allocations from now on are, for the trace, and which devices' kernels may access them, a bit for
 * each. So one rp_device holds the memory of several devices, each with a part of its addresses. At first: device 0 is
 * the owner, and all have access. */
void rp_set_owner(struct rp_device *, uint32_t device, uint32_t devices);
/* Changes which devices' kernels may access the buffer, memory of the host or variable at the address. */
void rp_set_access(struct rp_device *, uint64_t address, uint32_t devices);
/* The same for all variables of a module. */
void rp_set_module_access(struct rp_device *, const struct module *, uint32_t devices);
/* Makes [host, host + bytes) device memory at the same address, as cudaMallocManaged does: kernels access the host's
 * memory itself. The memory must stay until it is freed from the device, which does not free it on the host. RP_USAGE
 * below 4 GiB, where kernels have their windows, and where the device has something else. */
bool rp_share(struct rp_device *, void *host, uint64_t bytes, const char *name, struct rp_error *);
/* Frees a buffer, or shared host memory, by its first address. */
bool rp_free(struct rp_device *, uint64_t address, struct rp_error *);
/* The host's view of device memory [address, address + bytes). NULL: the range is not inside one allocation. */
void *rp_host(struct rp_device *, uint64_t address, uint64_t bytes);
/* The same, for a caller that writes and then reports what it wrote by rp_wrote(). */
void *rp_host_range(struct rp_device *, uint64_t address, uint64_t bytes);
/* The host, or another process, may write to the buffer at the address from now on without a call. It may so to
 * variables whose address rp_variable has told, and to memory of the host. */
void rp_set_unannounced(struct rp_device *, uint64_t address);
/* The host has changed something that kernels read and that is no memory of these functions, such as constants. */
void rp_all_changed(struct rp_device *);
/* Reports a write of the host, for the check of uninitialised reads; NULL: there is no check. */
void rp_wrote(struct rp_device *, struct rp_check *, uint64_t address, uint64_t bytes);
/* Reports a copy from other memory of the device, some of which may be uninitialised. */
void rp_copied(struct rp_device *, struct rp_check *, uint64_t address, uint64_t from, uint64_t bytes);
/* The number of bytes in a range of one buffer that were never written and are no padding (check_host_unwritten);
 * *first: the offset of the first in the range.
 */
uint64_t rp_unwritten(struct rp_device *, struct rp_check *, uint64_t address, uint64_t bytes, uint64_t *first);
/* The host's view of device memory, read-only. */
const void *rp_host_read(const struct rp_device *, uint64_t address, uint64_t bytes);

/* What holds an address: a buffer, memory of the host, or a variable. `user` is the pointer given to rp_set_user, or
 * NULL. */
struct rp_range {
    uint64_t base, bytes;
    void *user;
    uint32_t owner;
};
bool rp_find(const struct rp_device *, uint64_t address, struct rp_range *);
/* Finds the constants of a module that hold a host address from rp_variable; `user` is NULL. */
bool rp_find_constants(const struct rp_device *, uint64_t address, struct rp_range *);
bool rp_set_user(struct rp_device *, uint64_t address, void *user);
/* Whether an address is in the range that a unified device reserves. */
bool rp_reserved(const struct rp_device *, uint64_t address);
/* Sets the bytes that kernels may still allocate. */
void rp_set_heap(struct rp_device *, uint64_t bytes);

/* ---- what the host does, for the trace ----------------------------------------------------------------------------
 */

/* Logs from now on what the host does, for the trace that the next launch goes into. Without this, that trace lists the
 * allocations at that time; later operations are recorded in any case. To be called before any allocation and module.
 */
void rp_log_operations(struct rp_device *);
/* Reports an operation of the host. Not needed for allocating and freeing, which the device reports itself; needed when
 * the host copied or filled memory through rp_host, waited, or had an event recorded or waited for. Streams and events
 * are the caller's numbers. 0 is the default stream, for which all others wait and which waits for them;
 * RP_HOST_CREATE_STREAM with non_blocking makes a stream without these waits, and is optional for other streams.
 * Allocations of rp_share are recorded as managed. If a launch must come after another one because of the operation,
 * the trace lists the other as its dependency. */
bool rp_report_operation(struct rp_device *, const struct rp_host_operation *, struct rp_error *);
/* Writes to the trace what happened since its last launch. */
struct rp_writer;
bool rp_write_operations(struct rp_device *, struct rp_writer *, struct rp_error *);

#endif
