/* Reading a trace: open it, read its tables, and walk through what the warps of any block did.
 *
 * Blocks are found through the index and decoded on demand, a chunk at a time; the open blocks bound the memory in use,
 * not the size of the file. All functions may be called from several threads on one trace; a block or cursor belongs to
 * one thread at a time. */
#ifndef REPRISE_TRACEFMT_READER_H
#define REPRISE_TRACEFMT_READER_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

struct rp_trace;

/* A damaged or truncated file opens if its header and the tables of at least one launch are whole. rp_trace_damage then
 * says what is missing, and only whole chunks can be read. Any other file is an error. */
struct rp_trace *rp_trace_open(const char *path, struct rp_error *);
void rp_trace_close(struct rp_trace *);
/* Completes the file that a writer left at `part` when its process was killed: everything before the first damage gets
 * an index and the name `path`. *launches: their number; 0: the file held none and is removed. False: the writer is
 * still alive (RP_USAGE), or something failed and the file stays. */
bool rp_trace_recover(const char *part, const char *path, uint32_t *launches, struct rp_error *);
const char *rp_trace_damage(const struct rp_trace *); /* NULL: whole */

const char *rp_trace_path(const struct rp_trace *);
const struct rp_provenance *rp_trace_provenance(const struct rp_trace *);
const char *rp_trace_sha256(struct rp_trace *, struct rp_error *); /* of the file, computed on first use */
/* Whether nobody has written into the file since it was opened, by its size and time; another file of its name, and its
 * removal, do not matter. What was read of a file that changed is worth nothing. False: RP_SYSTEM. */
bool rp_trace_unchanged(const struct rp_trace *, struct rp_error *);
uint64_t rp_trace_file_bytes(const struct rp_trace *);

uint32_t rp_trace_kernel_count(const struct rp_trace *);
const struct rp_kernel *rp_trace_kernel(const struct rp_trace *, uint32_t kernel);
uint32_t rp_trace_launch_count(const struct rp_trace *);
const struct rp_launch *rp_trace_launch(const struct rp_trace *, uint32_t launch);
/* NULL: the launch's end was not reached (recording cut short). */
const struct rp_launch_end *rp_trace_launch_end(const struct rp_trace *, uint32_t launch);

uint32_t rp_trace_module_count(const struct rp_trace *);
const struct rp_module *rp_trace_module(const struct rp_trace *, uint32_t module);
/* Host operations in order; each says how many launches began before it. */
size_t rp_trace_host_operation_count(const struct rp_trace *);
const struct rp_host_operation *rp_trace_host_operation(const struct rp_trace *, size_t operation);
/* The allocations that exist when the launch begins, ascending by address: the launch's own list, if it has one, else
 * what the host operations before it left. *list is malloced. */
bool rp_trace_allocations(const struct rp_trace *, uint32_t launch, struct rp_allocation **list, size_t *count,
                          struct rp_error *);

/* From the index alone; nothing is decoded. */
struct rp_launch_totals {
    uint64_t
        blocks; /* blocks whose beginning is in the trace: equals the grid unless recording was cut short or faulted */
    uint64_t warp_instructions;
    uint64_t thread_instructions; /* lanes that executed, summed over warp instructions */
    uint64_t compressed_bytes, raw_bytes;
    uint64_t chunks;
};
struct rp_launch_totals rp_trace_launch_totals(const struct rp_trace *, uint32_t launch);
/* Warp instructions of the launch's blocks before `block`. Exact where a chunk ends; within a chunk all blocks count
 * the same, as do all blocks of a launch in which some block has several pieces. From the index alone. */
double rp_trace_instructions_before(const struct rp_trace *, uint32_t launch, uint64_t block);

/* A hash of 128 bits of all that the launch's blocks did: launches of one kernel with equal geometry and equal hashes
 * hold the same steps with the same addresses. Decompresses the launch, but decodes nothing. */
struct rp_launch_hash {
    uint64_t word[2];
};
bool rp_trace_launch_hash(struct rp_trace *, uint32_t launch, struct rp_launch_hash *, struct rp_error *);

/* Reads the whole file: every checksum, columns against one another, the index against the content. Calls progress (may
 * be NULL) with bytes done and total. False: err names the first error. */
bool rp_trace_verify(struct rp_trace *, void (*progress)(void *, uint64_t done, uint64_t total), void *,
                     struct rp_error *);

/* Executed instructions by class: warp instructions, and lanes that executed them. */
struct rp_class_counts {
    uint64_t warp[RP_CLASS_COUNT], thread[RP_CLASS_COUNT];
};
/* Decodes the whole launch, but walks each shared path only once. progress (may be NULL) gets chunks done and their
 * total. */
bool rp_trace_class_counts(struct rp_trace *, uint32_t launch, struct rp_class_counts *,
                           void (*progress)(void *, uint64_t done, uint64_t total), void *, struct rp_error *);

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

struct rp_block;
struct rp_block *rp_block_open(struct rp_trace *, uint32_t launch, uint64_t block, struct rp_error *);
void rp_block_close(struct rp_block *);
uint32_t rp_block_warps(const struct rp_block *);
/* Warp instructions of the block. Looks at runs, not at single steps. */
bool rp_block_instructions(struct rp_block *, uint64_t *instructions, struct rp_error *);

/* One executed warp instruction. */
struct rp_step {
    const struct rp_instruction *instruction;
    uint32_t index;             /* of the static instruction in its kernel */
    rp_lanemask active;         /* lanes on this path */
    rp_lanemask executed;       /* of these, the lanes whose guard is true; equals active without a guard */
    uint64_t aux;               /* the first aux value; valid with RP_HAS_AUX and executed != 0 */
    const uint64_t *aux_values; /* all rp_aux_count(instruction) of them; valid until the next step */
    const struct rp_dynamic_access
        *accesses; /* instruction->memory_count of them when executed != 0; valid until the next step */
};
struct rp_dynamic_access {
    uint64_t base;
    const struct rp_pattern *pattern;
};

/* A position in one warp's instruction stream. Treat it as opaque and read it through rp_cursor_next.
 *
 * Patterns keep their addresses only while the cursor is in the same piece of its block, which a caller cannot see:
 * across calls of rp_cursor_next keep a pattern's hash, not its address. */
struct rp_cursor {
    struct rp_block *block;
    const struct rp_instruction *instructions;
    const struct rp_run *run, *run_end;
    uint32_t at; /* instructions of *run already returned */
    const rp_lanemask *guard;
    const uint64_t *aux;
    const struct rp_dynamic_access *access;
    uint32_t warp, piece;
    void *piece_data;
};
/* Positions *c before the first instruction of `warp`. The cursor holds a reference to its current piece;
 * rp_cursor_close releases it. */
bool rp_cursor_open(struct rp_cursor *, struct rp_block *, uint32_t warp, struct rp_error *);
void rp_cursor_close(struct rp_cursor *);
/* A lower bound on the instructions left in the warp's instruction stream, less `exits` per run. It may stop counting
 * at `enough`. */
uint64_t rp_cursor_left(const struct rp_cursor *, uint32_t exits, uint64_t enough);
/* Looks at the beginning of a warp's instruction stream, without opening its block. *first: its first run; *left: as
 * rp_cursor_left() counts it. False: the stream is empty, or the trace is damaged here. */
bool rp_trace_peek(struct rp_trace *, uint32_t launch, uint64_t block, uint32_t warp, uint32_t exits, uint64_t enough,
                   struct rp_run *first, uint64_t *left);
/* Moves on to the block's next piece. 1: there is one; 0: the instruction stream has ended; -1: the trace is damaged,
 * err is filled. */
int rp_cursor_refill(struct rp_cursor *, struct rp_error *);

/* 1: there is a next instruction; 0: the instruction stream has ended; -1: the trace is damaged here, err is filled. */
static inline int rp_cursor_more(struct rp_cursor *c, struct rp_error *err)
{
    while (c->run == c->run_end) {
        int more = rp_cursor_refill(c, err);
        if (more <= 0)
            return more;
    }
    return 1;
}
/* The index of the next instruction. Call it, and rp_cursor_take, after rp_cursor_more only. */
static inline uint32_t rp_cursor_index(const struct rp_cursor *c) { return c->run->start + c->at; }
/* Takes the next instruction. For callers that keep of an instruction what is needed here: its index, whether it is
 * guarded, rp_aux_count and memory_count. */
static inline void rp_cursor_take(struct rp_cursor *c, struct rp_step *step, uint32_t index, bool guarded, unsigned aux,
                                  uint32_t accesses)
{
    step->instruction = &c->instructions[index];
    step->index = index;
    step->active = c->run->active;
    step->executed = guarded ? *c->guard++ : step->active;
    step->aux = 0;
    step->aux_values = c->aux;
    step->accesses = c->access;
    if (step->executed) {
        if (aux) {
            step->aux = *c->aux;
            c->aux += aux;
        }
        c->access += accesses;
    }
    if (++c->at == c->run->length) {
        c->run++;
        c->at = 0;
    }
}

/* 1: *step is the next instruction; 0 and -1 as rp_cursor_more says. */
static inline int rp_cursor_next(struct rp_cursor *c, struct rp_step *step, struct rp_error *err)
{
    int more = rp_cursor_more(c, err);
    if (more <= 0)
        return more;
    uint32_t index = rp_cursor_index(c);
    const struct rp_instruction *in = &c->instructions[index];
    rp_cursor_take(c, step, index, in->flags & RP_GUARDED, rp_aux_count(in), in->memory_count);
    return 1;
}

/* The aux values of one memory operand: rp_operand_aux_count of them. */
static inline const uint64_t *rp_step_operand_aux(const struct rp_step *s, uint32_t operand)
{
    const uint64_t *at = s->aux_values;
    for (uint32_t m = 0; m < operand; m++)
        at += rp_operand_aux_count(&s->instruction->memory[m]);
    return at;
}

/* The same for one lane: *step is the next instruction on whose path the lane is. */
int rp_cursor_next_of(struct rp_cursor *, unsigned lane, struct rp_step *, struct rp_error *);

/* The offsets of all lanes; 0 for those outside the pattern's mask. */
void rp_pattern_offsets(const struct rp_pattern *, int64_t offset[RP_WARP_LANES]);
/* The addresses of the lanes in the pattern's mask; other entries are left alone. */
void rp_access_addresses(const struct rp_dynamic_access *, uint64_t address[RP_WARP_LANES]);
/* The address of one lane, which must be in the mask. */
uint64_t rp_access_address(const struct rp_dynamic_access *, unsigned lane);

#endif
