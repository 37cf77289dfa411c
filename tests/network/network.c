/* network [OPTION...] MODULE...: trains a dense network, has the kernels of each MODULE recognise test images, and
 * compares them with the CPU. Exit status 1: they differ by more than they may. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer.h"
#include "tools/ui/table.h"

/* How far a probability may lie from the CPU's, which uses the C library's exponential. Single precision: ex2.approx is
 * off by at most 2^-22 of the result (PTX ISA, "ex2"), and rounding the argument x log2 e changes it by at most
 * 2^-23 |x log2 e|, which the probability exp(x) makes less than 0.6 x 2^-23: with sum and division below 2^-20. Double
 * precision: double_math.h is a few units in the last place off, and there is the PasTiS paper's "only after the 14th
 * decimal digit". */
#define MOST_F32 0x1p-20
#define MOST_F64 1e-14

struct args {
    const char *data, *machine, *traces;
    uint32_t train, epochs, images;
    char **modules;
    int module_count;
};

enum { KEY_TRAIN = 256, KEY_EPOCHS, KEY_IMAGES, KEY_DATA, KEY_MACHINE, KEY_TRACES };
static const struct argp_option options[] = {
    {"train", KEY_TRAIN, "N", 0, "Images to train on (60000)", 0},
    {"epochs", KEY_EPOCHS, "N", 0, "Times that each is shown (5)", 0},
    {"images", KEY_IMAGES, "N", 0, "Test images (1000)", 0},
    {"data", KEY_DATA, "FOLDER", 0, "Where the images are (/usr/share/datasets/fashion-mnist)", 0},
    {"machine", KEY_MACHINE, "NAME", 0, "Machine to count cycles on (tx2-pastis)", 0},
    {"traces", KEY_TRACES, "FOLDER", 0, "Record MODULE.f32.wtr and MODULE.f64.wtr there", 0},
    {0},
};

static uint32_t number(struct argp_state *state, const char *text, uint32_t most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 1 || value > (long)most)
        argp_error(state, "'%s' is not a number from 1 to %u", text, most);
    return (uint32_t)value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case KEY_TRAIN: a->train = number(state, arg, 60000); return 0;
    case KEY_EPOCHS: a->epochs = number(state, arg, 1000); return 0;
    case KEY_IMAGES: a->images = number(state, arg, 10000); return 0;
    case KEY_DATA: a->data = arg; return 0;
    case KEY_MACHINE: a->machine = arg; return 0;
    case KEY_TRACES: a->traces = arg; return 0;
    case ARGP_KEY_ARGS:
        a->modules = state->argv + state->next;
        a->module_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which modules?"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int fail(const struct rp_error *err)
{
    fprintf(stderr, "network: %s\n", err->text);
    return (int)err->status;
}

static void epoch_done(uint32_t epoch, double loss)
{
    printf("  epoch %u: mean loss %.4f\n", epoch + 1, loss);
    fflush(stdout);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What has come out so far. */
struct report {
    const struct args *args;
    const struct model *model;
    const struct dataset *test;
    struct table *totals, *layers;
    bool fine;
};

static void headings(struct report *r)
{
    static const char *const totals[] = {"kernels", "precision", "classes as on the CPU", "largest difference", "right",
                                         "cycles",  "per image", "us per image",          "one image alone"};
    r->totals = table_new("llrrrrrrr");
    r->layers = table_new("llrrrr");
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        table_cell(r->totals, "%s", totals[i]);
    table_cell(r->layers, "cycles of the batch");
    table_cell(r->layers, "precision");
    for (int l = 0; l < LAYERS; l++)
        table_cell(r->layers, "%u-%u", width[l], width[l + 1]);
    table_cell(r->layers, "softmax");
}

static void rows(struct report *r, const struct inference *how, const struct comparison *c,
                 const struct comparison *one)
{
    struct table *t = r->totals;
    table_cell(t, "%s", file_name(how->module));
    table_cell(t, "%s", how->wide ? "f64" : "f32");
    table_cell(t, "%u of %u", c->same_class, c->images);
    table_cell(t, "%.2e", c->difference);
    table_cell(t, "%.1f %%", 100.0 * c->right / c->images);
    table_number(t, c->total_cycles);
    table_number(t, c->total_cycles / c->images);
    table_cell(t, "%.1f", c->microseconds / c->images);
    table_number(t, one->total_cycles);
    table_cell(r->layers, "%s", file_name(how->module));
    table_cell(r->layers, "%s", how->wide ? "f64" : "f32");
    for (int l = 0; l <= LAYERS; l++)
        table_number(r->layers, c->cycles[l]);
}

/* One module in one precision: all images as one batch, and the first of them alone. */
static bool judge(struct report *r, const char *module, bool wide, struct rp_error *err)
{
    char path[4096];
    const char *precision = wide ? "f64" : "f32";
    struct dataset first = *r->test;
    struct comparison all, one;
    struct inference how = {.module = module, .wide = wide, .machine = r->args->machine};
    first.count = 1;
    if (!infer(&how, r->model, &first, &one, err))
        return false;
    if (r->args->traces) {
        snprintf(path, sizeof path, "%s/%s.%s.wtr", r->args->traces, file_name(module), precision);
        how.trace = path;
    }
    if (!infer(&how, r->model, r->test, &all, err))
        return false;
    rows(r, &how, &all, &one);
    if (all.same_class == all.images && !all.different && !one.different &&
        all.difference <= (wide ? MOST_F64 : MOST_F32))
        return true;
    fprintf(stderr, "network: %s, %s: %u of %u classes differ, %llu outputs of layers, probabilities by %g\n", module,
            precision, all.images - all.same_class, all.images, (unsigned long long)all.different, all.difference);
    r->fine = false;
    return true;
}

static int recognise(const struct args *a, const struct model *m, const struct dataset *test)
{
    struct rp_error err = {0};
    struct report r = {.args = a, .model = m, .test = test, .fine = true};
    bool ok = true;
    headings(&r);
    for (int i = 0; ok && i < a->module_count; i++)
        ok = judge(&r, a->modules[i], false, &err) && judge(&r, a->modules[i], true, &err);
    printf("\n%u test images in one batch, cycles on %s\n\n", a->images, a->machine);
    table_print(r.totals, stdout);
    puts("");
    table_print(r.layers, stdout);
    if (!ok)
        return fail(&err);
    if (r.fine)
        puts("\nEvery output of a dense layer is the CPU's, bit for bit.");
    return r.fine ? RP_OK : 1;
}

static int run(const struct args *a)
{
    struct rp_error err = {0};
    struct dataset train = {0}, test = {0};
    struct model m = {0};
    int status;
    if (!dataset_load(&train, a->data, "train", a->train, &err) ||
        !dataset_load(&test, a->data, "t10k", a->images, &err)) {
        status = fail(&err);
    } else {
        printf("784-128-64-10, trained on %u images\n", a->train);
        status = model_train(&m, &train, a->epochs, epoch_done, &err) ? recognise(a, &m, &test) : fail(&err);
    }
    model_free(&m);
    dataset_free(&train);
    dataset_free(&test);
    return status;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "MODULE...", "Trains a dense network and compares its kernels with the CPU.", NULL, NULL, NULL};
    struct args a = {.data = "/usr/share/datasets/fashion-mnist",
                     .machine = "tx2-pastis",
                     .train = 60000,
                     .epochs = 5,
                     .images = 1000};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    return run(&a);
}
