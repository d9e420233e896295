// Gaussian elimination, one column per pair of launches: Fan1 finds the
// multipliers of the column, Fan2 subtracts the pivot row from the rows below.

extern "C" __global__ void Fan1(float *multipliers, float *matrix, int size, int column)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= size - 1 - column) {
        return;
    }
    const int row = i + column + 1;
    multipliers[size * row + column] = matrix[size * row + column] / matrix[size * column + column];
}

extern "C" __global__ void Fan2(float *multipliers, float *matrix, float *right_side, int size,
                                int unused, int column)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x;
    const int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= size - 1 - column || y >= size - column) {
        return;
    }
    const int row = x + 1 + column;
    const int col = y + column;
    matrix[size * row + col] -= multipliers[size * row + column] * matrix[size * column + col];
    if (y == 0) {
        right_side[row] -= multipliers[size * row + column] * right_side[column];
    }
}
