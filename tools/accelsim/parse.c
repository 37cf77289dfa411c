#include "tools/accelsim/parse.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLDEST_TRACER 2
#define NEWEST_TRACER 5

struct walk {
    struct source *source;
    const struct accelsim_visitor *visit;
    void *data;
    struct rp_error *err;
    struct accelsim_header header;
    struct accelsim_instruction in;
    char *fixed; /* buffer for the key of an instruction */
    size_t fixed_room;
    bool in_block, in_warp;
    uint32_t warp, announced, seen; /* announced: instructions by the warp's head; seen: read so far */
    uint64_t warps;                 /* warps read, of the first 64 of the block: a bit each */
};

bool accelsim_fail(const struct source *s, struct rp_error *err, const char *format, ...)
{
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if (!isprint((unsigned char)*c))
            *c = '?';
    return rp_fail(err, RP_BAD_INPUT, "%s:%" PRIu64 ": %s", source_path(s), source_number(s), text);
}

#define FAIL(w, ...) accelsim_fail((w)->source, (w)->err, __VA_ARGS__)

/* ---- the header -------------------------------------------------------------------------------------------------- */

static bool begins(const char *line, const char *with, const char **rest)
{
    size_t n = strlen(with);
    if (strncmp(line, with, n))
        return false;
    *rest = line + n;
    return true;
}

static bool read_number(struct walk *w, const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 0);
    if (end == text || *text == '-' || n > most)
        return FAIL(w, "'%.40s' is not a number from 0 to %" PRIu64, text, most);
    *value = n;
    return true;
}

static bool read_32(struct walk *w, const char *text, uint32_t *value)
{
    uint64_t n = 0;
    if (!read_number(w, text, UINT32_MAX, &n))
        return false;
    *value = (uint32_t)n;
    return true;
}

static bool read_three(struct walk *w, const char *text, uint32_t value[3])
{
    int used = 0;
    if (sscanf(text, "(%" SCNu32 ",%" SCNu32 ",%" SCNu32 ")%n", &value[0], &value[1], &value[2], &used) == 3 && used)
        return true;
    return FAIL(w, "'%.40s' is not of the form (x,y,z)", text);
}

static bool header_line(struct walk *w, const char *line)
{
    struct accelsim_header *h = &w->header;
    const char *rest;
    uint64_t n = 0;
    if (begins(line, "-kernel name = ", &rest))
        snprintf(h->name, sizeof h->name, "%s", rest);
    else if (begins(line, "-grid dim = ", &rest))
        return read_three(w, rest, h->grid);
    else if (begins(line, "-block dim = ", &rest))
        return read_three(w, rest, h->block);
    else if (begins(line, "-shmem = ", &rest))
        return read_32(w, rest, &h->shared);
    else if (begins(line, "-nregs = ", &rest))
        return read_32(w, rest, &h->registers);
    else if (begins(line, "-binary version = ", &rest))
        return read_32(w, rest, &h->binary);
    else if (begins(line, "-cuda stream id = ", &rest))
        return read_number(w, rest, UINT64_MAX, &h->stream);
    else if (begins(line, "-shmem base_addr = ", &rest))
        return read_number(w, rest, UINT64_MAX, &h->shared_base);
    else if (begins(line, "-local mem base_addr = ", &rest))
        return read_number(w, rest, UINT64_MAX, &h->local_base);
    else if (begins(line, "-nvbit version = ", &rest))
        snprintf(h->nvbit, sizeof h->nvbit, "%s", rest);
    else if (begins(line, "-accelsim tracer version = ", &rest))
        return read_32(w, rest, &h->tracer);
    else if (begins(line, "-enable lineinfo = ", &rest)) {
        if (!read_number(w, rest, 1, &n))
            return false;
        h->lines = n;
    }
    return true; /* other keys are ignored */
}

static bool check_header(struct walk *w)
{
    const struct accelsim_header *h = &w->header;
    uint64_t threads = (uint64_t)h->block[0] * h->block[1] * h->block[2];
    if (!h->tracer)
        return FAIL(w, "the header has no line '-accelsim tracer version'; is this a kernel's trace of Accel-Sim?");
    if (h->tracer < OLDEST_TRACER || h->tracer > NEWEST_TRACER)
        return FAIL(w, "it is of tracer version %" PRIu32 "; versions %d to %d are known", h->tracer, OLDEST_TRACER,
                    NEWEST_TRACER);
    if (!*h->name)
        return FAIL(w, "the header has no name ('-kernel name')");
    if (!h->grid[0] || !h->grid[1] || !h->grid[2])
        return FAIL(w, "the header has no grid ('-grid dim')");
    if (!threads || threads > 1024 || h->block[0] > 1024 || h->block[1] > 1024)
        return FAIL(w, "the header has no block of 1 to 1024 threads ('-block dim')");
    return !w->visit->header || w->visit->header(w->data, h, w->err);
}

/* Reads up to the line with the format of instructions. */
static bool read_header(struct walk *w)
{
    char *line;
    for (;;) {
        int more = source_line(w->source, &line, w->err);
        if (more < 0)
            return false;
        if (!more)
            return FAIL(w, "the file ends in its header; it was cut short, or is no kernel's trace of Accel-Sim");
        if (*line == '#') {
            w->in_block = !strncmp(line, "#BEGIN_TB", 9); /* packed files may lack the line */
            return check_header(w);
        }
        if (*line && *line != '-')
            return FAIL(w, "'%.40s' is no line of a header ('-key = value'); is this a kernel's trace of Accel-Sim?",
                        line);
        if (!header_line(w, line))
            return false;
    }
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* The next word, with a NUL after it; *at: the text after that. "": the end. */
static char *word(char **at)
{
    char *p = *at;
    while (*p == ' ' || *p == '\t')
        p++;
    char *from = p;
    while (*p && *p != ' ' && *p != '\t')
        p++;
    if (*p)
        *p++ = 0;
    *at = p;
    return from;
}

static bool hexadecimal(struct walk *w, char **at, const char *what, uint64_t *value)
{
    char *text = word(at), *p = text;
    uint64_t n = 0;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        p += 2;
    char *first = p;
    for (; isxdigit((unsigned char)*p) && p - first < 16; p++)
        n = n << 4 | (uint64_t)(*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
    if (p == first || *p)
        return FAIL(w, *text ? "'%.40s' is no %s" : "the line ends where its %s should be%s", *text ? text : what,
                    *text ? what : "");
    *value = n;
    return true;
}

static bool decimal(struct walk *w, char **at, const char *what, int64_t *value)
{
    char *text = word(at), *p = text;
    bool negative = *p == '-';
    uint64_t n = 0;
    p += negative;
    char *first = p;
    for (; isdigit((unsigned char)*p) && p - first < 18; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    if (p == first || *p)
        return FAIL(w, *text ? "'%.40s' is no %s" : "the line ends where its %s should be%s", *text ? text : what,
                    *text ? what : "");
    *value = negative ? -(int64_t)n : (int64_t)n;
    return true;
}

/* Reads R7, UR4, P0 or UP1; R255 and other zero registers like any other. */
static bool read_register(struct walk *w, char **at, rp_register *r)
{
    const char *text = word(at), *p = text;
    bool uniform = *p == 'U';
    p += uniform;
    bool predicate = *p == 'P';
    if (*p != 'R' && *p != 'P')
        return FAIL(w, "'%.40s' is no register", text);
    char *end;
    unsigned long n = isdigit((unsigned char)p[1]) ? strtoul(p + 1, &end, 10) : (end = (char *)text, 0);
    if (end == text || *end || n > 0xfffffe)
        return FAIL(w, "'%.40s' is no register", text);
    unsigned file = uniform ? (predicate ? RP_FILE_UNIFORM_PREDICATE : RP_FILE_UNIFORM)
                            : (predicate ? RP_FILE_PREDICATE : RP_FILE_GENERAL);
    *r = file == RP_FILE_GENERAL && n == 255 ? RP_REGISTER_ZERO : RP_REGISTER(file, n, 1);
    return true;
}

static bool read_registers(struct walk *w, char **at, rp_register *list, uint32_t *count)
{
    int64_t n = 0;
    if (!decimal(w, at, "number of registers", &n))
        return false;
    if (n < 0 || n > ACCELSIM_REGISTERS)
        return FAIL(w, "%" PRId64 " registers; an instruction has at most %d", n, ACCELSIM_REGISTERS);
    *count = (uint32_t)n;
    for (uint32_t i = 0; i < *count; i++)
        if (!read_register(w, at, &list[i]))
            return false;
    return true;
}

enum { MODE_LIST, MODE_STRIDE, MODE_DELTA };

static bool read_list(struct walk *w, char **at)
{
    for (rp_lanemask m = w->in.mask; m; m &= m - 1)
        if (!hexadecimal(w, at, "address", &w->in.address[__builtin_ctz(m)]))
            return false;
    return true;
}

static bool read_from_base(struct walk *w, char **at, int64_t mode)
{
    uint64_t address = 0;
    int64_t step = 0;
    rp_lanemask m = w->in.mask;
    if (!hexadecimal(w, at, "address", &address) || (mode == MODE_STRIDE && !decimal(w, at, "stride", &step)))
        return false;
    if (mode == MODE_STRIDE && m) {
        rp_lanemask run = m >> __builtin_ctz(m);
        if (run & (run + 1))
            return FAIL(w, "base and stride for lanes that are not neighbours (mask %08" PRIx32 ")", m);
    }
    for (bool first = true; m; m &= m - 1, first = false) {
        if (!first && mode == MODE_DELTA && !decimal(w, at, "difference of addresses", &step))
            return false;
        address += first ? 0 : (uint64_t)step;
        w->in.address[__builtin_ctz(m)] = address;
    }
    return true;
}

static bool read_addresses(struct walk *w, char **at)
{
    int64_t mode = 0;
    if (!decimal(w, at, "way of addresses", &mode))
        return false;
    if (mode == MODE_LIST)
        return read_list(w, at);
    if (mode == MODE_STRIDE || mode == MODE_DELTA)
        return read_from_base(w, at, mode);
    return FAIL(w, "addresses in way %" PRId64 "; 0 (list), 1 (stride) and 2 (deltas) are known", mode);
}

static bool is_bulk(const char *opcode) { return !strncmp(opcode, "UTMA", 4) || !strncmp(opcode, "UBLK", 4); }

static unsigned words_left(const char *at)
{
    unsigned n = 0;
    for (; *at; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t");
        n += length != 0;
        at += length;
    }
    return n;
}

static const char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = 0;
    return text;
}

static bool read_width(struct walk *w, char **at)
{
    int64_t width = 0;
    struct accelsim_instruction *in = &w->in;
    if (strstr(in->opcode, "GMMA") && words_left(*at) > 2)
        word(at); /* skips a flag: whether the product ends its group */
    if (!decimal(w, at, "width", &width))
        return false;
    if (width < 0 || width > 1024)
        return FAIL(w, "an access of %" PRId64 " bytes per lane", width);
    in->bulk = is_bulk(in->opcode);
    in->width = in->bulk ? 0 : (uint32_t)width;
    return true;
}

/* Makes the key of an instruction: line, pc, the text from the registers to the width, and the text after the
 * addresses. */
static bool make_key(struct walk *w, const char *registers, size_t size)
{
    struct accelsim_instruction *in = &w->in;
    size_t more = strlen(in->more), room = 64 + size + more;
    if (room > w->fixed_room) {
        char *larger = realloc(w->fixed, room * 2);
        if (!larger)
            return rp_fail(w->err, RP_SYSTEM, "%s: out of memory", source_path(w->source));
        w->fixed = larger;
        w->fixed_room = room * 2;
    }
    memcpy(w->fixed, &in->pc, 8);
    memcpy(w->fixed + 8, &in->line, 4);
    memcpy(w->fixed + 12, registers, size);
    memcpy(w->fixed + 12 + size, in->more, more);
    in->fixed = w->fixed;
    in->fixed_size = 12 + size + more;
    return true;
}

static bool instruction(struct walk *w, char *line)
{
    struct accelsim_instruction *in = &w->in;
    char *at = line;
    int64_t n = 0;
    uint64_t mask = 0;
    for (int i = 0; w->header.tracer < 3 && i < 4; i++)
        if (!decimal(w, &at, "number of a block or warp", &n))
            return false;
    in->line = 0;
    if (w->header.lines) {
        if (!decimal(w, &at, "line number", &n))
            return false;
        in->line = n > 0 && n <= UINT32_MAX ? (uint32_t)n : 0;
    }
    if (!hexadecimal(w, &at, "program counter", &in->pc) || !hexadecimal(w, &at, "mask", &mask))
        return false;
    if (mask > UINT32_MAX)
        return FAIL(w, "a mask of more than 32 lanes");
    in->mask = (rp_lanemask)mask;
    const char *registers = at;
    if (!read_registers(w, &at, in->dst, &in->dst_count))
        return false;
    in->opcode = word(&at);
    if (!*in->opcode)
        return FAIL(w, "the line ends where its opcode should be");
    if (!isalpha((unsigned char)*in->opcode))
        return FAIL(w, "'%.40s' is no opcode", in->opcode);
    if (!read_registers(w, &at, in->src, &in->src_count) || !read_width(w, &at))
        return false;
    size_t size = (size_t)(at - registers);
    if (in->width && !read_addresses(w, &at))
        return false;
    in->more = in->bulk ? "" : trimmed(at);
    return make_key(w, registers, size) && (!w->visit->instruction || w->visit->instruction(w->data, in, w->err));
}

/* ---- blocks and warps -------------------------------------------------------------------------------------------- */

static bool end_warp(struct walk *w)
{
    if (w->in_warp && w->seen != w->announced)
        return FAIL(w, "warp %" PRIu32 " says %" PRIu32 " instructions and has %" PRIu32 "; was the file cut short?",
                    w->warp, w->announced, w->seen);
    w->in_warp = false;
    return true;
}

static bool begin_block(struct walk *w, const char *text)
{
    uint32_t index[3];
    if (sscanf(text, "%" SCNu32 ",%" SCNu32 ",%" SCNu32, &index[0], &index[1], &index[2]) != 3)
        return FAIL(w, "'%.40s' is not of the form x,y,z", text);
    for (int i = 0; i < 3; i++)
        if (index[i] >= w->header.grid[i])
            return FAIL(w, "the block is outside of the grid");
    w->warps = 0;
    return !w->visit->block || w->visit->block(w->data, index, w->err);
}

static bool begin_warp(struct walk *w, const char *text)
{
    uint32_t threads = w->header.block[0] * w->header.block[1] * w->header.block[2];
    if (!end_warp(w) || !read_32(w, text, &w->warp))
        return false;
    if (w->warp >= (threads + RP_WARP_LANES - 1) / RP_WARP_LANES)
        return FAIL(w, "warp %" PRIu32 ", but the block has %" PRIu32 " threads", w->warp, threads);
    if (w->warps >> w->warp & 1)
        return FAIL(w, "warp %" PRIu32 " was there before", w->warp);
    w->warps |= 1ull << w->warp;
    w->in_warp = true;
    w->announced = w->seen = 0;
    return !w->visit->warp || w->visit->warp(w->data, w->warp, w->err);
}

static bool end_block(struct walk *w)
{
    w->in_block = false;
    return end_warp(w) && (!w->visit->block_end || w->visit->block_end(w->data, w->err));
}

static bool body_line(struct walk *w, char *line)
{
    const char *rest;
    if (!*line)
        return true;
    if (begins(line, "#BEGIN_TB", &rest)) {
        if (w->in_block)
            return FAIL(w, "a block begins in another one");
        return w->in_block = true;
    }
    if (*line == '#' && !begins(line, "#END_TB", &rest))
        return true;
    if (!w->in_block)
        return FAIL(w, "'%.40s' stands outside of a block", line);
    if (*line == '#')
        return end_block(w);
    if (begins(line, "thread block = ", &rest))
        return begin_block(w, rest);
    if (begins(line, "warp = ", &rest))
        return begin_warp(w, rest);
    if (begins(line, "insts = ", &rest))
        return read_32(w, rest, &w->announced);
    if (begins(line, "cluster ", &rest))
        return true;
    if (!w->in_warp)
        return FAIL(w, "'%.40s' stands outside of a warp", line);
    w->seen++;
    return instruction(w, line);
}

bool accelsim_walk(struct source *source, const struct accelsim_visitor *visit, void *data, struct rp_error *err)
{
    struct walk w = {.source = source, .visit = visit, .data = data, .err = err};
    char *line;
    int more = 0;
    bool fine = read_header(&w);
    while (fine && (more = source_line(source, &line, err)) > 0)
        fine = body_line(&w, line);
    if (fine && !more && w.in_block)
        fine = FAIL(&w, "the file ends in a block; it was cut short");
    free(w.fixed);
    return fine && more >= 0;
}
