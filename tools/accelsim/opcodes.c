#include "tools/accelsim/opcodes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/loader/isa.h"

/* What a row does: it gives a class, adds to what the instruction table says, or removes the opcode. */
enum says { CLASS, FLAGS, NOTHING };
static const struct row {
    struct opcode is;
    enum says says;
} rows[] = {
#define X(name, class, flags) {{#name, RP_CLASS_##class, flags, RP_SPACE_NONE, 0}, CLASS},
#define F(name, flags) {{#name, 0, flags, RP_SPACE_NONE, 0}, FLAGS},
#define C(name, class) {{#name, RP_CLASS_##class, 0, RP_SPACE_NONE, 0}, CLASS},
#define M(name, space, kind) {{#name, RP_CLASS_MEMORY, 0, RP_SPACE_##space, RP_ACCESS_##kind}, CLASS},
#define N(name) {{#name, 0, 0, RP_SPACE_NONE, 0}, NOTHING},
#include "tools/accelsim/opcodes.def"
#undef X
#undef F
#undef C
#undef M
#undef N
};

/* All opcodes; sorted by name once the list is complete. */
static struct opcode opcodes[MOST_OPCODES];
static size_t opcode_count;

static struct opcode *listed(const char *name)
{
    for (size_t i = 0; i < opcode_count; i++)
        if (!strcmp(opcodes[i].name, name))
            return &opcodes[i];
    return NULL;
}

static const struct row *row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].is.name, name))
            return &rows[i];
    return NULL;
}

/* The mnemonic before the first dot. False: there is none, or it is too long. */
static bool take_mnemonic(const char *name, char mnemonic[OPCODE_NAME])
{
    size_t n = strcspn(name, ".");
    if (!n || n >= OPCODE_NAME)
        return false;
    memcpy(mnemonic, name, n);
    mnemonic[n] = 0;
    return true;
}

/* Adds a mnemonic of an instruction table. */
static void add(void *data, const char *name, uint8_t unit_class)
{
    (void)data;
    struct opcode o = {.unit_class = unit_class};
    if (!take_mnemonic(name, o.name) || listed(o.name) || opcode_count == MOST_OPCODES)
        return;
    const struct row *row = row_of(o.name);
    if (row && row->says == NOTHING)
        return;
    o.flags = row ? row->is.flags : 0;
    opcodes[opcode_count++] = o;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct opcode *)a)->name, ((const struct opcode *)b)->name);
}

static void complete(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].says == CLASS)
            opcodes[opcode_count++] = rows[i].is;
    isa_mnemonics(add, NULL);
    qsort(opcodes, opcode_count, sizeof *opcodes, by_name);
}

const struct opcode *opcode_find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct opcode key = {0};
    pthread_once(&once, complete);
    return take_mnemonic(name, key.name) ? bsearch(&key, opcodes, opcode_count, sizeof *opcodes, by_name) : NULL;
}

/* Whether the name has this part after its first dot. */
static bool has_part(const char *name, const char *part)
{
    size_t n = strlen(part);
    for (const char *at = strchr(name, '.'); at; at = strchr(at + 1, '.'))
        if (!strncmp(at + 1, part, n) && (!at[1 + n] || at[1 + n] == '.'))
            return true;
    return false;
}

static uint8_t scope_of(const char *name)
{
    return has_part(name, "CTA") || has_part(name, "SM") ? RP_SCOPE_CTA
           : has_part(name, "GPU")                       ? RP_SCOPE_GPU
           : has_part(name, "SYS")                       ? RP_SCOPE_SYSTEM
                                                         : RP_SCOPE_NONE;
}

static uint8_t atomic_of(const char *name)
{
    static const struct {
        const char *part;
        uint8_t is;
    } operations[] = {{"ADD", RP_ATOMIC_ADD}, {"MIN", RP_ATOMIC_MIN},  {"MAX", RP_ATOMIC_MAX},  {"INC", RP_ATOMIC_INC},
                      {"DEC", RP_ATOMIC_DEC}, {"AND", RP_ATOMIC_AND},  {"OR", RP_ATOMIC_OR},    {"XOR", RP_ATOMIC_XOR},
                      {"CAS", RP_ATOMIC_CAS}, {"CAST", RP_ATOMIC_CAS}, {"EXCH", RP_ATOMIC_EXCH}};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (has_part(name, operations[i].part))
            return operations[i].is;
    return RP_ATOMIC_NONE;
}

/* The eviction priority in L1 that a part stands for; ptxas makes these parts of .L1::evict_first and so on. */
static uint8_t eviction_of(const char *name)
{
    return has_part(name, "EF")   ? RP_EVICT_FIRST
           : has_part(name, "EL") ? RP_EVICT_LAST
           : has_part(name, "EU") ? RP_EVICT_UNCHANGED
           : has_part(name, "NA") ? RP_EVICT_NO_ALLOCATE
                                  : RP_EVICT_NORMAL;
}

/* Whether the access is strong. All loads and stores have .SYS, so only .STRONG counts. */
static void operand_meaning(const struct opcode *o, const char *name, struct rp_memory_operand *operand)
{
    bool strong = has_part(name, "STRONG");
    *operand = (struct rp_memory_operand){.space = o ? o->space : RP_SPACE_GLOBAL,
                                          .kind = o ? o->kind : RP_ACCESS_LOAD,
                                          .order = strong ? RP_ORDER_RELAXED : RP_ORDER_WEAK,
                                          .scope = strong ? scope_of(name) : RP_SCOPE_NONE,
                                          .elements = 1};
    if (operand->kind == RP_ACCESS_ATOMIC || operand->kind == RP_ACCESS_REDUCTION)
        operand->atomic = atomic_of(name);
    if (has_part(name, "CONSTANT"))
        operand->cache_op = RP_CACHE_NC;
    if (has_part(name, "LU"))
        operand->cache_op = RP_CACHE_LU;
    if (has_part(name, "BYPASS")) /* of LDGSTS: cp.async.cg */
        operand->cache_op = RP_CACHE_CG;
    operand->evict_l1 = eviction_of(name);
    if (o && o->unit_class == RP_CLASS_TEXTURE)
        operand->space = strncmp(name, "SU", 2) ? RP_SPACE_TEXTURE : RP_SPACE_SURFACE;
    else if (o && o->unit_class != RP_CLASS_MEMORY)
        operand->space = RP_SPACE_CONST; /* LDC, and hints to caches: no transactions */
}

void opcode_meaning(const struct opcode *o, const char *name, bool addresses, struct rp_instruction *in,
                    struct rp_memory_operand *operand)
{
    in->unit_class = o ? o->unit_class : addresses ? RP_CLASS_MEMORY : RP_CLASS_INT;
    in->flags = o ? o->flags : 0;
    if (in->unit_class == RP_CLASS_CONVERT && (has_part(name, "F64") || has_part(name, "64")))
        in->unit_class = RP_CLASS_CONVERT64;
    if (in->unit_class == RP_CLASS_BARRIER)
        in->barrier.kind = RP_BARRIER_SYNC; /* number and count are not in the trace */
    if (in->unit_class == RP_CLASS_FENCE)
        in->fence_scope = scope_of(name);
    if (!addresses)
        return;
    operand_meaning(o, name, operand);
    if (in->unit_class != RP_CLASS_TEXTURE)
        in->unit_class = RP_CLASS_MEMORY;
}

void opcode_async(const struct opcode *o, const char *more, struct rp_instruction *in)
{
    static const struct {
        const char *name;
        uint8_t role;
    } rows[] = {{"LDGSTS", RP_ASYNC_START}, {"LDGDEPBAR", RP_ASYNC_COMMIT}, {"DEPBAR", RP_ASYNC_WAIT}};
    for (size_t i = 0; o && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(o->name, rows[i].name))
            in->async = (struct rp_async){.kind = RP_ASYNC_COPY, .role = rows[i].role};
    if (in->async.role == RP_ASYNC_WAIT)
        in->async.pending = (uint32_t)strtoul(more, NULL, 0);
}

/* ---- the other way ----------------------------------------------------------------------------------------------- */

static const char *const default_names[RP_CLASS_COUNT] = {
    [RP_CLASS_NOP] = "NOP",           [RP_CLASS_MOVE] = "MOV",         [RP_CLASS_INT] = "IADD3",
    [RP_CLASS_INT_MUL] = "IMAD",      [RP_CLASS_INT_DIV] = "IMAD",     [RP_CLASS_FP16] = "HFMA2",
    [RP_CLASS_FP32] = "FFMA",         [RP_CLASS_FP32_DIV] = "MUFU",    [RP_CLASS_FP64] = "DFMA",
    [RP_CLASS_FP64_DIV] = "DFMA",     [RP_CLASS_SFU] = "MUFU",         [RP_CLASS_CONVERT] = "F2F",
    [RP_CLASS_CONVERT64] = "F2F.F64", [RP_CLASS_SHUFFLE] = "SHFL",     [RP_CLASS_VOTE] = "VOTE",
    [RP_CLASS_CONTROL] = "BRA",       [RP_CLASS_BARRIER] = "BAR.SYNC", [RP_CLASS_FENCE] = "MEMBAR",
    [RP_CLASS_TEXTURE] = "TEX",       [RP_CLASS_TENSOR] = "HMMA",      [RP_CLASS_ASYNC] = "LDGDEPBAR",
    [RP_CLASS_UNIFORM] = "UMOV",
};

static const char *memory_name(const struct rp_memory_operand *o)
{
    static const char *const names[][3] = {{"LDG.E", "STG.E", "ATOMG.E.ADD"},
                                           {"LDS", "STS", "ATOMS.ADD"},
                                           {"LDL", "STL", "ATOM.E.ADD"},
                                           {"LD.E", "ST.E", "ATOM.E.ADD"}};
    unsigned row = o->space == RP_SPACE_SHARED || o->space == RP_SPACE_SHARED_CLUSTER ? 1
                   : o->space == RP_SPACE_LOCAL                                       ? 2
                   : o->space == RP_SPACE_GENERIC                                     ? 3
                                                                                      : 0;
    if (o->space == RP_SPACE_CONST || o->space == RP_SPACE_PARAM)
        return "LDC";
    if (o->kind == RP_ACCESS_REDUCTION && row != 1)
        return "RED.E.ADD";
    return names[row][o->kind == RP_ACCESS_STORE                                      ? 1
                      : o->kind == RP_ACCESS_ATOMIC || o->kind == RP_ACCESS_REDUCTION ? 2
                                                                                      : 0];
}

/* Accel-Sim takes the width from the first part that is a number, in bits; 32 without one. */
void opcode_for(const struct rp_instruction *in, char *name, size_t size)
{
    if (in->flags & RP_EXIT) {
        snprintf(name, size, "EXIT");
        return;
    }
    if (in->barrier.kind == RP_BARRIER_CLUSTER_ARRIVE || in->barrier.kind == RP_BARRIER_CLUSTER_WAIT) {
        snprintf(name, size, "NOP");
        return;
    }
    if (!in->memory_count || in->unit_class == RP_CLASS_TEXTURE) {
        snprintf(name, size, "%s", in->unit_class == RP_CLASS_MEMORY ? "LDC" : default_names[in->unit_class]);
        return;
    }
    const struct rp_memory_operand *o = &in->memory[0];
    int n = snprintf(name, size, "%s", memory_name(o));
    if (o->width < 4)
        n += snprintf(name + n, size - (size_t)n, ".U%u", (unsigned)o->width * 8);
    else if (o->width > 4)
        n += snprintf(name + n, size - (size_t)n, ".%u", (unsigned)o->width * 8);
    if (o->order != RP_ORDER_WEAK)
        snprintf(name + n, size - (size_t)n, ".STRONG.%s", o->scope == RP_SCOPE_SYSTEM ? "SYS" : "GPU");
}
