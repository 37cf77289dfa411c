/* What every hardware model has in common: a name, options, and the size of its state.
 *
 * A model is one file that ends in one const struct. The struct begins with a `struct model` and goes on with the
 * functions of its kind, which hw-models/<kind>/<kind>.h describes. Models know nothing of traces or of the replay
 * engine: their functions take cycles, addresses and slots, and return the result at once, or the model is stepped
 * (cache/stepped.h). Times are core cycles since the launch began, unless a comment says otherwise. All arithmetic is
 * on integers, so that results are the same on every computer.
 *
 * Options are rows of a table: the same rows serve machine files, --set, the list that `reprise machine options`
 * prints and docs/machines.md. A model gets its options as an array of values in the order of its rows, followed by
 * its lists and texts.
 */
#ifndef REPRISE_HW_MODELS_MODEL_H
#define REPRISE_HW_MODELS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_option_type {
    OPTION_INTEGER, /* least..most; the file may give it a suffix K, M or G (powers of 1024) in a string */
    OPTION_BOOLEAN,
    OPTION_CHOICE,    /* one of `names`; the value is its index */
    OPTION_FRACTION,  /* a decimal with at most 9 digits after the point; the value is in billionths */
    OPTION_INTEGERS,  /* a list; option_list() finds it */
    OPTION_FRACTIONS, /* a list; each number in billionths */
    OPTION_TEXT,      /* printable characters without spaces, quotes and backslashes; option_text() finds it */
    OPTION_NAME,      /* a letter, then printable characters and spaces, without quotes, backslashes and semicolons */
};

/* 1 as a fraction: FRACTION(3) / 10 is 0.3. Decimals are exact, so that what is printed reads back. */
#define FRACTION_ONE INT64_C(1000000000)
#define FRACTION(whole) ((whole)*FRACTION_ONE)
/* The nearest double, for values below 2^53 billionths (nine million). */
static inline double fraction_value(int64_t value) { return (double)value / (double)FRACTION_ONE; }

/* How long a list (in numbers) or a text (in characters) may be. */
#define OPTION_LENGTH(least, most) ((least) | (int64_t)(most) << 32)
#define OPTION_LONGEST_LIST 64
#define OPTION_LONGEST_TEXT 511

struct model_option {
    const char *key;
    enum model_option_type type;
    const char *unit; /* "cycles", "bytes", ...; "" for numbers without one */
    int64_t least,
        most; /* limits, inclusive, for each number of a list, too; CHOICE: 0 and the last index; texts: unused */
    int64_t initial;          /* the default; lists and texts: OPTION_LENGTH */
    const char *const *names; /* CHOICE: NULL-terminated; lists and texts: the default, as names[0] */
    const char *help;         /* one line, no full stop */
};

/* A counter of a model: a statistic of the machines that have the model. A new one needs a row and the line that
 * counts. */
struct model_counter {
    const char *name; /* lower case and '_' */
    const char *unit; /* "commands", "sectors", ... */
    const char *help; /* the definition: one line, no full stop */
};
#define MODEL_MOST_COUNTERS 16

struct model {
    const char *name;
    const char *help; /* one line, no full stop */
    const struct model_option *options;
    unsigned option_count;
    /* Bytes of state for these options; the state is aligned to 64 bytes and zeroed before reset sees it. */
    size_t (*state_size)(const int64_t *options);
    /* NULL, or checks options against one another: returns NULL, or a text that says what is wrong. */
    const char *(*check)(const int64_t *options);
    /* NULL, or the model's counters, at most MODEL_MOST_COUNTERS. Only those of device memory are collected. */
    const struct model_counter *counters;
    unsigned counter_count;
    /* With counters: returns their values at cycle `now`, in the order of the rows, as an array within the state. The
     * owner of the state calls this at the end of a busy period, and sets the values to 0. The call does not affect
     * timing. The state of a stepped model is what open() returned. */
    uint64_t *(*counted)(void *state, uint64_t now);
};

/* Lists and texts follow the values of all rows in the array; the row's value gives the position. So the whole array
 * can be copied. */
static inline const int64_t *option_list(const int64_t *options, size_t row, size_t *count)
{
    *count = (size_t)options[options[row]];
    return options + options[row] + 1;
}
static inline const char *option_text(const int64_t *options, size_t row)
{
    return (const char *)(options + options[row]);
}

#define MODEL_COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
