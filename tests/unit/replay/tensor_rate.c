/* Matrix products by shape and type (replay/base/tensor_rate.h), against cycles that others measured. */
#include <criterion/criterion.h>

#include "common.h"
#include "replay/base/class_timing.h"
#include "replay/base/tensor_rate.h"

#define NO WARP_TRACE_NONE

/* Cycles that a product keeps the tensor cores of a sub-core. */
static const struct row {
    const char *machine, *text;
    uint32_t cycles;
} rows[] = {
    /* Abdelkhalik et al., arXiv:2208.11174, Table III: WMMA on A100; of its machine code the cycles by instruction */
    {"a100", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r1}, {%r2}, {%r3}, {%r4};", 16},
    {"a100", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%r1}, {%r2}, {%r3}, {%r4};", 16},
    {"a100", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%r1}, {%r2};", 16},
    {"a100", "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%r1}, {%r2};", 16},
    {"a100", "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%fd1}, {%fd2};", 16},
    {"a100", "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 {%r1}, {%r2};", 8},
    {"a100", "HMMA.16816.F32 R4, R8, R10, R4", 8},
    {"a100", "HMMA.16816.F32.BF16 R4, R8, R10, R4", 8},
    {"a100", "HMMA.1684.F32.TF32 R4, R8, R10, R4", 4},
    {"a100", "DMMA.884 R4, R8, R10, R4", 16},
    {"a100", "IMMA.16816.U8.U8 R4, R8, R10, R4", 4},
    /* Luo et al., arXiv:2402.13499: wgmma on H800, N / 2 cycles; sparse ones of twice the k the same */
    {"h100", "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1, 1, 1, 0, 1;", 128},
    {"h100", "wgmma.mma_async.sync.aligned.m64n128k16.f16.f16.f16 {%r1}, %rd1, %rd2, 1, 1, 1, 0, 1;", 64},
    {"h100", "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%f1}, %rd1, %rd2, 1, 1, 1, 0, 1;", 32},
    {"h100", "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e5m2 {%f1}, %rd1, %rd2, 1, 1, 1;", 128},
    {"h100", "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.u8 {%r1}, %rd1, %rd2, 1;", 128},
    {"h100", "wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16 {%f1}, %rd1, %rd2;", 128},
    {"h100", "HGMMA.64x256x16.F32 R24, gdesc[UR4], R24", 128},
    {"h100", "QGMMA.64x256x32.F32.E4M3.E4M3 R24, gdesc[UR4], R24", 128},
    {"h100", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1};", 7}, /* 494 TFLOPS: 6.6 */
    /* Accel-Sim's tested configurations of RTX 2060 and RTX 3070: tensor 16,16 and 32,32 */
    {"rtx2060", "HMMA.1688.F32 R4, R8, R10, R4", 16},
    {"rtx3070", "HMMA.16816.F32 R4, R8, R10, R4", 32},
    /* half the products with sums in f16, on GeForce only (NVIDIA's white papers) */
    {"rtx2060", "@!P0 HMMA.1688.F16 R4, R8, R10, R4", 8},
    {"quadro-rtx6000", "@%p1 mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1};", 8},
    {"rtx3070", "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {%r1};", 16},
    {"rtx3070", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1}, {%r2}, {%r3}, {%r4};", 4},
    {"rtx2060", "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {%r1}, {%r2}, {%r3}, {%r4};", 4},
    /* four products of a quarter warp each: a quarter of m16n16k16, which takes 32 (16 HMMA of 2: arXiv:1804.06826) */
    {"titan-v", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};", 8},
    {"titan-v", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%r1}, {%r2}, {%f1};", 32},
    /* as the class says: a step, a format without a rate, a fence */
    {"titan-v", "HMMA.884.F32.F32.STEP0 R4, R8, R10, R4", 4},
    {"h100", "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r1}, {%r2};", 7},
    {"a100", "wgmma.fence.sync.aligned;", 8},
    {"a100", "HMMA", 8},
};

/* Independent products: they keep the unit for as long as the row says, in all engines. */
Test(tensor_rate, measured_cycles)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct warp_op ops[5];
        for (int o = 0; o < 5; o++)
            ops[o] = (struct warp_op){
                .unit_class = RP_CLASS_TENSOR, .destination = o, .source = {NO, NO, NO}, .text = rows[i].text};
        struct machine *m = test_machine(rows[i].machine, NULL, NULL);
        struct rp_trace *t = trace_of(&(struct warp_program){ops, 5}, 1);
        struct statistics s = both_engines(t, m);
        unsigned unit = m->classes[RP_CLASS_TENSOR].unit;
        cr_expect_eq(s.unit_busy[unit], 5 * rows[i].cycles, "%s %s: %d", rows[i].machine, rows[i].text,
                     (int)s.unit_busy[unit]);
        cr_expect_geq(s.cycles, 5 * rows[i].cycles);
        rp_trace_close(t);
        machine_free(m);
    }
}

/* Without rates every product takes what its class says. */
Test(tensor_rate, none)
{
    struct machine *m = test_machine("a100", NULL, (const char *const[]){"tensor.f32=0", NULL});
    struct rp_instruction in = {.unit_class = RP_CLASS_TENSOR, .text = "HMMA.1688.F32 R4"};
    cr_expect_eq(class_timing(m, &in).initiation, 8);
    in.text = NULL;
    cr_expect_eq(class_timing(m, &in).initiation, 8);
    machine_free(m);
    m = test_machine("a100", NULL, NULL);
    in.text = "HMMA.1688.F32 R4";
    cr_expect_eq(class_timing(m, &in).initiation, 4);
    in.unit_class = RP_CLASS_FP32;
    cr_expect_eq(class_timing(m, &in).initiation, m->classes[RP_CLASS_FP32].initiation);
    machine_free(m);
}

/* Texts that are none of a product, or only look like one. */
Test(tensor_rate, other_texts)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "@",
                                        "@%p1",
                                        "mma",
                                        "mma.",
                                        "mma.m16n8k16",
                                        "mma.m0n8k16.f32.f16",
                                        "FFMA R1, R2",
                                        "mma.sync.m16n8k16x.f32.f16",
                                        "tensor",
                                        ";",
                                        "mma.m4000000000n4000000000k2.f32.f16"};
    struct tensor_product p;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect_not(tensor_product_of(texts[i], &p), "%s", texts[i]);
}
