/* An audit library (rtld-audit(7), LD_AUDIT). Whatever folder an object's RPATH or a path names, libraries with the
 * names of ours are ours: wheels bring NVIDIA's beside them. If an object has NVIDIA's runtime linked in statically,
 * each of its functions that our libcudart also has gets a jump to ours. This happens after an object is mapped and
 * before its constructors run, so what they register reaches our runtime. It needs the object's symbol table; a
 * stripped object is reported. NVIDIA's code itself is never called. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- our runtimes ------------------------------------------------------------------------------------------------ */

enum { RUNTIMES = 3, OBJECTS = 1024 };

static struct runtime {
    const char *soname;
    const struct link_map *map;
} runtimes[RUNTIMES] = {{"libcudart.so.11.0", NULL}, {"libcudart.so.12", NULL}, {"libcudart.so.13", NULL}};

/* Objects that were opened and not yet examined. */
static const struct link_map *pending[OBJECTS];
static size_t pending_count;

static const void *dynamic_entry(const struct link_map *map, int64_t tag)
{
    for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return (const void *)d->d_un.d_ptr;
    return NULL;
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

/* The address of a function that the object exports, by its GNU hash table; 0: there is none. */
static uint64_t exported(const struct link_map *map, const char *name)
{
    const uint32_t *table = dynamic_entry(map, DT_GNU_HASH);
    const Elf64_Sym *symbols = dynamic_entry(map, DT_SYMTAB);
    const char *names = dynamic_entry(map, DT_STRTAB);
    if (!table || !symbols || !names)
        return 0;
    uint32_t bucket_count = table[0], first = table[1], bloom_words = table[2], hash = gnu_hash(name);
    const uint32_t *buckets = table + 4 + 2 * bloom_words, *chain = buckets + bucket_count;
    uint32_t i = buckets[hash % bucket_count];
    if (i < first)
        return 0;
    for (;; i++) {
        uint32_t h = chain[i - first];
        if ((h | 1) == (hash | 1) && !strcmp(names + symbols[i].st_name, name) && symbols[i].st_shndx)
            return map->l_addr + symbols[i].st_value;
        if (h & 1)
            return 0;
    }
}

/* ---- an object's file -------------------------------------------------------------------------------------------- */

struct image {
    const unsigned char *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    size_t section_count;
    const char *section_names;
    size_t section_names_size;
};

static bool inside(const struct image *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset;
}

static bool read_sections(struct image *f)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)f->bytes;
    if (f->size < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_shentsize != sizeof(Elf64_Shdr) || !inside(f, e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr)) ||
        e->e_shstrndx >= e->e_shnum)
        return false;
    f->sections = (const Elf64_Shdr *)(f->bytes + e->e_shoff);
    f->section_count = e->e_shnum;
    const Elf64_Shdr *names = &f->sections[e->e_shstrndx];
    if (!inside(f, names->sh_offset, names->sh_size) || !names->sh_size ||
        f->bytes[names->sh_offset + names->sh_size - 1])
        return false;
    f->section_names = (const char *)f->bytes + names->sh_offset;
    f->section_names_size = names->sh_size;
    return true;
}

static bool open_image(struct image *f, const char *path)
{
    struct stat about;
    memset(f, 0, sizeof *f);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *bytes = MAP_FAILED;
    if (!fstat(fd, &about) && about.st_size > 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    f->bytes = bytes;
    f->size = (size_t)about.st_size;
    if (read_sections(f))
        return true;
    munmap(bytes, f->size);
    return false;
}

static const Elf64_Shdr *section(const struct image *f, const char *name)
{
    for (size_t i = 0; i < f->section_count; i++)
        if (f->sections[i].sh_name < f->section_names_size && !strcmp(f->section_names + f->sections[i].sh_name, name))
            return &f->sections[i];
    return NULL;
}

struct symbols {
    const Elf64_Sym *list;
    size_t count;
    const char *names;
    size_t names_size;
};

static bool read_symbols(const struct image *f, struct symbols *s)
{
    const Elf64_Shdr *table = section(f, ".symtab");
    if (!table || table->sh_link >= f->section_count || !inside(f, table->sh_offset, table->sh_size))
        return false;
    const Elf64_Shdr *names = &f->sections[table->sh_link];
    if (!inside(f, names->sh_offset, names->sh_size) || !names->sh_size ||
        f->bytes[names->sh_offset + names->sh_size - 1])
        return false;
    *s = (struct symbols){(const Elf64_Sym *)(f->bytes + table->sh_offset), table->sh_size / sizeof(Elf64_Sym),
                          (const char *)f->bytes + names->sh_offset, names->sh_size};
    return true;
}

/* The symbol's name if it is a function of the runtime that is defined here; NULL: it is not. */
static const char *runtime_name(const struct symbols *s, const Elf64_Sym *symbol)
{
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_shndx || symbol->st_name >= s->names_size)
        return NULL;
    const char *name = s->names + symbol->st_name;
    return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6) ? name : NULL;
}

static bool has(const struct symbols *s, const char *wanted)
{
    for (size_t i = 0; i < s->count; i++) {
        const char *name = runtime_name(s, &s->list[i]);
        if (name && !strcmp(name, wanted))
            return true;
    }
    return false;
}

/* The version of the runtime that is linked in: only 12 has cudaGetDeviceProperties_v2, and 11 lacks
 * cudaGraphInstantiateWithParams. */
static const struct runtime *runtime_of(const struct symbols *s)
{
    if (!has(s, "__cudaRegisterFatBinary") || !has(s, "cudaRuntimeGetVersion"))
        return NULL;
    return &runtimes[has(s, "cudaGetDeviceProperties_v2") ? 1 : has(s, "cudaGraphInstantiateWithParams") ? 2 : 0];
}

/* ---- writing jumps ----------------------------------------------------------------------------------------------- */

enum { JUMP_BYTES = 14 };

/* jmp *0(%rip); .quad target */
static bool jump(unsigned char *at, uint64_t target)
{
    static const unsigned char instruction[6] = {0xff, 0x25, 0, 0, 0, 0};
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)at & ~(page - 1);
    size_t size = (uintptr_t)at + JUMP_BYTES - begin;
    if (mprotect((void *)begin, size, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    memcpy(at, instruction, sizeof instruction);
    memcpy(at + sizeof instruction, &target, sizeof target);
    return !mprotect((void *)begin, size, PROT_READ | PROT_EXEC);
}

/* The number of bytes up to the next function. */
static uint64_t room_at(const struct symbols *s, const Elf64_Sym *symbol)
{
    uint64_t next = UINT64_MAX;
    if (symbol->st_size >= JUMP_BYTES)
        return symbol->st_size;
    for (size_t i = 0; i < s->count; i++)
        if (ELF64_ST_TYPE(s->list[i].st_info) == STT_FUNC && s->list[i].st_value > symbol->st_value &&
            s->list[i].st_value < next)
            next = s->list[i].st_value;
    return next - symbol->st_value;
}

/* The few functions that are shorter than a jump, and have no room after them, call others that are redirected. */
static void redirect(const struct link_map *map, const struct symbols *s, const struct runtime *r)
{
    for (size_t i = 0; i < s->count; i++) {
        const Elf64_Sym *symbol = &s->list[i];
        const char *name = runtime_name(s, symbol);
        uint64_t target = name ? exported(r->map, name) : 0;
        if (target && room_at(s, symbol) >= JUMP_BYTES &&
            !jump((unsigned char *)(map->l_addr + symbol->st_value), target)) {
            fprintf(stderr, "reprise: %s: its CUDA runtime cannot be replaced: its code cannot be written to\n",
                    *map->l_name ? map->l_name : "the program");
            return;
        }
    }
}

/* ---- what the dynamic linker tells ------------------------------------------------------------------------------- */

static const char *path_of(const struct link_map *map) { return *map->l_name ? map->l_name : "/proc/self/exe"; }

/* The needed library "libcudart.so.N" of the object, or none. */
static bool needs_runtime(const struct link_map *map)
{
    const char *names = dynamic_entry(map, DT_STRTAB);
    for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && names && !strncmp(names + d->d_un.d_val, "libcudart.so", 12))
            return true;
    return false;
}

static void say_stripped(const struct link_map *map)
{
    char program[1024] = "";
    if (*map->l_name)
        fprintf(stderr,
                "reprise: %s has a CUDA runtime of its own, whose symbols are stripped; calls of it will fail\n",
                map->l_name);
    else if (readlink("/proc/self/exe", program, sizeof program - 1) > 0)
        fprintf(stderr,
                "reprise: %s: the CUDA runtime is linked in statically and its symbols are stripped, so it cannot be "
                "replaced. Build with nvcc -cudart shared, or do not strip\n",
                program);
    if (*program) /* its first call would crash */
        _exit(126);
}

/* What nvcc makes of CUDA source registers its code; a library has the code at least: cuFFT 12 has no other section. */
static bool has_device_code(const struct image *f, const struct link_map *map)
{
    return section(f, ".nvFatBinSegment") || (*map->l_name && section(f, ".nv_fatbin"));
}

static void look_at(const struct link_map *map)
{
    struct image f;
    struct symbols s;
    if (!open_image(&f, path_of(map)))
        return;
    const struct runtime *r = read_symbols(&f, &s) ? runtime_of(&s) : NULL;
    if (r && r->map)
        redirect(map, &s, r);
    else if (r)
        fprintf(stderr, "reprise: %s: %s is not loaded, so the CUDA runtime in it is not replaced\n", path_of(map),
                r->soname);
    else if (has_device_code(&f, map) && !section(&f, ".symtab") && !needs_runtime(map))
        say_stripped(map);
    munmap((void *)f.bytes, f.size);
}

/* Stops at this library, whose path it leaves in *found. */
static int is_self(struct dl_phdr_info *object, size_t size, void *found)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const Elf64_Phdr *p = &object->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (uintptr_t)&pending_count - object->dlpi_addr - p->p_vaddr < p->p_memsz) {
            *(const char **)found = object->dlpi_name;
            return 1;
        }
    }
    return 0;
}

/* The path of our library of this name, beside this one; NULL: there is none, or it is too long. dladdr() of glibc 2.33
 * and older crashes while the program's first libraries are loaded. */
static char *ours(const char *name)
{
    static const char *const names[] = {"libcuda.so.1",      "libcudart.so.11.0", "libcudart.so.12",
                                        "libcudart.so.13",   "libcublas.so.12",   "libcublas.so.13",
                                        "libcublasLt.so.12", "libcublasLt.so.13"};
    static char path[4096];
    const char *self;
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(name, names[i]))
        i++;
    if (i == sizeof names / sizeof *names || !dl_iterate_phdr(is_self, &self) || !strrchr(self, '/'))
        return NULL;
    int folder = (int)(strrchr(self, '/') - self);
    int length = snprintf(path, sizeof path, "%.*s/%s", folder, self, name);
    return length < (int)sizeof path && !access(path, R_OK) ? path : NULL;
}

unsigned la_version(unsigned version);
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
unsigned la_objclose(uintptr_t *cookie);
void la_activity(uintptr_t *cookie, unsigned flag);

unsigned la_version(unsigned version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    const char *slash = strrchr(name, '/');
    char *path = flag == LA_SER_ORIG ? ours(slash ? slash + 1 : name) : NULL;
    return path ? path : (char *)(uintptr_t)name;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    *cookie = (uintptr_t)map;
    const char *slash = strrchr(map->l_name, '/'), *name = slash ? slash + 1 : map->l_name;
    if (space != LM_ID_BASE)
        return 0;
    for (size_t i = 0; i < RUNTIMES; i++)
        if (!strcmp(name, runtimes[i].soname)) {
            runtimes[i].map = map;
            return 0;
        }
    if (pending_count < OBJECTS)
        pending[pending_count++] = map;
    return 0;
}

/* Also called for an object that could not be loaded completely. */
unsigned la_objclose(uintptr_t *cookie)
{
    const struct link_map *map = (const struct link_map *)*cookie;
    for (size_t i = 0; i < pending_count; i++)
        if (pending[i] == map)
            pending[i--] = pending[--pending_count];
    for (size_t i = 0; i < RUNTIMES; i++)
        if (runtimes[i].map == map)
            runtimes[i].map = NULL;
    return 0;
}

void la_activity(uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    if (flag != LA_ACT_CONSISTENT)
        return;
    for (size_t i = 0; i < pending_count; i++)
        look_at(pending[i]);
    pending_count = 0;
}
