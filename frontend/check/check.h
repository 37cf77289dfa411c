/* Optional checks, in addition to bounds and alignment of each access, which are always checked. They correspond to
 * compute-sanitizer's initcheck, racecheck and synccheck.
 *
 * INIT  an access reads bytes of shared or local memory that no thread has written since the block or thread began; or
 *       bytes of a device allocation that neither the host nor a kernel has written since it was allocated, if the host
 *       has had no view of the allocation and has not filled it; and what it has read decides something (undefined.c),
 *       or is copied to the host and is no padding (host.c).
 * RACE  two accesses touch the same bytes, at least one of them stores, not both are strong (atomic, volatile, .relaxed
 *       and stronger), and nothing orders them.
 * SYNC  part of a warp reaches a barrier that is .aligned; a shuffle reads from a lane that takes no part; a lane
 *       executes a collective whose member mask does not name it; a block ends before all threads have come to a
 *       barrier.
 * MEMORY  an access is out of bounds or misaligned. Without this check that ends the launch; with it the lane's access
 *       is left out, what it loads is 0, and the run goes on, until RP_CHECK_LEFT_OUT of them: bounds of loops may
 *       come from such loads. A bad copy, barrier object or image still ends the launch.
 *
 * What orders two accesses (PTX ISA, "Memory Consistency Model", interpreted so that everything reported is a race):
 * - they are by the same thread; before Volta also by the same warp;
 * - a barrier of the block completes between them, whichever threads take part;
 * - they are in one warp, with a warp barrier or collective between them, whichever lanes take part;
 * - otherwise the first one's warp (in another block: its block) releases it afterwards, by a fence or .release, or, if
 *   it is a load or strong, by any strong access; and after that the second one's warp (block) makes a fence or strong
 *   access, before its own. Between blocks, a scope of one block does not count.
 * Lanes that store different values to one place by one instruction are a race. Not reported are stores that do not
 * change the value.
 *
 * Launches with checks run in the fixed order, on one thread. A finding is one source location, or one pair of them,
 * described as it first occurred; the run goes on. */
#ifndef REPRISE_FRONTEND_CHECK_CHECK_H
#define REPRISE_FRONTEND_CHECK_CHECK_H

#include "frontend/check/finding.h"
#include "frontend/core/engine.h"

/* The checks that observe accesses. */
#define RP_CHECK_ALL (RP_CHECK_INIT | RP_CHECK_RACE | RP_CHECK_SYNC)
/* With RACE: volatile accesses are not strong. An atomic that is not .release releases nothing. One that is not
 * .acquire acquires for volatile and strong accesses behind it, unless it is a compare-and-swap, which takes a lock and
 * needs a fence behind it (locks.c). */
#define RP_CHECK_STRICT 256
#define RP_CHECK_LEFT_OUT 100000 /* accesses of lanes that MEMORY leaves out of a launch before it ends */
#define RP_CHECK_FINDINGS 10000  /* the default number of findings that are kept */
#define RP_CHECK_SAID 100        /* the default number of them that are said */

/* The findings of any number of launches, one launch after another. */
struct rp_check;
/* NULL: out of memory. `kinds`: enum rp_check_kind, or-ed. `limit`: findings that are kept, without those that are
 * suppressed; further ones are only counted. */
struct rp_check *rp_check_new(unsigned kinds, uint32_t limit);
/* `complete` gets each new finding, and may add to it: stacks, fingerprint, `suppressed`. `added` gets it when it is
 * about to enter the list, unless it is beyond the limit. */
typedef void rp_check_found_fn(void *user, struct rp_finding *);
void rp_check_on_finding(struct rp_check *, rp_check_found_fn *complete, rp_check_found_fn *added, void *user);
/* Adds a finding that is not of an access, or counts it again if the list has one of its kind and `program`. Returns
 * the one in the list, NULL: it is beyond the limit. The list owns what it points to. */
struct rp_finding *rp_check_add(struct rp_check *, struct rp_finding);
/* Sets `here`: an instruction of a kernel, a thread, and the calls that it is in. The text gets the call by the
 * program's own code, if the instruction is no such code. */
void rp_finding_locate(struct rp_finding *, const struct program *, uint32_t instruction, const uint32_t block[3],
                       const uint32_t thread[3], const struct callers *);
/* While muted, launches keep the state of memory and add no findings. */
void rp_check_mute(struct rp_check *, bool muted);
/* Measures from now on how long accesses and events are looked at; the time so far. NULL: nothing is checked. */
void rp_check_time(struct rp_check *);
uint64_t rp_check_nanoseconds(const struct rp_check *);
void rp_check_free(struct rp_check *);
size_t rp_check_count(const struct rp_check *);
struct rp_finding *rp_check_finding(const struct rp_check *, size_t);
/* Takes the findings out of the list; the caller frees the array and what it points to. */
struct rp_finding *rp_check_take(struct rp_check *, size_t *count);
/* The number of findings beyond the limit. */
uint64_t rp_check_dropped(const struct rp_check *);
/* Why the checks are incomplete, a sentence without a full stop. NULL: they are complete. */
const char *rp_check_incomplete(const struct rp_check *);

/* Called by launches. False: out of memory. */
bool check_launch_begin(struct rp_check *, const struct grid *);
void check_launch_end(struct rp_check *);
/* check_host_wrote: the host has written these bytes of an allocation. check_host_unwritten: of bytes that the host
 * reads, the number that nobody has written and that are no padding, if that is checked, and the first of them. Those
 * that a kernel has moved there are not counted: the load that they are from becomes a finding. check_host_copied:
 * bytes that the host copies count as written at the destination if they did at the source. The bytes lie within the
 * allocations. */
uint64_t check_host_unwritten(struct rp_check *, const struct allocation *, uint64_t offset, uint64_t bytes,
                              uint64_t *first);
void check_host_copied(struct rp_check *, const struct allocation *, uint64_t offset, const struct allocation *from,
                       uint64_t from_offset, uint64_t bytes);
void check_host_wrote(struct rp_check *, const struct allocation *, uint64_t offset, uint64_t bytes);
/* Called before a block's first instruction, and after its last; the block's observer. False: out of memory. */
bool check_block_begin(struct rp_check *, struct block *);
void check_block_end(struct rp_check *, struct block *);
/* For launches without checks: looks for races in shared memory, for a moment, if this is the first block of the grid
 * and has several warps. The check is of kind RACE and has no other launch. The end does nothing for other blocks. */
void check_sample_begin(struct rp_check *, const struct grid *, struct block *);
void check_sample_end(struct rp_check *, struct block *);

#endif
