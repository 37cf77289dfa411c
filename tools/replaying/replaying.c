#include "tools/replaying/replaying.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/base/machine_settings.h"
#include "replay/session/machine_open.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/lib/number.h"
#include "tools/machine/option_line.h"
#include "tools/replaying/large_heap.h"
#include "tools/replaying/sampling.h"
#include "tools/ui/nearest.h"

bool machine_args_set(struct machine_args *a, char *text, struct rp_error *err)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return rp_fail(err, RP_USAGE, "--set %s: give KEY=VALUE, for example --set scheduler=lrr", text);
    if (a->count == MOST_SETTINGS)
        return rp_fail(err, RP_USAGE, "--set %s: too many settings", text);
    *equals = 0;
    a->settings[a->count++] = (struct machine_setting){text, equals + 1};
    return true;
}

/* Checks the name of a machine before it is opened. False: the file is of another kind (a trace, for example), or the
 * name is that of a file in this folder but has neither a slash nor ".cfg", so that no file is looked for. */
static bool check_machine_name(const char *name, struct rp_error *err)
{
    char path[4096];
    struct rp_error unused;
    if (strchr(name, '/') || strstr(name, ".cfg"))
        return input_check(name, INPUT_MACHINE, err);
    if (access(name, F_OK) || machine_find(name, NULL, path, &unused))
        return true;
    return input_check(name, INPUT_MACHINE, err) &&
           rp_fail(err, RP_USAGE, "unknown machine '%s'; write ./%s for the file of this name", name, name);
}

struct machine *machine_args_open(const struct machine_args *a, const struct machine_setting *extra, size_t extra_count,
                                  struct rp_error *err)
{
    struct machine_setting all[2 * MOST_SETTINGS];
    size_t count = a->count + extra_count;
    if (count > MODEL_COUNT_OF(all)) {
        rp_fail(err, RP_USAGE, "too many settings");
        return NULL;
    }
    memcpy(all, a->settings, a->count * sizeof *all);
    if (extra_count)
        memcpy(all + a->count, extra, extra_count * sizeof *all);
    if (!check_machine_name(a->machine, err))
        return NULL;
    return machine_open(&(struct machine_request){.name = a->machine,
                                                  .settings = all,
                                                  .setting_count = count,
                                                  .late_option = a->late_option,
                                                  .late = a->late,
                                                  .left_out = a->left_out,
                                                  .machine_varies = a->machine_varies,
                                                  .inconsistent = a->inconsistent,
                                                  .nearest = nearest_name,
                                                  .schedulers = a->schedulers,
                                                  .scheduler_count = a->scheduler_count},
                        err);
}

bool parse_number(const char *option, const char *text, long long least, long long most, long long *value,
                  struct rp_error *err)
{
    uint64_t number = 0;
    struct rp_error unused;
    const char *digits = text + (*text == '-');
    bool fine = read_size(digits, INT64_MAX, option, &number, &unused);
    if (fine && digits > text && least >= 0)
        return rp_fail(err, RP_USAGE, "%s: '%s' is negative; the least is %lld", option, text, least);
    *value = digits > text ? -(long long)number : (long long)number;
    if (!fine || *value < least || *value > most)
        return rp_fail(err, RP_USAGE, "%s %s: give a whole number from %lld to %lld", option, text, least, most);
    return true;
}

struct rp_trace *trace_of_launches(const char *path, struct rp_error *err)
{
    large_heap();
    struct rp_trace *t = input_check(path, INPUT_TRACE, err) ? rp_trace_open(path, err) : NULL;
    if (!t || rp_trace_launch_count(t) || rp_trace_damage(t))
        return t;
    rp_fail(err, RP_BAD_INPUT,
            "%s has no launches: the program launched no kernel, or --kernels or --launches left all out", path);
    rp_trace_close(t);
    return NULL;
}

bool trace_is_damaged(const struct rp_trace *t, bool quiet)
{
    const char *damage = rp_trace_damage(t);
    if (damage && !quiet)
        fprintf(stderr, "reprise: warning: %s\n", damage);
    return damage;
}

static bool is_readable(const char *path, struct rp_error *err)
{
    return !access(path, R_OK) || rp_fail(err, RP_BAD_INPUT, "cannot open '%s': %s", path, strerror(errno));
}

int each_trace(char **traces, size_t count, struct trace_output *out, int (*one)(void *data, const char *trace),
               void *data)
{
    int status = RP_OK;
    struct rp_error err;
    for (size_t i = 0; i < count && count > 1; i++)
        if (!input_check(traces[i], INPUT_TRACE, &err) || !is_readable(traces[i], &err))
            return command_fail(&err);
    for (size_t i = 0; i < count && (status == RP_OK || status == RP_PARTIAL); i++) {
        out->follows = i > 0;
        if (i && !out->csv && !out->json.name)
            puts("");
        int its = one(data, traces[i]);
        status = its == RP_OK ? status : its;
    }
    int printed = json_traces_end(&out->json);
    return status == RP_OK || status == RP_PARTIAL ? printed == RP_OK ? status : printed : status;
}

bool parse_threads(const char *text, unsigned *threads, struct rp_error *err)
{
    long long number;
    if (!parse_number("--threads", text, 0, 1024, &number, err))
        return false;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    *threads = number ? (unsigned)number : cpus > 0 ? (unsigned)cpus : 1;
    return true;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

json_t *option_json(const char *value)
{
    if (!strcmp(value, "true") || !strcmp(value, "false"))
        return json_boolean(*value == 't');
    char *end;
    uint64_t size;
    struct rp_error unused;
    long long number = strtoll(value, &end, 10);
    if (*value && !*end)
        return json_integer(number);
    if (read_size(value, INT64_MAX, "", &size, &unused))
        return json_number(size);
    double fraction = strtod(value, &end);
    bool decimal = *value && !value[strspn(value, "-.0123456789")] && !*end;
    return decimal ? json_real(fraction) : json_string(value);
}

json_t *machine_json(const struct machine *m)
{
    json_t *options = json_object();
    struct option_line line;
    for (const char *text = m->text; option_line_next(&text, &line);)
        json_put(options, line.key, option_json(line.value));
    return json_pack("{s:o, s:s, s:o}", "name", json_text(m->name), "hash", m->hash, "options", options);
}

json_t *trace_json(struct rp_trace *t, struct rp_error *err)
{
    const char *sha256 = rp_trace_sha256(t, err);
    if (!sha256)
        return NULL;
    const struct rp_provenance *p = rp_trace_provenance(t);
    json_t *json = json_pack("{s:o, s:s, s:I, s:s, s:s, s:s}", "file", json_text(rp_trace_path(t)), "sha256", sha256,
                             "bytes", (json_int_t)rp_trace_file_bytes(t), "module", p->module_name, "module_sha256",
                             p->module_sha256, "tool", p->tool);
    if (!json)
        rp_fail(err, RP_SYSTEM, "out of memory for the result in JSON");
    return json;
}

void json_put_path(json_t *object, const char *path, json_t *value)
{
    char part[64];
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
        snprintf(part, sizeof part, "%.*s", (int)(dot - path), path);
        json_t *inner = json_object_get(object, part);
        if (!inner) {
            inner = json_object();
            json_put(object, part, inner);
        }
        object = inner;
    }
    json_put(object, path, value);
}

static void add_statistic(void *object, const char *name, uint64_t value)
{
    json_put_path(object, name, json_integer((json_int_t)value));
}

static void add_statistics(json_t *object, const struct machine *m, const struct statistics *s, bool own)
{
    (own ? statistics_each_own : statistics_each)(m, s, add_statistic, object);
    json_put(object, "us", json_real(statistics_us(m, s)));
    json_put(object, "ipc", json_real(statistics_ipc(s)));
    json_put_path(object, "occupancy.achieved", json_real(statistics_occupancy(m, s)));
    json_put(object, "main_stall", json_string(statistics_main_stall(m, s, (char[STALL_NAME]){0})));
    if (machine_is_cores(m))
        json_put(object, "speedup", json_real(statistics_speed_up(s)));
}

json_t *statistics_json(const struct machine *m, const struct statistics *s)
{
    json_t *object = json_object();
    add_statistics(object, m, s, false);
    return object;
}

json_t *launch_json(struct rp_trace *t, const struct machine *m, const struct replay_launch *l)
{
    const struct rp_launch *launch = rp_trace_launch(t, l->launch);
    json_t *object = json_pack("{s:i}", "launch", (int)l->launch);
    json_put_kernel(object, rp_trace_kernel(t, launch->kernel)->name);
    json_join(object,
              json_pack("{s:[iii], s:[iii]}", "grid", (int)launch->grid[0], (int)launch->grid[1], (int)launch->grid[2],
                        "block", (int)launch->block[0], (int)launch->block[1], (int)launch->block[2]));
    json_put(object, "device", json_number(launch->device));
    json_put(object, "dependencies", json_string(machine_dependencies[l->control_words]));
    if (*l->warning)
        json_put(object, "warning", json_text(l->warning));
    json_put(object, "begin", json_number(l->begin));
    json_put(object, "end", json_number(l->end));
    if (l->overlaps)
        json_put(object, "overlaps", json_true());
    if (l->source != REPLAY_REPLAYED)
        json_put(object, "source", json_string(replay_source_name(l->source)));
    if (l->source == REPLAY_EQUAL)
        json_put(object, "equal", json_integer(l->equal));
    if (l->half_width)
        json_put(object, "half_width", json_number(l->half_width));
    add_statistics(object, m, &l->statistics, l->overlaps);
    return object;
}

void results_json(struct json_stream *out, struct rp_trace *t, const struct machine *m, const struct launch_log *log,
                  const struct statistics *total)
{
    struct replay_launch l;
    json_open(out, "launches", '[');
    for (struct launch_reader r = launch_log_read(log); !ferror(stdout) && launch_log_next(&r, &l);)
        json_part(out, NULL, launch_json(t, m, &l));
    json_close(out, ']');
    json_part(out, "total", statistics_json(m, total));
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

void print_warnings(const struct rp_trace *t, const struct launch_log *log)
{
    struct replay_launch l;
    for (struct launch_reader r = launch_log_read(log); log->warnings && launch_log_next(&r, &l);)
        if (*l.warning)
            fprintf(stderr, "reprise: warning: %s: launch %" PRIu32 ": %s\n", rp_trace_path(t), l.launch, l.warning);
}

int replay_status(const struct rp_trace *t, const struct launch_log *log)
{
    return rp_trace_damage(t) || log->warnings ? RP_PARTIAL : RP_OK;
}
