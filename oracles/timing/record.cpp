// Replays journals (see crates/device/src/journal.rs) on a real GPU several
// times and records what they copy back and how long each launch takes.
//   nvcc -o record record.cpp -lcuda -ldl [-DWITH_CUPTI -I… -L… -lcupti]
//   ./record OUT RUNS JOURNAL…
// OUT/answers.bin: per journal (u32 length, name, u32 runs, u64 bytes, then the
// bytes of every run). OUT/launches.txt: journal, run, launch, kernel, time
// between events in ns, time between CUPTI's timestamps in ns (0 without).
// OUT/device.txt: what the driver says about the device, and the core clock.
// Before each run L2 is filled with other data, so that a run starts cold. The
// work is done by a child: a journal that traps or hangs ends it, is named on
// stderr, and a new child goes on with the next.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#ifdef WITH_CUPTI
#include <cupti.h>
#endif

#define OK(call) do { CUresult r_ = (call); if (r_) { const char *s; cuGetErrorName(r_, &s); \
    fprintf(stderr, "%s: %s\n", #call, s); _exit(1); } } while (0)

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

struct Timed { std::string kernel; float events_ms; uint64_t start, end; };
static std::vector<Timed> timed;
static std::vector<std::pair<uint64_t, uint64_t>> activity;

#ifdef WITH_CUPTI
static void CUPTIAPI ask(uint8_t **buffer, size_t *size, size_t *records)
{
    *size = 1 << 20; *buffer = (uint8_t *)aligned_alloc(64, *size); *records = 0;
}
static void CUPTIAPI given(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
    CUpti_Activity *record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
            auto *k = (CUpti_ActivityKernel9 *)record;
            uint64_t start = k->start, end = k->end;
            activity.push_back({start, end});
        }
    free(buffer);
}
#endif

static CUevent before, after;

static void replay(std::vector<char> &out)
{
    static void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    // Texture references have left newer headers, not the driver.
    static auto get_ref = (CUresult(*)(void **, CUmodule, const char *))dlsym(lib, "cuModuleGetTexRef");
    static auto set_addr = (CUresult(*)(size_t *, void *, CUdeviceptr, size_t))dlsym(lib, "cuTexRefSetAddress_v2");
    static auto set_format = (CUresult(*)(void *, int, int))dlsym(lib, "cuTexRefSetFormat");
    std::vector<CUmodule> modules;
    at = 0;
    while (at < file.size()) {
        uint32_t op = take<uint32_t>();
        if (op == 1) {
            uint64_t n = take<uint64_t>(); CUmodule m; OK(cuModuleLoadData(&m, bytes(n))); modules.push_back(m);
        } else if (op == 2) {
            CUdeviceptr p; OK(cuMemAlloc(&p, take<uint64_t>() + 1)); allocations.push_back(p);
        } else if (op == 3) {
            CUdeviceptr p = pointer(); uint64_t n = take<uint64_t>(); OK(cuMemcpyHtoD(p, bytes(n), n));
        } else if (op == 4) {
            CUdeviceptr p = pointer(); uint64_t n = take<uint64_t>();
            out.resize(out.size() + n); OK(cuMemcpyDtoH(out.data() + out.size() - n, p, n));
        } else if (op == 5) {
            CUdeviceptr p = pointer(); uint32_t v = take<uint32_t>(); OK(cuMemsetD8(p, v, take<uint64_t>()));
        } else if (op == 6) {
            std::string s = name(); uint64_t off = take<uint64_t>(), n = take<uint64_t>();
            CUdeviceptr p; size_t size; OK(cuModuleGetGlobal(&p, &size, modules.back(), s.c_str())); OK(cuMemcpyHtoD(p + off, bytes(n), n));
        } else if (op == 7) {
            std::string s = name(); CUdeviceptr p = pointer(); uint64_t n = take<uint64_t>();
            void *ref; size_t off; OK(get_ref(&ref, modules.back(), s.c_str())); OK(set_format(ref, CU_AD_FORMAT_FLOAT, 1)); OK(set_addr(&off, ref, p, n));
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
            CUfunction f; OK(cuModuleGetFunction(&f, modules.back(), s.c_str()));
            if (g[6] > 48 * 1024) OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, g[6]));
            OK(cuEventRecord(before, 0));
            OK(cuLaunchKernel(f, g[0], g[1], g[2], g[3], g[4], g[5], g[6], 0, ptrs.data(), 0));
            OK(cuEventRecord(after, 0));
            CUresult r = CUDA_ERROR_NOT_READY;
            for (int waited = 0; (r = cuStreamQuery(0)) == CUDA_ERROR_NOT_READY && waited < 100000; waited++)
                if (waited > 1000) usleep(100);
            OK(r);
            float ms = 0; OK(cuEventElapsedTime(&ms, before, after));
            timed.push_back({s, ms, 0, 0});
        } else { fprintf(stderr, "bad record %u at %zu\n", op, at); _exit(1); }
    }
    for (auto p : allocations) OK(cuMemFree(p));
    allocations.clear();
    for (auto m : modules) OK(cuModuleUnload(m));
}

static void about(CUdevice dev, const std::string &path)
{
    FILE *to = fopen(path.c_str(), "w");
    char text[256]; OK(cuDeviceGetName(text, sizeof text, dev));
    int driver = 0; OK(cuDriverGetVersion(&driver));
    fprintf(to, "name %s\ndriver %d\n", text, driver);
    const std::pair<const char *, CUdevice_attribute> facts[] = {
        {"sms", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT}, {"clock_khz", CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {"memory_clock_khz", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE}, {"memory_bus_bits", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
        {"l2_bytes", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE}, {"shared_per_sm", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
        {"shared_per_cta", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN}, {"shared_reserved", CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
        {"registers_per_sm", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR}, {"threads_per_sm", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {"ctas_per_sm", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR}, {"ecc", CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
    };
    for (auto &f : facts) {
        int v = 0; cuDeviceGetAttribute(&v, f.second, dev); fprintf(to, "%s %d\n", f.first, v);
    }
    fclose(to);
}

static void work(const std::string &to, uint32_t runs, int argc, char **argv, volatile int *next)
{
    FILE *answers = fopen((to + "/answers.bin").c_str(), "ab"), *launches = fopen((to + "/launches.txt").c_str(), "a");
    CUdevice dev; CUcontext ctx;
#ifdef WITH_CUPTI
    cuptiActivityRegisterCallbacks(ask, given);
    int cupti = getenv("NO_CUPTI") ? -1 : cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    fprintf(stderr, "cupti: %d\n", cupti);
#endif
    OK(cuInit(0)); OK(cuDeviceGet(&dev, 0)); OK(cuDevicePrimaryCtxRetain(&ctx, dev)); OK(cuCtxSetCurrent(ctx));
    about(dev, to + "/device.txt");
    OK(cuEventCreate(&before, 0)); OK(cuEventCreate(&after, 0));
    size_t big = 256 << 20; CUdeviceptr other; OK(cuMemAlloc(&other, big));
    // Wake the clocks: about a quarter of a second.
    for (int i = 0; i < 3000; i++) OK(cuMemsetD8Async(other, i, big, 0));
    OK(cuCtxSynchronize());
    for (; *next < argc; ++*next) {
        std::string path = argv[*next], base = path.substr(path.rfind('/') + 1);
        base = base.substr(0, base.rfind('.'));
        std::ifstream in(path, std::ios::binary);
        file.assign(std::istreambuf_iterator<char>(in), {});
        std::vector<char> all; uint64_t each = 0;
        for (uint32_t run = 0; run < runs; run++) {
            OK(cuMemsetD8(other, run, big)); OK(cuCtxSynchronize());
            std::vector<char> out;
            timed.clear(); activity.clear();
            replay(out);
#ifdef WITH_CUPTI
            cuptiActivityFlushAll(1);
            // Memsets may be kernels too: only count when the numbers agree.
            if (activity.size() == timed.size())
                for (size_t i = 0; i < timed.size(); i++) timed[i].start = activity[i].first, timed[i].end = activity[i].second;
            else if (run == 0 && activity.size()) fprintf(stderr, "%s: %zu launches, %zu activities\n", base.c_str(), timed.size(), activity.size());
#endif
            each = out.size(); all.insert(all.end(), out.begin(), out.end());
            for (size_t i = 0; i < timed.size(); i++)
                fprintf(launches, "%s %u %zu %s %.0f %llu\n", base.c_str(), run, i, timed[i].kernel.c_str(), timed[i].events_ms * 1e6, (unsigned long long)(timed[i].end - timed[i].start));
        }
        uint32_t n = base.size(); fwrite(&n, 4, 1, answers); fwrite(base.data(), 1, n, answers);
        fwrite(&runs, 4, 1, answers); fwrite(&each, 8, 1, answers); fwrite(all.data(), 1, all.size(), answers);
        fflush(answers); fflush(launches);
    }
    fclose(answers); fclose(launches);
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    std::string to = argv[1];
    volatile int *next = (int *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (*next = 3; *next < argc;) {
        pid_t child = fork();
        if (!child) { work(to, atoi(argv[2]), argc, argv, next); exit(0); }
        int status; waitpid(child, &status, 0);
        if (*next < argc) { fprintf(stderr, "failed: %s\n", argv[*next]); ++*next; }
    }
}
