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
    for (uint32_t i = 0; bytes && i < in->raw_size; i++)
        snprintf(word + 3 * i, 4, "%02x%s", raw[i], i + 1 < in->raw_size ? " " : "");
    if (bytes)
        return;
    if (halves && in->raw_size == 4)
        snprintf(word, WORD, "%02x%02x %02x%02x", raw[1], raw[0], raw[3], raw[2]);
    for (uint32_t i = 0; !(halves && in->raw_size == 4) && i < in->raw_size; i++)
        snprintf(word + 2 * i, 3, "%02x", raw[in->raw_size - 1 - i]);
}

/* Returns the length of the instruction, or of what is none. */
static uint32_t guest_print_instruction(const struct guest_program *p, uint32_t address)
{
    const uint32_t uop = guest_uop_at(p, address), short_uop = guest_uop_at(p, address | 1);
    const struct guest_isa *isa = p->guest->isa;
    const bool is_short = uop == UOP_NOWHERE;
    if (is_short && (short_uop == UOP_NOWHERE || !isa->interworks))
        return isa->alignment;
    const struct rp_instruction *in = &p->instructions[p->uops[is_short ? short_uop : uop].index];
    char word[WORD] = "";
    if (!in->raw_size)
        return isa->alignment;
    guest_print_word(in, isa->alignment == 1, is_short, word);
    printf("%8" PRIx32 ":\t%-8s          \t%s\n", address, word, in->text);
    return in->raw_size;
}

static bool guest_print_range(const struct guest *g, const struct guest_program *p, const char *function,
                              struct rp_error *err)
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
        at += guest_print_instruction(p, at);
    }
    return true;
}

bool guest_print_code(const char *path, const uint8_t *bytes, size_t size, const char *function, struct rp_error *err)
{
    struct guest *g = guest_open(path, bytes, size, err);
    struct guest_program *p = g ? guest_translate(g, err) : NULL;
    bool ok = p && guest_print_range(g, p, function, err);
    guest_program_free(p);
    guest_free(g);
    return ok;
}
