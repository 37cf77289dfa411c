/* ldmatrix, stmatrix, movmatrix: what goes where, by the figures of the PTX ISA; and what the trace says of it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hw-models/set/models.h"
#include "machine_code.h"
#include "tracefmt/reader.h"

enum { SHARED = 8192, ROWS = SHARED / 16, BYTES = SHARED };

/* Copies buffer 0 to shared memory, then runs `code` with each lane's word of buffer 1 in %row, then copies shared
 * memory to buffer 2; %out is the address of the lane's word of buffer 3. */
static char *body(const char *registers, const char *code)
{
    char *text;
    cr_assert_gt(
        asprintf(
            &text,
            ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) {\n"
            ".reg .b64 %%in, %%out, %%at, %%back; .reg .b32 %%row, %%lane, %%i, %%x, %%s; .reg .pred %%more;\n"
            ".shared .align 128 .b8 sm[%d];\n%s\n"
            "ld.param.u64 %%in, [p0]; ld.param.u64 %%at, [p1]; ld.param.u64 %%back, [p2]; ld.param.u64 %%out, [p3];\n"
            "mov.u32 %%lane, %%laneid; mad.wide.u32 %%in, %%lane, 4, %%in; mad.wide.u32 %%back, %%lane, 4, %%back;\n"
            "mad.wide.u32 %%at, %%lane, 4, %%at; mad.wide.u32 %%out, %%lane, 4, %%out; ld.global.u32 %%row, [%%at];\n"
            "mov.u32 %%s, sm; add.u32 %%row, %%row, %%s; mad.lo.u32 %%s, %%lane, 4, %%s; mov.u32 %%i, 0;\n"
            "fill: ld.global.u32 %%x, [%%in]; st.shared.u32 [%%s], %%x; add.u64 %%in, %%in, 128;\n"
            "add.u32 %%s, %%s, 128; add.u32 %%i, %%i, 128; setp.lt.u32 %%more, %%i, %d; @%%more bra fill;\n"
            "bar.sync 0;\n%s\nbar.sync 0; sub.u32 %%s, %%s, %d; mov.u32 %%i, 0;\n"
            "drain: ld.shared.u32 %%x, [%%s]; st.global.u32 [%%back], %%x; add.u64 %%back, %%back, 128;\n"
            "add.u32 %%s, %%s, 128; add.u32 %%i, %%i, 128; setp.lt.u32 %%more, %%i, %d; @%%more bra drain;\nret; }",
            SHARED, registers, SHARED, code, SHARED, SHARED),
        0);
    return text;
}

/* Rows of the matrices: 32 different ones anywhere. */
static void choose_rows(uint32_t rows[LANES])
{
    bool taken[ROWS] = {false};
    for (int l = 0; l < LANES; l++) {
        uint32_t r;
        do
            r = next_random() % ROWS;
        while (taken[r]);
        taken[r] = true;
        rows[l] = 16 * r;
    }
}

static struct kernel_run run_moves(const char *registers, const char *code)
{
    struct kernel_run k;
    char *text = body(registers, code);
    open_kernel(&k, "sm_90", text, 4, BYTES);
    free(text);
    for (int i = 0; i < BYTES / 4; i++)
        ((uint32_t *)k.host[0])[i] = next_random();
    choose_rows(k.host[1]);
    for (int i = 0; i < BYTES / 4; i++)
        ((uint32_t *)k.host[3])[i] = next_random();
    return k;
}

static uint16_t element(const struct kernel_run *k, unsigned buffer, int matrix, int row, int column)
{
    const uint32_t *rows = k->host[1];
    uint16_t x;
    memcpy(&x, (uint8_t *)k->host[buffer] + rows[8 * matrix + row] + 2 * column, 2);
    return x;
}
static uint16_t half_of(const struct kernel_run *k, int reg, int lane, int part)
{
    return (uint16_t)(((uint32_t *)k->host[3])[32 * reg + lane] >> 16 * part);
}

static const char *const vectors[] = {[1] = "{%r0}", [2] = "{%r0, %r1}", [4] = "{%r0, %r1, %r2, %r3}"};
static int count_of(const struct spelling *s) { return spelling_has(s, "x4") ? 4 : spelling_has(s, "x2") ? 2 : 1; }

static void check_ldmatrix(const struct spelling *s)
{
    int count = count_of(s);
    bool turned = spelling_has(s, "trans");
    bool generic = !spelling_has(s, "shared") && !spelling_has(s, "shared::cta");
    char code[600];
    int n =
        snprintf(code, sizeof code, "%s %s %s, [%s];\n", generic ? "cvt.u64.u32 %g, %row; cvta.shared.u64 %g, %g;" : "",
                 s->text, vectors[count], generic ? "%g" : "%row");
    for (int i = 0; i < count; i++)
        n += snprintf(code + n, sizeof code - (size_t)n, "st.global.u32 [%%out+%d], %%r%d;\n", 128 * i, i);
    struct kernel_run k = run_moves(".reg .b32 %r<4>; .reg .b64 %g;", code);
    cr_assert(launch_kernel(&k, 1, LANES), "%s", k.err.text);
    for (int i = 0; i < count; i++)
        for (int l = 0; l < LANES; l++)
            for (int e = 0; e < 2; e++) {
                int g = l / 4, x = 2 * (l % 4) + e;
                uint16_t want = turned ? element(&k, 0, i, x, g) : element(&k, 0, i, g, x);
                cr_assert_eq(half_of(&k, i, l, e), want, "%s: register %d lane %d", s->text, i, l);
            }
    close_kernel(&k);
}
Test(moves, ldmatrix) { each_spelling("ldmatrix", check_ldmatrix); }
Test(moves, ldmatrix_as_machine_code)
{
    compare_machine_code("sm_75 sm_80 sm_86 sm_89 sm_90a", "ldmatrix", check_ldmatrix);
}

/* Of two warps the first one alone loads. */
static void check_guarded_ldmatrix(const struct spelling *s)
{
    if (count_of(s) != 4 || !spelling_has(s, "shared"))
        return;
    char code[700];
    snprintf(code, sizeof code,
             "mov.u32 %%w, %%tid.x; setp.lt.u32 %%p, %%w, 32; mov.u32 %%r0, %%w; mov.u32 %%r1, %%w; mov.u32 %%r2, %%w; "
             "mov.u32 %%r3, %%w;\n@%%p %s %s, [%%row];\nand.b32 %%w, %%w, 32; mad.wide.u32 %%out, %%w, 32, %%out;\n"
             "st.global.u32 [%%out], %%r0; st.global.u32 [%%out+128], %%r1; st.global.u32 [%%out+256], %%r2; "
             "st.global.u32 [%%out+384], %%r3;\n",
             s->text, vectors[4]);
    struct kernel_run k = run_moves(".reg .b32 %r<4>, %w; .reg .pred %p;", code);
    cr_assert(launch_kernel(&k, 1, 2 * LANES), "%s", k.err.text);
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < LANES; l++) {
            bool turned = spelling_has(s, "trans");
            int g = l / 4, x = 2 * (l % 4);
            cr_assert_eq(half_of(&k, i, l, 0), turned ? element(&k, 0, i, x, g) : element(&k, 0, i, g, x));
            cr_assert_eq(half_of(&k, 8 + i, l, 0), LANES + l);
        }
    close_kernel(&k);
}
Test(moves, guarded_ldmatrix_as_machine_code)
{
    compare_machine_code("sm_75 sm_80 sm_90a", "ldmatrix", check_guarded_ldmatrix);
}

static void check_stmatrix(const struct spelling *s)
{
    int count = count_of(s);
    bool turned = spelling_has(s, "trans");
    bool generic = !spelling_has(s, "shared") && !spelling_has(s, "shared::cta");
    char code[600];
    int n = 0;
    for (int i = 0; i < count; i++)
        n += snprintf(code + n, sizeof code - (size_t)n, "ld.global.u32 %%r%d, [%%out+%d];\n", i, 128 * i);
    snprintf(code + n, sizeof code - (size_t)n, "%s %s [%s], %s;\n",
             generic ? "cvt.u64.u32 %g, %row; cvta.shared.u64 %g, %g;" : "", s->text, generic ? "%g" : "%row",
             vectors[count]);
    struct kernel_run k = run_moves(".reg .b32 %r<4>; .reg .b64 %g;", code);
    cr_assert(launch_kernel(&k, 1, LANES), "%s", k.err.text);
    uint8_t *want = malloc(SHARED);
    memcpy(want, k.host[0], SHARED);
    for (int i = 0; i < count; i++)
        for (int l = 0; l < LANES; l++)
            for (int e = 0; e < 2; e++) {
                int g = l / 4, x = 2 * (l % 4) + e;
                uint16_t half = half_of(&k, i, l, e);
                int row = turned ? x : g, column = turned ? g : x;
                memcpy(want + ((uint32_t *)k.host[1])[8 * i + row] + 2 * column, &half, 2);
            }
    cr_assert_eq(memcmp(want, k.host[2], SHARED), 0, "%s", s->text);
    free(want);
    close_kernel(&k);
}
Test(moves, stmatrix) { each_spelling("stmatrix", check_stmatrix); }
Test(moves, stmatrix_as_machine_code) { compare_machine_code("sm_90 sm_90a", "stmatrix", check_stmatrix); }

static void check_movmatrix(const struct spelling *s)
{
    char code[300];
    snprintf(code, sizeof code, "ld.global.u32 %%r0, [%%out]; %s %%r1, %%r0; st.global.u32 [%%out+128], %%r1;\n",
             s->text);
    struct kernel_run k = run_moves(".reg .b32 %r<2>;", code);
    cr_assert(launch_kernel(&k, 1, LANES), "%s", k.err.text);
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++)
            cr_assert_eq(half_of(&k, 1, 4 * row + column / 2, column % 2),
                         half_of(&k, 0, 4 * column + row / 2, row % 2));
    close_kernel(&k);
}
Test(moves, movmatrix) { each_spelling("movmatrix", check_movmatrix); }
Test(moves, movmatrix_as_machine_code)
{
    compare_machine_code("sm_75 sm_80 sm_86 sm_89 sm_90a", "movmatrix", check_movmatrix);
}

/* A row that is not aligned or not there, and a warp that is not whole, are faults that name the instruction. */
static void expect_fault(const char *code, unsigned threads, enum rp_fault_kind kind, const char *a, const char *b)
{
    struct kernel_run k = run_moves(".reg .b32 %r<8>; .reg .pred %p;", code);
    cr_assert(!launch_kernel(&k, 1, threads));
    cr_assert_eq(k.result.fault, kind, "%s", k.err.text);
    cr_assert(strstr(k.err.text, a) && strstr(k.err.text, b), "%s", k.err.text);
    close_kernel(&k);
}
#define MMA "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r0,%r1,%r2,%r3}, {%r0,%r1}, {%r0,%r1};"
Test(moves, faults)
{
    expect_fault("add.u32 %row, %row, 8; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];", 32,
                 RP_FAULT_MISALIGNED, "ldmatrix", "not a multiple of 16");
    expect_fault("add.u32 %row, %row, 8192; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%row];", 32,
                 RP_FAULT_BOUNDS, "ldmatrix", "shared");
    expect_fault(MMA, 24, RP_FAULT_SYNC, "mma.sync", "lanes 0xff000000 are not there");
    expect_fault("setp.lt.u32 %p, %lane, 8; @%p bra away; " MMA " away: ", 32, RP_FAULT_DEADLOCK, "mma.sync",
                 "lanes 0x000000ff of warp 0 at barrier");
    expect_fault("setp.lt.u32 %p, %lane, 8; @%p bra away; " MMA " bra there; away: " MMA " there: ", 32, RP_FAULT_SYNC,
                 "mma.sync", "come by another path");
    expect_fault("setp.lt.u32 %p, %lane, 8; @%p " MMA, 32, RP_FAULT_DEADLOCK, "mma.sync", "lanes 0xffffff00");
}

/* Lanes that come one after the other to the same instruction wait for the rest. */
Test(moves, late_lanes)
{
    struct kernel_run k =
        run_moves(".reg .b32 %r<8>; .reg .pred %p;",
                  "setp.lt.u32 %p, %lane, 5; @!%p bra rest; bar.warp.sync 31; rest: ld.global.u32 %r0, [%out];"
                  "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0; st.global.u32 [%out+128], %r1;");
    cr_assert(launch_kernel(&k, 1, LANES), "%s", k.err.text);
    close_kernel(&k);
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */

/* Records `code` with rows of the matrices `pitch` bytes apart. */
static struct rp_trace *record(const char *code, uint32_t pitch)
{
    char path[] = "/tmp/reprise-matrix-XXXXXX";
    close(mkstemp(path));
    struct kernel_run k = run_moves(".reg .b32 %r<8>;", code);
    for (uint32_t l = 0; l < LANES; l++)
        ((uint32_t *)k.host[1])[l] = pitch * l;
    struct rp_writer *w = rp_writer_open(path, &(struct rp_provenance){0}, &(struct rp_writer_options){0}, &k.err);
    cr_assert(w, "%s", k.err.text);
    const struct rp_launch_config config = {
        .grid = {1, 1, 1}, .block = {LANES, 1, 1}, .params = k.params, .threads = 1, .writer = w};
    cr_assert(rp_launch_kernel(k.device, k.program, &config, &k.result, &k.err), "%s", k.err.text);
    cr_assert(rp_writer_close(w, &k.err));
    struct rp_trace *t = rp_trace_open(path, &k.err);
    cr_assert(t && rp_trace_verify(t, NULL, NULL, &k.err), "%s", k.err.text);
    unlink(path);
    close_kernel(&k);
    return t;
}

/* What lanes access in the only instruction that begins with `name`; the bank conflicts of that. */
static struct shared_memory_cost cost_in(struct rp_trace *t, const char *name, uint32_t lanes, uint32_t pitch)
{
    static const int64_t options[] = {1};
    struct shared_memory_cost cost = {0};
    struct rp_error err;
    struct rp_cursor c;
    struct rp_step step;
    struct rp_block *b = rp_block_open(t, 0, 0, &err);
    cr_assert(b && rp_cursor_open(&c, b, 0, &err), "%s", err.text);
    while (rp_cursor_next(&c, &step, &err) == 1) {
        const struct rp_instruction *in = step.instruction;
        if (strncmp(in->text, name, strlen(name)) != 0)
            continue;
        uint64_t address[LANES] = {0};
        cr_assert(in->unit_class == RP_CLASS_MEMORY && in->memory_count == 1);
        cr_assert(in->memory[0].space == RP_SPACE_SHARED && in->memory[0].width == 16);
        cr_assert_eq(step.executed, ~0u);
        cr_assert_eq(step.accesses[0].pattern->mask, lanes == 32 ? ~0u : (1u << lanes) - 1);
        rp_access_addresses(step.accesses, address);
        for (uint32_t l = 1; l < lanes; l++)
            cr_assert_eq(address[l] - address[0], l * pitch);
        shared_memory_pastis.cost(
            options, &(struct shared_memory_access){step.accesses[0].pattern->mask, 16, address, false}, &cost);
    }
    rp_cursor_close(&c);
    rp_block_close(b);
    return cost;
}

static uint32_t conflicts(const char *code, const char *name, uint32_t lanes, uint32_t pitch)
{
    struct rp_trace *t = record(code, pitch);
    struct shared_memory_cost cost = cost_in(t, name, lanes, pitch);
    cr_assert_gt(cost.transactions, 0, "%s is not in the trace", name);
    rp_trace_close(t);
    return cost.conflicts;
}

/* Each lane that gives an address has a row of 16 bytes in the trace. 8 rows that fill the banks once are one
 * transaction; rows that begin in the same bank take one each. */
Test(moves, bank_conflicts)
{
    static const char load4[] = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%row];";
    static const char load1[] = "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r0}, [%row];";
    static const char store2[] = "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%row], {%r0,%r1};";
    cr_expect_eq(conflicts(load4, "ldmatrix", 32, 16), 0);
    cr_expect_eq(conflicts(load4, "ldmatrix", 32, 144), 0);
    cr_expect_eq(conflicts(load4, "ldmatrix", 32, 128), 4 * 7);
    cr_expect_eq(conflicts(load4, "ldmatrix", 32, 64), 4 * 3);
    cr_expect_eq(conflicts(load1, "ldmatrix", 8, 16), 0);
    cr_expect_eq(conflicts(load1, "ldmatrix", 8, 128), 7);
    cr_expect_eq(conflicts(store2, "stmatrix", 16, 144), 0);
    cr_expect_eq(conflicts(store2, "stmatrix", 16, 128), 2 * 7);
}

Test(moves, classes)
{
    struct rp_trace *t = record(MMA "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;", 16);
    const struct rp_kernel *kernel = rp_trace_kernel(t, 0);
    unsigned found = 0;
    for (uint32_t i = 0; i < kernel->instruction_count; i++) {
        const struct rp_instruction *in = &kernel->instructions[i];
        if (!strncmp(in->text, "mma", 3))
            found += in->unit_class == RP_CLASS_TENSOR && in->memory_count == 0 && in->dst_count == 2;
        if (!strncmp(in->text, "movmatrix", 9))
            found += in->unit_class == RP_CLASS_SHUFFLE;
    }
    cr_assert_eq(found, 2);
    rp_trace_close(t);
}

Test(moves, refused_by_name)
{
    const char *e = refusal("sm_70", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];");
    cr_assert(strstr(e, "'ldmatrix.sync.aligned.m8n8.x1.shared.b16' needs .target sm_75"), "%s", e);
    e = refusal("sm_80", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};");
    cr_assert(strstr(e, "needs .target sm_90"), "%s", e);
    e = refusal("sm_80", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2];");
    cr_assert(strstr(e, "matrix d has 4 registers here, not 1"), "%s", e);
    e = refusal("sm_80", "ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1}, [%r2];");
    cr_assert(strstr(e, "'.x3' is no modifier of 'ldmatrix'"), "%s", e);
    e = refusal("sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
                         "{%r1,%r2}, {%f1,%f2,%f3,%f4};");
    cr_assert(strstr(e, "does not take .bf16"), "%s", e);
    e = refusal("sm_80", "mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1}, {%r1}, "
                         "{%f1,%f2,%f3,%f4};");
    cr_assert(strstr(e, "mma"), "%s", e);
    e = refusal("sm_80", "mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
                         "{%r1,%r2}, {%f1,%f2,%f3,%f4};");
    cr_assert(strstr(e, "'mma' "), "%s", e);
    e = refusal("sm_80", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
                         "{%r1,%r2}, {%f1,%f2,%f3,%f4};");
    cr_assert(strstr(e, "needs .target sm_89"), "%s", e);
    e = refusal("sm_80",
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
                "{%f1,%f2,%f3,%f4};");
    cr_assert(strstr(e, "matrix d has 4 registers here, not 3"), "%s", e);
}
