/* Graphs, and streams that are captured. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"

static CUgraphNode add_store(CUgraph g, CUfunction store, CUdeviceptr p, unsigned value, CUgraphNode *before)
{
    void *params[] = {&p, &value};
    return add_thread(g, before, store, params);
}

static unsigned read_back(CUdeviceptr p)
{
    unsigned value;
    WORKS(cuMemcpyDtoH_v2(&value, p, 4));
    return value;
}

Test(cuda_graph, runs_nodes_after_what_they_wait_for)
{
    CUgraph g;
    CUgraphExec exec;
    CUdeviceptr p;
    CUgraphNode roots[4];
    size_t count = 4;
    start();
    CUfunction store = kernel(load_kernels(), "store");
    WORKS(cuMemAlloc_v2(&p, 4));
    WORKS(cuGraphCreate(&g, 0));
    CUgraphNode late = add_store(g, store, p, 2, NULL), early = add_store(g, store, p, 1, NULL);
    WORKS(cuGraphAddDependencies(g, &early, &late, 1));
    WORKS(cuGraphGetRootNodes(g, roots, &count));
    cr_assert(count == 1 && roots[0] == early);
    WORKS(cuGraphInstantiateWithFlags(&exec, g, 0));
    cr_assert_eq(read_back(p), 0);
    WORKS(cuGraphLaunch(exec, NULL));
    cr_assert_eq(read_back(p), 2);
    unsigned other = 7;
    void *params[] = {&p, &other};
    CUDA_KERNEL_NODE_PARAMS k = {store, 1, 1, 1, 1, 1, 1, 0, params, NULL, NULL, NULL};
    WORKS(cuGraphExecKernelNodeSetParams_v2(exec, late, &k));
    WORKS(cuGraphLaunch(exec, NULL));
    cr_assert_eq(read_back(p), 7);
    WORKS(cuGraphAddDependencies(g, &late, &early, 1));
    FAILS(cuGraphInstantiateWithFlags(&exec, g, 0), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuGraphExecDestroy(exec));
    WORKS(cuGraphDestroy(g));
    FAILS(cuGraphDestroy(g), CUDA_ERROR_INVALID_VALUE);
}

/* Two streams: the second one comes to the capture through an event, and goes back through another. */
Test(cuda_graph, captures_streams)
{
    CUstream a, b;
    CUevent fork, join;
    CUgraph g;
    CUgraphExec exec;
    CUdeviceptr p;
    CUstreamCaptureStatus status;
    unsigned value = 5, n = 1, out[2] = {0};
    size_t nodes = 0;
    start();
    CUmodule m = load_kernels();
    WORKS(cuMemAlloc_v2(&p, 8));
    WORKS(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    WORKS(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    WORKS(cuEventCreate(&fork, 0));
    WORKS(cuEventCreate(&join, 0));
    WORKS(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
    WORKS(cuMemsetD32Async(p, 1, 2, a));
    WORKS(cuEventRecord(fork, a));
    WORKS(cuStreamWaitEvent(b, fork, 0));
    WORKS(cuStreamIsCapturing(b, &status));
    cr_assert_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    WORKS(run(kernel(m, "store"), 1, 1, b, (void *[]){&p, &value}));
    WORKS(run(kernel(m, "add"), 1, 1, a, (void *[]){&p, &n}));
    WORKS(cuEventRecord(join, b));
    WORKS(cuStreamWaitEvent(a, join, 0));
    WORKS(cuMemcpyDtoHAsync_v2(out, p, 8, a));
    WORKS(cuStreamEndCapture(a, &g));
    cr_assert_eq(out[0], 0);
    WORKS(cuGraphGetNodes(g, NULL, &nodes));
    cr_assert_eq(nodes, 4);
    WORKS(cuGraphInstantiateWithFlags(&exec, g, 0));
    WORKS(cuGraphLaunch(exec, a));
    cr_assert(out[0] == 5 && out[1] == 1);
}

/* "CUDA C++ Programming Guide", Prohibited and Unhandled Operations; cuThreadExchangeStreamCaptureMode for the modes.
 */
static void breaks(CUstream s, CUstreamCaptureMode mode, CUresult (*call)(void), CUresult answer)
{
    CUgraph g;
    WORKS(cuStreamBeginCapture_v2(s, mode));
    FAILS(call(), answer);
    FAILS(cuStreamEndCapture(s, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static CUstream captured;
static CUdeviceptr memory;
static CUresult wait_for_it(void) { return cuStreamSynchronize(captured); }
static CUresult ask_for_it(void) { return cuStreamQuery(captured); }
static CUresult fill_by_legacy(void) { return cuMemsetD32Async(memory, 1, 1, NULL); }
static CUresult wait_for_legacy(void) { return cuStreamSynchronize(NULL); }
static CUresult allocate(void)
{
    CUdeviceptr more;
    return cuMemAlloc_v2(&more, 4);
}
static CUresult release(void) { return cuMemFree_v2(memory); }

Test(cuda_graph, refuses_while_streams_capture_what_a_gpu_refuses)
{
    CUstream apart;
    CUgraph g;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    start();
    WORKS(cuMemAlloc_v2(&memory, 4));
    WORKS(cuStreamCreate(&captured, 0));
    WORKS(cuStreamCreate(&apart, CU_STREAM_NON_BLOCKING));
    breaks(captured, CU_STREAM_CAPTURE_MODE_RELAXED, wait_for_it, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks(captured, CU_STREAM_CAPTURE_MODE_RELAXED, ask_for_it, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks(captured, CU_STREAM_CAPTURE_MODE_RELAXED, cuCtxSynchronize, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks(captured, CU_STREAM_CAPTURE_MODE_RELAXED, fill_by_legacy, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    breaks(captured, CU_STREAM_CAPTURE_MODE_RELAXED, wait_for_legacy, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    breaks(captured, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, allocate, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks(apart, CU_STREAM_CAPTURE_MODE_GLOBAL, release, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    WORKS(cuStreamBeginCapture_v2(apart, CU_STREAM_CAPTURE_MODE_GLOBAL));
    WORKS(fill_by_legacy());
    WORKS(wait_for_it());
    WORKS(cuThreadExchangeStreamCaptureMode(&mode));
    WORKS(allocate());
    WORKS(cuThreadExchangeStreamCaptureMode(&mode));
    WORKS(cuStreamEndCapture(apart, &g));
    WORKS(cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_RELAXED));
    WORKS(allocate());
    WORKS(cuStreamEndCapture(captured, &g));
    WORKS(cuCtxSynchronize());
}

Test(cuda_graph, says_what_breaks_a_capture)
{
    CUstream a, b;
    CUevent e;
    CUgraph g;
    CUdeviceptr p;
    start();
    WORKS(cuMemAlloc_v2(&p, 8));
    WORKS(cuStreamCreate(&a, 0));
    WORKS(cuStreamCreate(&b, 0));
    WORKS(cuEventCreate(&e, 0));
    FAILS(cuStreamBeginCapture_v2(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_ILLEGAL_STATE);
    WORKS(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_RELAXED));
    WORKS(cuEventRecord(e, b));
    FAILS(cuStreamWaitEvent(a, e, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    WORKS(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_RELAXED));
    WORKS(cuEventRecord(e, a));
    WORKS(cuStreamWaitEvent(b, e, 0));
    WORKS(cuMemsetD32Async(p, 1, 2, b));
    FAILS(cuStreamEndCapture(b, &g), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    WORKS(cuMemsetD32Async(p, 1, 2, b));
}

/* Makes a stream that joins the capture of another, gives it work, and destroys it. */
static void join_and_destroy(CUstream origin, CUdeviceptr p, CUevent joined)
{
    CUstream s;
    CUevent fork;
    WORKS(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    WORKS(cuEventCreate(&fork, 0));
    WORKS(cuEventRecord(fork, origin));
    WORKS(cuStreamWaitEvent(s, fork, 0));
    WORKS(cuMemsetD32Async(p, 1, 1, s));
    WORKS(cuEventRecord(joined, s));
    WORKS(cuStreamDestroy_v2(s));
}

Test(cuda_graph, needs_only_the_origin_of_a_capture)
{
    CUstream a;
    CUevent joined;
    CUgraph g;
    CUdeviceptr p;
    size_t nodes = 0;
    start();
    WORKS(cuMemAlloc_v2(&p, 8));
    WORKS(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    WORKS(cuEventCreate(&joined, 0));
    WORKS(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_RELAXED));
    join_and_destroy(a, p, joined);
    WORKS(cuStreamWaitEvent(a, joined, 0));
    WORKS(cuStreamEndCapture(a, &g));
    WORKS(cuGraphGetNodes(g, NULL, &nodes));
    cr_assert_eq(nodes, 1);
    WORKS(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_RELAXED));
    join_and_destroy(a, p, joined);
    FAILS(cuStreamEndCapture(a, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

Test(cuda_graph, is_printed_for_dot)
{
    static const char expected[] = "digraph graph_of_cuda {\n  node [shape=box];\n"
                                   "  gn0 [label=\"0\\nstore\\n<<<(1,1,1), (1,1,1), 0>>>\"];\n"
                                   "  gn1 [label=\"1\\nempty\"];\n  gn0 -> gn1;\n"
                                   "  gn2 [label=\"2\\ngraph of 1 node\"];\n"
                                   "  subgraph cluster_gn2_ {\n    gn2_n0 [label=\"0\\nempty\"];\n  }\n}\n";
    char path[] = "/tmp/reprise-dot-XXXXXX", text[1000] = "";
    CUgraph g, inner;
    CUgraphNode n;
    CUdeviceptr p;
    start();
    WORKS(cuMemAlloc_v2(&p, 4));
    WORKS(cuGraphCreate(&g, 0));
    WORKS(cuGraphCreate(&inner, 0));
    WORKS(cuGraphAddEmptyNode(&n, inner, NULL, 0));
    CUgraphNode first = add_store(g, kernel(load_kernels(), "store"), p, 1, NULL);
    WORKS(cuGraphAddEmptyNode(&n, g, &first, 1));
    WORKS(cuGraphAddChildGraphNode(&n, g, NULL, 0, inner));
    close(mkstemp(path));
    WORKS(cuGraphDebugDotPrint(g, path, 0));
    FILE *f = fopen(path, "r");
    cr_assert(f && fread(text, 1, sizeof text - 1, f) > 0 && !fclose(f));
    unlink(path);
    cr_expect_str_eq(text, expected);
    FAILS(cuGraphDebugDotPrint(g, "/no/such/folder", 0), CUDA_ERROR_OPERATING_SYSTEM);
    FAILS(cuGraphDebugDotPrint(g, NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

Test(cuda_graph, keeps_attributes_of_launches)
{
    CUgraph g, clone;
    CUgraphNode there;
    CUdeviceptr p;
    CUlaunchAttributeValue v = {.priority = -3}, got;
    start();
    CUfunction store = kernel(load_kernels(), "store");
    WORKS(cuMemAlloc_v2(&p, 4));
    WORKS(cuGraphCreate(&g, 0));
    CUgraphNode a = add_store(g, store, p, 1, NULL), b = add_store(g, store, p, 2, &a), empty;
    WORKS(cuGraphAddEmptyNode(&empty, g, NULL, 0));
    WORKS(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    v.cooperative = 1;
    WORKS(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v));
    WORKS(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &got));
    cr_assert_eq(got.cooperative, 0);
    WORKS(cuGraphKernelNodeCopyAttributes(b, a));
    WORKS(cuGraphClone(&clone, g));
    WORKS(cuGraphNodeFindInClone(&there, b, clone));
    WORKS(cuGraphKernelNodeGetAttribute(there, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &got));
    cr_assert_eq(got.cooperative, 1);
    WORKS(cuGraphKernelNodeGetAttribute(there, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    cr_assert_eq(got.priority, -3);
    FAILS(cuGraphKernelNodeSetAttribute(empty, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGraphKernelNodeCopyAttributes(empty, a), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGraphKernelNodeGetAttribute(a, 99, &got), CUDA_ERROR_INVALID_VALUE);
}
