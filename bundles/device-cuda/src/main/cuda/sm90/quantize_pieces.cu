// Pieces of an 8-bit matrix with scales of squares, which several ranks have (io.hirundo.kernel.scaled.PieceScaledKernels): elements
// [first, first + count) of x[M,K], a block of 256 threads for a square of 128 x 128, beginning with the row of squares that the
// first element is in.
#include "block_scales.cuh"

// Calls body(index among the elements) for those of the square.
template <class Body> __device__ void each_of_square(i64 row0, i64 column0, i64 first, i64 count, i64 rows, i64 columns, Body body) {
  int height = rows - row0 < 128 ? rows - row0 : 128, width = columns - column0 < 128 ? columns - column0 : 128;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int row = warp; row < height; row += 8) {
    for (int column = lane; column < width; column += 32) {
      i64 at = (row0 + row) * columns + column0 + column - first;
      if (at >= 0 && at < count) {
        body(at);
      }
    }
  }
}

KERNEL(256, piece_measure, const float *x, i64 first, i64 count, i64 rows, i64 columns, float *amax) {
  i64 row0 = (first / columns / 128 + blockIdx.y) * 128, column0 = blockIdx.x * 128ll;
  float largest = 0;
  each_of_square(row0, column0, first, count, rows, columns, [&](i64 at) {
    float magnitude = fabsf(x[at]);
    largest = magnitude > largest ? magnitude : largest;
  });
  largest = over_block<Maximum>(largest, 0.0f);
  if (threadIdx.x == 0) {
    i64 index = scale_index<true>(rows, columns, row0, column0);
    amax[index] = Maximum::of(amax[index], largest);
  }
}

template <class E>
__device__ void piece_quantize(const float *x, i64 first, i64 count, i64 rows, i64 columns, const float *amax, int exact, float largest, E *codes) {
  i64 row0 = (first / columns / 128 + blockIdx.y) * 128, column0 = blockIdx.x * 128ll;
  float scale = scale_of<float>(amax[scale_index<true>(rows, columns, row0, column0)], largest, exact);
  each_of_square(row0, column0, first, count, rows, columns, [&](i64 at) { narrow(x[at] * scale, codes[at]); });
}

// The inverse scales of a matrix that has codes, and its transpose.
template <class E>
__device__ void piece_complete(const E *codes, i64 rows, i64 columns, const float *amax, int exact, float largest, float *inverseScales, E *columnCodes, float *columnScales) {
  __shared__ E turned[128][132];
  i64 row0 = blockIdx.y * 128ll, column0 = blockIdx.x * 128ll;
  int height = rows - row0 < 128 ? rows - row0 : 128, width = columns - column0 < 128 ? columns - column0 : 128;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    i64 index = scale_index<true>(rows, columns, row0, column0);
    float inverse = 1 / scale_of<float>(amax[index], largest, exact);
    inverseScales[index] = inverse;
    columnScales[scale_index<true>(columns, rows, column0, row0)] = inverse;
  }
  for (int row = warp; row < height; row += 8) {
    for (int column = lane; column < width; column += 32) {
      turned[column][row] = codes[(row0 + row) * columns + column0 + column];
    }
  }
  __syncthreads();
  for (int row = warp; row < width; row += 8) {
    for (int column = lane; column < height; column += 32) {
      columnCodes[(column0 + row) * rows + row0 + column] = turned[row][column];
    }
  }
}

#define PIECES(E, e, LARGEST)                                                                                     \
  KERNEL(256, piece_quantize_##e, const float *x, i64 first, i64 count, i64 rows, i64 columns, const float *amax, \
         int exact, E *codes) {                                                                                   \
    piece_quantize(x, first, count, rows, columns, amax, exact, LARGEST, codes);                                  \
  }                                                                                                               \
  KERNEL(256, piece_complete_##e, const E *codes, i64 rows, i64 columns, const float *amax, int exact,            \
         float *inverseScales, E *columnCodes, float *columnScales) {                                             \
    piece_complete(codes, rows, columns, amax, exact, LARGEST, inverseScales, columnCodes, columnScales);         \
  }

PIECES(e4m3, e4m3, 448.0f)
PIECES(e5m2, e5m2, 57344.0f)
