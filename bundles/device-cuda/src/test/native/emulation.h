// CUDA C++ as plain C++: a kernel is a loop over blocks, whose threads are fibers that take turns at barriers and shuffles. A
// barrier that not all threads of a block (or warp) reach ends the process, as does a block larger than the kernel's bounds.
#pragma once
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

#define EMULATED
#define __device__
#define IN_PLACE
#define __noinline__
#define __shared__ static
#define DYNAMIC_SHARED(name) unsigned char *const name = emulation::dynamicShared
#define CUDA_INFINITY INFINITY
using std::exp;
using std::log;
using std::sqrt;

struct Extent {
  unsigned x, y, z;
};
static Extent threadIdx, blockIdx, blockDim, gridDim;

static inline unsigned __float_as_uint(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  return bits;
}
static inline float __uint_as_float(unsigned bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

namespace emulation {
enum State { READY, AT_BARRIER, AT_SHUFFLE, AT_POLL, ENDED };
const int MOST_THREADS = 1024, STACK_BYTES = 1 << 16, MOST_SHARED_BYTES = 227 << 10, GUARD_BYTES = 1024, SLOT_BYTES = 32;
// Begins as nonsense (no number in any format) in every block, and ends with what nobody may overwrite.
alignas(1024) static unsigned char dynamicShared[MOST_SHARED_BYTES + GUARD_BYTES];
// What a thread has asked to be copied, and how many groups of it are ended.
struct Copies {
  static const int MOST = 512;
  struct Copy {
    void *to;
    const void *from;
    int group;
  };
  Copy pending[MOST];
  int count, groups;
};
// Products of a warpgroup that a thread has begun.
struct Products {
  struct Product {
    float *sums;
    int sumCount;
    unsigned long long a;
    const unsigned *fragment; // instead of a, where it is not null
    unsigned long long b;
    bool add;
    void (*multiply)(const Product &);
    // When it was begun.
    unsigned begun[4], checksum;
    int group;
  };
  static const int MOST = 64;
  Product pending[MOST];
  int count, groups;
  bool areBegun;
};
struct Fiber {
  ucontext_t entry;
  jmp_buf point;
  bool started;
  State state;
  unsigned shuffles;
  unsigned char slots[2][SLOT_BYTES];
  Copies copies;
  Products products;
  int registers;
  // Whether they have changed since the thread's last meeting.
  bool registersAreNew;
};
static Fiber fibers[MOST_THREADS];
static jmp_buf scheduler;
static int current;
static struct Work *body;

static void pause(State state) {
  Fiber &own = fibers[current];
  own.state = state;
  if (_setjmp(own.point) == 0) {
    _longjmp(scheduler, 1);
  }
}

static void call_body();

static void live() {
  while (true) {
    call_body();
    if (fibers[current].copies.count != 0 || fibers[current].products.count != 0) {
      fprintf(stderr, "a thread ends with copies or products that nobody waits for\n");
      abort();
    }
    pause(ENDED);
  }
}

static void resume(int thread) {
  Fiber &fiber = fibers[thread];
  current = thread;
  threadIdx = {(unsigned)thread, 0, 0};
  if (_setjmp(scheduler) != 0) {
    return;
  }
  if (fiber.started) {
    _longjmp(fiber.point, 1);
  }
  fiber.started = true;
  getcontext(&fiber.entry);
  fiber.entry.uc_stack.ss_sp = malloc(STACK_BYTES);
  fiber.entry.uc_stack.ss_size = STACK_BYTES;
  fiber.entry.uc_link = nullptr;
  makecontext(&fiber.entry, live, 0);
  setcontext(&fiber.entry);
}

// What happened that a thread may poll for: arrivals, and copies that are there.
static unsigned long happened;
// Copies of tiles under way, of a block.
struct Tiles {
  struct Tile {
    unsigned char *to;
    const void *from;
    int bytes, at[4];
    unsigned long long *barrier;
  };
  static const int MOST = 256;
  Tile pending[MOST];
  int count;
};
static Tiles tiles;
// Places where threads of a block meet: who came since they last did, and how often that was.
struct Meeting {
  int came, times;
};
static Meeting meetings[16];
// That threads of a block have given back.
static int registersLeft;

static int count(State state, int first, int end) {
  int n = 0;
  for (int i = first; i < end; i++) {
    n += fibers[i].state == state;
  }
  return n;
}

static void end_block(int sharedBytes) {
  if (tiles.count != 0) {
    fprintf(stderr, "a block ends with copies of tiles that nobody waits for\n");
    abort();
  }
  for (int i = 0; i < GUARD_BYTES; i++) {
    if (dynamicShared[sharedBytes + i] != 0xff) {
      fprintf(stderr, "a block wrote past its %d bytes of shared memory\n", sharedBytes);
      abort();
    }
  }
}

static void run_block(int threads, int sharedBytes) {
  for (int i = 0; i < threads; i++) {
    fibers[i].state = READY;
    fibers[i].shuffles = 0;
    fibers[i].copies.count = fibers[i].copies.groups = fibers[i].products.count = fibers[i].products.groups = 0;
    fibers[i].products.areBegun = false;
    // As many as an SM has for such a block.
    fibers[i].registers = 65536 / threads / 8 * 8 < 255 ? 65536 / threads / 8 * 8 : 255;
    fibers[i].registersAreNew = false;
  }
  tiles.count = 0;
  memset(meetings, 0, sizeof(meetings));
  registersLeft = 0;
  memset(dynamicShared, 0xff, sharedBytes + GUARD_BYTES);
  for (int turn = 0;; turn++) {
    unsigned long before = happened;
    for (int i = 0; i < threads; i++) {
      // By turns warp for warp, and first threads of all warps first: who speaks for its warp is ahead of it then.
      int warps = threads / 32, thread = turn % 2 ? i : i % warps * 32 + i / warps;
      if (fibers[thread].state == READY) {
        resume(thread);
      }
    }
    bool moved = happened != before || count(READY, 0, threads) != 0;
    for (int i = 0; i < threads && happened != before; i++) {
      fibers[i].state = fibers[i].state == AT_POLL ? READY : fibers[i].state;
    }
    for (int warp = 0; warp < threads; warp += 32) {
      if (count(AT_SHUFFLE, warp, warp + 32) == 32) {
        moved = true;
        for (int i = warp; i < warp + 32; i++) {
          fibers[i].state = READY;
        }
      }
    }
    int ended = count(ENDED, 0, threads);
    if (ended == threads) {
      end_block(sharedBytes);
      return;
    }
    if (!moved) {
      if (count(AT_BARRIER, 0, threads) + ended != threads) {
        fprintf(stderr, "threads of a block wait at different places\n");
        abort();
      }
      for (int i = 0; i < threads; i++) {
        fibers[i].state = fibers[i].state == ENDED ? ENDED : READY;
      }
    }
  }
}
} // namespace emulation

static inline void __syncthreads() {
  emulation::pause(emulation::AT_BARRIER);
  emulation::fibers[emulation::current].registersAreNew = false;
}

namespace emulation {
// Gives the warp's threads what each brings; get reads another's.
template <class A> struct Exchange {
  // Two slots by turns: nobody is two exchanges ahead of another.
  int slot = fibers[current].shuffles++ % 2;
  explicit Exchange(const A &own) {
    static_assert(sizeof(A) <= SLOT_BYTES, "what threads of a warp exchange fits into a slot");
    memcpy(fibers[current].slots[slot], &own, sizeof(A));
    pause(AT_SHUFFLE);
  }
  A get(int lane) const {
    A value;
    memcpy(&value, fibers[current / 32 * 32 + lane].slots[slot], sizeof(A));
    return value;
  }
};
} // namespace emulation

static inline void __syncwarp() { emulation::Exchange<int>(0); }

template <class A> A __shfl_xor_sync(unsigned, A value, int distance) {
  return emulation::Exchange<A>(value).get(emulation::current % 32 ^ distance);
}

#include "emulation_launch.h"
#include "emulation_tensor_core.h"
#include "emulation_warpgroup.h"
