/* Conditional nodes of graphs: CUDA Driver API, cuGraphConditionalHandleCreate and CUDA_CONDITIONAL_NODE_PARAMS. */
#include "common.h"

enum { TYPE_IF, TYPE_WHILE, TYPE_SWITCH };

/* step(h, p): p[1]++; condition h = --p[0].  choose(h, p): condition h = p[0].  note(p, v): p[1] = p[1] * 10 + v. */
static const char text[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                           ".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n"
#define SET(value)                                                                                                     \
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], " value "; "                            \
    "call cudaGraphSetConditional, (a, b); }\n"
#define HEAD(name)                                                                                                     \
    ".visible .entry " name "(.param .u64 h, .param .u64 p) {\n"                                                       \
    "  .reg .b64 %rd<3>; .reg .b32 %r<3>; ld.param.u64 %rd1, [h]; ld.param.u64 %rd2, [p]; ld.global.u32 %r1, "         \
    "[%rd2];\n"
    HEAD("step") "  ld.global.u32 %r2, [%rd2 + 4]; add.u32 %r2, %r2, 1; st.global.u32 [%rd2 + 4], %r2;\n"
                 "  sub.u32 %r1, %r1, 1; st.global.u32 [%rd2], %r1;\n" SET("%r1") "ret; }\n" HEAD("choose")
                     SET("%r1") "ret; }\n"
                                ".visible .entry note(.param .u64 p, .param .u32 v) {\n"
                                "  .reg .b64 %rd<2>; .reg .b32 %r<3>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];\n"
                                "  ld.global.u32 %r2, [%rd1 + 4]; mad.lo.u32 %r2, %r2, 10, %r1; st.global.u32 [%rd1 + "
                                "4], %r2; ret; }\n";

static CUmodule module;
static CUdeviceptr words;
static CUgraph graph;

static void begin(void)
{
    start();
    WORKS(cuModuleLoadData(&module, text));
    WORKS(cuMemAlloc_v2(&words, 8));
    WORKS(cuGraphCreate(&graph, 0));
}

static CUgraphNode add_kernel(CUgraph g, CUgraphNode before, const char *name, void **params)
{
    return add_thread(g, &before, kernel(module, name), params);
}

static CUgraph *add_condition(CUgraphNode before, CUgraphConditionalHandle handle, int type, unsigned size)
{
    CUgraphNode n;
    CUgraphNodeType kind;
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = {handle, type, size, NULL, NULL}};
    WORKS(cuGraphAddNode(&n, graph, &before, before != NULL, &p));
    WORKS(cuGraphNodeGetType(n, &kind));
    cr_assert_eq(kind, CU_GRAPH_NODE_TYPE_CONDITIONAL);
    return p.conditional.phGraph_out;
}

/* Launches the graph with words[0] = n; the result is words[1]. */
static unsigned launch(CUgraphExec exec, unsigned n)
{
    unsigned values[2] = {n, 0};
    WORKS(cuMemcpyHtoD_v2(words, values, sizeof values));
    WORKS(cuGraphLaunch(exec, NULL));
    WORKS(cuMemcpyDtoH_v2(values, words, sizeof values));
    return values[1];
}

static CUgraphExec instantiate(void)
{
    CUgraphExec exec;
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphDestroy(graph));
    return exec;
}

/* The default makes it begin, at each launch. */
Test(cuda_conditional, while_the_condition_is_set)
{
    CUgraphConditionalHandle handle;
    begin();
    WORKS(cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, 1));
    CUgraph body = add_condition(NULL, handle, TYPE_WHILE, 1)[0];
    add_kernel(body, NULL, "step", (void *[]){&handle, &words});
    CUgraphExec exec = instantiate();
    cr_assert_eq(launch(exec, 7), 7);
    cr_assert_eq(launch(exec, 3), 3);
}

Test(cuda_conditional, one_of_several_bodies)
{
    CUgraphConditionalHandle either, some;
    unsigned v[] = {1, 2, 3, 4, 5};
    begin();
    WORKS(cuGraphConditionalHandleCreate(&either, graph, NULL, 0, 0));
    WORKS(cuGraphConditionalHandleCreate(&some, graph, NULL, 0, 0));
    CUgraphNode n = add_kernel(graph, NULL, "choose", (void *[]){&either, &words});
    n = add_kernel(graph, n, "choose", (void *[]){&some, &words});
    CUgraph *bodies = add_condition(n, either, TYPE_IF, 2);
    for (unsigned i = 0; i < 2; i++)
        add_kernel(bodies[i], NULL, "note", (void *[]){&words, &v[i]});
    bodies = add_condition(n, some, TYPE_SWITCH, 3);
    for (unsigned i = 0; i < 3; i++)
        add_kernel(bodies[i], NULL, "note", (void *[]){&words, &v[2 + i]});
    CUgraphExec exec = instantiate();
    cr_assert_eq(launch(exec, 0), 23);
    cr_assert_eq(launch(exec, 1), 14);
    cr_assert_eq(launch(exec, 2), 15);
    cr_assert_eq(launch(exec, 3), 1);
}

/* A GPU would run for ever. */
Test(cuda_conditional, refuses_a_loop_that_nothing_ends)
{
    CUgraphConditionalHandle handle;
    CUgraphNode n;
    CUDA_MEMSET_NODE_PARAMS set = {.elementSize = 4, .width = 1, .height = 1};
    begin();
    set.dst = words;
    WORKS(cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, 1));
    CUgraph body = add_condition(NULL, handle, TYPE_WHILE, 1)[0];
    WORKS(cuGraphAddMemsetNode(&n, body, NULL, 0, &set, NULL));
    FAILS(cuGraphLaunch(instantiate(), NULL), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuCtxSynchronize());
}

/* A capture into a body, behind a node that is there, and one whose next node is told what to follow. */
Test(cuda_conditional, streams_are_captured_into_a_body)
{
    CUgraphConditionalHandle handle;
    CUstream s;
    CUgraph captured;
    unsigned v = 6;
    size_t count = 0;
    begin();
    WORKS(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    WORKS(cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, 1));
    CUgraph body = add_condition(NULL, handle, TYPE_IF, 1)[0];
    CUgraphNode n = add_kernel(body, NULL, "note", (void *[]){&words, &v});
    WORKS(cuStreamBeginCaptureToGraph(s, body, &n, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
    WORKS(run(kernel(module, "note"), 1, 1, s, (void *[]){&words, &v}));
    WORKS(cuStreamUpdateCaptureDependencies(s, &n, 1, 1));
    WORKS(cuMemsetD32Async(words, 1, 1, s));
    FAILS(cuStreamUpdateCaptureDependencies(s, (CUgraphNode[]){NULL}, 1, 0), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuStreamEndCapture(s, &captured));
    cr_assert_eq(captured, body);
    WORKS(cuGraphGetEdges(body, NULL, NULL, &count));
    cr_assert_eq(count, 2);
    cr_assert_eq(launch(instantiate(), 0), 66);
    FAILS(cuStreamUpdateCaptureDependencies(s, NULL, 0, 0), CUDA_ERROR_ILLEGAL_STATE);
}

Test(cuda_conditional, refuses_what_does_not_fit)
{
    CUgraphConditionalHandle handle;
    CUgraphNode n;
    begin();
    FAILS(cuGraphConditionalHandleCreate(&handle, graph, NULL, 0, 2), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuGraphConditionalHandleCreate(&handle, graph, NULL, 0, 0));
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = {handle, TYPE_WHILE, 2, NULL, NULL}};
    FAILS(cuGraphAddNode(&n, graph, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
    p.conditional = (CUDA_CONDITIONAL_NODE_PARAMS){handle + 4, TYPE_IF, 1, NULL, NULL};
    FAILS(cuGraphAddNode(&n, graph, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
    add_condition(NULL, handle, TYPE_IF, 1);
    p.conditional.handle = handle;
    FAILS(cuGraphAddNode(&n, graph, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
}
