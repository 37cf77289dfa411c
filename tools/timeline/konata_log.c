#include "tools/timeline/konata_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/names.h"

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static inline uint8_t *put(uint8_t *at, const char *text, size_t size)
{
    memcpy(at, text, size);
    return at + size;
}
#define PUT(at, text) put(at, text, sizeof text - 1)

static inline unsigned digits_of(uint64_t number)
{
    unsigned digits = 1;
    for (; number >= 10000; number /= 10000)
        digits += 4;
    return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

static inline uint8_t *put_number(uint8_t *at, uint64_t number)
{
    uint8_t *end = at + digits_of(number), *digit = end;
    do
        *--digit = (uint8_t)('0' + number % 10);
    while (number /= 10);
    return end;
}

static void count_up(struct konata_counter *c)
{
    for (char *at = c->digits + c->size; at-- > c->digits;) {
        if (*at != '9') {
            ++*at;
            return;
        }
        *at = '0';
    }
    memmove(c->digits + 1, c->digits, c->size++);
    *c->digits = '1';
}

static inline uint8_t *put_counter(uint8_t *at, const struct konata_counter *c)
{
    memcpy(at, c->digits, sizeof c->digits);
    return at + c->size;
}

/* Fields end at tabs, and lines at their ends: a text that has such is written without. */
static void write_text(const char *text, FILE *to)
{
    if (!strpbrk(text, "\t\r\n")) {
        print_plain_names(text, to);
        return;
    }
    for (; *text; text++)
        putc((unsigned char)*text < ' ' ? ' ' : *text, to);
}

static bool make_words(const struct rp_instruction *in, struct konata_words *w)
{
    FILE *to = open_memstream(&w->text, &w->size);
    if (!to)
        return false;
    fprintf(to, "\t0\t%04" PRIx64 ": ", in->pc);
    write_text(in->text, to);
    putc('\n', to);
    return !fclose(to);
}

/* "\t0\t0040: add.s32 ...\n"; NULL: out of memory. */
static const struct konata_words *words_of(struct konata_log *log, const struct life *l)
{
    const struct rp_trace *trace = log->request->trace;
    uint32_t number = rp_trace_launch(trace, l->launch)->kernel;
    const struct rp_kernel *kernel = rp_trace_kernel(trace, number);
    struct konata_words **of = &log->instructions[number];
    if (!*of)
        *of = calloc(kernel->instruction_count + 1, sizeof **of);
    bool fine = *of && ((*of)[l->index].text || make_words(&kernel->instructions[l->index], &(*of)[l->index]));
    return fine ? &(*of)[l->index] : NULL;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Bytes of the lines of a life, or of a moment, besides the text of an instruction: a few numbers each. */
#define LINES_MOST 1024
_Static_assert(LINES_MOST < WRITER_MOST, "they have room");

/* A text of any size. Then there is room for lines. */
static uint8_t *put_words(struct writer *out, uint8_t *at, const struct konata_words *w)
{
    size_t done = 0, step = WRITER_MOST - LINES_MOST;
    for (; w->size - done > step; done += step) {
        out->at = put(at, w->text + done, step);
        writer_room(out);
        at = out->at;
    }
    out->at = put(at, w->text + done, w->size - done);
    writer_room(out);
    return out->at;
}

/* Whether it is the first one of its warp; later ones may be said to be, too. Warps that are on the machine together
 * mostly have places of their own. */
static bool meet_first(struct konata_log *log, const struct life *l)
{
    struct konata_warp *w = &log->warps[l->warp % KONATA_WARPS];
    bool first = !w->taken || w->warp != l->warp || w->launch != l->launch;
    *w = (struct konata_warp){l->warp, l->launch, true};
    return first;
}

/* Where the life's warp is. */
static uint8_t *put_place(const struct konata_log *log, const struct life *l, uint8_t *at)
{
    const struct timeline_request *r = log->request;
    uint64_t subcores = (uint64_t)r->machine->subcores, place = l->issue % (subcores * (uint64_t)r->machine->sms),
             warps = rp_launch_warps(rp_trace_launch(r->trace, l->launch));
    at = put_number(PUT(put_counter(PUT(at, "L\t"), &log->issued), "\t1\tlaunch "), l->launch);
    at = put_number(PUT(at, ", block "), l->warp / warps);
    at = put_number(PUT(at, ", warp "), l->warp % warps);
    at = put_number(PUT(at, ", SM "), place / subcores);
    return PUT(put_number(PUT(at, ", subcore "), place % subcores), "\n");
}

static void put_issue(struct konata_log *log, const struct life *l)
{
    const struct konata_words *words = words_of(log, l);
    if (!words) {
        log->starved = true;
        return;
    }
    writer_room(log->out);
    uint8_t *at = put_counter(PUT(log->out->at, "I\t"), &log->issued);
    at = put_counter(PUT(at, "\t"), &log->issued);
    at = put_number(PUT(at, "\t"), l->warp);
    at = put_words(log->out, put_counter(PUT(at, "\nL\t"), &log->issued), words);
    if (meet_first(log, l))
        at = put_place(log, l, at);
    at = put_counter(PUT(at, "S\t"), &log->issued);
    log->out->at = l->dispatch ? PUT(at, "\t0\tIs\n") : PUT(at, "\t0\tX\n");
    count_up(&log->issued);
}

static void put_dispatch(struct konata_log *log, uint64_t number)
{
    writer_room(log->out);
    log->out->at = PUT(put_number(PUT(log->out->at, "S\t"), number), "\t0\tX\n");
}

static void put_end(struct konata_log *log, uint64_t number)
{
    writer_room(log->out);
    uint8_t *at = PUT(put_number(PUT(log->out->at, "R\t"), number), "\t");
    log->out->at = PUT(put_counter(at, &log->retired), "\t0\n");
    count_up(&log->retired);
}

static void put_cycle(struct konata_log *log, uint64_t cycle)
{
    writer_room(log->out);
    uint8_t *at = log->out->at;
    if (log->begun)
        log->out->at = PUT(put_number(PUT(at, "C\t"), cycle - log->cycle), "\n");
    else
        log->out->at = PUT(put_number(PUT(at, "Kanata\t0004\nC=\t"), cycle), "\n");
    log->begun = true;
    log->cycle = cycle;
}

void konata_log_part(void *data, const struct lives_part *p)
{
    struct konata_log *log = data;
    for (uint32_t c = 0; c < LIVES_CYCLES; c++) {
        uint32_t issue = p->issues_from[c], dispatch = p->dispatches_from[c], end = p->ends_from[c];
        if (issue == p->issues_from[c + 1] && dispatch == p->dispatches_from[c + 1] && end == p->ends_from[c + 1])
            continue;
        put_cycle(log, p->begin + c);
        for (; end < p->ends_from[c + 1]; end++)
            put_end(log, p->ends[end]);
        for (; issue < p->issues_from[c + 1]; issue++)
            put_issue(log, p->issues[issue]);
        for (; dispatch < p->dispatches_from[c + 1]; dispatch++)
            put_dispatch(log, p->dispatches[dispatch]);
    }
}

/* ---- life span --------------------------------------------------------------------------------------------------- */

bool konata_log_open(struct konata_log *log, const struct timeline_request *r, struct writer *out)
{
    const struct konata_counter zero = {"0", 1};
    *log = (struct konata_log){.request = r, .out = out, .issued = zero, .retired = zero};
    log->instructions = calloc(rp_trace_kernel_count(r->trace) + 1, sizeof *log->instructions);
    log->warps = calloc(KONATA_WARPS, sizeof *log->warps);
    return log->instructions && log->warps;
}

void konata_log_close(struct konata_log *log)
{
    const struct rp_trace *trace = log->request->trace;
    for (uint32_t n = 0; log->instructions && n < rp_trace_kernel_count(trace); n++) {
        for (uint32_t i = 0; log->instructions[n] && i < rp_trace_kernel(trace, n)->instruction_count; i++)
            free(log->instructions[n][i].text);
        free(log->instructions[n]);
    }
    free(log->instructions);
    free(log->warps);
}
