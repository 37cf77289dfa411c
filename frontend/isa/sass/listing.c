/* Prints code as a listing, and reads a listing back: the functions of struct isa for machine code. */
#include "frontend/isa/sass/listing.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/sass/lower.h"
#include "frontend/module/cubin.h"

/* The control bits of an instruction whose text has none: stall for 15 cycles, set no barrier, wait for none. */
#define CONTROL_DEFAULT 0x7efu
#define REUSE_MASK (15u << 17)
enum { CONTROL_BITS = 21 };

static const struct sass_table *table_of(const struct isa *isa) { return isa->family->table; }

bool sass_covers(const struct isa *isa, unsigned sm) { return table_of(isa)->arch(sm); }

bool sass_recognises(const struct isa *isa, const void *bytes, size_t size)
{
    return sass_covers(isa, cubin_sm(bytes, size));
}

uint32_t sass_disassemble(const struct isa *isa, const struct machine_code *c, isa_line_fn use, void *data,
                          struct rp_error *err)
{
    const struct sass_table *t = table_of(isa);
    struct sass_site site = {t, t->arch(c->sm), 0};
    uint32_t unknown = 0;
    struct rp_error later;
    for (uint32_t at = 0; at + t->word_bytes <= c->size; at += t->word_bytes) {
        char text[SASS_TEXT_SIZE], hex[ISA_WORD_TEXT];
        struct isa_word word = sass_word_at(t, c->bytes + at);
        bool is_control = sass_is_control(t, at);
        site.address = at;
        if (!is_control && !sass_print(&site, word, sass_control_at(t, c->bytes, at), text, unknown ? &later : err)) {
            snprintf(text, sizeof text, ".word %s", isa_word_print(hex, word, t->word_bytes));
            unknown++;
        }
        use(data, at, is_control ? NULL : text, word);
    }
    return unknown;
}

void sass_mnemonics(const struct isa *isa, isa_mnemonic_fn use, void *data)
{
    const struct sass_table *t = table_of(isa);
    for (unsigned i = 0; i < t->row_count; i++)
        use(data, t->rows[i].name, t->rows[i].unit_class);
}

/* ---- the reverse --------------------------------------------------------------------------------------------------
 */

static bool append(struct assembly *a, const struct sass_table *t, struct isa_word word, struct rp_error *err)
{
    if (a->size + t->word_bytes > a->room) {
        uint32_t room = a->room ? 2 * a->room : 4096;
        uint8_t *grown = room <= 1u << 30 ? realloc(a->bytes, room) : NULL;
        if (!grown)
            return rp_fail(err, RP_SYSTEM, "out of memory");
        a->bytes = grown;
        a->room = room;
    }
    for (unsigned i = 0; i < t->word_bytes; i++)
        a->bytes[a->size++] = (uint8_t)((i < 8 ? word.lo : word.hi) >> 8 * (i % 8));
    return true;
}

static uint64_t default_control(const struct sass_table *t)
{
    uint64_t control = 0;
    for (unsigned i = 1; i < t->bundle_words; i++)
        control |= (uint64_t)CONTROL_DEFAULT << CONTROL_BITS * (i - 1);
    return control;
}

uint32_t sass_next_address(const struct isa *isa, const struct assembly *a)
{
    return a->size + (sass_is_control(table_of(isa), a->size) ? isa->word_bytes : 0);
}

bool sass_add_control(const struct isa *isa, struct assembly *a, struct isa_word word, struct rp_error *err)
{
    const struct sass_table *t = table_of(isa);
    if (t->bundle_words == 1)
        return rp_fail(err, RP_BAD_INPUT, "there are no control words: each instruction has its own control bits");
    if (!sass_is_control(t, a->size))
        return rp_fail(err, RP_BAD_INPUT, "a control word belongs before every %u instructions", t->bundle_words - 1);
    a->control = word.lo;
    a->has_control = true;
    return true;
}

static bool begin_bundle(const struct sass_table *t, struct assembly *a, struct rp_error *err)
{
    struct isa_word control = {a->has_control ? a->control : default_control(t), 0};
    a->has_control = false;
    return append(a, t, control, err);
}

/* Adds the control bits that an instruction's text shows to the control word of its bundle. */
static void show_in_bundle(const struct sass_table *t, struct assembly *a, uint32_t shown)
{
    uint8_t *bundle = a->bytes + a->size / sass_bundle_bytes(t) * sass_bundle_bytes(t);
    unsigned slot = a->size % sass_bundle_bytes(t) / t->word_bytes - 1;
    uint64_t bits = (uint64_t)(shown & REUSE_MASK) << CONTROL_BITS * slot;
    for (unsigned i = 0; i < t->word_bytes; i++)
        bundle[i] |= (uint8_t)(bits >> 8 * i);
}

/* Sets the control bits within a word: those of the listing, and the flags that the text shows. */
static void show_in_word(const struct sass_table *t, struct isa_word *word, const struct isa_word *listed,
                         uint32_t shown)
{
    uint64_t control = listed ? sass_field(*listed, t->control) & ~(uint64_t)REUSE_MASK : CONTROL_DEFAULT;
    sass_put(word, t->control, control | (shown & REUSE_MASK));
}

static bool bare_word(const struct sass_table *t, const char *text, struct isa_word *word, struct rp_error *err)
{
    const char *end = isa_word_read(text + 5 + strspn(text + 5, " \t"), t->word_bytes, word);
    return (end && !*end) ||
           rp_fail(err, RP_BAD_INPUT, "a word that is no instruction is .word and 1 to %u hexadecimal digits after 0x",
                   2 * t->word_bytes);
}

/* Whether the texts are equal, but for payloads of NaNs that only the second one has: cuobjdump prints none. */
static bool same_but_payloads(const char *ours, const char *theirs)
{
    static const char nan[] = "QNAN";
    for (const char *begin = theirs;; ours++, theirs++) {
        bool behind = theirs - begin >= (ptrdiff_t)strlen(nan) && !strncmp(theirs - strlen(nan), nan, strlen(nan));
        if (behind && *theirs == ':' && *ours != ':')
            theirs += 1 + strspn(theirs + 1, "0123456789abcdefx");
        if (*ours != *theirs)
            return false;
        if (!*ours)
            return true;
    }
}

/* Takes the listed word if it prints the same text: a text may leave bits out, such as the descriptor of a load or what
 * a NaN holds. The control bits of words in bundles are elsewhere, and their text leaves out NaNs alone. */
static void take_hidden_bits(const struct sass_site *site, struct isa_word *word, const struct isa_word *listed)
{
    const struct sass_table *t = site->table;
    char ours[SASS_TEXT_SIZE], theirs[SASS_TEXT_SIZE];
    bool apart = t->bundle_words > 1;
    uint32_t control[2] = {apart ? 0 : (uint32_t)sass_field(*word, t->control),
                           apart ? 0 : (uint32_t)sass_field(*listed, t->control)};
    if (sass_print(site, *word, control[0], ours, NULL) && sass_print(site, *listed, control[1], theirs, NULL) &&
        (!apart || strcmp(ours, theirs) != 0) && same_but_payloads(ours, theirs))
        *word = *listed;
}

static bool encode(const struct sass_table *t, struct assembly *a, const char *text, const struct isa_word *listed,
                   struct isa_word *word, struct rp_error *err)
{
    struct sass_site site = {t, t->arch(a->sm), a->size};
    uint32_t shown;
    a->stopped = 0;
    if (isa_word_is_bare(text))
        return bare_word(t, text, word, err);
    if (!sass_assemble_from(&site, text, word, &shown, &a->stopped, err))
        return false;
    if (t->bundle_words > 1)
        show_in_bundle(t, a, shown);
    else
        show_in_word(t, word, listed, shown);
    if (listed)
        take_hidden_bits(&site, word, listed);
    return true;
}

bool sass_add(const struct isa *isa, struct assembly *a, const char *text, const struct isa_word *listed, bool check,
              struct rp_error *err)
{
    const struct sass_table *t = table_of(isa);
    struct isa_word word = {0, 0};
    char ours[ISA_WORD_TEXT], theirs[ISA_WORD_TEXT];
    if (sass_is_control(t, a->size) && !begin_bundle(t, a, err))
        return false;
    if (!encode(t, a, text, listed, &word, err))
        return false;
    if (check && !listed)
        return rp_fail(err, RP_BAD_INPUT, "no comment with the instruction's word to compare with");
    if (check && (word.lo != listed->lo || word.hi != listed->hi))
        return rp_fail(err, RP_BAD_INPUT, "'%s' is %s, the comment says %s", text,
                       isa_word_print(ours, word, t->word_bytes), isa_word_print(theirs, *listed, t->word_bytes));
    return append(a, t, word, err);
}

bool sass_finish(const struct isa *isa, struct assembly *a, struct rp_error *err)
{
    const struct sass_table *t = table_of(isa);
    while (a->size % sass_bundle_bytes(t))
        if (!append(a, t, t->nop, err))
            return false;
    return true;
}
