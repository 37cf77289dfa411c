/* Tensor maps that a kernel makes and changes: tensormap.replace field by field, and tensormap.cp_fenceproxy. A map
 * that is made of zeros has the bytes of the one that the host makes, and a copy takes it; tensors.c has what copies
 * do. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontend/host/tensor_map.h"
#include "rig.h"

struct tensor_case {
    unsigned rank, element, number, swizzle, fill; /* number: PTX ISA, tensormap.replace, values of .elemtype */
    uint64_t sizes[5], strides[4];
    uint32_t box[5], steps[5];
};
static const struct tensor_case cases[] = {
    {1, TENSOR_U8, 0, 0, 0, {1000}, {0}, {48}, {1}},
    {2, TENSOR_U16, 1, 1, 0, {40, 9}, {80}, {16, 9}, {1, 2}},
    {2, TENSOR_U32, 2, 1, 0, {50, 40}, {208}, {8, 32}, {1, 1}},
    {3, TENSOR_S32, 3, 3, 0, {33, 9, 7}, {144, 1504}, {32, 5, 4}, {1, 1, 8}},
    {4, TENSOR_U64, 4, 0, 0, {30, 5, 4, 6}, {256, 1280, 5120}, {2, 3, 2, 256}, {1, 1, 1, 7}},
    {5, TENSOR_S64, 5, 0, 0, {6, 3, 4, 2, 5}, {48, 144, 576, 1152}, {4, 2, 3, 2, 3}, {1, 1, 1, 1, 2}},
    {2, TENSOR_F16, 6, 3, 1, {100, 60}, {208}, {64, 16}, {1, 1}},
    {1, TENSOR_F32, 7, 0, 1, {1ull << 32}, {0}, {256}, {1}},
    {1, TENSOR_F32_FTZ, 8, 0, 0, {100}, {0}, {64}, {1}},
    {2, TENSOR_F64, 9, 2, 1, {20, 30}, {(1ull << 40) - 16}, {6, 7}, {1, 1}},
    {2, TENSOR_BF16, 10, 2, 1, {100, 60}, {208}, {32, 24}, {1, 1}},
    {1, TENSOR_TF32, 11, 0, 1, {100}, {0}, {32}, {1}},
    {1, TENSOR_TF32_FTZ, 12, 0, 0, {100}, {0}, {32}, {1}},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Where the kernel replaces: in shared memory by name, there by a generic address, in device memory. */
static const struct {
    const char *space, *address;
} places[] = {{".shared::cta", "[map]"}, {"", "[%g+0]"}, {".global", "[%m+0]"}};
enum { PLACES = sizeof places / sizeof *places };

struct text {
    char at[6000];
    size_t used;
};
__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, list);
    va_end(list);
    cr_assert_lt(t->used, sizeof t->at);
}

/* One field of the map; `ordinal` < 0: there is one of it. */
static void replace(struct text *t, unsigned place, const char *field, int ordinal, const char *type, uint64_t value)
{
    say(t, "@%%f tensormap.replace.tile.%s%s.b1024.%s %s, ", field, places[place].space, type, places[place].address);
    if (ordinal >= 0)
        say(t, "%d, ", ordinal);
    say(t, "%llu;\n", (unsigned long long)value);
}

static void replace_all(struct text *t, unsigned place, const struct tensor_case *c)
{
    replace(t, place, "rank", -1, "b32", c->rank - 1);
    for (unsigned d = 0; d < c->rank; d++) {
        replace(t, place, "box_dim", (int)d, "b32", c->box[d]);
        replace(t, place, "global_dim", (int)d, "b32", c->sizes[d] & UINT32_MAX);
        replace(t, place, "element_stride", (int)d, "b32", c->steps[d]);
        if (d)
            replace(t, place, "global_stride", (int)d - 1, "b64", c->strides[d - 1]);
    }
    replace(t, place, "elemtype", -1, "b32", c->number);
    replace(t, place, "interleave_layout", -1, "b32", 0);
    replace(t, place, "swizzle_mode", -1, "b32", c->swizzle);
    replace(t, place, "fill_mode", -1, "b32", c->fill);
    say(t, "@%%f tensormap.replace.tile.global_address%s.b1024.b64 %s, %%t;\n", places[place].space,
        places[place].address);
}

#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 tensor, .param .u64 made) {\n"                                                      \
    ".shared .align 128 .b8 map[128]; .shared .align 1024 .b8 data[4096]; .shared .align 8 .b64 obj;\n"                \
    ".reg .b64 %%t, %%m, %%g; .reg .b32 %%i, %%s; .reg .pred %%f;\n"                                                   \
    "ld.param.u64 %%t, [tensor]; ld.param.u64 %%m, [made]; cvta.shared.u64 %%g, map; mov.u32 %%i, %%tid.x;\n"          \
    "setp.eq.u32 %%f, %%i, 0; mov.u32 %%s, map; mad.lo.u32 %%s, %%i, 4, %%s; st.shared.u32 [%%s], 0; bar.warp.sync "   \
    "-1;\n"
#define TO_GLOBAL                                                                                                      \
    "bar.warp.sync -1; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%m], " \
    "[map], 128;\n"

static void open_kernel(struct rig *r, const char *body)
{
    const uint64_t bytes[] = {8192, 128};
    rig_target = "sm_90a";
    rig_open(r, body, 2, bytes);
    rig_target = "sm_62";
}

/* In device memory the map is replaced where it is read; of one in shared memory the copy follows. */
static void make(const struct tensor_case *c, unsigned place)
{
    struct text t = {.used = 0};
    struct tensor_map wanted;
    struct rig r;
    say(&t, HEAD);
    if (place == 2)
        say(&t, TO_GLOBAL);
    replace_all(&t, place, c);
    if (place != 2)
        say(&t, TO_GLOBAL);
    say(&t, "ret; }\n");
    open_kernel(&r, t.at);
    struct rp_tensor_map_config config = {c->element, c->rank, r.address[0], c->sizes, c->strides, c->box,
                                          c->steps,   0,       c->swizzle,   c->fill};
    cr_assert(rp_tensor_map_encode(&wanted, &config, &r.err), "%s", r.err.text);
    memset(r.host[1], 0xa5, 128);
    cr_assert(rig_run(&r, 1, 32), "%s", r.err.text);
    cr_expect_arr_eq((uint8_t *)r.host[1], (uint8_t *)&wanted, sizeof wanted, "tensor of %u dimensions, type %u, %s",
                     c->rank, c->number, places[place].address);
    rig_close(&r);
}

Test(tensor_maps, made_of_zeros)
{
    for (unsigned i = 0; i < CASES; i++)
        for (unsigned place = 0; place < PLACES; place++)
            make(&cases[i], place);
}

/* A map of the host moves to another tensor, by values in registers; the copy takes the new place, size and box. */
Test(tensor_maps, moved_to_another_tensor)
{
    const uint64_t sizes[] = {100};
    const uint32_t box[] = {8}, steps[] = {1};
    struct text t = {.used = 0};
    struct rig r;
    say(&t, HEAD
        "mov.u32 %%s, map; mad.lo.u32 %%s, %%i, 4, %%s;\n"
        ".reg .b64 %%a, %%o, %%w; .reg .b32 %%v, %%n, %%b; .reg .pred %%q;\n"
        "mul.wide.u32 %%o, %%i, 4; add.u64 %%a, %%m, %%o; ld.global.u32 %%v, [%%a]; st.shared.u32 [%%s], %%v;\n"
        "bar.warp.sync -1; @%%f mbarrier.init.shared.b64 [obj], 1;\n"
        "add.u64 %%w, %%t, 4096; mov.u32 %%n, 20; mov.u32 %%b, 32;\n"
        "@%%f tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %%w;\n"
        "@%%f tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 0, %%n;\n"
        "@%%f tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0, %%b;\n" TO_GLOBAL
        "fence.proxy.tensormap::generic.acquire.gpu [%%m], 128;\n"
        "@%%f mbarrier.arrive.expect_tx.shared.b64 _, [obj], 128;\n"
        "@%%f cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data], [%%m, {0}], "
        "[obj];\n"
        "W: mbarrier.try_wait.parity.shared.b64 %%q, [obj], 0; @!%%q bra W;\n"
        "mov.u32 %%s, data; mad.lo.u32 %%s, %%i, 4, %%s; ld.shared.u32 %%v, [%%s];\n"
        "add.u64 %%o, %%o, %%t; st.global.u32 [%%o], %%v; ret; }\n");
    open_kernel(&r, t.at);
    struct rp_tensor_map_config config = {TENSOR_U32, 1, r.address[0], sizes, NULL, box, steps, 0, 0, 0};
    cr_assert(rp_tensor_map_encode(r.host[1], &config, &r.err), "%s", r.err.text);
    uint32_t *words = r.host[0];
    for (uint32_t i = 0; i < 2048; i++)
        words[i] = 1000 + i;
    cr_assert(rig_run(&r, 1, 32), "%s", r.err.text);
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(words[i], i < 20 ? 2024 + i : 0, "word %u is %u", i, words[i]);
    rig_close(&r);
}

/* Maps that no copy may take: each a good one with one thing changed. */
Test(tensor_maps, that_are_none)
{
    static const struct {
        const char *change, *said;
    } bad[] = {
        {"tensormap.replace.tile.rank.global.b1024.b32 [%m], 1;",
         "a tensor of 2 dimensions is accessed by 1 coordinate"},
        {"tensormap.replace.tile.rank.global.b1024.b32 [%m], 5;", "there is no tensor map at"},
        {"st.global.u32 [%m], 0;", "there is no tensor map at"},
        {"tensormap.replace.tile.global_address.global.b1024.b64 [%m], 8;", "an address that is no multiple of 16: 8"},
        {"tensormap.replace.tile.box_dim.global.b1024.b32 [%m], 0, 3;", "a box whose bytes of dimension 0"},
        {"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%m], 1;", "a box whose bytes of dimension 0"},
        {"tensormap.replace.tile.element_stride.global.b1024.b32 [%m], 0, 2;", "an element stride in dimension 0"},
        {"st.global.u8 [%m+4], 200;", "elements of unknown type 200"},
        {"st.global.u8 [%m+5], 4;", "an unknown swizzle, 4"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct tensor_case c = {1, TENSOR_U32, 2, 0, 0, {100}, {0}, {64}, {1}};
        struct text t = {.used = 0};
        struct rig r;
        say(&t, HEAD TO_GLOBAL);
        replace_all(&t, 2, &c);
        say(&t, "@%%f %s\n", bad[i].change);
        say(&t,
            "@%%f cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data], [%%m, {0}], "
            "[obj]; ret; }\n");
        open_kernel(&r, t.at);
        rig_expect_fault(&r, 1, 32, RP_FAULT_BOUNDS, bad[i].said);
        rig_close(&r);
    }
}

/* What is refused when the kernel is asked for. */
Test(tensor_maps, values_that_are_refused)
{
    static const char *const bad[][2] = {
        {"tensormap.replace.tile.elemtype.global.b1024.b32 [%m], 13;", "this type of elements of a tensor"},
        {"tensormap.replace.tile.interleave_layout.global.b1024.b32 [%m], 1;", "an interleaved tensor"},
        {"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%m], 4;", "this swizzle of a tensor"},
        {"tensormap.replace.tile.fill_mode.global.b1024.b32 [%m], 2;", "a fill mode is 0 or 1"},
        {"tensormap.replace.tile.box_dim.global.b1024.b32 [%m], 5, 1;", "has 5 of these"},
        {"tensormap.replace.tile.global_stride.global.b1024.b64 [%m], 4, 16;", "has 4 of these"},
        {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%m], [map], 64;",
         "has 128 bytes"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rp_error err = {0};
        struct text t = {.used = 0};
        say(&t, ".version 9.0\n.target sm_90a\n.address_size 64\n" HEAD "%s\nret; }\n", bad[i][0]);
        struct module *m = ptx_load_text("k.ptx", t.at, t.used, 0, &err);
        cr_assert(!m || !module_find(m, "k", &err), "%s", bad[i][0]);
        cr_expect(strstr(err.text, bad[i][1]), "%s", err.text);
        module_free(m);
    }
}
