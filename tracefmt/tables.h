/* The static tables as protobuf messages: everything in a trace but chunks and index. */
#ifndef REPRISE_TRACEFMT_TABLES_H
#define REPRISE_TRACEFMT_TABLES_H

#include "tracefmt/buffer.h"
#include "tracefmt/error.h"
#include "tracefmt/features.h"
#include "tracefmt/pool.h"
#include "tracefmt/trace.h"

/* Limits of a launch (CUDA C Programming Guide, "Compute Capabilities"): all capabilities so far have the same. */
#define LAUNCH_MAX_THREADS 1024
#define LAUNCH_MAX_GRID_X 0x7fffffff
#define LAUNCH_MAX_GRID_YZ 0xffff

#define INSTRUCTION_AUX_LIMIT 64 /* aux values of one execution */
#define OPERAND_WIDTH_LIMIT 1024 /* bytes per lane: a fragment of the largest matrix instruction has fewer */

/* Each appends one whole message Trace with just this in it; several in a row make one message, too. Text that is not
 * UTF-8 has its odd bytes replaced by \xNN, for protobuf strings must be UTF-8. */
bool tables_pack_head(struct buffer *, const struct rp_provenance *, struct rp_error *);
bool tables_pack_feature(struct buffer *, enum feature, struct rp_error *);
bool tables_pack_module(struct buffer *, uint32_t id, const struct rp_module *, struct rp_error *);
bool tables_pack_host_operation(struct buffer *, const struct rp_host_operation *, struct rp_error *);
bool tables_pack_kernel(struct buffer *, uint32_t id, const struct rp_kernel *, struct rp_error *);
bool tables_pack_launch(struct buffer *, uint32_t id, const struct rp_launch *, struct rp_error *);
bool tables_pack_launch_end(struct buffer *, uint32_t launch, const struct rp_launch_end *, struct rp_error *);

/* What has been read so far. The arrays hold pointers because they grow; everything lives in the pool. */
struct tables {
    struct pool pool;
    size_t arrays; /* bytes of the arrays, charged to the budget of the pool */
    bool over;     /* there was no room for them */
    bool has_header;
    bool refused; /* the trace needs what this reader does not know: nothing of it may be believed */
    struct rp_provenance provenance;
    struct rp_kernel **kernels;
    struct rp_launch **launches;
    struct rp_launch_end **ends; /* as many as launches; NULL where the end was not reached */
    struct rp_module *modules;
    struct rp_host_operation *operations;
    uint32_t kernel_count, launch_count, kernel_capacity, launch_capacity;
    uint32_t module_count, module_capacity;
    size_t operation_count, operation_capacity;
};
void tables_free(struct tables *);

/* Adds what a frame's content holds, checking it: ids in sequence, enumerations in range, launches of known kernels. */
bool tables_unpack(struct tables *, const uint8_t *data, size_t size, struct rp_error *);

/* Why the kernel or launch cannot stand in a trace; used by writer and reader alike. */
bool tables_check_kernel(const struct rp_kernel *, uint32_t module_count, struct rp_error *);
/* `number`: the launch's own. */
bool tables_check_launch(const struct rp_launch *, uint32_t number, uint32_t kernel_count, struct rp_error *);
bool tables_check_host_operation(const struct rp_host_operation *, struct rp_error *);

#endif
