/* The row of Maxwell's and Pascal's machine code: frontend/isa/isa.h. */
#include "frontend/isa/isa.h"

#include <inttypes.h>
#include <stdio.h>

#include "frontend/core/program.h"
#include "frontend/isa/sass5x/disasm.h"
#include "frontend/module/cubin.h"

static bool covers(unsigned sm) { return sass_arch(sm); }

static bool recognises(const void *bytes, size_t size) { return covers(cubin_sm(bytes, size)); }

static uint64_t word_at(const uint8_t *code, uint32_t at)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | code[at + (uint32_t)i];
    return v;
}

static uint32_t disassemble(const struct machine_code *c, isa_line_fn use, void *data, struct rp_error *err)
{
    uint64_t control = 0;
    uint32_t unknown = 0;
    struct rp_error later;
    for (uint32_t at = 0; at + SASS_WORD_BYTES <= c->size; at += SASS_WORD_BYTES) {
        char text[SASS_TEXT_SIZE];
        uint64_t word = word_at(c->bytes, at);
        unsigned slot = at / SASS_WORD_BYTES % 4;
        if (!slot)
            control = word;
        else if (!sass_print(word, sass_control(control, slot - 1), at, sass_arch(c->sm), text,
                             unknown ? &later : err)) {
            snprintf(text, sizeof text, ".word 0x%016" PRIx64, word);
            unknown++;
        }
        use(data, at, slot ? text : NULL, word);
    }
    return unknown;
}

const struct isa isa_sass5x = {
    .name = "machine code of Maxwell and Pascal",
    .oldest_sm = 50,
    .newest_sm = 62,
    .covers = covers,
    .recognises = recognises,
    .load = cubin_module,
    .disassemble = disassemble,
    .granule = SASS_BUNDLE_BYTES,
};
