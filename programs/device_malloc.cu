// Covers: malloc and free, new and delete on the device: lists that one kernel
// builds and another walks, pieces freed and taken again, a heap limit that is
// reached (malloc gives null).
// Output: one line per step, then "ok".
#include "check.h"

struct Node {
    int value;
    Node *next;
};

__global__ void build(Node **lists, int length)
{
    Node *head = nullptr;
    for (int i = 0; i < length; i++) {
        Node *node = static_cast<Node *>(malloc(sizeof(Node)));
        if (!node) {
            break;
        }
        node->value = threadIdx.x * 100 + i;
        node->next = head;
        head = node;
    }
    lists[threadIdx.x] = head;
}

__global__ void walk(Node **lists, int *sums)
{
    int sum = 0;
    for (Node *node = lists[threadIdx.x]; node;) {
        sum += node->value;
        Node *next = node->next;
        free(node);
        node = next;
    }
    sums[threadIdx.x] = sum;
}

struct Counter {
    int *cells;
    int size;
    __device__ explicit Counter(int size) : cells(new int[size]), size(size)
    {
        for (int i = 0; i < size; i++) {
            cells[i] = i;
        }
    }
    __device__ ~Counter() { delete[] cells; }
    __device__ int sum() const
    {
        int total = 0;
        for (int i = 0; i < size; i++) {
            total += cells[i];
        }
        return total;
    }
};

__global__ void objects(int *out)
{
    Counter *counter = new Counter(8 + threadIdx.x);
    out[threadIdx.x] = counter->sum();
    delete counter;
}

// A block shares what one thread allocated.
__global__ void shared_piece(int *out)
{
    __shared__ int *piece;
    if (threadIdx.x == 0) {
        piece = static_cast<int *>(malloc(blockDim.x * sizeof(int)));
    }
    __syncthreads();
    piece[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = piece[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        free(piece);
    }
}

__global__ void greedy(int *out)
{
    void *huge = malloc(size_t(1) << 40);
    out[0] = huge == nullptr;
    free(huge);
    free(nullptr);
    // Aligned as malloc on the host is.
    void *odd = malloc(3);
    out[1] = odd != nullptr && reinterpret_cast<size_t>(odd) % 16 == 0;
    free(odd);
}

int main()
{
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    Node **lists;
    int *out, got[64];
    CHECK(cudaMalloc(&lists, 32 * sizeof(Node *)));
    CHECK(cudaMalloc(&out, sizeof got));
    build<<<1, 32>>>(lists, 5);
    CHECK_LAUNCH();
    walk<<<1, 32>>>(lists, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        REQUIRE(got[i] == 500 * i + 10);
    }
    printf("lists %d %d\n", got[0], got[31]);

    objects<<<1, 16>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) {
        REQUIRE(got[i] == (8 + i) * (7 + i) / 2);
    }
    printf("objects %d %d\n", got[0], got[15]);

    shared_piece<<<2, 32>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 961 && got[63] == 0 && got[33] == 900);
    printf("shared piece %d\n", got[0]);

    greedy<<<1, 1>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 1 && got[1] == 1);
    printf("too much gives null\n");
    CHECK(cudaFree(lists));
    CHECK(cudaFree(out));
    printf("ok\n");
    return 0;
}
