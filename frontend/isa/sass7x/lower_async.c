/* Copies of a few bytes from global to shared memory, and waiting for copies.
 *
 * A copy is made at once: it may be made at any time until it is waited for. */
#include "frontend/isa/sass7x/lower.h"

/* ---- LDGSTS ---- */

enum { AT_SIZE = 73, AT_ZERO_FILL = 82, AT_NO_BYPASS = 81, AT_HINT_L2 = 71 };

static struct operation side(uint8_t kind, enum rp_space space, uint32_t words)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32};
    u.memory = (struct rp_memory_operand){
        .kind = kind, .space = (uint8_t)space, .width = 4 * words, .elements = (uint8_t)words};
    return u;
}

/* Where the predicate does not hold, no byte is read. */
static void set_bytes(struct sass_lowering *l, struct operation *load, struct operand bytes)
{
    struct operation u = {.op = OP_SELP, .type = T_U32, .a = bytes};
    u.b = constant32(&l->b, 0);
    sass7x_set_p(l, &u, AT_PC);
    load->b = sass_value_of(l, u);
}

/* .ZFILL: the address may lie k bytes above a multiple of the size. Then the size less k bytes are read from that
 * multiple on, and the rest become zeros. So ptxas translates a source size that is less than the size of the copy. */
static void fill_with_zeros(struct sass_lowering *l, struct operation *load)
{
    uint32_t size = load->memory.width;
    struct operand words[2], at = lane2(&l->b, OP_ADD, T_U64, load->a, constant64(&l->b, (uint64_t)load->imm));
    sass7x_split(l, at, words);
    struct operand missing = lane2(&l->b, OP_AND, T_B32, words[0], constant32(&l->b, size - 1));
    set_bytes(l, load, lane2(&l->b, OP_SUB, T_U32, constant32(&l->b, size), missing));
    load->a = lane2(&l->b, OP_AND, T_B64, at, constant64(&l->b, -(uint64_t)size));
    load->imm = 0;
}

static void lower_ldgsts(struct sass_lowering *l)
{
    static const uint8_t sizes[8] = {0, 0, 0, 0, 1, 2, 4, 0};
    uint32_t words = sizes[bits(l, AT_SIZE, 3)];
    if (!words)
        sass_not_covered(l, "this size");
    struct operation load = side(RP_ACCESS_LOAD, RP_SPACE_GLOBAL, words);
    struct operation store = side(RP_ACCESS_STORE, RP_SPACE_SHARED, words);
    sass7x_set_hint(l, &load.memory);
    load.memory.cache_op = bit(l, AT_NO_BYPASS) ? RP_CACHE_CA : RP_CACHE_CG;
    sass7x_set_address(l, &load, 1, true);
    sass7x_set_address(l, &store, 0, false);
    if (bit(l, AT_ZERO_FILL))
        fill_with_zeros(l, &load);
    else if (bits(l, AT_PC, 4) != PT)
        set_bytes(l, &load, constant32(&l->b, load.memory.width));
    load.lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, words), words};
    store.lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, words), words};
    for (uint32_t i = 0; i < words; i++)
        load.lists[0].at[i] = store.lists[0].at[i] = sass_temporary(&l->b);
    l->async = (struct rp_async){RP_ASYNC_COPY, RP_ASYNC_START, 0};
    sass_access(l, &load);
    sass_access(l, &store);
}

/* ---- groups ---- */

static void group(struct sass_lowering *l, enum rp_async_kind kind, enum rp_async_role role, uint32_t pending)
{
    l->async = (struct rp_async){(uint8_t)kind, (uint8_t)role, pending};
    sass_emit(&l->b, (struct operation){.kind = UOP_GROUP});
}

static void lower_commit(struct sass_lowering *l) { group(l, RP_ASYNC_COPY, RP_ASYNC_COMMIT, 0); }
static void lower_commit_bulk(struct sass_lowering *l) { group(l, RP_ASYNC_BULK, RP_ASYNC_COMMIT, 0); }

enum { COMMIT = 0x9af, COMMIT_BULK = 0x9b7, EMPTY_CACHE = 0x98f };

static unsigned opcode_at(const struct sass_lowering *l, uint32_t instruction)
{
    const struct sass_table *t = &sass7x_table;
    return instruction < l->b.count
               ? (unsigned)sass_word_at(t, l->b.kernel->image.at + sass_address(t, instruction)).lo & 0xfff
               : 0;
}

/* What an instruction closes a group of, if it tells scoreboard `sb`: copies by the barrier for results, bulk copies by
 * the one for sources. */
static enum rp_async_kind group_closed(const struct sass_lowering *l, uint32_t instruction, unsigned sb)
{
    unsigned opcode = opcode_at(l, instruction);
    if (opcode != COMMIT && opcode != COMMIT_BULK)
        return RP_ASYNC_NONE;
    uint32_t control = sass_control_at(&sass7x_table, l->b.kernel->image.at, sass_address(&sass7x_table, instruction));
    if ((control >> (opcode == COMMIT ? 5 : 8) & 7) != sb)
        return RP_ASYNC_NONE;
    return opcode == COMMIT ? RP_ASYNC_COPY : RP_ASYNC_BULK;
}

/* What the groups consist of that a scoreboard counts: those of the last instruction before this one that closes a
 * group, or else of the first one behind it. None: the scoreboard counts no groups. */
static enum rp_async_kind groups_of(const struct sass_lowering *l, unsigned sb)
{
    enum rp_async_kind kind = RP_ASYNC_NONE;
    for (uint32_t i = l->b.index; i-- > 0 && kind == RP_ASYNC_NONE;)
        kind = group_closed(l, i, sb);
    for (uint32_t i = l->b.index + 1; i < l->b.count && kind == RP_ASYNC_NONE; i++)
        kind = group_closed(l, i, sb);
    return kind;
}

/* Scoreboards alone are a matter of timing. Of bulk copies it waits until the results are visible if the first-level
 * cache is emptied next, and else until the sources have been read. */
static void lower_depbar(struct sass_lowering *l)
{
    enum { AT_LE = 47 };
    bool counts = bit(l, AT_LE) && !has_uniform_source(l);
    enum rp_async_kind kind = counts ? groups_of(l, bits(l, 44, 3)) : RP_ASYNC_NONE;
    if (kind == RP_ASYNC_NONE) {
        move32(&l->b, written(&l->b, RZ), constant32(&l->b, 0));
        return;
    }
    bool reads = kind == RP_ASYNC_BULK && opcode_at(l, l->b.index + 1) != EMPTY_CACHE;
    group(l, kind, reads ? RP_ASYNC_WAIT_READ : RP_ASYNC_WAIT, bits(l, 38, 6));
}

const struct sass_meaning sass7x_async[] = {{"LDGSTS", lower_ldgsts},
                                            {"LDGDEPBAR", lower_commit},
                                            {"UTMACMDFLUSH", lower_commit_bulk},
                                            {"DEPBAR", lower_depbar},
                                            {NULL, NULL}};
