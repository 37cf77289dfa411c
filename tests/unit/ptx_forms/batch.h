/* Kernels of many forms in one module: added as text, loaded together, run one by one. */
#ifndef REPRISE_TESTS_PTX_FORMS_BATCH_H
#define REPRISE_TESTS_PTX_FORMS_BATCH_H

#include <stdint.h>

#include "frontend/host/launch.h"
#include "tests/support/form_walk.h"

enum { BATCH_KERNELS = 200, BATCH_TEXT = 2 << 20, BATCH_LANES = 32 };

struct batch {
    struct spelled forms[BATCH_KERNELS]; /* of each kernel */
    unsigned count;
    const char *head; /* version, target, and what all kernels share */
    char *text;
    size_t length;
    unsigned threads;          /* of a block; 0: BATCH_LANES */
    unsigned checked, refused; /* forms, in all batches */
    uint64_t random;
    struct rp_device *device;
};

/* Prints the text of kernel k<number>, which runs the form. */
typedef size_t batch_print_fn(char *to, size_t size, const struct spelled *, unsigned number);
/* Runs the form's kernel and compares. */
typedef void batch_compare_fn(struct batch *, struct program *, const struct spelled *);

struct batch *batch_new(const char *head, uint64_t seed);
/* Runs all that is left, and frees. */
void batch_free(struct batch *, batch_compare_fn *);
/* Adds a form; runs all when there is no room for more. */
void batch_add(struct batch *, const struct spelled *, batch_print_fn *, batch_compare_fn *);
void batch_run(struct batch *, batch_compare_fn *);
/* Launches blocks with these parameters; a failure is one of the test. */
bool batch_launch(struct batch *, struct program *, const struct spelled *, unsigned blocks, const void *params);
/* The same, but the failure is the caller's. */
bool batch_try(struct batch *, struct program *, unsigned blocks, const void *params, struct rp_launch_result *,
               struct rp_error *);
/* Memory of the batch's device, until the batch has run. */
void *batch_memory(struct batch *, size_t bytes, uint64_t *address);
uint64_t batch_random(struct batch *);

/* Calls visit with each form (or, with `each` false, some: walk.h) of every row that `chosen` takes. */
void walk_rows(bool (*chosen)(const struct ptx_form *), bool each, void (*visit)(const struct spelled *, void *),
               void *data);

/* Operands in a plain form: addresses are [%d1], in shared memory [%r1], tensor maps [%d1, {%r0, ...}], the rest %p1,
 * %d3 or register 2 of its class, vectors from 0 on. */
/* The letter of the registers of a type: p, h, r, d, q by their bits. */
const char *batch_register_class(enum ptx_type);
size_t batch_operands(char *to, size_t size, const struct spelled *);

#endif
