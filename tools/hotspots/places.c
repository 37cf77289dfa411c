#include "tools/hotspots/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/names.h"
#include "tools/ui/no_memory.h"

static const char *const kinds[] = {"instruction", "line", "function", "subcore"};

bool place_kind(const char *name, bool subcores, enum place_kind *kind, struct rp_error *err)
{
    for (unsigned i = 0; i < MODEL_COUNT_OF(kinds) - !subcores; i++)
        if (!strcmp(name, kinds[i])) {
            *kind = (enum place_kind)i;
            return true;
        }
    return rp_fail(err, RP_USAGE, "--by %s: give instruction, line%s", name,
                   subcores ? ", function, subcore or unit" : " or function");
}

const char *place_kind_name(enum place_kind kind) { return kinds[kind]; }

const char *place_title(enum place_kind kind) { return kind == BY_SUBCORE ? "sub-core" : kinds[kind]; }

/* ---- grouping ---------------------------------------------------------------------------------------------------- */

/* An instruction, for sorting into groups. */
struct item {
    struct place place;
    uint32_t kernel, index;
};

static const char *file_of(const struct place *p)
{
    return p->instruction->line ? p->kernel->files[p->instruction->file] : "";
}

static int by_order(const struct item *a, const struct item *b)
{
    return a->kernel != b->kernel ? (a->kernel > b->kernel) - (a->kernel < b->kernel)
                                  : (a->index > b->index) - (a->index < b->index);
}

/* 0: the same line, or both have none and the kernels have one name. */
static int by_line(const struct item *a, const struct item *b)
{
    uint32_t la = a->place.instruction->line, lb = b->place.instruction->line;
    int order = strcmp(file_of(&a->place), file_of(&b->place));
    if (!order)
        order = (la > lb) - (la < lb);
    return order || la ? order : strcmp(a->place.kernel->name, b->place.kernel->name);
}

static int by_function(const struct item *a, const struct item *b)
{
    int order = strcmp(a->place.kernel->name, b->place.kernel->name);
    return order ? order
                 : strcmp(source_function(a->place.kernel, a->place.instruction),
                          source_function(b->place.kernel, b->place.instruction));
}

static int (*const orders[])(const struct item *, const struct item *) = {by_order, by_line, by_function};

#define SORT(kind)                                                                                                     \
    static int sort_##kind(const void *a, const void *b)                                                               \
    {                                                                                                                  \
        int order = by_##kind(a, b);                                                                                   \
        return order ? order : by_order(a, b);                                                                         \
    }
SORT(order)
SORT(line)
SORT(function)
static int (*const sorts[])(const void *, const void *) = {sort_order, sort_line, sort_function};

static void note_calls(struct place *group, const struct place *one)
{
    group->several_calls |= !source_calls_equal(group->kernel, group->instruction, one->kernel, one->instruction);
}

/* Numbers the groups of a sorted list; equal items are adjacent. */
static void number(struct places *p, struct item *items, size_t count)
{
    qsort(items, count, sizeof *items, sorts[p->kind]);
    for (size_t i = 0; i < count; i++) {
        if (!i || orders[p->kind](&items[i - 1], &items[i]))
            p->list[p->count++] = items[i].place;
        note_calls(&p->list[p->count - 1], &items[i].place);
        p->of[items[i].kernel][items[i].index] = (uint32_t)(p->count - 1);
    }
    p->list[p->count++] = (struct place){0};
}

static bool group(struct places *p, const struct rp_trace *t)
{
    size_t all = 0, filled = 0;
    for (uint32_t k = 0; k < p->kernel_count; k++) {
        const struct rp_kernel *kernel = rp_trace_kernel(t, k);
        all += kernel->instruction_count;
        if (!(p->of[k] = calloc((size_t)kernel->instruction_count + 1, sizeof **p->of)))
            return false;
    }
    struct item *items = calloc(all + 1, sizeof *items);
    p->list = calloc(all + 1, sizeof *p->list);
    for (uint32_t k = 0; items && k < p->kernel_count; k++) {
        const struct rp_kernel *kernel = rp_trace_kernel(t, k);
        for (uint32_t i = 0; i < kernel->instruction_count; i++)
            items[filled++] = (struct item){{kernel, &kernel->instructions[i], false}, k, i};
    }
    bool fine = items && p->list;
    if (fine)
        number(p, items, all);
    free(items);
    return fine;
}

struct places *places_new(const struct rp_trace *t, enum place_kind kind, uint32_t subcores, struct rp_error *err)
{
    struct places *p = calloc(1, sizeof *p);
    bool fine = p;
    if (fine) {
        p->kind = kind;
        p->kernel_count = rp_trace_kernel_count(t);
        p->other_kernels = p->kernel_count > 1;
        p->of = calloc((size_t)p->kernel_count + 1, sizeof *p->of);
        p->count = kind == BY_SUBCORE ? subcores : 0;
        fine = p->of && (kind == BY_SUBCORE || group(p, t));
    }
    if (fine)
        return p;
    places_free(p);
    rp_fail(err, RP_SYSTEM, "out of memory for the instructions of %s", rp_trace_path(t));
    return NULL;
}

void places_free(struct places *p)
{
    for (uint32_t k = 0; p && p->of && k < p->kernel_count; k++)
        free(p->of[k]);
    if (p) {
        free(p->of);
        free(p->list);
    }
    free(p);
}

struct profile_row *places_sum(const struct places *p, const struct profile *of, struct rp_error *err)
{
    struct profile_row *rows = calloc(p->count ? p->count : 1, sizeof *rows);
    if (!rows) {
        rp_fail(err, RP_SYSTEM, "out of memory for the counts of instructions");
        return NULL;
    }
    for (size_t i = 0; p->kind == BY_SUBCORE && i < p->count; i++)
        rows[i] = of->subcores[i];
    for (uint32_t k = 0; p->kind != BY_SUBCORE && k < of->kernel_count; k++) {
        for (uint32_t i = 0; i < of->kernels[k].count; i++)
            profile_row_add(&rows[p->of[k][i]], &of->kernels[k].rows[i]);
        profile_row_add(&rows[p->count - 1], &of->kernels[k].rows[of->kernels[k].count]);
    }
    return rows;
}

/* ---- showing ----------------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void function_name(const struct place *at, FILE *to)
{
    char plain[PLAIN_NAME];
    const char *function = source_function(at->kernel, at->instruction);
    fputs(plain_kernel_name(function, plain), to);
    if (function != at->kernel->name)
        fprintf(to, " in %s", plain_kernel_name(at->kernel->name, plain));
}

static void line_name(const struct place *at, FILE *to)
{
    char plain[PLAIN_NAME];
    if (at->instruction->line)
        fprintf(to, "%s:%" PRIu32, base_name(file_of(at)), at->instruction->line);
    else
        fprintf(to, "%s, no line", plain_kernel_name(at->kernel->name, plain));
}

static void instruction_name(const struct places *p, const struct place *at, FILE *to)
{
    char plain[PLAIN_NAME];
    if (p->other_kernels)
        fprintf(to, "%s ", plain_kernel_name(at->kernel->name, plain));
    fprintf(to, "%04" PRIx64 " ", at->instruction->pc);
    print_plain_names(at->instruction->text, to);
}

/* A text that is written as a file is, and then cut. */
struct written {
    FILE *to;
    char *text;
    size_t size;
};

static FILE *begin_text(struct written *w)
{
    *w = (struct written){0};
    if (!(w->to = open_memstream(&w->text, &w->size)))
        no_memory();
    return w->to;
}

static void end_text(struct written *w, char out[PLACE_TEXT])
{
    bool failed = ferror(w->to);
    if (fclose(w->to) || failed || !w->text)
        no_memory();
    snprintf(out, PLACE_TEXT, "%s", w->text);
    free(w->text);
}

const char *place_name(const struct places *p, size_t number, int64_t subcores, char out[PLACE_TEXT])
{
    if (p->kind == BY_SUBCORE) {
        snprintf(out, PLACE_TEXT, "SM %" PRIu64 ", sub-core %" PRIu64, (uint64_t)number / (uint64_t)subcores,
                 (uint64_t)number % (uint64_t)subcores);
        return out;
    }
    const struct place *at = &p->list[number];
    if (!at->kernel)
        return strcpy(out, "(warps had ended)");
    struct written w;
    FILE *to = begin_text(&w);
    if (p->kind == BY_FUNCTION)
        function_name(at, to);
    else if (p->kind == BY_LINE)
        line_name(at, to);
    else
        instruction_name(p, at, to);
    end_text(&w, out);
    return out;
}

const char *place_source(const struct places *p, size_t number, struct source_files *files, char out[PLACE_TEXT])
{
    *out = 0;
    const struct place *at = p->kind == BY_SUBCORE ? NULL : &p->list[number];
    if (!at || !at->kernel || p->kind == BY_FUNCTION || !at->instruction->line)
        return out;
    const char *text = source_text_of(files, file_of(at), at->instruction->line);
    struct written w;
    FILE *to = begin_text(&w);
    if (p->kind != BY_LINE)
        fprintf(to, "%s:%" PRIu32, base_name(file_of(at)), at->instruction->line);
    if (at->several_calls)
        fputs(", in several calls", to);
    else
        print_source_calls(at->kernel, at->instruction, print_plain_names, base_name, to);
    fprintf(to, "%s%s", text ? "  " : "", text ? text : "");
    end_text(&w, out);
    if (p->kind == BY_LINE && *out) /* removes the leading ", " or two blanks */
        memmove(out, out + 2, strlen(out + 2) + 1);
    return out;
}

/* The text as JSON; null if there is none or it is not UTF-8. */
static json_t *text_json(const char *text)
{
    json_t *out = text ? json_string(text) : NULL;
    return out ? out : json_null();
}

static json_t *function_json(const struct place *at)
{
    json_t *out = json_object();
    json_put_kernel(out, at->kernel->name);
    json_put(out, "function", json_source_name(source_function(at->kernel, at->instruction)));
    return out;
}

json_t *place_json(const struct places *p, size_t number, int64_t subcores, struct source_files *files)
{
    if (p->kind == BY_SUBCORE)
        return json_pack("{s:I, s:I}", "sm", (json_int_t)number / subcores, "subcore", (json_int_t)number % subcores);
    const struct place *at = &p->list[number];
    if (!at->kernel)
        return json_object();
    const struct rp_instruction *in = at->instruction;
    if (p->kind == BY_FUNCTION)
        return function_json(at);
    const char *text = in->line ? source_text_of(files, file_of(at), in->line) : NULL;
    json_t *out = json_object();
    json_put_kernel(out, at->kernel->name);
    json_put(out, "file", in->line ? json_string(file_of(at)) : json_null());
    json_put(out, "line", in->line ? json_number(in->line) : json_null());
    json_put(out, "source_text", text_json(text));
    json_put(out, "source", at->several_calls ? json_null() : source_chain_json(at->kernel, in));
    if (p->kind == BY_LINE)
        return out;
    json_put(out, "index", json_number((uint64_t)(in - at->kernel->instructions)));
    json_put(out, "pc", json_number(in->pc));
    json_put(out, "text", json_string(in->text));
    return out;
}

bool places_have_lines(const struct rp_trace *t)
{
    for (uint32_t k = 0; k < rp_trace_kernel_count(t); k++) {
        const struct rp_kernel *kernel = rp_trace_kernel(t, k);
        for (uint32_t i = 0; i < kernel->instruction_count; i++)
            if (kernel->instructions[i].line)
                return true;
    }
    return false;
}
