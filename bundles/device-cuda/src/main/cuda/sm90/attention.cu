// Causal grouped-query attention, the naive twin: a block of 128 threads for each query (forward, and the gradient of queries) or
// each key (the gradient of keys and values), keys or queries in tiles of 128. No tensor cores: right, and slow. No atomics: the
// same bits each time. With s_j = q.k_j / sqrt(D) over the keys j that a query sees, L = log sum exp(s), p_j = exp(s_j - L):
// o = sum p_j v_j; dv_j = sum p_j do; ds_j = p_j (do.v_j - do.o); dq = sum ds_j k_j / sqrt(D); dk_j = sum ds_j q / sqrt(D)
// (Dao 2023, arXiv 2307.08691). q and dq [B,H,S,D], k and v [B,G,K,D], o and do [B S, H D], L [B,H,S]. D is at most 512.
#include "common.cuh"

struct Extents {
  i64 heads, keyHeads, queries, keys, dim, causalOffset, firstKey;
};

// A query of a head of a sequence: its row in [B,H,S], and what belongs to it.
struct Place {
  i64 row, sequence, head, query;
  __device__ Place(Extents e, i64 row)
      : row(row), sequence(row / (e.heads * e.queries)), head(row / e.queries % e.heads), query(row % e.queries) {}
  __device__ i64 output(Extents e) const { return ((sequence * e.queries + query) * e.heads + head) * e.dim; }
  __device__ i64 keys(Extents e) const {
    return (sequence * e.keyHeads + head / (e.heads / e.keyHeads)) * e.keys * e.dim;
  }
  __device__ i64 first(Extents e, const int *starts) const {
    i64 first = starts ? starts[sequence * e.queries + query] - e.firstKey : 0;
    return first > 0 ? first : 0;
  }
  __device__ i64 end(Extents e) const {
    i64 end = query + e.causalOffset + 1;
    return end < 0 ? 0 : end < e.keys ? end : e.keys;
  }
};

template <class A, class T, class U> __device__ A dot(const T *a, const U *b, i64 dim) {
  A sum = 0;
  for (i64 d = 0; d < dim; d++) {
    sum += (A)widen(a[d]) * (A)widen(b[d]);
  }
  return sum;
}

// sums[k] += sum over count of factors[i] rows[i][d], for this thread's channels d.
template <class A, class T> __device__ void add_rows(A *sums, const A *factors, const T *rows, i64 count, i64 stride, i64 dim) {
  for (int k = 0; k < 4; k++) {
    i64 d = threadIdx.x + 128 * k;
    for (i64 i = 0; i < count && d < dim; i++) {
      sums[k] += factors[i] * (A)widen(rows[i * stride + d]);
    }
  }
}

template <class A, class T> __device__ void store(const A *sums, A factor, T *row, i64 dim) {
  for (int k = 0; k < 4; k++) {
    i64 d = threadIdx.x + 128 * k;
    if (d < dim) {
      narrow(sums[k] * factor, row[d]);
    }
  }
}

template <class T, class A>
__device__ void forward(Extents e, const T *query, const T *key, const T *value, T *output, A *logSumExp, const int *starts) {
  __shared__ A p[128];
  Place place(e, blockIdx.x);
  const T *q = query + place.row * e.dim, *k = key + place.keys(e), *v = value + place.keys(e);
  A scale = 1 / sqrt((A)e.dim), largest = -CUDA_INFINITY, sum = 0, o[4] = {0, 0, 0, 0};
  i64 end = place.end(e);
  for (i64 tile = place.first(e, starts); tile < end; tile += 128) {
    i64 j = tile + threadIdx.x;
    A score = j < end ? dot<A>(q, k + j * e.dim, e.dim) * scale : -CUDA_INFINITY;
    A now = Maximum::of(largest, over_block<Maximum>(score, (A)-CUDA_INFINITY));
    A mine = j < end ? exp(score - now) : 0, before = exp(largest - now);
    p[threadIdx.x] = mine;
    sum = sum * before + over_block<Sum>(mine, (A)0);
    for (int i = 0; i < 4; i++) {
      o[i] *= before;
    }
    add_rows(o, p, v + tile * e.dim, end - tile < 128 ? end - tile : 128, e.dim, e.dim);
    largest = now;
    __syncthreads();
  }
  store(o, sum == 0 ? 0 : 1 / sum, output + place.output(e), e.dim);
  if (threadIdx.x == 0) {
    logSumExp[place.row] = largest + log(sum);
  }
}

template <class T, class A>
__device__ void backward_query(Extents e, const T *outputGradient, const T *query, const T *key, const T *value, const T *output,
                               const A *logSumExp, T *queryGradient, const int *starts) {
  __shared__ A ds[128];
  Place place(e, blockIdx.x);
  const T *q = query + place.row * e.dim, *k = key + place.keys(e), *v = value + place.keys(e);
  const T *gradient = outputGradient + place.output(e);
  A scale = 1 / sqrt((A)e.dim), dq[4] = {0, 0, 0, 0}, mine = logSumExp[place.row];
  A delta = dot<A>(gradient, output + place.output(e), e.dim);
  i64 end = place.end(e);
  for (i64 tile = place.first(e, starts); tile < end; tile += 128) {
    i64 j = tile + threadIdx.x;
    if (j < end) {
      A p = exp(dot<A>(q, k + j * e.dim, e.dim) * scale - mine);
      ds[threadIdx.x] = p * (dot<A>(gradient, v + j * e.dim, e.dim) - delta);
    }
    __syncthreads();
    add_rows(dq, ds, k + tile * e.dim, end - tile < 128 ? end - tile : 128, e.dim, e.dim);
    __syncthreads();
  }
  store(dq, scale, queryGradient + place.row * e.dim, e.dim);
}

template <class T, class A>
__device__ void backward_key(Extents e, const T *outputGradient, const T *query, const T *key, const T *value, const T *output,
                             const A *logSumExp, T *keyGradient, T *valueGradient, const int *starts) {
  __shared__ A ps[128], ds[128];
  i64 own = blockIdx.x, j = own % e.keys, keyHead = own / e.keys % e.keyHeads, sequence = own / (e.keys * e.keyHeads);
  const T *k = key + own * e.dim, *v = value + own * e.dim;
  i64 group = e.heads / e.keyHeads, firstQuery = j - e.causalOffset > 0 ? j - e.causalOffset : 0;
  A scale = 1 / sqrt((A)e.dim), dk[4] = {0, 0, 0, 0}, dv[4] = {0, 0, 0, 0};
  for (i64 head = keyHead * group; head < (keyHead + 1) * group; head++) {
    Place head0(e, (sequence * e.heads + head) * e.queries);
    for (i64 tile = firstQuery; tile < e.queries; tile += 128) {
      i64 i = tile + threadIdx.x;
      A p = 0, d = 0;
      if (i < e.queries) {
        Place place(e, head0.row + i);
        if (j >= place.first(e, starts)) {
          const T *gradient = outputGradient + place.output(e);
          p = exp(dot<A>(query + place.row * e.dim, k, e.dim) * scale - logSumExp[place.row]);
          d = p * (dot<A>(gradient, v, e.dim) - dot<A>(gradient, output + place.output(e), e.dim));
        }
      }
      ps[threadIdx.x] = p;
      ds[threadIdx.x] = d;
      __syncthreads();
      i64 count = e.queries - tile < 128 ? e.queries - tile : 128;
      add_rows(dk, ds, query + (head0.row + tile) * e.dim, count, e.dim, e.dim);
      add_rows(dv, ps, outputGradient + head0.output(e) + tile * e.heads * e.dim, count, e.heads * e.dim, e.dim);
      __syncthreads();
    }
  }
  store(dk, scale, keyGradient + own * e.dim, e.dim);
  store(dv, (A)1, valueGradient + own * e.dim, e.dim);
}

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

#define EXTENTS i64 heads, i64 keyHeads, i64 queries, i64 keys, i64 dim, i64 causalOffset, i64 firstKey
#define OF_EXTENTS                                                                                                \
  Extents { heads, keyHeads, queries, keys, dim, causalOffset, firstKey }
#define OF_TYPE(T, t, A)                                                                                          \
  KERNEL(128, forward_##t, EXTENTS, const T *query, const T *key, const T *value, T *output, A *logSumExp, const int *starts) { \
    forward(OF_EXTENTS, query, key, value, output, logSumExp, starts);                                            \
  }                                                                                                               \
  KERNEL(128, backward_query_##t, EXTENTS, const T *outputGradient, const T *query, const T *key, const T *value, \
         const T *output, const A *logSumExp, T *queryGradient, const int *starts) {                              \
    backward_query(OF_EXTENTS, outputGradient, query, key, value, output, logSumExp, queryGradient, starts);      \
  }                                                                                                               \
  KERNEL(128, backward_key_##t, EXTENTS, const T *outputGradient, const T *query, const T *key, const T *value,   \
         const T *output, const A *logSumExp, T *keyGradient, T *valueGradient, const int *starts) {              \
    backward_key(OF_EXTENTS, outputGradient, query, key, value, output, logSumExp, keyGradient, valueGradient, starts); \
  }                                                                                                               \
  KERNEL(128, merge_##t, i64 heads, i64 queries, i64 dim, const T *part, const A *partLogSumExp, T *output, A *logSumExp) { \
    merge(heads, queries, dim, part, partLogSumExp, output, logSumExp);                                           \
  }

OF_TYPE(double, f64, double)
OF_TYPE(float, f32, float)
OF_TYPE(bf16, bf16, float)
