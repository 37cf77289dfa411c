/* Every kernel of tests/kernels computes what the CPU computes, on any number of threads, at either optimisation. */
#include <criterion/criterion.h>

#include "tests/support/kernel_case.h"

static void run_all(const struct kernel_options *options)
{
    for (size_t i = 0; kernel_cases[i]; i++) {
        struct rp_error err;
        struct kernel_totals totals;
        bool ok = kernel_run(kernel_cases[i], options, &totals, &err);
        cr_expect(ok, "%s", ok ? "" : err.text);
        cr_expect(!ok || totals.warp_instructions > 0, "%s ran nothing", kernel_cases[i]->name);
    }
}

Test(results, one_thread) { run_all(&(struct kernel_options){.threads = 1}); }
Test(results, three_threads) { run_all(&(struct kernel_options){.threads = 3}); }
Test(results, unoptimised) { run_all(&(struct kernel_options){.threads = 2, .unoptimised = true}); }

/* Sizes that fill no block, warp or tile exactly, and the smallest. */
Test(results, odd_sizes)
{
    static const struct {
        const char *name;
        uint32_t size;
    } runs[] = {
        {"vector_add", 1},
        {"vector_add", 129},
        {"matmul", 16},
        {"matmul_int", 1},
        {"matmul_int", 4},
        {"matmul_int", 8},
        {"reduce_tree", 1},
        {"reduce_shuffle", 5},
        {"scan", 1},
        {"scan", 257},
        {"histogram_shared", 1},
        {"stencil", 17},
        {"stencil", 2},
        {"needleman_wunsch", 16},
        {"smith_waterman", 1},
        {"smith_waterman", 33},
        {"bfs_level", 1},
        {"bfs_queue", 33},
        {"spmv_vector", 1},
        {"bitonic", 512},
        {"mandelbrot", 2},
        {"spin_lock", 1},
        {"relay", 1},
        {"mlp_f32", 1},
        {"sgemm_double", 32},
        {"last_block_reduces", 1},
        {"transpose_padded", 32},
        {"gemm", 8},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct rp_error err;
        bool ok =
            kernel_run(kernel_case_find(runs[i].name), &(struct kernel_options){.size = runs[i].size}, NULL, &err);
        cr_expect(ok, "%s", ok ? "" : err.text);
    }
}

/* The comparison itself can fail: a case whose check expects something else is caught. */
static void setup_wrong(struct kernel_session *s) { kernel_case_find("vector_add")->setup(s); }
static void check_wrong(struct kernel_session *s)
{
    kernel_case_find("vector_add")->check(s);
    float other = 7;
    expect_equal(s, 2, VALUE_F32, &other, 5, 1);
}

Test(results, a_wrong_result_is_named)
{
    const struct kernel_case wrong = {"wrong", "vector_add", 64, 64, setup_wrong, check_wrong};
    struct rp_error err;
    cr_assert(!kernel_run(&wrong, &(struct kernel_options){.threads = 1}, NULL, &err));
    cr_assert(strstr(err.text, "c[5] is "), "%s", err.text);
    cr_assert(strstr(err.text, "the CPU computes 7 "), "%s", err.text);
}
