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

/* The numbers below 100, with two digits each. */
#define TENS(t) t "0" t "1" t "2" t "3" t "4" t "5" t "6" t "7" t "8" t "9"
static const char pairs[] =
    TENS("0") TENS("1") TENS("2") TENS("3") TENS("4") TENS("5") TENS("6") TENS("7") TENS("8") TENS("9");

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
    for (; number >= 100; number /= 100)
        memcpy(digit -= 2, &pairs[number % 100 * 2], 2);
    if (number >= 10)
        memcpy(digit - 2, &pairs[number * 2], 2);
    else
        digit[-1] = (uint8_t)('0' + number);
    return end;
}

static void count_up(struct konata_counter *c)
{
    if (++c->last < 100)
        return;
    c->last = 0;
    c->size = (unsigned)(put_number((uint8_t *)c->hundreds, ++c->number) - (uint8_t *)c->hundreds);
}

static inline uint8_t *put_counter(uint8_t *at, const struct konata_counter *c)
{
    if (!c->size)
        return put_number(at, c->last);
    memcpy(at, c->hundreds, sizeof c->hundreds);
    memcpy(at + c->size, &pairs[c->last * 2], 2);
    return at + c->size + 2;
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

/* The texts of the kernel's instructions, those that are needed so far; NULL: out of memory. */
static struct konata_words *words_of_kernel(struct konata_log *log, uint32_t launch)
{
    const struct rp_trace *trace = log->request->trace;
    uint32_t kernel = rp_trace_launch(trace, launch)->kernel;
    struct konata_words **of = &log->instructions[kernel];
    if (!*of)
        *of = calloc(rp_trace_kernel(trace, kernel)->instruction_count + 1, sizeof **of);
    log->launch = launch;
    return log->of_launch = *of;
}

/* "\t0\t0040: add.s32 ...\n"; NULL: out of memory. */
static const struct konata_words *words_of(struct konata_log *log, const struct life *l)
{
    struct konata_words *of =
        log->of_launch && log->launch == l->launch ? log->of_launch : words_of_kernel(log, l->launch);
    if (!of || of[l->index].text)
        return of ? &of[l->index] : NULL;
    const struct rp_trace *trace = log->request->trace;
    const struct rp_kernel *kernel = rp_trace_kernel(trace, rp_trace_launch(trace, l->launch)->kernel);
    return make_words(&kernel->instructions[l->index], &of[l->index]) ? &of[l->index] : NULL;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Bytes of the lines of a life, or of a moment, besides the text of an instruction: a few numbers each. */
#define LINES_MOST 1024
_Static_assert(LINES_MOST < WRITER_MOST, "they have room");

/* Hands on what was written up to `at`, if less than WRITER_MOST bytes are left. */
static inline uint8_t *make_room(struct writer *out, uint8_t *at)
{
    out->at = at;
    writer_room(out);
    return out->at;
}

/* A text of any size. Then there is room for lines. */
static inline uint8_t *put_words(struct writer *out, uint8_t *at, const struct konata_words *w)
{
    size_t done = 0, step = WRITER_MOST - LINES_MOST;
    for (; w->size - done > step; done += step)
        at = make_room(out, put(at, w->text + done, step));
    at = put(at, w->text + done, w->size - done);
    return done ? make_room(out, at) : at;
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
    uint64_t subcores = (uint64_t)r->machine->subcores, place = life_subcore(l, subcores * (uint64_t)r->machine->sms),
             warps = rp_launch_warps(rp_trace_launch(r->trace, l->launch));
    at = put_number(PUT(put_counter(PUT(at, "L\t"), &log->issued), "\t1\tlaunch "), l->launch);
    at = put_number(PUT(at, ", block "), l->warp / warps);
    at = put_number(PUT(at, ", warp "), l->warp % warps);
    at = put_number(PUT(at, ", SM "), place / subcores);
    return PUT(put_number(PUT(at, ", subcore "), place % subcores), "\n");
}

static inline uint8_t *put_issue(struct konata_log *log, uint8_t *at, const struct life *l)
{
    const struct konata_words *words = words_of(log, l);
    if (!words) {
        log->starved = true;
        return at;
    }
    at = put_counter(PUT(at, "I\t"), &log->issued);
    at = put_counter(PUT(at, "\t"), &log->issued);
    at = put_number(PUT(at, "\t"), l->warp);
    at = put_words(log->out, put_counter(PUT(at, "\nL\t"), &log->issued), words);
    if (meet_first(log, l))
        at = put_place(log, l, at);
    at = put_counter(PUT(at, "S\t"), &log->issued);
    count_up(&log->issued);
    return l->dispatch ? PUT(at, "\t0\tIs\n") : PUT(at, "\t0\tX\n");
}

static inline uint8_t *put_dispatch(uint8_t *at, uint64_t number)
{
    return PUT(put_number(PUT(at, "S\t"), number), "\t0\tX\n");
}

static inline uint8_t *put_end(struct konata_log *log, uint8_t *at, uint64_t number)
{
    at = PUT(put_counter(PUT(put_number(PUT(at, "R\t"), number), "\t"), &log->retired), "\t0\n");
    count_up(&log->retired);
    return at;
}

static uint8_t *put_cycle(struct konata_log *log, uint8_t *at, uint64_t cycle)
{
    at = log->begun ? put_number(PUT(at, "C\t"), cycle - log->cycle) : put_number(PUT(at, "Kanata\t0004\nC=\t"), cycle);
    log->begun = true;
    log->cycle = cycle;
    return PUT(at, "\n");
}

void konata_log_part(void *data, const struct lives_part *p)
{
    struct konata_log *log = data;
    uint8_t *at = log->out->at;
    for (uint32_t c = 0; c < LIVES_CYCLES; c++) {
        uint32_t issue = p->issues_from[c], dispatch = p->dispatches_from[c], end = p->ends_from[c];
        if (issue == p->issues_from[c + 1] && dispatch == p->dispatches_from[c + 1] && end == p->ends_from[c + 1])
            continue;
        at = put_cycle(log, make_room(log->out, at), p->begin + c);
        for (; end < p->ends_from[c + 1]; end++)
            at = put_end(log, make_room(log->out, at), p->ends[end]);
        for (; issue < p->issues_from[c + 1]; issue++)
            at = put_issue(log, make_room(log->out, at), p->issues[issue]);
        for (; dispatch < p->dispatches_from[c + 1]; dispatch++)
            at = put_dispatch(make_room(log->out, at), p->dispatches[dispatch]);
    }
    log->out->at = at;
}

/* ---- life span --------------------------------------------------------------------------------------------------- */

bool konata_log_open(struct konata_log *log, const struct timeline_request *r, struct writer *out)
{
    *log = (struct konata_log){.request = r, .out = out};
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
