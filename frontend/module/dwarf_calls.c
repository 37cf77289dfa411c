#include "frontend/module/dwarf_calls.h"

#include <stdlib.h>
#include <string.h>

#include "tracefmt/utf8.h"

enum { TAG_SUBPROGRAM = 0x2e, TAG_INLINED_SUBROUTINE = 0x1d };
enum {
    AT_NAME = 0x03,
    AT_STMT_LIST = 0x10,
    AT_LOW_PC = 0x11,
    AT_HIGH_PC = 0x12,
    AT_ABSTRACT_ORIGIN = 0x31,
    AT_DECL_FILE = 0x3a,
    AT_DECL_LINE = 0x3b,
    AT_SPECIFICATION = 0x47,
    AT_CALL_COLUMN = 0x57,
    AT_CALL_FILE = 0x58,
    AT_CALL_LINE = 0x59,
    AT_LINKAGE_NAME = 0x6e,
    AT_STR_OFFSETS_BASE = 0x72,
    AT_ADDR_BASE = 0x73,
    AT_MIPS_LINKAGE_NAME = 0x2007
};
enum {
    FORM_ADDR = 0x01,
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0a,
    FORM_DATA1 = 0x0b,
    FORM_FLAG = 0x0c,
    FORM_SDATA = 0x0d,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_REF_ADDR = 0x10,
    FORM_REF1 = 0x11,
    FORM_REF2 = 0x12,
    FORM_REF4 = 0x13,
    FORM_REF8 = 0x14,
    FORM_REF_UDATA = 0x15,
    FORM_INDIRECT = 0x16,
    FORM_SEC_OFFSET = 0x17,
    FORM_EXPRLOC = 0x18,
    FORM_FLAG_PRESENT = 0x19,
    FORM_STRX = 0x1a,
    FORM_ADDRX = 0x1b,
    FORM_REF_SUP4 = 0x1c,
    FORM_STRP_SUP = 0x1d,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f,
    FORM_REF_SIG8 = 0x20,
    FORM_IMPLICIT_CONST = 0x21,
    FORM_LOCLISTX = 0x22,
    FORM_RNGLISTX = 0x23,
    FORM_REF_SUP8 = 0x24,
    FORM_STRX1 = 0x25,
    FORM_STRX4 = 0x28,
    FORM_ADDRX1 = 0x29,
    FORM_ADDRX4 = 0x2c
};
enum { UT_TYPE = 2, UT_SKELETON = 4, UT_SPLIT_TYPE = 6 };

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

struct bytes {
    const uint8_t *start, *at, *end;
    bool damaged;
};

static struct bytes bytes_from(const struct cubin_bytes *section, uint64_t offset)
{
    if (!section->size || offset > section->size)
        return (struct bytes){.damaged = true};
    return (struct bytes){section->at, section->at + offset, section->at + section->size, false};
}

static uint64_t fixed(struct bytes *b, uint64_t width)
{
    uint64_t v = 0;
    if (width > (uint64_t)(b->end - b->at)) {
        b->damaged = true;
        return 0;
    }
    for (unsigned i = 0; i < width && i < 8; i++)
        v |= (uint64_t)b->at[i] << (8 * i);
    b->at += width;
    return v;
}

/* Reads signed numbers, too, but keeps only low bits; no attribute that is needed is signed. */
static uint64_t leb128(struct bytes *b)
{
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = fixed(b, 1);
        if (shift < 64)
            v |= (byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && !b->damaged);
    return v;
}

static const char *string(struct bytes *b)
{
    const char *text = (const char *)b->at;
    const uint8_t *end = b->damaged ? NULL : memchr(b->at, 0, (size_t)(b->end - b->at));
    b->damaged |= !end;
    b->at = end ? end + 1 : b->at;
    return end ? text : NULL;
}

/* ---- a unit and its abbreviations -------------------------------------------------------------------------------- */

struct abbreviation {
    uint64_t code, tag;
    bool has_children;
    const uint8_t *attributes; /* pairs of name and form, up to 0, 0 */
};

/* The attributes of an entry that are needed. */
struct entry {
    uint64_t tag, low, high, origin, file, line, column, declared_file, declared_line;
    bool high_is_size, has_origin;
    const char *name, *linkage_name;
};

/* A function's entry. Bodies refer to it by its offset in .debug_info. */
struct function_entry {
    uint64_t offset, origin;
    uint32_t file, line; /* where it is declared */
    bool has_origin, name_is_copied;
    const char *name;
};

struct reader {
    struct arena *arena;
    const struct dwarf_sections *sections;
    struct dwarf_calls *out;
    VECTOR(uint64_t) origins; /* for each body: offset of its function, or UINT64_MAX */
    VECTOR(struct function_entry) functions;
    VECTOR(struct abbreviation) abbreviations;
    uint64_t abbreviations_at, abbreviation_bytes; /* the table that was read last; bytes of tables so far */
    struct bytes info;
    uint64_t unit, line_table;          /* offsets */
    uint64_t string_base, address_base; /* where the unit's part of .debug_str_offsets and .debug_addr begins */
    unsigned version, address_size;
};

static int abbreviation_by_code(const void *a, const void *b)
{
    const struct abbreviation *x = a, *y = b;
    return x->code < y->code ? -1 : x->code > y->code;
}

static void skip_attributes(struct bytes *b)
{
    uint64_t attribute, form;
    do {
        attribute = leb128(b);
        form = leb128(b);
        if (form == FORM_IMPLICIT_CONST)
            leb128(b);
    } while (attribute | form);
}

/* Units may share a table. Tables that overlap would be read again and again: they are damaged. */
static bool read_abbreviations(struct reader *r, uint64_t offset)
{
    struct bytes b = bytes_from(&r->sections->abbrev, offset);
    if (r->abbreviations.count && r->abbreviations_at == offset)
        return true;
    r->abbreviations_at = offset;
    r->abbreviations.count = 0;
    if (b.damaged || r->abbreviation_bytes > r->sections->abbrev.size)
        return false;
    for (uint64_t code; !b.damaged && (code = leb128(&b));) {
        struct abbreviation a = {.code = code, .tag = leb128(&b), .has_children = fixed(&b, 1)};
        a.attributes = b.at;
        skip_attributes(&b);
        VECTOR_PUSH(r->arena, &r->abbreviations, a);
    }
    r->abbreviation_bytes += (uint64_t)(b.at - b.start) - offset;
    if (r->abbreviations.count)
        qsort(r->abbreviations.at, r->abbreviations.count, sizeof *r->abbreviations.at, abbreviation_by_code);
    return !b.damaged;
}

static const struct abbreviation *abbreviation_of(const struct reader *r, uint64_t code)
{
    struct abbreviation wanted = {.code = code};
    return r->abbreviations.count
               ? bsearch(&wanted, r->abbreviations.at, r->abbreviations.count, sizeof wanted, abbreviation_by_code)
               : NULL;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

struct value {
    uint64_t number;
    const char *text;
};

static struct value text_at(const struct cubin_bytes *section, uint64_t offset)
{
    struct bytes pool = bytes_from(section, offset);
    return (struct value){0, string(&pool)};
}

/* Element `index` of the unit's part of a table. */
static uint64_t table_element(struct reader *r, const struct cubin_bytes *table, uint64_t base, uint64_t index,
                              unsigned width)
{
    struct bytes b = bytes_from(table, index < table->size ? base + index * width : UINT64_MAX);
    uint64_t v = b.damaged ? 0 : fixed(&b, width);
    r->info.damaged |= b.damaged;
    return v;
}

static struct value string_of_index(struct reader *r, uint64_t index)
{
    uint64_t offset = table_element(r, &r->sections->string_offsets, r->string_base, index, 4);
    return r->info.damaged ? (struct value){0, NULL} : text_at(&r->sections->strings, offset);
}

static struct value address_of_index(struct reader *r, uint64_t index)
{
    return (struct value){table_element(r, &r->sections->addresses, r->address_base, index, r->address_size), NULL};
}

static struct value read_value(struct reader *r, uint64_t form)
{
    struct bytes *b = &r->info;
    if (form == FORM_INDIRECT)
        form = leb128(b);
    if (form >= FORM_STRX1 && form <= FORM_STRX4)
        return string_of_index(r, fixed(b, form - FORM_STRX1 + 1));
    if (form >= FORM_ADDRX1 && form <= FORM_ADDRX4)
        return address_of_index(r, fixed(b, form - FORM_ADDRX1 + 1));
    switch (form) {
    case FORM_ADDR: return (struct value){fixed(b, r->address_size), NULL};
    case FORM_REF_ADDR: return (struct value){fixed(b, r->version == 2 ? r->address_size : 4), NULL};
    case FORM_DATA1:
    case FORM_FLAG: return (struct value){fixed(b, 1), NULL};
    case FORM_DATA2: return (struct value){fixed(b, 2), NULL};
    case FORM_DATA4:
    case FORM_SEC_OFFSET: return (struct value){fixed(b, 4), NULL};
    case FORM_DATA8:
    case FORM_REF_SIG8: return (struct value){fixed(b, 8), NULL};
    case FORM_REF1: return (struct value){r->unit + fixed(b, 1), NULL};
    case FORM_REF2: return (struct value){r->unit + fixed(b, 2), NULL};
    case FORM_REF4: return (struct value){r->unit + fixed(b, 4), NULL};
    case FORM_REF8: return (struct value){r->unit + fixed(b, 8), NULL};
    case FORM_REF_UDATA: return (struct value){r->unit + leb128(b), NULL};
    case FORM_SDATA:
    case FORM_UDATA: return (struct value){leb128(b), NULL};
    case FORM_STRING: return (struct value){0, string(b)};
    case FORM_STRP: return text_at(&r->sections->strings, fixed(b, 4));
    case FORM_LINE_STRP: return text_at(&r->sections->line_strings, fixed(b, 4));
    case FORM_STRX: return string_of_index(r, leb128(b));
    case FORM_ADDRX: return address_of_index(r, leb128(b));
    case FORM_LOCLISTX:
    case FORM_RNGLISTX: leb128(b); break;
    case FORM_REF_SUP4:
    case FORM_STRP_SUP: fixed(b, 4); break;
    case FORM_REF_SUP8: fixed(b, 8); break;
    case FORM_DATA16: fixed(b, 16); break;
    case FORM_BLOCK1: fixed(b, fixed(b, 1)); break;
    case FORM_BLOCK2: fixed(b, fixed(b, 2)); break;
    case FORM_BLOCK4: fixed(b, fixed(b, 4)); break;
    case FORM_BLOCK:
    case FORM_EXPRLOC: fixed(b, leb128(b)); break;
    case FORM_FLAG_PRESENT: break;
    default: b->damaged = true;
    }
    return (struct value){0, NULL};
}

static void keep_value(struct reader *r, struct entry *e, uint64_t attribute, uint64_t form, struct value v)
{
    switch (attribute) {
    case AT_NAME: e->name = v.text; break;
    case AT_LINKAGE_NAME:
    case AT_MIPS_LINKAGE_NAME: e->linkage_name = v.text; break;
    case AT_STMT_LIST: r->line_table = v.number; break;
    case AT_STR_OFFSETS_BASE: r->string_base = v.number; break;
    case AT_ADDR_BASE: r->address_base = v.number; break;
    case AT_LOW_PC: e->low = v.number; break;
    case AT_HIGH_PC:
        e->high = v.number;
        e->high_is_size = form != FORM_ADDR && form != FORM_ADDRX && (form < FORM_ADDRX1 || form > FORM_ADDRX4);
        break;
    case AT_SPECIFICATION:
    case AT_ABSTRACT_ORIGIN:
        e->origin = v.number;
        e->has_origin = true;
        break;
    case AT_DECL_FILE: e->declared_file = v.number + (r->version >= 5); break;
    case AT_DECL_LINE: e->declared_line = v.number; break;
    case AT_CALL_FILE: e->file = v.number + (r->version >= 5); break;
    case AT_CALL_LINE: e->line = v.number; break;
    case AT_CALL_COLUMN: e->column = v.number; break;
    default: break;
    }
}

static struct entry read_entry(struct reader *r, const struct abbreviation *a)
{
    struct entry e = {.tag = a->tag};
    struct bytes b = bytes_from(&r->sections->abbrev, 0);
    b.at = a->attributes;
    for (;;) {
        uint64_t attribute = leb128(&b), form = leb128(&b);
        if ((!attribute && !form) || r->info.damaged)
            break;
        struct value v = form == FORM_IMPLICIT_CONST ? (struct value){leb128(&b), NULL} : read_value(r, form);
        keep_value(r, &e, attribute, form, v);
    }
    e.high += e.high_is_size ? e.low : 0;
    return e;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static uint32_t small(uint64_t n) { return n < UINT32_MAX ? (uint32_t)n : 0; }

static void add_body(struct reader *r, const struct entry *e, uint32_t call, uint64_t function)
{
    struct dwarf_body body = {.low = e->low, .high = e->high, .call = call, .line_table = small(r->line_table)};
    VECTOR_PUSH(r->arena, &r->out->bodies, body);
    VECTOR_PUSH(r->arena, &r->origins, function);
}

/* Returns its number. */
static uint32_t add_call(struct reader *r, const struct entry *e, uint32_t around)
{
    struct dwarf_call call = {.file = small(e->file),
                              .line = small(e->line),
                              .column = small(e->column),
                              .around = around,
                              .line_table = small(r->line_table)};
    VECTOR_PUSH(r->arena, &r->out->calls, call);
    add_body(r, e, r->out->calls.count, e->has_origin ? e->origin : UINT64_MAX);
    return r->out->calls.count;
}

static void add_function(struct reader *r, const struct entry *e, uint64_t offset)
{
    struct function_entry f = {.offset = offset,
                               .origin = e->origin,
                               .file = small(e->declared_file),
                               .line = small(e->declared_line),
                               .has_origin = e->has_origin,
                               .name = e->linkage_name ? e->linkage_name : e->name};
    VECTOR_PUSH(r->arena, &r->functions, f);
    if (e->low < e->high)
        add_body(r, e, 0, offset);
}

/* The entries of a unit. */
static void read_entries(struct reader *r)
{
    enum { MOST_LEVELS = 1024 };
    uint32_t around[MOST_LEVELS], depth = 0; /* the call around the entries of a level */
    around[0] = 0;
    while (r->info.at < r->info.end && !r->info.damaged) {
        uint64_t offset = (uint64_t)(r->info.at - r->info.start), code = leb128(&r->info);
        if (!code) {
            depth -= depth > 0;
            continue;
        }
        const struct abbreviation *a = abbreviation_of(r, code);
        if (!a)
            return;
        struct entry e = read_entry(r, a);
        uint32_t inside = around[depth];
        if (r->info.damaged)
            return;
        if (e.tag == TAG_INLINED_SUBROUTINE) {
            inside = add_call(r, &e, inside);
        } else if (e.tag == TAG_SUBPROGRAM) {
            add_function(r, &e, offset);
            inside = 0;
        }
        if (!a->has_children)
            continue;
        if (++depth == MOST_LEVELS)
            return;
        around[depth] = inside;
    }
}

/* What stands in a unit's header behind its version. Returns the offset of its abbreviations. */
static uint64_t read_header(struct reader *r)
{
    struct bytes *b = &r->info;
    uint64_t type = r->version >= 5 ? fixed(b, 1) : 0, abbreviations;
    if (r->version >= 5)
        r->address_size = (unsigned)fixed(b, 1);
    abbreviations = fixed(b, 4);
    if (r->version < 5)
        r->address_size = (unsigned)fixed(b, 1);
    if (type >= UT_SKELETON || type == UT_TYPE)
        fixed(b, 8);
    if (type == UT_TYPE || type == UT_SPLIT_TYPE)
        fixed(b, 4);
    r->line_table = UINT64_MAX;
    r->string_base = r->address_base = 8; /* behind the headers of the two tables */
    return abbreviations;
}

/* Returns where the next unit begins, or false. */
static bool read_unit(struct reader *r, const uint8_t *end)
{
    r->unit = (uint64_t)(r->info.at - r->info.start);
    uint64_t length = fixed(&r->info, 4);
    if (r->info.damaged || length > (uint64_t)(end - r->info.at))
        return false;
    const uint8_t *next = r->info.at + length;
    r->info.end = next;
    r->version = (unsigned)fixed(&r->info, 2);
    if (!r->info.damaged && r->version >= 2 && r->version <= 5) {
        uint64_t abbreviations = read_header(r);
        if (!r->info.damaged && r->address_size <= 8 && read_abbreviations(r, abbreviations))
            read_entries(r);
    }
    r->info = (struct bytes){r->info.start, next, end, false};
    return true;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static int function_by_offset(const void *a, const void *b)
{
    const struct function_entry *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct function_entry *function_at(const struct reader *r, uint64_t offset)
{
    struct function_entry wanted = {.offset = offset};
    return r->functions.count ? bsearch(&wanted, r->functions.at, r->functions.count, sizeof wanted, function_by_offset)
                              : NULL;
}

static const char *copied_name(const struct reader *r, struct function_entry *f)
{
    if (!f->name_is_copied) {
        char *name = arena_string(r->arena, f->name, strlen(f->name));
        rp_utf8_repair(name);
        f->name = name;
        f->name_is_copied = true;
    }
    return f->name;
}

/* Adds name and line of an entry that the body's own entry refers to. */
static void complete(const struct reader *r, struct dwarf_body *body, uint64_t function)
{
    const char *name = NULL;
    for (int hops = 0; hops < 8 && function != UINT64_MAX; hops++) {
        struct function_entry *f = function_at(r, function);
        if (!f)
            break;
        if (!name && f->name)
            name = copied_name(r, f);
        if (!body->line) {
            body->file = f->file;
            body->line = f->line;
        }
        function = f->has_origin ? f->origin : UINT64_MAX;
    }
    if (body->call)
        r->out->calls.at[body->call - 1].function = name ? name : "?";
}

void dwarf_read_calls(struct arena *arena, const struct dwarf_sections *s, struct dwarf_calls *calls)
{
    struct reader r = {.arena = arena, .sections = s, .out = calls, .info = bytes_from(&s->info, 0)};
    const uint8_t *end = r.info.end;
    while (r.info.at < end && read_unit(&r, end))
        ;
    for (uint32_t i = 0; i < r.origins.count; i++)
        complete(&r, &calls->bodies.at[i], r.origins.at[i]);
}

/* ---- the innermost call of a place ------------------------------------------------------------------------------- */

static int body_by_address(const void *a, const void *b)
{
    const struct dwarf_body *const *x = a, *const *y = b;
    if ((*x)->low != (*y)->low)
        return (*x)->low < (*y)->low ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

static const struct dwarf_body **sorted_bodies(struct arena *arena, const struct dwarf_calls *calls)
{
    uint32_t count = calls->bodies.count;
    const struct dwarf_body **out = ARENA_ARRAY(arena, const struct dwarf_body *, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        out[i] = &calls->bodies.at[i];
    qsort(out, count, sizeof *out, body_by_address);
    return out;
}

/* Line of the body's function; 0: it begins after the place or in another file, or its line is not known. */
static uint32_t line_before(const struct dwarf_body *body, const struct dwarf_location *location)
{
    return body->file == location->file && body->line <= location->line ? body->line : 0;
}

static uint32_t call_of_location(const struct dwarf_body *const *bodies, uint32_t count,
                                 const struct dwarf_location *location)
{
    const struct dwarf_body *best = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = line_before(bodies[i], location), best_line = best ? line_before(best, location) : 0;
        if (!best || line > best_line || (line == best_line && bodies[i] > best))
            best = bodies[i];
    }
    return best ? best->call : 0;
}

void dwarf_innermost(struct arena *arena, const struct dwarf_calls *calls, const struct dwarf_location *locations,
                     uint32_t count, uint32_t *innermost)
{
    enum { MOST_STEPS = 1 << 28 }; /* no compiler nests so many: damaged */
    const struct dwarf_body **bodies = sorted_bodies(arena, calls);
    const struct dwarf_body **open = ARENA_ARRAY(arena, const struct dwarf_body *, (size_t)calls->bodies.count + 1);
    uint32_t next = 0, open_count = 0;
    uint64_t steps = 0;
    memset(innermost, 0, count * sizeof *innermost);
    for (uint32_t i = 0; i < count && steps < MOST_STEPS; i++) {
        uint64_t address = locations[i].address;
        while (next < calls->bodies.count && bodies[next]->low <= address)
            open[open_count++] = bodies[next++];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < open_count; k++)
            if (address < open[k]->high)
                open[kept++] = open[k];
        steps += open_count;
        open_count = kept;
        innermost[i] = call_of_location(open, open_count, &locations[i]);
    }
}
