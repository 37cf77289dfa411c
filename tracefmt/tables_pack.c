/* Converts C structs to protobuf messages. All temporary memory lives in one pool per call. */
#include <stdio.h>
#include <string.h>

#include "tracefmt/chunk_format.h"
#include "tracefmt/tables.h"
#include "tracefmt/trace.pb-c.h"

/* Length of the UTF-8 sequence at s (RFC 3629), 0 if there is none. */
static unsigned utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high, length;
    } forms[] = {{0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (*s < forms[i].first || *s > forms[i].last)
            continue;
        unsigned n = forms[i].length;
        if (n > 1 && (s[1] < forms[i].low || s[1] > forms[i].high))
            return 0;
        for (unsigned k = 2; k < n; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return n;
    }
    return 0;
}

static char *text(struct pool *a, const char *s)
{
    if (!s)
        s = "";
    char *out = pool_alloc(a, 4 * strlen(s) + 1, 1), *at = out;
    if (!out)
        return NULL;
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        unsigned n = utf8_length(p);
        if (n) {
            memcpy(at, p, n);
            at += n;
            p += n;
        } else {
            at += snprintf(at, 5, "\\x%02x", *p++);
        }
    }
    return out;
}

/* An array of count pointers to messages of `size` bytes; NULL: out of memory. */
static void *messages(struct pool *a, size_t count, size_t size)
{
    void **list = pool_alloc(a, count, sizeof *list);
    char *body = pool_alloc(a, count, size);
    for (size_t i = 0; list && body && i < count; i++)
        list[i] = body + i * size;
    return body ? list : NULL;
}

static bool finish(struct buffer *out, struct pool *a, const Reprise__Trace *message, bool ok, struct rp_error *err)
{
    if (ok) {
        size_t size = reprise__trace__get_packed_size(message);
        ok = buffer_reserve(out, size);
        if (ok)
            out->size += reprise__trace__pack(message, out->data + out->size);
    }
    pool_free(a);
    return ok || rp_fail(err, RP_SYSTEM, "out of memory while writing the tables of the trace");
}

bool tables_pack_head(struct buffer *out, const struct rp_provenance *p, struct rp_error *err)
{
    struct pool a = {0};
    Reprise__Trace message = REPRISE__TRACE__INIT;
    Reprise__Header header = REPRISE__HEADER__INIT;
    Reprise__Provenance provenance = REPRISE__PROVENANCE__INIT;
    message.header = &header;
    message.provenance = &provenance;
    header.format = text(&a, FORMAT_NAME);
    header.version = FORMAT_VERSION;
    provenance.tool = text(&a, p->tool);
    provenance.module_name = text(&a, p->module_name);
    provenance.module_sha256 = text(&a, p->module_sha256);
    provenance.n_option = p->option_count;
    provenance.option = messages(&a, p->option_count, sizeof **provenance.option);
    bool ok =
        header.format && provenance.tool && provenance.module_name && provenance.module_sha256 && provenance.option;
    for (uint32_t i = 0; ok && i < p->option_count; i++) {
        reprise__option__init(provenance.option[i]);
        provenance.option[i]->key = text(&a, p->options[i].key);
        provenance.option[i]->value = text(&a, p->options[i].value);
        ok = provenance.option[i]->key && provenance.option[i]->value;
    }
    return finish(out, &a, &message, ok, err);
}

bool tables_pack_feature(struct buffer *out, enum feature feature, struct rp_error *err)
{
    struct pool a = {0};
    Reprise__Trace message = REPRISE__TRACE__INIT;
    Reprise__Header header = REPRISE__HEADER__INIT;
    char *name = text(&a, feature_name(feature));
    message.header = &header;
    header.format = text(&a, FORMAT_NAME);
    header.version = FORMAT_VERSION_FEATURES;
    header.n_required_feature = 1;
    header.required_feature = &name;
    return finish(out, &a, &message, header.format && name, err);
}

bool tables_pack_module(struct buffer *out, uint32_t id, const struct rp_module *m, struct rp_error *err)
{
    struct pool a = {0};
    Reprise__Trace message = REPRISE__TRACE__INIT;
    Reprise__Module module = REPRISE__MODULE__INIT, *list = &module;
    message.n_module = 1;
    message.module = &list;
    module.id = id;
    module.name = text(&a, m->name);
    module.sha256 = text(&a, m->sha256);
    module.isa = text(&a, m->isa);
    module.target = text(&a, m->target);
    return finish(out, &a, &message, module.name && module.sha256 && module.isa && module.target, err);
}

bool tables_pack_host_operation(struct buffer *out, const struct rp_host_operation *o, struct rp_error *err)
{
    struct pool a = {0};
    Reprise__Trace message = REPRISE__TRACE__INIT;
    Reprise__HostOperation operation = REPRISE__HOST_OPERATION__INIT, *list = &operation;
    message.n_host_operation = 1;
    message.host_operation = &list;
    operation.kind = o->kind;
    operation.launch = o->launch;
    operation.stream = o->stream;
    operation.address = o->address;
    operation.source = o->source;
    operation.size = o->size;
    operation.direction = o->direction;
    operation.event = o->event;
    operation.name = text(&a, o->name);
    operation.initialised = o->initialised;
    operation.managed = o->managed;
    operation.non_blocking = o->non_blocking;
    operation.waits = o->waits;
    operation.device = o->device;
    operation.to = o->to;
    operation.from = o->from;
    return finish(out, &a, &message, operation.name != NULL, err);
}

static bool pack_operands(struct pool *a, Reprise__Instruction *to, const struct rp_instruction *in)
{
    to->n_memory = in->memory_count;
    to->memory = messages(a, in->memory_count, sizeof **to->memory);
    for (uint32_t i = 0; to->memory && i < in->memory_count; i++) {
        const struct rp_memory_operand *m = &in->memory[i];
        Reprise__MemoryOperand *o = to->memory[i];
        reprise__memory_operand__init(o);
        o->space = m->space;
        o->kind = m->kind;
        o->scope = m->scope;
        o->order = m->order;
        o->cache_op = m->cache_op;
        o->atomic = m->atomic;
        o->value = m->value;
        o->elements = m->elements;
        o->width = m->width;
        o->object = m->object;
        o->evict_l1 = m->evict_l1;
        o->evict_l2 = m->evict_l2;
    }
    return to->memory != NULL;
}

static bool pack_instruction(struct pool *a, Reprise__Instruction *to, const struct rp_instruction *in)
{
    reprise__instruction__init(to);
    to->pc = in->pc;
    to->raw.data = (uint8_t *)in->raw;
    to->raw.len = in->raw_size;
    to->control = in->control;
    to->text = text(a, in->text);
    to->unit_class = in->unit_class;
    to->flags = in->flags;
    to->guard = in->guard;
    to->n_dst = in->dst_count;
    to->dst = (uint32_t *)in->dst;
    to->n_src = in->src_count;
    to->src = (uint32_t *)in->src;
    to->fence_scope = in->fence_scope;
    to->file = in->file;
    to->line = in->line;
    to->inlined = in->inlined;
    to->aux_count = in->aux_count > 1 ? in->aux_count : 0;
    to->slots = in->slots;
    if (in->barrier.kind != RP_BARRIER_NONE) {
        if (!(to->barrier = pool_alloc(a, 1, sizeof *to->barrier)))
            return false;
        reprise__barrier__init(to->barrier);
        to->barrier->kind = in->barrier.kind;
        to->barrier->id = in->barrier.id;
        to->barrier->count = in->barrier.count;
    }
    if (in->async.kind != RP_ASYNC_NONE) {
        if (!(to->async = pool_alloc(a, 1, sizeof *to->async)))
            return false;
        reprise__async__init(to->async);
        to->async->kind = in->async.kind;
        to->async->role = in->async.role;
        to->async->pending = in->async.pending;
    }
    return to->text && pack_operands(a, to, in);
}

static bool pack_inlined(struct pool *a, Reprise__Kernel *to, const struct rp_kernel *k)
{
    to->n_inlined = k->inlined_count;
    to->inlined = messages(a, k->inlined_count, sizeof **to->inlined);
    bool ok = to->inlined != NULL;
    for (uint32_t i = 0; ok && i < k->inlined_count; i++) {
        reprise__inlined_call__init(to->inlined[i]);
        to->inlined[i]->file = k->inlined[i].file;
        to->inlined[i]->line = k->inlined[i].line;
        to->inlined[i]->inlined = k->inlined[i].inlined;
        ok = (to->inlined[i]->function = text(a, k->inlined[i].function)) != NULL;
    }
    return ok;
}

static bool pack_live(struct pool *a, Reprise__Kernel *to, const struct rp_kernel *k)
{
    if (!k->live)
        return true;
    to->live_registers = pool_alloc(a, k->instruction_count, sizeof *to->live_registers);
    to->live_predicates = pool_alloc(a, k->instruction_count, sizeof *to->live_predicates);
    to->live_after = pool_alloc(a, k->instruction_count, sizeof *to->live_after);
    if (!to->live_registers || !to->live_predicates || !to->live_after)
        return false;
    to->n_live_registers = to->n_live_predicates = to->n_live_after = k->instruction_count;
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        to->live_registers[i] = k->live[i].registers;
        to->live_predicates[i] = k->live[i].predicates;
        to->live_after[i] = k->live[i].after;
    }
    return true;
}

bool tables_pack_kernel(struct buffer *out, uint32_t id, const struct rp_kernel *k, struct rp_error *err)
{
    struct pool a = {0};
    Reprise__Trace message = REPRISE__TRACE__INIT;
    Reprise__Kernel kernel = REPRISE__KERNEL__INIT, *list = &kernel;
    message.n_kernel = 1;
    message.kernel = &list;
    kernel.id = id;
    kernel.name = text(&a, k->name);
    kernel.isa = text(&a, k->isa);
    kernel.registers = k->registers;
    kernel.static_shared = k->static_shared;
    kernel.local_bytes = k->local_bytes;
    kernel.max_threads = k->max_threads;
    kernel.module = k->module;
    kernel.n_instruction = k->instruction_count;
    kernel.instruction = messages(&a, k->instruction_count, sizeof **kernel.instruction);
    kernel.n_file = k->file_count;
    kernel.file = pool_alloc(&a, k->file_count, sizeof *kernel.file);
    bool ok = kernel.name && kernel.isa && kernel.instruction && kernel.file && pack_inlined(&a, &kernel, k) &&
              pack_live(&a, &kernel, k);
    for (uint32_t i = 0; ok && i < k->instruction_count; i++)
        ok = pack_instruction(&a, kernel.instruction[i], &k->instructions[i]);
    for (uint32_t i = 0; ok && i < k->file_count; i++)
        ok = (kernel.file[i] = text(&a, k->files[i])) != NULL;
    return finish(out, &a, &message, ok, err);
}

static Reprise__Window *window(struct pool *a, uint64_t base, uint64_t size)
{
    Reprise__Window *w = pool_alloc(a, 1, sizeof *w);
    if (w) {
        reprise__window__init(w);
        w->address = base;
        w->size = size;
    }
    return w;
}

bool tables_pack_launch(struct buffer *out, uint32_t id, const struct rp_launch *l, struct rp_error *err)
{
    struct pool a = {0};
    Reprise__Trace message = REPRISE__TRACE__INIT;
    Reprise__Launch launch = REPRISE__LAUNCH__INIT, *list = &launch;
    message.n_launch = 1;
    message.launch = &list;
    launch.id = id;
    launch.kernel = l->kernel;
    launch.n_grid = launch.n_block = 3;
    launch.grid = (uint32_t *)l->grid;
    launch.block = (uint32_t *)l->block;
    launch.dynamic_shared = l->dynamic_shared;
    launch.shared_window = window(&a, l->shared_window, l->shared_window_size);
    launch.local_window = window(&a, l->local_window, l->local_window_size);
    launch.const_window = window(&a, l->const_window, l->const_window_size);
    launch.param_window = window(&a, l->param_window, l->param_window_size);
    launch.params.data = (uint8_t *)l->params;
    launch.params.len = l->param_size;
    launch.device = l->device;
    launch.stream = l->stream;
    launch.parent = l->parent;
    launch.n_dependency = l->dependency_count;
    launch.dependency = (uint32_t *)l->dependencies;
    bool clusters = rp_launch_cluster(l) > 1;
    launch.n_cluster = clusters ? 3 : 0;
    launch.cluster = (uint32_t *)l->cluster;
    launch.cluster_shared = clusters ? window(&a, l->cluster_shared, l->cluster_step) : NULL;
    launch.cooperative = l->cooperative;
    launch.n_allocation = l->allocation_count;
    launch.allocation = messages(&a, l->allocation_count, sizeof **launch.allocation);
    bool ok = launch.shared_window && launch.local_window && launch.const_window && launch.param_window &&
              launch.allocation && (launch.cluster_shared || !clusters);
    for (uint32_t i = 0; ok && i < l->allocation_count; i++) {
        reprise__allocation__init(launch.allocation[i]);
        launch.allocation[i]->address = l->allocations[i].base;
        launch.allocation[i]->size = l->allocations[i].size;
        launch.allocation[i]->initialised = l->allocations[i].initialised;
        ok = (launch.allocation[i]->name = text(&a, l->allocations[i].name)) != NULL;
    }
    return finish(out, &a, &message, ok, err);
}

bool tables_pack_launch_end(struct buffer *out, uint32_t launch, const struct rp_launch_end *e, struct rp_error *err)
{
    struct pool a = {0};
    Reprise__Trace message = REPRISE__TRACE__INIT;
    Reprise__LaunchEnd end = REPRISE__LAUNCH_END__INIT, *list = &end;
    message.n_launch_end = 1;
    message.launch_end = &list;
    end.launch = launch;
    end.outcome = e->outcome;
    end.fault = text(&a, e->fault);
    return finish(out, &a, &message, end.fault != NULL, err);
}
