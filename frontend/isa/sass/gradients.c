/* Functions of the device's runtime that fetch from a texture with gradients. Code of sm_90 calls one where the
 * hardware has no instruction: for 3D textures and cubes. ptxas passes the handle in R4 and R5, the layer and the
 * coordinates in four registers from R8 on, the gradients in four from R12 on and in four words where R1 points, and
 * offsets in the four words after these. It expects in R4 whether all is resident, and the result in the registers from
 * R5 on. As the other functions, each is one instruction; traces do not have the texels. */
#include <string.h>

#include "frontend/isa/sass/texture.h"

enum { HANDLE = 4, COORDINATES = 8, DX = 12, RESIDENT = 4, RESULT = 5, VECTOR_WORDS = 4 };

static const struct gradient {
    const char *name, *geometry, *end; /* names of other types have these parts, too */
    uint8_t dimension;
    bool layered, offset, halves;
} gradients[GRADIENT_FUNCTIONS] = {
    {"tex_grad_3d_v4_f32_f32", "3d_v4_", "", 2, false, false, false},
    {"tex_grad_3d_v4_f32_f32_offset", "3d_v4_", "_offset", 2, false, true, false},
    {"tex_grad_cube_v4_f32_f32", "cube_v4_", "", 3, false, false, false},
    {"tex_grad_acube_v4_f32_f32", "acube_v4_", "", 3, true, false, false},
    {"tex_grad_3d_v4_f16_f32", "3d_v4_", "", 2, false, false, true},
    {"tex_grad_3d_v4_f16_f32_offset", "3d_v4_", "_offset", 2, false, true, true},
    {"tex_grad_cube_v4_f16_f32", "cube_v4_", "", 3, false, false, true},
    {"tex_grad_acube_v4_f16_f32", "acube_v4_", "", 3, true, false, true},
};

const char *gradient_function_name(uint32_t n) { return gradients[n].name; }

/* Moves past a prefix. */
static bool skip(const char **text, const char *prefix)
{
    size_t n = strlen(prefix);
    bool has = !strncmp(*text, prefix, n);
    *text += has ? n : 0;
    return has;
}

bool gradient_function(const char *symbol, uint32_t *n)
{
    if (!skip(&symbol, "__cuda_syscall_tex_grad_"))
        return false;
    skip(&symbol, "pred_");
    for (*n = 0; *n < GRADIENT_FUNCTIONS; ++*n) {
        const struct gradient *g = &gradients[*n];
        const char *rest = symbol;
        if (!skip(&rest, g->geometry))
            continue;
        bool words = skip(&rest, "f32") || skip(&rest, "s32") || skip(&rest, "u32");
        if (words == g->halves || (g->halves && !skip(&rest, "f16")))
            continue;
        if (skip(&rest, "_f32") && !strcmp(rest, g->end))
            return true;
    }
    return false;
}

/* Adds words of the stack. */
static void add_words(struct sass_lowering *l, struct sass_inputs *in, unsigned offset, unsigned count)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B32, .dtype = T_B32, .stype = T_U32, .flags = UF_SILENT};
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_LOCAL, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 4};
    u.a = read_register(&l->b, STACK_POINTER);
    for (unsigned i = 0; i < count; i++) {
        u.imm = offset + 4 * i;
        in->at[in->count++] = u.d = sass_temporary(&l->b);
        sass_emit(&l->b, u);
    }
}

void lower_gradient_function(struct sass_build *b, uint32_t n)
{
    static const unsigned registers[SASS_CHANNELS] = {RESULT, RESULT + 1, RESULT + 2, RESULT + 3};
    static const unsigned halves[SASS_CHANNELS] = {RESULT, RESULT, RESULT + 1, RESULT + 1};
    struct sass_lowering *l = (struct sass_lowering *)b;
    const struct gradient *g = &gradients[n];
    struct fetch f = sass_fetch(l, FETCH_FILTER, g->dimension, g->layered);
    struct operation u = sass_begin_fetch();
    struct sass_inputs in = {.count = 0};
    unsigned coordinates = COORDINATES, dx = DX;
    f.level = FETCH_GRADIENT;
    f.has_offset = g->offset;
    u.flags |= UF_SILENT;
    u.stype = T_U32;
    u.a = read_register(b, HANDLE);
    sass_take_inputs(l, &in, &coordinates, f.dimensions + f.layered);
    sass_take_inputs(l, &in, &dx, f.dimensions);
    add_words(l, &in, 0, f.dimensions);
    if (g->offset)
        add_words(l, &in, 4 * VECTOR_WORDS, f.dimensions);
    sass_end_fetch(l, &u, &f, &in);
    sass_emit_fetch(l, &u, 15, g->halves ? halves : registers, g->halves ? SASS_HALVES : SASS_WORDS);
    move32(b, written(b, RESIDENT), constant32(b, 1));
}
