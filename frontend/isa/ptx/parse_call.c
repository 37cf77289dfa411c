/* call: PTX ISA "Control Flow Instructions: call". Arguments may be in registers. */
#include <string.h>

#include "frontend/isa/ptx/parser.h"
#include "tracefmt/plural.h"

typedef VECTOR(struct ptx_operand) operand_list;

void emit_results(struct parser *p, const struct ptx_instruction *like)
{
    for (uint32_t i = 0; i < p->results_in_registers; i++)
        emit_param_store(p, p->result_variables[i], p->result_registers[i], like);
}

void emit_return(struct parser *p, const struct ptx_instruction *like)
{
    struct ptx_instruction in = *like;
    uint32_t count;
    emit_results(p, like);
    in.form = ptx_opcode("ret", 3, &count);
    in.made = "ret";
    VECTOR_PUSH(p->arena, &p->function->body, in);
}

/* An argument is a whole name or number: no vector in braces, and no member of one. */
static struct ptx_operand parse_argument(struct parser *p)
{
    struct lexer ahead = p->lexer;
    bool is_name = p->tok.kind == TOK_NAME;
    struct token after = lexer_next(&ahead);
    if (at_punct(p, '{') || (is_name && after.kind == TOK_DOT))
        ptx_error(p->src, p->tok.at, "a part of a vector, or one in braces, is no argument: use a register of its own");
    return parse_operand(p, false);
}

/* Parses ( a, b, ... ) after its '('. */
static operand_list parse_arguments(struct parser *p)
{
    operand_list list = {0};
    while (!at_punct(p, ')')) {
        VECTOR_PUSH(p->arena, &list, parse_argument(p));
        if (!take_punct(p, ','))
            break;
    }
    expect_punct(p, ')', "after the arguments");
    return list;
}

static struct ptx_operand parse_target(struct parser *p)
{
    struct token t = expect_name(p, "a function");
    struct symbol *s = lookup(p, &t);
    struct ptx_operand o = {.at = t.at};
    if (!s)
        unknown_name(p, &t);
    if (s->kind == SYM_FUNCTION) {
        o.kind = PO_FUNCTION;
        o.function = s->function;
        if (s->function->is_entry)
            ptx_error(p->src, t.at, "'%s' is a kernel, not a function", s->function->name);
    } else if (s->kind == SYM_REGISTER && s->vector == 1 && ptx_types[s->type].bits >= 32) {
        o.kind = PO_REGISTER;
        o.reg = s->reg;
    } else
        ptx_error(p->src, t.at, "'%.*s' cannot be called", (int)t.length, t.text);
    return o;
}

/* ".align 8 .b8 [16]", ".v2 .u32" */
static const char *described(struct parser *p, const struct ptx_variable *v)
{
    const char *type = v->is_predicate ? "pred" : ptx_types[v->type].name;
    unsigned long long count = v->count;
    if (v->is_array)
        return arena_printf(p->arena, ".align %u .%s [%llu]", v->align, type, count);
    if (v->count > 1)
        return arena_printf(p->arena, ".v%llu .%s", count, type);
    return v->align == v->size ? arena_printf(p->arena, ".%s", type)
                               : arena_printf(p->arena, ".align %u .%s", v->align, type);
}

static _Noreturn void does_not_fit(struct parser *p, uint32_t at, const char *name, const char *kind,
                                   const struct ptx_variable *formal)
{
    ptx_error(p->src, at, "'%s' is %s where the function has %s: declare it as that", name, kind, described(p, formal));
}

/* Whether a .param variable stands for a parameter, as ptxas says: both arrays or neither, of one size and alignment,
 * and of one type, or one of them bits. Integers that are no arrays may differ in sign. */
static bool stands_for(const struct ptx_variable *v, const struct ptx_variable *formal)
{
    const struct ptx_type_info *have = &ptx_types[v->type], *type = &ptx_types[formal->type];
    bool integers = have->kind != 'F' && type->kind != 'F' && !v->is_array;
    return v->is_array == formal->is_array && v->size == formal->size && v->align == formal->align &&
           (v->type == formal->type || have->kind == 'B' || type->kind == 'B' || integers);
}

/* The same of a register, or of the members of a vector, whose kinds do not count. */
static bool register_stands_for(enum ptx_type own, uint32_t count, const struct ptx_variable *formal)
{
    const struct ptx_type_info *have = &ptx_types[own], *type = &ptx_types[formal->type];
    bool kinds = have->kind == 'B' || type->kind == 'B' || (have->kind == 'F') == (type->kind == 'F') ||
                 own == PT_F16X2 || formal->type == PT_F16X2 || count > 1;
    if (formal->is_array || count != formal->count || formal->align != formal->size)
        return false;
    return own == PT_PRED || formal->is_predicate ? own == PT_PRED && formal->is_predicate
                                                  : have->bits == type->bits && kinds;
}

static bool is_formal(const struct parser *p, const struct ptx_variable *v)
{
    const struct ptx_signature *s = &p->function->signature;
    for (uint32_t i = 0; i < s->result_count; i++)
        if (s->results[i] == v)
            return true;
    for (uint32_t i = 0; i < s->param_count; i++)
        if (s->params[i] == v)
            return true;
    return false;
}

/* A new variable for a register, of the parameter's type, or of bits if that is of another kind. */
static struct ptx_variable *register_argument(struct parser *p, const struct ptx_operand *o,
                                              const struct ptx_variable *formal)
{
    uint32_t count = o->kind == PO_VECTOR ? o->count : 1;
    const struct ptx_register *r = &p->function->registers.at[(o->kind == PO_VECTOR ? o->elements : o)->reg];
    enum ptx_type own = (enum ptx_type)r->type, type = (enum ptx_type)formal->type;
    if (!register_stands_for(own, count, formal))
        does_not_fit(p, o->at, r->name, arena_printf(p->arena, ".%s", ptx_types[own].name), formal);
    if (own == PT_F16X2 || (ptx_types[own].kind == 'F') != (ptx_types[type].kind == 'F'))
        type = ptx_types[type].bits == 16 ? PT_B16 : ptx_types[type].bits == 32 ? PT_B32 : PT_B64;
    return new_param(p, own == PT_PRED ? PT_PRED : type, count);
}

/* An argument is a .param variable that stands for the parameter: NULL is returned. Registers and constants are put
 * into a new one. */
static struct ptx_variable *argument(struct parser *p, const struct ptx_operand *o, const struct ptx_variable *formal)
{
    if (o->kind == PO_VARIABLE && o->variable->space == RP_SPACE_PARAM && o->value == 0) {
        if (is_formal(p, o->variable))
            ptx_error(p->src, o->at, "'%s' is the function's own: copy it to a .param variable for the call",
                      o->variable->name);
        if (!stands_for(o->variable, formal))
            does_not_fit(p, o->at, o->variable->name, described(p, o->variable), formal);
        return NULL;
    }
    if (o->kind == PO_REGISTER || (o->kind == PO_VECTOR && o->elements[0].kind == PO_REGISTER))
        return register_argument(p, o, formal);
    if (o->kind != PO_INTEGER && o->kind != PO_FLOAT && o->kind != PO_SINGLE)
        ptx_error(p->src, o->at, "an argument is a .param variable, a register, a vector of registers or a number");
    if (formal->is_array || formal->count > 1)
        ptx_error(p->src, o->at, "a number where the function has %s: use a .param variable", described(p, formal));
    return new_param(p, (enum ptx_type)formal->type, 1);
}

/* The variable that stands in one call for one that stands in several. */
static struct ptx_variable *copy_for_call(struct parser *p, const struct ptx_variable *v)
{
    struct ptx_variable *copy = new_param(p, (enum ptx_type)v->type, 1);
    copy->count = v->count;
    copy->size = v->size;
    copy->align = v->align;
    return copy;
}

/* Replaces arguments in registers by variables: stores them before the call, and loads results after it. */
static void bind(struct parser *p, operand_list *list, const struct ptx_signature *s, bool results,
                 const struct ptx_instruction *like, operand_list *loads)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct ptx_operand value = list->at[i];
        if (value.is_sum)
            ptx_error(p->src, value.at, "a register plus a number cannot stand here");
        const struct ptx_variable *formal = results ? s->results[i] : s->params[i];
        if (results && value.kind == PO_SINK) {
            list->at[i].kind = PO_VARIABLE;
            list->at[i].variable = new_param(p, (enum ptx_type)formal->type, (uint32_t)formal->count);
            list->at[i].value = 0;
            continue;
        }
        struct ptx_variable *v = argument(p, &value, formal);
        if (!v && value.variable->has_home) {
            list->at[i].variable = copy_for_call(p, value.variable);
            if (!results)
                emit_param_copy(p, list->at[i].variable, value.variable, like);
            else {
                VECTOR_PUSH(p->arena, loads, list->at[i]);
                VECTOR_PUSH(p->arena, loads, value);
            }
        }
        if (!v)
            continue;
        list->at[i] = (struct ptx_operand){.kind = PO_VARIABLE, .at = value.at};
        list->at[i].variable = v;
        if (results) {
            VECTOR_PUSH(p->arena, loads, list->at[i]);
            VECTOR_PUSH(p->arena, loads, value);
        } else
            emit_param_store(p, v, value, like);
    }
}

static void check_counts(struct parser *p, const struct ptx_operand *target, const struct ptx_signature *s,
                         uint32_t results, uint32_t arguments)
{
    if (s->result_count == results && s->param_count == arguments)
        return;
    const char *name =
        target->kind == PO_FUNCTION ? arena_printf(p->arena, "'%s'", target->function->name) : "the prototype";
    ptx_error(p->src, target->at, "%s has %u result%s and %u parameter%s, the call %u and %u", name, s->result_count,
              rp_plural(s->result_count), s->param_count, rp_plural(s->param_count), results, arguments);
}

static struct ptx_operand list_of(const operand_list *list, uint32_t at)
{
    struct ptx_operand o = {.kind = PO_LIST, .at = at, .count = list->count};
    o.elements = list->at;
    return o;
}

/* call (results), target, (arguments), prototype: operands become results, target, arguments, prototype label. Clang
 * leaves the prototype where it finds out late which function a pointer is: the function's own parameters count. */
void parse_call(struct parser *p, struct ptx_instruction *in)
{
    operand_list results = {0}, arguments = {0}, loads = {0};
    struct ptx_operand *o = ARENA_ARRAY(p->arena, struct ptx_operand, 4);
    uint32_t at = p->tok.at;
    if (take_punct(p, '(')) {
        results = parse_arguments(p);
        expect_punct(p, ',', "after the results");
    }
    o[1] = parse_target(p);
    bool more = take_punct(p, ',');
    if (more && take_punct(p, '(')) {
        arguments = parse_arguments(p);
        more = take_punct(p, ',');
    }
    in->operand_count = 3;
    if (more) {
        o[3] = parse_declared_label(p, 1 << LABEL_PROTOTYPE | 1 << LABEL_CALL_TARGETS, "a .callprototype");
        in->operand_count = 4;
    } else if (o[1].kind == PO_REGISTER)
        ptx_error(p->src, o[1].at, "a call through a register needs a prototype");
    in->end = p->tok.at;
    expect_punct(p, ';', "after the call");
    const struct ptx_signature *s = o[1].kind == PO_FUNCTION ? &o[1].function->signature : (*o[3].label)->prototype;
    check_counts(p, &o[1], s, results.count, arguments.count);
    bind(p, &arguments, s, false, in, &loads);
    bind(p, &results, s, true, in, &loads);
    o[0] = list_of(&results, at);
    o[2] = list_of(&arguments, at);
    in->operands = o;
    VECTOR_PUSH(p->arena, &p->function->body, *in);
    for (uint32_t i = 0; i + 1 < loads.count; i += 2)
        if (loads.at[i + 1].kind == PO_VARIABLE)
            emit_param_copy(p, loads.at[i + 1].variable, loads.at[i].variable, in);
        else
            emit_param_load(p, loads.at[i].variable, loads.at[i + 1], in);
}
