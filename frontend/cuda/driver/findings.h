/* What is found in this process: each finding is said once, and kept in a log that the command line reads
 * (tools/findings/log.h). The log has a finding as soon as it is made, so that nothing is lost if the process is
 * killed. Without --check nothing is kept, and what the host does wrong is said each time. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_FINDINGS_H
#define REPRISE_FRONTEND_CUDA_DRIVER_FINDINGS_H

#include "frontend/check/check.h"
#include "frontend/cuda/driver/driver.h"

/* Begins with the findings of these checks. RP_BAD_INPUT: the file of suppressions is wrong. */
bool findings_open(struct rp_check *, struct rp_error *);
/* The most findings that are kept; how many of them are said is noted here. */
bool findings_limit(uint32_t *kept, struct rp_error *);
/* Adds what is no access of a kernel, and says it unless it was said before. `key`: findings of a kind with the same
 * key are one. The finding's text and stacks are given to the list. */
void findings_add(struct rp_finding, uint64_t key);
/* Says what the checks of kernels have found since the last call. */
void findings_say(void);
/* Messages cannot be written where they should: the log has why. */
void findings_unwritten(const char *why);
/* A module or kernel cannot be loaded, and so not be checked: the log has why. */
void findings_unloaded(const char *why);
/* A launch is checked: the log has that there was one. */
void findings_checked(void);
/* Says what is left to say and writes the end of the log. */
void findings_end(void);
/* A text for a finding, which the caller frees. */
char *finding_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
