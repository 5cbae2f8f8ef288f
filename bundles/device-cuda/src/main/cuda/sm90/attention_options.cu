// Causal grouped-query attention with a sliding window, capped scores, or another scale than 1 / sqrt(D): the kernels of attention.cu
// with other extents. A block of 128 threads for each query or each key; keys outside of the window are not read.
#include "attention_naive.cuh"

// A query sees a window of positions, its own included. Neither its first nor its last key falls from a query to the next.
struct WindowSight : Sight {
  i64 window;
  template <class E>
  __device__ WindowSight(E e, const int *starts, i64 sequence) : Sight(e, starts, sequence), window(e.window) {}
  __device__ int first(int query) const {
    i64 document = Sight::first(query), first = window ? query + causalOffset - window + 1 : 0;
    first = first > document ? first : document;
    return first < keys ? first : keys;
  }
  // How many queries see a key, or an earlier one.
  __device__ int until(int key) const {
    int low = 0, high = queries;
    while (low < high) {
      int middle = (low + high) / 2;
      first(middle) <= key ? low = middle + 1 : high = middle;
    }
    return high;
  }
};

// Without a window it is 0, without a cap the cap is 0.
struct OptionExtents : Extents {
  i64 window;
  double factor, cap;
  typedef WindowSight Seen;
  template <class A> __device__ A scale() const { return factor; }
  template <class A> __device__ A capped(A score) const { return cap ? (A)cap * tanh(score / (A)cap) : score; }
  template <class A> __device__ A slope(A capped) const { return cap ? 1 - capped / (A)cap * (capped / (A)cap) : 1; }
};

#define OPTIONS EXTENTS, i64 window, double factor, double cap
#define OF_OPTIONS                                                                                                \
  OptionExtents {                                                                                                 \
    OF_EXTENTS, window, factor, cap                                                                               \
  }

#define OF_TYPE(T, t, A)                                                                                          \
  KERNEL(128, forward_##t, OPTIONS, const T *query, const T *key, const T *value, T *output, A *logSumExp, const int *starts) { \
    forward<128>(OF_OPTIONS, blockIdx.x, query, key, value, output, logSumExp, starts);                           \
  }                                                                                                               \
  KERNEL(128, backward_query_##t, OPTIONS, const T *outputGradient, const T *query, const T *key, const T *value, \
         const T *output, const A *logSumExp, T *queryGradient, const int *starts) {                              \
    backward_query<128>(OF_OPTIONS, blockIdx.x, outputGradient, query, key, value, output, logSumExp, queryGradient, starts); \
  }                                                                                                               \
  KERNEL(128, backward_key_##t, OPTIONS, const T *outputGradient, const T *query, const T *key, const T *value,   \
         const T *output, const A *logSumExp, T *keyGradient, T *valueGradient, const int *starts) {              \
    __shared__ A scratch[2 * 128];                                                                                \
    backward_key<128>(OF_OPTIONS, blockIdx.x, outputGradient, query, key, value, output, logSumExp, keyGradient, valueGradient, \
                      starts, scratch);                                                                           \
  }

OF_TYPE(double, f64, double)
OF_TYPE(float, f32, float)
OF_TYPE(bf16, bf16, float)
