// Covers: CUDA graphs built node by node: kernel, copy, memset, host and empty
// nodes, dependencies, a child graph, parameters changed in the executable
// graph, a clone.
// Output: one line per step, then "ok".
#include "check.h"
#include "releases.h"

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value;
}

static void CUDART_CB count(void *times)
{
    ++*static_cast<int *>(times);
}

int main()
{
    const int n = 32;
    int *data, host[n], times = 0;
    CHECK(cudaMalloc(&data, sizeof host));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));

    cudaGraphNode_t zero, plus, copy, call, empty;
    cudaMemsetParams set = {};
    set.dst = data;
    set.value = 0;
    set.elementSize = 4;
    set.width = n;
    set.height = 1;
    CHECK(cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &set));

    int value = 5;
    void *args[] = {&data, &value};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(n);
    kernel.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&plus, graph, &zero, 1, &kernel));
    // The node has its own copy of the arguments.
    value = 99;
    CHECK(cudaGraphAddEmptyNode(&empty, graph, &plus, 1));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &empty, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams call_params = {};
    call_params.fn = count;
    call_params.userData = &times;
    CHECK(cudaGraphAddHostNode(&call, graph, &copy, 1, &call_params));

    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(plus, &type));
    REQUIRE(type == cudaGraphNodeTypeKernel);
    size_t nodes, edges;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(count_edges(graph, &edges));
    REQUIRE(nodes == 5 && edges == 4);
    printf("%zu nodes, %zu edges\n", nodes, edges);

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraphExec_t ready;
    CHECK(instantiate(&ready, graph));
    for (int i = 0; i < 3; i++) {
        host[0] = 0;
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaStreamSynchronize(stream));
        REQUIRE(host[0] == 5 && host[n - 1] == 5 && times == i + 1);
    }
    printf("launched %d times: %d\n", times, host[0]);

    // Another value for the executable graph alone.
    value = 7;
    CHECK(cudaGraphExecKernelNodeSetParams(ready, plus, &kernel));
    CHECK(cudaGraphLaunch(ready, stream));
    CHECK(cudaStreamSynchronize(stream));
    REQUIRE(host[0] == 7);
    printf("changed: %d\n", host[0]);
    CHECK(cudaGraphExecDestroy(ready));

    // A graph inside a graph, followed by one more addition and copy.
    cudaGraph_t outer, clone;
    cudaGraphNode_t child, more, last;
    CHECK(cudaGraphCreate(&outer, 0));
    CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
    value = 1000;
    CHECK(cudaGraphAddKernelNode(&more, outer, &child, 1, &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&last, outer, &more, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphClone(&clone, outer));
    CHECK(cudaGraphDestroy(outer));
    CHECK(instantiate(&ready, clone));
    CHECK(cudaGraphLaunch(ready, stream));
    CHECK(cudaStreamSynchronize(stream));
    REQUIRE(host[0] == 1005 && host[n - 1] == 1005 && times == 5);
    printf("child and clone: %d\n", host[0]);

    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    printf("ok\n");
    return 0;
}
