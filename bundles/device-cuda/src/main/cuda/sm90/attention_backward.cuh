// What both backwards of attention on tensor cores share: tiles of keys, and where delta = do.o of each query is between the kernels.
#pragma once
#include "attention_tiles.cuh"

// Where delta of a query is: those of 128 queries are where their dq begins, which is written when nobody reads delta any more.
template <int D> __device__ inline float *delta_of(Extents e, bf16 *queryGradient, i64 head, int query) {
  return (float *)(queryGradient + (head * e.queries + query / 128 * 128) * D) + query % 128;
}

// 128 keys of a head of a sequence.
struct KeyTile {
  int head, sequence, first, count;
  __device__ explicit KeyTile(Extents e) : KeyTile(e, made_here(blockIdx.x)) {}
  __device__ KeyTile(Extents e, int block) {
    int tiles = (e.keys + 127) / 128, heads = gridDim.x / tiles;
    head = block % heads;
    sequence = head / (int)e.keyHeads;
    first = block / heads * 128;
    count = e.keys - first < 128 ? e.keys - first : 128;
  }
  // Its first row in [B,G,K].
  __device__ i64 row(Extents e) const { return head * e.keys + first; }
};
