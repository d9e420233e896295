// Calls, recursion, function pointers, switch tables, divergence, loops, virtual calls, malloc.
__device__ __noinline__ float recurse(float x, int n) {
    if (n <= 0) return x;
    return recurse(x * 2.f, n - 1) / 3.f + recurse(x + 1.f, n - 2);
}
typedef int (*Operation)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int mul(int a, int b) { return a * b; }
__device__ __noinline__ int sub(int a, int b) { return a - b; }
__device__ Operation operations[3] = {add, mul, sub};

struct Shape { __device__ virtual float area() = 0; };
struct Circle : Shape { float r; __device__ float area() override { return r * r * 3.14f; } };
struct Square : Shape { float s; __device__ float area() override { return s * s; } };

extern "C" __global__ void calls(float *o, const int *a, int n) {
    int i = threadIdx.x;
    float r = recurse((float)a[i], n);
    r += operations[a[i] % 3](a[i], n);
    Shape *s;
    if (n > 3) { Circle *c = new Circle; c->r = n; s = c; } else { Square *q = new Square; q->s = n; s = q; }
    r += s->area();
    delete s;
    o[i] = r;
}

extern "C" __global__ void switches(int *o, const int *a, int n) {
    int i = threadIdx.x, r = 0;
    for (int k = 0; k < n; k++) {
        switch (a[i + k]) {
            case 0: r += 3; break;
            case 1: r *= k; break;
            case 2: r ^= 0x55; break;
            case 3: r -= a[k]; break;
            case 4: r = r / 3; break;
            case 5: r <<= 2; continue;
            case 6: r = ~r; break;
            case 7: o[k] = r; break;
            case 8: r += o[k + 1]; break;
            case 9: return;
            default: r++;
        }
        while (r > 100) { if (a[r & 63] == 7) break; r -= a[r & 31] | 1; }
        if (r == 13) goto out;
    }
out:
    o[i] = r;
}
