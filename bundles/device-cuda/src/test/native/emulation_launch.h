// Launches: a grid's blocks one after the other, and parameters kept as the driver keeps them until the launch's turn.
#pragma once

namespace emulation {
// A launch that is still to come, with a copy of its parameters. Whoever got it calls run, then free.
struct Work {
  void (*run)(Work *);
  void (*call)(Work *);
  void *kernel;
  Extent grid, block;
  unsigned sharedBytes, parameterBytes;
  unsigned offsets[24];
  alignas(128) unsigned char parameters[4096];
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
  Work *work = (Work *)aligned_alloc(128, sizeof(Work));
  memset(work, 0, sizeof(Work));
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
    ((Pointer)work->kernel)(*(P *)(work->parameters + work->offsets[I])...);
  }
  static void call(Work *work) { call(work, typename UpTo<sizeof...(P)>::type()); }
};

static void add(Work *work, int i, void **values, unsigned bytes, unsigned alignment) {
  unsigned offset = (work->parameterBytes + alignment - 1) / alignment * alignment;
  if (i == 24 || offset + bytes > sizeof(work->parameters)) {
    fprintf(stderr, "more parameters than a kernel can have\n");
    abort();
  }
  memcpy(work->parameters + offset, values[i], bytes);
  work->offsets[i] = offset;
  work->parameterBytes = offset + bytes;
}

// Null where the block is larger than the kernel allows.
template <class... P>
Work *bind(int mostThreads, void (*kernel)(P...), const unsigned *grid, const unsigned *block, unsigned sharedBytes, void **values) {
  Work *work = create(mostThreads, Kernel<P...>::call, (void *)kernel, grid, block, sharedBytes);
  int i = 0;
  if (work) {
    (add(work, i++, values, sizeof(P), alignof(P)), ...);
  }
  return work;
}
} // namespace emulation

#define KERNEL(threads, name, ...)                                                                                \
  static void body_of_##name(__VA_ARGS__);                                                                        \
  extern "C" void *name(const unsigned *grid, const unsigned *block, unsigned sharedBytes, void **values) {       \
    return emulation::bind(threads, body_of_##name, grid, block, sharedBytes, values);                            \
  }                                                                                                               \
  static void body_of_##name(__VA_ARGS__)
