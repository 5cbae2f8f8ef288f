// Causal grouped-query attention on warpgroups, forward, in the way of FlashAttention-3 (Shah et al. 2024, arXiv 2407.08608): a block
// for 128 queries of a head, 64 for each of two warpgroups, whose keys and values one thread of a third fetches in tiles of 128. A
// warpgroup begins the products of the next tile's scores and of this tile's values, and makes powers of the scores while the
// latter run; the two take turns at beginning, so that one has the tensor cores while the other makes powers. p is rounded to BF16
// in registers, where its product takes it from; scores, sums and o are FP32. Only tiles that not all of a warpgroup's queries see
// are masked, and those that none of the block's sees are left out. q [B,H,S,D], k and v [B,G,K,D], o [B S, H D], L [B,H,S], D = 64 or
// 128; all aligned to 16 bytes. Blocks: B H ceil(S / 128). Dynamic shared memory: q, 5 tiles and 12 barriers, 196,704 bytes
// (D = 128) or 98,400 (64). Floor: 4 D operations a pair of query and key that is seen, at 989 TFLOP/s; not measured. The naive twin
// is attention.cu, and what computes the queries of a block where a value that only some of them see is an infinity or NaN.
#include "attention_warpgroup.cuh"

template <int D>
__device__ void forward_tile(Extents e, const TensorMap &queryMap, const TensorMap &keyMap, const TensorMap &valueMap,
                             const bf16 *query, const bf16 *key, const bf16 *value, bf16 *output, float *logSumExp,
                             const int *starts) {
  DYNAMIC_SHARED(shared);
  Tiles<D> tiles(shared);
  tiles.begin();
  QueryTile tile(e);
  Sight sight(e, starts, tile.sequence);
  int begin = sight.first(tile.first) / KEYS * KEYS, end = sight.end(tile.first + tile.count - 1);
  unsigned special = 0;
  if (threadIdx.x >= MULTIPLYING_THREADS) {
    keep_registers<FETCHING>();
    if (threadIdx.x == MULTIPLYING_THREADS && begin < end) {
      tiles.fetch_all(tile, queryMap, keyMap, valueMap, begin, end);
    }
    __syncwarp();
    // Not before: what this warpgroup takes back too early is lacking where the others have not taken theirs yet.
    meet(3, THREADS);
    take_registers<AT_FIRST>();
  } else {
    take_registers<MULTIPLYING>();
    Before none;
    special = attend<D, false>(e, tiles, tile, sight, begin, end, output, logSumExp, none);
    // A warpgroup has to meet between two changes of its registers.
    meet(4 + threadIdx.x / 128, 128);
    keep_registers<AT_FIRST>();
    pass(3, THREADS);
  }
  if (over_block<Maximum>(special, 0u)) {
    for (int i = 0; i < tile.count; i++) {
      forward<THREADS>(e, tile.row(e) + i, query, key, value, output, logSumExp, starts);
    }
  }
}

// Maximum number of query tiles per block of the persistent kernel. Blocks take tiles in rounds, in order and in reverse by turns. Tiles
// that see most keys come first, so that all blocks have about the same work.
const int MOST_ROUNDS = 1024;
__device__ inline i64 tile_of_round(int round) { return (i64)round * gridDim.x + (round % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x); }

// The persistent kernel: a block computes many query tiles, so that the next tile's queries and keys are fetched, and its scores begun
// by one warpgroup, while the other still writes this one's output. Tiles with infinities are computed at the end, when all threads of
// the block are there. Dynamic shared memory: that of forward_tile, and MOST_ROUNDS bytes.
template <int D>
__device__ void forward_persistent(Extents e, const TensorMap &queryMap, const TensorMap &keyMap, const TensorMap &valueMap,
                                   const bf16 *query, const bf16 *key, const bf16 *value, bf16 *output, float *logSumExp,
                                   const int *starts, int heads) {
  DYNAMIC_SHARED(shared);
  Tiles<D> tiles(shared);
  u8 *isSpecial = (u8 *)(tiles.areUsed + 1);
  i64 count = (i64)heads * ((e.queries + QUERIES - 1) / QUERIES);
  for (int round = threadIdx.x; round < MOST_ROUNDS; round += THREADS) {
    isSpecial[round] = 0;
  }
  tiles.begin();
  if (threadIdx.x >= MULTIPLYING_THREADS) {
    keep_registers<FETCHING>();
    if (threadIdx.x == MULTIPLYING_THREADS) {
      int parity = 1;
      for (int round = 0; (i64)round * gridDim.x < count; round++) {
        if (tile_of_round(round) < count) {
          QueryTile tile(e, heads, (int)tile_of_round(round));
          Sight sight(e, starts, tile.sequence);
          int begin = sight.first(tile.first) / KEYS * KEYS, end = sight.end(tile.first + tile.count - 1);
          if (begin < end) {
            wait_for(tiles.areUsed, parity);
            parity ^= 1;
            tiles.fetch_all(tile, queryMap, keyMap, valueMap, begin, end);
          }
        }
      }
    }
    __syncwarp();
    meet(3, THREADS);
    take_registers<AT_FIRST>();
  } else {
    take_registers<MULTIPLYING>();
    Before before;
    for (int round = 0; (i64)round * gridDim.x < count; round++) {
      if (tile_of_round(round) < count) {
        QueryTile tile(e, heads, (int)tile_of_round(round));
        Sight sight(e, starts, tile.sequence);
        int begin = sight.first(tile.first) / KEYS * KEYS, end = sight.end(tile.first + tile.count - 1);
        if (attend<D, true>(e, tiles, tile, sight, begin, end, output, logSumExp, before)) {
          isSpecial[round] = 1;
        }
      }
    }
    // The last time that the second warpgroup has let it begin.
    if (before.tookTurns && threadIdx.x < 128) {
      meet(1, MULTIPLYING_THREADS);
    }
    meet(4 + threadIdx.x / 128, 128);
    keep_registers<AT_FIRST>();
    pass(3, THREADS);
  }
  __syncthreads();
  for (int round = 0; (i64)round * gridDim.x < count; round++) {
    if (isSpecial[round]) {
      QueryTile tile(e, heads, (int)tile_of_round(round));
      for (int i = 0; i < tile.count; i++) {
        forward<THREADS>(e, tile.row(e) + i, query, key, value, output, logSumExp, starts);
      }
    }
  }
}

#define OF_DIM(D)                                                                                                 \
  KERNEL_ALONE(THREADS, forward_##D, EXTENTS, const IN_PLACE TensorMap queryMap, const IN_PLACE TensorMap keyMap, \
               const IN_PLACE TensorMap valueMap, const bf16 *query, const bf16 *key, const bf16 *value,          \
               bf16 *output, float *logSumExp, const int *starts) {                                               \
    forward_tile<D>(OF_EXTENTS, queryMap, keyMap, valueMap, query, key, value, output, logSumExp, starts);        \
  }                                                                                                               \
  KERNEL_ALONE(THREADS, forward_persistent_##D, EXTENTS, const IN_PLACE TensorMap queryMap,                       \
               const IN_PLACE TensorMap keyMap, const IN_PLACE TensorMap valueMap, const bf16 *query, const bf16 *key, \
               const bf16 *value, bf16 *output, float *logSumExp, const int *starts, i64 allHeads) {              \
    forward_persistent<D>(OF_EXTENTS, queryMap, keyMap, valueMap, query, key, value, output, logSumExp, starts, (int)allHeads); \
  }

OF_DIM(64)
OF_DIM(128)
