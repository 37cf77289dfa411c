#include "frontend/module/fatbin.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/module/lz4.h"

#define MAGIC 0xBA55ED50u
#define LARGEST_ENTRY (1ull << 28)
enum { HEADER_BYTES = 16, ENTRY_BYTES = 0x40, MACHINE_CUDA = 190 };
enum { LINK_TIME = 8 /* kind of entry that is left out */ };
enum { FLAG_64 = 1, FLAG_DEBUG = 2, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

static uint16_t le16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t le32(const uint8_t *p) { return le16(p) | (uint32_t)le16(p + 2) << 16; }
static uint64_t le64(const uint8_t *p) { return le32(p) | (uint64_t)le32(p + 4) << 32; }

struct source {
    const char *file_name;
    const uint8_t *bytes;
    uint64_t size;
    struct rp_error *err;
};

static bool bad(const struct source *s, uint64_t at, const char *reason)
{
    return rp_fail(s->err, RP_BAD_INPUT, "%s: fat binary: at 0x%" PRIx64 ": %s", s->file_name, at, reason);
}

static bool has_magic(const void *bytes, size_t size) { return size >= HEADER_BYTES && le32(bytes) == MAGIC; }

/* The section of a host's ELF file that holds fat binaries, as far as it lies in the file; NULL: there is none. */
static const uint8_t *embedded(const void *bytes, size_t size, size_t *section_bytes)
{
    const uint8_t *found = NULL;
    GElf_Ehdr h;
    GElf_Shdr s;
    size_t names;
    if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) || elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    Elf *elf = elf_memory((char *)(uintptr_t)bytes, size); /* only read */
    if (elf && gelf_getehdr(elf, &h) && h.e_machine != MACHINE_CUDA && !elf_getshdrstrndx(elf, &names))
        for (Elf_Scn *scn = NULL; !found && (scn = elf_nextscn(elf, scn));) {
            const char *name = gelf_getshdr(scn, &s) ? elf_strptr(elf, names, s.sh_name) : NULL;
            bool inside = name && s.sh_type == SHT_PROGBITS && s.sh_offset <= size && s.sh_size <= size - s.sh_offset;
            if (inside && (!strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin"))) {
                found = (const uint8_t *)bytes + s.sh_offset;
                *section_bytes = s.sh_size;
            }
        }
    elf_end(elf);
    return found;
}

bool fatbin_is(const void *bytes, size_t size)
{
    size_t section_bytes;
    return has_magic(bytes, size) || embedded(bytes, size, &section_bytes);
}

static bool read_entry(const struct source *s, uint64_t at, uint64_t end, struct fatbin *fat, uint64_t *next)
{
    const uint8_t *p = s->bytes + at;
    if (end - at < ENTRY_BYTES)
        return bad(s, at, "cut short within an entry");
    uint32_t kind = le16(p), header = le32(p + 4), compressed = le32(p + 0x10);
    uint64_t payload = le64(p + 8), flags = le64(p + 0x28);
    if (header < ENTRY_BYTES || header > end - at || payload > end - at - header)
        return bad(s, at, "an entry that runs over the end");
    if (compressed > payload)
        return bad(s, at, "an entry with more compressed bytes than it has");
    *next = at + header + payload;
    fat->link_time |= kind == LINK_TIME;
    if (kind != FATBIN_PTX && kind != FATBIN_CUBIN)
        return true;
    struct fatbin_entry *grown = realloc(fat->entries, (fat->count + 1) * sizeof *grown);
    if (!grown)
        return rp_fail(s->err, RP_SYSTEM, "%s: out of memory", s->file_name);
    fat->entries = grown;
    struct fatbin_entry *e = &grown[fat->count++];
    *e = (struct fatbin_entry){.kind = kind,
                               .part = fat->part_count - 1,
                               .arch = le32(p + 0x1c),
                               .is_64 = flags & FLAG_64,
                               .debug = flags & FLAG_DEBUG,
                               .stored = p + header,
                               .stored_bytes = compressed ? compressed : payload,
                               .unpacked_bytes = le64(p + 0x38),
                               .flags = flags};
    return true;
}

static bool read_all(const struct source *s, struct fatbin *fat)
{
    for (uint64_t at = 0; at < s->size;) {
        if (s->size - at < HEADER_BYTES || le32(s->bytes + at) != MAGIC)
            return bad(s, at, "no header of a fat binary");
        uint64_t header = le16(s->bytes + at + 6), body = le64(s->bytes + at + 8);
        if (header < HEADER_BYTES || header > s->size - at || body > s->size - at - header)
            return bad(s, at, "it says that it is longer than the file");
        uint64_t end = at + header + body;
        fat->part_count++;
        for (at += header; at < end;)
            if (!read_entry(s, at, end, fat, &at))
                return false;
        while (at < s->size && !s->bytes[at]) /* padding between fat binaries */
            at++;
    }
    return true;
}

struct fatbin *fatbin_load(const char *file_name, const void *bytes, size_t size, struct rp_error *err)
{
    struct source s = {file_name, bytes, size, err};
    size_t section_bytes;
    const uint8_t *section = has_magic(bytes, size) ? NULL : embedded(bytes, size, &section_bytes);
    if (section)
        s = (struct source){file_name, section, section_bytes, err};
    struct fatbin *fat = calloc(1, sizeof *fat);
    if (!fat) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", file_name);
        return NULL;
    }
    fat->file_name = file_name;
    fat->start = s.bytes;
    if (!section && !has_magic(bytes, size))
        rp_fail(err, RP_BAD_INPUT, "%s: not a fat binary", file_name);
    else if (read_all(&s, fat))
        return fat;
    fatbin_free(fat);
    return NULL;
}

static bool unpack_into(const struct fatbin_entry *e, uint8_t *to, uint64_t size)
{
    if (e->flags & FLAG_LZ4)
        return lz4_block_decode(e->stored, e->stored_bytes, to, size);
    if (e->flags & FLAG_ZSTD)
        return ZSTD_decompress(to, size, e->stored, e->stored_bytes) == size;
    memcpy(to, e->stored, size);
    return true;
}

bool fatbin_unpack(const struct fatbin *fat, struct fatbin_entry *e, struct rp_error *err)
{
    const struct source s = {.file_name = fat->file_name, .err = err};
    uint64_t from = (uint64_t)(e->stored - fat->start);
    uint64_t size = e->flags & (FLAG_LZ4 | FLAG_ZSTD) ? e->unpacked_bytes : e->stored_bytes;
    if (e->bytes)
        return true;
    if (size > LARGEST_ENTRY || (e->flags & FLAG_LZ4 && size / 255 > e->stored_bytes))
        return bad(&s, from, "an entry that cannot be as large as it says");
    if (e->flags & FLAG_ZSTD && ZSTD_getFrameContentSize(e->stored, e->stored_bytes) != size)
        return bad(&s, from, "a zstd frame of another size than the entry says");
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", fat->file_name);
    if (!unpack_into(e, bytes, size)) {
        free(bytes);
        return bad(&s, from, e->flags & FLAG_LZ4 ? "an LZ4 block that is damaged" : "a zstd frame that is damaged");
    }
    bytes[size] = 0;
    e->bytes = bytes;
    e->size = e->kind == FATBIN_PTX ? strlen((char *)bytes) : size; /* PTX is padded with NUL */
    return true;
}

void fatbin_free(struct fatbin *fat)
{
    if (!fat)
        return;
    for (uint32_t i = 0; i < fat->count; i++)
        free(fat->entries[i].bytes);
    free(fat->entries);
    free(fat);
}
