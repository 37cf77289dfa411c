#include "frontend/cuda/driver/host_stack.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/names.h"
#include "frontend/cuda/driver/driver.h"

#define SHOWN_FRAMES 8
#define MOST_LOOKUPS 400 /* of a process: each takes milliseconds */
#define KNOWN_FRAMES 1024

void host_stack_take(struct host_stack *s) { s->count = backtrace(s->at, HOST_STACK_FRAMES); }

uint64_t host_stack_key(const struct host_stack *s)
{
    uint64_t key = UINT64_C(14695981039346656037);
    for (int i = 0; i < s->count; i++)
        key = (key ^ (uintptr_t)s->at[i]) * UINT64_C(1099511628211);
    return key | 1;
}

/* ---- our libraries, which are between the program and the driver ------------------------------------------------- */

static const char *const ours[] = {"libcuda.so", "libcudart.so", "libcublas.so", "libcublasLt.so"};
enum { OURS = sizeof ours / sizeof *ours, RUNTIME = 1 };

/* The library's index, or OURS. */
static unsigned library_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    unsigned i = 0;
    while (i < OURS && strncmp(file, ours[i], strlen(ours[i])))
        i++;
    return i;
}

/* The address lies within the call instruction. False: nobody knows the file. */
static bool file_of(void *address, Dl_info *in)
{
    return dladdr((void *)((uintptr_t)address - 1), in) && in->dli_fname;
}

const char *host_stack_call(const struct host_stack *s, bool *runtime)
{
    const char *name = NULL;
    Dl_info in;
    for (int i = 0; i < s->count && file_of(s->at[i], &in); i++) {
        unsigned library = library_of(in.dli_fname);
        if (library == OURS)
            break;
        name = in.dli_sname;
        *runtime = library == RUNTIME;
    }
    return name && !strncmp(name, "__", 2) ? name + 2 : name; /* what compilers call in place of cudaLaunchKernel */
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

/* The address in the file. An executable at its link address uses it in its own tables. */
static uintptr_t in_file(const Dl_info *in, uintptr_t at)
{
    const Elf64_Ehdr *h = in->dli_fbase;
    return h->e_type == ET_DYN ? at - (uintptr_t)h : at;
}

static bool one_line(FILE *from, char *text, size_t size)
{
    if (!fgets(text, (int)size, from))
        return false;
    text[strcspn(text, "\n")] = 0;
    return *text && *text != '?';
}

/* "/src/app.cu:17 (discriminator 3)". Without debugging information there is no line, and the file is a name out of the
 * symbol table: for CUDA programs that of a temporary file, another one in each build. */
static void read_place(char *text, struct rp_frame *to)
{
    char *colon = strrchr(text, ':');
    unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;
    if (!line)
        return;
    *colon = 0;
    to->file = strdup(text);
    to->line = (uint32_t)line;
}

/* Whether the file names all its functions, not only those that it exports. */
static bool has_symbols(const char *file)
{
    Elf64_Ehdr h;
    Elf64_Shdr section = {.sh_type = SHT_NULL};
    FILE *f = fopen(file, "rbe");
    bool read = f && fread(&h, sizeof h, 1, f) == 1 && !memcmp(h.e_ident, ELFMAG, SELFMAG);
    for (unsigned i = 0; read && i < h.e_shnum && section.sh_type != SHT_SYMTAB; i++)
        read = !fseek(f, (long)(h.e_shoff + (uint64_t)i * h.e_shentsize), SEEK_SET) &&
               fread(&section, sizeof section, 1, f) == 1;
    if (f)
        fclose(f);
    return section.sh_type == SHT_SYMTAB;
}

static bool look_up(const char *file, uintptr_t at, struct rp_frame *to)
{
    static unsigned lookups;
    char command[5000], function[500], place[4200];
    if (strchr(file, '\'') || strlen(file) > 4096 || lookups++ >= MOST_LOOKUPS)
        return false;
    snprintf(command, sizeof command, "REPRISE_ALONE=1 LD_PRELOAD= LD_AUDIT= addr2line -Cfe '%s' 0x%llx 2>/dev/null",
             file, (unsigned long long)at);
    FILE *f = popen(command, "re");
    bool known = f && one_line(f, function, sizeof function);
    if (known && one_line(f, place, sizeof place))
        read_place(place, to);
    if (f)
        pclose(f);
    if (known)
        to->function = strdup(function);
    return known;
}

static void free_frame(struct rp_frame *f)
{
    free(f->function);
    free(f->file);
}

/* Names the frame by its symbol, or by its file. */
static void name_by_place(struct rp_frame *f, const Dl_info *in, uintptr_t at)
{
    char text[600];
    const char *name = in->dli_sname ? in->dli_sname : in->dli_fname;
    uintptr_t from = (uintptr_t)(in->dli_sname ? in->dli_saddr : in->dli_fbase);
    snprintf(text, sizeof text, "%s+0x%llx", name, (unsigned long long)(at - from));
    free(f->function);
    f->function = strdup(text);
}

/* The frame of an address in the program. What was looked up is kept. */
static struct rp_frame frame_of(void *address, const Dl_info *in)
{
    static struct {
        void *address;
        struct rp_frame frame;
    } known[KNOWN_FRAMES];
    uintptr_t at = (uintptr_t)address - 1;
    size_t slot = at * UINT64_C(0x9e3779b97f4a7c15) >> 54;
    if (known[slot].address != address) {
        struct rp_frame new = {0};
        bool found = look_up(in->dli_fname, in_file(in, at), &new);
        /* addr2line takes the exported symbol before the address, even if that does not cover it, as dladdr wants */
        if (!found || (!new.file && !in->dli_sname && !has_symbols(in->dli_fname)))
            name_by_place(&new, in, at);
        free_frame(&known[slot].frame);
        known[slot].address = address;
        known[slot].frame = new;
    }
    const struct rp_frame *f = &known[slot].frame;
    return (struct rp_frame){f->function ? strdup(f->function) : NULL, f->file ? strdup(f->file) : NULL, f->line};
}

static bool is_main(const struct rp_frame *f)
{
    const char *n = f->function;
    return n && !strncmp(n, "main", 4) && (!n[4] || n[4] == '+');
}

/* What calls main, or a thread's function, in glibc, which may not have its name. */
static bool is_start(const struct rp_frame *f)
{
    const char *n = f->function ? f->function : "";
    return !strncmp(n, "__libc_start", 12) || !strncmp(n, "_start", 6) || strstr(n, "/libc.so.6+0x");
}

/* Whether a function has the name of the kernel; the arguments of either may be unknown. */
static bool is_named(const char *function, const char *kernel)
{
    size_t length = strchr(function, '(') ? strlen(kernel) : strcspn(kernel, "(");
    return !strncmp(function, kernel, length) && (!function[length] || function[length] == '(');
}

static bool set_kernel_name(char **kernel, char *name)
{
    free(*kernel);
    *kernel = name;
    return true;
}

/* Whether nvcc has generated the function, as the host's part of a kernel launch. The function that has the kernel's
 * name calls one whose name has the prefix below and then the kernel's mangled name; or, of templates, the other prefix
 * within the kernel's own name. That one may call a third, which launches. */
static bool is_made(const struct rp_frame *f, char **kernel)
{
    static const char prefix[] = "__device_stub_", wrapper[] = "__wrapper__device_stub_"; /* names that nvcc gives */
    const char *name = f->function ? f->function : "", *within = strstr(name, wrapper);
    char *own = NULL;
    if (within) {
        const char *rest = within + sizeof wrapper - 1;
        int length = asprintf(&own, "%.*s%.*s", (int)(within - name), name, (int)strcspn(rest, "("), rest);
        return set_kernel_name(kernel, length < 0 ? NULL : own);
    }
    if (!strncmp(name, prefix, sizeof prefix - 1)) {
        const char *mangled = name + sizeof prefix - 1;
        char *text = strndup(mangled, strcspn(mangled, "("));
        own = text ? name_demangled(text) : NULL;
        if (own)
            free(text);
        return set_kernel_name(kernel, own ? own : text);
    }
    return !strncmp(name, "__cudaLaunchKernel", 18) || !strncmp(name, "cudaError cudaLaunchKernel<", 27) ||
           (*kernel && is_named(name, *kernel));
}

void host_stack_add(struct rp_finding *f, const char *what, const struct host_stack *s)
{
    struct rp_frame *frames = calloc(SHOWN_FRAMES, sizeof *frames);
    char *kernel = rp_finding_kernel(f);
    uint32_t count = 0;
    bool end = !frames;
    Dl_info in;
    for (int i = 0; i < s->count && count < SHOWN_FRAMES && !end; i++) {
        if (!file_of(s->at[i], &in) || library_of(in.dli_fname) != OURS)
            continue;
        struct rp_frame new = frame_of(s->at[i], &in);
        end = is_main(&new) || (count && is_start(&new));
        if (is_made(&new, &kernel) || (count && is_start(&new)))
            free_frame(&new);
        else
            frames[count++] = new;
    }
    free(kernel);
    if (count && f->stack_count < RP_FINDING_STACKS)
        f->stacks[f->stack_count++] = (struct rp_stack){what, frames, count};
    else
        free(frames);
}
