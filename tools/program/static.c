/* CUDA programs that are linked statically as a whole. */
#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/file.h"
#include "tools/program/program.h"

/* Whether it is a program for this machine that the kernel starts without a dynamic linker. */
static bool has_no_linker(FILE *from)
{
    Elf64_Ehdr e;
    Elf64_Phdr p;
    if (fread(&e, sizeof e, 1, from) != 1 || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
        e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_phentsize != sizeof p || fseek(from, (long)e.e_phoff, SEEK_SET))
        return false;
    for (int i = 0; i < e.e_phnum; i++)
        if (fread(&p, sizeof p, 1, from) != 1 || p.p_type == PT_INTERP)
            return false;
    return true;
}

bool program_is_static(const char *path)
{
    static const char section[] = ".nvFatBinSegment"; /* of nvcc, with the program's kernels */
    struct rp_error unused;
    size_t size;
    FILE *from = fopen(path, "re");
    bool candidate = from && has_no_linker(from);
    if (from)
        fclose(from);
    uint8_t *bytes = candidate ? file_read(path, &size, &unused) : NULL;
    bool found = bytes && memmem(bytes, size, section, sizeof section);
    free(bytes);
    return found;
}

char *program_static_child(const char *folder)
{
    static const char mark[] = ".static-";
    char path[2 * PATH_MAX], *program = NULL;
    size_t room = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && !program && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *from = strncmp(e->d_name, mark, sizeof mark - 1) ? NULL : fopen(path, "re");
        ssize_t length = from ? getline(&program, &room, from) : 0;
        if (length > 0)
            program[length - 1] = 0;
        if (from)
            fclose(from);
    }
    if (d)
        closedir(d);
    return program;
}
