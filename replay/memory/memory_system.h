/* The memory system behind a machine's load/store units, the same for both engines: instruction caches, L1s, each SM's
 * port, L2 in slices, device memory in channels. It knows nothing of warps, registers or instructions.
 *
 *     SM 0:  LSU -> L1 -> port --.                             one struct sm_memory per SM; nothing in it
 *     SM 1:  LSU -> L1 -> port --+--> L2 slices -> channels    points outside but for what is constant
 *     ...                        '    the chip: struct memory_system
 *
 * An access is what one instruction asks of caches and device memory. The engine begins it in the cycle of issue, adds
 * its transactions in their order, and commits it. Either its end is known at once, or it is pending: later
 * sm_memory_completed() gives its token back with the cycle of its end, which may lie in the future. So an engine needs
 * no answer before the cycle in which something can depend on it, and a component says what it knows as soon as it
 * knows it.
 *
 * Who waits where. An SM's LSU takes accesses in the order of their issue, none before its arrival, and their
 * transactions one after the other. (In an immediate memory system nobody waits for anybody.) Each goes to its L1 or,
 * beside it, to the port. What L1 does not serve leaves through the port, in the order in which the LSU took it.
 * Whatever is full refuses: the sender keeps the request, all behind it waits, and a credit comes back when there is
 * room: what becomes free in cycle c can be taken from c + 1 on. Replies are never refused, so something always moves.
 *
 * Order. What reaches the chip in one cycle is served by (SM, sequence), sequence being the order in which requests
 * left that SM. No address of the computer's memory and no thread has a say.
 *
 * Time. Cycles are those of the launch; the clock goes on from launch to launch underneath. In each cycle c: all SMs'
 * sm_memory_advance(c), in any order or side by side; memory_system_advance(c); once more sm_memory_advance(c) of SMs
 * for which sm_memory_replied(); then instructions issue, whose accesses arrive at c + 1 or later. Cycles before
 * the least of what the advances returned may be left out. Within memory_system_lookahead() cycles SMs do not hear of
 * one another: each may go through t .. t + lookahead - 1 by itself (advance, issue), if memory_system_advance(t +
 * lookahead - 1) follows before any goes on. An SM that awaits nothing may go on further, up to sm_memory_horizon();
 * the chip is then advanced as far as all SMs have come.
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
struct served; /* replay/memory/served.h */
struct sm_memory;

/* NULL: out of memory. May serve any number of launches, one after the other. Without short cuts everything is done in
 * the cycle in which it happens; with them, what follows from what is known is done at once. Results are the same. */
struct memory_system *memory_system_new(const struct machine *, bool short_cuts, struct rp_error *);
void memory_system_free(struct memory_system *);
/* Makes it as new: what launches have left behind is gone, and their clock begins again. */
bool memory_system_clear(struct memory_system *, struct rp_error *);
/* Between launches: L1s of so many bytes, of what carveout.h divides. If they had another size they are empty. */
bool memory_system_divide_l1(struct memory_system *, int64_t bytes, struct rp_error *);
/* Fills L2 with bytes from the first to the last, as if the host had just copied them through it. Before the first
 * access. */
void memory_system_warm_bytes(struct memory_system *, uint64_t address, uint64_t size);
/* The bytes of a line of L2; how many lines there are in all slices. */
uint64_t memory_system_l2_line(const struct memory_system *, uint64_t *lines);
/* The launch took so many cycles and no access of it is pending: what is still under way comes to its end, counts go to
 * the statistics and begin again at 0, and the next launch's cycle 0 is this one's `cycles`. False: memory ran out in
 * between, and its figures are worth nothing. Also to be called for a launch that failed, or came to a standstill. */
bool memory_system_end_launch(struct memory_system *, uint64_t cycles, struct statistics *, struct rp_error *);
/* Adds what the model of each channel has counted in the launches that ended to to[channel × its counters + counter],
 * and begins again at 0. */
void memory_system_move_counters(struct memory_system *, uint64_t *to);
/* Requests could not be kept: the access never completes. To be asked when nothing happens any more. */
bool memory_system_failed(const struct memory_system *);

/* How many SMs' accesses may be answered before the chip is asked: see above. 0: the chip must be advanced in each
 * cycle. MEMORY_NEVER: SMs have nothing in common (an immediate hierarchy). */
uint64_t memory_system_lookahead(const struct memory_system *);
/* All accesses have a known end at their commit that depends on nothing but the access: no cache keeps anything,
 * nothing is ever busy or full. memory_system_delay() cycles lie between the arrival of any of its transactions and its
 * end. */
/* From now on counts where transactions end; false: memory ran out. memory_system_served moves the counts to *to. */
bool memory_system_count_served(struct memory_system *);
void memory_system_served(struct memory_system *, struct served *to);
bool memory_system_is_immediate(const struct memory_system *);
uint64_t memory_system_delay(const struct memory_system *);
/* All threads of an SM meet at its LSU: no two L1s lie behind it. So an access is performed, for threads of the SM,
 * once the LSU has handed on its transactions, for those of later accesses come behind them. */
bool memory_system_orders_blocks(const struct memory_system *);
/* Bytes of a sector, where it matters which of them a write covers; else 0. */
uint64_t memory_system_sector(const struct memory_system *);
/* SMs have to be advanced in the cycles that sm_memory_advance() returns, and at the arrival of each access; else only
 * after sm_memory_replied(). */
bool memory_system_is_stepped(const struct memory_system *);

/* ---- one SM ------------------------------------------------------------------------------------------------------ */

/* An SM's functions touch its state only: different SMs' may run on different threads. */
struct sm_memory *memory_system_sm(struct memory_system *, unsigned sm);

/* The instruction at `address` is fetched for a sub-core in `cycle`; returns from when it may issue. */
uint64_t sm_memory_fetch(struct sm_memory *, unsigned subcore, uint64_t address, uint64_t cycle);
/* Lanes load from constants or parameters at these addresses in their bank, from `cycle` on; returns when all words are
 * there. Each different address is looked up once, in the order of lanes. To be called in the order of issue. */
uint64_t sm_memory_constants(struct sm_memory *, uint64_t bank, rp_lanemask, const uint64_t address[RP_WARP_LANES],
                             uint64_t cycle);
/* Kernel 0 of the traces that come is the one with this number, for caches that are kept from trace to trace. */
void memory_system_count_kernels(struct memory_system *, uint32_t first);

/* Whether the LSU takes another access now. If not it will, in a cycle that sm_memory_advance() is asked for. Machines
 * whose LSU takes any number always have room: memory_system_may_refuse() is false for them. */
bool sm_memory_accepts(const struct sm_memory *);
bool memory_system_may_refuse(const struct memory_system *);

/* An access by this sub-core whose transactions arrive at the LSU at `arrival`, after the cycle at hand. The LSU
 * accepts. `token` is the engine's name for it. */
void sm_memory_begin(struct sm_memory *, unsigned subcore, uint64_t arrival, uint32_t token);
struct memory_transaction {
    uint64_t address;
    uint8_t kind;    /* enum cache_kind */
    bool beside_l1;  /* does not look in L1 */
    uint8_t repeats; /* of an atomic: most lanes that name one address, at least 1 */
    uint8_t hint;    /* CACHE_HINTS */
    uint32_t bytes;  /* of a write: 32nds of its sector that it covers */
};
void sm_memory_add(struct sm_memory *, const struct memory_transaction *);
/* Many that differ in address, repeats and bytes only, in this order. */
struct memory_transactions {
    uint64_t base;
    const int64_t *offset;  /* [count] from base */
    const uint8_t *repeats; /* [count]; NULL: 1 each */
    const uint32_t *bytes;  /* [count]; NULL: all */
    uint32_t count;
    uint8_t kind; /* enum cache_kind */
    uint8_t hint; /* CACHE_HINTS */
    bool beside_l1;
};
void sm_memory_add_all(struct sm_memory *, const struct memory_transactions *);
/* The cycle in which the last of its transactions is served, or MEMORY_PENDING. Without a transaction: its arrival.
 * *level, set if the cycle is known: of the last answer, and the deepest of those that come together. *taken, unless
 * NULL: the cycle in which the LSU hands on the last of them, or MEMORY_PENDING; then sm_memory_completed() will tell
 * it. */
uint64_t sm_memory_commit(struct sm_memory *, uint64_t *taken, enum answer_level *);

/* On an immediate system, instead of all of the above: so many transactions of one kind, whose ends the engine works
 * out itself by memory_system_delay(). */
void sm_memory_count(struct sm_memory *, enum cache_kind, uint64_t transactions);

struct memory_completion {
    uint32_t token;
    bool taken;     /* it is not over: the LSU has handed on the last of its transactions in `cycle` */
    uint8_t level;  /* enum answer_level, as of sm_memory_commit() */
    uint64_t cycle; /* may be later than the cycle at hand */
};
/* Takes the next pending access whose end is known now, in the order in which that became known, or of which it was
 * asked when the LSU has taken it. */
bool sm_memory_completed(struct sm_memory *, struct memory_completion *);

/* Takes replies and credits, and does what is due in `now`, and all before. Returns the next cycle in which there is
 * something to do as far as the SM itself knows, MEMORY_NEVER for none. */
uint64_t sm_memory_advance(struct sm_memory *, uint64_t now);
/* The chip has answered since the last sm_memory_advance(). */
bool sm_memory_replied(const struct sm_memory *);
/* The first cycle in which the chip's word can reach the SM, MEMORY_NEVER when it awaits none. The chip has been
 * advanced up to `from`, and not further. A request that leaves the SM brings it nearer, at least to `lookahead` cycles
 * after its arrival. */
uint64_t sm_memory_horizon(const struct sm_memory *, uint64_t from, uint64_t lookahead);

/* ---- the chip ---------------------------------------------------------------------------------------------------- */

/* Takes what has left the SMs, and serves all that happens in `now` and before, in order. Returns the next cycle in
 * which something happens on the chip, MEMORY_NEVER for none. */
uint64_t memory_system_advance(struct memory_system *, uint64_t now);

/* Its three parts, for SMs that go on by themselves while the chip serves what they sent before. What leaves an SM in
 * cycle c comes to the chip in c + memory_system_way() or later; what the chip does in cycle c is known at an SM in c +
 * lookahead or later. So the chip may serve cycles that SMs have yet to go through.
 *
 * Takes what has left the SMs; returns the next cycle in which something happens on the chip. */
uint64_t memory_system_take(struct memory_system *);
/* Serves all that happens in `now` and before, in order. SMs may run meanwhile. Returns the next cycle. */
uint64_t memory_system_serve(struct memory_system *, uint64_t now);
/* Tells SMs what the chip has answered. */
void memory_system_tell(struct memory_system *);
uint64_t memory_system_way(const struct memory_system *);
/* What the chip does with a request is little beside what an SM does: it is not worth shorter windows. */
bool memory_system_is_light(const struct memory_system *);

#endif
