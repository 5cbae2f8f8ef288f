// CUDA C++ as plain C++: a kernel is a loop over blocks, whose threads are fibers that take turns at barriers and shuffles. A
// barrier that not all threads of a block (or warp) reach ends the process, as does a block larger than the kernel's bounds. Blocks
// run until none of their threads can; where one waits for another block, others have their turn (emulation_launch.h).
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
using std::tanh;
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
enum State { READY, AT_BARRIER, AT_SHUFFLE, AT_POLL, AT_LATE, AT_OTHERS, AT_LAST, ENDED };
const int MOST_THREADS = 1024, STACK_BYTES = 1 << 16, MOST_SHARED_BYTES = 227 << 10, GUARD_BYTES = 1024, SLOT_BYTES = 32;
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
// What a thread has written for products and copies, and not yet shown to them.
struct Hidden {
  static const int MOST = 64;
  struct Value {
    void *to;
    int bytes;
    unsigned char value[16];
  };
  Value values[MOST];
  int count;
};
// A thread's copy to global memory.
struct Leaving {
  void *to;
  const void *from;
  int bytes; // 0 where there is none
  bool adds;
  unsigned char *taken;
};
struct Fiber {
  ucontext_t entry;
  jmp_buf point;
  bool started;
  unsigned shuffles;
  alignas(16) unsigned char slots[2][SLOT_BYTES];
  Copies copies;
  Products products;
  Hidden hidden;
  Leaving leaving;
  int registers;
  // Whether they have changed since the thread's last meeting.
  bool registersAreNew;
};
static Fiber *fibers;
// Of the fibers, one next to the other: the scheduler counts them all the time, and fibers are 20 KiB apart.
static unsigned char *states;
static jmp_buf scheduler;
static int current;
static struct Work *body;

static void pause(State state) {
  Fiber &own = fibers[current];
  states[current] = state;
  if (_setjmp(own.point) == 0) {
    _longjmp(scheduler, 1);
  }
}

static void call_body();

static void live() {
  while (true) {
    call_body();
    if (fibers[current].copies.count != 0 || fibers[current].products.count != 0 || fibers[current].leaving.bytes != 0) {
      fprintf(stderr, "a thread ends with copies or products that nobody waits for\n");
      abort();
    }
    if (fibers[current].hidden.count != 0) {
      fprintf(stderr, "a thread ends, and what it wrote for products or copies it did not show to them\n");
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
  const A &get(int lane) const { return *(const A *)fibers[current / 32 * 32 + lane].slots[slot]; }
};
} // namespace emulation

static inline void __syncwarp() { emulation::Exchange<int>(0); }

template <class A> A __shfl_xor_sync(unsigned, A value, int distance) {
  return emulation::Exchange<A>(value).get(emulation::current % 32 ^ distance);
}

#include "emulation_block.h"
#include "emulation_launch.h"
#include "emulation_tensor_core.h"
#include "emulation_turns.h"
#include "emulation_warpgroup.h"
