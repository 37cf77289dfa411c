#include "tools/timeline/konata_log.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/names.h"

/* What is written of a life besides numbers. */
struct words {
    char *text;
    size_t size;
};

/* A thread that makes pieces of the log. */
struct log;
struct piece_writer {
    struct log *log;
    pthread_t thread;
    struct words **instructions; /* of each kernel, by index; NULL: none yet */
    uint8_t *text, *at;          /* the piece */
    size_t room;
    bool starved;
};

#define PIECE_LIVES 4096u
#define THREADS_MOST 16u

struct log {
    const struct timeline_request *request;
    const struct lives *lives;
    FILE *to;
    int failure; /* errno of the first error of the file; 0: none yet */
    uint32_t pieces;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    uint32_t begun, written; /* pieces */
    bool starved;
};

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

/* A number that grows by one, as text. */
#define DIGITS 20
struct counter {
    char digits[DIGITS];
    unsigned size;
};

static struct counter count_from(uint32_t number)
{
    struct counter c = {"", 0};
    c.size = (unsigned)(put_number((uint8_t *)c.digits, number) - (uint8_t *)c.digits);
    return c;
}

static void count_up(struct counter *c)
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

static inline uint8_t *put_counter(uint8_t *at, const struct counter *c)
{
    memcpy(at, c->digits, DIGITS);
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

static bool make_words(const struct rp_instruction *in, struct words *w)
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
static const struct words *words_of(struct piece_writer *w, const struct life *l)
{
    const struct rp_trace *trace = w->log->request->trace;
    uint32_t number = rp_trace_launch(trace, l->launch)->kernel;
    const struct rp_kernel *kernel = rp_trace_kernel(trace, number);
    struct words **of = &w->instructions[number];
    if (!*of)
        *of = calloc(kernel->instruction_count + 1, sizeof **of);
    bool fine = *of && ((*of)[l->index].text || make_words(&kernel->instructions[l->index], &(*of)[l->index]));
    return fine ? &(*of)[l->index] : NULL;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Of a life, or of a moment, besides the text of an instruction. */
#define LINES_MOST 512

/* Makes room for lines, and a text of this size. False: memory ran out. */
static inline bool make_room(struct piece_writer *w, size_t size)
{
    size_t taken = (size_t)(w->at - w->text), room = w->room;
    if (taken + size + LINES_MOST <= room)
        return true;
    room = 2 * (taken + size + LINES_MOST);
    uint8_t *more = realloc(w->text, room);
    if (!more) {
        w->starved = true;
        return false;
    }
    w->text = more;
    w->at = more + taken;
    w->room = room;
    return true;
}

/* Where the life's warp is. */
static uint8_t *put_place(const struct piece_writer *w, const struct life *l, const struct counter *number, uint8_t *at)
{
    const struct timeline_request *r = w->log->request;
    uint64_t subcores = (uint64_t)r->machine->subcores, place = l->issue % w->log->lives->subcores,
             warps = rp_launch_warps(rp_trace_launch(r->trace, l->launch));
    at = put_number(PUT(put_counter(PUT(at, "L\t"), number), "\t1\tlaunch "), l->launch);
    at = put_number(PUT(at, ", block "), l->warp / warps);
    at = put_number(PUT(at, ", warp "), l->warp % warps);
    at = put_number(PUT(at, ", SM "), place / subcores);
    return PUT(put_number(PUT(at, ", subcore "), place % subcores), "\n");
}

/* The lines of a life when it issues. */
static void put_issue(struct piece_writer *w, const struct life *l, const struct counter *number)
{
    const struct words *text = words_of(w, l);
    if (!text || !make_room(w, text->size)) {
        w->starved = true;
        return;
    }
    uint8_t *at = put_counter(PUT(w->at, "I\t"), number);
    at = put_counter(PUT(at, "\t"), number);
    at = put_number(PUT(at, "\t"), l->warp);
    at = put_counter(PUT(at, "\nL\t"), number);
    at = put(at, text->text, text->size);
    if (l->first)
        at = put_place(w, l, number, at);
    at = put_counter(PUT(at, "S\t"), number);
    w->at = l->dispatch ? PUT(at, "\t0\tIs\n") : PUT(at, "\t0\tX\n");
}

/* Places in the lists of lives. */
struct moment {
    uint32_t issued, dispatched, ended;
};

/* UINT64_MAX: behind the end. */
static uint64_t key_at(const uint64_t *list, uint32_t at, uint32_t end)
{
    return at < end ? keyed_key(list[at]) : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void put_piece(struct piece_writer *w, uint64_t now, struct moment from, struct moment to)
{
    const struct lives *l = w->log->lives;
    struct counter number = count_from(from.issued), retired = count_from(from.ended);
    while (!w->starved) {
        uint64_t end = key_at(l->ends, from.ended, to.ended), issue = key_at(l->issues, from.issued, to.issued),
                 dispatch = key_at(l->dispatches, from.dispatched, to.dispatched);
        uint64_t next = least(least(end, issue), dispatch);
        if (next == UINT64_MAX || !make_room(w, 0))
            return;
        if (next != now)
            w->at = PUT(put_number(PUT(w->at, "C\t"), next - now), "\n");
        now = next;
        if (end == now) {
            uint8_t *at = PUT(put_number(PUT(w->at, "R\t"), keyed_number(l->ends[from.ended++])), "\t");
            w->at = PUT(put_counter(at, &retired), "\t0\n");
            count_up(&retired);
        } else if (issue == now) {
            put_issue(w, &l->list[keyed_number(l->issues[from.issued++])], &number);
            count_up(&number);
        } else {
            w->at = PUT(put_number(PUT(w->at, "S\t"), keyed_number(l->dispatches[from.dispatched++])), "\t0\tX\n");
        }
    }
}

/* How many of the list have keys below this one. */
static uint32_t count_below(const uint64_t *list, uint32_t count, uint64_t key)
{
    uint32_t from = 0;
    while (from < count) {
        uint32_t middle = from + (count - from) / 2;
        if (keyed_key(list[middle]) < key)
            from = middle + 1;
        else
            count = middle;
    }
    return from;
}

/* A piece begins with the cycle of one of its issues; the one behind the last is the end. */
static struct moment begin_of(const struct log *log, uint32_t piece)
{
    const struct lives *l = log->lives;
    if (piece == log->pieces)
        return (struct moment){l->count, l->dispatch_count, l->count};
    uint64_t key = keyed_key(l->issues[piece * PIECE_LIVES]);
    return (struct moment){count_below(l->issues, l->count, key), count_below(l->dispatches, l->dispatch_count, key),
                           count_below(l->ends, l->count, key)};
}

/* The last cycle before the piece in which something happens; the first of all, if it is the first piece. */
static uint64_t cycle_before(const struct lives *l, struct moment m)
{
    uint64_t issue = m.issued ? keyed_key(l->issues[m.issued - 1]) : 0,
             dispatch = m.dispatched ? keyed_key(l->dispatches[m.dispatched - 1]) : 0,
             end = m.ended ? keyed_key(l->ends[m.ended - 1]) : 0;
    uint64_t later = issue > dispatch ? issue : dispatch;
    return later > end ? later : end;
}

static void make_piece(struct piece_writer *w, uint32_t piece)
{
    struct moment from = begin_of(w->log, piece), to = begin_of(w->log, piece + 1);
    w->at = w->text;
    if (!make_room(w, 0))
        return;
    if (!piece)
        w->at = PUT(put_number(PUT(w->at, "Kanata\t0004\nC=\t"), w->log->lives->begin), "\n");
    put_piece(w, cycle_before(w->log->lives, from), from, to);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Pieces are written one after the other. */
static void write_piece(struct piece_writer *w, uint32_t piece)
{
    struct log *log = w->log;
    size_t size = (size_t)(w->at - w->text);
    pthread_mutex_lock(&log->lock);
    while (log->written != piece)
        pthread_cond_wait(&log->changed, &log->lock);
    pthread_mutex_unlock(&log->lock);
    if (size && fwrite(w->text, 1, size, log->to) != size && !log->failure)
        log->failure = errno;
    pthread_mutex_lock(&log->lock);
    log->written++;
    log->starved |= w->starved;
    pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->lock);
}

/* The number of the next piece; log->pieces: there is none. */
static uint32_t take_piece(struct log *log)
{
    pthread_mutex_lock(&log->lock);
    uint32_t piece = log->starved ? log->pieces : log->begun;
    log->begun += piece < log->pieces;
    pthread_mutex_unlock(&log->lock);
    return piece;
}

static void *write_pieces(void *data)
{
    struct piece_writer *w = data;
    for (uint32_t piece; (piece = take_piece(w->log)) < w->log->pieces;) {
        make_piece(w, piece);
        write_piece(w, piece);
    }
    return NULL;
}

static bool open_writer(struct piece_writer *w, struct log *log)
{
    *w = (struct piece_writer){.log = log};
    w->instructions = calloc(rp_trace_kernel_count(log->request->trace) + 1, sizeof *w->instructions);
    log->starved |= !w->instructions;
    return w->instructions;
}

static void close_writer(struct piece_writer *w)
{
    const struct rp_trace *trace = w->log->request->trace;
    for (uint32_t n = 0; w->instructions && n < rp_trace_kernel_count(trace); n++) {
        for (uint32_t i = 0; w->instructions[n] && i < rp_trace_kernel(trace, n)->instruction_count; i++)
            free(w->instructions[n][i].text);
        free(w->instructions[n]);
    }
    free(w->instructions);
    free(w->text);
}

static uint32_t threads_for(const struct log *log)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t threads = processors > (long)THREADS_MOST ? THREADS_MOST : processors < 1 ? 1 : (uint32_t)processors;
    return log->pieces < threads ? log->pieces : threads;
}

bool konata_log_write(const struct timeline_request *r, const struct lives *lives, FILE *to, struct rp_error *err)
{
    struct log log = {.request = r, .lives = lives, .to = to, .pieces = (lives->count + PIECE_LIVES - 1) / PIECE_LIVES};
    struct piece_writer writers[THREADS_MOST];
    uint32_t threads = threads_for(&log), opened = 0, started = 1;
    pthread_mutex_init(&log.lock, NULL);
    pthread_cond_init(&log.changed, NULL);
    while (opened < threads && open_writer(&writers[opened], &log))
        opened++;
    while (started < opened && !pthread_create(&writers[started].thread, NULL, write_pieces, &writers[started]))
        started++;
    if (opened)
        write_pieces(&writers[0]);
    for (uint32_t i = 1; i < started && i < opened; i++)
        pthread_join(writers[i].thread, NULL);
    for (uint32_t i = 0; i < opened; i++)
        close_writer(&writers[i]);
    pthread_cond_destroy(&log.changed);
    pthread_mutex_destroy(&log.lock);
    if (log.failure)
        errno = log.failure;
    return !log.starved || rp_fail(err, RP_SYSTEM, "out of memory for a timeline");
}
