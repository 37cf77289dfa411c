/* A sweep as a Slurm job array. Each task is a shard with a database of its own, DB.parts/N.db, as several computers
 * must not write into one; they do not talk to each other. A job behind them gathers their databases. So does the same
 * command when it is given again, which then submits the shards that miss runs. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/command.h"
#include "tools/lib/output.h"
#include "tools/store/merge.h"
#include "tools/sweep/sweep.h"

/* ---- jobs that are not over -------------------------------------------------------------------------------------- */

#define JOB 64

/* The numbers of the jobs that were submitted last, the array and what gathers; "": none. */
struct jobs {
    char array[JOB], gathering[JOB];
};

static struct jobs jobs_before(const struct sweep *s)
{
    char path[PATH_MAX];
    struct jobs jobs = {.array = ""};
    snprintf(path, sizeof path, "%s.parts/jobs", s->args->output);
    FILE *from = fopen(path, "r");
    if (!from)
        return jobs;
    if (fscanf(from, "%63s %63s", jobs.array, jobs.gathering) < 1)
        *jobs.array = 0;
    fclose(from);
    return jobs;
}

static bool keep_jobs(const struct sweep *s, const struct jobs *jobs, struct rp_error *err)
{
    char path[PATH_MAX], text[2 * JOB + 2];
    snprintf(path, sizeof path, "%s.parts/jobs", s->args->output);
    int n = snprintf(text, sizeof text, "%s %s\n", jobs->array, jobs->gathering);
    return output_write(path, text, (size_t)n, err);
}

bool sweep_jobs_are_over(const struct sweep *s, struct rp_error *err)
{
    char line[JOB];
    struct jobs jobs = jobs_before(s);
    if (!*jobs.array)
        return true;
    fflush(NULL);
    FILE *from = popen("squeue --noheader --format=%F", "r");
    bool there = false;
    while (from && fgets(line, sizeof line, from)) {
        line[strcspn(line, " \n")] = 0;
        there |= !strcmp(line, jobs.array) || !strcmp(line, jobs.gathering);
    }
    if (!from || pclose(from))
        return rp_fail(
            err, RP_SYSTEM,
            "squeue failed; what it says stands above. Whether jobs %s %s of this sweep are over is not known",
            jobs.array, jobs.gathering);
    return !there || rp_fail(err, RP_SYSTEM,
                             "%s: jobs %s %s of this sweep are not over ('squeue' shows them); then the same command "
                             "submits what is missing",
                             s->args->output, jobs.array, jobs.gathering);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

bool sweep_gather(struct sweep *s, struct rp_error *err)
{
    char path[PATH_MAX];
    for (uint32_t i = 0; i < s->args->array; i++) {
        snprintf(path, sizeof path, "%s.parts/%u.db", s->args->output, i);
        if (!access(path, F_OK) && !store_merge(&s->store, path, err))
            return false;
    }
    return true;
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

/* As one word of a shell. */
static void print_word(FILE *to, const char *text)
{
    putc('\'', to);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, to);
    putc('\'', to);
}

static void print_program(FILE *to, const char *command)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    fputs("#!/bin/sh\nexec ", to);
    print_word(to, n > 0 ? path : "reprise");
    fprintf(to, " %s", command);
}

/* The same sweep, one shard of it. */
static void print_task(const struct sweep *s, FILE *to)
{
    const struct sweep_args *a = s->args;
    print_program(to, "sweep --quiet");
    for (size_t i = 0; i < a->plan.given_count; i++) {
        const struct sweep_given *g = &a->plan.given[i];
        if (strcmp(g->name, "trace"))
            fprintf(to, " --%s", g->name);
        putc(' ', to);
        if (g->value)
            print_word(to, g->value);
    }
    if (a->threads_given)
        fprintf(to, " --threads %u", a->threads);
    else
        fputs(" --threads \"${SLURM_CPUS_PER_TASK:-1}\"", to);
    fprintf(to, " --wait %u --shard \"$SLURM_ARRAY_TASK_ID/%u\" --output ", a->wait, a->array);
    print_word(to, a->output);
    fputs(".parts/\"$SLURM_ARRAY_TASK_ID\".db\n", to);
}

static void print_gathering(const struct sweep *s, FILE *to)
{
    print_program(to, "results merge ");
    print_word(to, s->args->output);
    fputs(".parts/*.db --output ", to);
    print_word(to, s->args->output);
    putc('\n', to);
}

static bool write_script(const struct sweep *s, const char *name, void (*print)(const struct sweep *, FILE *),
                         struct rp_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.parts/%s", s->args->output, name);
    struct output *o = output_open(path, err);
    if (!o)
        return false;
    print(s, o->to);
    return output_close(o, true, err);
}

static bool write_scripts(const struct sweep *s, struct rp_error *err)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s.parts", s->args->output);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return rp_fail(err, RP_SYSTEM, "%s: cannot make this folder: %s", folder, strerror(errno));
    return write_script(s, "task.sh", print_task, err) && write_script(s, "gather.sh", print_gathering, err);
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

/* Runs sbatch; the number that it prints goes to `job`. */
static bool submit(const char *command, char job[JOB], struct rp_error *err)
{
    fflush(NULL);
    FILE *from = popen(command, "r");
    if (!from)
        return rp_fail(err, RP_SYSTEM, "cannot start sbatch: %s", strerror(errno));
    bool said = fgets(job, JOB, from);
    int status = pclose(from);
    if (!said || status)
        return rp_fail(err, RP_SYSTEM,
                       "sbatch failed; what it says stands above. It is part of Slurm (Debian: slurm-client)");
    job[strcspn(job, ";\n")] = 0;
    return true;
}

/* "0,3,17": the shards that miss runs. Returns how many. */
static uint32_t missing(const struct sweep *s, FILE *to)
{
    uint32_t count = 0;
    bool *misses = calloc(s->args->array, sizeof *misses);
    for (size_t i = 0; misses && i < s->task_count; i++)
        misses[s->tasks[i].number % s->args->array] = true;
    for (uint32_t i = 0; misses && i < s->args->array; i++)
        if (misses[i])
            fprintf(to, "%s%u", count++ ? "," : "", i);
    free(misses);
    return count;
}

static void print_sbatch(const struct sweep *s, FILE *to, const char *script, const char *log)
{
    const char *options = s->args->slurm_options;
    fprintf(to, " %s --output=", options ? options : "");
    print_word(to, s->args->output);
    fprintf(to, ".parts/%s ", log);
    print_word(to, s->args->output);
    fprintf(to, ".parts/%s", script);
}

static bool submit_both(const struct sweep *s, struct jobs *jobs, uint32_t *count, struct rp_error *err)
{
    char *command = NULL;
    size_t size;
    FILE *to = open_memstream(&command, &size);
    if (!to)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    fputs("sbatch --parsable --job-name=reprise-sweep --array=", to);
    *count = missing(s, to);
    print_sbatch(s, to, "task.sh", "%a.log");
    bool fine = (!fclose(to) || rp_fail(err, RP_SYSTEM, "out of memory")) && submit(command, jobs->array, err) &&
                keep_jobs(s, jobs, err);
    free(command);
    if (!fine || !(to = open_memstream(&command, &size)))
        return fine && rp_fail(err, RP_SYSTEM, "out of memory");
    fprintf(to, "sbatch --parsable --job-name=reprise-gather --dependency=afterany:%s", jobs->array);
    print_sbatch(s, to, "gather.sh", "gather.log");
    fine = (!fclose(to) || rp_fail(err, RP_SYSTEM, "out of memory")) && submit(command, jobs->gathering, err) &&
           keep_jobs(s, jobs, err);
    free(command);
    return fine;
}

int sweep_submit(struct sweep *s)
{
    struct rp_error err;
    struct jobs jobs = {.array = ""};
    uint32_t count = 0;
    if (!s->task_count) {
        fprintf(stderr, "reprise: %s: all runs are there; nothing is submitted\n", s->args->output);
        return RP_OK;
    }
    if (!write_scripts(s, &err) || !submit_both(s, &jobs, &count, &err))
        return command_fail(&err);
    printf("job %s: %zu runs in %u of %u tasks; job %s then takes their results into %s\n", jobs.array, s->task_count,
           count, s->args->array, jobs.gathering, s->args->output);
    return RP_OK;
}
