// RMSNorm (Zhang and Sennrich 2019, arXiv 1910.07467): y[T,C] = x r w with r[T] = 1 / sqrt(mean(x^2) + epsilon).
// A block of 256 threads for each token; the row is read again from cache. Floors: forward x and y once, addForward x, delta,
// sum and y once, backwardInput dy, x, dx (and the residual) once, backwardWeight dy and x once.
#include "common.cuh"

// Reads r as it is stored, so that reapply gives the same bits.
template <int N, class T, class W, class A> __device__ void apply(const T *x, const W *weight, A r, T *y, i64 channels) {
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<T, N> some = take<N>(x + c);
    Some<W, N> factors = take<N>(weight + c);
    for (int k = 0; k < N; k++) {
      narrow(widen(some.at[k]) * r * widen(factors.at[k]), some.at[k]);
    }
    put(some, y + c);
  }
}

template <int N, class T, class W, class A>
__device__ void forward(const T *x, const W *weight, double epsilon, T *y, A *inverseRms, i64 channels) {
  i64 token = blockIdx.x;
  x += token * channels;
  A squares = 0;
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<T, N> some = take<N>(x + c);
    for (int k = 0; k < N; k++) {
      A value = widen(some.at[k]);
      squares += value * value;
    }
  }
  squares = over_block<Sum>(squares, (A)0);
  A r = 1 / sqrt(squares / channels + (A)epsilon);
  if (threadIdx.x == 0) {
    inverseRms[token] = r;
  }
  apply<N>(x, weight, r, y + token * channels, channels);
}

// sum may be x or delta: a thread reads its elements before it writes them, and reads back what it wrote itself.
template <int N, class T, class W, class A>
__device__ void add_forward(const T *x, const T *delta, const W *weight, double epsilon, T *sum, T *y, A *inverseRms, i64 channels) {
  i64 first = blockIdx.x * channels;
  for (i64 c = first + threadIdx.x * N; c < first + channels; c += blockDim.x * N) {
    Some<T, N> some = take<N>(x + c), further = take<N>(delta + c);
    for (int k = 0; k < N; k++) {
      narrow(widen(some.at[k]) + widen(further.at[k]), some.at[k]);
    }
    put(some, sum + c);
  }
  forward<N>(sum, weight, epsilon, y, inverseRms, channels);
}

// dx = residual + r (w dy - x r^2 mean(w dy x)); residual may be null, or dx.
template <int N, class T, class W, class A>
__device__ void backward_input(const T *dy, const T *x, const W *weight, const A *inverseRms, const T *residual, T *dx, i64 channels) {
  i64 first = blockIdx.x * channels;
  A r = inverseRms[blockIdx.x];
  A dot = 0;
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<T, N> ofX = take<N>(x + first + c), ofY = take<N>(dy + first + c);
    Some<W, N> factors = take<N>(weight + c);
    for (int k = 0; k < N; k++) {
      dot += widen(factors.at[k]) * widen(ofY.at[k]) * widen(ofX.at[k]);
    }
  }
  dot = over_block<Sum>(dot, (A)0);
  A factor = r * r * dot / channels;
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<T, N> ofX = take<N>(x + first + c), ofY = take<N>(dy + first + c), past = {};
    Some<W, N> factors = take<N>(weight + c);
    if (residual) {
      past = take<N>(residual + first + c);
    }
    for (int k = 0; k < N; k++) {
      A before = residual ? (A)widen(past.at[k]) : 0;
      narrow(before + r * ((A)widen(factors.at[k]) * widen(ofY.at[k]) - widen(ofX.at[k]) * factor), ofX.at[k]);
    }
    put(ofX, dx + first + c);
  }
}

// partial[slice][C] = sum over a slice of the tokens of dy x r. A block of 8 warps for 32 N channels and 128 tokens: a warp sums every
// eighth token, in order; the sums of the warps are added in order. dy and x are read once.
template <int N, class T, class A>
__device__ void sum_slice(const T *dy, const T *x, const A *inverseRms, A *partial, i64 tokens, i64 channels) {
  __shared__ A sums[8][32 * N];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  i64 c = (blockIdx.x * 32ll + lane) * N, end = blockIdx.y * 128ll + 128 < tokens ? blockIdx.y * 128ll + 128 : tokens;
  A own[N] = {};
  for (i64 token = blockIdx.y * 128ll + warp; token < end && c < channels; token += 8) {
    Some<T, N> ofX = take<N>(x + token * channels + c), ofY = take<N>(dy + token * channels + c);
    A r = inverseRms[token];
    for (int k = 0; k < N; k++) {
      own[k] += (A)widen(ofY.at[k]) * widen(ofX.at[k]) * r;
    }
  }
  for (int k = 0; k < N; k++) {
    sums[warp][k * 32 + lane] = own[k];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * N; i += blockDim.x) {
    A sum = 0;
    for (int other = 0; other < 8; other++) {
      sum += sums[other][i];
    }
    i64 channel = blockIdx.x * 32ll * N + i % 32 * N + i / 32;
    if (channel < channels) {
      partial[blockIdx.y * channels + channel] = sum;
    }
  }
}

// dw[C] += sum over slices. A block of 32 x 8 threads for each 32 channels: a thread sums every eighth slice, in order; the eight
// sums are added in order.
template <class W, class A> __device__ void add_slices(const A *partial, W *dw, i64 slices, i64 channels) {
  __shared__ A sums[8][32];
  int lane = threadIdx.x % 32, part = threadIdx.x / 32;
  i64 c = blockIdx.x * 32ll + lane;
  A sum = 0;
  for (i64 slice = part; slice < slices && c < channels; slice += 8) {
    sum += partial[slice * channels + c];
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

#define OF_TYPE(T, t, A)                                                                                          \
  KERNEL(256, sum_slice_##t, const T *dy, const T *x, const A *inverseRms, A *partial, i64 tokens, i64 channels) { \
    sum_slice<1>(dy, x, inverseRms, partial, tokens, channels);                                                   \
  }                                                                                                               \
  KERNEL(256, sum_slice_whole_##t, const T *dy, const T *x, const A *inverseRms, A *partial, i64 tokens, i64 channels) { \
    sum_slice<WHOLE<T>>(dy, x, inverseRms, partial, tokens, channels);                                            \
  }

#define OF_TYPES(T, t, W, w, A)                                                                                   \
  KERNEL(256, forward_##t##_##w, const T *x, const W *weight, double epsilon, T *y, A *inverseRms, i64 channels) { \
    BY_ROWS(T, channels, begin_whole(x, weight, y), forward, x, weight, epsilon, y, inverseRms, channels)                   \
  }                                                                                                               \
  KERNEL(256, add_forward_##t##_##w, const T *x, const T *delta, const W *weight, double epsilon, T *sum, T *y,   \
         A *inverseRms, i64 channels) {                                                                           \
    BY_ROWS(T, channels, begin_whole(x, delta, weight, sum, y), add_forward, x, delta, weight, epsilon, sum, y, inverseRms, channels) \
  }                                                                                                               \
  KERNEL(256, reapply_##t##_##w, const T *x, const W *weight, const A *inverseRms, T *y, i64 channels) {          \
    i64 first = blockIdx.x * channels;                                                                            \
    BY_ROWS(T, channels, begin_whole(x, weight, y), apply, x + first, weight, inverseRms[blockIdx.x], y + first, channels)  \
  }                                                                                                               \
  KERNEL(256, backward_input_##t##_##w, const T *dy, const T *x, const W *weight, const A *inverseRms,            \
         const T *residual, T *dx, i64 channels) {                                                                \
    BY_ROWS(T, channels, begin_whole(dy, x, weight, residual, dx), backward_input, dy, x, weight, inverseRms, residual, dx, channels) \
  }                                                                                                               \
  KERNEL(256, add_slices_##t##_##w, const A *partial, W *dw, i64 slices, i64 channels) {                          \
    add_slices(partial, dw, slices, channels);                                                                    \
  }

OF_TYPE(double, f64, double)
OF_TYPE(float, f32, float)
OF_TYPE(bf16, bf16, float)
OF_TYPES(double, f64, double, f64, double)
OF_TYPES(float, f32, float, f32, float)
OF_TYPES(bf16, bf16, bf16, bf16, float)
OF_TYPES(bf16, bf16, float, f32, float)
