/* The plan of `reprise record`: buffers, launches and outputs, from the command line or a launch file. Making a plan
 * has no effects: no device memory is allocated and no file is written. */
#ifndef REPRISE_TOOLS_RECORD_PLAN_H
#define REPRISE_TOOLS_RECORD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/host/tensor_map.h"
#include "frontend/host/texture.h"
#include "frontend/operation/tensor_sums.h"
#include "tools/findings/options.h"
#include "tools/record/elements.h"
#include "tracefmt/error.h"

#define PLAN_ARGUMENTS 64

/* The content of a buffer before the first launch. Random numbers are those of splitmix64 (Steele, Lea, Flood: "Fast
 * Splittable Pseudorandom Number Generators", 2014), starting with the given seed: floats are uniform in [-1, 1), from
 * the upper 24 or 53 bits of each number; 32-bit integers are its upper half. */
enum content {
    CONTENT_ZEROS,
    CONTENT_UNSET,
    CONTENT_FILE,
    CONTENT_RAND_F32,
    CONTENT_RAND_F64,
    CONTENT_RAND_I32,
    CONTENT_IOTA_I32
};
struct plan_buffer {
    char *name; /* from the launch file; or "arg0", or "arg0.2" for a field of a structure */
    enum content content;
    char *path; /* CONTENT_FILE */
    uint64_t count, seed;
    uint64_t bytes;       /* of a file: set when it is read */
    enum element element; /* type of the elements; unknown for zeros and plain files */
    char *shape;          /* of a .npy file; else NULL */
    char *described;      /* normalised, for the trace's provenance; of a file: set when it is read */
    uint64_t address;
};

enum argument_kind {
    ARG_I32,
    ARG_U32,
    ARG_I64,
    ARG_U64,
    ARG_F32,
    ARG_F64,
    ARG_BYTES,
    ARG_BUFFER,
    ARG_STRUCT,
    ARG_TEXTURE,
    ARG_SURFACE,
    ARG_TENSOR
};
struct plan_argument {
    enum argument_kind kind;
    uint64_t bits; /* the value, in the low bytes */
    char *hex;     /* ARG_BYTES: two digits a byte, in the order of memory */
    size_t buffer; /* ARG_BUFFER: index in plan.buffers; TEXTURE, SURFACE: in plan.images; TENSOR: in tensors */
    struct plan_field *fields; /* ARG_STRUCT: by offset, without overlap */
    uint32_t field_count;
    uint32_t bytes, align; /* as in C: the size of a structure is a multiple of its widest alignment */
};
struct plan_field {
    struct plan_argument value; /* is no structure */
    uint32_t offset;
};

struct plan_launch {
    char *kernel;                                           /* NULL: the module's only one */
    uint32_t grid[3], block[3], cluster[3], shared, stream; /* cluster: 0: not given */
    size_t *after; /* launches of other streams that end before this one begins */
    size_t after_count;
    bool awaited; /* a later launch has it in `after` */
    struct plan_argument args[PLAN_ARGUMENTS];
    uint32_t arg_count;
    int kernel_line, args_line; /* in the launch file; those of the launch if the keys are absent */
};

/* Outputs after the run (outputs.h). Types that were not given are found when buffers are filled. */
enum save_form { SAVE_BYTES, SAVE_NPY, SAVE_TEXT /* one element per line */ };
struct plan_save {
    size_t buffer;
    char *path;
    enum save_form form;
    enum element element;
};
struct plan_print {
    size_t buffer;
    enum element element; /* may be unknown until the run begins */
    uint64_t count;       /* elements, from the first on */
};
/* An element is as expected if it is within at least one of the three tolerances of the reference. */
struct plan_expect {
    size_t buffer;
    char *path;
    enum element element;
    uint64_t ulp;              /* units in the last place (element_steps) */
    double absolute, relative; /* of the difference; of the difference divided by the magnitude of the reference */
    char *within;              /* the tolerances as they were given, "ulp=4"; "": none */
    void *reference;           /* elements, read before the run */
};

/* The elements of a buffer as a texture and a surface. The buffer has the image's content before the first launch, and
 * again after the last one. */
struct plan_image {
    char *name, *reference; /* reference: a texture or surface reference of the module; NULL: none */
    size_t buffer;
    struct rp_array_config array;
    struct rp_sampler sampler;
    bool linear; /* the buffer itself is the texture: one dimension, integer coordinates */
    int line;    /* of the launch file */
    /* set by image_make() */
    struct rp_array *made;
    uint64_t texture, surface; /* surface 0: linear */
};

/* A buffer as a tensor from which kernels copy boxes. Dimension 0 is the innermost one. */
struct plan_tensor {
    char *name;
    size_t buffer;
    unsigned element, rank, swizzle, fill; /* as in rp_tensor_map_config */
    uint64_t size[TENSOR_RANKS], stride[TENSOR_RANKS - 1];
    bool strided; /* stride was given */
    uint32_t box[TENSOR_RANKS], step[TENSOR_RANKS];
    int line;              /* of the launch file */
    struct tensor_map map; /* set by tensor_make() */
};

struct plan {
    char *module, *output; /* output NULL: run only */
    char *kernel_output;   /* file for what kernels print; NULL: standard output, or with `json` standard error */
    char *target;          /* for the module's PTX; NULL: the one that it names */
    int target_line;       /* of the launch file; 0: from the command line */
    char *assemble;        /* the architecture whose machine code is run; NULL: the module as it is */
    int assemble_line;     /* as target_line */
    bool schedule;         /* PTX runs in the order of an optimising assembler */
    int schedule_line;     /* as target_line */
    char *launch_file;     /* NULL: there is none */
    char *clang_flags;     /* for CUDA source; NULL: none */
    struct plan_buffer *buffers;
    size_t buffer_count;
    struct plan_image *images;
    size_t image_count;
    struct plan_tensor *tensors;
    size_t tensor_count;
    struct plan_launch *launches;
    size_t launch_count;
    struct plan_save *saves;
    size_t save_count;
    struct plan_print *prints;
    size_t print_count;
    struct plan_expect *expects;
    size_t expect_count;
    unsigned threads;
    uint64_t limit;
    uint32_t stack, shared_limit;
    enum tensor_sums sums;
    const char *sums_name;  /* NULL: exact */
    unsigned checks;        /* enum rp_check_kind, or-ed */
    const char *check_list; /* as given with --check; NULL: by a launch file, or not at all */
    struct finding_options findings;
    bool json, quiet;
};

void plan_free(struct plan *);
void plan_free_launch(struct plan_launch *); /* frees its members, not the struct */
void plan_free_argument(struct plan_argument *);
/* Append an element and return it; if memory runs out they end the program. */
struct plan_buffer *plan_add_buffer(struct plan *, const char *name);
struct plan_launch *plan_add_launch(struct plan *);
char *plan_copy(const char *text);
/* Makes room for one more element at the end of a list. */
void *plan_grow(void **list, size_t *count, size_t size);
/* Parse what --save, --print and --expect have after the number of a buffer: "C.npy:f32", "f32:16", "ref.npy:ulp=4".
 * Errors are RP_USAGE (outputs.c). */
bool plan_add_save(struct plan *, size_t buffer, const char *text, struct rp_error *);
bool plan_add_print(struct plan *, size_t buffer, const char *text, struct rp_error *);
bool plan_add_expect(struct plan *, size_t buffer, const char *text, struct rp_error *);

/* ---- reading values; errors are RP_USAGE and name `what` --------------------------------------------------------- */

/* Parses "x[,y[,z]]", or "64x2" as tables print it. Missing extents are 1. */
bool read_extent(const char *text, const char *what, uint32_t extent[3], struct rp_error *);
/* Resolves "buf=TEXT": sets *buffer to an index in plan.buffers. field: its number in a structure; -1: not in one. */
typedef bool (*buffer_fn)(void *data, const char *text, int field, size_t *buffer, struct rp_error *);
/* "i32=-4", "bytes=0a000000", "buf=...", or a structure of such fields, "struct=buf=...,i32=4,at=16,f64=1"
 * (structure.c). Free the argument in any case. */
bool read_argument(const char *text, struct plan_argument *, buffer_fn, void *data, struct rp_error *);
bool read_struct(const char *text, struct plan_argument *, buffer_fn, void *data, struct rp_error *);
/* "zeros:BYTES", "file:PATH", "rand-f32:COUNT:seed=N", "iota-i32:COUNT". Relative paths are taken from `folder`. */
bool read_content(const char *text, const char *folder, struct plan_buffer *, struct rp_error *);

/* Reads a launch file (docs/launch-file.md) into the plan. Errors are RP_BAD_INPUT with file and line. */
bool plan_read_file(struct plan *, const char *path, struct rp_error *);

/* RP_USAGE if the trace, the kernels' output or a saved buffer would overwrite the module, the launch file (NULL: none)
 * or one another. */
bool plan_check_paths(const struct plan *, const char *launch_file, struct rp_error *);

/* Runs the plan, prints its summary, and prints errors. Returns the exit status. */
int plan_run(struct plan *);

#endif
