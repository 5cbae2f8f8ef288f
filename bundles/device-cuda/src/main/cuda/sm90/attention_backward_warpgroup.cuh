// What blocks of attention_backward_warpgroup.cu are made of: tiles of 64 rows in shared memory, and products of them on warpgroups.
#pragma once
#include "attention_backward.cuh"
#include "ring.cuh"

const int ROWS = 64, BLOCK = ROWS * LINE, STAGES = 4;

// Tiles of 64 rows have blocks of 64 channels. Two that go by are a stage, and four of the block's own are before the ring.
template <int D> struct Memory {
  static const int TILE = D / 64 * BLOCK, STAGE = 2 * TILE, OWN = 4 * TILE;
  u8 *own;
  Ring<STAGES, STAGE> ring;
  u64 *ownFilled;
  // Of queries that go by, L and delta, with room for each stage; and whether a value is an infinity or not a number.
  float *logs, *deltas;
  int *special;

  __device__ explicit Memory(u8 *shared) : own(shared), ring(shared + OWN) {
    ownFilled = ring.read + STAGES;
    special = (int *)(ownFilled + 1);
    logs = (float *)(ownFilled + 2);
    deltas = logs + STAGES * ROWS;
  }
  // All threads of the block come here first; as a ring's.
  __device__ void begin(int fillingWarps) {
    if (threadIdx.x == 0) {
      *special = 0;
      barrier_begin(ownFilled, 1);
    }
    ring.begin(fillingWarps);
  }
  __device__ u8 *first() { return ring.stage(); }
  __device__ u8 *second() { return ring.stage() + TILE; }
};

// 64 rows from this place, as the map has it.
template <int D, class... Place> __device__ inline void fetch(u8 *tile, const TensorMap &map, u64 *barrier, Place... place) {
  for (int i = 0; i < D / 64; i++) {
    copy_tile(tile + i * BLOCK, map, 64 * i, place..., barrier);
  }
}

// sums = A B^T of two tiles of 64 rows.
template <int D> __device__ inline void begin_rows(float (&sums)[32], const u8 *a, const u8 *b) {
  begin_products();
#pragma unroll
  for (int k = 0; k < D; k += 16) {
    int at = k / 64 * BLOCK + k % 64 * 2;
    multiply_tiles_bf16<true, true>(sums, operand(a + at), operand(b + at), k > 0);
  }
  end_products();
}

// sums += A B, B the rows of a tile.
template <int D> __device__ inline void begin_columns(float (&sums)[D / 2], const unsigned (&a)[4][4], const u8 *b) {
  begin_products();
#pragma unroll
  for (int k = 0; k < 4; k++) {
    multiply_fragments_bf16<false>(sums, a[k], operand(b + 16 * k * LINE), true);
  }
  end_products();
}

// Leaves those sums whose bit is set; the others become 0.
__device__ inline void keep(float (&sums)[32], unsigned seen) {
#pragma unroll
  for (int i = 0; i < 32; i++) {
    sums[i] = seen >> i & 1 ? sums[i] : 0;
  }
}

// Marks the block if an element of the tile is an infinity or not a number: zeros it is multiplied by do not take it away.
template <int D> __device__ inline void look_for_special(const u8 *tile, int *special) {
#pragma unroll 2
  for (int at = threadIdx.x % 128 * 16; at < Memory<D>::TILE; at += 128 * 16) {
    Some<unsigned, 4> four = take<4>((const unsigned *)(tile + at));
    if (not_finite(four.at[0]) | not_finite(four.at[1]) | not_finite(four.at[2]) | not_finite(four.at[3])) {
      *special = 1;
    }
  }
}

// Writes the warpgroup's rows, of which count are there.
template <int D> __device__ inline void store_rows(const float (&sums)[D / 2], float factor, bf16 *rows, int count) {
  int row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < D / 2; i += 2) {
    int y = row + i % 4 / 2 * 8;
    if (y < count) {
      *(unsigned *)(rows + y * D + column + i / 4 * 8) = pack(sums[i] * factor, sums[i + 1] * factor);
    }
  }
}
