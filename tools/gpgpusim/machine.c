#include "tools/gpgpusim/machine.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/cache/staged.h"
#include "hw-models/dram/staged.h"
#include "hw-models/models.h"
#include "replay/machine.h"
#include "tools/gpgpusim/tables.h"

#define MOST_LINES 256

/* A machine file in the making. After the first failure nothing more is said. */
struct making {
    struct gpgpusim_import *job;
    struct gpgpusim_options options;
    FILE *to;
    unsigned line;                                    /* the one that is printed next */
    const struct gpgpusim_option *places[MOST_LINES]; /* of lines: where their value comes from, NULL: from nowhere */
    int64_t subcores;
    bool failed;
    struct rp_error *err;
};

/* ---- saying -------------------------------------------------------------------------------------------------------
 */

static void fail(struct making *m, const struct gpgpusim_option *o, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fail(struct making *m, const struct gpgpusim_option *o, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!m->failed)
        gpgpusim_option_fail(o, m->err, "%s", text);
    m->failed = true;
}

/* An option is said once. */
static void unsupported(struct making *m, const struct gpgpusim_option *o, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void unsupported(struct making *m, const struct gpgpusim_option *o, const char *format, ...)
{
    va_list args;
    if (m->failed)
        return;
    m->job->unsupported++;
    if (!m->job->warnings)
        return;
    fprintf(m->job->warnings, "reprise import: warning: %s:%u: %.60s %.60s: ", o->file, o->line, o->name, o->value);
    va_start(args, format);
    vfprintf(m->job->warnings, format, args);
    va_end(args);
    fputc('\n', m->job->warnings);
}

/* ---- printing ------------------------------------------------------------------------------------------------------
 */

static void line(struct making *m, const struct gpgpusim_option *from, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A line with its source as a comment. `from` NULL: it has none. */
static void line(struct making *m, const struct gpgpusim_option *from, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vfprintf(m->to, format, args);
    va_end(args);
    if (m->line < MOST_LINES)
        m->places[m->line] = from;
    m->line++;
    if (!from) {
        fputc('\n', m->to);
        return;
    }
    const char *slash = strrchr(from->file, '/');
    fprintf(m->to, "%*s# %s:%u %.80s %.100s\n", n > 0 && n < 40 ? 40 - n : 1, "", slash ? slash + 1 : from->file,
            from->line, from->name, from->value);
}

static const struct gpgpusim_option *find(struct making *m, const char *name)
{
    return gpgpusim_option_find(&m->options, name);
}

/* ---- values --------------------------------------------------------------------------------------------------------
 */

/* A whole number at the text's begin, and where it ends. */
static bool whole(const char *text, const char **end, int64_t *value)
{
    size_t digits = strspn(text, "0123456789");
    *end = text + digits;
    if (!digits || digits > 12)
        return false;
    *value = strtoll(text, NULL, 10);
    return true;
}

/* The option's value, which is one whole number; `fallback` where it is not given. */
static int64_t number(struct making *m, const char *name, int64_t fallback)
{
    const struct gpgpusim_option *o = find(m, name);
    const char *end;
    int64_t value = fallback;
    if (o && (!whole(o->value, &end, &value) || *end))
        fail(m, o, "this is not a whole number");
    return value;
}

/* Whole numbers with one of the separators between them; returns how many there are, which is at most `most`. */
static size_t numbers(struct making *m, const struct gpgpusim_option *o, const char *separators, int64_t *list,
                      size_t most)
{
    size_t count = 0;
    const char *at = o->value;
    for (;;) {
        const char *end;
        if (count == most || !whole(at, &end, &list[count]) || (*end && !strchr(separators, *end))) {
            fail(m, o, "these are not at most %zu whole numbers", most);
            return 0;
        }
        count++;
        if (!*end)
            return count;
        at = end + 1;
    }
}

/* ---- options of parts ----------------------------------------------------------------------------------------------
 */

/* Within these limits; what is beyond is said. */
static void bounded(struct making *m, const struct gpgpusim_option *from, const char *key, int64_t value, int64_t least,
                    int64_t most)
{
    int64_t taken = value < least ? least : value > most ? most : value;
    if (!value && least == 1 && from)
        fail(m, from, "there must be at least one");
    else if (taken != value && from)
        unsupported(m, from, "not modelled: %s is %" PRId64 " here", key, taken);
    line(m, from, "    %s = %" PRId64 ";", key, taken);
}

static const struct model *const parts[] = {[PART_PIPELINE] = &pipeline_staged.model,
                                            [PART_L1] = &cache_staged.model,
                                            [PART_L2] = &cache_staged.model,
                                            [PART_DRAM] = &dram_staged.model};

static void option(struct making *m, const struct gpgpusim_option *from, enum gpgpusim_part part, unsigned id,
                   int64_t value)
{
    const struct model_option *row = &parts[part]->options[id];
    bounded(m, from, row->key, value, row->least, row->most);
}

static void begin_part(struct making *m, const char *key)
{
    line(m, NULL, "%s: {", key);
    line(m, NULL, "    model = \"staged\";");
}

static void plain_options(struct making *m, enum gpgpusim_part part)
{
    for (size_t i = 0; i < gpgpusim_numbers_count; i++) {
        const struct gpgpusim_number *n = &gpgpusim_numbers[i];
        if (n->part != part)
            continue;
        int64_t value = number(m, n->name, n->fallback);
        if (n->per_subcore && m->subcores && value % m->subcores && find(m, n->name))
            unsupported(m, find(m, n->name), "not modelled: not the same for each of %" PRId64 " sub-cores",
                        m->subcores);
        option(m, find(m, n->name), part, n->id, n->per_subcore && m->subcores ? value / m->subcores : value);
    }
}

/* "S:4:128:64,L:T:m:L:L,A:256:32,16:0,32" */
struct cache {
    char kind;
    int64_t sets, line, ways;
    char policy[12]; /* the letters of the second part */
    char mshr;
    int64_t mshrs, merges, queue;
};

static struct cache cache_of(struct making *m, const struct gpgpusim_option *o)
{
    struct cache c = {0};
    char rest[4];
    int n = sscanf(
        o->value, "%c:%9" SCNd64 ":%9" SCNd64 ":%9" SCNd64 ",%10[A-Za-z:],%c:%9" SCNd64 ":%9" SCNd64 ",%9" SCNd64 "%3s",
        &c.kind, &c.sets, &c.line, &c.ways, c.policy, &c.mshr, &c.mshrs, &c.merges, &c.queue, rest);
    if (n < 9)
        fail(m, o, "this is no cache such as S:4:128:64,L:T:m:L:L,A:256:32,16:0,32");
    if (c.sets < 0 || c.line < 0 || c.ways < 0 || c.mshrs < 0 || c.merges < 0 || c.queue < 0)
        fail(m, o, "a number is negative");
    return c;
}

/* What the staged pipeline's caches always are. */
static void check_cache(struct making *m, const struct gpgpusim_option *o, const struct cache *c, const char *policy,
                        const char *meaning)
{
    if (c->kind != 'S' || c->line != 128)
        unsupported(m, o, "not modelled: lines have 128 bytes in four sectors here");
    else if (strcmp(c->policy, policy))
        unsupported(m, o, "not modelled: policies are %s here: %s", policy, meaning);
    else if (c->mshr != 'A')
        unsupported(m, o, "not modelled: MSHRs are associative here");
}

#define MOST_MSHRS 65536

/* What both levels have; `size`: of the whole level. */
static void cache_options(struct making *m, const struct gpgpusim_option *o, const struct cache *c,
                          enum gpgpusim_part part, int64_t sets, int64_t size)
{
    option(m, o, part, STAGED_CACHE_SIZE, size);
    option(m, o, part, STAGED_CACHE_SETS, sets);
    bounded(m, o, "mshrs", c->mshrs, 1, MOST_MSHRS);
    option(m, o, part, STAGED_CACHE_MERGES, c->merges);
    option(m, o, part, STAGED_CACHE_MISSES, c->queue);
    plain_options(m, part);
}

/* Of shared memory: "0,8,16,32,64,96" KB. */
static void shared_sizes(struct making *m)
{
    const struct gpgpusim_option *o = find(m, "-gpgpu_shmem_option"), *unified = find(m, "-gpgpu_unified_l1d_size");
    int64_t list[16], all = number(m, "-gpgpu_unified_l1d_size", 0) * 1024;
    char text[16 * 16] = "";
    bool adaptive = number(m, "-gpgpu_adaptive_cache_config", 0) != 0 && o && unified;
    size_t count = adaptive ? numbers(m, o, ",", list, 16) : 0;
    for (size_t i = 0, at = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%" PRId64, i ? ", " : "", 1024 * list[i]);
    if (!count)
        return;
    line(m, unified, "    unified = %" PRId64 ";", all);
    line(m, o, "    shared_sizes = [%s];", text);
}

static void first_level(struct making *m)
{
    const struct gpgpusim_option *o = find(m, "-gpgpu_cache:dl1");
    struct cache c = cache_of(m, o);
    check_cache(m, o, &c, "L:T:m:L:L", "LRU, written through, allocated by misses of reads and writes, not hashed");
    begin_part(m, "l1");
    line(m, NULL, "    subcores = %" PRId64 ";", m->subcores);
    cache_options(m, o, &c, PART_L1, c.sets, c.sets * STAGED_LINE * c.ways);
    shared_sizes(m);
    line(m, NULL, "};");
}

/* A slice has a number of sets that its hash is made for: one of another shape keeps its size. */
static void second_level(struct making *m)
{
    enum { SETS = 64, QUEUES_LEAST = 8 };
    const struct gpgpusim_option *o = find(m, "-gpgpu_cache:dl2"),
                                 *at_channel = find(m, "-gpgpu_n_sub_partition_per_mchannel"),
                                 *queues = find(m, "-gpgpu_dram_partition_queues");
    int64_t channels = number(m, "-gpgpu_n_mem", 8);
    if (!channels)
        fail(m, find(m, "-gpgpu_n_mem"), "there must be at least one");
    int64_t slices = number(m, "-gpgpu_n_sub_partition_per_mchannel", 1), lengths[4] = {8, 8, 8, 8};
    struct cache c = cache_of(m, o);
    check_cache(m, o, &c, "L:B:m:L:P", "LRU, written back, allocated by misses of reads and writes, hashed by IPOLY");
    if (c.sets != SETS)
        unsupported(m, o, "not modelled: a slice has %d sets here, and as many ways as fill its size", SETS);
    if (slices != 1 && slices != 2)
        unsupported(m, at_channel, "not modelled: a channel has one or two slices here");
    slices = slices < 1 ? 1 : slices > 2 ? 2 : slices;
    if (queues && numbers(m, queues, ":", lengths, 4) != 4)
        fail(m, queues, "these are not four lengths");
    if (queues && (lengths[1] != lengths[0] || lengths[2] != lengths[0] || lengths[3] != lengths[0]))
        unsupported(m, queues, "not modelled: the four queues of a slice have one length here, the first");
    begin_part(m, "l2");
    bounded(m, at_channel ? at_channel : find(m, "-gpgpu_n_mem"), "slices", slices * channels, 1, 256);
    line(m, NULL, "    interleave = %d;", STAGED_LINE);
    cache_options(m, o, &c, PART_L2, SETS, c.sets * c.ways / SETS * SETS * STAGED_LINE * slices * channels);
    bounded(m, queues, "queue", lengths[0], QUEUES_LEAST, 65536);
    line(m, NULL, "};");
}

/* ---- device memory -------------------------------------------------------------------------------------------------
 */

/* "nbk=16:CCD=4:..." */
static int64_t timing(struct making *m, const struct gpgpusim_option *o, const char *key)
{
    size_t length = strlen(key);
    int64_t value = 0;
    const char *end;
    for (const char *at = o->value;; at++) {
        if (!strncmp(at, key, length) && at[length] == '=') {
            if (!whole(at + length + 1, &end, &value) || (*end && *end != ':'))
                fail(m, o, "%s is not a whole number", key);
            return value;
        }
        if (!(at = strchr(at, ':')))
            break;
    }
    fail(m, o, "there is no %s=N; times are given as nbk=16:CCD=4:... here", key);
    return 0;
}

static void dram_times(struct making *m)
{
    const struct gpgpusim_option *o = find(m, "-gpgpu_dram_timing_opt");
    for (size_t i = 0; i < gpgpusim_times_count; i++)
        option(m, o, PART_DRAM, gpgpusim_times[i].id, timing(m, o, gpgpusim_times[i].name));
    const struct gpgpusim_option *length = find(m, "-gpgpu_dram_burst_length");
    int64_t burst = number(m, "-gpgpu_dram_burst_length", 4), ratio = number(m, "-dram_data_command_freq_ratio", 2),
            width = number(m, "-gpgpu_dram_buswidth", 4) * number(m, "-gpgpu_n_mem_per_ctrlr", 1);
    if (!burst || !ratio || !width) {
        fail(m, length ? length : o, "width, burst and data rate of a channel may not be 0");
        return;
    }
    int64_t bursts = (32 + width * burst - 1) / (width * burst);
    option(m, length, PART_DRAM, STAGED_DRAM_T_BURST, burst * bursts / ratio);
}

/* "dramid@8;0000RRRR..." */
static void address_map(struct making *m)
{
    static const char known[] = "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";
    const struct gpgpusim_option *o = find(m, "-gpgpu_mem_addr_mapping");
    const char *end = "";
    int64_t bit = 8;
    if (o && (strncmp(o->value, "dramid@", 7) || !whole(o->value + 7, &end, &bit) || *end != ';' || bit > 20))
        fail(m, o, "this is no mapping such as dramid@8;%s", known);
    else if (o && strcmp(end + 1, known))
        unsupported(m, o, "not modelled: rows, banks and columns are %s here", known);
    bounded(m, o, "interleave", INT64_C(1) << bit, 256, 65536);
}

/* ---- clocks, widths ------------------------------------------------------------------------------------------------
 */

static int64_t khz(struct making *m, const struct gpgpusim_option *o, const char *text, char **end)
{
    double mhz = isdigit((unsigned char)*text) ? strtod(text, end) : -1, khz = mhz * 1000;
    if (mhz < 0 || khz > 1e9 || fabs(khz - floor(khz + 0.5)) > 1e-3) {
        fail(m, o, "these are not four clocks in MHz, whole in kHz");
        *end = (char *)"";
        return 1;
    }
    return (int64_t)floor(khz + 0.5);
}

/* Core, interconnect, L2, DRAM. */
static void clocks(struct making *m, int64_t khz_of[4])
{
    const struct gpgpusim_option *o = find(m, "-gpgpu_clock_domains");
    char *at = o->value, *end = at;
    for (size_t i = 0; i < 4 && !m->failed; i++) {
        khz_of[i] = khz(m, o, at, &end);
        if (*end != (i < 3 ? ':' : 0))
            fail(m, o, "these are not four clocks in MHz with ':' between them");
        at = end + 1;
    }
}

static void device_memory(struct making *m)
{
    const struct gpgpusim_option *o = find(m, "-gpgpu_clock_domains");
    int64_t clock[4] = {1, 1, 1, 1};
    clocks(m, clock);
    if (clock[1] != clock[0] || clock[2] != clock[0])
        unsupported(m, o, "not modelled: interconnect and L2 have the clock of the SMs here");
    begin_part(m, "dram");
    bounded(m, find(m, "-gpgpu_n_mem"), "channels", number(m, "-gpgpu_n_mem", 8), 1, 256);
    address_map(m);
    line(m, o, "    clock_mhz = %" PRId64 ".%03" PRId64 ";", clock[3] / 1000, clock[3] % 1000);
    plain_options(m, PART_DRAM);
    dram_times(m);
    line(m, NULL, "};");
}

/* Of each stage: one for a sub-core, but for the last, which is the result buses. */
static void widths(struct making *m)
{
    enum { WRITE_BACK = 10, MOST_WIDTHS = 16 };
    const struct gpgpusim_option *o = find(m, "-gpgpu_pipeline_widths");
    int64_t list[MOST_WIDTHS] = {0};
    size_t count = o ? numbers(m, o, ",", list, MOST_WIDTHS) : 0;
    if (o && count <= WRITE_BACK)
        fail(m, o, "these are not the widths of 11 stages or more");
    bool same = true;
    for (size_t i = 0; i < count; i++)
        same &= i == WRITE_BACK || list[i] == m->subcores;
    if (!same)
        unsupported(m, o, "not modelled: stages are as wide as there are sub-cores here");
    option(m, o, PART_PIPELINE, STAGED_RESULT_BUSES, o ? list[WRITE_BACK] : 1);
}

/* Its cycles are wanted. */
static void defects(struct making *m)
{
#define X(id, name, help) line(m, NULL, "        %s = true;", strchr(name, '.') + 1);
    line(m, NULL, "%s", "    defects: {");
    STAGED_DEFECTS(X)
    line(m, NULL, "%s", "    };");
#undef X
}

static void pipeline(struct making *m)
{
    begin_part(m, "pipeline");
    plain_options(m, PART_PIPELINE);
    widths(m);
    option(m, NULL, PART_PIPELINE, STAGED_COPY_BITS, 32); /* as GPGPU-Sim cuts addresses */
    defects(m);
    line(m, NULL, "};");
}

/* ---- units, classes, spaces ----------------------------------------------------------------------------------------
 */

/* How long the instructions of a group take. */
struct latency {
    const struct gpgpusim_option *from;
    int64_t latency, initiation;
};

static int64_t initiation_of(struct making *m, const struct gpgpusim_option *from, int64_t cycles)
{
    if (!cycles)
        fail(m, from, "an initiation is at least one cycle");
    return cycles;
}

/* Of trace.config: "latency,initiation". */
static struct latency trace_latency(struct making *m, const char *name)
{
    struct latency l = {.from = find(m, name)};
    int64_t list[2] = {1, 1};
    if (l.from && numbers(m, l.from, ",", list, 2) != 2)
        fail(m, l.from, "this is not LATENCY,INITIATION");
    l.latency = list[0];
    l.initiation = initiation_of(m, l.from, list[1]);
    return l;
}

/* Of a unit with a name of its own: "-specialized_unit_3 1,4,16,4,4,TENSOR". */
static struct latency special_latency(struct making *m, const char *unit)
{
    for (unsigned i = 1; i <= 8; i++) {
        char name[64];
        snprintf(name, sizeof name, "-specialized_unit_%u", i);
        const struct gpgpusim_option *o = find(m, name);
        const char *comma = o ? strrchr(o->value, ',') : NULL;
        if (!comma || o->value[0] != '1' || strcmp(comma + 1, unit))
            continue;
        snprintf(name, sizeof name, "-trace_opcode_latency_initiation_spec_op_%u", i);
        return trace_latency(m, name);
    }
    return (struct latency){0};
}

/* One of "ADD,MAX,MUL,MAD,DIV" of the options for PTX. */
static struct latency ptx_latency(struct making *m, const struct gpgpusim_group *g)
{
    enum { MOST = 8 };
    struct latency l = {.from = g->ptx_latency ? find(m, g->ptx_latency) : NULL};
    const struct gpgpusim_option *initiation = l.from ? find(m, g->ptx_initiation) : NULL;
    int64_t latencies[MOST] = {0}, initiations[MOST] = {0};
    if (!initiation)
        return (struct latency){0};
    size_t a = numbers(m, l.from, ",", latencies, MOST), b = numbers(m, initiation, ",", initiations, MOST);
    if (g->place >= a || g->place >= b)
        fail(m, l.from, "there is no number %u of these latencies or initiations", g->place + 1);
    else
        l = (struct latency){l.from, latencies[g->place], initiation_of(m, initiation, initiations[g->place])};
    return l;
}

static struct latency latency_of(struct making *m, const struct gpgpusim_group *g, bool traces)
{
    struct latency l = {0};
    if (traces && g->trace)
        l = *g->trace == '-' ? trace_latency(m, g->trace) : special_latency(m, g->trace);
    else if (!traces)
        l = ptx_latency(m, g);
    if (!l.from && !g->latency && g->otherwise)
        return latency_of(m, g->otherwise, traces);
    if (!l.from)
        l = (struct latency){NULL, g->latency ? g->latency : 1, g->initiation ? g->initiation : 1};
    return l;
}

/* The unit that executes the group: its own where it has one. */
static const char *unit_of(struct making *m, const struct gpgpusim_group *g, bool traces)
{
    bool special = g->trace && *g->trace != '-';
    if (special && (!traces || !special_latency(m, g->trace).from) && g->otherwise)
        return unit_of(m, g->otherwise, traces);
    return g->unit;
}

static void timings(struct making *m, const char *what, const struct gpgpusim_class *list, size_t count, bool traces)
{
    line(m, NULL, "%s: {", what);
    for (size_t i = 0; i < count; i++) {
        const struct gpgpusim_group *g = &gpgpusim_groups[list[i].group];
        struct latency l = latency_of(m, g, traces);
        /* HFMA2 is taken each cycle, in as many cycles as others of its unit */
        int64_t initiation = g->initiation_of_trace ? g->initiation_of_trace : l.initiation;
        line(m, l.from, "    %s: { unit = \"%s\"; initiation = %" PRId64 "; latency = %" PRId64 "; };", list[i].name,
             unit_of(m, g, traces), initiation, l.latency > initiation ? l.latency - initiation : 0);
    }
    line(m, NULL, "};");
}

static void units(struct making *m)
{
    static const char *const names[] = {"sp", "sfu", "mem", "dp", "int", "branch", "tex", "tensor", "udp"};
    line(m, NULL, "units: {");
    for (size_t i = 0; i < MODEL_COUNT_OF(names); i++)
        line(m, NULL, "    %s: { model = \"pipelined\"; };", names[i]);
    line(m, NULL, "};");
}

/* ---- the chip ------------------------------------------------------------------------------------------------------
 */

/* "two_level_active:6:0:1": the first number is the active warps. */
static void scheduler(struct making *m)
{
    const struct gpgpusim_option *o = find(m, "-gpgpu_scheduler");
    int64_t active = 6;
    const char *end;
    if (!strcmp(o->value, "lrr"))
        line(m, o, "scheduler = \"lrr\";");
    else if (!strcmp(o->value, "gto"))
        line(m, o, "scheduler: { model = \"gto\"; stays_with = \"slot\"; };");
    else if (!strcmp(o->value, "old"))
        line(m, o, "scheduler = \"oldest\";");
    else if (!strncmp(o->value, "two_level_active:", 17) && whole(o->value + 17, &end, &active) && *end == ':')
        line(m, o, "scheduler: { model = \"two-level-active\"; active = %" PRId64 "; };", active);
    else {
        unsupported(m, o, "not modelled: lrr is taken");
        line(m, o, "scheduler = \"lrr\";");
    }
}

static void chip(struct making *m)
{
    const struct gpgpusim_option *o = find(m, "-gpgpu_n_clusters"), *cores = find(m, "-gpgpu_n_cores_per_cluster");
    int64_t per_cluster = number(m, "-gpgpu_n_cores_per_cluster", 3), clock[4] = {1, 1, 1, 1};
    line(m, o, "sms = %" PRId64 ";", number(m, "-gpgpu_n_clusters", 10) * per_cluster);
    if (per_cluster != 1 && cores)
        unsupported(m, cores, "not modelled: each SM has a port of its own here");
    line(m, find(m, "-gpgpu_num_sched_per_core"), "subcores = %" PRId64 ";", m->subcores);
    clocks(m, clock);
    line(m, find(m, "-gpgpu_clock_domains"), "clock_mhz = %" PRId64 ".%03" PRId64 ";", clock[0] / 1000,
         clock[0] % 1000);
    line(m, find(m, "-gpgpu_flush_l2_cache"), "flush_caches = %s;",
         number(m, "-gpgpu_flush_l2_cache", 0) ? "true" : "false");
    line(m, find(m, "-gpgpu_perf_sim_memcpy"), "warm_l2 = %s;",
         number(m, "-gpgpu_perf_sim_memcpy", 1) ? "true" : "false");
}

static void limits(struct making *m)
{
    const struct gpgpusim_option *o = find(m, "-gpgpu_shader_core_pipeline");
    int64_t list[2] = {0, 32};
    if (numbers(m, o, ":", list, 2) != 2 || list[1] != 32)
        fail(m, o, "this is not THREADS:32");
    line(m, NULL, "limits: {");
    if (find(m, "-gpgpu_max_concurrent_kernel"))
        line(m, find(m, "-gpgpu_max_concurrent_kernel"), "    grids = %" PRId64 ";",
             number(m, "-gpgpu_max_concurrent_kernel", 128));
    line(m, o, "    threads = %" PRId64 ";", list[0]);
    line(m, o, "    warps = %" PRId64 ";", list[0] / 32);
    line(m, find(m, "-gpgpu_shader_cta"), "    blocks = %" PRId64 ";", number(m, "-gpgpu_shader_cta", 8));
    line(m, find(m, "-gpgpu_shader_registers"), "    registers = %" PRId64 ";",
         number(m, "-gpgpu_shader_registers", 8192));
    line(m, NULL, "    register_granularity = 128;         # registers of a thread in fours");
    line(m, find(m, "-gpgpu_shmem_size"), "    shared = %" PRId64 ";", number(m, "-gpgpu_shmem_size", 16384));
    line(m, NULL, "    shared_granularity = 1;             # no rounding");
    line(m, NULL, "};");
}

/* ---- what is left --------------------------------------------------------------------------------------------------
 */

/* A value that the staged pipeline always has. "N": the number of sub-cores; "A|B": either. */
static bool is_expected(const struct making *m, const char *value, const char *wanted)
{
    char own[24];
    snprintf(own, sizeof own, "%" PRId64, m->subcores);
    if (!strcmp(wanted, "N"))
        return !strcmp(value, own);
    for (size_t n = strlen(value); *wanted; wanted += strcspn(wanted, "|"), wanted += *wanted == '|')
        if (strcspn(wanted, "|") == n && !strncmp(wanted, value, n))
            return true;
    return false;
}

static void check_expected(struct making *m)
{
    for (size_t i = 0; i < gpgpusim_expected_count; i++) {
        const struct gpgpusim_expected *e = &gpgpusim_expected[i];
        const struct gpgpusim_option *o = find(m, e->name);
        if (o && !is_expected(m, o->value, e->value))
            unsupported(m, o, "not modelled: %s", e->here);
    }
}

/* "NAME*" stands for all names that begin so. */
static bool has_no_effect(const char *name)
{
    for (size_t i = 0; i < gpgpusim_without_effect_count; i++) {
        const char *known = gpgpusim_without_effect[i];
        size_t n = strcspn(known, "*");
        if (!strncmp(name, known, n) && (known[n] || !name[n]))
            return true;
    }
    return false;
}

static void say_unknown(struct making *m)
{
    for (size_t i = 0; i < m->options.count; i++) {
        const struct gpgpusim_option *o = &m->options.list[i];
        if (o->used || has_no_effect(o->name))
            continue;
        gpgpusim_option_find(&m->options, o->name); /* from now on it counts as used: it is said once */
        m->job->unknown++;
        if (m->job->warnings)
            fprintf(m->job->warnings, "reprise import: warning: %s:%u: option %.60s is not known, and left out\n",
                    o->file, o->line, o->name);
    }
}

static bool has_required(struct making *m)
{
    for (size_t i = 0; i < gpgpusim_required_count && !m->failed; i++)
        if (!find(m, gpgpusim_required[i])) {
            m->failed = true;
            rp_fail(m->err, RP_BAD_INPUT, "%s: option %s is not there; is this a whole gpgpusim.config?",
                    m->job->files[0], gpgpusim_required[i]);
        }
    return !m->failed;
}

/* ---- the whole -----------------------------------------------------------------------------------------------------
 */

static void heading(struct making *m, bool traces)
{
    line(m, NULL, "# A configuration of GPGPU-Sim as a machine with a staged pipeline (docs/accelsim.md).");
    line(m, NULL, "# Each value has its file, line and option behind it. Latencies are those %s.",
         traces ? "of trace mode" : "for PTX: there were none of trace mode");
    line(m, NULL, "%s", "");
}

static void make(struct making *m)
{
    bool traces = find(m, "-trace_opcode_latency_initiation_int");
    m->subcores = number(m, "-gpgpu_num_sched_per_core", 1);
    heading(m, traces);
    chip(m);
    limits(m);
    pipeline(m);
    first_level(m);
    second_level(m);
    device_memory(m);
    scheduler(m);
    for (size_t i = 0; i < gpgpusim_parts_count; i++)
        line(m, NULL, "%s", gpgpusim_parts[i]);
    units(m);
    timings(m, "classes", gpgpusim_classes, gpgpusim_class_count, traces);
    timings(m, "spaces", gpgpusim_spaces, gpgpusim_space_count, traces);
}

/* The machine must read back. Where it does not, the option that the line comes from is named. */
static bool check(struct making *m, const char *text, size_t size)
{
    struct rp_error err;
    struct machine *machine = machine_parse(&(struct machine_request){.name = m->job->output}, text, size, &err);
    if (machine) {
        machine_free(machine);
        return true;
    }
    size_t n = strlen(m->job->output);
    unsigned at = 0;
    int skipped = 0;
    bool placed = !strncmp(err.text, m->job->output, n) && sscanf(err.text + n, ":%u: %n", &at, &skipped) == 1 &&
                  skipped && at < MOST_LINES && m->places[at];
    if (placed)
        gpgpusim_option_fail(m->places[at], m->err, "%s", err.text + n + skipped);
    else
        rp_fail(m->err, err.status, "%s: the machine that it describes is none: %s", m->job->files[0],
                err.text + (strncmp(err.text, m->job->output, n) ? 0 : n + strspn(err.text + n, ": ")));
    return false;
}

char *gpgpusim_machine(struct gpgpusim_import *job, struct rp_error *err)
{
    struct making m = {.job = job, .line = 1, .err = err};
    char *text = NULL;
    size_t size = 0;
    for (size_t i = 0; i < job->file_count && !m.failed; i++)
        m.failed = !gpgpusim_options_read(&m.options, job->files[i], err);
    bool fine = !m.failed && has_required(&m);
    if (fine && !(m.to = open_memstream(&text, &size)))
        fine = rp_fail(err, RP_SYSTEM, "out of memory for %s", job->output);
    if (fine) {
        make(&m);
        check_expected(&m);
        bool written = !ferror(m.to);
        fine = !fclose(m.to) && written ? !m.failed : rp_fail(err, RP_SYSTEM, "out of memory for %s", job->output);
        if (fine)
            say_unknown(&m);
        fine = fine && check(&m, text, size);
    }
    gpgpusim_options_free(&m.options);
    if (fine)
        return text;
    free(text);
    return NULL;
}
