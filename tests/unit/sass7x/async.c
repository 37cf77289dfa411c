/* Asynchronous copies, barrier objects and clusters through ptxas 12.9 for each target that has them, at -O0 and -O3:
 * what the PTX frontend leaves in memory the machine code leaves, too, and their asynchronous instructions access the
 * same kinds of memory by as many bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "frontend/host/launch.h"
#include "tests/support/sass_rows.h"
#include "tests/support/tensor_box.h"
#include "tests/unit/sass7x/rows.h"

enum { BYTES = 1 << 16, BUFFERS = 3, OPERANDS = 64 };

static const struct kernel {
    const char *name;
    unsigned from; /* the first target that has it */
    uint32_t grid, block, cluster;
    bool same_operands;
    const char *body; /* %rd1 and %rd2 are the addresses of what it writes and of what it reads */
} kernels[] = {
    {"48 KiB of static shared memory", 80, 1, 32, 0, false,
     ".shared .align 16 .b8 s[49152];\n"
     "mov.u32 %r1,%tid.x; shl.b32 %r2,%r1,2; mov.u32 %r3,s; add.u32 %r3,%r3,%r2; add.u32 %r5,%r1,7;\n"
     "st.shared.u32 [%r3],%r1; st.shared.u32 [%r3+49024],%r5;\n"
     "bar.sync 0;\n"
     "xor.b32 %r4,%r3,4; cvt.u64.u32 %rd3,%r2; add.s64 %rd1,%rd1,%rd3;\n"
     "ld.shared.u32 %r6,[%r4+49024]; ld.shared.u32 %r7,[%r4]; add.u32 %r6,%r6,%r7;\n"
     "st.global.u32 [%rd1],%r6;\n"
     "ret;\n"},
    {"copies of a few bytes", 80, 1, 32, 0, true,
     ".shared .align 16 .b8 s[1024];\n"
     "mov.u32 %r1,%tid.x; mul.lo.u32 %r2,%r1,16; cvt.u64.u32 %rd3,%r2;\n"
     "add.s64 %rd2,%rd2,%rd3; add.s64 %rd1,%rd1,%rd3;\n"
     "mov.u32 %r3,s; add.u32 %r3,%r3,%r2;\n"
     "cp.async.cg.shared.global [%r3],[%rd2],16;\n"
     "cp.async.commit_group;\n"
     "cp.async.ca.shared.global [%r3+512],[%rd2],8;\n"
     "setp.lt.u32 %p1,%r1,7;\n"
     "@%p1 cp.async.ca.shared.global [%r3+516],[%rd2],4,2;\n"
     "and.b32 %r4,%r1,3;\n"
     "cp.async.ca.shared.global [%r3+8],[%rd2],4,%r4;\n"
     "cp.async.commit_group;\n"
     "cp.async.wait_group 1;\n"
     "cp.async.wait_group 0;\n"
     "cp.async.wait_all;\n"
     "ld.shared.v4.u32 {%r5,%r6,%r7,%r8},[%r3];\n"
     "st.global.v4.u32 [%rd1],{%r5,%r6,%r7,%r8};\n"
     "ld.shared.v4.u32 {%r5,%r6,%r7,%r8},[%r3+512];\n"
     "st.global.v4.u32 [%rd1+512],{%r5,%r6,%r7,%r8};\n"
     "ret;\n"},
    {"copies of 4, 8 and 16 bytes by cache operators", 80, 2, 64, 0, true,
     ".shared .align 16 .b8 s[4096];\n"
     "mov.u32 %r1,%tid.x; mov.u32 %r9,%ctaid.x; mad.lo.u32 %r10,%r9,64,%r1;\n"
     "shl.b32 %r2,%r1,5; mov.u32 %r3,s; add.u32 %r3,%r3,%r2; mul.wide.u32 %rd3,%r10,32; add.s64 %rd1,%rd1,%rd3; "
     "add.s64 %rd2,%rd2,%rd3;\n"
     "and.b32 %r4,%r1,1; setp.eq.u32 %p1,%r4,0;\n"
     "st.shared.v4.u32 [%r3],{%r1,%r1,%r1,%r1}; st.shared.v4.u32 [%r3+16],{%r1,%r1,%r1,%r1};\n"
     "@%p1 cp.async.cg.shared.global [%r3],[%rd2],16;\n"
     "@!%p1 cp.async.ca.shared.global [%r3],[%rd2],16,12;\n"
     "cp.async.ca.shared.global [%r3+16],[%rd2+16],8,5;\n"
     "cp.async.ca.shared.global [%r3+24],[%rd2+24],4;\n"
     "cp.async.cg.shared.global.L2::128B [%r3],[%rd2+16],16,0;\n"
     "cp.async.wait_all;\n"
     "bar.sync 0;\n"
     "xor.b32 %r3,%r3,32;\n"
     "ld.shared.v4.u32 {%r5,%r6,%r7,%r8},[%r3]; st.global.v4.u32 [%rd1],{%r5,%r6,%r7,%r8};\n"
     "ld.shared.v4.u32 {%r5,%r6,%r7,%r8},[%r3+16]; st.global.v4.u32 [%rd1+16],{%r5,%r6,%r7,%r8};\n"
     "ret;\n"},
    {"every operation of an object, one warp", 80, 1, 32, 0, false,
     ".shared .align 8 .b64 m;\n"
     "mov.u32 %r1,%tid.x; mov.u32 %r9,%ntid.x;\n"
     "setp.eq.u32 %p1,%r1,0;\n"
     "@%p1 mbarrier.init.shared.b64 [m],%r9;\n"
     "bar.sync 0;\n"
     "mbarrier.arrive.shared.b64 %rd3,[m];\n"
     "W: mbarrier.test_wait.shared.b64 %p2,[m],%rd3;\n"
     "@!%p2 bra W;\n"
     "mbarrier.arrive.noComplete.shared.b64 %rd3,[m],1;\n"
     "mbarrier.pending_count.b64 %r4,%rd3;\n"
     "mul.wide.u32 %rd4,%r1,4; add.s64 %rd1,%rd1,%rd4; st.global.u32 [%rd1],%r4;\n"
     "mbarrier.arrive_drop.shared.b64 %rd3,[m];\n"
     "cp.async.mbarrier.arrive.shared.b64 [m];\n"
     "cp.async.mbarrier.arrive.noinc.shared.b64 [m];\n"
     "mbarrier.inval.shared.b64 [m];\n"
     "ret;\n"},
    {"a ring of producers and consumers", 80, 2, 160, 0, true,
     ".shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 16 .b8 s[4096];\n"
     "mov.u32 %r1,%tid.x; mov.u32 %r9,%ntid.x;\n"
     "setp.eq.u32 %p1,%r1,0;\n"
     "@%p1 mbarrier.init.shared.b64 [full],32;\n"
     "sub.u32 %r2,%r9,32;\n"
     "@%p1 mbarrier.init.shared.b64 [empty],%r2;\n"
     "bar.sync 0;\n"
     "mov.u32 %r3,0; mov.u32 %r8,0;\n"
     "setp.ge.u32 %p2,%r1,32; @%p2 bra CONS;\n"
     "PROD:\n"
     "and.b32 %r4,%r3,1; xor.b32 %r4,%r4,1;\n"
     "PW: mbarrier.test_wait.parity.shared.b64 %p3,[empty],%r4;\n"
     "@!%p3 bra PW;\n"
     "mul.lo.u32 %r5,%r1,16; mov.u32 %r6,s; add.u32 %r6,%r6,%r5;\n"
     "mad.lo.u32 %r7,%r3,512,%r5; cvt.u64.u32 %rd3,%r7; add.s64 %rd4,%rd2,%rd3;\n"
     "cp.async.ca.shared.global [%r6],[%rd4],16;\n"
     "cp.async.mbarrier.arrive.noinc.shared.b64 [full];\n"
     "add.u32 %r3,%r3,1; setp.lt.u32 %p3,%r3,5; @%p3 bra PROD;\n"
     "bra END;\n"
     "CONS:\n"
     "and.b32 %r4,%r3,1;\n"
     "CW: mbarrier.test_wait.parity.shared.b64 %p3,[full],%r4;\n"
     "@!%p3 bra CW;\n"
     "rem.u32 %r5,%r1,128; shl.b32 %r5,%r5,2; mov.u32 %r6,s; add.u32 %r6,%r6,%r5; ld.shared.u32 %r7,[%r6];\n"
     "mad.lo.u32 %r8,%r8,31,%r7;\n"
     "mbarrier.arrive.shared.b64 %rd5,[empty];\n"
     "add.u32 %r3,%r3,1; setp.lt.u32 %p3,%r3,5; @%p3 bra CONS;\n"
     "END:\n"
     "mul.wide.u32 %rd4,%r1,4; add.s64 %rd1,%rd1,%rd4; st.global.u32 [%rd1],%r8;\n"
     "ret;\n"},
    {"waits with a parity within a warp", 80, 1, 64, 0, true,
     ".shared .align 8 .b64 m;\n"
     "mov.u32 %r1,%tid.x; mov.u32 %r9,%ntid.x; setp.eq.u32 %p1,%r1,0; mov.u32 %r5,0; mov.u32 %r3,0;\n"
     "@%p1 mbarrier.init.shared.b64 [m],%r9;\n"
     "bar.sync 0;\n"
     "L: and.b32 %r4,%r1,3; setp.eq.u32 %p2,%r4,%r3; @%p2 bra A; add.u32 %r5,%r5,%r3;\n"
     "A: mbarrier.arrive.shared.b64 %rd3,[m];\n"
     "and.b32 %r6,%r3,1;\n"
     "W: mbarrier.test_wait.parity.shared.b64 %p2,[m],%r6; @!%p2 bra W;\n"
     "mbarrier.test_wait.shared.b64 %p3,[m],%rd3; selp.u32 %r7,7,0,%p3; add.u32 %r5,%r5,%r7;\n"
     "add.u32 %r3,%r3,1; setp.lt.u32 %p2,%r3,9; @%p2 bra L;\n"
     "mul.wide.u32 %rd4,%r1,4; add.s64 %rd1,%rd1,%rd4; st.global.u32 [%rd1],%r5; ret;\n"},
    {"addresses of a cluster", 90, 4, 64, 2, true,
     ".shared .align 16 .b8 s[1024]; .shared .align 8 .b64 m;\n"
     "mov.u32 %r1,%tid.x; mov.u32 %r9,%cluster_ctarank; xor.b32 %r10,%r9,1;\n"
     "mov.u32 %r3,s; shl.b32 %r2,%r1,2; add.u32 %r3,%r3,%r2;\n"
     "mad.lo.u32 %r4,%r9,100,%r1;\n"
     "st.shared.u32 [%r3],%r4;\n"
     "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
     "mapa.shared::cluster.u32 %r5,%r3,%r10;\n"
     "ld.shared::cluster.u32 %r6,[%r5];\n"
     "atom.shared::cluster.xor.b32 %r7,[%r5+512],%r1;\n"
     "mov.u64 %rd6,s; cvta.shared.u64 %rd6,%rd6; ld.u32 %r8,[%rd6];\n"
     "mapa.u64 %rd7,%rd6,%r10; ld.u32 %r11,[%rd7+4]; add.u32 %r8,%r8,%r11;\n"
     "getctarank.shared::cluster.u32 %r12,%r5; add.u32 %r8,%r8,%r12;\n"
     "getctarank.u64 %r12,%rd7; add.u32 %r8,%r8,%r12;\n"
     "isspacep.shared::cluster %p2,%rd7; selp.u32 %r12,16,0,%p2; add.u32 %r8,%r8,%r12;\n"
     "isspacep.shared %p2,%rd7; selp.u32 %r12,32,0,%p2; add.u32 %r8,%r8,%r12;\n"
     "mov.u32 %r13,%ctaid.x; mov.u32 %r14,%ntid.x; mad.lo.u32 %r13,%r13,%r14,%r1; mul.wide.u32 %rd2,%r13,16; add.s64 "
     "%rd1,%rd1,%rd2;\n"
     "st.global.v4.u32 [%rd1],{%r4,%r6,%r7,%r8};\n"
     "mov.u32 %r13,%cluster_ctaid.x;st.global.u32 [%rd1+4096],%r13;\n"
     "mov.u32 %r13,%clusterid.x;st.global.u32 [%rd1+4100],%r13;\n"
     "mov.u32 %r13,%cluster_nctarank;st.global.u32 [%rd1+4104],%r13;\n"
     "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
     "ret;\n"},
    {"shared memory of a cluster, generic atomics and stores", 90, 8, 32, 4, true,
     ".shared .align 8 .b8 s[256];\n"
     "mov.u32 %r1,%tid.x; mov.u32 %r9,%cluster_ctarank; mov.u32 %r2,s; shl.b32 %r3,%r1,2; add.u32 %r2,%r2,%r3;\n"
     "st.shared.u32 [%r2],%r1; st.shared.u32 [%r2+128],%r9;\n"
     "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"
     "add.u32 %r4,%r9,1; and.b32 %r4,%r4,3; mapa.shared::cluster.u32 %r5,%r2,%r4;\n"
     "st.shared::cluster.u32 [%r5],%r4;\n"
     "atom.shared::cluster.add.u32 %r6,[%r5+128],%r1; red.shared::cluster.max.u32 [%r5+128],5;\n"
     "mov.u64 %rd3,s; cvta.shared.u64 %rd3,%rd3; mapa.u64 %rd4,%rd3,%r9; isspacep.shared::cluster %p1,%rd4; selp.u32 "
     "%r7,1,0,%p1;\n"
     "isspacep.global %p1,%rd4; selp.u32 %r8,2,0,%p1; add.u32 %r7,%r7,%r8; isspacep.local %p1,%rd3; selp.u32 "
     "%r8,4,0,%p1; add.u32 %r7,%r7,%r8;\n"
     "isspacep.global %p1,%rd1; selp.u32 %r8,8,0,%p1; add.u32 %r7,%r7,%r8; isspacep.shared %p1,%rd1; selp.u32 "
     "%r8,16,0,%p1; add.u32 %r7,%r7,%r8;\n"
     "barrier.cluster.arrive; barrier.cluster.wait;\n"
     "ld.shared.u32 %r10,[%r2]; ld.shared.u32 %r11,[%r2+128];\n"
     "mov.u32 %r12,%ctaid.x; mad.lo.u32 %r12,%r12,32,%r1; mul.wide.u32 %rd5,%r12,16; add.s64 %rd1,%rd1,%rd5;\n"
     "st.global.v4.u32 [%rd1],{%r6,%r7,%r10,%r11}; ret;\n"},
    {"lanes of a warp that wait apart", 90, 1, 64, 0, true,
     ".shared .align 8 .b64 m; .shared .align 8 .b64 n;\n"
     "mov.u32 %r1,%tid.x; setp.eq.u32 %p1,%r1,0; mov.u32 %r5,0;\n"
     "@%p1 mbarrier.init.shared.b64 [m],32; @%p1 mbarrier.init.shared.b64 [n],64;\n"
     "bar.sync 0;\n"
     "and.b32 %r2,%r1,1; setp.eq.u32 %p2,%r2,0; mul.wide.u32 %rd4,%r1,4; add.s64 %rd5,%rd1,%rd4;\n"
     "@%p2 bra EVEN;\n"
     "mbarrier.arrive.shared.b64 %rd3,[n];\n"
     "W: mbarrier.try_wait.parity.shared.b64 %p3,[m],0; @!%p3 bra W;\n"
     "ld.global.u32 %r5,[%rd5+1024]; add.u32 %r5,%r5,3;\n"
     "st.global.u32 [%rd5],%r5;\n"
     "bra JOIN;\n"
     "EVEN:\n"
     "st.global.u32 [%rd5],%r1;\n"
     "st.global.u32 [%rd5+1024],%r1; st.global.u32 [%rd5+1028],%r1;\n"
     "mbarrier.arrive.shared.b64 %rd3,[m];\n"
     "mbarrier.arrive.shared.b64 %rd3,[n];\n"
     "JOIN:\n"
     "V: mbarrier.try_wait.parity.shared.b64 %p3,[n],0; @!%p3 bra V;\n"
     "add.u32 %r5,%r5,1; st.global.u32 [%rd5+2048],%r5;\n"
     "ret;\n"},
    {"a bulk copy and its object", 90, 1, 32, 0, true,
     ".shared .align 8 .b64 m;.shared .align 128 .b8 s[1024];\n"
     "mov.u32 %r1,%tid.x;\n"
     "setp.eq.u32 %p1,%r1,0;\n"
     "@%p1 mbarrier.init.shared.b64 [m],32;\n"
     "bar.sync 0;\n"
     "@!%p1 bra N;\n"
     "mbarrier.arrive.expect_tx.shared.b64 %rd3,[m],1024;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s],[%rd2],1024,[m];\n"
     "bra M;\n"
     "N:\n"
     "mbarrier.arrive.shared.b64 %rd3,[m];\n"
     "M:\n"
     "W: mbarrier.try_wait.parity.shared.b64 %p2,[m],0;\n"
     "@!%p2 bra W;\n"
     "V: mbarrier.test_wait.shared.b64 %p2,[m],%rd3;\n"
     "@!%p2 bra V;\n"
     "@!%p1 bra X;\n"
     "cp.async.bulk.global.shared::cta.bulk_group [%rd1],[s],1024;\n"
     "cp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group.read 1;\n"
     "cp.async.bulk.wait_group 0;\n"
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1],[s],512;\n"
     "cp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group.read 0;\n"
     "cp.async.bulk.prefetch.L2.global [%rd2],1024;\n"
     "X:\n"
     "ret;\n"},
    {"bulk copies between blocks, and stores that tell an object", 90, 4, 32, 2, true,
     ".shared .align 8 .b64 m;.shared .align 128 .b8 s[1024]; .shared .align 128 .b8 t[1024];\n"
     "mov.u32 %r1,%tid.x; mov.u32 %r9,%cluster_ctarank; xor.b32 %r10,%r9,1; mov.u32 %r11,256;\n"
     "setp.eq.u32 %p1,%r1,0;\n"
     "mul.wide.u32 %rd4,%r9,1024; add.s64 %rd1,%rd1,%rd4;\n"
     "mov.u32 %r3,s; mov.u32 %r4,m; mov.u32 %r2,t;\n"
     "shl.b32 %r15,%r1,5; add.u32 %r16,%r2,%r15; mad.lo.u32 %r17,%r9,77,%r1; st.shared.v4.u32 "
     "[%r16],{%r17,%r1,%r9,%r17}; st.shared.v4.u32 [%r16+16],{%r17,%r1,%r9,%r17};\n"
     "st.shared.v4.u32 [s],{%r9,%r9,%r9,%r9};\n"
     "@%p1 mbarrier.init.shared.b64 [m],1;\n"
     "fence.proxy.async;\n"
     "barrier.cluster.arrive; barrier.cluster.wait;\n"
     "mov.u16 %h1,3;\n"
     "mapa.shared::cluster.u32 %r5,%r3,%r10; mapa.shared::cluster.u32 %r6,%r4,%r10;\n"
     "@!%p1 bra W;\n"
     "mbarrier.arrive.expect_tx.shared.b64 _,[m],1324;\n"
     "setp.eq.u32 %p2,%r9,0;\n"
     "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
     "[s+256],[%rd2],%r11,[m],%h1;\n"
     "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5],[%r2],%r11,[%r6];\n"
     "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r5],[%r2],512,[%r6];\n"
     "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.s32 [%r5],[%r2],256,[%r6];\n"
     "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r5+896],{%r11,%r1,%r9,%r10},[%r6];\n"
     "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r5+912],%rd4,[%r6];\n"
     "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r5+928],%r11,[%r6];\n"
     "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5],%r11,[%r6];\n"
     "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r5+4],%r11,[%r6];\n"
     "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r5+8],%rd4,[%r6];\n"
     "W:\n"
     "mbarrier.try_wait.parity.shared.b64 %p3,[m],0;\n"
     "@!%p3 bra W;\n"
     "barrier.cluster.arrive; barrier.cluster.wait;\n"
     "@!%p1 bra E;\n"
     "cp.async.bulk.global.shared::cta.bulk_group [%rd1],[s],1024;\n"
     "cp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0;\n"
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1+2048],[t],512;\n"
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1+4096],[t],512;\n"
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%rd1+8192],[t],512;\n"
     "cp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0;\n"
     "E:\n"
     "ret;\n"},
    {"transactions of an object, and arrivals from another block", 90, 2, 32, 2, true,
     ".shared .align 8 .b64 m;\n"
     "mov.u32 %r1,%tid.x; mov.u32 %r9,%cluster_ctarank; xor.b32 %r10,%r9,1; mov.u32 %r4,m; setp.eq.u32 %p1,%r1,0;\n"
     "@%p1 mbarrier.init.shared.b64 [m],64;\n"
     "barrier.cluster.arrive; barrier.cluster.wait;\n"
     "mapa.shared::cluster.u32 %r5,%r4,%r10;\n"
     "mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%r5];\n"
     "mbarrier.expect_tx.relaxed.cta.shared.b64 [m],16;\n"
     "mbarrier.complete_tx.relaxed.cta.shared.b64 [m],16;\n"
     "mbarrier.arrive.shared.b64 %rd3,[m],1;\n"
     "W: mbarrier.try_wait.shared.b64 %p2,[m],%rd3; @!%p2 bra W;\n"
     "mbarrier.arrive.noComplete.shared.b64 %rd4,[m],1; mbarrier.pending_count.b64 %r6,%rd4;\n"
     "mov.u32 %r12,%ctaid.x; mad.lo.u32 %r12,%r12,32,%r1; mul.wide.u32 %rd5,%r12,4; add.s64 %rd1,%rd1,%rd5; "
     "st.global.u32 [%rd1],%r6;\n"
     "barrier.cluster.arrive; barrier.cluster.wait; ret;\n"},
    {"boxes of a tensor", 90, 2, 32, 2, true,
     ".shared .align 1024 .b8 s[8192]; .shared .align 8 .b64 m;\n"
     "ld.param.u64 %rd6,[map]; mov.u32 %r1,%tid.x; mov.u32 %r9,%cluster_ctarank; setp.eq.u32 %p1,%r1,0; mov.u32 %r5,0; "
     "mov.u16 %h1,3;\n"
     "shl.b32 %r2,%r9,3;\n"
     "@%p1 mbarrier.init.shared.b64 [m],1;\n"
     "fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;\n"
     "@!%p1 bra W;\n"
     "mbarrier.arrive.expect_tx.shared.b64 _,[m],4096;\n"
     "setp.eq.u32 %p2,%r9,0;\n"
     "@!%p2 bra N;\n"
     "prefetch.tensormap [%rd6];\n"
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
     "[s],[%rd6,{%r5,%r2}],[m],%h1;\n"
     "N: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
     "[s+4096],[%rd6,{4,%r2}],[m];\n"
     "W: mbarrier.try_wait.parity.shared.b64 %p3,[m],0; @!%p3 bra W;\n"
     "@!%p1 bra E;\n"
     "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd6,{%r2,2}],[s+4096];\n"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
     "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd6,{1,%r2}],[s];\n"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
     "E: bar.sync 0; shl.b32 %r6,%r1,4; mov.u32 %r7,s; add.u32 %r7,%r7,%r6; mul.lo.u32 %r8,%r9,512; add.u32 "
     "%r8,%r8,%r6; cvt.u64.u32 %rd5,%r8; add.s64 %rd1,%rd1,%rd5;\n"
     "ld.shared.v4.u32 {%r10,%r11,%r12,%r13},[%r7+4096]; st.global.v4.u32 [%rd1],{%r10,%r11,%r12,%r13};\n"
     "ld.shared.v4.u32 {%r10,%r11,%r12,%r13},[%r7]; st.global.v4.u32 [%rd1+4096],{%r10,%r11,%r12,%r13};\n"
     "barrier.cluster.arrive; barrier.cluster.wait; ret;\n"},
    {"bulk copies with a cache policy", 90, 1, 32, 0, true,
     ".shared .align 8 .b64 m; .shared .align 128 .b8 s[1024];\n"
     "createpolicy.fractional.L2::evict_first.b64 %rd7,1.0; mov.u32 %r1,%tid.x; setp.ne.u32 %p1,%r1,0; @%p1 ret;\n"
     "mbarrier.init.shared.b64 [m],1; fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 _,[m],1024;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [s],[%rd2],1024,[m],%rd7;\n"
     "W: mbarrier.try_wait.parity.shared.b64 %p2,[m],0; @!%p2 bra W;\n"
     "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd2],1024,%rd7;\n"
     "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1],[s],1024,%rd7;\n"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%rd1],[s],512,%rd7;\n"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;\n"},
    {"boxes of a tensor with a cache policy", 90, 2, 32, 2, true,
     ".shared .align 1024 .b8 s[8192]; .shared .align 8 .b64 m;\n"
     "createpolicy.fractional.L2::evict_last.b64 %rd7,1.0; ld.param.u64 %rd6,[map]; mov.u32 %r1,%tid.x;\n"
     "mov.u32 %r9,%cluster_ctarank; setp.eq.u32 %p1,%r1,0; mov.u32 %r5,0; mov.u16 %h1,3; shl.b32 %r2,%r9,3;\n"
     "@%p1 mbarrier.init.shared.b64 [m],1;\n"
     "fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;\n"
     "@!%p1 bra W;\n"
     "mbarrier.arrive.expect_tx.shared.b64 _,[m],4096; setp.eq.u32 %p2,%r9,0;\n"
     "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd6,{%r5,%r2}];\n"
     "cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint [%rd6,{%r5,%r2}],%rd7;\n"
     "@%p2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster."
     "L2::cache_hint [s],[%rd6,{%r5,%r2}],[m],%h1,%rd7;\n"
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
     "[s+4096],[%rd6,{4,%r2}],[m],%rd7;\n"
     "W: mbarrier.try_wait.parity.shared.b64 %p3,[m],0; @!%p3 bra W;\n"
     "@!%p1 bra E;\n"
     "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%rd6,{%r2,2}],[s+4096],%rd7;\n"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
     "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group.L2::cache_hint [%rd6,{1,%r2}],[s],%rd7;\n"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
     "E: bar.sync 0; shl.b32 %r6,%r1,4; mov.u32 %r7,s; add.u32 %r7,%r7,%r6; mad.lo.u32 %r8,%r9,512,%r6;\n"
     "cvt.u64.u32 %rd5,%r8; add.s64 %rd1,%rd1,%rd5;\n"
     "ld.shared.v4.u32 {%r10,%r11,%r12,%r13},[%r7+4096]; st.global.v4.u32 [%rd1],{%r10,%r11,%r12,%r13};\n"
     "barrier.cluster.arrive; barrier.cluster.wait; ret;\n"},
    {"the elected lane", 90, 1, 64, 0, true,
     "mov.u32 %r1,%tid.x; and.b32 %r2,%r1,31; setp.lt.u32 %p1,%r2,5; mov.u32 %r3,0;\n"
     "@%p1 bra L;\n"
     "elect.sync %r3|%p2,0xffffffe0; @!%p2 bra L; add.u32 %r3,%r3,1000;\n"
     "L: mul.wide.u32 %rd4,%r1,4; add.s64 %rd1,%rd1,%rd4; st.global.u32 [%rd1],%r3;\n"
     "griddepcontrol.launch_dependents; griddepcontrol.wait; ret;\n"},
};

/* ---- running ----------------------------------------------------------------------------------------------------- */

struct outcome {
    uint8_t memory[2][BYTES];
    struct rp_memory_operand operands[OPERANDS]; /* of asynchronous instructions, each kind once */
    unsigned operand_count;
};

static bool same_operand(const struct rp_memory_operand *a, const struct rp_memory_operand *b)
{
    return a->kind == b->kind && a->space == b->space && a->width == b->width && a->object == b->object &&
           a->atomic == b->atomic;
}

static bool has_operand(const struct outcome *o, const struct rp_memory_operand *m)
{
    for (unsigned i = 0; i < o->operand_count; i++)
        if (same_operand(&o->operands[i], m))
            return true;
    return false;
}

static void collect_operands(const struct rp_kernel *k, struct outcome *o)
{
    for (uint32_t i = 0; i < k->instruction_count; i++)
        for (uint32_t n = 0; n < k->instructions[i].memory_count; n++) {
            const struct rp_memory_operand *m = &k->instructions[i].memory[n];
            bool asynchronous = k->instructions[i].async.kind != RP_ASYNC_NONE || m->kind == RP_ACCESS_OBJECT;
            if (asynchronous && !has_operand(o, m) && o->operand_count < OPERANDS)
                o->operands[o->operand_count++] = *m;
        }
}

static void fill(uint8_t *to, uint64_t address, void *map)
{
    static const struct tensor_box box = {2, TENSOR_U32, 0, 0, {64, 64}, {256}, {16, 32}, {1, 1}, {0, 0}};
    struct rp_error err;
    uint32_t seed = 1;
    for (unsigned i = 0; i < BYTES; i++)
        to[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    cr_assert(tensor_box_encode(map, &box, address, &err), "%s", err.text);
}

static void run(const char *path, const struct kernel *k, struct outcome *o)
{
    static const uint64_t sizes[BUFFERS] = {BYTES, BYTES, 128};
    struct rp_error err;
    struct rp_launch_result result;
    uint64_t params[BUFFERS];
    uint8_t *host[BUFFERS];
    struct rp_device *device = rp_device_new(&err);
    cr_assert_not_null(device);
    for (unsigned i = 0; i < BUFFERS; i++) {
        params[i] = rp_alloc(device, sizes[i], "buffer", &err);
        host[i] = rp_host(device, params[i], sizes[i]);
    }
    fill(host[1], params[1], host[2]);
    struct module *m = rp_device_load(device, path, &err);
    cr_assert_not_null(m, "%s: %s", k->name, m ? "" : err.text);
    struct program *p = module_find(m, "k", &err);
    cr_assert_not_null(p, "%s: %s", k->name, p ? "" : err.text);
    struct rp_launch_config config = {.grid = {k->grid, 1, 1}, .block = {k->block, 1, 1}};
    config.params = params;
    config.threads = 1;
    config.limit = 1000000;
    cr_assert(rp_launch_kernel(device, p, &config, &result, &err), "%s, %s: %s", k->name, path, err.text);
    for (unsigned i = 0; i < 2; i++)
        memcpy(o->memory[i], host[i], BYTES);
    o->operand_count = 0;
    collect_operands(&p->kernel, o);
    rp_device_free(device);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void write_ptx(const char *path, const struct kernel *k, unsigned sm)
{
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fprintf(f,
            ".version 8.3\n.target sm_%u\n.address_size 64\n.visible .entry k(.param .u64 o, .param .u64 g, "
            ".param .u64 map)",
            sm);
    if (k->cluster)
        fprintf(f, " .explicitcluster .reqnctapercluster %u, 1, 1", k->cluster);
    fprintf(f, "\n{\n.reg .b64 %%rd<8>; .reg .b32 %%r<32>; .reg .pred %%p<4>; .reg .b16 %%h<4>;\n"
               "ld.param.u64 %%rd1, [o]; ld.param.u64 %%rd2, [g];\n");
    fputs(k->body, f);
    fputs("\n}\n", f);
    fclose(f);
}

static void compile(const char *ptx, const char *cubin, unsigned sm, unsigned level)
{
    const char *build = getenv("BUILD");
    char command[600];
    snprintf(command, sizeof command, "%s/toolchain/12.9/ptxas -w -O%u -arch=sm_%u -o %s %s", build ? build : "build",
             level, sm, cubin, ptx);
    int status = system(command);
    cr_assert_eq(status, 0, "ptxas: %d", status);
}

static void need_ptxas(void)
{
    const char *build = getenv("BUILD");
    char path[512];
    snprintf(path, sizeof path, "%s/toolchain/complete", build ? build : "build");
    if (access(path, R_OK))
        cr_skip_test("no %s: make toolchain fetches NVIDIA's ptxas", path);
}

/* Each operand of one is in the other. */
static void compare_operands(const struct outcome *a, const struct outcome *b, const char *what)
{
    for (unsigned i = 0; i < a->operand_count; i++)
        cr_expect(has_operand(b, &a->operands[i]), "%s: access of kind %u to space %u, %u bytes, object %u", what,
                  a->operands[i].kind, a->operands[i].space, a->operands[i].width, a->operands[i].object);
}

static bool is_zero(const uint8_t *at)
{
    for (unsigned i = 0; i < BYTES; i++)
        if (at[i])
            return false;
    return true;
}

enum { MAX_ROWS = 4096 };
static bool rows_seen[MAX_ROWS];

static void compare(const struct kernel *k, unsigned sm, unsigned level, const char *ptx)
{
    static struct outcome wanted, got;
    char cubin[80], what[200];
    snprintf(cubin, sizeof cubin, "%s.cubin", ptx);
    snprintf(what, sizeof what, "%s, sm_%u -O%u", k->name, sm, level);
    compile(ptx, cubin, sm, level);
    run(ptx, k, &wanted);
    run(cubin, k, &got);
    sass_rows_in(cubin, rows_seen);
    cr_assert_not(is_zero(wanted.memory[0]), "%s writes nothing", what);
    unlink(cubin);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned at = 0; at < BYTES; at++)
            if (wanted.memory[i][at] != got.memory[i][at]) {
                cr_expect_fail("%s: byte %u of buffer %u is 0x%02x, not 0x%02x", what, at, i, got.memory[i][at],
                               wanted.memory[i][at]);
                break;
            }
    bool plain_objects = sm < 90 && (wanted.operand_count == 0 || wanted.operands[0].kind == RP_ACCESS_OBJECT);
    if (k->same_operands && !plain_objects) {
        compare_operands(&wanted, &got, what);
        compare_operands(&got, &wanted, what);
    }
}

static void compare_kernel(const struct kernel *k)
{
    static const unsigned targets[] = {80, 86, 90};
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++)
        for (unsigned level = 0; level <= 3; level += 3) {
            char ptx[] = "/tmp/reprise-async-XXXXXX";
            if (targets[i] < k->from)
                continue;
            int fd = mkstemp(ptx);
            cr_assert_geq(fd, 0);
            close(fd);
            write_ptx(ptx, k, targets[i]);
            compare(k, targets[i], level, ptx);
            unlink(ptx);
        }
}

Test(async, machine_code_equals_ptx)
{
    need_ptxas();
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        compare_kernel(&kernels[i]);
    cr_assert_leq(sass7x_table.row_count, (unsigned)MAX_ROWS);
    for (unsigned i = 0; i < sass7x_table.row_count; i++) {
        const struct sass_row *row = &sass7x_table.rows[i];
        const char *why = row_left_out(row);
        cr_expect(!why || strcmp(why, ROW_ASYNC) || rows_seen[i], "row %u, %s %03x for %#x: no kernel here has it", i,
                  row->name, row->value, row->archs);
    }
}
