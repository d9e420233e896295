// Breadth-first search by levels: Kernel expands the frontier, Kernel2 makes
// the nodes it reached the next frontier and says whether there are any.

struct Node {
    int first_edge;
    int edge_count;
};

extern "C" __global__ void Kernel(Node *nodes, int *edges, bool *frontier, bool *reached,
                                  bool *visited, int *cost, int node_count)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < node_count && frontier[node]) {
        frontier[node] = false;
        const int end = nodes[node].first_edge + nodes[node].edge_count;
        for (int edge = nodes[node].first_edge; edge < end; edge++) {
            const int neighbour = edges[edge];
            // Several nodes may reach the same neighbour: all write the same cost.
            if (!visited[neighbour]) {
                cost[neighbour] = cost[node] + 1;
                reached[neighbour] = true;
            }
        }
    }
}

extern "C" __global__ void Kernel2(bool *frontier, bool *reached, bool *visited, bool *again,
                                   int node_count)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < node_count && reached[node]) {
        frontier[node] = true;
        visited[node] = true;
        *again = true;
        reached[node] = false;
    }
}
