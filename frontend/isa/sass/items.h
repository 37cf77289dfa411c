/* Macros in which the rows of instruction tables are written. Numbers are bit positions. A generation adds macros for
 * its own operands (sass5x/items.h). */
#ifndef REPRISE_FRONTEND_ISA_SASS_ITEMS_H
#define REPRISE_FRONTEND_ISA_SASS_ITEMS_H

#include "frontend/isa/sass/table.h"

/* Of a row, and the parts of an address. */
#define ITEMS(...)                                                                                                     \
    (const struct sass_item[])                                                                                         \
    {                                                                                                                  \
        __VA_ARGS__, { .kind = SI_END }                                                                                \
    }
/* The general row. */
#define ROW_X(name_, semantic_, value_, mask_, class_, latency_, archs_, flags_, ...)                                  \
    {                                                                                                                  \
        .name = name_, .semantic = semantic_, .value = value_, .mask = mask_, .unit_class = RP_CLASS_##class_,         \
        .latency = LATENCY_##latency_, .archs = archs_, .flags = flags_, .items = ITEMS(__VA_ARGS__)                   \
    }
#define NAMES(...)                                                                                                     \
    .names = (const char *const[]){__VA_ARGS__}, .count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

/* conditions and unprinted bits */
#define REQUIRE(at, width, value)                                                                                      \
    {                                                                                                                  \
        .kind = SI_REQUIRE, .style = value, .f = { at, width }                                                         \
    }
#define DEFAULT(at, width, value)                                                                                      \
    {                                                                                                                  \
        .kind = SI_DEFAULT, .style = value, .f = { at, width }                                                         \
    }
#define NOTHING DEFAULT(0, 0, 0)

/* modifiers */
#define MODIFIER(at, width, ...)                                                                                       \
    {                                                                                                                  \
        .kind = SI_MODIFIER, .f = {at, width}, NAMES(__VA_ARGS__)                                                      \
    }
#define MODIFIER2(at, width, at2, width2, ...)                                                                         \
    {                                                                                                                  \
        .kind = SI_MODIFIER, .f = {at, width}, .g = {at2, width2}, NAMES(__VA_ARGS__)                                  \
    }
#define LITERAL(name) MODIFIER(0, 0, name)
#define FLAG(at, name) MODIFIER(at, 1, "", name)
#define UNLESS(at, name) MODIFIER(at, 1, name, "")
#define FTZ(at) FLAG(at, "FTZ")
#define FMZ(at) MODIFIER(at, 2, "", "FTZ", "FMZ")
#define SAT(at) FLAG(at, "SAT")
#define X(at) FLAG(at, "X")
#define ROUND(at) MODIFIER(at, 2, "", "RM", "RP", "RZ")
#define FCMP_(at)                                                                                                      \
    MODIFIER(at, 4, "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU",   \
             "T")
#define ICMP_(at) MODIFIER(at, 3, "F", "LT", "EQ", "LE", "GT", "NE", "GE", "T")
#define BOOL(at) MODIFIER(at, 2, "AND", "OR", "XOR")
#define U32(at) UNLESS(at, "U32")

/* registers, predicates, names, numbers */
#define REGISTER(at)                                                                                                   \
    {                                                                                                                  \
        .kind = SI_REGISTER, .f = { at, 8 }                                                                            \
    }
#define REGISTER_OPT(at)                                                                                               \
    {                                                                                                                  \
        .kind = SI_REGISTER, .style = REGISTER_OPTIONAL, .f = { at, 8 }                                                \
    }
#define REGISTER_BRACKET(at)                                                                                           \
    {                                                                                                                  \
        .kind = SI_REGISTER, .style = REGISTER_BRACKETS, .f = { at, 8 }                                                \
    }
#define SOURCE(at, slot, ...)                                                                                          \
    {                                                                                                                  \
        .kind = SI_REGISTER, .f = {at, 8}, .reuse = (slot) + 1, __VA_ARGS__                                            \
    }
#define PART(at, width, ...) .sf = {at, width}, NAMES(__VA_ARGS__)
#define IMM(style_, at, width)                                                                                         \
    {                                                                                                                  \
        .kind = SI_IMMEDIATE, .style = style_, .f = { at, width }                                                      \
    }
#define UIMM(at, width) IMM(IMM_U, at, width)
#define PREDICATE(at, n)                                                                                               \
    {                                                                                                                  \
        .kind = SI_PREDICATE, .f = {at, 3}, .neg = n                                                                   \
    }
#define PREDICATE_STYLE(style_, at)                                                                                    \
    {                                                                                                                  \
        .kind = SI_PREDICATE, .style = style_, .f = { at, 3 }                                                          \
    }
#define PD_OPT(at) PREDICATE_STYLE(PREDICATE_OPTIONAL, at)
#define OPERAND_NAME(at, width, ...)                                                                                   \
    {                                                                                                                  \
        .kind = SI_NAME, .f = {at, width}, NAMES(__VA_ARGS__)                                                          \
    }
#define OPERAND_NAME2(at, width, at2, width2, ...)                                                                     \
    {                                                                                                                  \
        .kind = SI_NAME, .f = {at, width}, .g = {at2, width2}, NAMES(__VA_ARGS__)                                      \
    }

#endif
