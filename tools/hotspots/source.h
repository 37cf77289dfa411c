/* Places in the source: chains of inlined calls, and the text of a line where the file can be read. */
#ifndef REPRISE_TOOLS_HOTSPOTS_SOURCE_H
#define REPRISE_TOOLS_HOTSPOTS_SOURCE_H

#include <stdio.h>

#include "tools/json.h"
#include "tracefmt/trace.h"

/* "gemm.cu:41, in dot() at gemm.cu:60": from the innermost place outwards; functions as `function` prints them. */
void print_source_chain(const struct rp_kernel *, const struct rp_instruction *, void (*function)(const char *, FILE *),
                        FILE *to);
/* What of it follows the innermost place: ", in dot() at gemm.cu:60". Files as `file` names them. */
void print_source_calls(const struct rp_kernel *, const struct rp_instruction *, void (*function)(const char *, FILE *),
                        const char *(*file)(const char *), FILE *to);
/* Whether two instructions, perhaps of two kernels, are in the same chain of calls. */
bool source_calls_equal(const struct rp_kernel *, const struct rp_instruction *, const struct rp_kernel *,
                        const struct rp_instruction *);
/* Places from the innermost outwards; each but the last is in the body of `function`, called at the next. */
json_t *source_chain_json(const struct rp_kernel *, const struct rp_instruction *);
/* The function whose body the instruction is in: that of the innermost inlined call, or the kernel's name. */
const char *source_function(const struct rp_kernel *, const struct rp_instruction *);

/* Files that were read. A name in a trace is looked up as it is, then from the trace's folder, then in that folder
 * without its own. Only regular files of at most 64 MB are read. */
struct source_files;
struct source_files *source_files_new(const char *trace_path); /* NULL: memory ran out */
void source_files_free(struct source_files *);                 /* NULL is allowed */
/* The line without blanks around it, NULL: the file cannot be read or has no such line. It lives as long as the files.
 */
const char *source_text_of(struct source_files *, const char *file, uint32_t line);

#endif
