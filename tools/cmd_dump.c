/* reprise dump: what one warp did, an instruction a line. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tracefmt/reader.h"

struct dump {
    const char *file, *block_text;
    uint64_t launch, warp, limit;
    uint64_t block;
    struct rp_trace *trace;
};

static const struct argp_option options[] = {
    {"launch", 'l', "N", 0, "Launch, from 0 (default 0)", 0},
    {"block", 'b', "N|X,Y,Z", 0, "Block, as linear index (x fastest) or as coordinates (default 0)", 0},
    {"warp", 'w', "N", 0, "Warp within the block (default 0)", 0},
    {"limit", 'n', "N", 0, "Stop after N instructions (default: none)", 0},
    {0},
};

static uint64_t number(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 0);
    if (errno || end == text || *end || *text == '-')
        argp_error(state, "--%s: '%s' is not a number", option, text);
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct dump *d = state->input;
    switch (key) {
    case 'l': d->launch = number(state, "launch", arg); return 0;
    case 'b': d->block_text = arg; return 0;
    case 'w': d->warp = number(state, "warp", arg); return 0;
    case 'n': d->limit = number(state, "limit", arg); return 0;
    case ARGP_KEY_ARG:
        if (d->file)
            argp_error(state, "one trace at a time: '%s' is one too many", arg);
        d->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!d->file)
            argp_error(state, "which trace? Example: reprise dump mm.wtr --launch 0 --block 0 --warp 0");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* "7" or "3,1" or "3,1,0" to a linear index. */
static bool parse_block(struct dump *d, const struct rp_launch *l, struct rp_error *err)
{
    uint64_t at[3] = {0};
    int count = 0;
    const char *p = d->block_text;
    for (char *end; p && count < 3; p = *end == ',' ? end + 1 : NULL) {
        errno = 0;
        at[count++] = strtoull(p, &end, 0);
        if (errno || end == p || *p == '-' || (*end && *end != ',') || (*end == ',' && count == 3))
            return rp_fail(err, RP_USAGE, "--block: '%s' is neither an index nor X,Y,Z", d->block_text);
    }
    d->block = at[0];
    if (count <= 1)
        return true;
    for (int i = 0; i < 3; i++)
        if (at[i] >= l->grid[i])
            return rp_fail(err, RP_USAGE, "--block: %s is outside the grid of %" PRIu32 ",%" PRIu32 ",%" PRIu32,
                           d->block_text, l->grid[0], l->grid[1], l->grid[2]);
    d->block = at[0] + l->grid[0] * (at[1] + l->grid[1] * at[2]);
    return true;
}

static bool check(struct dump *d, struct rp_error *err)
{
    if (!rp_trace_launch_count(d->trace))
        return rp_fail(err, RP_USAGE, "%s has no launches", d->file);
    if (d->launch >= rp_trace_launch_count(d->trace))
        return rp_fail(err, RP_USAGE, "--launch: %s has launches 0 to %" PRIu32, d->file,
                       rp_trace_launch_count(d->trace) - 1);
    const struct rp_launch *l = rp_trace_launch(d->trace, (uint32_t)d->launch);
    if (!parse_block(d, l, err))
        return false;
    if (d->block >= rp_launch_blocks(l))
        return rp_fail(err, RP_USAGE, "--block: launch %" PRIu64 " has blocks 0 to %" PRIu64, d->launch,
                       rp_launch_blocks(l) - 1);
    if (d->warp >= rp_launch_warps(l))
        return rp_fail(err, RP_USAGE, "--warp: each block has warps 0 to %" PRIu32, rp_launch_warps(l) - 1);
    return true;
}

static void print_access(const struct rp_memory_operand *m, const struct rp_dynamic_access *a)
{
    const struct rp_pattern *p = a->pattern;
    printf("  %s:", rp_space_name((enum rp_space)m->space));
    if (p->kind == RP_PATTERN_UNIFORM)
        printf("0x%" PRIx64, a->base);
    else if (p->kind == RP_PATTERN_AFFINE)
        printf("0x%" PRIx64 "%+" PRId64 "*lane", a->base, p->stride);
    else
        for (unsigned l = 0, shown = 0; l < RP_WARP_LANES; l++)
            if (p->mask >> l & 1)
                printf("%s0x%" PRIx64, shown++ ? "," : "", a->base + (uint64_t)p->offset[l]);
}

static void print_step(const struct rp_step *s)
{
    const struct rp_instruction *in = s->instruction;
    bool more = s->executed && (in->memory_count || in->flags & RP_HAS_AUX);
    printf("%06" PRIx64 "  %08" PRIx32 " %08" PRIx32 "  %-*s", in->pc, s->active, s->executed, more ? 36 : 0, in->text);
    for (uint32_t m = 0; s->executed && m < in->memory_count; m++)
        print_access(&in->memory[m], &s->accesses[m]);
    if (s->executed && in->flags & RP_HAS_AUX)
        printf("  aux=0x%" PRIx64, s->aux);
    putchar('\n');
}

static bool print_warp(const struct dump *d, struct rp_block *b, struct rp_error *err)
{
    struct rp_cursor c;
    struct rp_step s;
    if (!rp_cursor_open(&c, b, (uint32_t)d->warp, err))
        return false;
    uint64_t count = 0;
    int more = 1;
    puts("pc      active   executed instruction, addresses (lane counts from the lowest executed lane)");
    while ((!d->limit || count < d->limit) && !ferror(stdout) && (more = rp_cursor_next(&c, &s, err)) == 1) {
        print_step(&s);
        count++;
    }
    rp_cursor_close(&c);
    return more >= 0;
}

static bool dump(struct dump *d, struct rp_error *err)
{
    if (rp_trace_damage(d->trace))
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(d->trace));
    if (!check(d, err))
        return false;
    struct rp_block *b = rp_block_open(d->trace, (uint32_t)d->launch, d->block, err);
    if (!b)
        return false;
    bool ok = print_warp(d, b, err);
    rp_block_close(b);
    return ok;
}

int cmd_dump(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "TRACE",
        "Prints what one warp did, one executed instruction a line: place, lanes on the path, lanes that executed, "
        "text, addresses.\v"
        "Addresses are space:base, or base+stride*lane where they are regular, or a list.\n\n"
        "Examples:\n  reprise dump mm.wtr --launch 0 --block 0 --warp 0\n  reprise dump mm.wtr --block 3,1 --limit 20",
        NULL,
        NULL,
        NULL};
    struct dump d = {0};
    struct rp_error err = {0};
    argp_err_exit_status = RP_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &d);
    if (!(d.trace = rp_trace_open(d.file, &err)))
        return command_fail(&err);
    bool ok = dump(&d, &err);
    rp_trace_close(d.trace);
    return ok ? RP_OK : command_fail(&err);
}
