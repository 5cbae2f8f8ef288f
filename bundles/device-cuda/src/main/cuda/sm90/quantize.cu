// 8-bit matrices with scales of blocks (io.hirundo.kernel.scaled.BlockScaledKernels states the arithmetic), of x[M,K] or its transpose,
// a scale for 128 in a row of the result or for 128 rows of 128. A block of 256 threads for a tile of 128 x 128 of x, which is read
// twice, the second time from cache. Floor: x read and the codes written once. Both copies at once, of which every thread keeps what it
// has read of x in registers; floor: x read once and both written once, 4 bytes for an element of BF16 and 6 for one of FP32, where two
// launches have 6 and 10. And the naive twin of their products.
#include "block_scales.cuh"

template <bool SQUARE, bool TRANSPOSED, class T, class E>
__device__ void quantize(const T *x, i64 rows, i64 columns, int exact, float largest, E *codes, float *inverseScales) {
  __shared__ float scales[128];
  __shared__ float halves[2][128];
  __shared__ E turned[TRANSPOSED ? 128 : 1][132];
  i64 row0 = blockIdx.y * 128ll, column0 = blockIdx.x * 128ll;
  int height = rows - row0 < 128 ? rows - row0 : 128, width = columns - column0 < 128 ? columns - column0 : 128;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  x += row0 * columns + column0;
  // Largest magnitudes, of the rows of the result within the tile: rows of x, or columns where it is transposed.
  if (SQUARE || !TRANSPOSED) {
    float ofSquare = 0;
    for (int row = warp; row < height; row += 8) {
      float amax = 0;
      for (int column = lane; column < width; column += 32) {
        float magnitude = fabsf(widen(x[row * columns + column]));
        amax = magnitude > amax ? magnitude : amax;
      }
      amax = over_warp<Maximum>(amax);
      ofSquare = Maximum::of(ofSquare, amax);
      if (!SQUARE && lane == 0) {
        scales[row] = scale_of<T>(amax, largest, exact);
      }
    }
    if (SQUARE) {
      float scale = scale_of<T>(over_block<Maximum>(ofSquare, 0.0f), largest, exact);
      if (threadIdx.x < 128) {
        scales[threadIdx.x] = scale;
      }
    }
  } else {
    int column = threadIdx.x % 128, half = threadIdx.x / 128;
    float amax = 0;
    for (int row = half; row < height && column < width; row += 2) {
      float magnitude = fabsf(widen(x[row * columns + column]));
      amax = magnitude > amax ? magnitude : amax;
    }
    halves[half][column] = amax;
    __syncthreads();
    if (threadIdx.x < 128) {
      scales[column] = scale_of<T>(Maximum::of(halves[0][column], halves[1][column]), largest, exact);
    }
  }
  __syncthreads();
  i64 resultRows = TRANSPOSED ? columns : rows, resultColumns = TRANSPOSED ? rows : columns;
  i64 firstRow = TRANSPOSED ? column0 : row0, firstColumn = TRANSPOSED ? row0 : column0;
  int resultHeight = TRANSPOSED ? width : height;
  if (threadIdx.x < (SQUARE ? 1 : resultHeight)) {
    i64 index = scale_index<SQUARE>(resultRows, resultColumns, firstRow + threadIdx.x, firstColumn);
    inverseScales[index] = 1 / scales[threadIdx.x];
  }
  for (int row = warp; row < height; row += 8) {
    for (int column = lane; column < width; column += 32) {
      E code;
      narrow(widen(x[row * columns + column]) * scales[TRANSPOSED ? column : row], code);
      if (TRANSPOSED) {
        turned[column][row] = code;
      } else {
        codes[(row0 + row) * columns + column0 + column] = code;
      }
    }
  }
  if (TRANSPOSED) {
    __syncthreads();
    for (int row = warp; row < width; row += 8) {
      for (int column = lane; column < height; column += 32) {
        codes[(column0 + row) * rows + row0 + column] = turned[row][column];
      }
    }
  }
}

// Both copies. A thread has the elements of 16 rows, 8 apart, in 4 columns, 32 apart.
template <bool SQUARE, class T, class E>
__device__ void quantize_both(const T *x, i64 rows, i64 columns, int exact, float largest, E *codes, float *inverseScales, E *columnCodes, float *columnScales) {
  __shared__ float ofRows[128], ofColumns[128];
  __shared__ float ofWarps[SQUARE ? 1 : 8][128];
  __shared__ E turned[128][132];
  i64 row0 = blockIdx.y * 128ll, column0 = blockIdx.x * 128ll;
  int height = rows - row0 < 128 ? rows - row0 : 128, width = columns - column0 < 128 ? columns - column0 : 128;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  x += row0 * columns + column0;
  float tile[16][4];
  float amaxes[4] = {0, 0, 0, 0};
#pragma unroll
  for (int i = 0; i < 16; i++) {
    int row = warp + 8 * i;
    float amax = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int column = lane + 32 * j;
      tile[i][j] = row < height && column < width ? widen(x[row * columns + column]) : 0.0f;
      float magnitude = fabsf(tile[i][j]);
      amax = magnitude > amax ? magnitude : amax;
      amaxes[j] = magnitude > amaxes[j] ? magnitude : amaxes[j];
    }
    if (!SQUARE) {
      amax = over_warp<Maximum>(amax);
      if (lane == 0) {
        ofRows[row] = scale_of<T>(amax, largest, exact);
      }
    }
  }
  if (SQUARE) {
    float amax = Maximum::of(Maximum::of(amaxes[0], amaxes[1]), Maximum::of(amaxes[2], amaxes[3]));
    float scale = scale_of<T>(over_block<Maximum>(amax, 0.0f), largest, exact);
    if (threadIdx.x < 128) {
      ofRows[threadIdx.x] = ofColumns[threadIdx.x] = scale;
    }
  } else {
    for (int j = 0; j < 4; j++) {
      ofWarps[warp][lane + 32 * j] = amaxes[j];
    }
    __syncthreads();
    if (threadIdx.x < 128) {
      float amax = 0;
      for (int other = 0; other < 8; other++) {
        amax = Maximum::of(amax, ofWarps[other][threadIdx.x]);
      }
      ofColumns[threadIdx.x] = scale_of<T>(amax, largest, exact);
    }
  }
  __syncthreads();
  if (threadIdx.x < (SQUARE ? 1 : height)) {
    inverseScales[scale_index<SQUARE>(rows, columns, row0 + threadIdx.x, column0)] = 1 / ofRows[threadIdx.x];
  }
  if (threadIdx.x < (SQUARE ? 1 : width)) {
    columnScales[scale_index<SQUARE>(columns, rows, column0 + threadIdx.x, row0)] = 1 / ofColumns[threadIdx.x];
  }
#pragma unroll
  for (int i = 0; i < 16; i++) {
    int row = warp + 8 * i;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int column = lane + 32 * j;
      E code;
      narrow(tile[i][j] * ofRows[row], code);
      if (row < height && column < width) {
        codes[(row0 + row) * columns + column0 + column] = code;
      }
      if (!SQUARE) {
        narrow(tile[i][j] * ofColumns[column], code);
      }
      turned[column][row] = code;
    }
  }
  __syncthreads();
  for (int row = warp; row < width; row += 8) {
    for (int column = lane; column < height; column += 32) {
      columnCodes[(column0 + row) * rows + row0 + column] = turned[row][column];
    }
  }
}

// x[M,K] = code * inverse scale.
template <bool SQUARE, class E, class T> __device__ void dequantize(const E *codes, const float *inverseScales, T *x, i64 rows, i64 columns) {
  for (i64 i = first_of_grid(); i < rows * columns; i += stride_of_grid()) {
    narrow(widen(codes[i]) * inverseScales[scale_index<SQUARE>(rows, columns, i / columns, i % columns)], x[i]);
  }
}

// c[M,N] = (accumulate ? c : 0) + a b^T, a thread for each element: y = fma(sum of 128 products * sa, sb, y).
template <bool SQUARE, class EA, class EB, class TC>
__device__ void multiply(const EA *a, const float *aScales, const EB *b, const float *bScales, TC *c, i64 m, i64 n, i64 k, int accumulate) {
  for (i64 i = first_of_grid(); i < m * n; i += stride_of_grid()) {
    i64 row = i / n, column = i % n;
    float y = 0;
    for (i64 first = 0; first < k; first += 128) {
      float sum = 0;
      for (i64 j = first; j < k && j < first + 128; j++) {
        sum += widen(a[row * k + j]) * widen(b[column * k + j]);
      }
      float sa = aScales[scale_index<false>(m, k, row, first)], sb = bScales[scale_index<SQUARE>(n, k, column, first)];
      y = fmaf(sum * sa, sb, y);
    }
    narrow(accumulate ? widen(c[i]) + y : y, c[i]);
  }
}

#define QUANTIZE(name, SQUARE, TRANSPOSED, T, E, LARGEST)                                                         \
  KERNEL(256, name, const T *x, i64 rows, i64 columns, int exact, E *codes, float *inverseScales) {               \
    quantize<SQUARE, TRANSPOSED>(x, rows, columns, exact, LARGEST, codes, inverseScales);                         \
  }
#define QUANTIZE_BOTH(name, SQUARE, T, E, LARGEST)                                                                \
  KERNEL(256, name, const T *x, i64 rows, i64 columns, int exact, E *codes, float *inverseScales, E *columnCodes, \
         float *columnScales) {                                                                                   \
    quantize_both<SQUARE>(x, rows, columns, exact, LARGEST, codes, inverseScales, columnCodes, columnScales);     \
  }
#define DEQUANTIZE(name, SQUARE, E, T)                                                                            \
  KERNEL(256, name, const E *codes, const float *inverseScales, T *x, i64 rows, i64 columns) {                    \
    dequantize<SQUARE>(codes, inverseScales, x, rows, columns);                                                   \
  }
#define OF_TYPES(T, t, E, e, LARGEST)                                                                             \
  QUANTIZE(quantize_row_##t##_##e, false, false, T, E, LARGEST)                                                   \
  QUANTIZE(quantize_square_##t##_##e, true, false, T, E, LARGEST)                                                 \
  QUANTIZE(quantize_row_transposed_##t##_##e, false, true, T, E, LARGEST)                                         \
  QUANTIZE(quantize_square_transposed_##t##_##e, true, true, T, E, LARGEST)                                       \
  QUANTIZE_BOTH(quantize_both_row_##t##_##e, false, T, E, LARGEST)                                                \
  QUANTIZE_BOTH(quantize_both_square_##t##_##e, true, T, E, LARGEST)                                              \
  DEQUANTIZE(dequantize_row_##e##_##t, false, E, T)                                                               \
  DEQUANTIZE(dequantize_square_##e##_##t, true, E, T)
#define PRODUCT(name, SQUARE, EA, EB, TC)                                                                         \
  KERNEL(256, name, const EA *a, const float *aScales, const EB *b, const float *bScales, TC *c, i64 m, i64 n, i64 k, \
         int accumulate) {                                                                                        \
    multiply<SQUARE>(a, aScales, b, bScales, c, m, n, k, accumulate);                                             \
  }
#define OF_CODES(EA, ea, EB, eb)                                                                                  \
  PRODUCT(multiply_row_##ea##_##eb##_f32, false, EA, EB, float)                                                   \
  PRODUCT(multiply_row_##ea##_##eb##_bf16, false, EA, EB, bf16)                                                   \
  PRODUCT(multiply_square_##ea##_##eb##_f32, true, EA, EB, float)                                                 \
  PRODUCT(multiply_square_##ea##_##eb##_bf16, true, EA, EB, bf16)

OF_TYPES(float, f32, e4m3, e4m3, 448.0f)
OF_TYPES(float, f32, e5m2, e5m2, 57344.0f)
OF_TYPES(bf16, bf16, e4m3, e4m3, 448.0f)
OF_TYPES(bf16, bf16, e5m2, e5m2, 57344.0f)
OF_CODES(e4m3, e4m3, e4m3, e4m3)
OF_CODES(e4m3, e4m3, e5m2, e5m2)
OF_CODES(e5m2, e5m2, e4m3, e4m3)
OF_CODES(e5m2, e5m2, e5m2, e5m2)
