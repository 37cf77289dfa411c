#include "tools/results/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/lib/file.h"
#include "tools/lib/output.h"
#include "tools/results/record.h"

bool result_cache_check(const char *folder, struct rp_error *err)
{
    struct stat st;
    if (!*folder)
        return rp_fail(err, RP_USAGE, "--cache: the name of the folder is empty");
    if (mkdir(folder, 0777) && errno != EEXIST)
        return rp_fail(err, RP_USAGE, "--cache %s: cannot make this folder: %s", folder, strerror(errno));
    if (stat(folder, &st) || !S_ISDIR(st.st_mode))
        return rp_fail(err, RP_USAGE, "--cache %s: this is no folder", folder);
    return true;
}

void result_cache_begin(struct result_cache *c, const char *folder, bool quiet)
{
    *c = (struct result_cache){.folder = folder, .quiet = quiet};
    pthread_mutex_init(&c->lock, NULL);
}

void result_cache_end(struct result_cache *c)
{
    if (c->found && !c->quiet)
        fprintf(stderr, "reprise: %zu of %zu result%s from %s\n", c->found, c->wanted, c->wanted == 1 ? "" : "s",
                c->folder);
    pthread_mutex_destroy(&c->lock);
}

/* A file of the folder, and what its result depends on. */
struct entry {
    char path[4200];
    char identity[RESULT_IDENTITY];
    struct record_origin origin;
};

static bool name_entry(struct result_cache *c, struct rp_trace *trace, const struct machine *machine,
                       const struct replay_options *options, struct entry *e, struct rp_error *err)
{
    char key[65];
    pthread_mutex_lock(&c->lock); /* the trace computes its hash once, and keeps it */
    bool fine = record_origin_of(trace, machine, options, e->identity, &e->origin, err);
    c->wanted += fine;
    pthread_mutex_unlock(&c->lock);
    if (!fine)
        return false;
    result_key(e->identity, key);
    int length = snprintf(e->path, sizeof e->path, "%s/%s.result", c->folder, key);
    return length < (int)sizeof e->path || rp_fail(err, RP_USAGE, "--cache: the name of the folder is too long");
}

static void warn(const struct result_cache *c, const char *text, const char *what)
{
    if (!c->quiet)
        fprintf(stderr, "reprise: warning: %s; %s\n", text, what);
}

static bool load(struct result_cache *c, const struct entry *e, struct result *result)
{
    struct rp_error err;
    struct stat st;
    size_t size;
    if (stat(e->path, &st))
        return false;
    uint8_t *bytes = NULL;
    if (S_ISREG(st.st_mode)) /* a pipe would block */
        bytes = file_read(e->path, &size, &err);
    else
        rp_fail(&err, RP_BAD_INPUT, "%s: this is no file", e->path);
    bool fine = bytes && record_read(e->path, bytes, size, &e->origin, result, &err);
    free(bytes);
    pthread_mutex_lock(&c->lock);
    c->found += fine;
    if (!fine)
        warn(c, err.text, "replayed again");
    pthread_mutex_unlock(&c->lock);
    return fine;
}

static void keep(struct result_cache *c, const struct entry *e, const struct result *result)
{
    struct rp_error err;
    size_t size;
    uint8_t *bytes = record_write(result, &e->origin, &size, &err);
    pthread_mutex_lock(&c->lock); /* one output at a time */
    if (!c->cannot_write && (!bytes || !output_write(e->path, bytes, size, &err))) {
        c->cannot_write = true;
        warn(c, err.text, "results are not kept");
    }
    pthread_mutex_unlock(&c->lock);
    free(bytes);
}

static void report_all(struct rp_trace *trace, const struct replay_options *o, const struct record_origin *of)
{
    uint64_t all = 0;
    for (uint32_t l = of->first; l < of->first + of->count; l++)
        all += rp_trace_launch_totals(trace, l).warp_instructions;
    if (o->progress)
        o->progress(o->progress_data, all, all);
}

bool result_get(struct result_cache *c, struct rp_trace *trace, const struct machine *machine,
                const struct replay_options *options, struct result *result, struct rp_error *err)
{
    struct entry entry;
    bool there_is_one = options->launch < (int64_t)rp_trace_launch_count(trace); /* if not, the replay reports it */
    if (!c->folder || !result_can_be_kept(options) || !there_is_one)
        return result_replay(trace, machine, options, result, err);
    if (!name_entry(c, trace, machine, options, &entry, err))
        return false;
    if (load(c, &entry, result)) {
        report_all(trace, options, &entry.origin);
        return true;
    }
    if (!result_replay(trace, machine, options, result, err))
        return false;
    keep(c, &entry, result);
    return true;
}
