/* The memory system below a machine's load/store units, the same for both engines: instruction caches, L1s, a port for
 * each SM, L2 in slices, device memory in channels. It knows nothing of warps, registers or instructions.
 *
 *     SM 0:  LSU -> L1 -> port --.                             one struct sm_memory per SM; its pointers
 *     SM 1:  LSU -> L1 -> port --+--> L2 slices -> channels    lead outside only to constant data
 *     ...                        '    the chip: struct memory_system
 *
 * An access is all that one instruction requests of caches and device memory. The engine begins it in the cycle of
 * issue, adds its transactions in their order, and commits it. Then either its end is known, or it is pending:
 * sm_memory_completed() returns its token later, with the cycle of its end, which may still lie in the future. A
 * component reports an end as soon as it is known. An engine needs to know it only in the first cycle in which
 * something can depend on it.
 *
 * Queues. An SM's LSU takes accesses in the order of issue, each no earlier than its arrival, and their transactions
 * one after the other. (In an immediate memory system nothing waits.) Each transaction goes to its L1, or bypasses L1
 * to the port. Misses of L1 leave through the port in the order in which the LSU took them. A full queue refuses
 * requests: the sender keeps the request, all requests behind it wait, and a credit comes back when there is room. An
 * entry that becomes free in cycle c can be taken from c + 1 on. Replies are never refused, so there is no deadlock.
 *
 * Order. Requests that reach the chip in one cycle are served in the order of (SM, sequence), where sequence counts the
 * requests that left that SM. Neither host addresses nor host threads have an influence.
 *
 * Time. Cycles are counted from the beginning of the launch; the internal clock continues from launch to launch. In
 * each cycle c: sm_memory_advance(c) of all SMs, in any order or concurrently; memory_system_advance(c); again
 * sm_memory_advance(c) of the SMs for which sm_memory_replied() is true; then instructions issue, and their accesses
 * arrive at c + 1 or later. Cycles before the minimum of the values that the advances returned may be skipped. For
 * memory_system_lookahead() cycles SMs cannot affect each other: each may run cycles t .. t + lookahead - 1 by itself
 * (advance, issue), if memory_system_advance(t + lookahead - 1) follows before any continues. An SM with no request in
 * flight may run further, up to sm_memory_horizon(); then the chip is advanced to the cycle that all SMs have reached.
 */
#ifndef REPRISE_REPLAY_MEMORY_SYSTEM_H
#define REPRISE_REPLAY_MEMORY_SYSTEM_H

#include "hw-models/cache/cache.h"
#include "replay/base/machine.h"
#include "replay/base/response.h"
#include "replay/base/statistics.h"
#include "tracefmt/trace.h"

#define MEMORY_NEVER UINT64_MAX
#define MEMORY_PENDING UINT64_MAX

struct memory_system;
struct observer; /* replay/base/observer.h */
struct sm_memory;

/* NULL: out of memory. Serves any number of launches, one after the other. Without short cuts each step is simulated in
 * its cycle; with them, outcomes that are known in advance are computed analytically. Results are the same. */
struct memory_system *memory_system_new(const struct machine *, bool short_cuts, struct rp_error *);
void memory_system_free(struct memory_system *);
/* Resets it as memory_system_new() made it: caches are empty, the clock begins at 0. */
bool memory_system_clear(struct memory_system *, struct rp_error *);
/* Sets the size of L1s to so many bytes (replay/base/carveout.h). L1s of another size before are empty afterwards. Call
 * it between launches. */
bool memory_system_divide_l1(struct memory_system *, int64_t bytes, struct rp_error *);
/* Fills L2 with these bytes in ascending order, as if the host had just copied them through it. Call it before the
 * first access. */
void memory_system_warm_bytes(struct memory_system *, uint64_t address, uint64_t size);
/* Returns the bytes of a line of L2; *lines: the number of lines in all slices. */
uint64_t memory_system_l2_line(const struct memory_system *, uint64_t *lines);
/* The bytes of a sector of L2; 0: it keeps nothing. */
uint64_t memory_system_l2_sector(const struct memory_system *);
/* L2 sees requests whose sectors were there long ago: nothing is counted and nothing takes time; lines that are
 * replaced are forgotten. */
struct memory_touch {
    uint64_t address; /* of a sector */
    uint8_t kind;     /* enum cache_kind */
    uint8_t hint;     /* CACHE_HINTS */
};
struct memory_touches {
    struct memory_touch *list;
    size_t count;
};
/* Between launches. */
void memory_system_touch(struct memory_system *, const struct memory_touches *);
/* While SMs run, from the thread that assigns blocks: each slice sees them behind the requests that arrive from SMs
 * before this cycle of the launch, and before the others. The cycle is later than the present one by
 * memory_system_request_latency(), at least by 1, and not before that of an earlier call. The touches must last until
 * the launch has ended. At most MEMORY_MOST_TOUCHES calls in a launch. */
#define MEMORY_MOST_TOUCHES 64
void memory_system_touch_at(struct memory_system *, const struct memory_touches *, uint64_t cycle);
/* Ends the launch after so many cycles; none of its accesses is pending. Requests in flight complete, counts are added
 * to the statistics and reset, and cycle 0 of the next launch is cycle `cycles` of this one. False: out of memory
 * during the launch, so its results are invalid. Call it also for a launch that failed or is stuck. */
bool memory_system_end_launch(struct memory_system *, uint64_t cycles, struct statistics *, struct rp_error *);
/* Adds what the model of each channel has counted in the launches that ended to to[channel × its counters + counter],
 * and resets it. */
void memory_system_move_counters(struct memory_system *, uint64_t *to);
/* Reports accesses and DRAM commands of the launches to come to the observer, on whose clock cycle 0 of the next launch
 * is `now`. NULL: to nobody, as at first and after memory_system_clear(). Call it between launches. */
void memory_system_observe(struct memory_system *, const struct observer *, uint64_t now);
/* Whether memory for requests ran out: their accesses never complete. Check it when nothing is left to do. */
bool memory_system_failed(const struct memory_system *);

/* Cycles that SMs may run before the chip is advanced: see above. 0: the chip must be advanced in each cycle.
 * MEMORY_NEVER: SMs share nothing (an immediate hierarchy). */
uint64_t memory_system_lookahead(const struct memory_system *);
/* Whether the end of each access is known at its commit and depends on the access alone: no cache keeps data, nothing
 * is ever busy or full. An access ends memory_system_delay() cycles after its transactions arrive. */
bool memory_system_is_immediate(const struct memory_system *);
uint64_t memory_system_delay(const struct memory_system *);
/* Whether the LSU orders the accesses of all threads of an SM, as there is at most one L1 below it. Then an access is
 * performed, for threads of the SM, once the LSU has passed on its transactions: those of later accesses follow them.
 */
bool memory_system_orders_blocks(const struct memory_system *);
/* Bytes of a sector if some cache needs to know which of them a write covers; else 0. */
uint64_t memory_system_sector(const struct memory_system *);
/* Whether SMs must be advanced in the cycles that sm_memory_advance() returns and at the arrival of each access; else
 * only when sm_memory_replied() is true. */
bool memory_system_is_stepped(const struct memory_system *);

/* ---- one SM ------------------------------------------------------------------------------------------------------ */

/* Functions of an SM access its own state only: those of different SMs may run on different threads. */
struct sm_memory *memory_system_sm(struct memory_system *, unsigned sm);

/* Fetches the instruction at `address` for a sub-core in `cycle`. Returns the cycle from which it may issue. */
uint64_t sm_memory_fetch(struct sm_memory *, unsigned subcore, uint64_t address, uint64_t cycle);
/* Lanes load constants or parameters at these addresses of the bank, from `cycle` on. Returns the cycle in which all
 * words are there. Each different address is looked up once, in the order of lanes. Call it in the order of issue. */
uint64_t sm_memory_constants(struct sm_memory *, uint64_t bank, rp_lanemask, const uint64_t address[RP_WARP_LANES],
                             uint64_t cycle);
/* Sets the number of kernel 0 of the next trace, for caches that keep their content from trace to trace. */
void memory_system_count_kernels(struct memory_system *, uint32_t first);

/* Whether the LSU takes another access now. If not, it has room again after some sm_memory_advance(). If
 * memory_system_may_refuse() is false, the queue of the LSU is unbounded and always has room. */
bool sm_memory_accepts(const struct sm_memory *);
bool memory_system_may_refuse(const struct memory_system *);

/* Begins an access by this sub-core. Its transactions arrive at the LSU in cycle `arrival`, after the present one.
 * sm_memory_accepts() is true. `token`: the engine's name for the access. `group`: one of MEMORY_GROUPS, for
 * sm_memory_away(). */
#define MEMORY_GROUPS 64
void sm_memory_begin(struct sm_memory *, unsigned subcore, uint64_t arrival, uint32_t token, unsigned group);
/* The current access arrives later by these cycles. Once it has transactions this has no effect. */
void sm_memory_wait(struct sm_memory *, uint64_t cycles);
struct memory_transaction {
    uint64_t address;
    uint8_t kind;    /* enum cache_kind */
    bool bypass_l1;  /* bypasses L1 */
    uint8_t repeats; /* of an atomic: the largest number of lanes with the same address, at least 1 */
    uint8_t hint;    /* CACHE_HINTS */
    uint32_t bytes;  /* of a write: the 32nds of its sector that it covers, a bit each */
};
void sm_memory_add(struct sm_memory *, const struct memory_transaction *);
/* Several transactions, in this order, that differ in address, repeats and bytes only. */
struct memory_transactions {
    uint64_t base;
    const int64_t *offset;  /* [count] from base */
    const uint8_t *repeats; /* [count]; NULL: 1 each */
    const uint32_t *bytes;  /* [count]; NULL: all */
    uint32_t count;
    uint8_t kind; /* enum cache_kind */
    uint8_t hint; /* CACHE_HINTS */
    bool bypass_l1;
};
void sm_memory_add_all(struct sm_memory *, const struct memory_transactions *);
/* Returns the cycle of the last response to the access, or MEMORY_PENDING. Without a transaction: its arrival. *level
 * is set if the cycle is known: the level of the last response, the deepest one of several in that cycle. *taken,
 * unless NULL: the cycle in which the LSU passes on the last transaction, or MEMORY_PENDING; then sm_memory_completed()
 * returns it. */
uint64_t sm_memory_commit(struct sm_memory *, uint64_t *taken, enum response_level *);

/* In an immediate system, instead of all of the above: counts so many transactions of one kind. The engine computes
 * their ends itself from memory_system_delay(). */
void sm_memory_count(struct sm_memory *, enum cache_kind, uint64_t transactions);

struct memory_completion {
    uint32_t token;
    bool taken;     /* the access is not complete: the LSU passed on its last transaction in `cycle` */
    uint8_t level;  /* as *level of sm_memory_commit() */
    uint64_t cycle; /* may lie in the future */
};
/* Takes the next completion: of a pending access whose end has become known, or which the LSU has passed on if `taken`
 * was asked for. They come in the order in which they became known. False: there is none. */
bool sm_memory_completed(struct sm_memory *, struct memory_completion *);

/* Processes replies and credits, and all that is due in `now` or before. Returns the next cycle in which the SM has
 * something to do, as far as it knows itself; MEMORY_NEVER: none. */
uint64_t sm_memory_advance(struct sm_memory *, uint64_t now);
/* Whether replies or credits have come since the last sm_memory_advance(). */
bool sm_memory_replied(const struct sm_memory *);
/* Requests of the group's accesses that have left the SM, and whose last reply it has not processed. While there are
 * any, some access of the group is not complete. */
uint32_t sm_memory_away(const struct sm_memory *, unsigned group);
/* The first cycle in which a reply or a credit can reach the SM; MEMORY_NEVER: none is in flight. The chip has been
 * advanced up to `from`, no further. A request that leaves the SM can move the horizon forward, to no earlier than
 * `lookahead` cycles after its arrival. */
uint64_t sm_memory_horizon(const struct sm_memory *, uint64_t from, uint64_t lookahead);

/* ---- the chip ---------------------------------------------------------------------------------------------------- */

/* Takes the requests that have left the SMs, processes all events up to `now` in order, and delivers replies and
 * credits. Returns the cycle of the next event on the chip; MEMORY_NEVER: none. */
uint64_t memory_system_advance(struct memory_system *, uint64_t now);

/* The three parts of memory_system_advance(), for SMs that run while the chip serves their earlier requests. A request
 * that leaves an SM in cycle c reaches the chip at c + memory_system_request_latency() or later; an event on the chip
 * in cycle c reaches an SM at c + lookahead or later. So the chip may serve cycles that SMs have not reached yet.
 *
 * Takes the requests that have left the SMs. Returns the cycle of the next event on the chip. */
uint64_t memory_system_take(struct memory_system *);
/* Processes all events up to `now`, in order. SMs may run meanwhile. Returns the cycle of the next event. */
uint64_t memory_system_serve(struct memory_system *, uint64_t now);
/* Delivers replies and credits to the SMs. */
void memory_system_deliver(struct memory_system *);
uint64_t memory_system_request_latency(const struct memory_system *);
/* Whether simulating a request on the chip costs little, compared to simulating it on the SM. Then shorter windows,
 * with the chip on a thread of its own, do not pay. */
bool memory_system_is_light(const struct memory_system *);

#endif
