/* Matrix products: the same bits at every vector width, on any bits. tests/unit/matrix compares with a model. */
#include "frontend/core/lanes/matrix.h"
#include "harness.h"

enum { FRAGMENT = 8, BYTES = 4 * FRAGMENT * SLOT };

struct form {
    uint8_t m, n, k, a, b, c, d, mode;
};

static struct operation operation_for(const struct form *f, struct operand lists[4][FRAGMENT], uint64_t flags)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_MMA, .flags = flags | UF_FIRST | UF_WHOLE_WARP};
    const uint8_t detail[] = {f->m, f->n, f->k, f->a, f->b, f->c, f->d, f->mode};
    memcpy(u.detail, detail, sizeof detail);
    u.type = u.stype = f->a == MATRIX_F64 ? T_F64 : T_B32;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned r = 0; r < FRAGMENT; r++)
            lists[i][r] = OPERAND_REGISTER((i * FRAGMENT + r) * SLOT);
        u.lists[i] = (struct operand_list){lists[i], FRAGMENT};
    }
    u.a = OPERAND_REGISTER(3 * FRAGMENT * SLOT); /* metadata: any */
    return u;
}

static void check(const struct form *f, uint64_t flags)
{
    static _Alignas(64) uint8_t first[BYTES], window[BYTES], expected[BYTES];
    struct operand lists[4][FRAGMENT];
    for (unsigned i = 0; i < BYTES / 4; i++) {
        uint32_t x = (uint32_t)next_random();
        memcpy(first + 4 * i, &x, 4);
    }
    for (int level = 2; level <= widest_level(); level++) {
        struct operation u = operation_for(f, lists, flags);
        struct warp w = {.active = ~0u, .live = ~0u};
        cr_assert(u.fn = bind_at(&u, level), "m%u n%u k%u a%u", f->m, f->n, f->k, f->a);
        memcpy(window, first, BYTES);
        warp_set_window(&w, window);
        execute(&u, &w, ~0u);
        if (level == 2)
            memcpy(expected, window, BYTES);
        cr_assert_eq(memcmp(expected, window, BYTES), 0, "level %d: m%u n%u k%u a%u d%u", level, f->m, f->n, f->k, f->a,
                     f->d);
        cr_assert_neq(memcmp(first, window, BYTES), 0);
    }
}

Test(matrix, same_bits_at_every_width)
{
#define M(type) MATRIX_##type
    static const struct form forms[] = {
        {2, 1, 4, M(F16), M(F16), M(F16), M(F16), 0},   {2, 1, 4, M(F16), M(F16), M(F32), M(F32), 0},
        {2, 2, 4, M(F16), M(F16), M(F16), M(F32), 0},   {4, 1, 4, M(BF16), M(BF16), M(F32), M(F32), 0},
        {1, 4, 4, M(BF16), M(BF16), M(F32), M(F32), 0}, {2, 2, 2, M(TF32), M(TF32), M(F32), M(F32), 0},
        {2, 1, 8, M(E4M3), M(E5M2), M(F32), M(F32), 0}, {2, 1, 8, M(E5M2), M(E4M3), M(F16), M(F16), 0},
        {2, 1, 4, M(F64), M(F64), M(F64), M(F64), 0},   {2, 1, 8, M(S8), M(U8), M(S32), M(S32), 0},
        {2, 1, 16, M(U4), M(S4), M(S32), M(S32), 0},    {2, 1, 64, M(B1), M(B1), M(S32), M(S32), 0},
        {2, 1, 64, M(B1), M(B1), M(S32), M(S32), 8},    {1, 1, 1, M(F16), M(F16), M(F16), M(F32), MATRIX_QUADS},
        {2, 1, 8, M(F16), M(F16), M(F32), M(F32), 16},  {2, 1, 4, M(TF32), M(TF32), M(F32), M(F32), 16},
        {2, 1, 16, M(S8), M(S8), M(S32), M(S32), 16},   {2, 1, 32, M(S4), M(S4), M(S32), M(S32), 16},
    };
#undef M
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int round = 0; round < 8; round++)
            check(&forms[i], round & 1 && forms[i].d == MATRIX_S32 ? UF_SAT_FINITE : 0);
}
