/* Live registers of every instruction against the column of nvdisasm -lrm count, for the test kernels in six variants,
 * one of them of what clang -O0 makes. All kernels of a variant are one file, as nvdisasm takes half a second to start.
 * FULL=1: each file of each variant. */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/core/program.h"
#include "tests/support/full.h"
#include "tests/support/toolchain.h"
#include "tracefmt/error.h"

struct row {
    uint64_t address;
    unsigned registers, predicates;
};

static const char *build_folder(void)
{
    const char *build = getenv("BUILD");
    return build ? build : "build";
}

static struct module *load(const char *path)
{
    FILE *f = fopen(path, "rb");
    static char bytes[4 << 20];
    struct rp_error err;
    cr_assert(f, "%s", path);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    cr_assert(size < sizeof bytes && !fclose(f), "%s", path);
    struct module *m = module_load_bytes(path, bytes, size, 0, &err);
    cr_assert(m, "%s", err.text);
    return m;
}

/* The address stands in a comment at the beginning of the line, the counts behind slashes at its end, each between
 * two bars; a blank is 0. */
static bool parse(const char *line, struct row *r)
{
    const char *slot = strstr(line, "// |"), *address = strstr(line, "/*");
    char *end;
    if (!slot || !address || address > slot || strspn(line, " ") != (size_t)(address - line))
        return false;
    r->address = strtoull(address + 2, &end, 16);
    if (strncmp(end, "*/", 2) != 0)
        return false;
    r->registers = (unsigned)strtoul(slot + 4, &end, 10);
    slot = strchr(slot + 4, '|');
    r->predicates = slot ? (unsigned)strtoul(slot + 1, NULL, 10) : 0;
    return true;
}

/* Whether nvdisasm's count of live registers is ours. Calls overwrite registers up to the highest one that a kernel of
 * the file has. We look at the kernel alone, and the file says up to two more than its code names. */
static bool equal_registers(const struct rp_instruction *in, unsigned ours, unsigned theirs)
{
    return ours == theirs || (in->raw_size == 16 && in->flags & RP_CALL && ours < theirs && theirs <= ours + 2);
}

/* The kernel's number of instructions that were compared. */
static unsigned compare(const struct program *p, const char *path, FILE *nvidia, char line[], int room)
{
    unsigned n = 0;
    struct row r;
    while (fgets(line, room, nvidia) && strncmp(line, "//---", 5) != 0) {
        if (!parse(line, &r))
            continue;
        for (; n < p->kernel.instruction_count && p->kernel.instructions[n].pc < r.address; n++)
            ;
        if (n == p->kernel.instruction_count) /* padding */
            continue;
        const struct rp_instruction *in = &p->kernel.instructions[n];
        const struct rp_live *live = &p->kernel.live[n];
        cr_assert_eq(in->pc, r.address, "%s: %s", path, p->name);
        cr_assert(equal_registers(in, live->registers, r.registers), "%s: %s at 0x%" PRIx64 ", %s: %u instead of %u",
                  path, p->name, in->pc, in->text, live->registers, r.registers);
        /* where a call overwrites all of them, nvdisasm counts those of the file's other kernels, too; and it does not
         * see what P2R of sm_70 and later reads */
        bool call = in->flags & RP_CALL || (in->flags & RP_BRANCH && live->predicates < r.predicates);
        if (in->raw_size == 16 && strstr(in->text, "P2R "))
            continue;
        cr_assert(call ? live->predicates <= r.predicates : live->predicates == r.predicates,
                  "%s: %s at 0x%" PRIx64 ", %s: %u predicates instead of %u", path, p->name, in->pc, in->text,
                  live->predicates, r.predicates);
    }
    return n;
}

/* All kernels of a cubin; returns how many. */
static unsigned compare_file(const char *path)
{
    static char line[4096];
    char command[512];
    unsigned kernels = 0;
    struct module *m = load(path);
    snprintf(command, sizeof command, "%s/toolchain/12.3/nvdisasm -lrm count -c %s", build_folder(), path);
    FILE *nvidia = popen(command, "r");
    cr_assert(nvidia, "%s", command);
    *line = 0;
    bool more = fgets(line, sizeof line, nvidia);
    while (more) {
        char *name = strncmp(line, "//---", 5) ? NULL : strstr(line, ".text.");
        if (!name) {
            more = fgets(line, sizeof line, nvidia);
            continue;
        }
        struct rp_error err;
        name[6 + strcspn(name + 6, " ")] = 0;
        struct program *p = module_find(m, name + 6, &err);
        cr_assert(p, "%s", err.text);
        cr_assert(p->kernel.live, "%s: %s: live registers are not known", path, p->name);
        cr_assert(compare(p, path, nvidia, line, sizeof line), "%s: %s: nothing to compare", path, p->name);
        more = !feof(nvidia);
        kernels++;
    }
    cr_assert_eq(pclose(nvidia), 0, "%s", command);
    cr_expect_eq(kernels, m->program_count, "%s", path);
    module_free(m);
    return kernels;
}

/* All files of a pattern; returns how many kernels they have. */
static unsigned compare_files(const char *pattern)
{
    char path[512];
    unsigned kernels = 0;
    glob_t found;
    snprintf(path, sizeof path, "%s/cubin/%s.cubin", build_folder(), pattern);
    cr_assert_eq(glob(path, 0, NULL, &found), 0, "%s", path);
    for (size_t f = 0; f < found.gl_pathc; f++) {
        unsigned n = compare_file(found.gl_pathv[f]);
        cr_assert(n, "%s: no kernel", found.gl_pathv[f]);
        kernels += n;
    }
    globfree(&found);
    return kernels;
}

Test(live, equals_nvdisasm)
{
    unsigned kernels;
    need_toolchain();
    if (full_sweep()) {
        kernels = compare_files("*") + compare_files("O0/*");
        cr_expect(kernels >= 1500, "%u kernels", kernels);
    } else {
        kernels = compare_files("all/*");
        cr_expect(kernels >= 300, "%u kernels", kernels);
    }
}
