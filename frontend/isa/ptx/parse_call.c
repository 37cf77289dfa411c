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

/* Parses ( a, b, ... ) after its '('. */
static operand_list parse_arguments(struct parser *p)
{
    operand_list list = {0};
    while (!at_punct(p, ')')) {
        VECTOR_PUSH(p->arena, &list, parse_operand(p, false));
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

static const struct ptx_variable *formal(const struct ptx_signature *s, bool result, uint32_t i)
{
    uint32_t count = !s ? 0 : result ? s->result_count : s->param_count;
    return i >= count ? NULL : result ? s->results[i] : s->params[i];
}

/* An argument must be a .param variable of the formal parameter's size; registers and constants are put into a new
 * one. */
static struct ptx_variable *argument(struct parser *p, const struct ptx_operand *o, const struct ptx_variable *formal)
{
    if (o->kind == PO_VARIABLE && o->variable->space == RP_SPACE_PARAM && o->value == 0) {
        if (formal && o->variable->size != formal->size)
            ptx_error(p->src, o->at, "'%s' has %llu byte%s, the function's parameter %llu", o->variable->name,
                      (unsigned long long)o->variable->size, rp_plural(o->variable->size),
                      (unsigned long long)formal->size);
        return NULL;
    }
    bool vector = o->kind == PO_VECTOR && o->elements[0].kind == PO_REGISTER;
    if (o->kind == PO_REGISTER || vector) {
        const struct ptx_operand *first = vector ? o->elements : o;
        enum ptx_type own = (enum ptx_type)p->function->registers.at[first->reg].type;
        if (formal && formal->count != (vector ? o->count : 1))
            ptx_error(p->src, o->at, "an argument of %u value%s, the function's parameter has %llu",
                      vector ? o->count : 1, rp_plural(vector ? o->count : 1), (unsigned long long)formal->count);
        return new_param(p, formal ? (enum ptx_type)formal->type : own, vector ? o->count : 1);
    }
    if (o->kind != PO_INTEGER && o->kind != PO_FLOAT && o->kind != PO_SINGLE)
        ptx_error(p->src, o->at, "an argument is a .param variable, a register, a vector of registers or a number");
    if (!formal)
        ptx_error(p->src, o->at, "a number is an argument only for a function that is known by name");
    return new_param(p, (enum ptx_type)formal->type, 1);
}

/* Replaces arguments in registers by variables: stores them before the call, and loads results after it. */
static void bind(struct parser *p, operand_list *list, const struct ptx_signature *s, bool results,
                 const struct ptx_instruction *like, operand_list *loads)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct ptx_operand value = list->at[i];
        if (value.is_sum)
            ptx_error(p->src, value.at, "a register plus a number cannot stand here");
        if (results && value.kind == PO_SINK && formal(s, true, i)) {
            list->at[i].kind = PO_VARIABLE;
            const struct ptx_variable *unread = formal(s, true, i);
            list->at[i].variable = new_param(p, (enum ptx_type)unread->type, (uint32_t)unread->count);
            list->at[i].value = 0;
            continue;
        }
        struct ptx_variable *v = argument(p, &value, formal(s, results, i));
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
    if (!s || (s->result_count == results && s->param_count == arguments))
        return;
    ptx_error(p->src, target->at, "'%s' has %u result%s and %u parameter%s, the call %u and %u", target->function->name,
              s->result_count, rp_plural(s->result_count), s->param_count, rp_plural(s->param_count), results,
              arguments);
}

static struct ptx_operand list_of(const operand_list *list, uint32_t at)
{
    struct ptx_operand o = {.kind = PO_LIST, .at = at, .count = list->count};
    o.elements = list->at;
    return o;
}

/* call (results), target, (arguments), prototype: operands become results, target, arguments, prototype label. */
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
        struct token t = expect_name(p, "a prototype");
        o[3] = (struct ptx_operand){.kind = PO_LABEL, .at = t.at};
        o[3].label = ARENA_NEW(p->arena, struct ptx_label *);
        use_label(p, &t, o[3].label);
        in->operand_count = 4;
    } else if (o[1].kind == PO_REGISTER)
        ptx_error(p->src, o[1].at, "a call through a register needs a prototype");
    in->end = p->tok.at;
    expect_punct(p, ';', "after the call");
    const struct ptx_signature *s = o[1].kind == PO_FUNCTION ? &o[1].function->signature : NULL;
    check_counts(p, &o[1], s, results.count, arguments.count);
    bind(p, &arguments, s, false, in, &loads);
    bind(p, &results, s, true, in, &loads);
    o[0] = list_of(&results, at);
    o[2] = list_of(&arguments, at);
    in->operands = o;
    VECTOR_PUSH(p->arena, &p->function->body, *in);
    for (uint32_t i = 0; i + 1 < loads.count; i += 2)
        emit_param_load(p, loads.at[i].variable, loads.at[i + 1], in);
}
