#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "frontend/cuda/session.h"
#include "tools/guests/guests.h"
#include "tools/lib/number.h"
#include "tools/lib/output.h"
#include "tools/program/program.h"
#include "tools/record/checks.h"
#include "tracefmt/output_path.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

static bool check_regex(const char *option, const char *text, struct rp_error *err)
{
    regex_t compiled;
    char why[200];
    int status = regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB);
    if (!status) {
        regfree(&compiled);
        return true;
    }
    regerror(status, &compiled, why, sizeof why);
    return rp_fail(err, RP_USAGE, "%s %s: %s", option, text, why);
}

/* Checks a list of numbers and ranges, such as 3,10..19,30..; the end of the last range may be missing. */
static bool check_launches(const char *list, struct rp_error *err)
{
    const char *at = list;
    for (;;) {
        char *end;
        bool digit = *at >= '0' && *at <= '9';
        unsigned long long from = strtoull(at, &end, 10), to = from;
        if (digit && !strncmp(end, "..", 2)) {
            at = end + 2;
            to = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : (end = (char *)at, ULLONG_MAX);
        }
        if (!digit || from > to || (*end && *end != ','))
            return rp_fail(err, RP_USAGE, "--launches %s: write numbers and ranges, such as 3,10..19,30..", list);
        if (!*end)
            return true;
        at = end + 1;
    }
}

static bool read_count(const char *option, const char *text, unsigned long long *value, struct rp_error *err)
{
    uint64_t wide;
    if (!read_size(text, UINT64_MAX, option, &wide, err))
        return false;
    *value = wide;
    return wide || rp_fail(err, RP_USAGE, "%s must be at least 1", option);
}

static bool read_devices(const char *text, unsigned *devices, struct rp_error *err)
{
    char *end;
    unsigned long count = strtoul(text, &end, 10);
    bool fine = *text >= '0' && *text <= '9' && !*end && count >= 1 && count <= DEVICES_MOST;
    *devices = fine ? (unsigned)count : 0;
    return fine || rp_fail(err, RP_USAGE, "--devices %s: it must be 1 to %d", text, DEVICES_MOST);
}

/* --check may be repeated: the lists add up. */
static bool add_checks(struct program_options *p, const char *list, struct rp_error *err)
{
    unsigned checks = 0;
    size_t length = strlen(p->check_list), room = sizeof p->check_list - length;
    if (!parse_checks(list, &checks, err))
        return false;
    if ((size_t)snprintf(p->check_list + length, room, "%s%s", length ? "," : "", list) >= room)
        return rp_fail(err, RP_USAGE, "--check: the lists are too long; there is all");
    p->check = p->check_list;
    return true;
}

/* An option of the command that programs do not have. Always false. */
static bool refuse(const struct option_row *rows, int key, struct rp_error *err)
{
    const char *name = option_name(rows, key);
    bool guest = key >= GUEST_KEY_FILE && key <= GUEST_KEY_PATIENCE;
    return rp_fail(err, RP_USAGE,
                   guest ? "--%s is for --guest" : "--%s is for --module; a program makes its own launches",
                   name ? name : "?");
}

bool program_take(struct program_options *p, const struct option_row *rows, int key, char *argument,
                  struct rp_error *err)
{
    enum tensor_sums sums;
    if (is_finding_key(key))
        return finding_option(&p->findings, key, argument, err);
    switch (key) {
    case PROGRAM_OUTPUT:
        p->output = argument;
        return *argument || rp_fail(err, RP_USAGE, "-o needs the name of a file");
    case PROGRAM_THREADS: return parse_threads(argument, &p->threads, err);
    case PROGRAM_QUIET: return p->quiet = true;
    case PROGRAM_DEVICE: p->device.machine = argument; return true;
    case PROGRAM_DEVICES: return read_devices(argument, &p->devices, err);
    case PROGRAM_SET: return machine_args_set(&p->device, argument, err);
    case PROGRAM_KERNELS: p->kernels = argument; return check_regex("--kernels", argument, err);
    case PROGRAM_LAUNCHES: p->launches = argument; return check_launches(argument, err);
    case PROGRAM_FIRST: return read_count("--first", argument, &p->first, err);
    case PROGRAM_NVTX: p->nvtx = argument; return check_regex("--nvtx", argument, err);
    case PROGRAM_PREFER:
        p->prefer = argument;
        return !strcmp(argument, "ptx") || !strcmp(argument, "sass") ||
               rp_fail(err, RP_USAGE, "--prefer %s: there are ptx and sass", argument);
    case PROGRAM_STRICT: return p->strict = true;
    case PROGRAM_SCHEDULE: return p->schedule = true;
    case PROGRAM_STATS: return p->stats = true;
    case PROGRAM_EVERY_LAUNCH: return p->every_launch = true;
    case PROGRAM_PROFILER: return p->profiler = true;
    case PROGRAM_LIMIT: return read_count("--limit", argument, &p->limit, err);
    case PROGRAM_TENSOR_SUMS: p->sums = argument; return parse_tensor_sums(argument, &sums, err);
    case PROGRAM_MAX_SIZE: return read_count("--max-size", argument, &p->max_size, err);
    case PROGRAM_CHECK: return add_checks(p, argument, err);
    case PROGRAM_LOG_FILE: p->log_file = argument; return output_check(argument, INPUT_OTHER, err);
    case 'j': return rp_fail(err, RP_USAGE, "--json is for --module; --findings FILE has what a program's checks find");
    default: return refuse(rows, key, err);
    }
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

bool program_find(const char *name, char *path)
{
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && !access(name, X_OK);
    for (const char *at = getenv("PATH"); at && *at; at += strspn(at, ":")) {
        int length = (int)strcspn(at, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", length, at, name);
        if (!access(path, X_OK))
            return true;
        at += length;
    }
    return false;
}

/* Removes the file of an earlier command. The program may write none, and then the old one would be taken for its own.
 */
static void remove_old(const char *file, const char *program)
{
    char path[PATH_MAX];
    struct rp_error err;
    char *target = !strstr(file, "%p") && program_find(program, path) ? output_path(file, &err) : NULL;
    if (target)
        unlink(target);
    free(target);
}

/* Checks that the program can write the file. If %p is in the folder's name, only the process knows the folder. */
static bool may_be_written(const char *path, struct rp_error *err)
{
    return !path || strstr(path, "%p/") || output_check(path, INPUT_TRACE, err);
}

bool program_check_files(const struct program_options *p, struct rp_error *err)
{
    if (p->log_file && p->output && output_same_file(p->log_file, p->output))
        return rp_fail(err, RP_USAGE, "'%s' is to be both the trace and the log", p->output);
    return finding_files_differ(&p->findings, p->output, "the trace", err) &&
           finding_files_differ(&p->findings, p->log_file, "the log", err) && may_be_written(p->output, err);
}

/* Whether the variable is left as it is. A program that is linked statically as a whole takes nothing of ours. Its CUDA
 * runtime would find our driver by this path, and crash while it loads it: the program has another C library. */
static bool is_left(const struct variable *v, const char *program)
{
    char path[PATH_MAX];
    return !strcmp(v->name, "LD_LIBRARY_PATH") && program_find(program, path) && program_is_static(path);
}

static bool set_environment(const struct program_options *p, char **command, struct rp_error *err)
{
    struct environment e;
    bool fine = program_environment(p, command, &e, err);
    for (size_t i = 0; fine && i < e.count; i++)
        if (!is_left(&e.list[i], command[0]) &&
            (e.list[i].value ? setenv(e.list[i].name, e.list[i].value, 1) : unsetenv(e.list[i].name)))
            fine = rp_fail(err, RP_SYSTEM, "cannot set %s: %s", e.list[i].name, strerror(errno));
    environment_free(&e);
    return fine;
}

int program_become(const struct program_options *p, char **command)
{
    struct rp_error err;
    if (!set_environment(p, command, &err))
        return command_fail(&err);
    if (p->output) {
        const char *started = getenv(session_variable_names[SESSION_STARTED]);
        remove_old(p->output, command[0]);
        keeper_start(p, started ? strtoull(started, NULL, 10) : 0);
        /* The trace has host addresses of the program. Without randomisation they are the same in each run; if that is
         * refused, we go on. */
        personality(ADDR_NO_RANDOMIZE);
    }
    fflush(NULL);
    execvp(command[0], command);
    bool missing = errno == ENOENT;
    rp_fail(&err, RP_SYSTEM, "cannot run %s: %s", command[0], strerror(errno));
    command_fail(&err);
    return missing ? 127 : 126;
}

static int program_start(const struct program_options *p, char **command)
{
    struct finding_rules rules;
    struct rp_error err;
    if (p->schedule && p->check) {
        rp_fail(&err, RP_USAGE, "--schedule and --check: checks look at the order of the source; leave --schedule out");
        return command_fail(&err);
    }
    if (!program_check_files(p, &err) || !finding_rules_open(&rules, &p->findings, p->check, &err))
        return command_fail(&err);
    for (size_t i = 0; i < p->findings.file_count; i++)
        remove_old(p->findings.files[i], command[0]);
    if (p->log_file)
        remove_old(p->log_file, command[0]);
    int status = p->check ? program_supervise(p, command, &rules) : program_become(p, command);
    finding_rules_free(&rules);
    return status;
}

int program_separator(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return i;
    return 0;
}

static void program_option(struct command_line *line, int key, char *argument)
{
    struct rp_error err;
    if (key == KEY_ARGUMENT)
        command_usage(line, "'%s' belongs to no option; the program and its arguments stand behind --", argument);
    if (key != KEY_END)
        command_check(line, program_take(line->input, line->command->options, key, argument, &err), &err);
}

int program_run(const struct command *command, int argc, char **argv, int end)
{
    struct command here = *command;
    struct command_line line;
    struct program_options p = {.findings = FINDING_OPTIONS};
    bool records = !strcmp(command->name, "record");
    here.option = program_option;
    command_parse(&line, &here, end, argv, &p);
    if (end + 1 >= argc)
        command_usage(&line, "which program? It stands behind --, such as 'reprise %s -- ./app 1024'", command->name);
    if (!records && !p.check && (p.kernels || p.launches))
        command_usage(&line, "--%s chooses what is checked: what shall be looked for? Such as --check all",
                      p.kernels ? "kernels" : "launches");
    if (records && !p.output)
        command_usage(&line, "where shall the trace go? -o FILE.wtr; or 'reprise run', which writes none");
    return program_start(&p, argv + end + 1);
}
