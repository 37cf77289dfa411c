/* Ranges and axes: which values they are, how many, and what is refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tools/variants/axes.h"
#include "tools/variants/range.h"

/* The numbers of a range between blanks, or why it is none. */
static const char *numbers(const char *text)
{
    static char all[512];
    static struct rp_error err;
    struct range range;
    size_t count;
    if (!range_begins(text) || !range_read(text, 100, &range, &count, &err))
        return range_begins(text) ? err.text : "no range";
    *all = 0;
    for (size_t i = 0; i < count; i++) {
        char number[RANGE_NUMBER];
        range_number(&range, i, number);
        strcat(strcat(all, i ? " " : ""), number);
    }
    return all;
}

Test(ranges, steps)
{
    static const char *const rows[][2] = {
        {"1..4", "1 2 3 4"},
        {"7..7", "7"},
        {"-2..1", "-2 -1 0 1"},
        {"100..400:+100", "100 200 300 400"},
        {"1..10:+4", "1 5 9"},
        {"32K..128K:x2", "32K 64K 128K"},
        {"8k..20k:+8k", "8k 16k"},
        {"1K..3000:+1000", "1K 2024"},
        {"1..100:x10", "1 10 100"},
        {"3..80:x3", "3 9 27"},
        {"1G..4G:x2", "1G 2G 4G"},
        {"9223372036854775806..9223372036854775807", "9223372036854775806 9223372036854775807"},
        {"4611686018427387904..9223372036854775807:x2", "4611686018427387904"},
        {"gto", "no range"},
        {"1", "no range"},
        {"0.3/0.6", "no range"},
        {"4..1", "4..1 runs backwards; the smaller number comes first"},
        {"1..101", "1..101 has more than 100 values; give a step, as in 100..400:+100 or 32K..128K:x2"},
        {"1..4:2", "'1..4:2' is no range; write 1..4, 100..400:+100 or 32K..128K:x2"},
        {"1..4:+0", "'1..4:+0' is no range; write 1..4, 100..400:+100 or 32K..128K:x2"},
        {"1..4:x1", "'1..4:x1' is no range; write 1..4, 100..400:+100 or 32K..128K:x2"},
        {"1..4:+-1", "'1..4:+-1' is no range; write 1..4, 100..400:+100 or 32K..128K:x2"},
        {"1..", "'1..' is no range; write 1..4, 100..400:+100 or 32K..128K:x2"},
        {"0..4:x2", "'0..4:x2': a range that is multiplied begins at 1 or above"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(numbers(rows[i][0]), rows[i][1], "%s", rows[i][0]);
}

/* All combinations, "key=value key=value;" each, or why not. */
static const char *combinations(const char *const *texts, size_t count)
{
    static char all[1024];
    static struct rp_error err;
    struct axes axes = {.count = 0};
    *all = 0;
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++)
        fine = axes_add(&axes, texts[i], &err);
    size_t variants = fine ? axes_variants(&axes, 20, &err) : 0;
    for (size_t v = 0; v < variants; v++) {
        const char *values[MOST_KEYS];
        axes_values(&axes, v, values);
        for (size_t k = 0; k < axes.key_count; k++) {
            strcat(strcat(all, k ? " " : ""), axes.keys[k]);
            strcat(strcat(all, "="), values[k]);
        }
        strcat(all, ";");
    }
    axes_free(&axes);
    return variants ? all : err.text;
}
#define COMBINATIONS(...)                                                                                              \
    combinations((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

Test(axes, combinations)
{
    cr_expect_str_eq(COMBINATIONS("a=1,2", "b=x,y"), "a=1 b=x;a=1 b=y;a=2 b=x;a=2 b=y;");
    cr_expect_str_eq(COMBINATIONS("a=1..3,7"), "a=1;a=2;a=3;a=7;");
    cr_expect_str_eq(COMBINATIONS("a=1,2 with b=3..4 with c=x,y"), "a=1 b=3 c=x;a=2 b=4 c=y;");
    cr_expect_str_eq(COMBINATIONS("a,b=1,x:2,y", "c=5"), "a=1 b=x c=5;a=2 b=y c=5;");
}

Test(axes, refuses)
{
    cr_expect_str_eq(COMBINATIONS("a"), "--vary a: give KEY=A,B,C, for example --vary scheduler=gto,lrr");
    cr_expect_str_eq(COMBINATIONS("a="), "--vary a=: give KEY=A,B,C, for example --vary scheduler=gto,lrr");
    cr_expect_str_eq(COMBINATIONS("a=1", "a=2"), "--vary a=2: a is varied twice; give all its values at once");
    cr_expect_str_eq(COMBINATIONS("a=1 with a=2"),
                     "--vary a=1 with a=2: a is varied twice; give all its values at once");
    cr_expect_str_eq(COMBINATIONS("a=1,2 with b=3"),
                     "--vary a=1,2 with b=3: 1 value of b for 2 before it; give a value for each");
    cr_expect_str_eq(COMBINATIONS("a=1 with b"),
                     "--vary a=1 with b: give KEY=A,B,C, for example --vary scheduler=gto,lrr");
    cr_expect_str_eq(COMBINATIONS("a=1 with b=2 with"),
                     "--vary a=1 with b=2 with: give KEY=A,B,C, for example --vary scheduler=gto,lrr");
    cr_expect_str_eq(COMBINATIONS("a=1,,2"), "--vary a=1,,2: a value is missing beside a comma");
    cr_expect_str_eq(COMBINATIONS("a=1..5", "b=1..5"), "these values have more than 20 combinations; give fewer");
}
