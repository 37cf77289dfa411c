#include "tools/results/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay/base/sampled.h"
#include "timing_sources.h" /* made by the Makefile: TIMING_SOURCES, their SHA-256 */
#include "tracefmt/sha256.h"

bool result_can_be_kept(const struct replay_options *o)
{
    return !o->observer && !o->caches && !o->serial && !o->batch;
}

const char result_timing[] = TIMING_SOURCES;

void result_identity_text(const char *trace, const char *machine, bool chance, const struct replay_options *o,
                          char text[RESULT_IDENTITY])
{
    char launch[24] = "all", sample[64] = "no";
    if (o->sample.error > 0)
        snprintf(sample, sizeof sample, "%.17g %.17g", o->sample.error, o->sample.confidence);
    if (o->launch >= 0)
        snprintf(launch, sizeof launch, "%" PRId64, o->launch);
    snprintf(text, RESULT_IDENTITY,
             "reprise %s\ntiming %s\ntrace %s\nmachine %s\nengine %s\nlaunch %s\nseed %" PRIu64 "\nprocessors %" PRIu64
             "\nsample %s\n",
             REPRISE_VERSION, result_timing, trace, machine, o->engine == REPLAY_FAST ? "fast" : "reference", launch,
             chance ? o->seed : 0, o->processors, sample);
}

bool result_identity(struct rp_trace *trace, const struct machine *machine, const struct replay_options *o,
                     char text[RESULT_IDENTITY], struct rp_error *err)
{
    const char *sha256 = rp_trace_sha256(trace, err);
    if (sha256)
        result_identity_text(sha256, machine->hash, machine_has_chance(machine), o, text);
    return sha256;
}

void result_key(const char *identity, char key[65])
{
    struct sha256 sha;
    uint8_t digest[32];
    sha256_begin(&sha);
    sha256_add(&sha, identity, strlen(identity));
    sha256_end(&sha, digest);
    sha256_hex(digest, key);
}
