#include "frontend/module/module.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/sha256.h"

enum { MAX_FILE = 1 << 28, FIRST_ROOM = 1 << 16 };

static void hash_content(char text[65], const void *content, size_t size)
{
    struct sha256 h;
    uint8_t digest[32];
    sha256_begin(&h);
    sha256_add(&h, content, size);
    sha256_end(&h, digest);
    sha256_hex(digest, text);
}

/* Modules of the process so far. */
static _Atomic uint64_t identities;

void module_begin(struct loaded_module *l, const char *path, const void *content, size_t size)
{
    struct module *m = &l->module;
    const char *slash = strrchr(path, '/');
    m->owner = l;
    m->path = arena_string(&l->arena, path, strlen(path));
    m->file_name = m->path + (slash ? slash + 1 - path : 0);
    hash_content(m->sha256, content, size);
    m->identity = atomic_fetch_add(&identities, 1) + 1;
}

static char *read_all(FILE *f, const char *path, size_t *size, struct rp_error *err)
{
    size_t room = FIRST_ROOM, n = 0;
    char *text = malloc(room + 1), *grown;
    while (text) {
        n += fread(text + n, 1, room - n, f);
        if (n < room)
            break;
        if (room >= MAX_FILE) {
            free(text);
            rp_fail(err, RP_BAD_INPUT,
                    "%s: larger than %d MiB; record the program that uses it (reprise record -- PROGRAM), or take "
                    "the cubin of the kernel out of it (cuobjdump -xelf NAME)",
                    path, MAX_FILE >> 20);
            return NULL;
        }
        grown = realloc(text, 2 * room + 1);
        if (!grown)
            free(text);
        text = grown;
        room *= 2;
    }
    if (!text) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
        return NULL;
    }
    if (ferror(f)) {
        rp_fail(err, RP_BAD_INPUT, "%s: %s", path, strerror(errno));
        free(text);
        return NULL;
    }
    text[n] = 0;
    *size = n;
    return text;
}

char *module_read_file(const char *path, size_t *size, struct rp_error *err)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        rp_fail(err, errno == ENOMEM ? RP_SYSTEM : RP_BAD_INPUT, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = read_all(f, path, size, err);
    fclose(f);
    return text;
}

void module_free(struct module *m)
{
    if (!m)
        return;
    struct loaded_module *l = m->owner;
    if (l->release)
        l->release(l);
    for (uint32_t i = 0; i < m->program_count; i++)
        program_release(&m->programs[i]);
    arena_free(&l->arena);
    free(l);
}

bool module_set_target(struct module *m, const char *name, struct rp_error *err)
{
    const struct target *t = target_named(name, err);
    if (!t)
        return false;
    if (m->machine_code && t != m->target)
        return rp_fail(err, RP_USAGE, "%.200s is machine code for %s; only PTX can be run as for another target",
                       m->path, m->target->name);
    m->target = t;
    return true;
}

bool module_schedule(struct module *m, struct rp_error *err)
{
    if (m->machine_code)
        return rp_fail(err, RP_USAGE,
                       "%.200s is machine code, whose order is its assembler's; only PTX can be scheduled", m->path);
    m->scheduled = true;
    return true;
}

/* "a, b, c", as far as it fits. */
static void list_kernels(const struct module *m, char *out, size_t room)
{
    size_t n = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < m->program_count && n < room; i++)
        n += (size_t)snprintf(out + n, room - n, "%s%s", i ? ", " : "", m->programs[i].name);
    if (n >= room)
        memcpy(out + room - 4, "...", 4);
}

static struct program *find_program(struct module *m, const char *name, struct rp_error *err)
{
    char names[600];
    list_kernels(m, names, sizeof names);
    if (m->program_count == 0)
        return rp_fail(err, RP_BAD_INPUT, "%s has no kernel", m->path), NULL;
    if (!name && m->program_count == 1)
        return &m->programs[0];
    if (!name)
        return rp_fail(err, RP_BAD_INPUT, "%s has several kernels; name one of: %s", m->path, names), NULL;
    for (uint32_t i = 0; i < m->program_count; i++)
        if (strcmp(m->programs[i].name, name) == 0)
            return &m->programs[i];
    return rp_fail(err, RP_BAD_INPUT, "%s has no kernel '%.100s'; it has: %s", m->path, name, names), NULL;
}

struct program *module_find(struct module *m, const char *name, struct rp_error *err)
{
    struct loaded_module *l = m->owner;
    struct program *p = find_program(m, name, err);
    if (p && !p->operations && !l->lower(l, p, err))
        return NULL;
    if (p) {
        p->narrow = m->narrow;
        p->machine_code = m->machine_code;
        p->target = m->target;
    }
    return p;
}
