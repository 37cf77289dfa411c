/* Operands: PTX ISA "Instruction Operands". */
#include <string.h>

#include "frontend/core/lanes/lanes.h"
#include "frontend/isa/ptx/parser.h"
#include "frontend/isa/ptx/special.h"

typedef VECTOR(struct ptx_operand) operand_list;

static struct ptx_operand operand(struct parser *p, bool labels, unsigned depth);

static struct ptx_operand list_operand(enum ptx_operand_kind kind, uint32_t at, const operand_list *list)
{
    struct ptx_operand o = {.kind = (uint8_t)kind, .at = at, .count = list->count};
    o.elements = list->at;
    return o;
}

static struct ptx_operand constant_operand(struct parser *p)
{
    struct ptx_operand o = {.at = p->tok.at};
    struct constant c = parse_constant(p);
    o.value = (int64_t)c.bits;
    o.kind = c.kind == CONST_SINGLE                            ? PO_SINGLE
             : c.kind == CONST_FLOAT || c.kind == CONST_DOUBLE ? PO_FLOAT
                                                               : PO_INTEGER;
    return o;
}

int64_t parse_offsets(struct parser *p)
{
    uint64_t sum = 0;
    for (bool minus; (minus = at_punct(p, '-')) || at_punct(p, '+');) {
        next_token(p);
        uint64_t n = (uint64_t)parse_factor(p);
        sum += minus ? 0 - n : n;
    }
    return (int64_t)sum;
}

/* + n after a register or variable. ptxas takes no minus there, but in n. */
static int64_t offset_of(struct parser *p)
{
    if (at_punct(p, '-'))
        ptx_error(p->src, p->tok.at, "what is added begins with '+', as in a+-4");
    return parse_offsets(p);
}

/* Parses [register + n], [variable + n], [n], and lists of these for textures and tensors. */
static struct ptx_operand address(struct parser *p, unsigned depth)
{
    operand_list list = {0};
    struct ptx_operand o = {.at = p->tok.at, .kind = PO_ADDRESS};
    next_token(p);
    if (p->tok.kind == TOK_NAME && !token_is(&p->tok, "WARP_SZ")) {
        struct ptx_operand base = operand(p, false, depth + 1);
        if (base.is_element)
            ptx_error(p->src, base.at, "an element is no address in []: write it without them, as in ld.u32 r, a[1]");
        if (base.kind == PO_VARIABLE) {
            o.value = base.value;
            base.value = 0;
        } else if (base.kind != PO_REGISTER)
            ptx_error(p->src, base.at, "an address is a register or variable plus a number");
        VECTOR_PUSH(p->arena, &list, base);
        o.value = (int64_t)((uint64_t)o.value + (uint64_t)offset_of(p));
    } else
        o.value = parse_integer(p);
    while (take_punct(p, ','))
        VECTOR_PUSH(p->arena, &list, operand(p, false, depth + 1));
    expect_punct(p, ']', "after the address");
    take_dot(p, "unified");
    o.elements = list.at;
    o.count = list.count;
    return o;
}

static struct ptx_operand vector(struct parser *p, unsigned depth)
{
    operand_list list = {0};
    uint32_t at = p->tok.at;
    next_token(p);
    do
        VECTOR_PUSH(p->arena, &list, operand(p, false, depth + 1));
    while (take_punct(p, ','));
    expect_punct(p, '}', "after the vector's elements");
    return list_operand(PO_VECTOR, at, &list);
}

static int member_index(const struct token *t)
{
    static const char names[] = "xyzwrgba";
    const char *found = t->length == 1 ? memchr(names, t->text[0], 8) : NULL;
    return found ? (int)(found - names) % 4 : -1;
}

/* Sets the part of a register that a video instruction selects. */
static void set_selector(struct ptx_operand *o, const struct token *t)
{
    static const char names[][3] = {[VIDEO_B0] = "b0", [VIDEO_B1] = "b1", [VIDEO_B2] = "b2",
                                    [VIDEO_B3] = "b3", [VIDEO_H0] = "h0", [VIDEO_H1] = "h1"};
    o->select = PTX_SELECT_OTHER;
    for (uint8_t i = VIDEO_B0; i <= VIDEO_H1; i++)
        if (token_is(t, names[i]))
            o->select = i;
    if (t->length < sizeof o->parts)
        memcpy(o->parts, t->text, t->length);
}

struct ptx_operand symbol_registers(struct parser *p, const struct symbol *s, const struct token *t)
{
    if (s->vector == 1)
        return (struct ptx_operand){.kind = PO_REGISTER, .at = t->at, .reg = s->reg};
    operand_list list = {0};
    for (uint32_t i = 0; i < s->vector; i++)
        VECTOR_PUSH(p->arena, &list, (struct ptx_operand){.kind = PO_REGISTER, .at = t->at, .reg = s->reg + i});
    return list_operand(PO_VECTOR, t->at, &list);
}

static struct ptx_operand register_operand(struct parser *p, const struct symbol *s, const struct token *t)
{
    struct ptx_operand o = {.kind = PO_REGISTER, .at = t->at, .reg = s->reg};
    if (p->tok.kind == TOK_DOT) {
        int member = member_index(&p->tok);
        if (s->vector > 1 && (member < 0 || (uint32_t)member >= s->vector))
            ptx_error(p->src, p->tok.at, "'%.*s' has no such member", (int)t->length, t->text);
        if (s->vector > 1)
            o.reg += (uint32_t)member;
        else
            set_selector(&o, &p->tok);
        next_token(p);
        return o;
    }
    return symbol_registers(p, s, t);
}

static struct ptx_operand variable_operand(struct parser *p, const struct symbol *s, const struct token *t)
{
    struct ptx_operand o = {.kind = PO_VARIABLE, .at = t->at};
    o.variable = s->variable;
    if (take_punct(p, '['))
        parse_index(p, &o);
    else
        o.value = offset_of(p);
    return o;
}

static struct ptx_operand symbol_operand(struct parser *p, const struct symbol *s, const struct token *t)
{
    struct ptx_operand o = {.at = t->at};
    switch (s->kind) {
    case SYM_REGISTER: return register_operand(p, s, t);
    case SYM_VARIABLE: return variable_operand(p, s, t);
    case SYM_FUNCTION:
        o.kind = PO_FUNCTION;
        o.function = s->function;
        s->function->address_taken = true;
        return o;
    default: ptx_error(p->src, t->at, "'%.*s' is no operand", (int)t->length, t->text);
    }
}

/* A kernel that names the shared memory that is reserved for the system has it as a variable after its own. Cooperative
 * groups keep the barriers of tiles of several warps at %reserved_smem_offset_1 (288 bytes of it:
 * cooperative_groups.h). On a GPU the reserved memory comes first, and takes 1 KiB of a block from sm_80 on (CUDA C++
 * Programming Guide, "Compute Capability 8.x"). */
static struct ptx_variable *reserved_memory(struct parser *p, uint32_t at)
{
    if (!p->reserved) {
        p->reserved = ARENA_NEW(p->arena, struct ptx_variable);
        *p->reserved = (struct ptx_variable){.name = "reserved shared memory",
                                             .space = RP_SPACE_SHARED,
                                             .is_reserved = true,
                                             .type = PT_B8,
                                             .align = 128,
                                             .count = RESERVED_BYTES,
                                             .size = RESERVED_BYTES,
                                             .at = at};
    }
    return p->reserved;
}

/* PTX ISA "%reserved_smem_offset_begin, ..._end, ..._<2>". */
static bool reserved_operand(struct parser *p, const struct token *t, struct ptx_operand *o)
{
    static const struct {
        const char *name;
        int64_t offset;
    } registers[] = {{"%reserved_smem_offset_begin", 0},
                     {"%reserved_smem_offset_end", RESERVED_BYTES},
                     {"%reserved_smem_offset_0", 0},
                     {"%reserved_smem_offset_1", RESERVED_BYTES / 2}};
    *o = (struct ptx_operand){.kind = PO_VARIABLE, .at = t->at};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (token_is(t, registers[i].name)) {
            o->variable = reserved_memory(p, t->at);
            o->value = registers[i].offset;
            return true;
        }
    return false;
}

/* Whether this is a special register; if so, parses its member, too. */
static bool special_operand(struct parser *p, const struct token *t, struct ptx_operand *o)
{
    bool has_member = p->tok.kind == TOK_DOT;
    int index = -1;
    if (reserved_operand(p, t, o))
        return true;
    if (has_member)
        index = ptx_special_named(t->text, t->length, p->tok.text, p->tok.length);
    if (index >= 0)
        next_token(p);
    else
        index = ptx_special_named(t->text, t->length, "", 0);
    *o = (struct ptx_operand){.kind = PO_SPECIAL, .at = t->at, .value = index};
    return index >= 0;
}

static struct ptx_operand label_operand(struct parser *p, const struct token *t)
{
    struct ptx_operand o = {.kind = PO_LABEL, .at = t->at};
    o.label = ARENA_NEW(p->arena, struct ptx_label *);
    use_label(p, t, o.label);
    return o;
}

static struct ptx_operand named(struct parser *p, bool labels, unsigned depth)
{
    struct token t = p->tok;
    struct ptx_operand o;
    next_token(p);
    if (token_is(&t, "_"))
        return (struct ptx_operand){.kind = PO_SINK, .at = t.at};
    if (token_is(&t, "generic") && take_punct(p, '(')) {
        o = operand(p, false, depth + 1);
        if (o.kind != PO_VARIABLE)
            ptx_error(p->src, o.at, "generic() takes a variable");
        o.generic = true;
        expect_punct(p, ')', "after generic(");
        return o;
    }
    if (labels)
        return label_operand(p, &t);
    const struct symbol *s = lookup(p, &t);
    if (s)
        return symbol_operand(p, s, &t);
    if (t.text[0] == '%' && special_operand(p, &t, &o))
        return o;
    unknown_name(p, &t);
}

/* o, or o|p */
static struct ptx_operand perhaps_pair(struct parser *p, struct ptx_operand o, unsigned depth)
{
    if (!take_punct(p, '|'))
        return o;
    operand_list pair = {0};
    VECTOR_PUSH(p->arena, &pair, o);
    VECTOR_PUSH(p->arena, &pair, named(p, false, depth));
    return list_operand(PO_PAIR, o.at, &pair);
}

static struct ptx_operand operand(struct parser *p, bool labels, unsigned depth)
{
    if (depth > MAX_DEPTH)
        ptx_error(p->src, p->tok.at, "an operand with more than %d levels", MAX_DEPTH);
    if (at_punct(p, '['))
        return address(p, depth);
    if (at_punct(p, '{'))
        return perhaps_pair(p, vector(p, depth), depth);
    if (p->tok.kind == TOK_NAME && !token_is(&p->tok, "WARP_SZ")) {
        return perhaps_pair(p, named(p, labels, depth), depth);
    }
    if (at_punct(p, '!') || at_punct(p, '-')) { /* !p, or -a of a video instruction; otherwise an expression */
        struct lexer ahead = p->lexer;
        struct token after = lexer_next(&ahead);
        if (after.kind == TOK_NAME && !token_is(&after, "WARP_SZ")) {
            uint32_t at = p->tok.at;
            next_token(p);
            struct ptx_operand o = named(p, false, depth);
            o.negated = true;
            o.at = at;
            return o;
        }
    }
    return constant_operand(p);
}

struct ptx_operand parse_operand(struct parser *p, bool labels)
{
    struct ptx_operand o = operand(p, labels, 0);
    if (o.kind == PO_REGISTER && !o.negated && at_punct(p, '+')) {
        o.is_sum = true;
        o.value = parse_offsets(p);
    }
    return o;
}
