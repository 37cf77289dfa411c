/* Loads cubins of any generation. */
#include <stdlib.h>
#include <string.h>

#include "frontend/core/image.h"
#include "frontend/isa/sass/listing.h"
#include "frontend/isa/sass/lower.h"
#include "frontend/module/module.h"

/* Local memory per thread of kernels with recursion, whose need is unknown. */
enum { UNKNOWN_STACK = 16 << 10, STACK_ALIGN = 16, REFERENCE_STEP = 64 };
/* The most bytes before a variable that can be padding for its alignment. */
enum { MOST_PADDING = 256 };

/* Whether code contains functions other than the compiler's own helpers, which have no frames. */
static bool has_functions(const struct cubin_kernel *k)
{
    static const char helper[] = "$__internal_";
    for (uint32_t i = 0; i < k->function_count; i++)
        if (strncmp(k->functions[i].name, helper, sizeof helper - 1) != 0)
            return true;
    return false;
}

/* The stack that a kernel needs. ptxas 12.9 gives a kernel's own frame as its whole stack, even if functions that it
 * calls have frames; for sm_90 it gives no frames of these functions, either. */
static uint32_t stack_of(const struct cubin *c, const struct cubin_kernel *k)
{
    enum { FIRST_WITHOUT_FRAMES = 90 };
    bool calls = k->callee_bytes || (c->sm >= FIRST_WITHOUT_FRAMES && has_functions(k));
    if (k->stack_bytes == CUBIN_UNKNOWN || (k->stack_bytes <= k->frame_bytes && calls))
        return UNKNOWN_STACK;
    return k->stack_bytes > k->frame_bytes ? k->stack_bytes : k->frame_bytes;
}

struct cubin_module {
    struct loaded_module loaded; /* first */
    const struct sass_family *family;
    jmp_buf escape;
    struct cubin *cubin;
    struct cubin_kernel **entries; /* by program */
    struct sass_banks *banks;      /* likewise */
    uint64_t references;           /* address of the first */
};

static bool failed(struct cubin_module *m, int how, struct rp_error *err)
{
    if (how == ARENA_FULL)
        rp_fail(err, RP_SYSTEM, "%.200s: out of memory", m->loaded.module.path);
    return false;
}

/* Finds the words of a kernel's constant bank 0 in which the file wants handles of references. */
static void find_reference_words(const struct cubin_module *m, struct sass_build *b)
{
    static const char bank[] = ".nv.constant0.";
    const struct module *out = &m->loaded.module;
    for (uint32_t i = 0; out->reference_count && i < m->cubin->relocation_count; i++) {
        const struct cubin_relocation *r = &m->cubin->relocations[i];
        if ((r->patch != CUBIN_PATCH_TEXTURE && r->patch != CUBIN_PATCH_SURFACE) ||
            strncmp(r->from, bank, sizeof bank - 1) || strcmp(r->from + sizeof bank - 1, b->kernel->name))
            continue;
        for (uint32_t k = 0; k < out->reference_count; k++) {
            struct sass_reference_word word = {r->offset, m->references + k * (uint64_t)REFERENCE_STEP};
            if (!strcmp(out->references[k].name, r->symbol))
                VECTOR_PUSH(b->arena, &b->references, word);
        }
    }
}

static uint32_t runtime_functions(const struct cubin_module *m)
{
    uint32_t most = HOST_FUNCTIONS;
    for (uint32_t i = 0; i < m->cubin->relocation_count; i++) {
        uint32_t n = sass_runtime_functions(m->family, m->cubin->relocations[i].symbol);
        most = n > most ? n : most;
    }
    return most;
}

static bool lower(struct loaded_module *loaded, struct program *p, struct rp_error *err)
{
    struct cubin_module *m = (struct cubin_module *)loaded;
    uint32_t index = (uint32_t)(p - loaded->module.programs);
    const struct cubin_kernel *k = m->entries[index];
    struct program done = {.name = p->name};
    struct sass_lowering l = {.b = {.family = m->family, .arena = &loaded->arena},
                              .err = err,
                              .escape = &m->escape,
                              .path = loaded->module.path};
    l.cubin = m->cubin;
    l.b.kernel = k;
    l.b.sm = m->cubin->sm;
    l.b.functions = runtime_functions(m);
    l.b.parameters = k->parameter_base ? k->parameter_base : m->family->parameters(m->cubin->sm);
    l.b.banks = &m->banks[index];
    l.arch = m->family->table->arch(m->cubin->sm);
    l.stack = (stack_of(m->cubin, k) + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
    int how = setjmp(m->escape);
    if (how)
        return failed(m, how, err);
    find_reference_words(m, &l.b);
    sass_lower(&l, &done);
    *p = done;
    return true;
}

/* Lays out the const image: bank 3 at its start, then bank 4, then the banks of each kernel. */
static void place_banks(struct cubin_module *m)
{
    struct module *out = &m->loaded.module;
    uint64_t size = 0;
    for (int pass = 0; pass < 2; pass++) {
        size = 0;
        for (uint32_t p = 0; p < out->program_count; p++)
            for (unsigned b = 1; b < 32; b++) {
                const struct cubin_bytes *own = &m->entries[p]->constant[b], *all = &m->cubin->constant[b];
                const struct cubin_bytes *from = own->size ? own : all;
                uint32_t *at = &m->banks[p].at[b];
                *at = from->size ? (uint32_t)size : CUBIN_UNKNOWN;
                if (from == all && p > 0) { /* placed with the first program */
                    *at = m->banks[0].at[b];
                    if (!m->entries[0]->constant[b].size)
                        continue;
                }
                if (pass && from->size)
                    memcpy(out->const_image + size, from->at, from->size);
                size += ((uint64_t)from->size + 63) / 64 * 64;
            }
        if (!pass)
            out->const_image = arena_alloc(&m->loaded.arena, size + 1);
    }
    out->const_size = size;
}

static bool is_listed(const struct module *m, const char *name)
{
    for (uint32_t i = 0; i < m->reference_count; i++)
        if (!strcmp(m->references[i].name, name))
            return true;
    return false;
}

/* Places texture and surface references, symbols that no section defines. Each gets 8 bytes of global memory for its
 * handle, after the variables. */
static void place_references(struct cubin_module *m)
{
    struct module *out = &m->loaded.module;
    const struct cubin *c = m->cubin;
    const uint64_t first = (out->global_size / REFERENCE_STEP + 2) * REFERENCE_STEP;
    out->references = ARENA_ARRAY(&m->loaded.arena, struct module_reference, c->relocation_count + 1);
    for (uint32_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *r = &c->relocations[i];
        bool surface = r->patch == CUBIN_PATCH_SURFACE;
        if ((surface || r->patch == CUBIN_PATCH_TEXTURE) && !is_listed(out, r->symbol))
            out->references[out->reference_count++] =
                (struct module_reference){r->symbol, surface ? RP_REFERENCE_SURFACE : RP_REFERENCE_TEXTURE};
    }
    m->references = module_base(out) + first;
    if (out->reference_count)
        out->global_size = first + out->reference_count * (uint64_t)REFERENCE_STEP;
}

static void list_variables(struct cubin_module *m)
{
    const struct cubin *c = m->cubin;
    struct module *out = &m->loaded.module;
    uint32_t most = c->variable_count + out->reference_count;
    out->variables = ARENA_ARRAY(&m->loaded.arena, struct module_variable, most + 1);
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct cubin_variable *v = &c->variables[i];
        struct module_variable *to = &out->variables[out->variable_count];
        *to = (struct module_variable){.name = v->name, .size = v->size};
        to->is_const = v->space == CUBIN_CONSTANT;
        if (to->is_const && (v->bank != 3 || !out->program_count))
            continue;
        to->address = to->is_const ? CONST_WINDOW + m->banks[0].at[3] + v->offset : v->address;
        out->variable_count++;
    }
    for (uint32_t i = 0; i < out->reference_count; i++)
        out->variables[out->variable_count++] = (struct module_variable){
            .name = out->references[i].name, .address = m->references + i * (uint64_t)REFERENCE_STEP, .size = 8};
}

/* Lists the readable parts of const memory. If symbols name all of bank 3, these are its variables and everything after
 * bank 3. Otherwise nothing is listed, and all of it may be read. */
static void list_constants(struct cubin_module *m)
{
    struct module *out = &m->loaded.module;
    const struct cubin *c = m->cubin;
    uint64_t end = c->constant[3].size, rest = (end + 63) / 64 * 64, covered = 0;
    struct extent *list = ARENA_ARRAY(&m->loaded.arena, struct extent, c->variable_count + 2);
    uint32_t n = 0;
    if (!out->program_count || m->banks[0].at[3] != 0 || !end)
        return;
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct cubin_variable *v = &c->variables[i];
        if (v->space != CUBIN_CONSTANT || v->bank != 3)
            continue;
        if (v->offset < covered || v->offset - covered >= MOST_PADDING || !v->size)
            return;
        list[n++] = (struct extent){.base = v->offset, .size = v->size, .name = v->name};
        covered = v->offset + v->size;
    }
    if (!n || end - covered >= MOST_PADDING)
        return;
    list[n++] = (struct extent){.base = rest, .size = out->const_size - rest};
    out->constants.at = list;
    out->constants.count = n;
}

static void fill_global(struct module *out, const struct cubin *c, bool apart)
{
    uint64_t base = module_base(out);
    for (uint32_t i = 0; apart && i < c->variable_count; i++) {
        const struct cubin_variable *v = &c->variables[i];
        if (v->space == CUBIN_GLOBAL_INIT)
            memcpy(out->global_image + (v->address - base), c->global_init.at + v->offset, v->size);
    }
    if (!apart && c->global_init.size)
        memcpy(out->global_image, c->global_init.at, c->global_init.size);
}

/* The length of an entry of the table of images, which code multiplies with a handle (image.h). */
static bool is_entry_length(const char *symbol)
{
    return !strcmp(symbol, ".nv.unified.texrefDescSize") || !strcmp(symbol, ".nv.surfrefDescSize");
}

/* Gives an unknown function of the runtime an address, too: calling it is the error. */
static bool runtime_symbol(void *data, const char *symbol, uint64_t *value)
{
    *value = is_entry_length(symbol) ? 4 * IMAGE_ENTRY_WORDS : sass_runtime_address(data, symbol);
    return true;
}

static bool link(struct cubin_module *m, struct rp_error *err)
{
    struct module *out = &m->loaded.module;
    struct cubin *c = m->cubin;
    struct cubin_addresses where = {.constant = CONST_WINDOW, .external = runtime_symbol, .data = (void *)m->family};
    out->narrow = !c->is_64;
    out->target = target_of_sm(c->sm);
    out->machine_code = true;
    out->ptx_sm = c->virtual_sm;
    out->global_size = cubin_place_variables(c, &where, module_base(out));
    if (out->global_size > 1ull << 30)
        return rp_fail(err, RP_BAD_INPUT, "%.200s: variables of more than 1 GiB", out->path);
    if (!cubin_link(c, &where, err))
        return false;
    place_references(m);
    out->global_image = arena_alloc(&m->loaded.arena, out->global_size + 1);
    fill_global(out, c, where.apart);
    place_banks(m);
    list_variables(m);
    list_constants(m);
    return true;
}

static void list_entries(struct cubin_module *m)
{
    struct module *out = &m->loaded.module;
    const struct cubin *c = m->cubin;
    struct arena *arena = &m->loaded.arena;
    out->programs = ARENA_ARRAY(arena, struct program, c->kernel_count + 1);
    m->entries = ARENA_ARRAY(arena, struct cubin_kernel *, c->kernel_count + 1);
    m->banks = ARENA_ARRAY(arena, struct sass_banks, c->kernel_count + 1);
    for (uint32_t i = 0; i < c->kernel_count; i++)
        if (c->kernels[i].entry) {
            m->entries[out->program_count] = &c->kernels[i];
            out->programs[out->program_count++].name = c->kernels[i].name;
        }
}

static void release(struct loaded_module *loaded) { cubin_free(((struct cubin_module *)loaded)->cubin); }

static bool load(struct cubin_module *m, const char *path, const void *bytes, size_t size, struct rp_error *err)
{
    int how = setjmp(m->escape);
    if (how)
        return failed(m, how, err);
    module_begin(&m->loaded, path, bytes, size);
    if (m->cubin->relocatable)
        return rp_fail(err, RP_BAD_INPUT, "%.200s: a relocatable object; link it to a cubin first", path);
    list_entries(m);
    return link(m, err);
}

struct module *sass_load(const struct isa *isa, const char *path, const void *bytes, size_t size, uint64_t base,
                         struct rp_error *err)
{
    struct cubin_module *m = calloc(1, sizeof *m);
    if (!m) {
        rp_fail(err, RP_SYSTEM, "%.200s: out of memory", path);
        return NULL;
    }
    m->family = isa->family;
    m->loaded.lower = lower;
    m->loaded.release = release;
    m->loaded.module.owner = m;
    m->loaded.module.path = path;
    m->loaded.module.base = base;
    m->loaded.arena.out_of_memory = &m->escape;
    m->cubin = cubin_load(path, bytes, size, err);
    if (m->cubin && load(m, path, bytes, size, err))
        return &m->loaded.module;
    module_free(&m->loaded.module);
    return NULL;
}
