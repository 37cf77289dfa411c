#include "frontend/loader/guests.h"

#include <elf.h>
#include <string.h>

extern const struct guest_isa guest_isa_rv32, guest_isa_arm, guest_isa_ia32;
static const struct guest_isa *const isas[] = {&guest_isa_rv32, &guest_isa_arm, &guest_isa_ia32};
#define ISAS (sizeof isas / sizeof *isas)

static const struct guest_isa *guest_isa_of(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    if (size < sizeof(Elf32_Ehdr) || memcmp(b, ELFMAG, SELFMAG) || b[EI_CLASS] != ELFCLASS32 ||
        b[EI_DATA] != ELFDATA2LSB)
        return NULL;
    for (size_t i = 0; i < ISAS; i++)
        if (isas[i]->elf_machine == (b[18] | b[19] << 8))
            return isas[i];
    return NULL;
}

bool guest_recognises(const void *bytes, size_t size) { return guest_isa_of(bytes, size) != NULL; }

struct guest *guest_open(const char *path, const void *bytes, size_t size, struct rp_error *err)
{
    const struct guest_isa *isa = guest_isa_of(bytes, size);
    if (isa)
        return guest_load(isa, path, bytes, size, err);
    rp_fail(err, RP_BAD_INPUT,
            "%s: a guest is a little-endian ELF file of 32 bits for %s, %s or %s ('reprise guest --flags')", path,
            isas[0]->text, isas[1]->text, isas[2]->text);
    return NULL;
}
