/* The formats of Nsight Compute, and what their readers share. */
#ifndef REPRISE_TOOLS_COMPARE_NCU_H
#define REPRISE_TOOLS_COMPARE_NCU_H

#include "tools/compare/measured.h"

/* Stands before a value that could not be collected, "(!) n/a". */
#define NCU_MARK "(!)"

/* Adds a launch. NULL: out of memory. */
struct measured_launch *ncu_add_launch(struct measured *, const char *kernel, size_t line);
/* "7.0" is 70; 0: the text is no compute capability. */
unsigned ncu_capability(const char *text);
/* "(256, 1, 1)" that is all of the text, with extents from 1 to 2^32 - 1. */
bool ncu_shape(const char *text, uint32_t out[3]);

struct ncu_value {
    const char *metric, *unit, *value;
    size_t line;
};
/* Puts a value into the last launch, if it is one of quantities.def. RP_BAD_INPUT: it cannot be read. */
bool ncu_add_value(struct measured *, const struct ncu_value *, struct rp_error *);

/* Where in a line of ncu's text that begins a launch its context stands; NULL: it begins none. */
char *ncu_launch_context(char *text);
/* Whether some line is the heading of a table of ncu --csv. */
bool ncu_is_csv(const char *text);
/* Read the text, which they change: names stay in it. */
bool ncu_read_csv(struct measured *, char *text, struct rp_error *);
/* False: a launch of a table stands there twice. */
bool ncu_check_repeated(const struct measured *, struct rp_error *);
bool ncu_read_text(struct measured *, char *text, struct rp_error *);

#endif
