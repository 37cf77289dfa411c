/* Findings out of JSON: of the logs of processes, and of files that were written before. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/findings/findings.h"
#include "tools/lib/file.h"
#include "tracefmt/trace.h"

/* ---- one finding ------------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }
static char *copy_of(const json_t *o, const char *key)
{
    const char *text = text_of(o, key);
    return text ? strdup(text) : NULL;
}
static uint64_t number_of(const json_t *o, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(o, key));
}

static uint8_t space_named(const char *name)
{
    for (int s = RP_SPACE_NONE + 1; name && s < RP_SPACE_COUNT; s++)
        if (!strcmp(rp_space_name((enum rp_space)s), name))
            return (uint8_t)s;
    return RP_SPACE_NONE;
}

static uint8_t access_named(const char *name)
{
    bool load = name && !strcmp(name, "load"), store = name && !strcmp(name, "store");
    return load ? RP_ACCESS_LOAD : store ? RP_ACCESS_STORE : RP_ACCESS_ATOMIC;
}

static void read_three(const json_t *list, uint32_t to[3])
{
    for (size_t i = 0; i < 3; i++)
        to[i] = (uint32_t)json_integer_value(json_array_get(list, i));
}

/* `source` has the functions from the innermost one on, each with the place that is in it. */
static void read_calls(const json_t *source, struct rp_check_location *to)
{
    size_t count = json_array_size(source);
    if (count < 2 || !(to->calls = calloc(count - 1, sizeof *to->calls)))
        return;
    for (size_t i = 0; i + 1 < count; i++) {
        const json_t *in = json_array_get(source, i), *caller = json_array_get(source, i + 1);
        to->calls[to->call_count++] = (struct rp_check_call){copy_of(in, "function"), copy_of(caller, "file"),
                                                             (uint32_t)number_of(caller, "line")};
    }
}

static struct rp_check_location read_location(const json_t *o)
{
    struct rp_check_location l = {.instruction = (uint32_t)number_of(o, "instruction"),
                                  .access = access_named(text_of(o, "access")),
                                  .file = copy_of(o, "file"),
                                  .line = (uint32_t)number_of(o, "line")};
    read_three(json_object_get(o, "block"), l.block);
    read_three(json_object_get(o, "thread"), l.thread);
    read_calls(json_object_get(o, "source"), &l);
    return l;
}

static void read_stack(const json_t *o, struct rp_finding *f)
{
    static const char *const whats[] = {"called", "launched", "allocated", "freed"};
    const char *what = text_of(o, "what");
    const json_t *frames = json_object_get(o, "frames");
    size_t count = json_array_size(frames), w = 0;
    while (w < 4 && what && strcmp(what, whats[w]) != 0)
        w++;
    struct rp_frame *list =
        what && w < 4 && f->stack_count < RP_FINDING_STACKS ? calloc(count + 1, sizeof *list) : NULL;
    if (!list)
        return;
    for (size_t i = 0; i < count; i++) {
        const json_t *at = json_array_get(frames, i);
        list[i] = (struct rp_frame){copy_of(at, "function"), copy_of(at, "file"), (uint32_t)number_of(at, "line")};
    }
    f->stacks[f->stack_count++] = (struct rp_stack){whats[w], list, (uint32_t)count};
}

/* False: it is no finding. */
static bool read_finding(const json_t *o, struct rp_finding *f)
{
    const char *kind = text_of(o, "kind"), *severity = text_of(o, "severity"), *print = text_of(o, "fingerprint");
    *f = (struct rp_finding){.kind = kind ? rp_finding_kind_named(kind) : 0};
    if (!f->kind || !text_of(o, "text") || !print)
        return false;
    f->warning = severity && !strcmp(severity, "warning");
    f->space = space_named(text_of(o, "space"));
    f->address = number_of(o, "address");
    f->size = (uint32_t)number_of(o, "size");
    f->times = number_of(o, "times");
    f->kernel = copy_of(o, "symbol");
    f->text = copy_of(o, "text");
    f->fingerprint = strtoull(print, NULL, 16);
    f->suppressed = json_is_true(json_object_get(o, "suppressed"));
    f->known = json_is_true(json_object_get(o, "known"));
    f->one = json_object_get(o, "here");
    f->two = json_object_get(o, "other");
    if (f->one)
        f->here = read_location(json_object_get(o, "here"));
    if (f->two)
        f->other = read_location(json_object_get(o, "other"));
    const json_t *stacks = json_object_get(o, "stacks");
    for (size_t i = 0; i < json_array_size(stacks); i++)
        read_stack(json_array_get(stacks, i), f);
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

bool findings_read(struct findings *to, const char *path, struct rp_error *err)
{
    json_error_t why;
    size_t size;
    uint8_t *bytes = file_read(path, &size, err);
    if (!bytes)
        return false;
    json_t *all = json_loadb((const char *)bytes, size, 0, &why);
    free(bytes);
    if (!all)
        return rp_fail(err, RP_BAD_INPUT, "%s:%d: %s", path, why.line, why.text);
    const char *schema = text_of(all, "schema");
    const json_t *list = json_object_get(all, "findings");
    bool fine =
        (schema && !strcmp(schema, "reprise-findings") && number_of(all, "version") == 1 && json_is_array(list)) ||
        rp_fail(err, RP_BAD_INPUT, "'%s' is no file of findings, as --findings FILE.json writes it", path);
    for (size_t i = 0; fine && i < json_array_size(list); i++) {
        struct rp_finding f;
        fine = read_finding(json_array_get(list, i), &f) && findings_append(to, f);
        if (!fine)
            rp_fail(err, RP_BAD_INPUT, "'%s': finding %zu is not whole", path, i);
    }
    json_decref(all);
    return fine;
}

/* ---- logs -------------------------------------------------------------------------------------------------------- */

struct log {
    struct findings *to;
    size_t before;   /* findings of other processes */
    size_t *index;   /* by id in the log: the finding in the list */
    uint64_t *times; /* likewise: as the log said last */
    size_t ids;
};

/* A finding of an earlier process that is the same. */
static struct rp_finding *same(struct log *l, const struct rp_finding *f)
{
    for (size_t i = 0; i < l->before; i++)
        if (l->to->list[i].fingerprint == f->fingerprint && l->to->list[i].kind == f->kind)
            return &l->to->list[i];
    return NULL;
}

static bool log_new(struct log *l, const json_t *line)
{
    struct rp_finding f;
    size_t id = (size_t)number_of(line, "id"), *index;
    uint64_t *times;
    if (id != l->ids || !read_finding(json_object_get(line, "finding"), &f))
        return true;
    if ((index = realloc(l->index, (id + 1) * sizeof *index)))
        l->index = index;
    if ((times = realloc(l->times, (id + 1) * sizeof *times)))
        l->times = times;
    if (!index || !times)
        return rp_finding_clear(&f), false;
    struct rp_finding *known = same(l, &f);
    l->times[id] = f.times;
    l->index[id] = known ? (size_t)(known - l->to->list) : l->to->count;
    l->ids = id + 1;
    if (!known)
        return findings_append(l->to, f);
    known->times += f.times;
    rp_finding_clear(&f);
    return true;
}

static void log_times(struct log *l, const json_t *line)
{
    size_t id = (size_t)number_of(line, "id");
    if (id >= l->ids)
        return;
    struct rp_finding *f = &l->to->list[l->index[id]];
    f->times += number_of(line, "times") - l->times[id];
    l->times[id] = number_of(line, "times");
    f->said |= json_is_true(json_object_get(line, "said"));
}

static void log_process(struct log *l, const json_t *line)
{
    struct findings_device *d = &l->to->device;
    const json_t *device = json_object_get(line, "device");
    l->ids = 0; /* another program of the same process */
    l->before = l->to->count;
    l->to->processes++;
    if (d->name)
        return;
    *d = (struct findings_device){copy_of(device, "name"), copy_of(device, "capability"), number_of(device, "sms"),
                                  number_of(device, "memory")};
}

static bool log_line(struct log *l, const json_t *line)
{
    if (json_object_get(line, "process"))
        log_process(l, line);
    else if (json_object_get(line, "finding"))
        return log_new(l, line);
    else if (json_object_get(line, "times"))
        log_times(l, line);
    else if (json_object_get(line, "unwritten") && !l->to->unwritten)
        l->to->unwritten = copy_of(line, "unwritten");
    else if (json_object_get(line, "unloaded") && !l->to->unloaded) {
        l->to->unloaded = copy_of(line, "unloaded");
        if (!l->to->incomplete)
            l->to->incomplete = copy_of(line, "unloaded");
    } else if (json_object_get(line, "checked"))
        l->to->launched = true;
    else {
        l->to->not_shown += number_of(line, "not_shown");
        if (!l->to->incomplete)
            l->to->incomplete = copy_of(line, "incomplete");
    }
    return true;
}

/* A line that is not whole is the last one of a process that was killed. */
static bool read_log(struct findings *to, const char *path, struct rp_error *err)
{
    struct log l = {.to = to, .before = to->count};
    FILE *from = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    bool fine = from;
    while (fine && (length = getline(&text, &room, from)) > 0) {
        json_t *line = json_loadb(text, (size_t)length, 0, NULL);
        fine = !line || log_line(&l, line);
        json_decref(line);
    }
    free(text);
    free(l.index);
    free(l.times);
    if (from)
        fclose(from);
    return fine || rp_fail(err, RP_SYSTEM, "cannot read '%s': %s", path, from ? "out of memory" : strerror(errno));
}

static int no_dots(const struct dirent *e) { return e->d_name[0] != '.'; }

/* Processes in the order in which they began: their numbers grow, and begin again at small ones. */
static int turn_of(long process, long main_process)
{
    return process == main_process ? 0 : process > main_process ? 1 : 2;
}

bool findings_read_logs(struct findings *to, const char *folder, long main_process, struct rp_error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, no_dots, versionsort);
    bool fine = count >= 0 || rp_fail(err, RP_SYSTEM, "cannot read '%s': %s", folder, strerror(errno));
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < count && fine; i++) {
            char path[4200];
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            if (turn_of(strtol(entries[i]->d_name, NULL, 10), main_process) == turn)
                fine = read_log(to, path, err);
        }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return fine;
}
