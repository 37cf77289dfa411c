/* A machine file in the making: its lines, each with the option that it comes from. */
#ifndef REPRISE_TOOLS_GPGPUSIM_MAKING_H
#define REPRISE_TOOLS_GPGPUSIM_MAKING_H

#include <stdio.h>

#include "tools/gpgpusim/machine.h"
#include "tools/gpgpusim/tables.h"

#define MAKING_MOST_LINES 256

/* After the first failure nothing more is said. */
struct making {
    struct gpgpusim_import *job;
    struct gpgpusim_options options;
    FILE *to;
    unsigned line;                                           /* the one that is printed next */
    const struct gpgpusim_option *places[MAKING_MOST_LINES]; /* of lines: where their value is from; NULL: nowhere */
    int64_t subcores;
    bool failed;
    struct rp_error *err;
};

/* The import fails because of this option. */
void making_fail(struct making *, const struct gpgpusim_option *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What the option asks for is not modelled: counted, and said. */
void making_unsupported(struct making *, const struct gpgpusim_option *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A line with its source as a comment. `from` NULL: it has none. */
void making_line(struct making *, const struct gpgpusim_option *from, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const struct gpgpusim_option *making_find(struct making *, const char *name);
/* A whole number at the text's begin, and where it ends. */
bool making_whole(const char *text, const char **end, int64_t *value);
/* The option's value, which is one whole number; `fallback` where it is not given. */
int64_t making_number(struct making *, const char *name, int64_t fallback);
/* Whole numbers with one of the separators between them; returns how many there are, which is at most `most`. */
size_t making_numbers(struct making *, const struct gpgpusim_option *, const char *separators, int64_t *list,
                      size_t most);

/* "key = value", within these limits; what is beyond is said. */
void making_bounded(struct making *, const struct gpgpusim_option *from, const char *key, int64_t value, int64_t least,
                    int64_t most);
/* The option with this number of a staged part; the head of one; all of one's that are plain numbers. */
void making_option(struct making *, const struct gpgpusim_option *from, enum gpgpusim_part, unsigned id, int64_t value);
void making_begin_part(struct making *, const char *key);
void making_plain_options(struct making *, enum gpgpusim_part);

/* Core, interconnect, L2, DRAM, in kHz. */
void making_clocks(struct making *, int64_t khz_of[4]);
/* A line with such a clock, between these texts. */
void making_clock(struct making *, const char *before, int64_t khz_of, const char *after);

/* ---- the memory of the machine: memory.c ---- */
void making_instruction_cache(struct making *);
void making_first_level(struct making *);
void making_second_level(struct making *);
void making_device_memory(struct making *);

/* ---- how long instructions take: latencies.c ---- */
void making_units(struct making *);
/* `traces`: there are latencies of trace mode. */
void making_timings(struct making *, const char *what, const struct gpgpusim_class *, size_t count, bool traces);

#endif
