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
#include "hw-models/dram/stepped.h"
#include "replay/base/layout.h"
#include "replay/base/trace_semantics.h"
#include "replay/engines/period.h"
#include "replay/engines/report.h"
#include "replay/engines/staged/fits.h"
#include "replay/engines/staged/options.h"

#define STAGED_SOURCES 4     /* registers that an instruction may read and that are looked at */
#define STAGED_MOST_BUFFER 8 /* instructions of a warp that were fetched */
#define STAGED_RING 1024u    /* cycles ahead for which results are planned */
#define STAGED_UNITS MACHINE_UNITS
#define STAGED_FILES 16 /* register files */
#define STAGED_SUBCORES 16

/* A limit in the layout, where MEMORY_ANY becomes the largest value of such options. */
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

/* Stages in a row: what enters, at most one in a cycle, moves on by one in each cycle unless the next is taken, so that
 * it comes out `length` cycles later, or when what is before it has gone. */
struct stages {
    struct staged_entry {
        void *item;
        uint64_t out;
    } * entry;
    uint32_t head, count, length;
    uint64_t last; /* when the last one comes out */
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

/* ---- what is under way ------------------------------------------------------------------------------------------- */

/* Static, for each instruction of the kernel. */
struct staged_static {
    uint8_t unit;
    uint16_t latency, initiation; /* latency: from the unit's acceptance to its end, as Accel-Sim counts */
    int32_t dst;                  /* register number, -1: none */
    int32_t src[STAGED_SOURCES];  /* distinct ones */
    uint8_t src_count;
    uint8_t dst_bank, src_bank[STAGED_SOURCES]; /* of warp 0 */
    uint8_t slots[STAGED_SOURCES], keeps; /* operand slots in which each is read; those whose register stays there */
    bool is_memory, is_exit, is_barrier, is_fence, is_block_fence;
    /* What the scoreboard looks at: registers read and written, and those written besides dst. */
    uint32_t *looks, *also;
    uint8_t look_count, also_count;
};

struct access {
    uint64_t address; /* of a sector */
    uint32_t bytes;   /* touched */
    uint8_t lanes;    /* of an atomic */
};

/* Of an instruction in the pipeline, for an observer. */
struct staged_flight {
    uint64_t number, dispatch;
};

/* An instruction in the pipeline. */
struct inst {
    const struct staged_static *s;
    uint32_t warp;    /* hardware warp */
    unsigned subcore; /* of the warp */
    uint64_t age;     /* order of issue */
    unsigned kept;    /* a bit for each source that the reuse cache has */
    uint64_t until;   /* the cycle in which its result is in its unit's last stage; shared memory: it lets go */
    bool shared, load, store, atomic, bypass, any_lane;
    rp_lanemask active, executed;
    uint64_t aux;
    struct staged_flight flight;
    bool ascending;        /* its accesses so far */
    uint32_t conflict;     /* cycles that shared memory takes */
    uint32_t access_count; /* left; the last is next */
    uint32_t lanes;        /* of an atomic in shared memory */
    struct access *accesses;
    uint32_t access_room;
    struct inst *next;
};

/* Where local memory begins: below what Reprise gives to global memory, which lies above 2 GiB. */
#define STAGED_LOCAL 0x1f880000u
static inline bool staged_is_local(uint64_t address)
{
    return address >= STAGED_LOCAL && address < UINT64_C(0x80000000);
}

enum packet_kind { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC, PACKET_WRITE_BACK };
struct packet {
    uint64_t address, ready; /* ready: when its time is over where it waits */
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
    struct staged_block *block; /* NULL: the place is free */
    struct rp_cursor cursor;
    uint32_t number;
    unsigned place, subcore, slot, bank; /* place = slot × sub-cores + sub-core; bank: that of register 0 */
    bool started, over, done, retired;   /* over: the cursor has no more; done: its last instruction issued */
    bool waits_at_barrier, waits_at_fence;
    bool gathers;                      /* lanes for a barrier: the next instruction decides whether these are all */
    bool waits_for_stores, empties_l1; /* of a fence */
    struct arrival arrival;
    uint64_t fetched; /* the SM's cycle from which its buffered instructions are there */
    uint32_t unsent;  /* stores that have not gone to L1 yet */
    struct inst *buffer[STAGED_MOST_BUFFER];
    unsigned buffered, buffer_at;                   /* how many, and the next one */
    uint32_t in_pipeline, stores, atomics, pending; /* pending: registers */
    bool atomics_shared;                            /* in shared memory */
    uint8_t why;                                    /* enum stall: what it waited for when it was looked at last */
    uint64_t answer;                                /* the last one that its next instruction waited for; of profiles */
    uint64_t issued;                                /* instructions, for an observer */
    struct staged_flight *flights;                  /* by the register that they write, with reports_done */
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
    uint64_t refused;                    /* the last one in which no result could be planned */
    uint64_t occupied[STAGED_RING / 64]; /* cycles in which a result ends */
};
struct bank {
    uint32_t head, count;
    uint8_t queue[16 * STAGED_SOURCES]; /* collectors, one entry for each operand */
};
#define STAGED_BANKS (STAGED_SUBCORES * 16)

/* The warps of a sub-core by slot. */
struct staged_subcore {
    uint64_t look;               /* those of which something changed since `open` was worked out */
    uint64_t open;               /* those whose next instruction may issue if its unit's latch is free */
    uint64_t next[STAGED_UNITS]; /* by the unit of the next instruction, of those that are open */
    uint64_t latched;            /* units whose latch is taken */
    /* the instruction that issued last, and its warp: what it keeps is in the reuse cache; NULL: nothing is */
    const struct staged_static *last;
    uint32_t last_warp;
    /* for the count of stalls */
    uint64_t since;            /* the chip's cycle up to which all are charged */
    uint64_t ready;            /* those that could issue in the last cycle in which it was looked at */
    uint8_t why[STAGED_UNITS]; /* enum stall: why a latch that holds up an open one was taken then */
    unsigned resident;
};

struct staged_sm {
    struct staged *chip;
    unsigned number, subcores;
    uint64_t cycle; /* of those in which it had warps */
    uint64_t seen;  /* the chip's cycle up to which `cycle` counts */
    uint64_t wake;  /* the chip's cycle in which it is to be stepped again */
    bool changed;   /* something did in this cycle */
    struct staged_block **slots;
    unsigned slot_count, live_blocks, live_warps;
    struct staged_warp *warps;
    uint64_t missing; /* places: whose instructions are on their way to an instruction cache */
    void *icache[STAGED_SUBCORES];
    uint64_t hungry, leaving; /* places: with nothing fetched; that may retire */
    void *scheduler[STAGED_SUBCORES];
    struct staged_subcore subcore[STAGED_SUBCORES];
    unsigned last_fetched;
    int fetched; /* the warp in the latch, -1: none */
    /* latches, and for each unit the sub-cores whose latch is taken */
    struct inst *issued[STAGED_UNITS][STAGED_SUBCORES], *collected[STAGED_UNITS][STAGED_SUBCORES];
    uint32_t is_issued[STAGED_UNITS], is_collected[STAGED_UNITS], units_issued, units_collected;
    struct collector collectors[STAGED_MOST_COLLECTORS];
    uint64_t taken, ready;           /* collectors: with an instruction; that have read all */
    uint64_t for_unit[STAGED_UNITS]; /* collectors by unit of their instruction */
    unsigned last_dispatched[STAGED_MOST_COLLECTORS];
    struct bank banks[STAGED_BANKS];
    uint64_t asked[STAGED_BANKS / 64],
        written[STAGED_BANKS / 64]; /* banks to read from; that are written in this cycle */
    struct unit units[STAGED_UNITS][STAGED_SUBCORES];
    struct inst *ends[STAGED_RING]; /* results written back in a cycle */
    uint64_t any_end[STAGED_RING / 64];
    uint8_t buses[STAGED_RING];
    /* load/store unit */
    struct inst *dispatch;
    struct stages shared_pipe, *l1_queue; /* l1_queue: for each bank */
    uint32_t in_l1;
    struct refusal { /* the last of each bank, which stands while nothing has changed */
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
    enum response_level filled; /* who answered for the sector in L1 whose requests are served */
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
    uint64_t copies;          /* sectors preloaded: its clock is as much ahead */
};
struct channel {
    void *dram;
    struct fifo waiting;
    unsigned last; /* the slice that had its turn */
    uint32_t credits[2], shared;
    uint64_t wake, wake_core; /* cycles of device memory, and of the core */
};
struct crossbar {
    unsigned ins, outs;
    bool requests;         /* from SMs to slices; else back */
    struct fifo *in, *out; /* by number of SM or slice */
    unsigned *next;        /* by output: the input that has the first turn */
    unsigned words;
    uint64_t *heads; /* by output, `words` each: inputs whose first packet goes there */
    uint64_t *asked; /* outputs with such */
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
    uint64_t channel_most;               /* requests at a channel that its slices share */
    uint64_t channel_latency;            /* cycles from L2 to a channel */
    struct staged_sm *sms;
    struct slice *slices;
    struct channel *channels;
    struct crossbar requests, replies;
    struct set_hash l2_sets; /* the set of a line */
    unsigned slice_count;
    double next[STAGED_CLOCKS],
        period[STAGED_CLOCKS];            /* by enum staged_clock: the next edge and the period, in one unit of time */
    bool one_clock;                       /* crossbar and L2 have the core's */
    uint64_t cycle, l2_cycle, dram_cycle; /* of the core, of L2 and of device memory, all launches together */
    unsigned ring_mask; /* of the cycles ahead for which results are planned: a power of two, less 1 */
    bool has_crossbar;  /* else packets do not wait for one another */
    bool skips;         /* components may sleep */
    uint8_t quiet;      /* 1 << enum staged_clock each: nobody was awake since this clock's last step began */
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
    uint32_t *lists;                      /* registers that statics point to */
    uint64_t blocks, next_block, live_blocks, begin, age, countdown;
    bool may_place, emptied; /* an SM may have room for a block; one has lost its last warp */
    unsigned limit, warps_per_block, next_sm;
    const struct engine_job *job;
    bool reports_done, reports_stalls; /* an observer wants them */
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
/* barriers.c. A warp issues a barrier instruction; the next one of a warp that gathers lanes is known, NULL: there is
 * none; lanes exit; the warp has no more instructions. */
void staged_arrive(struct staged_sm *, struct staged_warp *, const struct inst *);
void staged_gathered(struct staged_sm *, struct staged_warp *, const struct inst *next);
void staged_exit(struct staged_sm *, struct staged_warp *, rp_lanemask lanes);
void staged_warp_ended(struct staged_sm *, struct staged_warp *);
/* charge.c: cycles of sub-cores. Those of an SM from now on; those in which nothing was there; a warp comes, and goes;
 * an instruction issues, after a stall for this reason if there was one; who answered, if that was an access. */
void staged_begin_launch(struct staged_sm *);
void staged_charge_idle(struct staged_sm *);
void staged_charge_enter(struct staged_sm *, struct staged_subcore *);
void staged_charge_leave(struct staged_sm *, const struct staged_warp *);
void staged_charge_issue(struct staged_sm *, struct staged_subcore *, const struct inst *, enum stall,
                         enum response_level);
/* Nothing issues: notes why latches stay taken. */
void staged_note_latches(struct staged_sm *, unsigned subcore);
/* report.c: events for an observer. A block is placed, or leaves; an instruction issues, goes to its unit (with
 * reports_done), and is done (with reports_done). */
void staged_report_block(const struct staged_sm *, const struct staged_block *, bool leaves);
void staged_report_issue(const struct staged_sm *, struct staged_warp *, struct inst *, bool second);
void staged_report_dispatch(const struct staged_sm *, struct inst *);
void staged_report_done(const struct staged_sm *, const struct staged_warp *, const struct staged_flight *);
/* The instruction ends a stall, which may be of no cycle; the last warp of a sub-core leaves. */
void staged_report_stall(const struct staged_sm *, const struct inst *, const struct engine_stall *);
void staged_report_drain(const struct staged_sm *, const struct staged_warp *, uint64_t cycles);
/* A packet ends at a level. */
void staged_report_access(const struct staged *, const struct packet *, enum cache_kind, enum response_level);
/* Counts the cycles that the SM slept through. */
void staged_catch_up(struct staged_sm *);
/* front.c: blocks, fetch, issue */
bool staged_place_blocks(struct staged *);
void staged_front(struct staged_sm *);
void staged_fetch(struct staged_sm *);
uint64_t staged_fetch_next(const struct staged_sm *); /* as staged_units_next */
void staged_release(struct staged_sm *, struct staged_warp *, int32_t reg);
/* Part of what a register waits for has come from there; reg -1: of an atomic, for which the whole warp waits. */
void staged_answered(struct staged_sm *, struct staged_warp *, int32_t reg, enum response_level);
/* Something has ended for which the warp may wait before it leaves. */
static inline void staged_may_leave(struct staged_sm *sm, const struct staged_warp *w)
{
    sm->changed = true;
    if (w->done && !w->retired && !w->in_pipeline && !w->stores && !w->pending)
        sm->leaving |= 1ull << w->place;
}
/* The same, or before its next instruction issues. */
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
/* All collectors of the sub-core are taken, and one of them has not read all of its operands. */
bool staged_reads(const struct staged_sm *, unsigned subcore);
/* A result goes to its bank in this cycle. False: another one does. */
bool staged_write_bank(struct staged_sm *, const struct staged_warp *, int32_t reg);
uint64_t staged_units_next(const struct staged_sm *); /* the SM's cycle in which one of them may do something */
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
/* The first cycles in which something of the chip may happen, unless an SM does something. Of SMs; of L2, counted by
 * the core; of device memory; of device memory again, but counted by the core. */
struct staged_wake {
    uint64_t core, l2, dram, dram_core;
};
void staged_chip_next(const struct staged *, struct staged_wake *);
unsigned staged_slice_of(const struct staged *, uint64_t address);
void staged_copy(struct staged *, uint64_t address, uint64_t size);
/* dram.c */
bool staged_dram_new(struct staged *);
void staged_dram_free(struct staged *);
void staged_dram_cycle(struct staged *);
/* The launch at hand has what the channels have counted since the one before it ended. */
void staged_dram_count(struct staged *, uint64_t *channels);

struct packet *staged_packet(struct staged *);
void staged_packet_free(struct staged *, struct packet *);
struct inst *staged_inst(struct staged *);
void staged_inst_free(struct staged *, struct inst *);
/* Some component was awake: no clock is quiet. */
static inline void staged_stir(struct staged *g) { g->quiet = 0; }
static inline void staged_push(struct staged *g, struct fifo *f, void *item) { g->no_memory |= !fifo_push(f, item); }

#endif
