/* The text of lines of the source, where the file can be read. */
#ifndef REPRISE_TRACEFMT_SOURCE_TEXT_H
#define REPRISE_TRACEFMT_SOURCE_TEXT_H

#include "tracefmt/trace.h"

/* Files that were read. A name in a trace is looked up as it is, then from the trace's folder, then in that folder
 * without its own. Only regular files of at most 64 MB without a byte 0 are read. */
struct source_files;
struct source_files *source_files_new(const char *trace_path); /* NULL: memory ran out */
void source_files_free(struct source_files *);                 /* NULL is allowed */
/* The line without blanks around it, NULL: the file cannot be read or has no such line. It lives as long as the files.
 */
const char *source_text_of(struct source_files *, const char *file, uint32_t line);
/* A line with its text, as a report shows it below what it says. */
typedef void source_line_fn(void *user, uint32_t line, const char *text);
/* Calls it, if the line can be read. file NULL, line 0: unknown. */
void source_line_call(struct source_files *, const char *file, uint32_t line, source_line_fn *, void *user);
/* The same for the line of an instruction and, of inlined code, for that of the outermost call, the kernel's own. */
void source_lines_of(struct source_files *, const struct rp_kernel *, const struct rp_instruction *, source_line_fn *,
                     void *user);
/* "    12 | text", into a FILE. */
void source_line_print(void *to, uint32_t line, const char *text);

#endif
