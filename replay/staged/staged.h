/* The staged pipeline: an SM, and the chip behind it, stepped in every cycle. Written to be read, after the rules of
 * docs/accelsim.md; numbers of rules there are named here.
 *
 * A pass of staged_run is one step of the clocks. The stages of an SM run from back to front, so that an instruction
 * goes one stage on in a cycle.
 */
#ifndef REPRISE_REPLAY_STAGED_STAGED_H
#define REPRISE_REPLAY_STAGED_STAGED_H

#include "hw-models/dram-channel/dram-channel.h"
#include "hw-models/pipeline/pipeline.h"
#include "hw-models/sector-cache/sector-cache.h"
#include "replay/engine.h"
#include "replay/meaning.h"

#define STAGED_SOURCES 4  /* registers that an instruction may read and that are looked at */
#define STAGED_BUFFER 2   /* instructions of a warp that were fetched */
#define STAGED_RING 1024u /* cycles ahead for which results are planned */
#define STAGED_UNITS MACHINE_UNITS
#define STAGED_SUBCORES 16
#define STAGED_MOST_COLLECTORS 64

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

/* ---- what is under way ------------------------------------------------------------------------------------------- */

/* Static, for each instruction of the kernel. */
struct staged_static {
    uint8_t unit;
    uint16_t latency, initiation; /* latency: from the unit's acceptance to its end, as Accel-Sim counts */
    int32_t dst;                  /* register number, -1: none */
    int32_t src[STAGED_SOURCES];  /* distinct ones */
    uint8_t src_count;
    bool is_memory, is_exit, is_barrier, is_fence;
};

struct access {
    uint64_t address; /* of a sector */
    uint32_t bytes;   /* touched */
    uint8_t lanes;    /* of an atomic */
};

/* An instruction in the pipeline. */
struct inst {
    const struct staged_static *s;
    uint32_t warp; /* hardware warp */
    uint64_t age;  /* order of issue */
    uint32_t delay;
    bool shared, load, store, atomic, bypass, any_lane;
    uint32_t conflict;     /* cycles that shared memory takes */
    uint32_t access_count; /* left; the last is next */
    uint32_t lanes;        /* of an atomic in shared memory */
    struct access *accesses;
    uint32_t access_room;
    struct inst *next;
};

enum packet_kind { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC, PACKET_WRITE_BACK };
struct packet {
    uint64_t address, ready; /* ready: when its time is over where it waits */
    uint32_t bytes, warp, sectors;
    int32_t dst;
    uint16_t sm, slice;
    uint8_t kind, lanes;
    bool bypass;
    struct packet *next;
};

/* ---- an SM ------------------------------------------------------------------------------------------------------- */

struct staged_block;
struct staged_warp {
    struct staged_block *block; /* NULL: the place is free */
    struct rp_cursor cursor;
    uint32_t number;
    bool started, over, done, retired; /* over: the cursor has no more; done: its last instruction issued */
    bool waits_at_barrier, waits_at_fence;
    uint32_t at_barriers;
    struct inst *buffer[STAGED_BUFFER];
    unsigned buffered; /* index of the next is STAGED_BUFFER - buffered where both were filled */
    unsigned buffer_at;
    uint32_t in_pipeline, stores, atomics, pending; /* pending: registers */
    uint8_t *is_pending, *is_long;                  /* by register number */
    uint16_t *writes;                               /* sectors that a register waits for */
};

struct staged_block {
    uint64_t index;
    struct rp_block *trace;
    unsigned slot, warps, live, at_barrier, done;
};

struct collector {
    struct inst *inst;
    uint32_t unread;
};
struct unit {
    struct inst *dispatch;
    uint64_t occupied[STAGED_RING / 64]; /* cycles in which a result ends */
};
struct bank {
    uint8_t queue[STAGED_MOST_COLLECTORS * STAGED_SOURCES]; /* collectors, one entry for each operand */
    unsigned head, count;
    bool written;
};

struct staged_sm {
    struct staged *chip;
    unsigned number;
    uint64_t cycle; /* of those in which it had something to do */
    struct staged_block **slots;
    unsigned slot_count, live_blocks, live_warps;
    struct staged_warp *warps;
    void *scheduler[STAGED_SUBCORES];
    unsigned first_scheduler, last_fetched;
    int fetched; /* the warp in the latch, -1: none */
    struct inst *issued[STAGED_UNITS][STAGED_SUBCORES], *collected[STAGED_UNITS][STAGED_SUBCORES];
    struct collector collectors[STAGED_MOST_COLLECTORS];
    unsigned last_dispatched[STAGED_MOST_COLLECTORS];
    struct bank banks[STAGED_SUBCORES * 16];
    struct unit units[STAGED_UNITS][STAGED_SUBCORES];
    struct inst *ends[STAGED_RING]; /* results written back in a cycle, in order */
    struct inst **ends_last[STAGED_RING];
    uint8_t buses[STAGED_RING];
    /* load/store unit */
    struct inst *dispatch, **shared_pipe;
    uint32_t in_shared, in_l1; /* in the stages of shared memory, and of L1's banks */
    unsigned next_client;
    struct {
        bool full, shared;
        uint32_t warp;
        int32_t dst;
    } result;
    struct packet *bypassed;
    struct packet **l1_queue; /* bank × latency */
    struct sector_cache *l1;
    uint32_t l1_ways;
    bool l1_used;
    struct fifo misses, replies, ejected;
};

/* ---- the chip ---------------------------------------------------------------------------------------------------- */

struct slice {
    struct fifo rop, in, out, to_dram, from_dram, misses;
    struct sector_cache *l2;
    uint32_t port_busy;
    uint64_t copies; /* sectors preloaded: its clock is as much ahead */
};
struct channel {
    struct dram_channel *dram;
    struct fifo waiting;
    unsigned last;
    uint32_t credits[2], shared;
};
struct crossbar {
    unsigned ports;
    struct fifo *in, *out; /* by port: SMs, then slices */
    unsigned *next;
    uint32_t packets; /* in all inputs */
};

struct staged {
    const struct machine *machine;
    const int64_t *o; /* options of the pipeline */
    struct staged_sm *sms;
    struct slice *slices;
    struct channel *channels;
    struct crossbar requests, replies;
    unsigned slice_count;
    double core_time, dram_time;
    uint64_t cycle; /* of the core, all launches together */
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
    uint64_t blocks, next_block, live_blocks, begin, age, countdown;
    unsigned limit, warps_per_block, next_sm;
    struct statistics *statistics;
    struct rp_error *err;
    bool failed;
};

/* program.c */
bool staged_statics(struct staged *, struct rp_error *);
/* front.c: blocks, fetch, issue */
bool staged_place_blocks(struct staged *);
void staged_front(struct staged_sm *);
void staged_fetch(struct staged_sm *);
void staged_release(struct staged_warp *, int32_t reg);
/* access.c: the accesses of an instruction */
bool staged_accesses(struct staged_sm *, struct staged_warp *, const struct rp_step *, struct inst *);
/* collect.c: operands, units, write-back of units */
void staged_write_back(struct staged_sm *);
void staged_execute(struct staged_sm *);
void staged_read_operands(struct staged_sm *);
unsigned staged_bank(const struct staged_sm *, const struct inst *, int32_t reg);
/* lsu.c */
void staged_lsu_cycle(struct staged_sm *);
void staged_lsu_receive(struct staged_sm *);
/* chip.c */
bool staged_chip_new(struct staged *);
void staged_chip_free(struct staged *);
void staged_slices_reply(struct staged *);
void staged_slices_cycle(struct staged *);
void staged_dram_cycle(struct staged *);
void staged_crossbar_cycle(struct staged *, struct crossbar *);
bool staged_crossbar_room(const struct staged *, const struct crossbar *, unsigned port);
void staged_crossbar_send(struct staged *, struct crossbar *, unsigned port, struct packet *);
unsigned staged_slice_of(const struct staged *, uint64_t address);
void staged_copy(struct staged *, uint64_t address, uint64_t size);

struct packet *staged_packet(struct staged *);
void staged_packet_free(struct staged *, struct packet *);
struct inst *staged_inst(struct staged *);
void staged_inst_free(struct staged *, struct inst *);
static inline void staged_push(struct staged *g, struct fifo *f, void *item) { g->no_memory |= !fifo_push(f, item); }

/* staged.c */
static inline bool staged_is(const struct machine *m)
{
    return ((const struct pipeline_model *)m->pipeline.model)->staged;
}
struct staged *staged_new(const struct machine *, struct rp_error *);
void staged_free(struct staged *);
/* The next launch, alone: caches, device memory and clocks are as the one before left them. */
bool staged_run(struct staged *, const struct engine_job *, struct statistics *sum, struct rp_error *);

#endif
