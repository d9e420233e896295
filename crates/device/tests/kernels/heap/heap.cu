// malloc, free, new and delete of device code.

struct Node {
    Node *next;
    int value;
    __device__ Node(Node *n, int v) : next(n), value(v) {}
};

extern "C" {

// Each thread allocates, fills, checks and frees; sizes and order differ.
// `bad` counts blocks whose contents changed, `none` failed allocations.
__global__ void stress(int rounds, unsigned *bad, unsigned *none) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned seed = id * 2654435761u + 1;
    unsigned *held[4] = {0, 0, 0, 0};
    unsigned words[4];
    for (int r = 0; r < rounds; r++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned slot = seed >> 30;
        unsigned *p = held[slot];
        if (p) {
            for (unsigned k = 0; k < words[slot]; k++)
                if (p[k] != id * 1000 + slot * 100 + k) atomicAdd(bad, 1u);
            free(p);
            held[slot] = 0;
        } else {
            unsigned n = 1 + (seed >> 8) % 40;
            p = (unsigned *)malloc(n * 4);
            if (!p || (unsigned long long)p % 16) {
                atomicAdd(none, 1u);
                continue;
            }
            words[slot] = n;
            held[slot] = p;
            for (unsigned k = 0; k < n; k++) p[k] = id * 1000 + slot * 100 + k;
        }
    }
    for (int slot = 0; slot < 4; slot++) free(held[slot]);
}

// Takes blocks until there is none left, then gives them back with those of
// `list`; the count.
__global__ void exhaust(unsigned bytes, unsigned *count, void **list) {
    unsigned n = 0;
    for (void **p; (p = (void **)malloc(bytes)); n++) {
        *p = list;
        list = p;
    }
    while (list) {
        void **next = (void **)*list;
        free(list);
        list = next;
    }
    *count = n;
}

// A block that outlives its kernel.
__device__ Node *kept;

__global__ void keep(int n) {
    Node *list = 0;
    for (int k = 0; k < n; k++) list = new Node(list, k);
    kept = list;
}

__global__ void sum(int *result) {
    int s = 0;
    while (kept) {
        Node *node = kept;
        s += node->value;
        kept = node->next;
        delete node;
    }
    *result = s;
}

__global__ void free_what_was_not_allocated(char *p) { free(p); }
}
