/* A result as bytes that last: in a file, or in a database.
 *
 *     8 bytes   "RPRESULT"
 *     u32       version of this format, 3
 *     u32       bytes of the heading
 *     u64       bytes of the launches, packed (launch_log.h)
 *     u64       bytes of them as one zstd frame
 *     heading   packed (packed.h): the identity as text; how many numbers the statistics are, how many of them the
 *               machine names, and these names; the total's numbers; count, bytes and cycles of each path of copies;
 *               what the channels of device memory counted; what was sampled (struct sample_result: flags, launches by
 *               source, strata, instructions replayed and all, half widths); how many launches there are; how many
 *               devices (0: one), of each launches and cycles, and of each pair as of a path of copies
 *     frame     the launches
 *     32 bytes  SHA-256 of all before
 *
 * u32 and u64 have the least byte first. What the statistics are follows from the tables of replay/base/statistics.h: a
 * new statistic is a new name, and needs nothing here.
 */
#ifndef REPRISE_TOOLS_RESULTS_RECORD_H
#define REPRISE_TOOLS_RESULTS_RECORD_H

#include "tools/results/identity.h"
#include "tools/results/result.h"

/* What the result is of. */
struct record_origin {
    const char *identity;          /* identity.h */
    const struct machine *machine; /* its statistics have these names */
    uint32_t first, count;         /* launches of the trace */
};
/* Fills in the origin of a replay with these options; its text is in `identity`. */
bool record_origin_of(struct rp_trace *, const struct machine *, const struct replay_options *,
                      char identity[RESULT_IDENTITY], struct record_origin *, struct rp_error *);

/* The caller frees the bytes. NULL: out of memory. */
uint8_t *record_write(const struct result *, const struct record_origin *, size_t *size, struct rp_error *);

/* Reads any bytes. False: they are damaged, of another version, or of another result. err begins with `name`; nothing
 * needs to be freed. */
bool record_read(const char *name, const uint8_t *bytes, size_t size, const struct record_origin *, struct result *,
                 struct rp_error *);

#endif
