// Texture and surface references (bound by name) and objects (parameters).
texture<float, 1, cudaReadModeElementType> line;
texture<float4, 2, cudaReadModeElementType> image;
surface<void, 2> canvas;
extern "C" __global__ void by_reference(float *out, int n) {
    int t = threadIdx.x;
    float4 p = tex2D(image, t * 0.5f, 1.5f);
    out[t] = tex1Dfetch(line, t) + p.x + p.w;
    surf2Dwrite(t + n, canvas, t * 4, 0);
}
extern "C" __global__ void by_object(float *out, cudaTextureObject_t object) {
    out[threadIdx.x] = tex1Dfetch<float>(object, threadIdx.x);
}
