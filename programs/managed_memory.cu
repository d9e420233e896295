// Covers: cudaMallocManaged and __managed__ variables, read and written by the
// host between launches without copies: a linked list, a C++ class whose
// operator new gives managed memory, strings, cudaMemPrefetchAsync and
// cudaMemAdvise, cudaMemset and cudaMemcpy of managed memory.
// Output: one line per step, then "ok".
#include "check.h"
#include "releases.h"

#include <cstring>

__managed__ int total = 3;
__managed__ float samples[16];

struct Managed {
    void *operator new(size_t size)
    {
        void *p;
        CHECK(cudaMallocManaged(&p, size));
        return p;
    }
    void operator delete(void *p) { CHECK(cudaFree(p)); }
};

struct Node : Managed {
    int value;
    Node *next;
    Node(int value, Node *next) : value(value), next(next) {}
};

class Text : public Managed {
    char *chars;
    size_t length;

public:
    explicit Text(const char *from) : length(strlen(from))
    {
        CHECK(cudaMallocManaged(&chars, length + 1));
        strcpy(chars, from);
    }
    ~Text() { CHECK(cudaFree(chars)); }
    __host__ __device__ char &operator[](size_t i) { return chars[i]; }
    __host__ __device__ size_t size() const { return length; }
    const char *c_str() const { return chars; }
};

__global__ void sum_list(Node *head)
{
    for (Node *n = head; n; n = n->next) {
        total += n->value;
        n->value *= 10;
    }
}

__global__ void upper(Text *text)
{
    size_t i = threadIdx.x;
    if (i < text->size() && (*text)[i] >= 'a' && (*text)[i] <= 'z') {
        (*text)[i] += 'A' - 'a';
    }
}

__global__ void halve()
{
    samples[threadIdx.x] *= 0.5f;
}

__global__ void increment(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x]++;
}

int main()
{
    int device;
    CHECK(cudaGetDevice(&device));

    Node *head = nullptr;
    for (int i = 1; i <= 10; i++) {
        head = new Node(i, head);
    }
    sum_list<<<1, 1>>>(head);
    CHECK_LAUNCH();
    REQUIRE(total == 58 && head->value == 100);
    printf("list: total %d, head %d\n", total, head->value);

    // Change the list on the host, and let the device see it.
    head->next = head->next->next;
    total = 0;
    sum_list<<<1, 1>>>(head);
    CHECK_LAUNCH();
    REQUIRE(total == 460);
    printf("shortened: total %d\n", total);

    Text *text = new Text("managed Memory 42");
    upper<<<1, 32>>>(text);
    CHECK_LAUNCH();
    REQUIRE(strcmp(text->c_str(), "MANAGED MEMORY 42") == 0);
    printf("text: %s\n", text->c_str());
    delete text;

    for (int i = 0; i < 16; i++) {
        samples[i] = i;
    }
    for (int round = 0; round < 3; round++) {
        halve<<<1, 16>>>();
        CHECK_LAUNCH();
        samples[0] += 1;
    }
    REQUIRE(samples[15] == 1.875f && samples[0] == 1.75f);
    printf("samples: %g %g\n", samples[0], samples[15]);

    // Larger than a page, with hints; the middle is touched on both sides.
    const int n = 4096;
    int *data;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    for (int i = 0; i < n; i++) {
        data[i] = i;
    }
    // Pages that move by themselves came with compute capability 6.0.
    int major;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    cudaError_t moves = major >= 6 ? cudaSuccess : cudaErrorInvalidDevice;
    CHECK_ERROR(cudaMemAdvise(data, n * sizeof(int), cudaMemAdviseSetPreferredLocation, place(device)), moves);
    CHECK_ERROR(prefetch(data, n * sizeof(int), device), moves);
    CHECK_ERROR(cudaGetLastError(), moves);
    increment<<<n / 128, 128>>>(data);
    CHECK_ERROR(prefetch(data, n * sizeof(int), cudaCpuDeviceId), moves);
    CHECK_ERROR(cudaGetLastError(), moves);
    CHECK_LAUNCH();
    data[1000] = -1;
    increment<<<n / 128, 128>>>(data);
    CHECK_LAUNCH();
    REQUIRE(data[0] == 2 && data[999] == 1001 && data[1000] == 0 && data[n - 1] == n + 1);
    printf("pages: %d %d\n", data[1000], data[n - 1]);

    int copy[4];
    CHECK(cudaMemcpy(copy, data + 10, sizeof copy, cudaMemcpyDefault));
    REQUIRE(copy[3] == 15);
    CHECK(cudaMemset(data, 0, 100 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    REQUIRE(data[99] == 0 && data[100] == 102);
    printf("copied %d, set %d\n", copy[3], data[99]);
    CHECK(cudaFree(data));

    while (head) {
        Node *next = head->next;
        delete head;
        head = next;
    }
    printf("ok\n");
    return 0;
}
