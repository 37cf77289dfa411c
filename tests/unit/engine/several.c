/* An instruction with several memory operands, as an asynchronous copy has: each is recorded by a uop of its own. There
 * is no such instruction yet, so the test joins a load of global memory and the store to shared memory behind it. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "tracefmt/reader.h"

static const uint64_t bytes[] = {256, 256};
/* Copies in[tid] through shared memory to out[tid]; the load is at in + `offset`. */
#define COPY(offset)                                                                                                   \
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"                                                          \
    ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<4>; .shared .align 8 .b8 s[256];\n"                            \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 5;\n"               \
    "mad.wide.u32 %rd3, %r1, 4, %rd1; mad.wide.u32 %rd4, %r1, 4, %rd2;\n"                                              \
    "mov.u32 %r5, s; mad.lo.u32 %r2, %r1, 4, %r5;\n"                                                                   \
    "@%p1 ld.global.u32 %r3, [%rd4+" offset "];\n@%p1 st.shared.u32 [%r2], %r3;\n"                                     \
    "ld.shared.u32 %r4, [%r2]; st.global.u32 [%rd3], %r4; ret;\n}\n"
enum { MAX_INSTRUCTIONS = 20 };

struct joined {
    struct rp_instruction instructions[MAX_INSTRUCTIONS];
    struct rp_memory_operand memory[2];
    uint32_t at;
};

/* Makes one instruction of the first one with a memory operand in global memory and the next. */
static void join(struct program *p, struct joined *j)
{
    struct rp_kernel *k = &p->kernel;
    cr_assert_leq(k->instruction_count, MAX_INSTRUCTIONS);
    memcpy(j->instructions, k->instructions, k->instruction_count * sizeof *k->instructions);
    for (j->at = 0; strncmp(k->instructions[j->at].text, "@%p1 ld.global", 14); j->at++)
        ;
    struct rp_instruction *in = &j->instructions[j->at];
    j->memory[0] = in[0].memory[0], j->memory[1] = in[1].memory[0];
    in->memory = j->memory, in->memory_count = 2;
    uint32_t behind = k->instruction_count - j->at - 2;
    memmove(in + 1, in + 2, behind * sizeof *in);
    k->instructions = j->instructions;
    k->instruction_count--;
    for (uint32_t i = 0; i < p->uop_count; i++) {
        struct operation *o = &p->operations[i];
        if (o->index == j->at + 1) {
            o->flags &= ~UF_FIRST;
            o->access = 1;
        }
        o->index -= o->index > j->at;
    }
}

/* What the trace says about the one warp's joined instruction; false: the warp never executed it. */
static bool find_step(const char *path, uint32_t index, struct rp_step *step, uint64_t at[2][RP_WARP_LANES])
{
    struct rp_error err;
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert_not_null(t, "%s", err.text);
    cr_assert(rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    struct rp_block *b = rp_block_open(t, 0, 0, &err);
    struct rp_cursor c;
    bool found = false;
    cr_assert(b && rp_cursor_open(&c, b, 0, &err), "%s", err.text);
    while (!found && rp_cursor_next(&c, step, &err) > 0)
        found = step->index == index;
    for (int i = 0; found && i < 2; i++)
        rp_access_addresses(&step->accesses[i], at[i]);
    rp_cursor_close(&c);
    rp_block_close(b);
    rp_trace_close(t);
    return found;
}

static void record(struct rig *r, struct joined *j, const char *body, char *path)
{
    close(mkstemp(path));
    rig_open(r, body, 2, bytes);
    for (uint32_t i = 0; i < 32; i++)
        ((uint32_t *)r->host[1])[i] = i * i + 3;
    join(r->program, j);
    struct rp_provenance from = {.tool = "test", .module_name = "test.ptx", .module_sha256 = ""};
    r->config.writer = rp_writer_open(path, &from, NULL, &r->err);
    cr_assert_not_null(r->config.writer, "%s", r->err.text);
}

Test(several, accesses_of_one_instruction)
{
    struct rig r;
    struct joined j;
    struct rp_step step = {0};
    uint64_t at[2][RP_WARP_LANES];
    char path[] = "/tmp/reprise-several-XXXXXX";
    record(&r, &j, COPY("0"), path);
    cr_assert(rig_run(&r, 1, 32), "%s", r.err.text);
    cr_assert(rp_writer_close(r.config.writer, &r.err), "%s", r.err.text);
    cr_assert_eq(r.result.warp_instructions, r.program->kernel.instruction_count);
    cr_assert(find_step(path, j.at, &step, at));
    cr_assert_eq(step.executed, ~(1u << 5));
    for (uint32_t l = 0; l < 32; l++) {
        cr_expect_eq(((uint32_t *)r.host[0])[l], l == 5 ? 0 : l * l + 3);
        if (l == 5)
            continue;
        cr_expect_eq(at[0][l], r.address[1] + 4 * l);
        cr_expect_eq(at[1][l], 4 * l);
    }
    unlink(path);
    rig_close(&r);
}

/* The first access fails: the second is recorded all the same, so that the trace can be read. */
Test(several, a_fault_in_the_first_access)
{
    struct rig r;
    struct joined j;
    struct rp_step step = {0};
    uint64_t at[2][RP_WARP_LANES];
    char path[] = "/tmp/reprise-several-XXXXXX";
    record(&r, &j, COPY("4096"), path);
    rig_expect_fault(&r, 1, 32, RP_FAULT_BOUNDS, "load of 4 bytes");
    cr_assert(rp_writer_close(r.config.writer, &r.err), "%s", r.err.text);
    cr_assert(find_step(path, j.at, &step, at));
    cr_expect_eq(at[0][1], r.address[1] + 4096 + 4);
    cr_expect_eq(at[1][1], 4);
    unlink(path);
    rig_close(&r);
}

/* Accesses that the table does not have, or has in another order, are no program. */
Test(several, the_table_says_which)
{
    struct rig r;
    struct joined j;
    rig_open(&r, COPY("0"), 2, bytes);
    join(r.program, &j);
    for (uint32_t i = 0; i < r.program->uop_count; i++)
        r.program->operations[i].access = 0;
    cr_assert_not(rig_run(&r, 1, 32));
    cr_assert_not_null(strstr(r.err.text, "memory operands that the engine does not know"), "%s", r.err.text);
    rig_close(&r);
}
