/* What later versions may add: features that a reader must know, fields, frames, launches in turns, what the host did.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/synthetic_trace.h"
#include "tracefmt/frame.h"
#include "tracefmt/index.h"
#include "tracefmt/reader.h"
#include "tracefmt/tables.h"

static char path[] = "/tmp/reprise-features-XXXXXX";
static const struct rp_provenance nobody = {"test", "none", "", 0, NULL};
static const struct rp_launch_end complete = {.outcome = RP_OUTCOME_COMPLETE};

static void make(void) { close(mkstemp(path)); }
static void drop(void) { unlink(path); }

/* ---- files put together by hand ---------------------------------------------------------------------------------- */

struct file {
    struct buffer bytes, raw;
    struct index index;
    ZSTD_CCtx *ctx;
};

static void add_frame(struct file *f, uint8_t kind)
{
    struct rp_error err = {0};
    uint64_t offset = f->bytes.size;
    cr_assert(frame_compress(f->ctx, 0, &f->raw, &f->bytes, &err), "%s", err.text);
    cr_assert(index_add_tables(&f->index, offset, f->bytes.size - offset, f->raw.size, &err));
    f->index.frames[f->index.frame_count - 1].kind = kind;
    f->raw.size = 0;
}

static void add_skippable(struct file *f)
{
    static const uint8_t frame[] = {0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    struct rp_error err = {0};
    cr_assert(index_add_tables(&f->index, f->bytes.size, sizeof frame, 3, &err));
    f->index.frames[f->index.frame_count - 1].kind = 9;
    buffer_append(&f->bytes, frame, sizeof frame);
}

static struct file begin_file(void)
{
    struct file f = {.ctx = ZSTD_createCCtx()};
    struct rp_error err = {0};
    cr_assert(tables_pack_head(&f.raw, &nobody, &err));
    add_frame(&f, FRAME_TABLES);
    return f;
}

static const struct rp_instruction exit_instruction = {
    .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT, .text = "exit"};
static const struct rp_kernel kernel = {
    .name = "k", .isa = "test", .instruction_count = 1, .instructions = &exit_instruction};
static const struct rp_launch launch = {.grid = {4, 1, 1}, .block = {32, 1, 1}};

static void add_launch(struct file *f)
{
    struct rp_error err = {0};
    cr_assert(tables_pack_kernel(&f->raw, 0, &kernel, &err) && tables_pack_launch(&f->raw, 0, &launch, &err));
    add_frame(f, FRAME_TABLES);
}

static void end_file(struct file *f, bool index)
{
    struct rp_error err = {0};
    if (index)
        cr_assert(index_pack(&f->index, &f->bytes, &err), "%s", err.text);
    FILE *out = fopen(path, "w");
    cr_assert(out && fwrite(f->bytes.data, 1, f->bytes.size, out) == f->bytes.size && !fclose(out));
    index_free(&f->index);
    buffer_free(&f->bytes);
    buffer_free(&f->raw);
    ZSTD_freeCCtx(f->ctx);
}

/* message Trace { header { format, version: 2, required_feature: name } } */
static void add_feature(struct file *f, const char *name)
{
    uint8_t size = (uint8_t)strlen(name);
    const uint8_t head[] = {0x0a, (uint8_t)(2 + 13 + 2 + 2 + size), 0x0a, 13};
    const uint8_t version[] = {0x10, 2, 0x1a, size};
    buffer_append(&f->raw, head, sizeof head);
    buffer_append(&f->raw, "reprise trace", 13);
    buffer_append(&f->raw, version, sizeof version);
    buffer_append(&f->raw, name, size);
    add_frame(f, FRAME_TABLES);
}

Test(features, one_that_is_not_known_is_refused_by_name, .init = make, .fini = drop)
{
    for (int where = 0; where < 2; where++)
        for (int index = 0; index < 2; index++) {
            struct file f = begin_file();
            struct rp_error err = {0};
            if (where)
                add_launch(&f);
            add_feature(&f, "time-travel");
            if (!where)
                add_launch(&f);
            end_file(&f, index);
            cr_assert(!rp_trace_open(path, &err));
            cr_expect(strstr(err.text, "it needs 'time-travel'") && strstr(err.text, path), "%s", err.text);
            cr_expect_eq(err.status, RP_BAD_INPUT);
        }
}

Test(features, one_that_is_known_is_fine, .init = make, .fini = drop)
{
    for (int feature = 0; feature < FEATURE_COUNT; feature++) {
        struct file f = begin_file();
        struct rp_error err = {0};
        add_feature(&f, feature_name((enum feature)feature));
        add_launch(&f);
        end_file(&f, true);
        struct rp_trace *t = rp_trace_open(path, &err);
        cr_assert(t && !rp_trace_damage(t), "%s", err.text);
        rp_trace_close(t);
    }
}

Test(features, fields_and_frames_of_later_versions_are_passed_over, .init = make, .fini = drop)
{
    static const uint8_t field[] = {0xfa, 0x06, 3, 1, 2, 3}; /* number 111, three bytes */
    for (int index = 0; index < 2; index++) {
        struct file f = begin_file();
        struct rp_error err = {0};
        add_skippable(&f);
        buffer_append(&f.raw, field, sizeof field);
        add_frame(&f, 5);
        buffer_append(&f.raw, field, sizeof field);
        add_launch(&f);
        end_file(&f, index);
        struct rp_trace *t = rp_trace_open(path, &err);
        cr_assert(t, "%s", err.text);
        cr_expect_eq(rp_trace_launch_count(t), 1);
        cr_expect(index ? !rp_trace_damage(t) : strstr(rp_trace_damage(t), "index") != NULL, "%s", rp_trace_damage(t));
        cr_expect(!index || rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
        rp_trace_close(t);
    }
}

/* ---- launches and the host ----------------------------------------------------------------------------------------
 */

static void commit(struct rp_writer *w, struct rp_chunk *c, uint64_t block)
{
    struct rp_error err = {0};
    struct rp_warp_log *log = rp_chunk_begin_block(c, block, 1);
    rp_log_run(log, 0, 1, (rp_lanemask)(block + 1));
    rp_chunk_end_block(c, block);
    struct rp_frame *f = rp_chunk_finish(c, &err);
    cr_assert(f && rp_writer_commit(w, f, &err), "%s", err.text);
}

static void expect_blocks(struct rp_trace *t, uint32_t number)
{
    struct rp_error err = {0};
    cr_expect_eq(rp_trace_launch_totals(t, number).chunks, 4);
    for (uint64_t b = 0; b < 4; b++) {
        struct rp_block *block = rp_block_open(t, number, b, &err);
        struct rp_cursor c;
        struct rp_step s;
        cr_assert(block && rp_cursor_open(&c, block, 0, &err), "%s", err.text);
        cr_expect(rp_cursor_next(&c, &s, &err) == 1 && s.active == b + 1 && !rp_cursor_next(&c, &s, &err));
        rp_cursor_close(&c);
        rp_block_close(block);
    }
}

Test(features, launches_whose_chunks_lie_in_turns, .init = make, .fini = drop)
{
    struct rp_error err = {0};
    struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
    struct rp_chunk *c[3];
    uint32_t id;
    cr_assert(rp_writer_add_kernel(w, &kernel, &id, &err));
    for (uint32_t l = 0; l < 3; l++) {
        struct rp_launch there = launch;
        uint32_t earlier[] = {0, 1};
        there.stream = l;
        there.dependency_count = l == 2 ? 2 : 0;
        there.dependencies = earlier;
        cr_assert(rp_writer_begin_launch(w, &there, &id, &err) && id == l, "%s", err.text);
        c[l] = rp_chunk_new(&kernel, l, NULL);
    }
    for (uint64_t b = 0; b < 4; b++) {
        struct rp_writer_mark mark = rp_writer_mark(w);
        commit(w, c[2], b);
        commit(w, c[0], b);
        cr_assert(rp_writer_rollback(w, mark, &err), "%s", err.text);
        for (uint32_t l = 0; l < 3; l++)
            commit(w, c[l], b);
    }
    cr_expect_null(rp_writer_read(w, &err));
    for (uint32_t l = 3; l-- > 0;) {
        cr_assert(rp_writer_end_launch(w, l, &complete, &err), "%s", err.text);
        cr_expect(!rp_writer_end_launch(w, l, &complete, &err), "twice");
        rp_chunk_free(c[l]);
    }
    cr_assert(rp_writer_close(w, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && !rp_trace_damage(t) && rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    for (uint32_t l = 0; l < 3; l++) {
        expect_blocks(t, l);
        cr_expect_eq(rp_trace_launch(t, l)->stream, l);
    }
    cr_expect(rp_trace_launch(t, 2)->dependency_count == 2 && rp_trace_launch(t, 2)->dependencies[1] == 1);
    rp_trace_close(t);
}

Test(features, a_launch_depends_on_earlier_ones_only, .init = make, .fini = drop)
{
    struct rp_error err = {0};
    struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
    uint32_t id, list[] = {0, 0};
    struct rp_launch there = launch;
    cr_assert(rp_writer_add_kernel(w, &kernel, &id, &err));
    there.dependency_count = 1;
    there.dependencies = list;
    cr_expect(!rp_writer_begin_launch(w, &there, &id, &err) && strstr(err.text, "depends on"), "%s", err.text);
    cr_expect(rp_writer_begin_launch(w, &launch, &id, &err));
    there.dependency_count = 2;
    cr_expect(!rp_writer_begin_launch(w, &there, &id, &err), "the same one twice");
    there.dependency_count = 1;
    cr_expect(rp_writer_begin_launch(w, &there, &id, &err), "%s", err.text);
    rp_writer_abandon(w);
}

Test(features, what_the_host_did_stands_in_order_with_the_launches, .init = make, .fini = drop)
{
    static const struct rp_host_operation before = {
        .kind = RP_HOST_ALLOCATE, .address = 0x1000, .size = 64, .name = "a", .managed = true};
    static const struct rp_host_operation apart = {.kind = RP_HOST_CREATE_STREAM, .stream = 7, .non_blocking = true};
    static const struct rp_host_operation copy = {.kind = RP_HOST_COPY,
                                                  .direction = RP_COPY_ON_DEVICE,
                                                  .waits = RP_WAITS_NOT,
                                                  .address = 0x1000,
                                                  .source = 0x2000,
                                                  .size = 16,
                                                  .stream = 7};
    static const struct rp_host_operation late = {
        .kind = RP_HOST_ALLOCATE, .address = 0x800, .size = 8, .name = "b", .initialised = true};
    static const struct rp_host_operation over = {.kind = RP_HOST_FREE, .address = 0x1000};
    static const struct rp_host_operation record = {.kind = RP_HOST_RECORD_EVENT, .stream = 2, .event = 5};
    static const struct rp_host_operation wrong = {.kind = RP_HOST_SET, .address = UINT64_MAX, .size = 2};
    static const struct rp_module module = {.name = "m.ptx", .sha256 = "", .isa = "ptx", .target = "sm_75"};
    struct rp_kernel of_module = kernel;
    of_module.module = 1;
    struct rp_error err = {0};
    struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
    uint32_t id;
    cr_expect(!rp_writer_add_kernel(w, &of_module, &id, &err) && strstr(err.text, "module"), "%s", err.text);
    cr_assert(rp_writer_add_module(w, &module, &id, &err) && rp_writer_add_kernel(w, &of_module, &id, &err));
    const struct rp_host_operation *all[] = {&before, &apart, &copy, NULL, &late, NULL, &over, &record, NULL};
    for (size_t i = 0; i < 9; i++) {
        if (all[i]) {
            cr_assert(rp_writer_add_host_operation(w, all[i], &err), "%s", err.text);
            continue;
        }
        cr_assert(rp_writer_begin_launch(w, &launch, &id, &err), "%s", err.text);
        struct rp_chunk *c = rp_chunk_new(&kernel, id, NULL);
        for (uint64_t b = 0; b < 4; b++)
            commit(w, c, b);
        rp_chunk_free(c);
        cr_assert(rp_writer_end_launch(w, id, &complete, &err));
    }
    cr_expect(!rp_writer_add_host_operation(w, &wrong, &err) && strstr(err.text, "address space"), "%s", err.text);
    cr_assert(rp_writer_close(w, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && !rp_trace_damage(t) && rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    cr_expect(rp_trace_module_count(t) == 1 && !strcmp(rp_trace_module(t, 0)->target, "sm_75"));
    cr_assert_eq(rp_trace_host_operation_count(t), 6);
    static const uint32_t after[] = {0, 0, 0, 1, 2, 2};
    for (size_t i = 0, n = 0; i < 9; i++)
        if (all[i]) {
            const struct rp_host_operation *o = rp_trace_host_operation(t, n);
            cr_expect(o->kind == all[i]->kind && o->address == all[i]->address && o->size == all[i]->size &&
                      o->source == all[i]->source && o->stream == all[i]->stream && o->event == all[i]->event &&
                      o->direction == all[i]->direction && o->waits == all[i]->waits &&
                      o->initialised == all[i]->initialised && o->managed == all[i]->managed &&
                      o->non_blocking == all[i]->non_blocking);
            cr_expect_str_eq(o->name, all[i]->name ? all[i]->name : "");
            cr_expect_eq(o->launch, after[n++]);
        }
    static const char *const live[] = {"a", "ba", "b"};
    for (uint32_t l = 0; l < 3; l++) {
        struct rp_allocation *list;
        size_t count;
        cr_assert(rp_trace_allocations(t, l, &list, &count, &err));
        cr_expect_eq(count, strlen(live[l]));
        for (size_t i = 0; i < count; i++)
            cr_expect(list[i].name[0] == live[l][i] && list[i].initialised == (live[l][i] == 'b'));
        free(list);
    }
    rp_trace_close(t);
}

/* What verify refuses: names that nothing gave. */
Test(features, host_operations_name_what_there_is, .init = make, .fini = drop)
{
    static const struct rp_host_operation allocate = {
        .kind = RP_HOST_ALLOCATE, .address = 0x1000, .size = 8, .name = "a"};
    static const struct rp_host_operation over = {.kind = RP_HOST_FREE, .address = 0x1000};
    static const struct rp_host_operation record = {.kind = RP_HOST_RECORD_EVENT, .stream = 3, .event = 2};
    static const struct rp_host_operation waits = {.kind = RP_HOST_WAIT_EVENT, .event = 2};
    static const struct rp_host_operation host_waits = {.kind = RP_HOST_SYNCHRONISE_EVENT, .event = 2};
    const struct {
        const struct rp_host_operation *list[4];
        const char *wrong; /* NULL: nothing is */
    } cases[] = {
        {{&allocate, &allocate, &over, &allocate}, NULL}, /* one may be told of again */
        {{&record, &waits, &host_waits, &waits}, NULL},
        {{&over, &allocate}, "host operation 0 (free) names the allocation at 0x1000, which is not allocated"},
        {{&allocate, &over, &over}, "host operation 2 (free)"},
        {{&waits, &record}, "host operation 0 (wait-event) names event 0x2, which was not recorded before"},
        {{&record, &allocate, &over}, NULL},
        {{&allocate, &host_waits}, "host operation 1 (synchronise-event)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rp_error err = {0};
        struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
        uint32_t id;
        for (size_t o = 0; o < 4 && cases[i].list[o]; o++)
            cr_assert(rp_writer_add_host_operation(w, cases[i].list[o], &err), "%s", err.text);
        cr_assert(rp_writer_add_kernel(w, &kernel, &id, &err) && rp_writer_begin_launch(w, &launch, &id, &err));
        struct rp_chunk *c = rp_chunk_new(&kernel, id, NULL);
        for (uint64_t b = 0; b < 4; b++)
            commit(w, c, b);
        rp_chunk_free(c);
        cr_assert(rp_writer_end_launch(w, id, &complete, &err) && rp_writer_close(w, &err), "%s", err.text);
        struct rp_trace *t = rp_trace_open(path, &err);
        cr_assert(t, "%s", err.text);
        bool whole = rp_trace_verify(t, NULL, NULL, &err);
        cr_expect(whole == !cases[i].wrong && (whole || strstr(err.text, cases[i].wrong)), "%zu: %s", i, err.text);
        cr_expect(whole || err.status == RP_BAD_INPUT);
        rp_trace_close(t);
    }
}

/* ---- several values per execution ---------------------------------------------------------------------------------
 */

Test(features, an_instruction_may_tell_several_values, .init = make, .fini = drop)
{
    static const struct rp_instruction list[] = {
        {.unit_class = RP_CLASS_ASYNC, .text = "three", .flags = RP_HAS_AUX | RP_GUARDED, .aux_count = 3},
        {.unit_class = RP_CLASS_BARRIER, .text = "one", .flags = RP_HAS_AUX}};
    static const struct rp_instruction wrong = {.unit_class = RP_CLASS_ASYNC, .text = "none", .aux_count = 3};
    struct rp_kernel k = {.name = "k", .isa = "test", .instruction_count = 1, .instructions = &wrong};
    struct rp_error err = {0};
    struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
    uint32_t id;
    cr_expect(!rp_writer_add_kernel(w, &k, &id, &err) && strstr(err.text, "aux"), "%s", err.text);
    k.instruction_count = 2;
    k.instructions = list;
    cr_assert(rp_writer_add_kernel(w, &k, &id, &err) && rp_writer_begin_launch(w, &launch, &id, &err), "%s", err.text);
    struct rp_chunk *c = rp_chunk_new(&k, id, NULL);
    for (uint64_t b = 0; b < 4; b++) {
        struct rp_warp_log *log = rp_chunk_begin_block(c, b, 1);
        for (uint64_t i = 0; i < 10; i++) {
            rp_log_run(log, 0, 2, 1);
            rp_log_guard(log, i % 3 != 0);
            for (uint64_t v = 0; i % 3 && v < 3; v++)
                rp_log_aux(log, b << 40 | i << 8 | v);
            rp_log_aux(log, i * i);
        }
        rp_chunk_end_block(c, b);
    }
    struct rp_frame *f = rp_chunk_finish(c, &err);
    cr_assert(f && rp_writer_commit(w, f, &err), "%s", err.text);
    rp_chunk_free(c);
    cr_assert(rp_writer_end_launch(w, 0, &complete, &err) && rp_writer_close(w, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && !rp_trace_damage(t) && rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    for (uint64_t b = 0; b < 4; b++) {
        struct rp_block *block = rp_block_open(t, 0, b, &err);
        struct rp_cursor cursor;
        struct rp_step s = {0};
        cr_assert(block && rp_cursor_open(&cursor, block, 0, &err), "%s", err.text);
        for (uint64_t i = 0; i < 10; i++) {
            cr_assert_eq(rp_cursor_next(&cursor, &s, &err), 1);
            for (uint64_t v = 0; i % 3 && v < 3; v++)
                cr_expect_eq(s.aux_values[v], b << 40 | i << 8 | v);
            cr_assert_eq(rp_cursor_next(&cursor, &s, &err), 1);
            cr_expect(s.aux == i * i && s.aux_values[0] == i * i);
        }
        cr_expect_eq(rp_cursor_next(&cursor, &s, &err), 0);
        rp_cursor_close(&cursor);
        rp_block_close(block);
    }
    rp_trace_close(t);
}

/* ---- operands of barrier objects, bulk copies and textures --------------------------------------------------------
 */

static const struct rp_memory_operand copy_operands[] = {
    {.space = RP_SPACE_SHARED, .kind = RP_ACCESS_BULK_STORE},
    {.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_BULK_LOAD},
    {.space = RP_SPACE_SHARED, .kind = RP_ACCESS_OBJECT, .width = 8}};
static const struct rp_memory_operand texels[] = {{.space = RP_SPACE_TEXTURE, .width = 4, .elements = 1},
                                                  {.space = RP_SPACE_TEXTURE, .width = 4, .elements = 1},
                                                  {.space = RP_SPACE_TEXTURE, .width = 4, .elements = 1},
                                                  {.space = RP_SPACE_TEXTURE, .width = 4, .elements = 1}};
static const struct rp_instruction objects[] = {
    {.unit_class = RP_CLASS_ASYNC,
     .text = "copy",
     .flags = RP_HAS_AUX,
     .aux_count = 4,
     .memory_count = 3,
     .memory = copy_operands},
    {.unit_class = RP_CLASS_ASYNC,
     .text = "try_wait",
     .flags = RP_HAS_AUX,
     .aux_count = 2,
     .memory_count = 1,
     .memory = copy_operands + 2},
    {.unit_class = RP_CLASS_TEXTURE, .text = "tex", .memory_count = 4, .memory = texels}};

/* Where the lane's texel i is in pass n of block b: a quad in rows of 64 bytes, not regular over the lanes. */
static uint64_t texel(uint64_t b, uint64_t n, unsigned i, unsigned lane)
{
    return 0x10000 + b * 4096 + n * 256 + (lane * lane % 13) * 4 + (i & 1) * 4 + (i >> 1) * 64;
}

static void log_objects(struct rp_warp_log *log, uint64_t b, uint64_t n)
{
    uint64_t at[3][RP_WARP_LANES] = {{0x400 + n * 512}, {0x7000000 + (b << 16) + n * 512}, {0x40}};
    rp_log_run(log, 0, 2, 1);
    for (uint32_t m = 0; m < 3; m++)
        rp_log_access(log, 0, m, 1, at[m]);
    rp_log_aux(log, 512);
    rp_log_aux(log, 512);
    rp_log_aux(log, RP_OBJECT_AUX(n, false));
    rp_log_aux(log, (uint64_t)-512);
    rp_log_access(log, 1, 0, 1, at[2]);
    rp_log_aux(log, RP_OBJECT_AUX(n, n % 2));
    rp_log_aux(log, 0);
    rp_log_run(log, 2, 1, UINT32_MAX);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t address[RP_WARP_LANES];
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            address[l] = texel(b, n, i, l);
        rp_log_access(log, 2, i, UINT32_MAX, address);
    }
}

static void expect_objects(struct rp_cursor *c, uint64_t b, uint64_t n)
{
    struct rp_error err = {0};
    struct rp_step s = {0};
    cr_assert_eq(rp_cursor_next(c, &s, &err), 1);
    cr_expect(s.accesses[0].base == 0x400 + n * 512 && s.accesses[1].base == 0x7000000 + (b << 16) + n * 512);
    cr_expect(*rp_step_operand_aux(&s, 0) == 512 && *rp_step_operand_aux(&s, 1) == 512);
    const uint64_t *object = rp_step_operand_aux(&s, 2);
    cr_expect(rp_object_phase(*object) == n && !rp_object_waits(*object) && (int64_t)object[1] == -512);
    cr_assert_eq(rp_cursor_next(c, &s, &err), 1);
    object = rp_step_operand_aux(&s, 0);
    cr_expect(s.accesses->base == 0x40 && rp_object_phase(*object) == n && rp_object_waits(*object) == n % 2);
    cr_assert_eq(rp_cursor_next(c, &s, &err), 1);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t address[RP_WARP_LANES];
        rp_access_addresses(&s.accesses[i], address);
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            cr_expect_eq(address[l], texel(b, n, i, l));
    }
}

Test(features, operands_of_objects_copies_and_textures, .init = make, .fini = drop)
{
    struct rp_instruction few = objects[0];
    few.aux_count = 3;
    struct rp_kernel k = {.name = "k", .isa = "test", .instruction_count = 1, .instructions = &few};
    struct rp_error err = {0};
    struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
    uint32_t id;
    cr_expect(!rp_writer_add_kernel(w, &k, &id, &err) && strstr(err.text, "aux"), "%s", err.text);
    k.instruction_count = 3;
    k.instructions = objects;
    cr_assert(rp_writer_add_kernel(w, &k, &id, &err) && rp_writer_begin_launch(w, &launch, &id, &err), "%s", err.text);
    struct rp_chunk *c = rp_chunk_new(&k, id, NULL);
    for (uint64_t b = 0; b < 4; b++) {
        struct rp_warp_log *log = rp_chunk_begin_block(c, b, 1);
        for (uint64_t n = 0; n < 5; n++)
            log_objects(log, b, n);
        rp_chunk_end_block(c, b);
    }
    struct rp_frame *f = rp_chunk_finish(c, &err);
    cr_assert(f && rp_writer_commit(w, f, &err), "%s", err.text);
    rp_chunk_free(c);
    cr_assert(rp_writer_end_launch(w, 0, &complete, &err) && rp_writer_close(w, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && !rp_trace_damage(t) && rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    for (uint64_t b = 0; b < 4; b++) {
        struct rp_block *block = rp_block_open(t, 0, b, &err);
        struct rp_cursor cursor;
        struct rp_step s;
        cr_assert(block && rp_cursor_open(&cursor, block, 0, &err), "%s", err.text);
        for (uint64_t n = 0; n < 5; n++)
            expect_objects(&cursor, b, n);
        cr_expect_eq(rp_cursor_next(&cursor, &s, &err), 0);
        rp_cursor_close(&cursor);
        rp_block_close(block);
    }
    rp_trace_close(t);
}

/* ---- source lines --------------------------------------------------------------------------------------------------
 */

static const struct rp_inlined_call calls[] = {{"outer(int)", 0, 60, 0}, {"inner<float>", 1, 7, 1}, {"other", 0, 0, 0}};
static const char *const sources[] = {"a.cu", "b.h"};

static bool add(struct rp_writer *w, uint32_t inlined, const struct rp_inlined_call *list, struct rp_error *err)
{
    struct rp_instruction in = {.unit_class = RP_CLASS_INT, .text = "add", .file = 1, .line = 3, .inlined = inlined};
    struct rp_kernel k = {.name = "k",
                          .isa = "test",
                          .instruction_count = 1,
                          .instructions = &in,
                          .file_count = 2,
                          .files = sources,
                          .inlined_count = 3,
                          .inlined = list};
    uint32_t id;
    return rp_writer_add_kernel(w, &k, &id, err);
}

Test(features, places_are_chains_of_inlined_calls, .init = make, .fini = drop)
{
    static const struct rp_inlined_call circle[] = {{"a", 0, 1, 2}, {"b", 0, 1, 1}, {"c", 0, 1, 0}};
    static const struct rp_inlined_call itself[] = {{"a", 0, 1, 0}, {"b", 0, 1, 2}, {"c", 0, 1, 0}};
    static const struct rp_inlined_call nowhere[] = {{"a", 2, 1, 0}, {"b", 0, 1, 0}, {"c", 0, 1, 0}};
    struct rp_error err = {0};
    struct rp_writer *w = rp_writer_open(path, &nobody, NULL, &err);
    cr_expect(!add(w, 4, calls, &err) && strstr(err.text, "inlined call (4)"), "%s", err.text);
    cr_expect(!add(w, 1, circle, &err) && strstr(err.text, "not before it"), "%s", err.text);
    cr_expect(!add(w, 1, itself, &err) && strstr(err.text, "not before it"), "%s", err.text);
    cr_expect(!add(w, 1, nowhere, &err) && strstr(err.text, "source file (2)"), "%s", err.text);
    cr_assert(add(w, 2, calls, &err) && rp_writer_close(w, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t && !rp_trace_damage(t) && rp_trace_verify(t, NULL, NULL, &err), "%s", err.text);
    const struct rp_kernel *k = rp_trace_kernel(t, 0);
    cr_assert(k->inlined_count == 3 && k->instructions->inlined == 2 && k->instructions->line == 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct rp_inlined_call *c = &k->inlined[i];
        cr_expect_str_eq(c->function, calls[i].function);
        cr_expect(c->file == calls[i].file && c->line == calls[i].line && c->inlined == calls[i].inlined);
    }
    rp_trace_close(t);
}

/* ---- memory that runs out -----------------------------------------------------------------------------------------
 */

/* Every access has a pattern of its own, so that both logs and patterns grow. */
static void log_much(struct rp_chunk *c, struct rp_warp_log *log, uint64_t count)
{
    uint64_t random = 1, address[RP_WARP_LANES];
    for (uint64_t i = 0; i < count && !rp_chunk_failed(c); i++) {
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            address[l] = synthetic_random(&random) >> 20;
        rp_log_run(log, 0, 1, (rp_lanemask)i | 1);
        rp_log_guard(log, (rp_lanemask)i);
        rp_log_aux(log, i);
        rp_log_access(log, 0, 0, UINT32_MAX, address);
    }
}

Test(features, logging_out_of_memory_makes_the_chunk_fail)
{
    static const struct rp_memory_operand operand = {.space = RP_SPACE_GLOBAL, .width = 4, .elements = 1};
    static const struct rp_instruction load = {
        .unit_class = RP_CLASS_MEMORY, .text = "ld", .memory_count = 1, .memory = &operand, .flags = RP_GUARDED};
    static const struct rp_kernel k = {.name = "k", .isa = "test", .instruction_count = 1, .instructions = &load};
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("AddressSanitizer needs address space without limit");
#endif
    struct rp_error err = {0};
    struct rp_chunk *c = rp_chunk_new(&k, 0, NULL);
    struct rp_warp_log *logs = rp_chunk_begin_block(c, 0, 2);
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = 256 << 20;
    cr_assert(!setrlimit(RLIMIT_AS, &limit));
    log_much(c, &logs[0], 10000000);
    cr_assert(rp_chunk_failed(c), "all of it fits?");
    log_much(c, &logs[0], 1000);
    for (uint32_t i = 0; i < 1000; i++) { /* a log that has no array yet */
        rp_log_run(&logs[1], 0, 1, i + 1);
        rp_log_guard(&logs[1], i);
        rp_log_aux(&logs[1], i);
        rp_log_affine_access(&logs[1], 0, 0, i, 4);
    }
    cr_expect(!rp_chunk_finish(c, &err) && err.status == RP_SYSTEM && strstr(err.text, "memory"), "%s", err.text);
    rp_chunk_free(c);
}

Test(features, logs_whose_accesses_do_not_fit_their_path_are_refused)
{
    static const struct rp_memory_operand word = {
        .space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_LOAD, .width = 4, .elements = 1};
    static const struct rp_instruction load = {
        .unit_class = RP_CLASS_MEMORY, .text = "ld", .memory_count = 1, .memory = &word};
    const struct rp_kernel k = {.name = "k", .isa = "test", .instruction_count = 1, .instructions = &load};
    uint64_t address[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = 64 + 4 * l;
    for (unsigned n = 0; n < 8; n++) {
        const struct rp_writer_options options = {.scattered = n & 1};
        const unsigned accesses = n / 2; /* of two executions */
        struct rp_error err = {0};
        struct rp_chunk *c = rp_chunk_new(&k, 0, &options);
        struct rp_warp_log *log = rp_chunk_begin_block(c, 0, 1);
        for (unsigned i = 0; i < 2; i++)
            rp_log_run(log, 0, 1, ~(rp_lanemask)0);
        for (unsigned i = 0; i < accesses; i++)
            rp_log_access(log, 0, 0, ~(rp_lanemask)0, address);
        rp_chunk_end_block(c, 0);
        struct rp_frame *f = rp_chunk_finish(c, &err);
        cr_expect(accesses == 2 ? f != NULL : !f && strstr(err.text, "where its path demands 2 and 0"), "%s", err.text);
        rp_frame_free(f);
        rp_chunk_free(c);
    }
}
