/* The loader of cubins and fat binaries, and the decoder: whatever they accept, they must survive; what the decoder
 * prints must assemble to the same text. */
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass5x/disasm.h"
#include "frontend/loader/cubin.h"
#include "frontend/loader/fatbin.h"

enum { WORDS = 128 }; /* of one input: more would only be slower */

static void decode(const uint8_t *bytes, size_t size, unsigned sm)
{
    for (size_t at = 0; at + 8 <= size && at < WORDS * 8; at += 8) {
        uint64_t word, again;
        uint32_t control;
        char text[SASS_TEXT_SIZE], text_again[SASS_TEXT_SIZE];
        memcpy(&word, bytes + at, 8);
        uint32_t address = (uint32_t)at & 0xffffff;
        if (!sass_print(word, 0x7e0, address, sass_arch(sm), text, NULL))
            continue;
        if (!sass_assemble(text, address, sass_arch(sm), &again, &control, NULL) ||
            !sass_print(again, 0x7e0, address, sass_arch(sm), text_again, NULL) || strcmp(text, text_again))
            abort();
    }
}

static void load(const uint8_t *bytes, size_t size)
{
    struct rp_error err;
    struct cubin *c = cubin_load("fuzz", bytes, size, &err);
    if (!c)
        return;
    struct cubin_addresses addresses = {.global_init = 1 << 20};
    for (uint32_t k = 0; k < c->kernel_count; k++) {
        decode(c->kernels[k].code.at, c->kernels[k].code.size, c->sm);
        cubin_line(&c->kernels[k], 8);
    }
    cubin_link(c, &addresses, &err);
    cubin_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct rp_error err;
    if (fatbin_is(bytes, size)) {
        struct fatbin *fat = fatbin_load("fuzz", bytes, size, &err);
        for (uint32_t i = 0; fat && i < fat->count; i++)
            load(fat->entries[i].bytes, fat->entries[i].size);
        fatbin_free(fat);
    } else if (cubin_is(bytes, size)) {
        load(bytes, size);
    } else {
        decode(bytes, size, 62);
        char text[512] = "";
        uint64_t word;
        uint32_t control;
        memcpy(text, bytes, size < sizeof text - 1 ? size : sizeof text - 1);
        sass_assemble(text, 8, SASS_62, &word, &control, NULL);
    }
    return 0;
}
