// Soft caps of N logits: x = cap tanh(x / cap), and dy *= 1 - (capped / cap)^2. Floor: each operand once through memory. Any grid of 256
// threads.
#include "common.cuh"

template <class A, class T> __device__ void cap(T *x, i64 n, A cap) {
  for (i64 i = first_of_grid(); i < n; i += stride_of_grid()) {
    narrow(cap * tanh((A)widen(x[i]) / cap), x[i]);
  }
}

template <class A, class T> __device__ void gradient(const T *capped, T *dy, i64 n, A cap) {
  for (i64 i = first_of_grid(); i < n; i += stride_of_grid()) {
    A share = (A)widen(capped[i]) / cap;
    narrow((A)widen(dy[i]) * (1 - share * share), dy[i]);
  }
}

#define OF_TYPE(T, t, A)                                                                                          \
  KERNEL(256, cap_##t, T *x, i64 n, double value) { cap(x, n, (A)value); }                                        \
  KERNEL(256, gradient_##t, const T *capped, T *dy, i64 n, double value) { gradient(capped, dy, n, (A)value); }

OF_TYPE(double, f64, double)
OF_TYPE(float, f32, float)
OF_TYPE(bf16, bf16, float)
