// How one thread of a block, and further warps, feed the warpgroups that multiply: tiles of operands pass through a ring of stages in
// shared memory.
#pragma once
#include "warpgroup.cuh"

// Of a block: two warpgroups multiply, one thread of a third fetches.
const int THREADS = 384, MULTIPLYING_THREADS = 256, MULTIPLYING_WARPS = MULTIPLYING_THREADS / 32;
// Registers that each thread of so many has when the kernel begins; of the warpgroups that multiply, and of the one that fetches.
const int AT_FIRST = 168, MULTIPLYING = 232, FETCHING = 40;

// Stages of BYTES in shared memory, each a multiple of 1024, and behind them barriers: of a stage that is filled, and one that is
// read. A thread keeps its place in the ring from one tile of a result to the next.
template <int STAGES, int BYTES> struct Ring {
  u8 *stages;
  u64 *filled, *read;
  int place = 0, parity = 0;

  __device__ Ring(u8 *shared) : stages(shared), filled((u64 *)(shared + STAGES * BYTES)), read(filled + STAGES) {}

  // All threads of the block come here first. So many warps fill a stage in addition to the thread that fetches.
  __device__ void begin(int fillingWarps = 0) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < STAGES; i++) {
        barrier_begin(&filled[i], 1 + fillingWarps);
        barrier_begin(&read[i], MULTIPLYING_WARPS);
      }
      barriers_begun();
    }
    __syncthreads();
  }
  __device__ u8 *stage() const { return stages + place * BYTES; }
  __device__ void next() {
    if (++place == STAGES) {
      place = 0;
      parity ^= 1;
    }
  }

  // Of those that fill.
  __device__ void wait_until_read() { wait_for(&read[place], parity ^ 1); }
  // Of the thread that fetches: waits until the stage was read, then expects so many bytes of copies to it.
  __device__ u64 *begin_filling(int bytes) {
    wait_until_read();
    arrive_expecting(&filled[place], bytes);
    return &filled[place];
  }
  // Once for each of the other warps that fill; all of its threads come here.
  __device__ void was_filled() {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      arrive(&filled[place]);
    }
  }
  // Of those that multiply.
  __device__ void wait_until_filled() { wait_for(&filled[place], parity); }
  // Once for each warp, when products of the stage are over for it; all of its threads come here.
  __device__ void was_read(int which) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      arrive(&read[which]);
    }
  }
};
