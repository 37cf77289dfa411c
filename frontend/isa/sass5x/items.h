/* Shorthands in which the rows of the instruction table are written. Numbers are bit positions.
 *
 *     ROW(FADD, 0x5c58, 0xfff8, FP32, FIXED, FTZ(44), ROUND(39), SAT(50), RD, CC(47), RA_NA(48, 46), RB_NA(45, 49))
 *
 * reads: FADD, register form; modifiers .FTZ, rounding and .SAT; then the operands with what hangs on each of them.
 */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_ITEMS_H
#define REPRISE_FRONTEND_ISA_SASS5X_ITEMS_H

#include "frontend/isa/sass/items.h"
#include "frontend/isa/sass5x/table.h"

/* A ROW is for all architectures. It has a guard, and its mnemonic is its semantic. */
#define ROW(name, value, mask, class, latency, ...)                                                                    \
    ROW_X(#name, #name, value, mask, class, latency, SASS_ANY, 0, __VA_ARGS__)
#define ROW_FOR(archs, name, value, mask, class, latency, ...)                                                         \
    ROW_X(#name, #name, value, mask, class, latency, archs, 0, __VA_ARGS__)

#define CC(at) FLAG(at, "CC")
#define PO(at) MODIFIER(at, 2, "", "", "", "PO")
/* ptxas writes size 7 for accesses that it knows to be wrong; NVIDIA's tools print it as below. */
#define SIZE(at) MODIFIER(at, 3, "U8", "S8", "U16", "S16", "", "64", "128", "INVALIDSIZE7")
#define SIZE_LOAD(at) MODIFIER(at, 3, "U8", "S8", "U16", "S16", "", "64", "128", "U.128")
#define CACHE_LOAD(at) MODIFIER(at, 2, "", "CG", "CI", "CV")
#define CACHE_STORE(at) MODIFIER(at, 2, "", "CG", "CS", "WT")
#define CC_NAME(at)                                                                                                    \
    {                                                                                                                  \
        .kind = SI_MODIFIER, .f = {at, 5}, .names = sass_cc_names, .count = 32                                         \
    }
#define SPECIAL_REGISTER(at)                                                                                           \
    {                                                                                                                  \
        .kind = SI_SPECIAL, .f = {at, 8}, .names = sass_special_names, .count = 256                                    \
    }

/* registers: R* plain, _N negatable, _NA with absolute value, _I invertible */
#define RD REGISTER(0)
#define RA SOURCE(8, 0, .neg = 0)
#define RA_N(n) SOURCE(8, 0, .neg = n)
#define RA_NPO(n, p) SOURCE(8, 0, .neg = n, .po = p)
#define RA_NA(n, a) SOURCE(8, 0, .neg = n, .abs = a)
#define RA_I(i) SOURCE(8, 0, .inv = i)
#define RB SOURCE(20, 1, .neg = 0)
#define RB_N(n) SOURCE(20, 1, .neg = n)
#define RB_NPO(n, p) SOURCE(20, 1, .neg = n, .po = p)
#define RB_NA(n, a) SOURCE(20, 1, .neg = n, .abs = a)
#define RB_SLOT2_NA(n, a) SOURCE(20, 2, .neg = n, .abs = a) /* additions read B through the third operand slot */
#define RB_I(i) SOURCE(20, 1, .inv = i)
#define RC SOURCE(39, 2, .neg = 0)
#define RC_N(n) SOURCE(39, 2, .neg = n)
#define RC_NPO(n, p) SOURCE(39, 2, .neg = n, .po = p)
/* B of the register-constant forms */
#define RB39 SOURCE(39, 1, .neg = 0)
#define RB39_N(n) SOURCE(39, 1, .neg = n)
#define PART_H2(at) PART(at, 2, "", "F32", "H0_H0", "H1_H1")
#define PART_VIDEO(at) PART(at, 3, "", "B1", "B2", "B3", "", "H1", "")

/* constant operand */
#define CONSTANT(...)                                                                                                  \
    {                                                                                                                  \
        .kind = SI_CONSTANT, .f = {20, 14}, .g = {34, 5}, .unit = 2, __VA_ARGS__                                       \
    }
#define CB CONSTANT(.neg = 0)
#define CB_N(n) CONSTANT(.neg = n)
#define CB_NPO(n, p) CONSTANT(.neg = n, .po = p)
#define CB_NA(n, a) CONSTANT(.neg = n, .abs = a)
#define CB_I(i) CONSTANT(.inv = i)

/* immediates */
#define IMMEDIATE(style_, ...)                                                                                         \
    {                                                                                                                  \
        .kind = SI_IMMEDIATE, .style = style_, .f = {20, 19}, .g = {56, 1}, __VA_ARGS__                                \
    }
#define S20 IMMEDIATE(IMM_S20, .neg = 0)
#define S20_NPO(n, p) IMMEDIATE(IMM_S20, .neg = n, .po = p)
#define S20_I(i) IMMEDIATE(IMM_S20, .inv = i)
#define F20 IMMEDIATE(IMM_F20, .neg = 0)
#define F20_N(n) IMMEDIATE(IMM_F20, .neg = n)
#define F20_NA(n, a) IMMEDIATE(IMM_F20, .neg = n, .abs = a)
#define D20_N(n) IMMEDIATE(IMM_D20, .neg = n)
#define D20_NA(n, a) IMMEDIATE(IMM_D20, .neg = n, .abs = a)
#define S32 IMM(IMM_S, 20, 32)
#define F32(...)                                                                                                       \
    {                                                                                                                  \
        .kind = SI_IMMEDIATE, .style = IMM_F32, .f = {20, 32}, __VA_ARGS__                                             \
    }
#define HALF9                                                                                                          \
    {.kind = SI_IMMEDIATE, .style = IMM_F16_9, .f = {30, 9}, .g = {56, 1}},                                            \
    {                                                                                                                  \
        .kind = SI_IMMEDIATE, .style = IMM_F16_9, .f = {20, 9}, .g = { 29, 1 }                                         \
    }
#define HALF16 IMM(IMM_F16, 36, 16), IMM(IMM_F16, 20, 16)

/* predicates */
#define PD PREDICATE(3, 0)
#define PD1 PREDICATE(0, 0)
#define PC PREDICATE(39, 42)

/* memory */
/* [Ra+offset]. RZ is left out if there is an offset, which is unsigned then. */
#define ADDRESS(at, width, unit_)                                                                                      \
    {                                                                                                                  \
        .kind = SI_ADDRESS, .style = ADDRESS_UNSIGNED,                                                                 \
        .parts = ITEMS(REGISTER(8), {.kind = SI_IMMEDIATE, .style = IMM_S, .f = {at, width}, .unit = unit_})           \
    }
#define ADDRESS_NONE                                                                                                   \
    {                                                                                                                  \
        .kind = SI_ADDRESS, .parts = ITEMS(REGISTER(8))                                                                \
    }
#define CONST_ADDRESS                                                                                                  \
    {                                                                                                                  \
        .kind = SI_INDEXED, .style = ADDRESS_ZERO_OFFSET, .g = {36, 5},                                                \
        .parts = ITEMS(REGISTER(8), IMM(IMM_S, 20, 16))                                                                \
    }

#define CC_LITERAL OPERAND_NAME(0, 0, "CC")
/* a register at `at`, unless bit `choose` is set: then the immediate [imm : width] */
#define CHOICE(at_, choose, imm, width_)                                                                               \
    {                                                                                                                  \
        .kind = SI_CHOICE, .f = {at_, 8}, .g = {choose, 1}, .sf = { imm, width_ }                                      \
    }
#define CHOICE_OPT(at_, choose, imm, width_)                                                                           \
    {                                                                                                                  \
        .kind = SI_CHOICE, .style = 1, .f = {at_, 8}, .g = {choose, 1}, .sf = { imm, width_ }                          \
    }

#endif
