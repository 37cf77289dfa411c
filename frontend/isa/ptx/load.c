/* The PTX loader: frontend/core/program.h, ptx_load. */
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/isa.h"
#include "frontend/isa/ptx/layout.h"
#include "frontend/isa/ptx/lower.h"
#include "frontend/module/module.h"
#include "tracefmt/utf8.h"

struct ptx_module {
    struct loaded_module loaded; /* first */
    struct ptx_source src;
    struct ptx_unit *unit;
    struct ptx_function **entries; /* by program */
};

static bool failed(struct ptx_module *m, int how)
{
    if (how == ARENA_FULL)
        rp_fail(m->src.err, RP_SYSTEM, "%.200s: out of memory", m->src.file_name);
    return false;
}

/* Reports an unknown target. That is an error only when a kernel is to run and module_set_target has not given another
 * target. */
static void check_target(struct ptx_module *m)
{
    char known[400];
    if (!m->unit->unknown_target || m->loaded.module.target)
        return;
    target_list(known, sizeof known);
    ptx_error(&m->src, m->unit->unknown_target_at, "no target '%.100s'; --target gives another; known are %s",
              m->unit->unknown_target, known);
}

static bool lower(struct loaded_module *loaded, struct program *p, struct rp_error *err)
{
    struct ptx_module *m = (struct ptx_module *)loaded;
    uint32_t index = (uint32_t)(p - loaded->module.programs);
    m->src.err = err;
    int how = setjmp(m->src.escape);
    if (how)
        return failed(m, how);
    check_target(m);
    struct program done;
    ptx_lower(m->unit, &loaded->module, m->entries[index], index + 1, &done);
    *p = done;
    return true;
}

static void list_entries(struct ptx_module *m)
{
    struct module *out = &m->loaded.module;
    uint32_t n = 0;
    for (struct ptx_function *f = m->unit->functions; f; f = f->next)
        n += f->is_entry && f->defined;
    out->programs = ARENA_ARRAY(m->src.arena, struct program, (size_t)n + 1);
    m->entries = ARENA_ARRAY(m->src.arena, struct ptx_function *, (size_t)n + 1);
    for (struct ptx_function *f = m->unit->functions; f; f = f->next)
        if (f->is_entry && f->defined) {
            m->entries[out->program_count] = f;
            out->programs[out->program_count++] = (struct program){.name = f->name, .address = ptx_address(f)};
        }
}

static bool load(struct ptx_module *m, const char *path, const char *text, uint64_t size)
{
    int how = setjmp(m->src.escape);
    if (how)
        return failed(m, how);
    char *copy = arena_string(m->src.arena, text, size);
    rp_utf8_repair(copy); /* names in it go into traces */
    m->src.text = copy;
    m->src.size = (uint32_t)size;
    module_begin(&m->loaded, path, text, size);
    m->unit = ptx_parse(&m->src);
    ptx_layout(m->unit, &m->loaded.module);
    list_entries(m);
    return true;
}

struct module *ptx_load_text(const char *file_name, const char *text, uint64_t size, uint64_t base,
                             struct rp_error *err)
{
    struct ptx_module *m = calloc(1, sizeof *m);
    if (!m) {
        rp_fail(err, RP_SYSTEM, "%.200s: out of memory", file_name);
        return NULL;
    }
    if (size > UINT32_MAX / 2) {
        free(m);
        rp_fail(err, RP_BAD_INPUT, "%.200s: larger than 2 GiB", file_name);
        return NULL;
    }
    m->loaded.lower = lower;
    m->loaded.module.owner = m;
    m->loaded.module.base = base;
    m->src.arena = &m->loaded.arena;
    m->src.arena->out_of_memory = &m->src.escape;
    m->src.file_name = file_name;
    m->src.err = err;
    if (load(m, file_name, text, size)) {
        m->src.file_name = m->loaded.module.path;
        return &m->loaded.module;
    }
    module_free(&m->loaded.module);
    return NULL;
}

struct module *ptx_load(const char *path, struct rp_error *err)
{
    size_t size;
    char *text = module_read_file(path, &size, err);
    struct module *m = text ? ptx_load_text(path, text, size, 0, err) : NULL;
    free(text);
    return m;
}

/* Whether the bytes are text. Text may end in a NUL, as text from a compiler in the same process does. The first byte
 * of an ELF file is not in any text. */
static bool is_text(const struct isa *isa, const void *bytes, size_t size)
{
    (void)isa;
    const char *text = bytes, *nul = size ? memchr(text, 0, size) : NULL;
    return size && (!nul || nul == text + size - 1) && *text != '\x7f';
}

static struct module *load_bytes(const struct isa *isa, const char *path, const void *bytes, size_t size, uint64_t base,
                                 struct rp_error *err)
{
    (void)isa;
    return ptx_load_text(path, bytes, size, base, err);
}

const struct isa isa_ptx = {.name = "PTX", .recognises = is_text, .load = load_bytes};
