// Copies, sums and maxima over N elements. Floor: each operand once through memory. Any grid of 256 threads.
#include "common.cuh"

// into[i] = f(into[i], x[i]); four at once where both are aligned.
template <class T, class U, class F> __device__ void combine(const T *x, U *into, i64 n, F f) {
  i64 fours = holds<4>(x) && holds<4>(into) ? n / 4 : 0;
  for (i64 i = first_of_grid(); i < fours; i += stride_of_grid()) {
    Some<T, 4> a = take<4>(x + 4 * i);
    Some<U, 4> b = take<4>((const U *)into + 4 * i);
    for (int k = 0; k < 4; k++) {
      f(a.at[k], b.at[k]);
    }
    put(b, into + 4 * i);
  }
  for (i64 i = fours * 4 + first_of_grid(); i < n; i += stride_of_grid()) {
    U b = into[i];
    f(x[i], b);
    into[i] = b;
  }
}

// As combine, where nothing is read of the target.
template <class U, class F> __device__ void produce(U *into, i64 n, F f) {
  i64 fours = holds<4>(into) ? n / 4 : 0;
  for (i64 i = first_of_grid(); i < fours; i += stride_of_grid()) {
    Some<U, 4> b;
    for (int k = 0; k < 4; k++) {
      f(4 * i + k, b.at[k]);
    }
    put(b, into + 4 * i);
  }
  for (i64 i = fours * 4 + first_of_grid(); i < n; i += stride_of_grid()) {
    f(i, into[i]);
  }
}

template <class T, class U> __device__ void copy(const T *x, U *into, i64 n) {
  i64 fours = holds<4>(x) && holds<4>(into) ? n / 4 : 0;
  for (i64 i = first_of_grid(); i < fours; i += stride_of_grid()) {
    Some<T, 4> a = take<4>(x + 4 * i);
    Some<U, 4> b;
    for (int k = 0; k < 4; k++) {
      narrow(widen(a.at[k]), b.at[k]);
    }
    put(b, into + 4 * i);
  }
  for (i64 i = fours * 4 + first_of_grid(); i < n; i += stride_of_grid()) {
    narrow(widen(x[i]), into[i]);
  }
}

// Within a type: bits, whatever they mean.
template <class T> __device__ void copy_bits(const T *x, T *into, i64 n) {
  i64 fours = holds<4>(x) && holds<4>(into) ? n / 4 : 0;
  for (i64 i = first_of_grid(); i < fours; i += stride_of_grid()) {
    put(take<4>(x + 4 * i), into + 4 * i);
  }
  for (i64 i = fours * 4 + first_of_grid(); i < n; i += stride_of_grid()) {
    into[i] = x[i];
  }
}

// Rows of k elements into rows of stride elements, from a column on.
template <class T> __device__ void copy_columns(const T *x, T *into, i64 n, i64 k, i64 stride, i64 first) {
  for (i64 i = first_of_grid(); i < n; i += stride_of_grid()) {
    into[i / k * stride + first + i % k] = x[i];
  }
}

// The inverse: columns of rows of stride elements.
template <class T> __device__ void copy_from_columns(const T *x, T *into, i64 n, i64 k, i64 stride, i64 first) {
  for (i64 i = first_of_grid(); i < n; i += stride_of_grid()) {
    into[i] = x[i / k * stride + first + i % k];
  }
}

template <class T, class U> __device__ void add(const T *x, U *into, i64 n) {
  combine(x, into, n, [](T a, U &b) { narrow(widen(b) + widen(a), b); });
}

template <class T> __device__ void maximum(const T *x, T *into, i64 n) {
  combine(x, into, n, [](T a, T &b) { narrow(Maximum::of(widen(b), widen(a)), b); });
}

template <class T> __device__ void scale(T *x, i64 n, double factor) {
  typename Wide<T>::type f = factor;
  combine(x, x, n, [f](T, T &b) { narrow(widen(b) * f, b); });
}

#define OF_TYPE(T, t)                                                                                             \
  KERNEL(256, fill_##t, T *x, i64 n, double value) {                                                              \
    produce(x, n, [value](i64, T &y) { narrow(value, y); });                                                      \
  }
#define OF_ARITHMETIC(T, t)                                                                                       \
  OF_TYPE(T, t)                                                                                                   \
  KERNEL(256, add_##t##_##t, const T *x, T *into, i64 n) { add(x, into, n); }                                     \
  KERNEL(256, maximum_##t, const T *x, T *into, i64 n) { maximum(x, into, n); }                                   \
  KERNEL(256, scale_##t, T *x, i64 n, double factor) { scale(x, n, factor); }
#define OF_PAIR(T, t, U, u)                                                                                       \
  KERNEL(256, copy_##t##_##u, const T *x, U *into, i64 n) { copy(x, into, n); }                                   \
  KERNEL(256, copy_##u##_##t, const U *x, T *into, i64 n) { copy(x, into, n); }

#define OF_SIZE(T, bytes)                                                                                         \
  KERNEL(256, copy_bytes##bytes, const T *x, T *into, i64 n) { copy_bits(x, into, n); }                           \
  KERNEL(256, copy_columns##bytes, const T *x, T *into, i64 n, i64 k, i64 stride, i64 first) {                    \
    copy_columns(x, into, n, k, stride, first);                                                                   \
  }                                                                                                               \
  KERNEL(256, copy_from_columns##bytes, const T *x, T *into, i64 n, i64 k, i64 stride, i64 first) {               \
    copy_from_columns(x, into, n, k, stride, first);                                                              \
  }

OF_SIZE(unsigned long long, 8)
OF_SIZE(unsigned, 4)
OF_SIZE(unsigned short, 2)
OF_SIZE(u8, 1)
OF_ARITHMETIC(double, f64)
OF_ARITHMETIC(float, f32)
OF_ARITHMETIC(bf16, bf16)
OF_TYPE(e4m3, e4m3)
OF_TYPE(e5m2, e5m2)

KERNEL(256, fill_i32, int *x, i64 n, double value) {
  produce(x, n, [value](i64, int &y) { y = (int)value; });
}
KERNEL(256, add_bf16_f32, const bf16 *x, float *into, i64 n) { add(x, into, n); }

OF_PAIR(double, f64, float, f32)
OF_PAIR(double, f64, bf16, bf16)
OF_PAIR(double, f64, e4m3, e4m3)
OF_PAIR(double, f64, e5m2, e5m2)
OF_PAIR(float, f32, bf16, bf16)
OF_PAIR(float, f32, e4m3, e4m3)
OF_PAIR(float, f32, e5m2, e5m2)
OF_PAIR(bf16, bf16, e4m3, e4m3)
OF_PAIR(bf16, bf16, e5m2, e5m2)
OF_PAIR(e4m3, e4m3, e5m2, e5m2)
