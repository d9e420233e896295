// Covers: classes with virtual functions built on the device (their tables of
// functions are the device's), multiple inheritance, virtual destructors,
// abstract bases, templates of them, calls that differ between threads.
// Output: one line per step, then "ok".
#include "check.h"

#include <new>

class Shape {
public:
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};

class Named {
public:
    __device__ virtual char letter() const { return '?'; }
};

class Circle : public Shape {
    float radius;

public:
    __device__ explicit Circle(float radius) : radius(radius) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

class Rectangle : public Shape, public Named {
protected:
    float width, height;

public:
    __device__ Rectangle(float width, float height) : width(width), height(height) {}
    __device__ float area() const override { return width * height; }
    __device__ int corners() const override { return 4; }
    __device__ char letter() const override { return 'R'; }
};

class Square final : public Rectangle {
public:
    __device__ explicit Square(float side) : Rectangle(side, side) {}
    __device__ char letter() const override { return 'S'; }
};

template <int Corners>
class Polygon : public Shape {
public:
    __device__ float area() const override { return Corners * 0.5f; }
    __device__ int corners() const override { return Corners; }
};

union Room {
    char circle[sizeof(Circle)], square[sizeof(Square)], rectangle[sizeof(Rectangle)];
    double aligned;
};

// Placement new in memory of the host's choice, in one kernel.
__global__ void build(Shape **shapes, Room *rooms)
{
    int i = threadIdx.x;
    switch (i % 5) {
    case 0:
        shapes[i] = new (&rooms[i]) Circle(i + 1);
        break;
    case 1:
        shapes[i] = new (&rooms[i]) Rectangle(i, 2);
        break;
    case 2:
        shapes[i] = new (&rooms[i]) Square(i);
        break;
    case 3:
        shapes[i] = new (&rooms[i]) Polygon<3>;
        break;
    default:
        shapes[i] = new (&rooms[i]) Polygon<12>;
    }
}

// Calls in another.
__global__ void measure(Shape *const *shapes, float *areas, int *corners)
{
    const Shape *shape = shapes[threadIdx.x];
    areas[threadIdx.x] = shape->area();
    corners[threadIdx.x] = shape->corners();
    shapes[threadIdx.x]->~Shape();
}

__device__ __noinline__ char through_second_base(const Named &named)
{
    return named.letter();
}

__global__ void letters(char *out)
{
    Rectangle rectangle(1, 2);
    Square square(3);
    Named named;
    const Named *all[3] = {&rectangle, &square, &named};
    out[threadIdx.x] = through_second_base(*all[threadIdx.x % 3]);
}

int main()
{
    const int n = 20;
    Shape **shapes;
    Room *rooms;
    float *areas, a[n];
    int *corners, c[n];
    CHECK(cudaMalloc(&shapes, n * sizeof(Shape *)));
    CHECK(cudaMalloc(&rooms, n * sizeof(Room)));
    CHECK(cudaMalloc(&areas, sizeof a));
    CHECK(cudaMalloc(&corners, sizeof c));
    build<<<1, n>>>(shapes, rooms);
    CHECK_LAUNCH();
    measure<<<1, n>>>(shapes, areas, corners);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(a, areas, sizeof a, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(c, corners, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        float wanted[5] = {3.0f * (i + 1) * (i + 1), 2.0f * i, float(i) * i, 1.5f, 6.0f};
        int points[5] = {0, 4, 4, 3, 12};
        REQUIRE(a[i] == wanted[i % 5] && c[i] == points[i % 5]);
    }
    printf("areas %g %g %g %g %g\n", a[5], a[6], a[7], a[8], a[9]);

    char *text, got[6];
    CHECK(cudaMalloc(&text, sizeof got));
    letters<<<1, 6>>>(text);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, text, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 'R' && got[1] == 'S' && got[2] == '?' && got[4] == 'S');
    printf("letters %.6s\n", got);
    printf("ok\n");
    return 0;
}
