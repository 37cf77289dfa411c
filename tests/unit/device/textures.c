/* Textures and surfaces from the host's side: references of modules, what is refused, and what a trace tells. What
 * instructions give is compared in tests/unit/ptx_forms. */
#include <math.h>
#include <string.h>

#include "frontend/host/texture.h"
#include "tests/unit/device/common.h"

enum { WIDTH = 8, HEIGHT = 4, THREADS = 32 };
static const struct rp_element real = {RP_ELEMENT_FLOAT, 32, 1}, byte = {RP_ELEMENT_UNSIGNED, 8, 1};

/* Element (x, y) is x + 10 y. */
static struct rp_array *ramp(struct rp_device *d, struct rp_element e)
{
    struct rp_error err = {0};
    struct rp_array_config c = {.element = e, .width = WIDTH, .height = HEIGHT};
    struct rp_array *a = rp_array_new(d, &c, "ramp", &err);
    struct rp_array_box box = {.width = WIDTH * rp_element_bytes(e), .height = HEIGHT};
    float floats[HEIGHT][WIDTH];
    uint8_t bytes[HEIGHT][WIDTH];
    cr_assert(a, "%s", err.text);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            floats[y][x] = (float)(bytes[y][x] = (uint8_t)(x + 10 * y));
    const void *from = e.bits == 8 ? (void *)bytes : (void *)floats;
    cr_assert(rp_array_write(d, a, &box, from, box.width, 0, &err), "%s", err.text);
    return a;
}

static uint64_t texture_of(struct rp_device *d, struct rp_array *a, struct rp_sampler s)
{
    struct rp_error err = {0};
    uint64_t t = rp_texture_new(d, &(struct rp_resource){.array = a}, &s, NULL, &err);
    cr_assert(t, "%s", err.text);
    return t;
}

static uint64_t new_buffer(struct rp_device *d, uint64_t bytes)
{
    struct rp_error err = {0};
    uint64_t p = rp_alloc(d, bytes, "buffer", &err);
    cr_assert(p, "%s", err.text);
    return p;
}

/* ---- references -------------------------------------------------------------------------------------------------- */

/* out[0..3]: the texel at (2.5, 1.5) by name, by its handle, and by a sampler of the module, which has no
 * colour for the border, at (-3, 1.5); and what a surface has at (8, 2) bytes. */
static const char references[] =
    ".target sm_62, texmode_independent\n.global .texref colours;\n.global .surfref canvas;\n"
    ".global .samplerref edge = { addr_mode_0 = clamp_to_border, addr_mode_1 = clamp_to_edge, filter_mode = nearest "
    "};\n"
    ".visible .entry named(.param .u64 out)\n{\n.reg .b64 %d<3>; .reg .f32 %f<5>; .reg .b32 %r<5>;\n"
    "ld.param.u64 %d1, [out];\n"
    "tex.2d.v4.f32.f32 {%f1,_,_,_}, [colours, {0f40200000, 0f3FC00000}]; st.global.f32 [%d1], %f1;\n"
    "mov.u64 %d2, colours;\n"
    "tex.2d.v4.f32.f32 {%f1,_,_,_}, [%d2, {0f40200000, 0f3FC00000}]; st.global.f32 [%d1+4], %f1;\n"
    "tex.2d.v4.f32.f32 {%f1,_,_,_}, [colours, edge, {0fC0400000, 0f3FC00000}]; st.global.f32 [%d1+8], %f1;\n"
    "suld.b.2d.b32.trap %r1, [canvas, {8, 2}]; st.global.b32 [%d1+12], %r1; ret;\n}\n";

Test(textures, a_module_names_what_the_host_binds)
{
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    struct module *m = load_text(d, "references", references);
    struct rp_array *a = ramp(d, real);
    uint64_t texture = texture_of(d, a, (struct rp_sampler){.border = {-7}}), surface = rp_surface_new(d, a, &err);
    cr_expect_eq(rp_reference_find(d, m, "colours"), RP_REFERENCE_TEXTURE);
    cr_expect_eq(rp_reference_find(d, m, "canvas"), RP_REFERENCE_SURFACE);
    cr_expect_eq(rp_reference_find(d, m, "edge"), RP_REFERENCE_SAMPLER);
    cr_expect_eq(rp_reference_find(d, m, "named"), RP_REFERENCE_NONE);
    cr_expect(!rp_reference_bind(d, m, "colours", surface, &err) && strstr(err.text, "which is no texture object"));
    cr_expect(!rp_reference_bind(d, m, "canvas", texture, &err) && strstr(err.text, "which is no surface object"));
    cr_expect(!rp_reference_bind(d, m, "shades", texture, &err) && strstr(err.text, "has no texture, sampler or"));
    cr_assert(rp_reference_bind(d, m, "colours", texture, &err) && rp_reference_bind(d, m, "canvas", surface, &err));
    uint64_t out = new_buffer(d, 16);
    struct rp_launch_config c = config_of(1, 1, &out);
    launch(d, m, &c);
    const float *got = rp_host_read(d, out, 16);
    cr_expect(got[0] == 12 && got[1] == 12 && got[2] == 0 && got[3] == 22, "%g %g %g %g", (double)got[0],
              (double)got[1], (double)got[2], (double)got[3]);
    rp_device_free(d);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

#define ONE(name, instruction)                                                                                         \
    ".visible .entry " name "(.param .u64 object, .param .u64 x, .param .u64 out)\n{\n.reg .b64 %d<4>; .reg .f32 "     \
    "%f<5>; .reg .b32 %r<6>;\nld.param.u64 %d1, [object]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [x]; mov.b32 "    \
    "%r5, %tid.x; mov.b32 %f4, %r1;\n" instruction "\nst.global.b32 [%d2], %r2; ret;\n}\n"

static char said[2000];
static enum rp_fault_kind fault_of(struct rp_device *d, const char *body, uint64_t object, uint64_t x)
{
    struct rp_error err = {0};
    static unsigned modules;
    char name[20];
    snprintf(name, sizeof name, "faulty%u", modules++);
    struct module *m = load_text(d, name, body);
    uint64_t params[3] = {object, x, new_buffer(d, 4)};
    struct rp_launch_config c = config_of(1, 1, params);
    struct rp_launch_result result = {0};
    struct program *p = module_find(m, NULL, &err);
    cr_assert(p, "%s", err.text);
    rp_launch_kernel(d, p, &c, &result, &err);
    snprintf(said, sizeof said, "%s", err.text);
    return result.fault;
}
#define EXPECT_FAULT(kind, words, body, object, x)                                                                     \
    cr_expect(fault_of(d, body, object, x) == (kind) && strstr(said, words), "%s", said)

Test(textures, what_goes_wrong_is_a_fault)
{
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    struct rp_array *a = ramp(d, real);
    uint64_t texture = texture_of(d, a, (struct rp_sampler){0}), surface = rp_surface_new(d, a, &err);
    static const char flat[] = ONE("flat", "tex.2d.v4.u32.f32 {%r2,_,_,_}, [%d1, {%f4, %f4}];");
    static const char line[] = ONE("line", "tex.1d.v4.u32.f32 {%r2,_,_,_}, [%d1, {%f4}];");
    static const char load[] = ONE("load", "suld.b.2d.b32.trap %r2, [%d1, {%r1, 1}];");
    static const char wide[] = ONE("wide", "suld.b.2d.b64.zero %d3, [%d1, {%r1, 1}];");
    static const char ask[] = ONE("ask", "txq.width.b32 %r2, [%d1];");
    EXPECT_FAULT(RP_FAULT_TEXTURE, "handle 0x0 is no texture: the reference or parameter was not set", flat, 0, 0);
    EXPECT_FAULT(RP_FAULT_TEXTURE, "handle 0x63 is no texture", flat, 99, 0);
    EXPECT_FAULT(RP_FAULT_TEXTURE, "is neither a handle nor the address of a reference", flat, 1ull << 40, 0);
    EXPECT_FAULT(RP_FAULT_TEXTURE, "is no texture", flat, surface, 0);
    EXPECT_FAULT(RP_FAULT_TEXTURE, "is no surface", load, texture, 0);
    EXPECT_FAULT(RP_FAULT_TEXTURE, "is no texture", ask, surface, 0);
    EXPECT_FAULT(RP_FAULT_TEXTURE, "a 1D access, but the texture is a 2D one", line, texture, 0);
    EXPECT_FAULT(RP_FAULT_BOUNDS, "outside of the surface, at x 32", load, surface, 32);
    EXPECT_FAULT(RP_FAULT_MISALIGNED, "x is byte 4, not a multiple of 8", wide, surface, 4);
    cr_expect_eq(fault_of(d, load, surface, 28), RP_FAULT_NONE, "%s", said);
    struct rp_resource linear = {
        .kind = RP_RESOURCE_LINEAR, .element = real, .bytes = 64, .address = new_buffer(d, 64)};
    uint64_t plain = rp_texture_new(d, &linear, &(struct rp_sampler){0}, NULL, &err);
    EXPECT_FAULT(RP_FAULT_TEXTURE, "a texture of linear memory takes integer coordinates only", line, plain, 0);
    cr_assert(rp_texture_free(d, texture, &err) && rp_array_free(d, a, &err), "%s", err.text);
    EXPECT_FAULT(RP_FAULT_TEXTURE, "is no texture", flat, texture, 0);
    EXPECT_FAULT(RP_FAULT_BOUNDS, "global memory", load, surface, 0);
    rp_device_free(d);
}

/* NaN counts as 0; what is far away is as far as the image goes. */
Test(textures, any_coordinate_has_a_texel)
{
    static const struct {
        float x, expected;
    } cases[] = {{NAN, 0}, {-INFINITY, 0}, {INFINITY, 7 + 30}, {3e38f, 37}, {-1e-45f, 0}, {0x1p24f, 37}};
    struct rp_device *d = new_device();
    uint64_t texture = texture_of(d, ramp(d, real), (struct rp_sampler){.address = {1, 1}});
    struct module *m = load_text(d, "any", ONE("any", "tex.2d.v4.u32.f32 {%r2,_,_,_}, [%d1, {%f4, %f4}];"));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t params[3] = {texture, 0, new_buffer(d, 4)};
        memcpy(&params[1], &cases[i].x, 4);
        struct rp_launch_config c = config_of(1, 1, params);
        launch(d, m, &c);
        const float *got = rp_host_read(d, params[2], 4);
        cr_expect(*got == cases[i].expected, "%g: %g, not %g", (double)cases[i].x, (double)*got,
                  (double)cases[i].expected);
    }
    rp_device_free(d);
}

/* ---- what cannot be made ----------------------------------------------------------------------------------------- */

#define EXPECT_ERROR(made, expected)                                                                                   \
    do {                                                                                                               \
        struct rp_error err = {0};                                                                                     \
        cr_expect(!(made) && strstr(err.text, expected), "%s", err.text);                                              \
    } while (0)

Test(textures, what_does_not_exist_is_refused)
{
    struct rp_device *d = new_device();
    struct rp_array *a = ramp(d, byte);
    struct rp_array_config c[] = {
        {.element = {RP_ELEMENT_FLOAT, 8, 1}, .width = 4},
        {.element = {RP_ELEMENT_SIGNED, 8, 3}, .width = 4},
        {.element = byte},
        {.element = byte, .width = 4, .depth = 4},
        {.element = byte, .width = 1 << 20},
        {.element = byte, .width = 4, .height = 5, .depth = 6, .flags = RP_ARRAY_CUBEMAP},
        {.element = byte, .width = 4, .height = 4, .depth = 7, .flags = RP_ARRAY_CUBEMAP | RP_ARRAY_LAYERED},
    };
    for (unsigned i = 0; i < 2; i++)
        EXPECT_ERROR(rp_array_new(d, &c[i], NULL, &err), "no array or texture has elements");
    for (unsigned i = 2; i < sizeof c / sizeof *c; i++)
        EXPECT_ERROR(rp_array_new(d, &c[i], NULL, &err), "elements");
    struct rp_array_config deep = {.element = byte, .width = 4, .height = 4, .levels = 4};
    EXPECT_ERROR(rp_array_new(d, &deep, NULL, &err), "has at most 3 levels, not 4");
    EXPECT_ERROR(rp_array_level(a, 1, &err), "the array has 1 levels, no level 1");
    struct rp_array_box box = {.x = 1, .width = WIDTH, .height = 1};
    uint8_t bytes[WIDTH];
    EXPECT_ERROR(rp_array_read(d, a, &box, bytes, WIDTH, 0, &err), "is not inside the array");
    struct rp_resource whole = {.array = a}, odd = {.kind = RP_RESOURCE_PITCH, .element = real, .address = 0x400000002};
    struct rp_sampler s = {0}, strange = {.filter = 2};
    struct rp_resource_view wider = {.element = real}, beyond = {.last_level = 1};
    EXPECT_ERROR(rp_texture_new(d, &whole, &strange, NULL, &err), "mode that does not exist");
    EXPECT_ERROR(rp_texture_new(d, &odd, &s, NULL, &err), "cannot read 0x400000002");
    EXPECT_ERROR(rp_texture_new(d, &whole, &s, &wider, &err), "a view takes elements of 1 bytes for elements of 4");
    EXPECT_ERROR(rp_texture_new(d, &whole, &s, &beyond, &err), "levels 0 to 1");
    EXPECT_ERROR(rp_texture_free(d, 7, &err), "0x7 is no texture object");
    EXPECT_ERROR(rp_array_free(d, rp_array_level(a, 0, &err), &err), "it is a level of one");
    rp_device_free(d);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

Test(textures, boxes_are_copied_to_and_fro)
{
    enum { W = 150, H = 21, D = 3, BYTES = W * H * D };
    static uint8_t image[BYTES], back[BYTES];
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    struct rp_array_config c = {.element = byte, .width = W, .height = H, .depth = D};
    struct rp_array *a = rp_array_new(d, &c, "box", &err);
    struct rp_array_box all = {.width = W, .height = H, .depth = D}, part = {17, 5, 1, 101, 9, 2};
    for (int i = 0; i < BYTES; i++)
        image[i] = (uint8_t)(i * 7 + i / 251);
    cr_assert(rp_array_write(d, a, &all, image, W, W * H, &err), "%s", err.text);
    cr_assert(rp_array_read(d, a, &part, back, 101, 101 * 9, &err), "%s", err.text);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 9; y++)
            cr_assert_arr_eq(back + (z * 9 + y) * 101, image + ((z + 1) * H + y + 5) * W + 17, 101);
    memset(back, 0xee, sizeof back);
    cr_assert(rp_array_write(d, a, &part, back, 101, 101 * 9, &err), "%s", err.text);
    for (int z = 1; z < 3; z++)
        for (int y = 5; y < 14; y++)
            memset(image + (z * H + y) * W + 17, 0xee, 101);
    cr_assert(rp_array_read(d, a, &all, back, W, W * H, &err), "%s", err.text);
    cr_expect_arr_eq(back, image, BYTES);
    rp_device_free(d);
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

/* Each thread reads between four texels and adds to a place of a surface that others add to, too. */
static const char blend[] =
    ".visible .entry blend(.param .u64 texture, .param .u64 surface, .param .u64 out)\n{\n"
    ".reg .b64 %d<6>; .reg .f32 %f<5>; .reg .b32 %r<8>;\n"
    "ld.param.u64 %d1, [texture]; ld.param.u64 %d2, [surface]; ld.param.u64 %d3, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; and.b32 %r3, %r1, 7; shr.u32 %r4, %r1, 3; cvt.rn.f32.u32 %f1, %r3; "
    "cvt.rn.f32.u32 %f2, %r4; add.f32 %f1, %f1, 0f3F800000;\n"
    "tex.2d.v4.f32.f32 {%f3,_,_,_}, [%d1, {%f1, %f2}];\nshl.b32 %r5, %r3, 2;\n"
    "sured.b.add.2d.u32.trap [%d2, {%r5, %r4}], %r2;\n"
    "mad.lo.u32 %r6, %r2, 32, %r1; mul.wide.u32 %d4, %r6, 4; add.u64 %d5, %d3, %d4; st.global.f32 [%d5], %f3; "
    "ret;\n}\n";

static void record(unsigned threads, struct test_trace *t, uint64_t *array)
{
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    struct module *m = load_text(d, "blend", blend);
    struct rp_array *a = ramp(d, real), *canvas = ramp(d, (struct rp_element){RP_ELEMENT_UNSIGNED, 32, 1});
    struct rp_sampler s = {.filter = RP_FILTER_LINEAR, .address = {RP_ADDRESS_BORDER, RP_ADDRESS_CLAMP}};
    uint64_t bytes, params[3] = {texture_of(d, a, s), rp_surface_new(d, canvas, &err), new_buffer(d, 64 * THREADS * 4)};
    *array = rp_array_address(a, &bytes);
    struct rp_launch_config c = config_of(64, THREADS, params);
    c.threads = threads;
    begin_trace(t);
    c.writer = t->writer;
    launch(d, m, &c);
    end_trace(t);
    uint32_t sums[HEIGHT][WIDTH];
    struct rp_array_box box = {.width = WIDTH * 4, .height = HEIGHT};
    cr_assert(rp_array_read(d, canvas, &box, sums, WIDTH * 4, 0, &err), "%s", err.text);
    cr_expect_eq(sums[0][0], 64 * 63 / 2);
    rp_device_free(d);
}

Test(textures, a_trace_has_the_texels_and_does_not_depend_on_threads)
{
    struct test_trace one, four;
    uint64_t array, again;
    record(1, &one, &array);
    record(4, &four, &again);
    cr_expect(array == again && one.size == four.size && !memcmp(one.bytes, four.bytes, one.size));
    struct rp_error err = {0};
    struct rp_block *b = rp_block_open(one.trace, 0, 0, &err);
    struct rp_cursor cursor;
    struct rp_step s = {0};
    cr_assert(b && rp_cursor_open(&cursor, b, 0, &err), "%s", err.text);
    while (rp_cursor_next(&cursor, &s, &err) == 1 && strncmp(s.instruction->text, "tex", 3))
        ;
    cr_assert_eq(s.instruction->memory_count, 4);
    cr_expect_eq(s.instruction->unit_class, RP_CLASS_TEXTURE);
    for (unsigned n = 0; n < 4; n++) {
        uint64_t at[RP_WARP_LANES];
        rp_access_addresses(&s.accesses[n], at);
        for (unsigned l = 0; l < THREADS; l++) {
            int x = (int)(l % 8) + (int)(n & 1), y = (int)(l / 8) - 1 + (int)(x < WIDTH && n > 1);
            y = y < 0 ? 0 : y;
            x = x < WIDTH ? x : WIDTH - 1; /* the border: the lane's first texel is named again */
            /* blocks of 64 bytes by 8 rows, pieces of 16 bytes in the order of image.h */
            uint64_t place = (uint64_t)(y >> 1 << 6 | (x * 4 & 16) << 1 | (y & 1) << 4 | (x * 4 & 15));
            cr_expect_eq(at[l], array + place, "texel %u of lane %u", n, l);
        }
    }
    rp_cursor_close(&cursor);
    rp_block_close(b);
    free_trace(&one);
    free_trace(&four);
}
