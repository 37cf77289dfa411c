#include "tools/record/outputs.h"
#include "tools/lib/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/json.h"
#include "tools/lib/output.h"
#include "tools/record/data_file.h"

#define SHOWN 5 /* differing elements that are printed */

/* ---- reading options --------------------------------------------------------------------------------------------- */

/* The last part of "a:b:c", from its colon on; NULL: there is none. */
static char *last_part(char *text)
{
    char *colon = strrchr(text, ':');
    return colon && colon != text ? colon : NULL;
}

/* Cuts ":f32" off the end, if it is there. */
static enum element cut_type(char *text)
{
    char *part = last_part(text);
    enum element e = part ? element_named(part + 1, strlen(part + 1)) : ELEMENT_UNKNOWN;
    if (e != ELEMENT_UNKNOWN)
        *part = 0;
    return e;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

/* "C.npy:f128": the text after a file's extension is a type, not part of the name. */
static bool no_type(const char *option, const char *path, const char *others, struct rp_error *err)
{
    const char *part = strrchr(path, ':'), *slash = strrchr(path, '/');
    const char *dot = part ? memchr(slash ? slash : path, '.', (size_t)(part - (slash ? slash : path))) : NULL;
    if (!part || part < slash || !dot || strchr(part, '.'))
        return false;
    rp_fail(err, RP_USAGE, "%s: '%.40s' is no type%s; there are " ELEMENT_NAMES, option, part + 1, others);
    return true;
}

bool plan_add_save(struct plan *p, size_t buffer, const char *text, struct rp_error *err)
{
    struct plan_save *s = plan_grow((void **)&p->saves, &p->save_count, sizeof *s);
    *s = (struct plan_save){.buffer = buffer, .path = plan_copy(text)};
    s->element = cut_type(s->path);
    if (no_type("--save", s->path, "", err))
        return false;
    s->form = npy_is_named(s->path) ? SAVE_NPY : has_ending(s->path, ".txt") || s->element ? SAVE_TEXT : SAVE_BYTES;
    return *s->path || rp_fail(err, RP_USAGE, "--save: a file is missing");
}

bool plan_add_print(struct plan *p, size_t buffer, const char *text, struct rp_error *err)
{
    struct plan_print *s = plan_grow((void **)&p->prints, &p->print_count, sizeof *s);
    char *copy = plan_copy(text), *count = strchr(copy, ':');
    *s = (struct plan_print){.buffer = buffer, .count = 16};
    if (count)
        *count++ = 0;
    s->element = element_named(copy, strlen(copy));
    bool ok =
        s->element || !*copy || rp_fail(err, RP_USAGE, "--print: '%.40s' is no type; there are " ELEMENT_NAMES, copy);
    ok = ok && (!count || read_size(count, UINT64_MAX, "--print", &s->count, err));
    free(copy);
    return ok;
}

static bool read_bound(const char *text, double *bound, struct rp_error *err)
{
    char *end;
    *bound = strtod(text, &end);
    return (*text && !*end && *bound >= 0 && !isinf(*bound)) ||
           rp_fail(err, RP_USAGE, "--expect: '%.40s' is not a number from 0", text);
}

/* Reads ":ulp=4", ":abs=1e-6" or ":rel=1e-3"; *is: whether the part is one of these. */
static bool read_tolerance(struct plan_expect *e, const char *part, bool *is, struct rp_error *err)
{
    *is = true;
    if (!strncmp(part, "ulp=", 4))
        return read_number(part + 4, UINT64_MAX - 1, "--expect ulp", &e->ulp, err);
    if (!strncmp(part, "abs=", 4))
        return read_bound(part + 4, &e->absolute, err);
    if (!strncmp(part, "rel=", 4))
        return read_bound(part + 4, &e->relative, err);
    return !(*is = false);
}

bool plan_add_expect(struct plan *p, size_t buffer, const char *text, struct rp_error *err)
{
    struct plan_expect *e = plan_grow((void **)&p->expects, &p->expect_count, sizeof *e);
    *e = (struct plan_expect){.buffer = buffer, .path = plan_copy(text)};
    for (char *part; (part = last_part(e->path));) {
        bool is;
        if (!read_tolerance(e, part + 1, &is, err))
            return false;
        enum element type = is ? e->element : cut_type(e->path);
        if (!is && !type)
            break;
        e->element = type;
        *part = 0;
    }
    if (no_type("--expect", e->path, " and no ulp=K, abs=X or rel=X", err))
        return false;
    size_t n = strlen(e->path);
    e->within = plan_copy(n < strlen(text) ? text + n + 1 : "");
    return *e->path || rp_fail(err, RP_USAGE, "--expect: a file is missing");
}

/* ---- before the run ---------------------------------------------------------------------------------------------- */

/* The type of a buffer's contents. For zeros and plain bytes: the type of all buffers whose type is known. */
static enum element type_of(const struct plan *p, size_t buffer)
{
    enum element all = p->buffers[buffer].element;
    if (all)
        return all;
    for (size_t i = 0; i < p->buffer_count; i++) {
        enum element one = p->buffers[i].element;
        if (one && all && one != all)
            return ELEMENT_UNKNOWN;
        all = one ? one : all;
    }
    return all;
}

static bool whole_elements(const struct plan *p, size_t buffer, enum element e, const char *option,
                           struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[buffer];
    return b->bytes % element_width(e) == 0 ||
           rp_fail(err, RP_USAGE, "%s: %s has %" PRIu64 " bytes, which are not a whole number of %s", option, b->name,
                   b->bytes, element_name(e));
}

bool output_prepare_save(const struct plan *p, struct plan_save *s, struct rp_error *err)
{
    if (s->form == SAVE_BYTES)
        return true;
    if (!s->element && !(s->element = type_of(p, s->buffer)))
        return rp_fail(err, RP_USAGE,
                       "--save %s: the type of %s is not known; write %s:f32, or another of " ELEMENT_NAMES, s->path,
                       p->buffers[s->buffer].name, s->path);
    return whole_elements(p, s->buffer, s->element, "--save", err);
}

/* The type of the elements of a plain file is that of the option or of the buffer; a .npy file has its own. */
static bool expected_type(const struct plan *p, struct plan_expect *e, const struct data_file *f, struct rp_error *err)
{
    if (f->npy.element && e->element && f->npy.element != e->element)
        return rp_fail(err, RP_BAD_INPUT, "--expect %s: holds %s, not %s", e->path, element_name(f->npy.element),
                       element_name(e->element));
    if (f->npy.element)
        e->element = f->npy.element;
    if (!e->element)
        e->element = type_of(p, e->buffer);
    return e->element || rp_fail(err, RP_USAGE,
                                 "--expect %s: the type of %s is not known; write %s:f32, or another of " ELEMENT_NAMES,
                                 e->path, p->buffers[e->buffer].name, e->path);
}

static bool prepare_print(const struct plan *p, struct plan_print *s, struct rp_error *err)
{
    if (!s->element && !(s->element = type_of(p, s->buffer)))
        return rp_fail(err, RP_USAGE, "--print: the type of %s is not known; write N=f32, or another of " ELEMENT_NAMES,
                       p->buffers[s->buffer].name);
    return whole_elements(p, s->buffer, s->element, "--print", err);
}

/* Reads expected values from text, one element per line, as --save writes it. */
static bool prepare_text(const struct plan *p, struct plan_expect *e, struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[e->buffer];
    struct data_file f = {0};
    if (!expected_type(p, e, &f, err) || !whole_elements(p, e->buffer, e->element, "--expect", err))
        return false;
    if (!(e->reference = malloc(b->bytes)))
        return rp_fail(err, RP_SYSTEM, "out of memory for '%s'", e->path);
    return text_file_read(e->path, "--expect", e->element, b->bytes / element_width(e->element), e->reference, err);
}

static bool prepare_expect(const struct plan *p, struct plan_expect *e, struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[e->buffer];
    if (has_ending(e->path, ".txt"))
        return prepare_text(p, e, err);
    struct data_file f;
    if (!data_file_open(&f, e->path, "--expect", err))
        return false;
    bool ok = expected_type(p, e, &f, err) && whole_elements(p, e->buffer, e->element, "--expect", err);
    if (ok && f.bytes != b->bytes)
        ok = rp_fail(err, RP_BAD_INPUT, "--expect %s: holds %" PRIu64 " bytes, but %s has %" PRIu64, e->path, f.bytes,
                     b->name, b->bytes);
    if (ok && !(e->reference = malloc(f.bytes)))
        ok = rp_fail(err, RP_SYSTEM, "out of memory for '%s'", e->path);
    if (ok)
        return data_file_read(&f, e->path, e->reference, err);
    data_file_close(&f);
    return false;
}

bool outputs_prepare(struct plan *p, struct rp_error *err)
{
    for (size_t i = 0; i < p->save_count; i++)
        if (!output_prepare_save(p, &p->saves[i], err))
            return false;
    for (size_t i = 0; i < p->print_count; i++)
        if (!prepare_print(p, &p->prints[i], err))
            return false;
    for (size_t i = 0; i < p->expect_count; i++)
        if (!prepare_expect(p, &p->expects[i], err))
            return false;
    return true;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static void write_elements(const struct plan_buffer *b, const struct plan_save *s, const uint8_t *bytes, FILE *to)
{
    char text[2 * NPY_SHAPE];
    size_t width = element_width(s->element);
    if (s->form == SAVE_NPY) {
        const char *shape = b->shape && s->element == b->element ? b->shape : NULL;
        size_t header = npy_header(s->element, shape, b->bytes / width, text);
        fwrite(text, 1, header, to);
        fwrite(bytes, 1, b->bytes, to);
        return;
    }
    for (uint64_t at = 0; at < b->bytes; at += width) {
        element_text(s->element, bytes + at, text);
        fprintf(to, "%s\n", text);
    }
}

bool output_save_buffer(const struct plan_buffer *b, const struct plan_save *s, const void *bytes, struct rp_error *err)
{
    if (s->form == SAVE_BYTES)
        return output_write(s->path, bytes, b->bytes, err);
    struct output *o = output_open(s->path, err);
    if (!o)
        return false;
    write_elements(b, s, bytes, o->to);
    return output_close(o, true, err);
}

static bool record_copy(const struct plan *p, size_t buffer, struct rp_device *c, struct rp_error *err)
{
    const struct plan_buffer *b = &p->buffers[buffer];
    struct rp_host_operation o = {
        .kind = RP_HOST_COPY, .direction = RP_COPY_TO_HOST, .source = b->address, .size = b->bytes};
    return rp_report_operation(c, &o, err);
}

bool outputs_record(const struct plan *p, struct rp_device *c, struct rp_error *err)
{
    bool ok = true;
    for (size_t b = 0; b < p->buffer_count && ok; b++) {
        bool wanted = false;
        for (size_t i = 0; i < p->save_count; i++)
            wanted |= p->saves[i].buffer == b;
        for (size_t i = 0; i < p->print_count; i++)
            wanted |= p->prints[i].buffer == b;
        for (size_t i = 0; i < p->expect_count; i++)
            wanted |= p->expects[i].buffer == b;
        ok = !wanted || record_copy(p, b, c, err);
    }
    return ok;
}

bool outputs_save(const struct plan *p, struct rp_device *c, struct rp_error *err)
{
    for (size_t i = 0; i < p->save_count; i++) {
        const struct plan_buffer *b = &p->buffers[p->saves[i].buffer];
        if (!output_save_buffer(b, &p->saves[i], rp_host_read(c, b->address, b->bytes), err))
            return rp_fail(err, err->status, "saving %s: %s", b->name, err->text);
    }
    return true;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static uint64_t printed(const struct plan *p, const struct plan_print *s, uint64_t *count)
{
    *count = p->buffers[s->buffer].bytes / element_width(s->element);
    return s->count < *count ? s->count : *count;
}

void outputs_print(const struct plan *p, struct rp_device *c)
{
    for (size_t i = 0; i < p->print_count; i++) {
        const struct plan_print *s = &p->prints[i];
        const struct plan_buffer *b = &p->buffers[s->buffer];
        const uint8_t *bytes = rp_host_read(c, b->address, b->bytes);
        uint64_t all, shown = printed(p, s, &all);
        printf("%s: %" PRIu64 " of %" PRIu64 " elements of %s\n", b->name, shown, all, element_name(s->element));
        for (uint64_t n = 0; n < shown; n++) {
            char text[32];
            element_text(s->element, bytes + n * element_width(s->element), text);
            if (n % 8 == 0)
                printf("  [%" PRIu64 "]", n);
            printf(" %s%s", text, n % 8 == 7 || n + 1 == shown ? "\n" : "");
        }
    }
}

static json_t *element_json(enum element e, const void *at)
{
    char text[32];
    element_text(e, at, text);
    if (element_is_float(e))
        return isfinite(element_value(e, at)) ? json_real(element_value(e, at)) : json_string(text);
    return json_integer((json_int_t)strtoll(text, NULL, 10));
}

json_t *outputs_print_json(const struct plan *p, struct rp_device *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->print_count; i++) {
        const struct plan_print *s = &p->prints[i];
        const struct plan_buffer *b = &p->buffers[s->buffer];
        const uint8_t *bytes = rp_host_read(c, b->address, b->bytes);
        uint64_t all, shown = printed(p, s, &all);
        json_t *values = json_array();
        for (uint64_t n = 0; n < shown; n++)
            json_add(values, element_json(s->element, bytes + n * element_width(s->element)));
        json_add(list,
                 json_pack("{s:s, s:s, s:o}", "buffer", b->name, "type", element_name(s->element), "values", values));
    }
    return list;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

struct comparison {
    uint64_t count, differing, most_steps;
    uint64_t first[SHOWN];
};

static bool agrees(const struct plan_expect *e, const void *is, const void *should, uint64_t steps)
{
    if (steps <= e->ulp)
        return true;
    double difference = element_difference(e->element, is, should);
    return difference <= e->absolute || difference <= e->relative * element_magnitude(e->element, should);
}

static struct comparison compare(const struct plan *p, const struct plan_expect *e, const uint8_t *bytes)
{
    size_t width = element_width(e->element);
    const uint8_t *reference = e->reference;
    struct comparison c = {.count = p->buffers[e->buffer].bytes / width};
    for (uint64_t n = 0; n < c.count; n++) {
        uint64_t steps = element_steps(e->element, bytes + n * width, reference + n * width);
        c.most_steps = steps > c.most_steps ? steps : c.most_steps;
        if (agrees(e, bytes + n * width, reference + n * width, steps))
            continue;
        if (c.differing < SHOWN)
            c.first[c.differing] = n;
        c.differing++;
    }
    return c;
}

static void show_differing(const struct plan_expect *e, const struct comparison *c, const uint8_t *bytes)
{
    size_t width = element_width(e->element);
    const uint8_t *reference = e->reference;
    for (uint64_t i = 0; i < c->differing && i < SHOWN; i++) {
        char is[32], should[32];
        const uint8_t *a = bytes + c->first[i] * width, *b = reference + c->first[i] * width;
        uint64_t steps = element_steps(e->element, a, b);
        element_text(e->element, a, is);
        element_text(e->element, b, should);
        fprintf(stderr, "  [%" PRIu64 "] is %s, expected %s", c->first[i], is, should);
        if (steps != UINT64_MAX)
            fprintf(stderr, ": %" PRIu64 "%s apart", steps, element_is_float(e->element) ? " ulp" : "");
        fputc('\n', stderr);
    }
}

static void say_agrees(const struct plan_buffer *b, const struct plan_expect *e, const struct comparison *c)
{
    fprintf(stderr, "%s: as expected in %s: %" PRIu64 " elements of %s, ", b->name, e->path, c->count,
            element_name(e->element));
    if (!c->most_steps)
        fputs("all equal\n", stderr);
    else if (c->most_steps == UINT64_MAX)
        fputs("some NaN\n", stderr);
    else
        fprintf(stderr, "at most %" PRIu64 "%s apart\n", c->most_steps, element_is_float(e->element) ? " ulp" : "");
}

static void say_differs(const struct plan_buffer *b, const struct plan_expect *e, const struct comparison *c)
{
    fprintf(stderr, "reprise: %s is not as expected in %s: %" PRIu64 " of %" PRIu64 " elements of %s differ%s%s%s\n",
            b->name, e->path, c->differing, c->count, element_name(e->element), *e->within ? " (" : "", e->within,
            *e->within ? ")" : "");
}

static bool compare_one(const struct plan *p, const struct plan_expect *e, const uint8_t *bytes, bool quiet,
                        json_t *list)
{
    const struct plan_buffer *b = &p->buffers[e->buffer];
    struct comparison c = compare(p, e, bytes);
    if (list)
        json_add(list, json_pack("{s:s, s:o, s:I, s:I, s:I}", "buffer", b->name, "file", json_text(e->path), "elements",
                                 (json_int_t)c.count, "differing", (json_int_t)c.differing, "most_steps",
                                 (json_int_t)c.most_steps));
    if (c.differing) {
        say_differs(b, e, &c);
        show_differing(e, &c, bytes);
    } else if (!quiet) {
        say_agrees(b, e, &c);
    }
    return !c.differing;
}

bool outputs_compare(const struct plan *p, struct rp_device *device, bool quiet, json_t *list)
{
    bool ok = true;
    for (size_t i = 0; i < p->expect_count; i++) {
        const struct plan_buffer *b = &p->buffers[p->expects[i].buffer];
        ok = compare_one(p, &p->expects[i], rp_host_read(device, b->address, b->bytes), quiet, list) && ok;
    }
    return ok;
}
