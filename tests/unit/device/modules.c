/* Modules loaded and unloaded in any order. */
#include <string.h>

#include "common.h"

/* Adds parameter 1 to the module's variable and stores what it was, and the variable's address. */
#define COUNTER(first)                                                                                                 \
    ".visible .global .align 4 .u32 counter = " first ";\n.visible .const .align 4 .u32 step = " first ";\n"           \
    ".visible .entry count(.param .u64 to)\n{\n"                                                                       \
    ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"                                                                             \
    "ld.param.u64 %rd1, [to]; mov.u64 %rd2, counter; ld.global.u32 %r1, [%rd2]; ld.const.u32 %r2, [step];\n"           \
    "add.u32 %r3, %r1, %r2; st.global.u32 [%rd2], %r3; st.global.u32 [%rd1], %r1; st.global.u64 [%rd1 + 8], %rd2;\n"   \
    "ret;\n}\n"

struct answer {
    uint32_t counter, unused;
    uint64_t address;
};

static struct answer count(struct rp_device *d, struct module *m, uint64_t to)
{
    struct rp_launch_config config = config_of(1, 1, &to);
    launch(d, m, &config);
    return *(struct answer *)rp_host(d, to, sizeof(struct answer));
}

Test(modules, each_has_variables_of_its_own)
{
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    uint64_t to = rp_alloc(d, sizeof(struct answer), "to", &err), bytes;
    struct module *a = load_text(d, "a.ptx", COUNTER("3")), *b = load_text(d, "b.ptx", COUNTER("10"));
    struct answer in_a = count(d, a, to), in_b = count(d, b, to);
    cr_expect_eq(in_a.counter, 3);
    cr_expect_eq(in_b.counter, 10);
    cr_expect_neq(in_a.address, in_b.address);
    cr_expect_eq(count(d, a, to).counter, 6);
    cr_expect_eq(count(d, b, to).counter, 20);
    cr_expect_eq(*(uint32_t *)rp_variable(d, a, "counter", &bytes), 9);
    cr_expect_eq(*(uint32_t *)rp_variable(d, b, "step", &bytes), 10);
    cr_expect_eq(rp_host(d, in_b.address, 4), rp_variable(d, b, "counter", &bytes));
    cr_expect(rp_device_unload(d, a, &err));
    cr_expect_null(rp_host(d, in_a.address, 4), "its variables go with a module");
    cr_expect_eq(count(d, b, to).counter, 30);
    cr_expect_not(rp_device_unload(d, a, &err), "it is gone");
    cr_expect_eq(err.status, RP_USAGE);
    struct module *c = load_text(d, "c.ptx", COUNTER("7"));
    cr_expect_eq(count(d, c, to).counter, 7);
    cr_expect_eq(count(d, b, to).counter, 40);
    cr_expect(rp_device_unload(d, b, &err) && rp_device_unload(d, c, &err));
    rp_device_free(d);
}

/* One after the other, a module lies where the one before it lay, and so may its kernel: the trace tells them apart. */
Test(modules, kernels_at_one_address_are_different_kernels)
{
    static const char *const bodies[] = {STORES("1"), STORES("%clock"),
                                         ".visible .entry nothing(.param .u64 to) { ret; }\n"};
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    struct test_trace t;
    begin_trace(&t);
    uint64_t to = rp_alloc(d, 4096, "to", &err);
    enum { TURNS = 12 };
    uint64_t executed[TURNS];
    for (int i = 0; i < TURNS; i++) {
        struct module *m = load_text(d, "turn.ptx", bodies[i % 3]);
        struct rp_launch_config config = config_of(8, 32, &to);
        config.writer = t.writer;
        executed[i] = launch(d, m, &config).warp_instructions;
        if (i % 4 == 3) /* again: the same kernel is in the trace once */
            launch(d, m, &config);
        cr_assert(rp_device_unload(d, m, &err), "%s", err.text);
    }
    end_trace(&t);
    cr_expect_eq(rp_trace_kernel_count(t.trace), TURNS);
    uint32_t launches = 0;
    for (int i = 0; i < TURNS; i++)
        for (int again = 0; again <= (i % 4 == 3); again++, launches++) {
            const struct rp_kernel *k = rp_trace_kernel(t.trace, rp_trace_launch(t.trace, launches)->kernel);
            cr_expect_str_eq(k->name, i % 3 == 2 ? "nothing" : "stores");
            cr_expect_eq(rp_trace_launch_totals(t.trace, launches).warp_instructions, executed[i]);
        }
    cr_expect_eq(rp_trace_launch_count(t.trace), launches);
    free_trace(&t);
    rp_device_free(d);
}

Test(modules, many_come_and_go)
{
    struct rp_error err = {0};
    struct rp_device *d = new_device();
    uint64_t to = rp_alloc(d, sizeof(struct answer), "to", &err);
    struct module *loaded[8] = {0};
    for (int i = 0; i < 100; i++) {
        struct module **at = &loaded[i * 5 % 8];
        cr_assert(!*at || rp_device_unload(d, *at, &err), "%s", err.text);
        *at = load_text(d, "m.ptx", i % 2 ? COUNTER("1") : COUNTER("2"));
        cr_assert_eq(count(d, *at, to).counter, i % 2 ? 1 : 2);
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < j; k++)
                cr_assert(!loaded[j] || !loaded[k] || module_base(loaded[j]) != module_base(loaded[k]));
    }
    rp_device_free(d);
}

Test(modules, a_kernel_of_another_device_is_refused)
{
    struct rp_error err = {0};
    struct rp_device *d = new_device(), *other = new_device();
    struct module *m = load_text(other, "m.ptx", ".visible .entry k() { ret; }\n");
    struct rp_launch_config config = config_of(1, 1, NULL);
    struct rp_launch_result result;
    cr_expect_not(rp_launch_kernel(d, module_find(m, NULL, &err), &config, &result, &err));
    cr_expect_eq(err.status, RP_USAGE);
    rp_device_free(d);
    rp_device_free(other);
}
