// K-means (kernels/km) as an ordinary program; see app.h.
#include "../../kernels/km/km.cu"
#include "app.h"

// The means of the points of each cluster; an empty cluster keeps its centre.
static std::vector<float> moved(const std::vector<float> &input, const std::vector<int> &membership,
                                const std::vector<float> &centres, unsigned features, unsigned clusters)
{
    std::vector<float> sums(centres.size(), 0.0f);
    std::vector<unsigned> sizes(clusters, 0);
    for (size_t point = 0; point < membership.size(); point++) {
        unsigned cluster = unsigned(membership[point]);
        if (cluster >= clusters) {
            fprintf(stderr, "a point is in cluster %u\n", cluster);
            exit(1);
        }
        sizes[cluster]++;
        for (unsigned f = 0; f < features; f++) {
            sums[cluster * features + f] += input[point * features + f];
        }
    }
    for (size_t i = 0; i < sums.size(); i++) {
        unsigned size = sizes[i / features];
        sums[i] = size > 0 ? sums[i] / float(size) : centres[i];
    }
    return sums;
}

int main(int argc, char **argv)
{
    App app("km", argc, argv);
    const unsigned points = app.scaled(100u, 800u), features = 34, clusters = 5;
    const unsigned iterations = app.scaled(5u, 25u), block = app.scaled(32u, 256u);
    auto input = Generator(app.seed, 0).uniform(size_t(points) * features, 0.0f, 1.0f);
    const unsigned blocks = div_ceil(points, block);
    // The published grid is square.
    unsigned side = 1;
    while (side * side < blocks) {
        side++;
    }

    float *by_point = app.place(input);
    float *by_feature = app.room<float>(input.size());
    int *membership_at = app.room<int>(points);
    std::vector<float> centres(input.begin(), input.begin() + clusters * features);
    float *centres_at = app.place(centres);
    float *block_centres = app.zeros<float>(size_t(side) * side * centres.size());
    int *block_deltas = app.zeros<int>(size_t(side) * side);

    invert_mapping<<<blocks, block>>>(by_point, by_feature, int(points), int(features));
    CHECK(cudaGetLastError());
    CHECK(cudaBindTexture(nullptr, t_features, by_feature, input.size() * sizeof(float)));

    std::vector<int> membership;
    for (unsigned i = 0; i < iterations; i++) {
        app.write(centres_at, centres);
        CHECK(cudaMemcpyToSymbol(c_clusters, centres.data(), centres.size() * sizeof(float)));
        kmeansPoint<<<dim3(side, side), block>>>(by_feature, int(features), int(points), int(clusters), membership_at,
                                                 centres_at, block_centres, block_deltas);
        CHECK(cudaGetLastError());
        membership = app.read(membership_at, points);
        centres = moved(input, membership, centres, features, clusters);
    }
    app.output("membership", membership);
    app.output("centres", centres);
    return app.finish();
}
