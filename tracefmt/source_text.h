/* The text of source lines, if the file can be read. */
#ifndef REPRISE_TRACEFMT_SOURCE_TEXT_H
#define REPRISE_TRACEFMT_SOURCE_TEXT_H

#include "tracefmt/trace.h"

/* A cache of files. A name from a trace is looked up as it is, then relative to the trace's folder, then by its last
 * part in that folder. Only regular files of at most 64 MB without a byte 0 are read. */
struct source_files;
struct source_files *source_files_new(const char *trace_path); /* NULL: memory ran out */
void source_files_free(struct source_files *);                 /* NULL is allowed */
/* The line without surrounding blanks. NULL: the file cannot be read or has no such line. The text lives as long as the
 * cache. */
const char *source_text_of(struct source_files *, const char *file, uint32_t line);
/* Receives a line with its text; reports print it below their message. */
typedef void source_line_fn(void *user, uint32_t line, const char *text);
/* Calls the function if the line can be read. file NULL or line 0: the location is unknown. */
void source_line_call(struct source_files *, const char *file, uint32_t line, source_line_fn *, void *user);
/* Calls it for the instruction's source line and, if the instruction belongs to inlined code, for the outermost call,
 * which lies in the kernel itself. */
void source_lines_of(struct source_files *, const struct rp_kernel *, const struct rp_instruction *, source_line_fn *,
                     void *user);
/* Prints "    12 | text" to a FILE. */
void source_line_print(void *to, uint32_t line, const char *text);

#endif
