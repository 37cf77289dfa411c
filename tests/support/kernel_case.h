/* The kernels of tests/kernels as data: what each needs, how it is launched and what must come out.
 *
 * tests/kernels/NAME.cu holds the kernels, tests/kernels/NAME.c their cases: a setup function that fills buffers and
 * lists launches through the session_* functions below, and a check function that computes the result on the CPU in the
 * same order of operations and compares. Tests, benchmarks and anything else run a case with kernel_run.
 *
 * In a setup or check function nothing needs to be tested for failure: the first error is kept in the session and all
 * later calls do nothing.
 */
#ifndef REPRISE_TESTS_SUPPORT_KERNEL_CASE_H
#define REPRISE_TESTS_SUPPORT_KERNEL_CASE_H

#include <stdio.h>

#include "frontend/host/launch.h"

struct kernel_session;

struct kernel_case {
    const char *name;
    const char *module;  /* BUILD/kernels/<module>.ptx */
    uint32_t size;       /* the case's own measure of size for tests: small, a few thousand warp instructions */
    uint32_t bench_size; /* for benchmarks and demonstrations */
    void (*setup)(struct kernel_session *);
    void (*check)(struct kernel_session *);
};

/* All cases, NULL-terminated; and one by name, or NULL. */
extern const struct kernel_case *const kernel_cases[];
const struct kernel_case *kernel_case_find(const char *name);

struct kernel_options {
    unsigned threads;       /* host threads, 0: one per CPU */
    uint32_t size;          /* 0: the case's size for tests */
    bool unoptimised;       /* the module compiled with -O0 */
    bool scheduled;         /* the module's PTX in the order of module_schedule */
    const char *cubin;      /* BUILD/cubin/[O0/]<module>.<this>.cubin instead of PTX */
    struct rp_check *check; /* NULL: none */
    const char *trace;      /* record to this path; NULL: run only */
    uint32_t streams; /* run all launches in each of so many streams, one after the other; 0: in the default one */
    uint32_t times;   /* and so often; 0: once */
    bool skip_check;  /* for benchmarks, where the CPU would take longer than what is measured */
    /* called after a successful check, to look at what the kernels left; it may fail the session */
    void (*inspect)(struct kernel_session *, void *data);
    void *data;
};
struct kernel_totals {
    uint64_t warp_instructions, thread_instructions;
    uint32_t launches;
    double cpu_seconds; /* processor time of the launches and of closing the trace: no loading, no check */
};

/* Loads the module, sets the case up, runs all its launches and checks the result. False: the first thing that went
 * wrong, which for a wrong result names the buffer and element with both values. totals may be NULL. */
bool kernel_run(const struct kernel_case *, const struct kernel_options *, struct kernel_totals *, struct rp_error *);

/* ---- for setup functions ----------------------------------------------------------------------------------------- */

#define SESSION_BUFFERS 16
#define SESSION_PARAM_BYTES 256

struct kernel_launch {
    const char *kernel;
    uint32_t grid[3], block[3], shared;
    uint8_t params[SESSION_PARAM_BYTES];
    uint32_t param_bytes;
};

struct kernel_buffer {
    const char *name;
    uint64_t address, bytes;
    void *before; /* what it held when the first launch began */
};

struct kernel_session {
    uint32_t size;
    struct rp_device *device;
    struct module *module;
    struct kernel_buffer buffers[SESSION_BUFFERS];
    uint32_t buffer_count;
    struct kernel_launch *launches;
    uint32_t launch_count, launch_capacity;
    void **scratch;
    uint32_t scratch_count, scratch_capacity;
    char *printed; /* all that the kernels printed */
    size_t printed_bytes;
    struct rp_error error;
    bool failed;
};

/* Keeps the first failure. */
void session_fail(struct kernel_session *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Buffers, by their index in the order of creation. Values come from a fixed generator, the same everywhere. */
int session_zeros(struct kernel_session *, const char *name, size_t bytes);
int session_data(struct kernel_session *, const char *name, const void *data, size_t bytes);
int session_f32(struct kernel_session *, const char *name, size_t count, uint64_t seed); /* uniform in [-1, 1) */
int session_f64(struct kernel_session *, const char *name, size_t count, uint64_t seed);
int session_i32(struct kernel_session *, const char *name, size_t count, uint64_t seed, int32_t low, int32_t high);
/* Zeroed host memory that lives as long as the session; never NULL (out of memory ends the program). */
void *session_scratch(struct kernel_session *, size_t bytes);

/* splitmix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014). */
uint64_t random_next(uint64_t *state);
static inline uint32_t random_below(uint64_t *state, uint32_t n) { return (uint32_t)(random_next(state) >> 32) % n; }

/* Extents left out are 1. */
struct dim {
    uint32_t at[3];
};
#define DIM(...) ((struct dim){{__VA_ARGS__}})
/* Appends a launch; the arguments that follow are its, in order, each aligned to its size. */
void session_launch(struct kernel_session *, const char *kernel, struct dim grid, struct dim block, uint32_t shared);
void arg_buffer(struct kernel_session *, int buffer);
void arg_i32(struct kernel_session *, int32_t);
void arg_f32(struct kernel_session *, float);

/* ---- for check functions ----------------------------------------------------------------------------------------- */

const void *session_before(struct kernel_session *, int buffer);
const void *session_after(struct kernel_session *, int buffer);

enum value_kind { VALUE_U8, VALUE_U16, VALUE_I32, VALUE_U32, VALUE_I64, VALUE_U64, VALUE_F32, VALUE_F64 };
/* Fails unless `count` elements of the buffer from element `first` equal those expected: bit for bit, but any NaN for a
 * NaN. */
void expect_equal(struct kernel_session *, int buffer, enum value_kind, const void *expected, size_t first,
                  size_t count);

#endif
