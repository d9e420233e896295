// Runs instructions under test on a real GPU (sm_90) and records the answers.
//   nvcc -o record record.cpp -lcuda
//   ./record probe.sm_90.cubin DIR OUT
// DIR (written by `cargo xtask hardware prepare`) holds cases.bin: records of
// (u32 input set, u32 zero, 24 instruction words of 16 bytes); inputs.bin: sets
// of 102400 lanes of 32 bytes; expected.bin: the model's first 4 digests of each
// case. OUT gets answers.bin: per case (i32 status, u32 zero, 25 u64 digests),
// status 0 or the driver's error code; raw.bin: for some cases that differ from
// the model (u32 case, u32 run, 4096 outputs of 16 bytes).
// An instruction that traps kills the context, so cases run in child processes.
#include <cuda.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <iterator>
#include <vector>

#define OK(call) do { CUresult r_ = (call); if (r_) { const char *s; cuGetErrorName(r_, &s); \
    fprintf(stderr, "%s: %s\n", #call, s); _exit(2); } } while (0)

static const size_t LANES = 102400, RUNS = 25, SLOT = 0xd0, WORDS = 24, CASE = 8 + 16 * WORDS;

static std::vector<char> slurp(const char *p)
{
    std::ifstream in(p, std::ios::binary);
    return std::vector<char>((std::istreambuf_iterator<char>(in)), {});
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    std::string dir = argv[2], to = argv[3];
    auto image = slurp(argv[1]), cases = slurp((dir + "/cases.bin").c_str()), inputs = slurp((dir + "/inputs.bin").c_str());
    auto expected = slurp((dir + "/expected.bin").c_str());
    size_t n = cases.size() / CASE, record = 8 + 8 * RUNS;
    // The probe's code starts with LDC R1, c[0x0][0x28] and has STG.E.128 [R2.64], R4 after the slot.
    size_t code = 0;
    for (size_t i = 0; i + 0x260 <= image.size(); i += 16)
        if (!memcmp(&image[i], "\x82\x7b\x01\xff\x00\x0a", 6) && !memcmp(&image[i + 0x250], "\x86\x79\x00\x02\x04", 5)) code = i;
    if (!code) { fprintf(stderr, "no probe code found\n"); return 1; }
    image[code + 0x254] = 12;  // store R12..R15
    char *out = (char *)mmap(0, n * record, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const size_t RAW = 8 + 16 * 4096, KEEP = 20;
    char *raws = (char *)mmap(0, 12 * KEEP * RAW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    // Workers take every WORKERS-th case; a trap costs a worker its process.
    const int WORKERS = 12, MOST = 25;
    volatile size_t *progress = (size_t *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    volatile size_t *traps = progress + WORKERS, *kept = traps + WORKERS;
    for (int w = 0; w < WORKERS; w++) {
        if (fork()) continue;
        volatile size_t *at = progress + w;
        unsigned char seen[512] = {};
        *at = w;
        while (*at < n && traps[w] < MOST) {
        if (pid_t child = fork()) {
            int st; waitpid(child, &st, 0);
            if (*at < n) { *at += WORKERS; ++traps[w]; }
            continue;
        }
        CUdevice dev; CUcontext ctx;
        OK(cuInit(0)); OK(cuDeviceGet(&dev, 0)); OK(cuDevicePrimaryCtxRetain(&ctx, dev)); OK(cuCtxSetCurrent(ctx));
        CUdeviceptr in, res, sums;
        OK(cuMemAlloc(&in, inputs.size())); OK(cuMemcpyHtoD(in, inputs.data(), inputs.size()));
        OK(cuMemAlloc(&res, 16 * LANES)); OK(cuMemAlloc(&sums, 8 * RUNS));
        for (; *at < n; *at += WORKERS) {
            const char *c = &cases[*at * CASE];
            char *r = out + *at * record;
            unsigned set; memcpy(&set, c, 4);
            memcpy(&image[code + SLOT], c + 8, 16 * WORDS);
            CUmodule mod; CUfunction probe, digest;
            CUresult e = cuModuleLoadData(&mod, image.data());
            if (e) { int v = -(int)e; memcpy(r, &v, 4); continue; }
            OK(cuModuleGetFunction(&probe, mod, "probe")); OK(cuModuleGetFunction(&digest, mod, "digest"));
            OK(cuMemsetD8(sums, 0, 8 * RUNS));
            CUdeviceptr src = in + set * LANES * 32;
            void *a[] = {&src, &res}, *d[] = {&res, &sums};
            OK(cuLaunchKernel(probe, LANES / 256, 1, 1, 256, 1, 1, 0, 0, a, 0));
            // A wrong guess about scoreboards can hang the kernel: give it two seconds.
            int waited = 0;
            while ((e = cuStreamQuery(0)) == CUDA_ERROR_NOT_READY && waited < 20000) { usleep(100); waited++; }
            if (e) { int v = e; memcpy(r, &v, 4); _exit(1); }
            OK(cuLaunchKernel(digest, LANES / 256, 1, 1, 256, 1, 1, 0, 0, d, 0));
            OK(cuMemcpyDtoH(r + 8, sums, 8 * RUNS));
            unsigned run = 0, code;
            while (run < 4 && !memcmp(r + 8 + 8 * run, &expected[32 * *at + 8 * run], 8)) run++;
            // The word under test follows six moves to uniform registers, if any.
            memcpy(&code, c + 8 + 16 * 7, 4);
            if ((code & 0xfff) == 0x2ca) memcpy(&code, c + 8 + 16 * 14, 4);
            code &= 0x1ff;
            if (run < 4 && kept[w] < KEEP && seen[code] < 2) {
                seen[code]++;
                char *raw = raws + (w * KEEP + kept[w]++) * RAW;
                unsigned head[2] = {(unsigned)*at, run};
                memcpy(raw, head, 8);
                OK(cuMemcpyDtoH(raw + 8, res + 16 * 4096 * run, 16 * 4096));
            }
            OK(cuModuleUnload(mod));
        }
        _exit(0);
        }
        _exit(0);
    }
    // A hung GPU can keep a worker from ever ending: stop waiting after a while and tell where.
    for (int t = 0; t < 10 * 40 && waitpid(-1, 0, WNOHANG) >= 0; t++) usleep(100000);
    for (int w = 0; w < WORKERS; w++)
        if (progress[w] < n) printf("worker %d stands at case %zu after %zu traps\n", w, progress[w], traps[w]);
    size_t trapped = 0;
    for (int w = 0; w < WORKERS; w++) trapped += traps[w];
    FILE *f = fopen((to + "/answers.bin").c_str(), "wb");
    fwrite(out, record, n, f); fclose(f);
    f = fopen((to + "/raw.bin").c_str(), "wb");
    for (int w = 0; w < WORKERS; w++) fwrite(raws + w * KEEP * RAW, RAW, kept[w], f);
    fclose(f);

    printf("%zu cases, %zu trapped\n", n, trapped);
    fflush(stdout);
    kill(0, SIGKILL);
}
