/* What buffers hold, by the types of the parameters that point to them. A mangled name has these types (Itanium C++
 * ABI, "Mangling"), though not what is in a structure. An array of numbers has no padding; one of structures may. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"
#include "frontend/check/names.h"

/* ---- the type of a parameter ------------------------------------------------------------------------------------- */

static bool is_one_of(const char *text, size_t length, const char *const *list)
{
    bool is = false;
    for (; *list && !is; list++)
        is = strlen(*list) == length && !strncmp(text, *list, length);
    return is;
}

/* CUDA's vectors, such as uint3: what a program leaves out of them is its own affair. */
static bool is_vector(const char *text, size_t length)
{
    static const char *const of[] = {"char",  "uchar",    "short",     "ushort", "int",    "uint", "long",
                                     "ulong", "longlong", "ulonglong", "float",  "double", NULL};
    return length > 1 && text[length - 1] >= '1' && text[length - 1] <= '4' && is_one_of(text, length - 1, of);
}

/* What a pointer to the type points to. */
static enum holds holds_of(const char *type, size_t length)
{
    static const char *const raw[] = {"void", "char", "signed char", "unsigned char", "std::byte", NULL};
    static const char *const numbers[] = {
        "bool",          "short",     "unsigned short",     "int",   "unsigned int", "long",
        "unsigned long", "long long", "unsigned long long", "float", "double",       NULL};
    if (length && type[length - 1] == '*')
        return HOLDS_NUMBERS;
    if (is_one_of(type, length, raw) || is_vector(type, length))
        return HOLDS_OTHERS;
    return is_one_of(type, length, numbers) ? HOLDS_NUMBERS : HOLDS_STRUCTURES;
}

static bool ends_with(const char *type, size_t length, const char *end)
{
    size_t of = strlen(end);
    return length >= of && !strncmp(type + length - of, end, of);
}

static size_t without(const char *type, size_t length, const char *const *ends)
{
    for (size_t i = 0; ends[i]; i++)
        if (ends_with(type, length, ends[i])) {
            length -= strlen(ends[i]);
            i = (size_t)-1;
        }
    return length;
}

/* What the memory holds that a parameter of this type, such as "int const*", points to. HOLDS_OTHERS: it is no pointer,
 * or one to anything. */
static enum holds holds_of_parameter(const char *type, size_t length)
{
    static const char *const blanks[] = {" ", " const", " volatile", " restrict", " __restrict", NULL};
    const char *array = memmem(type, length, "(*", 2); /* a pointer to arrays: int (*) [16] */
    length = without(type, array ? (size_t)(array - type) : length, blanks);
    if (!array && (!length || type[length - 1] != '*'))
        return HOLDS_OTHERS;
    return holds_of(type, without(type, array ? length : length - 1, blanks));
}

/* ---- the parameters of a kernel ---------------------------------------------------------------------------------- */

/* The list of parameters at the end of a readable name, behind its bracket; NULL: it has none. */
static const char *parameters_of(const char *name)
{
    size_t at = strlen(name), depth = 0;
    if (!at || name[at - 1] != ')')
        return NULL;
    do {
        at--;
        depth += name[at] == ')';
        depth -= name[at] == '(';
    } while (at && depth);
    return depth ? NULL : name + at + 1;
}

static size_t type_length(const char *list)
{
    size_t at = 0, depth = 0;
    for (; list[at] && (depth || (list[at] != ',' && list[at] != ')')); at++) {
        depth += strchr("(<[{", list[at]) != NULL;
        depth -= depth && strchr(")>]}", list[at]);
    }
    return at;
}

/* As many entries as the kernel has parameters. */
static void read_types(const char *list, uint8_t *holds, uint32_t count)
{
    uint32_t n = 0;
    for (; *list && *list != ')'; n++) {
        size_t length = type_length(list);
        if (n < count)
            holds[n] = (uint8_t)holds_of_parameter(list, length);
        list += length;
        list += strspn(list, ", ");
    }
    if (n != count) /* the name is not that of a C++ function with these parameters */
        memset(holds, HOLDS_OTHERS, count);
}

/* False: out of memory. */
static bool find_types(struct parameter_types *to, const struct program *p)
{
    uint8_t *holds = realloc(to->holds, p->parameter_count + 1);
    char *name = name_demangled(p->name);
    const char *list = name ? parameters_of(name) : NULL;
    if (holds) {
        to->holds = holds;
        to->program = p->kernel.identity;
        memset(holds, HOLDS_OTHERS, p->parameter_count + 1);
        if (list)
            read_types(list, holds, p->parameter_count);
    }
    free(name);
    return holds;
}

static void note(struct rp_check *c, const struct grid *g, uint64_t value, enum holds holds)
{
    const struct allocation *a = memory_find(g->memory, value);
    struct checked_allocation *mine = a ? check_allocation(c, a) : NULL;
    bool part = a && a->base != value && holds == HOLDS_NUMBERS; /* the rest may hold anything */
    if (mine)
        mine->holds |= (uint8_t)(part ? HOLDS_OTHERS : holds);
}

bool holds_begin(struct rp_check *c, const struct grid *g)
{
    const struct program *p = g->program;
    if (c->types.program != p->kernel.identity && !find_types(&c->types, p))
        return false;
    for (uint32_t i = 0; i < p->parameter_count; i++)
        for (uint32_t at = 0; at + 8 <= p->parameters[i].size; at += 8) {
            uint64_t value;
            memcpy(&value, g->params + p->parameters[i].offset + at, sizeof value);
            note(c, g, value, p->parameters[i].size == 8 ? (enum holds)c->types.holds[i] : HOLDS_OTHERS);
        }
    return true;
}
