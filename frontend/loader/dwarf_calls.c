#include "frontend/loader/dwarf_calls.h"

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
    AT_SPECIFICATION = 0x47,
    AT_CALL_COLUMN = 0x57,
    AT_CALL_FILE = 0x58,
    AT_CALL_LINE = 0x59,
    AT_LINKAGE_NAME = 0x6e,
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
    FORM_REF_SIG8 = 0x20
};

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

/* Of a signed number the low bits, too: no attribute that is needed has one. */
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

/* What is wanted of an entry's attributes. */
struct entry {
    uint64_t tag, low, high, origin, file, line, column;
    bool high_is_size, has_origin;
    const char *name, *linkage_name;
};

/* A function's entry, which calls refer to by its offset in .debug_info. */
struct function_entry {
    uint64_t offset, origin;
    bool has_origin, name_is_copied;
    const char *name;
};

struct reader {
    struct arena *arena;
    const struct dwarf_sections *sections;
    dwarf_calls *calls;
    VECTOR(uint64_t) origins; /* of the calls that are read here: offset, or UINT64_MAX */
    VECTOR(struct function_entry) functions;
    VECTOR(struct abbreviation) abbreviations;
    uint64_t abbreviations_at, abbreviation_bytes; /* the table that was read last; bytes of tables so far */
    struct bytes info;
    uint64_t unit, line_table; /* offsets */
    unsigned version, address_size;
};

static int abbreviation_by_code(const void *a, const void *b)
{
    const struct abbreviation *x = a, *y = b;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* Units may share a table. Tables that overlap, which would be read again and again, are damaged. */
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
        while (leb128(&b) | leb128(&b))
            ;
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

static struct value read_value(struct reader *r, uint64_t form)
{
    struct bytes *b = &r->info, pool;
    if (form == FORM_INDIRECT)
        form = leb128(b);
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
    case FORM_STRP: pool = bytes_from(&r->sections->strings, fixed(b, 4)); return (struct value){0, string(&pool)};
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
    case AT_LOW_PC: e->low = v.number; break;
    case AT_HIGH_PC:
        e->high = v.number;
        e->high_is_size = form != FORM_ADDR;
        break;
    case AT_SPECIFICATION:
    case AT_ABSTRACT_ORIGIN:
        e->origin = v.number;
        e->has_origin = true;
        break;
    case AT_CALL_FILE: e->file = v.number; break;
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
        keep_value(r, &e, attribute, form, read_value(r, form));
    }
    e.high += e.high_is_size ? e.low : 0;
    return e;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static uint32_t small(uint64_t n) { return n < UINT32_MAX ? (uint32_t)n : 0; }

static void add_call(struct reader *r, const struct entry *e, uint32_t around)
{
    struct dwarf_call call = {.low = e->low,
                              .high = e->high,
                              .file = small(e->file),
                              .line = small(e->line),
                              .column = small(e->column),
                              .around = around,
                              .line_table = small(r->line_table)};
    VECTOR_PUSH(r->arena, r->calls, call);
    VECTOR_PUSH(r->arena, &r->origins, e->has_origin ? e->origin : UINT64_MAX);
}

/* The entries of a unit. */
static void read_entries(struct reader *r)
{
    enum { MOST_LEVELS = 1024 };
    uint32_t around[MOST_LEVELS], depth = 0; /* the call that a level is in */
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
            add_call(r, &e, inside);
            inside = r->calls->count;
        } else if (e.tag == TAG_SUBPROGRAM) {
            const char *name = e.name ? e.name : e.linkage_name;
            VECTOR_PUSH(r->arena, &r->functions, (struct function_entry){offset, e.origin, e.has_origin, false, name});
            inside = 0;
        }
        if (!a->has_children)
            continue;
        if (++depth == MOST_LEVELS)
            return;
        around[depth] = inside;
    }
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
    if (!r->info.damaged && r->version >= 2 && r->version <= 4) {
        uint64_t abbreviations = fixed(&r->info, 4);
        r->address_size = (unsigned)fixed(&r->info, 1);
        r->line_table = UINT64_MAX;
        if (!r->info.damaged && r->address_size <= 8 && read_abbreviations(r, abbreviations))
            read_entries(r);
    }
    r->info = (struct bytes){r->info.start, next, end, false};
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static int function_by_offset(const void *a, const void *b)
{
    const struct function_entry *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
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

/* A name may stand in the entry that this one completes. */
static const char *function_name(const struct reader *r, uint64_t offset)
{
    for (int hops = 0; hops < 8 && r->functions.count; hops++) {
        struct function_entry wanted = {.offset = offset};
        struct function_entry *f =
            bsearch(&wanted, r->functions.at, r->functions.count, sizeof wanted, function_by_offset);
        if (f && f->name)
            return copied_name(r, f);
        if (!f || !f->has_origin)
            break;
        offset = f->origin;
    }
    return "?";
}

void dwarf_read_calls(struct arena *arena, const struct dwarf_sections *s, dwarf_calls *calls)
{
    struct reader r = {.arena = arena, .sections = s, .calls = calls, .info = bytes_from(&s->info, 0)};
    uint32_t first = calls->count;
    const uint8_t *end = r.info.end;
    while (r.info.at < end && read_unit(&r, end))
        ;
    for (uint32_t i = 0; i < r.origins.count; i++)
        calls->at[first + i].function = function_name(&r, r.origins.at[i]);
}

/* ---- the innermost call of an address ---------------------------------------------------------------------------- */

static uint32_t first_from(const uint64_t *addresses, uint32_t count, uint64_t address)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (addresses[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* next[i]: i, or one behind it towards the next address that has no call yet */
static uint32_t next_free(uint32_t *next, uint32_t i)
{
    while (next[i] != i)
        i = next[i] = next[next[i]];
    return i;
}

void dwarf_innermost(struct arena *arena, const dwarf_calls *calls, const uint64_t *addresses, uint32_t count,
                     uint32_t *innermost)
{
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i <= count; i++)
        next[i] = i;
    memset(innermost, 0, count * sizeof *innermost);
    for (uint32_t c = calls->count; c > 0; c--) { /* a call stands behind those that it is in */
        const struct dwarf_call *call = &calls->at[c - 1];
        uint32_t end = first_from(addresses, count, call->high);
        for (uint32_t i = next_free(next, first_from(addresses, count, call->low)); i < end; i = next_free(next, i)) {
            innermost[i] = c;
            next[i] = i + 1;
        }
    }
}
