/* Caches and device memory of a machine. */
#include "tools/gpgpusim/making.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/cache/staged.h"
#include "hw-models/cache/stepped.h"
#include "hw-models/dram/staged.h"
#include "hw-models/set/models.h"

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
        making_fail(m, o, "this is no cache such as S:4:128:64,L:T:m:L:L,A:256:32,16:0,32");
    if (c.sets < 0 || c.line < 0 || c.ways < 0 || c.mshrs < 0 || c.merges < 0 || c.queue < 0)
        making_fail(m, o, "a number is negative");
    return c;
}

/* Adds a line for the replacement policy, the first letter, unless it is LRU. */
static void replacement_line(struct making *m, const struct gpgpusim_option *o, const struct cache *c)
{
    if (*c->policy == 'F')
        making_line(m, o, "    replacement = \"fifo\";");
    else if (*c->policy != 'L')
        making_unsupported(m, o, "not modelled: lines are replaced by LRU (L) or FIFO (F) here");
}

/* Checks the properties that all caches of the staged pipeline have. `policy`: the letters after the first. */
static void check_cache(struct making *m, const struct gpgpusim_option *o, const struct cache *c, const char *policy,
                        const char *meaning)
{
    if (c->kind != 'S' || c->line != 128)
        making_unsupported(m, o, "not modelled: lines have 128 bytes in four sectors here");
    else if (strcmp(c->policy + 1, policy))
        making_unsupported(m, o, "not modelled: the other policies are %s here: %s", policy + 1, meaning);
    else if (c->mshr != 'A')
        making_unsupported(m, o, "not modelled: MSHRs are associative here");
}

#define MOST_MSHRS 65536

/* Adds the options that both levels have; `size`: that of the whole level. */
static void cache_options(struct making *m, const struct gpgpusim_option *o, const struct cache *c,
                          enum gpgpusim_part part, int64_t sets, int64_t size)
{
    making_option(m, o, part, STAGED_CACHE_SIZE, size);
    making_option(m, o, part, STAGED_CACHE_SETS, sets);
    making_bounded(m, o, "mshrs", c->mshrs, 1, MOST_MSHRS);
    making_option(m, o, part, STAGED_CACHE_MERGES, c->merges);
    making_option(m, o, part, STAGED_CACHE_MISSES, c->queue);
    making_plain_options(m, part);
    replacement_line(m, o, c);
}

/* Adds the instruction cache: one per SM, unless it is perfect. */
void making_instruction_cache(struct making *m)
{
    const struct gpgpusim_option *perfect = making_find(m, "-gpgpu_perfect_inst_const_cache"),
                                 *o = making_find(m, "-gpgpu_cache:il1"),
                                 *latency = making_find(m, "-gpgpu_l2_rop_latency");
    bool asked = perfect && !making_number(m, "-gpgpu_perfect_inst_const_cache", 1);
    if (asked && !o)
        making_unsupported(m, perfect, "not modelled: there is no -gpgpu_cache:il1, so instructions always hit here");
    if (!asked || !o) {
        making_line(m, perfect, "icache = \"perfect\";");
        return;
    }
    struct cache c = cache_of(m, o);
    making_unsupported(m, perfect,
                       "not modelled: instructions that miss take -gpgpu_l2_rop_latency here, past L2; constants hit");
    making_line(m, NULL, "icache: {");
    making_line(m, NULL, "    model = \"set-associative\";");
    making_line(m, NULL, "    subcores = %" PRId64 ";", m->subcores);
    making_bounded(m, o, "line", c.line, 8, 4096);
    making_bounded(m, o, "sets", c.sets, 1, 65536);
    making_bounded(m, o, "ways", c.ways, 1, 64);
    replacement_line(m, o, &c);
    making_bounded(m, latency, "latency", making_number(m, "-gpgpu_l2_rop_latency", 85), 0, 100000);
    making_line(m, NULL, "};");
}

/* Adds the sizes of shared memory: "0,8,16,32,64,96" KB. */
static void shared_sizes(struct making *m)
{
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_shmem_option"),
                                 *unified = making_find(m, "-gpgpu_unified_l1d_size");
    int64_t list[16], all = making_number(m, "-gpgpu_unified_l1d_size", 0) * 1024;
    char text[16 * 16] = "";
    bool adaptive = making_number(m, "-gpgpu_adaptive_cache_config", 0) != 0 && o && unified;
    size_t count = adaptive ? making_numbers(m, o, ",", list, 16) : 0;
    for (size_t i = 0, at = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%" PRId64, i ? ", " : "", 1024 * list[i]);
    if (!count)
        return;
    making_line(m, unified, "    unified = %" PRId64 ";", all);
    making_line(m, o, "    shared_sizes = [%s];", text);
}

void making_first_level(struct making *m)
{
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_cache:dl1");
    struct cache c = cache_of(m, o);
    check_cache(m, o, &c, ":T:m:L:L", "written through, allocated by misses of reads and writes, not hashed");
    making_begin_part(m, "l1");
    making_line(m, NULL, "    subcores = %" PRId64 ";", m->subcores);
    cache_options(m, o, &c, PART_L1, c.sets, c.sets * STEPPED_LINE * c.ways);
    shared_sizes(m);
    making_line(m, NULL, "};");
}

/* The hash of slices is made for SETS sets. A slice of another shape keeps its size, and gets other ways. */
void making_second_level(struct making *m)
{
    enum { SETS = 64, QUEUES_LEAST = 8 };
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_cache:dl2"),
                                 *at_channel = making_find(m, "-gpgpu_n_sub_partition_per_mchannel"),
                                 *queues = making_find(m, "-gpgpu_dram_partition_queues");
    int64_t channels = making_number(m, "-gpgpu_n_mem", 8);
    if (!channels)
        making_fail(m, making_find(m, "-gpgpu_n_mem"), "there must be at least one");
    int64_t slices = making_number(m, "-gpgpu_n_sub_partition_per_mchannel", 1), lengths[4] = {8, 8, 8, 8},
            clock[4] = {1, 1, 1, 1};
    struct cache c = cache_of(m, o);
    check_cache(m, o, &c, ":B:m:L:P", "written back, allocated by misses of reads and writes, hashed by IPOLY");
    if (c.sets != SETS)
        making_unsupported(m, o, "not modelled: a slice has %d sets here, and as many ways as fill its size", SETS);
    if (slices != 1 && slices != 2)
        making_unsupported(m, at_channel, "not modelled: a channel has one or two slices here");
    slices = slices < 1 ? 1 : slices > 2 ? 2 : slices;
    if (queues && making_numbers(m, queues, ":", lengths, 4) != 4)
        making_fail(m, queues, "these are not four lengths");
    if (queues && (lengths[1] != lengths[0] || lengths[2] != lengths[0] || lengths[3] != lengths[0]))
        making_unsupported(m, queues, "not modelled: the four queues of a slice have one length here, the first");
    making_begin_part(m, "l2");
    making_bounded(m, at_channel ? at_channel : making_find(m, "-gpgpu_n_mem"), "slices", slices * channels, 1, 256);
    making_line(m, NULL, "    interleave = %d;", STEPPED_LINE);
    cache_options(m, o, &c, PART_L2, SETS, c.sets * c.ways / SETS * SETS * STEPPED_LINE * slices * channels);
    making_bounded(m, queues, "queue", lengths[0], QUEUES_LEAST, 65536);
    making_clocks(m, clock);
    if (clock[2] != clock[0])
        making_clock(m, "    ", clock[2], "");
    making_line(m, NULL, "};");
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
            if (!making_whole(at + length + 1, &end, &value) || (*end && *end != ':'))
                making_fail(m, o, "%s is not a whole number", key);
            return value;
        }
        if (!(at = strchr(at, ':')))
            break;
    }
    making_fail(m, o, "there is no %s=N; times are given as nbk=16:CCD=4:... here", key);
    return 0;
}

static void dram_times(struct making *m)
{
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_dram_timing_opt");
    for (size_t i = 0; i < gpgpusim_times_count; i++)
        making_option(m, o, PART_DRAM, gpgpusim_times[i].id, timing(m, o, gpgpusim_times[i].name));
    const struct gpgpusim_option *length = making_find(m, "-gpgpu_dram_burst_length");
    int64_t burst = making_number(m, "-gpgpu_dram_burst_length", 4),
            ratio = making_number(m, "-dram_data_command_freq_ratio", 2),
            width = making_number(m, "-gpgpu_dram_buswidth", 4) * making_number(m, "-gpgpu_n_mem_per_ctrlr", 1);
    if (!burst || !ratio || !width) {
        making_fail(m, length ? length : o, "width, burst and data rate of a channel may not be 0");
        return;
    }
    int64_t bursts = (32 + width * burst - 1) / (width * burst);
    making_option(m, length, PART_DRAM, STAGED_DRAM_T_BURST, burst * bursts / ratio);
}

/* "dramid@8;0000RRRR..." */
static void address_map(struct making *m)
{
    static const char known[] = "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_mem_addr_mapping");
    const char *end = "";
    int64_t bit = 8;
    if (o && (strncmp(o->value, "dramid@", 7) || !making_whole(o->value + 7, &end, &bit) || *end != ';' || bit > 20))
        making_fail(m, o, "this is no mapping such as dramid@8;%s", known);
    else if (o && strcmp(end + 1, known))
        making_unsupported(m, o, "not modelled: rows, banks and columns are %s here", known);
    making_bounded(m, o, "interleave", INT64_C(1) << bit, 256, 65536);
}

/* 0: FIFO, 1: FR-FCFS. */
static void dram_scheduler(struct making *m)
{
    const struct gpgpusim_option *o = making_find(m, "-gpgpu_dram_scheduler");
    int64_t number = making_number(m, "-gpgpu_dram_scheduler", 1);
    if (number != 0 && number != 1)
        making_unsupported(m, o, "not modelled: device memory is scheduled first-ready, first-come, first-served here");
    if (number == 0)
        making_line(m, o, "    scheduler = \"fcfs\";");
}

void making_device_memory(struct making *m)
{
    int64_t clock[4] = {1, 1, 1, 1};
    making_clocks(m, clock);
    making_begin_part(m, "dram");
    making_bounded(m, making_find(m, "-gpgpu_n_mem"), "channels", making_number(m, "-gpgpu_n_mem", 8), 1, 256);
    address_map(m);
    making_clock(m, "    ", clock[3], "");
    making_plain_options(m, PART_DRAM);
    dram_scheduler(m);
    dram_times(m);
    making_line(m, NULL, "};");
}
