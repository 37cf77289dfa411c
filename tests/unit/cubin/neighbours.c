/* An element past the end of a variable belongs to nobody, also where another variable follows: in PTX for all spaces;
 * in a cubin for global memory, and where the symbols of constant memory show padding. Shared arrays of a cubin and its
 * constants lie where ptxas put them, without symbols or gaps. */
#include <criterion/criterion.h>
#include <string.h>

#include "frontend/host/launch.h"

#define PTX "tests/golden/cubin/neighbours.ptx"
#define CUBIN "tests/golden/cubin/neighbours.cubin"
enum which { FIRST, SECOND, CONSTANT, BYTES, SHARED, POINTER };

/* Runs the kernel; the value that it stores, or 0 and the report in *err. */
static uint32_t run(const char *path, enum which which, int32_t index, struct rp_error *err)
{
    struct rp_device *c = rp_device_new(err);
    struct module *m = rp_device_load(c, path, err);
    cr_assert_not_null(m, "%s", err->text);
    struct program *p = module_find(m, "neighbours", err);
    cr_assert_not_null(p, "%s", err->text);
    cr_expect_eq(p->static_shared, 32, "gaps do not count");
    struct {
        uint64_t out;
        uint32_t which;
        int32_t index;
    } params = {rp_alloc(c, 4, "out", err), which, index};
    struct rp_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = &params, .threads = 1};
    struct rp_launch_result result;
    uint32_t value = 0;
    if (rp_launch_kernel(c, p, &config, &result, err))
        memcpy(&value, rp_host(c, params.out, 4), 4);
    else
        cr_assert_eq(result.fault, RP_FAULT_BOUNDS, "%s", err->text);
    rp_device_free(c);
    return value;
}

/* The element at `index` makes the kernel store `value`. */
static void reads(const char *path, enum which which, int32_t index, uint32_t value)
{
    struct rp_error err = {0};
    cr_expect_eq(run(path, which, index, &err), value, "%s %d[%d]: %s", path, which, index, err.text);
}
static void faults(const char *path, enum which which, int32_t index, const char *text)
{
    struct rp_error err = {0};
    cr_expect_eq(run(path, which, index, &err), 0, "%s %d[%d] is no fault", path, which, index);
    cr_expect_not_null(strstr(err.text, text), "%s %d[%d]: '%s' lacks '%s'", path, which, index, err.text, text);
}

/* What is added to the element: c2[0] and s1[0], which is `which`. */
#define ADDED(which) (16 + (which))

static void check_all_of(const char *path)
{
    reads(path, FIRST, 3, 4 + ADDED(FIRST));
    reads(path, SECOND, 3, 0 + ADDED(SECOND));
    reads(path, CONSTANT, 3, 12 + ADDED(CONSTANT));
    reads(path, BYTES, 2, 15 + ADDED(BYTES));
    reads(path, SHARED, 0, 20 + ADDED(SHARED));
    reads(path, POINTER, 2, 8 + ADDED(POINTER));
    reads(path, POINTER, -1, 5 + ADDED(POINTER));
    faults(path, FIRST, 4, "0 bytes past the end of g0 (16 bytes)");
    faults(path, SECOND, 4, "store of 4 bytes");
    faults(path, SECOND, 4, "0 bytes past the end of g2 (16 bytes)");
    faults(path, BYTES, 3, "0 bytes past the end of c1 (3 bytes)");
    faults(path, POINTER, 3, "0 bytes past the end of g1 (16 bytes)");
    faults(path, POINTER, -2, "4 bytes before g1 (16 bytes)");
}

Test(neighbours, in_ptx)
{
    check_all_of(PTX);
    faults(PTX, FIRST, 7, "12 bytes past the end of g0 (16 bytes)");
    faults(PTX, CONSTANT, 4, "0 bytes past the end of c0 (16 bytes)");
    faults(PTX, SHARED, 4, "0 bytes past the end of s0 (16 bytes)");
    faults(PTX, SHARED, 6, "8 bytes past the end of s0 (16 bytes)");
    faults(PTX, SHARED, -1, "there are 32 bytes of shared memory");
}
Test(neighbours, in_a_cubin)
{
    check_all_of(CUBIN);
    faults(CUBIN, SHARED, 8, "there are 32 bytes of shared memory");
}
