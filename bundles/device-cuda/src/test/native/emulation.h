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
enum State { READY, AT_BARRIER, AT_SHUFFLE, ENDED };
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
struct Fiber {
  ucontext_t entry;
  jmp_buf point;
  bool started;
  State state;
  unsigned shuffles;
  unsigned char slots[2][SLOT_BYTES];
  Copies copies;
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

static void end_block(int sharedBytes) {
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
    fibers[i].copies.count = fibers[i].copies.groups = 0;
  }
  memset(dynamicShared, 0xff, sharedBytes + GUARD_BYTES);
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

// A launch that is still to come, with a copy of its parameters. Whoever got it calls run, then free.
struct Work {
  void (*run)(Work *);
  void (*call)(Work *);
  void *kernel;
  Extent grid, block;
  unsigned sharedBytes;
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
        run_block(blockDim.x, work->sharedBytes);
      }
    }
  }
}

static Work *create(int mostThreads, void (*call)(Work *), void *kernel, const unsigned *grid, const unsigned *block,
                    unsigned sharedBytes) {
  if (sharedBytes > MOST_SHARED_BYTES || (int)block[0] > mostThreads || block[0] % 32 != 0 || block[1] != 1 || block[2] != 1) {
    return nullptr;
  }
  Work *work = (Work *)calloc(1, sizeof(Work));
  work->run = run;
  work->call = call;
  work->kernel = kernel;
  memcpy(&work->grid, grid, sizeof(Extent));
  memcpy(&work->block, block, sizeof(Extent));
  work->sharedBytes = sharedBytes;
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
Work *bind(int mostThreads, void (*kernel)(P...), const unsigned *grid, const unsigned *block, unsigned sharedBytes, void **values) {
  Work *work = create(mostThreads, Kernel<P...>::call, (void *)kernel, grid, block, sharedBytes);
  int i = 0;
  if (work) {
    ((memcpy(&work->values[i], values[i], sizeof(P)), i++), ...);
  }
  return work;
}
} // namespace emulation

static inline void __syncthreads() { emulation::pause(emulation::AT_BARRIER); }

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

template <class A> A __shfl_xor_sync(unsigned, A value, int distance) {
  return emulation::Exchange<A>(value).get(emulation::current % 32 ^ distance);
}

// What tensor_core.cuh names, with its words: sums in FP32 in the order of k, which a GPU's are not.
namespace emulation {
struct Fragments {
  unsigned a[4], b[2];
};
template <class Widen>
void multiply(float *c, const unsigned *a, unsigned b0, unsigned b1, int perRegister, Widen widen) {
  Exchange<Fragments> all({{a[0], a[1], a[2], a[3]}, {b0, b1}});
  int g = current % 32 / 4, t = current % 4;
  for (int i = 0; i < 4; i++) {
    int row = g + 8 * (i / 2), column = 2 * t + i % 2;
    for (int k = 0; k < 8 * perRegister; k++) {
      // The thread of its group that has k, in which register and where in it.
      int thread = k / perRegister % 4, half = k / perRegister / 4, place = k % perRegister;
      unsigned mine = all.get(row % 8 * 4 + thread).a[row / 8 + 2 * half], other = all.get(column * 4 + thread).b[half];
      c[i] += widen(mine, place) * widen(other, place);
    }
  }
}
struct Row {
  unsigned char bytes[16];
};
} // namespace emulation

static inline void multiply_bf16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  emulation::multiply(c, a, b0, b1, 2, [](unsigned pair, int i) { return __uint_as_float(i ? pair & 0xffff0000 : pair << 16); });
}
static inline void multiply_e4m3(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  emulation::multiply(c, a, b0, b1, 4, [](unsigned four, int i) {
    int bits = four >> 8 * i & 0xff, exponent = bits >> 3 & 15;
    float magnitude = exponent ? ldexpf(8 + bits % 8, exponent - 10) : ldexpf(bits % 8, -9);
    return (bits & 0x7f) == 0x7f ? NAN : bits & 0x80 ? -magnitude : magnitude;
  });
}
static inline void load_matrices(unsigned (&r)[4], const void *row) {
  emulation::Exchange<emulation::Row> rows(*(const emulation::Row *)row);
  int lane = emulation::current % 32;
  for (int i = 0; i < 4; i++) {
    emulation::Row own = rows.get(8 * i + lane / 4);
    memcpy(&r[i], own.bytes + lane % 4 * 4, 4);
  }
}
static inline void load_transposed(unsigned (&r)[4], const void *row) {
  emulation::Exchange<emulation::Row> rows(*(const emulation::Row *)row);
  int lane = emulation::current % 32;
  for (int i = 0; i < 4; i++) {
    for (int half = 0; half < 2; half++) {
      emulation::Row own = rows.get(8 * i + lane % 4 * 2 + half);
      memcpy((char *)&r[i] + 2 * half, own.bytes + lane / 4 * 2, 2);
    }
  }
}
// Copies arrive as late as they may: when their thread waits for them.
static inline void copy_later(void *shared, const void *global, bool isInside) {
  emulation::Copies &own = emulation::fibers[emulation::current].copies;
  if (own.count == emulation::Copies::MOST || ((size_t)shared | (size_t)global) % 16 != 0) {
    fprintf(stderr, "a copy to shared memory is not aligned to 16 bytes, or one of too many\n");
    abort();
  }
  own.pending[own.count++] = {shared, isInside ? global : nullptr, own.groups};
}
static inline void end_copies() { emulation::fibers[emulation::current].copies.groups++; }
template <int PENDING> static inline void wait_for_copies() {
  emulation::Copies &own = emulation::fibers[emulation::current].copies;
  int left = 0;
  for (int i = 0; i < own.count; i++) {
    emulation::Copies::Copy copy = own.pending[i];
    if (copy.group >= own.groups - PENDING) {
      own.pending[left++] = copy;
    } else if (copy.from) {
      memcpy(copy.to, copy.from, 16);
    } else {
      memset(copy.to, 0, 16);
    }
  }
  own.count = left;
}

#define KERNEL(threads, name, ...)                                                                                \
  static void body_of_##name(__VA_ARGS__);                                                                        \
  extern "C" void *name(const unsigned *grid, const unsigned *block, unsigned sharedBytes, void **values) {       \
    return emulation::bind(threads, body_of_##name, grid, block, sharedBytes, values);                            \
  }                                                                                                               \
  static void body_of_##name(__VA_ARGS__)
