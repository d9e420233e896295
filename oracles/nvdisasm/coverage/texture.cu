// Textures (references and objects) and surfaces.
texture<float, cudaTextureType1D> reference1;
texture<float4, cudaTextureType2D> reference2;
extern "C" __global__ void fetches(float4 *o, cudaTextureObject_t t, float x, float y, int k) {
    float4 r = make_float4(0, 0, 0, 0);
#define ADD(e) { float4 v = e; r.x += v.x; r.y += v.y; r.z += v.z; r.w += v.w; }
    ADD(tex1D<float4>(t, x)) ADD(tex2D<float4>(t, x, y)) ADD(tex3D<float4>(t, x, y, x))
    ADD(tex1DLayered<float4>(t, x, k)) ADD(tex2DLayered<float4>(t, x, y, k)) ADD(texCubemap<float4>(t, x, y, x))
    ADD(texCubemapLayered<float4>(t, x, y, x, k)) ADD(tex2DLod<float4>(t, x, y, 2.f)) ADD(tex2DGrad<float4>(t, x, y, make_float2(x, y), make_float2(y, x)))
    ADD(tex1Dfetch<float4>(t, k)) ADD(tex2Dgather<float4>(t, x, y, 0)) ADD(tex2Dgather<float4>(t, x, y, 3)) ADD(tex3DLod<float4>(t, x, y, x, y))
    ADD(tex2D(reference2, x, y))
    r.x += tex1Dfetch(reference1, k) + tex1D<float>(t, x) + tex2D<float>(t, y, x);
    int q;
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(q) : "l"(t)); r.y += q;
    asm volatile("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(q) : "l"(t)); r.y += q;
    o[threadIdx.x] = r;
}
extern "C" __global__ void surfaces(int *o, cudaSurfaceObject_t s, int x, int y, int z) {
    int r = surf1Dread<int>(s, x * 4) + surf2Dread<int>(s, x * 4, y) + surf3Dread<int>(s, x * 4, y, z);
    r += surf2DLayeredread<int>(s, x * 4, y, z) + surf2Dread<short>(s, x, y) + surf2Dread<int4>(s, x, y).w + surf2Dread<char>(s, x, y, cudaBoundaryModeZero) + (int)surf2Dread<long long>(s, x, y, cudaBoundaryModeClamp);
    surf1Dwrite(r, s, x * 4); surf2Dwrite(r, s, x * 4, y); surf3Dwrite(r, s, x * 4, y, z); surf2DLayeredwrite(r, s, x, y, z);
    surf2Dwrite((short)r, s, x, y, cudaBoundaryModeZero); surf2Dwrite(make_int4(r, r, x, y), s, x, y, cudaBoundaryModeClamp);
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1,%2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(r));
    asm volatile("suq.width.b32 %0, [%1];" : "=r"(y) : "l"(s));
    o[threadIdx.x] = r + y;
}
