/* A cubin: the ELF file that ptxas writes, taken apart.
 *
 * Accepted are files from CUDA 6.5 to 12.9, whatever their architecture: 32- and 64-bit ELF, executables and
 * relocatable objects (ptxas -c), and both places where the SM number has stood in e_flags. Every offset, size and
 * index of the file is checked before it is used, and sh_link is not trusted where NVIDIA's own tools got it wrong
 * (.symtab is found by its type). Whatever is wrong with a file is one error that names the file, the section and the
 * reason.
 *
 * All strings and arrays live as long as the cubin; nothing points into the caller's bytes.
 */
#ifndef REPRISE_FRONTEND_MODULE_CUBIN_H
#define REPRISE_FRONTEND_MODULE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

struct cubin_bytes {
    uint8_t *at;
    uint32_t size;
};

struct cubin_parameter {
    uint16_t ordinal, offset, size; /* offset in bytes from the kernel's first parameter */
};

/* A device function inside a kernel's code. */
struct cubin_function {
    const char *name;
    uint32_t offset, size;
};

/* From `offset` in the code on, up to the end of the function, instructions come from this line. */
struct cubin_line {
    uint32_t offset, file, line; /* file: index into cubin.files */
    uint32_t inlined;            /* number, from 1, in cubin.inlined; 0: of no inlined call */
    uint32_t order; /* in the line table, from 1: of lines with the same offset the last one counts; 0: no line */
};

/* An instruction whose word does not hold its targets: they are `count` elements of cubin_kernel.targets from `first`
 * on. */
struct cubin_branch {
    uint32_t offset, first, count;
};

/* A record of .nv.info.KERNEL that no other field of cubin_kernel holds. */
struct cubin_attribute {
    uint8_t format, number;
    uint16_t value;         /* or the bytes of the payload */
    const uint8_t *payload; /* of CUBIN_SIZED */
};
/* The formats of such records: the attribute alone, with a byte, with 16 bits, with what follows. */
enum { CUBIN_ALONE = 1, CUBIN_BYTE = 2, CUBIN_HALF = 3, CUBIN_SIZED = 4 };

/* Code that belongs together: a kernel with its device functions. In a relocatable object, and in the output of ptxas
 * -g, also a device function alone. */
/* Bytes of a block's shared memory that are reserved for the system from sm_80 on (CUDA C++ Programming Guide, "Compute
 * Capability 8.x"). */
#define CUBIN_RESERVED_SHARED 1024u

struct cubin_kernel {
    const char *name;
    bool entry;             /* a kernel, launched by the host */
    uint32_t section, base; /* base: the address of the first byte; 0 except for a function alone */
    struct cubin_bytes code;
    struct cubin_bytes image;    /* the code, then the functions alone that it can call, each at its base */
    struct cubin_kernel **parts; /* these functions, by base; cubin_link puts them into the image */
    uint32_t part_count;
    uint32_t registers, barriers; /* barriers: highest id used + 1 */
    uint32_t static_shared;       /* bytes per block, without the reserved ones */
    uint32_t reserved_shared;     /* bytes that the system has at the beginning of a block's shared memory */
    uint32_t frame_bytes;         /* local memory of the kernel's own frame */
    uint32_t callee_bytes;        /* frames of all its device functions together */
    uint32_t stack_bytes;         /* local memory per thread with all calls; CUBIN_UNKNOWN with recursion */
    uint32_t crs_bytes;           /* bytes of the divergence and call stack per warp; 0: not given */
    uint32_t max_threads[3], required_threads[3]; /* 0: not given */
    uint32_t required_cluster[3], max_cluster;    /* in blocks; 0: not given */
    bool explicit_cluster;
    uint32_t parameter_base, parameter_bytes; /* in constant bank 0 */
    uint32_t parameter_count;
    struct cubin_parameter *parameters; /* by ordinal */
    struct cubin_bytes constant[32];    /* per-kernel banks: 0 launch and parameters, 2 literals of the compiler */
    uint32_t function_count;
    struct cubin_function *functions; /* by offset */
    uint32_t line_count;
    struct cubin_line *lines; /* by offset in the image */
    uint32_t branch_count;
    struct cubin_branch *branches;   /* as the file lists them, for its own code alone; offsets count from its start */
    uint32_t target_count, *targets; /* offsets */
    uint32_t attribute_count;
    struct cubin_attribute *attributes; /* in file order */
};
#define CUBIN_UNKNOWN UINT32_MAX

enum cubin_space { CUBIN_GLOBAL_INIT, CUBIN_GLOBAL, CUBIN_CONSTANT };
struct cubin_variable {
    const char *name;
    enum cubin_space space;
    uint32_t bank; /* of CUBIN_CONSTANT */
    uint64_t offset, size;
    uint64_t address; /* in global memory; set by cubin_place_variables */
};

/* How an address is written into a place. The value is the symbol's plus what the place holds. */
enum cubin_patch {
    CUBIN_PATCH_NONE,
    CUBIN_PATCH_32,       /* data word */
    CUBIN_PATCH_64,       /* two data words */
    CUBIN_PATCH_CODE,     /* imm32 at bit 20 of an instruction */
    CUBIN_PATCH_CODE_LOW, /* its low half */
    CUBIN_PATCH_CODE_HIGH,
    CUBIN_PATCH_TEXTURE, /* header index into a constant word */
    CUBIN_PATCH_SURFACE,
    CUBIN_PATCH_FIELD, /* of an instruction of 16 bytes; the type says which */
};
struct cubin_relocation {
    enum cubin_patch patch;
    uint32_t type;         /* as in the file */
    struct cubin_bytes in; /* the bytes to patch */
    uint32_t offset;
    bool explicit_addend; /* in RELA sections; REL sections have it in the place itself */
    int64_t addend;
    const char *symbol;
    uint32_t section; /* the section patched */
    uint32_t target;  /* section of the symbol, 0: undefined here (vprintf, malloc, a texture) */
    uint64_t value;   /* within that section */
    const char *from; /* name of the section patched */
};

struct cubin {
    const char *file_name;
    unsigned sm, virtual_sm, toolkit; /* 62, 62, 0x7b for 12.3 */
    bool is_64, relocatable;
    uint8_t os_abi, abi_version; /* of the ELF header */
    uint32_t flags;              /* e_flags */
    uint32_t kernel_count;
    struct cubin_kernel *kernels; /* in file order */
    uint32_t variable_count;
    struct cubin_variable *variables;
    struct cubin_bytes global_init;
    uint64_t global_size;            /* zero-initialised variables */
    struct cubin_bytes constant[32]; /* module-wide banks: 3 user constants, 4 addresses */
    uint32_t global_init_section, global_section, constant_section[32];
    uint32_t relocation_count;
    struct cubin_relocation *relocations;
    uint32_t file_count;
    const char **files; /* source files of the line tables */
    uint32_t inlined_count;
    struct rp_inlined_call *inlined; /* a call comes after the call around it */
    void *owner;
};

/* Copies what it needs. */
struct cubin *cubin_load(const char *file_name, const void *bytes, size_t size, struct rp_error *);
void cubin_free(struct cubin *);
bool cubin_is(const void *bytes, size_t size);     /* an ELF file for a GPU */
unsigned cubin_sm(const void *bytes, size_t size); /* its architecture, as the header says; 0: not a cubin */

/* NULL name: the only kernel. The error lists the kernels that there are. */
struct cubin_kernel *cubin_kernel(struct cubin *, const char *name, struct rp_error *);
/* The source line of the instruction at an offset, or NULL. A function without lines has none of its neighbour's. */
const struct cubin_line *cubin_line(const struct cubin_kernel *, uint32_t offset);

/* Writes addresses into code and data. `global_init` and `global`: the addresses of those sections; with `apart` each
 * of their variables lies at its own address instead. `constant`: the address of module constant bank 3 in the generic
 * window. Code symbols count from the start of their kernel's image. A symbol that no section of the file defines is an
 * error that names it, unless `external` (may be NULL) knows its value. An address that does not fit into 32-bit code
 * is an error, too. */
struct cubin_addresses {
    uint64_t global_init, global, constant;
    bool (*external)(void *, const char *symbol, uint64_t *value);
    void *data;
    bool apart;
};
bool cubin_link(struct cubin *, const struct cubin_addresses *, struct rp_error *);
/* Gives every variable in global memory its address from `base` on, with gaps between them where the file allows that.
 * Sorts `variables`, and fills in all of the addresses but `constant`. Returns the bytes from base to the end. */
uint64_t cubin_place_variables(struct cubin *, struct cubin_addresses *, uint64_t base);
/* The variable that begins at the offset; NULL: none. The variables must be sorted. */
const struct cubin_variable *cubin_variable_at(const struct cubin *, enum cubin_space, uint64_t offset);

#endif
