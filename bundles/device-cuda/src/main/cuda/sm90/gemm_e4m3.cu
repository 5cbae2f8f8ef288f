// Products of E4M3 matrices with scales of blocks on warpgroups (wgmma), their tiles fetched by TMA: c[M,N] = (accumulate ? c : 0) +
// a[M,K] b[N,K]^T; a has a scale for 128 in a row, b such or one for 128 rows of 128. Every 128 of K make sums of their own, for what
// tensor cores sum of 8-bit values keeps few bits; these are scaled and added in FP32: y = fma(sum sa, sb, y). K is a multiple
// of 16 (TMA). A block for 128 x 128 of c, K in steps of 128; each of two warpgroups has 64 x 128. The naive twin is multiply of
// quantize.cu. Floor: 2 M N K at 1979 TFLOP/s. Dynamic shared memory: 6 stages of 33 KiB and their barriers, 202,848 bytes.
#include "block_scales.cuh"
#include "pipeline.cuh"

const int EXTENT = 128, OPERAND = EXTENT * LINE, SCALES = EXTENT * 4, STAGE = 2 * OPERAND + 1024;
typedef Ring<6, STAGE> Stages;

// Bytes of the scales of a tile's rows, which the last tile has fewer of.
__device__ inline int bytes_of_scales(i64 rows, i64 first) { return (int)(padded(rows) - first < EXTENT ? padded(rows) - first : EXTENT) * 4; }

template <bool SQUARE, class T>
__device__ void multiply(const TensorMap &a, const float *aScales, const TensorMap &b, const float *bScales, T *c, i64 m, i64 n, i64 k,
                         int accumulate) {
  DYNAMIC_SHARED(shared);
  Stages ring(shared);
  ring.begin();
  Tiles tiles(m, EXTENT, n, EXTENT);
  int group = threadIdx.x / 128, steps = (int)((k + EXTENT - 1) / EXTENT), row, column;
  if (group == 2) {
    keep_registers<FETCHING>();
    if (threadIdx.x == MULTIPLYING_THREADS) {
      for (unsigned tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
        tiles.find(tile, row, column);
        row *= EXTENT;
        column *= EXTENT;
        int bytesA = bytes_of_scales(m, row), bytesB = SQUARE ? 0 : bytes_of_scales(n, column);
        for (int step = 0; step < steps; step++) {
          u64 *barrier = ring.begin_filling(2 * OPERAND + bytesA + bytesB);
          u8 *stage = ring.stage();
          copy_tile(stage, a, step * EXTENT, row, barrier);
          copy_tile(stage + OPERAND, b, step * EXTENT, column, barrier);
          copy_bytes(stage + 2 * OPERAND, aScales + step * padded(m) + row, bytesA, barrier);
          if (!SQUARE) {
            copy_bytes(stage + 2 * OPERAND + SCALES, bScales + step * padded(n) + column, bytesB, barrier);
          }
          ring.next();
        }
      }
    }
    return;
  }
  take_registers<MULTIPLYING>();
  // This thread's first row, and its first column.
  int own = group * 64 + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4, ownColumn = threadIdx.x % 4 * 2;
  float sums[64], part[64];
  for (unsigned tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
    tiles.find(tile, row, column);
    const float *ofSquares = bScales + column * padded(steps);
#pragma unroll
    for (int i = 0; i < 64; i++) {
      sums[i] = 0;
    }
    for (int step = 0; step < steps; step++) {
      float square = SQUARE ? ofSquares[step] : 0;
      ring.wait_until_filled();
      const u8 *stage = ring.stage();
      begin_products();
#pragma unroll
      for (int first = 0; first < EXTENT; first += 32) {
        multiply_tiles_e4m3(part, operand(stage + group * 64 * LINE + first), operand(stage + OPERAND + first), first > 0);
      }
      end_products();
      const float *ofRows = (const float *)(stage + 2 * OPERAND), *ofColumns = (const float *)(stage + 2 * OPERAND + SCALES);
      float upper = ofRows[own], lower = ofRows[own + 8];
      wait_for_products<0>();
      are_known(part);
#pragma unroll
      for (int i = 0; i < 64; i += 2) {
        float factor = i % 4 ? lower : upper;
        const float *pair = ofColumns + ownColumn + i / 4 * 8;
        sums[i] = fmaf(part[i] * factor, SQUARE ? square : pair[0], sums[i]);
        sums[i + 1] = fmaf(part[i + 1] * factor, SQUARE ? square : pair[1], sums[i + 1]);
      }
      ring.was_read(ring.place);
      ring.next();
    }
    store_sums(sums, c, m, n, row * EXTENT + group * 64, column * EXTENT, accumulate);
  }
}

#define PRODUCT(name, SQUARE, T)                                                                                  \
  KERNEL_ALONE(THREADS, name, const IN_PLACE TensorMap a, const float *aScales, const IN_PLACE TensorMap b,       \
               const float *bScales, T *c, i64 m, i64 n, i64 k, int accumulate) {                                 \
    multiply<SQUARE>(a, aScales, b, bScales, c, m, n, k, accumulate);                                             \
  }

PRODUCT(multiply_row_f32, false, float)
PRODUCT(multiply_row_bf16, false, bf16)
PRODUCT(multiply_square_f32, true, float)
PRODUCT(multiply_square_bf16, true, bf16)
