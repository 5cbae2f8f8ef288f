// Blocks: what their threads share, and how these take turns.
#pragma once

namespace emulation {
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
// Places where threads of a block meet: who came since they last did, and how often that was.
struct Meeting {
  int came, times;
};
// A block that has begun, and room for one.
struct Block {
  Extent index;
  int turn, registersLeft;
  Tiles tiles;
  Meeting meetings[16];
  unsigned char states[MOST_THREADS];
  Fiber fibers[MOST_THREADS];
  // Begins as nonsense (no number in any format) in every block, and ends with what nobody may overwrite.
  alignas(1024) unsigned char dynamicShared[MOST_SHARED_BYTES + GUARD_BYTES];
};
// Of the block whose threads run.
static Block *block;
static unsigned char *dynamicShared;
static void enter(Block *it) {
  block = it;
  fibers = it->fibers;
  states = it->states;
  dynamicShared = it->dynamicShared;
  blockIdx = it->index;
}

// The scheduler looks at the states of all threads in each turn, which took most of the time of small kernels before these loops were
// vectorized: -O1, which compiles kernels quickly, does not do that.
#define VECTORIZED __attribute__((noinline, optimize("O3")))

VECTORIZED static int count(const unsigned char *of, State state, int first, int end) {
  int n = 0;
  for (int i = first; i < end; i++) {
    n += of[i] == state;
  }
  return n;
}
static int count(State state, int first, int end) { return count(states, state, first, end); }

// Makes threads ready that are in a state.
VECTORIZED static void ready(unsigned char *of, State state, int first, int end) {
  for (int i = first; i < end; i++) {
    of[i] = of[i] == state ? (unsigned char)READY : of[i];
  }
}

VECTORIZED static void ready_unless_ended(unsigned char *of, int threads) {
  for (int i = 0; i < threads; i++) {
    of[i] = of[i] == ENDED ? (unsigned char)ENDED : (unsigned char)READY;
  }
}

static void end_block(int sharedBytes) {
  if (block->tiles.count != 0) {
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

static void begin_block(int threads, int sharedBytes) {
  for (int i = 0; i < threads; i++) {
    states[i] = READY;
    fibers[i].shuffles = 0;
    fibers[i].copies.count = fibers[i].copies.groups = fibers[i].products.count = fibers[i].products.groups = 0;
    fibers[i].products.areBegun = false;
    fibers[i].hidden.count = fibers[i].leaving.bytes = 0;
    // As many as an SM has for such a block.
    fibers[i].registers = 65536 / threads / 8 * 8 < 255 ? 65536 / threads / 8 * 8 : 255;
    fibers[i].registersAreNew = false;
  }
  block->turn = block->tiles.count = block->registersLeft = 0;
  memset(block->meetings, 0, sizeof(block->meetings));
  memset(dynamicShared, 0xff, sharedBytes + GUARD_BYTES);
}

// Resumes threads whose products or copies end as late as they may: those of a warpgroup, when no others of the block can. Blocks
// differ in which comes first, so that each is ahead of the others somewhere.
static bool end_late(int threads) {
  int groups = (threads + 127) / 128;
  for (int i = 0; i < groups; i++) {
    int first = (blockIdx.x % 2 ? i : groups - 1 - i) * 128, end = first + 128 < threads ? first + 128 : threads;
    if (count(AT_LATE, first, end) != 0) {
      ready(states, AT_LATE, first, end);
      return true;
    }
  }
  return false;
}

// Resumes the threads of a block that wait until no block can run; whether there are any.
static bool wake(Block *it, int threads) {
  bool any = count(it->states, AT_LAST, 0, threads) != 0;
  ready(it->states, AT_LAST, 0, threads);
  return any;
}

static void resume_if_ready(int thread) {
  if (states[thread] == READY) {
    resume(thread);
  }
}

// Resumes a block until it ends, true, or has threads that wait for other blocks, and none that do not wait for those.
static bool run_block(int threads, int sharedBytes) {
  ready(states, AT_OTHERS, 0, threads);
  while (true) {
    unsigned long before = happened;
    // By turns warp for warp, and first threads of all warps first: who speaks for its warp is ahead of it then.
    if (block->turn++ % 2) {
      for (int thread = 0; thread < threads; thread++) {
        resume_if_ready(thread);
      }
    } else {
      for (int lane = 0; lane < 32; lane++) {
        for (int thread = lane; thread < threads; thread += 32) {
          resume_if_ready(thread);
        }
      }
    }
    bool moved = happened != before || count(READY, 0, threads) != 0;
    if (happened != before) {
      ready(states, AT_POLL, 0, threads);
    }
    for (int warp = 0; warp < threads; warp += 32) {
      if (count(AT_SHUFFLE, warp, warp + 32) == 32) {
        moved = true;
        for (int i = warp; i < warp + 32; i++) {
          states[i] = READY;
        }
      }
    }
    int ended = count(ENDED, 0, threads);
    if (ended == threads) {
      end_block(sharedBytes);
      return true;
    }
    if (!moved && !end_late(threads)) {
      if (count(AT_OTHERS, 0, threads) + count(AT_LAST, 0, threads) != 0) {
        return false;
      }
      if (count(AT_BARRIER, 0, threads) + ended != threads) {
        fprintf(stderr, "threads of a block wait at different places\n");
        abort();
      }
      ready_unless_ended(states, threads);
    }
  }
}
} // namespace emulation
