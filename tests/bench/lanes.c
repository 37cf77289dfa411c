/* Nanoseconds per warp-wide operation of the lane handlers that kernels spend their time in, on one core: for a full
 * warp and for one with every second lane. REPRISE_SIMD=2|3|4 chooses the vector width. The figure is the best of
 * several rounds, of a stream of operations on a handful of registers, as in a kernel's inner loop. */
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "frontend/core/lanes/lanes.h"
#include "frontend/core/lanes/simd.h"
#include "frontend/operation/warp.h"

enum { REGISTER = 256, REGISTERS = 16, UOPS = 64, REPEATS = 2000, ROUNDS = 15 };
static alignas(64) uint8_t window[REGISTERS * REGISTER];

static const struct row {
    const char *name;
    uint8_t op, type, stype, rounding, compare;
    uint32_t flags;
} rows[] = {
    {"mov.u32", OP_MOV, T_U32, 0, 0, 0, 0},
    {"add.u32", OP_ADD, T_U32, 0, 0, 0, 0},
    {"mul.lo.u32", OP_MUL, T_U32, 0, 0, 0, 0},
    {"mad.lo.s32", OP_MAD, T_S32, 0, 0, 0, 0},
    {"mul.wide.s32", OP_MUL, T_S32, 0, 0, 0, UF_WIDE},
    {"add.s64", OP_ADD, T_S64, 0, 0, 0, 0},
    {"shl.b32", OP_SHL, T_B32, 0, 0, 0, 0},
    {"shl.b64", OP_SHL, T_B64, 0, 0, 0, 0},
    {"and.b32", OP_AND, T_B32, 0, 0, 0, 0},
    {"div.s32", OP_DIV, T_S32, 0, 0, 0, 0},
    {"add.f32", OP_ADD, T_F32, 0, 0, 0, 0},
    {"mul.f32", OP_MUL, T_F32, 0, 0, 0, 0},
    {"fma.rn.f32", OP_FMA, T_F32, 0, ROUND_N, 0, 0},
    {"fma.rm.f32", OP_FMA, T_F32, 0, ROUND_M, 0, 0},
    {"fma.rn.ftz.f32", OP_FMA, T_F32, 0, ROUND_N, 0, UF_FTZ},
    {"add.f64", OP_ADD, T_F64, 0, 0, 0, 0},
    {"fma.rn.f64", OP_FMA, T_F64, 0, ROUND_N, 0, 0},
    {"div.rn.f32", OP_DIV, T_F32, 0, ROUND_N, 0, 0},
    {"sqrt.rn.f32", OP_SQRT, T_F32, 0, ROUND_N, 0, 0},
    {"rcp.rn.f64", OP_RCP, T_F64, 0, ROUND_N, 0, 0},
    {"min.f32", OP_MIN, T_F32, 0, 0, 0, 0},
    {"ex2.approx.f32", OP_EX2, T_F32, 0, 0, 0, UF_APPROX},
    {"sin.approx.f32", OP_SIN, T_F32, 0, 0, 0, UF_APPROX},
    {"setp.lt.s32", OP_SETP, T_S32, 0, 0, CMP_LT, 0},
    {"setp.lt.u64", OP_SETP, T_U64, 0, 0, CMP_LT, 0},
    {"setp.lt.f32", OP_SETP, T_F32, 0, 0, CMP_LT, 0},
    {"setp.lt.f64", OP_SETP, T_F64, 0, 0, CMP_LT, 0},
    {"selp.b32", OP_SELP, T_B32, 0, 0, 0, 0},
    {"cvt.s64.s32", OP_CVT, T_S64, T_S32, 0, 0, 0},
    {"cvt.u32.u64", OP_CVT, T_U32, T_U64, 0, 0, 0},
    {"cvt.rn.f32.s32", OP_CVT, T_F32, T_S32, ROUND_N, 0, 0},
    {"cvt.rn.f32.u32", OP_CVT, T_F32, T_U32, ROUND_N, 0, 0},
    {"cvt.rzi.s32.f32", OP_CVT, T_S32, T_F32, ROUND_INTEGER | ROUND_Z, 0, 0},
    {"cvt.f64.f32", OP_CVT, T_F64, T_F32, 0, 0, 0},
    {"cvt.rn.f32.f64", OP_CVT, T_F32, T_F64, ROUND_N, 0, 0},
    {"shfl.idx.b32", OP_SHFL, T_B32, 0, 0, 0, 0},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Registers 0..7 are sources, 8..13 destinations, 14 holds predicates. */
static void make_operations(struct operation *operations, const struct row *r)
{
    memset(operations, 0, sizeof *operations * UOPS);
    for (int i = 0; i < UOPS; i++) {
        struct operation *u = &operations[i];
        u->kind = UOP_LANE;
        u->op = r->op, u->type = r->type, u->stype = r->stype;
        u->rounding = r->rounding, u->compare = r->compare, u->flags = r->flags;
        u->a = OPERAND_REGISTER(i % 3 * REGISTER);
        u->b = OPERAND_REGISTER((3 + i % 3) * REGISTER);
        u->c = OPERAND_REGISTER((6 + i % 2) * REGISTER);
        u->d = OPERAND_REGISTER((8 + i % 6) * REGISTER);
        u->p = OPERAND_REGISTER(14 * REGISTER);
        u->pd = OPERAND_REGISTER(14 * REGISTER + 4);
        u->imm = r->op == OP_SHFL ? SHFL_IDX : 0;
    }
}

static void fill_registers(const struct row *r)
{
    bool is_double = r->type == T_F64 || r->stype == T_F64;
    bool is_float = r->type == T_F32 || r->stype == T_F32;
    for (int n = 0; n < 8; n++)
        for (int l = 0; l < 32; l++) {
            double value = 1.0 + 0.125 * l + n;
            float single = (float)value;
            uint64_t whole = (uint64_t)(l % 8 + n + 1);
            if (is_double)
                memcpy(window + n * REGISTER + 8 * l, &value, 8);
            else if (is_float && r->stype != T_S32 && r->stype != T_U32)
                memcpy(window + n * REGISTER + 4 * l, &single, 4);
            else if (lane_type_bits(r->type) == 64)
                memcpy(window + n * REGISTER + 8 * l, &whole, 8);
            else
                memcpy(window + n * REGISTER + 4 * l, &whole, 4);
        }
}

static double measure(const struct uop *uops, uint32_t mask)
{
    struct warp w = {.active = mask};
    warp_set_window(&w, window);
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int k = 0; k < REPEATS; k++)
            for (const struct uop *u = uops; u < uops + UOPS; u++)
                u->fn(&w, u, mask);
        double ns = (now() - start) / (REPEATS * UOPS);
        best = ns < best ? ns : best;
    }
    return best;
}

int main(void)
{
    static struct operation operations[UOPS];
    static struct uop uops[UOPS] __attribute__((aligned(64)));
    printf("lane handlers, x86-64-v%d: ns per operation on 32 lanes\n%-18s %10s %10s\n", simd_level(), "", "full",
           "masked");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_operations(operations, &rows[i]);
        fill_registers(&rows[i]);
        for (int k = 0; k < UOPS; k++) {
            if (!operation_bind(&operations[k])) {
                fprintf(stderr, "no handler for %s\n", rows[i].name);
                return 1;
            }
            uop_pack(&uops[k], &operations[k], NULL); /* none of these needs a descriptor */
        }
        double full = measure(uops, ~0u), masked = measure(uops, 0x55555555u);
        printf("%-18s %10.2f %10.2f\n", rows[i].name, full, masked);
    }
    return 0;
}
