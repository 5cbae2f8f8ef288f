// CUDA C++ as plain C++: a kernel is a loop over blocks, whose threads are fibers that take turns at barriers and shuffles. A
// barrier that not all threads of a block (or warp) reach ends the process, as does a block larger than the kernel's bounds.
#pragma once
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

#define __device__
#define __shared__ static
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
enum State { READY, AT_BARRIER, AT_SHUFFLE, ENDED };
const int MOST_THREADS = 1024, STACK_BYTES = 1 << 16;
struct Fiber {
  ucontext_t entry;
  jmp_buf point;
  bool started;
  State state;
  unsigned shuffles;
  double slots[2];
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

static int count(State state, int first, int end) {
  int n = 0;
  for (int i = first; i < end; i++) {
    n += fibers[i].state == state;
  }
  return n;
}

static void run_block(int threads) {
  for (int i = 0; i < threads; i++) {
    fibers[i].state = READY;
    fibers[i].shuffles = 0;
  }
  while (true) {
    for (int i = 0; i < threads; i++) {
      if (fibers[i].state == READY) {
        resume(i);
      }
    }
    bool moved = false;
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

// A launch that is still to come, with a copy of its parameters. Whoever got it calls run, then free.
struct Work {
  void (*run)(Work *);
  void (*call)(Work *);
  void *kernel;
  Extent grid, block;
  unsigned long long values[24];
};

static void call_body() { body->call(body); }

static void run(Work *work) {
  body = work;
  gridDim = work->grid;
  blockDim = work->block;
  for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++) {
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++) {
      for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
        run_block(blockDim.x);
      }
    }
  }
}

static Work *create(int mostThreads, void (*call)(Work *), void *kernel, const unsigned *grid, const unsigned *block) {
  if ((int)block[0] > mostThreads || block[0] % 32 != 0 || block[1] != 1 || block[2] != 1) {
    return nullptr;
  }
  Work *work = (Work *)calloc(1, sizeof(Work));
  work->run = run;
  work->call = call;
  work->kernel = kernel;
  memcpy(&work->grid, grid, sizeof(Extent));
  memcpy(&work->block, block, sizeof(Extent));
  return work;
}

// Places of parameters: std::index_sequence without its header.
template <int... I> struct Places {};
template <int N, int... I> struct UpTo : UpTo<N - 1, N - 1, I...> {};
template <int... I> struct UpTo<0, I...> {
  typedef Places<I...> type;
};

template <class... P> struct Kernel {
  typedef void (*Pointer)(P...);
  template <int... I> static void call(Work *work, Places<I...>) {
    ((Pointer)work->kernel)(*(P *)&work->values[I]...);
  }
  static void call(Work *work) { call(work, typename UpTo<sizeof...(P)>::type()); }
};

// Null where the block is larger than the kernel allows.
template <class... P>
Work *bind(int mostThreads, void (*kernel)(P...), const unsigned *grid, const unsigned *block, void **values) {
  Work *work = create(mostThreads, Kernel<P...>::call, (void *)kernel, grid, block);
  int i = 0;
  if (work) {
    ((memcpy(&work->values[i], values[i], sizeof(P)), i++), ...);
  }
  return work;
}
} // namespace emulation

static inline void __syncthreads() { emulation::pause(emulation::AT_BARRIER); }

template <class A> A __shfl_xor_sync(unsigned, A value, int distance) {
  using namespace emulation;
  // Two slots by turns: nobody is two shuffles ahead of another.
  int slot = fibers[current].shuffles++ % 2, other = current ^ distance;
  memcpy(&fibers[current].slots[slot], &value, sizeof(A));
  pause(AT_SHUFFLE);
  memcpy(&value, &fibers[other].slots[slot], sizeof(A));
  return value;
}

#define KERNEL(threads, name, ...)                                                                                \
  static void body_of_##name(__VA_ARGS__);                                                                        \
  extern "C" void *name(const unsigned *grid, const unsigned *block, void **values) {                             \
    return emulation::bind(threads, body_of_##name, grid, block, values);                                         \
  }                                                                                                               \
  static void body_of_##name(__VA_ARGS__)
