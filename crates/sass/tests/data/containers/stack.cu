// Local arrays, 3-D launch bounds and many parameters.
struct Wide { char a; double b; short c[3]; };
extern "C" __global__ void locals(int *out, Wide w, char c, const float *in, short s) {
    int buffer[64];
    for (int i = 0; i < 64; i++) buffer[i] = out[i] * w.c[i % 3];
    int sum = 0;
    for (int i = 0; i < s; i++) sum += buffer[(out[i] + c) & 63];
    out[threadIdx.x] = sum + (int)in[threadIdx.x] + (int)w.b;
}
