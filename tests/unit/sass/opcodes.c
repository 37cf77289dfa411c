/* tools/accelsim/opcodes.def says of an opcode only what the instruction tables do not say. */
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/loader/isa.h"
#include "tools/accelsim/opcodes.h"

enum says { ABSENT, FLAGS, OTHER_CLASS, MEMORY, NOT_NAMED };
static const struct row {
    const char *name;
    enum says says;
    int unit_class;
} rows[] = {
#define X(name, class, flags) {#name, ABSENT, RP_CLASS_##class},
#define F(name, flags) {#name, FLAGS, -1},
#define C(name, class) {#name, OTHER_CLASS, RP_CLASS_##class},
#define M(name, space, kind) {#name, MEMORY, RP_CLASS_MEMORY},
#define N(name) {#name, NOT_NAMED, -1},
#include "tools/accelsim/opcodes.def"
};

struct search {
    const char *name;
    int unit_class; /* -1: no table has the name */
};

static void compare(void *data, const char *name, uint8_t unit_class)
{
    struct search *s = data;
    size_t n = strcspn(name, ".");
    if (s->unit_class < 0 && strlen(s->name) == n && !strncmp(name, s->name, n))
        s->unit_class = unit_class;
}

static int class_in_tables(const char *name)
{
    struct search s = {name, -1};
    isa_mnemonics(compare, &s);
    return s.unit_class;
}

Test(opcodes, no_fact_is_in_two_places)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int known = class_in_tables(rows[i].name);
        switch (rows[i].says) {
        case ABSENT: cr_expect_lt(known, 0, "%s: the instruction table has it", rows[i].name); break;
        case OTHER_CLASS: cr_expect_neq(known, rows[i].unit_class, "%s: the table says the same", rows[i].name); break;
        case MEMORY:
            cr_expect(known < 0 || known == RP_CLASS_MEMORY || known == RP_CLASS_ASYNC, "%s", rows[i].name);
            break;
        default: break;
        }
        if (rows[i].says != ABSENT && rows[i].says != MEMORY)
            cr_expect_geq(known, 0, "%s: no table has it", rows[i].name);
        for (size_t k = 0; k < i; k++)
            cr_expect_str_neq(rows[i].name, rows[k].name);
    }
}

static void count(void *data, const char *name, uint8_t unit_class)
{
    (void)unit_class;
    ++*(size_t *)data;
    cr_expect_lt(strcspn(name, "."), (size_t)OPCODE_NAME, "%s", name);
}

Test(opcodes, all_fit)
{
    size_t most = sizeof rows / sizeof *rows;
    isa_mnemonics(count, &most);
    cr_expect_leq(most, (size_t)MOST_OPCODES);
}

Test(opcodes, classes_of_mnemonics)
{
    cr_expect_eq(class_in_tables("FADD"), RP_CLASS_FP32);
    cr_expect_eq(class_in_tables("SHF"), RP_CLASS_INT, "the row is SHF.L");
    cr_expect_eq(class_in_tables("DEPBAR"), RP_CLASS_NOP);
    cr_expect_lt(class_in_tables("FAD"), 0);
}
