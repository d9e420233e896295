// Calls whose parameters changed while their names stayed: the same programs
// compile with the headers of CUDA 11, 12 and 13.
#pragma once

#include <cuda_runtime.h>

inline cudaError_t instantiate(cudaGraphExec_t *ready, cudaGraph_t graph)
{
#if CUDART_VERSION >= 12000
    return cudaGraphInstantiate(ready, graph, 0);
#else
    return cudaGraphInstantiate(ready, graph, nullptr, nullptr, 0);
#endif
}

inline cudaError_t update(cudaGraphExec_t ready, cudaGraph_t graph, cudaGraphExecUpdateResult *result)
{
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaGraphExecUpdate(ready, graph, &info);
    *result = info.result;
    return error;
#else
    cudaGraphNode_t culprit;
    return cudaGraphExecUpdate(ready, graph, &culprit, result);
#endif
}

inline cudaError_t count_edges(cudaGraph_t graph, size_t *edges)
{
#if CUDART_VERSION >= 13000
    return cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, edges);
#else
    return cudaGraphGetEdges(graph, nullptr, nullptr, edges);
#endif
}

// A device's number, or cudaCpuDeviceId, as a place for managed memory.
#if CUDART_VERSION >= 13000
inline cudaMemLocation place(int device)
{
    cudaMemLocation where = {};
    where.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    where.id = device == cudaCpuDeviceId ? 0 : device;
    return where;
}
#else
inline int place(int device)
{
    return device;
}
#endif

inline cudaError_t prefetch(const void *data, size_t bytes, int device)
{
#if CUDART_VERSION >= 13000
    return cudaMemPrefetchAsync(data, bytes, place(device), 0, 0);
#else
    return cudaMemPrefetchAsync(data, bytes, place(device), 0);
#endif
}
