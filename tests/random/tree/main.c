/* Random programs of PTX for sm_70 to sm_90: what the frontend runs and what the interpreter says must be the same
 * bits.
 *
 *   random-tree [--seed S] [--first N] [--count N] [--ptxas PATH] [--print]
 *
 * --ptxas: NVIDIA's assembler must take each program. --print: print the programs. Prints TAP. A program that differs
 * is made smaller and printed. Exit status: 0 all agree, 1 some do not, 2 it could not be found out. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/host/launch.h"
#include "tests/random/tree/tree.h"
#include "tests/random/values.h"

enum { WHY = 1200 };
enum { REGISTER_WORDS = CLASSES * TREE_REGISTERS + TREE_PREDICATES, RESULT_WORDS = REGISTER_WORDS + 2 * TREE_SLOT / 8 };
static const unsigned targets[] = {70, 75, 80, 86, 89, 90};

struct options {
    uint64_t seed, first, count;
    const char *ptxas;
    bool print;
};
static char text[TREE_TEXT];

static void begin(struct machine *m, uint64_t seed)
{
    static uint32_t values[2 * sizeof *m / 8];
    uint64_t state = seed;
    random_values(values, sizeof values / sizeof *values);
    for (unsigned i = 0; i < sizeof values / 4; i++) {
        unsigned from = (unsigned)(splitmix64(&state) % (sizeof values / 4));
        ((uint32_t *)m)[i] = values[from];
    }
    for (unsigned t = 0; t < TREE_THREADS; t++) {
        struct lane *l = &m->lanes[t];
        for (unsigned i = 0; i < TREE_REGISTERS; i++) {
            l->reg[CLASS_H][i] &= 0xffff;
            l->reg[CLASS_R][i] &= 0xffffffff;
        }
        for (unsigned i = 0; i < TREE_PREDICATES; i++)
            l->p[i] &= 1;
    }
}

/* ---- the frontend ------------------------------------------------------------------------------------------------ */

static void pack(const struct lane *l, uint64_t *words)
{
    memcpy(words, l->reg, sizeof l->reg);
    memcpy(words + CLASSES * TREE_REGISTERS, l->p, sizeof l->p);
    memcpy(words + REGISTER_WORDS, l->bytes[IN_SHARED], TREE_SLOT);
    memcpy(words + REGISTER_WORDS + TREE_SLOT / 8, l->bytes[IN_LOCAL], TREE_SLOT);
}
static void unpack(struct lane *l, const uint64_t *words)
{
    memcpy(l->reg, words, sizeof l->reg);
    memcpy(l->p, words + CLASSES * TREE_REGISTERS, sizeof l->p);
    memcpy(l->bytes[IN_SHARED], words + REGISTER_WORDS, TREE_SLOT);
    memcpy(l->bytes[IN_LOCAL], words + REGISTER_WORDS + TREE_SLOT / 8, TREE_SLOT);
}

static bool run_on(struct rp_device *device, size_t length, const struct machine *before, struct machine *after,
                   struct rp_error *err)
{
    struct module *m = ptx_load_text("random.ptx", text, length, 0, err);
    struct program *p = m && rp_device_adopt(device, m, err) ? module_find(m, "k", err) : NULL;
    if (!p)
        return false;
    uint64_t results = rp_alloc(device, 8 * TREE_THREADS * RESULT_WORDS, "results", err);
    uint64_t globals = rp_alloc(device, TREE_THREADS * TREE_SLOT, "globals", err);
    uint64_t sums = rp_alloc(device, sizeof before->sums, "sums", err), params[] = {results, globals, sums};
    if (!results || !globals || !sums)
        return false;
    uint64_t *words = rp_host(device, results, 8 * TREE_THREADS * RESULT_WORDS);
    uint8_t *bytes = rp_host(device, globals, TREE_THREADS * TREE_SLOT),
            *s = rp_host(device, sums, sizeof before->sums);
    for (unsigned t = 0; t < TREE_THREADS; t++) {
        pack(&before->lanes[t], words + (size_t)t * RESULT_WORDS);
        memcpy(bytes + (size_t)t * TREE_SLOT, before->lanes[t].bytes[IN_GLOBAL], TREE_SLOT);
    }
    memcpy(s, before->sums, sizeof before->sums);
    struct rp_launch_config config = {
        .grid = {1, 1, 1}, .block = {TREE_THREADS, 1, 1}, .params = params, .threads = 1, .limit = 1000000};
    struct rp_launch_result result;
    if (!rp_launch_kernel(device, p, &config, &result, err))
        return false;
    for (unsigned t = 0; t < TREE_THREADS; t++) {
        unpack(&after->lanes[t], words + (size_t)t * RESULT_WORDS);
        memcpy(after->lanes[t].bytes[IN_GLOBAL], bytes + (size_t)t * TREE_SLOT, TREE_SLOT);
    }
    memcpy(after->sums, s, sizeof after->sums);
    return true;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static bool same(const struct machine *a, const struct machine *b, char *why, size_t size)
{
    static const char letters[] = "hrd", *const spaces[] = {"global", "shared", "local"};
    for (unsigned t = 0; t < TREE_THREADS; t++) {
        const struct lane *x = &a->lanes[t], *y = &b->lanes[t];
        for (unsigned c = 0; c < CLASSES; c++)
            for (unsigned i = 0; i < TREE_REGISTERS; i++)
                if (x->reg[c][i] != y->reg[c][i])
                    return snprintf(why, size, "thread %u: %%%c%u is %#lx, and by the interpreter %#lx", t, letters[c],
                                    i, x->reg[c][i], y->reg[c][i]),
                           false;
        for (unsigned i = 0; i < TREE_PREDICATES; i++)
            if (x->p[i] != y->p[i])
                return snprintf(why, size, "thread %u: %%p%u is %lu, and by the interpreter %lu", t, i, x->p[i],
                                y->p[i]),
                       false;
        for (unsigned s = 0; s < TREE_SPACES; s++)
            for (unsigned i = 0; i < TREE_SLOT; i++)
                if (x->bytes[s][i] != y->bytes[s][i])
                    return snprintf(why, size, "thread %u: byte %u of %s memory is %#x, and by the interpreter %#x", t,
                                    i, spaces[s], x->bytes[s][i], y->bytes[s][i]),
                           false;
    }
    for (unsigned i = 0; i < TREE_SUMS; i++)
        if (a->sums[i] != b->sums[i])
            return snprintf(why, size, "sum %u is %#lx, and by the interpreter %#lx", i, a->sums[i], b->sums[i]), false;
    return true;
}

/* False: `why` says what is wrong. */
static bool agrees(struct tree *t, uint64_t seed, char *why, size_t size)
{
    static struct machine before, said, ran;
    struct rp_error err;
    begin(&before, seed);
    tree_interpret(t, &before, &said);
    size_t length = tree_print(t, text, sizeof text);
    if (length >= sizeof text - 1)
        return snprintf(why, size, "the text is too long"), false;
    struct rp_device *device = rp_device_new(&err);
    bool good = device && run_on(device, length, &before, &ran, &err);
    if (!good)
        snprintf(why, size, "%s", err.text);
    rp_device_free(device);
    return good && same(&ran, &said, why, size);
}

static bool assembles(const struct options *o, const struct tree *t, char *why, size_t size)
{
    char path[] = "/tmp/random-tree-XXXXXX", command[400];
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f)
        return snprintf(why, size, "no temporary file"), false;
    fputs(text, f);
    fclose(f);
    snprintf(command, sizeof command, "'%s' -w -O1 -arch=sm_%u -o /dev/null %s >%s.out 2>&1", o->ptxas, t->target, path,
             path);
    bool good = system(command) == 0;
    strcat(strcpy(command, path), ".out");
    if (!good && (f = fopen(command, "r"))) {
        size_t n = fread(why, 1, size - 1, f);
        why[n] = 0;
        fclose(f);
    }
    remove(path);
    remove(command);
    return good;
}

/* Drops what the program fails without. */
static void shrink(struct tree *t, uint64_t seed)
{
    char why[WHY];
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = t->count; i-- > 0;) {
            if (t->nodes[i].dropped)
                continue;
            struct tree whole = *t;
            t->nodes[i].dropped = true;
            bool dropped = !agrees(t, seed, why, sizeof why);
            again |= dropped;
            for (unsigned k = 0; !dropped && k < t->count; k++)
                t->nodes[k].dropped = whole.nodes[k].dropped;
        }
    }
}

static bool one(const struct options *o, uint64_t index)
{
    static struct tree t;
    char why[WHY];
    uint64_t seed = o->seed * 1000003 + index;
    tree_generate(&t, o->seed, index, targets[index % (sizeof targets / sizeof *targets)]);
    bool good = agrees(&t, seed, why, sizeof why);
    if (o->print)
        fputs(text, stdout);
    if (good && o->ptxas && !assembles(o, &t, why, sizeof why)) {
        printf("# program %lu: ptxas refuses it, see least_target() in catalogue.c: %s\n", index, why);
        return false;
    }
    if (good)
        return true;
    printf("# program %lu: %s\n", index, why);
    fflush(stdout);
    shrink(&t, seed);
    agrees(&t, seed, why, sizeof why);
    printf("# again: random-tree --seed %lu --first %lu --count 1; made smaller: %s\n%s", o->seed, index, why, text);
    return false;
}

static bool parse(int argc, char **argv, struct options *o)
{
    static const struct option long_options[] = {{"seed", 1, NULL, 's'},  {"first", 1, NULL, 'f'},
                                                 {"count", 1, NULL, 'c'}, {"ptxas", 1, NULL, 'x'},
                                                 {"print", 0, NULL, 'p'}, {0}};
    int c;
    while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        switch (c) {
        case 's': o->seed = strtoull(optarg, NULL, 0); break;
        case 'f': o->first = strtoull(optarg, NULL, 0); break;
        case 'c': o->count = strtoull(optarg, NULL, 0); break;
        case 'x': o->ptxas = optarg; break;
        case 'p': o->print = true; break;
        default: return false;
        }
    return optind == argc;
}

int main(int argc, char **argv)
{
    struct options o = {.seed = 1, .count = 200};
    uint64_t bad = 0;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: random-tree [--seed S] [--first N] [--count N] [--ptxas PATH] [--print]\n");
        return 2;
    }
    if (!catalogue_open())
        return 2;
    for (uint64_t i = 0; i < o.count; i++)
        bad += !one(&o, o.first + i);
    printf(
        "%s - random PTX of sm_70 to sm_90: the frontend = an interpreter%s (%lu programs of %u forms, %lu differ)\n",
        bad ? "not ok" : "ok", o.ptxas ? ", and ptxas takes it" : "", o.count, catalogue_count(), bad);
    catalogue_close();
    return bad != 0;
}
