/* Places in the source: chains of inlined calls. */
#ifndef REPRISE_TOOLS_HOTSPOTS_SOURCE_H
#define REPRISE_TOOLS_HOTSPOTS_SOURCE_H

#include <stdio.h>

#include "tools/lib/json.h"
#include "tracefmt/trace.h"

/* "gemm.cu:41, in dot() at gemm.cu:60": from the innermost place outwards; functions as `function` prints them. */
void print_source_chain(const struct rp_kernel *, const struct rp_instruction *, void (*function)(const char *, FILE *),
                        FILE *to);
/* The same without the innermost place: ", in dot() at gemm.cu:60". `file` prints the files. */
void print_source_calls(const struct rp_kernel *, const struct rp_instruction *, void (*function)(const char *, FILE *),
                        const char *(*file)(const char *), FILE *to);
/* Whether two instructions, also of two kernels, have the same chain of calls. */
bool source_calls_equal(const struct rp_kernel *, const struct rp_instruction *, const struct rp_kernel *,
                        const struct rp_instruction *);
/* A list of places from the innermost outwards. All but the last have "function", the function whose body they are in;
 * the next place is where it is called. */
json_t *source_chain_json(const struct rp_kernel *, const struct rp_instruction *);
/* The function whose body the instruction is in: that of the innermost inlined call, or the kernel's name. */
const char *source_function(const struct rp_kernel *, const struct rp_instruction *);

#endif
