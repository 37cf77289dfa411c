/* Divergence: random control flow, reducible or not, with calls, recursion, tables and early exits, against a scalar
 * interpreter that runs each thread alone. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "tests/support/kernel_case.h"

enum { FUEL = 4, DATA = 5, TEMP = 6, RESULT = 7 };

struct shape {
    unsigned functions, blocks; /* blocks per function */
    bool tables, calls, indirect;
};

/* One basic block: some arithmetic, and predicate 0: the thread's fuel is spent. */
static void body(struct code *c, uint64_t *seed)
{
    code_label(c);
    code_affine(c, DATA, DATA, (uint32_t)random_next(seed) | 1, (uint32_t)random_next(seed), -1);
    code_lane(c, TEST_XOR, RESULT, RESULT, DATA, 0, -1);
    if (random_below(seed, 2)) {
        code_lane(c, TEST_BITS, 1, DATA, 0, 1 << (8 + random_below(seed, 16)), -1);
        code_lane(c, TEST_XOR, RESULT, RESULT, FUEL, 0, random_below(seed, 2) ? 1 : 101);
    }
    code_affine(c, FUEL, FUEL, 1, UINT32_MAX, -1); /* one less than 0 has bit 20 set */
    code_lane(c, TEST_BITS, 0, FUEL, 0, 1 << 20, -1);
}

/* A target that is not known yet. */
struct patch {
    uint32_t function, block;
    uint32_t *slot;
};
#define ENTRY 31
struct generator {
    struct code *c;
    uint64_t seed;
    struct shape shape;
    struct patch patches[2048];
    uint32_t patch_count;
    uint32_t starts[8][32]; /* [function][block]; ENTRY: where calls go */
};

static void later(struct generator *g, uint32_t *slot, uint32_t function, uint32_t block)
{
    g->patches[g->patch_count++] = (struct patch){function, block, slot};
}

/* Word TEMP: `most` where a bit of the data is set, else `least`. */
static void choose(struct generator *g, uint32_t least, uint32_t most)
{
    code_lane(g->c, TEST_BITS, 1, DATA, 0, 1 << random_below(&g->seed, 12), -1);
    code_affine(g->c, TEMP, TEMP, 0, least, -1);
    code_affine(g->c, TEMP, TEMP, 0, most, 1);
}

static void emit_call(struct generator *g)
{
    struct code *c = g->c;
    code_lane(c, TEST_XOR, 12, DATA, RESULT, 0, -1); /* arguments: data and fuel */
    code_affine(c, 13, FUEL, 1, 0, -1);
    struct operation *u;
    if (g->shape.indirect && random_below(&g->seed, 2)) {
        choose(g, 1, 2);
        code_lane(c, TEST_WIDEN, 0, 0, TEMP, FUNCTION_STEP, -1);
        u = code_add(c, UOP_CALL, random_below(&g->seed, 2) ? -1 : 101);
        u->a = wide(0);
        u->detail[2] = 0;
        u->table_count = 3;
        u->table = calloc(3, sizeof *u->table);
        u->table[0] = UOP_NOWHERE;
        later(g, &u->table[1], 1, ENTRY);
        later(g, &u->table[2], 2, ENTRY);
    } else {
        u = code_add(c, UOP_CALL, random_below(&g->seed, 4) ? -1 : 1);
        later(g, &u->target, 1 + random_below(&g->seed, g->shape.functions), ENTRY);
    }
    u->window_bytes = CALL_WINDOW_BYTES;
    u->frame_bytes = 8;
    code_lane(c, TEST_XOR, RESULT, RESULT, 12, 0, -1);
    code_affine(c, FUEL, 13, 1, 0, -1);
}

static void emit_jump(struct generator *g, uint32_t function)
{
    struct code *c = g->c;
    uint32_t kind = random_below(&g->seed, g->shape.tables ? 4 : 3);
    if (kind == 3) {
        uint32_t targets = 2 + random_below(&g->seed, 3);
        choose(g, 0, targets - 1);
        struct operation *u = code_add(c, UOP_BRANCH_TABLE, random_below(&g->seed, 3) ? -1 : 101);
        u->a = word(TEMP);
        u->detail[2] = TEMP;
        u->table_count = targets;
        u->table = calloc(targets, sizeof *u->table);
        for (uint32_t i = 0; i < targets; i++)
            later(g, &u->table[i], function, random_below(&g->seed, g->shape.blocks));
        return;
    }
    code_lane(c, TEST_BITS, 1, DATA, 0, 1 << random_below(&g->seed, 20), -1);
    struct operation *u = code_add(c, UOP_BRANCH, kind == 0 ? -1 : kind == 1 ? 1 : 101);
    later(g, &u->target, function, random_below(&g->seed, g->shape.blocks));
}

/* What a function returns: its result, mixed, and the fuel that is left. */
static void emit_return(struct generator *g, uint32_t function)
{
    struct code *c = g->c;
    if (function) {
        code_affine(c, 0, RESULT, 3, 1, -1);
        code_affine(c, 1, FUEL, 1, 0, -1);
        code_add(c, UOP_RETURN, -1);
        return;
    }
    code_memory(c, RP_ACCESS_STORE, RP_SPACE_GLOBAL, T_U32, word(RESULT), 3, 0, -1);
    code_add(c, UOP_EXIT, -1);
}

static void emit_function(struct generator *g, uint32_t function)
{
    struct code *c = g->c;
    g->starts[function][ENTRY] = c->count;
    if (function) { /* arguments are in words 0 and 1; other registers hold anything yet */
        for (unsigned r = TEMP; r < CODE_WORDS; r++)
            code_affine(c, r, r, 0, r, -1);
        code_affine(c, DATA, 0, 1, 0, -1);
        code_affine(c, FUEL, 1, 1, 0, -1);
        code_lane(c, TEST_BITS, 1, DATA, 0, 4, -1);
    }
    for (uint32_t i = 0; i < g->shape.blocks; i++) {
        g->starts[function][i] = c->count;
        body(c, &g->seed);
        /* out of fuel: skip to the last block */
        struct operation *out = code_add(c, UOP_BRANCH, 0);
        later(g, &out->target, function, g->shape.blocks);
        if (g->shape.calls && random_below(&g->seed, 3) == 0)
            emit_call(g);
        if (!function && random_below(&g->seed, 8) == 0) {
            code_lane(c, TEST_BITS, 3, DATA, 0, 0x30, -1);
            code_add(c, UOP_EXIT, 103);
        }
        emit_jump(g, function);
    }
    g->starts[function][g->shape.blocks] = c->count;
    code_label(c);
    emit_return(g, function);
}

static struct program *generate(struct generator *g, uint64_t seed, struct shape shape)
{
    memset(g, 0, sizeof *g);
    g->c = code_new();
    g->seed = seed;
    g->shape = shape;
    struct code *c = g->c;
    code_lane(c, TEST_TID, DATA, 0, 0, 0, -1);
    code_lane(c, TEST_WIDE, 3, 2, DATA, 4, -1); /* long 2: the buffer, put there by the test */
    code_affine(c, DATA, DATA, 2654435761u, (uint32_t)seed, -1);
    code_affine(c, FUEL, FUEL, 0, 40, -1);
    for (uint32_t f = 0; f <= (shape.calls ? shape.functions : 0); f++)
        emit_function(g, f);
    for (uint32_t i = 0; i < g->patch_count; i++)
        *g->patches[i].slot = g->starts[g->patches[i].function][g->patches[i].block];
    return code_finish(c);
}

/* Runs one random program on a block of 45 threads and on the scalar interpreter. */
static void compare(uint64_t seed, struct shape shape)
{
    static struct generator g;
    struct program *p = generate(&g, seed, shape);
    struct memory memory;
    memory_init(&memory);
    struct allocation *out = memory_allocate(&memory, 4 * 128, "out", ALLOCATION_BUFFER);
    struct grid grid;
    code_grid(&grid, p, 1, 45, &memory);
    struct block *b = block_new(&grid);
    block_start(b, 0, NULL);
    for (uint32_t w = 0; w < grid.warps; w++)
        for (unsigned l = 0; l < 32; l++)
            ((uint64_t *)operand_at(&b->warps[w].w, wide(2)))[l] = out->base;
    enum block_status status = block_run(b, 0);
    struct rp_error err = {0};
    if (b->faulted)
        fault_report(b, &err);
    cr_assert_eq(status, BLOCK_DONE, "seed %llu: %s", (unsigned long long)seed, err.text);
    uint64_t expected = 0, warp_instructions = 0, thread_instructions = 0;
    const uint32_t *results = (const uint32_t *)out->host;
    for (uint32_t t = 0; t < grid.threads; t++) {
        struct scalar s = {.longs[2] = out->base};
        scalar_run(p, &s, t);
        cr_assert(!s.stack_overflow);
        expected += s.instructions;
        uint32_t wanted = s.stored ? s.words[RESULT] : 0;
        cr_assert_eq(results[t], wanted, "seed %llu thread %u: %x, alone %x", (unsigned long long)seed, t, results[t],
                     wanted);
    }
    block_count(b, &warp_instructions, &thread_instructions);
    cr_assert_eq(thread_instructions, expected, "seed %llu: %llu thread instructions, alone %llu",
                 (unsigned long long)seed, (unsigned long long)thread_instructions, (unsigned long long)expected);
    for (uint32_t w = 0; w < grid.warps; w++)
        cr_assert_eq(b->warps[w].split_count + b->warps[w].joins_open, 0, "splits or joins are left");
    block_free(b);
    memory_clear(&memory);
    code_free(g.c);
}

Test(paths, random_branches_equal_threads_run_alone)
{
    for (uint64_t seed = 1; seed <= 600; seed++)
        compare(seed, (struct shape){.blocks = 2 + (unsigned)seed % 12});
}

Test(paths, random_tables_equal_threads_run_alone)
{
    for (uint64_t seed = 1; seed <= 300; seed++)
        compare(seed, (struct shape){.blocks = 2 + (unsigned)seed % 12, .tables = true});
}

Test(paths, random_calls_and_recursion_equal_threads_run_alone)
{
    for (uint64_t seed = 1; seed <= 300; seed++)
        compare(seed, (struct shape){.blocks = 2 + (unsigned)seed % 5, .functions = 3, .calls = true});
}

Test(paths, random_indirect_calls_equal_threads_run_alone)
{
    for (uint64_t seed = 1; seed <= 300; seed++)
        compare(seed,
                (struct shape){.blocks = 2 + (unsigned)seed % 5, .functions = 3, .calls = true, .indirect = true});
}
