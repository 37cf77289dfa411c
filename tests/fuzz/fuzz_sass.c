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

/* Code as a kernel. */
static void lower_code(unsigned sm, const uint64_t *words, unsigned count)
{
    size_t size;
    uint8_t *cubin = cubin_image(sm, words, count, false, &size);
    lower(cubin, size);
    free(cubin);
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
    lower_code(sm, words, count + 1);
    for (unsigned i = 0; i < ALONE && i < count; i++)
        lower_code(sm, (uint64_t[2]){words[i], end}, 2);
}

/* A word of a row that 16 bits choose: 128 bits, in which the row's opcode and the fields that it requires are set. */
static void make_of_row(struct isa_word *word, unsigned choice)
{
    const struct sass_row *row = &sass7x_table.rows[choice % sass7x_table.row_count];
    sass_clear(word, sass7x_table.opcode);
    sass_put(word, sass7x_table.opcode, row->value);
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REQUIRE) {
            sass_clear(word, i->f);
            sass_put(word, i->f, i->style);
        }
}

/* The same from sm_70 on. Of random words few have an opcode, so that each is of some row. */
static void lower_wide(const uint8_t *bytes, size_t size, unsigned sm)
{
    enum { ALONE = 8, TAKES = 18 };
    static const struct isa_word end = {0x000000000000794d, 0x000fea0003800000};
    uint64_t words[2 * WORDS + 2];
    unsigned count = 0;
    for (size_t at = 0; at + TAKES <= size && count < WORDS; at += TAKES, count++) {
        struct isa_word word = sass_word_at(&sass7x_table, bytes + at + 2);
        make_of_row(&word, bytes[at] | (unsigned)bytes[at + 1] << 8);
        words[2 * count] = word.lo;
        words[2 * count + 1] = word.hi;
    }
    words[2 * count] = end.lo;
    words[2 * count + 1] = end.hi;
    lower_code(sm, words, 2 * count + 2);
    for (unsigned i = 0; i < ALONE && i < count; i++)
        lower_code(sm, (uint64_t[4]){words[2 * i], words[2 * i + 1], end.lo, end.hi}, 4);
    decode_wide((const uint8_t *)words, 16 * (size_t)count, sm);
}

/* Any text, as an instruction of both tables. */
static void assemble(const uint8_t *bytes, size_t size, unsigned sm)
{
    char text[512] = "";
    uint64_t word;
    struct isa_word wide_word;
    uint32_t control;
    struct sass_site site = {&sass7x_table, sass7x_table.arch(sm), 16};
    memcpy(text, bytes, size < sizeof text - 1 ? size : sizeof text - 1);
    sass5x_assemble(text, 8, SASS_62, &word, &control, NULL);
    sass_assemble(&site, text, &wide_word, &control, NULL);
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
        lower_wide(bytes, size, wide[size % 6]);
        assemble(bytes, size, wide[size % 6]);
    }
    return 0;
}
