// A function and a variable for code that is linked with it while the program runs.
extern "C" {
__device__ unsigned base = 100;
__device__ unsigned triple(unsigned x) { return 3 * x; }
}
