// Graphs: captured from a stream, and made node by node.
#include "driver.h"

struct kernel_node {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    void **arguments, **extra;
    void *kernel;
    CUcontext context;
};
struct memset_node {
    CUdeviceptr to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};
CUresult cuStreamBeginCapture_v2(CUstream stream, int mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult cuGraphCreate(CUgraph *graph, unsigned flags);
CUresult cuGraphAddKernelNode_v2(CUnode *node, CUgraph graph, const CUnode *after, size_t n,
                                 const struct kernel_node *kernel);
CUresult cuGraphAddMemsetNode(CUnode *node, CUgraph graph, const CUnode *after, size_t n,
                              const struct memset_node *fill, CUcontext context);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags);
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUnode node, const struct kernel_node *kernel);
CUresult cuGraphGetNodes(CUgraph graph, CUnode *nodes, size_t *n);
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream);
CUresult cuGraphExecDestroy(CUgraphExec executable);
CUresult cuGraphDestroy(CUgraph graph);

static CUdeviceptr at;

static void show(const char *what)
{
    int out[4];
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH_v2(out, at, sizeof out));
    printf("%s %d %d %d %d\n", what, out[0], out[1], out[2], out[3]);
}

int main(int argc, char **argv)
{
    begin();
    CUfunction scale = find(load(argv), "scale");
    CUstream stream;
    CUgraph graph;
    CUgraphExec executable;
    CUnode fill, times;
    CUcontext context;
    int n = 4, k = 2, numbers[] = {1, 2, 3, 4};
    size_t nodes = 0;
    at = allocate(sizeof numbers);
    CHECK(cuMemcpyHtoD_v2(at, numbers, sizeof numbers));
    void *arguments[] = {&at, &n, &k};
    CHECK(cuStreamCreate(&stream, 1));
    CHECK(cuStreamBeginCapture_v2(stream, 0));
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, stream, arguments, NULL));
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, stream, arguments, NULL));
    CHECK(cuStreamEndCapture(stream, &graph));
    CHECK(cuGraphGetNodes(graph, NULL, &nodes));
    printf("captured %zu\n", nodes);
    show("not run");
    CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK(cuGraphLaunch(executable, stream));
    CHECK(cuGraphLaunch(executable, stream));
    show("run twice");
    CHECK(cuGraphExecDestroy(executable));
    CHECK(cuGraphDestroy(graph));
    CHECK(cuCtxGetCurrent(&context));
    CHECK(cuGraphCreate(&graph, 0));
    struct memset_node with = {at, 0, 7, 4, 4, 1};
    CHECK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &with, context));
    struct kernel_node kernel = {scale, {1, 1, 1}, {4, 1, 1}, 0, arguments, NULL, NULL, context};
    CHECK(cuGraphAddKernelNode_v2(&times, graph, &fill, 1, &kernel));
    CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK(cuGraphLaunch(executable, stream));
    show("explicit");
    k = 6;
    CHECK(cuGraphExecKernelNodeSetParams_v2(executable, times, &kernel));
    CHECK(cuGraphLaunch(executable, stream));
    show("changed");
}
