#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "frontend/guest/lockstep.h"
#include "frontend/guest/plain.h"
#include "frontend/loader/guests.h"
#include "tools/guests/guests.h"
#include "tools/lib/cleanup.h"
#include "tools/lib/file.h"
#include "tools/lib/interrupt.h"
#include "tools/lib/json.h"
#include "tools/lib/number.h"
#include "tools/lib/output.h"
#include "tools/record/buffers.h"
#include "tools/record/data_file.h"
#include "tools/record/outputs.h"
#include "tools/replaying/replaying.h"
#include "tools/ui/figure.h"
#include "tracefmt/plural.h"
#include "tracefmt/sha256.h"

enum { CORES_DEFAULT = 32, GUEST_NUMBERS = 4 };
#define LIMIT_DEFAULT (UINT64_C(1) << 32) /* as for a warp of a kernel */

struct guest_session {
    const struct guest_keys *keys;
    const struct option_row *rows; /* of the command */
    struct plan plan; /* its buffers are the guest's variables, by name; output, limit, stack, saves, json and quiet */
    const char *file;
    uint32_t cores, cluster, patience;
    bool plain, no_trace;
    struct guest *guest;
    struct guest_program *program;
    struct guest_machine machine;
    bool open; /* the machine */
    struct rp_writer *writer;
    char sha256[65];
    struct guest_run_result result;
    double seconds;
    uint64_t file_bytes;
};

/* ---- options -------------------------------------------------------------------------------------------------------
 */

bool guest_asked(int end, char **argv)
{
    for (int i = 1; i < end; i++)
        if (!strcmp(argv[i], "--guest") || !strncmp(argv[i], "--guest=", 8))
            return true;
    return false;
}

bool guest_owns(int key) { return key >= GUEST_KEY_FILE && key <= GUEST_KEY_PATIENCE; }

/* "A=zeros:4K": the buffer of a variable, and what stands behind the sign. */
static const char *guest_variable(struct guest_session *s, const char *option, const char *text, size_t *buffer,
                                  struct rp_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        rp_fail(err, RP_USAGE, "%s %s: write SYMBOL=%s", option, text,
                !strcmp(option, "--data") ? "FORM, such as A=rand-i32:1024:seed=1" : "FILE, such as C=C.bin");
        return NULL;
    }
    char *name = strndup(text, (size_t)(equals - text));
    if (!name) {
        rp_fail(err, RP_SYSTEM, "out of memory");
        return NULL;
    }
    for (*buffer = 0; *buffer < s->plan.buffer_count && strcmp(s->plan.buffers[*buffer].name, name);)
        ++*buffer;
    if (*buffer == s->plan.buffer_count) {
        plan_add_buffer(&s->plan, name);
        s->plan.buffers[*buffer].content = CONTENT_UNSET;
    }
    free(name);
    return equals + 1;
}

static bool guest_add_data(struct guest_session *s, const char *text, struct rp_error *err)
{
    size_t buffer;
    const char *form = guest_variable(s, "--data", text, &buffer, err);
    if (form && s->plan.buffers[buffer].content != CONTENT_UNSET)
        return rp_fail(err, RP_USAGE, "--data %s: '%s' is given twice", text, s->plan.buffers[buffer].name);
    return form && (read_content(form, NULL, &s->plan.buffers[buffer], err) ||
                    rp_fail(err, RP_USAGE, "--data %s: %s", text, err->text));
}

static bool guest_add_save(struct guest_session *s, const char *text, struct rp_error *err)
{
    size_t buffer;
    const char *file = guest_variable(s, "--save", text, &buffer, err);
    return file && plan_add_save(&s->plan, buffer, file, err);
}

static bool guest_number(const char *text, const char *what, uint32_t least, uint32_t most, uint32_t *value,
                         struct rp_error *err)
{
    uint64_t wide = 0;
    const bool negative = *text == '-' && isdigit((unsigned char)text[1]);
    if (!negative && !read_size(text, UINT32_MAX, what, &wide, err))
        return false;
    *value = (uint32_t)wide;
    return (!negative && wide >= least && wide <= most) ||
           rp_fail(err, RP_USAGE, "%s %s: from %" PRIu32 " to %" PRIu32, what, text, least, most);
}

/* As of the library: reprise_guest_options. */
static bool guest_stack(const char *text, uint32_t *bytes, struct rp_error *err)
{
    return guest_number(text, "--stack", GUEST_PAGE, 1u << 30, bytes, err) &&
           (!(*bytes % GUEST_PAGE) ||
            rp_fail(err, RP_USAGE, "--stack %s: give a multiple of %u", text, (unsigned)GUEST_PAGE));
}

static bool guest_limit(const char *text, uint64_t *limit, struct rp_error *err)
{
    const bool fine = read_size(text, UINT64_MAX, "--limit", limit, err);
    *limit = *limit ? *limit : LIMIT_DEFAULT;
    return fine;
}

static bool guest_engine(struct guest_session *s, const char *name, struct rp_error *err)
{
    s->plain = !strcmp(name, "reference");
    return s->plain || !strcmp(name, "lockstep") ||
           rp_fail(err, RP_USAGE, "--engine %s: there are lockstep and reference", name);
}

static bool guest_take(struct guest_session *s, int key, char *arg, struct rp_error *err)
{
    const struct guest_keys *k = s->keys;
    struct plan *p = &s->plan;
    unsigned threads;
    if (key == k->output) {
        free(p->output);
        p->output = plan_copy(arg);
        return *arg || rp_fail(err, RP_USAGE, "-o needs the name of a file");
    }
    if (key == k->save)
        return guest_add_save(s, arg, err);
    if (key == k->cluster)
        return guest_number(arg, "--cluster", 1, 1024, &s->cluster, err);
    if (key == k->stack)
        return guest_stack(arg, &p->stack, err);
    if (key == k->limit)
        return guest_limit(arg, &p->limit, err);
    if (key == k->threads) /* a guest runs on one, whatever is allowed */
        return parse_threads(arg, &threads, err);
    if (key == k->json)
        return p->json = true;
    if (key == k->quiet)
        return p->quiet = true;
    if (key == k->no_trace)
        return s->no_trace = true;
    switch (key) {
    case GUEST_KEY_FILE: s->file = arg; return *arg || rp_fail(err, RP_USAGE, "--guest needs the name of a file");
    case GUEST_KEY_CORES: return guest_number(arg, "--cores", 1, GUEST_CORES_MAX, &s->cores, err);
    case GUEST_KEY_DATA: return guest_add_data(s, arg, err);
    case GUEST_KEY_ENGINE: return guest_engine(s, arg, err);
    case GUEST_KEY_PATIENCE: return guest_number(arg, "--patience", 1, UINT32_MAX, &s->patience, err);
    default:
        return rp_fail(err, RP_USAGE, "--%s is for kernels and CUDA programs, not for guests",
                       option_name(s->rows, key));
    }
}

static void guest_option(struct command_line *line, int key, char *arg)
{
    struct rp_error err;
    if (key == KEY_ARGUMENT)
        command_usage(line, "'%s' belongs to no option; a guest takes no arguments", arg);
    if (key != KEY_END)
        command_check(line, guest_take(line->input, key, arg, &err), &err);
}

/* ---- variables -----------------------------------------------------------------------------------------------------
 */

static bool guest_known_variable(const struct guest_session *s, struct plan_buffer *b, struct rp_error *err)
{
    const struct guest_symbol *symbol = guest_symbol(s->guest, b->name);
    if (!symbol || symbol->function)
        return rp_fail(err, RP_USAGE, "%s: there is no variable '%s'", s->file, b->name);
    b->address = symbol->address;
    return symbol->size || rp_fail(err, RP_USAGE, "%s: the size of '%s' is not in the file", s->file, b->name);
}

/* Contents of a file, or numbers. The caller frees them. */
static uint8_t *guest_content(struct plan_buffer *b, struct rp_error *err)
{
    struct data_file f;
    if (b->content != CONTENT_FILE) {
        uint8_t *bytes = calloc(b->bytes + 1, 1);
        if (bytes)
            buffer_generate(b, bytes);
        else
            rp_fail(err, RP_SYSTEM, "out of memory for '%s'", b->name);
        return bytes;
    }
    if (!data_file_open(&f, b->path, b->name, err))
        return NULL;
    b->bytes = f.bytes;
    uint8_t *bytes = malloc(f.bytes + 1);
    if (!bytes) {
        data_file_close(&f);
        rp_fail(err, RP_SYSTEM, "out of memory for '%s'", b->name);
        return NULL;
    }
    if (data_file_read(&f, b->path, bytes, err)) {
        buffer_describe_file(b, bytes);
        return bytes;
    }
    free(bytes);
    return NULL;
}

static bool guest_fill(struct guest_session *s, struct plan_buffer *b, struct rp_error *err)
{
    if (!guest_known_variable(s, b, err))
        return false;
    const uint32_t room = guest_symbol(s->guest, b->name)->size;
    if (b->content == CONTENT_UNSET) {
        b->bytes = room;
        return true;
    }
    uint8_t *bytes = guest_content(b, err);
    bool ok = bytes &&
              (b->bytes <= room || rp_fail(err, RP_USAGE, "--data %s: %" PRIu64 " bytes, but the variable has %" PRIu32,
                                           b->name, b->bytes, room));
    ok = ok && (guest_memory_write(&s->machine.memory, (uint32_t)b->address, (uint32_t)b->bytes, bytes) ||
                rp_fail(err, RP_USAGE, "--data %s: the variable may only be read", b->name));
    free(bytes);
    b->bytes = room;
    return ok;
}

static bool guest_save(struct guest_session *s, const struct plan_save *save, struct rp_error *err)
{
    const struct plan_buffer *b = &s->plan.buffers[save->buffer];
    uint8_t *bytes = malloc(b->bytes + 1);
    bool ok = bytes || rp_fail(err, RP_SYSTEM, "out of memory");
    ok = ok && (guest_memory_read(&s->machine.memory, (uint32_t)b->address, (uint32_t)b->bytes, GUEST_READ, bytes) ||
                rp_fail(err, RP_SYSTEM, "'%s' is not in the guest's memory", b->name));
    ok = ok && output_save_buffer(b, save, bytes, err);
    free(bytes);
    return ok;
}

/* ---- running -------------------------------------------------------------------------------------------------------
 */

static void guest_hash(struct guest_session *s, const uint8_t *bytes, size_t size)
{
    uint8_t digest[32];
    struct sha256 sum;
    sha256_begin(&sum);
    sha256_add(&sum, bytes, size);
    sha256_end(&sum, digest);
    sha256_hex(digest, s->sha256);
}

static bool guest_begin(struct guest_session *s, struct rp_error *err)
{
    size_t size;
    uint8_t *bytes = file_read(s->file, &size, err);
    if (!bytes)
        return false;
    guest_hash(s, bytes, size);
    s->guest = guest_open(s->file, bytes, size, err);
    free(bytes);
    if (!s->guest || !(s->program = guest_translate(s->guest, err)))
        return false;
    return s->open = guest_machine_open(&s->machine, s->guest, s->cores, s->plan.stack, err);
}

struct guest_text {
    char key[300], value[160];
};

/* What the trace says of the run: numbers, and what --data filled. Returns how many options. */
static uint32_t guest_options(const struct guest_session *s, struct guest_text *text)
{
    const struct {
        const char *key;
        uint32_t value;
    } numbers[GUEST_NUMBERS] = {{"cores", s->cores},
                                {"cluster", s->cluster},
                                {"patience", s->patience},
                                {"stack", s->machine.memory.stack_bytes}};
    uint32_t count = 0;
    for (; count < GUEST_NUMBERS; count++) {
        snprintf(text[count].key, sizeof text->key, "%s", numbers[count].key);
        snprintf(text[count].value, sizeof text->value, "%" PRIu32, numbers[count].value);
    }
    for (size_t i = 0; i < s->plan.buffer_count; i++) {
        const struct plan_buffer *b = &s->plan.buffers[i];
        if (!b->described)
            continue;
        snprintf(text[count].key, sizeof text->key, "buffer.%s", b->name);
        snprintf(text[count++].value, sizeof text->value, "%s", b->described);
    }
    return count;
}

static bool guest_open_trace(struct guest_session *s, struct rp_error *err)
{
    const char *slash = strrchr(s->file, '/');
    const size_t most = GUEST_NUMBERS + s->plan.buffer_count;
    struct guest_text *text = calloc(most, sizeof *text);
    struct rp_option *options = calloc(most, sizeof *options);
    const uint32_t count = text && options ? guest_options(s, text) : 0;
    for (uint32_t i = 0; i < count; i++)
        options[i] = (struct rp_option){text[i].key, text[i].value};
    const struct rp_provenance provenance = {.tool = "reprise " REPRISE_VERSION,
                                             .module_name = slash ? slash + 1 : s->file,
                                             .module_sha256 = s->sha256,
                                             .option_count = count,
                                             .options = options};
    cleanup_hold();
    if (count)
        s->writer = rp_writer_open(s->plan.output, &provenance, NULL, err);
    else
        rp_fail(err, RP_SYSTEM, "out of memory");
    if (s->writer)
        cleanup_register(CLEANUP_TRACE, rp_writer_temporary(s->writer));
    cleanup_expect(s->plan.output);
    cleanup_release();
    free(text);
    free(options);
    return s->writer != NULL;
}

static bool guest_prepare(struct guest_session *s, struct rp_error *err)
{
    struct plan *p = &s->plan;
    p->module = plan_copy(s->file);
    if (!plan_check_paths(p, NULL, err) || !guest_begin(s, err))
        return false;
    for (size_t i = 0; i < p->buffer_count; i++)
        if (!guest_fill(s, &p->buffers[i], err))
            return false;
    for (size_t i = 0; i < p->save_count; i++)
        if (!output_check(p->saves[i].path, INPUT_NPY, err) || !output_prepare_save(p, &p->saves[i], err))
            return false;
    if (p->json)
        s->machine.output = stderr;
    return !p->output || (output_check(p->output, INPUT_TRACE, err) && guest_open_trace(s, err));
}

static void guest_count_plain(struct guest_session *s)
{
    for (uint32_t i = 0; i < s->cores; i++)
        s->result.instructions += s->machine.core[i].retired;
    s->result.steps = s->result.most_steps = s->result.instructions;
}

static bool guest_execute(struct guest_session *s)
{
    struct timespec from, to;
    const struct guest_run_options o = {.limit = s->plan.limit,
                                        .patience = s->patience,
                                        .cluster = s->cluster,
                                        .writer = s->writer,
                                        .sha256 = s->sha256};
    interrupt_watch();
    s->machine.interrupted = interrupt_flag();
    clock_gettime(CLOCK_MONOTONIC, &from);
    bool ok = s->plain ? guest_run_plain(&s->machine, s->plan.limit, NULL)
                       : guest_run_lockstep(&s->machine, s->program, &o, &s->result);
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (s->plain)
        guest_count_plain(s);
    s->seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    return ok;
}

static bool guest_close_trace(struct guest_session *s, struct rp_error *err)
{
    struct stat st;
    if (!s->writer)
        return true;
    bool ok = rp_writer_close(s->writer, err);
    s->writer = NULL;
    cleanup_register(CLEANUP_TRACE, NULL);
    cleanup_written(s->plan.output);
    if (ok && stat(s->plan.output, &st) == 0)
        s->file_bytes = (uint64_t)st.st_size;
    return ok;
}

/* ---- results -------------------------------------------------------------------------------------------------------
 */

static double guest_lanes(const struct guest_session *s)
{
    return s->result.steps ? (double)s->result.instructions / (double)s->result.steps : 0;
}

static double guest_bits(const struct guest_session *s)
{
    return s->result.instructions ? 8.0 * (double)s->file_bytes / (double)s->result.instructions : 0;
}

/* Standard output belongs to the guest. */
static void guest_print_summary(const struct guest_session *s)
{
    char cores[FIGURE], instructions[FIGURE], bytes[FIGURE];
    const double rate = s->seconds > 0 ? (double)s->result.instructions / s->seconds * 1e-6 : 0;
    fflush(stdout);
    fprintf(stderr, "%s: %s core%s (%s), %s instruction%s", s->plan.output ? s->plan.output : s->file,
            figure(s->cores, cores), rp_plural(s->cores), s->guest->isa->name,
            figure(s->result.instructions, instructions), rp_plural(s->result.instructions));
    if (!s->plain)
        fprintf(stderr, ", %.1f of 32 lanes active", guest_lanes(s));
    fprintf(stderr, ", %.0f M/s", rate);
    if (s->plan.output)
        fprintf(stderr, "; %s bytes, %.4f bits per instruction", figure(s->file_bytes, bytes), guest_bits(s));
    fputc('\n', stderr);
}

static int guest_print_json(const struct guest_session *s, const struct rp_error *fault)
{
    json_t *out = json_document(s->plan.output ? "record" : "run");
    json_join(out, json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:f, s:i, s:f}", "module", s->guest->path,
                             "module_sha256", s->sha256, "isa", s->guest->isa->name, "outcome",
                             !fault          ? "complete"
                             : interrupted() ? "interrupted"
                                             : "fault",
                             "cores", (json_int_t)s->cores, "instructions", json_number(s->result.instructions),
                             "steps", json_number(s->result.most_steps), "active_lanes", guest_lanes(s), "status",
                             s->machine.status, "seconds", s->seconds));
    if (fault)
        json_put(out, "fault", json_string(fault->text));
    if (s->plan.output) {
        json_put(out, "trace", json_string(s->plan.output));
        json_put(out, "bytes", json_number(s->file_bytes));
        json_put(out, "bits_per_instruction", json_real(guest_bits(s)));
    }
    return json_finish(out);
}

/* The trace is kept up to a fault or a signal, and then nothing is saved. */
static int guest_finish(struct guest_session *s, bool complete, struct rp_error *fault)
{
    struct rp_error err;
    fflush(stdout);
    if (!complete && fault->status != RP_KERNEL)
        return command_fail(fault);
    for (size_t i = 0; complete && i < s->plan.save_count; i++)
        if (!guest_save(s, &s->plan.saves[i], &err))
            return command_fail(&err);
    if (!guest_close_trace(s, &err))
        return command_fail(&err);
    if (!complete)
        command_fail(fault);
    else if (!s->plan.quiet && !s->plan.json)
        guest_print_summary(s);
    int printed = s->plan.json ? guest_print_json(s, complete ? NULL : fault) : command_finish(RP_OK);
    return !complete ? RP_KERNEL : printed ? printed : s->machine.status;
}

static int guest_session_run(struct guest_session *s)
{
    struct rp_error err = {0};
    if (!guest_prepare(s, &err))
        return command_fail(&err);
    s->machine.err = &err;
    bool complete = guest_execute(s);
    return guest_finish(s, complete, &err);
}

static void guest_session_close(struct guest_session *s)
{
    cleanup_register(CLEANUP_TRACE, NULL);
    rp_writer_abandon(s->writer);
    if (s->open)
        guest_machine_close(&s->machine);
    guest_program_free(s->program);
    guest_free(s->guest);
    plan_free(&s->plan);
}

int guest_run(const struct command *command, int argc, char **argv, const struct guest_keys *keys)
{
    struct command here = *command;
    struct command_line line;
    struct guest_session s = {.keys = keys,
                              .rows = command->options,
                              .plan.limit = LIMIT_DEFAULT,
                              .cores = CORES_DEFAULT,
                              .patience = GUEST_PATIENCE,
                              .no_trace = strcmp(command->name, "record") != 0};
    here.option = guest_option;
    command_parse(&line, &here, argc, argv, &s);
    if (s.plan.output && s.no_trace)
        command_usage(&line, "either -o FILE or no trace");
    if (!s.plan.output && !s.no_trace)
        command_usage(&line, "where shall the trace go? -o FILE.wtr; or 'reprise run', which writes none");
    if (s.plain && s.plan.output)
        command_usage(&line, "the reference engine records nothing: leave -o or --engine reference out");
    if (s.cluster % 32 && s.cluster != s.cores)
        command_usage(&line, "--cluster %u: a multiple of 32, or all cores", (unsigned)s.cluster);
    s.cluster = guest_cluster(s.cluster, s.cores);
    int status = guest_session_run(&s);
    guest_session_close(&s);
    if (interrupted()) {
        command_finish(status); /* writes what is left of the result */
        interrupt_end();
    }
    return status;
}
