/* Clusters of several blocks: registers, shared memory of other blocks, the barrier of the cluster, objects and copies
 * across blocks, each against what the ISA's text says, computed here; and what goes wrong. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

static void open_cluster(struct rig *r, const char *body, uint32_t buffers, const uint64_t *bytes, uint32_t cluster)
{
    rig_target = "sm_90";
    rig_open(r, body, buffers, bytes);
    rig_target = "sm_62";
    r->config.cluster[0] = cluster;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

/* Each block stores 14 registers at 64 bytes × its number in the grid. */
#define STORE(n, name) "mov.u32 %v, %" name "; st.global.u32 [%o+" #n "], %v;\n"
#define REGISTERS                                                                                                      \
    ".visible .entry k(.param .u64 out) .explicitcluster .maxclusterrank 8 {\n"                                        \
    ".reg .b64 %o, %t; .reg .b32 %i, %v, %x, %y, %z, %nx, %ny; ld.param.u64 %o, [out];\n"                              \
    "mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %z, %ctaid.z; mov.u32 %nx, %nctaid.x;\n"                      \
    "mov.u32 %ny, %nctaid.y; mad.lo.u32 %i, %z, %ny, %y; mad.lo.u32 %i, %i, %nx, %x; mul.wide.u32 %t, %i, 64;\n"       \
    "add.u64 %o, %o, %t;\n" STORE(0, "cluster_ctaid.x") STORE(4, "cluster_ctaid.y") STORE(8, "cluster_ctaid.z")        \
        STORE(12, "cluster_nctaid.x") STORE(16, "cluster_nctaid.y") STORE(20, "cluster_nctaid.z")                      \
            STORE(24, "clusterid.x") STORE(28, "clusterid.y") STORE(32, "clusterid.z") STORE(36, "nclusterid.x")       \
                STORE(40, "nclusterid.y") STORE(44, "nclusterid.z") STORE(48, "cluster_ctarank")                       \
                    STORE(52, "cluster_nctarank") "ret; }\n"

static void expect_registers(const uint32_t *v, const uint32_t at[3], const uint32_t n[3], const uint32_t c[3])
{
    for (int d = 0; d < 3; d++) {
        cr_expect_eq(v[d], at[d] % c[d]);
        cr_expect_eq(v[3 + d], c[d]);
        cr_expect_eq(v[6 + d], at[d] / c[d]);
        cr_expect_eq(v[9 + d], n[d] / c[d]);
    }
    cr_expect_eq(v[12], at[0] % c[0] + c[0] * (at[1] % c[1] + c[1] * (at[2] % c[2])));
    cr_expect_eq(v[13], c[0] * c[1] * c[2]);
}

Test(clusters, registers)
{
    static const uint32_t grids[][6] = {
        {8, 1, 1, 4, 1, 1}, {4, 4, 2, 2, 2, 2}, {3, 4, 2, 1, 4, 1}, {2, 3, 4, 2, 1, 2}, {5, 1, 1, 1, 1, 1}};
    for (unsigned i = 0; i < sizeof grids / sizeof *grids; i++) {
        const uint64_t bytes[] = {64 * 64};
        const uint32_t *n = grids[i], *c = n + 3;
        struct rig r;
        open_cluster(&r, REGISTERS, 1, bytes, 1);
        memcpy(r.config.grid, n, sizeof r.config.grid);
        memcpy(r.config.cluster, c, sizeof r.config.cluster);
        r.config.block[0] = r.config.block[1] = r.config.block[2] = 1;
        cr_assert(rp_launch_kernel(r.device, r.program, &r.config, &r.result, &r.err), "%s", r.err.text);
        for (uint32_t b = 0; b < n[0] * n[1] * n[2]; b++) {
            const uint32_t at[3] = {b % n[0], b / n[0] % n[1], b / n[0] / n[1]};
            expect_registers((uint32_t *)r.host[0] + b * 16, at, n, c);
        }
        rig_close(&r);
    }
}

/* ---- shared memory of other blocks ------------------------------------------------------------------------------- */

#define CLUSTER 4u
#define THREADS 64u
#define ARRIVE_AND_WAIT "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"

/* Each thread stores a word in the block's memory; reads that of the next block, by an address of the shared space and
 * by a generic one; stores in the one before; adds in block 0 with atomics; says whose memory it read. */
#define NEIGHBOURS                                                                                                     \
    ".visible .entry k(.param .u64 out) .reqnctapercluster 4, 1, 1 {\n"                                                \
    ".shared .align 4 .b8 data[256]; .shared .align 4 .b8 got[256]; .shared .align 4 .u32 sum;\n"                      \
    ".reg .b64 %o, %t, %g; .reg .b32 %i, %s, %v, %rank, %next, %prev, %b, %n, %w, %whose, %old; .reg .pred %p;\n"      \
    "ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mov.u32 %rank, %cluster_ctarank; mov.u32 %b, %ctaid.x;\n"             \
    "add.u32 %next, %rank, 1; and.b32 %next, %next, 3; add.u32 %prev, %rank, 3; and.b32 %prev, %prev, 3;\n"            \
    "mov.u32 %s, data; mad.lo.u32 %s, %i, 4, %s; mad.lo.u32 %v, %b, 1000, %i; st.shared.u32 [%s], "                    \
    "%v;\n" ARRIVE_AND_WAIT "mapa.shared::cluster.u32 %n, %s, %next; ld.shared::cluster.u32 %v, [%n];\n"               \
    "getctarank.shared::cluster.u32 %whose, %n;\n"                                                                     \
    "cvt.u64.u32 %g, %s; cvta.shared::cluster.u64 %g, %g; mapa.u64 %g, %g, %next; ld.u32 %w, [%g]; add.u32 %v, %v, "   \
    "%w;\n"                                                                                                            \
    "mov.u32 %s, got; mad.lo.u32 %s, %i, 4, %s; mapa.shared::cluster.u32 %n, %s, %prev;\n"                             \
    "st.shared::cluster.u32 [%n], %rank;\n"                                                                            \
    "mov.u32 %s, sum; mapa.shared::cluster.u32 %n, %s, 0; red.relaxed.cluster.shared::cluster.add.u32 [%n], %i;\n"     \
    "atom.relaxed.cluster.shared::cluster.add.u32 %old, [%n], 1;\n" ARRIVE_AND_WAIT                                    \
    "mov.u32 %s, got; mad.lo.u32 %s, %i, 4, %s; ld.shared.u32 %w, [%s]; ld.shared.u32 %old, [sum];\n"                  \
    "mad.lo.u32 %i, %b, 64, %i; mul.wide.u32 %t, %i, 16; add.u64 %o, %o, %t;\n"                                        \
    "st.global.v4.u32 [%o], {%v, %whose, %w, %old}; ret; }\n"

Test(clusters, memory_of_others)
{
    enum { BLOCKS = 12 };
    const uint64_t bytes[] = {BLOCKS * THREADS * 16};
    rig_target = "sm_90";
    struct outcome o = rig_same_at_any_threads(NEIGHBOURS, 1, bytes, NULL, BLOCKS, THREADS);
    rig_target = "sm_62";
    cr_assert(o.ok, "%s", o.err.text);
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t t = 0; t < THREADS; t++) {
            const uint32_t *v = (uint32_t *)o.memory[0] + 4 * (b * THREADS + t);
            uint32_t rank = b % CLUSTER, next = (rank + 1) % CLUSTER;
            cr_assert_eq(v[0], 2 * ((b - rank + next) * 1000 + t), "block %u thread %u", b, t);
            cr_assert_eq(v[1], next);
            cr_assert_eq(v[2], next, "what the next block stored");
            cr_assert_eq(v[3], rank ? 0 : CLUSTER * (THREADS * (THREADS - 1) / 2 + THREADS));
        }
    outcome_free(&o);
}

/* Generic addresses of the block's own memory and of its neighbour's, and one of device memory: in .shared::cta, in
 * .shared, in .shared::cluster. */
#define SPACES                                                                                                         \
    ".visible .entry k(.param .u64 out) .reqnctapercluster 2 {\n.shared .align 4 .u32 own;\n"                          \
    ".reg .b64 %o, %t, %a<3>; .reg .b32 %r, %v, %all; .reg .pred %p; ld.param.u64 %o, [out];\n"                        \
    "mov.u64 %a0, own; cvta.shared.u64 %a0, %a0; mov.u32 %r, %cluster_ctarank; xor.b32 %r, %r, 1;\n"                   \
    "mapa.u64 %a1, %a0, %r; mov.u64 %a2, %o; mov.u32 %all, 0;\n" SPACE("%a0", "shared::cta") SPACE("%a0", "shared")    \
        SPACE("%a0", "shared::cluster") SPACE("%a1", "shared::cta") SPACE("%a1", "shared")                             \
            SPACE("%a1", "shared::cluster") SPACE("%a2", "shared") SPACE("%a2", "shared::cluster")                     \
                SPACE("%a2", "global") "mov.u32 %r, %ctaid.x; mul.wide.u32 %t, %r, 4; add.u64 %o, %o, %t;\n"           \
                                       "st.global.u32 [%o], %all; ret; }\n"
#define SPACE(address, name)                                                                                           \
    "isspacep." name " %p, " address "; selp.u32 %v, 1, 0, %p; shl.b32 %all, %all, 1; or.b32 %all, %all, %v;\n"

Test(clusters, spaces_of_addresses)
{
    const uint64_t bytes[] = {16};
    struct rig r;
    open_cluster(&r, SPACES, 1, bytes, 2);
    cr_assert(rig_run(&r, 4, 1), "%s", r.err.text);
    for (int b = 0; b < 4; b++) /* own: all three; the neighbour's: the cluster's only */
        cr_expect_eq(((uint32_t *)r.host[0])[b], 0x1c0 | 0x008 | 0x001, "%#x", ((uint32_t *)r.host[0])[b]);
    rig_close(&r);
}

/* ---- objects and copies across blocks ---------------------------------------------------------------------------- */

/* Block 0 waits on its object for an arrival of each block, and for the words that each thread of the others sends it;
 * and for a bulk copy of 256 bytes from the last block. */
#define MESSAGES                                                                                                       \
    ".visible .entry k(.param .u64 out) {\n"                                                                           \
    ".shared .align 16 .b8 data[1024]; .shared .align 16 .b8 bulk[256]; .shared .align 8 .b64 obj;\n"                  \
    ".shared .align 4 .u32 sum;\n"                                                                                     \
    ".reg .b64 %o, %t; .reg .b32 %i, %s, %d, %v, %rank, %n, %m, %a, %x; .reg .pred %p, %f, %first, %last, %leads;\n"   \
    "ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mov.u32 %rank, %cluster_ctarank; setp.eq.u32 %f, %i, 0;\n"            \
    "setp.eq.u32 %first, %rank, 0; setp.eq.u32 %last, %rank, 3; and.pred %leads, %first, %f;\n"                        \
    "@%leads mbarrier.init.shared.b64 [obj], 4; @%leads mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [obj], 2304;\n" \
    "mov.u32 %s, bulk; mad.lo.u32 %s, %i, 4, %s; mad.lo.u32 %v, %rank, 500, %i; st.shared.u32 [%s], %v;\n"             \
    "fence.proxy.async; " ARRIVE_AND_WAIT "mov.u32 %m, obj; mapa.shared::cluster.u32 %m, %m, 0;\n"                     \
    "mov.u32 %s, data; mad.lo.u32 %d, %rank, 64, %i; mad.lo.u32 %s, %d, 4, %s; mapa.shared::cluster.u32 %s, %s, 0;\n"  \
    "mad.lo.u32 %v, %rank, 100, %i;\n"                                                                                 \
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%s], %v, [%m];\n"                                      \
    "mov.u32 %a, sum; mapa.shared::cluster.u32 %a, %a, 0;\n"                                                           \
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%a], %i, [%m];\n"                 \
    "and.pred %last, %last, %f; mov.u32 %d, bulk; mapa.shared::cluster.u32 %x, %d, 0;\n"                               \
    "@%last cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%x], [%d], 256, [%m];\n"           \
    "@%f mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%m];\n"                                               \
    "@!%first bra E;\n"                                                                                                \
    "W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p, [obj], 0; @!%p bra W;\n"                               \
    "mov.u32 %s, data; mad.lo.u32 %s, %i, 16, %s; .reg .b32 %q<4>; ld.shared.v4.u32 {%q0, %q1, %q2, %q3}, [%s];\n"     \
    "mov.u32 %x, %clusterid.x; mad.lo.u32 %x, %x, 64, %i; mul.wide.u32 %t, %x, 24; add.u64 %o, %o, %t;\n"              \
    "st.global.u32 [%o], %q0; st.global.u32 [%o+4], %q1; st.global.u32 [%o+8], %q2; st.global.u32 [%o+12], %q3;\n"     \
    "ld.shared.u32 %v, [sum]; mov.u32 %s, bulk; mad.lo.u32 %s, %i, 4, %s; ld.shared.u32 %x, [%s];\n"                   \
    "st.global.u32 [%o+16], %v; st.global.u32 [%o+20], %x;\n"                                                          \
    "E: " ARRIVE_AND_WAIT "ret; }\n"

Test(clusters, messages)
{
    const uint64_t bytes[] = {2 * THREADS * 24};
    struct rig r;
    open_cluster(&r, MESSAGES, 1, bytes, CLUSTER);
    cr_assert(rig_run(&r, 2 * CLUSTER, THREADS), "%s", r.err.text);
    for (uint32_t t = 0; t < 2 * THREADS; t++) {
        const uint32_t *v = (uint32_t *)r.host[0] + 6 * t;
        uint32_t i = t % THREADS;
        for (uint32_t w = 0; w < 4; w++) {
            uint32_t sent = 4 * i + w;
            cr_expect_eq(v[w], sent / THREADS * 100 + sent % THREADS, "thread %u word %u", t, w);
        }
        cr_expect_eq(v[4], CLUSTER * THREADS * (THREADS - 1) / 2);
        cr_expect_eq(v[5], 1500 + i);
    }
    rig_close(&r);
}

/* ---- the barrier ------------------------------------------------------------------------------------------------- */

/* Arrivals and waits in turns, with work in between, by warps that take different paths; some threads exit early, some
 * between their arrival and their wait. Each block tells the next one its round. */
#define ROUNDS                                                                                                         \
    ".visible .entry k(.param .u64 out) {\n"                                                                           \
    ".shared .align 4 .u32 round;\n"                                                                                   \
    ".reg .b64 %o, %t; .reg .b32 %i, %s, %r, %v, %rank, %n, %bad, %one; .reg .pred %p, %f, %e, %q;\n"                  \
    "ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mov.u32 %rank, %cluster_ctarank; mov.u32 %r, 0; mov.u32 %bad, 0;\n"   \
    "setp.gt.u32 %e, %i, 90; @%e exit; setp.gt.u32 %e, %i, 80; setp.eq.u32 %f, %i, 0; add.u32 %n, %rank, 1;\n"         \
    "mov.u32 %v, %cluster_nctarank; rem.u32 %n, %n, %v; mov.u32 %s, round; mapa.shared::cluster.u32 %s, %s, %n;\n"     \
    "L: add.u32 %r, %r, 1; @%f st.shared::cluster.u32 [%s], %r;\n"                                                     \
    "setp.lt.u32 %p, %i, 40; @%p bra A; barrier.cluster.arrive.release; @%e exit; bra.uni B;\n"                        \
    "A: barrier.cluster.arrive.release;\n"                                                                             \
    "B: barrier.cluster.wait.acquire; ld.shared.u32 %v, [round]; setp.ne.u32 %q, %v, %r; @%q add.u32 %bad, %bad, 1;\n" \
    "barrier.cluster.arrive.relaxed; barrier.cluster.wait; setp.lt.u32 %p, %r, 5; @%p bra L;\n"                        \
    "mov.u32 %v, %ctaid.x; mad.lo.u32 %v, %v, 96, %i; mul.wide.u32 %t, %v, 4; add.u64 %o, %o, %t; add.u32 %bad, "      \
    "%bad, 7;\n"                                                                                                       \
    "st.global.u32 [%o], %bad; ret; }\n"

Test(clusters, rounds_of_the_barrier)
{
    static const uint32_t sizes[] = {1, 2, 8, 16};
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t bytes[] = {16 * 96 * 4};
        struct rig r;
        open_cluster(&r, ROUNDS, 1, bytes, sizes[i]);
        cr_assert(rig_run(&r, 16, 96), "%s", r.err.text);
        for (uint32_t t = 0; t < 16 * 96; t++)
            cr_expect_eq(((uint32_t *)r.host[0])[t], t % 96 > 80 ? 0 : 7, "clusters of %u, thread %u", sizes[i], t);
        rig_close(&r);
    }
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

Test(clusters, faults)
{
    static const struct {
        const char *body;
        enum rp_fault_kind kind;
        const char *said;
    } cases[] = {
        {"mapa.shared::cluster.u32 %s, %s, 5; ld.shared::cluster.u32 %v, [%s];", RP_FAULT_BOUNDS,
         "shared memory of block 5 of a cluster of 2"},
        {"mapa.shared::cluster.u32 %s, %s, 1; ld.shared::cluster.u32 %v, [%s+64];", RP_FAULT_BOUNDS, "past the end"},
        {"@!%f bra E; spin: add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 400000; @%q bra spin;\n"
         "mapa.shared::cluster.u32 %s, %s, 1; st.shared::cluster.u32 [%s], %v; E:",
         RP_FAULT_BOUNDS, "shared memory of block 1 of the cluster of 2, which has ended"},
        {"barrier.cluster.arrive; barrier.cluster.arrive;", RP_FAULT_BARRIER, "arrives at the cluster's barrier again"},
        {"barrier.cluster.wait;", RP_FAULT_BARRIER, "waits at the cluster's barrier and has not arrived"},
        {"@%f bra W; barrier.cluster.arrive; barrier.cluster.wait; bra E; W: mbarrier.init.shared.b64 [%s], 1;\n"
         "V: mbarrier.try_wait.parity.shared.b64 %q, [%s], 0; @!%q bra V; E:",
         RP_FAULT_DEADLOCK, "whose phase 0 waits for"},
        {"mapa.shared::cluster.u32 %s, %s, 1; V: mbarrier.try_wait.parity.shared.b64 %q, [%s], 0; @!%q bra V;",
         RP_FAULT_BOUNDS, "barrier object of another block"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[1200];
        struct rig r;
        snprintf(
            body, sizeof body,
            ".visible .entry k() {\n.shared .align 8 .b8 data[64]; .reg .b32 %%s, %%v, %%i, %%rank; .reg .pred %%f, "
            "%%q;\nmov.u32 %%s, data; mov.u32 %%v, 1; mov.u32 %%i, 0; mov.u32 %%rank, %%cluster_ctarank;\n"
            "setp.eq.u32 %%f, %%rank, 0;\n%s\nret; }\n",
            cases[i].body);
        open_cluster(&r, body, 0, NULL, 2);
        rig_expect_fault(&r, 2, 64, cases[i].kind, cases[i].said);
        rig_close(&r);
    }
}

/* Whether the launch or the kernel says how large clusters are; and grids that count clusters. */
Test(clusters, said)
{
    static const struct {
        const char *head;
        uint32_t grid, cluster, blocks, said;
    } cases[] = {{"", 8, 0, 8, 0},
                 {"", 8, 1, 8, 1},
                 {"", 8, 4, 8, 1},
                 {".reqnctapercluster 2", 8, 0, 8, 1},
                 {".reqnctapercluster 1", 8, 0, 8, 1},
                 {".explicitcluster .reqnctapercluster 2", 8, 0, 8, 1},
                 {".reqntid 32 .reqnctapercluster 2 .blocksareclusters", 8, 0, 16, 1}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t bytes[] = {64};
        char body[600];
        struct rig r;
        snprintf(body, sizeof body,
                 ".visible .entry k(.param .u64 out) %s { .reg .b64 %%o; .reg .b32 %%v; .reg .pred %%p;\n"
                 "ld.param.u64 %%o, [out]; mov.pred %%p, %%is_explicit_cluster; selp.u32 %%v, 1, 0, %%p;\n"
                 "@!%%p add.u32 %%v, %%v, 10; st.global.u32 [%%o], %%v; mov.u32 %%v, %%nctaid.x;\n"
                 "st.global.u32 [%%o+4], %%v; ret; }\n",
                 cases[i].head);
        open_cluster(&r, body, 1, bytes, cases[i].cluster);
        cr_assert(rig_run(&r, cases[i].grid, 32), "%s", r.err.text);
        const uint32_t *v = r.host[0];
        cr_expect_eq(v[0], cases[i].said ? 1 : 10, "case %u: %u", i, v[0]);
        cr_expect_eq(v[1], cases[i].blocks, "case %u: %u", i, v[1]);
        rig_close(&r);
    }
}

static void expect_refused(const char *head, uint32_t grid, uint32_t cluster, const char *target, const char *said)
{
    char body[200];
    struct rig r;
    snprintf(body, sizeof body, ".visible .entry k() %s { .shared .align 8 .b8 data[64]; ret; }\n", head);
    rig_target = target;
    rig_open(&r, body, 0, NULL);
    rig_target = "sm_62";
    r.config.cluster[0] = cluster;
    cr_expect(!rig_run(&r, grid, 32));
    cr_expect_eq(r.err.status, RP_USAGE);
    cr_expect_not_null(strstr(r.err.text, said), "%s", r.err.text);
    rig_close(&r);
}

Test(clusters, refused)
{
    expect_refused("", 6, 4, "sm_90", "grid dimension x is 6, no multiple of the cluster's 4");
    expect_refused(".reqnctapercluster 2", 8, 4, "sm_90", "requires clusters of 2 x 1 x 1 blocks");
    expect_refused(".maxclusterrank 4", 8, 8, "sm_90", "at most 4 are allowed");
    expect_refused("", 32, 32, "sm_90", "at most 16 are allowed");
    expect_refused("", 2, 2, "sm_62", "not made for clusters");
    expect_refused(".explicitcluster", 8, 0, "sm_90", "the launch must say how many blocks a cluster has");
    expect_refused(".reqntid 32 .reqnctapercluster 4 .blocksareclusters", 0x40000000, 0, "sm_90",
                   "grid dimension x is 4294967292");
}
