/* Textures and surfaces in the machine code that NVIDIA's ptxas makes of PTX, for sm_50 to sm_90: the same bits as the
 * PTX, on the same random images. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/isa/sass/lower.h"
#include "frontend/loader/isa.h"
#include "tests/support/toolchain.h"
#include "tests/unit/ptx_forms/image_rig.h"

enum { FORMS = 48, TEXT = 1 << 18, BODY = 800, MORE = 300, HANDLE = IMAGE_INPUTS - 2, ROWS = 4096 };
enum { FIRST_WITH_F16 = 53, FIRST_WITH_PREDICATE = 60 };

/* A generation of machine code. */
struct generation {
    const struct sass_family *family;
    const char *release; /* of ptxas, which compiles for it here */
    bool reached[ROWS];  /* some kernel has an instruction of this row */
};
static struct generation generation_of(unsigned sm)
{
    return (struct generation){.family = isa_of_sm(sm)->family, .release = sm < 70 ? "12.3" : "12.9"};
}

typedef bool (*open_form)(struct image_rig *, const struct spelled *, char *body, size_t size);

struct batch {
    struct generation *of;
    struct spelled forms[FORMS];
    unsigned sm, count, compared, refused, all;
    open_form open;
    bool bindless; /* the handle comes from memory, not from a parameter */
    char *text;
    size_t length;
    char cubin[80];
};

static void without_predicate(char *body)
{
    char *bar = strstr(body, "|%p1");
    if (bar)
        memmove(bar, bar + 4, strlen(bar + 4) + 1);
}

/* Drops components of the result, another set for each form, so that machine code asks for the others alone. */
static void without_components(const struct spelled *s, char *body, unsigned number)
{
    const unsigned keep = number % 2 ? 15 : 1 + number / 2 % 15;
    const bool halves = s->mods.types[0] == PT_F16 || s->mods.types[0] == PT_F16X2;
    for (unsigned c = 0; c < 4; c++) {
        char drop[50], *end = body + strlen(body);
        snprintf(drop, sizeof drop, "mov.b32 %%r%u, 0;", 20 + c);
        if (halves)
            snprintf(drop, sizeof drop, "and.b32 %%r%u, %%r%u, 0x%x;", 20 + c / 2, 20 + c / 2,
                     c % 2 ? 0xffff : 0xffff0000);
        if (!(keep >> c & 1))
            snprintf(end, (size_t)(body + BODY + MORE - end), "%s", drop);
    }
}

/* Opens the form's image, with the handle among the inputs. */
static bool open_image(const struct batch *b, struct image_rig *r, const struct spelled *s, unsigned number, char *body)
{
    char opened[BODY];
    if (!b->open(r, s, opened, sizeof opened))
        return false;
    if (b->sm < FIRST_WITH_PREDICATE || number % 3) /* short forms of sm_50 to sm_62 have none */
        without_predicate(opened);
    snprintf(body, BODY + MORE, "%s%s", b->bindless ? "ld.global.b64 %d0, [%in+72];" : "", opened);
    if (b->open == texture_form_open)
        without_components(s, body, number + b->sm);
    for (unsigned t = 0; t < IMAGE_THREADS; t++)
        memcpy(&r->in[t][HANDLE], &r->handle, sizeof r->handle);
    return true;
}

static void mark_rows(struct generation *g, const struct program *p, unsigned sm)
{
    const struct sass_table *t = g->family->table;
    for (uint32_t i = 0; i < p->kernel.instruction_count; i++) {
        const struct rp_instruction *in = &p->kernel.instructions[i];
        if (in->raw_size) /* functions of the runtime have none */
            g->reached[sass_find(t, sass_word_at(t, in->raw), t->arch(sm)) - t->rows] = true;
    }
}

static void assemble(struct batch *b)
{
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    char ptx[40] = "/tmp/reprise-images-XXXXXX", command[700];
    int fd = mkstemp(ptx);
    cr_assert_geq(fd, 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, ".version 8.1\n.target sm_%u\n.address_size 64\n%s", b->sm, b->text);
    fclose(f);
    snprintf(b->cubin, sizeof b->cubin, "%s.cubin", ptx);
    snprintf(command, sizeof command, "%s/toolchain/%s/ptxas -w -arch=sm_%u -o %s %s", build, b->of->release, b->sm,
             b->cubin, ptx);
    int status = system(command);
    unlink(ptx);
    cr_assert_eq(status, 0, "ptxas: %d", status);
}

/* False: the machine code is refused, by name. */
static bool run_cubin(struct image_rig *r, const struct batch *b, unsigned form)
{
    struct rp_error err = {0};
    char name[20];
    struct module *m = rp_device_load(r->device, b->cubin, &err);
    cr_assert(m, "%s", err.text);
    snprintf(name, sizeof name, "k%u", form);
    struct program *p = module_find(m, name, &err);
    if (!p) {
        cr_assert(strstr(err.text, "not covered yet"), "%s: %s", b->forms[form].text, err.text);
        return false;
    }
    mark_rows(b->of, p, b->sm);
    cr_assert(image_run(r, p, &err), "%s: %s", b->forms[form].text, err.text);
    return true;
}

static uint8_t *array_of(const struct image_rig *r, size_t *bytes)
{
    uint64_t size, at = rp_array_address(r->array, &size);
    *bytes = size;
    return rp_host(r->device, at, size);
}

static void compare(struct batch *b, unsigned form, uint64_t seed)
{
    struct image_rig ptx, cubin;
    struct rp_error err = {0};
    char body[BODY + MORE];
    size_t bytes;
    image_seed(seed);
    open_image(b, &cubin, &b->forms[form], b->all + form, body);
    if (!run_cubin(&cubin, b, form)) {
        b->refused++;
        rig_close(&cubin);
        return;
    }
    image_seed(seed);
    open_image(b, &ptx, &b->forms[form], b->all + form, body);
    cr_assert(image_run(&ptx, image_kernel(&ptx, body), &err), "%s: %s", b->forms[form].text, err.text);
    cr_expect_arr_eq(ptx.out, cubin.out, sizeof ptx.out, "%s: results differ", b->forms[form].text);
    uint8_t *content = array_of(&ptx, &bytes);
    cr_expect_arr_eq(content, array_of(&cubin, &bytes), bytes, "%s: arrays differ", b->forms[form].text);
    b->compared++;
    rig_close(&cubin);
    rig_close(&ptx);
}

/* All that has come together so far. */
static void compare_batch(struct batch *b)
{
    if (b->count)
        assemble(b);
    for (unsigned i = 0; i < b->count; i++)
        compare(b, i, 100 + b->all + i);
    if (b->count)
        unlink(b->cubin);
    b->all += b->count;
    b->count = 0;
    b->length = 0;
}

static void add_form(const struct spelled *s, void *data)
{
    struct batch *b = data;
    struct image_rig r;
    char body[BODY + MORE], name[20];
    const bool halves = s->mods.types[0] == PT_F16 || s->mods.types[0] == PT_F16X2;
    image_seed(1);
    if ((halves && b->sm < FIRST_WITH_F16) || !open_image(b, &r, s, b->all + b->count, body))
        return;
    rig_close(&r);
    snprintf(name, sizeof name, "k%u", b->count);
    b->length += image_kernel_text(b->text + b->length, TEXT - b->length, name, body);
    b->forms[b->count++] = *s;
    if (b->count == FORMS)
        compare_batch(b);
}

static void walk(struct batch *b, const char *opcode)
{
    const bool each = b->sm >= 60 && strcmp(opcode, "sust") != 0 && strcmp(opcode, "suld") != 0;
    uint32_t count;
    const struct ptx_form *forms = ptx_opcode(opcode, (uint32_t)strlen(opcode), &count);
    for (uint32_t i = 0; i < count; i++)
        if (forms[i].lowering != LOW_NONE)
            walk_row(&forms[i], each, add_form, b);
}

/* At least so many forms agree. Before sm_90 gradients of more than two dimensions are refused. */
struct run {
    unsigned sm;
    const char *opcode;
    bool bindless;
    open_form open;
    unsigned least;
};

static void compare_all(struct generation *of, const struct run *run)
{
    struct batch *b = calloc(1, sizeof *b);
    b->of = of;
    b->text = malloc(TEXT);
    b->open = run->open;
    b->sm = run->sm;
    b->bindless = run->bindless;
    walk(b, run->opcode);
    compare_batch(b);
    fprintf(stderr, "# %s, sm_%u: %u forms agree, %u are refused\n", run->opcode, run->sm, b->compared, b->refused);
    cr_expect_gt(b->compared, run->least, "%s", run->opcode);
    cr_expect(!b->refused || (!strcmp(run->opcode, "tex") && b->refused < 30), "%s: %u are refused", run->opcode,
              b->refused);
    free(b->text);
    free(b);
}

/* Two that PTX cannot say: loads of elements in their own format, and reductions of them but by .D. */
static bool is_left_out(const struct sass_row *row)
{
    return !strcmp(row->semantic, "SULD.P") || !strcmp(row->semantic, "SURED.P");
}

static void expect_meanings_reached(const struct generation *g)
{
    const struct sass_table *t = g->family->table;
    for (unsigned i = 0; i < t->row_count; i++) {
        const struct sass_row *row = &t->rows[i];
        bool seen = !sass_find_meaning(g->family, row) || row->unit_class != RP_CLASS_TEXTURE || is_left_out(row);
        for (unsigned k = 0; k < t->row_count && !seen; k++)
            seen = g->reached[k] && !strcmp(t->rows[k].semantic, row->semantic);
        cr_expect(seen, "no kernel has %s", row->semantic);
    }
}

static bool has_number(const struct sass_row *row, unsigned at, unsigned width)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_IMMEDIATE && i->f.at == at && i->f.width == width)
            return true;
    return false;
}

static bool has_letter(const struct sass_row *row, const char *letter)
{
    const struct sass_item *i = row->items;
    while (i->kind != SI_END && i->kind != SI_MODIFIER)
        i++;
    return i->kind == SI_MODIFIER && i->count == 1 && !strcmp(i->names[0], letter);
}

static bool has_uniform_register(const struct sass_row *row)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REGISTER && i->file == FILE_UNIFORM)
            return true;
    return false;
}

/* Why no kernel has a word of the row, of those of sm_70 and later; NULL: one must. */
static const char *reason(const struct sass_table *t, const struct sass_row *row)
{
    if (has_number(row, 40, 6))
        return "refused: an index of a texture and one of a sampler";
    if (!strcmp(row->semantic, "SULD") && has_letter(row, "P"))
        return "refused: PTX has no load in the element's format";
    if (row->archs == t->arch(75) && row->name[0] == 'S' && has_uniform_register(row))
        return "ptxas keeps handles of surfaces in uniform registers from sm_90 on, which has other rows";
    return NULL;
}

static void expect_rows_reached(const struct generation *g)
{
    const struct sass_table *t = g->family->table;
    for (unsigned i = 0; i < t->row_count; i++) {
        const struct sass_row *row = &t->rows[i];
        const char *why = reason(t, row);
        if (sass_find_meaning(g->family, row) && row->unit_class == RP_CLASS_TEXTURE)
            cr_expect_eq(g->reached[i], !why, "row %u, %s %03x for %#x: %s", i, row->semantic, row->value, row->archs,
                         why ? "reached, but said to be left out" : "no kernel has it");
    }
}

static void expect_agreement(const struct run *runs)
{
    struct generation g = generation_of(runs->sm);
    need_toolchain();
    cr_assert_leq(g.family->table->row_count, (unsigned)ROWS);
    for (const struct run *r = runs; r->sm; r++)
        compare_all(&g, r);
    if (runs->sm < 70)
        expect_meanings_reached(&g);
    else
        expect_rows_reached(&g);
}

Test(images_ptxas, code_of_sm_50_to_62_does_what_its_ptx_does)
{
    static const struct run runs[] = {{61, "tex", false, texture_form_open, 350},
                                      {52, "tex", false, texture_form_open, 10},
                                      {60, "tex", true, texture_form_open, 350},
                                      {61, "tld4", false, texture_form_open, 50},
                                      {50, "tld4", true, texture_form_open, 5},
                                      {61, "suld", true, surface_form_open, 10},
                                      {52, "sust", false, surface_form_open, 10},
                                      {61, "sured", false, surface_form_open, 50},
                                      {61, "txq", false, extent_form_open, 2},
                                      {52, "txq", true, extent_form_open, 2},
                                      {0, NULL, false, NULL, 0}};
    expect_agreement(runs);
}

Test(images_ptxas, code_of_sm_70_to_90_does_what_its_ptx_does)
{
    static const struct run runs[] = {
        {70, "tex", false, texture_form_open, 350},  {70, "tex", true, texture_form_open, 350},
        {75, "tex", false, texture_form_open, 350},  {80, "tex", true, texture_form_open, 350},
        {86, "tex", false, texture_form_open, 350},  {90, "tex", false, texture_form_open, 350},
        {90, "tex", true, texture_form_open, 350},   {70, "tld4", true, texture_form_open, 50},
        {75, "tld4", false, texture_form_open, 50},  {86, "tld4", true, texture_form_open, 50},
        {90, "tld4", true, texture_form_open, 50},   {70, "suld", true, surface_form_open, 10},
        {75, "suld", false, surface_form_open, 10},  {80, "suld", false, surface_form_open, 10},
        {86, "suld", true, surface_form_open, 10},   {90, "suld", true, surface_form_open, 10},
        {70, "sust", false, surface_form_open, 10},  {75, "sust", true, surface_form_open, 10},
        {80, "sust", true, surface_form_open, 10},   {86, "sust", false, surface_form_open, 10},
        {90, "sust", true, surface_form_open, 10},   {70, "sured", true, surface_form_open, 50},
        {75, "sured", false, surface_form_open, 50}, {80, "sured", false, surface_form_open, 50},
        {86, "sured", true, surface_form_open, 50},  {90, "sured", true, surface_form_open, 50},
        {70, "txq", true, query_form_open, 17},      {75, "txq", false, query_form_open, 17},
        {86, "txq", true, query_form_open, 17},      {90, "txq", true, query_form_open, 17},
        {70, "suq", false, query_form_open, 6},      {86, "suq", true, query_form_open, 6},
        {90, "suq", false, query_form_open, 6},      {0, NULL, false, NULL, 0}};
    expect_agreement(runs);
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static const char named[] =
    ".global .texref colours;\n.global .surfref canvas;\n"
    ".visible .entry k0(.param .u64 object, .param .u64 in, .param .u64 out) {\n.reg .b64 %d<3>; .reg .b32 %r<9>;\n"
    "ld.param.u64 %d1, [out];\n"
    "tex.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [colours, {0f40200000, 0f3FC00000}]; st.global.v4.u32 [%d1], "
    "{%r1,%r2,%r3,%r4};\n"
    "suld.b.2d.b8.trap %r5, [canvas, {0, 0}]; st.global.b32 [%d1+16], %r5;\nret;\n}\n";

static void bind_by_name(unsigned sm)
{
    struct rp_error err = {0};
    struct image_rig r;
    struct batch *b = calloc(1, sizeof *b);
    struct generation g = generation_of(sm);
    b->of = &g;
    b->sm = sm;
    b->text = strdup(named);
    assemble(b);
    image_seed(3);
    rig_open(&r, 2, false);
    rig_texture(&r, &(struct rp_sampler){.read_as_integer = true}, false);
    uint64_t texture = r.handle;
    rig_surface(&r);
    struct module *m = rp_device_load(r.device, b->cubin, &err);
    cr_assert(m, "%s", err.text);
    cr_expect_eq(rp_reference_find(r.device, m, "colours"), RP_REFERENCE_TEXTURE);
    cr_expect_eq(rp_reference_find(r.device, m, "canvas"), RP_REFERENCE_SURFACE);
    struct program *p = module_find(m, "k0", &err);
    cr_assert(p, "%s", err.text);
    cr_expect(!image_run(&r, p, &err) && strstr(err.text, "handle 0x0 is no texture: the reference or parameter"), "%s",
              err.text);
    cr_assert(rp_reference_bind(r.device, m, "colours", texture, &err), "%s", err.text);
    cr_assert(rp_reference_bind(r.device, m, "canvas", r.handle, &err), "%s", err.text);
    cr_assert(image_run(&r, p, &err), "%s", err.text);
    const struct model_fetch at = {.kind = MODEL_FILTER, .dimensions = 2, .at = {2.5f, 1.5f}};
    struct model_answer a = model_fetched(&r.model, &(struct rp_sampler){.read_as_integer = true}, &at);
    for (int c = 0; c < 4 && !a.is_float; c++)
        cr_expect_eq(r.out[0][c], a.bits[c]);
    cr_expect_eq(r.out[0][4] & 0xff, *texel_at(&r.model, 0, 0, 0, 0, 0));
    unlink(b->cubin);
    rig_close(&r);
    free(b->text);
    free(b);
}

/* The loader puts handles into words of constant bank 0 that relocations name. */
Test(images_ptxas, references_of_machine_code_are_bound_by_name)
{
    static const unsigned targets[] = {61, 70, 75, 86, 90};
    need_toolchain();
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++)
        bind_by_name(targets[i]);
}
