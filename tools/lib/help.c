#include "tools/lib/help.h"

#include <ctype.h>
#include <string.h>

#include "tools/ui/screen.h"
#include "tools/ui/style.h"

#define INDENT 28 /* where the text of an option begins */
#define WIDEST 100

const struct help_row help_statuses[] = {
    {"0", "fine"},
    {"1", "wrong usage"},
    {"2", "bad input: a trace, module, machine file, launch file or data file is not what it should be; "
          "or --check was asked for, and nothing was checked, or not all"},
    {"3", "the kernel misbehaved: a bad memory access, a deadlock, an endless loop, a trap; or a result is not as "
          "--expect says; or --check has found something"},
    {"4", "the system failed: no memory, no space, input/output error, or a tool or a file that Reprise needs is not "
          "there; or a replay exceeded its bound"},
    {"5", "the trace is not whole: what is there was used"},
    {NULL, NULL},
};
const struct help_row help_environment[] = {
    {"REPRISE_MACHINES", "a folder that is searched first for machines given by name"},
    {"REPRISE_SIMD", "2, 3 or 4: the highest x86-64 vector level to use; results do not depend on it"},
    {"CLANG", "the clang that compiles CUDA source (clang)"},
    {"NO_COLOR", "if set, no bold and no colour on a terminal"},
    {NULL, NULL},
};

static unsigned width_of(FILE *to)
{
    unsigned width = screen_width(to);
    return width > WIDEST ? WIDEST : width ? width : 80;
}

/* Prints a paragraph without the end of its last line; lines begin in column `indent`, and the first has reached column
 * `at`. */
static void wrap_open(FILE *to, const char *text, unsigned at, unsigned indent)
{
    unsigned width = width_of(to);
    bool begun = false;
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (begun && at + 1 + n > width) {
            fputc('\n', to);
            at = 0;
            begun = false;
        }
        if (at < indent)
            at += (unsigned)fprintf(to, "%*s", (int)(indent - at), "");
        at += (unsigned)fprintf(to, "%s%.*s", begun ? " " : "", (int)n, word);
        begun = true;
        word += n + (word[n] == ' ');
    }
}

static void wrap(FILE *to, const char *text, unsigned at, unsigned indent)
{
    wrap_open(to, text, at, indent);
    fputc('\n', to);
}

static void heading(FILE *to, const char *text)
{
    fputs(style(to, STYLE_HEADING), to);
    wrap_open(to, text, 0, 0);
    fprintf(to, "%s\n", style(to, STYLE_PLAIN));
}

/* Prints each line of the text as a paragraph. */
static void paragraphs(FILE *to, const char *text, unsigned indent)
{
    char line[2048];
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        wrap(to, line, 0, indent);
    }
}

static void row(FILE *to, const char *left, const char *text)
{
    unsigned at = (unsigned)fprintf(to, "%s", left);
    if (at + 2 > INDENT) {
        fputc('\n', to);
        at = 0;
    }
    wrap(to, text, at, INDENT);
}

static void option(FILE *to, const struct option_row *o)
{
    char left[160] = "      ";
    if (!o->name) {
        fputc('\n', to);
        heading(to, o->help);
        return;
    }
    if (o->key > 0 && o->key < 128 && isalpha(o->key))
        snprintf(left, sizeof left, "  -%c, ", o->key);
    size_t n = strlen(left);
    const char *value = o->argument ? o->argument : "";
    if (*value == '[')
        snprintf(left + n, sizeof left - n, "--%s[=%s", o->name, value + 1);
    else
        snprintf(left + n, sizeof left - n, "--%s%s%s", o->name, *value ? "=" : "", value);
    row(to, left, o->help);
}

static void options(FILE *to, const struct option_row *o)
{
    fputc('\n', to);
    if (o->name)
        heading(to, "Options");
    for (bool first = true; o->name || o->help; o++, first = false) {
        if (first && !o->name) {
            heading(to, o->help);
            continue;
        }
        option(to, o);
    }
    row(to, "  -h, --help", "Print this help");
    row(to, "  -V, --version", "Print the version");
}

/* How much of a line of a command is printed in a line of `room` columns: all, or up to a blank before an option, which
 * stands in no quotes; the line then ends in a backslash. */
static size_t piece(const char *line, size_t n, size_t room)
{
    char quote = 0;
    size_t at = 0, start = strspn(line, " ");
    for (size_t i = start; n > room && i + 2 < n && i + strlen(" \\") <= room; i++) {
        if (quote || line[i] == '\'' || line[i] == '"')
            quote = !quote ? line[i] : line[i] == quote ? 0 : quote;
        else if (i > start && line[i] == ' ' && line[i + 1] == '-')
            at = i;
    }
    return at ? at : n;
}

static void example_line(FILE *to, const char *line, size_t n)
{
    const unsigned indents[] = {2, 10};
    for (bool first = true; n; first = false) {
        size_t part = piece(line, n, width_of(to) - indents[!first]);
        fprintf(to, "%*s%.*s%s\n", (int)indents[!first], "", (int)part, line, part < n ? " \\" : "");
        part += part < n; /* the blank */
        line += part;
        n -= part;
    }
}

/* Each line is a comment of a shell. */
static void comment(FILE *to, const char *text)
{
    unsigned width = width_of(to), at = 0;
    for (size_t n; *text; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");
        if (!at || at + 1 + n > width)
            at = (unsigned)fprintf(to, "%s  #", at ? "\n" : "") - (at > 0);
        at += (unsigned)fprintf(to, " %.*s", (int)n, text);
    }
    fputc('\n', to);
}

static void example(FILE *to, const struct command_example *e)
{
    comment(to, e->what);
    for (const char *line = e->command; *line;) {
        size_t n = strcspn(line, "\n");
        example_line(to, line, n);
        line += n + (line[n] == '\n');
    }
}

static void usage(FILE *to, const struct command *c)
{
    const char *text = c->usage;
    char form[256];
    for (bool first = true; first || *text; first = false) {
        size_t n = strcspn(text, "\n");
        unsigned at = (unsigned)fprintf(to, "%s reprise %s ", first ? "Usage:" : "      ", c->name);
        snprintf(form, sizeof form, "%.*s", (int)n, text);
        wrap(to, form, at, 11);
        text += n + (text[n] == '\n');
    }
}

void help_command(const struct command *c, FILE *to)
{
    usage(to, c);
    fputc('\n', to);
    paragraphs(to, c->about, 0);
    options(to, c->options);
    if (c->forms)
        fprintf(to, "\n%s", c->forms);
    fputc('\n', to);
    heading(to, "Examples");
    for (const struct command_example *e = c->examples; e->what; e++)
        example(to, e);
    fputc('\n', to);
    wrap(to, c->status ? c->status : "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed.", 0, 0);
}

static void topic_row(void *to, const char *name, const char *text)
{
    char left[80];
    snprintf(left, sizeof left, "  %s", name);
    row(to, left, text);
}

/* Lines that begin with a blank are printed as they are. */
static void topic_text(FILE *to, const char *text)
{
    char line[2048];
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        if (*line == ' ')
            fprintf(to, "%s\n", line);
        else
            wrap(to, line, 0, 0);
    }
}

void help_topic(const struct topic *t, FILE *to)
{
    for (const struct topic_part *p = t->parts; p->heading || p->text || p->rows || p->each; p++) {
        if (p != t->parts)
            fputc('\n', to);
        if (p->heading)
            heading(to, p->heading);
        if (p->text)
            topic_text(to, p->text);
        for (const struct help_row *r = p->rows; r && r->name; r++)
            topic_row(to, r->name, r->text);
        if (p->each)
            p->each(topic_row, to);
    }
}

static void listed(FILE *to, const char *name, const char *summary)
{
    wrap(to, summary, (unsigned)fprintf(to, "  %-10s ", name), 13);
}

void help_all(const struct command *const *commands, const struct topic *const *topics, FILE *to)
{
    fputs("Usage: reprise COMMAND [OPTION...]\n\n"
          "Record a GPU kernel once, replay its timing on any hardware.\n\n",
          to);
    heading(to, "Commands");
    for (const struct command *const *c = commands; *c; c++)
        listed(to, (*c)->name, (*c)->summary);
    listed(to, "help", "describe a command or a topic: reprise help NAME");
    listed(to, "version", "print the version");
    fputc('\n', to);
    heading(to, "Topics");
    for (; *topics; topics++)
        listed(to, (*topics)->name, (*topics)->summary);
    fputc('\n', to);
    heading(to, "Exit status");
    for (const struct help_row *s = help_statuses; s->name; s++) {
        fprintf(to, "  %s ", s->name);
        wrap(to, s->text, 4, 4);
    }
    fputs("With 1, and with 2 for bad input, no output file is left behind.\n\n", to);
    heading(to, "Environment");
    for (const struct help_row *e = help_environment; e->name; e++) {
        char left[64];
        snprintf(left, sizeof left, "  %s", e->name);
        row(to, left, e->text);
    }
    fputs("\n'reprise help NAME' describes a command, with examples, or a topic.\n", to);
}
