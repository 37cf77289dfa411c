/* The assembler walks the same rows as the disassembler. Of all rows with the mnemonic it takes the one whose items
 * read the whole text. Some fields are printed at several places of the text, and several values of a field may print
 * the same. So each place restricts the values of its fields, and a field gets the smallest value that all places
 * allow. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/sass/disasm.h"
#include "frontend/isa/sass/parser.h"

/* Writes to each restricted field the least value that is still allowed. */
static void apply(struct sass_parser *p)
{
    for (unsigned c = 0; c < p->constraint_count; c++) {
        const struct sass_constraint *k = &p->constraints[c];
        asm_set_value(p, k->f, k->g, asm_least(k->allowed));
    }
}

static bool parse_guard(struct sass_parser *p)
{
    struct sass_bits at = p->site->table->guard;
    unsigned r = 7;
    if (asm_eat(p, "@")) {
        if (asm_eat(p, "!"))
            asm_set_bit(p, at.at + at.width);
        p->guarded = true;
        p->uniform_guard = asm_read_predicate(p, true, &r);
        if (!p->uniform_guard && !asm_read_predicate(p, false, &r))
            return false;
    }
    asm_set(p, at, r);
    return true;
}

static bool suits_guard(struct sass_parser *p)
{
    struct sass_bits at = p->site->table->guard;
    if (p->row->flags & SASS_NO_GUARD) {
        sass_clear(&p->word, SASS_BITS(at.at, (uint8_t)(at.width + 1)));
        return !p->guarded;
    }
    return !p->guarded || p->uniform_guard == !!(p->row->flags & SASS_UNIFORM_GUARD);
}

/* Writes the sizes, on which the reading of the next operand depends. */
static void set_sizes(struct sass_parser *p)
{
    struct sass_bits sizes = p->site->table->sizes;
    struct sass_parser ahead = *p;
    apply(&ahead);
    if (sizes.width)
        asm_set(p, sizes, sass_field(ahead.word, sizes));
}

/* Reads the whole text as this row. False: the text does not match, or some of it is left over. */
static bool parse_row(struct sass_parser *p)
{
    asm_set(p, p->site->table->opcode, p->row->value);
    if (!suits_guard(p))
        return false;
    for (const struct sass_item *i = p->row->items; i->kind != SI_END; i++) {
        if (i->kind == SI_IMMEDIATE || i->kind == SI_REGISTER || i->kind == SI_CONSTANT)
            set_sizes(p);
        if (!asm_item(p, i))
            return false;
    }
    asm_eat(p, ";");
    asm_skip_space(p);
    apply(p);
    return !*p->at;
}

static bool same_text(const char *a, const char *b)
{
    for (;;) {
        while (isspace((unsigned char)*a) || *a == ';')
            a++;
        while (isspace((unsigned char)*b) || *b == ';')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

static bool none(const char *text, const char *name, int length, bool known, const struct sass_beyond *beyond,
                 struct rp_error *err)
{
    if (beyond->at) {
        uint64_t half = 1ull << (beyond->width - 1);
        int number = (int)strspn(beyond->at, "-xXabcdefABCDEF0123456789");
        if (beyond->is_signed)
            return rp_fail(err, RP_BAD_INPUT, "'%s': %.*s is no signed number of %u bits: -0x%" PRIx64 " to 0x%" PRIx64,
                           text, number, beyond->at, beyond->width, half, half - 1);
        return rp_fail(err, RP_BAD_INPUT, "'%s': %.*s is no number of %u bits: 0 to 0x%" PRIx64, text, number,
                       beyond->at, beyond->width, 2 * half - 1);
    }
    return rp_fail(err, RP_BAD_INPUT,
                   known ? "'%s': no form of %.*s has these modifiers and operands" : "'%s': no such instruction %.*s",
                   text, length, name);
}

bool sass_assemble_from(const struct sass_site *site, const char *text, struct isa_word *word, uint32_t *control,
                        uint32_t *stopped, struct rp_error *err)
{
    *stopped = 0;
    const struct sass_table *t = site->table;
    struct sass_beyond beyond = {NULL, 0, false};
    struct sass_parser start = {.at = text, .beyond = &beyond, .site = site};
    const char *furthest = text;
    if (!parse_guard(&start))
        return rp_fail(err, RP_BAD_INPUT, "'%s': the guard is not a predicate P0 to P6 or PT", text);
    asm_skip_space(&start);
    size_t length = strcspn(start.at, ". ;\t");
    bool known = false, found = false;
    for (unsigned r = 0; r < t->row_count; r++) {
        const struct sass_row *row = &t->rows[r];
        size_t n = strlen(row->name);
        if (!(row->archs & site->arch) || strncmp(row->name, start.at, n) || asm_is_word(start.at[n]))
            continue;
        known = true;
        struct sass_parser p = start;
        p.row = row;
        p.at += n;
        char again[SASS_TEXT_SIZE];
        bool read = parse_row(&p);
        furthest = p.at > furthest ? p.at : furthest;
        if (!read || sass_find(t, p.word, site->arch) != row || !sass_print(site, p.word, p.control, again, NULL))
            continue; /* a word that another row reads is not this row's */
        bool exact = same_text(text, again);
        if (exact || (!found && strpbrk(text, "."))) { /* the same number may be written in another way */
            *word = p.word;
            *control = p.control;
            found = true;
        }
        if (exact)
            return true;
    }
    if (found)
        return true;
    if (furthest > beyond.at)
        beyond.at = NULL; /* some row had room for the number */
    *stopped = (uint32_t)((beyond.at ? beyond.at : known ? furthest + strspn(furthest, " \t") : start.at) - text);
    return none(text, start.at, (int)length, known, &beyond, err);
}

bool sass_assemble(const struct sass_site *site, const char *text, struct isa_word *word, uint32_t *control,
                   struct rp_error *err)
{
    uint32_t stopped;
    return sass_assemble_from(site, text, word, control, &stopped, err);
}
