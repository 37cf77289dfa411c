/* Reads directives. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/asm/directives.h"
#include "tools/asm/symbols.h"

enum { BANKS = 32, BANK_BYTES = 65536, MOST_DATA = 256 << 20, CLASS_64 = 64, ANY = 1 << 16 };

/* The words of a line; a word that is missing is NULL. */
struct words {
    char **at;
    uint32_t count;
};

static struct cubin_kernel *function_of(const struct module_text *m)
{
    return m->kernels.count ? m->kernels.at[m->kernels.count - 1] : NULL;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------
 */

static bool number(const char *word, uint64_t most, uint64_t *value, struct rp_error *err)
{
    char *end;
    errno = 0;
    *value = strtoull(word, &end, 0);
    if (!isdigit((unsigned char)*word) || *end || errno)
        return rp_fail(err, RP_BAD_INPUT, "'%s' is no number", word);
    return *value <= most || rp_fail(err, RP_BAD_INPUT, "%s is too large: 0 to 0x%" PRIx64, word, most);
}

static bool number32(const char *word, uint32_t most, uint32_t *value, struct rp_error *err)
{
    uint64_t wide;
    if (!number(word, most, &wide, err))
        return false;
    *value = (uint32_t)wide;
    return true;
}

static int digit(char c) { return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10; }

/* Hexadecimal digits, two for each byte. `bytes` has room for half of them. */
static bool hex(const char *word, uint8_t *bytes, struct rp_error *err)
{
    size_t n = strlen(word);
    if (n % 2 || strspn(word, "0123456789abcdefABCDEF") != n)
        return rp_fail(err, RP_BAD_INPUT, "'%s' is not bytes in hexadecimal, two digits for each", word);
    for (size_t i = 0; i < n; i += 2)
        bytes[i / 2] = (uint8_t)(digit(word[i]) << 4 | digit(word[i + 1]));
    return true;
}

/* ---- the module ---------------------------------------------------------------------------------------------------
 */

static bool read_elf(struct module_text *m, const struct words *w, struct rp_error *err)
{
    uint32_t class, os_abi, abi_version;
    struct cubin *c = &m->cubin;
    m->has_elf = true;
    if (!number32(w->at[0], CLASS_64, &class, err) || !number32(w->at[1], UINT8_MAX, &os_abi, err) ||
        !number32(w->at[2], UINT8_MAX, &abi_version, err) || !number32(w->at[3], UINT32_MAX, &c->toolkit, err) ||
        !number32(w->at[4], UINT32_MAX, &c->flags, err) || !number32(w->at[5], UINT8_MAX, &c->virtual_sm, err))
        return false;
    c->is_64 = class == CLASS_64;
    c->os_abi = (uint8_t)os_abi;
    c->abi_version = (uint8_t)abi_version;
    return c->is_64 || class == 32 || rp_fail(err, RP_BAD_INPUT, "an ELF file has class 32 or 64, not %u", class);
}

static bool read_relocatable(struct module_text *m, const struct words *w, struct rp_error *err)
{
    (void)m, (void)w;
    return rp_fail(err, RP_BAD_INPUT,
                   "text of an object that is not linked, of which only the linker makes a cubin; "
                   "'asm --into FILE' changes the code in what 'nvcc -cubin -rdc=true' wrote");
}

/* constant0 to constant31. */
static bool read_bank(const char *word, uint32_t *bank, struct rp_error *err)
{
    static const char name[] = "constant";
    size_t n = strlen(name);
    if (strncmp(word, name, n) != 0)
        return rp_fail(err, RP_BAD_INPUT, "'%s' is no data: constant0 to constant31, initialised, zeroed", word);
    return number32(word + n, BANKS - 1, bank, err);
}

static bool set_size(struct module_text *m, struct cubin_bytes *bytes, const char *word, uint64_t most,
                     struct rp_error *err)
{
    if (!number(word, most, &m->data.size, err))
        return false;
    if (bytes->at)
        return rp_fail(err, RP_BAD_INPUT, "this data comes a second time");
    *bytes = (struct cubin_bytes){arena_alloc(&m->arena, m->data.size + 1), (uint32_t)m->data.size};
    m->data.bytes = bytes;
    return true;
}

static bool read_data(struct module_text *m, const struct words *w, struct rp_error *err)
{
    struct cubin *c = &m->cubin;
    struct cubin_kernel *k = function_of(m);
    uint32_t bank = 0;
    m->data = (struct data_block){0};
    if (!k && !strcmp(w->at[0], "zeroed")) {
        m->data = (struct data_block){.section = ".nv.global", .space = CUBIN_GLOBAL};
        bool ok = number(w->at[1], 1ull << 40, &m->data.size, err);
        c->global_size = m->data.size;
        return ok;
    }
    if (!k && !strcmp(w->at[0], "initialised")) {
        m->data = (struct data_block){.section = ".nv.global.init", .space = CUBIN_GLOBAL_INIT};
        return set_size(m, &c->global_init, w->at[1], MOST_DATA, err);
    }
    if (!read_bank(w->at[0], &bank, err))
        return false;
    m->data.section = k ? arena_printf(&m->arena, ".nv.constant%u.%s", bank, k->name)
                        : arena_printf(&m->arena, ".nv.constant%u", bank);
    m->data.space = CUBIN_CONSTANT;
    m->data.bank = bank;
    return set_size(m, k ? &k->constant[bank] : &c->constant[bank], w->at[1], BANK_BYTES, err);
}

static bool read_bytes(struct module_text *m, const struct words *w, struct rp_error *err)
{
    uint32_t offset;
    if (!m->data.bytes)
        return rp_fail(err, RP_BAD_INPUT,
                       "bytes of what? A line '.data constant3 SIZE' or '.data initialised SIZE' "
                       "comes before them");
    if (!number32(w->at[0], UINT32_MAX, &offset, err))
        return false;
    size_t count = strlen(w->at[1]) / 2;
    if (offset > m->data.size || count > m->data.size - offset)
        return rp_fail(err, RP_BAD_INPUT, "bytes reach to 0x%zx in data of 0x%" PRIx64, offset + count, m->data.size);
    return hex(w->at[1], m->data.bytes->at + offset, err);
}

static bool read_variable(struct module_text *m, const struct words *w, struct rp_error *err)
{
    struct cubin_variable v = {.space = m->data.space, .bank = m->data.bank};
    if (!m->data.section)
        return rp_fail(err, RP_BAD_INPUT,
                       "a variable in what? A line '.data zeroed SIZE' or '.data initialised SIZE' "
                       "comes before it");
    if (!number(w->at[1], m->data.size, &v.offset, err) || !number(w->at[2], m->data.size - v.offset, &v.size, err))
        return false;
    v.name = arena_string(&m->arena, w->at[0], strlen(w->at[0]));
    VECTOR_PUSH(&m->arena, &m->variables, v);
    return true;
}

static bool read_relocation(struct module_text *m, const struct words *w, struct rp_error *err)
{
    const struct cubin_kernel *k = function_of(m);
    struct cubin_relocation r = {.from = m->data.section};
    uint64_t addend = 0;
    if (!r.from && !k)
        return rp_fail(err, RP_BAD_INPUT, "a relocation of what? It belongs below a function or a line '.data ...'");
    if (!number32(w->at[0], UINT32_MAX, &r.offset, err) || !number32(w->at[1], UINT8_MAX, &r.type, err))
        return false;
    if (m->data.section && r.offset >= m->data.size)
        return rp_fail(err, RP_BAD_INPUT, "0x%" PRIx32 " is outside data of 0x%" PRIx64 " bytes", r.offset,
                       m->data.size);
    bool minus = w->at[3] && w->at[3][0] == '-';
    if (w->at[3] && !number(w->at[3] + minus, INT64_MAX, &addend, err))
        return false;
    r.explicit_addend = w->at[3];
    r.addend = minus ? -(int64_t)addend : (int64_t)addend;
    r.symbol = arena_string(&m->arena, w->at[2], strlen(w->at[2]));
    if (!r.from)
        r.from = arena_printf(&m->arena, ".text.%s", k->name);
    VECTOR_PUSH(&m->arena, &m->relocations, r);
    return true;
}

/* ---- a function ---------------------------------------------------------------------------------------------------
 */

static bool read_entry(struct module_text *m, const struct words *w, struct rp_error *err)
{
    (void)w, (void)err;
    function_of(m)->entry = true;
    return true;
}

static bool read_explicit_cluster(struct module_text *m, const struct words *w, struct rp_error *err)
{
    (void)w, (void)err;
    function_of(m)->explicit_cluster = true;
    return true;
}

static bool read_registers(struct module_text *m, const struct words *w, struct rp_error *err)
{
    m->has_registers = true;
    return number32(w->at[0], UINT8_MAX, &function_of(m)->registers, err);
}

static bool read_barriers(struct module_text *m, const struct words *w, struct rp_error *err)
{
    m->has_barriers = true;
    return number32(w->at[0], 16, &function_of(m)->barriers, err);
}

static bool read_stack(struct module_text *m, const struct words *w, struct rp_error *err)
{
    struct cubin_kernel *k = function_of(m);
    k->stack_bytes = CUBIN_UNKNOWN;
    return !strcmp(w->at[0], "unknown") || number32(w->at[0], CUBIN_UNKNOWN - 1, &k->stack_bytes, err);
}

#define COUNT(name, member, most)                                                                                      \
    static bool read_##name(struct module_text *m, const struct words *w, struct rp_error *err)                        \
    {                                                                                                                  \
        return number32(w->at[0], most, &function_of(m)->member, err);                                                 \
    }
COUNT(shared, static_shared, 1 << 20)
COUNT(frame, frame_bytes, 1 << 30)
COUNT(callee_frames, callee_bytes, 1 << 30)
COUNT(crs, crs_bytes, UINT32_MAX)
COUNT(max_cluster, max_cluster, UINT32_MAX)

#define THREE(name, member)                                                                                            \
    static bool read_##name(struct module_text *m, const struct words *w, struct rp_error *err)                        \
    {                                                                                                                  \
        uint32_t *to = function_of(m)->member;                                                                         \
        return number32(w->at[0], UINT32_MAX, to, err) && number32(w->at[1], UINT32_MAX, to + 1, err) &&               \
               number32(w->at[2], UINT32_MAX, to + 2, err);                                                            \
    }
THREE(max_threads, max_threads)
THREE(required_threads, required_threads)
THREE(cluster, required_cluster)

static bool read_param(struct module_text *m, const struct words *w, struct rp_error *err)
{
    uint32_t offset, size;
    const struct cubin_parameter *last = m->parameters.count ? &m->parameters.at[m->parameters.count - 1] : NULL;
    if (!number32(w->at[0], UINT16_MAX, &offset, err) || !number32(w->at[1], UINT16_MAX, &size, err))
        return false;
    if (last && offset < (uint32_t)last->offset + last->size)
        return rp_fail(err, RP_BAD_INPUT, "parameter %u at 0x%x begins within the one before it, which ends at 0x%x",
                       m->parameters.count, offset, last->offset + last->size);
    struct cubin_parameter p = {(uint16_t)m->parameters.count, (uint16_t)offset, (uint16_t)size};
    VECTOR_PUSH(&m->arena, &m->parameters, p);
    return true;
}

static bool read_parameters(struct module_text *m, const struct words *w, struct rp_error *err)
{
    struct cubin_kernel *k = function_of(m);
    m->has_parameters = true;
    return number32(w->at[0], UINT16_MAX, &k->parameter_base, err) &&
           number32(w->at[1], UINT16_MAX, &k->parameter_bytes, err);
}

static bool read_function(struct module_text *m, const struct words *w, struct rp_error *err)
{
    struct cubin_function f = {.name = arena_string(&m->arena, w->at[0], strlen(w->at[0]))};
    if (!number32(w->at[1], UINT32_MAX, &f.offset, err) || !number32(w->at[2], UINT32_MAX, &f.size, err))
        return false;
    VECTOR_PUSH(&m->arena, &m->functions, f);
    return true;
}

static bool read_targets(struct module_text *m, const struct words *w, struct rp_error *err)
{
    struct cubin_branch b = {.first = m->targets.count, .count = w->count - 1};
    if (!number32(w->at[0], UINT32_MAX, &b.offset, err))
        return false;
    for (uint32_t i = 1; i < w->count; i++) {
        uint32_t target;
        if (!number32(w->at[i], UINT32_MAX, &target, err))
            return false;
        VECTOR_PUSH(&m->arena, &m->targets, target);
    }
    VECTOR_PUSH(&m->arena, &m->branches, b);
    return true;
}

static bool read_payload(struct module_text *m, const struct words *w, struct cubin_attribute *a, struct rp_error *err)
{
    bool words = !strcmp(w->at[1], "words");
    size_t size = words ? 4 * (size_t)(w->count - 2) : w->at[2] ? strlen(w->at[2]) / 2 : 0;
    uint8_t *payload = arena_alloc(&m->arena, size + 1);
    if (size > UINT16_MAX)
        return rp_fail(err, RP_BAD_INPUT, "an attribute has 65535 bytes at most");
    *a = (struct cubin_attribute){CUBIN_SIZED, a->number, (uint16_t)size, payload};
    if (!words)
        return !w->at[2] || hex(w->at[2], payload, err);
    for (uint32_t i = 2; i < w->count; i++) {
        uint32_t value;
        if (!number32(w->at[i], UINT32_MAX, &value, err))
            return false;
        for (unsigned b = 0; b < 4; b++)
            payload[4 * (i - 2) + b] = (uint8_t)(value >> 8 * b);
    }
    return true;
}

static bool read_attribute(struct module_text *m, const struct words *w, struct rp_error *err)
{
    struct cubin_attribute a = {.format = CUBIN_ALONE};
    uint32_t of, value = 0;
    const char *form = w->at[1];
    if (!number32(w->at[0], UINT8_MAX, &of, err))
        return false;
    a.number = (uint8_t)of;
    bool half = form && !strcmp(form, "half");
    if (half || (form && !strcmp(form, "byte"))) {
        a.format = half ? CUBIN_HALF : CUBIN_BYTE;
        if (w->count != 3)
            return rp_fail(err, RP_BAD_INPUT, "'%s' has one number behind it", form);
        if (!number32(w->at[2], UINT16_MAX, &value, err))
            return false;
        a.value = (uint16_t)value;
    } else if (form && strcmp(form, "words") != 0 && strcmp(form, "bytes") != 0) {
        return rp_fail(err, RP_BAD_INPUT, "an attribute's content is byte, half, words or bytes, not '%s'", form);
    } else if (form && !read_payload(m, w, &a, err)) {
        return false;
    }
    VECTOR_PUSH(&m->arena, &m->attributes, a);
    return true;
}

/* ---- lines --------------------------------------------------------------------------------------------------------
 */

enum place { MODULE = 1, FUNCTION = 2, BOTH = 3 };
static const struct directive {
    const char *name;
    enum place where;
    uint32_t least, most; /* words behind it */
    bool (*read)(struct module_text *, const struct words *, struct rp_error *);
    const char *form;
} directives[] = {
    {"elf", MODULE, 6, 6, read_elf, "CLASS OS_ABI ABI_VERSION TOOLKIT FLAGS VIRTUAL_SM"},
    {"relocatable", MODULE, 0, 0, read_relocatable, ""},
    {"data", BOTH, 2, 2, read_data, "constantN|initialised|zeroed SIZE"},
    {"bytes", BOTH, 2, 2, read_bytes, "OFFSET HEX"},
    {"variable", MODULE, 3, 3, read_variable, "NAME OFFSET SIZE"},
    {"relocation", BOTH, 3, 4, read_relocation, "OFFSET TYPE NAME [ADDEND]"},
    {"entry", FUNCTION, 0, 0, read_entry, ""},
    {"registers", FUNCTION, 1, 1, read_registers, "N"},
    {"barriers", FUNCTION, 1, 1, read_barriers, "N"},
    {"shared", FUNCTION, 1, 1, read_shared, "BYTES"},
    {"frame", FUNCTION, 1, 1, read_frame, "BYTES"},
    {"callee_frames", FUNCTION, 1, 1, read_callee_frames, "BYTES"},
    {"stack", FUNCTION, 1, 1, read_stack, "BYTES|unknown"},
    {"crs", FUNCTION, 1, 1, read_crs, "BYTES"},
    {"param", FUNCTION, 2, 2, read_param, "OFFSET SIZE"},
    {"parameters", FUNCTION, 2, 2, read_parameters, "BASE BYTES"},
    {"max_threads", FUNCTION, 3, 3, read_max_threads, "X Y Z"},
    {"required_threads", FUNCTION, 3, 3, read_required_threads, "X Y Z"},
    {"cluster", FUNCTION, 3, 3, read_cluster, "X Y Z"},
    {"explicit_cluster", FUNCTION, 0, 0, read_explicit_cluster, ""},
    {"max_cluster", FUNCTION, 1, 1, read_max_cluster, "N"},
    {"function", FUNCTION, 3, 3, read_function, "NAME OFFSET SIZE"},
    {"targets", FUNCTION, 1, ANY, read_targets, "OFFSET TARGET..."},
    {"attribute", FUNCTION, 1, ANY, read_attribute, "NUMBER [byte N|half N|words N...|bytes HEX]"},
};

/* What NVIDIA's listings have besides. */
static bool is_nvidias(const char *name)
{
    static const char *const names[] = {"headerflags", "elftype", "section", "sectionflags",   "sectioninfo", "align",
                                        "global",      "local",   "weak",    "sectionentsize", "type",        "size",
                                        "other",       "byte",    "short",   "word",           "dword",       "zero"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return *name == '.' || !*name;
}

static struct words split(struct module_text *m, const char *line)
{
    char *copy = arena_string(&m->arena, line, strlen(line)), *rest = NULL;
    size_t most = strlen(line) / 2 + 8;
    struct words w = {ARENA_ARRAY(&m->arena, char *, most), 0};
    for (char *word = strtok_r(copy, " \t\r", &rest); word && strncmp(word, "//", 2) != 0;
         word = strtok_r(NULL, " \t\r", &rest))
        w.at[w.count++] = word;
    return w;
}

bool directives_read(struct module_text *m, const char *line, struct rp_error *err)
{
    struct words w = split(m, line + 1);
    const char *name = w.count ? w.at[0] : "";
    w.at++;
    w.count -= !!w.count;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        const struct directive *d = &directives[i];
        if (strcmp(d->name, name) != 0)
            continue;
        if (w.count < d->least || w.count > d->most)
            return rp_fail(err, RP_BAD_INPUT, "the line has the form '.%s%s%s'", d->name, *d->form ? " " : "", d->form);
        if (!(d->where & (m->kernels.count ? FUNCTION : MODULE)))
            return rp_fail(err, RP_BAD_INPUT,
                           d->where == MODULE ? "'.%s' belongs before the first function"
                                              : "'.%s' belongs below a line 'Function : NAME'",
                           d->name);
        struct rp_error what;
        return d->read(m, &w, &what) || rp_fail(err, RP_BAD_INPUT, "'.%s': %s", d->name, what.text);
    }
    return is_nvidias(name) ||
           rp_fail(err, RP_BAD_INPUT, "'.%s': no such directive; docs/assembly.md lists them", name);
}

void directives_begin_function(struct module_text *m, const char *name)
{
    struct cubin_kernel *k = ARENA_NEW(&m->arena, struct cubin_kernel);
    k->name = arena_string(&m->arena, name, strlen(name));
    VECTOR_PUSH(&m->arena, &m->kernels, k);
    m->data = (struct data_block){0};
    m->has_registers = m->has_barriers = m->has_parameters = false;
    memset(&m->parameters, 0, sizeof m->parameters);
    memset(&m->functions, 0, sizeof m->functions);
    memset(&m->branches, 0, sizeof m->branches);
    memset(&m->targets, 0, sizeof m->targets);
    memset(&m->attributes, 0, sizeof m->attributes);
}

/* ---- a function's end ---------------------------------------------------------------------------------------------
 */

static bool has_attribute(const struct cubin_kernel *k, unsigned number)
{
    for (uint32_t i = 0; i < k->attribute_count; i++)
        if (k->attributes[i].number == number)
            return true;
    return false;
}

static bool check_parameters(const struct cubin_kernel *k, unsigned sm, const struct code_needs *needs,
                             struct rp_error *err)
{
    uint32_t base = k->parameter_base ? k->parameter_base : parameter_base(sm), end = base + k->parameter_bytes;
    end = k->constant[0].size > end ? k->constant[0].size : end;
    if (needs->bank_0 < end || needs->bank_0 < base)
        return true;
    return rp_fail(err, RP_BAD_INPUT,
                   "function '%s' reads a parameter, c[0x0][0x%x], that no line gives: '.param OFFSET SIZE' for each; "
                   "they begin at 0x%x in that bank",
                   k->name, needs->bank_0, base);
}

static bool check_needs(const struct module_text *m, unsigned sm, const struct code_needs *needs, struct rp_error *err)
{
    enum { NUM_BARRIERS = 0x4c };
    const struct cubin_kernel *k = function_of(m);
    if (!m->has_registers)
        return rp_fail(err, RP_BAD_INPUT,
                       "function '%s' has no line '.registers N'; its code names %u. A kernel has '.entry', too",
                       k->name, needs->registers);
    if (needs->registers > k->registers && !needs->changes_count)
        return rp_fail(err, RP_BAD_INPUT,
                       "function '%s' has '.registers %u', which are too few: R%u is named in line %u", k->name,
                       k->registers, needs->registers - 1, needs->line);
    if (k->entry && needs->barriers && !m->has_barriers && !has_attribute(k, NUM_BARRIERS))
        return rp_fail(err, RP_BAD_INPUT, "function '%s' has a barrier and no line '.barriers N', the highest one + 1",
                       k->name);
    return !k->entry || check_parameters(k, sm, needs, err);
}

bool directives_end_function(struct module_text *m, const struct assembly *code, const struct code_needs *needs,
                             struct rp_error *err)
{
    struct cubin_kernel *k = function_of(m);
    k->code = (struct cubin_bytes){arena_alloc(&m->arena, code->size + 1), code->size};
    memcpy(k->code.at, code->bytes, code->size);
    k->parameters = m->parameters.at;
    k->parameter_count = m->parameters.count;
    k->functions = m->functions.at;
    k->function_count = m->functions.count;
    k->branches = m->branches.at;
    k->branch_count = m->branches.count;
    k->targets = m->targets.at;
    k->target_count = m->targets.count;
    k->attributes = m->attributes.at;
    k->attribute_count = m->attributes.count;
    if (!m->has_parameters)
        k->parameter_bytes = parameter_bytes(k);
    return check_needs(m, code->sm, needs, err);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------
 */

/* The header as ptxas 12.9 writes it: 64-bit addresses, textures with samplers (0x100), sm_90a (0x800). */
static void usual_header(struct cubin *c, unsigned sm, bool accelerators)
{
    enum {
        OS_ABI = 0x33,
        ABI_VERSION = 7,
        TOOLKIT = 0x81,
        ADDRESSES_64 = 0x400,
        UNIFIED = 0x100,
        ACCELERATORS = 0x800
    };
    c->is_64 = true;
    c->os_abi = OS_ABI;
    c->abi_version = ABI_VERSION;
    c->toolkit = TOOLKIT;
    c->virtual_sm = sm;
    c->flags = sm << 16 | ADDRESSES_64 | UNIFIED | sm | (accelerators ? ACCELERATORS : 0);
}

void directives_finish(struct module_text *m, unsigned sm, bool accelerators)
{
    struct cubin *c = &m->cubin;
    if (!m->has_elf)
        usual_header(c, sm, accelerators);
    c->sm = sm;
    c->kernels = ARENA_ARRAY(&m->arena, struct cubin_kernel, m->kernels.count + 1);
    c->kernel_count = m->kernels.count;
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        c->kernels[i] = *m->kernels.at[i];
        if (!c->kernels[i].parameter_base)
            c->kernels[i].parameter_base = parameter_base(sm);
    }
    c->variables = m->variables.at;
    c->variable_count = m->variables.count;
    c->relocations = m->relocations.at;
    c->relocation_count = m->relocations.count;
}
