/* Conditions of graphs, which kernels set: a loop, also launched again, one or two bodies, a choice of several, a loop in
 * a loop, a node that is added while a stream is captured. */
#include <cuda_runtime.h>

#include "../test.h"

__global__ void count_down(cudaGraphConditionalHandle again, int *left, int *steps)
{
    if (threadIdx.x == 0) {
        ++*steps;
        cudaGraphSetConditional(again, --*left > 0);
    }
}

__global__ void choose(cudaGraphConditionalHandle which, const int *value) { cudaGraphSetConditional(which, *value); }

__global__ void begin_row(cudaGraphConditionalHandle column, int *left, int columns)
{
    *left = columns;
    cudaGraphSetConditional(column, columns > 0);
}

__global__ void note(int *log, int digit) { *log = *log * 10 + digit; }

static cudaGraph_t graph;
static int *left, *result, *left_of_row, *unused;

static cudaGraphNode_t add(cudaGraph_t g, cudaGraphNode_t before, void *kernel, void **arguments)
{
    cudaGraphNode_t n;
    cudaKernelNodeParams p = {};
    p.func = kernel;
    p.gridDim = dim3(1);
    p.blockDim = dim3(kernel == (void *)count_down ? 64 : 1);
    p.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&n, g, &before, before != nullptr, &p));
    return n;
}

static cudaGraphNode_t add_note(cudaGraph_t g, cudaGraphNode_t before, int digit)
{
    void *arguments[] = {&result, &digit};
    return add(g, before, (void *)note, arguments);
}

/* Returns the bodies. */
static cudaGraph_t *add_conditional(cudaGraph_t g, cudaGraphNode_t before, cudaGraphConditionalHandle handle,
                                    cudaGraphConditionalNodeType type, unsigned size, cudaGraphNode_t *n)
{
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddNode(n, g, &before, nullptr, before != nullptr, &p));
#else
    CHECK(cudaGraphAddNode(n, g, &before, before != nullptr, &p));
#endif
    return p.conditional.phGraph_out;
}

static cudaGraphConditionalHandle new_condition(cudaGraph_t g, unsigned initial, unsigned flags)
{
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, g, initial, flags));
    return handle;
}

static cudaGraphExec_t instantiate()
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static int launch(cudaGraphExec_t exec, int n)
{
    *left = n;
    *result = 0;
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    return *result;
}

static void loop()
{
    cudaGraphNode_t n;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle again = new_condition(graph, 1, cudaGraphCondAssignDefault);
    void *arguments[] = {&again, &left, &result};
    cudaGraph_t body = *add_conditional(graph, nullptr, again, cudaGraphCondTypeWhile, 1, &n);
    add(body, nullptr, (void *)count_down, arguments);
    cudaGraphExec_t exec = instantiate();
    EXPECT(launch(exec, 7) == 7);
    EXPECT(launch(exec, 3) == 3);
    CHECK(cudaGraphExecDestroy(exec));
    ok("while");
}

/* Body i notes i + 1. The node behind notes 9. */
static void choice(const char *name, cudaGraphConditionalNodeType type, unsigned size, const int (&expected)[4])
{
    cudaGraphNode_t n;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle which = new_condition(graph, 0, 0);
    void *arguments[] = {&which, &left};
    n = add(graph, nullptr, (void *)choose, arguments);
    cudaGraph_t *bodies = add_conditional(graph, n, which, type, size, &n);
    for (unsigned i = 0; i < size; i++)
        add_note(bodies[i], nullptr, (int)i + 1);
    add_note(graph, n, 9);
    cudaGraphExec_t exec = instantiate();
    for (int i = 0; i < 4; i++)
        EXPECT(launch(exec, i) == expected[i]);
    CHECK(cudaGraphExecDestroy(exec));
    ok(name);
}

/* Rows of three columns. Two kernels set the condition of the inner loop. */
static void nested()
{
    int columns = 3;
    cudaGraphNode_t n;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle next_row = new_condition(graph, 1, cudaGraphCondAssignDefault);
    cudaGraph_t row = *add_conditional(graph, nullptr, next_row, cudaGraphCondTypeWhile, 1, &n);
    cudaGraphConditionalHandle next_column = new_condition(row, 0, 0);
    void *of_begin[] = {&next_column, &left_of_row, &columns};
    void *of_column[] = {&next_column, &left_of_row, &unused}, *of_row[] = {&next_row, &left, &unused};
    n = add(row, nullptr, (void *)begin_row, of_begin);
    n = add_note(row, n, 1);
    cudaGraph_t column = *add_conditional(row, n, next_column, cudaGraphCondTypeWhile, 1, &n);
    add(row, n, (void *)count_down, of_row);
    add(column, add_note(column, nullptr, 2), (void *)count_down, of_column);
    cudaGraphExec_t exec = instantiate();
    EXPECT(launch(exec, 2) == 12221222);
    EXPECT(launch(exec, 1) == 1222);
    CHECK(cudaGraphExecDestroy(exec));
    ok("a loop in a loop");
}

/* What is captured so far: the graph and its last node. */
static cudaGraph_t capturing(cudaStream_t s, cudaGraphNode_t *last)
{
    cudaStreamCaptureStatus status;
    cudaGraph_t g;
    const cudaGraphNode_t *after;
    size_t count;
#if CUDART_VERSION >= 13000
    CHECK(cudaStreamGetCaptureInfo(s, &status, nullptr, &g, &after, nullptr, &count));
#else
    CHECK(cudaStreamGetCaptureInfo_v2(s, &status, nullptr, &g, &after, &count));
#endif
    *last = count ? after[0] : nullptr;
    return g;
}

static void captured()
{
    cudaStream_t s;
    cudaGraphNode_t n;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    cudaGraphConditionalHandle which = new_condition(capturing(s, &n), 1, cudaGraphCondAssignDefault);
    choose<<<1, 1, 0, s>>>(which, left);
    cudaGraph_t g = capturing(s, &n);
    add_note(*add_conditional(g, n, which, cudaGraphCondTypeIf, 1, &n), nullptr, 1);
#if CUDART_VERSION >= 13000
    CHECK(cudaStreamUpdateCaptureDependencies(s, &n, nullptr, 1, cudaStreamSetCaptureDependencies));
#else
    CHECK(cudaStreamUpdateCaptureDependencies(s, &n, 1, cudaStreamSetCaptureDependencies));
#endif
    note<<<1, 1, 0, s>>>(result, 2);
    CHECK(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t exec = instantiate();
    EXPECT(launch(exec, 1) == 12);
    EXPECT(launch(exec, 0) == 2);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamDestroy(s));
    ok("captured");
}

int main()
{
    int *words;
    CHECK(cudaMallocManaged(&words, 4 * sizeof *words));
    left = words, result = words + 1, left_of_row = words + 2, unused = words + 3;
    loop();
    choice("if", cudaGraphCondTypeIf, 1, {9, 19, 19, 19});
    choice("if and else", cudaGraphCondTypeIf, 2, {29, 19, 19, 19});
    choice("switch", cudaGraphCondTypeSwitch, 3, {19, 29, 39, 9});
    nested();
    captured();
    CHECK(cudaFree(words));
    return 0;
}
