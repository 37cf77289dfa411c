/* Tokens, and the directives at the top of a module: PTX ISA "Directives". */
#include <stdio.h>
#include <string.h>

#include "frontend/core/target.h"
#include "frontend/isa/ptx/parser.h"

void next_token(struct parser *p) { p->tok = lexer_next(&p->lexer); }

bool at_punct(const struct parser *p, uint16_t punct) { return p->tok.kind == TOK_PUNCT && p->tok.punct == punct; }

bool take_punct(struct parser *p, uint16_t punct)
{
    if (!at_punct(p, punct))
        return false;
    next_token(p);
    return true;
}

void expect_punct(struct parser *p, uint16_t punct, const char *where)
{
    if (!take_punct(p, punct))
        ptx_error(p->src, p->tok.at, "'%c' is missing %s", punct, where);
}

bool at_dot(const struct parser *p, const char *word) { return p->tok.kind == TOK_DOT && token_is(&p->tok, word); }

bool take_dot(struct parser *p, const char *word)
{
    if (!at_dot(p, word))
        return false;
    next_token(p);
    return true;
}

struct token expect_name(struct parser *p, const char *what)
{
    struct token t = p->tok;
    if (t.kind != TOK_NAME)
        ptx_error(p->src, t.at, "the name of %s belongs here", what);
    next_token(p);
    return t;
}

uint64_t expect_count(struct parser *p, uint64_t limit, const char *what)
{
    uint32_t at = p->tok.at;
    int64_t n = parse_integer(p);
    if (n < 0 || (uint64_t)n > limit)
        ptx_error(p->src, at, "%s must be between 0 and %llu", what, (unsigned long long)limit);
    return (uint64_t)n;
}

void skip_until(struct parser *p, uint16_t punct)
{
    uint32_t at = p->tok.at;
    while (!at_punct(p, punct)) {
        if (p->tok.kind == TOK_END)
            ptx_error(p->src, at, "the file ends before the '%c' that this needs", punct);
        next_token(p);
    }
    next_token(p);
}

void parse_pragma(struct parser *p)
{
    do {
        if (p->tok.kind != TOK_STRING)
            ptx_error(p->src, p->tok.at, "a string belongs behind .pragma");
        next_token(p);
    } while (take_punct(p, ','));
    expect_punct(p, ';', "after .pragma");
}

void skip_attribute(struct parser *p)
{
    unsigned depth = 0;
    uint32_t at = p->tok.at;
    do {
        if (p->tok.kind == TOK_END)
            ptx_error(p->src, at, "the file ends before the ')' that this needs");
        if (at_dot(p, "unified") && p->sm && p->sm < 90)
            ptx_error(p->src, p->tok.at, ".unified needs .target sm_90 or higher, this is sm_%u", p->sm);
        depth += at_punct(p, '(') ? 1u : at_punct(p, ')') ? -1u : 0u;
        next_token(p);
    } while (depth);
}

/* The newest version that today's compilers write. The instruction table has the instructions of 9.0; newer ones are
 * reported by name. */
#define NEWEST_VERSION 95

/* The last minor versions of each major one (PTX ISA, "Release Notes"). */
static bool is_version(unsigned major, unsigned minor)
{
    static const uint8_t last[] = {[1] = 5, [2] = 3, [3] = 2, [4] = 3, [5] = 1, [6] = 5, [7] = 8, [8] = 8};
    return major >= sizeof last || minor <= last[major];
}

/* The first version that has no @@DWARF. */
#define DWARF_VERSION 20

static void parse_version(struct parser *p)
{
    struct token t = p->tok;
    unsigned major, minor;
    int read = 0;
    char text[16];
    snprintf(text, sizeof text, "%.*s", (int)(t.length < 15 ? t.length : 15), t.text);
    if (t.kind != TOK_FLOAT || sscanf(text, "%u.%u%n", &major, &minor, &read) != 2 || text[read] || major < 1 ||
        major > 99 || minor > 9)
        ptx_error(p->src, t.at, "a version like 7.8 belongs here");
    if (major * 10 + minor > NEWEST_VERSION)
        ptx_error(p->src, t.at, "PTX up to version 9.5 is known here; if the module uses nothing newer, write 9.5");
    if (!is_version(major, minor))
        ptx_error(p->src, t.at, "there is no version %u.%u of PTX", major, minor);
    p->version = major * 10 + minor;
    p->lexer.without_dwarf = p->version >= DWARF_VERSION;
    if (p->unit->version < p->version)
        p->unit->version = p->version;
    next_token(p);
}

static bool is_target_option(const struct token *t)
{
    static const char *const options[] = {"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (token_is(t, options[i]))
            return true;
    return false;
}

/* The first target that has .f64. */
enum { F64_SM = 13 };

/* Of several .target directives the highest architecture counts. An unknown one is an error only if the kernel is to
 * run on it: check_target in load.c. */
static void parse_target(struct parser *p)
{
    struct token map = {.text = NULL};
    do {
        struct token t = expect_name(p, "a target, like sm_62");
        p->samplers |= token_is(&t, "texmode_independent");
        if (token_is(&t, "map_f64_to_f32"))
            map = t;
        if (is_target_option(&t))
            continue;
        const struct target *target = target_find(t.text, t.length);
        if (!target && !p->unit->unknown_target)
            p->unit->unknown_target = arena_string(p->unit->arena, t.text, t.length), p->unit->unknown_target_at = t.at;
        if (target && (!p->unit->target || p->unit->target->sm < target->sm))
            p->unit->target = target;
        if (target && p->sm < target->sm)
            p->sm = target->sm;
    } while (take_punct(p, ','));
    if (map.text && p->sm >= F64_SM)
        ptx_error(p->src, map.at, "map_f64_to_f32 is of targets before sm_%u", F64_SM);
}

/* .alias new, old; */
static void parse_alias(struct parser *p)
{
    struct token alias = expect_name(p, "the alias"), old;
    expect_punct(p, ',', "after the alias");
    old = expect_name(p, "the function");
    struct symbol *known = declared_here(p, &alias), *target = lookup(p, &old);
    if (!target || target->kind != SYM_FUNCTION)
        ptx_error(p->src, old.at, "'%.*s' is no function", (int)old.length, old.text);
    p->linking = target->is_local ? LINK_LOCAL : LINK_VISIBLE;
    if (!known)
        known = declare(p, &alias, SYM_FUNCTION);
    known->function = target->function;
    expect_punct(p, ';', "after .alias");
}

static const char *next_directive(void *data)
{
    static const char *const words[] = {"version", "target", "address_size", "file",   "section", "entry",
                                        "func",    "alias",  "visible",      "extern", "weak",    "common",
                                        "global",  "const",  "shared",       "pragma"};
    unsigned *at = data;
    return *at < sizeof words / sizeof *words ? words[(*at)++] : NULL;
}

static _Noreturn void unknown_directive(struct parser *p)
{
    unsigned at = 0;
    struct token t = p->tok;
    if (t.kind != TOK_DOT)
        ptx_error(p->src, t.at, "a directive like .entry or .global belongs here");
    const char *near = ptx_nearest(t.text, t.length, next_directive, &at);
    ptx_error(p->src, t.at, "no directive '.%.*s' here%s%s%s", (int)(t.length < 100 ? t.length : 100), t.text,
              near ? "; did you mean '." : "", near ? near : "", near ? "'?" : "");
}

static enum ptx_linking parse_linking(struct parser *p)
{
    static const char *const words[] = {
        [LINK_VISIBLE] = "visible", [LINK_EXTERN] = "extern", [LINK_WEAK] = "weak", [LINK_COMMON] = "common"};
    enum ptx_linking found = LINK_LOCAL;
    for (unsigned i = LINK_VISIBLE; i <= LINK_COMMON; i++) {
        uint32_t at = p->tok.at;
        if (!take_dot(p, words[i]))
            continue;
        if (found != LINK_LOCAL)
            ptx_error(p->src, at, "a name has one of .visible, .extern, .weak and .common");
        found = i;
        i = LINK_LOCAL; /* starts again */
    }
    return found;
}

/* The first version that is compiled with the ABI, in which only functions have .local variables. */
#define ABI_VERSION 30

/* Those of the module are, without the ABI, one in each thread. .extern means nothing, as in ptxas. */
static void parse_module_locals(struct parser *p)
{
    if (p->version >= ABI_VERSION)
        ptx_error(p->src, p->tok.at,
                  "a module of version 3.0 or later has no .local variables of its own: declare them in a function");
    next_token(p);
    parse_variables(p, RP_SPACE_LOCAL, false);
}

/* Parses [.extern .visible .weak .common] and the function or variable after it. */
static void parse_declaration(struct parser *p)
{
    p->linking = parse_linking(p);
    if (take_dot(p, "attribute"))
        skip_attribute(p);
    uint8_t space;
    if (take_dot(p, "entry"))
        parse_function(p, true);
    else if (take_dot(p, "func"))
        parse_function(p, false);
    else if (at_dot(p, "local"))
        parse_module_locals(p);
    else if (space_directive(&p->tok, &space) && space != RP_SPACE_PARAM) {
        next_token(p);
        parse_variables(p, space, p->linking == LINK_EXTERN);
    } else if (at_dot(p, "texref") || at_dot(p, "samplerref") || at_dot(p, "surfref"))
        ptx_error(p->src, p->tok.at, "textures, samplers and surfaces are in .global memory: .global .%.*s",
                  (int)p->tok.length, p->tok.text);
    else
        unknown_directive(p);
}

/* Another module begins. */
static void begin_piece(struct parser *p)
{
    p->has_own_size = p->samplers = false;
    p->sm = 0;
    join_debug_info(p);
    forget_local_names(p);
    for (uint32_t i = 0; i < p->unit->files.count; i++)
        if (p->unit->files.at[i].number >= p->file_base)
            p->file_base = p->unit->files.at[i].number + 1;
}

static void parse_address_size(struct parser *p)
{
    uint32_t at = p->tok.at, bits = (uint32_t)expect_count(p, 64, "the address size");
    if (p->has_own_size)
        ptx_error(p->src, at, "a module has one .address_size");
    if (bits != 32 && bits != 64)
        ptx_error(p->src, at, "the address size is 32 or 64");
    if (p->has_address_size && bits != p->unit->address_bits)
        ptx_error(p->src, at, "this is linked with a module whose addresses have %u bits", p->unit->address_bits);
    p->has_address_size = p->has_own_size = true;
    p->unit->address_bits = bits;
}

static void parse_directive(struct parser *p)
{
    if (take_dot(p, "version")) {
        begin_piece(p);
        parse_version(p);
        if (!at_dot(p, "target"))
            ptx_error(p->src, p->tok.at, ".target belongs behind .version, like .target sm_62");
    } else if (take_dot(p, "target"))
        parse_target(p);
    else if (take_dot(p, "address_size"))
        parse_address_size(p);
    else if (take_dot(p, "file"))
        parse_file(p);
    else if (take_dot(p, "loc"))
        parse_loc(p);
    else if (take_dot(p, "section"))
        parse_section(p);
    else if (take_dot(p, "alias"))
        parse_alias(p);
    else if (take_dot(p, "pragma"))
        parse_pragma(p);
    else if (take_dot(p, "language")) { /* a string or name, without effect */
        next_token(p);
        take_punct(p, ';');
    } else
        parse_declaration(p);
}

struct ptx_unit *ptx_parse(struct ptx_source *src)
{
    struct parser *p = ARENA_NEW(src->arena, struct parser);
    p->src = src;
    p->arena = src->arena;
    p->unit = ARENA_NEW(src->arena, struct ptx_unit);
    p->unit->src = src;
    p->unit->arena = src->arena;
    p->unit->last_function = &p->unit->functions;
    lexer_start(&p->lexer, src);
    next_token(p);
    if (!at_dot(p, "version"))
        ptx_error(src, p->tok.at, "PTX begins with .version");
    while (p->tok.kind != TOK_END)
        parse_directive(p);
    join_debug_info(p);
    if (!p->has_address_size)
        p->unit->address_bits = ptx_infer_address_bits(p->unit);
    return p->unit;
}
