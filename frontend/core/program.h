/* A kernel ready to run: the output of every loader, which the engine executes. */
#ifndef REPRISE_FRONTEND_CORE_PROGRAM_H
#define REPRISE_FRONTEND_CORE_PROGRAM_H

#include "frontend/core/extents.h"
#include "frontend/core/target.h"
#include "frontend/operation/address_map.h"
#include "frontend/operation/uop.h"
#include "tracefmt/trace.h"

struct parameter {
    const char *name;
    uint32_t offset, size, align;
    bool is_float, is_integer; /* by its type; machine code does not tell, nor does .b32 */
};

/* Reasons why a kernel's result may depend on the order of its blocks; 0: its code shows none. */
enum order_reason {
    ORDER_ATOMIC_RESULT = 1 << 0, /* the old value of an atomic on global memory is used */
    ORDER_FLOAT_ATOMIC = 1 << 1,  /* floating-point atomic or reduction on global memory */
    ORDER_POLLING = 1 << 2,       /* volatile, relaxed or acquire load of global memory, exchange, cas */
    ORDER_OUTPUT = 1 << 3,        /* prints or allocates */
    ORDER_CLOCK = 1 << 4,         /* reads a clock or an SM id */
};

/* The reasons of one access, or-ed. result_read: an instruction reads the old value of an atomic. */
unsigned order_of_access(const struct rp_memory_operand *m, bool result_read);

struct program {
    const char *name;
    uint64_t address; /* of the kernel, for launches by kernels: see FUNCTION_STEP; 0: nothing can launch it so */
    struct rp_kernel kernel; /* static tables for the trace; operations with index i belong to instruction i */
    struct operation *operations;
    uint32_t uop_count, entry; /* entry: operation where every warp starts */
    const uint8_t *constants;  /* the area of constants that operands name, aligned to 64 bytes */
    uint32_t window_bytes;     /* registers of the entry function, per warp */
    uint32_t frame_bytes;      /* local bytes of the entry function, per thread */
    uint32_t max_depth_bytes;  /* local bytes per thread of the deepest chain of direct calls; 0 if they recurse */
    bool recursive;            /* or it allocates local memory at run time: its needs are unknown */
    struct parameter *parameters;
    uint32_t parameter_count, parameter_bytes;
    /* Bytes of shared memory without gaps, as on a GPU. Dynamic shared memory begins at this offset, aligned as it
     * needs, plus shared_gaps. */
    uint32_t static_shared, shared_gaps;
    uint32_t shared_behind; /* bytes behind dynamic shared memory that are reserved for the system */
    bool asks_of_images;    /* it reads the table at IMAGE_TABLE (image.h) */
    bool names_dynamic;     /* it declares a dynamic shared variable */
    struct extents shared;  /* the static variables, without `last`; for machine code nothing is known */
    uint32_t max_threads, required_threads[3]; /* .maxntid as a total, .reqntid; 0: not given */
    uint32_t required_cluster[3], max_cluster; /* .reqnctapercluster, .maxclusterrank in blocks; 0: not given */
    bool explicit_cluster;       /* .explicitcluster: the launch or the kernel must give the cluster size */
    bool blocks_are_clusters;    /* .blocksareclusters: the launch's grid counts clusters */
    unsigned order;              /* enum order_reason, or-ed */
    bool narrow;                 /* the module's addresses have 32 bits */
    bool machine_code;           /* of its module: the registers are those that it takes, no estimate */
    const struct target *target; /* of its module */
    /* owned by the engine, zero at first */
    struct slice *slice;      /* see slice.h */
    struct uop *uops;         /* uop_count of them */
    bool polls;               /* it reads what other threads may change meanwhile: volatile, relaxed, atomic */
    bool publishes;           /* it stores in a loop what others poll: see engine.h, "turns of programs that poll" */
    bool has_objects;         /* it has barrier objects */
    bool long_alone;          /* a single block of it ran for long: see launch.c */
    bool racy;                /* blocks were seen to conflict: it runs in the fixed order from now on */
    uint8_t *overran;         /* by instruction: an overrun was reported; NULL: none yet */
    uint32_t register_extent; /* bytes above a window's start that the uops access */
};

/* Frees what the engine has made of the program; preparing it again is allowed. */
void program_release(struct program *);

struct module_variable {
    const char *name;
    bool is_const;
    uint64_t address;
    uint64_t size;
};

/* A .texref, .samplerref or .surfref: an 8-byte variable in global memory that holds a handle (image.h). */
enum rp_reference_kind { RP_REFERENCE_NONE, RP_REFERENCE_TEXTURE, RP_REFERENCE_SAMPLER, RP_REFERENCE_SURFACE };
struct module_reference {
    const char *name;
    uint8_t kind; /* enum rp_reference_kind */
};

struct module {
    uint64_t base; /* of its .global variables, see module_base */
    const char *path, *file_name;
    char sha256[65];
    uint64_t identity; /* unique among all modules that the process ever had */
    struct program *programs;
    uint32_t program_count;
    bool narrow;                 /* addresses have 32 bits */
    const struct target *target; /* the target it was compiled for; NULL: unknown, and threads are not independent */
    bool machine_code;           /* runs on its target only */
    bool scheduled;              /* of PTX: see module_schedule */
    unsigned ptx_sm;             /* of machine code: the architecture of the PTX that it was made of; 0: unknown */
    /* initial images: global variables at module_base(), const variables at CONST_WINDOW (offset 0 of the const space)
     */
    uint8_t *global_image, *const_image;
    uint64_t global_size, const_size;
    struct extents constants; /* the readable parts of the const image, without `last`; none: all of it */
    struct module_variable *variables;
    uint32_t variable_count;
    struct module_reference *references;
    uint32_t reference_count;
    void *owner; /* the arena that holds all of the above */
};

static inline uint64_t module_base(const struct module *m)
{
    return m->base ? m->base : m->narrow ? MODULE_BASE_32 : MODULE_BASE;
}

struct rp_error;
/* In all of these functions, `base` is the address of the module's .global variables; 0: the address for a device's
 * first module.
 *
 * PTX text. Reports errors as FILE:LINE:COLUMN: text, followed by the line itself. A kernel with an unsupported
 * instruction makes module_find fail, not the load: modules often contain kernels that nobody runs. */
struct module *ptx_load(const char *path, struct rp_error *);
struct module *ptx_load_text(const char *file_name, const char *text, uint64_t size, uint64_t base, struct rp_error *);
/* Loads PTX, a cubin or a fat binary, told apart by the content. Of a fat binary it takes the newest machine code that
 * can be executed or, without any, the newest PTX. A host program or object counts as the fat binaries embedded in it;
 * only one of these may have kernels. The bytes may be freed afterwards; `path` names them in errors. */
struct module *module_load_bytes(const char *path, const void *bytes, size_t size, uint64_t base, struct rp_error *);
void module_free(struct module *);
/* Recompiles PTX for another target, given by name; to be called before module_find. RP_USAGE: there is no such target,
 * or the module is machine code, whose target is fixed. */
bool module_set_target(struct module *, const char *name, struct rp_error *);
/* Brings the instructions of PTX into the order that an optimising assembler would choose, and joins neighbouring
 * accesses (frontend/isa/ptx/schedule.h, join.h). What kernels compute stays the same. To be called before module_find.
 * RP_USAGE: the module is machine code, whose order is its assembler's. */
bool module_schedule(struct module *, struct rp_error *);
/* The program of kernel `name`; NULL: the only kernel. Lowers and binds it on first use (not thread-safe). The error
 * lists the available kernels, or names the unsupported instruction with its source location. */
struct program *module_find(struct module *, const char *name, struct rp_error *);

#endif
