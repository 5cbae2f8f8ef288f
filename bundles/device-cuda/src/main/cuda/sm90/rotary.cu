// Rotary embedding (Su et al. 2021, arXiv 2104.09864; pairs (d, d + D/2)) with the split of the fused projection qkv[T,E] into
// heads, and back. A block of 128 threads for each token. Floors: qkv once, the heads once. A position outside of the tables gives NaN.
#include "common.cuh"

struct Heads {
  i64 query, keyValue, dim, sequenceTokens;
};

// Where the head of a token begins in the heads-major tensors: [B, heads, S, D].
template <class T> __device__ T *split_row(Heads heads, i64 token, i64 head, T *query, T *key, T *value) {
  bool isQuery = head < heads.query;
  T *base = isQuery ? query : head < heads.query + heads.keyValue ? key : value;
  i64 count = isQuery ? heads.query : heads.keyValue;
  i64 index = isQuery ? head : (head - heads.query) % heads.keyValue;
  i64 sequence = token / heads.sequenceTokens;
  return base + ((sequence * count + index) * heads.sequenceTokens + token % heads.sequenceTokens) * heads.dim;
}

// direction 1 forth (fused to split), -1 back (split to fused).
template <int N, class T, class C>
__device__ void rotate(int direction, Heads heads, T *fused, T *query, T *key, T *value, const C *cos, const C *sin, const int *positions, i64 tableRows) {
  typedef typename Wide<T>::type A;
  i64 all = heads.query + 2 * heads.keyValue, half = heads.dim / 2, token = blockIdx.x, position = positions[token];
  int ofHead = (int)(half / N);
  bool known = position >= 0 && position < tableRows;
  for (int i = threadIdx.x; i < all * ofHead; i += blockDim.x) {
    i64 head = i / ofHead, d = i % ofHead * N;
    T *there = split_row(heads, token, head, query, key, value) + d;
    T *here = fused + (token * all + head) * heads.dim + d;
    T *from = direction > 0 ? here : there, *to = direction > 0 ? there : here;
    Some<T, N> xs = take<N>(from), ys = take<N>(from + half);
    if (head < heads.query + heads.keyValue) {
      Some<C, N> coss = {}, sins = {};
      if (known) {
        coss = take<N>(cos + position * half + d);
        sins = take<N>(sin + position * half + d);
      }
      for (int k = 0; k < N; k++) {
        A nothing = CUDA_INFINITY - CUDA_INFINITY;
        A c = known ? (A)widen(coss.at[k]) : nothing, s = known ? (A)widen(sins.at[k]) * direction : nothing;
        A x = widen(xs.at[k]), y = widen(ys.at[k]);
        narrow(x * c - y * s, xs.at[k]);
        narrow(y * c + x * s, ys.at[k]);
      }
    }
    put(xs, to);
    put(ys, to + half);
  }
}

#define ROTATE(name, direction, T, C)                                                                             \
  KERNEL(128, name, i64 queryHeads, i64 keyHeads, i64 dim, i64 sequenceTokens, T *fused, T *query, T *key, T *value, \
         const C *cos, const C *sin, const int *positions, i64 tableRows) {                                       \
    Heads heads{queryHeads, keyHeads, dim, sequenceTokens};                                                       \
    BY_ROWS(T, dim / 2, begin_whole(fused, query, key, value, cos, sin), rotate, direction, heads, fused, query, key, value, \
            cos, sin, positions, tableRows)                                                                       \
  }
#define OF_TYPES(T, t, C, c)                                                                                      \
  ROTATE(split_and_rotate_##t##_##c, 1, T, C)                                                                     \
  ROTATE(rotate_back_and_join_##t##_##c, -1, T, C)

OF_TYPES(double, f64, double, f64)
OF_TYPES(double, f64, float, f32)
OF_TYPES(float, f32, float, f32)
OF_TYPES(bf16, bf16, bf16, bf16)
OF_TYPES(bf16, bf16, float, f32)
