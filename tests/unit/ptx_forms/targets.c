/* The least target of each form but those of matrices and images: NVIDIA's ptxas takes it from there on, and not
 * before.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/isa/ptx/check.h"
#include "tests/support/form_walk.h"

enum { LINES = 120000, FORMS_AT_LEAST = 15000, NEWEST = 100 };

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

/* {%r0,%r1}, as many as the form has; one alone has no braces. */
static void write_vector(FILE *to, const struct ptx_modifiers *mods, const char *class)
{
    unsigned count = mods_have(mods, M_V8) ? 8 : mods_have(mods, M_V4) ? 4 : mods_have(mods, M_V2) ? 2 : 1;
    for (unsigned i = 0; i < count; i++)
        fprintf(to, "%s%%%s%u", i ? "," : count > 1 ? "{" : "", class, i);
    fputs(count > 1 ? "}" : "", to);
}

/* [map, {coordinates}] */
static void write_box(FILE *to, const char *spelling)
{
    unsigned dimensions = 1;
    while (dimensions < 5 && !strstr(spelling, (char[]){'.', (char)('0' + dimensions), 'd', 0}))
        dimensions++;
    for (unsigned i = 0; i < dimensions; i++)
        fprintf(to, "%s%%r%u", i ? "," : "[%d5, {", i);
    fputs("}]", to);
}

static unsigned constant_of(const struct ptx_form *f)
{
    switch (f->lowering) {
    case LOW_COPY:
    case LOW_STACK: return 16;
    case LOW_PREFETCH:
    case LOW_FENCE:
    case LOW_MAP_COPY: return 128;
    case LOW_LANES: return 77;
    default: return 1;
    }
}

static void write_operand(FILE *to, const struct spelled *s, uint32_t i)
{
    const struct operand_form *o = &s->form->operands[i];
    const char *class = class_of(ptx_operand_type(o, &s->mods));
    bool mask = mods_have(&s->mods, M_MULTICAST), hint = mods_have(&s->mods, M_L2_HINT);
    if (i >= s->operands - mask - hint)
        fputs(mask && i + 1 + hint == s->operands ? "%h1" : "%d9", to);
    else if (o->role == 'i')
        fprintf(to, "%u", constant_of(s->form));
    else if (o->role == 'q' || o->role == 'p')
        fputs(o->pair ? "%p1|%p2" : "%p1", to);
    else if (o->role == 'm')
        fprintf(to, "[%%d%u]", i);
    else if (o->role == 'x' && (s->form->lowering == LOW_TENSOR || s->form->lowering == LOW_NOTHING))
        write_box(to, s->text);
    else if (o->typing == 'v')
        write_vector(to, &s->mods, class);
    else
        fprintf(to, o->pair ? "%%%s%u|%%p1" : "%%%s%u", o->typing == 'n' ? "d" : class, i);
}

/* Needs a later target than the one without a count, which the table does not say. */
static bool is_counted_arrival(const struct spelled *s)
{
    return s->form->lowering == LOW_OBJECT && s->operands == 3 && !mods_have(&s->mods, M_NO_COMPLETE);
}

static void add_form(const struct spelled *s, void *data)
{
    struct sheet *sheet = data;
    struct operand_range range = ptx_operand_range(s->form, &s->mods);
    char text[600] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    cr_assert(to);
    fputs(s->text, to);
    for (uint32_t i = 0; i < s->operands; i++) {
        fputs(i ? ", " : " ", to);
        write_operand(to, s, i);
    }
    fclose(to);
    if (s->operands < range.least || s->operands > range.most || is_counted_arrival(s))
        return;
    cr_assert(sheet->count < LINES);
    sheet->least[sheet->count] = ptx_least_target(s->form, &s->mods);
    sheet->text[sheet->count++] = strdup(text);
}

static void add_row(const struct ptx_form *f, void *sheet)
{
    static const uint8_t others[] = {
        LOW_NONE,         LOW_MMA,           LOW_WGMMA,       LOW_WARPGROUP,      LOW_WMMA_LOAD,
        LOW_WMMA_STORE,   LOW_LDMATRIX,      LOW_STMATRIX,    LOW_MOVMATRIX,      LOW_TEXTURE,
        LOW_SURFACE_LOAD, LOW_SURFACE_STORE, LOW_IMAGE_QUERY, LOW_SURFACE_REDUCE, LOW_CALL,
        LOW_BRANCH,       LOW_BRANCH_TABLE,  LOW_MAP_FIELD,   LOW_EXIT,           LOW_RETURN,
        LOW_TRAP};
    bool old = strcmp(f->opcode, "shfl") == 0 || strcmp(f->opcode, "vote") == 0; /* without .sync: up to sm_62 */
    if (!old && !memchr(others, f->lowering, sizeof others))
        walk_row(f, f->lowering != LOW_LOAD && f->lowering != LOW_STORE, add_form, sheet);
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
