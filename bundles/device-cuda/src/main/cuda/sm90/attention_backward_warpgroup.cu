// The backward of attention_bf16.cu on warpgroups of Hopper, tiles of operands fetched by TMA: what keys and queries of
// attention_backward_bf16.cu compute, after its delta and in its order, with the same roundings. A block of three warpgroups for 128
// keys or queries: the third fetches tiles of 64 rows through a ring of stages, each of the others has 64 rows of the result. Scores
// and p, dp and ds stay in registers, where further products take p and ds from; keys have them transposed. While one warpgroup makes
// p and ds the tensor cores are for the other. D = 64 or 128; all aligned to 16 bytes, dq apart from the operands. Dynamic shared
// memory: 198,736 bytes (D = 128), 100,432 (64). The naive twin is attention.cu, and what computes the rows of a block where a value
// that only some of them meet is an infinity or not a number.
#include "attention_backward_warpgroup.cuh"

// dk and dv of 128 keys: through the queries that see them, of all heads of their group. Blocks: B G ceil(K / 128), those of early
// keys, which more queries see, first. Floor: 8 D operations a pair of query and key that is seen, at 989 TFLOP/s; not measured.
template <int D>
__device__ void key_tile(Extents e, const TensorMap &gradientRows, const TensorMap &queryRows, const TensorMap &keyRows,
                         const TensorMap &valueRows, const bf16 *outputGradient, const bf16 *query, const bf16 *key, const bf16 *value,
                         const bf16 *output, const float *logSumExp, bf16 *queryGradient, bf16 *keyGradient, bf16 *valueGradient,
                         const int *starts) {
  DYNAMIC_SHARED(shared);
  Memory<D> memory(shared);
  memory.begin(2);
  Ring<STAGES, Memory<D>::STAGE> &ring = memory.ring;
  const int TILE = Memory<D>::TILE;
  KeyTile tile(e);
  Sight sight(e, starts, tile.sequence);
  int group = e.heads / e.keyHeads, head = tile.sequence * (int)e.heads + tile.head % (int)e.keyHeads * group, endHead = head + group;
  int from = sight.from(tile.first) / ROWS * ROWS, until = sight.until(tile.first + tile.count - 1);
  int warpgroup = threadIdx.x / 128;
  if (warpgroup == 2) {
    keep_registers<FETCHING>();
    int thread = threadIdx.x - MULTIPLYING_THREADS;
    if (thread == 0) {
      arrive_expecting(memory.ownFilled, Memory<D>::OWN);
      for (int i = 0; i < 2; i++) {
        fetch<D>(memory.own + i * TILE, keyRows, memory.ownFilled, tile.first + i * ROWS, tile.head);
        fetch<D>(memory.own + (2 + i) * TILE, valueRows, memory.ownFilled, tile.first + i * ROWS, tile.head);
      }
      for (; head < endHead; head++) {
        for (int at = from; at < until; at += ROWS) {
          u64 *barrier = ring.begin_filling(Memory<D>::STAGE);
          fetch<D>(memory.first(), queryRows, barrier, at, head);
          fetch<D>(memory.second(), gradientRows, barrier, head - tile.sequence * (int)e.heads, at, tile.sequence);
          ring.next();
        }
      }
    } else if (thread >= 64) {
      // Two warps bring L and delta.
      for (; head < endHead; head++) {
        for (int place = from + thread - 64; place - thread + 64 < until; place += ROWS) {
          bool isInside = place < sight.queries;
          float log2 = isInside ? logSumExp[head * e.queries + place] * LOG2_E : 0;
          float delta = isInside ? *delta_of<D>(e, queryGradient, head, place) : 0;
          ring.wait_until_read();
          memory.logs[ring.place * ROWS + thread - 64] = log2;
          memory.deltas[ring.place * ROWS + thread - 64] = delta;
          ring.was_filled();
          ring.next();
        }
      }
    }
    return;
  }
  take_registers<MULTIPLYING>();
  const float scale = 1 / sqrt((float)D), scale2 = scale * LOG2_E;
  const u8 *k = memory.own + warpgroup * TILE, *v = k + 2 * TILE;
  int first = tile.first + warpgroup * ROWS, count = tile.first + tile.count - first;
  int last = first + (count < ROWS ? count : ROWS) - 1;
  // Tiles from and until which some of the keys are seen; queries from and until which all are.
  int someFrom = sight.from(first) / ROWS * ROWS, someUntil = count > 0 ? sight.until(last) : 0;
  int allFrom = sight.from(last), allUntil = sight.until(first);
  float dk[D / 2] = {}, dv[D / 2] = {};
  wait_for(memory.ownFilled, 0);
  for (; group > 0; group--) {
    int at = from;
    for (; at < until && at < someFrom; at += ROWS) {
      ring.leave();
    }
    for (; at < someUntil; at += ROWS) {
      ring.wait_until_filled();
      const u8 *q = memory.first(), *gradients = memory.second();
      const float *logs = memory.logs + ring.place * ROWS + threadIdx.x % 4 * 2, *deltas = logs + STAGES * ROWS;
      float s[32], dp[32];
      unsigned p[4][4], ds[4][4];
      begin_rows<D>(s, k, q);
      begin_rows<D>(dp, v, gradients);
      wait_for_products<1>();
      are_known(s);
#pragma unroll
      for (int i = 0; i < 32; i++) {
        s[i] = power_of_two(s[i] * scale2 - logs[i / 4 * 8 + i % 2]);
      }
      unsigned seen = 0;
      bool isWhole = at >= allFrom && at + ROWS <= allUntil;
      if (!isWhole) {
        // Made here once more: registers are scarce in the loop.
        KeyTile own(e);
        Sight sight(e, starts, own.sequence);
        int thread = made_here(threadIdx.x), t = thread % 4, ofThread = own.first + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll 4
        for (int j = 0; j < 16; j++) {
          int place = at + j / 2 * 8 + 2 * t + j % 2, firstSeen = 0, endSeen = 0;
          if (place < sight.queries) {
            firstSeen = sight.first(place) - ofThread;
            endSeen = sight.end(place) - ofThread;
          }
#pragma unroll
          for (int half = 0; half < 2; half++) {
            seen |= (unsigned)(8 * half >= firstSeen && 8 * half < endSeen) << (j / 2 * 4 + half * 2 + j % 2);
          }
        }
        keep(s, seen);
        look_for_special<D>(q, memory.special);
        look_for_special<D>(gradients, memory.special);
      }
      wait_for_products<0>();
      are_known(dp);
#pragma unroll
      for (int i = 0; i < 32; i++) {
        dp[i] = s[i] * (dp[i] - deltas[i / 4 * 8 + i % 2]);
      }
      if (!isWhole) {
        keep(dp, seen);
      }
      round_to_fragments(s, p);
      round_to_fragments(dp, ds);
      begin_columns<D>(dv, p, gradients);
      begin_columns<D>(dk, ds, q);
      wait_for_products<0>();
      are_read(p);
      are_read(ds);
      ring.was_read(ring.place);
      ring.next();
    }
    for (; at < until; at += ROWS) {
      ring.leave();
    }
  }
  are_known(dk);
  are_known(dv);
  KeyTile own(e);
  // Of all but those that fetch: who ends counts as come.
  __syncthreads();
  if (*memory.special) {
    for (int i = 0; i < own.count; i++) {
      backward_key<MULTIPLYING_THREADS>(e, own.row(e) + i, outputGradient, query, key, value, output, logSumExp, keyGradient,
                                    valueGradient, starts);
    }
    return;
  }
  int firstOwn = made_here(threadIdx.x) / 128 * ROWS;
  store_rows<D>(dk, scale, keyGradient + (own.row(e) + firstOwn) * D, own.count - firstOwn);
  store_rows<D>(dv, 1, valueGradient + (own.row(e) + firstOwn) * D, own.count - firstOwn);
}

// dq of 128 queries: through the keys that they see. Blocks: B H ceil(S / 128), those of late queries, which see more
// keys, first. Floor: 6 D operations a pair of query and key that is seen, at 989 TFLOP/s; not measured.
template <int D>
__device__ void query_tile(Extents e, const TensorMap &gradientRows, const TensorMap &queryRows, const TensorMap &keyRows,
                           const TensorMap &valueRows, const bf16 *outputGradient, const bf16 *query, const bf16 *key,
                           const bf16 *value, const bf16 *output, const float *logSumExp, bf16 *queryGradient, const int *starts) {
  DYNAMIC_SHARED(shared);
  Memory<D> memory(shared);
  memory.begin(0);
  Ring<STAGES, Memory<D>::STAGE> &ring = memory.ring;
  const int TILE = Memory<D>::TILE;
  QueryTile tile(e);
  Sight sight(e, starts, tile.sequence);
  int from = sight.first(tile.first) / ROWS * ROWS, until = sight.end(tile.first + tile.count - 1);
  int warpgroup = threadIdx.x / 128;
  if (warpgroup == 2) {
    keep_registers<FETCHING>();
    if (threadIdx.x == MULTIPLYING_THREADS) {
      arrive_expecting(memory.ownFilled, Memory<D>::OWN);
      for (int i = 0; i < 2; i++) {
        fetch<D>(memory.own + i * TILE, queryRows, memory.ownFilled, tile.first + i * ROWS, tile.head);
        fetch<D>(memory.own + (2 + i) * TILE, gradientRows, memory.ownFilled, tile.head % (int)e.heads, tile.first + i * ROWS,
                 tile.sequence);
      }
      for (int at = from; at < until; at += ROWS) {
        u64 *barrier = ring.begin_filling(Memory<D>::STAGE);
        fetch<D>(memory.first(), keyRows, barrier, at, tile.keyHead);
        fetch<D>(memory.second(), valueRows, barrier, at, tile.keyHead);
        ring.next();
      }
    }
    return;
  }
  take_registers<MULTIPLYING>();
  const float scale = 1 / sqrt((float)D), scale2 = scale * LOG2_E;
  const u8 *q = memory.own + warpgroup * TILE, *gradients = q + 2 * TILE;
  int first = tile.first + warpgroup * ROWS, count = tile.first + tile.count - first;
  int last = first + (count < ROWS ? count : ROWS) - 1, t = threadIdx.x % 4;
  // Tiles from and until which some of the queries see; keys from and until which all do.
  int someFrom = count > 0 ? sight.first(first) / ROWS * ROWS : until, someUntil = sight.end(last);
  int allFrom = count > 0 ? sight.first(last) : 0, allUntil = sight.end(first);
  int ofThread = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
  float dq[D / 2] = {}, log2[2], delta[2];
  unsigned ds[4][4];
#pragma unroll
  for (int half = 0; half < 2; half++) {
    int row = ofThread + 8 * half;
    log2[half] = row < count ? logSumExp[tile.head * e.queries + first + row] * LOG2_E : CUDA_INFINITY;
    delta[half] = row < count ? *delta_of<D>(e, queryGradient, tile.head, first + row) : 0;
  }
  wait_for(memory.ownFilled, 0);
  // The stage that the product for dq is under way with.
  int before = -1, at = from;
  for (; at < until && at < someFrom; at += ROWS) {
    ring.leave();
  }
  for (; at < someUntil; at += ROWS) {
    ring.wait_until_filled();
    const u8 *k = memory.first();
    float s[32], dp[32];
    begin_rows<D>(s, q, k);
    begin_rows<D>(dp, gradients, memory.second());
    wait_for_products<1>();
    are_known(s);
    if (before >= 0) {
      are_read(ds);
      ring.was_read(before);
    }
    before = ring.place;
#pragma unroll
    for (int i = 0; i < 32; i++) {
      s[i] = power_of_two(s[i] * scale2 - log2[i / 2 % 2]);
    }
    wait_for_products<0>();
    are_known(dp);
#pragma unroll
    for (int i = 0; i < 32; i++) {
      dp[i] = s[i] * (dp[i] - delta[i / 2 % 2]);
    }
    if (at < allFrom || at + ROWS > allUntil) {
      unsigned seen = 0;
#pragma unroll
      for (int half = 0; half < 2; half++) {
        int row = ofThread + 8 * half, firstSeen = 0, endSeen = 0;
        if (row < count) {
          firstSeen = sight.first(first + row) - at - 2 * t;
          endSeen = sight.end(first + row) - at - 2 * t;
        }
#pragma unroll
        for (int j = 0; j < 16; j++) {
          int column = j / 2 * 8 + j % 2;
          seen |= (unsigned)(column >= firstSeen && column < endSeen) << (j / 2 * 4 + half * 2 + j % 2);
        }
      }
      keep(dp, seen);
      look_for_special<D>(k, memory.special);
    }
    round_to_fragments(dp, ds);
    begin_columns<D>(dq, ds, k);
    ring.next();
  }
  // Nobody waits for the last stages: at most one tile is left to the other warpgroup.
  wait_for_products<0>();
  are_known(dq);
  // Of all but those that fetch: who ends counts as come.
  __syncthreads();
  if (*memory.special) {
    for (int i = 0; i < tile.count; i++) {
      backward_query<MULTIPLYING_THREADS>(e, tile.row(e) + i, outputGradient, query, key, value, output, logSumExp, queryGradient,
                                      starts);
    }
    return;
  }
  store_rows<D>(dq, scale, queryGradient + (tile.row(e) + warpgroup * ROWS) * D, count);
}

#define OPERANDS                                                                                                  \
  EXTENTS, const IN_PLACE TensorMap gradientRows, const IN_PLACE TensorMap queryRows, const IN_PLACE TensorMap keyRows, \
      const IN_PLACE TensorMap valueRows, const bf16 *outputGradient, const bf16 *query, const bf16 *key, const bf16 *value, \
      const bf16 *output, const float *logSumExp, bf16 *queryGradient
#define OF_OPERANDS                                                                                               \
  OF_EXTENTS, gradientRows, queryRows, keyRows, valueRows, outputGradient, query, key, value, output, logSumExp, queryGradient
#define OF_DIM(D)                                                                                                 \
  KERNEL_ALONE(THREADS, keys_##D, OPERANDS, bf16 *keyGradient, bf16 *valueGradient, const int *starts) {          \
    key_tile<D>(OF_OPERANDS, keyGradient, valueGradient, starts);                                                 \
  }                                                                                                               \
  KERNEL_ALONE(THREADS, queries_##D, OPERANDS, const int *starts) { query_tile<D>(OF_OPERANDS, starts); }

OF_DIM(64)
OF_DIM(128)
