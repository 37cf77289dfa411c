/* The findings of --check, as text and as JSON. */
#ifndef REPRISE_TOOLS_RECORD_CHECKS_H
#define REPRISE_TOOLS_RECORD_CHECKS_H

#include <jansson.h>

#include "frontend/check/check.h"
#include "tracefmt/error.h"

/* Parses "race,init" or "all" into a set of enum rp_check_kind, or-ed. */
bool parse_checks(const char *list, unsigned *checks, struct rp_error *);
/* Prints them on standard error. False: there are findings, or not everything could be checked. */
bool checks_print(const struct rp_check *);
/* [{"kind", "kernel", "text", "times", "space", "address", "size", "here", "other"}] */
json_t *checks_json(const struct rp_check *);

#endif
