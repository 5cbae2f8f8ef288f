// Causal grouped-query attention, a query or a key at a time: what a block of THREADS does for one row, keys or queries in tiles of
// as many. No tensor cores: right, and slow. With s_j = q.k_j / sqrt(D) over the keys j that a query sees, L = log sum exp(s),
// p_j = exp(s_j - L): o = sum p_j v_j; dv_j = sum p_j do; ds_j = p_j (do.v_j - do.o); dq = sum ds_j k_j / sqrt(D);
// dk_j = sum ds_j q / sqrt(D) (Dao 2023, arXiv 2307.08691). q and dq [B,H,S,D], k and v [B,G,K,D], o and do [B S, H D], L [B,H,S].
// D is at most 512. E is Extents, or those with options (attention_options.cu): then s_j becomes capped(s_j), and ds_j takes its
// slope. Functions of their own, so that kernels that seldom call them keep their registers for themselves.
#pragma once
#include "common.cuh"

struct Sight;

struct Extents {
  i64 heads, keyHeads, queries, keys, dim, causalOffset, firstKey;
  typedef Sight Seen;
  template <class A> __device__ A scale() const { return 1 / sqrt((A)dim); }
  // A score as the softmax takes it, and its derivative there.
  template <class A> __device__ A capped(A score) const { return score; }
  template <class A> __device__ A slope(A capped) const { return 1; }
};

// The extents as parameters of a kernel, and back.
#define EXTENTS i64 heads, i64 keyHeads, i64 queries, i64 keys, i64 dim, i64 causalOffset, i64 firstKey
#define OF_EXTENTS                                                                                                \
  Extents { heads, keyHeads, queries, keys, dim, causalOffset, firstKey }

// A query of a head of a sequence: its row in [B,H,S], and what belongs to it.
struct Place {
  i64 row, sequence, head, query;
  __device__ Place(Extents e, i64 row)
      : row(row), sequence(row / (e.heads * e.queries)), head(row / e.queries % e.heads), query(row % e.queries) {}
  __device__ i64 output(Extents e) const { return ((sequence * e.queries + query) * e.heads + head) * e.dim; }
  __device__ i64 keys(Extents e) const {
    return (sequence * e.keyHeads + head / (e.heads / e.keyHeads)) * e.keys * e.dim;
  }
};

// What the queries of a sequence see: keys from a query's first to its end, none where that comes first. Neither falls from a query
// to the next.
struct Sight {
  const int *starts;
  i64 causalOffset, firstKey;
  int queries, keys;
  __device__ Sight(Extents e, const int *starts, i64 sequence)
      : starts(starts ? starts + sequence * e.queries : starts), causalOffset(e.causalOffset), firstKey(e.firstKey),
        queries(e.queries), keys(e.keys) {}
  __device__ int first(int query) const { return starts && starts[query] > firstKey ? starts[query] - firstKey : 0; }
  __device__ int end(int query) const {
    i64 end = query + causalOffset + 1;
    return end < 0 ? 0 : end < keys ? end : keys;
  }
  // The first query that comes late enough for a key.
  __device__ int from(int key) const {
    i64 from = key - causalOffset;
    return from < 0 ? 0 : from < queries ? from : queries;
  }
  // How many queries are of a key's document, or an earlier one.
  __device__ int until(int key) const {
    int low = 0, high = queries;
    while (starts && low < high) {
      int middle = (low + high) / 2;
      first(middle) <= key ? low = middle + 1 : high = middle;
    }
    return high;
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
template <int THREADS, class A, class T>
__device__ void add_rows(A *sums, const A *factors, const T *rows, i64 count, i64 stride, i64 dim) {
  for (int k = 0; k < 512 / THREADS; k++) {
    i64 d = threadIdx.x + THREADS * k;
    for (i64 i = 0; i < count && d < dim; i++) {
      sums[k] += factors[i] * (A)widen(rows[i * stride + d]);
    }
  }
}

template <int THREADS, class A, class T> __device__ void store(const A *sums, A factor, T *row, i64 dim) {
  for (int k = 0; k < 512 / THREADS; k++) {
    i64 d = threadIdx.x + THREADS * k;
    if (d < dim) {
      narrow(sums[k] * factor, row[d]);
    }
  }
}

template <int THREADS, class E, class T, class A>
__noinline__ __device__ void forward(E e, i64 row, const T *query, const T *key, const T *value, T *output, A *logSumExp,
                                     const int *starts) {
  __shared__ A p[THREADS];
  Place place(e, row);
  typename E::Seen sight(e, starts, place.sequence);
  const T *q = query + place.row * e.dim, *k = key + place.keys(e), *v = value + place.keys(e);
  A scale = e.template scale<A>(), largest = -CUDA_INFINITY, sum = 0, o[512 / THREADS] = {};
  i64 end = sight.end(place.query);
  for (i64 tile = sight.first(place.query); tile < end; tile += THREADS) {
    i64 j = tile + threadIdx.x;
    A score = j < end ? e.capped(dot<A>(q, k + j * e.dim, e.dim) * scale) : (A)-CUDA_INFINITY;
    A now = Maximum::of(largest, over_block<Maximum>(score, (A)-CUDA_INFINITY));
    A mine = j < end ? exp(score - now) : 0, before = exp(largest - now);
    p[threadIdx.x] = mine;
    sum = sum * before + over_block<Sum>(mine, (A)0);
    for (int i = 0; i < 512 / THREADS; i++) {
      o[i] *= before;
    }
    add_rows<THREADS>(o, p, v + tile * e.dim, end - tile < THREADS ? end - tile : THREADS, e.dim, e.dim);
    largest = now;
    __syncthreads();
  }
  store<THREADS>(o, sum == 0 ? 0 : 1 / sum, output + place.output(e), e.dim);
  if (threadIdx.x == 0) {
    logSumExp[place.row] = largest + log(sum);
  }
}

template <int THREADS, class E, class T, class A>
__noinline__ __device__ void backward_query(E e, i64 row, const T *outputGradient, const T *query, const T *key,
                                            const T *value, const T *output, const A *logSumExp, T *queryGradient,
                                            const int *starts) {
  __shared__ A ds[THREADS];
  Place place(e, row);
  typename E::Seen sight(e, starts, place.sequence);
  const T *q = query + place.row * e.dim, *k = key + place.keys(e), *v = value + place.keys(e);
  const T *gradient = outputGradient + place.output(e);
  A scale = e.template scale<A>(), dq[512 / THREADS] = {}, mine = logSumExp[place.row];
  A delta = dot<A>(gradient, output + place.output(e), e.dim);
  i64 end = sight.end(place.query);
  for (i64 tile = sight.first(place.query); tile < end; tile += THREADS) {
    i64 j = tile + threadIdx.x;
    if (j < end) {
      A score = e.capped(dot<A>(q, k + j * e.dim, e.dim) * scale);
      A p = exp(score - mine);
      ds[threadIdx.x] = p * (dot<A>(gradient, v + j * e.dim, e.dim) - delta) * e.slope(score);
    }
    __syncthreads();
    add_rows<THREADS>(dq, ds, k + tile * e.dim, end - tile < THREADS ? end - tile : THREADS, e.dim, e.dim);
    __syncthreads();
  }
  store<THREADS>(dq, scale, queryGradient + place.row * e.dim, e.dim);
}

// Scratch, in shared memory: for two values of each thread.
template <int THREADS, class E, class T, class A>
__noinline__ __device__ void backward_key(E e, i64 row, const T *outputGradient, const T *query, const T *key, const T *value,
                                          const T *output, const A *logSumExp, T *keyGradient, T *valueGradient,
                                          const int *starts, A *scratch) {
  A *ps = scratch, *ds = scratch + THREADS;
  i64 j = row % e.keys, keyHead = row / e.keys % e.keyHeads, sequence = row / (e.keys * e.keyHeads);
  const T *k = key + row * e.dim, *v = value + row * e.dim;
  typename E::Seen sight(e, starts, sequence);
  i64 group = e.heads / e.keyHeads, endQuery = sight.until(j);
  A scale = e.template scale<A>(), dk[512 / THREADS] = {}, dv[512 / THREADS] = {};
  for (i64 head = keyHead * group; head < (keyHead + 1) * group; head++) {
    Place head0(e, (sequence * e.heads + head) * e.queries);
    for (i64 tile = sight.from(j); tile < endQuery; tile += THREADS) {
      i64 i = tile + threadIdx.x;
      if (i < endQuery) {
        Place place(e, head0.row + i);
        const T *gradient = outputGradient + place.output(e);
        A score = e.capped(dot<A>(query + place.row * e.dim, k, e.dim) * scale);
        A p = exp(score - logSumExp[place.row]);
        ps[threadIdx.x] = p;
        ds[threadIdx.x] = p * (dot<A>(gradient, v, e.dim) - dot<A>(gradient, output + place.output(e), e.dim)) * e.slope(score);
      }
      __syncthreads();
      i64 count = endQuery - tile < THREADS ? endQuery - tile : THREADS;
      add_rows<THREADS>(dk, ds, query + (head0.row + tile) * e.dim, count, e.dim, e.dim);
      add_rows<THREADS>(dv, ps, outputGradient + head0.output(e) + tile * e.heads * e.dim, count, e.heads * e.dim, e.dim);
      __syncthreads();
    }
  }
  store<THREADS>(dk, scale, keyGradient + row * e.dim, e.dim);
  store<THREADS>(dv, (A)1, valueGradient + row * e.dim, e.dim);
}
