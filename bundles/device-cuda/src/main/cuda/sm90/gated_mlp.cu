// SwiGLU (Shazeer 2020, arXiv 2002.05202): y[T,F] = silu(gate) up, of rows gateUp[T,2F] that are gate, then up. A block of 256
// threads for each token. Floors: forward 3 T F elements, backward 5 T F.
#include "common.cuh"

template <class A> __device__ A sigmoid(A x) { return 1 / (1 + exp(-x)); }

template <int N, class T> __device__ void forward(const T *gateUp, T *y, i64 channels) {
  gateUp += blockIdx.x * 2 * channels;
  y += blockIdx.x * channels;
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<T, N> gates = take<N>(gateUp + c), ups = take<N>(gateUp + channels + c);
    for (int k = 0; k < N; k++) {
      typename Wide<T>::type gate = widen(gates.at[k]);
      narrow(gate * sigmoid(gate) * widen(ups.at[k]), ups.at[k]);
    }
    put(ups, y + c);
  }
}

// dUp = dy gate s, dGate = dy up s (1 + gate (1 - s)) with s = sigmoid(gate). dGateUp may be gateUp.
template <int N, class T> __device__ void backward(const T *dy, const T *gateUp, T *dGateUp, i64 channels) {
  dy += blockIdx.x * channels;
  gateUp += blockIdx.x * 2 * channels;
  dGateUp += blockIdx.x * 2 * channels;
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<T, N> gates = take<N>(gateUp + c), ups = take<N>(gateUp + channels + c), ds = take<N>(dy + c);
    for (int k = 0; k < N; k++) {
      typename Wide<T>::type gate = widen(gates.at[k]), up = widen(ups.at[k]), d = widen(ds.at[k]), s = sigmoid(gate);
      narrow(d * up * s * (1 + gate * (1 - s)), gates.at[k]);
      narrow(d * gate * s, ups.at[k]);
    }
    put(gates, dGateUp + c);
    put(ups, dGateUp + channels + c);
  }
}

#define OF_TYPE(T, t)                                                                                             \
  KERNEL(256, forward_##t, const T *gateUp, T *y, i64 channels) {                                                 \
    BY_ROWS(T, channels, begin_whole(gateUp, y), forward, gateUp, y, channels)                                    \
  }                                                                                                               \
  KERNEL(256, backward_##t, const T *dy, const T *gateUp, T *dGateUp, i64 channels) {                             \
    BY_ROWS(T, channels, begin_whole(dy, gateUp, dGateUp), backward, dy, gateUp, dGateUp, channels)               \
  }

OF_TYPE(double, f64)
OF_TYPE(float, f32)
OF_TYPE(bf16, bf16)
