/* A PTX module as parsed: names resolved, instructions matched against the instruction table, nothing lowered. */
#ifndef REPRISE_FRONTEND_ISA_PTX_AST_H
#define REPRISE_FRONTEND_ISA_PTX_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/isa/ptx/source.h"
#include "frontend/isa/ptx/table.h"
#include "frontend/operation/uop.h"
#include "tracefmt/trace.h"

struct ptx_function;
struct ptx_variable;

/* One element of an initialiser list: bits, or the address of a variable or function plus `bits`. */
struct ptx_initial {
    uint64_t index; /* of the element */
    uint64_t bits;
    const struct ptx_variable *variable;
    const struct ptx_function *function;
    uint64_t mask; /* as in 0xFF00(address), otherwise ~0; the masked bits are shifted down */
    bool generic;
    uint32_t at;
};

struct ptx_variable {
    const char *name;
    uint8_t space;       /* enum rp_space */
    uint8_t type;        /* enum ptx_type of an element */
    bool is_extern;      /* for .shared: dynamic shared memory */
    bool is_reserved;    /* shared memory of the system: parse_operand.c */
    bool is_opaque;      /* .tex, .texref, .samplerref, .surfref */
    bool in_register;    /* stands for a parameter or result of a function that is in a register */
    bool is_predicate;   /* and that register is a predicate, which is a word in memory */
    bool is_array;       /* has [], be it of one element */
    bool is_entry_param; /* parameter of a kernel; PARAM variables without it are in a frame */
    bool is_weak; /* .weak or .common: another module's definition may replace it, and it may replace another's */
    bool is_shared_local; /* .local of the module: one for all functions, in each thread */
    bool is_listed;       /* in the unit's or function's list of variables */
    bool bound;           /* .param of a call's scope: offset is set by the call */
    bool has_home; /* .param that stands in calls twice: lies among the locals, and is copied for each (parse_call.c) */
    uint32_t align;       /* bytes, a power of two */
    uint64_t count, size; /* elements (a vector's counted), bytes */
    uint64_t offset;      /* module variable: address; parameter, local: offset in block or frame; see layout.h */
    uint32_t program;     /* .shared: which program `offset` was laid out for, counted from 1 */
    struct ptx_initial *initials;
    uint32_t initial_count, at;
};

struct ptx_register {
    const char *name;
    uint8_t type; /* enum ptx_type */
};

enum ptx_label_kind { LABEL_UNDEFINED, LABEL_CODE, LABEL_TARGETS, LABEL_CALL_TARGETS, LABEL_PROTOTYPE };
struct ptx_label {
    const char *name;
    enum ptx_label_kind kind;
    uint32_t instruction;        /* CODE: index of the instruction after the label */
    struct ptx_label ***targets; /* TARGETS: each *targets[i] is known when its scope has ended */
    uint32_t target_count;
    struct ptx_signature *prototype; /* PROTOTYPE; CALL_TARGETS: of the first function */
};

/* Results and parameters: PARAM variables, each at its offset from the callee's frame base (layout.h). */
struct ptx_signature {
    struct ptx_variable **results, **params;
    uint32_t result_count, param_count;
    uint32_t bytes;
};

enum ptx_operand_kind {
    PO_NONE,
    PO_REGISTER, /* reg */
    PO_INTEGER,  /* value */
    PO_FLOAT,    /* value: a double's bits */
    PO_SINGLE,   /* value: 32 bits as written (0f...) */
    PO_SPECIAL,  /* value: index in the table of special registers */
    PO_VARIABLE, /* variable, value: offset */
    PO_FUNCTION,
    PO_LABEL,
    PO_VECTOR,  /* elements */
    PO_SINK,    /* _ */
    PO_ADDRESS, /* [element 0 + value, further elements]; without elements: [value] */
    PO_LIST,    /* of a call, elements */
    PO_PAIR,    /* p|q: elements[0], elements[1] */
};

#define PTX_SELECT_OTHER 255
struct ptx_operand {
    uint8_t kind;
    bool negated;    /* !p, -a */
    bool generic;    /* generic(variable) */
    bool is_element; /* a[...], `reg` its index or PTX_NO_REGISTER; until place_elements */
    bool is_sum;     /* register + value; until place_sums */
    /* A video instruction's part of a register, .b0 .. .b3 .h0 .h1: enum video_select. PTX_SELECT_OTHER: of pairs or
     * quads. 0: none. `parts` is its text, empty where that is longer. */
    uint8_t select;
    char parts[6];
    uint32_t at;
    uint32_t reg, count;
    int64_t value;
    union {
        struct ptx_variable *variable;
        struct ptx_function *function;
        struct ptx_label **label; /* *label is known when its scope has ended */
        struct ptx_operand *elements;
    };
};

#define PTX_NO_REGISTER UINT32_MAX
struct ptx_instruction {
    const struct ptx_form *form;
    struct ptx_modifiers mods;
    struct ptx_operand *operands;
    uint32_t operand_count;
    uint32_t guard; /* register or PTX_NO_REGISTER */
    bool guard_negated;
    uint32_t at, end; /* its text in the source, from the guard to before the semicolon; end 0: it is not in the source,
                         see `made` */
    const char *made; /* text of an instruction that the parser has added */
    uint32_t line;    /* in the PTX file */
    uint32_t source_file, source_line; /* from .loc: number in .file; 0: none */
    bool keeps_line;  /* its .loc has line 0, so it belongs to the source location of the .loc before */
    uint32_t inlined; /* number, from 1, in unit->inlined; 0: it belongs to no inlined call */
};

struct ptx_function {
    const char *name;
    bool is_entry, is_announced, defined, is_weak, address_taken;
    uint32_t at;
    uint32_t number; /* in the module, from 1 */
    struct ptx_signature signature;
    VECTOR(struct ptx_instruction) body;
    VECTOR(struct ptx_register) registers;
    VECTOR(struct ptx_variable *) locals;                                    /* .local variables, for the frame */
    uint32_t max_threads[3], required_threads[3], max_registers, min_blocks; /* 0: not given */
    bool has_max_threads, has_required_threads;
    uint32_t cluster[3], max_cluster;           /* .reqnctapercluster, .maxclusterrank; 0: not given */
    bool explicit_cluster, blocks_are_clusters; /* .explicitcluster, .blocksareclusters */
    uint32_t frame_bytes;                       /* set by layout */
    struct ptx_function *next;
};

struct ptx_file {
    uint32_t number;
    const char *name;
};

/* A call that the compiler replaced by the function's body. */
struct ptx_inlined {
    const char
        *label; /* the function's name is in .debug_str, `offset` bytes after this label; NULL: it is elsewhere */
    uint64_t offset;
    const char *function;        /* NULL: nothing names it, and the call is left out */
    uint32_t file, line, column; /* of the call: number in .file */
    uint64_t address;            /* of an instruction in it */
    uint32_t inlined; /* the call whose body contains this call: number, from 1, of an earlier one; 0: none */
};

struct ptx_unit {
    struct ptx_source *src;
    struct arena *arena;
    uint32_t version; /* major × 10 + minor */
    uint32_t address_bits;
    const struct target *target; /* the newest one if there are several; NULL: not given */
    const char *unknown_target;  /* the first target that is unknown; NULL: all are known */
    uint32_t unknown_target_at;
    struct ptx_function *functions, **last_function;
    uint32_t function_count;
    bool several_results; /* some function has more than one: ptxas compiles the module without the ABI */
    VECTOR(struct ptx_variable *) variables; /* of .global and .const, wherever declared */
    VECTOR(struct ptx_variable *) locals;    /* .local variables of the module */
    VECTOR(struct ptx_file) files;
    VECTOR(struct ptx_inlined) inlined;
};

/* Parses the whole text, which may hold several modules, one after another, each from its .version on. Links them as
 * PTX ISA "Linking Directives" says. A name that is not .extern, .visible, .weak or .common is known in its own module
 * only. Reports an error by ptx_error, which jumps to src->escape. */
struct ptx_unit *ptx_parse(struct ptx_source *);

#endif
