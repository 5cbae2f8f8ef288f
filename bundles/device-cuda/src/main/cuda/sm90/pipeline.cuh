// What products on warpgroups share: a block of three warpgroups stays for as many tiles of the result as come to it. One thread of
// the third fetches tiles of the operands through a ring of stages in shared memory; the other two multiply.
#pragma once
#include "ring.cuh"

// Tiles of the result in an order in which blocks that work at the same time share operands: down eight rows of tiles, then on. Of 32
// bits, as places of tiles are (TMA): a 64-bit division is a routine with more registers than the thread that fetches has kept.
struct Tiles {
  unsigned rows, columns;
  __device__ Tiles(i64 m, int tileRows, i64 n, int tileColumns)
      : rows((unsigned)((m + tileRows - 1) / tileRows)), columns((unsigned)((n + tileColumns - 1) / tileColumns)) {}
  __device__ unsigned count() const { return rows * columns; }
  __device__ void find(unsigned tile, int &row, int &column) const {
    unsigned band = tile / (8 * columns), inBand = tile - band * (8 * columns), first = band * 8;
    unsigned height = rows - first < 8 ? rows - first : 8;
    row = first + inBand % height;
    column = inBand / height;
  }
};

// The sums of a warpgroup for 64 x 2 SUMS elements of c[M,N] that begin at this row and column, N even and c aligned to two elements:
// c = (accumulate ? c : 0) + sums. c is read 16 pairs at a time before any of them is written: it may be the same memory for all a
// compiler knows, and with a pair at a time each read would wait for the write before, one trip to memory after the other.
template <int SUMS, class T>
__device__ inline void store_sums(const float (&sums)[SUMS], T *c, i64 m, i64 n, i64 row, i64 column, int accumulate) {
  const int PAIRS = 16;
  row += threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
  column += threadIdx.x % 4 * 2;
  T *rows[2] = {c + row * n + column, c + (row + 8) * n + column};
  bool isInside[2] = {row < m, row + 8 < m};
  // Columns of this thread that are there.
  int left = n - column < 2 * SUMS ? (int)(n - column) : 2 * SUMS;
#pragma unroll
  for (int first = 0; first < SUMS / 2; first += PAIRS) {
    Some<T, 2> pairs[PAIRS];
    if (accumulate) {
#pragma unroll
      for (int i = 0; i < PAIRS; i++) {
        int half = i % 2, x = (first + i) / 2 * 8;
        if (isInside[half] && x < left) {
          pairs[i] = take<2>(rows[half] + x);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
      int half = i % 2, x = (first + i) / 2 * 8;
#pragma unroll
      for (int j = 0; j < 2; j++) {
        float sum = sums[2 * (first + i) + j];
        narrow(accumulate ? sum + widen(pairs[i].at[j]) : sum, pairs[i].at[j]);
      }
      if (isInside[half] && x < left) {
        put(pairs[i], rows[half] + x);
      }
    }
  }
}
