// Rotary embedding (Su et al. 2021, arXiv 2104.09864; pairs (d, d + D/2)) with the split of the fused projection qkv[T,E] into
// heads, and back; and joining attention over further keys. A block of 128 threads for each head of each token. Floors: qkv once,
// the heads once. A position outside of the tables gives what is not a number.
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
template <int DIRECTION, class T, class C>
__device__ void rotate(Heads heads, T *fused, T *query, T *key, T *value, const C *cos, const C *sin, const int *positions, i64 tableRows) {
  typedef typename Wide<T>::type A;
  i64 all = heads.query + 2 * heads.keyValue;
  i64 token = blockIdx.x / all, head = blockIdx.x % all;
  T *there = split_row(heads, token, head, query, key, value);
  T *here = fused + (i64)blockIdx.x * heads.dim;
  T *from = DIRECTION > 0 ? here : there, *to = DIRECTION > 0 ? there : here;
  bool rotated = head < heads.query + heads.keyValue;
  i64 half = heads.dim / 2, position = positions[token];
  bool known = position >= 0 && position < tableRows;
  for (i64 d = threadIdx.x; d < half; d += blockDim.x) {
    if (rotated) {
      A nothing = CUDA_INFINITY - CUDA_INFINITY;
      A c = known ? (A)widen(cos[position * half + d]) : nothing, s = known ? (A)widen(sin[position * half + d]) * DIRECTION : nothing;
      A x = widen(from[d]), y = widen(from[d + half]);
      narrow(x * c - y * s, to[d]);
      narrow(y * c + x * s, to[d + half]);
    } else {
      to[d] = from[d];
      to[d + half] = from[d + half];
    }
  }
}

#define OF_TYPES(T, t, C, c)                                                                                      \
  KERNEL(128, split_and_rotate_##t##_##c, i64 queryHeads, i64 keyHeads, i64 dim, i64 sequenceTokens, T *fused, T *query, \
         T *key, T *value, const C *cos, const C *sin, const int *positions, i64 tableRows) {                     \
    rotate<1>(Heads{queryHeads, keyHeads, dim, sequenceTokens}, fused, query, key, value, cos, sin, positions, tableRows); \
  }                                                                                                               \
  KERNEL(128, rotate_back_and_join_##t##_##c, i64 queryHeads, i64 keyHeads, i64 dim, i64 sequenceTokens, T *fused, T *query, \
         T *key, T *value, const C *cos, const C *sin, const int *positions, i64 tableRows) {                     \
    rotate<-1>(Heads{queryHeads, keyHeads, dim, sequenceTokens}, fused, query, key, value, cos, sin, positions, tableRows); \
  }

OF_TYPES(double, f64, double, f64)
OF_TYPES(double, f64, float, f32)
OF_TYPES(float, f32, float, f32)
OF_TYPES(bf16, bf16, bf16, bf16)
OF_TYPES(bf16, bf16, float, f32)
