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
#define MOST_INLINED 64
#define SHOWN_NAME 500 /* characters of a function's name */

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

/* "/src/app.cu:17 (discriminator 3)". Without debugging information there is no line, and the file is a name out of the
 * symbol table: for CUDA programs that of a temporary file, another one in each build. */
static void read_place(char *text, struct rp_frame *to)
{
    char *colon = strrchr(text, ':');
    unsigned long line = colon && *text != '?' ? strtoul(colon + 1, NULL, 10) : 0;
    if (!line)
        return;
    *colon = 0;
    if (rp_file_is_temporary(text))
        return;
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

static void free_frame(struct rp_frame *f)
{
    free(f->function);
    free(f->file);
}

/* The frames of an address: last the function that it is in, and before it the calls that the compiler replaced by the
 * function's body, innermost first. */
struct chain {
    void *address;
    struct rp_frame *frames;
    uint32_t count;
};

static void free_chain(struct chain *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free_frame(&c->frames[i]);
    free(c->frames);
    *c = (struct chain){0};
}

static bool read_text(FILE *from, char **line, size_t *room)
{
    ssize_t length = getline(line, room, from);
    if (length > 0)
        (*line)[strcspn(*line, "\n")] = 0;
    return length > 0;
}

/* Two lines for each frame: its function and its place. */
static void read_chain(FILE *from, struct chain *to)
{
    char *text = NULL;
    size_t room = 0;
    to->frames = calloc(MOST_INLINED, sizeof *to->frames);
    while (to->frames && to->count < MOST_INLINED && read_text(from, &text, &room) && *text && *text != '?') {
        struct rp_frame *f = &to->frames[to->count++];
        f->function = strndup(text, SHOWN_NAME);
        if (read_text(from, &text, &room))
            read_place(text, f);
    }
    free(text);
}

/* addr2line gives an inlined function whose linkage name is not noted, such as a static one of C++, the name of the
 * function that it is inlined in. */
static void name_inlined(struct chain *c)
{
    const char *around = c->count ? c->frames[c->count - 1].function : NULL;
    for (uint32_t i = 0; around && i + 1 < c->count; i++) {
        struct rp_frame *f = &c->frames[i];
        char *name;
        if (!f->function || strcmp(f->function, around) || asprintf(&name, "[inlined in %s]", around) < 0)
            continue;
        free(f->function);
        f->function = name;
    }
}

static void look_up(const char *file, uintptr_t at, struct chain *to)
{
    static unsigned lookups;
    char command[5000];
    if (strchr(file, '\'') || strlen(file) > 4096 || lookups++ >= MOST_LOOKUPS)
        return;
    snprintf(command, sizeof command, "REPRISE_ALONE=1 LD_PRELOAD= LD_AUDIT= addr2line -Cfie '%s' 0x%llx 2>/dev/null",
             file, (unsigned long long)at);
    FILE *f = popen(command, "re");
    if (f) {
        read_chain(f, to);
        pclose(f);
    }
    name_inlined(to);
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

static struct chain chain_of(void *address, const Dl_info *in)
{
    struct chain new = {.address = address};
    uintptr_t at = (uintptr_t)address - 1;
    look_up(in->dli_fname, in_file(in, at), &new);
    bool found = new.count;
    if (!found && (new.frames || (new.frames = calloc(1, sizeof *new.frames))))
        new.count = 1;
    /* addr2line takes the exported symbol before the address, even if that does not cover it, as dladdr wants */
    if (new.count == 1 && (!found || (!new.frames[0].file && !in->dli_sname && !has_symbols(in->dli_fname))))
        name_by_place(&new.frames[0], in, at);
    return new;
}

/* The frames of an address in the program. What was looked up is kept until the next call. */
static const struct chain *known_chain(void *address, const Dl_info *in)
{
    static struct chain known[KNOWN_FRAMES];
    size_t slot = (uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 54;
    if (known[slot].address != address) {
        free_chain(&known[slot]);
        known[slot] = chain_of(address, in);
    }
    return &known[slot];
}

static bool is_main(const struct rp_frame *f)
{
    const char *n = f->function;
    return n && !strncmp(n, "main", 4) && (!n[4] || n[4] == '+');
}

/* glibc, which calls main and the functions of threads, and calls back: no part of the program. */
static bool is_libc(const char *file)
{
    const char *slash = strrchr(file, '/');
    return !strcmp(slash ? slash + 1 : file, "libc.so.6");
}

static bool is_start(const struct rp_frame *f) { return f->function && !strncmp(f->function, "_start", 6); }

/* Whether a function has the name of the kernel; the arguments of either may be unknown. The name of an inlined
 * function may lack arguments and namespaces. */
static bool is_named(const char *function, const char *kernel)
{
    size_t length = strlen(function), whole = strcspn(kernel, "(");
    if (strchr(function, '(')) {
        size_t known = strlen(kernel);
        return !strncmp(function, kernel, known) && (!function[known] || function[known] == '(');
    }
    const char *end = kernel + whole - (length < whole ? length : whole);
    return !strncmp(function, end, length) && length <= whole && (end == kernel || end[-1] == ':');
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

/* A stack that grows from its inner end. */
struct shown {
    struct rp_frame *frames; /* SHOWN_FRAMES of them */
    uint32_t count;
    char *kernel;
    bool end; /* nothing more belongs to it */
};

static bool is_of_toolkit(const struct rp_frame *f) { return f->file && rp_file_is_of_toolkit(f->file); }

/* Adds a frame where there is room. What the toolkit's headers have in the last place makes room, so that the stack
 * reaches the program's own line. */
static void show(struct shown *s, const struct rp_frame *f)
{
    if (is_made(f, &s->kernel) || is_start(f))
        return;
    if (s->count == SHOWN_FRAMES)
        free_frame(&s->frames[--s->count]);
    s->frames[s->count++] =
        (struct rp_frame){f->function ? strdup(f->function) : NULL, f->file ? strdup(f->file) : NULL, f->line};
    s->end = s->count == SHOWN_FRAMES && !is_of_toolkit(f);
}

/* Of the calls that the compiler replaced, those of the toolkit's functions and of what nvcc makes are left out. */
static void show_chain(struct shown *s, const struct chain *c)
{
    for (uint32_t i = 0; i < c->count && !s->end; i++)
        if (i + 1 == c->count || (c->frames[i].file && !is_of_toolkit(&c->frames[i])))
            show(s, &c->frames[i]);
    s->end |= c->count && is_main(&c->frames[c->count - 1]);
}

void host_stack_add(struct rp_finding *f, const char *what, const struct host_stack *s)
{
    struct shown to = {.frames = calloc(SHOWN_FRAMES, sizeof *to.frames), .kernel = rp_finding_kernel(f)};
    Dl_info in;
    to.end = !to.frames;
    for (int i = 0; i < s->count && !to.end; i++) {
        if (file_of(s->at[i], &in) && library_of(in.dli_fname) == OURS && !is_libc(in.dli_fname))
            show_chain(&to, known_chain(s->at[i], &in));
    }
    free(to.kernel);
    if (to.count && f->stack_count < RP_FINDING_STACKS)
        f->stacks[f->stack_count++] = (struct rp_stack){what, to.frames, to.count};
    else
        free(to.frames);
}
