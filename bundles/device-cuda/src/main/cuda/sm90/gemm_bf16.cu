// Products of BF16 matrices on warpgroups (wgmma), their tiles fetched by TMA: c[M,N] = (accumulate ? c : 0) + a b, sums in FP32.
// nt: a[M,K] b[N,K]^T; nn: a[M,K] b[K,N]; tn: a[K,M]^T b[K,N]. Rows of all are multiples of 16 bytes (TMA). A block for 128 x 256 of
// c, K in steps of 64; each of two warpgroups has 128 x 128. The naive twin is multiply of gemm.cu. Floor: 2 M N K at 989 TFLOP/s.
// Dynamic shared memory: 4 stages of 48 KiB and their barriers, 196,672 bytes.
#include "pipeline.cuh"

const int ROWS = 128, COLUMNS = 256, STEP = 64, BLOCK = 64 * LINE, OPERAND_A = 2 * BLOCK, STAGE = 6 * BLOCK;
typedef Ring<4, STAGE> Stages;

// Tiles of [64 * BLOCKS, 64] of an operand: one copy by rows of K, else one for each 64 of its rows.
template <bool BY_ROWS, int BLOCKS>
__device__ inline void fetch(u8 *shared, const TensorMap &map, i64 row, i64 k, u64 *barrier) {
  if (BY_ROWS) {
    copy_tile(shared, map, (int)k, (int)row, barrier);
  } else {
    for (int i = 0; i < BLOCKS; i++) {
      copy_tile(shared + i * BLOCK, map, (int)row + 64 * i, (int)k, barrier);
    }
  }
}

// What 16 further k are behind the first of a tile.
template <bool BY_ROWS> __device__ inline const u8 *after(const u8 *tile, int k) { return tile + (BY_ROWS ? k * 2 : k * LINE); }

template <bool A_BY_ROWS, bool B_BY_ROWS, class T>
__device__ void multiply(const TensorMap &a, const TensorMap &b, T *c, i64 m, i64 n, i64 k, int accumulate) {
  DYNAMIC_SHARED(shared);
  Stages ring(shared);
  ring.begin();
  Tiles tiles(m, ROWS, n, COLUMNS);
  int group = threadIdx.x / 128;
  i64 row, column;
  if (group == 2) {
    keep_registers<FETCHING>();
    if (threadIdx.x == MULTIPLYING_THREADS) {
      for (i64 tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
        tiles.find(tile, row, column);
        for (i64 first = 0; first < k; first += STEP) {
          u64 *barrier = ring.begin_filling(STAGE);
          fetch<A_BY_ROWS, 2>(ring.stage(), a, row * ROWS, first, barrier);
          fetch<B_BY_ROWS, 4>(ring.stage() + OPERAND_A, b, column * COLUMNS, first, barrier);
          ring.next();
        }
      }
    }
    return;
  }
  take_registers<MULTIPLYING>();
  float upper[64], lower[64];
  for (i64 tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
    tiles.find(tile, row, column);
    int before = -1;
    // Not left to the first product, which then is not to add: some compilers let products wait for each other then.
#pragma unroll
    for (int i = 0; i < 64; i++) {
      upper[i] = lower[i] = 0;
    }
    for (i64 first = 0; first < k; first += STEP) {
      ring.wait_until_filled();
      const u8 *left = ring.stage(), *right = left + OPERAND_A + group * 2 * BLOCK;
      begin_products();
#pragma unroll
      for (int step = 0; step < STEP; step += 16) {
        u64 b16 = operand(after<B_BY_ROWS>(right, step));
        multiply_tiles_bf16<A_BY_ROWS, B_BY_ROWS>(upper, operand(after<A_BY_ROWS>(left, step)), b16, true);
        multiply_tiles_bf16<A_BY_ROWS, B_BY_ROWS>(lower, operand(after<A_BY_ROWS>(left + BLOCK, step)), b16, true);
      }
      end_products();
      // The previous stage's products have ended; these run during the wait for the next stage.
      wait_for_products<1>();
      if (before >= 0) {
        ring.was_read(before);
      }
      before = ring.place;
      ring.next();
    }
    wait_for_products<0>();
    are_known(upper);
    are_known(lower);
    ring.was_read(before);
    store_sums(upper, c, m, n, row * ROWS, column * COLUMNS + group * 128, accumulate);
    store_sums(lower, c, m, n, row * ROWS + 64, column * COLUMNS + group * 128, accumulate);
  }
}

#define PRODUCT(name, A_BY_ROWS, B_BY_ROWS, T)                                                                    \
  KERNEL_ALONE(THREADS, name, const IN_PLACE TensorMap a, const IN_PLACE TensorMap b, T *c, i64 m, i64 n, i64 k,  \
               int accumulate) {                                                                                  \
    multiply<A_BY_ROWS, B_BY_ROWS>(a, b, c, m, n, k, accumulate);                                                 \
  }
#define OF_TYPE(T, t)                                                                                             \
  PRODUCT(multiply_nt_##t, true, true, T)                                                                         \
  PRODUCT(multiply_nn_##t, true, false, T)                                                                        \
  PRODUCT(multiply_tn_##t, false, false, T)

OF_TYPE(float, f32)
OF_TYPE(bf16, bf16)
