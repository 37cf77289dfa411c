/* What the entries of a trace mean to a timing model, the same for both engines: which unit an instruction goes to,
 * what space an address is in, where a barrier's parameters are. No time in here. */
#ifndef REPRISE_REPLAY_BASE_TRACE_SEMANTICS_H
#define REPRISE_REPLAY_BASE_TRACE_SEMANTICS_H

#include "hw-models/cache/cache.h"
#include "replay/base/machine.h"
#include "replay/base/statistics.h"
#include "tracefmt/reader.h"

/* Through which part of the machine an access goes. */
enum path { PATH_SHARED, PATH_CACHES, PATH_CONSTANT /* no transactions: the constant cache */ };

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

/* The constant cache's addresses: those of a kernel's constants and parameters; kernels lie 4 GiB apart. All launches
 * of a kernel have the same. */
static inline uint64_t constant_bank(const struct rp_launch *l, unsigned space)
{
    return (uint64_t)l->kernel << 32 | (space == RP_SPACE_PARAM ? UINT64_C(1) << 31 : 0);
}

/* The space that a generic address is in, and its offset there. */
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

/* Timed by the space that it accesses, not by its class: memory instructions, and what only deals with a barrier
 * object.
 */
static inline bool timed_by_space(const struct rp_instruction *in)
{
    return in->unit_class == RP_CLASS_MEMORY || (in->memory_count == 1 && in->memory->kind == RP_ACCESS_OBJECT);
}

/* Local memory lies interleaved in device memory, so that a warp's lanes find the same word of theirs side by side: the
 * 4-byte word w of lane l of the warp in place p is at LOCAL_BASE + ((p × words + w) × 32 + l) × 4, `words` per thread.
 * A place is (SM × sub-cores + sub-core) × 64 + slot. */
#define LOCAL_BASE (1ull << 62)
static inline uint64_t local_words(const struct rp_kernel *k) { return ((uint64_t)k->local_bytes + 15) / 16 * 4; }
static inline uint64_t local_address(uint64_t place, uint64_t words, uint64_t offset, unsigned lane)
{
    return LOCAL_BASE + ((place * words + offset / 4) * RP_WARP_LANES + lane) * 4 + offset % 4;
}

/* Accesses that do not look in L1: those that ask for L2 (.cg, .cv), those that must see what other SMs write
 * (volatile, relaxed and stronger), atomics, and bulk copies. */
static inline bool bypasses_l1(const struct rp_memory_operand *o)
{
    return o->cache_op == RP_CACHE_CG || o->cache_op == RP_CACHE_CV || o->evict_l1 == RP_EVICT_NO_ALLOCATE ||
           o->order != RP_ORDER_WEAK || o->kind == RP_ACCESS_ATOMIC || o->kind == RP_ACCESS_REDUCTION ||
           o->kind == RP_ACCESS_BULK_LOAD || o->kind == RP_ACCESS_BULK_STORE;
}

/* A texel that an operand before it of the same execution names, too, in every lane: it is read once. So a point filter
 * costs one access, although its instruction has as many operands as a linear one. */
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

/* An execution that returns nothing to its warp, and all of whose accesses, at least one, go through the load/store
 * unit: stores, reductions and prefetches outside of shared memory. */
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

/* A fence that orders accesses for its block only. Fences without a scope order them for all. */
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

/* Lanes of an atomic that name one address are served one after the other. For each of its transactions, the most lanes
 * that name the same address; a lane belongs to the transaction with the highest address that is not above its own. */
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

/* Of each transaction: the 32nds of its sector that some lane touches. */
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

/* How long the line of an access is wanted in L1 and in L2 (PTX ISA, "Cache Operators": evict first, last use; "Cache
 * Eviction Priority Hints"). */
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

/* Whether the kernel's code says when its instructions may issue. */
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
/* In place of the barrier at which a warp waits: for the end of a phase of an object, or for its cluster. */
#define AT_OBJECT BLOCK_BARRIERS
#define AT_CLUSTER (BLOCK_BARRIERS + 1)

/* A block barrier at which warps arrive or wait; warp-level ones are no barrier here. */
static inline bool is_block_barrier(const struct rp_instruction *in)
{
    return in->barrier.kind == RP_BARRIER_SYNC || in->barrier.kind == RP_BARRIER_ARRIVE ||
           in->barrier.kind == RP_BARRIER_REDUCE;
}
static inline unsigned barrier_id(const struct rp_step *s)
{
    int32_t id = s->instruction->barrier.id;
    return (id < 0 ? (unsigned)(s->aux & 0xffff) : (unsigned)id) % BLOCK_BARRIERS;
}
/* Threads expected, 0: all of the block. Barriers count whole warps (PTX ISA, "barrier": the count is a multiple of the
 * warp size). */
static inline uint64_t barrier_threads(const struct rp_step *s)
{
    int32_t count = s->instruction->barrier.count;
    uint64_t threads = count < 0 ? s->aux >> 16 : (uint64_t)count;
    return (threads + RP_WARP_LANES - 1) / RP_WARP_LANES * RP_WARP_LANES;
}
static inline bool waits_at_barrier(const struct rp_instruction *in)
{
    return in->barrier.kind == RP_BARRIER_SYNC || in->barrier.kind == RP_BARRIER_REDUCE;
}

/* What a warp's lanes have done at barriers. Where threads are independent, they may come in several parts. Those that
 * wait stand in the recording one after the other, with lanes of their own each: together they are one arrival, at the
 * issue of the last. Those that do not wait (bar.arrive) stand where they are, and add up. Once all lanes that have not
 * exited have arrived, the warp has, as a whole and once. Until then each lane counts as one thread. */
struct arrival {
    rp_lanemask live;       /* have not exited */
    rp_lanemask gathered;   /* by the steps of an arrival that the next step may go on with; 0: there is none */
    uint32_t id;            /* of that arrival */
    rp_lanemask at_cluster; /* have arrived at the barrier of the cluster, which is not complete */
    uint64_t expected;      /* as barrier_threads */
    uint32_t parts;         /* barriers at which some lanes have arrived and others have not: a bit each */
    rp_lanemask part[BLOCK_BARRIERS]; /* the lanes that have */
};
static inline struct arrival arrival_begin(const struct rp_launch *l, unsigned warp)
{
    uint32_t threads = rp_launch_threads(l) - warp * RP_WARP_LANES;
    return (struct arrival){.live = threads < RP_WARP_LANES ? (1u << threads) - 1 : ~0u};
}
/* The warp's lanes are at the barrier of its step, in this part or in one before. True: that may not be all of them,
 * and the next step decides. */
static inline bool arrival_gather(struct arrival *a, const struct rp_step *s)
{
    a->gathered |= s->executed;
    a->id = barrier_id(s);
    a->expected = barrier_threads(s);
    return waits_at_barrier(s->instruction) && a->gathered != a->live;
}
/* The step goes on with what was gathered. */
static inline bool arrival_goes_on(const struct arrival *a, const struct rp_step *s)
{
    return s->executed && !(s->executed & a->gathered) && waits_at_barrier(s->instruction) && barrier_id(s) == a->id;
}
/* Takes the gathered lanes to the barrier. Returns how many threads more have arrived; *whole: the warp has. */
static inline uint64_t arrival_count(struct arrival *a, bool *whole)
{
    rp_lanemask before = a->part[a->id], all = before | a->gathered;
    uint64_t threads = rp_lane_count(before & a->gathered); /* again, without waiting in between */
    *whole = !(a->live & ~all);
    a->part[a->id] = *whole ? 0 : all;
    a->parts = (a->parts & ~(1u << a->id)) | (*whole ? 0 : 1u << a->id);
    a->gathered = 0;
    if (*whole)
        return threads + RP_WARP_LANES - rp_lane_count(before);
    return threads + rp_lane_count(all & ~before);
}
/* At a barrier at which a part had arrived, no other lanes are left: what the warp counts more now. 0: some are. */
static inline uint64_t arrival_left(struct arrival *a, unsigned id)
{
    rp_lanemask part = a->part[id];
    if (a->live & ~part)
        return 0;
    a->part[id] = 0;
    a->parts &= ~(1u << id);
    return RP_WARP_LANES - rp_lane_count(part);
}

/* An exit of all lanes on the path; machines may take it as no instruction of its own (issue_exit). */
static inline bool is_plain_exit(const struct rp_instruction *in)
{
    return (in->flags & RP_EXIT) && !(in->flags & RP_GUARDED);
}

/* Where an instruction stands: kernels lie 4 GiB apart. */
static inline uint64_t code_address(uint32_t kernel, const struct rp_instruction *in)
{
    return ((uint64_t)kernel << 32) + in->pc;
}

#endif
