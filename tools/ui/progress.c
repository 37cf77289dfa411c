#include "tools/ui/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tools/ui/figure.h"
#include "tools/ui/screen.h"
#include "tools/ui/style.h"

#define LINE_BYTES 512
#define LONGEST_BAR 30u
#define SHORTEST_BAR 10u
#define USUAL_COLUMNS 80u /* if the width of the terminal is unknown */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(struct progress *p, const char *label, const char *unit, bool quiet)
{
    *p = (struct progress){
        .label = label, .unit = unit, .quiet = quiet, .started = now(), .terminal = style_terminal(stderr)};
    p->shown = p->started;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

enum part { PART_BAR = 1, PART_RATE = 2, PART_LEFT = 4, PART_UNIT = 8 };

static void append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

static void append_bar(const struct progress_state *s, unsigned width, char *text, size_t size)
{
    char bar[LONGEST_BAR + 1];
    double part = s->total ? (double)s->done / (double)s->total : 0;
    unsigned full = part < 1 ? (unsigned)(part * width) : width;
    memset(bar, '-', width);
    memset(bar, '#', full);
    bar[width] = 0;
    append(text, size, " [");
    append(text, size, bar);
    append(text, size, "]");
}

static void append_rate(const struct progress_state *s, char *text, size_t size)
{
    const char *scale = "";
    double rate = s->rate;
    char number[64];
    if (rate >= 1e9)
        rate /= 1e9, scale = " G";
    else if (rate >= 1e6)
        rate /= 1e6, scale = " M";
    else if (rate >= 1e3)
        rate /= 1e3, scale = " k";
    bool same = !strcmp(s->rate_unit, s->unit); /* the unit is in the line already */
    snprintf(number, sizeof number, ", %.1f%s%s%s/s", rate, scale, same ? "" : " ", same ? "" : s->rate_unit);
    append(text, size, number);
}

static void append_left(const struct progress_state *s, char *text, size_t size)
{
    char number[64];
    snprintf(number, sizeof number, ", %.0f s left", s->left);
    append(text, size, number);
}

/* Composes the parts of the line that are in `parts`. */
static void compose(const struct progress_state *s, unsigned parts, unsigned bar, char *text, size_t size)
{
    char done[FIGURE], total[FIGURE];
    snprintf(text, size, "%s", s->label);
    if (parts & PART_BAR)
        append_bar(s, bar, text, size);
    append(text, size, " ");
    append(text, size, figure(s->done, done));
    append(text, size, "/");
    append(text, size, figure(s->total, total));
    if (parts & PART_UNIT) {
        append(text, size, " ");
        append(text, size, s->unit);
    }
    if (parts & PART_RATE && s->rate_unit)
        append_rate(s, text, size);
    if (parts & PART_LEFT && s->left >= 0)
        append_left(s, text, size);
}

void progress_line(const struct progress_state *s, unsigned columns, bool bar, char *text, size_t size)
{
    static const unsigned fewer[] = {PART_BAR | PART_UNIT | PART_RATE | PART_LEFT, PART_BAR | PART_UNIT | PART_LEFT,
                                     PART_BAR | PART_LEFT, PART_LEFT, 0};
    size_t length = 0;
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++) {
        unsigned parts = bar ? fewer[i] : fewer[i] & ~(unsigned)PART_BAR, width = LONGEST_BAR;
        compose(s, parts, width, text, size);
        length = strlen(text);
        if (parts & PART_BAR && length > columns && length - columns <= LONGEST_BAR - SHORTEST_BAR) {
            compose(s, parts, width - (unsigned)(length - columns), text, size);
            return;
        }
        if (length <= columns)
            return;
    }
    if (columns < length)
        text[columns] = 0;
}

/* ---- showing it -------------------------------------------------------------------------------------------------- */

void progress_update(struct progress *p, uint64_t done, uint64_t total, uint64_t rate_count, const char *rate_unit)
{
    if (p->quiet)
        return;
    double t = now(), elapsed = t - p->started;
    if (elapsed < 1 || t - p->shown < (p->terminal ? 0.1 : 10))
        return;
    p->shown = t;
    struct progress_state state = {.label = p->label,
                                   .unit = p->unit,
                                   .done = done,
                                   .total = total,
                                   .rate_unit = rate_unit,
                                   .rate = (double)rate_count / elapsed,
                                   .left = -1};
    if (total && done)
        state.left = elapsed * ((double)total / (double)done - 1);
    char text[LINE_BYTES];
    unsigned columns = screen_width(stderr);
    columns = columns ? columns : USUAL_COLUMNS;
    /* the last column stays free: some terminals wrap as soon as it is filled */
    progress_line(&state, p->terminal ? (columns > 1 ? columns - 1 : 1) : LINE_BYTES - 1, p->terminal, text,
                  sizeof text);
    fprintf(stderr, p->terminal ? "\r%s\033[K" : "%s\n", text);
    p->visible = p->terminal;
}

void progress_end(struct progress *p)
{
    if (p->visible)
        fputs("\r\033[K", stderr);
    p->visible = false;
}
