// The naive twin of every GEMM: c[M,N] = (accumulate ? c : 0) + a[M,K] b[K,N], operands read by strides, so that any
// of them may be stored transposed; sums in FP32 (FP64 of FP64), in the order of k. A block of 256 threads for 64 x 64 elements of
// c, 4 x 4 a thread, K in steps of 16 through shared memory. No tensor cores: right, and slow (measured nowhere yet).
#include "common.cuh"

struct Strides {
  i64 row, column;
};

template <class TA, class TB, class TC>
__device__ void multiply(const TA *a, Strides as, const TB *b, Strides bs, TC *c, i64 m, i64 n, i64 k, int accumulate) {
  typedef typename Wide<TC>::type A;
  __shared__ A tileA[16][65];
  __shared__ A tileB[16][65];
  i64 row = blockIdx.y * 64ll, column = blockIdx.x * 64ll;
  int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  A sums[4][4] = {};
  for (i64 first = 0; first < k; first += 16) {
    for (int i = threadIdx.x; i < 16 * 64; i += 256) {
      // Consecutive threads read consecutive elements, whichever way an operand is stored.
      int ka = as.column == 1 ? i % 16 : i / 64, ma = as.column == 1 ? i / 16 : i % 64;
      int kb = bs.row == 1 ? i % 16 : i / 64, nb = bs.row == 1 ? i / 16 : i % 64;
      tileA[ka][ma] = row + ma < m && first + ka < k ? (A)widen(a[(row + ma) * as.row + (first + ka) * as.column]) : 0;
      tileB[kb][nb] = column + nb < n && first + kb < k ? (A)widen(b[(first + kb) * bs.row + (column + nb) * bs.column]) : 0;
    }
    __syncthreads();
    for (int step = 0; step < 16; step++) {
      for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
          sums[i][j] += tileA[step][ty + 16 * i] * tileB[step][tx + 16 * j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      i64 y = row + ty + 16 * i, x = column + tx + 16 * j;
      if (y < m && x < n) {
        narrow(accumulate ? widen(c[y * n + x]) + sums[i][j] : sums[i][j], c[y * n + x]);
      }
    }
  }
}

#define OF_TYPES(TA, ta, TB, tb, TC, tc)                                                                          \
  KERNEL(256, multiply_##ta##_##tb##_##tc, const TA *a, i64 aRow, i64 aColumn, const TB *b, i64 bRow, i64 bColumn, TC *c, \
         i64 m, i64 n, i64 k, int accumulate) {                                                                   \
    multiply(a, Strides{aRow, aColumn}, b, Strides{bRow, bColumn}, c, m, n, k, accumulate);                       \
  }

OF_TYPES(double, f64, double, f64, double, f64)
OF_TYPES(float, f32, float, f32, float, f32)
OF_TYPES(float, f32, float, f32, bf16, bf16)
OF_TYPES(float, f32, bf16, bf16, float, f32)
OF_TYPES(float, f32, bf16, bf16, bf16, bf16)
OF_TYPES(bf16, bf16, float, f32, float, f32)
OF_TYPES(bf16, bf16, float, f32, bf16, bf16)
OF_TYPES(bf16, bf16, bf16, bf16, float, f32)
OF_TYPES(bf16, bf16, bf16, bf16, bf16, bf16)
