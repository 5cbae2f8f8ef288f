// The backward of attention_bf16.cu on tensor cores (Dao 2023, arXiv 2307.08691), in three kernels without atomics, one after the
// other: delta = do.o of each query; dk and dv; dq. Scores and do.v are made twice, so that nobody adds to what another writes: 7
// products instead of 5. p and ds are rounded to BF16 for their products, all sums are FP32. Until dq is written its memory keeps
// delta. q and dq [B,H,S,D], k, v, dk and dv [B,G,K,D], o and do [B S, H D], L [B,H,S], D = 64 or 128; all aligned to 16 bytes, dq
// apart from the operands. The naive twin is attention.cu, and what computes the rows of a tile where a value that only some of
// them meet is an infinity or not a number.
#include "attention_backward.cuh"

// p = 2^(s - L) and ds = p (dp - delta) of one query and key, both 0 where it is not seen.
__device__ inline void differentiate(float &s, float &dp, float scale2, float log2, float delta, bool isSeen) {
  s = isSeen ? power_of_two(s * scale2 - log2) : 0;
  dp = isSeen ? s * (dp - delta) : 0;
}

// A block of 4 warps for 128 queries, 32 at a time. Blocks: B H ceil(S / 128). Floor: o, do and L once, by memory.
template <int D>
__device__ void delta_tile(Extents e, const bf16 *outputGradient, const bf16 *output, bf16 *queryGradient) {
  QueryTile tile(e);
  int lane = threadIdx.x % 32;
  float *delta = delta_of<D>(e, queryGradient, tile.head, tile.first);
#pragma unroll 4
  for (int row = threadIdx.x / 32; row < tile.count; row += 4) {
    float sum = 0;
    if (lane < D / 4) {
      i64 at = tile.output(e) + row * e.heads * D + 4 * lane;
      Some<bf16, 4> o = take<4>(output + at), gradient = take<4>(outputGradient + at);
      for (int i = 0; i < 4; i++) {
        sum += widen(o.at[i]) * widen(gradient.at[i]);
      }
    }
    sum = over_warp<Sum>(sum);
    if (lane == 0) {
      delta[row] = sum;
    }
  }
}

// dk and dv of 128 keys: a block goes through the queries that see them, of all heads of their group, 64 at a time. Warps have 16
// keys (D = 128) or 32 (64) each, and the transposed scores in registers as the next products take them. Blocks: B G ceil(K /
// 128), those of early keys, which more queries see, first. Dynamic shared memory: k, v and two tiles of q and do with L and
// delta, 129 KiB (D = 128), one block on an SM; 65 (64), two. Floor: 8 D operations a pair of query and key that is seen, at 989
// TFLOP/s; mma.sync reaches a third.
template <int D>
__device__ void key_tile(Extents e, const bf16 *outputGradient, const bf16 *query, const bf16 *key, const bf16 *value,
                         const bf16 *output, const float *logSumExp, bf16 *queryGradient, bf16 *keyGradient, bf16 *valueGradient,
                         const int *starts) {
  const int KEYS = 128, THREADS = 2 * D, M = 128 / D, QUERIES = 64, PART = D / 4, TILE = QUERIES * D;
  DYNAMIC_SHARED(memory);
  bf16 *k = (bf16 *)memory, *v = k + KEYS * D, *q = v + KEYS * D, *gradients = q + 2 * TILE;
  float *logs = (float *)(gradients + 2 * TILE), *deltas = logs + 2 * QUERIES;
  KeyTile tile(e);
  int sequence = tile.sequence, first = tile.first, group = e.heads / e.keyHeads, ofWarp = threadIdx.x / 32 * 16 * M;
  Sight sight(e, starts, sequence);
  int last = first + tile.count - 1, from = sight.from(first) / QUERIES * QUERIES, until = sight.until(last);
  int seenFrom = sight.from(last), seenUntil = sight.until(first);
  int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;

  copy_tile<KEYS, D, THREADS>(k, key + tile.row(e) * D, D, tile.count);
  copy_tile<KEYS, D, THREADS>(v, value + tile.row(e) * D, D, tile.count);
  end_copies();
  auto copy_queries = [&](int head, int at, int buffer) {
    i64 place = sequence * e.queries + at;
    copy_tile<QUERIES, D, THREADS>(q + buffer * TILE, query + (head * e.queries + at) * D, D, sight.queries - at);
    copy_tile<QUERIES, D, THREADS>(gradients + buffer * TILE, outputGradient + (place * e.heads + head % e.heads) * D, e.heads * D,
                                   sight.queries - at);
    end_copies();
  };
  auto log_of = [&](int head, int place) { return place < sight.queries ? logSumExp[head * e.queries + place] * LOG2_E : 0; };
  auto delta = [&](int head, int place) { return place < sight.queries ? *delta_of<D>(e, queryGradient, head, place) : 0; };

  const float scale = 1 / sqrt((float)D), scale2 = scale * LOG2_E;
  float dk[M][D / 8][4] = {}, dv[M][D / 8][4] = {};
  unsigned special = 0;
  auto attend = [&](int at, int row, auto seen) {
    const bool SEEN = decltype(seen)::value;
    float s[M][PART / 8][4] = {}, dp[M][PART / 8][4] = {};
    multiply_rows<M, PART, D>(s, k + ofWarp * D, q + row * D);
    multiply_rows<M, PART, D>(dp, v + ofWarp * D, gradients + row * D);
#pragma unroll
    for (int j = 0; j < PART / 4; j++) {
      int column = j / 2 * 8 + 2 * t + j % 2, place = at + column, firstSeen = 0, endSeen = 0;
      if (!SEEN && place < sight.queries) {
        firstSeen = sight.first(place);
        endSeen = sight.end(place);
      }
      float log2 = logs[row + column], delta = deltas[row + column];
#pragma unroll
      for (int i = 0; i < 2 * M; i++) {
        int m = i / 2, half = i % 2, of = first + ofWarp + 16 * m + 8 * half + g;
        differentiate(s[m][j / 2][2 * half + j % 2], dp[m][j / 2][2 * half + j % 2], scale2, log2, delta,
                      SEEN || of >= firstSeen && of < endSeen);
      }
    }
    multiply_columns<M, PART, D, SEEN>(dv, s, gradients + row * D, special);
    multiply_columns<M, PART, D, SEEN>(dk, dp, q + row * D, special);
  };

  int head = sequence * (int)e.heads + tile.head % (int)e.keyHeads * group, endHead = from < until ? head + group : head, at = from;
  int mine = threadIdx.x % QUERIES;
  if (head < endHead) {
    copy_queries(head, at, 0);
    logs[mine] = log_of(head, at + mine);
    deltas[mine] = delta(head, at + mine);
  }
  for (int buffer = 0; head < endHead; buffer = 1 - buffer) {
    int nextAt = at + QUERIES < until ? at + QUERIES : from, nextHead = nextAt == from ? head + 1 : head;
    float nextLog = 0, nextDelta = 0;
    wait_for_copies<0>();
    __syncthreads();
    if (nextHead < endHead) {
      copy_queries(nextHead, nextAt, 1 - buffer);
      nextLog = log_of(nextHead, nextAt + mine);
      nextDelta = delta(nextHead, nextAt + mine);
    }
    for (int part = 0; part < QUERIES; part += PART) {
      if (at + part >= seenFrom && at + part + PART <= seenUntil) {
        attend(at + part, buffer * QUERIES + part, Seen<true>());
      } else {
        attend(at + part, buffer * QUERIES + part, Seen<false>());
      }
    }
    logs[(1 - buffer) * QUERIES + mine] = nextLog;
    deltas[(1 - buffer) * QUERIES + mine] = nextDelta;
    at = nextAt;
    head = nextHead;
  }
  wait_for_copies<0>();
  KeyTile own(e);
  if (over_block<Maximum>(special, 0u)) {
    __shared__ float scratch[2 * THREADS];
    for (int i = 0; i < own.count; i++) {
      backward_key<THREADS>(e, own.row(e) + i, outputGradient, query, key, value, output, logSumExp, keyGradient, valueGradient,
                            starts, scratch);
    }
    return;
  }
  int firstOwn = made_here(threadIdx.x) / 32 * 16 * M;
  store_rows<M, D>(dk, scale, keyGradient + (own.row(e) + firstOwn) * D, own.count - firstOwn);
  store_rows<M, D>(dv, 1, valueGradient + (own.row(e) + firstOwn) * D, own.count - firstOwn);
}

// dq of 128 queries: a block of 4 warps, 32 queries each, goes through the keys that they see, 4096 / D at a time. Blocks: B H
// ceil(S / 128). Dynamic shared memory: q, do and two tiles of k and v, 96 KiB (D = 128) or 64 (64): two blocks on an SM. Floor: 6
// D operations a pair of query and key that is seen, at 989 TFLOP/s; mma.sync reaches a third.
template <int D>
__device__ void query_tile(Extents e, const bf16 *outputGradient, const bf16 *query, const bf16 *key, const bf16 *value,
                           const bf16 *output, const float *logSumExp, bf16 *queryGradient, const int *starts) {
  const int KEYS = 4096 / D, THREADS = 128, TILE = KEYS * D;
  DYNAMIC_SHARED(memory);
  bf16 *q = (bf16 *)memory, *gradients = q + 128 * D, *k = gradients + 128 * D, *v = k + 2 * TILE;
  QueryTile tile(e);
  Sight sight(e, starts, tile.sequence);
  i64 ofKeyHead = tile.keyHead * e.keys * D;
  int last = tile.first + tile.count - 1, end = sight.end(last), seenFrom = sight.first(last), seenTo = sight.end(tile.first);
  int ofWarp = threadIdx.x / 32 * 32, endOfWarp = sight.end(tile.first + ofWarp + 31);
  int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;

  copy_tile<128, D, THREADS>(q, query + tile.row(e) * D, D, tile.count);
  copy_tile<128, D, THREADS>(gradients, outputGradient + tile.output(e), e.heads * D, tile.count);
  auto copy_keys = [&](int at, int buffer) {
    copy_tile<KEYS, D, THREADS>(k + buffer * TILE, key + ofKeyHead + (i64)at * D, D, sight.keys - at);
    copy_tile<KEYS, D, THREADS>(v + buffer * TILE, value + ofKeyHead + (i64)at * D, D, sight.keys - at);
    end_copies();
  };

  const float scale = 1 / sqrt((float)D), scale2 = scale * LOG2_E;
  float dq[2][D / 8][4] = {}, log2[4], delta[4];
  unsigned special = 0;
#pragma unroll
  for (int row = 0; row < 4; row++) {
    int place = ofWarp + 8 * row + g;
    bool isInside = place < tile.count;
    log2[row] = isInside ? logSumExp[tile.row(e) + place] * LOG2_E : CUDA_INFINITY;
    delta[row] = isInside ? delta_of<D>(e, queryGradient, tile.head, tile.first)[place] : 0;
  }

  auto attend = [&](int at, int buffer, auto seen) {
    const bool SEEN = decltype(seen)::value;
    float s[2][KEYS / 8][4] = {}, dp[2][KEYS / 8][4] = {};
    multiply_rows<2, KEYS, D>(s, q + ofWarp * D, k + buffer * TILE);
    multiply_rows<2, KEYS, D>(dp, gradients + ofWarp * D, v + buffer * TILE);
#pragma unroll
    for (int row = 0; row < 4; row++) {
      int place = tile.first + ofWarp + 8 * row + g, at0 = at + 2 * t, firstSeen = 0, endSeen = 0;
      if (!SEEN && place <= last) {
        firstSeen = sight.first(place) - at0;
        endSeen = sight.end(place) - at0;
      }
#pragma unroll
      for (int j = 0; j < KEYS / 4; j++) {
        int column = j / 2 * 8 + j % 2, c = row % 2 * 2 + j % 2;
        differentiate(s[row / 2][j / 2][c], dp[row / 2][j / 2][c], scale2, log2[row], delta[row],
                      SEEN || column >= firstSeen && column < endSeen);
      }
    }
    multiply_columns<2, KEYS, D, SEEN>(dq, dp, k + buffer * TILE, special);
  };

  through_keys<KEYS>(sight.first(tile.first) / KEYS * KEYS, end, copy_keys, [&](int at, int buffer) {
    if (at >= seenFrom && at + KEYS <= seenTo) {
      attend(at, buffer, Seen<true>());
    } else if (at < endOfWarp) {
      attend(at, buffer, Seen<false>());
    }
  });
  if (over_block<Maximum>(special, 0u)) {
    for (int i = 0; i < tile.count; i++) {
      backward_query<THREADS>(e, tile.row(e) + i, outputGradient, query, key, value, output, logSumExp, queryGradient, starts);
    }
    return;
  }
  store_rows<2, D>(dq, scale, queryGradient + (tile.row(e) + ofWarp) * D, tile.count - ofWarp);
}

#define OPERANDS                                                                                                  \
  EXTENTS, const bf16 *outputGradient, const bf16 *query, const bf16 *key, const bf16 *value, const bf16 *output, \
      const float *logSumExp
#define OF_OPERANDS OF_EXTENTS, outputGradient, query, key, value, output, logSumExp
#define OF_DIM(D)                                                                                                 \
  KERNEL(128, delta_##D, OPERANDS, bf16 *queryGradient) { delta_tile<D>(OF_EXTENTS, outputGradient, output, queryGradient); } \
  KERNEL(2 * D, keys_##D, OPERANDS, bf16 *queryGradient, bf16 *keyGradient, bf16 *valueGradient, const int *starts) { \
    key_tile<D>(OF_OPERANDS, queryGradient, keyGradient, valueGradient, starts);                                  \
  }                                                                                                               \
  KERNEL(128, queries_##D, OPERANDS, bf16 *queryGradient, const int *starts) {                                    \
    query_tile<D>(OF_OPERANDS, queryGradient, starts);                                                            \
  }

OF_DIM(64)
OF_DIM(128)
