// Breadth-first search (kernels/bfs) as an ordinary program; see app.h.
#include "../../kernels/bfs/bfs.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("bfs", argc, argv);
    const unsigned count = app.scaled(1000u, 32768u), fewest = 1, most = app.scaled(2u, 5u), block = 512;
    std::vector<std::vector<int>> neighbours(count);
    Generator generator(app.seed, 0);
    for (unsigned node = 0; node < count; node++) {
        unsigned edges = fewest + generator.below(most - fewest + 1);
        for (unsigned i = 0; i < edges; i++) {
            unsigned other = generator.below(count);
            neighbours[node].push_back(int(other));
            neighbours[other].push_back(int(node));
        }
    }
    std::vector<Node> nodes;
    std::vector<int> edges;
    for (const auto &list : neighbours) {
        nodes.push_back(Node{int(edges.size()), int(list.size())});
        edges.insert(edges.end(), list.begin(), list.end());
    }
    std::vector<unsigned char> only_source(count, 0);
    only_source[0] = 1;
    std::vector<int> cost(count, -1);
    cost[0] = 0;

    // A vector<bool> has no bytes to copy, so flags travel as bytes.
    auto flags = [](unsigned char *bytes) { return reinterpret_cast<bool *>(bytes); };
    Node *nodes_at = app.place(nodes);
    int *edges_at = app.place(edges);
    bool *frontier = flags(app.place(only_source));
    bool *reached = flags(app.zeros<unsigned char>(count));
    bool *visited = flags(app.place(only_source));
    int *cost_at = app.place(cost);
    unsigned char *again = app.room<unsigned char>(1);

    const unsigned grid = div_ceil(count, block);
    const std::vector<unsigned char> no(1, 0);
    // A level visits at least one new node, so there can't be more levels than
    // nodes unless something is broken.
    for (unsigned level = 0; level <= count; level++) {
        app.write(again, no);
        Kernel<<<grid, block>>>(nodes_at, edges_at, frontier, reached, visited, cost_at, int(count));
        CHECK(cudaGetLastError());
        Kernel2<<<grid, block>>>(frontier, reached, visited, flags(again), int(count));
        CHECK(cudaGetLastError());
        if (app.read(again, 1)[0] == 0) {
            app.output("cost", app.read(cost_at, count));
            return app.finish();
        }
    }
    fprintf(stderr, "the search does not end\n");
    return 1;
}
