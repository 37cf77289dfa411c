#include <string.h>

#include "frontend/isa/ptx/parser.h"

#include "tracefmt/plural.h"

struct name {
    struct name *next;
    struct symbol *symbol; /* innermost declaration */
    uint32_t hash, length;
    char text[];
};

static uint32_t hash_text(const char *s, uint32_t n)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static void grow_names(struct parser *p)
{
    uint32_t slots = p->name_slots ? p->name_slots * 2 : 256;
    struct name **table = ARENA_ARRAY(p->arena, struct name *, slots);
    for (uint32_t i = 0; i < p->name_slots; i++)
        for (struct name *n = p->names[i], *next; n; n = next) {
            next = n->next;
            n->next = table[n->hash & (slots - 1)];
            table[n->hash & (slots - 1)] = n;
        }
    p->names = table;
    p->name_slots = slots;
}

/* `mark` is a character after the name: '<' distinguishes ranges from registers of the same name. */
static struct name *find_name(struct parser *p, const char *text, uint32_t length, char mark, bool make)
{
    uint32_t hash = hash_text(text, length) * 31 + (unsigned char)mark, total = length + (mark != 0);
    if (p->name_slots)
        for (struct name *n = p->names[hash & (p->name_slots - 1)]; n; n = n->next)
            if (n->hash == hash && n->length == total && memcmp(n->text, text, length) == 0)
                return n;
    if (!make)
        return NULL;
    if (p->name_count >= p->name_slots)
        grow_names(p);
    struct name *n = arena_alloc(p->arena, sizeof *n + total + 1);
    memcpy(n->text, text, length);
    n->text[length] = mark;
    n->hash = hash;
    n->length = total;
    n->next = p->names[hash & (p->name_slots - 1)];
    p->names[hash & (p->name_slots - 1)] = n;
    p->name_count++;
    return n;
}

void scope_open(struct parser *p)
{
    if (p->depth + 1 == MAX_DEPTH)
        ptx_error(p->src, p->tok.at, "more than %d blocks inside one another", MAX_DEPTH - 1);
    p->scopes[++p->depth] = (struct scope){0};
}

static const char *next_label(void *data)
{
    struct symbol **at = data;
    while (*at && (*at)->kind != SYM_LABEL)
        *at = (*at)->next_in_scope;
    if (!*at)
        return NULL;
    const char *name = (*at)->name->text;
    *at = (*at)->next_in_scope;
    return name;
}

static _Noreturn void unknown_label(struct parser *p, const struct pending *use)
{
    struct symbol *at = p->scopes[p->depth].symbols;
    const char *near = ptx_nearest(use->name->text, use->name->length, next_label, &at);
    ptx_error(p->src, use->at, "there is no label '%.100s' here%s%.100s%s", use->name->text,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void scope_close(struct parser *p)
{
    struct scope *s = &p->scopes[p->depth];
    for (struct pending *u = s->pending, *next; u; u = next) {
        next = u->next;
        struct symbol *symbol = u->name->symbol;
        if (symbol && symbol->kind == SYM_LABEL && symbol->depth == p->depth)
            *u->slot = symbol->label;
        else if (p->depth > 1) {
            u->next = s[-1].pending;
            s[-1].pending = u;
        } else
            unknown_label(p, u);
    }
    for (struct symbol *y = s->symbols; y; y = y->next_in_scope)
        y->name->symbol = y->shadowed;
    p->depth--;
}

void forget_local_names(struct parser *p)
{
    struct symbol **at = &p->scopes[0].symbols;
    while (*at)
        if ((*at)->is_local) {
            (*at)->name->symbol = NULL;
            *at = (*at)->next_in_scope;
        } else
            at = &(*at)->next_in_scope;
}

static struct symbol *new_symbol(struct parser *p, struct name *name, uint32_t depth, enum symbol_kind kind,
                                 uint32_t at)
{
    struct symbol *s = ARENA_NEW(p->arena, struct symbol);
    s->kind = kind;
    s->name = name;
    s->depth = depth;
    s->at = at;
    s->is_local = depth == 0 && p->linking == LINK_LOCAL;
    s->shadowed = name->symbol;
    name->symbol = s;
    s->next_in_scope = p->scopes[depth].symbols;
    p->scopes[depth].symbols = s;
    return s;
}

static struct symbol *declare_name(struct parser *p, struct name *n, const struct token *t, enum symbol_kind kind)
{
    if (n->symbol && n->symbol->depth == p->depth)
        ptx_error(p->src, t->at, "'%.*s' is declared twice", (int)t->length, t->text);
    return new_symbol(p, n, p->depth, kind, t->at);
}

/* The number of a register of a range, as the range writes it: without leading zeros. */
static bool range_index(const char *digits, uint32_t length, uint64_t *index)
{
    if (length == 0 || length > 9 || (digits[0] == '0' && length > 1))
        return false;
    *index = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        *index = *index * 10 + (uint64_t)(digits[i] - '0');
    }
    return true;
}

/* Finds the range %r<20> that %r12 belongs to. The digits must be written as the range writes them. any: the number may
 * also be beyond the range's end. */
static struct symbol *lookup_range(struct parser *p, const struct token *t, bool any)
{
    uint32_t prefix = t->length;
    while (prefix > 1 && t->text[prefix - 1] >= '0' && t->text[prefix - 1] <= '9')
        prefix--;
    for (; prefix < t->length; prefix++) { /* %f1<8>: the range's own name may end in digits */
        struct name *n = find_name(p, t->text, prefix, '<', false);
        uint64_t index;
        if (n && n->symbol && range_index(t->text + prefix, t->length - prefix, &index) &&
            (any || index < n->symbol->count))
            return n->symbol;
    }
    return NULL;
}

struct symbol *declare(struct parser *p, const struct token *t, enum symbol_kind kind)
{
    const struct symbol *range = kind == SYM_REGISTER || kind == SYM_VARIABLE ? lookup_range(p, t, false) : NULL;
    if (range && range->depth == p->depth)
        ptx_error(p->src, t->at, "'%.*s' is declared twice: as a register of '%s', too", (int)t->length, t->text,
                  range->name->text);
    return declare_name(p, find_name(p, t->text, t->length, 0, true), t, kind);
}

struct symbol *declared_here(struct parser *p, const struct token *t)
{
    struct name *n = find_name(p, t->text, t->length, 0, false);
    return n && n->symbol && n->symbol->depth == p->depth ? n->symbol : NULL;
}

/* A range's numbers are taken by whatever has one of its names in this scope, but for labels and other ranges. */
static void check_range(struct parser *p, const struct token *t, uint64_t count)
{
    for (const struct symbol *s = p->scopes[p->depth].symbols; s; s = s->next_in_scope) {
        const char *name = s->name->text, *digits = name + t->length;
        if (s->kind == SYM_LABEL || s->kind == SYM_RANGE || s->from_range || strncmp(name, t->text, t->length) != 0)
            continue;
        uint64_t index;
        if (range_index(digits, (uint32_t)strlen(digits), &index) && index < count)
            ptx_error(p->src, t->at, "'%s' is declared twice: as a register of '%.*s<%llu>', too", name, (int)t->length,
                      t->text, (unsigned long long)count);
    }
}

struct symbol *declare_range(struct parser *p, const struct token *t, const struct declarator *d, uint64_t count)
{
    check_range(p, t, count);
    struct symbol *s = declare_name(p, find_name(p, t->text, t->length, '<', true), t, SYM_RANGE);
    s->type = d->type;
    s->vector = d->vector;
    s->count = count;
    return s;
}

uint32_t new_register(struct parser *p, const char *name, uint8_t type)
{
    struct ptx_function *f = p->function;
    VECTOR_PUSH(p->arena, &f->registers, (struct ptx_register){name, type});
    return f->registers.count - 1;
}

/* Makes the symbol's registers: a vector's members are consecutive. */
static void make_registers(struct parser *p, struct symbol *s)
{
    static const char members[] = "xyzwabcd";
    for (uint32_t i = 0; i < s->vector; i++) {
        const char *name = s->name->text;
        uint32_t reg =
            new_register(p, s->vector > 1 ? arena_printf(p->arena, "%s.%c", name, members[i]) : name, s->type);
        s->reg = i ? s->reg : reg;
    }
}

struct symbol *declare_register(struct parser *p, const struct token *t, const struct declarator *d)
{
    struct symbol *s = declare(p, t, SYM_REGISTER);
    s->type = d->type;
    s->vector = d->vector;
    make_registers(p, s);
    return s;
}

struct symbol *lookup(struct parser *p, const struct token *t)
{
    struct name *n = find_name(p, t->text, t->length, 0, false);
    struct symbol *exact = n ? n->symbol : NULL;
    char last = t->text[t->length - 1];
    if (last < '0' || last > '9')
        return exact;
    if (exact && exact->depth == p->depth)
        return exact;
    struct symbol *range = lookup_range(p, t, false);
    if (!range || (exact && exact->depth >= range->depth))
        return exact;
    n = find_name(p, t->text, t->length, 0, true);
    struct symbol *s = new_symbol(p, n, range->depth, SYM_REGISTER, range->at);
    s->from_range = true;
    s->type = range->type;
    s->vector = range->vector;
    make_registers(p, s);
    return s;
}

void use_label(struct parser *p, const struct token *t, struct ptx_label **slot)
{
    struct pending *u = ARENA_NEW(p->arena, struct pending);
    *u = (struct pending){find_name(p, t->text, t->length, 0, true), slot, t->at, p->scopes[p->depth].pending};
    p->scopes[p->depth].pending = u;
}

struct name_walk {
    struct parser *p;
    struct symbol *at;
    uint32_t depth;
};

static const char *next_visible(void *data)
{
    struct name_walk *w = data;
    while (!w->at && w->depth > 0)
        w->at = w->p->scopes[--w->depth].symbols;
    if (!w->at)
        return NULL;
    const char *name = w->at->name->text;
    w->at = w->at->next_in_scope;
    return name;
}

void unknown_name(struct parser *p, const struct token *t)
{
    struct name_walk w = {p, NULL, p->depth + 1};
    const struct symbol *range = lookup_range(p, t, true);
    if (range)
        ptx_error(p->src, t->at, "'%.*s' is not declared: there %s only %llu register%s of that name", (int)t->length,
                  t->text, range->count == 1 ? "is" : "are", (unsigned long long)range->count, rp_plural(range->count));
    const char *near = ptx_nearest(t->text, t->length, next_visible, &w);
    ptx_error(p->src, t->at, "'%.*s' is not declared%s%.100s%s", (int)(t->length < 100 ? t->length : 100), t->text,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

uint32_t parse_range(struct parser *p, const char *what)
{
    enum { MOST = 1 << 16 };
    uint32_t at = p->tok.at;
    int64_t count = parse_factor(p); /* a factor, because '>' closes the range and is no operator here */
    if (count < 1 || count > MOST)
        ptx_error(p->src, at, "the number of %s must be between 1 and %d", what, MOST);
    expect_punct(p, '>', "after the number");
    return (uint32_t)count;
}

struct token numbered_name(struct parser *p, const struct token *prefix, uint32_t number)
{
    struct token one = *prefix;
    one.text = arena_printf(p->arena, "%.*s%u", (int)prefix->length, prefix->text, number);
    one.length = (uint32_t)strlen(one.text);
    return one;
}
