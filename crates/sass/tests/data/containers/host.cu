// A host object with code for two architectures and PTX.
extern "C" __global__ void hosted(int *out) { out[threadIdx.x] = 1; }
int main() { return 0; }
