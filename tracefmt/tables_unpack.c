/* Converts protobuf messages to C structs and checks them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/chunk_format.h"
#include "tracefmt/tables.h"
#include "tracefmt/trace.pb-c.h"

/* protobuf-c allocates as much as a message claims to hold; this limits it. */
static void *limited_alloc(void *pool, size_t size) { return pool_alloc(pool, size, 1); }
static void limited_free(void *pool, void *memory)
{
    (void)pool;
    (void)memory;
}

void tables_free(struct tables *t)
{
    free(t->kernels);
    free(t->launches);
    free(t->ends);
    free(t->modules);
    free(t->operations);
    pool_free(&t->pool);
    budget_refund(t->pool.budget, t->arrays);
    *t = (struct tables){0};
}

/* Charges the budget for arrays that grow by realloc. */
static bool charge_array(struct tables *t, size_t bytes)
{
    if (!budget_charge(t->pool.budget, bytes)) {
        t->over = true;
        return false;
    }
    t->arrays += bytes;
    return true;
}

static bool no_memory(struct tables *t, struct rp_error *err)
{
    if (t->pool.over || t->over)
        return rp_fail(err, RP_BAD_INPUT, "its tables take more memory than those of a file of its size may");
    return rp_fail(err, RP_SYSTEM, "out of memory while reading the tables of the trace");
}

static bool grow(void *array, uint32_t capacity)
{
    void **pointers = realloc(*(void **)array, capacity * sizeof *pointers);
    if (pointers)
        memcpy(array, &pointers, sizeof pointers);
    return pointers != NULL;
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

static bool knows(const char *name)
{
    for (int f = 0; f < FEATURE_COUNT; f++)
        if (!strcmp(name, feature_name((enum feature)f)))
            return true;
    return false;
}

static bool take_header(struct tables *t, const Reprise__Header *h, struct rp_error *err)
{
    if (strcmp(h->format, FORMAT_NAME))
        return rp_fail(err, RP_BAD_INPUT, "it is not a Reprise trace");
    t->refused = true;
    for (size_t i = 0; i < h->n_required_feature; i++)
        if (!knows(h->required_feature[i]))
            return rp_fail(err, RP_BAD_INPUT, "it needs '%s', which this Reprise does not know: update it",
                           h->required_feature[i]);
    if (h->version == 0 || h->version > FORMAT_VERSION_FEATURES)
        return rp_fail(err, RP_BAD_INPUT, "it has format version %" PRIu32 ", this Reprise reads up to %d: update it",
                       h->version, FORMAT_VERSION_FEATURES);
    t->refused = false;
    t->has_header = true;
    return true;
}

static bool take_provenance(struct tables *t, const Reprise__Provenance *p, struct rp_error *err)
{
    struct rp_option *options = pool_alloc(&t->pool, p->n_option, sizeof *options);
    bool ok = options != NULL;
    for (size_t i = 0; ok && i < p->n_option; i++) {
        options[i].key = pool_string(&t->pool, p->option[i]->key);
        options[i].value = pool_string(&t->pool, p->option[i]->value);
        ok = options[i].key && options[i].value;
    }
    t->provenance = (struct rp_provenance){.tool = pool_string(&t->pool, p->tool),
                                           .module_name = pool_string(&t->pool, p->module_name),
                                           .module_sha256 = pool_string(&t->pool, p->module_sha256),
                                           .option_count = (uint32_t)p->n_option,
                                           .options = options};
    return (ok && t->provenance.tool && t->provenance.module_name && t->provenance.module_sha256) || no_memory(t, err);
}

/* ---- modules ------------------------------------------------------------------------------------------------------
 */

static bool take_module(struct tables *t, const Reprise__Module *from, struct rp_error *err)
{
    if (from->id != t->module_count)
        return rp_fail(err, RP_BAD_INPUT, "module %" PRIu32 " comes where %" PRIu32 " is expected", from->id,
                       t->module_count);
    if (t->module_count == t->module_capacity) {
        uint32_t capacity = t->module_capacity * 2 + 16;
        struct rp_module *larger = !charge_array(t, (capacity - t->module_capacity) * sizeof *larger)
                                       ? NULL
                                       : realloc(t->modules, capacity * sizeof *larger);
        if (!larger)
            return no_memory(t, err);
        t->modules = larger;
        t->module_capacity = capacity;
    }
    struct rp_module *m = &t->modules[t->module_count];
    m->name = pool_string(&t->pool, from->name);
    m->sha256 = pool_string(&t->pool, from->sha256);
    m->isa = pool_string(&t->pool, from->isa);
    m->target = pool_string(&t->pool, from->target);
    if (!m->name || !m->sha256 || !m->isa || !m->target)
        return no_memory(t, err);
    t->module_count++;
    return true;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static uint8_t byte(uint32_t value) { return value > UINT8_MAX ? UINT8_MAX : (uint8_t)value; } /* 255 fails checks */

static bool take_operands(struct pool *a, struct rp_instruction *in, const Reprise__Instruction *from)
{
    struct rp_memory_operand *list = pool_alloc(a, from->n_memory, sizeof *list);
    for (size_t i = 0; list && i < from->n_memory; i++) {
        const Reprise__MemoryOperand *o = from->memory[i];
        list[i] = (struct rp_memory_operand){.space = byte(o->space),
                                             .kind = byte(o->kind),
                                             .scope = byte(o->scope),
                                             .order = byte(o->order),
                                             .cache_op = byte(o->cache_op),
                                             .atomic = byte(o->atomic),
                                             .value = byte(o->value),
                                             .elements = byte(o->elements),
                                             .object = byte(o->object),
                                             .evict_l1 = byte(o->evict_l1),
                                             .evict_l2 = byte(o->evict_l2),
                                             .width = o->width};
    }
    in->memory = list;
    in->memory_count = (uint32_t)from->n_memory;
    return list != NULL;
}

static bool take_instruction(struct pool *a, struct rp_instruction *in, const Reprise__Instruction *from)
{
    *in = (struct rp_instruction){.pc = from->pc,
                                  .raw = pool_copy(a, from->raw.data, from->raw.len, 1),
                                  .raw_size = (uint32_t)from->raw.len,
                                  .control = from->control,
                                  .text = pool_string(a, from->text),
                                  .unit_class = byte(from->unit_class),
                                  .flags = (uint16_t)from->flags,
                                  .guard = from->guard,
                                  .dst_count = (uint32_t)from->n_dst,
                                  .src_count = (uint32_t)from->n_src,
                                  .dst = pool_copy(a, from->dst, from->n_dst, sizeof *from->dst),
                                  .src = pool_copy(a, from->src, from->n_src, sizeof *from->src),
                                  .slots = from->slots,
                                  .fence_scope = byte(from->fence_scope),
                                  .file = from->file,
                                  .line = from->line,
                                  .inlined = from->inlined,
                                  .aux_count = byte(from->aux_count)};
    if (from->barrier)
        in->barrier = (struct rp_barrier){byte(from->barrier->kind), from->barrier->id, from->barrier->count};
    if (from->async)
        in->async = (struct rp_async){byte(from->async->kind), byte(from->async->role), from->async->pending};
    return take_operands(a, in, from) && in->raw && in->text && in->dst && in->src;
}

static struct rp_inlined_call *take_inlined(struct pool *a, const Reprise__Kernel *from)
{
    struct rp_inlined_call *list = pool_alloc(a, from->n_inlined, sizeof *list);
    for (size_t i = 0; list && i < from->n_inlined; i++) {
        const Reprise__InlinedCall *c = from->inlined[i];
        list[i] = (struct rp_inlined_call){pool_string(a, c->function), c->file, c->line, c->inlined};
        if (!list[i].function)
            return NULL;
    }
    return list;
}

/* False: memory ran out. */
static bool take_live(struct pool *a, const Reprise__Kernel *from, const struct rp_live **live)
{
    *live = NULL;
    if (!from->n_live_registers)
        return true;
    struct rp_live *list = pool_alloc(a, from->n_live_registers, sizeof *list);
    for (size_t i = 0; list && i < from->n_live_registers; i++)
        list[i] = (struct rp_live){(uint16_t)from->live_registers[i], (uint16_t)from->live_predicates[i],
                                   (uint16_t)from->live_after[i]};
    *live = list;
    return list != NULL;
}

/* As many counts as instructions, or none; each fits in 16 bits. */
static bool check_live(const Reprise__Kernel *from, struct rp_error *err)
{
    size_t n = from->n_live_registers;
    if ((n && n != from->n_instruction) || from->n_live_predicates != n || from->n_live_after != n)
        return rp_fail(err, RP_BAD_INPUT,
                       "kernel '%s' has %zu, %zu and %zu counts of live registers for %zu instructions", from->name, n,
                       from->n_live_predicates, from->n_live_after, from->n_instruction);
    for (size_t i = 0; i < n; i++)
        if (from->live_registers[i] > UINT16_MAX || from->live_predicates[i] > UINT16_MAX ||
            from->live_after[i] > UINT16_MAX)
            return rp_fail(err, RP_BAD_INPUT, "kernel '%s', instruction %zu: more live registers than there can be",
                           from->name, i);
    return true;
}

static bool take_kernel(struct tables *t, const Reprise__Kernel *from, struct rp_error *err)
{
    if (from->id != t->kernel_count)
        return rp_fail(err, RP_BAD_INPUT, "kernel %" PRIu32 " comes where %" PRIu32 " is expected", from->id,
                       t->kernel_count);
    if (!check_live(from, err))
        return false;
    struct pool *a = &t->pool;
    struct rp_kernel *k = pool_alloc(a, 1, sizeof *k);
    struct rp_instruction *list = pool_alloc(a, from->n_instruction, sizeof *list);
    const char **files = pool_alloc(a, from->n_file, sizeof *files);
    bool ok = k && list && files;
    for (size_t i = 0; ok && i < from->n_instruction; i++)
        ok = take_instruction(a, &list[i], from->instruction[i]);
    for (size_t i = 0; ok && i < from->n_file; i++)
        ok = (files[i] = pool_string(a, from->file[i])) != NULL;
    if (!ok)
        return no_memory(t, err);
    *k = (struct rp_kernel){.name = pool_string(a, from->name),
                            .isa = pool_string(a, from->isa),
                            .instruction_count = (uint32_t)from->n_instruction,
                            .instructions = list,
                            .file_count = (uint32_t)from->n_file,
                            .files = files,
                            .inlined_count = (uint32_t)from->n_inlined,
                            .inlined = take_inlined(a, from),
                            .registers = from->registers,
                            .static_shared = from->static_shared,
                            .local_bytes = from->local_bytes,
                            .max_threads = from->max_threads,
                            .module = from->module};
    if (!k->name || !k->isa || !k->inlined || !take_live(a, from, &k->live))
        return no_memory(t, err);
    if (!tables_check_kernel(k, t->module_count, err))
        return false;
    if (t->kernel_count == t->kernel_capacity) {
        t->kernel_capacity = t->kernel_capacity * 2 + 16;
        if (!grow(&t->kernels, t->kernel_capacity))
            return no_memory(t, err);
    }
    t->kernels[t->kernel_count++] = k;
    return true;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void take_window(const Reprise__Window *w, uint64_t *base, uint64_t *size)
{
    *base = w ? w->address : 0;
    *size = w ? w->size : 0;
}

static bool same_allocations(const struct rp_launch *l, const Reprise__Launch *from)
{
    bool same = l->allocation_count == from->n_allocation;
    for (uint32_t i = 0; same && i < l->allocation_count; i++) {
        const struct rp_allocation *a = &l->allocations[i];
        const Reprise__Allocation *f = from->allocation[i];
        same = a->base == f->address && a->size == f->size && a->initialised == f->initialised &&
               !strcmp(a->name, f->name);
    }
    return same;
}

/* Consecutive launches mostly have the same list: it is stored once. */
static bool take_allocations(struct tables *t, struct rp_launch *l, const Reprise__Launch *from)
{
    struct pool *a = &t->pool;
    const struct rp_launch *before = t->launch_count ? t->launches[t->launch_count - 1] : NULL;
    if (before && same_allocations(before, from)) {
        l->allocations = before->allocations;
        l->allocation_count = before->allocation_count;
        return true;
    }
    struct rp_allocation *list = pool_alloc(a, from->n_allocation, sizeof *list);
    for (size_t i = 0; list && i < from->n_allocation; i++) {
        const Reprise__Allocation *f = from->allocation[i];
        list[i] = (struct rp_allocation){f->address, f->size, pool_string(a, f->name), f->initialised, 0};
        if (!list[i].name)
            return false;
    }
    l->allocations = list;
    l->allocation_count = (uint32_t)from->n_allocation;
    return list != NULL;
}

static bool add_launch(struct tables *t, struct rp_launch *l)
{
    if (t->launch_count == t->launch_capacity) {
        uint32_t capacity = t->launch_capacity * 2 + 16;
        if (!charge_array(t, 2 * (capacity - t->launch_capacity) * sizeof *t->launches) ||
            !grow(&t->launches, capacity) || !grow(&t->ends, capacity))
            return false;
        t->launch_capacity = capacity;
    }
    t->ends[t->launch_count] = NULL;
    t->launches[t->launch_count++] = l;
    return true;
}

static bool take_launch(struct tables *t, const Reprise__Launch *from, struct rp_error *err)
{
    if (from->id != t->launch_count)
        return rp_fail(err, RP_BAD_INPUT, "launch %" PRIu32 " comes where %" PRIu32 " is expected", from->id,
                       t->launch_count);
    if (from->n_grid != 3 || from->n_block != 3 || (from->n_cluster && from->n_cluster != 3))
        return rp_fail(err, RP_BAD_INPUT, "launch %" PRIu32 " has not three dimensions", from->id);
    struct rp_launch *l = pool_alloc(&t->pool, 1, sizeof *l);
    if (!l)
        return no_memory(t, err);
    l->kernel = from->kernel;
    memcpy(l->grid, from->grid, sizeof l->grid);
    memcpy(l->block, from->block, sizeof l->block);
    for (int i = 0; i < 3; i++)
        l->cluster[i] = from->n_cluster ? from->cluster[i] : 1;
    l->cooperative = from->cooperative;
    l->dynamic_shared = from->dynamic_shared;
    take_window(from->shared_window, &l->shared_window, &l->shared_window_size);
    take_window(from->local_window, &l->local_window, &l->local_window_size);
    take_window(from->const_window, &l->const_window, &l->const_window_size);
    take_window(from->param_window, &l->param_window, &l->param_window_size);
    if (from->cluster_shared)
        take_window(from->cluster_shared, &l->cluster_shared, &l->cluster_step);
    l->param_size = (uint32_t)from->params.len;
    const struct rp_launch *before = t->launch_count ? t->launches[t->launch_count - 1] : NULL;
    bool same = before && before->param_size == l->param_size &&
                (!l->param_size || !memcmp(before->params, from->params.data, l->param_size));
    l->params = same ? before->params : pool_copy(&t->pool, from->params.data, from->params.len, 1);
    l->device = from->device;
    l->stream = from->stream;
    l->parent = from->parent;
    l->dependency_count = (uint32_t)from->n_dependency;
    l->dependencies = pool_copy(&t->pool, from->dependency, from->n_dependency, sizeof *from->dependency);
    if (!l->params || !l->dependencies || !take_allocations(t, l, from))
        return no_memory(t, err);
    return tables_check_launch(l, t->launch_count, t->kernel_count, err) && (add_launch(t, l) || no_memory(t, err));
}

static bool take_end(struct tables *t, const Reprise__LaunchEnd *from, struct rp_error *err)
{
    if (from->launch >= t->launch_count || t->ends[from->launch] || from->outcome > RP_OUTCOME_FAULT)
        return rp_fail(err, RP_BAD_INPUT, "the end of launch %" PRIu32 " is not what it should be", from->launch);
    struct rp_launch_end *e = pool_alloc(&t->pool, 1, sizeof *e);
    if (!e)
        return no_memory(t, err);
    e->outcome = (uint8_t)from->outcome;
    e->fault = pool_string(&t->pool, from->fault);
    t->ends[from->launch] = e;
    return e->fault || no_memory(t, err);
}

/* ---- the host --------------------------------------------------------------------------------------------------- */

static bool take_operation(struct tables *t, const Reprise__HostOperation *from, struct rp_error *err)
{
    if (t->operation_count == t->operation_capacity) {
        size_t capacity = t->operation_capacity * 2 + 16;
        struct rp_host_operation *larger = !charge_array(t, (capacity - t->operation_capacity) * sizeof *larger)
                                               ? NULL
                                               : realloc(t->operations, capacity * sizeof *larger);
        if (!larger)
            return no_memory(t, err);
        t->operations = larger;
        t->operation_capacity = capacity;
    }
    struct rp_host_operation *o = &t->operations[t->operation_count];
    *o = (struct rp_host_operation){.kind = byte(from->kind),
                                    .direction = byte(from->direction),
                                    .waits = byte(from->waits),
                                    .initialised = from->initialised,
                                    .managed = from->managed,
                                    .non_blocking = from->non_blocking,
                                    .launch = from->launch,
                                    .stream = from->stream,
                                    .event = from->event,
                                    .device = from->device,
                                    .to = from->to,
                                    .from = from->from,
                                    .address = from->address,
                                    .source = from->source,
                                    .size = from->size,
                                    .name = *from->name ? pool_string(&t->pool, from->name) : ""};
    if (!o->name)
        return no_memory(t, err);
    if (o->launch > t->launch_count || (t->operation_count && o[-1].launch > o->launch))
        return rp_fail(err, RP_BAD_INPUT, "a host operation after %" PRIu32 " launches stands at the wrong place",
                       o->launch);
    if (!tables_check_host_operation(o, err))
        return false;
    t->operation_count++;
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool take(struct tables *t, const Reprise__Trace *m, struct rp_error *err)
{
    if (m->header && !take_header(t, m->header, err))
        return false;
    if (!t->has_header)
        return rp_fail(err, RP_BAD_INPUT, "it does not begin with the header of a Reprise trace");
    bool ok = !m->provenance || take_provenance(t, m->provenance, err);
    for (size_t i = 0; ok && i < m->n_module; i++)
        ok = take_module(t, m->module[i], err);
    for (size_t i = 0; ok && i < m->n_kernel; i++)
        ok = take_kernel(t, m->kernel[i], err);
    for (size_t i = 0; ok && i < m->n_launch; i++)
        ok = take_launch(t, m->launch[i], err);
    for (size_t i = 0; ok && i < m->n_launch_end; i++)
        ok = take_end(t, m->launch_end[i], err);
    for (size_t i = 0; ok && i < m->n_host_operation; i++)
        ok = take_operation(t, m->host_operation[i], err);
    return ok;
}

/* Names in a damaged trace may contain line ends; an error message that cites them must not. */
static void cite_in_one_line(struct rp_error *err)
{
    for (char *c = err ? err->text : NULL; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
}

bool tables_unpack(struct tables *t, const uint8_t *data, size_t size, struct rp_error *err)
{
    struct pool work = {.limit = CHUNK_MEMORY_LIMIT, .budget = t->pool.budget};
    ProtobufCAllocator allocator = {limited_alloc, limited_free, &work};
    Reprise__Trace *m = reprise__trace__unpack(&allocator, size, data);
    bool ok = m && take(t, m, err);
    if (!m && work.out_of_memory)
        no_memory(t, err);
    else if (!m)
        rp_fail(err, RP_BAD_INPUT, work.over ? "a table would take too much memory" : "a table cannot be decoded");
    pool_free(&work);
    if (!ok)
        cite_in_one_line(err);
    return ok;
}
