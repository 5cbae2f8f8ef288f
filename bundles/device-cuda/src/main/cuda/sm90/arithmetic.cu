// Elementwise arithmetic of optimizers over N elements. Floor: each operand once through memory. Any grid of 256 threads.
#include "common.cuh"

// y[i] = f(x[i], y[i]); four at once where both are aligned. x may be y. READS: whether the old y is read.
template <bool READS, class T, class F> __device__ void combine(const T *x, T *y, i64 n, F f) {
  typedef typename Wide<T>::type A;
  i64 fours = holds<4>(x) && holds<4>(y) ? n / 4 : 0;
  for (i64 i = first_of_grid(); i < fours; i += stride_of_grid()) {
    Some<T, 4> a = take<4>(x + 4 * i), b = a;
    if (READS) {
      b = take<4>((const T *)y + 4 * i);
    }
    for (int k = 0; k < 4; k++) {
      narrow(f((A)widen(a.at[k]), (A)widen(b.at[k])), b.at[k]);
    }
    put(b, y + 4 * i);
  }
  for (i64 i = fours * 4 + first_of_grid(); i < n; i += stride_of_grid()) {
    A a = widen(x[i]);
    narrow(f(a, READS ? (A)widen(y[i]) : a), y[i]);
  }
}

// y = a scalar x + b y, in the type that sums are made in. Without a scalar: a null pointer.
template <class T> __device__ void axpby(const T *x, T *y, i64 n, double value, const double *scalar, double kept) {
  typedef typename Wide<T>::type A;
  A a = scalar ? value * *scalar : value, b = kept;
  if (kept == 0) {
    combine<false>(x, y, n, [a](A x, A) { return a * x; });
  } else {
    combine<true>(x, y, n, [a, b](A x, A y) { return a * x + b * y; });
  }
}

#define OF_TYPE(T, t, A)                                                                                          \
  KERNEL(256, axpby_##t, const T *x, T *y, i64 n, double value, const double *scalar, double kept) {              \
    axpby(x, y, n, value, scalar, kept);                                                                          \
  }                                                                                                               \
  KERNEL(256, multiply_##t, const T *x, T *y, i64 n) {                                                            \
    combine<true>(x, y, n, [](A x, A y) { return y * x; });                                                       \
  }                                                                                                               \
  KERNEL(256, divide_##t, const T *x, T *y, i64 n, double value) {                                                \
    A epsilon = value;                                                                                            \
    combine<true>(x, y, n, [epsilon](A x, A y) { return y / (x + epsilon); });                                    \
  }                                                                                                               \
  KERNEL(256, square_root_##t, T *x, i64 n) {                                                                     \
    combine<false>(x, x, n, [](A x, A) { return sqrt(x); });                                                      \
  }                                                                                                               \
  KERNEL(256, sign_##t, T *x, i64 n) {                                                                            \
    combine<false>(x, x, n, [](A x, A) { return x > 0 ? (A)1 : x < 0 ? (A)-1 : x; });                             \
  }

OF_TYPE(double, f64, double)
OF_TYPE(float, f32, float)
OF_TYPE(bf16, bf16, float)
