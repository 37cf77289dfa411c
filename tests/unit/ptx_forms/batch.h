/* Kernels of many forms in one module: added as text, loaded together, run one by one. */
#ifndef REPRISE_TESTS_PTX_FORMS_BATCH_H
#define REPRISE_TESTS_PTX_FORMS_BATCH_H

#include <stdint.h>

#include "frontend/host/launch.h"
#include "tests/support/form_walk.h"

enum { BATCH_LANES = 32 };
#define BATCH_HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

struct batch;
/* Prints the text of kernel k<number>, which runs the form. */
typedef size_t batch_print_fn(char *to, size_t size, const struct spelled *, unsigned number);
/* Runs the form's kernel and compares. */
typedef void batch_compare_fn(struct batch *, struct program *, const struct spelled *);

/* Forms that are compared with one model. */
struct batch_of {
    const char *what;
    const char *head; /* version, target, and what all kernels share; NULL: BATCH_HEAD */
    unsigned threads; /* of a block; 0: BATCH_LANES */
    bool (*chosen)(const struct ptx_form *);
    void (*add)(const struct spelled *, void *batch); /* calls batch_add, for each variant; NULL: once */
    batch_print_fn *print;
    batch_compare_fn *compare;
    bool (*refused)(const struct spelled *); /* NULL: modifiers that do not go together may be */
    unsigned at_least;                       /* forms */
};
/* Compares each form of the rows that are chosen; a row that has none which runs fails, too. */
void batch_every_form(const struct batch_of *);

void batch_add(const struct spelled *, void *batch);
/* Launches blocks with these parameters; a failure is one of the test. */
bool batch_launch(struct batch *, struct program *, const struct spelled *, unsigned blocks, const void *params);
/* The same, but the failure is the caller's. */
bool batch_try(struct batch *, struct program *, unsigned blocks, const void *params, struct rp_launch_result *,
               struct rp_error *);
/* Memory of the batch's device, until the batch has run. */
void *batch_memory(struct batch *, size_t bytes, uint64_t *address);
uint64_t batch_random(struct batch *);
/* Fills memory with numbers of so many bytes, corner values among them. */
void batch_numbers(struct batch *, uint8_t *to, size_t bytes, unsigned width);

/* Operands in a plain form: addresses are [%d1], in shared memory [%r1], tensor maps [%d1, {%r0, ...}], the rest %p1,
 * %d3 or register 2 of its class, vectors from 0 on. */
/* The letter of the registers of a type: p, h, r, d, q by their bits. */
const char *batch_register_class(enum ptx_type);
size_t batch_operands(char *to, size_t size, const struct spelled *);

#endif
