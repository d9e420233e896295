// Needleman-Wunsch (kernels/nw) as an ordinary program; see app.h.
#include "../../kernels/nw/nw.cu"
#include "app.h"

// How well two amino acids match: BLOSUM62 (Henikoff and Henikoff, PNAS 89,
// 1992), in the customary order A R N D C Q E G H I L K M F P S T W Y V.
static const int BLOSUM62[20][20] = {
    { 4, -1, -2, -2,  0, -1, -1,  0, -2, -1, -1, -1, -1, -2, -1,  1,  0, -3, -2,  0},
    {-1,  5,  0, -2, -3,  1,  0, -2,  0, -3, -2,  2, -1, -3, -2, -1, -1, -3, -2, -3},
    {-2,  0,  6,  1, -3,  0,  0,  0,  1, -3, -3,  0, -2, -3, -2,  1,  0, -4, -2, -3},
    {-2, -2,  1,  6, -3,  0,  2, -1, -1, -3, -4, -1, -3, -3, -1,  0, -1, -4, -3, -3},
    { 0, -3, -3, -3,  9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1},
    {-1,  1,  0,  0, -3,  5,  2, -2,  0, -3, -2,  1,  0, -3, -1,  0, -1, -2, -1, -2},
    {-1,  0,  0,  2, -4,  2,  5, -2,  0, -3, -3,  1, -2, -3, -1,  0, -1, -3, -2, -2},
    { 0, -2,  0, -1, -3, -2, -2,  6, -2, -4, -4, -2, -3, -3, -2,  0, -2, -2, -3, -3},
    {-2,  0,  1, -1, -3,  0,  0, -2,  8, -3, -3, -1, -2, -1, -2, -1, -2, -2,  2, -3},
    {-1, -3, -3, -3, -1, -3, -3, -4, -3,  4,  2, -3,  1,  0, -3, -2, -1, -3, -1,  3},
    {-1, -2, -3, -4, -1, -2, -3, -4, -3,  2,  4, -2,  2,  0, -3, -2, -1, -2, -1,  1},
    {-1,  2,  0, -1, -3,  1,  1, -2, -1, -3, -2,  5, -1, -3, -1,  0, -1, -3, -2, -2},
    {-1, -1, -2, -3, -1,  0, -2, -3, -2,  1,  2, -1,  5,  0, -2, -1, -1, -1, -1,  1},
    {-2, -3, -3, -3, -2, -3, -3, -3, -1,  0,  0, -3,  0,  6, -4, -2, -2,  1,  3, -1},
    {-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4,  7, -1, -1, -4, -3, -2},
    { 1, -1,  1,  0, -1,  0,  0,  0, -1, -2, -2,  0, -1, -2, -1,  4,  1, -3, -2, -2},
    { 0, -1,  0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1,  1,  5, -2, -2,  0},
    {-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1,  1, -4, -3, -2, 11,  2, -3},
    {-2, -2, -2, -3, -2, -1, -2, -3,  2, -1, -1, -2, -1,  3, -3, -2, -2,  2,  7, -1},
    { 0, -3, -3, -3, -1, -2, -2, -3, -3,  3,  1, -2,  1, -1, -2, -2,  0, -3, -1,  4},
};

static std::vector<unsigned> sequence(uint64_t seed, uint64_t stream, unsigned length)
{
    Generator generator(seed, stream);
    std::vector<unsigned> acids(length);
    for (unsigned &acid : acids) {
        acid = generator.below(20);
    }
    return acids;
}

int main(int argc, char **argv)
{
    App app("nw", argc, argv);
    const unsigned length = app.scaled(64u, 288u);
    const int penalty = 10;
    auto down = sequence(app.seed, 0, length), across = sequence(app.seed, 1, length);
    // One more row and column than letters: the empty prefixes.
    const size_t side = length + 1;
    std::vector<int> similarities(side * side, 0), scores(side * side, 0);
    for (size_t row = 1; row < side; row++) {
        for (size_t col = 1; col < side; col++) {
            similarities[row * side + col] = BLOSUM62[down[row - 1]][across[col - 1]];
        }
    }
    for (size_t i = 1; i < side; i++) {
        scores[i * side] = -penalty * int(i);
        scores[i] = -penalty * int(i);
    }

    int *similarity = app.place(similarities);
    int *scores_at = app.place(scores);
    const int tiles = int(length) / TILE;
    for (int count = 1; count <= tiles; count++) {
        needle_cuda_shared_1<<<count, TILE>>>(similarity, scores_at, int(side), penalty, count, tiles);
        CHECK(cudaGetLastError());
    }
    for (int count = tiles - 1; count >= 1; count--) {
        needle_cuda_shared_2<<<count, TILE>>>(similarity, scores_at, int(side), penalty, count, tiles);
        CHECK(cudaGetLastError());
    }
    app.output("scores", app.read(scores_at, scores.size()));
    return app.finish();
}
