// Products of BF16 matrices on warpgroups (wgmma), their tiles fetched by TMA: c[M,N] = (accumulate ? c : 0) + a b, sums in FP32.
// nt: a[M,K] b[N,K]^T; nn: a[M,K] b[K,N]; tn: a[K,M]^T b[K,N]. Rows of all are multiples of 16 bytes (TMA). A block for 128 x 256 of
// c, K in steps of 64; each of two warpgroups has 128 x 128, or 64 x 256 (wide: the same sums, and a sixth less is read from shared
// memory). The naive twin is multiply of gemm.cu. Floor: 2 M N K at 989 TFLOP/s. Dynamic shared memory: 4 stages of 48 KiB and their
// barriers, 196,672 bytes.
#include "pipeline.cuh"

const int ROWS = 128, COLUMNS = 256, STEP = 64, BLOCK = 64 * LINE, OPERAND_A = 2 * BLOCK, STAGE = 6 * BLOCK;
typedef Ring<4, STAGE> Stages;

// Tiles of [64 * BLOCKS, 64] of an operand: one copy by rows of K, else one for each 64 of its rows.
template <bool BY_ROWS, int BLOCKS>
__device__ inline void fetch(u8 *shared, const TensorMap &map, int row, int k, u64 *barrier) {
  if (BY_ROWS) {
    copy_tile(shared, map, k, row, barrier);
  } else {
    for (int i = 0; i < BLOCKS; i++) {
      copy_tile(shared + i * BLOCK, map, row + 64 * i, k, barrier);
    }
  }
}

// What 16 further k are behind the first of a tile.
template <bool BY_ROWS> __device__ inline const u8 *after(const u8 *tile, int k) { return tile + (BY_ROWS ? k * 2 : k * LINE); }

// The sums of a warpgroup: of 128 x 128 of a tile, or WIDE.
template <bool WIDE> struct Sums {
  float upper[64], lower[64];

  // Not left to the first product, which then is not to add: some compilers let products wait for each other then.
  __device__ void begin() {
#pragma unroll
    for (int i = 0; i < 64; i++) {
      upper[i] = lower[i] = 0;
    }
  }
  template <bool A_BY_ROWS, bool B_BY_ROWS> __device__ void add(const u8 *stage, int group, int step) {
    u64 right = operand(after<B_BY_ROWS>(stage + OPERAND_A + group * 2 * BLOCK, step));
    multiply_tiles_bf16<A_BY_ROWS, B_BY_ROWS>(upper, operand(after<A_BY_ROWS>(stage, step)), right, true);
    multiply_tiles_bf16<A_BY_ROWS, B_BY_ROWS>(lower, operand(after<A_BY_ROWS>(stage + BLOCK, step)), right, true);
  }
  __device__ void end() {
    are_known(upper);
    are_known(lower);
  }
  template <class T> __device__ void store(T *c, i64 m, i64 n, i64 row, i64 column, int group, int accumulate) const {
    store_sums(upper, c, m, n, row, column + group * 128, accumulate);
    store_sums(lower, c, m, n, row + 64, column + group * 128, accumulate);
  }
};
template <> struct Sums<true> {
  float all[128];

  __device__ void begin() {
#pragma unroll
    for (int i = 0; i < 128; i++) {
      all[i] = 0;
    }
  }
  template <bool A_BY_ROWS, bool B_BY_ROWS> __device__ void add(const u8 *stage, int group, int step) {
    multiply_tiles_bf16<A_BY_ROWS, B_BY_ROWS>(all, operand(after<A_BY_ROWS>(stage + group * BLOCK, step)),
                                              operand(after<B_BY_ROWS>(stage + OPERAND_A, step)), true);
  }
  __device__ void end() { are_known(all); }
  template <class T> __device__ void store(T *c, i64 m, i64 n, i64 row, i64 column, int group, int accumulate) const {
    store_sums(all, c, m, n, row + group * 64, column, accumulate);
  }
};

template <bool A_BY_ROWS, bool B_BY_ROWS, bool WIDE, class T>
__device__ void multiply(const TensorMap &a, const TensorMap &b, T *c, i64 m, i64 n, i64 k, int accumulate) {
  DYNAMIC_SHARED(shared);
  Stages ring(shared);
  ring.begin();
  Tiles tiles(m, ROWS, n, COLUMNS);
  int group = threadIdx.x / 128, inner = (int)k;
  int row, column;
  if (group == 2) {
    keep_registers<FETCHING>();
    if (threadIdx.x == MULTIPLYING_THREADS) {
      for (unsigned tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
        tiles.find(tile, row, column);
        for (int first = 0; first < inner; first += STEP) {
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
  Sums<WIDE> sums;
  for (unsigned tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
    tiles.find(tile, row, column);
    int before = -1;
    sums.begin();
    for (int first = 0; first < inner; first += STEP) {
      ring.wait_until_filled();
      begin_products();
#pragma unroll
      for (int step = 0; step < STEP; step += 16) {
        sums.template add<A_BY_ROWS, B_BY_ROWS>(ring.stage(), group, step);
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
    sums.end();
    ring.was_read(before);
    sums.store(c, m, n, row * ROWS, column * COLUMNS, group, accumulate);
  }
}

#define PRODUCT(name, A_BY_ROWS, B_BY_ROWS, WIDE, T)                                                              \
  KERNEL_ALONE(THREADS, name, const IN_PLACE TensorMap a, const IN_PLACE TensorMap b, T *c, i64 m, i64 n, i64 k,  \
               int accumulate) {                                                                                  \
    multiply<A_BY_ROWS, B_BY_ROWS, WIDE>(a, b, c, m, n, k, accumulate);                                           \
  }
#define OF_TYPE(T, t)                                                                                             \
  PRODUCT(multiply_nt_##t, true, true, false, T)                                                                  \
  PRODUCT(multiply_nn_##t, true, false, false, T)                                                                 \
  PRODUCT(multiply_tn_##t, false, false, false, T)                                                                \
  PRODUCT(wide_nt_##t, true, true, true, T)                                                                       \
  PRODUCT(wide_nn_##t, true, false, true, T)                                                                      \
  PRODUCT(wide_tn_##t, false, false, true, T)

OF_TYPE(float, f32)
OF_TYPE(bf16, bf16)
