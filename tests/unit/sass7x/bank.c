/* What ptxas reads of constant bank 0 by other ways than as plain operands: bytes at the parameters' end and at
 * indices, parameters by generic addresses, whether clusters are explicit. Results follow from the PTX. */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/ptxas.h"

enum { WORDS = 4 };
static const unsigned targets[] = {75, 80, 86, 90};

struct parameters {
    uint64_t out;
    uint32_t list[8];
    uint32_t n;
    uint8_t tail[6];
} __attribute__((packed));

static const char code[] =
    ".visible .entry k(.param .u64 out, .param .align 4 .b8 list[32], .param .u32 n, .param .align 1 .b8 tail[6])\n"
    "{ .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;\n"
    "ld.param.u64 %d1, [out]; ld.param.u32 %r1, [n];\n"
    "mov.b64 %d2, list; cvta.param.u64 %d3, %d2; mul.wide.u32 %d4, %r1, 4; add.u64 %d5, %d3, %d4; ld.u32 %r2, [%d5];\n"
    "st.global.u32 [%d1], %r2;\n"
    "ld.param.u8 %r3, [tail+5]; ld.param.s8 %r4, [tail+4]; st.global.v2.u32 [%d1+8], {%r3, %r4};\n"
    "mov.b64 %d6, tail; cvt.u64.u32 %d7, %r1; add.u64 %d6, %d6, %d7; ld.param.u8 %r5, [%d6]; st.global.u32 [%d1+4], "
    "%r5;\n"
    "ret; }\n";

static void run(struct rp_device *device, struct module *m, unsigned sm)
{
    struct rp_error err = {0};
    struct rp_launch_result result;
    struct parameters p = {.out = rp_alloc(device, 4 * WORDS, "out", &err), .n = 3, .tail = {1, 2, 3, 4, 0x85, 0x96}};
    for (uint32_t i = 0; i < 8; i++)
        p.list[i] = 100 + i;
    struct rp_launch_config config = {.params = &p};
    cr_assert(ptxas_run(device, m, "k", 1, 1, &config, &result, &err), "sm_%u: %s", sm, err.text);
    const uint32_t *out = rp_host(device, p.out, 4 * WORDS), expected[WORDS] = {103, 4, 0x96, 0xffffff85};
    for (unsigned i = 0; i < WORDS; i++)
        cr_expect_eq(out[i], expected[i], "sm_%u: word %u: 0x%x", sm, i, out[i]);
    rp_device_free(device);
}

Test(bank7x, parameters_by_generic_addresses_and_bytes)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (int level = 0; level <= 3; level += 3) {
            const struct ptxas_target target = {targets[i], "7.8", "12.9", level};
            struct rp_device *device;
            struct module *m = ptxas_module_for(&device, &target, code);
            run(device, m, targets[i]);
            if (!level) {
                m = ptx_module_for(&device, &target, code);
                run(device, m, targets[i]);
            }
        }
}

/* Whether the launch says how many blocks a cluster has. */
Test(bank7x, explicit_clusters)
{
    static const char asks[] =
        ".visible .entry k(.param .u64 out)\n"
        "{ .reg .b32 %r; .reg .b64 %d; .reg .pred %p; ld.param.u64 %d, [out]; mov.pred %p, %is_explicit_cluster;\n"
        "selp.b32 %r, 1, 2, %p; st.global.u32 [%d], %r; ret; }\n";
    const struct ptxas_target target = {90, "7.8", "12.9", 3};
    for (uint32_t blocks = 0; blocks <= 2; blocks += 2) {
        struct rp_error err = {0};
        struct rp_launch_result result;
        struct rp_device *device;
        struct module *m = ptxas_module_for(&device, &target, asks);
        uint64_t out = rp_alloc(device, 4, "out", &err);
        struct rp_launch_config config = {.params = &out, .cluster = {blocks, blocks != 0, blocks != 0}};
        cr_assert(ptxas_run(device, m, "k", 2, 1, &config, &result, &err), "%s", err.text);
        cr_expect_eq(*(const uint32_t *)rp_host(device, out, 4), blocks ? 1u : 2u);
        rp_device_free(device);
    }
}
