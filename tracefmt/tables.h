/* The static tables as protobuf messages: everything in a trace except chunks and the index. */
#ifndef REPRISE_TRACEFMT_TABLES_H
#define REPRISE_TRACEFMT_TABLES_H

#include "tracefmt/buffer.h"
#include "tracefmt/error.h"
#include "tracefmt/features.h"
#include "tracefmt/pool.h"
#include "tracefmt/trace.h"

/* Limits of a launch (CUDA C Programming Guide, "Compute Capabilities"): the same for all capabilities so far. */
#define LAUNCH_MAX_THREADS 1024
#define LAUNCH_MAX_GRID_X 0x7fffffff
#define LAUNCH_MAX_GRID_YZ 0xffff

#define INSTRUCTION_AUX_LIMIT 64 /* aux values of one execution */
#define OPERAND_WIDTH_LIMIT 1024 /* bytes per lane: fragments of the largest matrix instruction take less */

/* Each function appends one whole message Trace with just this in it; several in a row make one message, too. Bytes
 * that are not UTF-8 become \xNN, because protobuf strings must be UTF-8. */
bool tables_pack_head(struct buffer *, const struct rp_provenance *, struct rp_error *);
bool tables_pack_feature(struct buffer *, enum feature, struct rp_error *);
bool tables_pack_module(struct buffer *, uint32_t id, const struct rp_module *, struct rp_error *);
bool tables_pack_host_operation(struct buffer *, const struct rp_host_operation *, struct rp_error *);
bool tables_pack_kernel(struct buffer *, uint32_t id, const struct rp_kernel *, struct rp_error *);
bool tables_pack_launch(struct buffer *, uint32_t id, const struct rp_launch *, struct rp_error *);
bool tables_pack_launch_end(struct buffer *, uint32_t launch, const struct rp_launch_end *, struct rp_error *);

/* What has been read so far. The arrays hold pointers because they grow; the elements live in the pool. */
struct tables {
    struct pool pool;
    size_t arrays; /* bytes of the arrays, charged to the pool's budget */
    bool over;     /* the budget had no room */
    bool has_header;
    bool refused; /* the trace requires a feature that this reader does not know: nothing in it may be used */
    struct rp_provenance provenance;
    struct rp_kernel **kernels;
    struct rp_launch **launches;
    struct rp_launch_end **ends; /* one per launch; NULL: its end was not reached */
    struct rp_module *modules;
    struct rp_host_operation *operations;
    uint32_t kernel_count, launch_count, kernel_capacity, launch_capacity;
    uint32_t module_count, module_capacity;
    size_t operation_count, operation_capacity;
};
void tables_free(struct tables *);

/* Adds the tables of a frame, checked: ids in sequence, enumerations in range, launches of known kernels. */
bool tables_unpack(struct tables *, const uint8_t *data, size_t size, struct rp_error *);

/* Checks whether a trace may contain the kernel or launch; writer and reader use the same rules. */
bool tables_check_kernel(const struct rp_kernel *, uint32_t module_count, struct rp_error *);
/* `number`: the index of this launch. */
bool tables_check_launch(const struct rp_launch *, uint32_t number, uint32_t kernel_count, struct rp_error *);
bool tables_check_host_operation(const struct rp_host_operation *, struct rp_error *);

#endif
