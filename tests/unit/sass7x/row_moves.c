/* Models of moves, special registers, and predicates as bits. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sass7x/row_model.h"

static void mov(struct row_thread *t, const struct row_text *x)
{
    row_set(t, x->operand[0], row_word(t, x->operand[1]));
}

/* One lane of a warp, which is all there is where a model of R2UR is asked: nothing differs from the value. */
static void r2ur(struct row_thread *t, const struct row_text *x)
{
    unsigned p = row_is_predicate(x->operand[0]);
    row_set(t, x->operand[p], row_word(t, x->operand[p + 1]));
    if (p)
        row_set_predicate(t, x->operand[0], false);
}

/* Which byte: .B1, .B2 or .B3 stands in the modifiers or behind a register. */
static unsigned byte_named(const char *text)
{
    const char *at = strstr(text, ".B");
    return at ? (unsigned)(at[2] - '0') : 0;
}

static void p2r(struct row_thread *t, const struct row_text *x)
{
    unsigned shift = 8 * byte_named(x->modifiers);
    uint32_t a = row_word(t, x->operand[2]), mask = (row_word(t, x->operand[3]) & 0x7f) << shift;
    uint32_t p = (uint32_t)(x->operand[1][0] == 'U' ? t->up : t->p) << shift;
    row_set(t, x->operand[0], (a & ~mask) | (p & mask));
}

/* The byte of the mask is all ones where it does not show. */
static void r2p(struct row_thread *t, const struct row_text *x)
{
    uint8_t *p = x->operand[0][0] == 'U' ? &t->up : &t->p;
    uint32_t mask = (x->count > 2 ? row_word(t, x->operand[2]) : 0xff) & 0x7f;
    uint32_t bits = row_word(t, x->operand[1]) >> 8 * byte_named(x->operand[1]);
    *p = (uint8_t)((*p & ~mask) | (bits & mask));
}

static bool special(const struct row_thread *t, const char *name, uint32_t *v)
{
    uint32_t lane = t->tid % 32, below = (1u << lane) - 1, own = 1u << lane;
    const struct {
        const char *name;
        uint32_t value;
    } known[] = {{"SR_LANEID", lane},
                 {"SR_TID", t->tid},
                 {"SR_TID.X", t->tid},
                 {"SR_TID.Y", 0},
                 {"SR_TID.Z", 0},
                 {"SR_CTAID.X", t->ctaid},
                 {"SR_CTAID.Y", 0},
                 {"SR_CTAID.Z", 0},
                 {"SR_EQMASK", own},
                 {"SR_LTMASK", below},
                 {"SR_LEMASK", below | own},
                 {"SR_GTMASK", ~(below | own)},
                 {"SR_GEMASK", ~below},
                 {"SRZ", 0},
                 {"SR_LMEMHIOFF", 0}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) {
            *v = known[i].value;
            return true;
        }
    return false;
}
bool row_knows_special(const char *name)
{
    const struct row_thread any = {.tid = 0};
    uint32_t v;
    return special(&any, name, &v);
}
static void s2r(struct row_thread *t, const struct row_text *x)
{
    uint32_t v = 0;
    special(t, x->operand[1], &v);
    row_set(t, x->operand[0], v);
    if (!strcmp(x->name, "CS2R") && !row_has(x, "32"))
        row_set_at(t, x->operand[0], 1, 0);
}

const struct row_meaning row_moves[] = {{"MOV", mov},   {"UMOV", mov}, {"R2UR", r2ur}, {"P2R", p2r},
                                        {"UP2UR", p2r}, {"R2P", r2p},  {"UR2UP", r2p}, {"S2R", s2r},
                                        {"S2UR", s2r},  {"CS2R", s2r}, {NULL, NULL}};
