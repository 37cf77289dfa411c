/* What the suite's tests share. */
#ifndef REPRISE_TESTS_UNIT_PTX_SUPPORT_H
#define REPRISE_TESTS_UNIT_PTX_SUPPORT_H

#include "frontend/core/program.h"
#include "frontend/module/arena.h"
#include "tracefmt/error.h"

/* .version, .target, .address_size on one line: the body's lines are counted from 2. */
#define HEADER ".version 8.8 .target sm_100 .address_size 64\n"

/* The module of HEADER and `body`; fails the test if it does not load. */
struct module *load_body(const char *body);
/* The only kernel of load_body(); free with module_free(p_module). */
struct program *only_program(const char *body, struct module **module);
/* Calls body with an arena that is freed afterwards; running out of memory fails the test. */
void with_arena(void (*body)(struct arena *, void *), void *data);
/* Random numbers, the same ones every time: *state begins as any seed. */
uint32_t next_random(uint64_t *state, uint32_t below);

#endif
