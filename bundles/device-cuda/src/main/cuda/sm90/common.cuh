// What all kernels share: element types, sums over a block, vectors of four elements. Needs no header of CUDA's, so that NVRTC
// compiles it alone. Extents and indices are 64-bit; a block is one-dimensional and a multiple of 32 threads.
#pragma once

typedef long long i64;
typedef unsigned char u8;

// Defines a kernel: threads of a block, name, parameters. On the CPU (tests) it is defined as a loop instead.
#ifndef KERNEL
#define KERNEL(threads, name, ...) extern "C" __global__ void __launch_bounds__(threads) name(__VA_ARGS__)
#define CUDA_INFINITY __int_as_float(0x7f800000)
// Shared memory of as many bytes as the launch gives.
#define DYNAMIC_SHARED(name) extern __shared__ __align__(1024) u8 name[]
// A parameter that is read where it is.
#define IN_PLACE __grid_constant__
__device__ inline unsigned shared_address(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
#endif

struct bf16 {
  unsigned short bits;
};
struct e4m3 {
  u8 bits;
};
struct e5m2 {
  u8 bits;
};

// What sums over elements of a type are made in.
template <class T> struct Wide {
  typedef float type;
};
template <> struct Wide<double> {
  typedef double type;
};

__device__ inline float widen(float x) { return x; }
__device__ inline double widen(double x) { return x; }
__device__ inline float widen(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }

// An 8-bit float with its exponent moved to where FP32 has it; exact.
template <int SHIFT, int BIAS, int LARGEST> __device__ inline float widen8(u8 bits) {
  unsigned magnitude = bits & 0x7f;
  float value = __uint_as_float(magnitude << SHIFT) * __uint_as_float((127u + 127 - BIAS) << 23);
  if (magnitude > LARGEST) {
    value = __uint_as_float(SHIFT == 21 && magnitude == LARGEST + 1 ? 0x7f800000 : 0x7fc00000);
  }
  return bits & 0x80 ? -value : value;
}
__device__ inline float widen(e4m3 x) { return widen8<20, 7, 0x7e>(x.bits); }
__device__ inline float widen(e5m2 x) { return widen8<21, 15, 0x7b>(x.bits); }

// Rounds to nearest even. NaNs propagate.
__device__ inline void narrow(float x, float &y) { y = x; }
__device__ inline void narrow(double x, float &y) { y = (float)x; }
__device__ inline void narrow(float x, double &y) { y = x; }
__device__ inline void narrow(double x, double &y) { y = x; }
__device__ inline void narrow(float x, bf16 &y) {
#ifdef __CUDA_ARCH__
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
#else
  unsigned bits = __float_as_uint(x);
  y.bits = x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
#endif
}
__device__ inline void narrow(double x, bf16 &y) { narrow((float)x, y); }

// Two values as a register of BF16.
__device__ inline unsigned pack(float low, float high) {
#ifdef __CUDA_ARCH__
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  bf16 a, b;
  narrow(low, a);
  narrow(high, b);
  return a.bits | (unsigned)b.bits << 16;
#endif
}

// To 8 bits, saturating, infinities too; NaN becomes 0x7f. The plain C is the twin of the instruction.
template <int SHIFT, int BIAS, int LARGEST> __device__ inline u8 narrow8(float x, float largest) {
  if (x != x) {
    return 0x7f;
  }
  unsigned bits = __float_as_uint(x);
  unsigned sign = bits >> 24 & 0x80;
  bits &= 0x7fffffff;
  float magnitude = __uint_as_float(bits);
  if (magnitude >= largest) {
    return sign | LARGEST;
  }
  if (magnitude < __uint_as_float((127u + 1 - BIAS) << 23)) {
    // The sum's last place is that of a subnormal.
    unsigned rounder = (127u + SHIFT + 1 - BIAS) << 23;
    return sign | (__float_as_uint(magnitude + __uint_as_float(rounder)) - rounder);
  }
  return sign | (((bits + (1u << (SHIFT - 1)) - 1 + (bits >> SHIFT & 1)) >> SHIFT) - ((127u - BIAS) << (23 - SHIFT)));
}
__device__ inline void narrow(float x, e4m3 &y) {
#ifdef __CUDA_ARCH__
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  y.bits = (u8)pair;
#else
  y.bits = narrow8<20, 7, 0x7e>(x, 448.0f);
#endif
}
__device__ inline void narrow(float x, e5m2 &y) {
#ifdef __CUDA_ARCH__
  unsigned short pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  y.bits = (u8)pair;
#else
  y.bits = narrow8<21, 15, 0x7b>(x, 57344.0f);
#endif
}
__device__ inline void narrow(double x, e4m3 &y) { narrow((float)x, y); }
__device__ inline void narrow(double x, e5m2 &y) { narrow((float)x, y); }

struct Sum {
  template <class A> __device__ static A of(A a, A b) { return a + b; }
};
// Of two where one is not a number, that one.
struct Maximum {
  template <class A> __device__ static A of(A a, A b) { return a != a || a > b ? a : b; }
};

template <class Operation, class A> __device__ inline A over_warp(A value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = Operation::of(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

// The same value for all threads, in an order that depends on the number of threads alone. All threads must come here.
template <class Operation, class A> __device__ inline A over_block(A value, A neutral) {
  __shared__ A ofWarps[32];
  int lane = threadIdx.x % 32;
  value = over_warp<Operation>(value);
  if (lane == 0) {
    ofWarps[threadIdx.x / 32] = value;
  }
  __syncthreads();
  value = over_warp<Operation>(lane < (int)blockDim.x / 32 ? ofWarps[lane] : neutral);
  __syncthreads();
  return value;
}

// Consecutive elements that a thread reads and writes at once, 16 bytes at a time, where they are aligned.
template <class T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Some {
  T at[N];
};
template <int N, class T> __device__ inline Some<T, N> take(const T *x) { return *(const Some<T, N> *)x; }
template <int N, class T> __device__ inline void put(const Some<T, N> &some, T *x) { *(Some<T, N> *)x = some; }
template <int N, class T> __device__ inline bool holds(const T *x) { return (unsigned long long)x % alignof(Some<T, N>) == 0; }

// Rows that are whole multiples of 16 bytes and begin at one go so many elements at a time; others element by element: N is 1 then.
template <class T> constexpr int WHOLE = 16 / sizeof(T);
template <class... T> __device__ inline bool begin_whole(const T *...x) { return (((unsigned long long)x | ...) & 15) == 0; }

// Calls a function of N for rows of so many elements: as many at once as 16 bytes hold, where that is possible.
#define BY_ROWS(T, elements, whole, function, ...)                                                                \
  if ((elements) % WHOLE<T> == 0 && (whole)) {                                                                    \
    function<WHOLE<T>>(__VA_ARGS__);                                                                              \
  } else {                                                                                                        \
    function<1>(__VA_ARGS__);                                                                                     \
  }

// First element of this thread, and how far it is to its next, in a grid that shares a range of elements.
__device__ inline i64 first_of_grid() { return blockIdx.x * (i64)blockDim.x + threadIdx.x; }
__device__ inline i64 stride_of_grid() { return gridDim.x * (i64)blockDim.x; }
