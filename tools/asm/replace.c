#include "tools/asm/replace.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/file.h"

#define MACHINE_CUDA 190
#define CODE ".text."

static Elf *open_elf(const struct cubin_copy *c)
{
    elf_version(EV_CURRENT);
    return elf_memory((char *)c->bytes, c->size);
}

bool cubin_bytes_read(const char *path, struct cubin_copy *c, struct rp_error *err)
{
    GElf_Ehdr head;
    *c = (struct cubin_copy){.path = path};
    if (!(c->bytes = file_read(path, &c->size, err)))
        return false;
    Elf *elf = open_elf(c);
    bool fine = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &head) && head.e_machine == MACHINE_CUDA;
    elf_end(elf);
    if (!fine) {
        free(c->bytes);
        c->bytes = NULL;
        return rp_fail(err, RP_BAD_INPUT, "%s is no cubin; 'cuobjdump -xelf all' takes those of a fat binary out",
                       path);
    }
    return true;
}

/* The section's content; NULL: there is none, or it does not lie within the file. */
static uint8_t *find_code(const struct cubin_copy *c, Elf *elf, const char *name, size_t *size)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
        GElf_Shdr head;
        const char *of = gelf_getshdr(s, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;
        if (!of || head.sh_type != SHT_PROGBITS || strncmp(of, CODE, strlen(CODE)) || strcmp(of + strlen(CODE), name))
            continue;
        *size = head.sh_size;
        return head.sh_offset <= c->size && head.sh_size <= c->size - head.sh_offset ? c->bytes + head.sh_offset : NULL;
    }
    return NULL;
}

bool cubin_replace_code(struct cubin_copy *c, const char *name, const uint8_t *code, size_t size, struct rp_error *err)
{
    size_t room = 0;
    Elf *elf = open_elf(c);
    uint8_t *to = elf ? find_code(c, elf, name, &room) : NULL;
    elf_end(elf);
    if (!to)
        return rp_fail(err, RP_BAD_INPUT, "%s: there is no code of '%s' in it", c->path, name);
    if (room != size)
        return rp_fail(
            err, RP_BAD_INPUT,
            "'%s' has %zu bytes, and its code in %s has %zu: keep the number of instructions; NOP stands for none",
            name, size, c->path, room);
    memcpy(to, code, size);
    return true;
}
