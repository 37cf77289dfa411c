/* Instructions in groups: each by itself, those of a source line, or those of a function. */
#ifndef REPRISE_TOOLS_HOTSPOTS_PLACES_H
#define REPRISE_TOOLS_HOTSPOTS_PLACES_H

#include "replay/base/profile.h"
#include "tools/hotspots/source.h"
#include "tracefmt/source_text.h"

enum place_kind { BY_INSTRUCTION, BY_LINE, BY_FUNCTION, BY_SUBCORE };

/* "instruction", "line", "function", or, if `subcores`, "subcore"; errors are RP_USAGE. */
bool place_kind(const char *name, bool subcores, enum place_kind *, struct rp_error *);

const char *place_kind_name(enum place_kind);
/* The same as the title of a column. */
const char *place_title(enum place_kind);

/* A group, by its first instruction. A line that is in several kernels is one group; so is a function that is inlined
 * several times in a kernel, or in kernels of one name. Instructions without a line are a group of their kernel. */
struct place {
    const struct rp_kernel *kernel; /* NULL: what belongs to no instruction, or a sub-core */
    const struct rp_instruction *instruction;
    bool several_calls; /* its instructions are in more than one chain of inlined calls */
};

struct places {
    enum place_kind kind;
    size_t count; /* the last one is what belongs to no instruction; by sub-core: the sub-cores */
    struct place *list;
    uint32_t kernel_count;
    uint32_t **of;      /* [kernel][instruction]: its group */
    bool other_kernels; /* there are several, so that names are needed */
};

/* `subcores`: how many, for BY_SUBCORE. NULL: memory ran out. */
struct places *places_new(const struct rp_trace *, enum place_kind, uint32_t subcores, struct rp_error *);
void places_free(struct places *); /* NULL is allowed */

/* Rows of all groups from a profile of the trace; NULL: memory ran out. The caller frees it. */
struct profile_row *places_sum(const struct places *, const struct profile *, struct rp_error *);

/* ---- how they are shown ------------------------------------------------------------------------------------------ */

/* "matmul.cu:7", "dot in gemm", "0x0128 ld.global.f32 %f1, [%rd1]", "SM 3, sub-core 1": at least one character; cut at
 * the end if it is too long. `subcores`: of an SM. */
#define PLACE_TEXT 512
const char *place_name(const struct places *, size_t number, int64_t subcores, char out[PLACE_TEXT]);
/* The text of its source line; before it file and line, where the name does not have them, and the calls inlined there:
 * "dot.cuh:7, in dot at k.cu:20  sum += x * y;". "" where nothing is known. */
const char *place_source(const struct places *, size_t number, struct source_files *, char out[PLACE_TEXT]);
/* {"kernel", "index", "pc", "text", "source", ...}: what fits its kind. */
json_t *place_json(const struct places *, size_t number, int64_t subcores, struct source_files *);
/* Whether any instruction of the trace has a line. */
bool places_have_lines(const struct rp_trace *);

#endif
