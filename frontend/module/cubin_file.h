/* What the parts of the cubin loader share while a file is open. */
#ifndef REPRISE_FRONTEND_MODULE_CUBIN_FILE_H
#define REPRISE_FRONTEND_MODULE_CUBIN_FILE_H

#include <gelf.h>

#include "frontend/module/arena.h"
#include "frontend/module/cubin.h"

struct cubin_section {
    const char *name;
    GElf_Shdr header;
    struct cubin_bytes bytes; /* empty for NOBITS */
};

struct cubin_file {
    struct cubin *cubin;
    struct arena *arena;
    struct rp_error *err;
    Elf *elf;
    size_t section_count;
    struct cubin_section *sections;
    GElf_Sym *symbols;
    const char **symbol_names;
    uint32_t symbol_count;
};

/* Fails with "FILE: section NAME: reason". */
bool cubin_bad(struct cubin_file *, const char *section, const char *format, ...) __attribute__((format(printf, 3, 4)));
struct cubin_kernel *cubin_kernel_of_section(struct cubin_file *, uint32_t section);

/* A unit of .debug_line: where it begins, and its first file in cubin.files. */
struct line_unit {
    uint32_t offset, first_file;
};

bool cubin_read_info(struct cubin_file *);        /* .nv.info and .nv.info.<kernel> */
bool cubin_read_relocations(struct cubin_file *); /* of code and data */
bool cubin_read_lines(struct cubin_file *);       /* .debug_line */
/* Reads the line table of a linked executable of another processor. The caller sets c->file_name. c gets the source
 * files and one kernel; the offsets in its lines are the executable's addresses. Compressed sections are not read. */
bool cubin_lines_of_executable(struct cubin *c, struct arena *, Elf *, struct rp_error *);
bool cubin_place_functions(struct cubin_file *); /* after all of these */
/* From .debug_info, the calls of lines for which .debug_line has none. Units are sorted by offset. */
void cubin_read_calls(struct cubin_file *, const struct line_unit *, uint32_t count);
void cubin_join_functions(struct cubin *); /* when relocations have been applied */

/* Little-endian integers of a file. */
static inline uint16_t le16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t le32(const uint8_t *p) { return le16(p) | (uint32_t)le16(p + 2) << 16; }
static inline uint64_t le64(const uint8_t *p) { return le32(p) | (uint64_t)le32(p + 4) << 32; }
static inline void put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

#endif
