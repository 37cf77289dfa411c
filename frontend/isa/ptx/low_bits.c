#include "frontend/isa/ptx/low_bits.h"

#include <string.h>

#include "frontend/isa/ptx/allocate.h"

static const struct low_bits nothing = {0, 0};

struct finding {
    struct lowering *l;
    struct low_bits *of; /* by register */
    uint8_t *defined;    /* by register: 1: a definition was seen */
    struct low_bits result;
    const struct operation *at;
    bool changed;
};

/* All bits below the lowest unknown one. */
static uint8_t below_unknown(unsigned known) { return (uint8_t)(known & ((~known & (known + 1)) - 1)); }

static unsigned trailing_zeros(struct low_bits b)
{
    unsigned n = 0;
    while (n < LOW_BITS && (b.known >> n & 1) && !(b.value >> n & 1))
        n++;
    return n;
}

static unsigned known_from_below(struct low_bits b)
{
    unsigned n = 0;
    while (n < LOW_BITS && (b.known >> n & 1))
        n++;
    return n;
}

static struct low_bits bits_of(const struct finding *f, struct operand o)
{
    if (is_register(o))
        return f->of[register_offset(o)];
    /* constants have the same value in all lanes; what the first lane has is read here */
    uint32_t line = o.at / sizeof(struct constant_line);
    uint8_t value = line < f->l->constants.lines.count ? f->l->constants.lines.at[line].bytes[0] : 0;
    return (struct low_bits){0xff, value};
}

static struct low_bits sum(struct low_bits a, struct low_bits b, int sign)
{
    return (struct low_bits){below_unknown(a.known & b.known), (uint8_t)(a.value + sign * b.value)};
}

/* The product's bits are known up to where the unknown bits of either factor begin to count. */
static struct low_bits product(struct low_bits a, struct low_bits b)
{
    unsigned x = known_from_below(a) + trailing_zeros(b), y = known_from_below(b) + trailing_zeros(a);
    unsigned n = x < y ? x : y;
    return (struct low_bits){(uint8_t)(n < LOW_BITS ? (1u << n) - 1 : 0xff), (uint8_t)(a.value * b.value)};
}

static struct low_bits shifted(struct low_bits a, struct low_bits amount)
{
    if (amount.known != 0xff)
        return (struct low_bits){(uint8_t)((1u << trailing_zeros(a)) - 1), 0};
    unsigned n = amount.value < LOW_BITS ? amount.value : LOW_BITS;
    return (struct low_bits){(uint8_t)(a.known << n | ((1u << n) - 1)), (uint8_t)(a.value << n)};
}

static struct low_bits both(struct low_bits a, struct low_bits b)
{
    uint8_t zero = (uint8_t)((a.known & ~a.value) | (b.known & ~b.value));
    return (struct low_bits){(uint8_t)((a.known & b.known) | zero), a.value & b.value};
}

static struct low_bits either(struct low_bits a, struct low_bits b)
{
    uint8_t one = (uint8_t)((a.known & a.value) | (b.known & b.value));
    return (struct low_bits){(uint8_t)((a.known & b.known) | one), a.value | b.value};
}

static struct low_bits agreeing(struct low_bits a, struct low_bits b)
{
    return (struct low_bits){(uint8_t)(a.known & b.known & ~(a.value ^ b.value)), a.value};
}

static bool is_integer(uint8_t type)
{
    return type == T_B32 || type == T_U32 || type == T_S32 || type == T_B64 || type == T_U64 || type == T_S64;
}

/* The bits of the first result d. */
static struct low_bits computed(const struct finding *f, const struct operation *u)
{
    struct low_bits a = bits_of(f, u->a), b = bits_of(f, u->b), c = bits_of(f, u->c);
    if (u->kind != UOP_LANE || !is_integer(u->type) || (u->flags & ~(UF_WIDE | UF_FIRST)) || u->lists[0].count)
        return nothing;
    switch (u->op) {
    case OP_MOV: return a;
    case OP_CVT: return is_integer(u->stype) ? a : nothing;
    case OP_ADD: return sum(a, b, 1);
    case OP_SUB: return sum(a, b, -1);
    case OP_MUL: return product(a, b);
    case OP_MAD: return sum(product(a, b), c, 1);
    case OP_SHL: return shifted(a, b);
    case OP_AND: return both(a, b);
    case OP_OR: return either(a, b);
    case OP_SELP: return agreeing(a, b);
    default: return nothing;
    }
}

static void define(void *data, struct operand *o, bool is_destination)
{
    struct finding *f = data;
    uint32_t r = register_offset(*o);
    if (!is_destination)
        return;
    struct low_bits found = o == &f->at->d ? f->result : nothing;
    struct low_bits next = f->defined[r] ? agreeing(f->of[r], found) : found;
    f->changed |= !f->defined[r] || next.known != f->of[r].known;
    f->defined[r] = 1;
    f->of[r] = next;
}

/* Begins with all bits known as of the first definition, and forgets those in which another differs, until nothing
 * changes: a register that counts up by 16 from 0 keeps four bits. */
struct low_bits *low_bits_find(struct lowering *l, uint32_t first, uint32_t count)
{
    struct finding f = {.l = l, .changed = true};
    f.of = ARENA_ARRAY(l->arena, struct low_bits, (size_t)l->element.count + 1);
    f.defined = ARENA_ARRAY(l->arena, uint8_t, (size_t)l->element.count + 1);
    while (f.changed) {
        f.changed = false;
        for (uint32_t i = 0; i < count; i++) {
            f.at = &l->operations.at[first + i];
            f.result = computed(&f, f.at);
            each_register(&l->operations.at[first + i], define, &f);
        }
    }
    return f.of;
}
