// What products on warpgroups share: a block of three warpgroups stays for as many tiles of the result as come to it. One thread of
// the third fetches tiles of the operands through a ring of stages in shared memory; the other two multiply.
#pragma once
#include "ring.cuh"

// Tiles of the result in an order in which blocks that work at the same time share operands: down eight rows of tiles, then on.
struct Tiles {
  i64 rows, columns;
  __device__ Tiles(i64 m, int tileRows, i64 n, int tileColumns)
      : rows((m + tileRows - 1) / tileRows), columns((n + tileColumns - 1) / tileColumns) {}
  __device__ i64 count() const { return rows * columns; }
  __device__ void find(i64 tile, i64 &row, i64 &column) const {
    i64 band = tile / (8 * columns), first = band * 8, height = rows - first < 8 ? rows - first : 8;
    row = first + tile % (8 * columns) % height;
    column = tile % (8 * columns) / height;
  }
};

// Two consecutive elements of a row of c[M,N], N even and c aligned to two: c = (accumulate ? c : 0) + sums.
template <class T> __device__ inline void store_two(T *c, float first, float second, int accumulate) {
  Some<T, 2> two;
  if (accumulate) {
    two = take<2>(c);
    first += widen(two.at[0]);
    second += widen(two.at[1]);
  }
  narrow(first, two.at[0]);
  narrow(second, two.at[1]);
  put(two, c);
}

// The sums of a warpgroup for 64 x 128 elements of c that begin at this row and column.
template <class T> __device__ inline void store_sums(const float (&sums)[64], T *c, i64 m, i64 n, i64 row, i64 column, int accumulate) {
  row += threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
  column += threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; i += 2) {
    i64 y = row + i % 4 / 2 * 8, x = column + i / 4 * 8;
    if (y < m && x < n) {
      store_two(c + y * n + x, sums[i], sums[i + 1], accumulate);
    }
  }
}
