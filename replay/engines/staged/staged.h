/* The staged pipeline: SMs, L2 and device memory, stepped cycle by cycle by the rules of docs/accelsim.md. Comments
 * name the rules by their numbers there.
 *
 * A pass of staged_run is one step of the clocks. The stages of an SM run from the last to the first, so that an
 * instruction moves one stage in a cycle.
 *
 * Components are SMs, slices of L2 and channels of device memory. In reference mode each is stepped in every cycle. In
 * fast mode a component sleeps after a cycle in which nothing in it changed, because the next cycle would repeat this
 * one. It wakes at the first of its own times (`wake`), or when another component sends it a packet, takes one from it,
 * or makes room for it: that component sets its `wake` to 0. So a step must say whether it changed something, every
 * countdown must be a time and no counter, and counts of cycles must catch up. If all components sleep, only the clocks
 * advance.
 */
#ifndef REPRISE_REPLAY_ENGINES_STAGED_STAGED_H
#define REPRISE_REPLAY_ENGINES_STAGED_STAGED_H

#include "hw-models/cache/set-hash.h"
#include "hw-models/cache/stepped.h"
#include "hw-models/dram/dram.h"
#include "hw-models/dram/stepped.h"
#include "replay/base/layout.h"
#include "replay/base/trace_semantics.h"
#include "replay/engines/period.h"
#include "replay/engines/report.h"
#include "replay/engines/staged/fits.h"
#include "replay/engines/staged/options.h"

#define STAGED_SOURCES 4     /* registers that an instruction may read and the pipeline considers */
#define STAGED_MOST_BUFFER 8 /* fetched instructions of a warp */
#define STAGED_RING 1024u    /* cycles ahead for which results are planned */
#define STAGED_UNITS MACHINE_UNITS
#define STAGED_FILES 16 /* register files */
#define STAGED_SUBCORES 16

/* A bound of the layout. MEMORY_ANY becomes the largest value of such options. */
static inline uint32_t staged_bound(uint64_t bound) { return bound < 65536 ? (uint32_t)bound : 65536; }

/* ---- queues of pointers ------------------------------------------------------------------------------------------ */

struct fifo {
    void **item;
    uint32_t head, count, room; /* room: a power of two */
};
bool fifo_push(struct fifo *, void *); /* false: out of memory */
static inline void *fifo_top(const struct fifo *f) { return f->count ? f->item[f->head] : NULL; }
static inline void *fifo_pop(struct fifo *f)
{
    void *top = fifo_top(f);
    if (top) {
        f->head = (f->head + 1) & (f->room - 1);
        f->count--;
    }
    return top;
}

/* A pipe of `length` stages. At most one item enters in a cycle. It moves by one stage in each cycle unless the next
 * stage is taken. So it leaves `length` cycles later, or once the item before it has left. */
struct stages {
    struct staged_entry {
        void *item;
        uint64_t out;
    } * entry;
    uint32_t head, count, length;
    uint64_t last; /* the cycle in which the last item may leave */
};
static inline bool stages_full(const struct stages *p, uint64_t now)
{
    return p->count == p->length || p->last == now + p->length;
}
static inline void stages_push(struct stages *p, void *item, uint64_t now)
{
    uint32_t at = p->head + p->count++;
    p->last = now + p->length;
    p->entry[at < p->length ? at : at - p->length] = (struct staged_entry){item, p->last};
}
static inline void *stages_top(const struct stages *p, uint64_t now)
{
    return p->count && p->entry[p->head].out <= now ? p->entry[p->head].item : NULL;
}
static inline void stages_pop(struct stages *p)
{
    p->head = p->head + 1 == p->length ? 0 : p->head + 1;
    p->count--;
}

/* ---- sets of small numbers --------------------------------------------------------------------------------------- */

static inline bool in_set(const uint64_t *set, unsigned n) { return set[n / 64] >> (n % 64) & 1; }
static inline void set_add(uint64_t *set, unsigned n) { set[n / 64] |= 1ull << (n % 64); }
static inline void set_remove(uint64_t *set, unsigned n) { set[n / 64] &= ~(1ull << (n % 64)); }
/* The first member from `from` on, going round; the set is not empty. */
static inline unsigned set_round(uint64_t set, unsigned from)
{
    uint64_t behind = from < 64 ? set >> from << from : 0;
    return (unsigned)__builtin_ctzll(behind ? behind : set);
}
/* The least member that is `from` or more and less than `end`; `end`: none. */
static inline unsigned set_next(const uint64_t *set, unsigned from, unsigned end)
{
    for (unsigned w = from / 64; w * 64 < end; w++) {
        uint64_t bits = set[w] & (w == from / 64 ? ~0ull << (from % 64) : ~0ull);
        if (bits) {
            unsigned n = w * 64 + (unsigned)__builtin_ctzll(bits);
            return n < end ? n : end;
        }
    }
    return end;
}

/* ---- instructions and packets ------------------------------------------------------------------------------------ */

/* An instruction of the kernel: what is the same in all executions. */
struct staged_static {
    uint8_t unit;
    uint16_t latency, initiation; /* latency: from acceptance by the unit to the end, as Accel-Sim counts */
    int32_t dst;                  /* register number, -1: none */
    int32_t src[STAGED_SOURCES];  /* distinct ones */
    uint8_t src_count;
    uint8_t dst_bank, src_bank[STAGED_SOURCES]; /* of warp 0 */
    /* Operand slots in which each source is read, and slots that keep their register. */
    uint8_t slots[STAGED_SOURCES], keeps;
    bool is_memory, is_exit, is_barrier, is_fence, is_block_fence;
    /* Registers that the scoreboard checks (read and written ones), and those written besides dst. */
    uint32_t *looks, *also;
    uint8_t look_count, also_count;
};

struct access {
    uint64_t address; /* of a sector */
    uint32_t bytes;   /* touched */
    uint8_t lanes;    /* of an atomic */
    bool store;
};

/* What an observer needs of an instruction in the pipeline. */
struct staged_observed {
    uint64_t number, dispatch;
};

/* An instruction in the pipeline. */
struct inst {
    const struct staged_static *s;
    uint32_t warp;    /* hardware warp */
    unsigned subcore; /* of the warp */
    uint64_t age;     /* order of issue */
    unsigned kept;    /* a bit for each source in the reuse cache */
    /* The cycle in which its result is in the last stage of its unit, or from which shared memory is free. */
    uint64_t until;
    bool shared, load, store, atomic, bypass, any_lane; /* load and store: it has accesses that are */
    rp_lanemask active, executed;
    uint64_t aux;
    struct staged_observed observed;
    bool ascending;        /* its accesses so far are in ascending order */
    uint32_t conflict;     /* cycles that shared memory takes */
    uint32_t access_count; /* accesses that are left; the last one is next */
    uint32_t loads;        /* of all its accesses, those that are no stores */
    uint32_t lanes;        /* of an atomic in shared memory */
    struct access *accesses;
    uint32_t access_room;
    struct inst *next;
};

/* The address of local memory: below that of global memory, which lies above 2 GiB in traces. */
#define STAGED_LOCAL 0x1f880000u
static inline bool staged_is_local(uint64_t address)
{
    return address >= STAGED_LOCAL && address < UINT64_C(0x80000000);
}

enum packet_kind { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC, PACKET_WRITE_BACK };
struct packet {
    uint64_t address, ready; /* ready: the cycle from which it may leave its queue */
    uint32_t bytes, warp, sectors;
    int32_t dst;
    uint16_t sm, slice;
    uint8_t kind, lanes;
    uint8_t level; /* enum response_level: the level that serves it, once L2 has looked it up */
    bool bypass;
    struct packet *next;
};

/* ---- an SM ------------------------------------------------------------------------------------------------------- */

struct staged_block;
struct staged_warp {
    struct staged_block *block; /* NULL: the warp slot is free */
    struct rp_cursor cursor;
    uint32_t number;
    unsigned warp_slot, subcore, slot, bank; /* warp_slot = slot × sub-cores + sub-core; bank: that of register 0 */
    /* over: the instruction stream has ended; done: its last instruction has issued. */
    bool started, over, done, retired;
    bool waits_at_barrier, waits_at_fence;
    bool gathers; /* gathers lanes for a barrier: the next instruction decides whether these are all */
    bool waits_for_stores, empties_l1; /* what a fence waits for, and does at its end */
    struct arrival arrival;
    uint64_t fetched; /* the SM's cycle from which its buffered instructions have arrived */
    uint32_t unsent;  /* stores that have not gone to L1 yet */
    struct inst *buffer[STAGED_MOST_BUFFER];
    unsigned buffered, buffer_at;                   /* number of instructions in `buffer`, and the index of the next */
    uint32_t in_pipeline, stores, atomics, pending; /* pending: registers that are not written yet */
    bool atomics_shared;                            /* the last atomic is in shared memory */
    uint8_t why;                                    /* enum stall: why it did not issue when it was last considered */
    uint64_t response;                /* the last response that its next instruction waited for, for profiles */
    uint64_t issued;                  /* instructions that have issued, for an observer */
    struct staged_observed *observed; /* with reports_done: by register, the instruction in flight that writes it */
    uint32_t *writer;    /* by register number: the static instruction that writes it, while it is pending */
    uint8_t *is_pending; /* by register number: 0, or the enum stall of what waits for it */
    uint8_t *is_long;    /* by register number */
    uint16_t *writes;    /* sectors that a register waits for */
};

struct staged_block {
    uint64_t index;
    struct rp_block *trace;
    unsigned slot, warps, live;
    uint64_t ended; /* warps, a bit each */
    struct staged_barrier {
        uint64_t threads, expected, arrived; /* arrived: warps, a bit each; expected 0: all of the block */
    } barriers[BLOCK_BARRIERS];
};

struct collector {
    struct inst *inst;
    uint32_t unread;
};
struct unit {
    uint64_t free;                       /* the cycle from which it takes an instruction */
    uint64_t refused;                    /* the last cycle in which no slot for a result was free */
    uint64_t occupied[STAGED_RING / 64]; /* a bit for each coming cycle in which a result leaves */
};
struct bank {
    uint32_t head, count;
    uint8_t queue[16 * STAGED_SOURCES]; /* collectors, one entry for each operand */
};
#define STAGED_BANKS (STAGED_SUBCORES * 16)

/* The warps of a sub-core by slot. */
struct staged_subcore {
    uint64_t look;               /* slots that changed since `open` was computed */
    uint64_t open;               /* slots whose next instruction may issue if the latch of its unit is free */
    uint64_t next[STAGED_UNITS]; /* open slots by the unit of their next instruction */
    uint64_t latched;            /* units whose latch is taken */
    /* the instruction that issued last, and its warp: its kept operands are in the reuse cache. NULL: no operand is */
    const struct staged_static *last;
    uint32_t last_warp;
    /* for the count of stalls */
    uint64_t since;            /* the chip's cycle up to which all cycles are charged */
    uint64_t ready;            /* slots that could issue in the last cycle in which it was stepped */
    uint8_t why[STAGED_UNITS]; /* enum stall: why the latch of an open instruction was taken in that cycle */
    unsigned resident;
};

struct staged_sm {
    struct staged *chip;
    unsigned number, subcores;
    uint64_t cycle; /* cycles so far, counting only those with warps */
    uint64_t seen;  /* the chip's cycle up to which `cycle` counts */
    uint64_t wake;  /* the chip's cycle in which it is to be stepped again */
    bool changed;   /* something in the SM changed in this cycle */
    struct staged_block **slots;
    unsigned slot_count, live_blocks, live_warps;
    struct staged_warp *warps;
    uint64_t missing; /* warp slots whose instructions miss in an instruction cache */
    void *icache[STAGED_SUBCORES];
    uint64_t unfetched, may_retire; /* warp slots with no fetched instruction; warp slots that may retire */
    void *scheduler[STAGED_SUBCORES];
    struct staged_subcore subcore[STAGED_SUBCORES];
    unsigned last_fetched;
    int fetched; /* the warp slot in the fetch latch, -1: none */
    /* latches, and for each unit the sub-cores whose latch is taken */
    struct inst *issued[STAGED_UNITS][STAGED_SUBCORES], *collected[STAGED_UNITS][STAGED_SUBCORES];
    uint32_t is_issued[STAGED_UNITS], is_collected[STAGED_UNITS], units_issued, units_collected;
    struct collector collectors[STAGED_MOST_COLLECTORS];
    uint64_t taken, ready;           /* collectors: with an instruction; with all operands read */
    uint64_t for_unit[STAGED_UNITS]; /* collectors by unit of their instruction */
    unsigned last_dispatched[STAGED_MOST_COLLECTORS];
    struct bank banks[STAGED_BANKS];
    uint64_t asked[STAGED_BANKS / 64],
        written[STAGED_BANKS / 64]; /* banks with reads that wait; banks that are written in this cycle */
    struct unit units[STAGED_UNITS][STAGED_SUBCORES];
    struct inst *ends[STAGED_RING]; /* by cycle: instructions whose results are written back */
    uint64_t any_end[STAGED_RING / 64];
    uint8_t buses[STAGED_RING];
    /* load/store unit */
    struct inst *dispatch;
    struct stages shared_pipe, *l1_queue; /* l1_queue: for each bank */
    uint32_t in_l1;
    struct refusal { /* the last refusal of each bank, which holds while the cache has not changed */
        uint64_t changes;
        uint32_t misses;
        const struct packet *p;
    } * refusal;
    unsigned next_client;
    struct {
        bool full, shared;
        uint32_t warp;
        int32_t dst;
        enum response_level level;
    } result;
    enum response_level filled; /* the level that served the sector in L1 whose requests are served now */
    struct packet *bypassed;
    void *l1; /* NULL: no access reaches it */
    uint32_t l1_ways;
    bool l1_used;
    struct fifo misses, replies, ejected;
};

/* ---- the chip ---------------------------------------------------------------------------------------------------- */

struct slice {
    struct fifo rop, in, out, to_dram, from_dram, misses;
    void *l2;
    uint64_t port_free, wake; /* cycles of L2, and of the core */
    uint64_t copies;          /* sectors preloaded: times for its cache are that much ahead */
};
struct channel {
    void *dram;
    struct fifo waiting;
    unsigned last; /* the slice that was served last */
    uint32_t credits[2], shared;
    uint64_t wake, wake_core; /* cycles of device memory, and of the core */
    const struct staged *chip;
    struct dram_listener listener;
};
struct crossbar {
    unsigned ins, outs;
    bool requests;         /* requests: it goes from SMs to slices; else from slices to SMs */
    struct fifo *in, *out; /* by number of SM or slice */
    unsigned *next;        /* by output: the input that has the first turn */
    unsigned words;
    uint64_t *heads; /* by output, `words` each: the inputs whose first packet goes there */
    uint64_t *asked; /* outputs that some first packet goes to */
};

enum staged_clock { CLOCK_CORE, CLOCK_CROSSBAR, CLOCK_L2, CLOCK_DRAM, STAGED_CLOCKS };

struct staged {
    const struct machine *machine;
    const int64_t *o; /* options of the pipeline */
    struct memory_layout layout;
    const struct stepped_cache *l1, *l2; /* NULL: the level keeps nothing */
    const struct stepped_dram *dram;     /* NULL: device memory takes no time */
    uint64_t l1_misses, l2_misses;       /* sizes of their miss queues, in packets */
    uint64_t slice_queues;               /* packets in each queue of a slice */
    uint64_t channel_most;               /* the most requests at a channel, shared by its slices */
    uint64_t channel_latency;            /* cycles from L2 to a channel */
    struct staged_sm *sms;
    struct slice *slices;
    struct channel *channels;
    struct crossbar requests, replies;
    struct set_hash l2_sets; /* the set of a line */
    unsigned slice_count;
    double next[STAGED_CLOCKS],
        period[STAGED_CLOCKS];            /* by enum staged_clock: the next edge and the period, in one unit of time */
    bool one_clock;                       /* crossbar and L2 have the clock of the core */
    uint64_t cycle, l2_cycle, dram_cycle; /* of the core, of L2 and of device memory, all launches together */
    unsigned ring_mask; /* of the cycles ahead for which results are planned: a power of two, less 1 */
    bool has_crossbar;  /* false: packets do not wait for one another */
    bool skips;         /* components may sleep */
    uint8_t quiet; /* 1 << enum staged_clock each: no component was awake since the last step of this clock began */
    struct inst *spare;
    struct packet *spare_packets;
    struct packet_slab *slabs;
    bool no_memory;
    /* of the launch */
    struct rp_trace *trace;
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    uint32_t launch_number, registers;
    struct staged_static *statics;
    uint32_t file[STAGED_FILES], general; /* numbers of registers: the first of each file; behind the general ones */
    uint32_t *lists;                      /* registers that `statics` points to */
    uint64_t blocks, next_block, live_blocks, begin, age, countdown;
    bool may_place, emptied; /* an SM may have room for a block; an SM has lost its last warp */
    unsigned limit, warps_per_block, next_sm;
    const struct engine_job *job;
    bool reports_done, reports_stalls; /* an observer wants ends of instructions, or stalls */
    struct statistics *statistics;
    struct rp_error *err;
    bool failed;
};

/* program.c */
bool staged_statics(struct staged *, struct rp_error *);
static inline const struct scheduler_model *staged_scheduler(const struct staged *g)
{
    return (const struct scheduler_model *)g->machine->scheduler.model;
}
/* barriers.c */
/* The warp issues a barrier instruction. */
void staged_arrive(struct staged_sm *, struct staged_warp *, const struct inst *);
/* The next instruction of a warp that gathers lanes is known; NULL: it has none. */
void staged_gathered(struct staged_sm *, struct staged_warp *, const struct inst *next);
/* These lanes exit. */
void staged_exit(struct staged_sm *, struct staged_warp *, rp_lanemask lanes);
/* The warp has no more instructions. */
void staged_warp_ended(struct staged_sm *, struct staged_warp *);
/* charge.c: cycles of sub-cores */
/* Charges the cycles of the SM from now on. */
void staged_begin_launch(struct staged_sm *);
/* Charges the cycles without warps. */
void staged_charge_idle(struct staged_sm *);
/* A warp is placed; a warp retires. */
void staged_charge_enter(struct staged_sm *, struct staged_subcore *);
void staged_charge_leave(struct staged_sm *, const struct staged_warp *);
/* An instruction issues. If there was a stall before it, this was the reason, and the level if it waited for memory. */
void staged_charge_issue(struct staged_sm *, struct staged_subcore *, const struct inst *, enum stall,
                         enum response_level);
/* Nothing issues: notes why latches are taken. */
void staged_note_latches(struct staged_sm *, unsigned subcore);
/* report.c: events for an observer */
/* From now on, events are reported to the job's observer. */
void staged_observe(struct staged *, const struct engine_job *);
/* A block is placed, or leaves. */
void staged_report_block(const struct staged_sm *, const struct staged_block *, bool leaves);
/* An instruction issues; it is dispatched to its unit; it is done. Dispatch and end are reported only if reports_done
 * is set. */
void staged_report_issue(const struct staged_sm *, struct staged_warp *, struct inst *, bool second);
void staged_report_dispatch(const struct staged_sm *, struct inst *);
void staged_report_done(const struct staged_sm *, const struct staged_warp *, const struct staged_observed *);
/* The instruction ends a stall, which may have no cycles. */
void staged_report_stall(const struct staged_sm *, const struct inst *, const struct engine_stall *);
/* The last warp of a sub-core leaves. */
void staged_report_drain(const struct staged_sm *, const struct staged_warp *, uint64_t cycles);
/* Reports that a packet ends at a level. */
void staged_report_access(const struct staged *, const struct packet *, enum cache_kind, enum response_level);
/* Counts the cycles that the SM slept through. */
void staged_catch_up(struct staged_sm *);
/* front.c: blocks, fetch, issue */
bool staged_place_blocks(struct staged *);
void staged_front(struct staged_sm *);
void staged_fetch(struct staged_sm *);
uint64_t staged_fetch_next(const struct staged_sm *); /* as staged_units_next */
void staged_release(struct staged_sm *, struct staged_warp *, int32_t reg);
/* A part of the data of a register has arrived from this level; reg -1: of an atomic, for which the whole warp waits.
 */
void staged_data_arrived(struct staged_sm *, struct staged_warp *, int32_t reg, enum response_level);
/* Something has ended that the warp may wait for before it retires. */
static inline void staged_may_leave(struct staged_sm *sm, const struct staged_warp *w)
{
    sm->changed = true;
    if (w->done && !w->retired && !w->in_pipeline && !w->stores && !w->pending)
        sm->may_retire |= 1ull << w->warp_slot;
}
/* Something has ended that the warp may wait for before it retires or before its next instruction issues. */
static inline void staged_look(struct staged_sm *sm, const struct staged_warp *w)
{
    sm->subcore[w->subcore].look |= 1ull << w->slot;
    staged_may_leave(sm, w);
}
/* access.c: the accesses of an instruction */
bool staged_accesses(struct staged_sm *, struct staged_warp *, const struct rp_step *, struct inst *);
/* collect.c: operands, units, write-back of units */
void staged_write_back(struct staged_sm *);
void staged_execute(struct staged_sm *);
void staged_read_operands(struct staged_sm *);
/* Whether all collectors of the sub-core are taken and one of them has not read all of its operands. */
bool staged_reads(const struct staged_sm *, unsigned subcore);
/* Writes a result to its bank in this cycle. False: the bank takes another result. */
bool staged_write_bank(struct staged_sm *, const struct staged_warp *, int32_t reg);
/* The next cycle of the SM in which one of them may do something. */
uint64_t staged_units_next(const struct staged_sm *);
/* lsu.c */
void staged_lsu_cycle(struct staged_sm *);
void staged_lsu_receive(struct staged_sm *);
void staged_empty_l1(struct staged_sm *);
uint64_t staged_lsu_next(const struct staged_sm *); /* as staged_units_next */
/* chip.c */
bool staged_chip_new(struct staged *);
void staged_chip_free(struct staged *);
void staged_slices_reply(struct staged *);
void staged_slices_cycle(struct staged *);
void staged_crossbar_cycle(struct staged *, struct crossbar *);
bool staged_crossbar_room(const struct staged *, const struct crossbar *, unsigned in);
void staged_crossbar_send(struct staged *, struct crossbar *, unsigned in, struct packet *);
/* When each part next has something to do. An SM that sends a request can make these cycles earlier. */
struct staged_wake {
    uint64_t core;      /* SMs, in core cycles */
    uint64_t l2;        /* L2, in core cycles */
    uint64_t dram;      /* device memory, in its own cycles */
    uint64_t dram_core; /* the same, in core cycles */
};
void staged_chip_next(const struct staged *, struct staged_wake *);
unsigned staged_slice_of(const struct staged *, uint64_t address);
void staged_copy(struct staged *, uint64_t address, uint64_t size);
/* dram.c */
bool staged_dram_new(struct staged *);
void staged_dram_free(struct staged *);
void staged_dram_cycle(struct staged *);
/* Adds what the channels have counted since the end of the launch before to the current launch. */
void staged_dram_count(struct staged *, uint64_t *channels);

struct packet *staged_packet(struct staged *);
void staged_packet_free(struct staged *, struct packet *);
struct inst *staged_inst(struct staged *);
void staged_inst_free(struct staged *, struct inst *);
/* Some component was awake: no clock is quiet. */
static inline void staged_mark_busy(struct staged *g) { g->quiet = 0; }
static inline void staged_push(struct staged *g, struct fifo *f, void *item) { g->no_memory |= !fifo_push(f, item); }

#endif
