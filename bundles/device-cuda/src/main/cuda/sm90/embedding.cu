// Embedding: y[T,C] = table[token - first], zeros for tokens outside of the table's V rows; and its gradient. A block of 256
// threads for each token. Floors: forward 2 T C elements; backward T C of dy, and V C read and written at most.
#include "common.cuh"

template <int N, class W, class T>
__device__ void forward(const int *tokens, i64 firstToken, i64 vocabulary, const W *table, T *y, i64 channels) {
  i64 row = tokens[blockIdx.x] - firstToken;
  bool there = row >= 0 && row < vocabulary;
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<W, N> some = {};
    Some<T, N> result;
    if (there) {
      some = take<N>(table + row * channels + c);
    }
    for (int k = 0; k < N; k++) {
      narrow(widen(some.at[k]), result.at[k]);
    }
    put(result, y + blockIdx.x * channels + c);
  }
}

// dTable[token] += dy without atomics: the block of a token's first occurrence adds all of them, in order. To find them, every
// block reads the tokens (T^2 / 2 integers, from cache).
template <class T, class W>
__device__ void backward(const T *dy, const int *tokens, i64 firstToken, i64 vocabulary, W *dTable, i64 count, i64 channels) {
  __shared__ int same[256];
  i64 own = blockIdx.x;
  int token = tokens[own];
  i64 row = token - firstToken;
  if (row < 0 || row >= vocabulary) {
    return;
  }
  int earlier = 0;
  for (i64 t = threadIdx.x; t < own; t += blockDim.x) {
    earlier |= tokens[t] == token;
  }
  if (over_block<Sum>(earlier, 0)) {
    return;
  }
  // A chunk of at most 1024 channels at a time: four sums a thread.
  for (i64 chunk = 0; chunk < channels; chunk += 1024) {
    typename Wide<W>::type sums[4] = {0, 0, 0, 0};
    for (int k = 0; k < 4; k++) {
      i64 c = chunk + k * 256 + threadIdx.x;
      sums[k] = c < channels ? (typename Wide<W>::type)widen(dTable[row * channels + c]) : 0;
    }
    for (i64 first = own; first < count; first += 256) {
      int there = first + threadIdx.x < count && tokens[first + threadIdx.x] == token;
      same[threadIdx.x] = there;
      // Also what makes all of same visible.
      if (over_block<Sum>(there, 0)) {
        for (int i = 0; i < 256; i++) {
          for (int k = 0; k < 4 && same[i]; k++) {
            i64 c = chunk + k * 256 + threadIdx.x;
            sums[k] += c < channels ? (typename Wide<W>::type)widen(dy[(first + i) * channels + c]) : 0;
          }
        }
      }
      __syncthreads();
    }
    for (int k = 0; k < 4; k++) {
      i64 c = chunk + k * 256 + threadIdx.x;
      if (c < channels) {
        narrow(sums[k], dTable[row * channels + c]);
      }
    }
  }
}

#define OF_TYPES(T, t, W, w)                                                                                      \
  KERNEL(256, forward_##t##_##w, const int *tokens, i64 firstToken, i64 vocabulary, const W *table, T *y, i64 channels) { \
    BY_ROWS(T, channels, begin_whole(table, y), forward, tokens, firstToken, vocabulary, table, y, channels)      \
  }                                                                                                               \
  KERNEL(256, backward_##t##_##w, const T *dy, const int *tokens, i64 firstToken, i64 vocabulary, W *dTable,      \
         i64 count, i64 channels) {                                                                               \
    backward(dy, tokens, firstToken, vocabulary, dTable, count, channels);                                        \
  }

OF_TYPES(double, f64, double, f64)
OF_TYPES(float, f32, float, f32)
OF_TYPES(bf16, bf16, bf16, bf16)
OF_TYPES(bf16, bf16, float, f32)
