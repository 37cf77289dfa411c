/* Checks of the static tables. The writer refuses what the reader would refuse. */
#include <inttypes.h>

#include "tracefmt/tables.h"

static bool bad(struct rp_error *err, const struct rp_kernel *k, uint32_t i, const char *what, uint64_t value)
{
    return rp_fail(err, RP_BAD_INPUT, "kernel '%s', instruction %" PRIu32 ": %s (%" PRIu64 ")", k->name, i, what,
                   value);
}

static bool check_operand(const struct rp_kernel *k, uint32_t i, const struct rp_memory_operand *m,
                          struct rp_error *err)
{
    if (m->space >= RP_SPACE_COUNT)
        return bad(err, k, i, "unknown memory space", m->space);
    if (m->kind >= RP_ACCESS_KIND_COUNT)
        return bad(err, k, i, "unknown kind of access", m->kind);
    if (m->scope > RP_SCOPE_SYSTEM)
        return bad(err, k, i, "unknown memory scope", m->scope);
    if (m->order > RP_ORDER_MMIO)
        return bad(err, k, i, "unknown memory order", m->order);
    if (m->cache_op > RP_CACHE_NC)
        return bad(err, k, i, "unknown cache operator", m->cache_op);
    if (m->evict_l1 > RP_EVICT_NO_ALLOCATE)
        return bad(err, k, i, "unknown eviction priority in L1", m->evict_l1);
    if (m->evict_l2 > RP_EVICT_UNCHANGED)
        return bad(err, k, i, "unknown eviction priority in L2", m->evict_l2);
    if (m->atomic > RP_ATOMIC_CAS)
        return bad(err, k, i, "unknown atomic operation", m->atomic);
    if (m->value > RP_VALUE_FLOAT)
        return bad(err, k, i, "unknown value type", m->value);
    if (m->width > OPERAND_WIDTH_LIMIT)
        return bad(err, k, i, "more bytes per lane than an operand may have", m->width);
    return true;
}

static bool check_registers(const struct rp_kernel *k, uint32_t i, const rp_register *list, uint32_t count,
                            struct rp_error *err)
{
    for (uint32_t r = 0; r < count; r++)
        if (rp_register_file(list[r]) >= RP_FILE_COUNT)
            return bad(err, k, i, "unknown register file", rp_register_file(list[r]));
    return true;
}

/* If operands have aux values, all aux values of the instruction belong to operands. */
static bool check_aux(const struct rp_kernel *k, uint32_t i, struct rp_error *err)
{
    const struct rp_instruction *in = &k->instructions[i];
    if (in->aux_count > INSTRUCTION_AUX_LIMIT || (in->aux_count && !(in->flags & RP_HAS_AUX)))
        return bad(err, k, i, "aux values where none belong, or too many", in->aux_count);
    uint64_t wanted = 0;
    for (uint32_t m = 0; m < in->memory_count; m++)
        wanted += rp_operand_aux_count(&in->memory[m]);
    if (wanted && wanted != rp_aux_count(in))
        return bad(err, k, i, "its operands have other aux values than it tells", wanted);
    return true;
}

static bool check_instruction(const struct rp_kernel *k, uint32_t i, struct rp_error *err)
{
    const struct rp_instruction *in = &k->instructions[i];
    if (in->unit_class >= RP_CLASS_COUNT)
        return bad(err, k, i, "unknown class; a newer Reprise may know it", in->unit_class);
    if (in->flags & RP_GUARDED && rp_register_file(in->guard) >= RP_FILE_COUNT)
        return bad(err, k, i, "unknown register file of the guard", rp_register_file(in->guard));
    if (in->barrier.kind >= RP_BARRIER_KIND_COUNT)
        return bad(err, k, i, "unknown kind of barrier", in->barrier.kind);
    if (in->barrier.id < -1 || in->barrier.id > 15)
        return bad(err, k, i, "barrier id out of range", (uint64_t)(int64_t)in->barrier.id);
    if (in->barrier.count < -1 || in->barrier.count > LAUNCH_MAX_THREADS)
        return bad(err, k, i, "barrier thread count out of range", (uint64_t)(int64_t)in->barrier.count);
    if (in->barrier.kind == RP_BARRIER_LAUNCH && (in->barrier.id || in->barrier.count))
        return bad(err, k, i, "the barrier of a launch has an id or a count", (uint64_t)(int64_t)in->barrier.id);
    if (in->fence_scope > RP_SCOPE_SYSTEM)
        return bad(err, k, i, "unknown fence scope", in->fence_scope);
    if (in->async.kind > RP_ASYNC_TENSOR)
        return bad(err, k, i, "unknown kind of asynchronous work", in->async.kind);
    if (in->async.role > RP_ASYNC_WAIT_ALL)
        return bad(err, k, i, "unknown role in asynchronous work", in->async.role);
    if (in->line && in->file >= k->file_count)
        return bad(err, k, i, "unknown source file", in->file);
    if (in->inlined > k->inlined_count)
        return bad(err, k, i, "unknown inlined call", in->inlined);
    for (uint32_t m = 0; m < in->memory_count; m++)
        if (!check_operand(k, i, &in->memory[m], err))
            return false;
    if (!check_aux(k, i, err))
        return false;
    return check_registers(k, i, in->dst, in->dst_count, err) && check_registers(k, i, in->src, in->src_count, err);
}

static bool check_inlined(const struct rp_kernel *k, struct rp_error *err)
{
    for (uint32_t i = 0; i < k->inlined_count; i++) {
        const struct rp_inlined_call *c = &k->inlined[i];
        if (c->line && c->file >= k->file_count)
            return rp_fail(err, RP_BAD_INPUT,
                           "kernel '%s', inlined call %" PRIu32 ": unknown source file (%" PRIu32 ")", k->name, i,
                           c->file);
        if (c->inlined > i)
            return rp_fail(err, RP_BAD_INPUT,
                           "kernel '%s', inlined call %" PRIu32 ": it is in the body of call %" PRIu32
                           ", which is not before it",
                           k->name, i, c->inlined - 1);
    }
    return true;
}

bool tables_check_kernel(const struct rp_kernel *k, uint32_t module_count, struct rp_error *err)
{
    if (k->module > module_count)
        return rp_fail(err, RP_BAD_INPUT, "kernel '%s' belongs to module %" PRIu32 ", which is not in the trace",
                       k->name, k->module - 1);
    if (!k->instruction_count)
        return rp_fail(err, RP_BAD_INPUT, "kernel '%s' has no instructions", k->name);
    for (uint32_t i = 0; i < k->instruction_count; i++)
        if (!check_instruction(k, i, err))
            return false;
    return check_inlined(k, err);
}

static bool check_cluster(const struct rp_launch *l, uint32_t number, struct rp_error *err)
{
    uint64_t blocks = 1;
    if (!l->cluster[0] && !l->cluster[1] && !l->cluster[2])
        return true;
    for (int i = 0; i < 3; i++) {
        blocks *= l->cluster[i] <= RP_CLUSTER_MOST ? l->cluster[i] : RP_CLUSTER_MOST + 1;
        if (!l->cluster[i] || l->grid[i] % l->cluster[i] || blocks > RP_CLUSTER_MOST)
            return rp_fail(err, RP_BAD_INPUT, "launch %" PRIu32 " has clusters of %" PRIu32 " blocks in %c", number,
                           l->cluster[i], "xyz"[i]);
    }
    uint64_t room = UINT64_MAX - l->cluster_shared;
    return blocks == 1 || (l->cluster_step && l->cluster_step <= room / blocks) ||
           rp_fail(err, RP_BAD_INPUT, "launch %" PRIu32 " does not tell where the shared memory of clusters is",
                   number);
}

static bool check_dependencies(const struct rp_launch *l, uint32_t number, struct rp_error *err)
{
    if (l->parent > number)
        return rp_fail(err, RP_BAD_INPUT,
                       "launch %" PRIu32 " is a child of launch %" PRIu32 ", which is no earlier one", number,
                       l->parent - 1);
    for (uint32_t i = 0; i < l->dependency_count; i++)
        if (l->dependencies[i] >= number || (i && l->dependencies[i] <= l->dependencies[i - 1]))
            return rp_fail(err, RP_BAD_INPUT,
                           "launch %" PRIu32 " depends on launch %" PRIu32 ": dependencies ascend and are earlier",
                           number, l->dependencies[i]);
    return true;
}

bool tables_check_launch(const struct rp_launch *l, uint32_t number, uint32_t kernel_count, struct rp_error *err)
{
    if (l->kernel >= kernel_count)
        return rp_fail(err, RP_BAD_INPUT, "launch of kernel %" PRIu32 ", which is not in the trace", l->kernel);
    if (l->device >= RP_DEVICES_MOST)
        return rp_fail(err, RP_BAD_INPUT, "launch %" PRIu32 " is of device %" PRIu32 "; there are at most %d", number,
                       l->device, RP_DEVICES_MOST);
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t limit = i ? LAUNCH_MAX_GRID_YZ : LAUNCH_MAX_GRID_X;
        if (!l->grid[i] || l->grid[i] > limit || !l->block[i] || l->block[i] > LAUNCH_MAX_THREADS)
            return rp_fail(err, RP_BAD_INPUT, "launch with a grid of %" PRIu32 " and a block of %" PRIu32 " in %c",
                           l->grid[i], l->block[i], "xyz"[i]);
        threads *= l->block[i];
    }
    if (threads > LAUNCH_MAX_THREADS)
        return rp_fail(err, RP_BAD_INPUT, "launch with %" PRIu64 " threads per block, the limit is %d", threads,
                       LAUNCH_MAX_THREADS);
    return check_cluster(l, number, err) && check_dependencies(l, number, err);
}

bool tables_check_host_operation(const struct rp_host_operation *o, struct rp_error *err)
{
    if (o->kind >= RP_HOST_KIND_COUNT)
        return rp_fail(err, RP_BAD_INPUT, "unknown kind of host operation (%d); a newer Reprise may know it", o->kind);
    if (o->direction > RP_COPY_ON_HOST || (o->direction && o->kind != RP_HOST_COPY))
        return rp_fail(err, RP_BAD_INPUT, "a host operation has the direction %d", o->direction);
    if (o->waits > RP_WAITS_NOT || (o->waits && o->kind != RP_HOST_COPY && o->kind != RP_HOST_SET))
        return rp_fail(err, RP_BAD_INPUT, "a host operation (%s) is waited for in the way %d",
                       rp_host_kind_name((enum rp_host_kind)o->kind), o->waits);
    if ((o->managed && o->kind != RP_HOST_ALLOCATE) || (o->non_blocking && o->kind != RP_HOST_CREATE_STREAM))
        return rp_fail(err, RP_BAD_INPUT, "a host operation (%s) is said to be %s",
                       rp_host_kind_name((enum rp_host_kind)o->kind), o->managed ? "managed" : "non-blocking");
    if (o->device >= RP_DEVICES_MOST || o->to >= RP_DEVICES_MOST || o->from >= RP_DEVICES_MOST)
        return rp_fail(err, RP_BAD_INPUT, "a host operation (%s) is of a device above %d",
                       rp_host_kind_name((enum rp_host_kind)o->kind), RP_DEVICES_MOST - 1);
    if ((o->to || o->from) && o->kind != RP_HOST_COPY)
        return rp_fail(err, RP_BAD_INPUT, "a host operation (%s) is said to go from a device to another",
                       rp_host_kind_name((enum rp_host_kind)o->kind));
    if (o->kind == RP_HOST_CREATE_STREAM && !o->stream)
        return rp_fail(err, RP_BAD_INPUT, "a host operation creates stream 0, the default stream");
    if (o->size > UINT64_MAX - o->address || o->size > UINT64_MAX - o->source)
        return rp_fail(err, RP_BAD_INPUT, "a host operation goes past the end of the address space");
    return true;
}
