// Replays what a host did on the model (see crates/device/src/journal.rs) on a
// real GPU, and writes what it copied back, one copy after the other.
//   nvcc -o replay replay.cpp -lcuda && ./replay JOURNAL OUT
#include <cuda.h>
#include <dlfcn.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#define OK(call) do { CUresult r_ = (call); if (r_) { const char *s; cuGetErrorName(r_, &s); \
    fprintf(stderr, "%s: %s\n", #call, s); exit(1); } } while (0)

static std::vector<char> file;
static size_t at;

template <class T> static T take()
{
    T v; memcpy(&v, &file[at], sizeof v); at += sizeof v; return v;
}
static const char *bytes(size_t n) { const char *p = &file[at]; at += n; return p; }
static std::string name() { uint32_t n = take<uint32_t>(); return std::string(bytes(n), n); }

static std::vector<CUdeviceptr> allocations;
static CUdeviceptr pointer()
{
    uint32_t a = take<uint32_t>(); uint64_t off = take<uint64_t>();
    return a == UINT32_MAX ? off : allocations.at(a) + off;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    std::ifstream in(argv[1], std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(in), {});
    FILE *out = fopen(argv[2], "wb");
    CUdevice dev; CUcontext ctx; CUmodule mod = 0;
    OK(cuInit(0)); OK(cuDeviceGet(&dev, 0)); OK(cuDevicePrimaryCtxRetain(&ctx, dev)); OK(cuCtxSetCurrent(ctx));
    // Texture references have left newer headers, not the driver.
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    auto get_ref = (CUresult(*)(void **, CUmodule, const char *))dlsym(lib, "cuModuleGetTexRef");
    auto set_addr = (CUresult(*)(size_t *, void *, CUdeviceptr, size_t))dlsym(lib, "cuTexRefSetAddress_v2");
    auto set_format = (CUresult(*)(void *, int, int))dlsym(lib, "cuTexRefSetFormat");
    while (at < file.size()) {
        uint32_t op = take<uint32_t>();
        if (op == 1) {
            uint64_t n = take<uint64_t>(); OK(cuModuleLoadData(&mod, bytes(n)));
        } else if (op == 2) {
            CUdeviceptr p; OK(cuMemAlloc(&p, take<uint64_t>() + 1)); allocations.push_back(p);
        } else if (op == 3) {
            CUdeviceptr p = pointer(); uint64_t n = take<uint64_t>(); OK(cuMemcpyHtoD(p, bytes(n), n));
        } else if (op == 4) {
            CUdeviceptr p = pointer(); uint64_t n = take<uint64_t>();
            std::vector<char> host(n); OK(cuMemcpyDtoH(host.data(), p, n)); fwrite(host.data(), 1, n, out);
        } else if (op == 5) {
            CUdeviceptr p = pointer(); uint32_t v = take<uint32_t>(); OK(cuMemsetD8(p, v, take<uint64_t>()));
        } else if (op == 6) {
            std::string s = name(); uint64_t off = take<uint64_t>(), n = take<uint64_t>();
            CUdeviceptr p; size_t size; OK(cuModuleGetGlobal(&p, &size, mod, s.c_str())); OK(cuMemcpyHtoD(p + off, bytes(n), n));
        } else if (op == 7) {
            std::string s = name(); CUdeviceptr p = pointer(); uint64_t n = take<uint64_t>();
            void *ref; size_t off; OK(get_ref(&ref, mod, s.c_str())); OK(set_format(ref, CU_AD_FORMAT_FLOAT, 1)); OK(set_addr(&off, ref, p, n));
        } else if (op == 8) {
            std::string s = name(); uint32_t g[7]; for (auto &v : g) v = take<uint32_t>();
            uint32_t n = take<uint32_t>();
            std::vector<std::vector<char>> args; std::vector<void *> ptrs;
            for (uint32_t i = 0; i < n; i++) {
                uint32_t size = take<uint32_t>(); const char *b = bytes(size);
                args.emplace_back(b, b + size);
                if (take<uint32_t>()) { CUdeviceptr p = pointer(); memcpy(args.back().data(), &p, 8); }
            }
            for (auto &a : args) ptrs.push_back(a.data());
            CUfunction f; OK(cuModuleGetFunction(&f, mod, s.c_str()));
            OK(cuLaunchKernel(f, g[0], g[1], g[2], g[3], g[4], g[5], g[6], 0, ptrs.data(), 0));
            CUresult r = cuCtxSynchronize();
            if (r) { const char *e; cuGetErrorName(r, &e); printf("%s: %s\n", s.c_str(), e); fclose(out); return 3; }
        } else { fprintf(stderr, "bad record %u at %zu\n", op, at); return 1; }
    }
    fclose(out);
}
