// Scales of blocks of 128 in a row, or of 128 x 128: what they are, and where.
#pragma once
#include "common.cuh"

// exact: whether the mantissa is kept.
template <class T> __device__ float scale_of(float amax, float largest, int exact) {
  if (amax == 0 || amax == CUDA_INFINITY) {
    return 1;
  }
  float scale = largest / amax;
  if (scale == CUDA_INFINITY) {
    scale = __uint_as_float(sizeof(T) == 2 ? 0x7f7f0000 : 0x7f7fffff);
  }
  return exact ? scale : __uint_as_float(__float_as_uint(scale) & 0xff800000);
}

// Scales side by side begin at multiples of 16 bytes.
__device__ inline i64 padded(i64 extent) { return (extent + 3) / 4 * 4; }
// Index of the scale for an element of a result of rows x columns.
template <bool SQUARE> __device__ i64 scale_index(i64 rows, i64 columns, i64 row, i64 column) {
  return SQUARE ? row / 128 * padded((columns + 127) / 128) + column / 128 : column / 128 * padded(rows) + row;
}
