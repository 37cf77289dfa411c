/* One finding: its names, its place, its fingerprint. */
#include "frontend/check/finding.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/names.h"

static const struct {
    enum rp_check_kind kind;
    const char *name, *about;
} kinds[] = {
#define X(id, bit, name, sentence) {RP_CHECK_##id, name, sentence},
    RP_FINDING_KINDS(X)
#undef X
};
#define KINDS (sizeof kinds / sizeof *kinds)

static size_t kind_index(enum rp_check_kind k)
{
    size_t i = 0;
    while (i + 1 < KINDS && kinds[i].kind != k)
        i++;
    return i;
}

const char *rp_finding_kind(enum rp_check_kind k) { return kinds[kind_index(k)].name; }
const char *rp_finding_about(enum rp_check_kind k) { return kinds[kind_index(k)].about; }

enum rp_check_kind rp_finding_kind_named(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].kind;
    return 0;
}

const char *check_access_name(uint8_t access)
{
    switch (access) {
    case RP_ACCESS_LOAD:
    case RP_ACCESS_BULK_LOAD: return "load";
    case RP_ACCESS_STORE:
    case RP_ACCESS_BULK_STORE: return "store";
    default: return "atomic";
    }
}

static void free_place(struct rp_check_location *at)
{
    for (uint32_t i = 0; i < at->call_count; i++) {
        free(at->calls[i].function);
        free(at->calls[i].file);
    }
    free(at->calls);
    free(at->file);
}

void rp_finding_clear(struct rp_finding *f)
{
    free(f->kernel);
    free(f->text);
    free_place(&f->here);
    free_place(&f->other);
    for (uint32_t i = 0; i < f->stack_count; i++) {
        for (uint32_t k = 0; k < f->stacks[i].count; k++) {
            free(f->stacks[i].frames[k].function);
            free(f->stacks[i].frames[k].file);
        }
        free(f->stacks[i].frames);
    }
    *f = (struct rp_finding){0};
}

char *rp_finding_kernel(const struct rp_finding *f)
{
    char *name = f->kernel ? name_demangled(f->kernel) : NULL;
    return name ? name : f->kernel ? strdup(f->kernel) : NULL;
}

/* ---- its place --------------------------------------------------------------------------------------------------- */

bool rp_file_is_temporary(const char *file) { return !strncmp(file, "tmpxft_", 7) || strstr(file, "/tmpxft_"); }

/* CUDA's toolkit, and the C and C++ library. Installations differ in the folders above, and so the names decide. */
bool rp_file_is_of_toolkit(const char *file)
{
    static const char *const parts[] = {
        "/crt/", "/cooperative_groups/", "/thrust/", "/cub/",        "/cuda/std/",       "/libcudacxx/",
        "/nv/",  "/include/c++/",        "/bits/",   "/gcc/x86_64-", "/usr/include/cuda"};
    static const char *const names[] = {"cuda_runtime*.h",
                                        "cuda_device_runtime_api.h",
                                        "cuda_pipeline*.h",
                                        "cuda_fp*.h*",
                                        "cuda_bf*.h*",
                                        "cuda_awbarrier*.h",
                                        "cooperative_groups.h",
                                        "device_functions.h*",
                                        "device_atomic_functions.h*",
                                        "common_functions.h",
                                        "math_functions.h*",
                                        "host_runtime.h",
                                        "mma.h*",
                                        "*.stub.c",
                                        "sm_[0-9]*_intrinsics.h*",
                                        "sm_[0-9]*_atomic_functions.h*",
                                        "sm_[0-9]*_rt.h*",
                                        "texture_*_functions.h",
                                        "surface_*_functions.h"};
    const char *slash = strrchr(file, '/');
    bool is = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        is |= strstr(file, parts[i]) != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is |= !fnmatch(names[i], slash ? slash + 1 : file, 0);
    return is;
}

struct place {
    const char *file;
    uint32_t line;
    bool own; /* of the program itself */
};

static void consider(struct place *to, const char *file, uint32_t line)
{
    if (!file || rp_file_is_temporary(file))
        return;
    bool own = !rp_file_is_of_toolkit(file);
    if (!to->own && (own || !to->file))
        *to = (struct place){file, line, own};
}

void rp_finding_place(const struct rp_finding *f, const char **file, uint32_t *line)
{
    struct place at = {0};
    if (f->one)
        consider(&at, f->here.file, f->here.line);
    for (uint32_t i = 0; f->one && i < f->here.call_count; i++)
        consider(&at, f->here.calls[i].file, f->here.calls[i].line);
    bool in_kernel = at.file;
    for (uint32_t i = 0; !in_kernel && i < f->stack_count; i++)
        for (uint32_t k = 0; k < f->stacks[i].count; k++)
            consider(&at, f->stacks[i].frames[k].file, f->stacks[i].frames[k].line);
    *file = at.file;
    *line = at.line;
}

static void place_source(const struct rp_check_location *p, struct source_files *files, source_line_fn *fn, void *user)
{
    source_line_call(files, p->file, p->line, fn, user);
    if (p->call_count)
        source_line_call(files, p->calls[p->call_count - 1].file, p->calls[p->call_count - 1].line, fn, user);
}

void rp_finding_source(const struct rp_finding *f, struct source_files *files, source_line_fn *fn, void *user)
{
    place_source(&f->here, files, fn, user);
    if (f->two)
        place_source(&f->other, files, fn, user);
}

/* ---- its fingerprint --------------------------------------------------------------------------------------------- */

/* http://www.isthe.com/chongo/tech/comp/fnv/ */
#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

static uint64_t add_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * FNV_PRIME;
    return (hash ^ 0xff) * FNV_PRIME; /* no text has this byte: an end */
}

static uint64_t add_place(uint64_t hash, const char *file, uint32_t line, struct source_files *files)
{
    if (file && rp_file_is_temporary(file))
        return hash;
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *text = file && line && files ? source_text_of(files, file, line) : NULL;
    char number[16];
    snprintf(number, sizeof number, "%u", line);
    return add_text(add_text(hash, slash ? slash + 1 : file ? file : ""), text ? text : number);
}

static uint64_t hash_location(const struct rp_check_location *l, struct source_files *files)
{
    char number[16];
    uint64_t hash = FNV_BASIS;
    snprintf(number, sizeof number, "%u", l->instruction);
    hash = l->file ? add_place(hash, l->file, l->line, files) : add_text(hash, number);
    for (uint32_t i = 0; i < l->call_count; i++)
        if (l->calls[i].file)
            hash = add_place(hash, l->calls[i].file, l->calls[i].line, files);
    return hash;
}

static uint64_t add_number(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (number >> 8 * i & 0xff)) * FNV_PRIME;
    return hash;
}

static uint64_t add_locations(uint64_t hash, const struct rp_finding *f, struct source_files *files)
{
    uint64_t here = hash_location(&f->here, files), other = f->two ? hash_location(&f->other, files) : 0;
    bool swap = f->kind == RP_CHECK_RACE && f->two && other < here;
    hash = add_number(add_text(hash, rp_space_name((enum rp_space)f->space)), swap ? other : here);
    return f->two ? add_number(hash, swap ? here : other) : hash;
}

void rp_finding_identify(struct rp_finding *f, struct source_files *files)
{
    char *kernel = rp_finding_kernel(f);
    uint64_t hash = add_text(add_text(FNV_BASIS, rp_finding_kind(f->kind)), kernel ? kernel : "");
    free(kernel);
    if (f->one)
        hash = add_locations(hash, f, files);
    for (uint32_t i = 0; !f->one && i < f->stack_count; i++)
        for (uint32_t k = 0; k < f->stacks[i].count; k++) {
            const struct rp_frame *at = &f->stacks[i].frames[k];
            hash = at->file ? add_place(add_text(hash, at->function), at->file, at->line, files)
                            : add_text(hash, at->function);
        }
    f->fingerprint = hash ? hash : 1;
}

void rp_finding_distinguish(struct rp_finding *f, const struct rp_finding *earlier, size_t count)
{
    uint64_t number = 1;
    f->alike = f->fingerprint;
    for (size_t i = 0; i < count; i++)
        number += earlier[i].kind == f->kind && earlier[i].alike == f->alike;
    if (number > 1)
        f->fingerprint = add_number(f->alike, number);
}
