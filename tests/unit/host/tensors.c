/* Tensor maps and clusters of a host program. */
#include "common.h"

/* Each block of a cluster of two loads the box of its rank, 8 x 4 words, and stores it in the other's order. */
static const char boxes[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry boxes(.param .align 64 .b8 map[128], .param .u64 out) {\n"
    ".shared .align 128 .b8 data[128]; .shared .align 8 .b64 object;\n"
    ".reg .b64 %m, %o, %p; .reg .b32 %i, %r, %x, %s, %v; .reg .pred %f, %q;\n"
    "mov.u64 %m, map; cvta.param.u64 %m, %m; ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; setp.eq.u32 %f, %i, 0;\n"
    "mov.u32 %r, %cluster_ctarank; shl.b32 %x, %r, 3;\n"
    "@%f mbarrier.init.shared.b64 [object], 1; @%f mbarrier.arrive.expect_tx.shared.b64 _, [object], 128;\n"
    "@%f cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%m, {%x, 1}], [object];\n"
    "bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 %q, [object], 0; @!%q bra W;\n"
    "barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r, %r, 1; mov.u32 %s, data; mad.lo.u32 %s, %i, 4, %s;\n"
    "mapa.shared::cluster.u32 %s, %s, %r; ld.shared::cluster.u32 %v, [%s]; mov.u32 %x, %ctaid.x;\n"
    "mad.lo.u32 %x, %x, 32, %i; mul.wide.u32 %p, %x, 4; add.u64 %o, %o, %p; st.global.u32 [%o], %v;\n"
    "barrier.cluster.arrive; barrier.cluster.wait; ret; }\n";

enum { WIDTH = 12, HEIGHT = 4 };
static const struct reprise_tensor words = {
    .element = 2, .rank = 2, .sizes = {WIDTH, HEIGHT}, .strides = {4 * WIDTH}, .box = {8, 4}};

Test(tensors, boxes_in_clusters)
{
    struct rp_error err = {0};
    struct reprise_options options = {.image = boxes, .image_bytes = sizeof boxes - 1};
    struct reprise *r = reprise_open(&options, &err);
    uint8_t map[REPRISE_TENSOR_MAP];
    uint32_t tensor[WIDTH * HEIGHT], out[4][32];
    cr_assert(r, "%s", err.text);
    cr_assert(reprise_tensor_map(map, &words, &err), "%s", err.text);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        tensor[i] = 100 + i;
    struct reprise_launch l = {.grid = {4}, .block = {32}, .cluster = {2}};
    l.args[0] = reprise_value(map, sizeof map);
    l.args[1] = reprise_out(out, sizeof out);
    l.pointers[0] = (struct reprise_pointer){0, REPRISE_TENSOR_ADDRESS, reprise_in(tensor, sizeof tensor)};
    run(r, l, NULL);
    for (uint32_t b = 0; b < 4; b++)
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t x = 8 * (1 - b % 2) + i % 8, y = 1 + i / 8;
            cr_expect_eq(out[b][i], x < WIDTH && y < HEIGHT ? 100 + WIDTH * y + x : 0, "block %u thread %u", b, i);
        }
    l.cluster[0] = 3;
    cr_expect(!reprise_run(r, &l, NULL, &err));
    cr_expect(strstr(err.text, "grid dimension x is 4, no multiple of the cluster's 3"), "%s", err.text);
    cr_assert(reprise_close(r, &err), "%s", err.text);
}

Test(tensors, refused)
{
    struct rp_error err = {0};
    uint8_t map[REPRISE_TENSOR_MAP] = {0};
    struct reprise_tensor t = words;
    t.box[0] = 3;
    cr_expect(!reprise_tensor_map(map, &t, &err));
    cr_expect_eq(err.status, RP_USAGE);
    cr_expect(strstr(err.text, "a box has 12 bytes of dimension 0"), "%s", err.text);
    cr_expect(!reprise_tensor_map(map, NULL, &err));
    for (int i = 0; i < REPRISE_TENSOR_MAP; i++)
        cr_expect_eq(map[i], 0);
}
