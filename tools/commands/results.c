/* reprise results: what a sweep found. */
#include <string.h>
#include <unistd.h>

#include "tools/lib/command.h"
#include "tools/queries/queries.h"
#include "tools/replaying/options.h"
#include "tools/store/merge.h"

enum { KEY_BEST = 256, KEY_STAT, KEY_ALL, KEY_WAIT, KEY_BY_COLUMN, KEY_TOP_ROWS };

struct results_args {
    struct query_args query;
    const char *output;
    unsigned wait;
    bool json, csv;
};

static const struct option_row rows[] = {
    {"best", KEY_BEST, "VALUE",
     "The run with the least of a statistic, a ratio (ipc, occupancy) or an option of the machine; +VALUE: with the "
     "most"},
    {"by", KEY_BY_COLUMN, "KEY",
     "With --best: the best for each trace (usual), machine, or value of an option; all: the machine with the best "
     "geometric mean over all traces"},
    {"top", KEY_TOP_ROWS, "N",
     "With --best: the N best; with compare: the N source lines that change most (20; 0: all)"},
    {"stat", KEY_STAT, "VALUE", "With compare: this instead of cycles"},
    {"all", KEY_ALL, NULL, "Also runs of other versions of reprise, which else are left out"},
    ROW_OUTPUT("DB", "With merge: the database that all go into; made if it is not there"),
    {"wait", KEY_WAIT, "SECONDS", "Wait so long for a program that has the database locked (60)"},
    ROW_CSV("the table", ""),
    ROW_JSON(""),
    {0},
};

static void number(struct command_line *line, const char *option, const char *arg, long long most, long long *value)
{
    struct rp_error err;
    command_check(line, parse_number(option, arg, 0, most, value, &err), &err);
}

static void end(struct command_line *line, struct results_args *a)
{
    if (a->json && a->csv)
        command_usage(line, "--json beside --csv: leave out one of them");
    if (!line->argument_count || !*line->arguments[0])
        command_usage(line, "which database? Example: reprise results r.db");
    if (a->query.by && !a->query.best)
        command_usage(line, "--by goes with --best; for example --best cycles --by %s", a->query.by);
    a->query.form = a->json ? VIEW_JSON : a->csv ? VIEW_CSV : VIEW_TEXT;
}

static void results_option(struct command_line *line, int key, char *arg)
{
    struct results_args *a = line->input;
    long long value;
    switch (key) {
    case KEY_BEST: a->query.best = arg; break;
    case KEY_BY_COLUMN: a->query.by = arg; break;
    case KEY_STAT: a->query.stat = arg; break;
    case KEY_ALL: a->query.all = true; break;
    case KEY_TOP_ROWS: number(line, "--top", arg, 1000000, &a->query.top); break;
    case KEY_WAIT:
        number(line, "--wait", arg, 1000000, &value);
        a->wait = (unsigned)value;
        break;
    case KEY_CSV: a->csv = true; break;
    case 'j': a->json = true; break;
    case 'o': a->output = arg; break;
    case KEY_END: end(line, a); break;
    }
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

/* --best comes without a word. */
static bool list(struct query *q, char **operands, struct rp_error *err)
{
    (void)operands;
    return q->args->best ? query_best(q, err) : query_list(q, err);
}
static bool show(struct query *q, char **operands, struct rp_error *err) { return query_show(q, operands[0], err); }
static bool compare(struct query *q, char **operands, struct rp_error *err)
{
    return query_compare(q, operands[0], operands[1], err);
}
static bool pareto(struct query *q, char **operands, struct rp_error *err)
{
    return query_pareto(q, operands[0], operands[1], err);
}
static bool sql(struct query *q, char **operands, struct rp_error *err) { return query_sql(q, operands[0], err); }

static const struct verb {
    const char *name;
    size_t operands;
    const char *usage;
    bool (*print)(struct query *, char **operands, struct rp_error *);
} verbs[] = {
    {"list", 0, "", list},
    {"show", 1, " RUN, a number from the list", show},
    {"compare", 2, " A B: the numbers of two runs, or values as in scheduler=gto scheduler=lrr", compare},
    {"pareto", 2, " VALUE VALUE: statistics or options, for example cycles l1.size or cycles area", pareto},
    {"sql", 1, " QUERY, for example 'SELECT trace, min(cycles) FROM runs GROUP BY trace'", sql},
};

static const struct verb *choose(struct command_line *line)
{
    const char *name = line->argument_count > 1 ? line->arguments[1] : "list";
    size_t operands = line->argument_count > 1 ? line->argument_count - 2 : 0;
    for (size_t i = 0; i < MODEL_COUNT_OF(verbs); i++)
        if (!strcmp(verbs[i].name, name)) {
            if (operands != verbs[i].operands)
                command_usage(line, "usage: reprise results %s %s%s", line->arguments[0], name, verbs[i].usage);
            return &verbs[i];
        }
    command_usage(line, "'%s': there are list, show, compare, pareto and sql, each behind the database, and merge",
                  name);
}

/* Options that a question has nothing to do with are no use to it. */
static void check_options(struct command_line *line, const struct results_args *a, const char *verb)
{
    bool compares = !strcmp(verb, "compare");
    if (a->query.best && (strcmp(verb, "list") || line->argument_count > 1))
        command_usage(line, "--best beside %s: leave out one of them", verb);
    if (a->query.stat && !compares)
        command_usage(line, "--stat goes with compare; for example compare scheduler=gto scheduler=lrr --stat %s",
                      a->query.stat);
    if (a->query.top >= 0 && !a->query.best && !compares)
        command_usage(line, "--top goes with --best and with compare; for example --best cycles --top 3");
    if (a->output && strcmp(verb, "merge"))
        command_usage(line, "-o goes with merge; '> %s' keeps what is printed", a->output);
}

static int ask(struct command_line *line, const struct results_args *a)
{
    struct rp_error err;
    struct query query;
    const struct verb *verb = choose(line);
    check_options(line, a, verb->name);
    if (!query_open(&query, line->arguments[0], a->wait, &a->query, &err))
        return command_fail(&err);
    bool fine = verb->print(&query, line->arguments + 2, &err);
    int status = fine ? RP_OK : command_fail(&err);
    if (fine && a->json)
        status = json_stream_end(&query.view.json);
    query_close(&query);
    return status;
}

static int merge(struct command_line *line, const struct results_args *a)
{
    struct rp_error err;
    struct store store;
    check_options(line, a, "merge");
    if (a->csv || a->json)
        command_usage(line, "merge prints no table: leave out %s", a->csv ? "--csv" : "--json");
    if (!a->output || line->argument_count < 2)
        command_usage(line, "which databases, and into which? Example: reprise results merge A.db B.db -o r.db");
    bool fine = true, made = access(a->output, F_OK); /* all are looked at before anything is made */
    for (size_t i = 1; fine && i < line->argument_count; i++)
        fine = store_check(line->arguments[i], a->wait, &err);
    if (!fine || !store_open(&store, a->output, a->wait, &err))
        return command_fail(&err);
    for (size_t i = 1; fine && i < line->argument_count; i++)
        fine = store_merge(&store, line->arguments[i], &err);
    store_close(&store);
    if (!fine && made && store_is_empty(a->output))
        store_remove(a->output);
    return fine ? RP_OK : command_fail(&err);
}

static int results_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct results_args a = {.query = {.top = -1}, .wait = 60};
    command_parse(&line, c, argc, argv, &a);
    return strcmp(line.arguments[0], "merge") ? ask(&line, &a) : merge(&line, &a);
}

#define SWEEP                                                                                                          \
    "reprise sweep mm.wtr --machine jetson-tx2 -q -o results.db \\\n"                                                  \
    "        --vary scheduler=gto,lrr --vary l1.size=8K,24K"
static const struct command_example examples[] = {
    {"All runs of a sweep", SWEEP "\nreprise results results.db"},
    {"The fastest machine for each trace", "reprise results results.db --best cycles --by trace"},
    {"The fastest one over all traces, by geometric mean", "reprise results results.db --best cycles --by all"},
    {"Everything about a run", "reprise results results.db show 1"},
    {"Two schedulers on machines that are alike otherwise",
     "reprise results results.db compare scheduler=gto scheduler=lrr"},
    {"Machines that no other beats in both cycles and the size of L1",
     "reprise results results.db pareto cycles l1.size"},
    {"Machines that no other beats in both cycles and area, which an architect estimates",
     "reprise sweep mm.wtr --machine rtx2060 --vary 'l1.size=32K,64K with area=430,445' -q -o area.db\n"
     "reprise results area.db pareto cycles area"},
    {"Any other question", "reprise results results.db --csv \\\n"
                           "        sql 'SELECT machine, avg(cycles) FROM runs GROUP BY machine'"},
    {"Databases of several computers into one", "reprise results merge results.db -o all.db"},
    {NULL, NULL},
};
const struct command command_results = {
    .name = "results",
    .summary = "what is in a database of reprise sweep: the best, comparisons, queries",
    .usage = "DB [list]\nDB --best VALUE\nDB show RUN\nDB compare A B\nDB pareto VALUE VALUE\nDB sql QUERY\n"
             "merge DB... -o DB",
    .about =
        "Prints what a sweep found. compare takes two runs by their numbers, or values of options: then it pairs runs "
        "that are alike in all else, and says the geometric mean of their ratios. Where the sweep kept stalls, it "
        "says which source lines make the difference. pareto lists the runs that no other of the same trace beats in "
        "both values; a + before one means that more of it is better. A machine that is changed keeps its area until "
        "another one is given. docs/sweep.md describes the tables.",
    .options = rows,
    .examples = examples,
    .option = results_option,
    .run = results_run,
};
