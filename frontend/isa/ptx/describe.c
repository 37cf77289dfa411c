/* Makes the static instructions of the trace. */
#include <string.h>

#include "frontend/isa/ptx/lower.h"
#include "frontend/module/inlined.h"

const char *instruction_text(struct lowering *l, const struct ptx_instruction *in)
{
    if (in->made)
        return in->made;
    const char *text = l->src->text;
    char *out = arena_alloc(l->arena, (size_t)(in->end - in->at) + 1);
    uint32_t n = 0;
    bool blank = false;
    for (uint32_t i = in->at; i < in->end; i++) {
        if (text[i] == '/' && text[i + 1] == '/') {
            while (i < in->end && text[i] != '\n')
                i++;
            blank = true;
        } else if (text[i] == '/' && text[i + 1] == '*') {
            for (i += 2; i < in->end && !(text[i] == '*' && text[i + 1] == '/'); i++)
                ;
            i++;
            blank = true;
        } else if ((unsigned char)text[i] <= ' ')
            blank = true;
        else {
            if (blank && n > 0)
                out[n++] = ' ';
            blank = false;
            out[n++] = text[i];
        }
    }
    return out;
}

typedef VECTOR(rp_register) register_list;

/* The register's number in the trace. Registers of each file are numbered from 0 in the order in which functions of the
 * program first name them. */
static rp_register trace_register(struct lowering *l, uint32_t reg)
{
    bool predicate = l->function->registers.at[reg].type == PT_PRED;
    uint32_t *next = predicate ? &l->predicate_registers : &l->general_registers;
    if (!l->trace_number[reg])
        l->trace_number[reg] = ++*next;
    if (*next >= 1 << 24)
        ptx_error(l->src, l->in->at, "more than 16 million registers");
    return RP_REGISTER(predicate ? RP_FILE_PREDICATE : RP_FILE_GENERAL, l->trace_number[reg] - 1, 1);
}

static void add(struct lowering *l, register_list *list, rp_register r)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == r)
            return;
    VECTOR_PUSH(l->arena, list, r);
}

static void list_registers(struct lowering *l, register_list *list, const struct ptx_operand *o)
{
    if (o->kind == PO_REGISTER)
        add(l, list, trace_register(l, o->reg));
    if (o->kind == PO_VECTOR || o->kind == PO_ADDRESS || o->kind == PO_PAIR)
        for (uint32_t i = 0; i < o->count; i++)
            list_registers(l, list, &o->elements[i]);
}

static void list_operands(struct lowering *l, register_list *dst, register_list *src)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_form *form = in->form;
    if (in->guard != PTX_NO_REGISTER)
        add(l, src, trace_register(l, in->guard));
    for (uint32_t i = 0; i < in->operand_count; i++) {
        bool result = !form->any_operands && (form->operands[i].role == 'd' || form->operands[i].role == 'q');
        list_registers(l, result ? dst : src, &in->operands[i]);
        if (result && form->lowering == LOW_WGMMA)
            list_registers(l, src, &in->operands[i]); /* adds to what is there */
    }
    if (mods_have(&in->mods, M_CC))
        add(l, dst, RP_REGISTER(RP_FILE_CARRY, 0, 1));
    if (form->lowering == LOW_CARRY)
        add(l, src, RP_REGISTER(RP_FILE_CARRY, 0, 1));
}

static uint16_t flags_of(const struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    unsigned flags = 0;
    if (in->guard != PTX_NO_REGISTER)
        flags |= RP_GUARDED | (in->guard_negated ? RP_GUARD_NEGATED : 0);
    switch (in->form->lowering) {
    case LOW_BRANCH:
    case LOW_BRANCH_TABLE: flags |= RP_BRANCH; break;
    case LOW_CALL: flags |= RP_CALL; break;
    case LOW_RETURN: flags |= l->function->is_entry ? RP_RETURN | RP_EXIT : RP_RETURN; break;
    case LOW_EXIT: flags |= RP_EXIT; break;
    default: break;
    }
    if ((flags & RP_BRANCH) && mods_have(&in->mods, M_UNI))
        flags |= RP_UNIFORM_BRANCH;
    if (l->barrier.kind != RP_BARRIER_NONE && (l->barrier.id < 0 || l->barrier.count < 0))
        flags |= RP_HAS_AUX;
    return (uint16_t)flags;
}

static uint32_t file_index(const struct lowering *l, uint32_t number)
{
    for (uint32_t i = l->unit->files.count; i > 0; i--)
        if (l->unit->files.at[i - 1].number == number)
            return i; /* 0 is the PTX file itself */
    return 0;
}

/* The number of the call, or of the nearest call around it that has a name. */
static uint32_t named_call(const struct lowering *l, uint32_t number)
{
    while (number && !l->unit->inlined.at[number - 1].function)
        number = l->unit->inlined.at[number - 1].inlined;
    return number;
}

void describe(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    register_list dst = {0}, src = {0};
    struct rp_instruction out = {.pc = 8ull * l->index, .guard = 0};
    list_operands(l, &dst, &src);
    out.text = instruction_text(l, in);
    out.unit_class = ptx_class(in->form, &in->mods);
    out.flags = flags_of(l);
    if (in->guard != PTX_NO_REGISTER)
        out.guard = trace_register(l, in->guard);
    out.dst = dst.at;
    out.dst_count = dst.count;
    out.src = src.at;
    out.src_count = src.count;
    if (l->memory.count) {
        struct rp_memory_operand *m = ARENA_ARRAY(l->arena, struct rp_memory_operand, l->memory.count);
        memcpy(m, l->memory.at, l->memory.count * sizeof *m);
        uint8_t policy = cache_policy_of(l);
        for (uint32_t i = 0; i < l->memory.count; i++)
            if (policy != RP_EVICT_NORMAL && (m[i].space == RP_SPACE_GLOBAL || m[i].space == RP_SPACE_GENERIC))
                m[i].evict_l2 = policy;
        out.memory = m;
        out.memory_count = l->memory.count;
    }
    for (uint32_t i = 0; i < l->memory.count; i++)
        out.aux_count += (uint8_t)rp_operand_aux_count(&l->memory.at[i]);
    out.flags |= out.aux_count ? RP_HAS_AUX : 0;
    out.barrier = l->barrier;
    out.async = l->async;
    if (out.unit_class == RP_CLASS_FENCE)
        out.fence_scope = (uint8_t)mods_value(&in->mods, G_SCOPE, RP_SCOPE_NONE);
    out.file = in->source_line ? file_index(l, in->source_file) : 0;
    out.line = out.file ? in->source_line : in->line;
    out.inlined = out.file ? named_call(l, in->inlined) : 0; /* until describe_inlined, a number in the unit's list */
    VECTOR_PUSH(l->arena, &l->instructions, out);
}

void describe_inlined(struct lowering *l, struct rp_kernel *k)
{
    uint32_t count = l->unit->inlined.count;
    struct rp_inlined_call *all = ARENA_ARRAY(l->arena, struct rp_inlined_call, (size_t)count + 1);
    for (uint32_t c = 0; c < count; c++) {
        const struct ptx_inlined *from = &l->unit->inlined.at[c];
        uint32_t file = file_index(l, from->file);
        all[c] = (struct rp_inlined_call){from->function, file, file ? from->line : 0, from->inlined};
    }
    inlined_keep(l->arena, all, count, l->instructions.at, l->instructions.count, k);
}

/* The kernel's files are those of the module that its instructions name, in the module's order; number 0 is the PTX
 * file itself. The tables of inlined calls and instructions are numbered anew. */
void describe_files(struct lowering *l, struct rp_kernel *k)
{
    uint32_t all = l->unit->files.count + 1, used = 1;
    uint32_t *number = ARENA_ARRAY(l->arena, uint32_t, all);
    const char **names = ARENA_ARRAY(l->arena, const char *, all);
    struct rp_inlined_call *calls = (struct rp_inlined_call *)k->inlined;
    memset(number, 0, all * sizeof *number);
    for (uint32_t i = 0; i < l->instructions.count; i++)
        number[l->instructions.at[i].file] = 1;
    for (uint32_t i = 0; i < k->inlined_count; i++)
        number[calls[i].file] = 1;
    names[0] = l->module->file_name;
    number[0] = 0;
    for (uint32_t i = 1; i < all; i++)
        if (number[i]) {
            names[used] = l->unit->files.at[i - 1].name;
            number[i] = used++;
        }
    for (uint32_t i = 0; i < l->instructions.count; i++)
        l->instructions.at[i].file = number[l->instructions.at[i].file];
    for (uint32_t i = 0; i < k->inlined_count; i++)
        calls[i].file = number[calls[i].file];
    k->file_count = used;
    k->files = names;
}
