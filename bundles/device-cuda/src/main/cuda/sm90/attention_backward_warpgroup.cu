// The backward of attention_bf16.cu on warpgroups of Hopper, tiles of operands fetched by TMA: after the delta of
// attention_backward_bf16.cu with five products, as FlashAttention-3's (Shah et al. 2024, arXiv 2407.08608). A block of three
// warpgroups for 128 keys goes through the queries that see them: of each tile of 64 it makes scores and do.v once, adds to its dk and
// dv, and its part of the tile's dq to sums in FP32 that all blocks of the head share. They do so in an order of their own, those of
// late keys first, so that sums have the same bits each time. Two warpgroups have 64 keys each, transposed scores and p, dp and ds in
// registers, where products take p and ds from for the gradients of the keys; for dq, ds is in shared memory, and each warpgroup
// has 64 channels of it, or every second tile (D = 64). Of the third warpgroup a thread fetches tiles through a ring of stages, two
// warps L and delta, and a thread brings sums to global memory in its turn. D = 64 or 128; all aligned to 16 bytes, dq apart from the
// operands. Dynamic shared memory: 197,704 bytes (D = 128), 115,784 (64); with two buffers for a block's parts 230,488 and 132,184.
// `sums` is an address of LINE + B H ceil(S / 64) TileSums. The naive twin is attention.cu, and what computes the rows of a block
// where a value that only some of them meet is an infinity or NaN.
#include "attention_backward_warpgroup.cuh"

const int STARTING = 256, WRITING = 128;

// Before each use of the memory: no block has come, no turn is over, nothing is spoilt. Blocks: enough for a thread a tile.
template <int D> __device__ void begin_tiles(i64 tiles, u8 *sums) {
  i64 tile = first_of_grid();
  if (tile == 0) {
    *(int *)sums = 0;
  }
  if (tile < tiles) {
    TileSums<D> own(sums, tile);
    *own.turns = *own.isSpoilt = 0;
  }
}

// dk and dv of 128 keys, and their part of dq: through the queries that see them, of all heads of their group. Blocks: B G ceil(K /
// 128). A tile of queries is seen by keys from some block to another, and all of them come to it: turn 0 is that of the last, which
// every block can tell; each waits for those of later keys alone. So blocks of late keys have the first numbers, and where those of a
// causal head begin together none waits: each begins with the tile of its own keys' places, where it is the first. Floor: 10 D
// operations a pair of query and key that is seen, at 989 TFLOP/s; not measured.
template <int D, int BUFFERS>
__device__ void key_tile(Extents e, const TensorMap &gradientRows, const TensorMap &queryRows, const TensorMap &keyRows,
                         const TensorMap &valueRows, const bf16 *outputGradient, const bf16 *query, const bf16 *key, const bf16 *value,
                         const bf16 *output, const float *logSumExp, bf16 *queryGradient, bf16 *keyGradient, bf16 *valueGradient,
                         const int *starts, u8 *sums) {
  DYNAMIC_SHARED(shared);
  Memory<D, BUFFERS> memory(shared);
  if (threadIdx.x == 0) {
    *memory.number = take_number((int *)sums);
  }
  memory.begin(2);
  Ring<STAGES, Memory<D>::STAGE> &ring = memory.ring;
  const int TILE = Memory<D>::TILE;
  KeyTile tile(e, gridDim.x - 1 - *memory.number);
  Sight sight(e, starts, tile.sequence);
  int group = e.heads / e.keyHeads, head = tile.sequence * (int)e.heads + tile.head % (int)e.keyHeads * group, endHead = head + group;
  int last = tile.first + tile.count - 1, from = sight.from(tile.first) / ROWS * ROWS;
  // None where the first is not even one of the last tile's.
  int until = sight.from(tile.first) < sight.queries ? sight.until(last) : 0;
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
    } else if (thread == 32) {
      int allFrom = sight.from(last), allUntil = sight.until(tile.first);
      unsigned tiles = 0;
      for (; head < endHead; head++) {
        for (int at = from; at < until; at += ROWS, tiles++) {
          int buffer = tiles % BUFFERS;
          const float *part = memory.sums + buffer * (Memory<D>::SUMS / 4);
          TileSums<D> tileSums(sums, e, head, at);
          int lastQuery = (at + ROWS < sight.queries ? at + ROWS : sight.queries) - 1;
          int turn = (sight.end(lastQuery) - 1) / 128 - tile.first / 128;
          wait_for(&memory.sumsFilled[buffer], tiles / BUFFERS % 2);
          if (*memory.specialKey && (at < allFrom || at + ROWS > allUntil)) {
            *tileSums.isSpoilt = 1;
          }
          wait_for_turn(tileSums.turns, turn);
          turn == 0 ? put_bytes(tileSums.sums, part, Memory<D>::SUMS) : add_floats(tileSums.sums, part, Memory<D>::SUMS);
          // nvcc makes the same instruction of both waits: sums are taken when they are written, and a second buffer is not idle then.
          wait_until_taken();
          arrive(&memory.sumsTaken[buffer]);
          wait_until_written();
          pass_turn(tileSums.turns, turn + 1);
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
  int first = tile.first + warpgroup * ROWS;
  bool isFull = first + ROWS <= tile.first + tile.count;
  // Queries from and until which all keys are seen.
  int allFrom = sight.from(first + ROWS - 1), allUntil = isFull ? sight.until(first) : 0;
  float dk[D / 2] = {}, dv[D / 2] = {};
  wait_for(memory.ownFilled, 0);
  look_for_special<D>(k, memory.specialKey);
  // Tiles that have gone by.
  unsigned tiles = 0;
  for (; group > 0; group--) {
    for (int at = from; at < until; at += ROWS, tiles++) {
      ring.wait_until_filled();
      const u8 *q = memory.first(), *gradients = memory.second();
      u8 *sharedDs = memory.ds + tiles % 2 * Memory<D>::DS;
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
        KeyTile own(e, gridDim.x - 1 - *memory.number);
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
      begin_columns<D>(dv, p, gradients);
      round_to_fragments(dp, ds);
      write_transposed(ds, sharedDs);
      show_to_others();
      // Whoever comes here is through with the ds of the tile before.
      meet(1, MULTIPLYING_THREADS);
      if (D == 128 || tiles % 2 == warpgroup) {
        float dq[32];
        begin_queries<D>(dq, sharedDs, memory.own + (D == 128 ? warpgroup : 0) * BLOCK);
        begin_columns<D>(dk, ds, q);
        wait_for_products<1>();
        are_known(dq);
        int buffer = tiles % BUFFERS;
        wait_for(&memory.sumsTaken[buffer], tiles / BUFFERS % 2 ^ 1);
        write_sums(dq, memory.sums + buffer * (Memory<D>::SUMS / 4) + (D == 128 ? warpgroup : 0) * ROWS * 64);
        show_to_others();
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
          arrive(&memory.sumsFilled[buffer]);
        }
      } else {
        begin_columns<D>(dk, ds, q);
      }
      wait_for_products<0>();
      are_read(p);
      are_read(ds);
      ring.was_read(ring.place);
      ring.next();
    }
  }
  are_known(dk);
  are_known(dv);
  KeyTile own(e, gridDim.x - 1 - *memory.number);
  meet(1, MULTIPLYING_THREADS);
  if (*memory.special) {
    // Code in which all threads meet: the one that brings sums ends before, and who ends counts as come.
    __syncthreads();
    for (int i = 0; i < own.count; i++) {
      // In place of the tiles: with two buffers no room is left.
      backward_key<MULTIPLYING_THREADS>(e, own.row(e) + i, outputGradient, query, key, value, output, logSumExp, keyGradient,
                                        valueGradient, starts, (float *)memory.own);
    }
    return;
  }
  int firstOwn = made_here(threadIdx.x) / 128 * ROWS;
  store_rows<D>(dk, scale, keyGradient + (own.row(e) + firstOwn) * D, own.count - firstOwn);
  store_rows<D>(dv, 1, valueGradient + (own.row(e) + firstOwn) * D, own.count - firstOwn);
}

// dq of 64 queries from what blocks have added up, 0 where none came. Blocks of WRITING threads: B H ceil(S / 64). Floor: the sums
// once, and dq, by memory.
template <int D>
__device__ void query_tile(Extents e, const bf16 *outputGradient, const bf16 *query, const bf16 *key, const bf16 *value,
                           const bf16 *output, const float *logSumExp, bf16 *queryGradient, const int *starts, u8 *sums) {
  int tiles = (e.queries + ROWS - 1) / ROWS, first = blockIdx.x % tiles * ROWS;
  i64 row = blockIdx.x / tiles * e.queries + first;
  int count = e.queries - first < ROWS ? e.queries - first : ROWS;
  TileSums<D> own(sums, blockIdx.x);
  if (*own.isSpoilt) {
    for (int i = 0; i < count; i++) {
      backward_query<WRITING>(e, row + i, outputGradient, query, key, value, output, logSumExp, queryGradient, starts);
    }
    return;
  }
  float dq[D / 2] = {};
  if (*own.turns > 0) {
#pragma unroll
    for (int i = 0; i < D / 2; i += 4) {
      Some<float, 4> four = take<4>(own.sums + i * WRITING + threadIdx.x * 4);
      for (int j = 0; j < 4; j++) {
        dq[i + j] = four.at[j];
      }
    }
  }
  store_rows<D>(dq, 1 / sqrt((float)D), queryGradient + row * D, count);
}

#define OPERANDS                                                                                                  \
  const bf16 *outputGradient, const bf16 *query, const bf16 *key, const bf16 *value, const bf16 *output, const float *logSumExp, \
      bf16 *queryGradient
#define OF_OPERANDS outputGradient, query, key, value, output, logSumExp, queryGradient
#define OF_KEYS(name, D, BUFFERS)                                                                                 \
  KERNEL_ALONE(THREADS, name, EXTENTS, const IN_PLACE TensorMap gradientRows, const IN_PLACE TensorMap queryRows,  \
               const IN_PLACE TensorMap keyRows, const IN_PLACE TensorMap valueRows, OPERANDS, bf16 *keyGradient, \
               bf16 *valueGradient, const int *starts, u8 *sums) {                                                \
    key_tile<D, BUFFERS>(OF_EXTENTS, gradientRows, queryRows, keyRows, valueRows, OF_OPERANDS, keyGradient, valueGradient, starts, \
                         sums);                                                                                   \
  }
#define OF_DIM(D)                                                                                                 \
  KERNEL(STARTING, begin_##D, i64 tiles, u8 *sums) { begin_tiles<D>(tiles, sums); }                               \
  OF_KEYS(keys_##D, D, 1)                                                                                         \
  OF_KEYS(keys_double_buffered_##D, D, 2)                                                                         \
  KERNEL(WRITING, queries_##D, EXTENTS, OPERANDS, const int *starts, u8 *sums) {                                  \
    query_tile<D>(OF_EXTENTS, OF_OPERANDS, starts, sums);                                                         \
  }

OF_DIM(64)
OF_DIM(128)
