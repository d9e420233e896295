// What the applications' host programs share. Each is the same application as
// `upset run NAME`: same input from the same seed, same calls in the same order,
// so that cycles and everything copied back must be the same too.
//
//   NAME small|paper [SEED [FILE]]
//
// prints one line per output and one for all of them together, FNV-1a digests
// of their bytes, and writes those bytes to FILE.
#pragma once

#include "../check.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// The generator behind every input: number n of a stream is a hash of (seed,
// stream, n), as in crates/apps/src/random.rs.
class Generator {
    uint64_t key, counter = 0;

    // The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
    static uint64_t mix(uint64_t z)
    {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }

public:
    Generator(uint64_t seed, uint64_t stream) : key(mix(seed ^ mix(stream + 1))) {}

    uint64_t bits() { return mix(key + ++counter * 0x9e3779b97f4a7c15ull); }

    // Uniform in 0..bound: the high word of a product.
    uint32_t below(uint32_t bound) { return uint32_t(((unsigned __int128)bits() * bound) >> 64); }

    // Uniform in [0, 1), a multiple of 2^-24.
    float unit() { return float(bits() >> 40) * (1.0f / 16777216.0f); }

    std::vector<float> uniform(size_t count, float low, float high)
    {
        std::vector<float> values(count);
        for (float &value : values) {
            value = low + (high - low) * unit();
        }
        return values;
    }
};

// FNV-1a, 64 bits.
class Digest {
    uint64_t hash = 0xcbf29ce484222325ull;

public:
    void add(const std::vector<unsigned char> &bytes)
    {
        for (unsigned char byte : bytes) {
            hash = (hash ^ byte) * 0x100000001b3ull;
        }
    }
    uint64_t value() const { return hash; }
};

// e^x from additions and multiplications alone, as in
// crates/apps/src/exponential.rs: C libraries differ in the last bit.
inline double exponential(double x)
{
    double small = (x < 0 ? -x : x) / 1024.0, term = 1.0, less_one = 0.0;
    for (int n = 1; n < 12; n++) {
        term = term * small / double(n);
        less_one += term;
    }
    for (int i = 0; i < 10; i++) {
        less_one = less_one * (2.0 + less_one);
    }
    double value = 1.0 + less_one;
    return x < 0 ? 1.0 / value : value;
}

inline unsigned div_ceil(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

// An application's command line, its buffers and its outputs.
class App {
    struct Output {
        std::string name;
        std::vector<unsigned char> bytes;
    };
    std::string name;
    const char *file = nullptr;
    std::vector<void *> buffers;
    std::vector<Output> outputs;

public:
    bool paper = false;
    uint64_t seed = 1;

    App(const char *name, int argc, char **argv) : name(name)
    {
        if (argc < 2 || argc > 4 || (strcmp(argv[1], "small") != 0 && strcmp(argv[1], "paper") != 0)) {
            fprintf(stderr, "usage: %s small|paper [SEED [FILE]]\n", name);
            exit(2);
        }
        paper = strcmp(argv[1], "paper") == 0;
        if (argc > 2) {
            seed = strtoull(argv[2], nullptr, 0);
        }
        if (argc > 3) {
            file = argv[3];
        }
    }

    // One of two values, by scale.
    template <typename T>
    T scaled(T at_small, T at_paper) const
    {
        return paper ? at_paper : at_small;
    }

    // A buffer, contents undefined.
    template <typename T>
    T *room(size_t count)
    {
        void *buffer;
        CHECK(cudaMalloc(&buffer, count * sizeof(T)));
        buffers.push_back(buffer);
        return static_cast<T *>(buffer);
    }

    // A buffer of zero bytes.
    template <typename T>
    T *zeros(size_t count)
    {
        T *buffer = room<T>(count);
        CHECK(cudaMemset(buffer, 0, count * sizeof(T)));
        return buffer;
    }

    // A buffer that holds `values`.
    template <typename T>
    T *place(const std::vector<T> &values)
    {
        T *buffer = room<T>(values.size());
        write(buffer, values);
        return buffer;
    }

    template <typename T>
    void write(T *to, const std::vector<T> &values)
    {
        CHECK(cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }

    template <typename T>
    std::vector<T> read(const T *from, size_t count)
    {
        std::vector<T> values(count);
        CHECK(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

    // Names a result.
    template <typename T>
    void output(const char *what, const std::vector<T> &values)
    {
        Output output = {what, std::vector<unsigned char>(values.size() * sizeof(T))};
        memcpy(output.bytes.data(), values.data(), output.bytes.size());
        outputs.push_back(output);
    }

    // Frees the buffers in the order they were made and tells the results.
    int finish()
    {
        for (void *buffer : buffers) {
            CHECK(cudaFree(buffer));
        }
        Digest all;
        for (const Output &output : outputs) {
            Digest one;
            one.add(output.bytes);
            all.add(output.bytes);
            printf("%s %s %zu bytes %016llx\n", name.c_str(), output.name.c_str(), output.bytes.size(),
                   (unsigned long long)one.value());
        }
        printf("%s output digest %016llx\n", name.c_str(), (unsigned long long)all.value());
        if (!file) {
            return 0;
        }
        FILE *to = fopen(file, "wb");
        bool good = to != nullptr;
        for (const Output &output : outputs) {
            good = good && fwrite(output.bytes.data(), 1, output.bytes.size(), to) == output.bytes.size();
        }
        if (!good || fclose(to) != 0) {
            perror(file);
            return 1;
        }
        return 0;
    }
};
