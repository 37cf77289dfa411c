/* The kernel of a launch, and its code as the GPU takes it. */
#ifndef REPRISE_TESTS_HARDWARE_SUBJECT_H
#define REPRISE_TESTS_HARDWARE_SUBJECT_H

#include "frontend/core/program.h"

struct subject {
    const char *name;
    char *code;      /* what the GPU loads: a cubin, or PTX with a 0 behind it; subject_free frees it */
    const char *ptx; /* of the whole module; NULL: it is machine code */
    uint64_t hash;   /* of the kernel */
    uint64_t module; /* which module the GPU loads: equal ones are the same */
};

/* Keeps the bytes of a module that is loaded, for its kernels. */
void subject_keep(const struct module *, const void *bytes, size_t size);
/* False: it is nothing for a GPU of compute capability 9.0, or nobody kept its bytes. */
bool subject_find(struct subject *, const struct program *);
void subject_free(struct subject *);
/* The PTX of the kernel alone, or what comes nearest, to be freed; NULL for machine code. */
char *subject_text(const struct subject *);

#endif
