/* Copies of boxes of tensors, element by element against where the ISA's text puts them; copies that reduce; multicast.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "tests/support/tensor_box.h"

enum { SHARED = 8192, TENSOR = 1 << 16 };

static const struct tensor_box cases[] = {
    {1, TENSOR_F32, 0, 0, {100}, {0}, {32}, {1}, {0}},
    {1, TENSOR_F32, 0, 1, {100}, {0}, {64}, {1}, {60}},
    {1, TENSOR_U8, 0, 0, {1000}, {0}, {48}, {1}, {-5}},
    {2, TENSOR_F16, TENSOR_SWIZZLE_128, 0, {100, 60}, {208}, {64, 16}, {1, 1}, {16, 32}},
    {2, TENSOR_BF16, TENSOR_SWIZZLE_64, 1, {100, 60}, {208}, {32, 24}, {1, 1}, {80, 50}},
    {2, TENSOR_U32, TENSOR_SWIZZLE_32, 0, {50, 40}, {208}, {8, 32}, {1, 1}, {-3, -7}},
    {2, TENSOR_F64, 0, 1, {20, 30}, {160}, {6, 7}, {1, 1}, {17, 26}},
    {3, TENSOR_S32, TENSOR_SWIZZLE_128, 0, {33, 9, 7}, {144, 1504}, {32, 5, 4}, {1, 1, 1}, {4, 3, -1}},
    {3, TENSOR_U16, 0, 0, {40, 9, 7}, {80, 720}, {16, 9, 5}, {1, 2, 3}, {8, 1, 1}},
    {4, TENSOR_U8, TENSOR_SWIZZLE_32, 0, {30, 5, 4, 6}, {32, 160, 640}, {32, 3, 2, 4}, {1, 1, 1, 1}, {2, 3, -1, 4}},
    {5, TENSOR_S64, 0, 0, {6, 3, 4, 2, 5}, {48, 144, 576, 1152}, {4, 2, 3, 2, 3}, {1, 1, 1, 1, 2}, {3, -1, 2, 1, 0}},
};

#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 tensor, .param .u64 image, .param .u64 map) {\n"                                    \
    ".shared .align 1024 .b8 data[8192]; .shared .align 8 .b64 obj;\n"                                                 \
    ".reg .b64 %%t, %%o, %%m, %%p; .reg .b32 %%i, %%s, %%v; .reg .pred %%f, %%q;\n"                                    \
    "ld.param.u64 %%t, [tensor]; ld.param.u64 %%o, [image]; ld.param.u64 %%m, [map];\n"                                \
    "mov.u32 %%i, %%tid.x; setp.eq.u32 %%f, %%i, 0; @%%f mbarrier.init.shared.b64 [obj], 1;\n"
/* Word by word between shared memory and the image. */
#define WORDS(name, step)                                                                                              \
    "mov.u32 %%i, %%tid.x;\n" name ": mov.u32 %%s, data; mad.lo.u32 %%s, %%i, 4, %%s; mul.wide.u32 %%p, %%i, 4;\n"     \
    "add.u64 %%p, %%p, %%o; " step "add.u32 %%i, %%i, 64; setp.lt.u32 %%q, %%i, 2048; @%%q bra " name ";\n"

static void coordinates(const struct tensor_box *c, char text[100])
{
    size_t used = 0;
    for (unsigned d = 0; d < c->rank; d++)
        used += (size_t)snprintf(text + used, 100 - used, "%s%d", d ? ", " : "", c->at[d]);
}

static void run_case(const struct tensor_box *c, const char *body, uint8_t *tensor, uint8_t *image)
{
    const uint64_t bytes[] = {TENSOR, SHARED, 128};
    struct rig r;
    rig_target = "sm_90";
    rig_open(&r, body, 3, bytes);
    rig_target = "sm_62";
    cr_assert(tensor_box_encode(r.host[2], c, r.address[0], &r.err), "%s", r.err.text);
    memcpy(r.host[0], tensor, TENSOR);
    memcpy(r.host[1], image, SHARED);
    cr_assert(rig_run(&r, 1, 64), "%s", r.err.text);
    memcpy(tensor, r.host[0], TENSOR);
    memcpy(image, r.host[1], SHARED);
    rig_close(&r);
}

static void noise(uint8_t *to, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
}

static uint8_t tensor[TENSOR], before[TENSOR], image[SHARED], wanted[SHARED];

static void load(const struct tensor_box *c, unsigned number)
{
    char body[2000], at[100];
    uint32_t size = tensor_element_bytes(c->element);
    coordinates(c, at);
    snprintf(body, sizeof body,
             HEAD
             "@%%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], %u;\n"
             "@%%f cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data], [%%m, "
             "{%s}], [obj];\n"
             "W: mbarrier.try_wait.parity.shared.b64 %%q, [obj], 0; @!%%q bra W;\n" WORDS(
                 "L", "ld.shared.u32 %%v, [%%s]; st.global.u32 [%%p], %%v; ") "ret; }\n",
             tensor_box_count(c) * size, c->rank, at);
    noise(tensor, TENSOR, number);
    memset(image, 0, SHARED);
    memset(wanted, 0, SHARED);
    for (uint32_t e = 0; e < tensor_box_count(c); e++) {
        uint64_t value = tensor_box_outside(c);
        int64_t from = tensor_box_place(c, e);
        memcpy(wanted + tensor_box_swizzled(c, e * size), from < 0 ? (uint8_t *)&value : tensor + from, size);
    }
    run_case(c, body, tensor, image);
    cr_expect_arr_eq(image, wanted, SHARED, "case %u", number);
}

Test(tensors, loads)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        load(&cases[i], i);
}

static void store(const struct tensor_box *c, unsigned number, bool adds)
{
    char body[2000], at[100];
    uint32_t size = tensor_element_bytes(c->element);
    coordinates(c, at);
    snprintf(
        body, sizeof body,
        HEAD WORDS(
            "L", "ld.global.u32 %%v, [%%p]; st.shared.u32 [%%s], %%v; ") "fence.proxy.async; bar.sync 0;\n"
                                                                         "@%%f "
                                                                         "cp.%sasync.bulk.tensor.%ud.global.shared::"
                                                                         "cta.%stile.bulk_group [%%m, {%s}], [data];\n"
                                                                         "cp.async.bulk.commit_group; "
                                                                         "cp.async.bulk.wait_group 0; ret; }\n",
        adds ? "reduce." : "", c->rank, adds ? "add." : "", at);
    noise(tensor, TENSOR, number);
    noise(image, SHARED, number + 77);
    memcpy(before, tensor, TENSOR);
    for (uint32_t e = 0; e < tensor_box_count(c); e++) {
        int64_t to = tensor_box_place(c, e);
        uint64_t value = 0, old = 0;
        memcpy(&value, image + tensor_box_swizzled(c, e * size), size);
        if (to < 0)
            continue;
        memcpy(&old, before + to, size);
        value += adds ? old : 0;
        memcpy(before + to, &value, size);
    }
    run_case(c, body, tensor, image);
    cr_expect_arr_eq(tensor, before, TENSOR, "case %u", number);
}

Test(tensors, stores)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        store(&cases[i], i, false);
}

Test(tensors, sums)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].element == TENSOR_U32 || cases[i].element == TENSOR_S32)
            store(&cases[i], i, true);
}

/* Each block of a cluster of two loads its half of 512 bytes for both, with a tensor and without one. */
Test(tensors, multicast)
{
    static const char *const copies[] = {
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s], [%m, "
        "{%x}], "
        "[obj], %mask;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s], [%p], 256, [obj], "
        "%mask;"};
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t bytes[] = {512, 2048, 128};
        char body[2000];
        struct rig r;
        snprintf(
            body, sizeof body,
            ".visible .entry k(.param .u64 tensor, .param .u64 image, .param .u64 map) .reqnctapercluster 2 {\n"
            ".shared .align 128 .b8 data[512]; .shared .align 8 .b64 obj;\n"
            ".reg .b64 %%t, %%o, %%m, %%p; .reg .b32 %%i, %%s, %%v, %%r, %%x; .reg .b16 %%mask; .reg .pred %%f, %%q;\n"
            "ld.param.u64 %%t, [tensor]; ld.param.u64 %%o, [image]; ld.param.u64 %%m, [map];\n"
            "mov.u32 %%i, %%tid.x; setp.eq.u32 %%f, %%i, 0; mov.u16 %%mask, 3; mov.u32 %%r, %%cluster_ctarank;\n"
            "@%%f mbarrier.init.shared.b64 [obj], 1; @%%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], 512;\n"
            "barrier.cluster.arrive; barrier.cluster.wait; mul.lo.u32 %%x, %%r, 64; mov.u32 %%s, data;\n"
            "mad.lo.u32 %%s, %%r, 256, %%s; mul.wide.u32 %%p, %%r, 256; add.u64 %%p, %%p, %%t;\n"
            "@%%f %s\n"
            "W: mbarrier.try_wait.parity.shared.b64 %%q, [obj], 0; @!%%q bra W;\n"
            "mov.u32 %%s, data; mad.lo.u32 %%s, %%i, 4, %%s; ld.shared.u32 %%v, [%%s]; mov.u32 %%x, %%ctaid.x;\n"
            "mad.lo.u32 %%i, %%x, 128, %%i; mul.wide.u32 %%p, %%i, 4; add.u64 %%p, %%p, %%o; st.global.u32 [%%p], "
            "%%v;\n"
            "barrier.cluster.arrive; barrier.cluster.wait; ret; }\n",
            copies[i]);
        rig_target = "sm_90";
        rig_open(&r, body, 3, bytes);
        rig_target = "sm_62";
        const uint64_t sizes[] = {128};
        const uint32_t box[] = {64}, steps[] = {1};
        struct rp_tensor_map_config config = {TENSOR_U32, 1, r.address[0], sizes, NULL, box, steps, 0, 0, 0};
        cr_assert(rp_tensor_map_encode(r.host[2], &config, &r.err), "%s", r.err.text);
        noise(r.host[0], 512, i);
        cr_assert(rig_run(&r, 4, 128), "%s", r.err.text);
        for (int b = 0; b < 4; b++)
            cr_expect_arr_eq((uint8_t *)r.host[1] + 512 * b, r.host[0], 512, "copy %u, block %d", i, b);
        rig_close(&r);
    }
}

Test(tensors, faults)
{
    static const struct {
        const char *copy;
        enum rp_fault_kind kind;
        const char *said;
    } bad[] = {
        {"[data], [%t, {0}], [obj]", RP_FAULT_BOUNDS, "there is no tensor map at"},
        {"[data+64], [%m, {0}], [obj]", RP_FAULT_MISALIGNED, "no multiple of 128"},
        {"[data+8064], [%m, {0}], [obj]", RP_FAULT_BOUNDS, "a box of 256 bytes"},
        {"[data], [%m, {256}], [obj]", RP_FAULT_BOUNDS, "past the end"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        const uint64_t bytes[] = {1024, SHARED, 128};
        char body[1500];
        struct rig r;
        snprintf(body, sizeof body,
                 HEAD "@%%f cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes %s;\nret; }\n",
                 bad[i].copy);
        rig_target = "sm_90";
        rig_open(&r, body, 3, bytes);
        rig_target = "sm_62";
        const uint64_t sizes[] = {1024};
        const uint32_t box[] = {64}, steps[] = {1};
        struct rp_tensor_map_config config = {TENSOR_U32, 1, r.address[0], sizes, NULL, box, steps, 0, 0, 0};
        cr_assert(rp_tensor_map_encode(r.host[2], &config, &r.err), "%s", r.err.text);
        rig_expect_fault(&r, 1, 32, bad[i].kind, bad[i].said);
        rig_close(&r);
    }
}

Test(tensors, maps_that_are_none)
{
    const uint64_t sizes[] = {64, 64}, strides[] = {128}, odd[] = {100};
    const uint32_t box[] = {32, 8}, steps[] = {1, 1}, large[] = {257, 8}, narrow[] = {3, 8};
    const struct rp_tensor_map_config good = {TENSOR_F16, 2, 512, sizes, strides, box, steps, 0, TENSOR_SWIZZLE_64, 0};
    struct rp_tensor_map_config bad[9];
    struct tensor_map map;
    struct rp_error err;
    cr_expect(rp_tensor_map_encode(&map, &good, &err), "%s", err.text);
    for (unsigned i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].element = 99, bad[1].rank = 6, bad[2].interleave = 1, bad[3].swizzle = 9, bad[4].address = 8;
    bad[5].strides = odd, bad[6].box = large, bad[7].box = narrow, bad[8].swizzle = TENSOR_SWIZZLE_32;
    for (unsigned i = 0; i < 9; i++) {
        cr_expect(!rp_tensor_map_encode(&map, &bad[i], &err), "map %u", i);
        cr_expect_eq(err.status, RP_USAGE);
    }
}
