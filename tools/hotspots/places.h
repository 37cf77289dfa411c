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

/* A group of instructions, represented by its first one. A line that is in several kernels is one group; so is a
 * function that is inlined several times in a kernel, or in kernels of one name. Instructions without a line form a
 * group for each kernel. */
struct place {
    const struct rp_kernel *kernel; /* NULL: cycles that belong to no instruction, or a sub-core */
    const struct rp_instruction *instruction;
    bool several_calls; /* its instructions are in more than one chain of inlined calls */
};

struct places {
    enum place_kind kind;
    size_t
        count; /* the last place has the cycles that belong to no instruction; by sub-core: the number of sub-cores */
    struct place *list;
    uint32_t kernel_count;
    uint32_t **of;      /* [kernel][instruction]: its group */
    bool other_kernels; /* there are several kernels, so that places need their names */
};

/* subcores: their number, for BY_SUBCORE. NULL: err says why. */
struct places *places_new(const struct rp_trace *, enum place_kind, uint32_t subcores, struct rp_error *);
void places_free(struct places *); /* NULL is allowed */

/* Sums up a profile of the trace by place; the caller frees the rows. NULL: out of memory. */
struct profile_row *places_sum(const struct places *, const struct profile *, struct rp_error *);

/* ---- how they are shown ------------------------------------------------------------------------------------------ */

/* The name of a place: "matmul.cu:7", "dot in gemm", "0x0128 ld.global.f32 %f1, [%rd1]", "SM 3, sub-core 1". It has at
 * least one character, and is cut at the end if it is too long. subcores: those of an SM. */
#define PLACE_TEXT 512
const char *place_name(const struct places *, size_t number, int64_t subcores, char out[PLACE_TEXT]);
/* The source text of a place. Before it come file and line, unless the name has them, and the inlined calls:
 * "dot.cuh:7, in dot at k.cu:20  sum += x * y;". "" if nothing is known. */
const char *place_source(const struct places *, size_t number, struct source_files *, char out[PLACE_TEXT]);
/* {"kernel", "symbol", "index", "pc", "text", "source", ...}: the members that its kind has. */
json_t *place_json(const struct places *, size_t number, int64_t subcores, struct source_files *);
/* Whether any instruction of the trace has a line. */
bool places_have_lines(const struct rp_trace *);

#endif
