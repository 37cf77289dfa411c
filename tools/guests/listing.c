#include "tools/guests/listing.h"

#include <inttypes.h>
#include <stdio.h>

#include "frontend/guest/program.h"
#include "frontend/loader/guests.h"

/* Prints the functions that begin here. */
static void guest_print_names(const struct guest *g, uint32_t address)
{
    for (uint32_t i = 0; i < g->symbol_count; i++)
        if (g->symbols[i].function && g->symbols[i].address == address)
            printf("\n%08" PRIx32 " <%s>:\n", address, g->symbols[i].name);
}

enum { WORD = 3 * 15 + 1 }; /* the longest instruction as text */

/* A word as a number, or as two of 16 bits; what has no words as bytes. */
static void guest_print_word(const struct rp_instruction *in, bool bytes, bool halves, char word[WORD])
{
    const uint8_t *raw = in->raw;
    *word = '\0';
    for (uint32_t i = 0; bytes && i < in->raw_size; i++)
        snprintf(word + 3 * i, 4, "%02x%s", raw[i], i + 1 < in->raw_size ? " " : "");
    if (bytes)
        return;
    if (halves && in->raw_size == 4)
        snprintf(word, WORD, "%02x%02x %02x%02x", raw[1], raw[0], raw[3], raw[2]);
    for (uint32_t i = 0; !(halves && in->raw_size == 4) && i < in->raw_size; i++)
        snprintf(word + 2 * i, 3, "%02x", raw[in->raw_size - 1 - i]);
}

static void guest_print_line(uint32_t address, const char *word, const char *text)
{
    printf("%8" PRIx32 ":\t%-8s          \t%s\n", address, word, text);
}

/* Bytes that are no instruction, as directives. */
static void guest_print_bytes(uint32_t address, const uint8_t *raw, uint32_t size)
{
    while (size) {
        const uint32_t part = size >= 4 ? 4 : size >= 2 ? 2 : 1;
        const struct rp_instruction in = {.raw = raw, .raw_size = (uint8_t)part};
        char word[WORD], text[WORD + 16];
        guest_print_word(&in, false, false, word);
        snprintf(text, sizeof text, "%s 0x%s", part == 1 ? ".byte" : part == 2 ? ".short" : ".word", word);
        guest_print_line(address, word, text);
        address += part;
        raw += part;
        size -= part;
    }
}

/* The uop of what was decoded at an address, in either encoding; UOP_NOWHERE: nothing was. */
static uint32_t guest_uop_of(const struct guest_program *p, uint32_t address)
{
    const uint32_t uop = guest_uop_at(p, address);
    if (uop != UOP_NOWHERE && p->instructions[p->uops[uop].index].raw_size)
        return uop;
    return p->guest->isa->interworks ? guest_uop_at(p, address | 1) : UOP_NOWHERE;
}

/* How many bytes of `size` lie before the next mapping symbol: data that follow other data may have one of their own.
 */
static uint32_t guest_before_mark(const struct guest *g, uint32_t address, uint32_t size)
{
    for (uint32_t i = 0; i < g->mark_count; i++)
        if (g->marks[i].address > address)
            return g->marks[i].address - address < size ? g->marks[i].address - address : size;
    return size;
}

/* What is no code, between instructions: words where they are whole. Returns how many bytes these are. */
static uint32_t guest_print_data(const struct guest_program *p, uint32_t address)
{
    const struct guest *g = p->guest;
    const uint32_t step = g->isa->alignment;
    for (uint32_t i = 0; i < g->code_count; i++) {
        const struct guest_code *c = &g->code[i];
        if (address < c->low || address >= c->high)
            continue;
        const uint32_t left = guest_before_mark(g, address, c->high - address);
        const bool whole = !(address & 3) && left >= 4 && guest_uop_of(p, address + 2) == UOP_NOWHERE;
        const uint32_t size = whole ? 4 : left < step ? 1 : step;
        guest_print_bytes(address, c->bytes + (address - c->low), size);
        return size;
    }
    return step;
}

/* Returns the length of the instruction, or of what is none. */
static uint32_t guest_print_instruction(const struct guest_program *p, uint32_t address, struct guest_unknown *unknown)
{
    const uint32_t uop = guest_uop_of(p, address);
    const struct rp_instruction *in = uop == UOP_NOWHERE ? NULL : &p->instructions[p->uops[uop].index];
    char word[WORD];
    if (!in || !in->raw_size)
        return guest_print_data(p, address);
    if (guest_is_unknown(&p->uops[uop])) {
        if (!unknown->count++)
            snprintf(unknown->first, sizeof unknown->first, "0x%" PRIx32 ": %s", address, in->text);
        guest_print_bytes(address, in->raw, in->raw_size);
        return in->raw_size;
    }
    guest_print_word(in, p->guest->isa->alignment == 1, uop != guest_uop_at(p, address), word);
    guest_print_line(address, word, in->text);
    return in->raw_size;
}

static bool guest_print_range(const struct guest *g, const struct guest_program *p, const char *function,
                              struct guest_unknown *unknown, struct rp_error *err)
{
    uint32_t low = p->low, high = p->high;
    if (function) {
        const struct guest_symbol *s = guest_symbol(g, function);
        if (!s || !s->function)
            return rp_fail(err, RP_BAD_INPUT, "%s: there is no function '%s'", g->path, function);
        low = s->address;
        high = s->size ? s->address + s->size : p->high;
    }
    for (uint32_t at = low & ~(uint32_t)(g->isa->alignment - 1); at < high;) {
        guest_print_names(g, at);
        at += guest_print_instruction(p, at, unknown);
    }
    return true;
}

bool guest_print_code(const char *path, const uint8_t *bytes, size_t size, const char *function,
                      struct guest_unknown *unknown, struct rp_error *err)
{
    *unknown = (struct guest_unknown){0};
    struct guest *g = guest_open(path, bytes, size, err);
    struct guest_program *p = g ? guest_translate(g, err) : NULL;
    bool ok = p && guest_print_range(g, p, function, unknown, err);
    guest_program_free(p);
    guest_free(g);
    return ok;
}
