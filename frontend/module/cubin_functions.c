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

/* Which kernels, functions and data need the address of which function: the first relocation of each kernel or function
 * (data comes after them), and for each relocation the next one. Numbers count from 1. */
struct wishes {
    uint32_t *first, *next, *to, *stack;
};
static uint32_t number_of(struct cubin_file *f, uint32_t section)
{
    const struct cubin_kernel *k = section ? cubin_kernel_of_section(f, section) : NULL;
    return k ? (uint32_t)(k - f->cubin->kernels) : f->cubin->kernel_count;
}
static struct wishes read_wishes(struct cubin_file *f)
{
    const struct cubin *c = f->cubin;
    struct wishes w = {
        ARENA_ARRAY(f->arena, uint32_t, c->kernel_count + 1), ARENA_ARRAY(f->arena, uint32_t, c->relocation_count + 1),
        ARENA_ARRAY(f->arena, uint32_t, c->relocation_count + 1), ARENA_ARRAY(f->arena, uint32_t, c->kernel_count + 1)};
    for (uint32_t i = 0; i < c->relocation_count; i++) {
        uint32_t from = number_of(f, c->relocations[i].section), to = number_of(f, c->relocations[i].target);
        if (to == c->kernel_count || c->kernels[to].entry)
            continue;
        w.to[i + 1] = to;
        w.next[i + 1] = w.first[from];
        w.first[from] = i + 1;
    }
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

/* Finds what kernel k calls, directly or not, and what data points to, which any kernel may call. */
static void find_reached(const struct cubin *c, const struct wishes *w, uint32_t k, bool *reached)
{
    uint32_t depth = follow(w, k, reached, follow(w, c->kernel_count, reached, 0));
    while (depth) {
        uint32_t at = w->stack[depth - 1];
        depth = follow(w, at, reached, depth - 1);
    }
}

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
            find_reached(c, &w, k, reached);
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
