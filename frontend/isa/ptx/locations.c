/* Source locations: .file, .loc and the names of inlined functions (PTX ISA, "Debugging Directives").
 *
 * The location at which an inlined function is called has a .loc of its own before the .loc that names it. That
 * location may itself be in an inlined function, so calls form chains. */
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

static bool is_octal(char c) { return c >= '0' && c <= '7'; }

/* Compilers write a byte that is not ASCII as a backslash and three octal digits, and a quote or a backslash behind a
 * backslash. Any other backslash stands for itself. */
static void undo_escapes(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        bool octal = from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3]);
        int byte = octal ? (from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0') : 0;
        if (byte > 0 && byte <= UINT8_MAX) {
            *to = (char)byte;
            from += 4;
            continue;
        }
        from += from[0] == '\\' && (from[1] == '\\' || from[1] == '"');
        *to = *from++;
    }
    *to = 0;
}

void parse_file(struct parser *p)
{
    uint32_t number = parse_file_number(p);
    if (p->tok.kind != TOK_STRING)
        ptx_error(p->src, p->tok.at, "the file's name in quotes belongs here");
    char *name = arena_string(p->arena, p->tok.text, p->tok.length);
    undo_escapes(name);
    VECTOR_PUSH(p->arena, &p->unit->files, (struct ptx_file){number, name});
    next_token(p);
    while (take_punct(p, ',')) /* time stamp and size */
        parse_integer(p);
}

struct location {
    uint32_t file, line, column;
};

static struct location parse_location(struct parser *p)
{
    struct location at;
    at.file = parse_file_number(p);
    at.line = (uint32_t)expect_count(p, UINT32_MAX - 1, "a line's number");
    at.column = (uint32_t)expect_count(p, UINT32_MAX - 1, "a column");
    return at;
}

/* Makes the key of a source location in the current function. Its last word is even; the keys of calls end in an odd
 * word. */
static void key_of(const struct parser *p, struct location at, uint64_t key[3])
{
    key[0] = (uint64_t)at.file << 32 | at.line;
    key[1] = at.column;
    key[2] = (uint64_t)(uintptr_t)p->function & ~1ull;
}

/* Parses LABEL or LABEL + N, an offset in .debug_str; the name .debug_str is a label, too. */
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

/* Returns the number, from 1, of a call in unit->inlined. Adds the call if it is not there yet. */
static uint32_t add_call(struct parser *p, const uint64_t location[3], uint64_t hash, const struct ptx_inlined *call)
{
    uint64_t key[3] = {location[0], location[1] << 32 | call->inlined, hash | 1};
    uint32_t number = look_up(p, key);
    if (number)
        return number;
    VECTOR_PUSH(p->arena, &p->unit->inlined, *call);
    number = p->unit->inlined.count;
    enter(p, key, number);
    return number;
}

static uint32_t inlined_call(struct parser *p, struct location at, struct ptx_inlined *call)
{
    uint64_t location[3], hash = call->offset;
    key_of(p, at, location);
    uint32_t before = look_up(p, location);
    call->file = at.file;
    call->line = at.line;
    call->inlined = before ? before - 1 : 0;
    for (const char *c = call->label; *c; c++)
        hash = mixed(hash, (unsigned char)*c);
    return add_call(p, location, hash, call);
}

/* ---- comments of LLVM: .loc 2 168 27 // a.py:168:27 @[ b.py:189:40 @[ b.py:59:36 ] ] -------------------------------
 */

/* Parses NAME:LINE:COLUMN from `text` to before `end`. Returns the length of the name; 0: it is something else. */
static uint32_t comment_location(const char *text, const char *end, struct location *at)
{
    uint32_t numbers[2];
    for (int i = 0; i < 2; i++) {
        const char *digit = end;
        uint64_t n = 0;
        while (digit > text && digit[-1] >= '0' && digit[-1] <= '9')
            digit--;
        for (const char *c = digit; c < end && n <= UINT32_MAX; c++)
            n = 10 * n + (uint64_t)(*c - '0');
        if (digit == end || n >= UINT32_MAX || digit == text || digit[-1] != ':')
            return 0;
        numbers[i] = (uint32_t)n;
        end = digit - 1;
    }
    *at = (struct location){0, numbers[1], numbers[0]};
    return (uint32_t)(end - text);
}

static const char *last_call(const char *text, const char *end)
{
    while (end - text >= 4 && memcmp(end - 4, " @[ ", 4))
        end--;
    return end - text >= 4 ? end : NULL;
}

/* Adds the calls that a comment lists, from the outermost (the last one) to the call of this line's function. Returns
 * the number of the latter. join_debug_info adds the names of functions and the numbers of files. */
static uint32_t calls_of_comment(struct parser *p, const char *text, const char *end)
{
    uint32_t around = 0;
    for (const char *from; (from = last_call(text, end)); end = from - 4) {
        struct location at;
        const char *stop = end;
        while (stop - from >= 2 && !memcmp(stop - 2, " ]", 2))
            stop -= 2;
        uint32_t length = comment_location(from, stop, &at);
        if (!length)
            return 0;
        uint64_t location[3], hash = 0;
        for (uint32_t i = 0; i < length; i++)
            hash = mixed(hash, (unsigned char)from[i]);
        key_of(p, at, location);
        struct ptx_inlined call = {.line = at.line,
                                   .column = at.column,
                                   .inlined = around,
                                   .address = code_address(p, p->function ? p->function->body.count : 0)};
        around = add_call(p, location, mixed(hash, p->debug.functions.count), &call);
    }
    return around;
}

/* Finds the calls in the comment that ends the line of `at`. */
static uint32_t comment_of_loc(struct parser *p, uint32_t at)
{
    const char *text = p->src->text + at, *end = text + strcspn(text, "\n");
    const char *comment = memmem(text, (size_t)(end - text), "//", 2);
    if (!comment)
        return 0;
    while (end > comment && (unsigned char)end[-1] <= ' ')
        end--;
    return calls_of_comment(p, comment + 2, end);
}

/* Parses .loc FILE LINE COLUMN [, function_name LABEL [+ N], inlined_at FILE LINE COLUMN].
 *
 * Line 0 marks code that belongs to no line of the source, such as code that clang moves out of a loop. It keeps the
 * source location before it. */
void parse_loc(struct parser *p)
{
    uint32_t start = p->tok.at;
    struct location here = parse_location(p), at = {0};
    struct ptx_inlined call = {0};
    bool inlined = false;
    uint64_t key[3];
    while (take_punct(p, ',')) {
        struct token t = expect_name(p, "function_name or inlined_at");
        if (token_is(&t, "function_name")) {
            parse_function_name(p, &call);
        } else if (token_is(&t, "inlined_at")) {
            at = parse_location(p);
            inlined = true;
        } else
            ptx_error(p->src, t.at, "function_name or inlined_at belongs here");
    }
    uint32_t chain = inlined && call.label ? inlined_call(p, at, &call) : comment_of_loc(p, start);
    p->debug.locs_have_calls |= chain > 0;
    key_of(p, here, key);
    enter(p, key, chain + 1);
    p->loc_keeps_line = !here.line && p->loc_line;
    if (p->loc_keeps_line)
        return;
    p->loc_file = here.file;
    p->loc_line = here.line;
    p->loc_inlined = chain;
}
