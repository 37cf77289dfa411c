/* The findings of --check for kernels that reprise itself launches. */
#ifndef REPRISE_TOOLS_RECORD_CHECKS_H
#define REPRISE_TOOLS_RECORD_CHECKS_H

#include "frontend/check/check.h"
#include "frontend/host/launch.h"
#include "frontend/operation/tensor_sums.h"
#include "tools/findings/findings.h"
#include "tracefmt/error.h"

/* Parses "race,init" or "all" into a set of enum rp_check_kind, or-ed. */
bool parse_checks(const char *list, unsigned *checks, struct rp_error *);
/* The value of --tensor-sums. */
bool parse_tensor_sums(const char *name, enum tensor_sums *, struct rp_error *);
/* Takes what the checks have found, with fingerprints. */
void checks_collect(struct findings *, struct rp_check *);
/* Adds the fault that ended a launch. */
void checks_add_fault(struct findings *, const struct rp_launch_result *, const char *text);
/* Prints on standard error what is neither suppressed nor known, at most `limit` of it, and the number of others. A
 * fault is left to its own message. */
void checks_print(const struct findings *, uint32_t limit);

#endif
