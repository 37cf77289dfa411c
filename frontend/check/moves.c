/* Instructions that only move what they read. Structures have padding that nobody writes, and copies of structures read
 * it. An element of a load is only moved if no instruction but moves and stores reads its register; an exchange whose
 * old value is not read is a store. This holds for PTX that compilers make of a copy, where each value has a register
 * of its own; machine code reuses registers, so what it loads counts as read. */
#include <stdlib.h>

#include "frontend/check/internal.h"

enum { BY_STORE = 1, BY_OTHERS = 2 }; /* what reads a register */

static bool is_access(const struct rp_instruction *in, enum rp_access_kind kind)
{
    return in->unit_class == RP_CLASS_MEMORY && in->memory_count == 1 && in->memory->kind == kind;
}

static bool is_copy(const struct rp_instruction *in) { return in->unit_class == RP_CLASS_ASYNC && !in->dst_count; }

static bool is_value(rp_register r) { return rp_register_file(r) == RP_FILE_GENERAL && r != RP_REGISTER_ZERO; }

static size_t register_count(const struct rp_kernel *k)
{
    size_t count = 0;
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        const struct rp_instruction *in = &k->instructions[i];
        for (uint32_t r = 0; r < in->src_count + in->dst_count; r++) {
            rp_register one = r < in->src_count ? in->src[r] : in->dst[r - in->src_count];
            size_t end = is_value(one) ? rp_register_index(one) + rp_register_count(one) : 0;
            count = end > count ? end : count;
        }
    }
    return count;
}

/* False: nothing changed. */
static bool mark_read(const struct rp_instruction *in, uint8_t *read, uint8_t by)
{
    bool changed = false;
    for (uint32_t r = 0; r < in->src_count; r++)
        for (unsigned i = 0; is_value(in->src[r]) && i < rp_register_count(in->src[r]); i++) {
            uint8_t *one = &read[rp_register_index(in->src[r]) + i];
            changed |= (*one & by) != by;
            *one |= by;
        }
    return changed;
}

static bool is_read(rp_register r, const uint8_t *read, uint8_t by)
{
    for (unsigned i = 0; i < rp_register_count(r); i++)
        if (!is_value(r) || read[rp_register_index(r) + i] & by)
            return true;
    return false;
}

/* A move reads its source for the readers of its results. */
static bool mark_moved(const struct rp_instruction *in, uint8_t *read)
{
    bool changed = mark_read(in, read, BY_STORE);
    for (uint32_t r = 0; r < in->dst_count; r++)
        if (is_read(in->dst[r], read, BY_OTHERS))
            changed |= mark_read(in, read, BY_OTHERS);
    return changed;
}

static void find_readers(const struct rp_kernel *k, uint8_t *read)
{
    enum { MOST_ROUNDS = 8 }; /* values in longer chains of moves count as read */
    for (uint32_t i = 0; i < k->instruction_count; i++)
        if (k->instructions[i].unit_class != RP_CLASS_MOVE)
            mark_read(&k->instructions[i], read,
                      is_access(&k->instructions[i], RP_ACCESS_STORE) ? BY_STORE : BY_OTHERS);
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (uint32_t i = k->instruction_count; i-- > 0;)
            if (k->instructions[i].unit_class == RP_CLASS_MOVE)
                changed |= mark_moved(&k->instructions[i], read);
    }
    for (uint32_t i = 0; changed && i < k->instruction_count; i++)
        mark_read(&k->instructions[i], read, BY_OTHERS);
}

static uint8_t moves_of(const struct rp_instruction *in, const uint8_t *read)
{
    bool load = is_access(in, RP_ACCESS_LOAD);
    bool exchange = is_access(in, RP_ACCESS_ATOMIC) && in->memory->atomic == RP_ATOMIC_EXCH;
    uint8_t moves = is_copy(in) || load || exchange ? 0xff : 0;
    for (uint32_t r = 0; r < in->dst_count; r++)
        if (is_read(in->dst[r], read, load ? BY_OTHERS : BY_STORE | BY_OTHERS))
            moves = load && r < 8 ? moves & ~(1u << r) : 0;
    return moves;
}

static bool find_moves(struct moves *to, const struct rp_kernel *k)
{
    uint8_t *read = calloc(register_count(k) + 1, 1), *moves = calloc((size_t)k->instruction_count + 1, 1);
    if (read && moves) {
        find_readers(k, read);
        for (uint32_t i = 0; i < k->instruction_count; i++)
            moves[i] = moves_of(&k->instructions[i], read);
        free(to->instructions);
        *to = (struct moves){k->identity, moves};
        moves = NULL;
    }
    free(read);
    free(moves);
    return to->program == k->identity;
}

uint8_t check_moves(struct rp_check *c, const struct program *p, uint32_t instruction)
{
    if (c->moves.program != p->kernel.identity && !find_moves(&c->moves, &p->kernel)) {
        c->missed |= MISSED_MEMORY;
        return 0;
    }
    return c->moves.instructions[instruction];
}
