/* reprise record: runs kernels and records what they did; reprise run: the same without a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/commands/commands.h"
#include "tools/guests/guests.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/lib/number.h"
#include "tools/program/program.h"
#include "tools/record/checks.h"
#include "tools/record/plan.h"
#include "tools/replaying/replaying.h"
#include "tracefmt/plural.h"

enum key {
    KEY_MODULE = 'M',
    KEY_OUTPUT = 'o',
    KEY_KERNEL = 'k',
    KEY_GRID = 'g',
    KEY_BLOCK = 'b',
    KEY_ARG = 'a',
    KEY_SAVE = 'S',
    KEY_FILE = 'f',
    KEY_THREADS = 't',
    KEY_JSON = 'j',
    KEY_QUIET = 'q',
    KEY_SHARED = 256,
    KEY_SHARED_LIMIT,
    KEY_STACK,
    KEY_TARGET,
    KEY_ASSEMBLE,
    KEY_CLANG_FLAGS,
    KEY_PRINT,
    KEY_EXPECT,
    KEY_NO_TRACE,
    KEY_KERNEL_OUTPUT,
    KEY_CLUSTER,
    KEY_LIMIT = PROGRAM_LIMIT, /* for programs, too */
    KEY_TENSOR_SUMS = PROGRAM_TENSOR_SUMS,
    KEY_CHECK = PROGRAM_CHECK,
    KEY_SCHEDULE = PROGRAM_SCHEDULE,
};

#define ROWS_LAUNCH                                                                                                    \
    {NULL, 0, NULL, "What to run"},                                                                                    \
        {"module", KEY_MODULE, "FILE",                                                                                 \
         "Module with the kernel: CUDA source (.cu), PTX, a cubin, a fat binary, or a program, object or static "      \
         "library that holds one. "                                                                                    \
         "CUDA source is compiled by clang"},                                                                          \
        {"kernel", KEY_KERNEL, "NAME",                                                                                 \
         "Kernel to run, as in the module or as in the source; may be left out if there is only one"},                 \
        {"grid", KEY_GRID, "X[,Y[,Z]]", "Blocks in the grid; 64x2 is the same as 64,2"},                               \
        {"block", KEY_BLOCK, "X[,Y[,Z]]", "Threads in a block"},                                                       \
        {"cluster", KEY_CLUSTER, "X[,Y[,Z]]", "Blocks in a cluster (as the kernel requires, or 1)"},                   \
        {"arg", KEY_ARG, "FORM=VALUE", "The next argument of the kernel; see below"},                                  \
        {"shared", KEY_SHARED, "BYTES", "Dynamic shared memory per block (0)"},                                        \
    {                                                                                                                  \
        "launch-file", KEY_FILE, "FILE", "Take buffers and launches from a file instead; see docs/launch-file.md"      \
    }
#define ROWS_REST                                                                                                      \
    {NULL, 0, NULL, "Results"},                                                                                        \
        {"save", KEY_SAVE, "N=FILE[:TYPE]",                                                                            \
         "Write the buffer of argument N, counted from 0, after the run; N.M: field M of a structure. FILE.npy is "    \
         "numpy's format, FILE.txt or any file with a TYPE has an element a line, others are plain bytes"},            \
        {"print", KEY_PRINT, "N[=TYPE[:COUNT]]",                                                                       \
         "Print the first elements (16) of the buffer of argument N after the run"},                                   \
        {"expect", KEY_EXPECT, "N=FILE[:TYPE][:ulp=K][:abs=X][:rel=X]",                                                \
         "Compare the buffer of argument N with a file after the run: FILE.npy, FILE.txt with an element a line, or "  \
         "plain bytes. Exit status 3 and the first differing elements if an element is within none of these "          \
         "tolerances. Without any, values must be equal"},                                                             \
        {"json", KEY_JSON, NULL, "Print the result as JSON; what the kernel prints goes to standard error"},           \
        {"kernel-output", KEY_KERNEL_OUTPUT, "FILE", "What kernels print (printf) goes to FILE"},                      \
        {"quiet", KEY_QUIET, NULL, "Print neither progress nor summary"}, {NULL, 0, NULL, "How to run it"},            \
        {"threads", KEY_THREADS, "N", "Host threads (0: one per CPU); result and trace do not depend on it"},          \
        {"limit", KEY_LIMIT, "N",                                                                                      \
         "Instructions a warp, or a core of a guest, may execute before it counts as endless (4294967296; 0 is the "   \
         "same)"},                                                                                                     \
        {"tensor-sums", KEY_TENSOR_SUMS, "SM",                                                                         \
         "Add up products of matrices as tensor cores of sm_70, sm_80 (8.6 and 8.7, too), sm_89 or sm_90 do, not "     \
         "exactly"},                                                                                                   \
        {"stack", KEY_STACK, "BYTES",                                                                                  \
         "Local memory per thread (what the kernel needs; 16384 with recursion); of guests the stack of a core, a "    \
         "multiple of 4096 (65536)"},                                                                                  \
        {"clang-flags", KEY_CLANG_FLAGS, "FLAGS",                                                                      \
         "More options for clang, such as '-DTILE=32 -Iinclude', split at blanks as a shell does"},                    \
        {"target", KEY_TARGET, "SM",                                                                                   \
         "Run PTX as for this target (its own), or compile CUDA source for it (sm_75); from sm_70 on the threads of "  \
         "a warp are scheduled independently"},                                                                        \
        {"assemble", KEY_ASSEMBLE, "SM",                                                                               \
         "Run machine code for this architecture, such as sm_86: what NVIDIA's ptxas makes of PTX or CUDA source; of " \
         "a fat binary, its own code, else what ptxas makes of its PTX. ptxas is that of REPRISE_PTXAS, PATH, "        \
         "CUDA_HOME, "                                                                                                 \
         "CUDA_PATH, /usr/local/cuda, Python's nvidia-cuda-nvcc-cu12, Triton, make toolchain"},                        \
        {"schedule", KEY_SCHEDULE, NULL,                                                                               \
         "Bring the instructions of PTX into the order that an optimising assembler would choose, loads early, and "   \
         "join neighbouring accesses: for timing where there is no ptxas. Results stay the same"},                     \
        {"check", KEY_CHECK, "LIST",                                                                                   \
         "Look for more than the first bad address: memory (all of them), init (reads of what nobody wrote), "         \
         "race, sync (barriers and shuffles that are undefined), api (calls that fail), leak (memory that is not "     \
         "freed), several with commas, or all. What is found is said, the run goes on, and the exit status is 3. "     \
         "Launches run on one thread"},                                                                                \
    {                                                                                                                  \
        "shared-limit", KEY_SHARED_LIMIT, "BYTES", "Shared memory that a block may have (49152)"                       \
    }

static const struct option_row record_rows[] = {
    {"output", KEY_OUTPUT, "FILE", "The trace to write"},
    {"no-trace", KEY_NO_TRACE, NULL, "Write no trace, as 'reprise run'"},
    ROWS_LAUNCH,
    ROWS_REST,
    ROWS_FINDINGS,
    {NULL, 0, NULL,
     "CUDA programs, behind --; also --output, --check, --schedule, --threads, --limit, --tensor-sums and --quiet"},
    ROWS_PROGRAM,
    ROWS_FILTERS,
    ROWS_GUEST("--output, "),
    {0},
};
static const struct option_row run_rows[] = {
    ROWS_LAUNCH,
    ROWS_REST,
    ROWS_FINDINGS,
    {NULL, 0, NULL,
     "CUDA programs, behind --; also --check, --schedule, --threads, --limit, --tensor-sums and --quiet"},
    ROWS_PROGRAM,
    ROW_EVERY_LAUNCH,
    {"kernels", PROGRAM_KERNELS, "REGEX",
     "Check only kernels whose name in the source this extended regular expression finds; the others run, too"},
    {"launches", PROGRAM_LAUNCHES, "LIST", "Check only launches of these numbers, from 0: 3,10..19,30.."},
    ROWS_GUEST(""),
    {0},
};

static const char forms[] = "Arguments, in the order of the kernel's parameters:\n"
                            "  i32=N u32=N i64=N u64=N f32=X f64=X  a value\n"
                            "  bytes=HEX                  a structure by value: two digits a byte\n"
                            "  struct=FIELD,FIELD,...     a structure of such fields, laid out as in C;\n"
                            "                             at=OFFSET moves on (docs/launch-file.md)\n"
                            "  buf=zeros:BYTES            a buffer of zeros\n"
                            "  buf=unset:BYTES            the same, which --check init takes as never written\n"
                            "  buf=file:PATH              a buffer with a file's content, or of\n"
                            "                             a .npy file the array\n"
                            "  buf=rand-f32:COUNT:seed=N  floats uniform in [-1,1); rand-f64 likewise\n"
                            "  buf=rand-i32:COUNT:seed=N  32-bit integers, all equally likely\n"
                            "  buf=iota-i32:COUNT         0, 1, 2, ...\n"
                            "Sizes may end in K, M or G, powers of 1024. Random numbers are the same\n"
                            "everywhere.\n"
                            "\n"
                            "Types of elements are " ELEMENT_NAMES ".\n"
                            "Where --save, --print or --expect need one and give none, it is that of the\n"
                            "buffer's contents. Zeros and plain files take that of the other buffers, if all\n"
                            "these have the same.\n";

static const char statuses[] =
    "Exit status: 0 fine, 1 wrong usage, 2 bad input or not all was checked, 3 the kernel misbehaved (the trace is "
    "kept up to there, nothing is "
    "saved), a check found something, or a result is not as expected, 4 the system failed. "
    "A program's own status is passed on, unless a check finds something (--error-exitcode); 126 "
    "and 127: it cannot be run. A signal that stops a kernel leaves what was found and recorded, and ends reprise.";
/* --save, --print or --expect, until all arguments are known. */
struct buffer_option {
    enum key key;
    uint64_t argument;
    uint64_t field; /* of a structure; NO_FIELD: the argument itself */
    const char *text;
};
#define NO_FIELD UINT64_MAX
struct record {
    struct plan plan;
    struct plan_launch launch; /* the command line's */
    char *kernel, *launch_file;
    bool grid, block, no_trace, single; /* single: an option was given that describes one launch */
    struct buffer_option *buffer_options;
    size_t buffer_option_count;
};

/* Adds a buffer to the plan. Its name has the number of its argument and, in a structure, of its field. */
static bool new_buffer(void *record, const char *content, int field, size_t *buffer, struct rp_error *err)
{
    struct record *r = record;
    char name[32];
    uint32_t argument = r->launch.arg_count - 1;
    if (field < 0)
        snprintf(name, sizeof name, "arg%u", argument);
    else
        snprintf(name, sizeof name, "arg%u.%d", argument, field);
    *buffer = r->plan.buffer_count;
    return read_content(content, NULL, plan_add_buffer(&r->plan, name), err);
}

static bool add_argument(struct record *r, const char *text, struct rp_error *err)
{
    struct plan_launch *l = &r->launch;
    if (l->arg_count == PLAN_ARGUMENTS)
        return rp_fail(err, RP_USAGE, "more than %d arguments", PLAN_ARGUMENTS);
    struct plan_argument *a = &l->args[l->arg_count++];
    return read_argument(text, a, new_buffer, r, err) ||
           rp_fail(err, RP_USAGE, "argument %u: %s", l->arg_count - 1, err->text);
}

static const char *option_of(enum key key)
{
    return key == KEY_SAVE ? "--save" : key == KEY_PRINT ? "--print" : "--expect";
}

/* "2=C.npy" or "2.1=C.npy"; of --print also "2:f32:16". */
static bool add_buffer_option(struct record *r, enum key key, const char *text, struct rp_error *err)
{
    const char *equals = strpbrk(text, key == KEY_PRINT ? "=:" : "="), *option = option_of(key);
    char number[24] = "";
    bool all = key == KEY_PRINT && !equals && *text; /* "2": as many as are usual, of the buffer's type */
    if (all)
        equals = text + strlen(text);
    if ((!all && (!equals || !equals[1])) || (size_t)(equals - text) >= sizeof number)
        return rp_fail(err, RP_USAGE, "%s %s: write %s", option, text,
                       key == KEY_SAVE    ? "N=FILE, such as 2=C.npy"
                       : key == KEY_PRINT ? "N, or N=TYPE[:COUNT], such as 2=f32:16"
                                          : "N=FILE, such as 2=ref.npy:ulp=4");
    memcpy(number, text, (size_t)(equals - text));
    struct buffer_option o = {.key = key, .field = NO_FIELD, .text = equals + !all};
    char *dot = strchr(number, '.');
    if (dot)
        *dot++ = 0;
    if (!read_number(number, PLAN_ARGUMENTS, option, &o.argument, err) ||
        (dot && !read_number(dot, UINT32_MAX, option, &o.field, err)))
        return false;
    *(struct buffer_option *)plan_grow((void **)&r->buffer_options, &r->buffer_option_count, sizeof o) = o;
    return true;
}

static bool size32(const char *text, const char *what, uint32_t *value, struct rp_error *err)
{
    uint64_t wide;
    if (!read_size(text, UINT32_MAX, what, &wide, err))
        return false;
    *value = (uint32_t)wide;
    return true;
}

static void replace(char **to, const char *text)
{
    free(*to);
    *to = plan_copy(text);
}

/* An option of programs or guests, without one. Always false. */
static bool only_for_others(int key, struct rp_error *err)
{
    const char *name = option_name(record_rows, key);
    if (guest_owns(key))
        return rp_fail(err, RP_USAGE, "--%s is for guests: --guest FILE names one (docs/guests.md)", name ? name : "?");
    return rp_fail(err, RP_USAGE, "--%s is for CUDA programs, which stand behind --, such as 'reprise run -- ./app'",
                   name ? name : "?");
}

static bool take_option(struct record *r, int key, char *arg, struct rp_error *err)
{
    struct plan *p = &r->plan;
    struct plan_launch *l = &r->launch;
    if (is_finding_key(key))
        return finding_option(&p->findings, key, arg, err);
    switch (key) {
    case KEY_MODULE: replace(&p->module, arg); return true;
    case KEY_OUTPUT: replace(&p->output, arg); return true;
    case KEY_KERNEL: replace(&r->kernel, arg); return r->single = true;
    case KEY_FILE: replace(&r->launch_file, arg); return true;
    case KEY_GRID: r->single = r->grid = true; return read_extent(arg, "--grid", l->grid, err);
    case KEY_BLOCK: r->single = r->block = true; return read_extent(arg, "--block", l->block, err);
    case KEY_CLUSTER: r->single = true; return read_extent(arg, "--cluster", l->cluster, err);
    case KEY_ARG: r->single = true; return add_argument(r, arg, err);
    case KEY_SAVE:
    case KEY_PRINT:
    case KEY_EXPECT: r->single = true; return add_buffer_option(r, (enum key)key, arg, err);
    case KEY_SHARED: r->single = true; return size32(arg, "--shared", &l->shared, err);
    case KEY_SHARED_LIMIT: return size32(arg, "--shared-limit", &p->shared_limit, err);
    case KEY_STACK: return size32(arg, "--stack", &p->stack, err);
    case KEY_CLANG_FLAGS: replace(&p->clang_flags, arg); return true;
    case KEY_TARGET: replace(&p->target, arg); return true;
    case KEY_ASSEMBLE: replace(&p->assemble, arg); return true;
    case KEY_SCHEDULE: return p->schedule = true;
    case KEY_CHECK: p->check_list = arg; return parse_checks(arg, &p->checks, err);
    case KEY_THREADS: return parse_threads(arg, &p->threads, err);
    case KEY_TENSOR_SUMS: p->sums_name = arg; return parse_tensor_sums(arg, &p->sums, err);
    case KEY_LIMIT: return read_size(arg, UINT64_MAX, "--limit", &p->limit, err);
    case KEY_NO_TRACE: return r->no_trace = true;
    case KEY_JSON: return p->json = true;
    case KEY_KERNEL_OUTPUT: replace(&p->kernel_output, arg); return true;
    case KEY_QUIET: return p->quiet = true;
    default: return only_for_others(key, err);
    }
}

/* A word that stands alone: a program without --, a module without --module, or anything else. */
static void refuse_word(struct command_line *line, const char *word)
{
    struct stat st;
    bool is_file = !stat(word, &st) && S_ISREG(st.st_mode);
    enum input kind = is_file ? input_kind(word) : INPUT_OTHER;
    if (is_file && !access(word, X_OK))
        command_usage(line, "'%s' belongs to no option; a program stands behind --: 'reprise %s ... -- %s'", word,
                      line->command->name, word);
    if (kind == INPUT_CUDA || kind == INPUT_PTX || kind == INPUT_CODE)
        command_usage(line, "'%s' belongs to no option; a module is given with --module %s", word, word);
    command_usage(line,
                  "'%s' belongs to no option; a module is given with --module, a trace to write with -o, a program "
                  "behind --",
                  word);
}

static void record_option(struct command_line *line, int key, char *arg)
{
    struct rp_error err;
    if (key == KEY_ARGUMENT)
        refuse_word(line, arg);
    if (key != KEY_END)
        command_check(line, take_option(line->input, key, arg, &err), &err);
}

/* The argument or field of a structure that an output option names; NULL: there is none. */
static const struct plan_argument *option_argument(const struct record *r, const struct buffer_option *o,
                                                   struct rp_error *err)
{
    unsigned long long n = o->argument, field = o->field;
    const struct plan_argument *a = &r->launch.args[n];
    const char *option = option_of(o->key);
    bool ok = true;
    if (n >= r->launch.arg_count)
        ok = rp_fail(err, RP_USAGE, "%s %llu: there %s %u argument%s, counted from 0", option, n,
                     r->launch.arg_count == 1 ? "is" : "are", r->launch.arg_count, rp_plural(r->launch.arg_count));
    else if (a->kind == ARG_STRUCT && field == NO_FIELD)
        ok = rp_fail(err, RP_USAGE, "%s %llu: argument %llu is a structure; write %llu.N for its field N", option, n, n,
                     n);
    else if (field != NO_FIELD && field >= a->field_count)
        ok = rp_fail(err, RP_USAGE, "%s %llu.%llu: argument %llu has %u field%s, counted from 0", option, n, field, n,
                     a->field_count, rp_plural(a->field_count));
    if (!ok)
        return NULL;
    a = field == NO_FIELD ? a : &a->fields[field].value;
    if (a->kind == ARG_BUFFER)
        return a;
    rp_fail(err, RP_USAGE, "%s %llu: %s %llu is a value, not a buffer", option, n,
            field == NO_FIELD ? "argument" : "its field", field == NO_FIELD ? n : field);
    return NULL;
}

static bool plan_buffer_option(struct record *r, const struct buffer_option *o, struct rp_error *err)
{
    const struct plan_argument *a = option_argument(r, o, err);
    if (!a)
        return false;
    if (o->key == KEY_SAVE)
        return plan_add_save(&r->plan, a->buffer, o->text, err);
    if (o->key == KEY_PRINT)
        return plan_add_print(&r->plan, a->buffer, o->text, err);
    return plan_add_expect(&r->plan, a->buffer, o->text, err);
}

static bool no_module(struct rp_error *err)
{
    return rp_fail(err, RP_USAGE,
                   "which module, or which program? --module FILE with CUDA source, PTX or a cubin, or -- PROGRAM; "
                   "'reprise help run' has examples");
}

/* Turns the command line's single launch into the plan. */
static bool single_launch(struct record *r, struct rp_error *err)
{
    struct plan *p = &r->plan;
    if (!p->module)
        return no_module(err);
    if (!r->grid || !r->block)
        return rp_fail(err, RP_USAGE, "%s is missing", r->grid ? "--block X[,Y[,Z]]" : "--grid X[,Y[,Z]]");
    for (size_t i = 0; i < r->buffer_option_count; i++)
        if (!plan_buffer_option(r, &r->buffer_options[i], err))
            return false;
    *plan_add_launch(p) = r->launch;
    r->launch = (struct plan_launch){0};
    p->launches[0].kernel = r->kernel ? plan_copy(r->kernel) : NULL;
    return true;
}

static bool complete(struct record *r, struct rp_error *err)
{
    struct plan *p = &r->plan;
    if (r->launch_file && r->single)
        return rp_fail(err, RP_USAGE, "with --launch-file, kernel, grid, block, arguments and saves stand in the file");
    if (r->launch_file && !input_check(r->launch_file, INPUT_LAUNCH_FILE, err))
        return false;
    if (r->launch_file ? !plan_read_file(p, r->launch_file, err) : !single_launch(r, err))
        return false;
    if (!p->module)
        return no_module(err);
    if (p->output && r->no_trace)
        return rp_fail(err, RP_USAGE, "either -o FILE or --no-trace");
    if (p->output && !*p->output)
        return rp_fail(err, RP_USAGE, "-o needs the name of a file");
    if (!p->output && !r->no_trace && !p->save_count && !p->print_count && !p->expect_count)
        return rp_fail(err, RP_USAGE, "where shall the trace go? -o FILE.wtr; or 'reprise run', which writes none");
    if (p->check_list && !(p->checks & (RP_CHECK_ALL | RP_CHECK_MEMORY)))
        return rp_fail(
            err, RP_USAGE,
            "--check %s: a kernel of --module can be checked for memory, init, race and sync; calls and leaks "
            "are those of programs",
            p->check_list);
    return input_check(p->module, INPUT_PTX, err) && plan_check_paths(p, r->launch_file, err);
}

static const struct guest_keys guest_keys = {KEY_OUTPUT,  KEY_SAVE, KEY_CLUSTER, KEY_STACK,   KEY_LIMIT,
                                             KEY_THREADS, KEY_JSON, KEY_QUIET,   KEY_NO_TRACE};

static int record_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct record r = {.plan = {.findings = FINDING_OPTIONS}, .no_trace = c == &command_run};
    struct rp_error err = {0};
    int end = program_separator(argc, argv);
    if (guest_asked(end ? end : argc, argv))
        return guest_run(c, argc, argv, &guest_keys);
    if (end)
        return program_run(c, argc, argv, end);
    command_parse(&line, c, argc, argv, &r);
    int status = complete(&r, &err) ? plan_run(&r.plan) : command_fail(&err);
    free(r.buffer_options);
    free(r.kernel);
    plan_free_launch(&r.launch);
    free(r.launch_file);
    plan_free(&r.plan);
    return status;
}

static const struct command_example record_examples[] = {
    {"A product of two matrices: its trace in mm.wtr, the result as an array for numpy",
     "reprise record -o mm.wtr --module matmul.ptx --kernel matmul --grid 4,4 --block 16,16 \\\n"
     "        --arg buf=rand-f32:4K:seed=1 --arg buf=rand-f32:4K:seed=2 \\\n"
     "        --arg buf=zeros:16K --arg i32=64 --save 2=C.npy"},
    {"Straight from CUDA source", "reprise record -o saxpy.wtr --module saxpy.cu --grid 4 --block 256 \\\n"
                                  "        --arg i32=1000 --arg f32=2 --arg buf=iota-i32:1000 --arg buf=zeros:4000"},
    {"As machine code of an RTX 3090, made by NVIDIA's ptxas",
     "reprise record -o sum.wtr --module sum.ptx --assemble sm_86 --grid 8 --block 256 \\\n"
     "        --arg buf=iota-i32:2048 --arg buf=zeros:4"},
    {"Where there is no ptxas: PTX in the order that an assembler would choose",
     "reprise record -o sum.wtr --module sum.ptx --schedule --grid 8 --block 256 \\\n"
     "        --arg buf=iota-i32:2048 --arg buf=zeros:4"},
    {"Two products in a row on the same buffers",
     "reprise record -o chain.wtr --launch-file chain.cfg --module matmul.ptx"},
    {"A CUDA program as it is, each process with a trace of its own",
     "reprise record -o app.%p.wtr --kernels '^gemm' -- ./app 1024"},
    {"A CUDA program on four H100s: which device ran a launch, and what was copied between them",
     "reprise record -o app.wtr --device h100 --devices 4 -- ./app"},
    {"A CUDA program as an A100's machine code, its own or what ptxas makes of its PTX",
     "reprise record -o app.wtr --device a100 --prefer sass -- ./app 1024"},
    {"A program on a thousand cores, and what it computed",
     "reprise record -o many.wtr --guest mm.elf --cores 1024 --save C=C.bin"},
    {NULL, NULL},
};
const struct command command_record = {
    .name = "record",
    .summary = "run a kernel and record its trace",
    .usage = "-o TRACE --module FILE --grid X,Y --block X,Y --arg FORM=VALUE...\n-o TRACE --launch-file FILE\n"
             "-o TRACE [--device MACHINE] [OPTION]... -- PROGRAM [ARGUMENT]...\n-o TRACE --guest ELF [--cores N] "
             "[OPTION]...",
    .about = "Runs a kernel on the CPU and records what every warp did: instructions, active masks, addresses. "
             "Behind -- it takes a whole CUDA program, as it is (docs/cuda.md).",
    .options = record_rows,
    .forms = forms,
    .examples = record_examples,
    .status = statuses,
    .option = record_option,
    .run = record_run,
};

static const struct command_example run_examples[] = {
    {"Add up 0, 1, ..., 2047 and print the sum", "reprise run --module sum.ptx --grid 8 --block 256 \\\n"
                                                 "        --arg buf=iota-i32:2048 --arg buf=zeros:4 --print 1=i32"},
    {"Compare with what is known: exit status 3 if an element is more than 4 ulp off",
     "reprise run --module matmul.ptx --kernel matmul --grid 4,4 --block 16,16 \\\n"
     "        --arg buf=rand-f32:4K:seed=1 --arg buf=rand-f32:4K:seed=2 \\\n"
     "        --arg buf=zeros:16K --arg i32=64 --expect 2=C.npy:ulp=4"},
    {"Look for races and for reads of what nobody has written",
     "reprise run --module sum.ptx --grid 8 --block 256 \\\n"
     "        --arg buf=iota-i32:2048 --arg buf=zeros:4 --check race,init"},
    {"A CUDA program as it is, on a V100", "reprise run --device v100 -- ./app 1024"},
    {"The same on two of them", "reprise run --device v100 --devices 2 -- ./app 1024"},
    {"Matrix products with the rounding of an H100's tensor cores",
     "reprise run --device h100 --tensor-sums sm_90 -- ./app 1024"},
    {"In CI: exit status 3 and a report if anything is found",
     "reprise run --check all --findings f.sarif -- ./app\n"
     "reprise run --check all --suppressions known.txt --format github -- ./app"},
    {NULL, NULL},
};
const struct command command_run = {
    .name = "run",
    .summary = "run a kernel and give its results, with no trace",
    .usage = "--module FILE --grid X,Y --block X,Y --arg FORM=VALUE...\n--launch-file FILE\n"
             "[--device MACHINE] [OPTION]... -- PROGRAM [ARGUMENT]...\n--guest ELF [--cores N] [OPTION]...",
    .about =
        "Runs a kernel on the CPU, checks every memory access, and saves, prints or compares what it computed; or a "
        "whole CUDA program, as it is.",
    .options = run_rows,
    .forms = forms,
    .examples = run_examples,
    .status = statuses,
    .option = record_option,
    .run = record_run,
};
