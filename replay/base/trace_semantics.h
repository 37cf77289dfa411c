/* What the entries of a trace mean to a timing model, the same for both engines: the unit of an instruction, the space
 * of an address, the parameters of a barrier. Nothing here depends on time. */
#ifndef REPRISE_REPLAY_BASE_TRACE_SEMANTICS_H
#define REPRISE_REPLAY_BASE_TRACE_SEMANTICS_H

#include "hw-models/cache/cache.h"
#include "replay/base/machine.h"
#include "replay/base/statistics.h"
#include "tracefmt/reader.h"

/* The part of the machine that serves an access. */
enum path { PATH_SHARED, PATH_CACHES, PATH_CONSTANT /* the constant cache; no transactions */ };

static inline enum path path_of_space(unsigned space)
{
    switch (space) {
    case RP_SPACE_SHARED:
    case RP_SPACE_SHARED_CLUSTER: return PATH_SHARED;
    case RP_SPACE_CONST:
    case RP_SPACE_PARAM: return PATH_CONSTANT;
    default: return PATH_CACHES;
    }
}

/* Base address of a kernel's constants or parameters in the constant cache. Kernels are 4 GiB apart; all launches of a
 * kernel have the same base. */
static inline uint64_t constant_bank(const struct rp_launch *l, unsigned space)
{
    return (uint64_t)l->kernel << 32 | (space == RP_SPACE_PARAM ? UINT64_C(1) << 31 : 0);
}

/* The space that contains a generic address; *offset: the address within it. */
static inline unsigned resolve_generic(const struct rp_launch *l, uint64_t address, uint64_t *offset)
{
    const struct {
        uint64_t base, size;
        unsigned space;
    } windows[] = {
        {l->shared_window, l->shared_window_size, RP_SPACE_SHARED},
        {l->local_window, l->local_window_size, RP_SPACE_LOCAL},
        {l->const_window, l->const_window_size, RP_SPACE_CONST},
        {l->param_window, l->param_window_size, RP_SPACE_PARAM},
    };
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        if (address - windows[i].base < windows[i].size) {
            *offset = address - windows[i].base;
            return windows[i].space;
        }
    *offset = address;
    return RP_SPACE_GLOBAL;
}

/* Whether an instruction is timed by the space that it accesses, not by its class: memory instructions, and those whose
 * only operand is a barrier object. */
static inline bool timed_by_space(const struct rp_instruction *in)
{
    return in->unit_class == RP_CLASS_MEMORY || (in->memory_count == 1 && in->memory->kind == RP_ACCESS_OBJECT);
}

/* Local memory is interleaved in device memory, so that the same word of all lanes of a warp is contiguous. The 4-byte
 * word w of lane l of the warp in warp slot p is at LOCAL_BASE + ((p × words + w) × 32 + l) × 4, with `words` per
 * thread. The warp slot is (SM × sub-cores + sub-core) × 64 + slot in the sub-core. */
#define LOCAL_BASE (1ull << 62)
static inline uint64_t local_words(const struct rp_kernel *k) { return ((uint64_t)k->local_bytes + 15) / 16 * 4; }
static inline uint64_t local_address(uint64_t warp_slot, uint64_t words, uint64_t offset, unsigned lane)
{
    return LOCAL_BASE + ((warp_slot * words + offset / 4) * RP_WARP_LANES + lane) * 4 + offset % 4;
}

/* Strong accesses must see writes of other SMs, which L1 does not: volatile ones, and relaxed and stronger ones of any
 * scope but the block's, whose warps share an L1 (PTX ISA, "Memory Consistency Model", "Scope"). Where sub-cores have
 * L1s of their own, machines of 5.x and 6.x, no assembler writes an access of the block's scope. */
static inline bool sees_other_sms(const struct rp_memory_operand *o)
{
    return o->order != RP_ORDER_WEAK && (o->order == RP_ORDER_VOLATILE || o->scope != RP_SCOPE_CTA);
}

/* Accesses that bypass L1: with a cache operator for L2 (.cg, .cv) or L1::no_allocate, those that see writes of other
 * SMs, atomics, and bulk copies. */
static inline bool bypasses_l1(const struct rp_memory_operand *o)
{
    return o->cache_op == RP_CACHE_CG || o->cache_op == RP_CACHE_CV || o->evict_l1 == RP_EVICT_NO_ALLOCATE ||
           sees_other_sms(o) || o->kind == RP_ACCESS_ATOMIC || o->kind == RP_ACCESS_REDUCTION ||
           o->kind == RP_ACCESS_BULK_LOAD || o->kind == RP_ACCESS_BULK_STORE;
}

/* Whether an earlier operand of the same execution names the same texel in each lane: it is read once. So a point
 * filter costs one access, although its instruction has as many operands as one with a linear filter. */
static inline bool names_texel_again(const struct rp_step *step, uint32_t operand)
{
    const struct rp_dynamic_access *a = &step->accesses[operand];
    if (step->instruction->memory[operand].space != RP_SPACE_TEXTURE)
        return false;
    for (uint32_t i = 0; i < operand; i++)
        if (step->accesses[i].base == a->base && step->accesses[i].pattern == a->pattern)
            return true;
    return false;
}

/* Whether an execution makes a transaction that goes to caches and device memory. */
static inline bool reaches_caches(const struct rp_launch *l, const struct rp_step *step)
{
    const struct rp_instruction *in = step->instruction;
    for (uint32_t i = 0; step->executed && i < in->memory_count; i++) {
        const struct rp_dynamic_access *a = &step->accesses[i];
        uint64_t address[RP_WARP_LANES], offset;
        if (!a->pattern->mask || in->memory[i].space == RP_SPACE_NONE)
            continue;
        if (in->memory[i].space != RP_SPACE_GENERIC) {
            if (path_of_space(in->memory[i].space) == PATH_CACHES)
                return true;
            continue;
        }
        rp_access_addresses(a, address);
        for (rp_lanemask m = a->pattern->mask; m; m &= m - 1)
            if (path_of_space(resolve_generic(l, address[__builtin_ctz(m)], &offset)) == PATH_CACHES)
                return true;
    }
    return false;
}

/* Whether an execution is posted: it returns nothing to its warp, has at least one access, and all of them go to caches
 * or device memory. These are stores, reductions and prefetches outside of shared memory. */
static inline bool is_posted(const struct rp_launch *l, const struct rp_step *step)
{
    const struct rp_instruction *in = step->instruction;
    bool any = false;
    for (uint32_t i = 0; step->executed && i < in->memory_count; i++) {
        const struct rp_dynamic_access *a = &step->accesses[i];
        uint64_t address[RP_WARP_LANES], offset;
        if (!a->pattern->mask || in->memory[i].space == RP_SPACE_NONE)
            continue;
        if (in->memory[i].kind == RP_ACCESS_LOAD || in->memory[i].kind == RP_ACCESS_ATOMIC)
            return false;
        any = true;
        if (in->memory[i].space != RP_SPACE_GENERIC) {
            if (path_of_space(in->memory[i].space) != PATH_CACHES)
                return false;
            continue;
        }
        rp_access_addresses(a, address);
        for (rp_lanemask m = a->pattern->mask; m; m &= m - 1)
            if (path_of_space(resolve_generic(l, address[__builtin_ctz(m)], &offset)) != PATH_CACHES)
                return false;
    }
    return any;
}

/* Whether a fence orders accesses for its block only. A fence without a scope orders them for all threads. */
static inline bool is_block_fence(const struct machine *m, const struct rp_instruction *in)
{
    return m->fences == FENCES_BY_SCOPE && in->unit_class == RP_CLASS_FENCE && in->fence_scope == RP_SCOPE_CTA;
}

static inline enum cache_kind cache_kind_of(const struct rp_memory_operand *o)
{
    switch (o->kind) {
    case RP_ACCESS_STORE:
    case RP_ACCESS_BULK_STORE: return CACHE_WRITE;
    case RP_ACCESS_ATOMIC:
    case RP_ACCESS_REDUCTION: return CACHE_ATOMIC;
    case RP_ACCESS_OBJECT: return o->object == RP_OBJECT_TEST ? CACHE_READ : CACHE_ATOMIC;
    default: return CACHE_READ;
    }
}

static inline bool is_atomic(const struct rp_memory_operand *o)
{
    return o->kind == RP_ACCESS_ATOMIC || o->kind == RP_ACCESS_REDUCTION;
}

/* Lanes of an atomic with the same address are served one after the other. Writes for each transaction the largest
 * number of lanes with the same address. A lane belongs to the transaction with the highest address that is not above
 * its own. */
static inline void atomic_repeats(rp_lanemask mask, const uint64_t address[RP_WARP_LANES], const uint64_t *transaction,
                                  uint32_t count, uint8_t *repeats)
{
    for (uint32_t t = 0; t < count; t++)
        repeats[t] = 1;
    for (rp_lanemask left = mask; left;) {
        uint64_t named = address[__builtin_ctz(left)];
        uint32_t of = 0;
        uint8_t lanes = 0;
        for (rp_lanemask m = left; m; m &= m - 1)
            if (address[__builtin_ctz(m)] == named) {
                left &= ~(m & -m);
                lanes++;
            }
        for (uint32_t t = 1; t < count; t++)
            if (transaction[t] <= named && (transaction[of] > named || transaction[t] > transaction[of]))
                of = t;
        repeats[of] = lanes > repeats[of] ? lanes : repeats[of];
    }
}

/* Writes for each transaction the 32nds of its sector that some lane accesses, a bit each. */
static inline void touched_bytes(rp_lanemask mask, const uint64_t address[RP_WARP_LANES], uint64_t width,
                                 uint64_t sector, const uint64_t *transaction, uint32_t count, uint32_t *bytes)
{
    for (uint32_t t = 0; t < count; t++)
        bytes[t] = 0;
    for (rp_lanemask m = mask; m; m &= m - 1) {
        uint64_t from = address[__builtin_ctz(m)], to = from + (width ? width : 1);
        for (uint32_t t = 0; t < count; t++) {
            uint64_t start = transaction[t] & -sector, end = start + sector;
            if (to <= start || from >= end)
                continue;
            uint64_t first = from > start ? (from - start) * 32 / sector : 0;
            uint64_t last = to < end ? (to - start) * 32 / sector + ((to - start) * 32 % sector != 0) : 32;
            bytes[t] |= (uint32_t)((1ull << last) - (1ull << first));
        }
    }
}

static inline enum cache_hint hint_of_eviction(unsigned eviction)
{
    return eviction == RP_EVICT_FIRST       ? CACHE_HINT_FIRST
           : eviction == RP_EVICT_LAST      ? CACHE_HINT_LAST
           : eviction == RP_EVICT_UNCHANGED ? CACHE_HINT_SAME
                                            : CACHE_HINT_NONE;
}

/* The eviction hints of an access for L1 and L2 (PTX ISA, "Cache Operators": evict first, last use; "Cache Eviction
 * Priority Hints"). */
static inline uint8_t hints_of(const struct rp_memory_operand *o)
{
    bool once = o->cache_op == RP_CACHE_CS || o->cache_op == RP_CACHE_LU;
    return once ? CACHE_HINTS(CACHE_HINT_FIRST, CACHE_HINT_FIRST)
                : CACHE_HINTS(hint_of_eviction(o->evict_l1), hint_of_eviction(o->evict_l2));
}

static inline uint64_t *shared_counter(struct statistics *s, const struct rp_memory_operand *o)
{
    enum cache_kind kind = cache_kind_of(o);
    return kind == CACHE_READ    ? &s->shared_load_transactions
           : kind == CACHE_WRITE ? &s->shared_store_transactions
                                 : &s->shared_atomic_transactions;
}

static inline uint64_t *global_counter(struct statistics *s, const struct rp_memory_operand *o)
{
    enum cache_kind kind = cache_kind_of(o);
    return kind == CACHE_READ    ? &s->global_load_transactions
           : kind == CACHE_WRITE ? &s->global_store_transactions
                                 : &s->global_atomic_transactions;
}

/* Whether the code of the kernel has control words, which decide when its instructions may issue. */
static inline bool has_control_words(const struct rp_kernel *k)
{
    for (uint32_t i = 0; i < k->instruction_count; i++)
        if (k->instructions[i].control)
            return true;
    return false;
}
static inline bool obeys_control_words(const struct machine *m, const struct rp_kernel *k)
{
    return m->dependencies == DEPENDENCIES_CONTROL_WORDS && has_control_words(k);
}

#define BLOCK_BARRIERS 16
/* Instead of the number of the barrier at which a warp waits: it waits for a phase of a barrier object, or at the
 * barrier of its cluster. */
#define AT_OBJECT BLOCK_BARRIERS
#define AT_CLUSTER (BLOCK_BARRIERS + 1)

/* Whether it is a named barrier of the block, or the launch's, which is one of each block too; warp-level barriers are
 * not. */
static inline bool is_block_barrier(const struct rp_instruction *in)
{
    return in->barrier.kind == RP_BARRIER_SYNC || in->barrier.kind == RP_BARRIER_ARRIVE ||
           in->barrier.kind == RP_BARRIER_REDUCE || in->barrier.kind == RP_BARRIER_LAUNCH;
}
/* The number of the launch's barrier in each block. */
#define LAUNCH_BARRIER 0
static inline unsigned barrier_id(const struct rp_step *s)
{
    int32_t id = s->instruction->barrier.id;
    return (id < 0 ? (unsigned)(s->aux & 0xffff) : (unsigned)id) % BLOCK_BARRIERS;
}
/* Threads that the barrier expects; 0: all of the block. Barriers count whole warps (PTX ISA, "barrier": the count is a
 * multiple of the warp size). */
static inline uint64_t barrier_threads(const struct rp_step *s)
{
    int32_t count = s->instruction->barrier.count;
    uint64_t threads = count < 0 ? s->aux >> 16 : (uint64_t)count;
    return (threads + RP_WARP_LANES - 1) / RP_WARP_LANES * RP_WARP_LANES;
}
static inline bool waits_at_barrier(const struct rp_instruction *in)
{
    return in->barrier.kind == RP_BARRIER_SYNC || in->barrier.kind == RP_BARRIER_REDUCE ||
           in->barrier.kind == RP_BARRIER_LAUNCH;
}

/* The arrivals of a warp's lanes at barriers. Where threads are independent, the lanes may arrive in several parts.
 * Parts that wait are consecutive steps of the trace with disjoint lanes: together they are one arrival, at the issue
 * of the last step. Parts that do not wait (bar.arrive) may be anywhere, and add up. Once all live lanes have arrived,
 * the warp counts as a whole, once. Until then each lane counts as one thread. */
struct arrival {
    rp_lanemask live;       /* lanes that have not exited */
    rp_lanemask gathered;   /* lanes of the steps so far of an arrival that the next step may continue; 0: none */
    uint32_t id;            /* the barrier of that arrival */
    bool at_launch;         /* which is the launch's */
    rp_lanemask at_cluster; /* lanes that have arrived at the cluster's barrier, which is not complete */
    uint64_t expected;      /* as of barrier_threads */
    uint32_t parts;         /* barriers at which only some of the lanes have arrived: a bit each */
    rp_lanemask part[BLOCK_BARRIERS]; /* the lanes that have arrived there */
};
static inline struct arrival arrival_begin(const struct rp_launch *l, unsigned warp)
{
    uint32_t threads = rp_launch_threads(l) - warp * RP_WARP_LANES;
    return (struct arrival){.live = threads < RP_WARP_LANES ? (1u << threads) - 1 : ~0u};
}
/* Gathers the step's lanes. True: others may follow, so the next step decides whether the arrival is complete. */
static inline bool arrival_gather(struct arrival *a, const struct rp_step *s)
{
    a->gathered |= s->executed;
    a->id = barrier_id(s);
    a->at_launch = s->instruction->barrier.kind == RP_BARRIER_LAUNCH;
    a->expected = barrier_threads(s);
    return waits_at_barrier(s->instruction) && a->gathered != a->live;
}
/* Whether the step continues the arrival that is being gathered. */
static inline bool arrival_goes_on(const struct arrival *a, const struct rp_step *s)
{
    return s->executed && !(s->executed & a->gathered) && waits_at_barrier(s->instruction) && barrier_id(s) == a->id;
}
/* The gathered lanes arrive. Returns the number of threads by which the barrier's count grows; *whole: the whole warp
 * has arrived. */
static inline uint64_t arrival_count(struct arrival *a, bool *whole)
{
    rp_lanemask before = a->part[a->id], all = before | a->gathered;
    uint64_t threads = rp_lane_count(before & a->gathered); /* lanes that arrive again without having waited */
    *whole = !(a->live & ~all);
    a->part[a->id] = *whole ? 0 : all;
    a->parts = (a->parts & ~(1u << a->id)) | (*whole ? 0 : 1u << a->id);
    a->gathered = 0;
    if (*whole)
        return threads + RP_WARP_LANES - rp_lane_count(before);
    return threads + rp_lane_count(all & ~before);
}
/* After lanes exited: if the lanes that arrived at barrier `id` are all that live, the warp has arrived as a whole.
 * Returns the number of threads by which the count grows; 0: other lanes live. */
static inline uint64_t arrival_left(struct arrival *a, unsigned id)
{
    rp_lanemask part = a->part[id];
    if (a->live & ~part)
        return 0;
    a->part[id] = 0;
    a->parts &= ~(1u << id);
    return RP_WARP_LANES - rp_lane_count(part);
}

/* An exit of all active lanes. Option issue_exit says whether a machine issues it as an instruction. */
static inline bool is_plain_exit(const struct rp_instruction *in)
{
    return (in->flags & RP_EXIT) && !(in->flags & RP_GUARDED);
}

/* The address of an instruction in the instruction cache: kernels are 4 GiB apart. */
static inline uint64_t code_address(uint32_t kernel, const struct rp_instruction *in)
{
    return ((uint64_t)kernel << 32) + in->pc;
}

#endif
