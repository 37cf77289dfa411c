/* Declarations of variables, parameters and registers, and initialisers: PTX ISA "Variables". */
#include <string.h>

#include "frontend/core/image.h"
#include "frontend/isa/ptx/parser.h"
#include "tracefmt/plural.h"

enum { MAX_RANGE = 1 << 24 };     /* registers in %name<count> */
#define MAX_VARIABLE (1ull << 30) /* in bytes; also the limit for all variables of a module together (layout.c) */

bool space_directive(const struct token *t, uint8_t *space)
{
    static const struct {
        const char *word;
        uint8_t space;
    } words[] = {{"global", RP_SPACE_GLOBAL}, {"const", RP_SPACE_CONST}, {"shared", RP_SPACE_SHARED},
                 {"local", RP_SPACE_LOCAL},   {"param", RP_SPACE_PARAM}, {"tex", RP_SPACE_TEXTURE}};
    if (t->kind != TOK_DOT)
        return false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(t, words[i].word)) {
            *space = words[i].space;
            return true;
        }
    return false;
}

static uint32_t parse_align(struct parser *p)
{
    uint32_t at = p->tok.at;
    uint64_t align = expect_count(p, 1 << 16, "an alignment");
    if (align == 0 || (align & (align - 1)))
        ptx_error(p->src, at, "an alignment is a power of two");
    return (uint32_t)align;
}

/* Skips .ptr [.space] [.align N], which describes the memory that a pointer parameter points to. Nothing here needs
 * it. */
static void skip_pointee(struct parser *p)
{
    uint8_t space;
    if (space_directive(&p->tok, &space))
        next_token(p);
    if (take_dot(p, "align"))
        parse_align(p);
}

/* Whether a variable or register can be of the type; the others are types of instructions. */
static bool is_declared_type(enum ptx_type type)
{
    return (type >= PT_PRED && type <= PT_F16X2) || type == PT_F32 || type == PT_F64 || type == PT_TEXREF ||
           type == PT_SAMPLERREF || type == PT_SURFREF;
}

/* .b128 is of version 8.3; .texref of 1.5, which took the place of .tex. */
enum { B128_VERSION = 83, TEXREF_VERSION = 15 };

static void check_declared_type(struct parser *p, const struct declarator *d)
{
    bool opaque = d->type == PT_TEXREF || d->type == PT_SAMPLERREF || d->type == PT_SURFREF;
    if (d->type == PT_NONE)
        ptx_error(p->src, p->tok.at, "a type like .u32 is missing");
    if (d->type == PT_PRED && !d->is_reg)
        ptx_error(p->src, p->tok.at, "only registers can be predicates");
    if (d->type == PT_B128 && p->version < B128_VERSION)
        ptx_error(p->src, p->tok.at, "the type .b128 needs .version 8.3 or later");
    if (d->type == PT_F16X2 && d->space == RP_SPACE_PARAM)
        ptx_error(p->src, p->tok.at, "no parameter is of type .f16x2: use .b32");
    if (d->vector > 1 && d->space == RP_SPACE_PARAM)
        ptx_error(p->src, p->tok.at, "no parameter in .param is a vector: use an array, aligned");
    if (d->type == PT_SAMPLERREF && !p->samplers)
        ptx_error(p->src, p->tok.at, "a .samplerref needs texmode_independent behind .target");
    if (opaque && d->space != RP_SPACE_GLOBAL && d->space != RP_SPACE_PARAM && d->space != RP_SPACE_TEXTURE)
        ptx_error(p->src, p->tok.at, "textures, samplers and surfaces are in .global memory");
}

struct declarator parse_declarator(struct parser *p, uint8_t space, bool is_reg)
{
    struct declarator d = {.space = space, .is_reg = is_reg, .vector = 1};
    while (p->tok.kind == TOK_DOT) {
        struct token t = p->tok;
        enum ptx_type type = ptx_type_named(t.text, t.length);
        next_token(p);
        if (token_is(&t, "align"))
            d.align = parse_align(p);
        else if (token_is(&t, "ptr"))
            skip_pointee(p);
        else if (token_is(&t, "attribute"))
            skip_attribute(p);
        else if (token_is(&t, "v2") || token_is(&t, "v4") || token_is(&t, "v8"))
            d.vector = (uint8_t)(t.text[1] - '0');
        else if (is_declared_type(type) && d.type == PT_NONE)
            d.type = (uint8_t)type;
        else
            ptx_error(p->src, t.at, type != PT_NONE ? "'.%.*s' is a type of instructions only" : "'.%.*s' is no type",
                      (int)(t.length < 100 ? t.length : 100), t.text);
    }
    check_declared_type(p, &d);
    return d;
}

struct dimensions {
    uint64_t n[MAX_DIMENSIONS + 1]; /* 0: open, [] */
    unsigned count;
};

static void parse_dimensions(struct parser *p, struct dimensions *d)
{
    while (take_punct(p, '[')) {
        uint32_t at = p->tok.at;
        if (d->count == MAX_DIMENSIONS)
            ptx_error(p->src, at, "more than %d dimensions", MAX_DIMENSIONS);
        bool open = at_punct(p, ']');
        uint64_t n = open ? 0 : expect_count(p, MAX_VARIABLE, "an array's length");
        if (open && d->count > 0)
            ptx_error(p->src, at, "only the first dimension can be left open");
        if (!open && n == 0)
            ptx_error(p->src, at, "an array of no elements");
        d->n[d->count++] = n;
        expect_punct(p, ']', "after the array's length");
    }
}

/* ---- initialisers ---- */

struct filling {
    struct parser *p;
    struct ptx_variable *v;
    struct dimensions dims; /* the last one: of the vectors, if it is of vectors */
    bool is_vector;
    VECTOR(struct ptx_initial) list;
    uint64_t end; /* one past the highest element with a value: the length of an open array */
};

static void put(struct filling *f, struct ptx_initial item, uint64_t index, uint32_t at)
{
    if (index >= (f->v->count ? f->v->count : MAX_VARIABLE))
        ptx_error(f->p->src, at, "more values than '%s' has elements", f->v->name);
    item.index = index;
    item.at = at;
    if (index >= f->end)
        f->end = index + 1;
    if (item.bits || item.variable || item.function)
        VECTOR_PUSH(f->p->arena, &f->list, item);
}

/* Parses name, generic(name), or name + n. */
static void parse_address(struct parser *p, struct ptx_initial *item)
{
    struct token t = expect_name(p, "a variable or function");
    if (!item->generic && token_is(&t, "generic") && take_punct(p, '(')) {
        item->generic = true;
        parse_address(p, item);
        expect_punct(p, ')', "after generic(");
    } else {
        struct symbol *s = lookup(p, &t);
        if (!s)
            unknown_name(p, &t);
        while (s && s->kind == SYM_VARIABLE && s->at >= p->declaration)
            s = s->shadowed;
        if (!s)
            ptx_error(p->src, t.at, "'%.*s' has no address before the ';' of its declaration: declare it .extern first",
                      (int)(t.length < 100 ? t.length : 100), t.text);
        if (s->kind == SYM_VARIABLE)
            item->variable = s->variable;
        else if (s->kind == SYM_FUNCTION) {
            item->function = s->function;
            s->function->address_taken = true;
        } else
            ptx_error(p->src, t.at, "'%.*s' has no address", (int)t.length, t.text);
    }
    for (bool minus; (minus = at_punct(p, '-')) || at_punct(p, '+');) {
        next_token(p);
        uint64_t offset = (uint64_t)parse_factor(p);
        item->bits += minus ? 0 - offset : offset;
    }
}

static void put_scalar(struct filling *f, uint64_t index)
{
    struct parser *p = f->p;
    uint32_t at = p->tok.at;
    struct ptx_initial item = {.mask = UINT64_MAX};
    if (p->tok.kind == TOK_NAME && !token_is(&p->tok, "WARP_SZ")) {
        parse_address(p, &item);
    } else {
        struct token first = p->tok;
        struct constant c;
        if (first.kind == TOK_INT) { /* 0xFF00(address): a mask */
            struct lexer ahead = p->lexer;
            struct token after = lexer_next(&ahead);
            if (after.kind == TOK_PUNCT && after.punct == '(') {
                next_token(p);
                next_token(p);
                item.mask = first.value;
                parse_address(p, &item);
                expect_punct(p, ')', "after the masked address");
                put(f, item, index, at);
                return;
            }
        }
        c = parse_constant(p);
        if (f->v->type == PT_F16 || f->v->type == PT_F16X2)
            ptx_error(p->src, at, "a variable of type .%s has no initial value: declare it .%s, and give its bits",
                      ptx_types[f->v->type].name, f->v->type == PT_F16 ? "b16" : "b32");
        item.bits = constant_bits(p, c, f->v->type, at);
    }
    put(f, item, index, at);
}

/* Each dimension has its braces, and each vector, whose values are complete. An array may have fewer than elements. */
static void fill(struct filling *f, unsigned level, uint64_t index)
{
    struct parser *p = f->p;
    uint32_t at = p->tok.at;
    uint64_t stride = 1, count = 0;
    if (p->tok.kind == TOK_STRING)
        ptx_error(p->src, at, "an initial value is no string: write its bytes, as {97, 98, 0}");
    if (level == f->dims.count && at_punct(p, '{'))
        ptx_error(p->src, at, "more braces than dimensions");
    if (level == f->dims.count) {
        put_scalar(f, index);
        return;
    }
    if (!take_punct(p, '{'))
        ptx_error(p->src, at, "'%s' has %u dimension%s: braces are missing", f->v->name, f->dims.count,
                  rp_plural(f->dims.count));
    for (unsigned i = level + 1; i < f->dims.count; i++)
        stride *= f->dims.n[i];
    if (!at_punct(p, '}'))
        do {
            if (f->dims.n[level] && count == f->dims.n[level])
                ptx_error(p->src, p->tok.at, "more values than '%s' has elements", f->v->name);
            fill(f, level + 1, index + stride * count++);
        } while (take_punct(p, ','));
    if (f->is_vector && level == f->dims.count - 1 && count < f->dims.n[level])
        ptx_error(p->src, at, "a vector of %llu has %llu value%s", (unsigned long long)f->dims.n[level],
                  (unsigned long long)count, rp_plural(count));
    expect_punct(p, '}', "after the values");
}

/* A word of a .samplerref's initial value, as bits of an inline sampler (image.h). */
static uint64_t sampler_bits(struct parser *p, const struct token *what, const struct token *value)
{
    static const struct {
        const char *name;
        uint8_t mode;
    } modes[] = {{"wrap", RP_ADDRESS_WRAP},
                 {"mirror", RP_ADDRESS_MIRROR},
                 {"clamp_ogl", RP_ADDRESS_CLAMP},
                 {"clamp_to_edge", RP_ADDRESS_CLAMP},
                 {"clamp_to_border", RP_ADDRESS_BORDER}};
    static const char *const dimensions[] = {"addr_mode_0", "addr_mode_1", "addr_mode_2"};
    for (unsigned d = 0; d < 3; d++)
        for (unsigned m = 0; token_is(what, dimensions[d]) && m < sizeof modes / sizeof *modes; m++)
            if (token_is(value, modes[m].name))
                return (uint64_t)modes[m].mode << 2 * d;
    if (token_is(what, "filter_mode") && (token_is(value, "nearest") || token_is(value, "linear")))
        return (uint64_t)token_is(value, "linear") << 6;
    if (token_is(what, "force_unnormalized_coords"))
        return (uint64_t)(token_is(value, "true") || (value->kind == TOK_INT && value->value)) << 7;
    ptx_error(p->src, value->at, "a sampler has no such property or value");
}

/* Parses { property = value, ... }. Those of a sampler have an effect; textures and surfaces are bound before a
 * launch. */
static void parse_opaque(struct parser *p, struct ptx_variable *v)
{
    if (v->type != PT_SAMPLERREF || v->count != 1) {
        skip_until(p, '}');
        return;
    }
    struct ptx_initial *item = ARENA_NEW(p->arena, struct ptx_initial);
    *item = (struct ptx_initial){.bits = INLINE_SAMPLER, .mask = UINT64_MAX, .at = p->tok.at};
    expect_punct(p, '{', "before a sampler's properties");
    do {
        struct token what = expect_name(p, "a sampler's property");
        expect_punct(p, '=', "after a sampler's property");
        item->bits |= sampler_bits(p, &what, &p->tok);
        next_token(p);
    } while (take_punct(p, ','));
    expect_punct(p, '}', "after a sampler's properties");
    v->initials = item;
    v->initial_count = 1;
}

static void parse_initialiser(struct parser *p, struct ptx_variable *v, const struct declarator *d,
                              const struct dimensions *dims)
{
    struct filling f = {.p = p, .v = v, .dims = *dims, .is_vector = d->vector > 1};
    if (v->space != RP_SPACE_GLOBAL && v->space != RP_SPACE_CONST)
        ptx_error(p->src, p->tok.at, "only .global and .const variables have initial values");
    if (v->is_opaque) {
        parse_opaque(p, v);
        return;
    }
    if (d->vector > 1)
        f.dims.n[f.dims.count++] = d->vector;
    fill(&f, 0, 0);
    if (!v->count) {
        uint64_t unit = d->vector; /* an open array is as long as its values, in whole vectors and rows */
        for (unsigned i = 1; i < dims->count; i++)
            unit *= dims->n[i];
        v->count = (f.end + unit - 1) / unit * unit;
        v->size = v->count * (ptx_types[v->type].bits / 8);
    }
    v->initials = f.list.at;
    v->initial_count = f.list.count;
}

/* ---- variables ---- */

static void set_size(struct parser *p, struct ptx_variable *v, const struct declarator *d,
                     const struct dimensions *dims)
{
    uint64_t element = ptx_types[v->type].bits / 8;
    v->count = d->vector;
    for (unsigned i = 0; i < dims->count; i++) {
        if (dims->n[i] && v->count > MAX_VARIABLE / dims->n[i])
            ptx_error(p->src, v->at, "'%s' is larger than %llu bytes", v->name, MAX_VARIABLE);
        v->count *= dims->n[i];
    }
    if (element == 0)
        ptx_error(p->src, v->at, "no variable can be of type .%s", ptx_types[v->type].name);
    if (v->count > MAX_VARIABLE / element)
        ptx_error(p->src, v->at, "'%s' is larger than %llu bytes", v->name, MAX_VARIABLE);
    v->size = v->count * element;
    uint64_t natural = element * d->vector;
    v->align = d->align ? d->align : (uint32_t)natural;
}

static struct ptx_variable *declare_one(struct parser *p, const struct token *name, const struct declarator *d,
                                        struct dimensions *dims)
{
    const struct token t = *name;
    struct ptx_variable *v = ARENA_NEW(p->arena, struct ptx_variable);
    v->name = arena_string(p->arena, t.text, t.length);
    v->at = t.at;
    v->space = d->space;
    v->type = d->type;
    v->is_extern = d->is_extern;
    v->is_weak = p->depth == 0 && (p->linking == LINK_WEAK || p->linking == LINK_COMMON);
    if (v->space == RP_SPACE_TEXTURE && p->version >= TEXREF_VERSION)
        ptx_error(p->src, v->at, ".tex is of versions before 1.5: .global .texref is its name now");
    if (v->space == RP_SPACE_TEXTURE) { /* .tex, an older name for .texref */
        v->space = RP_SPACE_GLOBAL;
        v->type = PT_TEXREF;
    }
    v->is_opaque = v->type == PT_TEXREF || v->type == PT_SAMPLERREF || v->type == PT_SURFREF;
    parse_dimensions(p, dims);
    set_size(p, v, d, dims);
    v->is_array = dims->count > 0;
    if (!token_is(&t, "_")) {
        struct symbol *again = declared_here(p, &t);
        /* a module may declare a variable .extern and define it later, or define it twice if it is weak */
        bool is_variable = again && again->kind == SYM_VARIABLE && p->depth == 0;
        if (is_variable)
            again->is_local &= p->linking == LINK_LOCAL;
        if (is_variable && (again->variable->is_extern || d->is_extern)) {
            v->is_listed = again->variable->is_listed;
            if (!d->is_extern)
                *again->variable = *v;
            return again->variable;
        }
        if (is_variable &&
            v->is_weak) { /* the first definition counts; the initial value of this one goes into an unused variable */
            v->is_listed = true;
            return v;
        }
        if (is_variable && again->variable->is_weak) {
            v->is_listed = again->variable->is_listed;
            *again->variable = *v;
            return again->variable;
        }
        declare(p, &t, SYM_VARIABLE)->variable = v;
    }
    return v;
}

struct ptx_variable *parse_variable(struct parser *p, const struct declarator *d)
{
    struct token t = expect_name(p, "a variable");
    struct dimensions dims = {.count = 0};
    return declare_one(p, &t, d, &dims);
}

/* Whether a .param variable stands in calls once in the rest of its block, as compilers write them. A long block is not
 * read twice: false. */
static bool stands_once(const struct parser *p, const char *name)
{
    enum { MOST = 1 << 14 };
    struct lexer ahead = p->lexer;
    unsigned braces = 1, found = 0;
    bool in_call = false;
    while (braces && found < 2 && ahead.pos - p->lexer.pos < MOST) {
        struct token t = lexer_next(&ahead);
        if (t.kind == TOK_END)
            break;
        if (t.kind == TOK_NAME && token_is(&t, "call"))
            in_call = true;
        else if (t.kind == TOK_NAME && in_call && token_is(&t, name))
            found++;
        else if (t.kind == TOK_PUNCT && t.punct == ';')
            in_call = false;
        braces += t.kind == TOK_PUNCT && t.punct == '{';
        braces -= t.kind == TOK_PUNCT && t.punct == '}';
    }
    return !braces && found < 2;
}

static void keep(struct parser *p, struct ptx_variable *v)
{
    if (v->is_listed)
        return;
    v->is_listed = true;
    v->has_home = v->space == RP_SPACE_PARAM && p->depth > 0 && !stands_once(p, v->name);
    v->is_shared_local = v->space == RP_SPACE_LOCAL && p->depth == 0;
    if (v->is_shared_local)
        VECTOR_PUSH(p->arena, &p->unit->locals, v);
    else if (v->space == RP_SPACE_LOCAL || v->has_home)
        VECTOR_PUSH(p->arena, &p->function->locals, v);
    else if (v->space == RP_SPACE_GLOBAL || v->space == RP_SPACE_CONST || v->space == RP_SPACE_TEXTURE)
        VECTOR_PUSH(p->arena, &p->unit->variables, v);
}

/* Parses what follows "name<": PTX ISA "Parameterized Variable Names". */
static void parse_variable_range(struct parser *p, const struct token *name, const struct declarator *d)
{
    uint32_t count = parse_range(p, "variables");
    if (at_punct(p, '['))
        ptx_error(p->src, p->tok.at, "variables that are declared by one name and a number are no arrays");
    for (uint32_t i = 0; i < count; i++) {
        struct token one = numbered_name(p, name, i);
        struct dimensions none = {.count = 0};
        keep(p, declare_one(p, &one, d, &none));
    }
}

/* A parameter alone can be called _. */
static struct token expect_own_name(struct parser *p, const char *what)
{
    if (p->tok.kind == TOK_NAME && token_is(&p->tok, "_"))
        ptx_error(p->src, p->tok.at, "'_' is no name of %s", what);
    return expect_name(p, what);
}

void parse_variables(struct parser *p, uint8_t space, bool is_extern)
{
    p->declaration = p->tok.at;
    struct declarator d = parse_declarator(p, space, false);
    d.is_extern = is_extern;
    do {
        struct token t = expect_own_name(p, "a variable");
        if (take_punct(p, '<')) {
            parse_variable_range(p, &t, &d);
            continue;
        }
        struct dimensions dims = {.count = 0};
        struct ptx_variable *v = declare_one(p, &t, &d, &dims);
        if (take_punct(p, '='))
            parse_initialiser(p, v, &d, &dims);
        if (!v->count && !is_extern)
            ptx_error(p->src, v->at, "'%s' has no length", v->name);
        keep(p, v);
    } while (take_punct(p, ','));
    expect_punct(p, ';', "after the declaration");
}

/* .reg .b32 %r<10>, x; .reg .v4 .f32 v; a vector's members are consecutive registers */
void parse_registers(struct parser *p)
{
    struct declarator d = parse_declarator(p, RP_SPACE_NONE, true);
    do {
        struct token t = expect_own_name(p, "a register");
        if (take_punct(p, '<')) {
            uint32_t at = p->tok.at;
            int64_t count = parse_factor(p); /* a factor, because '>' closes the range and is no operator here */
            if (count < 0 || count > MAX_RANGE)
                ptx_error(p->src, at, "the number of registers must be between 0 and %d", MAX_RANGE);
            declare_range(p, &t, &d, (uint64_t)count);
            expect_punct(p, '>', "after the number of registers");
            continue;
        }
        declare_register(p, &t, &d);
    } while (take_punct(p, ','));
    expect_punct(p, ';', "after the registers");
}
