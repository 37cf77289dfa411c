/* The instruction table: which opcodes, modifiers, types and operands PTX has, and how each form is lowered.
 *
 * instructions.def holds one row per form. The strings of a row are small patterns; on first use table.c converts them
 * to the bit sets of struct ptx_form. Modifiers match as a set, types in order. As in NVIDIA's ptxas, modifiers may
 * stand in any order and among the types. A few belong to the opcode's name and must follow it at once (mul.lo,
 * div.full, cvta.to, shf.l, bar.cta.red: '^' in a pattern). tests/cli/ptx.sh compares with ptxas. */
#ifndef REPRISE_FRONTEND_ISA_PTX_TABLE_H
#define REPRISE_FRONTEND_ISA_PTX_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/operation/uop.h"

enum ptx_type {
    PT_NONE,
#define TYPE(id, name, bits, kind, lane) PT_##id,
#include "frontend/isa/ptx/types.def"
#undef TYPE
    PT_COUNT
};
struct ptx_type_info {
    const char *name;
    uint8_t bits;
    char kind;    /* 'B' 'U' 'S' 'F' 'P' */
    uint8_t lane; /* enum lane_type; T_NONE: not covered */
};
extern const struct ptx_type_info ptx_types[PT_COUNT];

enum ptx_modifier {
#define MOD(id, name, group, value) M_##id,
#include "frontend/isa/ptx/modifiers.def"
#undef MOD
    M_COUNT
};
enum ptx_group {
    G_ROUND,
    G_FTZ,
    G_SAT,
    G_SATFINITE,
    G_RELU,
    G_PRECISION,
    G_HALF,
    G_NAN,
    G_XORSIGN,
    G_ABS,
    G_CLAMP,
    G_DIRECTION,
    G_SHIFTAMT,
    G_UNI,
    G_CC,
    G_OOB,
    G_NOFTZ,
    G_COMPARE,
    G_OPERATION,
    G_TESTP,
    G_PRMT,
    G_SYNC,
    G_ALIGNED,
    G_SHUFFLE,
    G_VOTE,
    G_BARRIER,
    G_WARP,
    G_SPACE,
    G_TO,
    G_ORDER,
    G_MMIO,
    G_SCOPE,
    G_CACHE,
    G_NC,
    G_VECTOR,
    G_LEVEL,
    G_EVICT1,
    G_EVICT2,
    G_PREFETCH,
    G_CACHE_HINT,
    G_SECOND,
    G_ASYNC,
    G_GROUP,
    G_OBJECT,
    G_BULK,
    G_COMPLETION,
    G_MULTICAST,
    G_REDUCE,
    G_TENSOR,
    G_TENSOR_MODE,
    G_BULK_PREFETCH,
    G_READ,
    G_TRANSACTION,
    G_PARITY,
    G_NOINC,
    G_PROXY,
    G_PROXY_KIND,
    G_RESTRICT,
    G_DEPENDENTS,
    G_POLICY,
    G_MASK,
    G_TENSORMAP,
    G_MAP,
    G_MAP_FIELD,
    G_MAP_SIZE,
    G_PACK,
    G_SCALE,
    G_PLUS_ONE,
    G_GEOMETRY,
    G_LOD,
    G_FORMATTED,
    G_QUERY,
    G_SHAPE,
    G_SHAPE_K8,
    G_SHAPE_K16,
    G_SHAPE_K32,
    G_SHAPE_K64,
    G_SHAPE_K256,
    G_WGMMA,
    G_LAYOUT,
    G_LAYOUT_B,
    G_WMMA,
    G_FRAGMENT,
    G_SPARSE,
    G_KIND,
    G_BLOCK_SCALE,
    G_SCALE_VECTOR,
    G_TILE,
    G_COUNT_OF_TILES,
    G_TRANS,
    G_PACKED,
    G_PACKED_FROM,
    G_COUNT
};

/* Fields of a tensor map, as tensormap.replace names them. Those from MAP_ELEMENT on take named values. */
enum map_field_name {
    MAP_ADDRESS,
    MAP_RANK,
    MAP_BOX,
    MAP_SIZE,
    MAP_STRIDE,
    MAP_STEP,
    MAP_ELEMENT,
    MAP_INTERLEAVE,
    MAP_SWIZZLE,
    MAP_FILL
};

/* Values of G_GEOMETRY: how many dimensions, and bits. */
enum { GEOMETRY_DIMENSIONS = 3, GEOMETRY_LAYERED = 16, GEOMETRY_CUBE = 32 };

enum { MOD_WORDS = (M_COUNT + 63) / 64, MAX_TYPES = 5, MAX_OPERANDS = 10, MAX_CHOICES = 12, MAX_LEADING = 2 };
struct mod_set {
    uint64_t word[MOD_WORDS];
};
struct ptx_modifiers {
    struct mod_set set;
    int16_t leading[MAX_LEADING]; /* the first words after the opcode: enum ptx_modifier, or -1 */
    uint8_t word_count;           /* number of words in leading[] */
    uint8_t types[MAX_TYPES], type_count;
};
static inline bool mods_have(const struct ptx_modifiers *m, enum ptx_modifier id)
{
    return m->set.word[id / 64] >> (id % 64) & 1;
}
/* The value of the modifier of `group` that the instruction has; `otherwise`: it has none. */
int mods_value(const struct ptx_modifiers *, enum ptx_group group, int otherwise);

/* How a form's unit class follows from its type. */
enum ptx_class_rule {
#define X(id, name, help) C_##id = RP_CLASS_##id,
    RP_CLASSES(X)
#undef X
        C_ARITHMETIC, /* INT, FP32, FP64 or FP16 by the type */
    C_MULTIPLY,       /* INT_MUL, else as arithmetic */
    C_DIVIDE,         /* INT_DIV, FP32_DIV, FP64_DIV; SFU when .approx or .full */
    C_CONVERSION,     /* INT, CONVERT or CONVERT64 by both types */
};

/* How a form is lowered (lower.h). NONE: it is not executed yet. */
enum ptx_lowering {
    LOW_NONE,
    LOW_LANES,       /* one UOP_LANE, operands by role */
    LOW_MOVE,        /* mov: also packs, unpacks, takes addresses */
    LOW_MOVE_VECTOR, /* mov.v2, mov.v4: element by element */
    LOW_CONVERT,
    LOW_CARRY, /* add, sub, mad with carry in */
    LOW_VIDEO, /* scalar video instructions */
    LOW_VIDEO_SIMD,
    LOW_CVTA,
    LOW_ISSPACEP,
    LOW_LOAD,
    LOW_STORE,
    LOW_ATOMIC,
    LOW_COPY, /* cp.async: a load into temporary registers, and a store */
    LOW_PREFETCH,
    LOW_BRANCH,
    LOW_BRANCH_TABLE,
    LOW_CALL,
    LOW_RETURN,
    LOW_EXIT,
    LOW_BARRIER,
    LOW_WARP_BARRIER,
    LOW_FENCE,
    LOW_TRAP,
    LOW_MMA,       /* mma, wmma.mma */
    LOW_WGMMA,     /* wgmma.mma_async */
    LOW_WARPGROUP, /* what orders those */
    LOW_WMMA_LOAD,
    LOW_WMMA_STORE,
    LOW_LDMATRIX,
    LOW_STMATRIX,
    LOW_MOVMATRIX,
    LOW_OBJECT, /* mbarrier: changes the object */
    LOW_OBJECT_WAIT,
    LOW_BULK,      /* cp.async.bulk, cp.reduce.async.bulk */
    LOW_TENSOR,    /* the same of tensors */
    LOW_MAP_FIELD, /* tensormap.replace */
    LOW_MAP_COPY,  /* tensormap.cp_fenceproxy */
    LOW_STORE_ASYNC,
    LOW_REDUCE_ASYNC,
    LOW_PENDING_COUNT,
    LOW_CLUSTER_BARRIER,
    LOW_CLUSTER, /* mapa and getctarank: addresses of another block's shared memory */
    LOW_TEXTURE, /* tex, tld4 */
    LOW_SURFACE_LOAD,
    LOW_SURFACE_STORE,
    LOW_SURFACE_REDUCE,
    LOW_IMAGE_QUERY, /* txq, suq */
    LOW_GROUP,       /* groups of asynchronous copies: commit and wait */
    LOW_STACK,       /* alloca, stacksave, stackrestore */
    LOW_NOTHING,     /* executed without an effect, but a destination becomes 0: hints, and waits for work that has
                        completed already */
};

/* An operand of a form, from one word of the pattern: ROLE[TYPING][|q][?], for instance "d|q?".
 * Roles: d destination, q predicate destination, a b c sources, l a further source, p predicate source, m address,
 * i immediate, L label, x anything. Typing: none first type, 1 2 3 further types, u .u32, w twice the first
 * type's width, v vector by .v2 .v4 .v8, f fragment of a matrix (matrix.h), n any register. '|q': may be a pair with a
 * predicate; '?': may be left out. */
struct operand_form {
    char role, typing;
    bool pair, optional;
};

/* One word of a form's modifiers: a set of alternatives. An instruction has at most one of them. */
struct mod_choice {
    struct mod_set set;
    bool required, leading; /* leading: stands before all other words, except for those of earlier leading choices */
};

struct ptx_form {
    const char *opcode;
    uint8_t class_rule, lowering, op;
    bool any_modifiers;         /* "*": a form that is not executed; only its opcode is checked */
    const char *first_modifier; /* "* word": and this modifier, or NULL */
    bool any_operands;          /* "*" */
    uint8_t type_count, choice_count, operand_count, operands_needed;
    struct mod_set allowed; /* all choices together */
    struct mod_choice choices[MAX_CHOICES];
    uint64_t types[MAX_TYPES]; /* bit per enum ptx_type */
    struct operand_form operands[MAX_OPERANDS];
};

/* Reads the patterns. A bad row aborts, which a test would show. All functions below call this. */
void ptx_table_start(void);
/* The forms of an opcode, `*count` of them in a row; NULL: the opcode is unknown. */
const struct ptx_form *ptx_opcode(const char *name, uint32_t length, uint32_t *count);
/* Opcode number `index` in alphabetical order; NULL after the last. */
const char *ptx_opcode_name(uint32_t index);
/* PT_NONE or -1: there is no such name. */
enum ptx_type ptx_type_named(const char *name, uint32_t length);
int ptx_modifier_named(const char *name, uint32_t length);
const char *ptx_modifier_name(enum ptx_modifier);

/* Whether `form` takes these modifiers and types. If not, why; greater values are closer to fitting. For TWICE, MISSING
 * and ORDER, *choice (may be NULL) is the index of the choice that does not fit. */
enum form_mismatch { FORM_FITS, FORM_MODIFIER, FORM_TYPE_COUNT, FORM_TYPE, FORM_MISSING, FORM_TWICE, FORM_ORDER };
enum form_mismatch ptx_form_match(const struct ptx_form *form, const struct ptx_modifiers *, unsigned *choice);
/* How many operands an instruction with these modifiers has. .multicast::cluster adds a mask of blocks, .L2::cache_hint
 * a policy. */
struct operand_range {
    uint32_t least, most;
};
struct operand_range ptx_operand_range(const struct ptx_form *, const struct ptx_modifiers *);
/* The oldest target that has the form (targets.def, for forms that compute in registers): 90 for sm_90; 0: all have it.
 * For three operands of min and max: PTX ISA, "Target ISA Notes" of both. */
unsigned ptx_least_target(const struct ptx_form *, const struct ptx_modifiers *);
/* enum rp_class of an instruction of this form with these modifiers. */
uint8_t ptx_class(const struct ptx_form *, const struct ptx_modifiers *);

#endif
