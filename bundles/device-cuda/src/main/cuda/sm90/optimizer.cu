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
