// RMSNorm (Zhang and Sennrich 2019, arXiv 1910.07467): y[T,C] = x r w with r[T] = 1 / sqrt(mean(x^2) + epsilon).
// A block of 256 threads for each token; the row is read again from cache. Floors: forward x and y once, addForward x, delta,
// sum and y once, backwardInput dy, x, dx (and the residual) once, backwardWeight dy and x once.
#include "common.cuh"

// Reads r as it is stored, so that reapply gives the same bits.
template <class T, class W, class A> __device__ void apply(const T *x, const W *weight, A r, T *y, i64 channels) {
  for (i64 c = threadIdx.x; c < channels; c += blockDim.x) {
    narrow(widen(x[c]) * r * widen(weight[c]), y[c]);
  }
}

template <class T, class W, class A>
__device__ void forward(const T *x, const W *weight, double epsilon, T *y, A *inverseRms, i64 channels) {
  i64 token = blockIdx.x;
  x += token * channels;
  A squares = 0;
  for (i64 c = threadIdx.x; c < channels; c += blockDim.x) {
    A value = widen(x[c]);
    squares += value * value;
  }
  squares = over_block<Sum>(squares, (A)0);
  A r = 1 / sqrt(squares / channels + (A)epsilon);
  if (threadIdx.x == 0) {
    inverseRms[token] = r;
  }
  apply(x, weight, r, y + token * channels, channels);
}

// sum may be x or delta: a thread reads its elements before it writes them, and reads back what it wrote itself.
template <class T, class W, class A>
__device__ void add_forward(const T *x, const T *delta, const W *weight, double epsilon, T *sum, T *y, A *inverseRms, i64 channels) {
  i64 first = blockIdx.x * channels;
  for (i64 c = first + threadIdx.x; c < first + channels; c += blockDim.x) {
    narrow(widen(x[c]) + widen(delta[c]), sum[c]);
  }
  forward(sum, weight, epsilon, y, inverseRms, channels);
}

// dx = residual + r (w dy - x r^2 mean(w dy x)); residual may be null, or dx.
template <class T, class W, class A>
__device__ void backward_input(const T *dy, const T *x, const W *weight, const A *inverseRms, const T *residual, T *dx, i64 channels) {
  i64 first = blockIdx.x * channels;
  A r = inverseRms[blockIdx.x];
  A dot = 0;
  for (i64 c = threadIdx.x; c < channels; c += blockDim.x) {
    dot += widen(weight[c]) * widen(dy[first + c]) * widen(x[first + c]);
  }
  dot = over_block<Sum>(dot, (A)0);
  A factor = r * r * dot / channels;
  for (i64 c = threadIdx.x; c < channels; c += blockDim.x) {
    A past = residual ? (A)widen(residual[first + c]) : 0;
    narrow(past + r * ((A)widen(weight[c]) * widen(dy[first + c]) - widen(x[first + c]) * factor), dx[first + c]);
  }
}

// dw[C] += sum over tokens of dy x r. A block of 32 x 8 threads for each 32 channels: a thread sums every eighth token, in
// order; the eight sums are added in order.
template <class T, class W, class A>
__device__ void backward_weight(const T *dy, const T *x, const A *inverseRms, W *dw, i64 tokens, i64 channels) {
  __shared__ A sums[8][32];
  int lane = threadIdx.x % 32;
  int part = threadIdx.x / 32;
  i64 c = blockIdx.x * 32ll + lane;
  A sum = 0;
  for (i64 token = part; token < tokens && c < channels; token += 8) {
    sum += (A)widen(dy[token * channels + c]) * widen(x[token * channels + c]) * inverseRms[token];
  }
  sums[part][lane] = sum;
  __syncthreads();
  if (part == 0 && c < channels) {
    for (int i = 1; i < 8; i++) {
      sum += sums[i][lane];
    }
    narrow(widen(dw[c]) + sum, dw[c]);
  }
}

#define OF_TYPES(T, t, W, w, A)                                                                                   \
  KERNEL(256, forward_##t##_##w, const T *x, const W *weight, double epsilon, T *y, A *inverseRms, i64 channels) { \
    forward(x, weight, epsilon, y, inverseRms, channels);                                                         \
  }                                                                                                               \
  KERNEL(256, add_forward_##t##_##w, const T *x, const T *delta, const W *weight, double epsilon, T *sum, T *y,   \
         A *inverseRms, i64 channels) {                                                                           \
    add_forward(x, delta, weight, epsilon, sum, y, inverseRms, channels);                                         \
  }                                                                                                               \
  KERNEL(256, reapply_##t##_##w, const T *x, const W *weight, const A *inverseRms, T *y, i64 channels) {          \
    i64 first = blockIdx.x * channels;                                                                            \
    apply(x + first, weight, inverseRms[blockIdx.x], y + first, channels);                                        \
  }                                                                                                               \
  KERNEL(256, backward_input_##t##_##w, const T *dy, const T *x, const W *weight, const A *inverseRms,            \
         const T *residual, T *dx, i64 channels) {                                                                \
    backward_input(dy, x, weight, inverseRms, residual, dx, channels);                                            \
  }                                                                                                               \
  KERNEL(256, backward_weight_##t##_##w, const T *dy, const T *x, const A *inverseRms, W *dw, i64 tokens, i64 channels) { \
    backward_weight(dy, x, inverseRms, dw, tokens, channels);                                                     \
  }

OF_TYPES(double, f64, double, f64, double)
OF_TYPES(float, f32, float, f32, float)
OF_TYPES(bf16, bf16, bf16, bf16, float)
OF_TYPES(bf16, bf16, float, f32, float)
