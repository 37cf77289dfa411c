/* Shorthands in which the rows of the instruction table are written. Numbers are bit positions.
 *
 *     ROW_UR(FADD, 0xe21, FP32, FIXED, FROM_75, FTZ(80), ROUND(78), SAT(77), RD, RA_NA, UB_NA)
 *
 * reads: FADD from sm_75 on, the form whose second source is a uniform register; modifiers .FTZ, rounding and .SAT;
 * then the operands with what hangs on each of them. */
#ifndef REPRISE_FRONTEND_ISA_SASS7X_ITEMS_H
#define REPRISE_FRONTEND_ISA_SASS7X_ITEMS_H

#include "frontend/isa/sass/items.h"
#include "frontend/isa/sass7x/table.h"

/* The mnemonic is the semantic. Bit 91 says that a source is a uniform register or lies in described constant memory:
 * ROW has it as 0, ROW_UR as 1, ROW_FREE as either. UNIFORM rows are guarded by a uniform predicate. */
#define ROW(name, op, class, latency, archs, ...)                                                                      \
    ROW_X(#name, #name, op, 0xfff, class, latency, archs, 0, REQUIRE(91, 1, 0), __VA_ARGS__)
#define ROW_UR(name, op, class, latency, archs, ...)                                                                   \
    ROW_X(#name, #name, op, 0xfff, class, latency, archs, 0, REQUIRE(91, 1, 1), __VA_ARGS__)
#define ROW_FREE(name, op, class, latency, archs, ...)                                                                 \
    ROW_X(#name, #name, op, 0xfff, class, latency, archs, 0, __VA_ARGS__)
#define UNIFORM(name, op, class, latency, archs, ...)                                                                  \
    ROW_X(#name, #name, op, 0xfff, class, latency, archs, SASS_UNIFORM_GUARD, REQUIRE(91, 1, 0), __VA_ARGS__)
#define UNIFORM_UR(name, op, class, latency, archs, ...)                                                               \
    ROW_X(#name, #name, op, 0xfff, class, latency, archs, SASS_UNIFORM_GUARD, REQUIRE(91, 1, 1), __VA_ARGS__)

#define FMZ_FTZ MODIFIER2(76, 1, 80, 1, "", "FMZ", "FTZ")

/* registers: R* plain, _N negatable, _NA with absolute value, _I invertible, _NA_ with a part; B in the place of C is
 * RB64, and RB_SLOT2 is B whose reuse flag is that of C */
#define REG(at, ...)                                                                                                   \
    {                                                                                                                  \
        .kind = SI_REGISTER, .f = {at, 8}, __VA_ARGS__                                                                 \
    }
#define RD REGISTER(16)
#define RA SOURCE(24, 0, .neg = 0)
#define RA_N SOURCE(24, 0, .neg = 72)
#define RA_NA SOURCE(24, 0, .neg = 72, .abs = 73)
#define RA_NA_(...) SOURCE(24, 0, .neg = 72, .abs = 73, __VA_ARGS__)
#define RA_I SOURCE(24, 0, .inv = 72)
#define RB SOURCE(32, 1, .neg = 0)
#define RB_N SOURCE(32, 1, .neg = 63)
#define RB_NA SOURCE(32, 1, .neg = 63, .abs = 62)
#define RB_NA_(...) SOURCE(32, 1, .neg = 63, .abs = 62, __VA_ARGS__)
#define RB_I SOURCE(32, 1, .inv = 63)
#define RB_SLOT2 SOURCE(32, 2, .neg = 0)
#define RB_SLOT2_NA SOURCE(32, 2, .neg = 63, .abs = 62)
#define RB_SLOT2_NA_(...) SOURCE(32, 2, .neg = 63, .abs = 62, __VA_ARGS__)
#define RB64 SOURCE(64, 1, .neg = 0)
#define RB64_N SOURCE(64, 1, .neg = 75)
#define RB64_NA SOURCE(64, 1, .neg = 75, .abs = 74)
#define RC SOURCE(64, 2, .neg = 0)
#define RC_N SOURCE(64, 2, .neg = 75)
#define RC_NA SOURCE(64, 2, .neg = 75, .abs = 74)
#define RC_I SOURCE(64, 2, .inv = 75)
#define BARRIER_REGISTER(at)                                                                                           \
    {                                                                                                                  \
        .kind = SI_REGISTER, .file = FILE_BARRIER, .f = { at, 4 }                                                      \
    }

/* uniform registers; UB is the second source */
#define UR_X(at, ...)                                                                                                  \
    {                                                                                                                  \
        .kind = SI_REGISTER, .file = FILE_UNIFORM, .f = {at, 6}, __VA_ARGS__                                           \
    }
#define UR(at) UR_X(at, .neg = 0)
#define UB UR(32)
#define UB_N UR_X(32, .neg = 63)
#define UB_NA UR_X(32, .neg = 63, .abs = 62)
#define UB_NA_(...) UR_X(32, .neg = 63, .abs = 62, __VA_ARGS__)
#define UB_I UR_X(32, .inv = 63)
#define UR_OPT(at) UR_X(at, .style = REGISTER_OPTIONAL)
#define SWAP_UR(at)                                                                                                    \
    {                                                                                                                  \
        .kind = SI_SWAP_UR, .file = FILE_UNIFORM, .f = { at, 6 }                                                       \
    }

/* a part in two fields */
#define PART2(at, width, at2, width2, ...) .sf = {at, width}, .sg = {at2, width2}, NAMES(__VA_ARGS__)

/* constant memory: c[bank][offset] and, behind a descriptor, cx[UR][offset] */
#define CONSTANT(...)                                                                                                  \
    {                                                                                                                  \
        .kind = SI_CONSTANT, __VA_ARGS__                                                                               \
    }
#define DESCRIBED(...) CONSTANT(.file = FILE_UNIFORM, __VA_ARGS__)
#define INDEXED(...)                                                                                                   \
    {                                                                                                                  \
        .kind = SI_INDEXED, __VA_ARGS__                                                                                \
    }
#define CB_(...) CONSTANT(.f = {40, 14}, .g = {54, 5}, .unit = 2, __VA_ARGS__)
#define CB CB_(.neg = 0)
#define CB_N CB_(.neg = 63)
#define CB_NA CB_(.neg = 63, .abs = 62)
#define CB_NA_(...) CB_(.neg = 63, .abs = 62, __VA_ARGS__)
#define CB_I CB_(.inv = 63)
#define CX_(...) DESCRIBED(.f = {40, 14}, .g = {32, 6}, .unit = 2, __VA_ARGS__)
#define CX CX_(.neg = 0)
#define CX_N CX_(.neg = 63)
#define CX_NA CX_(.neg = 63, .abs = 62)
#define CX_NA_(...) CX_(.neg = 63, .abs = 62, __VA_ARGS__)
#define CX_I CX_(.inv = 63)

/* numbers */
#define NUMBER(style_, at, width, ...)                                                                                 \
    {                                                                                                                  \
        .kind = SI_IMMEDIATE, .style = style_, .f = {at, width}, __VA_ARGS__                                           \
    }
#define S32 IMM(IMM_S, 32, 32)
#define F32 IMM(IMM_F32, 32, 32)
#define D32 IMM(IMM_D32, 32, 32)
#define F16_PAIR IMM(IMM_F16, 48, 16), IMM(IMM_F16, 32, 16)
#define BF16_PAIR IMM(IMM_BF16, 48, 16), IMM(IMM_BF16, 32, 16)
#define QUAD(at) IMM(IMM_QUAD, at, 4)
#define TARGET_X(at, width, ...)                                                                                       \
    {                                                                                                                  \
        .kind = SI_TARGET, .f = {at, width}, __VA_ARGS__                                                               \
    }
#define TARGET(at, width) TARGET_X(at, width, .unit = 0)
#define BARRIERS(at)                                                                                                   \
    {                                                                                                                  \
        .kind = SI_BARRIERS, .f = { at, 6 }                                                                            \
    }
#define BARRIER_NAME(at)                                                                                               \
    {                                                                                                                  \
        .kind = SI_BARRIER_NAME, .f = { at, 3 }                                                                        \
    }
#define SWIZZLE(at)                                                                                                    \
    {                                                                                                                  \
        .kind = SI_SWIZZLE, .f = {at, 8}, NAMES("PP", "PN", "NP", "ZP")                                                \
    }
#define IMAD_ALIAS                                                                                                     \
    {                                                                                                                  \
        .kind = SI_IMAD_ALIAS                                                                                          \
    }
#define SPECIAL(at, names_)                                                                                            \
    {                                                                                                                  \
        .kind = SI_SPECIAL, .f = {at, 8}, .names = names_, .count = 256                                                \
    }

/* predicates: n is the bit that negates them */
#define P_X(at, n, ...)                                                                                                \
    {                                                                                                                  \
        .kind = SI_PREDICATE, .f = {at, 3}, .neg = n, __VA_ARGS__                                                      \
    }
#define P(at, n) PREDICATE(at, n)
#define P_OPT(at, n) P_X(at, n, .style = PREDICATE_OPTIONAL)
#define P_INV_OPT(at, n) P_X(at, n, .style = PREDICATE_INVERTED_OPTIONAL)
#define UP(at, n) P_X(at, n, .file = FILE_UNIFORM)
#define UP_OPT(at, n) P_X(at, n, .file = FILE_UNIFORM, .style = PREDICATE_OPTIONAL)
#define UP_INV(at, n) P_X(at, n, .file = FILE_UNIFORM, .style = PREDICATE_INVERTED)
#define UP_INV_OPT(at, n) P_X(at, n, .file = FILE_UNIFORM, .style = PREDICATE_INVERTED_OPTIONAL)
#define PREDICATE_PAIR(at, at2)                                                                                        \
    {                                                                                                                  \
        .kind = SI_PREDICATE_PAIR, .f = {at, 3}, .g = { at2, 3 }                                                       \
    }
#define PD0 P(81, 0)
#define PD1 P(84, 0)
#define PD0_OPT P_OPT(81, 0)
#define PD1_OPT P_OPT(84, 0)
#define PC P(87, 90)
#define PC_OPT P_OPT(87, 90)

/* memory */
#define ADDRESS(...)                                                                                                   \
    {                                                                                                                  \
        .kind = SI_ADDRESS, .style = ADDRESS_UNSIGNED, .parts = ITEMS(__VA_ARGS__)                                     \
    }
#define SIGNED_ADDRESS(...)                                                                                            \
    {                                                                                                                  \
        .kind = SI_ADDRESS, .parts = ITEMS(__VA_ARGS__)                                                                \
    }
#define SHOWN_X(at, ...) REG(at, .style = REGISTER_SHOWN, __VA_ARGS__)
#define SHOWN(at) SHOWN_X(at, .neg = 0)
#define SHOWN_UR(at) UR_X(at, .style = REGISTER_SHOWN)
#define OFFSET(at, width) IMM(IMM_S, at, width)
#define AT REGISTER(24), OFFSET(40, 24)
#define AT_SHOWN SHOWN(24), OFFSET(40, 24)
#define WIDTH(at) PART(at, 1, "U32", "64"), .sf_rule = PART_SILENT
#define IS_64 PART(0, 0, "64")
#define SCALE(at) PART(at, 2, "", "X4", "X8", "X16")
/* behind a descriptor in uniform registers */
#define BEHIND(name, at, ...)                                                                                          \
    {                                                                                                                  \
        .kind = SI_ADDRESS, NAMES(name), .g = {at, 6}, __VA_ARGS__                                                     \
    }
#define DESC(at) BEHIND("desc", at, .neg = 0)
#define DESC_AT(at, ...) BEHIND("desc", at, .parts = ITEMS(__VA_ARGS__))
#define GDESC(at) BEHIND("gdesc", at, .neg = 0)
#define ATTRIBUTE(...)                                                                                                 \
    {                                                                                                                  \
        .kind = SI_ADDRESS, NAMES("a"), .parts = ITEMS(__VA_ARGS__)                                                    \
    }
#define HINT(at) MODIFIER(at, 3, HINTS)

/* names that several rows share; NULL: reserved */
#define FLOAT_COMPARES                                                                                                 \
    "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"
#define INT_COMPARES "F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"
#define SIZES_128 "U8", "S8", "U16", "S16", "", "64", "128"
#define SIZES_U128 "U8", "S8", "U16", "S16", "", "64", "128", "U.128"
#define SIZES_64 "U8", "S8", "U16", "S16", "", "64"
#define SIZES_ASYNC NULL, NULL, NULL, NULL, "", "64", "128"
#define HINTS "EF", "", "EL", "LU", "EU", "NA"
#define PREFETCHES "", "LTC64B", "LTC128B", "LTC256B"
#define LOAD_ORDERS                                                                                                    \
    "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "CONSTANT", "STRONG.SM", "STRONG.GPU.PRIVATE",     \
        "STRONG.GPU", "MMIO.GPU", "CONSTANT.SM", "STRONG.SYS", "CONSTANT.SM.PRIVATE", "MMIO.SYS", "CONSTANT.VC",       \
        "CONSTANT.VC.PRIVATE", "CONSTANT.GPU"
#define STORE_ORDERS                                                                                                   \
    "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "STRONG.SM.PRIVATE", "STRONG.SM",                  \
        "STRONG.GPU.PRIVATE", "STRONG.GPU", "MMIO.GPU", "CONSTANT.SM", "STRONG.SYS", "CONSTANT.SM.PRIVATE",            \
        "MMIO.SYS", "CONSTANT.VC", "CONSTANT.VC.PRIVATE", "CONSTANT.GPU"
#define COPY_ORDERS                                                                                                    \
    "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "CONSTANT", "MMIO.CTA", "GPU.PRIVATE",             \
        "MMIO.CTA.PRIVATE", "MMIO.SM", "CONSTANT.SM", "MMIO.VC", "CONSTANT.SM.PRIVATE", "MMIO.GPU", "CONSTANT.VC",     \
        "CONSTANT.VC.PRIVATE", "CONSTANT.GPU"
#define SCOPES "CTA", "SM", "GPU", "SYS"
#define LOAD_STRENGTHS "CONSTANT", "", "STRONG", "MMIO"
#define STORE_STRENGTHS NULL, "", "STRONG", "MMIO"
#define ATOMIC_STRENGTHS NULL, "", "STRONG"
#define ATOMIC_OPS "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"
#define REDUCTION_OPS "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"
#define GLOBAL_ATOMIC_OPS "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "SAFEADD"
#define ATOMIC_TYPES "", "S32", "64", "F32.FTZ.RN", "F16x2.RN", "S64", "F64.RN"
#define EXTREMUM_TYPES "", "S32", "64", "S64", "128"
#define CAS_TYPES "", "S32", "64"
#define EXCHANGE_TYPES "", "S32", "64", NULL, "128"
#define SIGNED_TYPES "", "S32", "64", "S64"
#define VECTOR_TYPES                                                                                                   \
    "F16x2.RN", "F16x4.RN", "F16x8.RN", "BF16x2.RN", "BF16x4.RN", "BF16x8.RN", NULL, NULL, NULL, "F32.FTZ.RN",         \
        "F32x2.FTZ.RN", "F32x4.FTZ.RN", "F32.RN", "F32x2.RN", "F32x4.RN", "F64.RN"
#define SURFACE_TYPES "", "S32", "U64", "F32.FTZ.RN", "F16x2.RN", "S64", "SD32", "SD64"
#define SURFACES "1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D"
#define CLAMPS "IGN", "", "TRAP"
#define COMPONENTS NULL, "R", NULL, "RG", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ""
#define TEXTURES "1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", NULL, "ARRAY_CUBE"
#define GATHERS NULL, "2D", NULL, "CUBE", NULL, "ARRAY_2D", NULL, "ARRAY_CUBE"
#define FETCHES "1D", "2D", "3D", NULL, "ARRAY_1D", "ARRAY_2D"
#define GRADIENTS "1D", "2D", NULL, NULL, "ARRAY_1D", "ARRAY_2D"
#define LODS "", "LZ", "LB", "LL", "LC", "LB.LC"
#define LODS_FDV "", "LZ", "LB", "LL", "LC", "LB.LC", "LC.FDV"
#define FETCH_LODS NULL, "LZ", NULL, "LL"
#define HALVES "", "F32", "H0_H0", "H1_H1"
#define HALVES_90 "", NULL, "H0_H0", "H1_H1"
#define HALVES_NEGATED "", "F32", "H0_H0", "H1_H1", "H0_NH1"
#define MUFU_OPS "COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT"
#define MUFU_OPS_90 "COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH"
#define MUFU_OPS_NARROW "COS", "SIN", "EX2", "LG2", "RCP", "RSQ", NULL, NULL, "SQRT", "TANH"
#define INTEGERS_64 "U8", "S8", "U16", "S16", "U32", "", "U64", "S64"
#define INTEGERS_32 "U8", "S8", "U16", "S16", "U32"
#define BYTES_HALVES "", "B1", "B2", "B3", "", "H1"
#define PERMUTES "", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"
#define SCALES NULL, "D8", "D4", "D2", "", "M2", "M4", "M8"
#define DOUBLE_COMPARES                                                                                                \
    "MIN", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "MAX"
#define BARRIER_REGISTERS                                                                                              \
    "B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9", "B10", "B11", "B12", "B13", "B14", "B15"
#define CACHE_OPS "PF1", "PF2", "WB", "IV", NULL, "RS", NULL, NULL, NULL, "PML2", "DML2", "RML2"
#define NARROW_FLOATS "F16", "BF16", "E5M2", "E4M3"
#define NARROW_INTEGERS "U8", "S8", NULL, NULL, "U4", "S4"
#define BYTES "", "B1", "B2", "B3"
#define REDUCTIONS "", "OR", "XOR", "SUM", "MIN", "MAX"
#define DIMENSIONS "1D", "2D", "3D", "4D", "5D"

#endif
