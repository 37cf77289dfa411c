/* The least target of each form that computes in registers: NVIDIA's ptxas takes it from there on, and not before. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/isa/ptx/check.h"
#include "tests/support/form_walk.h"

enum { LINES = 50000, FORMS_AT_LEAST = 6500, NEWEST = 100 };

/* Instructions, one a line; those that ptxas refuses for a target. */
struct sheet {
    char *text[LINES];
    unsigned least[LINES], count;
    bool taken[LINES]; /* for sm_100 */
};

static const char *class_of(enum ptx_type t)
{
    unsigned bits = ptx_types[t].bits;
    if (t == PT_PRED || t == PT_F32 || t == PT_F64)
        return t == PT_PRED ? "p" : t == PT_F32 ? "f" : "g";
    return bits <= 16 ? "h" : bits == 32 ? "r" : bits == 64 ? "d" : "q";
}

static void add_form(const struct spelled *s, void *data)
{
    struct sheet *sheet = data;
    char text[400];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", s->text);
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        const char *class = class_of(ptx_operand_type(o, &s->mods)), *comma = i ? "," : "";
        if (o->role == 'i')
            n += (size_t)snprintf(text + n, sizeof text - n, "%s 77", comma);
        else if (o->role == 'q' || o->role == 'p')
            n += (size_t)snprintf(text + n, sizeof text - n, o->pair ? "%s %%p1|%%p2" : "%s %%p1", comma);
        else
            n += (size_t)snprintf(text + n, sizeof text - n, o->pair ? "%s %%%s%u|%%p1" : "%s %%%s%u", comma, class, i);
    }
    cr_assert(sheet->count < LINES);
    sheet->least[sheet->count] = ptx_least_target(s->form, &s->mods);
    sheet->text[sheet->count++] = strdup(text);
}

static void add_row(const struct ptx_form *f, void *sheet)
{
    bool old = strcmp(f->opcode, "shfl") == 0 || strcmp(f->opcode, "vote") == 0; /* without .sync: up to sm_62 */
    if (!old && (f->lowering == LOW_LANES || f->lowering == LOW_CONVERT || f->lowering == LOW_CARRY ||
                 f->lowering == LOW_VIDEO || f->lowering == LOW_VIDEO_SIMD || f->lowering == LOW_CVTA ||
                 f->lowering == LOW_MOVE))
        walk_row(f, true, add_form, sheet);
}

static unsigned write_sheet(const struct sheet *s, FILE *f, unsigned sm)
{
    unsigned head = 5;
    fprintf(f,
            ".version 8.8\n.target sm_%u\n.address_size 64\n.visible .entry k() { .reg .pred %%p<10>;\n"
            ".reg .b16 %%h<10>; .reg .b32 %%r<10>; .reg .b64 %%d<10>; .reg .f32 %%f<10>; .reg .f64 %%g<10>; .reg .b128 "
            "%%q<10>;\n",
            sm);
    for (unsigned i = 0; i < s->count; i++)
        fprintf(f, sm == NEWEST || s->taken[i] ? "%s;\n" : "// %s\n", s->text[i]);
    fprintf(f, "ret; }\n");
    return head;
}

/* refused[i]: ptxas does not take line i for the target. */
static void assemble(const struct sheet *s, const char *ptxas, unsigned sm, bool *refused)
{
    char ptx[40] = "/tmp/reprise-targets-XXXXXX", command[700], line[500];
    FILE *f = fdopen(mkstemp(ptx), "w");
    cr_assert(f);
    unsigned head = write_sheet(s, f, sm), number;
    fclose(f);
    snprintf(command, sizeof command, "%s -w -O0 -arch=sm_%u -o /dev/null %s 2>&1", ptxas, sm, ptx);
    memset(refused, 0, LINES * sizeof *refused);
    FILE *said = popen(command, "r");
    cr_assert(said);
    while (fgets(line, sizeof line, said)) {
        const char *at = strstr(line, ", line ");
        if (at && strstr(line, "error") && sscanf(at, ", line %u", &number) == 1 && number > head &&
            number - head <= s->count)
            refused[number - head - 1] = true;
    }
    pclose(said);
    unlink(ptx);
}

Test(targets, are_those_of_ptxas)
{
    static const unsigned targets[] = {50, 53, 60, 61, 70, 75, 80, 86, 89, 90};
    static struct sheet sheet;
    static bool refused[LINES];
    char ptxas[500];
    unsigned forms = 0;
    snprintf(ptxas, sizeof ptxas, "%s/toolchain/12.9/ptxas", getenv("BUILD") ? getenv("BUILD") : "build");
    if (access(ptxas, X_OK))
        cr_skip_test("no %s: make toolchain fetches NVIDIA's ptxas", ptxas);
    walk_rows(add_row, &sheet);
    assemble(&sheet, ptxas, NEWEST, refused);
    for (unsigned i = 0; i < sheet.count; i++)
        forms += sheet.taken[i] = !refused[i];
    cr_expect_geq(forms, FORMS_AT_LEAST);
    for (unsigned t = 0; t < sizeof targets / sizeof *targets; t++) {
        assemble(&sheet, ptxas, targets[t], refused);
        for (unsigned i = 0; i < sheet.count; i++)
            cr_expect(!sheet.taken[i] || refused[i] == (sheet.least[i] > targets[t]), "%s: sm_%u, here from sm_%u on",
                      sheet.text[i], targets[t], sheet.least[i]);
    }
    for (unsigned i = 0; i < sheet.count; i++)
        free(sheet.text[i]);
}
