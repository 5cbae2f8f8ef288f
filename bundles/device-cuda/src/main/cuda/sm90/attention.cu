// Causal grouped-query attention, the naive twin: a block of 128 threads for each query (forward, and the gradient of queries) or
// each key (the gradient of keys and values). No atomics: the same bits each time. attention_naive.cuh says what is computed.
#include "attention_naive.cuh"

// output = exp(l - s) output + exp(k - s) part with s = log(exp(l) + exp(k)), which l becomes. A block for each head of a token.
template <class T, class A>
__device__ void merge(i64 heads, i64 queries, i64 dim, const T *part, const A *partLogSumExp, T *output, A *logSumExp) {
  i64 token = blockIdx.x / heads, head = blockIdx.x % heads;
  i64 row = (token / queries * heads + head) * queries + token % queries, first = blockIdx.x * dim;
  A before = logSumExp[row], further = partLogSumExp[row];
  A e = exp(before > further ? further - before : before - further), larger = 1 / (1 + e), smaller = e * larger;
  bool isFirst = before == -CUDA_INFINITY, isNothing = further == -CUDA_INFINITY;
  A ofPart = isFirst ? 1 : isNothing ? 0 : further > before ? larger : smaller;
  for (i64 d = threadIdx.x; d < dim && (isFirst || !isNothing); d += blockDim.x) {
    A so = isFirst ? 0 : (further > before ? smaller : larger) * widen(output[first + d]);
    narrow(so + ofPart * widen(part[first + d]), output[first + d]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    logSumExp[row] = isFirst ? further : isNothing ? before : (before > further ? before : further) + log(1 + e);
  }
}

#define OF_TYPE(T, t, A)                                                                                          \
  KERNEL(128, forward_##t, EXTENTS, const T *query, const T *key, const T *value, T *output, A *logSumExp, const int *starts) { \
    forward<128>(OF_EXTENTS, blockIdx.x, query, key, value, output, logSumExp, starts);                           \
  }                                                                                                               \
  KERNEL(128, backward_query_##t, EXTENTS, const T *outputGradient, const T *query, const T *key, const T *value, \
         const T *output, const A *logSumExp, T *queryGradient, const int *starts) {                              \
    backward_query<128>(OF_EXTENTS, blockIdx.x, outputGradient, query, key, value, output, logSumExp, queryGradient, starts); \
  }                                                                                                               \
  KERNEL(128, backward_key_##t, EXTENTS, const T *outputGradient, const T *query, const T *key, const T *value,   \
         const T *output, const A *logSumExp, T *keyGradient, T *valueGradient, const int *starts) {              \
    __shared__ A scratch[2 * 128];                                                                                \
    backward_key<128>(OF_EXTENTS, blockIdx.x, outputGradient, query, key, value, output, logSumExp, keyGradient, valueGradient, \
                      starts, scratch);                                                                           \
  }                                                                                                               \
  KERNEL(128, merge_##t, i64 heads, i64 queries, i64 dim, const T *part, const A *partLogSumExp, T *output, A *logSumExp) { \
    merge(heads, queries, dim, part, partLogSumExp, output, logSumExp);                                           \
  }

OF_TYPE(double, f64, double)
OF_TYPE(float, f32, float)
OF_TYPE(bf16, bf16, float)
