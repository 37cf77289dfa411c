/* A chip of many cores while a launch runs on it. */
#ifndef REPRISE_REPLAY_ENGINES_CORES_CHIP_H
#define REPRISE_REPLAY_ENGINES_CORES_CHIP_H

#include "hw-models/cache/lines.h"
#include "replay/base/layout.h"
#include "replay/base/trace_semantics.h"
#include "replay/engines/cores/agenda.h"
#include "replay/engines/cores/cores.h"

#define NOBODY UINT32_MAX

/* Why a core waits. */
enum request_kind { REQUEST_FETCH, REQUEST_LOAD, REQUEST_STORE };
enum core_status { CORE_RUNS, CORE_WAITS, CORE_AT_BARRIER, CORE_ENDED };

/* What a core's message to a bank asks for, until the answer is back. */
struct request {
    enum request_kind kind;
    uint32_t line;  /* number of its line, of the size of the core's cache */
    uint64_t sent;  /* when it left, after which the core waits */
    uint64_t ready; /* the bank has looked it up; with msi others' copies are asked for from then on, */
    uint64_t apart; /* which takes so long */
    bool with_data; /* the answer has the line */
    enum response_level level;
    uint32_t next; /* that waits for the same miss; NOBODY: none */
};

struct core {
    uint32_t id, lane;
    struct rp_cursor cursor;
    bool open; /* the cursor */
    enum core_status status;
    struct lines l1i, l1d;
    uint64_t time; /* the cycle in which it goes on */
    /* The instruction at hand, and what is left of it: bytes [at, end) of its code or, once `operand` is above 0, of
     * the access of operand - 1. */
    bool has_step;
    struct rp_step step;
    uint32_t operand;
    uint64_t at, end;
    struct request request;
    uint64_t number; /* of its next message */
    struct core_counts counts;
    /* for observers: instructions so far, where the wait of this one began */
    uint64_t issued;
};

/* The barrier of guests, of all cores that have not ended, whatever their block. */
struct barrier {
    uint32_t live, arrived;
    uint64_t latest; /* the latest arrival or end so far */
};

/* A line that a bank has asked device memory for. */
struct miss {
    uint32_t line, bank, core; /* core: whose access began it */
    bool dirty;                /* a core wrote it back meanwhile */
    uint32_t first, last;      /* requests that wait for it, by their cores; NOBODY: none */
    uint32_t next;             /* of its hash, or free */
};
#define MISS_HEADS 4096u

struct bank {
    struct lines lines;
    uint64_t free; /* the first cycle in which it takes another look-up */
    uint32_t tile;
};

/* A write or a read that its channel refused. */
struct refused {
    uint64_t address;
    uint32_t miss; /* NOBODY: a write */
    uint32_t next;
};

struct channel {
    void *state; /* of the model of device memory */
    uint32_t tile;
    uint64_t advance; /* the cycle of its EVENT_ADVANCE that counts; ENGINE_NEVER: none */
    struct refused *waiting;
    size_t waiting_count, waiting_first, waiting_room;
};

/* Who has a line in its data cache (coherence msi). */
struct holders {
    uint32_t line;        /* + 1; 0: a free entry of the table */
    uint32_t owner;       /* who has it modified; NOBODY: none */
    uint64_t owned_from;  /* the owner has the line from this cycle on; */
    uint64_t shared_from; /* the last of the others, from this one on */
};

struct directory {
    struct holders *table; /* open addressing */
    uint64_t *sharers;     /* [room][words], a bit for each core that has the line */
    uint32_t room, count, words;
};

struct chip {
    const struct machine *machine;
    const struct engine_job *job;
    const struct engine_launch *of;
    bool plain; /* every core makes one access, and one instruction, at a time */
    bool msi;
    uint32_t core_count, block_cores; /* block_cores: of a block of the trace */
    struct core *cores;
    struct barrier barrier;
    uint16_t *column, *row; /* of tiles */
    struct bank *banks;
    uint32_t bank_count, channel_count;
    struct channel *channels;
    struct memory_parts parts; /* of addresses among channels */
    const struct dram_model *dram;
    uint64_t dram_sector;
    unsigned l1i_shift, l1d_shift, l2_shift; /* log2 of line sizes */
    struct agenda agenda;
    uint64_t number; /* of the next event that no core makes */
    struct directory directory;
    struct miss *misses;
    uint32_t miss_room, miss_free; /* miss_free: the first free one; NOBODY: none */
    uint32_t miss_heads[MISS_HEADS];
    struct statistics *counts; /* of the launch; those of cores are added at its end */
    uint64_t now;
    uint64_t end; /* the latest end of a core */
    bool failed;  /* *err says why */
    struct rp_error *err;
};

/* Fails for want of memory. */
void chip_out_of_memory(struct chip *);
void chip_add_event(struct chip *, uint64_t cycle, enum event_kind, uint32_t who, uint64_t number, uint32_t what);

/* mesh.c: a message from tile to tile with so many bytes of data, for the core that counts it. Returns its time. */
uint64_t mesh_send(const struct chip *, uint32_t from, uint32_t to, uint64_t bytes, struct core_counts *);
/* The tile of part `number` of `count` that are spread evenly over the tiles. */
uint32_t mesh_spread(const struct chip *, uint64_t number, uint64_t count);

/* core.c: the core goes on in its cycle, until it waits, ends, or others come first. */
void core_run(struct chip *, struct core *);
/* The answer to its request is there in this cycle. */
void core_answered(struct chip *, struct core *, uint64_t cycle);

/* bank.c */
void bank_request(struct chip *, struct core *);
void bank_write_back(struct chip *, struct core *, uint32_t line);
void bank_filled(struct chip *, uint32_t miss);
/* The bank of a line of L2. */
static inline uint32_t bank_of(const struct chip *c, uint32_t l2_line) { return l2_line % c->bank_count; }

/* channel.c */
void channel_read(struct chip *, uint32_t channel, uint32_t miss);
void channel_write(struct chip *, uint32_t channel, uint32_t l2_line);
void channel_advance(struct chip *, uint32_t channel);

/* directory.c */
bool directory_open(struct directory *, uint32_t cores);
void directory_close(struct directory *);
/* The entry of a line, which is made if there is none; NULL: out of memory. */
struct holders *directory_of(struct directory *, uint32_t line);
static inline uint64_t *directory_sharers(const struct directory *d, const struct holders *h)
{
    return d->sharers + (size_t)(h - d->table) * d->words;
}
/* A core's line goes. */
void directory_forget(struct directory *, uint32_t line, uint32_t core);

#endif
