/* What every hardware model has in common: a name, options, and the size of its state.
 *
 * A model is one file that ends in one const struct. The struct begins with a `struct model` and goes on with the
 * functions of its kind, which hw-models/<kind>/<kind>.h describes. Models know nothing of traces or of the replay
 * engine: they are asked about cycles, addresses and slots, and answer at once. All times are cycles of the GPU's core
 * clock since the launch began; all arithmetic is on integers, so that every computer gives the same answer.
 *
 * Options are rows of a table: the same rows serve machine files, --set, the list that `reprise machine options`
 * prints and docs/machines.md. A model gets its options as an array of values in the order of its rows.
 */
#ifndef REPRISE_HW_MODELS_MODEL_H
#define REPRISE_HW_MODELS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_option_type {
    OPTION_INTEGER, /* least..most; the file may give it a suffix K, M or G (powers of 1024) in a string */
    OPTION_BOOLEAN,
    OPTION_CHOICE, /* one of `choices`; the value is its index */
};

struct model_option {
    const char *key;
    enum model_option_type type;
    const char *unit;         /* "cycles", "bytes", ...; "" for numbers without one */
    int64_t least, most;      /* limits, inclusive; CHOICE: 0 and the last index */
    int64_t initial;          /* the value when nothing is said */
    const char *const *names; /* CHOICE: NULL-terminated */
    const char *help;         /* one line, no full stop */
};

struct model {
    const char *name;
    const char *help; /* one line, no full stop */
    const struct model_option *options;
    unsigned option_count;
    /* Bytes of state for these options; the state is aligned to 64 bytes and zeroed before reset sees it. */
    size_t (*state_size)(const int64_t *options);
    /* NULL, or checks options against one another: returns NULL, or a text that says what is wrong. */
    const char *(*check)(const int64_t *options);
};

#define MODEL_COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
