// Kernels of the optimizer step. Scalars are FP64 and stay on the device.
#include "common.cuh"

// partial[block] = sum of x^2 over the block's 32768 elements. Floor: x once.
template <class T> __device__ void sum_of_squares(const T *x, i64 n, double *partial) {
  i64 first = blockIdx.x * 32768ll;
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

// One block: into += sum of the partial sums, in an order that depends on their number alone.
KERNEL(256, add_partials, const double *partial, i64 count, double *into) {
  double sum = 0;
  for (i64 i = threadIdx.x; i < count; i += blockDim.x) {
    sum += partial[i];
  }
  sum = over_block<Sum>(sum, 0.0);
  if (threadIdx.x == 0) {
    *into += sum;
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

// AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101), with g the gradient times *coefficient: p *= decay; m = b1 m + (1-b1) g;
// v = b2 v + (1-b2) g^2; p -= rate m / (sqrt(v) / root + epsilon). Floor: 4 tensors read, 3 written.
template <class T>
__device__ void adamw(const double *coefficient, const T *gradient, T *parameter, T *first, T *second, i64 n, double beta1,
                      double beta2, double rate, double root, double decay, double epsilon) {
  typedef typename Wide<T>::type A;
  A factor = *coefficient, b1 = beta1, b2 = beta2, c1 = 1 - beta1, c2 = 1 - beta2, a = rate, r = root, d = decay, e = epsilon;
  for (i64 i = first_of_grid(); i < n; i += stride_of_grid()) {
    A g = factor * widen(gradient[i]);
    A m = b1 * widen(first[i]) + c1 * g;
    A v = b2 * widen(second[i]) + c2 * g * g;
    narrow(m, first[i]);
    narrow(v, second[i]);
    narrow(d * widen(parameter[i]) - a * m / (sqrt(v) / r + e), parameter[i]);
  }
}

#define OF_TYPE(T, t)                                                                                             \
  KERNEL(256, sum_of_squares_##t, const T *x, i64 n, double *partial) { sum_of_squares(x, n, partial); }          \
  KERNEL(256, adamw_##t, const double *coefficient, const T *gradient, T *parameter, T *first, T *second, i64 n,  \
         double beta1, double beta2, double rate, double root, double decay, double epsilon) {                    \
    adamw(coefficient, gradient, parameter, first, second, n, beta1, beta2, rate, root, decay, epsilon);          \
  }

OF_TYPE(double, f64)
OF_TYPE(float, f32)
OF_TYPE(bf16, bf16)
