// What attention on tensor cores is made of: tiles of rows of D elements (D is 64 or 128) in shared memory, and products of them.
#pragma once
#include "attention_naive.cuh"
#include "tensor_core.cuh"

const float LOG2_E = 1.4426950408889634f;

// Whether all of a tile is seen, known when compiled.
template <bool SEEN> struct Seen {
  static const bool value = SEEN;
};

// 2^x by the unit for it, which flushes what is smaller than all normal numbers.
__device__ inline float power_of_two(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return exp2f(x);
#endif
}

// Where 16 bytes of a row of a tile are. They change places within their row by its number: so eight rows' are in all banks. Those
// of chunk + c are at place_of(row, chunk) ^ 8 c where chunk + c = chunk ^ c, and those of eight rows further 8 D elements
// further.
template <int D> __device__ inline int place_of(int row, int chunk) { return row * D + (chunk ^ row % 8) * 8; }

// The value as it is, made here: not kept in a register since before a loop.
__device__ inline int made_here(int x) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(x));
#endif
  return x;
}

// Not 0 where one of two elements is an infinity or not a number: an exponent of ones, and one more, reaches the bit of the sign.
__device__ inline unsigned not_finite(unsigned pair) { return (pair & 0x7f807f80) + 0x00800080 & 0x80008000; }

// Begins to copy a tile of ROWS, of which count are there; zeros for the others. Rows are stride elements apart.
template <int ROWS, int D, int THREADS>
__device__ inline void copy_tile(bf16 *tile, const bf16 *rows, i64 stride, int count) {
#pragma unroll
  for (int i = 0; i < ROWS * D / 8 / THREADS; i++) {
    int row = (i * THREADS + threadIdx.x) / (D / 8), chunk = threadIdx.x % (D / 8);
    bool isInside = row < count;
    copy_later(tile + place_of<D>(row, chunk), rows + (isInside ? row * stride + chunk * 8 : 0), isInside);
  }
}

// c += A B^T: A the 16 M rows of a tile that are the warp's, B the N rows of another.
template <int M, int N, int D>
__device__ inline void multiply_rows(float (&c)[M][N / 8][4], const bf16 *a, const bf16 *b) {
  int lane = threadIdx.x % 32;
  int ofLeft = made_here(place_of<D>(lane % 16, lane / 16));
  int ofRight = made_here(place_of<D>(lane / 16 * 8 + lane % 8, lane / 8 % 2));
#pragma unroll 2
  for (int chunk = 0; chunk < D / 8; chunk += 2) {
    unsigned left[M][4];
#pragma unroll
    for (int m = 0; m < M; m++) {
      load_matrices(left[m], a + (ofLeft ^ 8 * chunk) + 16 * m * D);
    }
#pragma unroll
    for (int n = 0; n < N / 8; n += 2) {
      unsigned right[4];
      load_matrices(right, b + (ofRight ^ 8 * chunk) + 8 * n * D);
#pragma unroll
      for (int m = 0; m < M; m++) {
        multiply_bf16(c[m][n], left[m], right[0], right[1]);
        multiply_bf16(c[m][n + 1], left[m], right[2], right[3]);
      }
    }
  }
}

// c += A B: A the result of multiply_rows, rounded to BF16, B the K rows of a tile. Where not all of the tile is seen, `special`
// becomes not 0 if an element of B is an infinity or not a number: zeros in A do not take it away then.
template <int M, int K, int D, bool SEEN>
__device__ inline void multiply_columns(float (&c)[M][D / 8][4], const float (&a)[M][K / 8][4], const bf16 *b, unsigned &special) {
  int lane = threadIdx.x % 32;
  int ofRight = made_here(place_of<D>(lane % 16, lane / 16));
#pragma unroll
  for (int k = 0; k < K / 8; k += 2) {
    unsigned left[M][4];
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        left[m][i] = pack(a[m][k + i / 2][i % 2 * 2], a[m][k + i / 2][i % 2 * 2 + 1]);
      }
    }
#pragma unroll
    for (int n = 0; n < D / 8; n += 2) {
      unsigned right[4];
      load_transposed(right, b + (ofRight ^ 8 * n) + 8 * k * D);
      if (!SEEN) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          special |= not_finite(right[i]);
        }
      }
#pragma unroll
      for (int m = 0; m < M; m++) {
        multiply_bf16(c[m][n], left[m], right[0], right[1]);
        multiply_bf16(c[m][n + 1], left[m], right[2], right[3]);
      }
    }
  }
}

// Goes through tiles of TILE keys, of which the next is copied to one buffer while one is computed with in the other.
template <int TILE, class Copy, class Compute>
__device__ inline void through_keys(int at, int end, Copy copy, Compute compute) {
  copy(at, 0);
  for (int buffer = 0; at < end; at += TILE, buffer = 1 - buffer) {
    wait_for_copies<0>();
    __syncthreads();
    if (at + TILE < end) {
      copy(at + TILE, 1 - buffer);
    }
    compute(at, buffer);
  }
  wait_for_copies<0>();
}

// Writes a warp's rows, of which count are there.
template <int M, int D> __device__ inline void store_rows(const float (&c)[M][D / 8][4], float factor, bf16 *rows, int count) {
  int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int m = 0; m < M; m++) {
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      int row = 16 * m + g + 4 * i;
      if (row < count) {
#pragma unroll
        for (int n = 0; n < D / 8; n++) {
          *(unsigned *)(rows + row * D + 8 * n + 2 * t) = pack(c[m][n][i] * factor, c[m][n][i + 1] * factor);
        }
      }
    }
  }
}

// 128 queries of a head of a sequence. Those of the later queries, which see more, are the first blocks.
struct QueryTile {
  int head, sequence, keyHead, first, count;
  __device__ explicit QueryTile(Extents e) : QueryTile(e, gridDim.x / (int)((e.queries + 127) / 128), blockIdx.x) {}
  // Of so many heads of all sequences.
  __device__ QueryTile(Extents e, int heads, int tile) {
    int tiles = (e.queries + 127) / 128;
    head = tile % heads;
    sequence = head / (int)e.heads;
    // No 64-bit division, which is a routine with more registers than a warpgroup that fetches has.
    keyHead = head / ((int)e.heads / (int)e.keyHeads);
    first = (tiles - 1 - tile / heads) * 128;
    count = e.queries - first < 128 ? e.queries - first : 128;
  }
  // Its first row in [B,H,S].
  __device__ i64 row(Extents e) const { return head * e.queries + first; }
  // Where its first row begins in [B S, H D].
  __device__ i64 output(Extents e) const { return ((sequence * e.queries + first) * e.heads + head % e.heads) * e.dim; }
};
