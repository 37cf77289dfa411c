/* Places in the source: .file, .loc and the names of inlined functions (PTX ISA, "Debugging Directives").
 *
 * The place where an inlined function is called stands in a .loc of its own before the one that names it, which may
 * be inlined, too: so chains come about. */
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/ptx/parser.h"

/* ---- a table of numbers by keys ---------------------------------------------------------------------------------- */

struct loc_slot {
    uint64_t key[3];
    uint32_t value; /* 0: free */
};

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static struct loc_slot *find_slot(struct loc_slot *slots, uint32_t count, const uint64_t key[3])
{
    uint64_t at = mixed(mixed(mixed(0, key[0]), key[1]), key[2]);
    while (slots[at & (count - 1)].value && memcmp(slots[at & (count - 1)].key, key, sizeof slots->key))
        at++;
    return &slots[at & (count - 1)];
}

static void grow(struct parser *p)
{
    uint32_t count = p->loc_slot_count ? 2 * p->loc_slot_count : 64;
    struct loc_slot *slots = ARENA_ARRAY(p->arena, struct loc_slot, count);
    memset(slots, 0, count * sizeof *slots);
    for (uint32_t i = 0; i < p->loc_slot_count; i++)
        if (p->loc_slots[i].value)
            *find_slot(slots, count, p->loc_slots[i].key) = p->loc_slots[i];
    p->loc_slots = slots;
    p->loc_slot_count = count;
}

static uint32_t look_up(const struct parser *p, const uint64_t key[3])
{
    return p->loc_slot_count ? find_slot(p->loc_slots, p->loc_slot_count, key)->value : 0;
}

static void enter(struct parser *p, const uint64_t key[3], uint32_t value)
{
    if (2 * p->loc_used >= p->loc_slot_count)
        grow(p);
    struct loc_slot *s = find_slot(p->loc_slots, p->loc_slot_count, key);
    p->loc_used += !s->value;
    memcpy(s->key, key, sizeof s->key);
    s->value = value;
}

/* ---- .file and .loc ---------------------------------------------------------------------------------------------- */

static uint32_t parse_file_number(struct parser *p)
{
    return p->file_base + (uint32_t)expect_count(p, UINT32_MAX / 2, "a file's number");
}

void parse_file(struct parser *p)
{
    uint32_t number = parse_file_number(p);
    if (p->tok.kind != TOK_STRING)
        ptx_error(p->src, p->tok.at, "the file's name in quotes belongs here");
    const char *name = arena_string(p->arena, p->tok.text, p->tok.length);
    VECTOR_PUSH(p->arena, &p->unit->files, (struct ptx_file){number, name});
    next_token(p);
    while (take_punct(p, ',')) /* time stamp and size */
        parse_integer(p);
}

struct place {
    uint32_t file, line, column;
};

static struct place parse_place(struct parser *p)
{
    struct place at;
    at.file = parse_file_number(p);
    at.line = (uint32_t)expect_count(p, UINT32_MAX - 1, "a line's number");
    at.column = (uint32_t)expect_count(p, UINT32_MAX - 1, "a column");
    return at;
}

/* Places of a function have even keys, calls odd ones. */
static void key_of(const struct parser *p, struct place at, uint64_t key[3])
{
    key[0] = (uint64_t)at.file << 32 | at.line;
    key[1] = at.column;
    key[2] = (uint64_t)(uintptr_t)p->function & ~1ull;
}

/* LABEL or LABEL + N, in .debug_str; .debug_str itself is a label, too. */
static void parse_function_name(struct parser *p, struct ptx_inlined *call)
{
    struct token t = p->tok;
    if (t.kind != TOK_DOT)
        t = expect_name(p, "the function");
    else
        next_token(p);
    call->label = arena_string(p->arena, t.text, t.length);
    if (take_punct(p, '+'))
        call->offset = expect_count(p, UINT32_MAX, "an offset");
}

/* The number, from 1, of a call in unit->inlined; each is there once. */
static uint32_t inlined_call(struct parser *p, struct place at, struct ptx_inlined *call)
{
    uint64_t place[3], key[3], hash = call->offset;
    key_of(p, at, place);
    uint32_t before = look_up(p, place);
    call->file = at.file;
    call->line = at.line;
    call->inlined = before ? before - 1 : 0;
    for (const char *c = call->label; *c; c++)
        hash = mixed(hash, (unsigned char)*c);
    key[0] = place[0];
    key[1] = (uint64_t)at.column << 32 | call->inlined;
    key[2] = hash | 1;
    uint32_t number = look_up(p, key);
    if (number)
        return number;
    VECTOR_PUSH(p->arena, &p->unit->inlined, *call);
    number = p->unit->inlined.count;
    enter(p, key, number);
    return number;
}

/* .loc FILE LINE COLUMN [, function_name LABEL [+ N], inlined_at FILE LINE COLUMN]
 * Line 0 stands for code of no line of the source, such as what clang moves out of a loop: it stays with the line
 * before. */
void parse_loc(struct parser *p)
{
    struct place here = parse_place(p), at = {0};
    struct ptx_inlined call = {0};
    bool inlined = false;
    uint64_t key[3];
    while (take_punct(p, ',')) {
        struct token t = expect_name(p, "function_name or inlined_at");
        if (token_is(&t, "function_name")) {
            parse_function_name(p, &call);
        } else if (token_is(&t, "inlined_at")) {
            at = parse_place(p);
            inlined = true;
        } else
            ptx_error(p->src, t.at, "function_name or inlined_at belongs here");
    }
    uint32_t chain = inlined && call.label ? inlined_call(p, at, &call) : 0;
    key_of(p, here, key);
    enter(p, key, chain + 1);
    if (!here.line && p->loc_line)
        return;
    p->loc_file = here.file;
    p->loc_line = here.line;
    p->loc_inlined = chain;
}

/* ---- .debug_str -------------------------------------------------------------------------------------------------- */

/* .section name { ... }: debug data, of which only the names of functions are needed. */
static void skip_section(struct parser *p, uint32_t at)
{
    uint32_t depth = 0;
    do {
        if (p->tok.kind == TOK_END)
            ptx_error(p->src, at, "this section has no end");
        depth += at_punct(p, '{');
        depth -= at_punct(p, '}') && depth > 0;
        next_token(p);
    } while (depth > 0);
}

static void add_label(struct parser *p, const char *name)
{
    VECTOR_PUSH(p->arena, &p->unit->string_labels, (struct ptx_string_label){name, p->unit->strings.count});
}

static void parse_strings(struct parser *p, uint32_t at)
{
    expect_punct(p, '{', "after the section's name");
    while (!take_punct(p, '}')) {
        struct token t = p->tok;
        if (t.kind == TOK_END)
            ptx_error(p->src, at, "this section has no end");
        next_token(p);
        if (t.kind == TOK_NAME && take_punct(p, ':'))
            add_label(p, arena_string(p->arena, t.text, t.length));
        else if (t.kind == TOK_DOT && token_is(&t, "b8"))
            do
                VECTOR_PUSH(p->arena, &p->unit->strings, (char)parse_integer(p));
            while (take_punct(p, ','));
    }
}

void parse_section(struct parser *p)
{
    struct token t = p->tok;
    bool strings = token_is(&t, "debug_str") || token_is(&t, ".debug_str");
    if (t.kind == TOK_DOT || t.kind == TOK_NAME)
        next_token(p);
    if (!strings) {
        skip_section(p, t.at);
        return;
    }
    add_label(p, "debug_str");
    parse_strings(p, t.at);
}

static int by_name(const void *a, const void *b)
{
    const struct ptx_string_label *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* A name that .debug_str has not is the label. */
void name_inlined_functions(struct parser *p)
{
    struct ptx_unit *u = p->unit;
    VECTOR_PUSH(p->arena, &u->strings, '\0');
    if (u->string_labels.count)
        qsort(u->string_labels.at, u->string_labels.count, sizeof *u->string_labels.at, by_name);
    for (; p->named < u->inlined.count; p->named++) {
        struct ptx_inlined *c = &u->inlined.at[p->named];
        const struct ptx_string_label wanted = {c->label, 0}, *found = NULL;
        if (u->string_labels.count)
            found = bsearch(&wanted, u->string_labels.at, u->string_labels.count, sizeof wanted, by_name);
        bool there = found && c->offset < u->strings.count - found->offset;
        c->function = there ? u->strings.at + found->offset + c->offset : c->label;
    }
    u->string_labels.count = 0;
}
