/* Bodies of functions: blocks, labels, directives, instructions. */
#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "frontend/isa/ptx/parser.h"

/* ---- matching an instruction with a form of the table ---- */

/* The end of an error about an unknown name: a newer PTX version may have it. */
static const char *perhaps_newer(struct parser *p)
{
    const unsigned known = 90, version = p->unit->version;
    char text[80] = "";
    if (version > known)
        snprintf(text, sizeof text, " (the module is PTX %u.%u, known is %u.%u)", version / 10, version % 10,
                 known / 10, known % 10);
    return arena_string(p->arena, text, (uint32_t)strlen(text));
}

static const char *next_opcode(void *data)
{
    uint32_t *at = data;
    return ptx_opcode_name((*at)++);
}

static const struct ptx_form *opcode_forms(struct parser *p, const struct token *t, uint32_t *count)
{
    const struct ptx_form *forms = ptx_opcode(t->text, t->length, count);
    if (forms)
        return forms;
    uint32_t at = 0;
    const char *near = ptx_nearest(t->text, t->length, next_opcode, &at);
    ptx_error(p->src, t->at, "unknown instruction '%.*s'%s%s%s%s", (int)(t->length < 100 ? t->length : 100), t->text,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", perhaps_newer(p));
}

/* The first form that accepts any modifiers ("*") and whose first modifier, if it has one, agrees. */
static const struct ptx_form *loose_form(const struct ptx_form *forms, uint32_t count, const struct token *first)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *wanted = forms[i].first_modifier;
        if (forms[i].any_modifiers && (!wanted || (first->kind == TOK_DOT && token_is(first, wanted))))
            return &forms[i];
    }
    return NULL;
}

/* False: only forms that accept any modifiers can have this one. */
static bool add_modifier(struct parser *p, struct ptx_modifiers *mods, const struct token *t, bool loose,
                         const struct token *opcode)
{
    enum ptx_type type = ptx_type_named(t->text, t->length);
    int m = type == PT_NONE ? ptx_modifier_named(t->text, t->length) : -1;
    if ((m == M_ROW || m == M_COL) && (mods_have(mods, M_ROW) || mods_have(mods, M_COL)))
        m += M_ROW_B - M_ROW; /* the layout of the second matrix */
    if (mods->word_count < MAX_LEADING)
        mods->leading[mods->word_count++] = (int16_t)m;
    if (type != PT_NONE) {
        if (mods->type_count < MAX_TYPES)
            mods->types[mods->type_count++] = (uint8_t)type;
        else if (!loose)
            ptx_error(p->src, t->at, "too many types");
        return true;
    }
    if (m >= 0 && !mods_have(mods, (enum ptx_modifier)m))
        mods->set.word[m / 64] |= 1ull << (m % 64);
    else if (!loose)
        ptx_error(p->src, t->at, "'.%.*s' %s '%.*s'", (int)(t->length < 60 ? t->length : 60), t->text,
                  m >= 0 ? "is there twice in" : "is no modifier of", (int)opcode->length, opcode->text);
    return m >= 0;
}

struct modifier_walk {
    const struct ptx_form *forms;
    uint32_t count;
    int at;
};
static const char *next_modifier(void *data)
{
    struct modifier_walk *w = data;
    for (; w->at < M_COUNT; w->at++)
        for (uint32_t i = 0; i < w->count; i++)
            if (w->forms[i].allowed.word[w->at / 64] >> (w->at % 64) & 1)
                return ptx_modifier_name((enum ptx_modifier)w->at++);
    return NULL;
}

/* The text of a set of types or of alternatives, for an error: ".u32 .s32". */
static void list_types(char *out, size_t room, uint64_t set)
{
    size_t n = 0;
    for (int t = 1; t < PT_COUNT && n + 12 < room; t++)
        if (set >> t & 1)
            n += (size_t)snprintf(out + n, room - n, " .%s", ptx_types[t].name);
}

static void list_modifiers(char *out, size_t room, const struct mod_set *set)
{
    size_t n = 0;
    for (int m = 0; m < M_COUNT && n + 24 < room; m++)
        if (set->word[m / 64] >> (m % 64) & 1)
            n += (size_t)snprintf(out + n, room - n, " .%s", ptx_modifier_name((enum ptx_modifier)m));
}

/* How close the form is to fitting: first by the mismatch, then by the number of types that fit. */
static unsigned nearness(const struct ptx_form *form, const struct ptx_modifiers *mods)
{
    unsigned fitting = 0;
    for (int i = 0; i < form->type_count && i < mods->type_count; i++)
        fitting += form->types[i] >> mods->types[i] & 1;
    return (unsigned)ptx_form_match(form, mods, NULL) * (MAX_TYPES + 1) + fitting;
}

/* Reports that no form fits, and what is wrong with the closest one. */
static _Noreturn void no_form(struct parser *p, const struct ptx_form *forms, uint32_t count,
                              const struct ptx_modifiers *mods, const struct token *opcode, const struct token *words)
{
    const struct ptx_form *near = &forms[0];
    unsigned choice = 0;
    for (uint32_t i = 1; i < count; i++)
        if (!forms[i].any_modifiers && nearness(&forms[i], mods) > nearness(near, mods))
            near = &forms[i];
    enum form_mismatch why = ptx_form_match(near, mods, &choice);
    char list[200] = "";
    int length = (int)opcode->length;
    if (why == FORM_TYPE) {
        for (int i = 0; i < near->type_count; i++)
            if (!(near->types[i] >> mods->types[i] & 1)) {
                list_types(list, sizeof list, near->types[i]);
                ptx_error(p->src, words->at, "'%.*s' does not take .%s here, but%s", length, opcode->text,
                          ptx_types[mods->types[i]].name, list);
            }
    }
    if (why == FORM_TYPE_COUNT)
        ptx_error(p->src, words->at, "'%.*s' takes %u type%s, not %u", length, opcode->text, near->type_count,
                  near->type_count == 1 ? "" : "s", mods->type_count);
    if (why >= FORM_MISSING)
        list_modifiers(list, sizeof list, &near->choices[choice].set);
    if (why == FORM_MISSING)
        ptx_error(p->src, words->at, "'%.*s' needs one of%s", length, opcode->text, list);
    if (why == FORM_TWICE)
        ptx_error(p->src, words->at, "'%.*s' takes only one of%s", length, opcode->text, list);
    if (why == FORM_ORDER)
        ptx_error(p->src, words->at, "'%.*s' wants%s before all other modifiers and types", length, opcode->text, list);
    ptx_error(p->src, words->at, "'%.*s' does not take these modifiers together", length, opcode->text);
}

/* Reports a modifier that no form of the opcode takes, with the most similar one that some form takes. */
static void check_modifier(struct parser *p, const struct ptx_form *forms, uint32_t count, const struct token *t,
                           const struct token *opcode)
{
    if (ptx_type_named(t->text, t->length) != PT_NONE)
        return;
    int m = ptx_modifier_named(t->text, t->length);
    for (uint32_t i = 0; i < count && m >= 0; i++)
        if (forms[i].allowed.word[m / 64] >> (m % 64) & 1)
            return;
    struct modifier_walk walk = {forms, count, 0};
    const char *near = ptx_nearest(t->text, t->length, next_modifier, &walk);
    ptx_error(p->src, t->at, "'.%.*s' is no modifier of '%.*s'%s%s%s%s", (int)(t->length < 60 ? t->length : 60),
              t->text, (int)opcode->length, opcode->text, near ? "; did you mean '." : "", near ? near : "",
              near ? "'?" : "", perhaps_newer(p));
}

struct candidates {
    const struct ptx_form *forms, *first; /* first: the first that fits the modifiers */
    uint32_t count;
    struct token opcode;
};

/* Parses the opcode, its modifiers and types. */
static struct candidates parse_spelling(struct parser *p, struct ptx_modifiers *mods)
{
    struct candidates c = {.opcode = p->tok};
    c.forms = opcode_forms(p, &c.opcode, &c.count);
    next_token(p);
    struct token words = p->tok.kind == TOK_DOT ? p->tok : c.opcode;
    const struct ptx_form *loose = loose_form(c.forms, c.count, &words);
    bool known = true;
    for (; p->tok.kind == TOK_DOT; next_token(p)) {
        if (!loose)
            check_modifier(p, c.forms, c.count, &p->tok, &c.opcode);
        known &= add_modifier(p, mods, &p->tok, loose != NULL, &c.opcode);
    }
    for (uint32_t i = 0; i < c.count && !c.first && known; i++)
        if (!c.forms[i].any_modifiers && ptx_form_match(&c.forms[i], mods, NULL) == FORM_FITS)
            c.first = &c.forms[i];
    if (!c.first)
        c.first = loose;
    if (!c.first)
        no_form(p, c.forms, c.count, mods, &c.opcode, &words);
    return c;
}

/* Of the forms that fit the modifiers, the one that takes this many operands. */
static const struct ptx_form *choose_form(struct parser *p, const struct candidates *c,
                                          const struct ptx_modifiers *mods, uint32_t operands)
{
    if (c->first->any_operands)
        return c->first;
    for (const struct ptx_form *f = c->first; f < c->forms + c->count; f++) {
        struct operand_range r = ptx_operand_range(f, mods);
        if (!f->any_modifiers && !f->any_operands && operands >= r.least && operands <= r.most &&
            ptx_form_match(f, mods, NULL) == FORM_FITS)
            return f;
    }
    uint32_t least = ptx_operand_range(c->first, mods).least;
    ptx_error(p->src, c->opcode.at, "'%.*s' takes %u operand%s here, not %u", (int)c->opcode.length, c->opcode.text,
              least, least == 1 ? "" : "s", operands);
}

/* ---- statements ---- */

static void parse_guard(struct parser *p, struct ptx_instruction *in)
{
    in->guard_negated = take_punct(p, '!');
    struct token t = expect_name(p, "a predicate");
    const struct symbol *s = lookup(p, &t);
    if (!s)
        unknown_name(p, &t);
    if (s->kind != SYM_REGISTER || s->type != PT_PRED || s->vector != 1)
        ptx_error(p->src, t.at, "'%.*s' is no predicate register", (int)t.length, t.text);
    in->guard = s->reg;
}

struct ptx_operand parse_declared_label(struct parser *p, uint32_t kinds, const char *what)
{
    struct token t = expect_name(p, what);
    const struct symbol *s = lookup(p, &t);
    if (!s || s->kind != SYM_LABEL || !(kinds >> s->label->kind & 1))
        ptx_error(p->src, t.at, "'%.*s' is no label of %s before this instruction",
                  (int)(t.length < 100 ? t.length : 100), t.text, what);
    struct ptx_operand o = {.kind = PO_LABEL, .at = t.at};
    o.label = ARENA_NEW(p->arena, struct ptx_label *);
    *o.label = s->label;
    return o;
}

static void parse_operands(struct parser *p, struct ptx_instruction *in, const struct candidates *c)
{
    VECTOR(struct ptx_operand) list = {0};
    if (!at_punct(p, ';'))
        do {
            bool label =
                !c->first->any_operands && list.count < MAX_OPERANDS && c->first->operands[list.count].role == 'L';
            VECTOR_PUSH(p->arena, &list,
                        label && c->first->lowering == LOW_BRANCH_TABLE
                            ? parse_declared_label(p, 1 << LABEL_TARGETS, "a .branchtargets")
                            : parse_operand(p, label));
        } while (take_punct(p, ','));
    in->operands = list.at;
    in->operand_count = list.count;
}

/* mad of floating-point numbers says how it rounds: .f64 from version 1.4 on, .f32 from 3.2 on for targets that round
 * it once. */
static void check_rounding(struct parser *p, const struct ptx_instruction *in)
{
    enum { F32_VERSION = 32, F64_VERSION = 14, FUSED_SM = 20 };
    if (strcmp(in->form->opcode, "mad") != 0 || in->form->op != OP_FMA || mods_value(&in->mods, G_ROUND, -1) >= 0)
        return;
    bool needs = in->mods.types[0] == PT_F64 ? p->version >= F64_VERSION
                                             : p->version >= F32_VERSION && (!p->sm || p->sm >= FUSED_SM);
    if (needs)
        ptx_error(p->src, in->at, "'mad.%s' needs one of .rn .rz .rm .rp", ptx_types[in->mods.types[0]].name);
}

void parse_instruction(struct parser *p)
{
    struct ptx_instruction in = {.guard = PTX_NO_REGISTER,
                                 .at = p->tok.at,
                                 .line = p->tok.line,
                                 .source_file = p->loc_file,
                                 .source_line = p->loc_line,
                                 .keeps_line = p->loc_keeps_line,
                                 .inlined = p->loc_inlined};
    if (take_punct(p, '@'))
        parse_guard(p, &in);
    if (p->tok.kind != TOK_NAME)
        ptx_error(p->src, p->tok.at, "an instruction belongs here");
    struct candidates c = parse_spelling(p, &in.mods);
    in.form = c.first;
    if (in.form->lowering == LOW_CALL) {
        parse_call(p, &in);
        return;
    }
    parse_operands(p, &in, &c);
    in.form = choose_form(p, &c, &in.mods, in.operand_count);
    check_rounding(p, &in);
    in.end = p->tok.at;
    expect_punct(p, ';', "after the instruction");
    place_elements(p, &in);
    place_sums(p, &in);
    ptx_check_operands(p->src, p->function, &in);
    if (in.form->lowering == LOW_RETURN)
        emit_results(p, &in);
    VECTOR_PUSH(p->arena, &p->function->body, in);
}

struct label_list {
    VECTOR(struct ptx_label **) slots;
};
static void list_label(struct parser *p, struct label_list *list, const struct token *name)
{
    struct ptx_label **slot = ARENA_NEW(p->arena, struct ptx_label *);
    use_label(p, name, slot);
    VECTOR_PUSH(p->arena, &list->slots, slot);
}

/* "L<3>" stands for L0, L1, L2 (PTX ISA, ".branchtargets"). */
static void list_range(struct parser *p, struct label_list *list, const struct token *prefix)
{
    uint32_t count = parse_range(p, "labels");
    for (uint32_t i = 0; i < count; i++) {
        struct token one = numbered_name(p, prefix, i);
        list_label(p, list, &one);
    }
}

static void parse_label_list(struct parser *p, struct ptx_label *label)
{
    struct label_list list = {0};
    label->kind = LABEL_TARGETS;
    do {
        struct token t = expect_name(p, "a label");
        if (take_punct(p, '<'))
            list_range(p, &list, &t);
        else
            list_label(p, &list, &t);
    } while (take_punct(p, ','));
    label->targets = list.slots.at;
    label->target_count = list.slots.count;
    expect_punct(p, ';', "after the labels");
}

/* Parses functions: a call has the parameters of the first. */
static void parse_call_targets(struct parser *p, struct ptx_label *label)
{
    do {
        struct token t = expect_name(p, "a function");
        const struct symbol *s = lookup(p, &t);
        if (!s)
            unknown_name(p, &t);
        if (s->kind != SYM_FUNCTION)
            ptx_error(p->src, t.at, "'%.*s' is no function", (int)(t.length < 100 ? t.length : 100), t.text);
        if (!label->prototype)
            label->prototype = &s->function->signature;
    } while (take_punct(p, ','));
    expect_punct(p, ';', "after the functions");
}

/* Parses NAME: and what the label stands for: the next instruction, a list of targets, or a prototype. */
static void parse_label(struct parser *p)
{
    struct token t = p->tok;
    struct ptx_label *label = ARENA_NEW(p->arena, struct ptx_label);
    label->name = arena_string(p->arena, t.text, t.length);
    label->kind = LABEL_CODE;
    label->instruction = p->last_label = p->function->body.count;
    declare(p, &t, SYM_LABEL)->label = label;
    label_code(p, label->name, label->instruction);
    next_token(p);
    next_token(p);
    if (take_dot(p, "branchtargets"))
        parse_label_list(p, label);
    else if (take_dot(p, "callprototype")) {
        label->kind = LABEL_PROTOTYPE;
        label->prototype = parse_prototype(p);
        expect_punct(p, ';', "after the prototype");
    } else if (take_dot(p, "calltargets")) {
        label->kind = LABEL_CALL_TARGETS;
        parse_call_targets(p, label);
    }
}

static void parse_body_directive(struct parser *p)
{
    uint8_t space;
    bool is_extern = take_dot(p, "extern");
    if (take_dot(p, "reg"))
        parse_registers(p);
    else if (take_dot(p, "loc"))
        parse_loc(p);
    else if (take_dot(p, "file"))
        parse_file(p);
    else if (take_dot(p, "pragma"))
        parse_pragma(p);
    else if (space_directive(&p->tok, &space)) {
        next_token(p);
        parse_variables(p, space, is_extern);
    } else
        ptx_error(p->src, p->tok.at, "no directive '.%.*s' inside a function",
                  (int)(p->tok.length < 100 ? p->tok.length : 100), p->tok.text);
}

static bool at_label(struct parser *p)
{
    if (p->tok.kind != TOK_NAME)
        return false;
    struct lexer ahead = p->lexer;
    const char *text = p->src->text;
    if (text[ahead.pos] == '.') /* an opcode with modifiers, the common case: there is no need to look further */
        return false;
    struct token after = lexer_next(&ahead);
    return after.kind == TOK_PUNCT && after.punct == ':';
}

/* Parses up to the '}' that ends the function's body. */
void parse_statements(struct parser *p)
{
    uint32_t outer = p->depth;
    for (;;) {
        if (p->tok.kind == TOK_END)
            ptx_error(p->src, p->tok.at, "the file ends inside function '%s'", p->function->name);
        if (at_punct(p, '}')) {
            if (p->depth == outer)
                return;
            scope_close(p);
            next_token(p);
        } else if (at_punct(p, '{')) {
            scope_open(p);
            next_token(p);
        } else if (p->tok.kind == TOK_DOT)
            parse_body_directive(p);
        else if (at_label(p))
            parse_label(p);
        else
            parse_instruction(p);
    }
}
