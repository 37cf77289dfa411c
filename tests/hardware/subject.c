#include "tests/hardware/subject.h"

#include <stdlib.h>
#include <string.h>

#include "tests/hardware/rig_cubin.h"

enum { MODULES = 4096, SMALL_MODULE = 40, SM = 90 };

/* ---- the bytes of modules ---------------------------------------------------------------------------------------- */

static struct source {
    const struct module *module;
    uint64_t identity;
    char *bytes; /* a 0 behind them */
    size_t size;
} sources[MODULES];
static unsigned next_source;

void subject_keep(const struct module *m, const void *bytes, size_t size)
{
    struct source *s = &sources[next_source++ % MODULES];
    free(s->bytes);
    *s = (struct source){m, m->identity, malloc(size + 1), size};
    memcpy(s->bytes, bytes, size);
    s->bytes[size] = 0;
}

static const struct source *source_of(const struct program *p)
{
    for (unsigned i = 0; i < MODULES; i++) {
        const struct source *s = &sources[(next_source - 1 - i) % MODULES];
        const struct module *m = s->bytes ? s->module : NULL;
        if (m && m->identity == s->identity && p >= m->programs && p < m->programs + m->program_count)
            return s;
    }
    return NULL;
}

static uint64_t hash_of(const char *text, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
    return h;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define ENTRY ".visible .entry "

/* The PTX of one kernel: what stands before the first kernel, and from this kernel to the next. NULL: it has another
 * form. */
static char *one_kernel(const char *text, const char *name)
{
    const char *first = strstr(text, ENTRY), *at = first;
    size_t n = strlen(name);
    while (at && (strncmp(at + strlen(ENTRY), name, n) || !strchr(" (\n", at[strlen(ENTRY) + n])))
        at = strstr(at + 1, ENTRY);
    if (!at)
        return NULL;
    const char *next = strstr(at + 1, ENTRY);
    size_t head = (size_t)(first - text), length = next ? (size_t)(next - at) : strlen(at);
    char *kernel = malloc(head + length + 1);
    memcpy(kernel, text, head);
    memcpy(kernel + head, at, length);
    kernel[head + length] = 0;
    return kernel;
}

/* Small modules are loaded whole, since their kernels may share variables and functions; of others, which are many
 * kernels in one text, the driver compiles only what runs. */
static void find_ptx(struct subject *s, const struct source *source)
{
    const struct module *m = source->module;
    s->ptx = source->bytes;
    s->code = one_kernel(source->bytes, s->name);
    s->hash = s->module = s->code ? hash_of(s->code, strlen(s->code)) : m->identity;
    if (s->code && m->program_count > SMALL_MODULE)
        return;
    free(s->code);
    s->code = strdup(source->bytes);
    bool has_variables = strstr(s->code, ".global .");
    s->module = has_variables ? m->identity : hash_of(s->code, strlen(s->code));
}

static void find_code(struct subject *s, const struct source *source, const struct program *p)
{
    s->hash = hash_of(source->bytes, source->size) + hash_of(s->name, strlen(s->name));
    s->module = source->module->identity;
    if (is_rig_cubin(source->bytes, source->size)) {
        s->code = rig_cubin(p);
        return;
    }
    s->code = malloc(source->size);
    memcpy(s->code, source->bytes, source->size);
}

bool subject_find(struct subject *s, const struct program *p)
{
    const struct source *source = source_of(p);
    const struct module *m = source ? source->module : NULL;
    *s = (struct subject){.name = p->name};
    if (m && !m->machine_code)
        find_ptx(s, source);
    else if (m && m->target && m->target->sm == SM)
        find_code(s, source, p);
    return s->code;
}

void subject_free(struct subject *s) { free(s->code); }

char *subject_text(const struct subject *s)
{
    char *text = s->ptx ? one_kernel(s->ptx, s->name) : NULL;
    return text || !s->ptx ? text : strdup(s->ptx);
}
