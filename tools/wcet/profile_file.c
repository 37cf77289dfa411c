/* Profiles as files: CSV, and protobuf (phases.proto).
 *
 * The analysis reports a block section by section, a file has it warp by warp. So the bytes of each warp are collected
 * until the block ends. A protobuf message is the concatenation of its fields, in any pieces: protobuf-c packs each
 * piece, and only the tag and length of a warp and of a launch are made here. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/output.h"
#include "tools/wcet/grow.h"
#include "tools/wcet/phases.pb-c.h"
#include "tools/wcet/profile.h"
#include "tracefmt/file_write.h"

struct bytes {
    uint8_t *at;
    size_t size, capacity;
};

/* One warp in one section. */
struct section {
    struct wcet_location place;
    Reprise__Wcet__Phase *phases, **list;
    size_t phase_count, phase_capacity, list_capacity;
    uint32_t *instruction;
    uint64_t *issue, *dispatch, *writeback;
    size_t instant_count, instant_capacity;
};

struct wcet_profile_file {
    struct output *out;
    bool protobuf;
    uint32_t launch;
    uint64_t block;         /* the one being reported */
    struct section section; /* the one being reported; protobuf only */
    struct bytes *warps;    /* by warp of the block: lines of CSV, or fields of a message Warp */
    size_t warp_count;      /* allocated */
    off_t length_at;        /* protobuf: offset of the launch's length in the file */
    uint64_t length;        /* bytes of the launch so far, or of the head of the file */
    uint64_t before;        /* bytes of all launches before */
    int error;              /* errno of the first failure; 0: none */
};

/* Implementations of protobuf read messages of less than 2 GiB (protobuf.dev, "Proto Limits"). */
#define MOST_BYTES INT32_MAX

static void failed(struct wcet_profile_file *f, int error) { f->error = f->error ? f->error : error; }

static bool fine(const struct wcet_profile_file *f, struct rp_error *err)
{
    if (f->protobuf && f->before + f->length > MOST_BYTES)
        return rp_fail(err, RP_BAD_INPUT,
                       "'%s' would take more than 2 GiB, which is more than protobuf can have: choose a launch with "
                       "--launch, or write CSV, under a name without .pb",
                       f->out->path);
    return !f->error || rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", f->out->path, file_write_error(f->error));
}

static void put(struct wcet_profile_file *f, const void *bytes, size_t size)
{
    f->length += size;
    if (f->error || (f->protobuf && f->before + f->length > MOST_BYTES))
        return;
    if (fwrite(bytes, 1, size, f->out->to) != size)
        failed(f, errno);
}

/* Makes room for `more` bytes at the end; NULL: out of memory. */
static uint8_t *room(struct wcet_profile_file *f, struct bytes *b, size_t more)
{
    if (wcet_grow((void **)&b->at, b->size + more, &b->capacity, 1))
        return b->at + b->size;
    failed(f, ENOMEM);
    return NULL;
}

/* The bytes of a warp of the present block; NULL: out of memory. */
static struct bytes *warp_at(struct wcet_profile_file *f, uint32_t warp)
{
    size_t had = f->warp_count;
    if (!wcet_grow((void **)&f->warps, warp + 1u, &f->warp_count, sizeof *f->warps)) {
        failed(f, ENOMEM);
        return NULL;
    }
    memset(f->warps + had, 0, (f->warp_count - had) * sizeof *f->warps);
    return &f->warps[warp];
}

/* ---- protobuf ---------------------------------------------------------------------------------------------------- */

enum { PROFILE_LAUNCHES = 5, LAUNCH_WARPS = 4 }; /* fields of phases.proto */
#define LENGTH_BYTES 5                           /* for all lengths up to MOST_BYTES */

static size_t tag(uint8_t *to, unsigned field)
{
    *to = (uint8_t)(field << 3 | 2); /* wire type LEN */
    return 1;
}

/* Writes seven bits a byte, the lowest first; all bytes but the last have the eighth bit. `least`: the smallest number
 * of bytes, which may exceed the necessary one. */
static size_t varint(uint8_t *to, uint64_t value, size_t least)
{
    size_t n = 0;
    do {
        to[n] = (uint8_t)(value & 0x7f);
        value >>= 7;
        n++;
        if (value || n < least)
            to[n - 1] |= 0x80;
    } while (value || n < least);
    return n;
}

static void put_message(struct wcet_profile_file *f, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(size + 1);
    if (bytes) {
        protobuf_c_message_pack(message, bytes);
        put(f, bytes, size);
    } else {
        failed(f, ENOMEM);
    }
    free(bytes);
}

/* Appends a message Warp that has this section only: readers of protobuf merge the fields. */
static void append_section(struct wcet_profile_file *f, Reprise__Wcet__Section *section, uint32_t number)
{
    Reprise__Wcet__Warp warp = REPRISE__WCET__WARP__INIT;
    warp.sections = &section;
    warp.n_sections = 1;
    size_t size = reprise__wcet__warp__get_packed_size(&warp);
    struct bytes *b = warp_at(f, number);
    uint8_t *to = b ? room(f, b, size) : NULL;
    if (to)
        b->size += reprise__wcet__warp__pack(&warp, to);
}

static void end_section(struct wcet_profile_file *f)
{
    struct section *s = &f->section;
    Reprise__Wcet__Section section = REPRISE__WCET__SECTION__INIT;
    if (!s->phase_count && !s->instant_count)
        return;
    if (wcet_grow((void **)&s->list, s->phase_count, &s->list_capacity, sizeof(void *))) {
        for (size_t i = 0; i < s->phase_count; i++)
            s->list[i] = &s->phases[i];
        section.number = s->place.section;
        section.phases = s->list;
        section.n_phases = s->phase_count;
        section.instruction = s->instruction;
        section.issue = s->issue;
        section.dispatch = s->dispatch;
        section.writeback = s->writeback;
        section.n_instruction = section.n_issue = section.n_dispatch = section.n_writeback = s->instant_count;
        append_section(f, &section, s->place.warp);
    } else {
        failed(f, ENOMEM);
    }
    s->phase_count = s->instant_count = 0;
}

static void add_phase(struct wcet_profile_file *f, const struct wcet_phase *phase)
{
    struct section *s = &f->section;
    if (!wcet_grow((void **)&s->phases, s->phase_count + 1, &s->phase_capacity, sizeof *s->phases)) {
        failed(f, ENOMEM);
        return;
    }
    Reprise__Wcet__Phase *p = &s->phases[s->phase_count++];
    reprise__wcet__phase__init(p);
    p->start = phase->start;
    p->duration = phase->duration;
    p->kind = phase->kind == WCET_EXEC ? REPRISE__WCET__PHASE__KIND__EXEC : REPRISE__WCET__PHASE__KIND__IDLE;
    p->instructions = phase->instructions;
}

/* The four lists have one capacity. */
static bool room_for_instant(struct section *s)
{
    size_t had[4] = {s->instant_capacity, s->instant_capacity, s->instant_capacity, s->instant_capacity};
    size_t needed = s->instant_count + 1;
    bool all = wcet_grow((void **)&s->instruction, needed, &had[0], sizeof *s->instruction) &&
               wcet_grow((void **)&s->issue, needed, &had[1], sizeof *s->issue) &&
               wcet_grow((void **)&s->dispatch, needed, &had[2], sizeof *s->dispatch) &&
               wcet_grow((void **)&s->writeback, needed, &had[3], sizeof *s->writeback);
    if (all)
        s->instant_capacity = had[0];
    return all;
}

static void add_instant(struct wcet_profile_file *f, const struct wcet_instant *instant)
{
    struct section *s = &f->section;
    if (!room_for_instant(s)) {
        failed(f, ENOMEM);
        return;
    }
    size_t at = s->instant_count++;
    s->instruction[at] = instant->index;
    s->issue[at] = instant->issue;
    s->dispatch[at] = instant->dispatch;
    s->writeback[at] = instant->writeback;
}

/* Writes number and length of a warp. */
static void put_warp_head(struct wcet_profile_file *f, uint32_t number, size_t sections)
{
    uint8_t head[1 + LENGTH_BYTES * 2], fields[32]; /* fields: two numbers with their tags, 18 bytes at most */
    Reprise__Wcet__Warp warp = REPRISE__WCET__WARP__INIT;
    warp.block = f->block;
    warp.number = number;
    size_t size = reprise__wcet__warp__pack(&warp, fields), n = tag(head, LAUNCH_WARPS);
    n += varint(head + n, size + sections, 1);
    put(f, head, n);
    put(f, fields, size);
}

/* Leaves room for the length of the launch, which is known at its end. */
static void begin_launch(struct wcet_profile_file *f, const struct rp_kernel *k)
{
    uint8_t head[1 + LENGTH_BYTES] = {0};
    Reprise__Wcet__Launch launch = REPRISE__WCET__LAUNCH__INIT;
    tag(head, PROFILE_LAUNCHES);
    put(f, head, sizeof head);
    f->length_at = ftello(f->out->to) - LENGTH_BYTES;
    f->before += f->length;
    f->length = 0;
    launch.launch = f->launch;
    launch.kernel = (char *)k->name;
    launch.texts = calloc(k->instruction_count + 1u, sizeof *launch.texts);
    if (!launch.texts) {
        failed(f, ENOMEM);
        return;
    }
    for (launch.n_texts = 0; launch.n_texts < k->instruction_count; launch.n_texts++)
        launch.texts[launch.n_texts] = (char *)k->instructions[launch.n_texts].text;
    put_message(f, &launch.base);
    free(launch.texts);
}

static void end_launch(struct wcet_profile_file *f)
{
    uint8_t length[LENGTH_BYTES + 5];
    size_t size = varint(length, f->length, LENGTH_BYTES);
    if (f->error || f->before + f->length > MOST_BYTES)
        return;
    if (fseeko(f->out->to, f->length_at, SEEK_SET) || fwrite(length, 1, size, f->out->to) != size ||
        fseeko(f->out->to, 0, SEEK_END))
        failed(f, errno);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool begin(struct wcet_profile_file *f, const struct rp_trace *t, const struct machine *m, struct rp_error *err)
{
    static const char heading[] = "launch,block,warp,section,start,duration,kind,instructions\n";
    if (!f->protobuf) {
        put(f, heading, strlen(heading));
        return fine(f, err);
    }
    Reprise__Wcet__Profile head = REPRISE__WCET__PROFILE__INIT;
    const char *hash = rp_trace_sha256((struct rp_trace *)t, err);
    if (!hash)
        return false;
    head.tool = (char *)"reprise " REPRISE_VERSION;
    head.trace_sha256 = (char *)hash;
    head.machine = (char *)m->name;
    head.machine_hash = (char *)m->hash;
    put_message(f, &head.base);
    return fine(f, err);
}

struct wcet_profile_file *wcet_profile_open(const char *path, const struct rp_trace *t, const struct machine *m,
                                            struct rp_error *err)
{
    struct wcet_profile_file *f = calloc(1, sizeof *f);
    size_t length = strlen(path);
    if (!f) {
        rp_fail(err, RP_SYSTEM, "out of memory for '%s'", path);
        return NULL;
    }
    f->protobuf = length > 3 && !strcmp(path + length - 3, ".pb");
    if ((f->out = output_open(path, err)) && begin(f, t, m, err))
        return f;
    wcet_profile_close(f, false, NULL);
    return NULL;
}

bool wcet_profile_has_instants(const struct wcet_profile_file *f) { return f->protobuf; }

bool wcet_profile_close(struct wcet_profile_file *f, bool keep, struct rp_error *err)
{
    bool kept = output_close(f->out, keep, err);
    for (size_t i = 0; i < f->warp_count; i++)
        free(f->warps[i].at);
    free(f->warps);
    free(f->section.phases);
    free(f->section.list);
    free(f->section.instruction);
    free(f->section.issue);
    free(f->section.dispatch);
    free(f->section.writeback);
    free(f);
    return kept;
}

static void end_block(struct wcet_profile_file *f)
{
    end_section(f);
    for (uint32_t w = 0; w < f->warp_count; w++) {
        struct bytes *b = &f->warps[w];
        if (!b->size)
            continue;
        if (f->protobuf)
            put_warp_head(f, w, b->size);
        put(f, b->at, b->size);
        b->size = 0;
    }
}

void wcet_profile_file_begin(struct wcet_profile_file *f, uint32_t launch, const struct rp_kernel *k)
{
    f->launch = launch;
    f->block = 0;
    if (f->protobuf)
        begin_launch(f, k);
}

bool wcet_profile_file_end(struct wcet_profile_file *f, struct rp_error *err)
{
    end_block(f);
    if (f->protobuf)
        end_launch(f);
    return fine(f, err);
}

/* Sets the place of the phases and instants that follow. */
static void move_to(struct wcet_profile_file *f, const struct wcet_location *place)
{
    struct wcet_location *at = &f->section.place;
    if (place->block != f->block)
        end_block(f);
    else if (place->warp != at->warp || place->section != at->section)
        end_section(f);
    f->block = place->block;
    *at = *place;
}

static void append_line(struct wcet_profile_file *f, const struct wcet_location *place, const struct wcet_phase *phase)
{
    char line[160]; /* eight numbers of 20 digits at most */
    int size = snprintf(line, sizeof line,
                        "%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 "\n",
                        f->launch, place->block, place->warp, place->section, phase->start, phase->duration,
                        phase->kind == WCET_EXEC ? "exec" : "idle", phase->instructions);
    struct bytes *b = warp_at(f, place->warp);
    uint8_t *to = b ? room(f, b, (size_t)size) : NULL;
    if (!to)
        return;
    memcpy(to, line, (size_t)size);
    b->size += (size_t)size;
}

void wcet_profile_file_phase(struct wcet_profile_file *f, const struct wcet_location *place,
                             const struct wcet_phase *phase)
{
    move_to(f, place);
    if (f->protobuf)
        add_phase(f, phase);
    else
        append_line(f, place, phase);
}

void wcet_profile_file_instant(struct wcet_profile_file *f, const struct wcet_location *place,
                               const struct wcet_instant *instant)
{
    move_to(f, place);
    add_instant(f, instant);
}
