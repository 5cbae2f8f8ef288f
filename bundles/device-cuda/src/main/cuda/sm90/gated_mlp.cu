// Gated MLPs (Shazeer 2020, arXiv 2002.05202): y[T,F] = gate s up, of rows gateUp[T,2F] that are gate, then up. s is the sigmoid of z:
// of the gate itself (SiLU), or of gate (A + B gate^2) (GELU by the hyperbolic tangent, (1 + tanh(u)) / 2 = sigmoid(2 u)). A block of 256
// threads for each token. Floors: forward 3 T F elements, backward 5 T F.
#include "common.cuh"

template <class A> __device__ A sigmoid(A x) { return 1 / (1 + exp(-x)); }

struct Silu {
  template <class A> __device__ static A z(A gate) { return gate; }
  template <class A> __device__ static A slope(A gate) { return 1; }
};
// A = 2 sqrt(2 / pi), B = 0.044715 A.
struct Gelu {
  template <class A> __device__ static A z(A gate) { return gate * ((A)1.5957691216057308 + (A)0.0713548162726 * gate * gate); }
  template <class A> __device__ static A slope(A gate) { return (A)1.5957691216057308 + (A)0.2140644488178 * gate * gate; }
};

template <int N, class Z, class T> __device__ void forward(const T *gateUp, T *y, i64 channels) {
  gateUp += blockIdx.x * 2 * channels;
  y += blockIdx.x * channels;
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<T, N> gates = take<N>(gateUp + c), ups = take<N>(gateUp + channels + c);
    for (int k = 0; k < N; k++) {
      typename Wide<T>::type gate = widen(gates.at[k]);
      narrow(gate * sigmoid(Z::z(gate)) * widen(ups.at[k]), ups.at[k]);
    }
    put(ups, y + c);
  }
}

// dUp = dy gate s, dGate = dy up s (1 + gate z' (1 - s)). dGateUp may be gateUp.
template <int N, class Z, class T> __device__ void backward(const T *dy, const T *gateUp, T *dGateUp, i64 channels) {
  dy += blockIdx.x * channels;
  gateUp += blockIdx.x * 2 * channels;
  dGateUp += blockIdx.x * 2 * channels;
  for (i64 c = threadIdx.x * N; c < channels; c += blockDim.x * N) {
    Some<T, N> gates = take<N>(gateUp + c), ups = take<N>(gateUp + channels + c), ds = take<N>(dy + c);
    for (int k = 0; k < N; k++) {
      typename Wide<T>::type gate = widen(gates.at[k]), up = widen(ups.at[k]), d = widen(ds.at[k]), s = sigmoid(Z::z(gate));
      narrow(d * up * s * (1 + gate * Z::slope(gate) * (1 - s)), gates.at[k]);
      narrow(d * gate * s, ups.at[k]);
    }
    put(gates, dGateUp + c);
    put(ups, dGateUp + channels + c);
  }
}

#define OF_TYPE(Z, T, t)                                                                                          \
  KERNEL(256, forward##t, const T *gateUp, T *y, i64 channels) {                                                  \
    if (channels % WHOLE<T> == 0 && begin_whole(gateUp, y)) {                                                     \
      forward<WHOLE<T>, Z>(gateUp, y, channels);                                                                  \
    } else {                                                                                                      \
      forward<1, Z>(gateUp, y, channels);                                                                         \
    }                                                                                                             \
  }                                                                                                               \
  KERNEL(256, backward##t, const T *dy, const T *gateUp, T *dGateUp, i64 channels) {                              \
    if (channels % WHOLE<T> == 0 && begin_whole(dy, gateUp, dGateUp)) {                                           \
      backward<WHOLE<T>, Z>(dy, gateUp, dGateUp, channels);                                                       \
    } else {                                                                                                      \
      backward<1, Z>(dy, gateUp, dGateUp, channels);                                                              \
    }                                                                                                             \
  }

OF_TYPE(Silu, double, _f64)
OF_TYPE(Silu, float, _f32)
OF_TYPE(Silu, bf16, _bf16)
OF_TYPE(Gelu, double, _gelu_f64)
OF_TYPE(Gelu, float, _gelu_f32)
OF_TYPE(Gelu, bf16, _gelu_bf16)
