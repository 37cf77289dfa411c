/* Trees as PTX. */
#include <stdarg.h>
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "tests/random/tree/tree.h"

struct printer {
    const struct tree *tree;
    char *to;
    size_t size, length;
    unsigned depth;
};
static const char class_letter[] = "hrd";

__attribute__((format(printf, 2, 3))) static void say(struct printer *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (p->length < p->size)
        p->length += (size_t)vsnprintf(p->to + p->length, p->size - p->length, format, list);
    va_end(list);
}

unsigned next_register(unsigned r, unsigned i) { return (r + i) % TREE_REGISTERS; }

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void say_guard(struct printer *p, const struct node *n)
{
    if (n->guard)
        say(p, "@%s%%p%u ", n->guard > 16 ? "!" : "", (n->guard - 1) % 16);
}

static void say_form(struct printer *p, const struct node *n)
{
    const struct spelled *s = n->form;
    if (s->form->lowering == LOW_CARRY)
        say(p, "add.cc.u32 %%t0, %%r%u, 0xffffffff;\n", n->reg[7]);
    say_guard(p, n);
    say(p, "%s", s->text);
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        unsigned class = class_of_type(ptx_operand_type(o, &s->mods));
        int place = place_of(o->role);
        say(p, "%s", i ? ", " : " ");
        if (o->role == 'i')
            say(p, "%u", immediate_of(s));
        else if (o->role == 'q')
            say(p, o->pair ? "%%p%u|%%p%u" : "%%p%u", n->reg[5], n->reg[6]);
        else
            say(p, "%%%c%u", class == CLASSES ? 'p' : class_letter[class], n->reg[place]);
        if (o->role == 'd' && o->pair)
            say(p, "|%%p%u", n->reg[5]);
    }
    say(p, ";\n");
}

static void say_chain(struct printer *p, const struct node *n)
{
    const uint8_t *r = n->reg;
    if (n->variant % 3 == 2)
        say(p,
            "mad.lo.cc.u32 %%t0, %%r%u, %%r%u, %%r%u; madc.hi.cc.u32 %%t1, %%r%u, %%r%u, %%r%u; addc.u32 %%t2, 0, 0;\n",
            r[0], r[1], r[3], r[0], r[1], next_register(r[3], 1));
    else {
        const char *op = n->variant % 3 ? "sub" : "add";
        say(p, "%s.cc.u32 %%t0, %%r%u, %%r%u; %sc.cc.u32 %%t1, %%r%u, %%r%u; %sc.u32 %%t2, %%r%u, %%r%u;\n", op, r[0],
            r[1], op, next_register(r[0], 1), next_register(r[1], 1), op, next_register(r[0], 2),
            next_register(r[1], 2));
    }
    for (unsigned i = 0; i < 3; i++)
        say(p, "mov.b32 %%r%u, %%t%u;%s", next_register(r[2], i), i, i < 2 ? " " : "\n");
}

static void say_shuffle(struct printer *p, const struct node *n)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const unsigned segments[] = {0, 0x1000, 0x1800, 0x1c00};
    unsigned mode = n->variant % 4;
    if (n->space)
        say(p, "bfind.u32 %%t0, %%m%u;\nshfl.sync.idx.b32 %%r%u|%%p%u, %%r%u, %%t0, 31, %%m%u;\n", p->depth, n->reg[0],
            n->reg[5] % TREE_PREDICATES, n->reg[1], p->depth);
    else
        say(p, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %u, %u, %%m%u;\n", modes[mode], n->reg[0],
            n->reg[5] % TREE_PREDICATES, n->reg[1], n->number & 31, segments[n->number >> 8 & 3] | (mode ? 31 : 0),
            p->depth);
}

static void say_vote(struct printer *p, const struct node *n)
{
    static const char *const modes[] = {"all", "any", "uni"};
    unsigned q = n->reg[5] % TREE_PREDICATES, from = n->reg[6] % TREE_PREDICATES;
    if (n->variant % 4 == 3)
        say(p, "vote.sync.ballot.b32 %%r%u, %%p%u, %%m%u;\n", n->reg[0], from, p->depth);
    else
        say(p, "vote.sync.%s.pred %%p%u, %%p%u, %%m%u;\n", modes[n->variant % 4], q, from, p->depth);
}

static void say_match(struct printer *p, const struct node *n)
{
    unsigned bits = n->variant & 1 ? 64 : 32;
    char from = bits == 64 ? 'd' : 'r', t = bits == 64 ? 'e' : 't';
    say(p, "and.b%u %%%c0, %%%c%u, 3;\n", bits, t, from, n->reg[1]);
    if (n->variant & 2)
        say(p, "match.all.sync.b%u %%r%u|%%p%u, %%%c0, %%m%u;\n", bits, n->reg[0], n->reg[5] % TREE_PREDICATES, t,
            p->depth);
    else
        say(p, "match.any.sync.b%u %%r%u, %%%c0, %%m%u;\n", bits, n->reg[0], t, p->depth);
}

static void say_reduce(struct printer *p, const struct node *n)
{
    static const char *const kinds[] = {"add.u32", "min.s32", "max.s32", "min.u32", "max.u32",
                                        "and.b32", "or.b32",  "xor.b32", "add.s32"};
    say(p, "redux.sync.%s %%r%u, %%r%u, %%m%u;\n", kinds[n->variant % 9], n->reg[0], n->reg[1], p->depth);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static const char *order_of(const struct node *n, bool load)
{
    static const char *const loads[] = {".weak",        ".volatile",    ".relaxed.cta", ".relaxed.gpu",
                                        ".relaxed.sys", ".acquire.cta", ".acquire.gpu", ".acquire.sys"};
    static const char *const stores[] = {".weak",        ".volatile",    ".relaxed.cta", ".relaxed.gpu",
                                         ".relaxed.sys", ".release.cta", ".release.gpu", ".release.sys"};
    unsigned i = n->reg[6];
    bool plain = i < 8 || n->space == IN_LOCAL || n->variant == load_kind_count;
    return plain ? "" : load ? loads[i - 8] : stores[i - 8];
}

unsigned access_class(const struct node *n)
{
    const struct load_kind *k = &load_kinds[n->variant];
    unsigned least = k->bits <= 16 ? CLASS_H : k->bits == 32 ? CLASS_R : CLASS_D;
    return k->exact || n->reg[7] < least ? least : n->reg[7];
}

static void say_registers(struct printer *p, const struct node *n)
{
    unsigned class = access_class(n);
    say(p, n->number > 1 ? "{" : "");
    for (unsigned i = 0; i < n->number; i++)
        say(p, "%s%%%c%u", i ? ", " : "", class_letter[class], next_register(n->reg[0], i));
    say(p, n->number > 1 ? "}" : "");
}

static void say_access(struct printer *p, const struct node *n)
{
    static const char *const spaces[] = {".global", ".shared", ".local"}, *const bases[] = {"%g", "%s", "own"},
                             *const generic[] = {"%g", "%sg", "%lg"}, *const vectors[] = {"", "", ".v2", "", ".v4"};
    bool load = n->kind == NODE_LOAD, wide = n->variant == load_kind_count, any = n->reg[5];
    const char *base = any ? generic[n->space] : bases[n->space], *space = any ? "" : spaces[n->space];
    unsigned d = n->reg[0], e = next_register(n->reg[0], 1);
    if (wide && load)
        say(p, "ld%s.b128 %%q0, [%s+%u]; mov.b128 {%%d%u, %%d%u}, %%q0;\n", space, base, n->offset, d, e);
    else if (wide)
        say(p, "mov.b128 %%q0, {%%d%u, %%d%u}; st%s.b128 [%s+%u], %%q0;\n", d, e, space, base, n->offset);
    else {
        say(p, "%s%s%s%s.%s ", load ? "ld" : "st", order_of(n, load), space, vectors[n->number],
            load_kinds[n->variant].type);
        if (load)
            say_registers(p, n), say(p, ", [%s+%u];\n", base, n->offset);
        else
            say(p, "[%s+%u], ", base, n->offset), say_registers(p, n), say(p, ";\n");
    }
}

static void say_atomic(struct printer *p, const struct node *n)
{
    static const char *const orders[] = {"", ".relaxed.cta", ".acquire.gpu", ".release.sys", ".acq_rel.cta"};
    const struct atomic_kind *k = &atomic_kinds[n->variant];
    char c = k->bits == 16 ? 'h' : k->bits == 32 ? 'r' : 'd';
    bool cas = !strcmp(k->op, "cas"), reduce = n->number & 1 && !cas && strcmp(k->op, "exch") != 0;
    const char *space = n->number & 2 ? "" : n->space ? ".shared" : ".global";
    const char *base = !n->space ? "%g" : n->number & 2 ? "%sg" : "%s";
    if (reduce)
        say(p, "red%s%s.%s.%s [%s+%u], %%%c%u;\n", orders[n->number / 4 % 2], space, k->op, k->type, base, n->offset, c,
            n->reg[1]);
    else
        say(p, "atom%s%s.%s.%s %%%c%u, [%s+%u], %%%c%u", orders[n->number / 4 % 5], space, k->op, k->type, c, n->reg[0],
            base, n->offset, c, n->reg[1]);
    if (cas)
        say(p, ", %%%c%u", c, n->reg[2]);
    if (!reduce)
        say(p, ";\n");
}

static void say_sum(struct printer *p, const struct node *n)
{
    static const char *const kinds[TREE_SUMS] = {"add.u32", "add.u64", "min.s32", "max.u32",
                                                 "and.b32", "or.b64",  "xor.b32", "max.s64"};
    const char *kind = kinds[n->variant % TREE_SUMS];
    say(p, "red.global.%s [%%sums+%u], %%%c%u;\n", kind, 8 * (n->variant % TREE_SUMS), strstr(kind, "64") ? 'd' : 'r',
        n->reg[0]);
}

static void say_copy(struct printer *p, const struct node *n)
{
    static const char *const kinds[] = {"ca", "ca", "ca", "cg"};
    unsigned i = n->variant % 4, bytes = i ? 2u << i : 8;
    say(p, "cp.async.%s.shared.global [%%s+%u], [%%g+%u], %u;\ncp.async.commit_group;\n", kinds[i], n->offset,
        n->offset, bytes);
    say(p, n->number & 1 ? "cp.async.wait_group 0;\n" : "cp.async.wait_all;\n");
}

/* ---- threads that meet ------------------------------------------------------------------------------------------- */

static void say_exchange(struct printer *p, const struct node *n)
{
    say(p,
        "st.shared.b32 [%%w], %%r%u; bar.warp.sync %%m%u;\nbfind.u32 %%t0, %%m%u; sub.u32 %%t0, %%t0, %%lane; "
        "mul.wide.s32 %%e0, %%t0, 4; add.u64 %%e0, %%e0, %%w;\nld.shared.b32 %%r%u, [%%e0]; bar.warp.sync %%m%u;\n",
        n->reg[1], p->depth, p->depth, n->reg[0], p->depth);
}

static void say_phase(struct printer *p, const struct node *n, unsigned parity)
{
    unsigned id = (unsigned)(n - p->tree->nodes);
    if (n->kind == NODE_BARRIER) {
        static const char *const kinds[] = {"bar.sync 0;\n", "barrier.sync.aligned 0;\n", "bar.cta.sync 0, 64;\n",
                                            "barrier.sync 0;\n"};
        say(p, "%s", kinds[n->variant % 4]);
        return;
    }
    say(p,
        "mbarrier.arrive.shared.b64 %%e0, [bar];\n$W%u_%u: mbarrier.test_wait.parity.shared.b64 %%pt, [bar], %u;\n"
        "@!%%pt bra $W%u_%u;\n",
        id, parity, parity, id, parity);
}

static void say_barrier(struct printer *p, const struct node *n)
{
    say(p, "st.shared.b32 [%%w], %%r%u;\n", n->reg[1]);
    say_phase(p, n, 0);
    say(p,
        "add.u32 %%t0, %%id, %u; and.b32 %%t0, %%t0, 63; mul.wide.u32 %%e0, %%t0, 4; mov.u64 %%e1, words;\n"
        "add.u64 %%e0, %%e0, %%e1; ld.shared.b32 %%r%u, [%%e0];\n",
        n->number & 63, n->reg[0]);
    say_phase(p, n, 1);
}

static void say_count(struct printer *p, const struct node *n)
{
    unsigned q = n->reg[5] % TREE_PREDICATES, from = n->reg[6] % TREE_PREDICATES;
    if (n->variant % 3 == 0)
        say(p, "bar.red.popc.u32 %%r%u, 1, %%p%u;\n", n->reg[0], from);
    else
        say(p, "barrier.cta.red.%s.pred %%p%u, 2, %s%%p%u;\n", n->variant % 3 == 1 ? "and" : "or", q,
            n->number & 1 ? "!" : "", from);
}

static void say_mma(struct printer *p, const struct node *n)
{
    say(p, "mma.sync.aligned.m8n8k16.row.col.s32.%s.%s.s32 {%%r%u, %%r%u}, {%%r%u}, {%%r%u}, {%%r%u, %%r%u};\n",
        n->variant & 1 ? "s8" : "u8", n->variant & 2 ? "s8" : "u8", n->reg[4], next_register(n->reg[4], 1), n->reg[0],
        n->reg[1], n->reg[2], n->reg[3]);
}

/* ---- flow -------------------------------------------------------------------------------------------------------- */

static void say_block(struct printer *p, const struct node *first);

static void say_body(struct printer *p, const struct node *first)
{
    p->depth++;
    say_block(p, first);
    p->depth--;
}

static void say_if(struct printer *p, const struct node *n)
{
    unsigned id = (unsigned)(n - p->tree->nodes), from = n->reg[5] % TREE_PREDICATES, k = p->depth + 1;
    say(p, "vote.sync.ballot.b32 %%m%u, %%p%u, %%m%u;\n@!%%p%u bra $E%u;\n", k, from, p->depth, from, id);
    say_body(p, n->body[0]);
    if (n->body[1]) {
        say(p, "bra $F%u;\n$E%u: not.b32 %%m%u, %%m%u; and.b32 %%m%u, %%m%u, %%m%u;\n", id, id, k, k, k, k, p->depth);
        say_body(p, n->body[1]);
        say(p, "$F%u:\n", id);
    } else
        say(p, "$E%u:\n", id);
}

static void say_switch(struct printer *p, const struct node *n)
{
    unsigned id = (unsigned)(n - p->tree->nodes);
    say(p, "and.b32 %%t0, %%r%u, 3; match.any.sync.b32 %%m%u, %%t0, %%m%u;\n", n->reg[0], p->depth + 1, p->depth);
    say(p, "$T%u: .branchtargets $A%u_0, $A%u_1, $A%u_2, $E%u;\nbrx.idx %%t0, $T%u;\n", id, id, id, id, id, id);
    for (unsigned i = 0; i < 3; i++) {
        say(p, "$A%u_%u:\n", id, i);
        say_body(p, n->body[i]);
        say(p, "bra $E%u;\n", id);
    }
    say(p, "$E%u:\n", id);
}

static void say_loop(struct printer *p, const struct node *n)
{
    unsigned id = (unsigned)(n - p->tree->nodes), k = p->depth + 1;
    if (n->variant)
        say(p, "and.b32 %%c%u, %%r%u, 3;\n", k, n->reg[0]);
    else
        say(p, "mov.u32 %%c%u, %u;\n", k, n->number);
    say(p,
        "mov.b32 %%m%u, %%m%u;\n$L%u: setp.ne.u32 %%pt, %%c%u, 0; vote.sync.ballot.b32 %%m%u, %%pt, %%m%u;\n"
        "@!%%pt bra $E%u; sub.u32 %%c%u, %%c%u, 1;\n",
        k, p->depth, id, k, k, k, id, k, k);
    say_body(p, n->body[0]);
    say(p, "bra $L%u;\n$E%u:\n", id, id);
}

static void say_call(struct printer *p, const struct node *n)
{
    const uint8_t *r = n->reg;
    say(p,
        "{\n.param .b32 c0, c2, c3; .param .b64 c1, c4, c5; .param .align 8 .b8 v0[16];\n"
        "st.param.b32 [c0], %%m%u; st.param.b64 [c1], %%g; st.param.b32 [c2], %%r%u; st.param.b32 [c3], %%r%u; "
        "st.param.b64 [c4], %%d%u; st.param.b64 [c5], %%sums;\n"
        "call (v0), f%u, (c0, c1, c2, c3, c4, c5);\nld.param.b32 %%r%u, [v0]; ld.param.b64 %%d%u, [v0+8];\n}\n",
        p->depth, r[0], r[1], r[2], 1 + n->variant % TREE_FUNCTIONS, r[3], r[4]);
}

static void say_node(struct printer *p, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case NODE_FORM: say_form(p, n); break;
    case NODE_CHAIN: say_chain(p, n); break;
    case NODE_IF: say_if(p, n); break;
    case NODE_SWITCH: say_switch(p, n); break;
    case NODE_LOOP: say_loop(p, n); break;
    case NODE_CALL: say_call(p, n); break;
    case NODE_SHUFFLE: say_shuffle(p, n); break;
    case NODE_VOTE: say_vote(p, n); break;
    case NODE_MATCH: say_match(p, n); break;
    case NODE_REDUCE: say_reduce(p, n); break;
    case NODE_ELECT:
        say(p, "elect.sync %%r%u|%%p%u, %%m%u;\n", n->reg[0], n->reg[5] % TREE_PREDICATES, p->depth);
        break;
    case NODE_LOAD:
    case NODE_STORE: say_access(p, n); break;
    case NODE_COPY: say_copy(p, n); break;
    case NODE_ATOMIC: say_atomic(p, n); break;
    case NODE_SUM: say_sum(p, n); break;
    case NODE_EXCHANGE: say_exchange(p, n); break;
    case NODE_BARRIER:
    case NODE_MBARRIER: say_barrier(p, n); break;
    case NODE_COUNT: say_count(p, n); break;
    case NODE_MMA: say_mma(p, n); break;
    case NODE_KINDS: break;
    }
}

static void say_block(struct printer *p, const struct node *first)
{
    for (const struct node *n = first; n; n = n->next)
        if (!n->dropped)
            say_node(p, n);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void say_registers_of_function(struct printer *p)
{
    say(p,
        ".local .align 16 .b8 own[%d];\n.reg .b128 %%q<1>; .reg .b64 %%d<%d>, %%e<2>, %%g, %%s, %%sg, %%lg, %%w, "
        "%%sums; "
        ".reg .b32 %%r<%d>, %%t<3>, %%m<%d>, %%c<%d>, %%id, %%lane; .reg .b16 %%h<%d>; .reg .pred %%p<%d>, %%pt;\n",
        TREE_SLOT, TREE_REGISTERS, TREE_REGISTERS, TREE_DEPTH + 1, TREE_DEPTH + 1, TREE_REGISTERS, TREE_PREDICATES);
    say(p,
        "mov.u32 %%id, %%tid.x; mov.u32 %%lane, %%laneid;\nmul.wide.u32 %%e0, %%id, %d; mov.u64 %%s, slots; "
        "add.u64 %%s, %%s, %%e0; cvta.shared.u64 %%sg, %%s;\nmul.wide.u32 %%e0, %%id, 4; mov.u64 %%w, words; "
        "add.u64 %%w, %%w, %%e0; mov.u64 %%lg, own; cvta.local.u64 %%lg, %%lg;\nmov.b64 %%e0, 0;\n",
        TREE_SLOT);
    for (unsigned i = 0; i < TREE_SLOT; i += 8)
        say(p, "st.local.b64 [own+%u], %%e0;%s", i, i + 8 < TREE_SLOT ? " " : "\n");
}

static void say_function(struct printer *p, unsigned f, bool body)
{
    say(p,
        ".func (.param .align 8 .b8 v0[16]) f%u(.param .b32 c0, .param .b64 c1, .param .b32 c2, .param .b32 c3, "
        ".param .b64 c4, .param .b64 c5)",
        f);
    if (!body) {
        say(p, ";\n");
        return;
    }
    say(p, "\n{\n");
    say_registers_of_function(p);
    for (unsigned i = 0; i < TREE_REGISTERS; i++)
        say(p, "mov.b16 %%h%u, 0; mov.b32 %%r%u, 0; mov.b64 %%d%u, 0;\n", i, i, i);
    say(p, "ld.param.b32 %%m0, [c0]; ld.param.b64 %%g, [c1]; ld.param.b32 %%r0, [c2]; ld.param.b32 %%r1, [c3]; "
           "ld.param.b64 %%d0, [c4]; ld.param.b64 %%sums, [c5];\ncvt.u16.u32 %%h0, %%r0;\n");
    for (unsigned i = 0; i < TREE_PREDICATES; i++)
        say(p, "setp.eq.u32 %%p%u, %%r%u, 0;\n", i, i);
    p->depth = 0;
    say_block(p, p->tree->code[f]);
    say(p, "st.param.b32 [v0], %%r0; st.param.b64 [v0+8], %%d0;\nret;\n}\n");
}

/* Registers and bytes of threads, from and to the results in words of 64 bits. */
static void say_loads(struct printer *p)
{
    unsigned at = 0;
    for (unsigned class = 0; class < CLASSES; class ++)
        for (unsigned i = 0; i < TREE_REGISTERS; i++, at += 8)
            say(p, "ld.global.b%u %%%c%u, [%%x+%u];\n", 16u << class, class_letter[class], i, at);
    for (unsigned i = 0; i < TREE_PREDICATES; i++, at += 8)
        say(p, "ld.global.b32 %%t0, [%%x+%u]; setp.ne.u32 %%p%u, %%t0, 0;\n", at, i);
    for (unsigned i = 0; i < TREE_SLOT; i += 8, at += 8)
        say(p, "ld.global.b64 %%e0, [%%x+%u]; st.shared.b64 [%%s+%u], %%e0;\n", at, i);
    for (unsigned i = 0; i < TREE_SLOT; i += 8, at += 8)
        say(p, "ld.global.b64 %%e0, [%%x+%u]; st.local.b64 [own+%u], %%e0;\n", at, i);
}
static void say_stores(struct printer *p)
{
    unsigned at = 0;
    for (unsigned class = 0; class < CLASSES; class ++)
        for (unsigned i = 0; i < TREE_REGISTERS; i++, at += 8)
            say(p, "st.global.b%u [%%x+%u], %%%c%u;\n", 16u << class, at, class_letter[class], i);
    for (unsigned i = 0; i < TREE_PREDICATES; i++, at += 8)
        say(p, "selp.b32 %%t0, 1, 0, %%p%u; st.global.b32 [%%x+%u], %%t0;\n", i, at);
    for (unsigned i = 0; i < TREE_SLOT; i += 8, at += 8)
        say(p, "ld.shared.b64 %%e0, [%%s+%u]; st.global.b64 [%%x+%u], %%e0;\n", i, at);
    for (unsigned i = 0; i < TREE_SLOT; i += 8, at += 8)
        say(p, "ld.local.b64 %%e0, [own+%u]; st.global.b64 [%%x+%u], %%e0;\n", i, at);
}

static void say_kernel(struct printer *p)
{
    say(p,
        ".visible .entry k(.param .u64 results, .param .u64 globals, .param .u64 sums)\n{\n.shared .align 8 .b64 bar;\n"
        ".reg .b64 %%x;\n");
    say_registers_of_function(p);
    say(p,
        "ld.param.b64 %%x, [results]; ld.param.b64 %%g, [globals]; ld.param.b64 %%sums, [sums];\n"
        "mul.wide.u32 %%e0, %%id, %d; add.u64 %%g, %%g, %%e0; mul.wide.u32 %%e0, %%id, %d; add.u64 %%x, %%x, %%e0;\n"
        "mov.b32 %%m0, 0xffffffff;\n",
        TREE_SLOT, 8 * (CLASSES * TREE_REGISTERS + TREE_PREDICATES + 2 * TREE_SLOT / 8));
    say_loads(p);
    if (p->tree->target >= 80)
        say(p, "setp.ne.u32 %%pt, %%id, 0; @!%%pt mbarrier.init.shared.b64 [bar], %d;\n", TREE_THREADS);
    say(p, "bar.sync 0;\n");
    p->depth = 0;
    say_block(p, p->tree->code[0]);
    say_stores(p);
    say(p, "ret;\n}\n");
}

size_t tree_print(const struct tree *t, char *to, size_t size)
{
    struct printer p = {.tree = t, .to = to, .size = size};
    say(&p,
        ".version 8.7\n.target sm_%u\n.address_size 64\n.shared .align 16 .b8 slots[%d];\n.shared .align 4 .b32 "
        "words[%d];\n",
        t->target, TREE_THREADS * TREE_SLOT, TREE_THREADS);
    for (unsigned f = 1; f <= TREE_FUNCTIONS; f++)
        say_function(&p, f, false);
    for (unsigned f = 1; f <= TREE_FUNCTIONS; f++)
        say_function(&p, f, true);
    say_kernel(&p);
    return p.length;
}
