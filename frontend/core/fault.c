/* Fault reports. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "frontend/core/engine.h"
#include "tracefmt/error.h"
#include "tracefmt/plural.h"

static const char *const titles[] = {
    [RP_FAULT_NONE] = "no fault",
    [RP_FAULT_BOUNDS] = "out of bounds",
    [RP_FAULT_MISALIGNED] = "misaligned address",
    [RP_FAULT_READ_ONLY] = "store to read-only memory",
    [RP_FAULT_BARRIER] = "barrier never completed",
    [RP_FAULT_DEADLOCK] = "deadlock",
    [RP_FAULT_STACK] = "stack exhausted",
    [RP_FAULT_LIMIT] = "instruction limit reached",
    [RP_FAULT_TRAP] = "trap",
    [RP_FAULT_ASSERT] = "assertion failed",
    [RP_FAULT_BAD_CALL] = "bad jump",
    [RP_FAULT_SYNC] = "bad synchronisation",
    [RP_FAULT_FREE] = "bad free",
    [RP_FAULT_LIVELOCK] = "livelock",
    [RP_FAULT_TEXTURE] = "bad texture",
    [RP_FAULT_INTERRUPTED] = "interrupted",
};

void block_fault(struct warp_state *s, const struct uop *u, enum rp_fault_kind kind, unsigned lane, const char *detail,
                 ...)
{
    struct block *b = s->w.block;
    if (b->faulted)
        return;
    b->faulted = true;
    b->fault = (struct fault){.kind = kind, .instruction = u->index, .warp = s->w.id, .lane = lane};
    va_list args;
    va_start(args, detail);
    vsnprintf(b->fault.detail, sizeof b->fault.detail, detail, args);
    va_end(args);
}

/* The join behind the call that the lane's function was entered by; 0: it is in the kernel. */
static uint32_t call_of(const struct warp_state *s, unsigned lane)
{
    if (s->w.active >> lane & 1)
        return s->call;
    for (uint32_t i = 0; i < s->split_count; i++)
        if (s->splits[i].lanes >> lane & 1)
            return s->splits[i].call;
    return 0;
}

void block_callers(const struct block *b, uint32_t warp, unsigned lane, struct callers *to)
{
    const struct warp_state *s = &b->warps[warp];
    to->count = 0;
    for (uint32_t i = call_of(s, lane); i && to->count < MOST_CALLERS; i = s->joins[i].call)
        to->at[to->count++] = s->joins[i].pc[-1].index; /* lanes go on behind the call */
}

const char *rp_fault_title(enum rp_fault_kind kind) { return titles[kind]; }

void block_no_memory(struct block *b) { b->faulted = b->no_memory = true; }

static const char *access_name(const struct fault *f)
{
    switch (f->access) {
    case RP_ACCESS_LOAD: return "load";
    case RP_ACCESS_STORE: return "store";
    default: return "atomic";
    }
}

int describe_source(const struct rp_kernel *k, const struct rp_instruction *in, char *text, size_t size)
{
    bool named = in->file < k->file_count;
    int n = snprintf(text, size, named ? " (%s:%u" : " (%s %u", named ? k->files[in->file] : "line", in->line);
    uint32_t call = in->inlined;
    for (unsigned i = 0; i < 2 && call && n > 0 && (size_t)n < size; i++) {
        const struct rp_inlined_call *c = &k->inlined[call - 1];
        n += snprintf(text + n, size - (size_t)n, ", in %s at %s:%u", c->function, k->files[c->file], c->line);
        call = c->inlined;
    }
    return n > 0 && (size_t)n < size ? n + snprintf(text + n, size - (size_t)n, ")") : n;
}

static void place(const struct block *b, char *text, size_t size)
{
    const struct rp_kernel *k = &b->program->kernel;
    const struct fault *f = &b->fault;
    const struct rp_instruction *in = &k->instructions[f->instruction];
    const uint32_t *tid[3] = {b->warps[f->warp].w.tid[0], b->warps[f->warp].w.tid[1], b->warps[f->warp].w.tid[2]};
    int n = snprintf(text, size, "at '%s'", in->text ? in->text : "?");
    if (in->raw_size && n > 0 && (size_t)n < size) /* machine code: the same text may occur many times */
        n += snprintf(text + n, size - (size_t)n, " (address 0x%" PRIx64 ")", in->pc);
    if (in->line && n > 0 && (size_t)n < size)
        n += describe_source(k, in, text + n, size - (size_t)n);
    if (n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", block (%u,%u,%u), thread (%u,%u,%u)", b->ctaid[0], b->ctaid[1],
                 b->ctaid[2], tid[0][f->lane], tid[1][f->lane], tid[2][f->lane]);
}

void fault_report(const struct block *b, struct rp_error *err)
{
    const struct fault *f = &b->fault;
    char where[600];
    place(b, where, sizeof where);
    if (f->size)
        rp_fail(err, RP_KERNEL, "kernel '%s': %s: %s of %u byte%s at 0x%" PRIx64 " in %s memory, %s; %s",
                b->program->name, titles[f->kind], access_name(f), f->size, rp_plural(f->size), f->address,
                rp_space_name((enum rp_space)f->space), f->detail, where);
    else
        rp_fail(err, RP_KERNEL, "kernel '%s': %s: %s; %s", b->program->name, titles[f->kind], f->detail, where);
}
