/* .entry and .func: PTX ISA "Kernel and Function Directives". */
#include <string.h>

#include "frontend/isa/ptx/parser.h"

typedef VECTOR(struct ptx_variable *) variable_list;

/* A formal parameter in a register: the .param memory that holds it, and the register that the body uses. */
struct register_formal {
    struct ptx_variable *variable;
    struct ptx_operand reg;
};
typedef VECTOR(struct register_formal) formal_list;

struct ptx_variable *new_param(struct parser *p, enum ptx_type type, uint32_t count)
{
    struct ptx_variable *v = ARENA_NEW(p->arena, struct ptx_variable);
    v->name = arena_printf(p->arena, "param$%u", p->made++);
    v->space = RP_SPACE_PARAM;
    v->type = type == PT_PRED ? PT_B32 : (uint8_t)type;
    v->count = count;
    v->size = count * ptx_types[v->type].bits / 8;
    v->align = (uint32_t)v->size;
    v->in_register = true;
    v->is_predicate = type == PT_PRED;
    return v;
}

/* Kernels and prototypes may have parameters without a name, functions not. formals NULL: a prototype. */
static void check_formal_name(struct parser *p, const formal_list *formals)
{
    if (formals && p->tok.kind == TOK_NAME && token_is(&p->tok, "_"))
        ptx_error(p->src, p->tok.at, "a parameter of a function has a name, not '_'");
}

static struct ptx_variable *register_formal(struct parser *p, formal_list *formals)
{
    struct declarator d = parse_declarator(p, RP_SPACE_NONE, true);
    check_formal_name(p, formals);
    struct token t = expect_name(p, "a register");
    struct ptx_variable *v = new_param(p, (enum ptx_type)d.type, d.vector);
    if (!formals)
        return v;
    const struct symbol *s = declare_register(p, &t, &d);
    VECTOR_PUSH(p->arena, formals, (struct register_formal){v, symbol_registers(p, s, &t)});
    return v;
}

/* Parses ( parameter, ... ) after its '('. formals NULL: a prototype, which declares no names. */
static void parse_params(struct parser *p, variable_list *list, formal_list *formals, bool is_entry)
{
    while (!at_punct(p, ')')) {
        struct ptx_variable *v;
        take_dot(p, "const");
        uint32_t at = p->tok.at;
        if (take_dot(p, "reg")) {
            if (is_entry)
                ptx_error(p->src, at, "a parameter of a kernel is in .param, not in a register");
            v = register_formal(p, formals);
        } else if (take_dot(p, "param")) {
            struct declarator d = parse_declarator(p, RP_SPACE_PARAM, false);
            if (!is_entry)
                check_formal_name(p, formals);
            v = parse_variable(p, &d);
            v->is_entry_param = is_entry;
        } else
            ptx_error(p->src, p->tok.at, ".param or .reg belongs here");
        VECTOR_PUSH(p->arena, list, v);
        if (!take_punct(p, ','))
            break;
    }
    expect_punct(p, ')', "after the parameters");
}

static void set_signature(struct ptx_signature *s, const variable_list *results, const variable_list *params)
{
    *s = (struct ptx_signature){results->at, params->at, results->count, params->count, 0};
}

/* .callprototype (results) _ (parameters) [.noreturn] */
struct ptx_signature *parse_prototype(struct parser *p)
{
    struct ptx_signature *s = ARENA_NEW(p->arena, struct ptx_signature);
    variable_list results = {0}, params = {0};
    scope_open(p); /* names in a prototype are not visible outside */
    if (take_punct(p, '('))
        parse_params(p, &results, NULL, false);
    struct token name = expect_name(p, "the prototype, '_'");
    if (!token_is(&name, "_"))
        ptx_error(p->src, name.at, "a prototype has no name: write '_'");
    if (take_punct(p, '('))
        parse_params(p, &params, NULL, false);
    set_signature(s, &results, &params);
    scope_close(p);
    while (!at_punct(p, ';') && p->tok.kind == TOK_DOT) {
        next_token(p); /* .noreturn, .abi_preserve N */
        if (p->tok.kind == TOK_INT)
            next_token(p);
    }
    return s;
}

static uint32_t up_to_three(struct parser *p, uint32_t n[3])
{
    unsigned i = 0;
    n[0] = n[1] = n[2] = 1;
    do {
        if (i == 3)
            ptx_error(p->src, p->tok.at, "at most three dimensions");
        n[i++] = (uint32_t)expect_count(p, 1 << 20, "a number of threads");
    } while (take_punct(p, ','));
    return i;
}

/* Whether this directive stands at the top of a module only: a declaration without ';' ends before it, as old compilers
 * write. */
static bool begins_next(const struct token *t)
{
    static const char *const words[] = {
        "file",  "loc",    "section", "func",   "entry",        "visible", "extern", "weak",       "common", "global",
        "const", "shared", "version", "target", "address_size", "alias",   "texref", "samplerref", "surfref"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(t, words[i]))
            return true;
    return false;
}

static void parse_threads(struct parser *p, uint32_t n[3])
{
    uint32_t at = p->tok.at;
    up_to_three(p, n);
    if (!n[0] || !n[1] || !n[2])
        ptx_error(p->src, at, "a block has at least one thread");
}

/* .minnctapersm took the place of .maxnctapersm; .abi_preserve and .abi_preserve_control are of version 9.0. */
enum { MINIMUM_VERSION = 21, PRESERVE_VERSION = 90 };

/* Parses the directives that kernels alone have. false: it is none of them. */
static bool parse_tuning_of_kernel(struct parser *p, struct ptx_function *f, const struct token *t)
{
    uint32_t n[3];
    if (token_is(t, "maxntid")) {
        parse_threads(p, f->max_threads);
        f->has_max_threads = true;
    } else if (token_is(t, "reqntid")) {
        parse_threads(p, f->required_threads);
        f->has_required_threads = true;
    } else if (token_is(t, "reqnctapercluster"))
        up_to_three(p, f->cluster);
    else if (token_is(t, "maxnreg"))
        f->max_registers = (uint32_t)expect_count(p, 1 << 20, "a number of registers");
    else if (token_is(t, "maxclusterrank"))
        f->max_cluster = (uint32_t)expect_count(p, 1 << 20, "a number of blocks");
    else if (token_is(t, "maxnctapersm") && p->version >= MINIMUM_VERSION)
        ptx_error(p->src, t->at, ".maxnctapersm is of versions before 2.1: .minnctapersm is its name now");
    else if (token_is(t, "minnctapersm") || token_is(t, "maxnctapersm")) {
        up_to_three(p, n);
        f->min_blocks = n[0];
    } else if (token_is(t, "explicitcluster"))
        f->explicit_cluster = true;
    else if (token_is(t, "blocksareclusters"))
        f->blocks_are_clusters = true;
    else
        return false;
    if (f->has_max_threads && f->has_required_threads)
        ptx_error(p->src, t->at, "a kernel has .maxntid or .reqntid, not both");
    return true;
}

/* Parses performance-tuning directives between a function's parameters and its body. */
static void parse_tuning(struct parser *p, struct ptx_function *f, bool has_results)
{
    while (p->tok.kind == TOK_DOT && !begins_next(&p->tok)) {
        struct token t = p->tok;
        uint32_t ignored[3];
        next_token(p);
        if (f->is_entry && parse_tuning_of_kernel(p, f, &t))
            continue;
        if (token_is(&t, "abi_preserve") || token_is(&t, "abi_preserve_control")) {
            if (p->version < PRESERVE_VERSION)
                ptx_error(p->src, t.at, "'.%.*s' needs .version 9.0 or later", (int)t.length, t.text);
            up_to_three(p, ignored);
        } else if (token_is(&t, "pragma"))
            parse_pragma(p);
        else if (token_is(&t, "attribute"))
            skip_attribute(p);
        else if (token_is(&t, "noreturn") && has_results)
            ptx_error(p->src, t.at, "a function that does not return has no result");
        else if (f->is_entry || !token_is(&t, "noreturn"))
            ptx_error(p->src, t.at, "no directive '.%.*s' of %s", (int)(t.length < 100 ? t.length : 100), t.text,
                      f->is_entry ? "kernels" : "functions");
    }
}

static struct ptx_function *new_function(struct parser *p, const struct token *t, bool is_entry)
{
    struct ptx_function *f = ARENA_NEW(p->arena, struct ptx_function);
    f->name = arena_string(p->arena, t->text, t->length);
    f->is_entry = is_entry;
    f->at = t->at;
    f->number = ++p->unit->function_count;
    *p->unit->last_function = f;
    p->unit->last_function = &f->next;
    return f;
}

/* Declares the function at depth 0. The scope of its parameters is open already, because results come before the
 * name. */
static struct ptx_function *declare_function(struct parser *p, const struct token *t, bool is_entry)
{
    uint32_t depth = p->depth;
    p->depth = 0;
    struct symbol *s = declared_here(p, t);
    if (s && s->kind != SYM_FUNCTION)
        ptx_error(p->src, t->at, "'%s' is declared twice", s->variable->name);
    if (!s) {
        s = declare(p, t, SYM_FUNCTION);
        s->function = new_function(p, t, is_entry);
    }
    s->is_local &= p->linking == LINK_LOCAL;
    p->depth = depth;
    return s->function;
}

static bool same_variable(const struct ptx_variable *a, const struct ptx_variable *b)
{
    return a->type == b->type && a->size == b->size && a->align == b->align && a->in_register == b->in_register;
}

static bool same_signature(const struct ptx_signature *a, const struct ptx_signature *b)
{
    if (a->result_count != b->result_count || a->param_count != b->param_count)
        return false;
    for (uint32_t i = 0; i < a->result_count; i++)
        if (!same_variable(a->results[i], b->results[i]))
            return false;
    for (uint32_t i = 0; i < a->param_count; i++)
        if (!same_variable(a->params[i], b->params[i]))
            return false;
    return true;
}

/* Whether execution can run past the last instruction. */
static bool falls_off(const struct parser *p, const struct ptx_function *f)
{
    uint32_t n = f->body.count;
    if (n == 0 || p->last_label == n)
        return true;
    const struct ptx_instruction *last = &f->body.at[n - 1];
    switch (last->form->lowering) {
    case LOW_RETURN:
    case LOW_EXIT:
    case LOW_TRAP:
    case LOW_BRANCH:
    case LOW_BRANCH_TABLE: return last->guard != PTX_NO_REGISTER;
    default: return true;
    }
}

/* Loads parameters that are in registers; results in registers are stored before each ret. A body without a final ret
 * gets one. */
static void parse_body(struct parser *p, struct ptx_function *f, const formal_list *in, const formal_list *out)
{
    struct ptx_instruction like = {.guard = PTX_NO_REGISTER, .line = p->tok.line};
    f->defined = true;
    p->last_label = 0;
    for (uint32_t i = 0; i < in->count; i++)
        emit_param_load(p, in->at[i].variable, in->at[i].reg, &like);
    p->results_in_registers = out->count;
    p->result_variables = ARENA_ARRAY(p->arena, struct ptx_variable *, out->count);
    p->result_registers = ARENA_ARRAY(p->arena, struct ptx_operand, out->count);
    for (uint32_t i = 0; i < out->count; i++) {
        p->result_variables[i] = out->at[i].variable;
        p->result_registers[i] = out->at[i].reg;
    }
    parse_statements(p);
    like.line = p->tok.line;
    if (falls_off(p, f))
        emit_return(p, &like);
    expect_punct(p, '}', "at the end of the function");
}

static void define(struct parser *p, struct ptx_function *f, const struct ptx_function *header, uint32_t at,
                   const formal_list *in, const formal_list *out)
{
    f->at = at;
    f->is_entry = header->is_entry;
    f->registers = header->registers;
    memcpy(f->max_threads, header->max_threads, sizeof f->max_threads);
    memcpy(f->required_threads, header->required_threads, sizeof f->required_threads);
    f->has_max_threads = header->has_max_threads;
    f->has_required_threads = header->has_required_threads;
    f->max_registers = header->max_registers;
    f->min_blocks = header->min_blocks;
    memcpy(f->cluster, header->cluster, sizeof f->cluster);
    f->max_cluster = header->max_cluster;
    f->explicit_cluster = header->explicit_cluster;
    f->blocks_are_clusters = header->blocks_are_clusters;
    p->function = f;
    VECTOR_PUSH(p->arena, &p->debug.functions, f);
    parse_body(p, f, in, out);
}

static void skip_body(struct parser *p)
{
    uint32_t at = p->tok.at, depth = 0;
    do {
        if (p->tok.kind == TOK_END)
            ptx_error(p->src, at, "the file ends before the '}' that this needs");
        depth += at_punct(p, '{');
        depth -= at_punct(p, '}');
        next_token(p);
    } while (depth);
}

/* Whether this definition, whose body follows, replaces an earlier one. Of several definitions the one that is not weak
 * counts, else the first. */
static bool replaces(struct parser *p, struct ptx_function *f, uint32_t at)
{
    bool weak = p->linking == LINK_WEAK;
    if (!f->defined) {
        f->is_weak = weak;
        return true;
    }
    if (!weak && !f->is_weak)
        ptx_error(p->src, at, "'%s' is defined twice", f->name);
    if (weak)
        return false;
    f->is_weak = false;
    memset(&f->body, 0, sizeof f->body);
    memset(&f->locals, 0, sizeof f->locals);
    return true;
}

/* Parses a function into a header of its own first, so that the registers of a declaration do not mix with those of the
 * definition. */
void parse_function(struct parser *p, bool is_entry)
{
    variable_list results = {0}, params = {0};
    formal_list in = {0}, out = {0};
    struct ptx_function header = {.is_entry = is_entry};
    p->function = &header;
    p->loc_file = p->loc_line = p->loc_inlined = 0;
    p->loc_keeps_line = false;
    if (take_dot(p, "attribute"))
        skip_attribute(p);
    scope_open(p);
    if (!is_entry && take_punct(p, '('))
        parse_params(p, &results, &out, false);
    struct token name = expect_name(p, is_entry ? "the kernel" : "the function");
    struct ptx_function *f = declare_function(p, &name, is_entry);
    if (take_punct(p, '('))
        parse_params(p, &params, &in, is_entry);
    p->unit->several_results |= results.count > 1;
    struct ptx_signature signature;
    set_signature(&signature, &results, &params);
    if (f->is_announced && !same_signature(&signature, &f->signature))
        ptx_error(p->src, name.at, "'%s' was declared with other parameters", f->name);
    parse_tuning(p, &header, results.count > 0);
    if (p->linking == LINK_COMMON)
        ptx_error(p->src, name.at, "only variables are .common");
    if (p->linking == LINK_EXTERN && at_punct(p, '{'))
        ptx_error(p->src, name.at, "'%s' is .extern and has a body", f->name);
    bool here = at_punct(p, '{'), counts = here ? replaces(p, f, name.at) : !f->defined;
    if (counts)
        f->signature = signature;
    f->is_announced = true;
    if (here && counts && take_punct(p, '{'))
        define(p, f, &header, name.at, &in, &out);
    else if (here)
        skip_body(p);
    else
        take_punct(p, ';');
    scope_close(p);
    p->function = NULL;
}
