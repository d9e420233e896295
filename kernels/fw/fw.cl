// All shortest paths of a graph (Floyd, 1962; Warshall, 1962): one launch per
// intermediate node, one pair of nodes per work-item (AMD APP SDK,
// FloydWarshall).

// Row and column `pass` do not change in their own pass, because no node has a
// shorter way to itself than 0: the order of work-items does not matter.
__kernel void floydWarshallPass(__global uint *pathDistanceBuffer,
                                __global uint *pathBuffer,
                                const uint numNodes,
                                const uint pass)
{
    const uint to = get_global_id(0);
    const uint from = get_global_id(1);
    const uint at = from * numNodes + to;

    const uint direct = pathDistanceBuffer[at];
    const uint around = pathDistanceBuffer[from * numNodes + pass]
                        + pathDistanceBuffer[pass * numNodes + to];
    if (around < direct) {
        pathDistanceBuffer[at] = around;
        pathBuffer[at] = pass;
    }
}
