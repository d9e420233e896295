// Which SMs does work come to? Each block marks its SM and stays a while, so
// that the blocks after it have to go elsewhere.

extern "C" __global__ void probe(unsigned int *reached, unsigned int stay)
{
    unsigned int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0 && sm < 256) {
        atomicOr(&reached[sm / 32], 1u << (sm % 32));
    }
    const unsigned int start = clock();
    while ((unsigned int)clock() - start < stay) {
    }
}
