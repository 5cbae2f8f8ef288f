// Causal grouped-query attention on tensor cores, forward, in the way of FlashAttention-2 (Dao 2023, arXiv 2307.08691): a block of
// 4 warps for 128 queries of a head, 32 a warp, goes through the keys that they see in tiles of 8192 / D; o and the sums of
// exponentials stay in registers and are scaled where a larger score comes. The next tile is copied while one is computed with;
// only tiles that not all of the queries see are masked, and those that none sees are left out. Scores, sums and o are FP32, p is
// rounded to BF16 for its product. q [B,H,S,D], k and v [B,G,K,D], o [B S, H D], L [B,H,S], D = 64 or 128; all aligned to 16
// bytes. Blocks: B H ceil(S / 128). Dynamic shared memory: q and two tiles of keys and values, 96 KiB (D = 128) or 80 (64): two
// blocks on an SM. Floor: 4 D operations a pair of query and key that is seen, at 989 TFLOP/s; mma.sync is said to reach a third
// of it (FlashAttention-2 on H100: 335 TFLOP/s), not measured. The naive twin is attention.cu, and what computes the queries of a
// tile where a value that only some of them see is an infinity or not a number.
#include "attention_tiles.cuh"

template <int D>
__device__ void forward_tile(Extents e, const bf16 *query, const bf16 *key, const bf16 *value, bf16 *output, float *logSumExp,
                             const int *starts) {
  const int KEYS = 8192 / D, PART = 4096 / D, THREADS = 128;
  DYNAMIC_SHARED(memory);
  bf16 *q = (bf16 *)memory, *k = q + 128 * D, *v = k + 2 * KEYS * D;
  QueryTile tile(e);
  Sight sight(e, starts, tile.sequence);
  i64 ofKeyHead = tile.keyHead * e.keys * D;
  int last = tile.first + tile.count - 1, end = sight.end(last), seenFrom = sight.first(last), seenTo = sight.end(tile.first);
  int ofWarp = threadIdx.x / 32 * 32, endOfWarp = sight.end(tile.first + ofWarp + 31);
  int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;

  copy_tile<128, D, THREADS>(q, query + tile.row(e) * D, D, tile.count);
  auto copy_keys = [&](int at, int buffer) {
    copy_tile<KEYS, D, THREADS>(k + buffer * KEYS * D, key + ofKeyHead + (i64)at * D, D, sight.keys - at);
    copy_tile<KEYS, D, THREADS>(v + buffer * KEYS * D, value + ofKeyHead + (i64)at * D, D, sight.keys - at);
    end_copies();
  };

  const float scale = 1 / sqrt((float)D), scale2 = scale * LOG2_E;
  float o[2][D / 8][4] = {}, largest[2][2], sum[2][2] = {};
  unsigned special = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    largest[i / 2][i % 2] = -CUDA_INFINITY;
  }

  auto attend = [&](int at, int row, auto seen) {
    const bool SEEN = decltype(seen)::value;
    float s[2][PART / 8][4] = {};
    multiply_rows<2, PART, D>(s, q + ofWarp * D, k + row * D);
#pragma unroll
    for (int row = 0; row < 4; row++) {
      int m = row / 2, half = row % 2;
      float now = largest[m][half], of = 0;
      if (!SEEN) {
        int place = tile.first + ofWarp + 16 * m + 8 * half + g, at0 = at + 2 * t;
        int firstSeen = place <= last ? sight.first(place) - at0 : 0, endSeen = sight.end(place) - at0;
#pragma unroll
        for (int j = 0; j < PART / 4; j++) {
          int column = j / 2 * 8 + j % 2;
          float &score = s[m][j / 2][2 * half + j % 2];
          score = column >= firstSeen && column < endSeen ? score : -CUDA_INFINITY;
        }
      }
#pragma unroll
      for (int j = 0; j < PART / 4; j++) {
        now = fmaxf(now, s[m][j / 2][2 * half + j % 2]);
      }
      now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 1));
      now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 2));
      // Not a fused multiplication and addition: the largest score's power is 1 however large the scores are.
      float base = now == -CUDA_INFINITY ? 0 : now, before = power_of_two((largest[m][half] - base) * scale2);
#pragma unroll
      for (int j = 0; j < PART / 4; j++) {
        float &p = s[m][j / 2][2 * half + j % 2];
        p = power_of_two((p - base) * scale2);
        of += p;
      }
      sum[m][half] = sum[m][half] * before + of;
      largest[m][half] = now;
#pragma unroll
      for (int n = 0; n < D / 8; n++) {
        o[m][n][2 * half] *= before;
        o[m][n][2 * half + 1] *= before;
      }
    }
    multiply_columns<2, PART, D, SEEN>(o, s, v + row * D, special);
  };

  through_keys<KEYS>(sight.first(tile.first) / KEYS * KEYS, end, copy_keys, [&](int at, int buffer) {
    for (int part = at; part < at + KEYS && part < endOfWarp; part += PART) {
      int row = buffer * KEYS + part - at;
      if (part >= seenFrom && part + PART <= seenTo) {
        attend(part, row, Seen<true>());
      } else {
        attend(part, row, Seen<false>());
      }
    }
  });

  if (over_block<Maximum>(special, 0u)) {
    for (int i = 0; i < tile.count; i++) {
      forward<THREADS>(e, tile.row(e) + i, query, key, value, output, logSumExp, starts);
    }
    return;
  }
#pragma unroll
  for (int row = 0; row < 4; row++) {
    int m = row / 2, half = row % 2, place = tile.first + ofWarp + 16 * m + 8 * half + g;
    float total = sum[m][half];
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    total += __shfl_xor_sync(0xffffffffu, total, 2);
    if (place > last) {
      continue;
    }
    // A sum of 0 although it sees some keys: all its scores are minus infinity, and nothing is a number then.
    const float none = CUDA_INFINITY - CUDA_INFINITY;
    bool isBlind = sight.first(place) >= sight.end(place);
    float factor = total != 0 ? 1 / total : isBlind ? 0 : none;
    bf16 *rows = output + tile.output(e) + (place - tile.first) * e.heads * D;
#pragma unroll
    for (int n = 0; n < D / 8; n++) {
      *(unsigned *)(rows + 8 * n + 2 * t) = pack(o[m][n][2 * half] * factor, o[m][n][2 * half + 1] * factor);
    }
    if (t == 0) {
      float seenSum = largest[m][half] * scale + log(total);
      logSumExp[tile.row(e) + place - tile.first] = total != 0 ? seenSum : isBlind ? -CUDA_INFINITY : none;
    }
  }
}

#define OF_DIM(D)                                                                                                 \
  KERNEL(128, forward_##D, EXTENTS, const bf16 *query, const bf16 *key, const bf16 *value, bf16 *output, float *logSumExp, \
         const int *starts) {                                                                                     \
    forward_tile<D>(OF_EXTENTS, query, key, value, output, logSumExp, starts);                                    \
  }

OF_DIM(64)
OF_DIM(128)
