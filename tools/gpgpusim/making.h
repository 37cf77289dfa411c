/* Builds the text of a machine file: its lines, each with the option that it comes from. */
#ifndef REPRISE_TOOLS_GPGPUSIM_MAKING_H
#define REPRISE_TOOLS_GPGPUSIM_MAKING_H

#include <stdio.h>

#include "tools/gpgpusim/machine.h"
#include "tools/gpgpusim/tables.h"

#define MAKING_MOST_LINES 256

/* After the first failure nothing more is reported. */
struct making {
    struct gpgpusim_import *job;
    struct gpgpusim_options options;
    FILE *to;
    unsigned line;                                            /* number of the next line */
    const struct gpgpusim_option *sources[MAKING_MOST_LINES]; /* of the lines' values; NULL: none */
    int64_t subcores;
    bool failed;
    struct rp_error *err;
};

/* Fails because of this option. */
void making_fail(struct making *, const struct gpgpusim_option *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Counts and reports an option whose value is not modelled. */
void making_unsupported(struct making *, const struct gpgpusim_option *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a line with its option as a comment. `from` NULL: without. */
void making_line(struct making *, const struct gpgpusim_option *from, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const struct gpgpusim_option *making_find(struct making *, const char *name);
/* Reads a whole number at the beginning of the text; *end: the text after it. */
bool making_whole(const char *text, const char **end, int64_t *value);
/* The value of an option that is a whole number; `fallback` if it is not given. */
int64_t making_number(struct making *, const char *name, int64_t fallback);
/* Reads whole numbers between any of the separators; returns their number, at most `most`. */
size_t making_numbers(struct making *, const struct gpgpusim_option *, const char *separators, int64_t *list,
                      size_t most);

/* Adds "key = value" within these limits; reports a value beyond them. */
void making_bounded(struct making *, const struct gpgpusim_option *from, const char *key, int64_t value, int64_t least,
                    int64_t most);
/* Add: option `id` of a staged part; the head of a part; all options of a part that are plain numbers. */
void making_option(struct making *, const struct gpgpusim_option *from, enum gpgpusim_part, unsigned id, int64_t value);
void making_begin_part(struct making *, const char *key);
void making_plain_options(struct making *, enum gpgpusim_part);

/* The clocks of core, interconnect, L2 and DRAM, in kHz. */
void making_clocks(struct making *, int64_t khz_of[4]);
/* Adds a line with such a clock between these texts. */
void making_clock(struct making *, const char *before, int64_t khz_of, const char *after);

/* ---- caches and device memory: memory.c -------------------------------------------------------------------------- */
void making_instruction_cache(struct making *);
void making_first_level(struct making *);
void making_second_level(struct making *);
void making_device_memory(struct making *);

/* ---- units and latencies: latencies.c ---------------------------------------------------------------------------- */
void making_units(struct making *);
/* `traces`: there are latencies of trace mode (trace.config). */
void making_timings(struct making *, const char *what, const struct gpgpusim_class *, size_t count, bool traces);

#endif
