/* Graphs made by hand: all kinds of nodes, changed before and after instantiation, compared, taken apart. And attributes
 * of streams, launches and managed memory. Each against the CPU's result. */
#include "test.h"

__global__ void scale(int *p, int n, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= factor;
}

enum { N = 200 };
static int *data, *other, on_host[N];
__device__ int variable[N];

static cudaKernelNodeParams kernel_node(int **p, int *n, int *factor, void **arguments)
{
    cudaKernelNodeParams k = {};
    arguments[0] = p, arguments[1] = n, arguments[2] = factor;
    k.func = (void *)scale;
    k.gridDim = dim3(2);
    k.blockDim = dim3(128);
    k.kernelParams = arguments;
    return k;
}

static cudaMemsetParams memset_node(int *p, unsigned value)
{
    cudaMemsetParams m = {};
    m.dst = p;
    m.value = value;
    m.elementSize = 4;
    m.width = N;
    m.height = 1;
    return m;
}

static void expect(const int *values, int wanted)
{
    for (int i = 0; i < N; i++)
        EXPECT(values[i] == wanted);
}

static void count(void *counter) { ++*(int *)counter; }
static void count_by_ten(void *counter) { *(int *)counter += 10; }

/* fill -> scale -> copy to the host, and a function of the host: with what it was made with, and with other things. */
static void nodes_and_their_parameters()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, run, copy, call, nodes[8], to[8];
    int n = N, factor = 5, counter = 0;
    void *arguments[3];
    cudaMemsetParams m = memset_node(data, 3), m_read = {};
    cudaKernelNodeParams k = kernel_node(&data, &n, &factor, arguments), k_read = {};
    cudaHostNodeParams h = {count, &counter};
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
    CHECK(cudaGraphAddKernelNode(&run, graph, &fill, 1, &k));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &run, 1, on_host, data, sizeof on_host, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddHostNode(&call, graph, &copy, 1, &h));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    expect(on_host, 15);
    EXPECT(counter == 1);
    CHECK(cudaGraphMemsetNodeGetParams(fill, &m_read));
    EXPECT(m_read.dst == data && m_read.value == 3 && m_read.width == N);
    CHECK(cudaGraphKernelNodeGetParams(run, &k_read));
    EXPECT(k_read.gridDim.x == 2 && *(int *)k_read.kernelParams[2] == 5);

    m.value = 2, factor = 7, h.fn = count_by_ten;
    CHECK(cudaGraphExecMemsetNodeSetParams(exec, fill, &m));
    CHECK(cudaGraphExecKernelNodeSetParams(exec, run, &k));
    CHECK(cudaGraphExecHostNodeSetParams(exec, call, &h));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    expect(on_host, 14);
    EXPECT(counter == 11);
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, copy, variable, data, sizeof on_host, 0,
                                                   cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphNodeSetEnabled(exec, run, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaMemcpyFromSymbol(on_host, variable, sizeof on_host));
    expect(on_host, 2);
    EXPECT(cudaGraphExecMemsetNodeSetParams(exec, run, &m) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);

    size_t edges = 8, after = 0;
    CHECK(cudaGraphGetEdges(graph, nodes, to, nullptr, &edges));
    EXPECT(edges == 3 && nodes[0] == fill && to[0] == run);
    CHECK(cudaGraphNodeGetDependentNodes(run, nullptr, nullptr, &after));
    EXPECT(after == 1);
    CHECK(cudaGraphDestroyNode(run));
    CHECK(cudaGraphGetNodes(graph, nullptr, &edges));
    EXPECT(edges == 3);
    CHECK(cudaGraphRemoveDependencies(graph, &copy, &call, nullptr, 1));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &edges));
    EXPECT(edges == 3);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    ok("nodes and their parameters");
}

static cudaGraph_t filled_and_scaled(int value, int factor, bool copies)
{
    cudaGraph_t graph;
    cudaGraphNode_t fill, run, copy;
    int n = N;
    void *arguments[3];
    cudaMemsetParams m = memset_node(data, value);
    cudaKernelNodeParams k = kernel_node(&data, &n, &factor, arguments);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
    CHECK(cudaGraphAddKernelNode(&run, graph, &fill, 1, &k));
    if (copies)
        CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &run, 1, other, data, N * sizeof(int), cudaMemcpyDeviceToDevice));
    return graph;
}

static void update()
{
    cudaGraph_t first = filled_and_scaled(4, 5, false), second = filled_and_scaled(6, 7, false);
    cudaGraph_t larger = filled_and_scaled(1, 1, true), clone;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo result;
    CHECK(cudaGraphInstantiate(&exec, first, 0));
    CHECK(cudaGraphExecUpdate(exec, second, &result));
    EXPECT(result.result == cudaGraphExecUpdateSuccess);
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaMemcpy(on_host, data, sizeof on_host, cudaMemcpyDeviceToHost));
    expect(on_host, 42);
    EXPECT(cudaGraphExecUpdate(exec, larger, &result) == cudaErrorGraphExecUpdateFailure);
    EXPECT(cudaGetLastError() == cudaErrorGraphExecUpdateFailure);
    EXPECT(result.result == cudaGraphExecUpdateErrorTopologyChanged);
    cudaGraphNode_t node, found;
    cudaGraphNodeType type;
    size_t one = 1;
    CHECK(cudaGraphClone(&clone, larger));
    CHECK(cudaGraphGetRootNodes(larger, &node, &one));
    CHECK(cudaGraphNodeFindInClone(&found, node, clone));
    CHECK(cudaGraphNodeGetType(found, &type));
    EXPECT(found != node && type == cudaGraphNodeTypeMemset);
    CHECK(cudaGraphExecDestroy(exec));
    for (cudaGraph_t g : {first, second, larger, clone})
        CHECK(cudaGraphDestroy(g));
    ok("update and clones");
}

/* Memory that a graph allocates and gives back, at each of its launches; made by hand, and captured. */
static void memory_of_graphs()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t get, fill, copy, give;
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeMemAlloc;
    p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    p.alloc.bytesize = N * sizeof(int);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddNode(&get, graph, nullptr, nullptr, 0, &p));
    int *memory = (int *)p.alloc.dptr;
    EXPECT(memory);
    cudaMemsetParams m = memset_node(memory, 9);
    CHECK(cudaGraphAddMemsetNode(&fill, graph, &get, 1, &m));
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeMemcpy;
    c.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(memory, N * sizeof(int), N * sizeof(int), 1);
    c.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(data, N * sizeof(int), N * sizeof(int), 1);
    c.memcpy.copyParams.extent = make_cudaExtent(N * sizeof(int), 1, 1);
    c.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaGraphAddNode(&copy, graph, &fill, nullptr, 1, &c));
    CHECK(cudaGraphAddMemFreeNode(&give, graph, &copy, 1, memory));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMemset(data, 0, N * sizeof(int)));
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaMemcpy(on_host, data, sizeof on_host, cudaMemcpyDeviceToHost));
        expect(on_host, 9);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&memory, N * sizeof(int), stream));
    CHECK(cudaMemcpyAsync(memory, data, N * sizeof(int), cudaMemcpyDeviceToDevice, stream));
    scale<<<2, 128, 0, stream>>>(memory, N, 3);
    CHECK(cudaMemcpyAsync(data, memory, N * sizeof(int), cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaFreeAsync(memory, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(on_host, data, sizeof on_host, cudaMemcpyDeviceToHost));
    expect(on_host, 81);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    ok("memory of graphs");
}

static void objects_of_the_program()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaUserObject_t object;
    int gone = 0;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaUserObjectCreate(&object, &gone, count, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    EXPECT(gone == 0);
    CHECK(cudaGraphExecDestroy(exec));
    EXPECT(gone == 1);
    ok("objects of the program");
}

static void attributes()
{
    cudaStream_t stream, second;
    cudaStreamAttrValue value = {}, read = {};
    int priority = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&second));
    value.priority = -2;
    CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributePriority, &value));
    CHECK(cudaStreamCopyAttributes(second, stream));
    CHECK(cudaStreamGetAttribute(second, cudaLaunchAttributePriority, &read));
    CHECK(cudaStreamGetPriority(second, &priority));
    EXPECT(read.priority == -2 && priority == -2);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(second));

    int *managed, mostly = 0, places[2], preferred = 0;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    CHECK(cudaMallocManaged(&managed, 4096));
    CHECK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, device));
    CHECK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetAccessedBy, device));
    CHECK(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, managed, 4096));
    CHECK(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, managed, 4096));
    CHECK(cudaMemRangeGetAttribute(places, 8, cudaMemRangeAttributeAccessedBy, managed, 4096));
    EXPECT(mostly == 1 && preferred == cudaInvalidDeviceId && places[0] == 0 && places[1] == cudaInvalidDeviceId);
    CHECK(cudaFree(managed));
    ok("attributes of streams and memory");
}

/* Launches with attributes. Clusters are there from capability 9.0 on. */
static void launches()
{
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config = {};
    int clusters = -1, major = 0;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    config.gridDim = dim3(4);
    config.blockDim = dim3(64);
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[0].val.priority = 0;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {2, 1, 1};
    config.attrs = attributes;
    config.numAttrs = 1;
    CHECK(cudaMemset(data, 1, N * sizeof(int)));
    CHECK(cudaLaunchKernelEx(&config, scale, data, (int)N, 2));
    config.numAttrs = 2;
    cudaError_t error = cudaLaunchKernelEx(&config, scale, data, (int)N, 2);
    EXPECT(error == (major >= 9 ? cudaSuccess : cudaErrorInvalidClusterSize));
    EXPECT(cudaGetLastError() == error);
    CHECK(cudaMemcpy(on_host, data, sizeof on_host, cudaMemcpyDeviceToHost));
    expect(on_host, 0x01010101 * (major >= 9 ? 4 : 2));
    if (major >= 9) {
        CHECK(cudaOccupancyMaxActiveClusters(&clusters, scale, &config));
        EXPECT(clusters > 0);
        config.gridDim = dim3(5);
        EXPECT(cudaLaunchKernelEx(&config, scale, data, (int)N, 2) == cudaErrorInvalidClusterSize);
        EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
    }
    ok("launches with attributes");
}

int main()
{
    CHECK(cudaMalloc(&data, N * sizeof(int)));
    CHECK(cudaMalloc(&other, N * sizeof(int)));
    nodes_and_their_parameters();
    update();
    memory_of_graphs();
    objects_of_the_program();
    attributes();
    launches();
    return 0;
}
