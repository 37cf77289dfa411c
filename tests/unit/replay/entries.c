/* Registers that share an entry of the fast engine's scoreboard: warps that leave straight code before its end, and
 * enter it behind its beginning, take as long as in the reference engine. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "tracefmt/writer.h"

#define REGISTERS 8u
#define CODE 16u /* instructions, the exit not counted */
#define SEEDS 300u
#define STEPS_OF_WARP 60u

static const struct rp_memory_operand global[] = {{.space = RP_SPACE_GLOBAL, .elements = 1, .width = 4}};

struct code {
    rp_register dst[CODE], src[CODE];
    struct rp_instruction ops[CODE + 1];
    struct rp_kernel kernel;
};

/* letters: what each instruction is: l loads a register, w writes one, u uses one, b branches. */
static void build(struct code *c, const char *letters, const uint8_t *registers)
{
    uint32_t count = (uint32_t)strlen(letters);
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < count; i++) {
        struct rp_instruction *in = &c->ops[i];
        c->dst[i] = c->src[i] = RP_REGISTER(RP_FILE_GENERAL, registers[i], 1);
        *in = (struct rp_instruction){.pc = 8 * i, .text = "op", .unit_class = RP_CLASS_INT};
        if (letters[i] == 'l') {
            in->unit_class = RP_CLASS_MEMORY;
            in->memory = global;
            in->memory_count = 1;
        }
        if (letters[i] == 'b') {
            in->unit_class = RP_CLASS_CONTROL;
        } else if (letters[i] == 'u') {
            in->src = &c->src[i];
            in->src_count = 1;
        } else {
            in->dst = &c->dst[i];
            in->dst_count = 1;
        }
    }
    c->ops[count] =
        (struct rp_instruction){.pc = 8 * count, .text = "exit", .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT};
    c->kernel = (struct rp_kernel){
        .name = "k", .isa = "ptx", .instruction_count = count + 1, .instructions = c->ops, .registers = 16};
}

static void log_step(struct rp_warp_log *log, const struct code *c, uint32_t op)
{
    uint64_t address[RP_WARP_LANES];
    rp_log_run(log, op, 1, ~0u);
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = 4096 + 4 * l;
    if (c->ops[op].memory_count)
        rp_log_access(log, op, 0, ~0u, address);
}

/* One warp executes these instructions, and exits. */
static struct rp_trace *trace_of_order(const struct code *c, const uint8_t *order, uint32_t count)
{
    char path[] = "/tmp/reprise-entries-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    struct rp_provenance provenance = {.tool = "test", .module_name = "by_hand", .module_sha256 = ""};
    struct rp_writer *w = rp_writer_open(path, &provenance, NULL, &err);
    struct rp_launch launch = {.grid = {1, 1, 1}, .block = {RP_WARP_LANES, 1, 1}};
    uint32_t id;
    cr_assert(w && rp_writer_add_kernel(w, &c->kernel, &launch.kernel, &err) &&
                  rp_writer_begin_launch(w, &launch, &id, &err),
              "%s", err.text);
    struct rp_chunk *chunk = rp_chunk_new(&c->kernel, id, NULL);
    struct rp_warp_log *log = rp_chunk_begin_block(chunk, 0, 1);
    for (uint32_t i = 0; i < count; i++)
        log_step(log, c, order[i]);
    rp_log_run(log, c->kernel.instruction_count - 1, 1, ~0u);
    rp_chunk_end_block(chunk, 0);
    cr_assert(rp_writer_commit(w, rp_chunk_finish(chunk, &err), &err) &&
                  rp_writer_end_launch(w, id, &(struct rp_launch_end){0}, &err) && rp_writer_close(w, &err),
              "%s", err.text);
    rp_chunk_free(chunk);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

static uint64_t cycles(const struct code *c, const uint8_t *order, uint32_t count, const struct machine *m)
{
    struct rp_trace *t = trace_of_order(c, order, count);
    uint64_t all = both_engines(t, m).cycles;
    rp_trace_close(t);
    return all;
}

/* What the second piece of code does must not wait for the load of the first, and the first must. */
Test(entries, a_piece_that_is_left_early)
{
    struct machine *m = test_machine("rtx2060", NULL, NULL);
    struct code c;
    build(&c, "lubwub", (const uint8_t[]){1, 1, 0, 2, 2, 0});
    uint64_t in_order = cycles(&c, (const uint8_t[]){0, 1, 2, 3, 4, 5}, 6, m);
    uint64_t early = cycles(&c, (const uint8_t[]){0, 3, 4, 5, 1, 2}, 6, m);
    cr_expect(early < in_order, "the second piece hides in the load of the first: %lu, %lu", early, in_order);
    cycles(&c, (const uint8_t[]){0, 3, 0, 4, 3, 1, 4, 1, 2}, 9, m);
    machine_free(m);
}

Test(entries, random_orders)
{
    struct machine *m = test_machine("rtx2060", NULL, NULL);
    uint64_t state = 1;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        char letters[CODE + 1] = {0};
        uint8_t registers[CODE], order[STEPS_OF_WARP];
        struct code c;
        for (uint32_t i = 0; i < CODE; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            letters[i] = "lwwuuuub"[state >> 40 & 7];
            registers[i] = (uint8_t)((state >> 50) % REGISTERS + (i < CODE / 2 ? 0 : REGISTERS / 2));
        }
        build(&c, letters, registers);
        for (uint32_t i = 0, at = 0; i < STEPS_OF_WARP; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            order[i] = (uint8_t)at;
            at = (state >> 40) % 8 < 6 && at + 1 < CODE ? at + 1 : (uint32_t)((state >> 50) % CODE);
        }
        cycles(&c, order, STEPS_OF_WARP, m);
    }
    machine_free(m);
}
