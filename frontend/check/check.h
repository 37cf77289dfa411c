/* Optional checks, in addition to bounds and alignment of each access, which are always checked. They correspond to
 * compute-sanitizer's initcheck, racecheck and synccheck.
 *
 * INIT  an access reads bytes of shared or local memory that no thread has written since the block or thread began; or
 *       bytes of a device allocation that neither the host nor a kernel has written since it was allocated, if the host
 *       has had no view of the allocation and has not filled it.
 * RACE  two accesses touch the same bytes, at least one of them stores, not both are strong (atomic, volatile, .relaxed
 *       and stronger), and nothing orders them.
 * SYNC  part of a warp reaches a barrier that is .aligned; a shuffle reads from a lane that takes no part; a lane
 *       executes a collective whose member mask does not name it; a block ends before all threads have come to a
 *       barrier.
 * MEMORY  an access is out of bounds or misaligned. Without this check that ends the launch; with it the lane's access
 *       is left out, what it loads is 0, and the run goes on. A bad copy, barrier object or image still ends the
 *       launch.
 *
 * What orders two accesses (PTX ISA, "Memory Consistency Model", interpreted so that everything reported is a race):
 * - they are by the same thread; before Volta also by the same warp;
 * - a barrier of the block completes between them, whichever threads take part;
 * - they are in one warp, with a warp barrier or collective between them, whichever lanes take part;
 * - otherwise the first one's warp (in another block: its block) releases it afterwards, by a fence or .release, or, if
 *   it is a load or strong, by any strong access; and after that the second one's warp (block) makes a fence or strong
 *   access, before its own. Between blocks, a scope of one block does not count.
 * Not reported are two stores of one instruction by lanes of a warp, and stores that do not change the value.
 *
 * Launches with checks run in the fixed order, on one thread. A finding is one source location, or one pair of them,
 * described as it first occurred; the run goes on. */
#ifndef REPRISE_FRONTEND_CHECK_CHECK_H
#define REPRISE_FRONTEND_CHECK_CHECK_H

#include <stdio.h>

#include "frontend/core/engine.h"
#include "tracefmt/source_text.h"

enum rp_check_kind { RP_CHECK_INIT = 1, RP_CHECK_RACE = 2, RP_CHECK_SYNC = 4, RP_CHECK_MEMORY = 8 };
#define RP_CHECK_ALL (RP_CHECK_INIT | RP_CHECK_RACE | RP_CHECK_SYNC) /* all but MEMORY */
#define RP_CHECK_FINDINGS 100 /* the default number of findings whose text is kept */

/* A call that the compiler replaced by the function's body. */
struct rp_check_call {
    char *function, *file; /* the function, mangled as in the module; the file of the call, NULL: unknown */
    uint32_t line;
};
/* One of a finding's accesses, or where a thread was: its source location and thread. */
struct rp_check_location {
    uint32_t instruction; /* static index */
    uint32_t block[3], thread[3];
    uint8_t access; /* enum rp_access_kind; unused for SYNC */
    char *file;     /* source file; NULL: unknown */
    uint32_t line;
    struct rp_check_call *calls; /* the inlined calls around it, innermost first */
    uint32_t call_count;
};
struct rp_finding {
    enum rp_check_kind kind;
    uint8_t space;    /* enum rp_space; RP_SPACE_NONE: not about memory */
    uint64_t address; /* in its space */
    uint32_t size;    /* bytes of the access */
    uint64_t memory;  /* address of the buffer that holds it; 0: in no buffer, or unknown */
    struct rp_check_location here, other;
    bool two;       /* `other` is valid */
    uint64_t times; /* how often it occurred */
    char *kernel;
    char *text;       /* the report: one line */
    uint64_t program; /* identity of the kernel */
};

/* The findings of any number of launches, one launch after another. */
struct rp_check;
/* NULL: out of memory. `limit`: findings that are kept; further ones are only counted. */
struct rp_check *rp_check_new(unsigned kinds, uint32_t limit);
void rp_check_free(struct rp_check *);
size_t rp_check_count(const struct rp_check *);
const struct rp_finding *rp_check_finding(const struct rp_check *, size_t);
/* Calls the function for each source line of the finding that can be read: the lines of its locations and, for inlined
 * code, of the outermost calls. */
void rp_finding_source(const struct rp_finding *, struct source_files *, source_line_fn *, void *user);
/* The number of findings beyond the limit. */
uint64_t rp_check_dropped(const struct rp_check *);
/* MEMORY: the first access of the last launch that was left out. NULL: none. */
const struct fault *rp_check_left_out(const struct rp_check *);
/* Why the checks are incomplete, a sentence without a full stop. NULL: they are complete. */
const char *rp_check_incomplete(const struct rp_check *);

/* Writes everything as one JSON object: findings, findings_not_shown, and, if present, incomplete and fault
 * (docs/checks.md). fault NULL: no fault ended a launch. The caller checks the file for errors. */
void rp_check_write_json(const struct rp_check *, const char *fault, FILE *);

/* "load", "store" or "atomic". */
const char *check_access_name(uint8_t access);

/* Called by launches. False: out of memory. */
bool check_launch_begin(struct rp_check *, const struct grid *);
void check_launch_end(struct rp_check *);
/* check_host_wrote: the host has written these bytes of an allocation. check_host_unwritten: of bytes that the host
 * reads, the number that nobody has written, if that is checked, and the first of them. check_host_copied: bytes that
 * the host copies count as written at the destination if they did at the source. The bytes lie within the allocations.
 */
uint64_t check_host_unwritten(struct rp_check *, const struct allocation *, uint64_t offset, uint64_t bytes,
                              uint64_t *first);
void check_host_copied(struct rp_check *, const struct allocation *, uint64_t offset, const struct allocation *from,
                       uint64_t from_offset, uint64_t bytes);
void check_host_wrote(struct rp_check *, const struct allocation *, uint64_t offset, uint64_t bytes);
/* Called before a block's first instruction, and after its last; the block's observer. False: out of memory. */
bool check_block_begin(struct rp_check *, struct block *);
void check_block_end(struct rp_check *, struct block *);

#endif
