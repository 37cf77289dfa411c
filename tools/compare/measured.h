/* What Nsight Compute measured, from what it prints: ncu --csv (a row for each metric), ncu --csv --page raw (a row for
 * each launch), and ncu --page raw or details without --csv. Lines of the program and of ncu itself (==PROF==) may
 * stand between them. The formats are those of the Nsight Compute CLI's user manual, "Output Pages" and "Metrics and
 * Units", releases 2019 to 2025. */
#ifndef REPRISE_TOOLS_COMPARE_MEASURED_H
#define REPRISE_TOOLS_COMPARE_MEASURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/compare/quantities.h"
#include "tracefmt/error.h"

struct measured_launch {
    const char *kernel; /* as ncu writes it: a function's name, with or without parameters, or a mangled name */
    const char *id, *process, *host; /* as a table has them, "" where it has not; NULL in the text of ncu */
    uint32_t grid[3], block[3];
    bool has_grid, has_block;           /* they are known; releases before 2022.1 do not print them */
    size_t line;                        /* of the file, where the launch begins */
    int device;                         /* its number, -1: not known */
    unsigned capability;                /* of the device, 70 for 7.0; 0: not known */
    const char *metric[QUANTITY_COUNT]; /* that gave the value: of several the first one of quantities.def */
    unsigned rank[QUANTITY_COUNT];      /* its place there */
    bool has[QUANTITY_COUNT];
    double value[QUANTITY_COUNT]; /* in the quantity's unit */
};

struct measured {
    const char *path; /* as it was given */
    struct measured_launch *launches;
    size_t count;
    size_t others;                   /* values of metrics that are no quantity of quantities.def */
    size_t passed_over, passed_line; /* launches in ncu's text beside a table of CSV, and the line of the first */
    struct {
        size_t count, line; /* how many, and the first one's line, metric and value */
        const char *metric;
        double value;
    } above;    /* shares of more than 100 % */
    char *text; /* the file; names point into it */
};

/* Reads the file ("-": standard input). False: err names the file and the line; nothing need be freed. RP_BAD_INPUT: no
 * output of ncu, no launch, nothing of them that is compared, a value or a unit that cannot be read or does not fit the
 * metric, two values of one metric, a table that is cut off, a launch that a table has twice. */
bool measured_read(const char *path, struct measured *, struct rp_error *);
/* Whether two launches have the same values of all quantities. */
bool measured_same_values(const struct measured_launch *, const struct measured_launch *);
void measured_free(struct measured *);

#endif
