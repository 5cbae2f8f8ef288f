// Launches: a grid's blocks one after the other, but where they wait for each other a few at the same time; and parameters kept as the
// driver keeps them until the launch's turn.
#pragma once

namespace emulation {
// A launch that is still to come, with a copy of its parameters. Whoever got it calls run, once or, in a graph, any number of times,
// then free.
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

// Blocks that there is room for, as on a small GPU.
const int MOST_BLOCKS = 3;

// Taken when the first needs them, given back with the kernels' library. Pages that nobody needs are none.
struct Rooms {
  void *memory[MOST_BLOCKS];
  Block *blocks[MOST_BLOCKS];
  // Those that have begun come first.
  Block *&at(int i) {
    if (!blocks[i]) {
      memory[i] = calloc(1, sizeof(Block) + alignof(Block));
      blocks[i] = (Block *)(((size_t)memory[i] + alignof(Block) - 1) / alignof(Block) * alignof(Block));
    }
    return blocks[i];
  }
  ~Rooms() {
    for (int i = 0; i < MOST_BLOCKS && blocks[i]; i++) {
      for (int thread = 0; thread < MOST_THREADS && blocks[i]->fibers[thread].started; thread++) {
        free(blocks[i]->fibers[thread].entry.uc_stack.ss_sp);
      }
    }
    for (void *one : memory) {
      free(one);
    }
  }
};
static Rooms rooms;

// The last blocks begin first, and of those that have begun the last run first and as far as they can, so that work without its wait
// comes too early. Blocks that all wait for each other end the process.
static void run(Work *work) {
  body = work;
  gridDim = work->grid;
  blockDim = work->block;
  unsigned long left = (unsigned long)gridDim.x * gridDim.y * gridDim.z, before = happened;
  for (int begun = 0, next = 0; left > 0 || begun > 0;) {
    int at = next;
    bool isNew = left > 0 && begun < MOST_BLOCKS;
    if (isNew) {
      at = begun++;
      left--;
      rooms.at(at)->index = {(unsigned)(left % gridDim.x), (unsigned)(left / gridDim.x % gridDim.y),
                           (unsigned)(left / gridDim.x / gridDim.y)};
      happened++;
    } else if (at < 0) {
      at = begun - 1;
      while (happened == before && at >= 0 && !wake(rooms.at(at), blockDim.x)) {
        at--;
      }
      if (at < 0) {
        fprintf(stderr, "blocks wait for each other, or for those that there is no room for\n");
        abort();
      }
      before = happened;
    }
    enter(rooms.at(at));
    if (isNew) {
      begin_block(blockDim.x, work->sharedBytes);
    }
    bool isOver = run_block(blockDim.x, work->sharedBytes);
    if (isOver) {
      Block *room = rooms.at(at);
      for (begun--; at < begun; at++) {
        rooms.at(at) = rooms.at(at + 1);
      }
      rooms.at(begun) = room;
      happened++;
    }
    next = isNew && !isOver ? at : at - 1;
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
