/* Contents that no checksum guards: a trace of everything is taken apart, changed and put together with right
 * checksums. Whatever it then says, the reader gives one clear error, or warns, and never believes what cannot be. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/remade_trace.h"
#include "tests/support/synthetic_trace.h"
#include "tracefmt/reader.h"
#include "tracefmt/trace.pb-c.h"
#include "tracefmt/utf8.h"

static char path[] = "/tmp/reprise-tables-XXXXXX";
static struct remade_trace original;

static void make(void)
{
    struct rp_error err = {0};
    close(mkstemp(path));
    cr_assert(rich_trace_write(path, true, &err) && remade_take(&original, path, &err), "%s", err.text);
}
static void drop(void)
{
    unlink(path);
    remade_free(&original);
}
TestSuite(tables, .init = make, .fini = drop);

/* ---- reading all there is -----------------------------------------------------------------------------------------
 */

static void one_clear_line(const struct rp_error *err)
{
    cr_assert(err->status == RP_BAD_INPUT, "status %d: %s", err->status, err->text);
    cr_assert(*err->text && !strchr(err->text, '\n') && strstr(err->text, path), "not one clear line: %s", err->text);
}

static void read_warp(struct rp_block *b, uint32_t warp)
{
    struct rp_error err = {0};
    struct rp_cursor c;
    struct rp_step s;
    uint64_t address[RP_WARP_LANES], sum = 0;
    int more = -1;
    if (rp_cursor_open(&c, b, warp, &err))
        while ((more = rp_cursor_next(&c, &s, &err)) == 1) {
            for (uint32_t m = 0; s.executed && m < s.instruction->memory_count; m++)
                rp_access_addresses(&s.accesses[m], address);
            for (unsigned i = 0; s.executed && i < rp_aux_count(s.instruction); i++)
                sum += s.aux_values[i];
        }
    cr_assert(sum + 1 || more <= 0);
    rp_cursor_close(&c);
    if (more < 0)
        one_clear_line(&err);
}

static void read_launch(struct rp_trace *t, uint32_t launch)
{
    struct rp_error err = {0};
    struct rp_class_counts counts;
    struct rp_allocation *list;
    size_t count;
    if (!rp_trace_class_counts(t, launch, &counts, NULL, NULL, &err))
        one_clear_line(&err);
    cr_assert(rp_trace_allocations(t, launch, &list, &count, &err), "%s", err.text);
    free(list);
    for (uint64_t b = 0; b < 5 && b < rp_launch_blocks(rp_trace_launch(t, launch)); b++) {
        struct rp_block *block = rp_block_open(t, launch, b, &err);
        for (uint32_t w = 0; block && w < rp_block_warps(block); w++)
            read_warp(block, w);
        if (!block)
            one_clear_line(&err);
        rp_block_close(block);
    }
}

enum outcome { WHOLE, NOT_VERIFIED, DAMAGED, REFUSED };

/* Reads everything; *said: what verify, the warning or the error says. */
static enum outcome read_everything(char said[1024])
{
    struct rp_error err = {0};
    struct rp_trace *t = rp_trace_open(path, &err);
    if (!t) {
        one_clear_line(&err);
        snprintf(said, 1024, "%s", err.text);
        return REFUSED;
    }
    bool verified = rp_trace_verify(t, NULL, NULL, &err);
    if (!verified)
        one_clear_line(&err);
    enum outcome outcome = rp_trace_damage(t) ? DAMAGED : verified ? WHOLE : NOT_VERIFIED;
    snprintf(said, 1024, "%s", outcome == DAMAGED ? rp_trace_damage(t) : outcome == NOT_VERIFIED ? err.text : "");
    cr_assert(!verified || outcome == WHOLE, "verified, but %s", said);
    cr_assert(!strchr(said, '\n'), "not one line: %s", said);
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++)
        read_launch(t, l);
    rp_trace_close(t);
    return outcome;
}

/* ---- one wrong value ----------------------------------------------------------------------------------------------
 */

static void set_text(char **to, const char *text)
{
    if (*to != protobuf_c_empty_string)
        free(*to);
    *to = strdup(text);
}

/* Changes one thing in the first frame of tables that has it; false: this frame has it not. */
typedef bool (*change)(Reprise__Trace *);

#define CHANGE(name, condition, action)                                                                                \
    static bool name(Reprise__Trace *m)                                                                                \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
            return false;                                                                                              \
        action;                                                                                                        \
        return true;                                                                                                   \
    }

static Reprise__Kernel *kernel_of(const Reprise__Trace *m, const char *name)
{
    for (size_t i = 0; i < m->n_kernel; i++)
        if (!strcmp(m->kernel[i]->name, name))
            return m->kernel[i];
    return NULL;
}
static Reprise__Launch *launch_of(const Reprise__Trace *m, uint32_t id)
{
    for (size_t i = 0; i < m->n_launch; i++)
        if (m->launch[i]->id == id)
            return m->launch[i];
    return NULL;
}
static Reprise__HostOperation *operation_of(const Reprise__Trace *m, uint32_t kind)
{
    for (size_t i = 0; i < m->n_host_operation; i++)
        if (m->host_operation[i]->kind == kind)
            return m->host_operation[i];
    return NULL;
}
static bool features_of(const Reprise__Trace *m) { return m->header && m->header->n_required_feature; }

static void drop_last(size_t *count, void **list, void (*release)(void *, ProtobufCAllocator *))
{
    release(list[--*count], NULL);
}
#define DROP(m, what, type)                                                                                            \
    drop_last(&(m)->n_##what, (void **)(m)->what,                                                                      \
              (void (*)(void *, ProtobufCAllocator *))reprise__##type##__free_unpacked)

/* modules */
CHANGE(module_number, m->n_module, m->module[0]->id = 5)
CHANGE(module_twice, m->n_module > 1, m->module[1]->id = 0)
CHANGE(module_lost, m->n_module, DROP(m, module, module))
CHANGE(module_of_kernel, kernel_of(m, "lines"), kernel_of(m, "lines")->module = 4)
CHANGE(module_far, kernel_of(m, "lines"), kernel_of(m, "lines")->module = UINT32_MAX)
CHANGE(module_untold, kernel_of(m, "lines"), kernel_of(m, "lines")->module = 0)

/* chains of inlined calls */
#define LINES (kernel_of(m, "lines"))
CHANGE(call_unknown, LINES, LINES->instruction[0]->inlined = 4)
CHANGE(call_far, LINES, LINES->instruction[0]->inlined = UINT32_MAX)
CHANGE(call_itself, LINES, LINES->inlined[0]->inlined = 1)
CHANGE(call_circle, LINES, LINES->inlined[0]->inlined = 2)
CHANGE(call_outside, LINES, LINES->inlined[1]->inlined = UINT32_MAX)
CHANGE(call_file, LINES, LINES->inlined[1]->file = 2)
CHANGE(calls_lost, LINES, DROP(LINES, inlined, inlined_call); DROP(LINES, inlined, inlined_call))
CHANGE(place_file, LINES, LINES->instruction[0]->file = 2)
CHANGE(call_untold, LINES, LINES->instruction[0]->inlined = 0)

/* live registers */
CHANGE(live_fewer, LINES, LINES->n_live_registers--)
CHANGE(live_lost, LINES, LINES->n_live_registers = 0)
CHANGE(live_after_lost, LINES, LINES->n_live_after = 0)
CHANGE(live_predicates_fewer, LINES, LINES->n_live_predicates = 1)
CHANGE(live_far, LINES, LINES->live_registers[1] = UINT16_MAX + 1)
CHANGE(live_after_far, LINES, LINES->live_after[1] = UINT32_MAX)
CHANGE(live_untold, LINES, LINES->n_live_registers = LINES->n_live_predicates = LINES->n_live_after = 0)

/* objects, bulk copies, values */
#define OBJECTS (kernel_of(m, "objects"))
CHANGE(kind_unknown, OBJECTS, OBJECTS->instruction[0]->memory[2]->kind = 99)
CHANGE(kind_far, OBJECTS, OBJECTS->instruction[0]->memory[2]->kind = UINT32_MAX)
CHANGE(kind_other, OBJECTS, OBJECTS->instruction[0]->memory[2]->kind = RP_ACCESS_LOAD)
CHANGE(kind_object, OBJECTS, OBJECTS->instruction[2]->memory[0]->kind = RP_ACCESS_OBJECT)
CHANGE(operand_lost, OBJECTS, DROP(OBJECTS->instruction[0], memory, memory_operand))
CHANGE(aux_fewer, OBJECTS, OBJECTS->instruction[0]->aux_count = 3)
CHANGE(aux_more, OBJECTS, OBJECTS->instruction[0]->aux_count = 65)
CHANGE(aux_far, OBJECTS, OBJECTS->instruction[0]->aux_count = UINT32_MAX)
CHANGE(aux_unflagged, OBJECTS, OBJECTS->instruction[1]->flags &= ~(uint32_t)RP_HAS_AUX)
CHANGE(space_unknown, OBJECTS, OBJECTS->instruction[2]->memory[0]->space = RP_SPACE_COUNT)
CHANGE(too_wide, OBJECTS, OBJECTS->instruction[2]->memory[0]->width = UINT32_MAX)

/* launches: streams, dependencies */
CHANGE(depends_on_itself, launch_of(m, 2), launch_of(m, 2)->dependency[1] = 2)
CHANGE(depends_on_later, launch_of(m, 2), launch_of(m, 2)->dependency[1] = 3)
CHANGE(depends_on_nothing, launch_of(m, 2), launch_of(m, 2)->dependency[1] = UINT32_MAX)
CHANGE(depends_twice, launch_of(m, 2), launch_of(m, 2)->dependency[1] = 0)
CHANGE(depends_descending, launch_of(m, 2), launch_of(m, 2)->dependency[0] = 1)
CHANGE(child, launch_of(m, 2), launch_of(m, 2)->parent = 2)
CHANGE(child_of_itself, launch_of(m, 2), launch_of(m, 2)->parent = 3)
CHANGE(stream_far, launch_of(m, 2), launch_of(m, 2)->stream = UINT32_MAX)
CHANGE(launch_number, launch_of(m, 2), launch_of(m, 2)->id = 7)
CHANGE(launch_kernel, launch_of(m, 2), launch_of(m, 2)->kernel = 2)
CHANGE(launch_other_kernel, launch_of(m, 2), launch_of(m, 2)->kernel = 1)
CHANGE(launch_larger, launch_of(m, 2), launch_of(m, 2)->grid[0] = INT32_MAX)
CHANGE(launch_smaller, launch_of(m, 2), launch_of(m, 2)->grid[0] = 3)
CHANGE(launch_flat, launch_of(m, 2), launch_of(m, 2)->n_grid = 2)
CHANGE(launch_crowded, launch_of(m, 2), launch_of(m, 2)->block[1] = 1024)

/* ends */
CHANGE(end_number, m->n_launch_end, m->launch_end[0]->launch = 9)
CHANGE(end_outcome, m->n_launch_end, m->launch_end[0]->outcome = 2)
CHANGE(end_twice, m->n_launch_end > 1, m->launch_end[1]->launch = m->launch_end[0]->launch)
CHANGE(end_lost, m->n_launch_end, DROP(m, launch_end, launch_end))

/* the host */
CHANGE(host_kind, operation_of(m, RP_HOST_SET), operation_of(m, RP_HOST_SET)->kind = RP_HOST_KIND_COUNT)
CHANGE(host_kind_far, operation_of(m, RP_HOST_SET), operation_of(m, RP_HOST_SET)->kind = UINT32_MAX)
CHANGE(host_direction, operation_of(m, RP_HOST_COPY), operation_of(m, RP_HOST_COPY)->direction = 4)
CHANGE(host_directed, operation_of(m, RP_HOST_SET), operation_of(m, RP_HOST_SET)->direction = 1)
CHANGE(host_waited, operation_of(m, RP_HOST_COPY), operation_of(m, RP_HOST_COPY)->waits = 3)
CHANGE(host_waited_far, operation_of(m, RP_HOST_COPY), operation_of(m, RP_HOST_COPY)->waits = 256 + RP_WAITS)
CHANGE(host_no_copy_waited, operation_of(m, RP_HOST_WAIT_EVENT), operation_of(m, RP_HOST_WAIT_EVENT)->waits = RP_WAITS)
CHANGE(host_managed, operation_of(m, RP_HOST_SET), operation_of(m, RP_HOST_SET)->managed = true)
CHANGE(host_non_blocking, operation_of(m, RP_HOST_SET), operation_of(m, RP_HOST_SET)->non_blocking = true)
CHANGE(host_creates, operation_of(m, RP_HOST_SET),
       (operation_of(m, RP_HOST_SET)->kind = RP_HOST_CREATE_STREAM, operation_of(m, RP_HOST_CREATE_STREAM)->stream = 0))
CHANGE(host_wraps, operation_of(m, RP_HOST_COPY), operation_of(m, RP_HOST_COPY)->size = UINT64_MAX)
CHANGE(host_later, operation_of(m, RP_HOST_SET), operation_of(m, RP_HOST_SET)->launch = 4)
CHANGE(host_far, operation_of(m, RP_HOST_SET), operation_of(m, RP_HOST_SET)->launch = UINT32_MAX)
CHANGE(host_earlier, operation_of(m, RP_HOST_FREE), operation_of(m, RP_HOST_FREE)->launch = 0)
CHANGE(host_frees, operation_of(m, RP_HOST_FREE), operation_of(m, RP_HOST_FREE)->address = 1)
CHANGE(host_waits, operation_of(m, RP_HOST_WAIT_EVENT), operation_of(m, RP_HOST_WAIT_EVENT)->event = UINT32_MAX)

/* features */
CHANGE(feature_unknown, features_of(m), set_text(&m->header->required_feature[0], "time-travel"))
CHANGE(feature_of_two_lines, features_of(m), set_text(&m->header->required_feature[0], "a\nb"))
CHANGE(feature_nameless, features_of(m), set_text(&m->header->required_feature[0], ""))
CHANGE(feature_version, features_of(m), m->header->version = 3)
CHANGE(feature_no_version, features_of(m), m->header->version = 0)
CHANGE(feature_format, features_of(m), set_text(&m->header->format, "another"))
CHANGE(name_of_two_lines, LINES, LINES->instruction[0]->unit_class = 200; set_text(&LINES->name, "a\nb"))

static const struct {
    const char *name;
    change change;
    enum outcome outcome;
    const char *said;
} cases[] = {
#define CASE(change, outcome, said) {#change, change, outcome, said},
    CASE(module_number, REFUSED, "module 5 comes where 0 is expected") CASE(
        module_twice, REFUSED,
        "module 0 comes where 1 is expected") CASE(module_lost, DAMAGED,
                                                   "belongs to module 1, which is not in the trace")
        CASE(module_of_kernel, REFUSED, "kernel 'lines' belongs to module 3, which is not in the trace") CASE(
            module_far, REFUSED,
            "belongs to module 4294967294") CASE(module_untold, WHOLE,
                                                 "") CASE(call_unknown, REFUSED,
                                                          "kernel 'lines', instruction 0: unknown inlined "
                                                          "call (4)") CASE(call_far, REFUSED,
                                                                           "unknown inlined call (4294967295)")
            CASE(call_itself, REFUSED, "inlined call 0: it is in the body of call 0, which is not before it") CASE(
                call_circle, REFUSED, "inlined call 0: it is in the body of call 1, which is not before it")
                CASE(call_outside, REFUSED, "inlined call 1: it is in the body of call 4294967294") CASE(
                    call_file, REFUSED, "inlined call 1: unknown source file (2)") CASE(calls_lost, REFUSED,
                                                                                        "unknown inlined call (2)")
                    CASE(place_file, REFUSED, "instruction 0: unknown source file (2)") CASE(call_untold, WHOLE, "")
                        CASE(live_fewer, REFUSED, "kernel 'lines' has 4, 5 and 5 counts of live registers") CASE(
                            live_lost, REFUSED,
                            "has 0, 5 and 5 counts") CASE(live_after_lost, REFUSED,
                                                          "has 5, 5 and 0 counts") CASE(live_predicates_fewer, REFUSED,
                                                                                        "has 5, 1 and 5 counts")
                            CASE(live_far, REFUSED, "instruction 1: more live registers than there can be") CASE(
                                live_after_far, REFUSED,
                                "instruction 1: more live registers") CASE(live_untold, WHOLE, "")
                                CASE(kind_unknown, DAMAGED,
                                     "kernel 'objects', instruction 0: unknown kind of access (99)")
                                    CASE(kind_far, DAMAGED,
                                         "unknown kind of access (255)") CASE(kind_other, DAMAGED,
                                                                              "its operands have other aux values than "
                                                                              "it tells (2)") CASE(kind_object, DAMAGED,
                                                                                                   "its operands have "
                                                                                                   "other aux values "
                                                                                                   "than it tells (2)")
                                        CASE(operand_lost, DAMAGED,
                                             "its operands have other aux values than it tells (2)")
                                            CASE(aux_fewer, DAMAGED,
                                                 "its operands have other aux values than it tells (4)")
                                                CASE(aux_more, DAMAGED,
                                                     "aux values where none belong, or too many (65)")
                                                    CASE(aux_far, DAMAGED,
                                                         "aux values where none belong, or too many (255)")
                                                        CASE(aux_unflagged, DAMAGED,
                                                             "instruction 1: aux values where none belong")
                                                            CASE(space_unknown, DAMAGED,
                                                                 "instruction 2: unknown memory space")
                                                                CASE(too_wide, DAMAGED,
                                                                     "instruction 2: more bytes per lane than an "
                                                                     "operand may have (4294967295)")
                                                                    CASE(depends_on_itself, DAMAGED,
                                                                         "launch 2 depends on launch 2")
                                                                        CASE(depends_on_later, DAMAGED,
                                                                             "launch 2 depends on launch 3")
                                                                            CASE(depends_on_nothing, DAMAGED,
                                                                                 "launch 2 depends on launch "
                                                                                 "4294967295") CASE(depends_twice,
                                                                                                    DAMAGED,
                                                                                                    "launch 2 depends "
                                                                                                    "on launch 0: "
                                                                                                    "dependencies "
                                                                                                    "ascend")
                                                                                CASE(depends_descending, DAMAGED,
                                                                                     "launch 2 depends on launch 1: "
                                                                                     "dependencies ascend")
                                                                                    CASE(child, WHOLE, "") CASE(
                                                                                        child_of_itself, DAMAGED,
                                                                                        "launch 2 is a child of launch "
                                                                                        "2") CASE(stream_far, WHOLE, "")
                                                                                        CASE(
                                                                                            launch_number, DAMAGED,
                                                                                            "launch 7 comes where 2 is "
                                                                                            "expected")
                                                                                            CASE(launch_kernel, DAMAGED,
                                                                                                 "launch of kernel 2, "
                                                                                                 "which "
                                                                                                 "is not in the trace")
                                                                                                CASE(
                                                                                                    launch_other_kernel,
                                                                                                    NOT_VERIFIED,
                                                                                                    "frame ")
                                                                                                    CASE(launch_larger,
                                                                                                         WHOLE,
                                                                                                         "") /* it ended
                                                                                                                with a
                                                                                                                fault */
    CASE(launch_smaller, NOT_VERIFIED, "within the grid") CASE(
        launch_flat, DAMAGED, "launch 2 has not three dimensions") CASE(launch_crowded, DAMAGED,
                                                                        "65536 threads per block")
        CASE(end_number, DAMAGED, "the end of launch 9") CASE(end_outcome, DAMAGED, "the end of launch 0") CASE(
            end_twice, DAMAGED,
            "the end of launch") CASE(end_lost, WHOLE,
                                      "") CASE(host_kind, DAMAGED, "unknown kind of host operation (10)")
            CASE(host_kind_far, DAMAGED, "unknown kind of host operation (255)") CASE(
                host_direction,
                DAMAGED,
                "a host operation has the direction 4") CASE(host_directed, DAMAGED,
                                                             "a host operation has the direction 1")
                CASE(host_waited, DAMAGED, "a host operation (copy) is waited for in the way 3") CASE(
                    host_waited_far,
                    DAMAGED,
                    "a host operation (copy) is waited for in the way 255")
                    CASE(host_no_copy_waited, DAMAGED, "a host operation (wait-event) is waited for in the way 1") CASE(
                        host_managed, DAMAGED, "a host operation (set) is said to be managed")
                        CASE(host_non_blocking, DAMAGED, "a host operation (set) is said to be non-blocking") CASE(
                            host_creates, DAMAGED, "a host operation creates stream 0")
                            CASE(host_wraps, DAMAGED, "past the end of the address space") CASE(
                                host_later,
                                DAMAGED,
                                "a host operation after 4 launches stands at the wrong place")
                                CASE(host_far, DAMAGED, "after 4294967295 launches") CASE(
                                    host_earlier, DAMAGED,
                                    "a host operation after 0 launches stands at the wrong place")
                                    CASE(host_frees, NOT_VERIFIED,
                                         "names the allocation at 0x1, which is not allocated")
                                        CASE(host_waits, NOT_VERIFIED,
                                             "names event 0xffffffff, which was not recorded before")
                                            CASE(feature_unknown, REFUSED,
                                                 "it needs 'time-travel', which this Reprise does not know: update it")
                                                CASE(feature_of_two_lines, REFUSED,
                                                     "it needs 'a b'") CASE(feature_nameless, REFUSED, "it needs ''")
                                                    CASE(feature_version, REFUSED, "it has format version 3")
                                                        CASE(feature_no_version, REFUSED, "it has format version 0")
                                                            CASE(feature_format, DAMAGED, "it is not a Reprise trace")
                                                                CASE(name_of_two_lines, REFUSED,
                                                                     "kernel 'a b', instruction 0: unknown class")
#undef CASE
};

/* The original with the change, in a buffer of its own. */
static bool apply(change c, size_t frame, struct buffer *to)
{
    Reprise__Trace *m = reprise__trace__unpack(NULL, original.frames[frame].raw.size, original.frames[frame].raw.data);
    cr_assert(m);
    bool changed = c(m);
    if (changed) {
        size_t size = reprise__trace__get_packed_size(m);
        cr_assert(buffer_reserve(to, size));
        to->size = reprise__trace__pack(m, to->data);
    }
    reprise__trace__free_unpacked(m, NULL);
    return changed;
}

static void write_changed(const char *name, change c, bool with_index)
{
    struct rp_error err = {0};
    struct buffer changed = {0};
    size_t at = 0;
    while (at < original.count && (original.frames[at].kind != FRAME_TABLES || !apply(c, at, &changed)))
        at++;
    cr_assert(at < original.count, "%s: the trace has nothing to change", name);
    struct buffer kept = original.frames[at].raw;
    original.frames[at].raw = changed;
    cr_assert(remade_write(&original, path, with_index, &err), "%s", err.text);
    original.frames[at].raw = kept;
    buffer_free(&changed);
}

Test(tables, the_original_is_whole)
{
    struct rp_error err = {0};
    char said[1024];
    for (int index = 0; index < 2; index++) {
        cr_assert(remade_write(&original, path, index, &err), "%s", err.text);
        cr_expect_eq(read_everything(said), index ? WHOLE : DAMAGED, "%s", said);
        cr_expect(index || strstr(said, "the index at the end is missing; all "), "%s", said);
    }
}

Test(tables, each_wrong_value_has_its_message)
{
    static const char *const words[] = {"whole", "not verified", "damaged", "refused"};
    char said[1024];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_changed(cases[i].name, cases[i].change, true);
        enum outcome outcome = read_everything(said);
        cr_expect(outcome == cases[i].outcome && strstr(said, cases[i].said), "%s is %s: %s", cases[i].name,
                  words[outcome], said);
        write_changed(cases[i].name, cases[i].change, false);
        outcome = read_everything(said);
        cr_expect(outcome == REFUSED || outcome == DAMAGED, "%s is %s without an index", cases[i].name, words[outcome]);
        cr_expect(cases[i].outcome < DAMAGED || strstr(said, cases[i].said), "%s: %s", cases[i].name, said);
    }
}

/* The tables before the first chunk in one frame, the last of them wrong: what comes before it stays, and the chunks
 * that follow belong to a launch of it. */
Test(tables, what_stands_before_the_damage_of_a_frame_is_used)
{
    struct rp_error err = {0};
    char said[1024];
    static const uint8_t operation[] = {0x3a, 2, 0x08, 99}; /* host_operation { kind: 99 } */
    size_t first = 1, chunk = 1;
    while (original.frames[chunk].kind != FRAME_CHUNK)
        chunk++;
    struct buffer *all = &original.frames[first].raw;
    for (size_t i = first + 1; i < chunk; i++) {
        buffer_append(all, original.frames[i].raw.data, original.frames[i].raw.size);
        buffer_free(&original.frames[i].raw);
    }
    memmove(original.frames + first + 1, original.frames + chunk, (original.count - chunk) * sizeof *original.frames);
    original.count -= chunk - first - 1;
    buffer_append(all, operation, sizeof operation);
    for (int index = 0; index < 2; index++) {
        cr_assert(remade_write(&original, path, index, &err), "%s", err.text);
        cr_expect_eq(read_everything(said), DAMAGED, "%s", said);
        cr_expect(strstr(said, "unknown kind of host operation (99)"), "%s", said);
        struct rp_trace *t = rp_trace_open(path, &err);
        struct rp_block *block = rp_block_open(t, 0, 0, &err);
        cr_expect(block, "%s", err.text);
        rp_block_close(block);
        rp_trace_close(t);
    }
}

Test(tables, launches_without_an_end_are_open)
{
    struct rp_error err = {0};
    char said[1024];
    for (size_t i = 0; i < original.count; i++) {
        struct buffer changed = {0};
        while (original.frames[i].kind == FRAME_TABLES && apply(end_lost, i, &changed)) {
            buffer_free(&original.frames[i].raw);
            original.frames[i].raw = changed;
            changed = (struct buffer){0};
        }
    }
    cr_assert(remade_write(&original, path, true, &err), "%s", err.text);
    cr_expect_eq(read_everything(said), WHOLE, "%s", said);
    struct rp_trace *t = rp_trace_open(path, &err);
    for (uint32_t l = 0; l < 4; l++)
        cr_expect(!rp_trace_launch_end(t, l) && rp_trace_launch_totals(t, l).blocks == 4);
    rp_trace_close(t);
}

Test(tables, a_lost_chunk_of_a_complete_launch_is_told)
{
    struct rp_error err = {0};
    char said[1024];
    size_t at = 0;
    while (original.frames[at].kind != FRAME_CHUNK || original.frames[at].entry.launch != 1)
        at++;
    struct remade_frame lost = original.frames[at];
    memmove(original.frames + at, original.frames + at + 1, (--original.count - at) * sizeof lost);
    cr_assert(remade_write(&original, path, true, &err), "%s", err.text);
    cr_expect_eq(read_everything(said), NOT_VERIFIED, "%s", said);
    cr_expect(strstr(said, "launch 1 is complete, but of its 4 blocks 3 are there"), "%s", said);
    original.frames[original.count++] = lost;
    cr_assert(remade_write(&original, path, true, &err), "%s", err.text);
    cr_expect_eq(read_everything(said), REFUSED, "%s", said);
    cr_expect(strstr(said, "the blocks of launch 1 do not ascend"), "%s", said);
}

/* ---- anything -----------------------------------------------------------------------------------------------------
 */

/* Changes a few bytes of a frame: flips a bit, sets an edge value, takes a byte out, doubles a part. */
static void disturb(struct buffer *b, uint64_t *random)
{
    static const uint8_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    for (uint64_t n = 1 + synthetic_random(random) % 3; n-- && b->size > 1;) {
        size_t at = synthetic_random(random) % b->size, part = 1 + synthetic_random(random) % 16;
        switch (synthetic_random(random) % 4) {
        case 0: b->data[at] ^= (uint8_t)(1u << synthetic_random(random) % 8); break;
        case 1: b->data[at] = edges[synthetic_random(random) % sizeof edges]; break;
        case 2: memmove(b->data + at, b->data + at + 1, --b->size - at); break;
        default:
            part = part < b->size - at ? part : b->size - at;
            cr_assert(buffer_reserve(b, part));
            memmove(b->data + at + part, b->data + at, b->size - at);
            b->size += part;
        }
    }
}

Test(tables, a_thousand_disturbed_contents)
{
    struct rp_error err = {0};
    uint64_t random = 1511, outcomes[REFUSED + 1] = {0};
    char said[1024];
    for (int i = 0; i < 1000; i++) {
        size_t at = synthetic_random(&random) % original.count;
        struct buffer kept = original.frames[at].raw, changed = {0};
        buffer_append(&changed, kept.data, kept.size);
        disturb(&changed, &random);
        original.frames[at].raw = changed;
        cr_assert(remade_write(&original, path, i % 2, &err), "%s", err.text);
        outcomes[read_everything(said)]++;
        buffer_free(&original.frames[at].raw);
        original.frames[at].raw = kept;
    }
    for (int o = WHOLE; o <= REFUSED; o++)
        cr_expect_gt(outcomes[o], 10, "%d: %d", o, (int)outcomes[o]);
}

/* RFC 3629, section 4: what is well-formed stays, each byte of what is not becomes '?'. */
Test(utf8, repair)
{
    static const char *const texts[][2] = {
        {"", ""},
        {"kernel<\xc3\xa9>", "kernel<\xc3\xa9>"},
        {"\xe2\x82\xac \xf0\x9f\x9a\x80 \xf4\x8f\xbf\xbf", "\xe2\x82\xac \xf0\x9f\x9a\x80 \xf4\x8f\xbf\xbf"},
        {"a\xff.cu", "a?.cu"},
        {"\x80"
         "b",
         "?b"},
        {"\xc0\xaf", "??"},           /* overlong */
        {"\xe0\x9f\xbf", "???"},      /* overlong */
        {"\xf0\x8f\xbf\xbf", "????"}, /* overlong */
        {"\xed\xa0\x80", "???"},      /* a surrogate */
        {"\xf4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
        {"\xf5\x80\x80\x80", "????"},
        {"\xe2\x82", "??"}, /* the end comes too early */
        {"\xe2\x82x", "??x"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[32];
        strcpy(text, texts[i][0]);
        rp_utf8_repair(text);
        cr_expect_str_eq(text, texts[i][1], "row %zu", i);
    }
}
