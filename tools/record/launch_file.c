/* Launch files: a sequence of launches on the same buffers, in libconfig's syntax. See docs/launch-file.md. */
#include <libconfig.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/config_text.h"
#include "tools/record/checks.h"
#include "tools/record/plan.h"
#include "tools/record/tensors.h"
#include "tools/ui/nearest.h"

struct file {
    struct plan *plan;
    const char *path;
    char *folder;
    struct rp_error *err;
};

/* Prepends file and line to the message in `err`; the root of the file has no line. Returns false. */
static bool at(struct file *f, const config_setting_t *s)
{
    if (config_setting_is_root(s))
        return rp_fail(f->err, RP_BAD_INPUT, "%s: %s", f->path, f->err->text);
    return rp_fail(f->err, RP_BAD_INPUT, "%s:%d: %s", f->path, (int)config_setting_source_line(s), f->err->text);
}

__attribute__((format(printf, 3, 4))) static bool bad(struct file *f, const config_setting_t *s, const char *format,
                                                      ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->err->text, sizeof f->err->text, format, args);
    va_end(args);
    return at(f, s);
}

/* Fails for a key of the group that is not known. */
static bool check_keys(struct file *f, const config_setting_t *group, const char *const *known, size_t count)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(s);
        size_t k = 0;
        while (k < count && strcmp(known[k], name))
            k++;
        if (k < count)
            continue;
        const char *near = nearest_name(name, known, count);
        return bad(f, s, "unknown key '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
    }
    return true;
}

/* Fails if `s` is present and not `right`. */
static bool check_type(struct file *f, const config_setting_t *s, bool right, const char *what)
{
    return !s || right || bad(f, s, "'%s' must be %s", config_setting_name(s), what);
}

/* Reads the string `key` of a group; NULL: it is absent. */
static bool read_string(struct file *f, const config_setting_t *group, const char *key, const char **value)
{
    const config_setting_t *s = config_setting_get_member(group, key);
    *value = s ? config_setting_get_string(s) : NULL;
    return check_type(f, s, *value != NULL, "a string");
}

static bool setting_size(struct file *f, const config_setting_t *group, const char *key, uint64_t most, uint64_t *value)
{
    const config_setting_t *s = config_setting_get_member(group, key);
    if (!s)
        return true;
    int type = config_setting_type(s);
    long long n = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64 ? config_setting_get_int64(s) : -1;
    if (n < 0 || (uint64_t)n > most)
        return bad(f, s, "'%s' must be a whole number from 0 to %llu", key, (unsigned long long)most);
    *value = (uint64_t)n;
    return true;
}

static bool setting_size32(struct file *f, const config_setting_t *group, const char *key, uint32_t *value)
{
    uint64_t wide = *value;
    if (!setting_size(f, group, key, UINT32_MAX, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

/* Reads an array of one to three numbers, or one number. */
static bool read_dim(struct file *f, const config_setting_t *group, const char *key, uint32_t dim[3])
{
    const config_setting_t *s = config_setting_get_member(group, key);
    if (!s)
        return bad(f, group, "a launch needs '%s'", key);
    int length = config_setting_is_aggregate(s) ? config_setting_length(s) : 1;
    for (int i = 0; i < length && i < 3; i++) {
        const config_setting_t *e = config_setting_is_aggregate(s) ? config_setting_get_elem(s, (unsigned)i) : s;
        int n = config_setting_get_int(e);
        if (n < 1)
            return bad(f, s, "'%s' must be one to three whole numbers from 1", key);
        dim[i] = (uint32_t)n;
    }
    return (length >= 1 && length <= 3) || bad(f, s, "'%s' must be one to three whole numbers from 1", key);
}

static bool named_buffer(void *file, const char *name, int field, size_t *index, struct rp_error *err)
{
    const struct plan *p = ((struct file *)file)->plan;
    (void)field;
    for (*index = 0; *index < p->buffer_count; (*index)++)
        if (!strcmp(p->buffers[*index].name, name))
            return true;
    return rp_fail(err, RP_BAD_INPUT, "there is no buffer '%s'", name);
}

static bool read_buffers(struct file *f, const config_setting_t *group)
{
    if (!check_type(f, group, group && config_setting_is_group(group), "a group { }"))
        return false;
    for (int i = 0; group && i < config_setting_length(group); i++) {
        const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
        const char *text = config_setting_get_string(s);
        if (!text || !config_setting_name(s))
            return bad(f, s, "'buffers' holds lines like A = \"zeros:4096\";");
        if (!read_content(text, f->folder, plan_add_buffer(f->plan, config_setting_name(s)), f->err))
            return at(f, s);
    }
    return true;
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

/* "f32", "u8x4" */
static bool parse_element(const char *text, struct rp_element *e)
{
    static const char kinds[] = "uif"; /* in the order of enum rp_element_kind */
    unsigned bits = 0, channels = 1;
    char kind = 0, end;
    int n = text ? sscanf(text, "%c%2ux%1u%c", &kind, &bits, &channels, &end) : 0;
    const char *at = kind ? strchr(kinds, kind) : NULL;
    bool exists = (bits == 8 && kind != 'f') || bits == 16 || bits == 32;
    exists &= channels == 1 || channels == 2 || channels == 4;
    if (n < 2 || n > 3 || !at || (n == 2 && strchr(text, 'x')) || !exists)
        return false;
    *e = (struct rp_element){(uint8_t)(at - kinds), (uint8_t)bits, (uint8_t)channels};
    return true;
}

/* Reads one of the names; its index is the value. If it is absent `value` stays. */
static bool read_choice(struct file *f, const config_setting_t *s, const char *const *names, uint8_t *value)
{
    const char *text = s ? config_setting_get_string(s) : NULL;
    if (!s)
        return true;
    for (uint8_t i = 0; text && names[i]; i++)
        if (!strcmp(text, names[i])) {
            *value = i;
            return true;
        }
    return bad(f, s, "'%s' is none of the names in docs/launch-file.md", text ? text : config_setting_name(s));
}

/* Reads one mode for all dimensions, or a list of up to three. */
static bool read_address(struct file *f, const config_setting_t *s, uint8_t address[3])
{
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border", NULL};
    bool several = s && config_setting_is_aggregate(s);
    if (several && config_setting_length(s) > 3)
        return bad(f, s, "'address' has at most three modes");
    for (unsigned i = 0; s && i < (several ? (unsigned)config_setting_length(s) : 3u); i++)
        if (!read_choice(f, several ? config_setting_get_elem(s, i) : s, modes, &address[i]))
            return false;
    return true;
}

static bool read_flag(struct file *f, const config_setting_t *group, const char *key, bool *value)
{
    const config_setting_t *s = config_setting_get_member(group, key);
    if (s && config_setting_type(s) == CONFIG_TYPE_BOOL)
        *value = config_setting_get_bool(s);
    return check_type(f, s, s && config_setting_type(s) == CONFIG_TYPE_BOOL, "true or false");
}

static bool read_extents(struct file *f, const config_setting_t *s, struct rp_array_config *a)
{
    uint32_t layers = 0;
    bool cube = false;
    if (!setting_size32(f, s, "width", &a->width) || !setting_size32(f, s, "height", &a->height) ||
        !setting_size32(f, s, "depth", &a->depth) || !setting_size32(f, s, "layers", &layers) ||
        !read_flag(f, s, "cube", &cube))
        return false;
    if (layers && a->depth)
        return bad(f, s, "an image has 'depth' or 'layers', not both");
    a->flags = (layers ? RP_ARRAY_LAYERED : 0u) | (cube ? RP_ARRAY_CUBEMAP : 0u);
    a->depth = cube ? 6 * (layers ? layers : 1) : layers ? layers : a->depth;
    return true;
}

static bool read_image(struct file *f, const config_setting_t *s, struct plan_image *m)
{
    static const char *const keys[] = {"buffer", "element", "width",      "height", "depth", "layers", "cube",
                                       "filter", "address", "normalized", "read",   "srgb",  "linear", "reference"};
    static const char *const filters[] = {"point", "linear", NULL}, *const reads[] = {"normalized", "element", NULL};
    const char *buffer, *element, *reference;
    uint8_t read = 1;
    if (!config_setting_is_group(s) || !check_keys(f, s, keys, sizeof keys / sizeof *keys))
        return config_setting_is_group(s) ? false : bad(f, s, "'images' holds groups: A = { buffer = ...; };");
    m->line = (int)config_setting_source_line(s);
    if (!read_string(f, s, "buffer", &buffer) || !read_string(f, s, "element", &element) ||
        !read_string(f, s, "reference", &reference))
        return false;
    if (!buffer)
        return bad(f, s, "an image needs 'buffer'");
    if (!named_buffer(f, buffer, -1, &m->buffer, f->err))
        return at(f, s);
    if (!parse_element(element, &m->array.element))
        return bad(f, s, "an image needs 'element', such as \"f32\" or \"u8x4\"");
    m->reference = reference ? plan_copy(reference) : NULL;
    if (!read_extents(f, s, &m->array) ||
        !read_address(f, config_setting_get_member(s, "address"), m->sampler.address) ||
        !read_choice(f, config_setting_get_member(s, "filter"), filters, &m->sampler.filter) ||
        !read_choice(f, config_setting_get_member(s, "read"), reads, &read) ||
        !read_flag(f, s, "normalized", &m->sampler.normalized_coordinates) ||
        !read_flag(f, s, "srgb", &m->sampler.srgb) || !read_flag(f, s, "linear", &m->linear))
        return false;
    m->sampler.read_as_integer = read;
    return true;
}

static bool read_images(struct file *f, const config_setting_t *group)
{
    if (!check_type(f, group, group && config_setting_is_group(group), "a group { }"))
        return false;
    for (int i = 0; group && i < config_setting_length(group); i++) {
        const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
        struct plan_image *m = plan_grow((void **)&f->plan->images, &f->plan->image_count, sizeof *m);
        *m = (struct plan_image){.name = plan_copy(config_setting_name(s))};
        if (!read_image(f, s, m))
            return false;
    }
    return true;
}

/* "tex=NAME" or "surf=NAME" */
static bool image_argument(struct file *f, const char *text, struct plan_argument *a)
{
    bool texture = *text == 't';
    const char *name = strchr(text, '=') + 1;
    *a = (struct plan_argument){.kind = texture ? ARG_TEXTURE : ARG_SURFACE, .bytes = 8, .align = 8};
    for (a->buffer = 0; a->buffer < f->plan->image_count; a->buffer++)
        if (!strcmp(f->plan->images[a->buffer].name, name))
            return true;
    return rp_fail(f->err, RP_BAD_INPUT, "there is no image '%s'", name);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* Reads one whole number, or an array of at most `most`; *count: their number, 0 if the key is absent. */
static bool read_numbers(struct file *f, const config_setting_t *group, const char *key, unsigned most, uint64_t *to,
                         unsigned *count)
{
    const config_setting_t *s = config_setting_get_member(group, key);
    bool several = s && config_setting_is_aggregate(s);
    *count = !s ? 0 : several ? (unsigned)config_setting_length(s) : 1;
    if (*count > most)
        return bad(f, s, "'%s' has at most %u numbers", key, most);
    for (unsigned i = 0; i < *count; i++) {
        const config_setting_t *e = several ? config_setting_get_elem(s, i) : s;
        int type = config_setting_type(e);
        long long n = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64 ? config_setting_get_int64(e) : -1;
        if (n < 0)
            return bad(f, s, "'%s' holds whole numbers", key);
        to[i] = (uint64_t)n;
    }
    return true;
}

/* Reads a number below 2^32 for each dimension; the default is 1. */
static bool read_each(struct file *f, const config_setting_t *s, const char *key, unsigned rank, uint32_t *to)
{
    uint64_t wide[TENSOR_RANKS];
    unsigned count;
    if (!read_numbers(f, s, key, TENSOR_RANKS, wide, &count))
        return false;
    if (count && count != rank)
        return bad(f, s, "'%s' has %u numbers, 'size' has %u", key, count, rank);
    for (unsigned i = 0; i < rank; i++)
        to[i] = count ? wide[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)wide[i] : 1;
    return true;
}

static bool read_boxes(struct file *f, const config_setting_t *s, struct plan_tensor *t)
{
    static const char *const fills[] = {"zero", "nan", NULL};
    uint64_t span = 0;
    unsigned strides;
    uint8_t fill = 0;
    if (!read_numbers(f, s, "size", TENSOR_RANKS, t->size, &t->rank) ||
        !read_numbers(f, s, "stride", TENSOR_RANKS - 1, t->stride, &strides))
        return false;
    if (!t->rank || !config_setting_get_member(s, "box"))
        return bad(f, s, "a tensor needs '%s'", t->rank ? "box" : "size");
    if (strides && strides != t->rank - 1)
        return bad(f, s, "'stride' has %u numbers, it must be one less than 'size' has", strides);
    t->strided = strides;
    if (!read_each(f, s, "box", t->rank, t->box) || !read_each(f, s, "step", t->rank, t->step) ||
        !setting_size(f, s, "swizzle", 128, &span) ||
        !read_choice(f, config_setting_get_member(s, "fill"), fills, &fill))
        return false;
    t->fill = fill;
    t->swizzle = span == 128 ? TENSOR_SWIZZLE_128 : span == 64 ? TENSOR_SWIZZLE_64 : span == 32 ? TENSOR_SWIZZLE_32 : 0;
    return !span || t->swizzle || bad(f, s, "'swizzle' is 0, 32, 64 or 128 bytes");
}

static bool read_tensor(struct file *f, const config_setting_t *s, struct plan_tensor *t)
{
    static const char *const keys[] = {"buffer", "element", "size", "stride", "box", "step", "swizzle", "fill"};
    const char *buffer, *element;
    if (!config_setting_is_group(s) || !check_keys(f, s, keys, sizeof keys / sizeof *keys))
        return config_setting_is_group(s) ? false : bad(f, s, "'tensors' holds groups: A = { buffer = ...; };");
    t->line = (int)config_setting_source_line(s);
    if (!read_string(f, s, "buffer", &buffer) || !read_string(f, s, "element", &element))
        return false;
    if (!buffer)
        return bad(f, s, "a tensor needs 'buffer'");
    if (!named_buffer(f, buffer, -1, &t->buffer, f->err))
        return at(f, s);
    if (!tensor_element_named(element, &t->element))
        return bad(f, s, "a tensor needs 'element', such as \"f16\" or \"u8\" (docs/launch-file.md)");
    return read_boxes(f, s, t);
}

static bool read_tensors(struct file *f, const config_setting_t *group)
{
    if (!check_type(f, group, group && config_setting_is_group(group), "a group { }"))
        return false;
    for (int i = 0; group && i < config_setting_length(group); i++) {
        const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
        struct plan_tensor *t = plan_grow((void **)&f->plan->tensors, &f->plan->tensor_count, sizeof *t);
        *t = (struct plan_tensor){.name = plan_copy(config_setting_name(s))};
        if (!read_tensor(f, s, t))
            return false;
    }
    return true;
}

/* "tensor=NAME" */
static bool tensor_argument(struct file *f, const char *text, struct plan_argument *a)
{
    const char *name = strchr(text, '=') + 1;
    *a = (struct plan_argument){.kind = ARG_TENSOR, .bytes = sizeof(struct tensor_map), .align = 1};
    for (a->buffer = 0; a->buffer < f->plan->tensor_count; a->buffer++)
        if (!strcmp(f->plan->tensors[a->buffer].name, name))
            return true;
    return rp_fail(f->err, RP_BAD_INPUT, "there is no tensor '%s'", name);
}

/* ---- launches and outputs ---------------------------------------------------------------------------------------- */

typedef bool (*add_fn)(struct plan *, size_t buffer, const char *text, struct rp_error *);

/* Reads one of the groups 'save', 'print' and 'expect': buffers by name, each with what to do with it. */
static bool read_outputs(struct file *f, const config_setting_t *root, const char *key, const char *example, add_fn add)
{
    const config_setting_t *group = config_setting_get_member(root, key);
    if (!check_type(f, group, group && config_setting_is_group(group), "a group { }"))
        return false;
    for (int i = 0; group && i < config_setting_length(group); i++) {
        const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
        const char *text = config_setting_get_string(s);
        size_t buffer;
        if (!text || !*text || !config_setting_name(s))
            return bad(f, s, "'%s' holds lines like %s;", key, example);
        if (!named_buffer(f, config_setting_name(s), -1, &buffer, f->err) || !add(f->plan, buffer, text, f->err))
            return at(f, s);
    }
    return true;
}

static bool read_arguments(struct file *f, const config_setting_t *list, struct plan_launch *l)
{
    if (!check_type(f, list, list && config_setting_is_aggregate(list), "a list ( ) of strings"))
        return false;
    for (int i = 0; list && i < config_setting_length(list); i++) {
        const config_setting_t *s = config_setting_get_elem(list, (unsigned)i);
        const char *text = config_setting_get_string(s);
        if (!text)
            return bad(f, list, "'args' holds strings like \"i32=64\" and \"buf=A\"");
        if (l->arg_count == PLAN_ARGUMENTS)
            return bad(f, list, "more than %d arguments", PLAN_ARGUMENTS);
        struct plan_argument *a = &l->args[l->arg_count++];
        bool image = !strncmp(text, "tex=", 4) || !strncmp(text, "surf=", 5);
        bool tensor = !strncmp(text, "tensor=", 7);
        if (image    ? !image_argument(f, text, a)
            : tensor ? !tensor_argument(f, text, a)
                     : !read_argument(text, a, named_buffer, f, f->err))
            return at(f, list);
    }
    return true;
}

/* Reads the number of one earlier launch, or an array of them. */
static bool read_after(struct file *f, const config_setting_t *s, size_t number, struct plan_launch *l)
{
    int length = !s ? 0 : config_setting_is_aggregate(s) ? config_setting_length(s) : 1;
    for (int i = 0; i < length; i++) {
        const config_setting_t *e = config_setting_is_aggregate(s) ? config_setting_get_elem(s, (unsigned)i) : s;
        int n = config_setting_type(e) == CONFIG_TYPE_INT ? config_setting_get_int(e) : -1;
        if (n < 0 || (size_t)n >= number)
            return bad(f, s, "'after' holds numbers of earlier launches, from 0");
        *(size_t *)plan_grow((void **)&l->after, &l->after_count, sizeof *l->after) = (size_t)n;
        f->plan->launches[n].awaited = true;
    }
    return true;
}

/* The line of `key` in a launch, or that of the launch if the key is absent. */
static int line_of(const config_setting_t *launch, const char *key)
{
    const config_setting_t *s = config_setting_get_member(launch, key);
    return (int)config_setting_source_line(s ? s : launch);
}

static bool read_launches(struct file *f, const config_setting_t *root, const config_setting_t *list)
{
    static const char *const keys[] = {"kernel", "grid", "block", "cluster", "shared", "stream", "after", "args"};
    if (!list || config_setting_length(list) == 0)
        return bad(f, root, "there is no launch: launches = ( { kernel = ...; grid = ...; block = ...; } );");
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *s = config_setting_get_elem(list, (unsigned)i);
        const char *kernel = NULL;
        if (!config_setting_is_group(s))
            return bad(f, s, "'launches' holds groups: { kernel = ...; grid = ...; block = ...; }");
        struct plan_launch *l = plan_add_launch(f->plan);
        if (!check_keys(f, s, keys, sizeof keys / sizeof *keys) || !read_string(f, s, "kernel", &kernel))
            return false;
        l->kernel = kernel ? plan_copy(kernel) : NULL;
        l->kernel_line = line_of(s, "kernel");
        l->args_line = line_of(s, "args");
        if (!read_dim(f, s, "grid", l->grid) || !read_dim(f, s, "block", l->block) ||
            (config_setting_get_member(s, "cluster") && !read_dim(f, s, "cluster", l->cluster)) ||
            !setting_size32(f, s, "shared", &l->shared) || !setting_size32(f, s, "stream", &l->stream) ||
            !read_after(f, config_setting_get_member(s, "after"), (size_t)i, l) ||
            !read_arguments(f, config_setting_get_member(s, "args"), l))
            return false;
    }
    return true;
}

static bool read_module(struct file *f, const config_setting_t *root)
{
    const char *module;
    if (!read_string(f, root, "module", &module))
        return false;
    if (f->plan->module || !module)
        return true;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", *module == '/' ? "" : f->folder, *module == '/' ? "" : "/", module);
    f->plan->module = plan_copy(path);
    return true;
}

/* A text that the command line may give as well, and then that of the command line counts. */
static bool read_text(struct file *f, const config_setting_t *root, const char *key, char **to, int *line)
{
    const char *text;
    if (!read_string(f, root, key, &text))
        return false;
    if (*to || !text)
        return true;
    *to = plan_copy(text);
    *line = config_setting_source_line(config_setting_get_member(root, key));
    return true;
}

static bool read_checks(struct file *f, const config_setting_t *root)
{
    const char *checks;
    struct rp_error why;
    if (!read_string(f, root, "check", &checks))
        return false;
    if (!checks || f->plan->checks || parse_checks(checks, &f->plan->checks, &why))
        return true;
    return bad(f, config_setting_get_member(root, "check"), "%s", why.text);
}

static bool read_schedule(struct file *f, const config_setting_t *root)
{
    const config_setting_t *s = config_setting_get_member(root, "schedule");
    if (!s || f->plan->schedule)
        return true;
    f->plan->schedule_line = (int)config_setting_source_line(s);
    return read_flag(f, root, "schedule", &f->plan->schedule);
}

static bool read_root(struct file *f, const config_setting_t *root)
{
    static const char *const keys[] = {"module",   "target",       "assemble", "schedule", "buffers",
                                       "launches", "save",         "print",    "expect",   "limit",
                                       "stack",    "shared-limit", "check",    "images",   "tensors"};
    struct plan *p = f->plan;
    return check_keys(f, root, keys, sizeof keys / sizeof *keys) && read_module(f, root) &&
           read_text(f, root, "target", &p->target, &p->target_line) &&
           read_text(f, root, "assemble", &p->assemble, &p->assemble_line) && read_schedule(f, root) &&
           read_checks(f, root) && (p->limit || setting_size(f, root, "limit", UINT64_MAX, &p->limit)) &&
           (p->stack || setting_size32(f, root, "stack", &p->stack)) &&
           (p->shared_limit || setting_size32(f, root, "shared-limit", &p->shared_limit)) &&
           read_buffers(f, config_setting_get_member(root, "buffers")) &&
           read_images(f, config_setting_get_member(root, "images")) &&
           read_tensors(f, config_setting_get_member(root, "tensors")) &&
           read_launches(f, root, config_setting_get_member(root, "launches")) &&
           read_outputs(f, root, "save", "C = \"C.npy\"", plan_add_save) &&
           read_outputs(f, root, "print", "C = \"f32:16\"", plan_add_print) &&
           read_outputs(f, root, "expect", "C = \"ref.npy:ulp=4\"", plan_add_expect);
}

bool plan_read_file(struct plan *p, const char *path, struct rp_error *err)
{
    struct rp_error local;
    char *copy = plan_copy(path);
    struct file f = {.plan = p, .path = path, .folder = dirname(copy), .err = err ? err : &local};
    config_t config;
    size_t size;
    p->launch_file = plan_copy(path);
    char *text = config_text_read(path, &size, err);
    bool ok = text && config_text_check(path, text, size, err);
    config_init(&config);
    if (ok) {
        ok = config_read_string(&config, text) ||
             rp_fail(err, RP_BAD_INPUT, "%s:%d: %s", path, config_error_line(&config), config_error_text(&config));
        ok = ok && read_root(&f, config_root_setting(&config));
    }
    config_destroy(&config);
    free(text);
    free(copy);
    return ok;
}
