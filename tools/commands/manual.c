/* Man pages from the rows of struct command. */
#include <ctype.h>
#include <string.h>

#include "tools/commands/commands.h"
#include "tools/lib/help.h"

/* Prints a character of UTF-8 that is not ASCII as troff's \[uXXXX]; returns its bytes. */
static size_t character(FILE *to, const char *s)
{
    unsigned first = (unsigned char)*s,
             more = first >= 0xf0   ? 3
                    : first >= 0xe0 ? 2
                                    : 1,
             code = first & (0x3fu >> more);
    size_t n = 1;
    for (; n <= more && ((unsigned char)s[n] & 0xc0) == 0x80; n++)
        code = code << 6 | ((unsigned char)s[n] & 0x3f);
    fprintf(to, "\\[u%04X]", code);
    return n;
}

/* Prints a text so that troff changes nothing in it: dashes are ASCII, backslashes are themselves, and a dot or quote
 * at the beginning of a line is no request. */
static void text(FILE *to, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((i == 0 || s[i - 1] == '\n') && (s[i] == '.' || s[i] == '\''))
            fputs("\\&", to);
        if (s[i] & 0x80)
            i += character(to, s + i) - 1;
        else if (s[i] == '\\')
            fputs("\\e", to);
        else if (s[i] == '-')
            fputs("\\-", to);
        else
            fputc(s[i], to);
    }
}

static void line(FILE *to, const char *s)
{
    text(to, s, strlen(s));
    fputc('\n', to);
}

static void title(FILE *to, const char *name, int section)
{
    fputs(".TH REPRISE", to);
    if (*name)
        fputc('-', to);
    for (const char *c = name; *c; c++)
        fputc(toupper((unsigned char)*c), to);
    fprintf(to, " %d \"\" \"reprise " REPRISE_VERSION "\" \"%s\"\n", section,
            section == 1   ? "User Commands"
            : section == 5 ? "File Formats"
                           : "Miscellaneous");
}

static void paragraphs(FILE *to, const char *s)
{
    for (size_t n; *s; s += n + (s[n] == '\n')) {
        n = strcspn(s, "\n");
        fputs(".PP\n", to);
        text(to, s, n);
        fputc('\n', to);
    }
}

static void verbatim(FILE *to, const char *s)
{
    fputs(".PP\n.nf\n", to);
    text(to, s, strlen(s));
    fputs(s[strlen(s) - 1] == '\n' ? ".fi\n" : "\n.fi\n", to);
}

static void rows(FILE *to, const struct help_row *r)
{
    for (; r->name; r++) {
        fputs(".TP\n.B ", to);
        line(to, r->name);
        line(to, r->text);
    }
}

static void option(FILE *to, const struct option_row *o)
{
    if (!o->name) {
        fputs(".SS ", to);
        line(to, o->help);
        return;
    }
    fputs(".TP\n", to);
    if (o->key > 0 && o->key < 128 && isalpha(o->key))
        fprintf(to, "\\fB\\-%c\\fR, ", o->key);
    fputs("\\fB\\-\\-", to);
    text(to, o->name, strlen(o->name));
    fputs("\\fR", to);
    if (o->argument) {
        bool optional = *o->argument == '[';
        fputs(optional ? "[=\\fI" : "=\\fI", to);
        text(to, o->argument + optional, strlen(o->argument) - optional);
        fputs(optional ? "\\fR" : "\\fR", to);
    }
    fputc('\n', to);
    line(to, o->help);
}

static void documents(FILE *to)
{
    line(to,
         "@PREFIX@/share/doc/reprise holds README.md and the documents: launch-file.md, machines.md, statistics.md, "
         "timing-model.md, trace-format.md, wcet.md, host-api.md, pandas.md, accelsim.md, validation.md, "
         "performance.md.");
}

void manual_command(const struct command *c, FILE *to)
{
    title(to, c->name, 1);
    fprintf(to, ".SH NAME\nreprise\\-%s \\- ", c->name);
    line(to, c->summary);
    fputs(".SH SYNOPSIS\n.nf\n", to);
    const char *usage = c->usage;
    for (bool first = true; first || *usage; first = false) {
        size_t n = strcspn(usage, "\n");
        fprintf(to, "\\fBreprise %s\\fR ", c->name);
        text(to, usage, n);
        fputc('\n', to);
        usage += n + (usage[n] == '\n');
    }
    fputs(".fi\n.SH DESCRIPTION\n", to);
    paragraphs(to, c->about);
    fputs(".SH OPTIONS\n", to);
    for (const struct option_row *o = c->options; o->name || o->help; o++)
        option(to, o);
    option(to, &(struct option_row){"help", 'h', NULL, "Print help"});
    option(to, &(struct option_row){"version", 'V', NULL, "Print the version"});
    if (c->forms) {
        fputs(".SH ARGUMENTS\n", to);
        verbatim(to, c->forms);
    }
    fputs(".SH EXAMPLES\n", to);
    for (const struct command_example *e = c->examples; e->what; e++) {
        fputs(".PP\n", to);
        line(to, e->what);
        verbatim(to, e->command);
    }
    fputs(".SH EXIT STATUS\n", to);
    if (c->status)
        line(to, c->status);
    else
        rows(to, help_statuses);
    fputs(".SH SEE ALSO\n\\fBreprise\\fR(1)\n.PP\n", to);
    documents(to);
}

static void topic_row(void *to, const char *name, const char *words)
{
    fputs(".TP\n.B ", to);
    line(to, name);
    line(to, words);
}

/* Lines that begin with a blank stay as they are, the others are paragraphs. */
static void topic_text(FILE *to, const char *s)
{
    for (size_t n; *s; s += n + (s[n] == '\n')) {
        n = strcspn(s, "\n");
        fputs(*s == ' ' ? ".br\n" : ".PP\n", to);
        text(to, s, n);
        fputc('\n', to);
    }
}

void manual_topic(const struct topic *t, FILE *to)
{
    title(to, t->name, t->section);
    fprintf(to, ".SH NAME\nreprise\\-%s \\- ", t->name);
    line(to, t->summary);
    for (const struct topic_part *p = t->parts; p->heading || p->text || p->rows || p->each; p++) {
        fputs(".SH ", to);
        line(to, p->heading ? p->heading : "DESCRIPTION");
        if (p->text)
            topic_text(to, p->text);
        if (p->rows)
            rows(to, p->rows);
        if (p->each)
            p->each(topic_row, to);
    }
    fputs(".SH SEE ALSO\n\\fBreprise\\fR(1)\n", to);
}

void manual_all(FILE *to)
{
    title(to, "", 1);
    fputs(".SH NAME\nreprise \\- record a GPU kernel once, replay its timing on any hardware\n"
          ".SH SYNOPSIS\n\\fBreprise\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n",
          to);
    line(to,
         "reprise runs CUDA kernels on the CPU. It needs no GPU and no CUDA installation. It records what every warp "
         "did: instructions, active masks and addresses. Such a trace is then replayed on machine models with "
         "interchangeable warp schedulers, caches, shared memory and DRAM, and gives cycles and statistics.");
    fputs(".SH COMMANDS\n", to);
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, ".TP\n\\fBreprise\\-%s\\fR(1)\n", (*c)->name);
        line(to, (*c)->summary);
    }
    fputs(".SH TOPICS\n", to);
    for (const struct topic *const *t = topics; *t; t++) {
        fprintf(to, ".TP\n\\fBreprise\\-%s\\fR(%d)\n", (*t)->name, (*t)->section);
        line(to, (*t)->summary);
    }
    fputs(".SH EXIT STATUS\n", to);
    rows(to, help_statuses);
    fputs(".PP\nWith 1, and with 2 for bad input, no output file is left behind.\n.SH ENVIRONMENT\n", to);
    rows(to, help_environment);
    fputs(".SH FILES\n.TP\n.B @PREFIX@/share/reprise/machines\nmachines that are found by name\n"
          ".TP\n.B @PREFIX@/include/reprise/cuda.h\nCUDA C for clang without a CUDA installation\n"
          ".SH SEE ALSO\n",
          to);
    documents(to);
}
