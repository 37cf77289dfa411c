/* Options that are fractions, lists and texts: what a file or --set gives reaches the model exactly, what is printed
 * reads back, and what is wrong is said with its place. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tests/unit/replay/common.h"
#include "tools/machine/machine_file.h"
#include "tools/ui/nearest.h"

enum { SHARES, STEPS, MAPPING, SCALE, COUNT_OF_ROWS };
static const struct model_option rows[COUNT_OF_ROWS] = {
    [SHARES] = {"shares", OPTION_FRACTIONS, "", 0, FRACTION(1), OPTION_LENGTH(3, 3),
                (const char *const[]){"0.3,0.6,0.1", NULL}, "x"},
    [STEPS] = {"timing.steps", OPTION_INTEGERS, "cycles", -4, 5000000000, OPTION_LENGTH(0, 4),
               (const char *const[]){"", NULL}, "x"},
    [MAPPING] = {"mapping", OPTION_TEXT, "", 0, 0, OPTION_LENGTH(1, 40), (const char *const[]){"RRBB.CCSS", NULL}, "x"},
    [SCALE] = {"scale", OPTION_FRACTION, "", FRACTION(-2), FRACTION(4000), FRACTION(1) / 2, NULL, "x"},
};

static size_t no_state(const int64_t *options)
{
    (void)options;
    return 0;
}
static void no_reset(void *state, const int64_t *options)
{
    (void)state;
    (void)options;
}
static enum dram_status at_once(void *state, const struct dram_request *request, uint64_t now, uint64_t *cycle)
{
    (void)state;
    (void)request;
    *cycle = now;
    return DRAM_DONE;
}
static uint64_t none_ahead(const int64_t *options)
{
    (void)options;
    return 0;
}
static bool yes(const int64_t *options)
{
    (void)options;
    return true;
}
static const char *sum_is_one(const int64_t *options)
{
    size_t count;
    const int64_t *share = option_list(options, SHARES, &count);
    return share[0] + share[1] + share[2] == FRACTION_ONE ? NULL : "shares must sum to 1";
}
static const struct dram_model rich = {
    .model = {.name = "rich",
              .help = "x",
              .options = rows,
              .option_count = COUNT_OF_ROWS,
              .state_size = no_state,
              .check = sum_is_one},
    .reset = no_reset,
    .offer = at_once,
    .ahead = none_ahead,
    .may_refuse = yes,
    .is_fixed = yes,
};

static struct machine *parse(const char *text, const char *key, const char *value, struct rp_error *err)
{
    static const struct model *drams[] = {&dram_ideal.model, &rich.model, NULL};
    struct model_set models = built_in_models;
    models.of[KIND_DRAM] = drams;
    struct machine_setting set = {key, value};
    struct machine_request request = {
        .name = "m.cfg", .nearest = nearest_name, .models = &models, .settings = &set, .setting_count = key != NULL};
    return machine_parse(&request, text, strlen(text), err);
}

/* orin-wcet with this device memory. */
static struct machine *machine_with(const char *dram, const char *key, const char *value, struct rp_error *err)
{
    char text[2000];
    snprintf(text, sizeof text, "base = \"orin-wcet\";\ndram: { model = \"rich\";\n%s };\n", dram);
    return parse(text, key, value, err);
}

static void expect_list(const struct machine *m, size_t row, size_t count, const int64_t *numbers)
{
    size_t found;
    const int64_t *list = option_list(m->dram.options, row, &found);
    cr_assert_eq(found, count, "%zu numbers", found);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(list[i], numbers[i], "number %zu is %lld", i, (long long)list[i]);
}

Test(options, nothing_said)
{
    struct rp_error err;
    struct machine *m = machine_with("", NULL, NULL, &err);
    cr_assert(m, "%s", err.text);
    expect_list(m, SHARES, 3, (const int64_t[]){300000000, 600000000, 100000000});
    expect_list(m, STEPS, 0, NULL);
    cr_expect_str_eq(option_text(m->dram.options, MAPPING), "RRBB.CCSS");
    cr_expect_eq(m->dram.options[SCALE], 500000000);
    cr_expect_eq(fraction_value(m->dram.options[SCALE]), 0.5);
    cr_expect(strstr(m->text,
                     "dram.shares = 0.3,0.6,0.1\ndram.timing.steps = \ndram.mapping = RRBB.CCSS\ndram.scale = 0.5\n"));
    struct machine_part copy = m->dram; /* lists move with the array */
    machine_free(m);
    size_t count;
    cr_expect_eq(option_list(copy.options, SHARES, &count)[1], 600000000);
    cr_expect_str_eq(option_text(copy.options, MAPPING), "RRBB.CCSS");
}

/* Each way to say it, and how it is printed. */
Test(options, what_is_given)
{
    static const struct {
        const char *file, *key, *value, *line;
    } good[] = {
        {"scale = 1.25;", NULL, NULL, "dram.scale = 1.25\n"},
        {"scale = 3;", NULL, NULL, "dram.scale = 3\n"},
        {"scale = -0.000000001;", NULL, NULL, "dram.scale = -0.000000001\n"},
        {"scale = 0.00001;", NULL, NULL, "dram.scale = 0.00001\n"},
        {"scale = 3.5e3;", NULL, NULL, "dram.scale = 3500\n"},
        {"scale = 3500.123456789;", NULL, NULL, "dram.scale = 3500.123456789\n"},
        {"scale = \"0.100000000000\";", NULL, NULL, "dram.scale = 0.1\n"},
        {"scale = -0.0;", NULL, NULL, "dram.scale = 0\n"},
        {"", "dram.scale", ".5", "dram.scale = 0.5\n"},
        {"scale = 7;", "dram.scale", "2.", "dram.scale = 2\n"},
        {"shares = [0.25, 0.5, 0.25];", NULL, NULL, "dram.shares = 0.25,0.5,0.25\n"},
        {"shares = (0, 1.0, 0);", NULL, NULL, "dram.shares = 0,1,0\n"},
        {"shares = \"0.333333333,0.333333333,0.333333334\";", NULL, NULL,
         "dram.shares = 0.333333333,0.333333333,0.333333334\n"},
        {"", "dram.shares", "0.30, 0.60, 0.10", "dram.shares = 0.3,0.6,0.1\n"},
        {"", "dram.shares", "0/0/1", "dram.shares = 0,0,1\n"},
        {"timing: { steps = (4, -4, 5000000000L); };", NULL, NULL, "dram.timing.steps = 4,-4,5000000000\n"},
        {"timing: { steps = (\"2K\"); };", NULL, NULL, "dram.timing.steps = 2048\n"},
        {"timing: { steps = [1, 2]; };", "dram.timing.steps", "", "dram.timing.steps = \n"},
        {"mapping = \"dramid@8;00RR.BBCC\";", NULL, NULL, "dram.mapping = dramid@8;00RR.BBCC\n"},
        {"mapping = \"0012\";", NULL, NULL, "dram.mapping = 0012\n"},
        {"mapping = \"nan\";", NULL, NULL, "dram.mapping = nan\n"},
        {"mapping = \"1.50\";", NULL, NULL, "dram.mapping = 1.50\n"},
        {"mapping = \"1234567890123456789.25\";", NULL, NULL, "dram.mapping = 1234567890123456789.25\n"},
        {"mapping = \"99999999999999999999\";", NULL, NULL, "dram.mapping = 99999999999999999999\n"},
        {"", "dram.mapping", "a=b#{}", "dram.mapping = a=b#{}\n"},
    };
    for (size_t i = 0; i < MODEL_COUNT_OF(good); i++) {
        struct rp_error err;
        struct machine *m = machine_with(good[i].file, good[i].key, good[i].value, &err);
        cr_assert(m, "row %zu: %s", i, err.text);
        cr_expect(strstr(m->text, good[i].line), "row %zu: %s", i, strstr(m->text, "dram.model"));
        /* what machine show prints is the same machine */
        char *file = NULL;
        size_t size;
        FILE *to = open_memstream(&file, &size);
        machine_file_print(m, to);
        fclose(to);
        struct machine *again = parse(file, NULL, NULL, &err);
        cr_assert(again, "row %zu: %s in\n%s", i, err.text, file);
        cr_expect_str_eq(again->text, m->text, "row %zu", i);
        cr_expect_str_eq(again->hash, m->hash);
        machine_free(again);
        machine_free(m);
        free(file);
    }
}

Test(options, what_is_wrong)
{
    static const struct {
        const char *file, *key, *value, *says;
    } bad[] = {
        {"scale = 4000.5;", NULL, NULL, "m.cfg:3: dram.scale: '4000.5' is not a number from -2 to 4000"},
        {"\nscale = 0.0000000001;", NULL, NULL,
         "m.cfg:4: dram.scale: '1e-10' is not a number from -2 to 4000, with at most 9 digits"},
        {"", "dram.scale", "1x", "--set dram.scale=1x: dram.scale: '1x' is not a number"},
        {"", "dram.scale", "1e", "'1e' is not a number"},
        {"", "dram.scale", ".", "'.' is not a number"},
        {"", "dram.scale", "", "'' is not a number"},
        {"", "dram.scale", "--1", "'--1' is not a number"},
        {"", "dram.scale", "inf", "'inf' is not a number"},
        {"", "dram.scale", "1e99", "'1e99' is not a number"},
        {"", "dram.scale", "99999999999999999999", "is not a number"},
        {"shares = [0.5, 0.5];", NULL, NULL, "m.cfg:3: dram.shares: 2 numbers are given; there must be 3"},
        {"shares = [0.5, 0.25, 0.25, 0.0];", NULL, NULL, "4 numbers are given; there must be 3"},
        {"shares = 1.0;", NULL, NULL, "1 number is given; there must be 3"},
        {"shares = [0.5, 1.5, 0.5];", NULL, NULL, "number 2 of the list: '1.5' is not a number from 0 to 1"},
        {"shares = [0.5, 0.5, 0.5];", NULL, NULL, "m.cfg: dram: shares must sum to 1"},
        {"shares = ((0.5), 0.5, 0.5);", NULL, NULL, "m.cfg:3: dram.shares: lists may hold numbers only"},
        {"shares = [0.5, 1];", NULL, NULL, "m.cfg:3: "},
        {"", "dram.shares", "0.3,,0.7", "number 2 of the list: '' is not a number"},
        {"", "dram.shares", "0.3,0.7,", "number 3 of the list: '' is not a number"},
        {"", "dram.shares", "0.5,0.5,0.5", "--set dram.shares=0.5,0.5,0.5: dram: shares must sum to 1"},
        {"timing: { steps = [1, 2, 3, 4, 5]; };", NULL, NULL, "5 numbers are given; there must be 0 to 4"},
        {"timing: { steps = [1.5]; };", NULL, NULL, "'1.5' is not a whole number from -4 to 5000000000 cycles"},
        {"mapping = \"\";", NULL, NULL, "'' has 0 characters; there must be 1 to 40"},
        {"mapping = \"a b\";", NULL, NULL, "m.cfg:3: dram.mapping: 'a b' has a character that is not allowed"},
        {"mapping = \"a\\\"b\";", NULL, NULL, "has a character that is not allowed"},
        {"mapping = \"12345678901234567890123456789012345678901\";", NULL, NULL,
         "has 41 characters; there must be 1 to 40"},
        {"shares = { a = 1; };", NULL, NULL, "m.cfg:3: unknown key 'dram.shares.a'"},
    };
    for (size_t i = 0; i < MODEL_COUNT_OF(bad); i++) {
        struct rp_error err = {0};
        cr_expect_null(machine_with(bad[i].file, bad[i].key, bad[i].value, &err), "row %zu was accepted", i);
        cr_expect(strstr(err.text, bad[i].says), "row %zu: %s", i, err.text);
    }
}
