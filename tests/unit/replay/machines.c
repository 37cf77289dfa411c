/* Machine files: what is wrong is said with its place; what is right resolves to one text and hash. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/target.h"
#include "hw-models/scheduler/schedulers.h"
#include "replay/base/machine_parts.h"
#include "replay/base/occupancy.h"
#include "replay/base/supported.h"
#include "replay/session/machine_open.h"
#include "tests/unit/replay/common.h"
#include "tools/ui/nearest.h"

/* orin-wcet's text, with the first `from` in it replaced by `to`. */
static char *edited(const char *from, const char *to)
{
    static char text[32768], out[65536];
    FILE *file = fopen("hw-models/machines/orin-wcet.cfg", "r");
    cr_assert(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *at = strstr(text, from);
    cr_assert(at, "'%s' is not in the file", from);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static struct machine *parse(const char *text, struct rp_error *err)
{
    return machine_parse(&(struct machine_request){.name = "m.cfg", .nearest = nearest_name}, text, strlen(text), err);
}

Test(machines, bad_files_name_the_line_and_what_is_wrong)
{
    static const struct {
        const char *from, *to, *says[2];
    } bad[] = {
        {"sms = 1;", "sms = ;", {"m.cfg:", "syntax error"}},
        {"sms = 1;", "smz = 1;", {"m.cfg:10: unknown key 'smz'; did you mean 'sms'?", ""}},
        {"sms = 1;", "sms = 0;", {"m.cfg:10: sms: '0' is not a whole number from 1 to 1024", ""}},
        {"sms = 1;", "sms = 1.5;", {"m.cfg:10: sms: '1.5' is not a whole number from 1", ""}},
        {"sms = 1;", "sms = [1, 2];", {"m.cfg:10: sms: '1,2' is not a whole number from 1", ""}},
        {"sms = 1;", "sms = \"many\";", {"'many' is not a whole number", ""}},
        {"sms = 1;", "@include \"/etc/passwd\"", {"m.cfg:10: @include is not allowed", ""}},
        {"issue_exit = false;", "issue_exit = \"maybe\";", {"'maybe' is neither true nor false", ""}},
        {"placement = \"warp-id\";", "placement = \"warp\";", {"'warp' is not one of warp-id, balanced", ""}},
        {"scheduler = \"gto\";", "scheduler = \"gtoo\";", {"unknown model 'gtoo'; did you mean 'gto'?", ""}},
        {"scheduler = \"gto\";", "", {"m.cfg: 'scheduler' is missing", ""}},
        {"l1 = \"none\";",
         "l1: { model = \"none\"; size = 4; };",
         {"l1.size is an option of 'direct-mapped', 'sectored', 'staged', and the model chosen is", ""}},
        {"l1 = \"none\";",
         "l1: { model = \"direct-mapped\"; size = 1000; };",
         {"l1: size must be a multiple of line", ""}},
        {"l1 = \"none\";", "l1_subcores = 3; l1 = \"none\";", {"l1.subcores (3) does not divide subcores (1)", ""}},
        {"l1 = \"none\";",
         "l1: { model = \"none\"; subcores = 1; }; l1_subcores = 1;",
         {"m.cfg:", "'l1_subcores' is an older name of 'l1.subcores', which line"}},
        {"unit = \"sfu\"", "unit = \"sfx\"", {"unknown unit 'sfx'; did you mean 'sfu'?", ""}},
        {"nop:       {", "noop:      {", {"unknown key 'classes.noop.unit'; did you mean 'classes.nop.unit'?", ""}},
        {"latency = 0;   };", "};", {"'classes.nop.latency' is missing", ""}},
        {"initiation = 1;   latency = 0;",
         "initiation = 0;   latency = 0;",
         {"is not a whole number from 1", "cycles"}},
        {"sms = 1;", "sms = 1; a: { b: { c: { d: { e: { f: { g = 1; }; }; }; }; }; };", {"nested too deeply", ""}},
        {"int:     { model", "a_unit_with_a_name_that_is_long: { model", {"the unit's name is too long", ""}},
    };
    for (size_t i = 0; i < MODEL_COUNT_OF(bad); i++) {
        struct rp_error err = {0};
        cr_expect_null(parse(edited(bad[i].from, bad[i].to), &err), "row %zu was accepted", i);
        cr_expect_eq(err.status, RP_BAD_INPUT);
        for (int k = 0; k < 2; k++)
            cr_expect(strstr(err.text, bad[i].says[k]), "row %zu: '%s' is not in: %s", i, bad[i].says[k], err.text);
        cr_expect_null(strchr(err.text, '\n'));
    }
}

Test(machines, files_that_are_none)
{
    struct rp_error err = {0};
    cr_expect_null(parse("", &err));
    cr_expect(strstr(err.text, "there are no units"), "%s", err.text);
    cr_expect_null(machine_parse(&(struct machine_request){.name = "m.cfg"}, "sms\0=", 5, &err));
    cr_expect(strstr(err.text, "zero byte"), "%s", err.text);
    static char deep[3000];
    memset(deep, '{', sizeof deep - 1);
    cr_expect_null(parse(deep, &err));
    cr_expect(strstr(err.text, "nested too deeply"), "%s", err.text);
    cr_expect_null(machine_open(&(struct machine_request){.name = "/tmp"}, &err));
    cr_expect_null(machine_open(&(struct machine_request){.name = "./no-such.cfg"}, &err));
    cr_expect(strstr(err.text, "./no-such.cfg: No such file"), "%s", err.text);
}

Test(machines, settings)
{
    static const struct {
        const char *key, *value, *says;
    } bad[] = {
        {"schedular", "lrr", "unknown key 'schedular'; did you mean 'scheduler'?"},
        {"scheduler", "ltr", "--set scheduler=ltr: unknown model 'ltr'; did you mean 'lrr'?"},
        {"l1.sise", "1K", "did you mean 'l1.size'?"},
        {"l1.size", "1X", "'1X' is not a whole number"},
        {"units.new", "pipelined", "unknown key"},
        {"classes.int.unit", "alv", "did you mean 'alu'?"},
        {"l1_subcores", "3", "--set l1_subcores=3: l1.subcores (3) does not divide subcores (4)"},
        {"units.alu.subcores", "3", "--set units.alu.subcores=3: units.alu.subcores (3) does not divide subcores (4)"},
        {"subcores", "3", "--set subcores=3: l1.subcores (2) does not divide subcores (3)"},
        {"coalescer.size", "\n96", "--set coalescer.size=?96: coalescer: size must be a power of two"},
        {"pipeline.l1_queue", "8", "--set pipeline.l1_queue=8: 'pipeline.l1_queue' is 'l1.misses' now"},
        {"l1.unified", "128K", "--set l1.unified=128K: l1.unified is one array: l1.subcores must be subcores"},
        {"dram", "staged", "dram 'staged' is stepped by pipeline 'staged', which this machine has not"},
        {"scheduler.seed", "5",
         "--set scheduler.seed=5: scheduler.seed is an option of 'random', and the model chosen is"},
    };
    struct rp_error err = {0};
    for (size_t i = 0; i < MODEL_COUNT_OF(bad); i++) {
        struct machine_setting s = {bad[i].key, bad[i].value};
        cr_expect_null(machine_open(
            &(struct machine_request){
                .name = "jetson-tx2", .settings = &s, .setting_count = 1, .nearest = nearest_name},
            &err));
        cr_expect(strstr(err.text, bad[i].says), "row %zu: %s", i, err.text);
        cr_expect_eq(err.status, RP_USAGE);
    }
    cr_expect_null(machine_open(&(struct machine_request){.name = "jetson-tx", .nearest = nearest_name}, &err));
    cr_expect(strstr(err.text, "did you mean 'jetson-tx2'?"), "%s", err.text);
    /* Another model by --set: the file's options for the old one fall silent. */
    struct machine *plain = test_machine("jetson-tx2", NULL, NULL);
    struct machine *none = test_machine("jetson-tx2", NULL, (const char *const[]){"l1=none", NULL});
    struct machine *large = test_machine("jetson-tx2", NULL, (const char *const[]){"l1.size=48K", NULL});
    struct machine *again = test_machine("jetson-tx2", NULL, (const char *const[]){"l1.size=24576", NULL});
    cr_expect(strstr(
        none->text,
        "l1.model = none\nl1.subcores = 2\nl1.queue = -1\nl1.mshrs = -1\nl1.unified = 0\nl1.shared_sizes = 0\nl2"));
    cr_expect(strstr(large->text, "l1.size = 49152\n"));
    cr_expect_str_neq(plain->hash, none->hash);
    cr_expect_str_neq(plain->hash, large->hash);
    cr_expect_str_eq(plain->hash, again->hash, "the same machine, however it was said");
    machine_free(plain);
    machine_free(none);
    machine_free(large);
    machine_free(again);
}

/* What the issue says of orin-wcet. */
Test(machines, orin_wcet)
{
    struct machine *m = test_machine("orin-wcet", NULL, NULL);
    static const struct {
        enum rp_class class;
        uint32_t latency, initiation;
    } rows[] = {{RP_CLASS_INT, 4, 2},         {RP_CLASS_INT_DIV, 21, 2}, {RP_CLASS_FP32, 4, 1},
                {RP_CLASS_FP32_DIV, 39, 2},   {RP_CLASS_FP64, 64, 64},   {RP_CLASS_SFU, 21, 8},
                {RP_CLASS_FP64_DIV, 330, 130}};
    for (size_t i = 0; i < MODEL_COUNT_OF(rows); i++) {
        cr_expect_eq(m->classes[rows[i].class].latency, rows[i].latency);
        cr_expect_eq(m->classes[rows[i].class].initiation, rows[i].initiation);
    }
    const struct machine_timing *shared = &m->spaces[RP_SPACE_SHARED], *global = &m->spaces[RP_SPACE_GLOBAL];
    cr_expect_eq(shared->initiation + shared->latency, 2);
    cr_expect_eq(global->latency, 200);
    cr_expect_eq(global->initiation, 1);
    cr_expect(m->sms == 1 && m->subcores == 1 && m->registers == 65536 && m->threads == 1536 && m->blocks == 32);
    cr_expect_eq(m->clock_mhz, FRACTION(930));
    machine_free(m);
}

/* What programs are told of a device is no part of what cycles depend on. */
Test(machines, the_hash_is_without_the_device)
{
    struct machine *plain = test_machine("v100", NULL, NULL);
    struct machine *other =
        test_machine("v100", NULL, (const char *const[]){"device.name=Mine", "device.memory=1G", NULL});
    cr_expect_str_eq(plain->text, other->text);
    cr_expect_str_eq(plain->hash, other->hash);
    cr_expect_str_eq(machine_option_text(other, other->device_name), "Mine");
    cr_expect_str_eq(other->device_text,
                     "area = 815\ndevice.name = Mine\ndevice.capability = 70\ndevice.memory = 1073741824\n"
                     "device.memory_clock_mhz = 877\ndevice.memory_bus = 4096\n");
    machine_free(plain);
    machine_free(other);
}

static void take_capability(void *row, const struct model_option *o)
{
    if (!strcmp(o->key, "device.capability"))
        *(const struct model_option **)row = o;
}

/* The row's limit is the list's end, and the list is that of the targets from 5.0 on, which CUDA 12 compiles for. */
Test(machines, capabilities_are_those_of_targets)
{
    const struct model_option *row = NULL;
    size_t count = 1;
    cr_assert_str_eq(machine_capabilities[0], "unknown");
    for (unsigned sm = 50; sm < 1000; sm++) {
        char number[16];
        snprintf(number, sizeof number, "%u", sm);
        if (target_of_sm(sm))
            cr_expect_str_eq(machine_capabilities[count++], number);
    }
    cr_expect_null(machine_capabilities[count]);
    machine_each_option(take_capability, &row);
    cr_assert(row);
    cr_expect_eq(row->most, (int64_t)count - 1);
}

/* Bytes per second that the machine's channels move at most; 0: its model of DRAM says none. */
static double bandwidth_of_dram(const struct machine *m)
{
    enum { SECTOR = 32 };
    const struct machine_part *d = &m->dram;
    double hz = fraction_value(m->clock_mhz) * 1e6 * (double)m->dram_channels;
    if (!strcmp(d->model->name, "bandwidth"))
        return hz * fraction_value(machine_part_value(d, "bytes_per_cycle", 0));
    if (!strcmp(d->model->name, "banked"))
        return hz * fraction_value(machine_part_value(d, "clock", 0)) * SECTOR /
               (double)machine_part_value(d, "t_burst", 1);
    if (!strcmp(d->model->name, "staged"))
        return fraction_value(machine_part_value(d, "clock_mhz", 0)) * 1e6 * (double)m->dram_channels * SECTOR /
               (double)machine_part_value(d, "t_burst", 1);
    return 0;
}

/* Memory's clock and bus, which programs are told, give the bandwidth that launches have. With the model `bandwidth` it
 * may be what was measured, 89 % of that or more. */
Test(machines, the_device_has_the_bandwidth_of_dram)
{
    char **names;
    size_t count = machine_list(&names), compared = 0;
    for (size_t i = 0; i < count; i++) {
        struct machine *m = test_machine(names[i], NULL, NULL);
        if (machine_is_cores(m)) { /* no device of CUDA */
            machine_free(m);
            continue;
        }
        double told = fraction_value(m->device_memory_clock) * 1e6 * 2 * (double)m->device_memory_bus / 8;
        double has = bandwidth_of_dram(m);
        compared += has > 0;
        const double least = strcmp(m->dram.model->name, "bandwidth") ? .999 : .89;
        cr_expect(!has || (has / told > least && has / told < 1.001), "%s: %.4g bytes/s are told, DRAM has %.4g",
                  names[i], told, has);
        cr_expect(m->device_capability && *machine_option_text(m, m->device_name), "%s has no device", names[i]);
        machine_free(m);
    }
    cr_expect_geq(compared, 10);
    free(names);
}

/* 9.0 reserves a KiB of each block (CUDA occupancy calculator): 7 KiB fit 28 times in 228 KB, not 32 times. */
Test(machines, reserved_shared_memory)
{
    struct machine *m = test_machine("h100", NULL, NULL);
    struct rp_kernel kernel = {.name = "k", .registers = 8};
    struct rp_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct room block;
    struct rp_error err;
    static const uint32_t fit[][2] = {{49152, 4}, {0, 32}, {7168, 28}, {7424, 27}, {232448, 1}, {232449, 0}};
    for (size_t i = 0; i < MODEL_COUNT_OF(fit); i++) {
        kernel.static_shared = fit[i][0];
        uint64_t count = room_of_block(m, &kernel, &launch, &block, &err) ? room_count(m, &block, 64) : 0;
        cr_expect_eq(count, fit[i][1], "%u bytes: %" PRIu64, fit[i][0], count);
    }
    machine_free(m);
}

Test(machines, occupancy)
{
    struct machine *m = test_machine("jetson-tx2", NULL, NULL);
    static const struct {
        uint32_t threads, registers, shared, fit; /* blocks on an empty SM */
    } rows[] = {
        {1024, 32, 0, 2},  {256, 32, 0, 8},   {32, 8, 0, 32}, /* blocks */
        {64, 128, 0, 8},                                      /* 2 × 4096 registers each */
        {64, 65, 0, 14},                                      /* 65 × 32 = 2080 rounds up to 2304; else 15 would fit */
        {33, 32, 0, 32},                                      /* two warps */
        {32, 8, 3329, 18}, {32, 8, 65536, 1},                 /* 3329 rounds up to 3584; else 19 would fit */
        {1024, 65, 0, 0},  {2080, 8, 0, 0},   {32, 8, 65537, 0}, {0, 8, 0, 0},
    };
    for (size_t i = 0; i < MODEL_COUNT_OF(rows); i++) {
        struct rp_kernel kernel = {.name = "k", .registers = rows[i].registers, .static_shared = rows[i].shared};
        struct rp_launch launch = {.grid = {1, 1, 1}, .block = {rows[i].threads, 1, 1}};
        struct room left, block;
        struct rp_error err = {0};
        uint32_t fit = 0;
        room_of_sm(m, &left);
        if (room_of_block(m, &kernel, &launch, &block, &err))
            for (; room_fits(&left, &block); fit++)
                room_take(&left, &block, 1);
        else
            cr_expect(strstr(err.text, "kernel k: a block"), "%s", err.text);
        cr_expect_eq(fit, rows[i].fit, "row %zu: %u", i, fit);
        launch.dynamic_shared = rows[i].shared; /* counts as the static does */
        kernel.static_shared = 0;
        struct room dynamic;
        if (fit && room_of_block(m, &kernel, &launch, &dynamic, &err))
            cr_expect_eq(dynamic.shared, block.shared, "row %zu", i);
    }
    machine_free(m);
}

/* ---- models from outside ------------------------------------------------------------------------------------------
 */

static size_t no_state(const int64_t *options)
{
    (void)options;
    return 0;
}
static void reset(void *state, const int64_t *options)
{
    (void)state;
    (void)options;
}
static void ignore(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}
static int highest(void *state, uint64_t ready)
{
    (void)state;
    return 63 - __builtin_clzll(ready);
}
static int never(void *state, uint64_t ready)
{
    (void)state;
    (void)ready;
    return -1;
}
static int wrong(void *state, uint64_t ready)
{
    (void)state;
    (void)ready;
    return 40;
}
static const struct model_option slow_options[] = {
    {"delay", OPTION_INTEGER, "cycles", 0, 1000, 77, NULL, "time that every access takes"}};
static size_t slow_size(const int64_t *options)
{
    (void)options;
    return sizeof(uint64_t);
}
static void slow_reset(void *state, const int64_t *options) { *(uint64_t *)state = (uint64_t)options[0]; }

static enum dram_status slow_offer(void *state, const struct dram_request *request, uint64_t now, uint64_t *cycle)
{
    (void)request;
    *cycle = now + *(uint64_t *)state;
    return DRAM_DONE;
}
static uint64_t slow_ahead(const int64_t *options) { return (uint64_t)options[0]; }
static bool no_option(const int64_t *options)
{
    (void)options;
    return false;
}

static const struct scheduler_model highest_first = {
    .model = {.name = "highest", .help = "x", .state_size = no_state},
    .reset = reset,
    .start = ignore,
    .wait = ignore,
    .end = ignore,
    .pick = highest,
};
static const struct scheduler_model holds_all = {
    .model = {.name = "holds", .help = "x", .state_size = no_state},
    .reset = reset,
    .start = ignore,
    .wait = ignore,
    .end = ignore,
    .pick = never,
};
static const struct scheduler_model picks_wrong = {
    .model = {.name = "wrong", .help = "x", .state_size = no_state},
    .reset = reset,
    .start = ignore,
    .wait = ignore,
    .end = ignore,
    .pick = wrong,
};
static const struct dram_model slow = {
    .model = {.name = "slow", .help = "x", .options = slow_options, .option_count = 1, .state_size = slow_size},
    .reset = slow_reset,
    .offer = slow_offer,
    .ahead = slow_ahead,
    .may_refuse = no_option,
    .is_fixed = no_option,
};

static struct model_set with_ours(void)
{
    static const struct model *schedulers[] = {&scheduler_gto.model, &highest_first.model, &holds_all.model,
                                               &picks_wrong.model, NULL};
    static const struct model *drams[] = {&dram_ideal.model, &slow.model, NULL};
    struct model_set set = built_in_models;
    set.of[KIND_SCHEDULER] = schedulers;
    set.of[KIND_DRAM] = drams;
    return set;
}

Test(models, a_scheduler_and_a_dram_from_outside)
{
    struct model_set set = with_ours();
    static const struct warp_op ops[] = {ACCESS(GLOBAL, false, 0, 4, 0), OP(INT, 1, 0, NO)};
    struct warp_program warps[] = {{ops, 2}, {ops, 2}};
    struct machine *m =
        test_machine("orin-wcet", &set, (const char *const[]){"scheduler=highest", "dram=slow", "dram.delay=50", NULL});
    struct rp_trace *t = trace_of(warps, 2);
    /* loads at 0 and 1 take 201 + 50; adds at 251 and 252, the second initiates at 253 */
    cr_expect_eq(both_engines(t, m).cycles, 253 + 6);
    rp_trace_close(t);
    machine_free(m);
}

Test(models, a_broken_scheduler_does_not_hang_replay)
{
    struct model_set set = with_ours();
    static const struct warp_op ops[] = {OP(INT, 1, NO, NO)};
    struct rp_trace *t = trace_of(&(struct warp_program){ops, 1}, 1);
    for (int i = 0; i < 4; i++) {
        struct machine *m = test_machine(
            "orin-wcet", &set, (const char *const[]){i / 2 ? "scheduler=holds" : "scheduler=wrong", "dram=slow", NULL});
        struct replay_result result;
        struct rp_error err = {0};
        struct replay_options options = {.engine = i % 2 ? REPLAY_FAST : REPLAY_REFERENCE, .launch = -1};
        cr_expect(!replay(t, m, &options, &result, &err));
        cr_expect(strstr(err.text, i / 2 ? "scheduler 'holds' holds ready warps for ever"
                                         : "scheduler 'wrong' picked a warp that is not ready"),
                  "%s", err.text);
        machine_free(m);
    }
    rp_trace_close(t);
}

Test(machines, operands_that_no_machine_times_are_refused_by_instruction)
{
    static const struct rp_memory_operand load = {.space = RP_SPACE_SHARED, .kind = RP_ACCESS_PREFETCH};
    static const struct rp_memory_operand others[] = {{.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_BULK_LOAD},
                                                      {.space = RP_SPACE_SHARED, .kind = RP_ACCESS_BULK_STORE},
                                                      {.space = RP_SPACE_SHARED, .kind = RP_ACCESS_OBJECT}};
    struct rp_instruction list[] = {{.text = "first", .memory_count = 1, .memory = &load},
                                    {.text = "second", .memory_count = 1, .memory = &load}};
    static const char *const files[] = {"main.cu", "sum.cu"};
    struct rp_kernel k = {.name = "k", .instruction_count = 2, .instructions = list, .file_count = 2, .files = files};
    list[1].file = 1;
    list[1].line = 12;
    struct rp_launch launch = {.grid = {4, 1, 1}, .cluster = {2, 1, 1}};
    struct rp_error err = {0};
    cr_expect(!launch_is_supported(&k, &launch, false, &err) &&
              strstr(err.text, "kernel k: its blocks run in clusters"));
    cr_expect(launch_is_supported(&k, &launch, true, &err), "%s", err.text);
    for (int i = 0; i < 3; i++) {
        list[1].memory = &others[i];
        cr_expect(!launch_is_supported(&k, &launch, true, &err) &&
                      strstr(err.text, "instruction 1 (second) of kernel k, sum.cu:12: "),
                  "%s", err.text);
    }
}
