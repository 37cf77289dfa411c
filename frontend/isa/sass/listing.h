/* The functions of struct isa (frontend/isa/isa.h) for machine code of any generation. Each generation has its own row
 * and family. */
#ifndef REPRISE_FRONTEND_ISA_SASS_LISTING_H
#define REPRISE_FRONTEND_ISA_SASS_LISTING_H

#include "frontend/isa/isa.h"

bool sass_covers(const struct isa *, unsigned sm);
bool sass_recognises(const struct isa *, const void *bytes, size_t size);
struct module *sass_load(const struct isa *, const char *path, const void *bytes, size_t size, uint64_t base,
                         struct rp_error *);
uint32_t sass_disassemble(const struct isa *, const struct machine_code *, isa_line_fn use, void *data,
                          struct rp_error *);
void sass_mnemonics(const struct isa *, isa_mnemonic_fn use, void *data);
uint32_t sass_next_address(const struct isa *, const struct assembly *);
bool sass_add_control(const struct isa *, struct assembly *, struct isa_word, struct rp_error *);
bool sass_add(const struct isa *, struct assembly *, const char *text, const struct isa_word *listed, bool check,
              struct rp_error *);
bool sass_finish(const struct isa *, struct assembly *, struct rp_error *);

/* All of them, for the row's initialiser. */
#define SASS_ISA_FUNCTIONS                                                                                             \
    .covers = sass_covers, .recognises = sass_recognises, .load = sass_load, .disassemble = sass_disassemble,          \
    .mnemonics = sass_mnemonics, .next_address = sass_next_address, .control = sass_add_control, .assemble = sass_add, \
    .finish = sass_finish

#endif
