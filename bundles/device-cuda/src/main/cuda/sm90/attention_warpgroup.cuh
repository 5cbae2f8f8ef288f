// What a block of attention_warpgroup.cu does with 128 queries of a head: its tiles in shared memory, and two warpgroups that attend.
#pragma once
#include "attention_tiles.cuh"
#include "ring.cuh"

const int KEYS = 128, QUERIES = 128, STAGES = 5;

// What the tiles of keys and values of a block go through; before it the block's queries, behind it the barriers of these: that they are
// there, and that nobody needs them any more.
template <int D> struct Tiles : Ring<STAGES, KEYS * D * 2> {
  u8 *queries;
  u64 *areThere, *areUsed;
  __device__ explicit Tiles(u8 *shared)
      : Ring<STAGES, KEYS * D * 2>(shared + QUERIES * D * 2), queries(shared), areThere(this->read + STAGES), areUsed(areThere + 1) {}

  __device__ void begin() {
    if (threadIdx.x == 0) {
      barrier_begin(areThere, 1);
      barrier_begin(areUsed, MULTIPLYING_WARPS);
    }
    Ring<STAGES, KEYS * D * 2>::begin();
  }

  // 128 rows of a head, 64 channels of all behind 64 of all.
  __device__ static void fetch(u8 *tile, const TensorMap &map, int row, int head, u64 *barrier) {
#pragma unroll
    for (int i = 0; i < D / 64; i++) {
      copy_tile(tile + i * 128 * LINE, map, 64 * i, row, head, barrier);
    }
  }
  __device__ void fetch_queries(const TensorMap &map, int row, int head) {
    arrive_expecting(areThere, QUERIES * D * 2);
    fetch(queries, map, row, head, areThere);
  }
  __device__ void fetch_next(const TensorMap &map, int row, int head) {
    u64 *barrier = this->begin_filling(KEYS * D * 2);
    fetch(this->stage(), map, row, head, barrier);
    this->next();
  }
  // Once for each warp that multiplies, when its scores of the last keys are there.
  __device__ void were_used() {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      arrive(areUsed);
    }
  }
  // The queries, and all keys and values that some of them see, in the order in which attend takes them.
  __device__ void fetch_all(const QueryTile &tile, const TensorMap &queryMap, const TensorMap &keyMap, const TensorMap &valueMap,
                            int begin, int end) {
    fetch_queries(queryMap, tile.first, tile.head);
    fetch_next(keyMap, begin, tile.keyHead);
    for (int at = begin + KEYS; at < end; at += KEYS) {
      fetch_next(keyMap, at, tile.keyHead);
      fetch_next(valueMap, at - KEYS, tile.keyHead);
    }
    fetch_next(valueMap, (end - 1) / KEYS * KEYS, tile.keyHead);
  }
};

// What a persistent block, which computes many query tiles, knows of those before: the parity of the queries' barriers, and whether its
// warpgroups have begun to take turns. They take turns from tile to tile then: with a new beginning in each, the first could let the
// other begin twice before that has begun once.
struct Before {
  int parity = 0;
  bool tookTurns = false;
};

// What a thread knows of its two rows: the largest score so far, times scale2, and its part of the sum of powers.
struct Powers {
  float largest[2] = {-CUDA_INFINITY, -CUDA_INFINITY}, sum[2] = {};

  // Makes powers of scores; before: the factors of what was summed by older ones.
  __device__ void next(float (&s)[KEYS / 2], float scale2, float (&before)[2]) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      float now = -CUDA_INFINITY, of = 0;
#pragma unroll
      for (int j = 0; j < KEYS / 4; j++) {
        now = fmaxf(now, s[j / 2 * 4 + 2 * half + j % 2]);
      }
      now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 1));
      now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 2));
      now = fmaxf(largest[half], now * scale2);
      float base = now == -CUDA_INFINITY ? 0 : now;
      before[half] = power_of_two(largest[half] - base);
#pragma unroll
      for (int j = 0; j < KEYS / 4; j++) {
        float &p = s[j / 2 * 4 + 2 * half + j % 2];
        // The product is not rounded: base may be anything that is near, as long as it is the same for all of a row.
        p = power_of_two(fmaf(p, scale2, -base));
        of += p;
      }
      sum[half] = sum[half] * before[half] + of;
      largest[half] = now;
    }
  }
};

// What a warpgroup does with its 64 queries; not 0 where an element of a tile of values that not all queries of the block see is an
// infinity or not a number: the zeros of those who do not see it do not take it away then. PERSISTENT: for a block of many query tiles.
template <int D, bool PERSISTENT>
__device__ unsigned attend(Extents e, Tiles<D> &tiles, const QueryTile &tile, const Sight &sight, int begin, int end, bf16 *output,
                           float *logSumExp, Before &beforeTile) {
  const float scale = 1 / sqrt((float)D), scale2 = scale * LOG2_E, ONE_OVER_LOG2_E = 0.6931471805599453f;
  int group = threadIdx.x / 128, last = tile.first + tile.count - 1, t = threadIdx.x % 4;
  int row = tile.first + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, ofGroup = tile.first + 64 * group;
  int firstSeen[2], endSeen[2], lastOfGroup = ofGroup + 63 < last ? ofGroup + 63 : last;
  int groupFrom = sight.first(lastOfGroup), groupTo = sight.end(ofGroup), allFrom = sight.first(last), allTo = sight.end(tile.first);
#pragma unroll
  for (int half = 0; half < 2; half++) {
    int query = row + 8 * half;
    firstSeen[half] = query <= last ? sight.first(query) : 0;
    endSeen[half] = sight.end(query);
  }
  float s[KEYS / 2], o[D / 2] = {}, before[2];
  unsigned p[KEYS / 16][4], special = 0;
  Powers powers;

  auto begin_scores = [&] {
    const u8 *q = tiles.queries + 64 * group * LINE, *k = tiles.stage();
    begin_products();
#pragma unroll
    for (int c = 0; c < D; c += 16) {
      int at = c / 64 * 128 * LINE + c % 64 * 2;
      multiply_tiles_bf16<true, true>(s, operand(q + at), operand(k + at), c > 0);
    }
    end_products();
  };
  auto begin_values = [&] {
    const u8 *v = tiles.stage();
    begin_products();
#pragma unroll
    for (int k = 0; k < KEYS; k += 16) {
      multiply_fragments_bf16<false>(o, p[k / 16], operand<KEYS>(v + k * LINE), true);
    }
    end_products();
  };
  auto look_at_values = [&](const u8 *v, int at) {
    if (at < allFrom || at + KEYS > allTo) {
#pragma unroll
      for (int i = 0; i < KEYS * D * 2; i += MULTIPLYING_THREADS * 16) {
        Some<unsigned, 4> some = take<4>((const unsigned *)(v + i) + threadIdx.x * 4);
        special |= not_finite(some.at[0]) | not_finite(some.at[1]) | not_finite(some.at[2]) | not_finite(some.at[3]);
      }
    }
  };
  auto mask = [&](int at) {
    if (at < groupFrom || at + KEYS > groupTo) {
#pragma unroll
      for (int i = 0; i < KEYS / 2; i++) {
        int half = i % 4 / 2, column = i / 4 * 8 + i % 2, at0 = at + 2 * t;
        s[i] = column >= firstSeen[half] - at0 && column < endSeen[half] - at0 ? s[i] : -CUDA_INFINITY;
      }
    }
  };

  if (begin < end) {
    wait_for(tiles.areThere, PERSISTENT ? beforeTile.parity : 0);
    tiles.wait_until_filled();
    begin_scores();
    wait_for_products<0>();
    are_known(s);
    tiles.was_read(tiles.place);
    tiles.next();
    if (PERSISTENT && begin + KEYS >= end) {
      tiles.were_used();
    }
    mask(begin);
    powers.next(s, scale2, before);
    round_to_fragments(s, p);
    for (int at = begin + KEYS; at < end; at += KEYS) {
      // The first warpgroup goes first; each lets the other begin when its own products are under way.
      if (group == 1 || (PERSISTENT ? beforeTile.tookTurns : at > begin + KEYS)) {
        meet(1 + group, MULTIPLYING_THREADS);
      }
      beforeTile.tookTurns = true;
      tiles.wait_until_filled();
      int ofKeys = tiles.place;
      begin_scores();
      tiles.next();
      tiles.wait_until_filled();
      int ofValues = tiles.place;
      begin_values();
      if (PERSISTENT || group == 0 || at + KEYS < end) {
        pass(2 - group, MULTIPLYING_THREADS);
      }
      tiles.next();
      wait_for_products<1>();
      are_known(s);
      tiles.was_read(ofKeys);
      if (PERSISTENT && at + KEYS >= end) {
        tiles.were_used();
      }
      mask(at);
      powers.next(s, scale2, before);
      // Its branch keeps the wait below the powers: within a run of instructions compilers move it above them, which needs nothing of
      // it but registers, and then no powers are made while the product of the values runs.
      look_at_values(tiles.stages + ofValues * KEYS * D * 2, at - KEYS);
      wait_for_products<0>();
      are_known(o);
      are_read(p);
      tiles.was_read(ofValues);
#pragma unroll
      for (int i = 0; i < D / 2; i++) {
        o[i] *= before[i % 4 / 2];
      }
      round_to_fragments(s, p);
    }
    tiles.wait_until_filled();
    begin_values();
    look_at_values(tiles.stage(), (end - 1) / KEYS * KEYS);
    wait_for_products<0>();
    are_known(o);
    are_read(p);
    if (PERSISTENT) {
      tiles.was_read(tiles.place);
      tiles.next();
      beforeTile.parity ^= 1;
    }
  }

#pragma unroll
  for (int half = 0; half < 2; half++) {
    int query = row + 8 * half;
    float total = powers.sum[half];
    total += __shfl_xor_sync(0xffffffffu, total, 1);
    total += __shfl_xor_sync(0xffffffffu, total, 2);
    if (query > last) {
      continue;
    }
    // A sum of 0 although it sees some keys: all its scores are minus infinity, and nothing is a number then.
    const float none = CUDA_INFINITY - CUDA_INFINITY;
    bool isBlind = firstSeen[half] >= endSeen[half];
    float factor = total != 0 ? 1 / total : isBlind ? 0 : none;
    // Not from before the loop, where registers are scarce.
    bf16 *rows = output + ((made_here(tile.sequence) * e.queries + query) * e.heads + made_here(tile.head) % e.heads) * D;
#pragma unroll
    for (int n = 0; n < D / 8; n++) {
      *(unsigned *)(rows + 8 * n + 2 * t) = pack(o[4 * n + 2 * half] * factor, o[4 * n + 2 * half + 1] * factor);
    }
    if (t == 0) {
      float seenSum = powers.largest[half] * ONE_OVER_LOG2_E + log(total);
      logSumExp[made_here(tile.head) * e.queries + query] = total != 0 ? seenSum : isBlind ? -CUDA_INFINITY : none;
    }
  }
  return special;
}

