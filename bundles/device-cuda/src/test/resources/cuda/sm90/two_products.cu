// Two products on warpgroups, the second of what the first left in registers: o[H,S,N] = round(q k^T) v, each head for itself.
// q [B,H,S,64], k [B,H,K,64] of rank 3 (column, row, head); v by columns is [B K, H, N] of rank 4 (column, head, row, sequence), by
// rows [N, B H K] of rank 2. A block of 160 threads for 64 rows of a head; its fifth warp fetches.
#include "warpgroup.cuh"

template <int KEYS, int N, bool BY_ROWS>
__device__ void two_products(const TensorMap &q, const TensorMap &k, const TensorMap &v, float *o, i64 heads, i64 rows) {
  DYNAMIC_SHARED(shared);
  const int BLOCK = 64 * LINE;
  u8 *ofQ = shared, *ofK = ofQ + BLOCK, *ofV = ofK + KEYS * LINE;
  u64 *filled = (u64 *)(ofV + KEYS * N * 2);
  int head = blockIdx.x, first = blockIdx.y * 64;
  if (threadIdx.x == 0) {
    barrier_begin(filled, 1);
    barriers_begun();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) {
      arrive_expecting(filled, BLOCK + KEYS * LINE + KEYS * N * 2);
      copy_tile(ofQ, q, 0, first, head, filled);
      copy_tile(ofK, k, 0, 0, head, filled);
      for (int i = 0; i < (BY_ROWS ? KEYS : N); i += 64) {
        if (BY_ROWS) {
          copy_tile(ofV + i * N * 2, v, head * KEYS + i, 0, filled);
        } else {
          copy_tile(ofV + i * KEYS * 2, v, i, head % (int)heads, 0, head / (int)heads, filled);
        }
      }
    }
    return;
  }
  wait_for(filled, 0);
  float s[KEYS / 2], sums[N / 2];
  unsigned p[KEYS / 16][4];
  begin_products();
  for (int i = 0; i < 64; i += 16) {
    multiply_tiles_bf16<true, true>(s, operand(ofQ + i * 2), operand(ofK + i * 2), i > 0);
  }
  end_products();
  wait_for_products<0>();
  are_known(s);
  round_to_fragments(s, p);
  begin_products();
  for (int i = 0; i < KEYS; i += 16) {
    const u8 *ofPart = BY_ROWS ? ofV + i / 64 * N * LINE + i % 64 * 2 : ofV + i * LINE;
    multiply_fragments_bf16<BY_ROWS>(sums, p[i / 16], operand<KEYS>(ofPart), i > 0);
  }
  end_products();
  wait_for_products<0>();
  are_known(sums);
  are_read(p);
  for (int i = 0; i < N / 2; i++) {
    int row = first + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i % 4 / 2 * 8, column = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
    if (row < rows) {
      o[(head * rows + row) * N + column] = sums[i];
    }
  }
}

#define OF(KEYS, N, BY_ROWS, name)                                                                                \
  KERNEL(160, name, const IN_PLACE TensorMap q, const IN_PLACE TensorMap k, const IN_PLACE TensorMap v, float *o, i64 heads, i64 rows) { \
    two_products<KEYS, N, BY_ROWS>(q, k, v, o, heads, rows);                                                      \
  }
OF(64, 64, false, columns_64_64)
OF(64, 128, false, columns_64_128)
OF(128, 64, false, columns_128_64)
OF(128, 128, false, columns_128_128)
OF(64, 128, true, rows_64_128)
OF(128, 64, true, rows_128_64)
