#include "tools/findings/options.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "frontend/check/check.h"
#include "tools/lib/command.h"
#include "tools/lib/number.h"
#include "tools/lib/output.h"
#include "tracefmt/file_write.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

static bool take_format(struct finding_options *o, const char *name, struct rp_error *err)
{
    o->format = findings_format_named(name);
    return o->format || rp_fail(err, RP_USAGE, "--format %s: there are json, sarif, junit, github and gitlab", name);
}

static bool take_file(struct finding_options *o, const char *name, struct rp_error *err)
{
    if (o->file_count == FINDINGS_FILES)
        return rp_fail(err, RP_USAGE, "--findings may be given %d times", FINDINGS_FILES);
    o->files[o->file_count++] = name;
    return *name || rp_fail(err, RP_USAGE, "--findings needs the name of a file");
}

static bool take_status(struct finding_options *o, const char *text, struct rp_error *err)
{
    uint64_t value = 0;
    bool fine = read_number(text, 255, "--error-exitcode", &value, err);
    o->error_status = (int)value;
    return fine;
}

bool finding_option(struct finding_options *o, int key, const char *argument, struct rp_error *err)
{
    static const char *const names[] = {"--findings",           "--format",   "--error-exitcode", "--suppressions",
                                        "--write-suppressions", "--baseline", "--print-limit"};
    o->last = names[key - FINDINGS_FILE];
    switch ((enum finding_key)key) {
    case FINDINGS_FILE: return take_file(o, argument, err);
    case FINDINGS_FORMAT: return take_format(o, argument, err);
    case FINDINGS_ERROR_EXITCODE: return take_status(o, argument, err);
    case FINDINGS_SUPPRESSIONS: o->suppressions = argument; return true;
    case FINDINGS_WRITE_SUPPRESSIONS: o->write_suppressions = argument; return true;
    case FINDINGS_BASELINE: o->baseline = argument; return true;
    default: o->limited = true; return read_number(argument, UINT32_MAX, "--print-limit", &o->print_limit, err);
    }
}

uint32_t findings_printed(const struct finding_options *o)
{
    return !o->limited ? RP_CHECK_SAID : o->print_limit ? (uint32_t)o->print_limit : UINT32_MAX;
}

uint32_t findings_kept(const struct finding_options *o)
{
    uint32_t printed = findings_printed(o);
    return printed > RP_CHECK_FINDINGS ? printed : RP_CHECK_FINDINGS;
}

/* ---- before the run ---------------------------------------------------------------------------------------------- */

/* The format of the file; FINDINGS_UNKNOWN: nothing says it. A Code Quality report ends in .json, too. */
static enum findings_format format_of(const struct finding_options *o, const char *file)
{
    enum findings_format of = findings_format_of(file);
    if (of == FINDINGS_UNKNOWN || (of == FINDINGS_JSON && o->format == FINDINGS_GITLAB))
        of = o->format ? o->format : !strcmp(file, "-") ? FINDINGS_JSON : FINDINGS_UNKNOWN;
    return of;
}

/* A format that no file has goes to standard output. */
static bool prints(const struct finding_options *o)
{
    bool used = !o->format;
    for (size_t i = 0; i < o->file_count; i++)
        used |= format_of(o, o->files[i]) == o->format;
    return !used;
}

/* Whether the file is not there, is empty or an empty list, names reprise as the tool that wrote it, or is of a format
 * that names no tool: lines, or Code Quality. */
static bool is_ours(const char *path, enum findings_format format)
{
    char head[4096];
    FILE *from =
        format == FINDINGS_JSON || format == FINDINGS_SARIF || format == FINDINGS_JUNIT ? fopen(path, "re") : NULL;
    size_t n = from ? fread(head, 1, sizeof head, from) : 0;
    if (from)
        fclose(from);
    return n <= strlen("[]\n") || memmem(head, n, "\"fingerprint\"", 13) || memmem(head, n, "reprise", 7) ||
           memmem(head, n, "Reprise", 7);
}

static bool check_file(const struct finding_options *o, const char *file, struct rp_error *err)
{
    if (!format_of(o, file))
        return rp_fail(err, RP_USAGE, "--findings %s: in which format? FILE.json, .sarif or .xml, or --format", file);
    if (!strcmp(file, "-"))
        return true;
    if (!output_check(file, INPUT_OTHER, err))
        return false;
    return is_ours(file, format_of(o, file)) ||
           rp_fail(err, RP_USAGE,
                   "--findings %s: the file is there, and was not written by reprise; remove it, or give another name",
                   file);
}

static bool differ(const char *a, const char *what, const char *b, const char *other, struct rp_error *err)
{
    if (!a || !b || !strcmp(a, "-") || !strcmp(b, "-") || !output_same_file(a, b))
        return true;
    return rp_fail(err, RP_USAGE, "'%s' is to be both %s and %s", a, what, other);
}

bool finding_files_differ(const struct finding_options *o, const char *other, const char *what, struct rp_error *err)
{
    static const char rules[] = "the suppressions";
    bool fine = differ(o->write_suppressions, rules, other, what, err) &&
                output_spares(what, other, o->suppressions, "the suppressions that are read", err) &&
                output_spares(what, other, o->baseline, "the baseline", err) &&
                output_spares("--write-suppressions", o->write_suppressions, o->suppressions,
                              "the suppressions that are read", err) &&
                output_spares("--write-suppressions", o->write_suppressions, o->baseline, "the baseline", err);
    for (size_t i = 0; i < o->file_count && fine; i++) {
        fine = output_spares("--findings", o->files[i], o->suppressions, "the suppressions", err) &&
               output_spares("--findings", o->files[i], o->baseline, "the baseline", err) &&
               differ(o->files[i], "what is found", other, what, err) &&
               differ(o->files[i], "what is found", o->write_suppressions, rules, err);
        for (size_t k = 0; k < i && fine; k++)
            fine = differ(o->files[i], "what is found", o->files[k], "what is found in another format", err);
    }
    return fine;
}

bool finding_rules_open(struct finding_rules *r, const struct finding_options *o, bool checks, struct rp_error *err)
{
    *r = (struct finding_rules){0};
    if (o->last && !checks)
        return rp_fail(err, RP_USAGE, "%s: what shall be looked for? Such as --check all", o->last);
    for (size_t i = 0; i < o->file_count; i++)
        if (!check_file(o, o->files[i], err))
            return false;
    if (o->write_suppressions && !output_check(o->write_suppressions, INPUT_OTHER, err))
        return false;
    if (o->suppressions && !(r->suppressions = suppressions_read(o->suppressions, err)))
        return false;
    if (!o->baseline || findings_read(&r->baseline, o->baseline, err))
        return true;
    finding_rules_free(r);
    return false;
}

void finding_rules_free(struct finding_rules *r)
{
    suppressions_free(r->suppressions);
    findings_free(&r->baseline);
    r->suppressions = NULL;
}

static bool copy_file(const char *path, FILE *to, struct rp_error *err)
{
    char bytes[4096];
    size_t count;
    FILE *from = fopen(path, "re");
    if (!from)
        return rp_fail(err, RP_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
    while ((count = fread(bytes, 1, sizeof bytes, from)))
        fwrite(bytes, 1, count, to);
    putc('\n', to);
    bool bad = ferror(from);
    fclose(from);
    return !bad || rp_fail(err, RP_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
}

bool finding_rules_write(const struct finding_rules *r, const struct finding_options *o, const char *path,
                         struct rp_error *err)
{
    FILE *to = fopen(path, "we");
    bool fine = to && (!o->suppressions || copy_file(o->suppressions, to, err));
    for (size_t i = 0; fine && i < r->baseline.count; i++)
        fprintf(to, "kind=%s fingerprint=%016" PRIx64 "\n", rp_finding_kind(r->baseline.list[i].kind),
                r->baseline.list[i].fingerprint);
    bool bad = to && (ferror(to) | fclose(to));
    return (fine && !bad) || (to && !bad) ||
           rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", path, file_write_error(errno));
}

/* ---- after it ---------------------------------------------------------------------------------------------------- */

static bool write_one(const struct findings *f, enum findings_format format, const char *path, struct rp_error *err)
{
    bool standard = !strcmp(path, "-");
    struct output *o = standard ? NULL : output_open(path, err);
    if (!standard && !o)
        return false;
    FILE *to = standard ? stdout : o->to;
    bool whole = findings_write(f, format, to) && (!standard || !fflush(to));
    int why = errno;
    if (!whole && !ferror(to))
        rp_fail(err, RP_SYSTEM, "out of memory for the findings");
    else if (!whole && standard)
        rp_fail(err, RP_SYSTEM, "cannot write to standard output: %s", file_write_error(why));
    else if (!whole)
        rp_fail(err, RP_SYSTEM, "'%s': the findings cannot be written: %s", path, strerror(why));
    return standard ? whole : output_close(o, whole, err) && whole;
}

static bool write_all(const struct findings *f, const struct finding_options *o, struct rp_error *err)
{
    for (size_t i = 0; i < o->file_count; i++)
        if (!write_one(f, format_of(o, o->files[i]), o->files[i], err))
            return false;
    if (prints(o) && !write_one(f, o->format, "-", err))
        return false;
    return !o->write_suppressions || findings_write_suppressions(f, o->write_suppressions, err);
}

int findings_conclude(struct findings *f, const struct finding_options *o, const struct finding_rules *r, int status)
{
    struct rp_error err = {0};
    findings_mark(f, r->suppressions, o->baseline ? &r->baseline : NULL);
    if (!write_all(f, o, &err))
        return command_fail(&err);
    int error = o->error_status < 0 ? RP_KERNEL : o->error_status;
    return findings_failing(f) && error ? error : status;
}
