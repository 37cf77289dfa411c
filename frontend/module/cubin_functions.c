/* Device functions in sections of their own, as ptxas -g leaves them; without -g it copies them into each kernel that
 * calls them. They get addresses after the longest kernel, the same for all kernels because a pointer to a function is
 * data. A kernel's image extends from its code to the last function that it can reach. */
#include <string.h>

#include "frontend/module/cubin_file.h"

enum { BUNDLE = 32, IMAGES = 256 << 20 /* limit of the bytes of all images and lines of a file together */ };

/* False when the functions do not fit behind each other. */
static bool place(struct cubin *c, bool *any)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < c->kernel_count; k++)
        if (c->kernels[k].entry && c->kernels[k].code.size > at)
            at = c->kernels[k].code.size;
    for (uint32_t k = 0; k < c->kernel_count; k++)
        if (!c->kernels[k].entry) {
            c->kernels[k].base = (uint32_t)at;
            at += c->kernels[k].code.size;
            *any = true;
        }
    return at <= IMAGES;
}

/* ---- calls in code ----------------------------------------------------------------------------------------------
 * Opcodes: JCAL, JMX and BRX of sm_50 to sm_62 in the highest 12 bits of a word; CALL.ABS and CALL.REL of sm_70 and
 * later in the lowest 12, where a register, a uniform register (bit 91) or a constant may give the address. */

static uint32_t word_bytes(const struct cubin *c) { return c->sm < 70 ? 8 : 16; }

/* Whether the word calls a function that it names. */
static bool calls_by_name(const struct cubin *c, const uint8_t *word)
{
    enum { JCAL = 0xe22, CALL_ABS = 0x943, CALL_REL = 0x944 };
    uint32_t wide = le16(word) & 0xfffu;
    return c->sm < 70 ? le64(word) >> 52 == JCAL : wide == CALL_ABS || wide == CALL_REL;
}

/* Whether the file lists where the indirect branch at this offset goes: then it is a switch, and no call. */
static bool is_listed(const struct cubin_kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->branch_count; i++)
        if (k->branches[i].offset == offset && k->branches[i].count)
            return true;
    return false;
}

static bool is_indirect_call(const struct cubin *c, const struct cubin_kernel *k, uint32_t offset)
{
    enum { JMX = 0xe20, BRX = 0xe25, BY_REGISTER_ABS = 0x343, BY_REGISTER_REL = 0x344, BY_CONSTANT = 0xb43 };
    const uint8_t *word = k->code.at + offset;
    if (c->sm < 70) {
        uint64_t opcode = le64(word) >> 52;
        return (opcode == JMX || opcode == BRX) && !is_listed(k, offset);
    }
    uint32_t opcode = le16(word) & 0xfffu;
    bool uniform = word[91 / 8] >> 91 % 8 & 1;
    return opcode == BY_REGISTER_ABS || opcode == BY_REGISTER_REL || opcode == BY_CONSTANT ||
           (uniform && calls_by_name(c, word));
}

static bool calls_by_pointer(const struct cubin *c, const struct cubin_kernel *k)
{
    for (uint32_t at = 0; at + word_bytes(c) <= k->code.size; at += word_bytes(c))
        if (is_indirect_call(c, k, at))
            return true;
    return false;
}

/* ---- what a kernel can reach -------------------------------------------------------------------------------------
 */

/* A graph: an edge leads from a kernel, a function, the data or the pointers that code makes to a function whose
 * address it needs. `first` has the first edge of each node, `next` the edge after an edge, `to` where it leads. Edges
 * count from 1. */
struct wishes {
    uint32_t *first, *next, *to, *stack, count;
    uint32_t data, pointers; /* what comes after the kernels and functions */
    bool *by_pointer;        /* by kernel or function: it calls through pointers */
};
static uint32_t number_of(struct cubin_file *f, uint32_t section)
{
    const struct cubin_kernel *k = section ? cubin_kernel_of_section(f, section) : NULL;
    return k ? (uint32_t)(k - f->cubin->kernels) : f->cubin->kernel_count;
}

static void add_edge(struct wishes *w, uint32_t from, uint32_t to)
{
    w->to[++w->count] = to;
    w->next[w->count] = w->first[from];
    w->first[from] = w->count;
}

/* Whether the relocation makes a pointer to the function: it is no call, and not the address of code within, to which
 * a call of its own returns. */
static bool makes_pointer(const struct cubin *c, const struct cubin_relocation *r)
{
    bool begins = !r->value && (!r->explicit_addend || !r->addend);
    bool whole = r->offset % word_bytes(c) == 0 && r->in.size - r->offset >= word_bytes(c);
    return (r->section != r->target || begins) && !(whole && calls_by_name(c, r->in.at + r->offset));
}

static struct wishes read_wishes(struct cubin_file *f)
{
    const struct cubin *c = f->cubin;
    const size_t edges = 2 * (size_t)c->relocation_count + 1;
    struct wishes w = {.first = ARENA_ARRAY(f->arena, uint32_t, c->kernel_count + 2),
                       .next = ARENA_ARRAY(f->arena, uint32_t, edges),
                       .to = ARENA_ARRAY(f->arena, uint32_t, edges),
                       .stack = ARENA_ARRAY(f->arena, uint32_t, c->kernel_count + 1),
                       .data = c->kernel_count,
                       .pointers = c->kernel_count + 1,
                       .by_pointer = ARENA_ARRAY(f->arena, bool, c->kernel_count + 1)};
    for (uint32_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *r = &c->relocations[i];
        uint32_t from = number_of(f, r->section), to = number_of(f, r->target);
        if (to == c->kernel_count || c->kernels[to].entry)
            continue;
        add_edge(&w, from, to);
        if (from != w.data && makes_pointer(c, r))
            add_edge(&w, w.pointers, to);
    }
    for (uint32_t k = 0; w.first[w.pointers] && k < c->kernel_count; k++)
        w.by_pointer[k] = calls_by_pointer(c, &c->kernels[k]);
    return w;
}

/* Marks and stacks the functions that `at` needs and that are not reached yet; returns the new depth of the stack. */
static uint32_t follow(const struct wishes *w, uint32_t at, bool *reached, uint32_t depth)
{
    for (uint32_t i = w->first[at]; i; i = w->next[i])
        if (!reached[w->to[i]]) {
            reached[w->to[i]] = true;
            w->stack[depth++] = w->to[i];
        }
    return depth;
}

/* The same for all that a kernel or function can call. */
static uint32_t follow_calls(const struct wishes *w, uint32_t at, bool *reached, uint32_t depth)
{
    depth = follow(w, at, reached, depth);
    return w->by_pointer[at] ? follow(w, w->pointers, reached, depth) : depth;
}

/* Finds what kernel k calls, directly or not: by name, by pointers that any code of the file makes, and what data
 * points to, which any kernel may call. */
static void find_reached(const struct wishes *w, uint32_t k, bool *reached)
{
    uint32_t depth = follow_calls(w, k, reached, follow(w, w->data, reached, 0));
    while (depth) {
        uint32_t at = w->stack[depth - 1];
        depth = follow_calls(w, at, reached, depth - 1);
    }
}

/* ---- images ------------------------------------------------------------------------------------------------------
 */

/* Lines of the functions behind the kernel's own. */
static void join_lines(struct cubin_file *f, struct cubin_kernel *k, uint32_t all)
{
    struct cubin_line *lines = ARENA_ARRAY(f->arena, struct cubin_line, all + 1);
    if (k->line_count)
        memcpy(lines, k->lines, k->line_count * sizeof *lines);
    uint32_t count = k->line_count;
    for (uint32_t p = 0; p < k->part_count; p++)
        for (uint32_t i = 0; i < k->parts[p]->line_count; i++) {
            lines[count] = k->parts[p]->lines[i];
            lines[count++].offset += k->parts[p]->base;
        }
    k->lines = lines;
    k->line_count = count;
}

/* Adds a function's registers and frame to the kernel's: ptxas 12.9 does not count them. */
static void add_part(struct cubin_kernel *k, struct cubin_kernel *part)
{
    k->parts[k->part_count++] = part;
    k->image.size = part->base + part->code.size;
    k->callee_bytes += part->frame_bytes;
    k->registers = part->registers > k->registers ? part->registers : k->registers;
    k->barriers = part->barriers > k->barriers ? part->barriers : k->barriers;
}

/* Takes the bytes of the image and its lines from `room`; false when that is too little. */
static bool make_image(struct cubin_file *f, struct cubin_kernel *k, const bool *reached, uint64_t *room)
{
    struct cubin *c = f->cubin;
    uint64_t lines = k->line_count;
    k->parts = ARENA_ARRAY(f->arena, struct cubin_kernel *, c->kernel_count);
    for (uint32_t p = 0; p < c->kernel_count; p++)
        if (reached[p]) {
            add_part(k, &c->kernels[p]);
            lines += c->kernels[p].line_count;
        }
    uint64_t need = k->image.size + lines * sizeof *k->lines;
    if (!k->part_count)
        return true;
    if (need > *room)
        return false;
    *room -= need;
    k->image.at = arena_alloc(f->arena, k->image.size);
    join_lines(f, k, (uint32_t)lines);
    return true;
}

bool cubin_place_functions(struct cubin_file *f)
{
    struct cubin *c = f->cubin;
    bool any = false;
    uint64_t room = IMAGES;
    for (uint32_t k = 0; k < c->kernel_count; k++)
        c->kernels[k].image = c->kernels[k].code;
    if (c->relocatable)
        return true;
    bool fits = place(c, &any);
    if (!any)
        return true;
    struct wishes w = read_wishes(f);
    bool *reached = ARENA_ARRAY(f->arena, bool, c->kernel_count);
    for (uint32_t k = 0; fits && k < c->kernel_count; k++)
        if (c->kernels[k].entry) {
            memset(reached, 0, c->kernel_count * sizeof *reached);
            find_reached(&w, k, reached);
            fits = make_image(f, &c->kernels[k], reached, &room);
        }
    return fits || cubin_bad(f, ".text", "kernels and their functions need more than %u bytes", (unsigned)IMAGES);
}

void cubin_join_functions(struct cubin *c)
{
    /* NOPs, with which ptxas pads code: a bundle, or two words of sm_70 and later */
    static const uint64_t gaps[2][BUNDLE / 8] = {
        {0x001f8000fc0007e0, 0x50b0000000070f00, 0x50b0000000070f00, 0x50b0000000070f00},
        {0x7918, 0x000fc00000000000, 0x7918, 0x000fc00000000000}};
    const uint64_t *gap = gaps[c->sm >= 70];
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        struct cubin_kernel *k = &c->kernels[i];
        if (!k->part_count)
            continue;
        for (uint32_t at = 0; at < k->image.size; at += 8) {
            put32(k->image.at + at, (uint32_t)gap[at / 8 % 4]);
            put32(k->image.at + at + 4, (uint32_t)(gap[at / 8 % 4] >> 32));
        }
        memcpy(k->image.at, k->code.at, k->code.size);
        for (uint32_t p = 0; p < k->part_count; p++)
            if (k->parts[p]->code.size)
                memcpy(k->image.at + k->parts[p]->base, k->parts[p]->code.at, k->parts[p]->code.size);
    }
}
