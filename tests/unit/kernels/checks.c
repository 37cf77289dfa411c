/* Checks find nothing in kernels that are right, whoever compiled them, and change neither results nor traces. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/check/check.h"
#include "tests/support/kernel_case.h"

/* What is found in these is there. */
static const struct {
    const char *name, *finding;
} found[] = {
    /* threads find the same node and store the same distance: both orders are right */
    {"bfs_level", "race: "},
    /* clang loads `last` before the barrier, for threads that do not use it */
    {"last_block_reduces", " of 1 byte at "},
};

static bool expected(const struct kernel_case *c, const struct rp_finding *f)
{
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (!strcmp(found[i].name, c->name) && strstr(f->text, found[i].finding))
            return true;
    return false;
}

static void expect_clean(const struct kernel_case *c, struct kernel_options o)
{
    struct rp_error err;
    o.check = rp_check_new(RP_CHECK_ALL, RP_CHECK_FINDINGS);
    cr_assert(o.check);
    bool ok = kernel_run(c, &o, NULL, &err);
    cr_expect(ok, "%s", ok ? "" : err.text);
    cr_expect(!rp_check_incomplete(o.check));
    for (size_t i = 0; i < rp_check_count(o.check); i++)
        cr_expect(expected(c, rp_check_finding(o.check, i)), "%s", rp_check_finding(o.check, i)->text);
    if (!strcmp(c->name, "bfs_level"))
        cr_expect(rp_check_count(o.check) > 0);
    rp_check_free(o.check);
}

Test(checks, kernels)
{
    for (size_t i = 0; kernel_cases[i]; i++)
        expect_clean(kernel_cases[i], (struct kernel_options){.threads = 2});
}

Test(checks, unoptimised)
{
    for (size_t i = 0; kernel_cases[i]; i++)
        expect_clean(kernel_cases[i], (struct kernel_options){.threads = 2, .unoptimised = true});
}

/* Machine code, where there is some (make toolchain). */
Test(checks, machine_code)
{
    static const char *const variants[] = {"sm_50.O3", "sm_62.O3", "sm_61.O1"};
    const char *build = getenv("BUILD");
    char path[512];
    for (size_t i = 0; kernel_cases[i]; i++)
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
            snprintf(path, sizeof path, "%s/cubin/%s.%s.cubin", build ? build : "build", kernel_cases[i]->module,
                     variants[v]);
            if (access(path, R_OK) == 0)
                expect_clean(kernel_cases[i], (struct kernel_options){.threads = 1, .cubin = variants[v]});
        }
}

static size_t read_file(const char *path, char **bytes)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s", path);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    *bytes = malloc(size + 1);
    cr_assert(*bytes && fread(*bytes, 1, size, f) == size);
    fclose(f);
    return size;
}

/* The trace of a checked launch is that of an unchecked one in the fixed order, step by step. */
Test(checks, leave_traces_as_they_are)
{
    static const char *const names[] = {"relay", "spin_lock", "last_block_reduces", "histogram_shared"};
    char directory[] = "/tmp/reprise-checks-XXXXXX", path[2][128], *bytes[2];
    cr_assert(mkdtemp(directory));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size[2];
        for (int k = 0; k < 2; k++) {
            struct rp_error err;
            struct rp_check *check = k ? rp_check_new(RP_CHECK_ALL, 1) : NULL;
            snprintf(path[k], sizeof path[k], "%s/%d.wtr", directory, k);
            cr_assert(kernel_run(kernel_case_find(names[i]), &(struct kernel_options){.trace = path[k], .check = check},
                                 NULL, &err));
            size[k] = read_file(path[k], &bytes[k]);
            unlink(path[k]);
            rp_check_free(check);
        }
        cr_expect(size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]), "%s", names[i]);
        free(bytes[0]);
        free(bytes[1]);
    }
    rmdir(directory);
}
