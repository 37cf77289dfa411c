/* Suppressions: which findings not to report. A file of lines, each with fields KEY=VALUE between blanks; a finding is
 * suppressed if all fields of some line match it. A value with blanks stands in double quotes, within which \" and \\
 * are a quote and a backslash. # begins a comment.
 *
 *   kind=race,init        the finding is of one of these kinds
 *   kernel=REGEX          an extended regular expression that finds something in the kernel's name in the source
 *   file=GLOB[:LINE[-LINE]]  a place of the finding, in the kernel or in a stack of the host, is in such a file, there
 *                         in these lines; a pattern is compared with the end of the path, from some slash on
 *   fingerprint=HEX       the finding's fingerprint */
#ifndef REPRISE_FRONTEND_CHECK_SUPPRESSIONS_H
#define REPRISE_FRONTEND_CHECK_SUPPRESSIONS_H

#include "frontend/check/finding.h"
#include "tracefmt/error.h"

struct suppressions;
/* NULL: err names the file and the line. */
struct suppressions *suppressions_read(const char *path, struct rp_error *);
void suppressions_free(struct suppressions *);                                   /* NULL is allowed */
bool suppressions_match(const struct suppressions *, const struct rp_finding *); /* NULL: no */
/* Writes a line that suppresses findings like this one: its kind, kernel and place. */
void suppressions_write(const struct rp_finding *, FILE *);

#endif
