#include "tools/lib/archive.h"

#include <ar.h>
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool archive_is(const uint8_t *bytes, size_t size) { return size >= SARMAG && !memcmp(bytes, ARMAG, SARMAG); }

bool archive_is_thin(const uint8_t *bytes, size_t size)
{
    static const char thin[] = "!<thin>\n";
    return size >= SARMAG && !memcmp(bytes, thin, SARMAG);
}

static bool visit_member(const char *file, Elf *member, archive_fn *visit, void *data, struct rp_error *err)
{
    Elf_Arhdr *header = elf_getarhdr(member);
    size_t size = 0;
    const uint8_t *bytes = (const uint8_t *)elf_rawfile(member, &size);
    char *name = NULL;
    if (!header || !bytes || !size)
        return true;
    if (asprintf(&name, "%s(%s)", file, header->ar_name) < 0)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    bool ok = visit(data, name, bytes, size, err);
    free(name);
    return ok;
}

/* libelf reads archives from files alone, and the bytes may be those of a pipe. */
bool archive_visit(const char *file, const uint8_t *bytes, size_t size, archive_fn *visit, void *data,
                   struct rp_error *err)
{
    int fd = memfd_create("archive", MFD_CLOEXEC);
    FILE *to = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    bool ok = to && fwrite(bytes, 1, size, to) == size && !fflush(to);
    elf_version(EV_CURRENT);
    Elf *archive = ok ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (!archive)
        rp_fail(err, ok ? RP_BAD_INPUT : RP_SYSTEM, "%s: cannot be read as a static library: %s", file,
                ok ? elf_errmsg(-1) : strerror(errno));
    ok = archive;
    Elf_Cmd next = ELF_C_READ;
    for (Elf *member; ok && (member = elf_begin(fd, next, archive));) {
        ok = visit_member(file, member, visit, data, err);
        next = elf_next(member);
        elf_end(member);
    }
    elf_end(archive);
    if (to)
        fclose(to);
    return ok;
}
