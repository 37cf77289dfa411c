/* Sections of debug data, and the calls of inlined functions that they describe.
 *
 * The source location of a call, and the function's name, are in different places: nvcc writes the location in .loc,
 * and the name in .debug_str. LLVM writes the location in a comment after .loc (see locations.c), and the name in
 * .debug_info. nvcc -G writes both in .debug_info. */
#include <stdlib.h>
#include <string.h>

#include "frontend/isa/ptx/parser.h"
#include "frontend/module/dwarf_calls.h"
#include "frontend/module/inlined.h"

/* ---- .section ---------------------------------------------------------------------------------------------------- */

/* Skips .section name { ... }. */
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

static void add_debug_label(struct parser *p, const char *name, uint64_t value)
{
    VECTOR_PUSH(p->arena, &p->debug.labels, (struct debug_label){name, value});
}

void label_code(struct parser *p, const char *name, uint32_t instruction)
{
    add_debug_label(p, name, code_address(p, instruction));
}

uint64_t code_address(const struct parser *p, uint32_t instruction)
{
    return (uint64_t)p->debug.functions.count << 32 | instruction;
}

/* Parses a number, or a label or section to which a number may be added. Anything else counts as 0. */
static void parse_datum(struct parser *p, struct debug_section *s, unsigned width)
{
    uint64_t value = 0;
    struct token t = p->tok;
    if (t.kind == TOK_INT || at_punct(p, '-')) {
        value = (uint64_t)parse_integer(p);
    } else if (t.kind != TOK_END && !at_punct(p, '}')) {
        next_token(p);
        if (take_punct(p, '+'))
            value = (uint64_t)parse_integer(p);
        struct debug_patch patch = {arena_string(p->arena, t.text, t.length), s->bytes.count, (uint8_t)width};
        if (t.kind == TOK_NAME || t.kind == TOK_DOT)
            VECTOR_PUSH(p->arena, &s->patches, patch);
    }
    for (unsigned i = 0; i < width; i++)
        VECTOR_PUSH(p->arena, &s->bytes, (uint8_t)(value >> (8 * i)));
}

static unsigned datum_width(const struct token *t)
{
    static const char words[][4] = {"b8", "b16", "b32", "b64"};
    for (unsigned i = 0; i < 4; i++)
        if (t->kind == TOK_DOT && token_is(t, words[i]))
            return 1u << i;
    return 0;
}

static void parse_data(struct parser *p, struct debug_section *s, uint32_t at)
{
    expect_punct(p, '{', "after the section's name");
    while (!take_punct(p, '}')) {
        struct token t = p->tok;
        unsigned width = datum_width(&t);
        if (t.kind == TOK_END)
            ptx_error(p->src, at, "this section has no end");
        next_token(p);
        if (t.kind == TOK_NAME && take_punct(p, ':'))
            add_debug_label(p, arena_string(p->arena, t.text, t.length), s->bytes.count);
        else if (width)
            do
                parse_datum(p, s, width);
            while (take_punct(p, ','));
    }
}

void parse_section(struct parser *p)
{
    struct token t = p->tok;
    struct debug_section *const known[] = {&p->debug.strings, &p->debug.info, &p->debug.abbrev};
    static const char *const names[] = {".debug_str", ".debug_info", ".debug_abbrev"};
    if (t.kind == TOK_DOT || t.kind == TOK_NAME)
        next_token(p);
    for (unsigned i = 0; i < 3; i++)
        if (token_is(&t, names[i]) || token_is(&t, names[i] + 1)) {
            parse_data(p, known[i], t.at);
            return;
        }
    skip_section(p, t.at);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static int label_by_name(const void *a, const void *b)
{
    const struct debug_label *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static const struct debug_label *find_label(const struct parser *p, const char *name)
{
    const struct debug_label wanted = {name, 0};
    return bsearch(&wanted, p->debug.labels.at, p->debug.labels.count, sizeof wanted, label_by_name);
}

static void sort_labels(struct parser *p)
{
    add_debug_label(p, "debug_str", 0);
    qsort(p->debug.labels.at, p->debug.labels.count, sizeof *p->debug.labels.at, label_by_name);
}

static void apply_patches(struct parser *p, struct debug_section *s)
{
    for (uint32_t i = 0; i < s->patches.count; i++) {
        const struct debug_patch *patch = &s->patches.at[i];
        const struct debug_label *label = find_label(p, patch->name);
        uint64_t value = 0;
        for (unsigned b = 0; b < patch->width; b++)
            value |= (uint64_t)s->bytes.at[patch->offset + b] << (8 * b);
        value += label ? label->value : 0;
        for (unsigned b = 0; b < patch->width; b++)
            s->bytes.at[patch->offset + b] = (uint8_t)(value >> (8 * b));
    }
}

/* ---- calls in .loc ----------------------------------------------------------------------------------------------- */

/* Sets the name of the function: the text in .debug_str or, if there is none, the label itself. */
static void name_call_by_label(struct parser *p, struct ptx_inlined *c)
{
    const struct debug_label *found = find_label(p, c->label);
    uint64_t size = p->debug.strings.bytes.count;
    bool there = found && found->value < size && c->offset < size - found->value;
    const char *name = there ? (const char *)p->debug.strings.bytes.at + found->value + c->offset : c->label;
    c->function = inlined_function_name(p->arena, name);
}

static void name_by_label(struct parser *p)
{
    for (uint32_t i = p->debug.named; i < p->unit->inlined.count; i++)
        if (p->unit->inlined.at[i].label)
            name_call_by_label(p, &p->unit->inlined.at[i]);
}

/* A call's source location, and the call whose body contains it. */
struct call_location {
    uint32_t around, line, column, body;
};

static int compare_locations(const struct call_location *x, const struct call_location *y)
{
    if (x->around != y->around)
        return x->around < y->around ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static int by_location(const void *a, const void *b)
{
    const struct call_location *x = a, *y = b;
    int order = compare_locations(x, y);
    return order ? order : x->body < y->body ? -1 : x->body > y->body;
}

/* The calls of all bodies, sorted by source location. */
static struct call_location *sorted_locations(struct parser *p, const struct dwarf_calls *calls)
{
    struct call_location *locations = ARENA_ARRAY(p->arena, struct call_location, (size_t)calls->bodies.count + 1);
    for (uint32_t i = 0; i < calls->bodies.count; i++) {
        const struct dwarf_call none = {0}, *c = &none;
        if (calls->bodies.at[i].call)
            c = &calls->calls.at[calls->bodies.at[i].call - 1];
        locations[i] = (struct call_location){c->around, c->line, c->column, i};
    }
    qsort(locations, calls->bodies.count, sizeof *locations, by_location);
    return locations;
}

/* The number of the call at this source location whose body contains the address; 0: there is none. */
static uint32_t call_at(const struct dwarf_calls *calls, const struct call_location *locations,
                        struct call_location wanted, uint64_t address)
{
    uint32_t low = 0, high = calls->bodies.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_locations(&locations[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < calls->bodies.count && !compare_locations(&locations[low], &wanted); low++) {
        const struct dwarf_body *b = &calls->bodies.at[locations[low].body];
        if (b->call && b->low <= address && address < b->high)
            return b->call;
    }
    return 0;
}

/* Completes the calls whose locations are in comments: .debug_info has their functions and files. A call that it does
 * not have gets no name. */
static void name_by_location(struct parser *p, const struct dwarf_calls *calls)
{
    const struct call_location *locations = sorted_locations(p, calls);
    uint32_t first = p->debug.named, count = p->unit->inlined.count - first;
    uint32_t *number = ARENA_ARRAY(p->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct ptx_inlined *c = &p->unit->inlined.at[first + i];
        struct call_location wanted = {c->inlined ? number[c->inlined - 1 - first] : 0, c->line, c->column, 0};
        if (c->label || (c->inlined && !wanted.around))
            continue;
        number[i] = call_at(calls, locations, wanted, c->address);
        if (!number[i])
            continue;
        c->function = calls->calls.at[number[i] - 1].function;
        c->file = p->file_base + calls->calls.at[number[i] - 1].file;
    }
}

/* ---- calls by the addresses of their bodies ---------------------------------------------------------------------- */

typedef VECTOR(struct dwarf_location) location_list;

/* Lists the source locations of all instructions. Files have the numbers that .file gives them in this module. */
static void list_locations(struct parser *p, location_list *all)
{
    for (uint32_t f = 0; f < p->debug.functions.count; f++)
        for (uint32_t i = 0; i < p->debug.functions.at[f]->body.count; i++) {
            const struct ptx_instruction *in = &p->debug.functions.at[f]->body.at[i];
            struct dwarf_location location = {(uint64_t)(f + 1) << 32 | i, in->source_file - p->file_base,
                                              in->source_line};
            VECTOR_PUSH(p->arena, all, location);
        }
}

static void add_calls(struct parser *p, const struct dwarf_calls *calls)
{
    uint32_t first = p->unit->inlined.count;
    for (uint32_t i = 0; i < calls->calls.count; i++) {
        const struct dwarf_call *c = &calls->calls.at[i];
        struct ptx_inlined call = {.function = c->function,
                                   .file = p->file_base + c->file,
                                   .line = c->line,
                                   .inlined = c->around ? first + c->around : 0};
        VECTOR_PUSH(p->arena, &p->unit->inlined, call);
    }
}

/* Finds the calls of all instructions by address. An instruction that keeps the line of the one before keeps its calls,
 * too. */
static void find_calls_by_address(struct parser *p, const struct dwarf_calls *calls)
{
    location_list locations = {0};
    uint32_t first = p->unit->inlined.count;
    list_locations(p, &locations);
    uint32_t *innermost = ARENA_ARRAY(p->arena, uint32_t, (size_t)locations.count + 1);
    dwarf_innermost(p->arena, calls, locations.at, locations.count, innermost);
    add_calls(p, calls);
    for (uint32_t i = 0; i < locations.count; i++) {
        struct ptx_function *f = p->debug.functions.at[(locations.at[i].address >> 32) - 1];
        struct ptx_instruction *in = &f->body.at[(uint32_t)locations.at[i].address];
        if (in->keeps_line && in > f->body.at)
            in->inlined = in[-1].inlined;
        else
            in->inlined = innermost[i] ? first + innermost[i] : 0;
    }
}

static void read_calls(struct parser *p, struct dwarf_calls *calls)
{
    struct debug_data *d = &p->debug;
    apply_patches(p, &d->info);
    struct dwarf_sections sections = {.info = {d->info.bytes.at, d->info.bytes.count},
                                      .abbrev = {d->abbrev.bytes.at, d->abbrev.bytes.count},
                                      .strings = {d->strings.bytes.at, d->strings.bytes.count}};
    dwarf_read_calls(p->arena, &sections, calls);
}

void join_debug_info(struct parser *p)
{
    struct debug_data *d = &p->debug;
    struct dwarf_calls calls = {0};
    if (d->locs_have_calls || d->info.bytes.count) {
        sort_labels(p);
        VECTOR_PUSH(p->arena, &d->strings.bytes, 0);
        name_by_label(p);
        read_calls(p, &calls);
        if (calls.calls.count && d->locs_have_calls)
            name_by_location(p, &calls);
        else if (calls.calls.count)
            find_calls_by_address(p, &calls);
    }
    memset(d, 0, sizeof *d);
    d->named = p->unit->inlined.count;
}
