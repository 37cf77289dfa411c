#include "tests/support/many_launches.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/synthetic_trace.h"

#define INPUT 0x10000000ull
#define OUTPUT 0x20000000ull
#define BYTES (16u << 20)
#define MOST_KERNELS 64u
#define MOST_ARITHMETIC 12u
enum { LOAD, FIRST_ARITHMETIC };

/* Kernel k: load, arithmetic(k) instructions, store, branch, exit. */
struct kernel {
    struct rp_kernel kernel;
    struct rp_instruction instructions[MOST_ARITHMETIC + 4];
    struct rp_memory_operand load, store;
    char name[24];
    uint32_t store_at, id;
};

static const rp_register loaded = RP_REGISTER(RP_FILE_GENERAL, 1, 1), sum = RP_REGISTER(RP_FILE_GENERAL, 2, 1);
static const rp_register both[] = {RP_REGISTER(RP_FILE_GENERAL, 1, 1), RP_REGISTER(RP_FILE_GENERAL, 2, 1)};

static uint32_t arithmetic(uint32_t k) { return 1 + k % MOST_ARITHMETIC; }

static void make_kernel(struct kernel *k, uint32_t number)
{
    static const uint8_t classes[] = {RP_CLASS_FP32, RP_CLASS_INT, RP_CLASS_FP32, RP_CLASS_SFU};
    uint32_t n = arithmetic(number);
    *k = (struct kernel){.store_at = FIRST_ARITHMETIC + n};
    k->load = (struct rp_memory_operand){.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 4};
    k->store = (struct rp_memory_operand){.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_STORE, .elements = 1, .width = 4};
    for (uint32_t i = 0; i < n + 4; i++)
        k->instructions[i] = (struct rp_instruction){.pc = 8 * (uint64_t)i, .text = "", .unit_class = RP_CLASS_CONTROL};
    struct rp_instruction *load = &k->instructions[LOAD], *store = &k->instructions[k->store_at];
    load->unit_class = store->unit_class = RP_CLASS_MEMORY;
    load->memory_count = store->memory_count = load->dst_count = store->src_count = 1;
    load->memory = &k->load;
    load->dst = &loaded;
    store->memory = &k->store;
    store->src = &sum;
    for (uint32_t i = FIRST_ARITHMETIC; i < k->store_at; i++) {
        k->instructions[i].unit_class = classes[(number + i) % 4];
        k->instructions[i].dst_count = 1;
        k->instructions[i].dst = &sum;
        k->instructions[i].src_count = 2;
        k->instructions[i].src = both;
    }
    k->instructions[k->store_at + 1].flags = RP_BRANCH;
    k->instructions[k->store_at + 2].flags = RP_EXIT;
    snprintf(k->name, sizeof k->name, "kernel%u", number);
    k->kernel = (struct rp_kernel){.name = k->name,
                                   .isa = "ptx",
                                   .instruction_count = n + 4,
                                   .instructions = k->instructions,
                                   .registers = 16,
                                   .identity = number + 1};
}

/* -1 .. 1 */
static double signed_fraction(uint64_t *state) { return (double)(synthetic_random(state) >> 11) * 0x1p-52 - 1; }

static uint32_t varied(uint32_t mean, uint32_t percent, uint64_t *state)
{
    double value = mean * (1 + percent / 100.0 * signed_fraction(state));
    return value < 1 ? 1 : (uint32_t)value;
}

struct launch {
    uint64_t state;
    uint32_t loops, random_percent;
};

static void log_warp(struct rp_warp_log *log, const struct kernel *k, struct launch *l, uint64_t place, uint32_t loops)
{
    for (uint32_t i = 0; i < loops; i++) {
        bool anywhere = synthetic_random(&l->state) % 100 < l->random_percent;
        uint64_t at = place + i * 128ull;
        rp_log_run(log, LOAD, k->store_at + 2, ~0u);
        rp_log_affine_access(log, LOAD, 0, INPUT + (anywhere ? synthetic_random(&l->state) / 128 * 128 : at) % BYTES,
                             4);
        rp_log_affine_access(log, k->store_at, 0, OUTPUT + at % BYTES, 4);
    }
    rp_log_run(log, k->store_at + 2, 1, ~0u);
}

static bool write_launch(struct rp_writer *w, const struct many_launches *o, const struct kernel *k, uint64_t content,
                         struct rp_error *err)
{
    static const struct rp_allocation allocations[] = {{INPUT, BYTES + 128, "input", true, 0},
                                                       {OUTPUT, BYTES + 128, "output", false, 0}};
    struct rp_launch launch = {.kernel = k->id,
                               .grid = {o->blocks, 1, 1},
                               .block = {RP_WARP_LANES * o->warps, 1, 1},
                               .allocation_count = 2,
                               .allocations = allocations};
    struct launch l = {.state = o->seed * 1000003 + content};
    l.loops = varied(o->loops, o->launch_spread, &l.state);
    l.random_percent = varied(o->random_percent, 100, &l.state) - !o->random_percent;
    uint32_t id;
    if (!rp_writer_begin_launch(w, &launch, &id, err))
        return false;
    struct rp_chunk *chunk = rp_chunk_new(&k->kernel, id, NULL);
    bool fine = chunk;
    for (uint32_t b = 0; fine && b < o->blocks; b++) {
        struct rp_warp_log *logs = rp_chunk_begin_block(chunk, b, o->warps);
        uint32_t loops = varied(l.loops, o->block_spread, &l.state);
        for (uint32_t v = 0; v < o->warps; v++)
            log_warp(&logs[v], k, &l, 128ull * o->loops * (b * o->warps + v), loops);
        rp_chunk_end_block(chunk, b);
        if (b + 1 == o->blocks || rp_chunk_bytes(chunk) > 1 << 18) {
            struct rp_frame *frame = rp_chunk_finish(chunk, err);
            fine = frame && rp_writer_commit(w, frame, err);
        }
    }
    rp_chunk_free(chunk);
    return fine && rp_writer_end_launch(w, id, &(struct rp_launch_end){.outcome = RP_OUTCOME_COMPLETE}, err);
}

bool many_launches_write(const char *path, const struct many_launches *o, struct rp_error *err)
{
    static const struct rp_provenance provenance = {.tool = "test", .module_name = "many", .module_sha256 = ""};
    struct kernel *kernels = calloc(MOST_KERNELS, sizeof *kernels);
    struct rp_writer *w = rp_writer_open(path, &provenance, &(struct rp_writer_options){.level = 1}, err);
    bool fine = kernels && w;
    for (uint32_t k = 0; fine && k < o->kernels; k++) {
        make_kernel(&kernels[k], k);
        fine = rp_writer_add_kernel(w, &kernels[k].kernel, &kernels[k].id, err);
    }
    uint32_t repeats = o->repeats ? o->repeats : 1;
    for (uint32_t l = 0; fine && l < o->launches; l++)
        fine = write_launch(w, o, &kernels[l % o->kernels], l % o->kernels + l / o->kernels / repeats * 64ull, err);
    if (fine)
        fine = rp_writer_close(w, err);
    else if (w)
        rp_writer_abandon(w);
    free(kernels);
    return fine;
}
