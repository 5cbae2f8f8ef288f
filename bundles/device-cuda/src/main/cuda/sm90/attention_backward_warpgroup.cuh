// What blocks of attention_backward_warpgroup.cu are made of: tiles of 64 rows in shared memory, and products of them on warpgroups.
#pragma once
#include "attention_backward.cuh"
#include "ring.cuh"

const int ROWS = 64, BLOCK = ROWS * LINE, STAGES = 2;

// Tiles of 64 rows have blocks of 64 channels. Two that go by are a stage, and four of the block's own are before the ring; behind it
// are ds of a tile of queries and the one before, and the block's part of a tile's dq: of as many tiles as there are BUFFERS, so that
// with two the next tile's can be written while one's is on its way to global memory.
template <int D, int BUFFERS = 1> struct Memory {
  static const int TILE = D / 64 * BLOCK, STAGE = 2 * TILE, OWN = 4 * TILE, DS = 2 * BLOCK, SUMS = ROWS * D * 4;
  u8 *own, *ds;
  float *sums;
  Ring<STAGES, STAGE> ring;
  u64 *ownFilled, *sumsFilled, *sumsTaken;
  // Whether a value is an infinity or not a number: one of any operand, where some of the rows do not meet it; one of the keys. The
  // block's number.
  int *special, *specialKey, *number;
  // Of queries that go by, L and delta, with room for each stage.
  float *logs, *deltas;

  __device__ explicit Memory(u8 *shared)
      : own(shared), ds(own + OWN), sums((float *)(ds + 2 * DS)), ring(ds + 2 * DS + BUFFERS * SUMS) {
    ownFilled = ring.read + STAGES;
    sumsFilled = ownFilled + 1;
    sumsTaken = sumsFilled + BUFFERS;
    special = (int *)(sumsTaken + BUFFERS);
    specialKey = special + 1;
    number = special + 2;
    logs = (float *)(sumsTaken + BUFFERS + 2);
    deltas = logs + STAGES * ROWS;
  }
  // All threads of the block come here first; as a ring's.
  __device__ void begin(int fillingWarps) {
    if (threadIdx.x == 0) {
      *special = *specialKey = 0;
      barrier_begin(ownFilled, 1);
      for (int i = 0; i < BUFFERS; i++) {
        barrier_begin(&sumsFilled[i], D / 64 * MULTIPLYING_WARPS / 2);
        barrier_begin(&sumsTaken[i], 1);
      }
    }
    ring.begin(fillingWarps);
  }
  __device__ u8 *first() { return ring.stage(); }
  __device__ u8 *second() { return ring.stage() + TILE; }
};

// What blocks add up for 64 queries of a head, in memory that only the kernels of this file use: dq without its factor, for each 64
// channels as the threads of a warpgroup have it, 16 bytes of each side by side; how many blocks have added their part; whether a key
// that not all of the queries see is an infinity or not a number. The first bytes of all are the number of the next block.
template <int D> struct TileSums {
  static const int SUMS = ROWS * D * 4, BYTES = SUMS + LINE;
  float *sums;
  int *turns, *isSpoilt;
  __device__ TileSums(u8 *memory, i64 tile)
      : sums((float *)(memory + LINE + tile * BYTES)), turns((int *)((u8 *)sums + SUMS)), isSpoilt(turns + 1) {}
  // In order: the tiles of a head, heads of a sequence, sequences.
  __device__ TileSums(u8 *memory, Extents e, int head, int query) : TileSums(memory, head * ((e.queries + ROWS - 1) / ROWS) + query / ROWS) {}
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

// sums = A^T B of ds, a line of queries for each key, and 64 channels of the keys.
template <int D> __device__ inline void begin_queries(float (&sums)[32], const u8 *ds, const u8 *keys) {
  begin_products();
#pragma unroll
  for (int k = 0; k < 8; k++) {
    multiply_tiles_bf16<false, false>(sums, operand(ds + 16 * k * LINE), operand(keys + k / 4 * Memory<D>::TILE + k % 4 * 16 * LINE), k > 0);
  }
  end_products();
}

// Fragments of a warpgroup's 64 keys to their lines of 64 queries, as begin_queries reads them.
__device__ inline void write_transposed(const unsigned (&ds)[4][4], u8 *lines) {
  int line = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, byte = threadIdx.x % 4 * 4;
#pragma unroll
  for (int i = 0; i < 16; i++) {
    int chunk = i / 4 * 2 + i % 4 / 2;
    write_for_others(lines + (line + i % 2 * 8) * LINE + ((chunk ^ line % 8) * 16 | byte), ds[i / 4][i % 4]);
  }
}

// A warpgroup's sums for 64 rows and 64 columns, 16 bytes of each thread side by side.
__device__ inline void write_sums(const float (&sums)[32], float *to) {
#pragma unroll
  for (int i = 0; i < 32; i += 4) {
    write_for_others(to + i * 128 + threadIdx.x % 128 * 4, Some<float, 4>{sums[i], sums[i + 1], sums[i + 2], sums[i + 3]});
  }
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
