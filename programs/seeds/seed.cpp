// Where a seed comes from. In a file of its own: nvcc 11.8 cannot read the
// <random> of newer compilers.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>

#include <sys/random.h>
#include <sys/time.h>
#include <unistd.h>

uint64_t seed_from(const char *source)
{
    auto is = [source](const char *name) { return strcmp(source, name) == 0; };
    uint64_t seed = 0;
    if (is("time")) {
        seed = time(nullptr);
    } else if (is("gettimeofday")) {
        timeval now;
        gettimeofday(&now, nullptr);
        seed = now.tv_sec * 1000000 + now.tv_usec;
    } else if (is("clock")) {
        seed = clock();
    } else if (is("steady_clock")) {
        seed = std::chrono::steady_clock::now().time_since_epoch().count();
    } else if (is("getrandom")) {
        if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
            exit(1);
        }
    } else if (is("urandom")) {
        std::ifstream("/dev/urandom").read(reinterpret_cast<char *>(&seed), sizeof seed);
    } else if (is("random_device")) {
        seed = std::random_device()();
    } else if (is("pid")) {
        seed = getpid();
    } else if (!is("none")) {
        fprintf(stderr, "no source %s\n", source);
        exit(1);
    }
    return seed;
}
