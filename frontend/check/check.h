/* Checks that a person asks for, beside bounds and alignment of each access, which are always checked: as
 * compute-sanitizer has them (initcheck, racecheck, synccheck).
 *
 * INIT  an access reads bytes of shared or local memory that nobody has written since the block or thread began, or of
 *       an allocation of device memory of which the host has had no view, and which it has not filled, that neither it
 *       nor a kernel has written since it was made.
 * RACE  two accesses touch the same bytes, at least one of them stores, not both are strong (atomic, volatile, .relaxed
 *       and stronger), and nothing orders them.
 * SYNC  a barrier that is .aligned is reached by a part of a warp; a shuffle reads from a lane that takes no part; a
 *       lane executes a collective whose member mask does not name it; a block ends before all have come to a barrier.
 * MEMORY  an access is out of bounds or misaligned, as it is without checks, but the run goes on: the lane's access is
 *       left out, and what it loads is 0. A bad copy, barrier object or image still ends the launch.
 *
 * What orders two accesses (PTX ISA, "Memory Consistency Model", read generously, so that what is reported is a race):
 * - the same thread; before Volta also the same warp;
 * - a barrier of the block that completes between them, whoever takes part in it;
 * - in one warp, a warp barrier or collective between them, whichever lanes take part;
 * - otherwise the first one's warp (in another block: its block) releases it afterwards, by a fence or .release, or, if
 *   it is a load or strong, by any strong access; and after that the second one's warp (block) makes a fence or strong
 *   access, before its own. Between blocks, not with a scope that is the block.
 * Two stores of one instruction by lanes of a warp are not reported, nor are stores of what is there.
 *
 * Launches with checks run in the fixed order, on one thread. A finding is one place in the code, or one pair of
 * places, with what was seen there first; the run goes on. */
#ifndef REPRISE_FRONTEND_CHECK_CHECK_H
#define REPRISE_FRONTEND_CHECK_CHECK_H

#include <stdio.h>

#include "frontend/core/engine.h"
#include "tracefmt/source_text.h"

enum rp_check_kind { RP_CHECK_INIT = 1, RP_CHECK_RACE = 2, RP_CHECK_SYNC = 4, RP_CHECK_MEMORY = 8 };
#define RP_CHECK_ALL (RP_CHECK_INIT | RP_CHECK_RACE | RP_CHECK_SYNC) /* beside MEMORY */
#define RP_CHECK_FINDINGS 100 /* of which the text is kept, where nothing else is said */

/* A call that the compiler replaced by the function's body. */
struct rp_check_call {
    char *function, *file; /* whose body it is, mangled as in the module; where the call stands, NULL: unknown */
    uint32_t line;
};
/* One of the accesses of a finding, or where a thread was. */
struct rp_check_place {
    uint32_t instruction; /* static index */
    uint32_t block[3], thread[3];
    uint8_t access; /* enum rp_access_kind; nothing of SYNC */
    char *file;     /* of the source, NULL: unknown */
    uint32_t line;
    struct rp_check_call *calls; /* whose inlined bodies it is in, from the innermost out */
    uint32_t call_count;
};
struct rp_finding {
    enum rp_check_kind kind;
    uint8_t space;    /* enum rp_space; RP_SPACE_NONE: it is about no memory */
    uint64_t address; /* in its space */
    uint32_t size;    /* bytes of the access */
    uint64_t memory;  /* where the buffer begins that it is in, 0: of no buffer, or it is not told */
    struct rp_check_place here, other;
    bool two;       /* there is another place */
    uint64_t times; /* how often it was seen here */
    char *kernel;
    char *text;       /* the report: one line */
    uint64_t program; /* the identity of the kernel */
};

/* Findings of any number of launches, one launch after the other. */
struct rp_check;
/* NULL: no memory. `limit`: findings that are kept; more are counted. */
struct rp_check *rp_check_new(unsigned kinds, uint32_t limit);
void rp_check_free(struct rp_check *);
size_t rp_check_count(const struct rp_check *);
const struct rp_finding *rp_check_finding(const struct rp_check *, size_t);
/* Calls it for the lines of the source that the finding is about, as far as they can be read: those of its places and,
 * of inlined code, of the outermost calls. */
void rp_finding_source(const struct rp_finding *, struct source_files *, source_line_fn *, void *user);
/* Places beyond the limit. */
uint64_t rp_check_dropped(const struct rp_check *);
/* MEMORY: the first access of the last launch that was left out; NULL: none was. */
const struct fault *rp_check_left_out(const struct rp_check *);
/* Why not everything was checked, a sentence without an end; NULL: everything was. */
const char *rp_check_incomplete(const struct rp_check *);

/* All of it as an object of JSON: findings, findings_not_shown and, if there is one, incomplete and fault, NULL: none
 * ended a launch (docs/checks.md).
 * The caller looks for errors of the file. */
void rp_check_write_json(const struct rp_check *, const char *fault, FILE *);

/* "load", "store" or "atomic". */
const char *check_access_name(uint8_t access);

/* For launches. False: no memory. */
bool check_launch_begin(struct rp_check *, const struct grid *);
void check_launch_end(struct rp_check *);
/* The host has written these bytes of an allocation. */
/* Of bytes of an allocation that the host reads, how many nobody has written, where that is looked for, and of these
 * the first; bytes that it copies to another one count as written there if they did here. Both lie within. */
uint64_t check_host_unwritten(struct rp_check *, const struct allocation *, uint64_t offset, uint64_t bytes,
                              uint64_t *first);
void check_host_copied(struct rp_check *, const struct allocation *, uint64_t offset, const struct allocation *from,
                       uint64_t from_offset, uint64_t bytes);
void check_host_wrote(struct rp_check *, const struct allocation *, uint64_t offset, uint64_t bytes);
/* Before a block's first instruction, and after its last; its observer. False: no memory. */
bool check_block_begin(struct rp_check *, struct block *);
void check_block_end(struct rp_check *, struct block *);

#endif
