/* Hazards of control bits, by hand on machine rtx3070: int and fp32 results are there 4 cycles after their issue, a
 * guard after 13; loads wait for barriers. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/warp_trace.h"
#include "tools/hazards/hazards.h"
#include "tools/replaying/replaying.h"

#define NO WARP_TRACE_NONE
#define NONE 7
/* As in tests/unit/replay/control_words.c. */
#define WORD(stall, write, read, wait) ((uint64_t)(stall) | 16 | (write) << 5 | (read) << 8 | (wait) << 11)
#define INT_OP(d, s, ...)                                                                                              \
    {                                                                                                                  \
        .unit_class = RP_CLASS_INT, .destination = d, .source = {s, NO, NO}, .control = WORD(__VA_ARGS__)              \
    }
#define SFU_OP(d, s, ...)                                                                                              \
    {                                                                                                                  \
        .unit_class = RP_CLASS_SFU, .destination = d, .source = {s, NO, NO}, .control = WORD(__VA_ARGS__)              \
    }
#define LOAD(in, d, s, ...)                                                                                            \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_##in, .destination = d, .source = {s, NO, NO}, .stride = 4,   \
        .address = in_##in, .control = WORD(__VA_ARGS__)                                                               \
    }
#define STORE(s, ...)                                                                                                  \
    {                                                                                                                  \
        .unit_class = RP_CLASS_MEMORY, .space = RP_SPACE_GLOBAL, .store = true, .destination = NO,                     \
        .source = {s, NO, NO}, .stride = 4, .address = WARP_TRACE_OUTPUT, .control = WORD(__VA_ARGS__)                 \
    }
enum { in_GLOBAL = WARP_TRACE_INPUT, in_SHARED = 0 };

static struct machine *open_machine(const char *name)
{
    struct rp_error err;
    struct machine *m = machine_args_open(&(struct machine_args){.machine = name}, NULL, 0, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

static struct rp_trace *open_and_remove(const char *path)
{
    struct rp_error err;
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

static struct hazards hazards_of(const struct warp_op *ops, uint32_t count)
{
    char path[] = "/tmp/reprise-hazards-XXXXXX";
    struct rp_error err;
    struct hazards h = {0};
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    bool written = warp_trace_write(path, &(struct warp_program){ops, count}, 1, &err);
    cr_assert(written, "%s", err.text);
    struct rp_trace *t = open_and_remove(path);
    struct machine *m = open_machine("rtx3070");
    bool found = hazards_find(t, 0, m, &h, &err);
    cr_assert(found, "%s", err.text);
    machine_free(m);
    rp_trace_close(t);
    return h;
}
#define OF(ops) hazards_of(ops, sizeof ops / sizeof *ops)

static void expect_none(struct hazards h, const char *what)
{
    cr_expect_eq(h.count, 0, "%s", what);
    hazards_free(&h);
}
static void expect_one(struct hazards h, enum hazard_kind kind, uint32_t first, uint32_t second, uint32_t cycles)
{
    cr_assert_eq(h.count, 1, "%zu hazards", h.count);
    cr_expect_eq(h.items->kind, kind);
    cr_expect_eq(h.items->first, first);
    cr_expect_eq(h.items->second, second);
    cr_expect_eq(h.items->cycles, cycles, "%u cycles", h.items->cycles);
    cr_expect_eq(h.items->count, 1);
    hazards_free(&h);
}

Test(hazards, stall_counts_before_a_result)
{
    struct warp_op ops[] = {INT_OP(0, NO, 2, NONE, NONE, 0), INT_OP(1, NO, 2, NONE, NONE, 0),
                            INT_OP(2, 0, 1, NONE, NONE, 0)};
    expect_none(OF(ops), "4 cycles between them");
    ops[1].control = WORD(1, NONE, NONE, 0);
    expect_one(OF(ops), HAZARD_READ, 0, 2, 1);
    ops[1].control = WORD(0, NONE, NONE, 0) & ~16ull;
    expect_none(OF(ops), "0 that may yield: 45 cycles");
    ops[0].guarded_off = true;
    expect_none(OF(ops), "nothing was written");
}

Test(hazards, what_the_assembler_waits_for_a_product)
{
    static const struct {
        const char *text;
        uint8_t others, late; /* cycles until other instructions read it, and until a store does */
    } products[] = {
        {"HMMA.16816.F32 R0, R1, R1, R1", 24, 22},
        {"HMMA.1688.F32 R0, R1, R1, R1", 16, 14},
        {"HMMA.1688.F32.TF32 R0, R1, R1, R1", 24, 22},
        {"HMMA.SP.16816.F32 R0, R1, R1, R1", 16, 14},
        {"@P0 BMMA.168256.AND.POPC R0, R1.ROW, R1, R1", 24, 22},
        {"BMMA.88128.XOR.POPC R0, R1.ROW, R1, R1", 13, 12},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        unsigned others = products[i].others, late = products[i].late;
        struct warp_op ops[] = {{.unit_class = RP_CLASS_TENSOR,
                                 .destination = 0,
                                 .source = {NO, NO, NO},
                                 .text = products[i].text,
                                 .control = WORD(others - 10, NONE, NONE, 0)},
                                INT_OP(1, NO, 10, NONE, NONE, 0),
                                INT_OP(2, 0, 1, NONE, NONE, 0)};
        expect_none(OF(ops), products[i].text);
        ops[0].control = WORD(others - 11, NONE, NONE, 0);
        expect_one(OF(ops), HAZARD_READ, 0, 2, 1);
        ops[2] = (struct warp_op)STORE(0, 2, NONE, NONE, 0);
        ops[0].control = WORD(late - 10, NONE, NONE, 0);
        expect_none(OF(ops), products[i].text);
        ops[0].control = WORD(late - 11, NONE, NONE, 0);
        expect_one(OF(ops), HAZARD_READ, 0, 2, 1);
    }
}

Test(hazards, barriers_of_loads)
{
    struct warp_op ops[] = {LOAD(GLOBAL, 0, NO, 15, 3, NONE, 0), INT_OP(1, 0, 15, NONE, NONE, 1 << 3)};
    expect_none(OF(ops), "waits for the load's barrier");
    ops[1].control = WORD(15, NONE, NONE, 1 << 2);
    expect_one(OF(ops), HAZARD_READ, 0, 1, 0);
    struct warp_op shared[] = {LOAD(GLOBAL, 0, NO, 1, NONE, NONE, 0), LOAD(GLOBAL, 1, NO, 2, 0, NONE, 0),
                               INT_OP(2, 0, 1, NONE, NONE, 1)};
    expect_none(OF(shared), "results come back in order: the second one's barrier tells both");
    shared[1] = (struct warp_op)LOAD(SHARED, 1, NO, 2, 0, NONE, 0);
    expect_one(OF(shared), HAZARD_READ, 0, 2, 0);
    struct warp_op counted[] = {LOAD(GLOBAL, 0, NO, 1, 0, NONE, 0), LOAD(GLOBAL, 1, NO, 2, 0, NONE, 0),
                                INT_OP(2, 0, 4, NONE, NONE, 0), INT_OP(3, 1, 4, NONE, NONE, 0)};
    counted[2].control |= RP_CONTROL_COUNT(0, 1);
    expect_one(OF(counted), HAZARD_READ, 1, 3, 0);
}

Test(hazards, a_barrier_that_is_set_must_be_waited_for)
{
    struct warp_op ops[] = {SFU_OP(0, NO, 15, 0, NONE, 0), INT_OP(1, NO, 15, NONE, NONE, 0),
                            INT_OP(2, 0, 1, NONE, NONE, 0)};
    expect_one(OF(ops), HAZARD_READ, 0, 2, 0);
    ops[0].control = WORD(15, NONE, NONE, 0);
    expect_none(OF(ops), "30 cycles for 21");
    ops[1].control = WORD(5, NONE, NONE, 0);
    expect_one(OF(ops), HAZARD_READ, 0, 2, 1);
}

Test(hazards, overwriting)
{
    struct warp_op ops[] = {SFU_OP(0, NO, 1, NONE, NONE, 0), INT_OP(0, NO, 1, NONE, NONE, 0)};
    expect_one(OF(ops), HAZARD_OVERWRITE, 0, 1, 8 + 13 - (1 + 4));
    struct warp_op source[] = {STORE(0, 2, NONE, 1, 0), INT_OP(0, NO, 1, NONE, NONE, 1 << 1)};
    expect_none(OF(source), "waits until the store has read");
    source[1].control = WORD(1, NONE, NONE, 0);
    expect_one(OF(source), HAZARD_OVERWRITE_SOURCE, 0, 1, 0);
    source[1] = (struct warp_op)LOAD(SHARED, 0, NO, 2, 0, NONE, 0);
    expect_none(OF(source), "behind the store in its queue");
    struct warp_op barrier[] = {
        STORE(0, 2, NONE, NONE, 0),
        {.unit_class = RP_CLASS_BARRIER, .destination = NO, .source = {NO, NO, NO}, .control = WORD(6, NONE, NONE, 0)},
        INT_OP(0, NO, 1, NONE, NONE, 0)};
    expect_none(OF(barrier), "a barrier of the block waits for what is before it");
}
