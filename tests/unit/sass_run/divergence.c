/* Random control flow against a CPU that runs each thread alone: nested ifs, loops with breaks and continues, calls
 * with early returns, early exits, all under divergence. A program is a tree; it is written as machine code, and it is
 * walked once per thread. What a thread computes names the path that it took. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/kernel_case.h"
#include "tests/support/sass_rig.h"

enum kind { LEAF, SEQUENCE, IF, IF_ELSE, LOOP, BREAK, CONTINUE, RETURN, EXIT, CALL, KINDS };
struct node {
    enum kind kind;
    uint32_t number, bit; /* a leaf's constant; the bit of a thread's state that decides */
    unsigned callee, child_count;
    struct node *child[4];
};
enum { FUNCTIONS = 3, MAX_NODES = 400, THREADS = 128, LOOPS = 3 };
static struct node nodes[MAX_NODES];
static unsigned node_count;
static struct node *functions[FUNCTIONS]; /* 0: the kernel; each calls only later ones */

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static uint64_t seed;

static struct node *generate(unsigned function, unsigned depth, unsigned loops);

static void add_children(struct node *n, unsigned count, unsigned function, unsigned depth, unsigned loops)
{
    for (n->child_count = 0; n->child_count < count; n->child_count++)
        n->child[n->child_count] = generate(function, depth + 1, loops);
}
static enum kind choose(unsigned function, unsigned depth, unsigned loops)
{
    if (depth >= 6 || node_count > MAX_NODES - 40)
        return LEAF;
    enum kind k = depth == 0 ? SEQUENCE : (enum kind)random_below(&seed, KINDS);
    bool impossible = (k == LOOP && loops == LOOPS) || ((k == BREAK || k == CONTINUE) && !loops) ||
                      (k == RETURN && function == 0) || (k == CALL && function == FUNCTIONS - 1);
    return impossible || (k == EXIT && random_below(&seed, 3)) ? IF_ELSE : k;
}
static struct node *generate(unsigned function, unsigned depth, unsigned loops)
{
    enum kind k = choose(function, depth, loops);
    struct node *n = &nodes[node_count++];
    *n = (struct node){.kind = k, .number = (uint32_t)random_next(&seed) & 0xffff, .bit = 8 + random_below(&seed, 16)};
    switch (k) {
    case SEQUENCE: add_children(n, 2 + random_below(&seed, 3), function, depth, loops); break;
    case IF: add_children(n, 1, function, depth, loops); break;
    case IF_ELSE: add_children(n, 2, function, depth, loops); break;
    case LOOP: add_children(n, 1 + random_below(&seed, 2), function, depth, loops + 1); break;
    case CALL: n->callee = function + 1 + random_below(&seed, FUNCTIONS - 1 - function); break;
    default: break;
    }
    return n;
}

/* ---- a thread alone ---------------------------------------------------------------------------------------------- */

enum end { GO_ON, BROKEN, CONTINUED, RETURNED, EXITED };
struct thread {
    uint32_t path, state;
};
static bool decide(struct thread *t, const struct node *n)
{
    t->state = 5 * t->state + n->number;
    return t->state >> n->bit & 1;
}
static enum end walk(struct thread *t, const struct node *n);
static enum end walk_children(struct thread *t, const struct node *n)
{
    enum end end = GO_ON;
    for (unsigned i = 0; i < n->child_count && end == GO_ON; i++)
        end = walk(t, n->child[i]);
    return end;
}
static enum end walk_loop(struct thread *t, const struct node *n)
{
    t->state = 5 * t->state + n->number;
    for (uint32_t left = t->state >> n->bit & 3;; left--) {
        if (!left)
            return GO_ON;
        enum end end = walk_children(t, n);
        if (end == BROKEN)
            return GO_ON;
        if (end != GO_ON && end != CONTINUED)
            return end;
    }
}
static enum end walk(struct thread *t, const struct node *n)
{
    switch (n->kind) {
    case LEAF: t->path = 3 * t->path + n->number; return GO_ON;
    case SEQUENCE: return walk_children(t, n);
    case IF: return decide(t, n) ? walk(t, n->child[0]) : GO_ON;
    case IF_ELSE: return walk(t, n->child[!decide(t, n)]);
    case LOOP: return walk_loop(t, n);
    case BREAK: return decide(t, n) ? BROKEN : GO_ON;
    case CONTINUE: return decide(t, n) ? CONTINUED : GO_ON;
    case RETURN: return decide(t, n) ? RETURNED : GO_ON;
    case EXIT: return decide(t, n) ? EXITED : GO_ON;
    default: {
        enum end end = walk(t, functions[n->callee]);
        return end == EXITED ? EXITED : GO_ON;
    }
    }
}

/* ---- as machine code: R2 address, R10 path, R11 state, R20 up: iterations left ----------------------------------- */

static FILE *out;
static unsigned labels;

static void emit_state(const struct node *n)
{
    fprintf(out, "ISCADD R11, R11, R11, 0x2\nIADD32I R11, R11, 0x%x\n", n->number);
}
static void emit_decision(const struct node *n)
{
    emit_state(n);
    fprintf(out, "LOP32I.AND R12, R11, 0x%x\nISETP.NE.U32.AND P0, PT, R12, RZ, PT\n", 1u << n->bit);
}
static void emit(const struct node *n, unsigned counter);
static void emit_children(const struct node *n, unsigned counter)
{
    for (unsigned i = 0; i < n->child_count; i++)
        emit(n->child[i], counter);
}
static void emit_if(const struct node *n, unsigned counter)
{
    unsigned id = labels++;
    emit_decision(n);
    fprintf(out, "SSY <meet%u>\n@P0 BRA <then%u>\n", id, id);
    if (n->kind == IF_ELSE)
        emit(n->child[1], counter);
    fprintf(out, "SYNC\nthen%u:\n", id);
    emit(n->child[0], counter);
    fprintf(out, "SYNC\nmeet%u:\n", id);
}
static void emit_loop(const struct node *n, unsigned counter)
{
    unsigned id = labels++;
    emit_state(n);
    fprintf(out, "SHR.U32 R%u, R11, 0x%x\nLOP32I.AND R%u, R%u, 0x3\nPBK <out%u>\ntop%u:\n", counter, n->bit, counter,
            counter, id, id);
    fprintf(out, "ISETP.EQ.U32.AND P1, PT, R%u, RZ, PT\n@P1 BRK\nPCNT <next%u>\n", counter, id);
    emit_children(n, counter + 1);
    fprintf(out, "CONT\nnext%u:\nIADD32I R%u, R%u, -0x1\nBRA <top%u>\nout%u:\n", id, counter, counter, id, id);
}
static void emit(const struct node *n, unsigned counter)
{
    switch (n->kind) {
    case LEAF: fprintf(out, "ISCADD R10, R10, R10, 0x1\nIADD32I R10, R10, 0x%x\n", n->number); break;
    case SEQUENCE: emit_children(n, counter); break;
    case IF:
    case IF_ELSE: emit_if(n, counter); break;
    case LOOP: emit_loop(n, counter); break;
    case CALL: fprintf(out, "CAL <function%u>\n", n->callee); break;
    default: {
        static const char *const how[KINDS] = {[BREAK] = "BRK", [CONTINUE] = "CONT", [RETURN] = "RET", [EXIT] = "EXIT"};
        emit_decision(n);
        if (n->kind == EXIT)
            fprintf(out, "@P0 STG.E [R2], R10\n");
        fprintf(out, "@P0 %s\n", how[n->kind]);
    }
    }
}
static char *write_program(void)
{
    char *text;
    size_t size;
    out = open_memstream(&text, &size);
    labels = 0;
    fprintf(out, "S2R R0, SR_TID.X\nMOV R10, RZ\nIADD32I R11, R0, 0x1\nSHL R11, R11, 0xd\n"
                 "ISCADD R2.CC, R0, c[0x0][0x140], 0x2\nMOV R3, c[0x0][0x144]\nIADD.X R3, R3, RZ\n");
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        if (f)
            fprintf(out, "function%u:\n", f);
        emit(functions[f], 20 + LOOPS * f);
        fprintf(out, f ? "RET\n" : "STG.E [R2], R10\nEXIT\n");
    }
    fclose(out);
    return text;
}

static void run_program(uint64_t number)
{
    seed = number;
    node_count = 0;
    for (unsigned f = 0; f < FUNCTIONS; f++)
        functions[f] = generate(f, 0, 0);
    char *text = write_program();
    struct sass_rig r;
    sass_rig_open(&r, 62, text, 4 * THREADS);
    cr_assert(sass_rig_run(&r, 1, THREADS, NULL), "program %llu: %s", (unsigned long long)number, r.err.text);
    for (uint32_t i = 0; i < THREADS; i++) {
        struct thread t = {0, (i + 1) << 13};
        walk(&t, functions[0]);
        uint32_t got = ((const uint32_t *)r.buffer)[i];
        cr_assert_eq(got, t.path, "program %llu, thread %u: %08x, the CPU says %08x", (unsigned long long)number, i,
                     got, t.path);
    }
    sass_rig_close(&r);
    free(text);
}

Test(divergence, random_programs)
{
    for (uint64_t number = 1; number <= 400; number++)
        run_program(number);
}
