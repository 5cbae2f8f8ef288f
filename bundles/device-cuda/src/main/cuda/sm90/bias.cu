// Biases: x[t, first + n] += bias[n], and dBias[n] += sum over rows of dy[t, first + n]. Floors: add reads and writes the columns once,
// sums read them once.
#include "common.cuh"

// A block of 256 threads for each row.
template <class T, class W> __device__ void add(const W *bias, T *x, i64 n, i64 stride, i64 first) {
  x += blockIdx.x * stride + first;
  for (i64 c = threadIdx.x; c < n; c += blockDim.x) {
    narrow((typename Wide<T>::type)widen(x[c]) + widen(bias[c]), x[c]);
  }
}

// A block of 32 x 8 threads for each 32 columns: a thread sums every eighth row, in order; the eight sums are added in order.
template <class A, class T, class W>
__device__ void add_column_sums(const T *dy, W *dBias, i64 rows, i64 n, i64 stride, i64 first) {
  __shared__ A sums[8][32];
  int lane = threadIdx.x % 32, part = threadIdx.x / 32;
  i64 c = blockIdx.x * 32ll + lane;
  A sum = 0;
  for (i64 row = part; row < rows && c < n; row += 8) {
    sum += widen(dy[row * stride + first + c]);
  }
  sums[part][lane] = sum;
  __syncthreads();
  if (part == 0 && c < n) {
    for (int i = 1; i < 8; i++) {
      sum += sums[i][lane];
    }
    narrow(widen(dBias[c]) + sum, dBias[c]);
  }
}

#define OF_TYPES(T, t, W, w, A)                                                                                   \
  KERNEL(256, add_##t##_##w, const W *bias, T *x, i64 n, i64 stride, i64 first) { add(bias, x, n, stride, first); } \
  KERNEL(256, add_column_sums_##t##_##w, const T *dy, W *dBias, i64 rows, i64 n, i64 stride, i64 first) {         \
    add_column_sums<A>(dy, dBias, rows, n, stride, first);                                                        \
  }

OF_TYPES(double, f64, double, f64, double)
OF_TYPES(float, f32, float, f32, float)
OF_TYPES(bf16, bf16, bf16, bf16, float)
OF_TYPES(bf16, bf16, float, f32, float)
