// Attributes of functions, and how many blocks fit.
#include "driver.h"

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared);
CUresult cuOccupancyMaxPotentialBlockSize(int *least, int *size, CUfunction f, size_t (*by_size)(int),
                                          size_t shared, int most);

int main(int argc, char **argv)
{
    begin();
    CUfunction sum = find(load(argv), "sum");
    int threads, shared, registers, binary, dynamic, major, minor, blocks, least, size, cores;
    CHECK(cuFuncGetAttribute(&threads, 0, sum));
    CHECK(cuFuncGetAttribute(&shared, 1, sum));
    CHECK(cuFuncGetAttribute(&registers, 4, sum));
    CHECK(cuFuncGetAttribute(&binary, 6, sum));
    CHECK(cuFuncGetAttribute(&dynamic, 8, sum));
    CHECK(cuDeviceGetAttribute(&major, 75, 0));
    CHECK(cuDeviceGetAttribute(&minor, 76, 0));
    CHECK(cuDeviceGetAttribute(&cores, 16, 0));
    REQUIRE(binary == 10 * major + minor && registers > 0);
    printf("threads %d, shared %d, dynamic %d\n", threads, shared, dynamic);
    CHECK_ERROR(cuFuncGetAttribute(&threads, 99, sum), INVALID_VALUE);
    CHECK(cuFuncSetAttribute(sum, 8, 32 << 10));
    CHECK(cuFuncGetAttribute(&dynamic, 8, sum));
    printf("dynamic %d\n", dynamic);
    CHECK_ERROR(cuFuncSetAttribute(sum, 8, 1 << 30), INVALID_VALUE);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 128, 0));
    REQUIRE(blocks > 0);
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 128, 32 << 10));
    REQUIRE(blocks > 0);
    CHECK(cuOccupancyMaxPotentialBlockSize(&least, &size, sum, NULL, 0, 0));
    printf("largest block %d, grid of whole rounds %d\n", size, least % cores);
    CHECK(cuOccupancyMaxPotentialBlockSize(&least, &size, sum, NULL, 0, 256));
    printf("of 256 at most %d\n", size);
}
