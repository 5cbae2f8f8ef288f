// Kernels of the optimizer step. Scalars are FP64 and stay on the device.
#include "common.cuh"

// The tensors of a launch, by value: parameters have 4096 bytes. Block b is of the tensor t with firstBlock[t] <= b <
// firstBlock[t + 1]. TensorTable writes it.
template <int POINTERS, int MOST> struct Tensors {
  void *at[MOST][POINTERS];
  i64 elements[MOST];
  int firstBlock[MOST + 1];
  int count;
};
typedef Tensors<1, 192> Summed;
typedef Tensors<4, 88> Updated;
typedef Tensors<6, 64> Updated8Bit;

template <class TENSORS> __device__ inline int tensor_of_block(const TENSORS &tensors) {
  int first = 0, last = tensors.count - 1;
  while (first < last) {
    int middle = (first + last + 1) / 2;
    if (tensors.firstBlock[middle] <= (int)blockIdx.x) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

// partial[block] = sum of x^2 over 32768 elements of one tensor. Floor: x once.
template <class T> __device__ void sum_of_squares(const Summed &tensors, double *partial) {
  int t = tensor_of_block(tensors);
  const T *x = (const T *)tensors.at[t][0];
  i64 n = tensors.elements[t];
  i64 first = (blockIdx.x - tensors.firstBlock[t]) * 32768ll;
  i64 end = first + 32768 < n ? first + 32768 : n;
  typename Wide<T>::type squares = 0;
  for (i64 i = first + threadIdx.x; i < end; i += blockDim.x) {
    typename Wide<T>::type value = widen(x[i]);
    squares += value * value;
  }
  double sum = over_block<Sum>((double)squares, 0.0);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
  }
}

// One block, a warp for each tensor: into += sum of its partial sums, in an order that depends on their number alone, tensor after
// tensor. So it is the same however tensors are put together.
KERNEL(1024, add_partials, const double *partial, const IN_PLACE Summed tensors, double *into) {
  __shared__ double sums[sizeof(Summed::elements) / sizeof(i64)];
  int lane = threadIdx.x % 32;
  for (int t = threadIdx.x / 32; t < tensors.count; t += 32) {
    double sum = 0;
    for (int i = tensors.firstBlock[t] + lane; i < tensors.firstBlock[t + 1]; i += 32) {
      sum += partial[i];
    }
    sum = over_warp<Sum>(sum);
    if (lane == 0) {
      sums[t] = sum;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = *into;
    for (int t = 0; t < tensors.count; t++) {
      sum += sums[t];
    }
    *into = sum;
  }
}

// One thread: as PyTorch clips. A norm that is not a number stays one, so that it is seen; maximumNorm infinity clips nothing.
KERNEL(32, clip_coefficient, const double *sumOfSquares, double maximumNorm, double *norm, double *coefficient) {
  if (threadIdx.x == 0) {
    double root = sqrt(*sumOfSquares);
    double ratio = maximumNorm / (root + 1e-6);
    *norm = root;
    *coefficient = maximumNorm > 1.7976931348623157e308 ? 1 : ratio != ratio || ratio < 1 ? ratio : 1;
  }
}

// Up to four elements, at once where that can be. Those that are not there are copies of the first.
template <class T> __device__ inline Some<T, 4> read(const T *x, int count, bool atOnce) {
  if (atOnce) {
    return take<4>(x);
  }
  Some<T, 4> four;
  for (int k = 0; k < 4; k++) {
    four.at[k] = x[k < count ? k : 0];
  }
  return four;
}
template <class T> __device__ inline void write(const Some<T, 4> &four, T *x, int count, bool atOnce) {
  if (atOnce) {
    put(four, x);
    return;
  }
  for (int k = 0; k < 4; k++) {
    if (k < count) {
      x[k] = four.at[k];
    }
  }
}

// AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101), with g the gradient times *coefficient: p *= decay; m = b1 m + (1-b1) g;
// v = b2 v + (1-b2) g^2; p -= rate m / (sqrt(v) / root + epsilon). A block of 256 threads for 4096 elements of one tensor. Floor: 4
// tensors read, 3 written.
template <class T>
__device__ void adamw(const double *coefficient, const Updated &tensors, double beta1, double beta2, double rate, double root,
                      double decay, double epsilon) {
  typedef typename Wide<T>::type A;
  A factor = *coefficient, b1 = beta1, b2 = beta2, c1 = 1 - beta1, c2 = 1 - beta2, a = rate, r = root, d = decay, e = epsilon;
  int t = tensor_of_block(tensors);
  const T *gradient = (const T *)tensors.at[t][0];
  T *parameter = (T *)tensors.at[t][1], *first = (T *)tensors.at[t][2], *second = (T *)tensors.at[t][3];
  bool aligned = holds<4>(gradient) && holds<4>(parameter) && holds<4>(first) && holds<4>(second);
  i64 begin = (blockIdx.x - tensors.firstBlock[t]) * 4096ll, n = tensors.elements[t];
  i64 end = begin + 4096 < n ? begin + 4096 : n;
  for (i64 i = begin + threadIdx.x * 4; i < end; i += blockDim.x * 4) {
    int count = end - i < 4 ? end - i : 4;
    bool atOnce = aligned && count == 4;
    Some<T, 4> gs = read(gradient + i, count, atOnce), ps = read((const T *)parameter + i, count, atOnce);
    Some<T, 4> ms = read((const T *)first + i, count, atOnce), vs = read((const T *)second + i, count, atOnce);
    for (int k = 0; k < 4; k++) {
      A g = factor * widen(gs.at[k]);
      A m = b1 * widen(ms.at[k]) + c1 * g;
      A v = b2 * widen(vs.at[k]) + c2 * g * g;
      narrow(m, ms.at[k]);
      narrow(v, vs.at[k]);
      narrow(d * widen(ps.at[k]) - a * m / (sqrt(v) / r + e), ps.at[k]);
    }
    write(ms, first + i, count, atOnce);
    write(vs, second + i, count, atOnce);
    write(ps, parameter + i, count, atOnce);
  }
}

#define OF_TYPE(T, t)                                                                                                       \
  KERNEL(256, sum_of_squares_##t, const IN_PLACE Summed tensors, double *partial) {                               \
    sum_of_squares<T>(tensors, partial);                                                                                    \
  }                                                                                                                         \
  KERNEL(256, adamw_##t, const double *coefficient, const IN_PLACE Updated tensors, double beta1, double beta2,    \
         double rate, double root, double decay, double epsilon) {                                                          \
    adamw<T>(coefficient, tensors, beta1, beta2, rate, root, decay, epsilon);                                               \
  }

OF_TYPE(double, f64)
OF_TYPE(float, f32)
OF_TYPE(bf16, bf16)

// A value of the 8-bit dynamic data type (Dettmers et al. 2022, arXiv 2110.02861), as io.hirundo.kernel.DynamicMap has it: seven decades
// below 1, each with twice as many evenly spaced items as the one below, 0 and 1.
__device__ inline float dynamic_value(int quantized, bool isSigned) {
  int place = isSigned ? quantized - 127 : quantized;
  int magnitude = place < 0 ? -place : place;
  if (magnitude == 0) {
    return 0;
  }
  if (magnitude == (isSigned ? 128 : 255)) {
    return 1;
  }
  const double scales[7] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
  int item = isSigned ? magnitude : magnitude + 1, items = isSigned ? 1 : 2, decade = 0;
  while (item >= 2 * items) {
    items *= 2;
    decade++;
  }
  float value = (float)(scales[decade] * (0.1 + 0.9 * (item - items + 0.5) / items));
  return place < 0 ? -value : value;
}

// Quantizes to the nearest value; middles are between each value and the next. NaN gets the last one.
__device__ inline u8 dynamic_quantized(const float *middles, float x) {
  int low = 0;
  for (int step = 128; step > 0; step /= 2) {
    if (!(x <= middles[low + step - 1])) {
      low += step;
    }
  }
  return low;
}

// One moment's element, in FP32; a block of scale 0 has none yet.
__device__ inline float dynamic_read(const float *values, u8 quantized, float scale) { return scale == 0 ? 0 : scale * values[quantized]; }

// All threads of a block must come here: they have the same new scale, the largest magnitude.
__device__ inline float dynamic_write(const float *middles, float value, u8 *quantized) {
  float scale = over_block<Maximum>(value < 0 ? -value : value, 0.0f);
  *quantized = scale == 0 ? 0 : dynamic_quantized(middles, value / scale);
  return scale;
}

// AdamW as above, with moments in 8 bits: a block of 128 threads for 2048 elements of one tensor. It computes the lookup tables of the data types once,
// then updates 128 elements at a time, which share a scale. Floor: gradient and parameter read, parameter written, 2 bytes of moments read and written.
KERNEL(128, adamw_8bit, const double *coefficient, const IN_PLACE Updated8Bit tensors, double beta1, double beta2, double rate,
       double root, double decay, double epsilon) {
  __shared__ float values[2][256], middles[2][256];
  int thread = threadIdx.x;
  for (int quantized = thread; quantized < 256; quantized += 128) {
    values[0][quantized] = dynamic_value(quantized, true);
    values[1][quantized] = dynamic_value(quantized, false);
  }
  __syncthreads();
  for (int map = 0; map < 2; map++) {
    for (int quantized = thread; quantized < 256; quantized += 128) {
      middles[map][quantized] = quantized < 255 ? (float)(((double)values[map][quantized] + values[map][quantized + 1]) / 2) : 0;
    }
  }
  __syncthreads();
  int t = tensor_of_block(tensors);
  const float *gradient = (const float *)tensors.at[t][0];
  float *parameter = (float *)tensors.at[t][1];
  u8 *firstQuantized = (u8 *)tensors.at[t][2], *secondQuantized = (u8 *)tensors.at[t][4];
  float *firstScales = (float *)tensors.at[t][3], *secondScales = (float *)tensors.at[t][5];
  i64 begin = (i64)(blockIdx.x - tensors.firstBlock[t]) * 2048, end = begin + 2048;
  if (end > tensors.elements[t]) {
    end = tensors.elements[t];
  }
  // Elements are a multiple of 128, so all threads run the same number of iterations.
  for (i64 i = begin + thread; i < end; i += 128) {
    i64 block = i / 128;
    float g = (float)*coefficient * gradient[i];
    float m = (float)beta1 * dynamic_read(values[0], firstQuantized[i], firstScales[block]) + (float)(1 - beta1) * g;
    float v = (float)beta2 * dynamic_read(values[1], secondQuantized[i], secondScales[block]) + (float)(1 - beta2) * g * g;
    parameter[i] = (float)decay * parameter[i] - (float)rate * m / (sqrt(v) / (float)root + (float)epsilon);
    // No thread writes a scale before all have read it.
    float first = dynamic_write(middles[0], m, firstQuantized + i), second = dynamic_write(middles[1], v, secondQuantized + i);
    if (thread == 0) {
      firstScales[block] = first;
      secondScales[block] = second;
    }
  }
}

// MurmurHash3's finalizer (Appleby).
__device__ inline unsigned mixed(unsigned x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

// Stochastic rounding of N elements (Zamirai et al. 2020, arXiv 2010.06192), bit for bit as io.hirundo.kernel.optimizer.StochasticRounding has it. Element
// i is at first + (skipped + i) / columns * stride + (skipped + i) % columns of a complete tensor. Floor: both tensors once through memory. Any
// grid of 256 threads.
KERNEL(256, round_stochastically, const float *from, bf16 *to, i64 n, i64 key, i64 first, i64 skipped, i64 columns, i64 stride) {
  bool isGapless = columns == stride || columns - skipped >= n;
  for (i64 i = first_of_grid(); i < n; i += stride_of_grid()) {
    i64 place = skipped + i;
    i64 index = first + (isGapless ? place : place / columns * stride + place % columns);
    unsigned outer = (unsigned)(key >> 32) + 0x9e3779b9u * (unsigned)(index >> 32);
    unsigned random = mixed(mixed((unsigned)index + (unsigned)key) ^ outer) >> 16;
    float value = from[i];
    unsigned whole = __float_as_uint(value);
    to[i].bits = value != value ? whole >> 16 | 0x40 : (whole + random) >> 16;
  }
}
