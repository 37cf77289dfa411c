/* The loader of cubins and fat binaries, the decoder and the lowering: whatever they accept, they must survive; what
 * the decoder prints must assemble to the same text; what is not lowered has an error of one line. */
#include <stdlib.h>
#include <string.h>

#include "frontend/core/program.h"
#include "frontend/module/cubin.h"
#include "frontend/module/fatbin.h"
#include "tests/support/cubin_image.h"
#include "tests/support/sass5x.h"

extern const struct sass_table sass7x_table; /* its header and that of sass5x use the same names */

enum { WORDS = 128 }; /* of one input: more would only be slower */

static void decode(const uint8_t *bytes, size_t size, unsigned sm)
{
    for (size_t at = 0; at + 8 <= size && at < WORDS * 8; at += 8) {
        uint64_t word, again;
        uint32_t control;
        char text[SASS_TEXT_SIZE], text_again[SASS_TEXT_SIZE];
        memcpy(&word, bytes + at, 8);
        uint32_t address = (uint32_t)at & 0xffffff;
        if (!sass5x_print(word, 0x7e0, address, sass5x_arch(sm), text, NULL))
            continue;
        if (!sass5x_assemble(text, address, sass5x_arch(sm), &again, &control, NULL) ||
            !sass5x_print(again, 0x7e0, address, sass5x_arch(sm), text_again, NULL) || strcmp(text, text_again))
            abort();
    }
}

/* Words of sm_70 to sm_90: printed and assembled, and what is assembled is a word that prints. */
static void decode_wide(const uint8_t *bytes, size_t size, unsigned sm)
{
    for (size_t at = 0; at + 16 <= size && at < WORDS * 16; at += 16) {
        struct isa_word word = sass_word_at(&sass7x_table, bytes + at), again;
        uint32_t control = (uint32_t)sass_field(word, sass7x_table.control);
        struct sass_site site = {&sass7x_table, sass7x_table.arch(sm), (uint32_t)at};
        char text[SASS_TEXT_SIZE];
        if (sass_print(&site, word, control, text, NULL) && sass_assemble(&site, text, &again, &control, NULL) &&
            !sass_print(&site, again, control, text, NULL))
            abort();
    }
}

/* Every kernel of a cubin into uops. */
static void lower(const uint8_t *bytes, size_t size)
{
    struct rp_error err;
    struct module *m = module_load_bytes("fuzz", bytes, size, 0, &err);
    for (uint32_t p = 0; m && p < m->program_count; p++)
        if (!module_find(m, m->programs[p].name, &err) && (strchr(err.text, '\n') || !err.text[0]))
            abort();
    module_free(m);
}

/* Words as a kernel: together, which the first that is refused ends, and some of them alone, as EXIT follows. */
static void lower_words(const uint8_t *bytes, size_t size)
{
    static const unsigned sms[] = {50, 52, 53, 60, 61, 62};
    enum { ALONE = 8 };
    const uint64_t end = 0xe30000000007000f;
    uint64_t words[WORDS + 1];
    unsigned count = size / 8 < WORDS ? (unsigned)(size / 8) : WORDS;
    if (!count)
        return;
    memcpy(words, bytes, 8 * count);
    words[count] = end;
    unsigned sm = sms[words[0] % 6];
    for (unsigned i = 0; i <= ALONE && i <= count; i++) {
        size_t cubin_size;
        uint64_t pair[2] = {words[i ? i - 1 : 0], end};
        uint8_t *cubin =
            i ? cubin_image(sm, pair, 2, false, &cubin_size) : cubin_image(sm, words, count + 1, false, &cubin_size);
        lower(cubin, cubin_size);
        free(cubin);
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
        (c->sm < 70 ? decode : decode_wide)(c->kernels[k].code.at, c->kernels[k].code.size, c->sm);
        cubin_line(&c->kernels[k], 8);
    }
    cubin_link(c, &addresses, &err);
    cubin_free(c);
    lower(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct rp_error err;
    if (fatbin_is(bytes, size)) {
        struct fatbin *fat = fatbin_load("fuzz", bytes, size, &err);
        for (uint32_t i = 0; fat && i < fat->count; i++)
            if (fatbin_unpack(fat, &fat->entries[i], &err))
                load(fat->entries[i].bytes, fat->entries[i].size);
        fatbin_free(fat);
    } else if (cubin_is(bytes, size)) {
        load(bytes, size);
    } else {
        static const unsigned wide[] = {70, 75, 80, 86, 89, 90};
        decode(bytes, size, 62);
        decode_wide(bytes, size, wide[size % 6]);
        lower_words(bytes, size);
        char text[512] = "";
        uint64_t word;
        uint32_t control;
        memcpy(text, bytes, size < sizeof text - 1 ? size : sizeof text - 1);
        sass5x_assemble(text, 8, SASS_62, &word, &control, NULL);
    }
    return 0;
}
