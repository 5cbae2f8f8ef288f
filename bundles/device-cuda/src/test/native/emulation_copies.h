// What warpgroup.cuh names, but for products: barriers and the copies that arrive at them as late as they may, meetings, and registers
// that go round.
#pragma once
#include "tensor_map.h"

struct TensorMap;

static inline unsigned shared_address(const void *pointer) { return (unsigned)((const unsigned char *)pointer - emulation::dynamicShared); }

namespace emulation {
// A barrier's 64 bits.
struct Barrier {
  int bytes;
  short arrivals;
  unsigned short pending : 15, parity : 1;
};
static inline void arrived(unsigned long long *at, int arrivals, int bytes) {
  Barrier *barrier = (Barrier *)at;
  happened++;
  barrier->pending -= arrivals;
  barrier->bytes += bytes;
  if (barrier->pending == 0 && barrier->bytes == 0) {
    barrier->pending = barrier->arrivals;
    barrier->parity ^= 1;
  }
}

static inline unsigned char *swizzled(unsigned address) { return dynamicShared + (address ^ (address >> 7 & 7) << 4); }

static inline void begin_copy(Tiles::Tile tile, int bytesToCome) {
  Tiles &tiles = block->tiles;
  if (tiles.count == Tiles::MOST) {
    fprintf(stderr, "too many copies of tiles are under way\n");
    abort();
  }
  // Nonsense from now on: whoever still reads what was there sees it.
  memset(tile.to, 0xff, bytesToCome);
  tiles.pending[tiles.count++] = tile;
}

static inline int copy(const Tiles::Tile &tile) {
  if (tile.bytes) {
    memcpy(tile.to, tile.from, tile.bytes);
    return tile.bytes;
  }
  const Map &map = *(const Map *)tile.from;
  for (int line = 0; line < map.lines(); line++) {
    const char *row = (const char *)map.address;
    for (unsigned i = 1, of = line; i < map.rank; of /= map.box[i++]) {
      unsigned long long place = tile.at[i] + of % map.box[i];
      // Null where it is outside.
      row = row && place < map.extents[i] ? row + place * map.strides[i - 1] : nullptr;
    }
    for (unsigned x = 0; x < map.box[0]; x++) {
      unsigned char *to = swizzled(shared_address(tile.to) + line * 128 + x * map.elementBytes);
      unsigned long long column = tile.at[0] + x;
      if (row && column < map.extents[0]) {
        memcpy(to, row + column * map.elementBytes, map.elementBytes);
      } else {
        memset(to, 0, map.elementBytes);
      }
    }
  }
  return map.lines() * 128;
}

// Has the first of a barrier's copies arrive; false where none is under way.
static inline bool complete_copy(unsigned long long *barrier) {
  Tiles &tiles = block->tiles;
  for (int i = 0; i < tiles.count; i++) {
    Tiles::Tile tile = tiles.pending[i];
    if (tile.barrier == barrier) {
      tiles.count--;
      memmove(tiles.pending + i, tiles.pending + i + 1, (tiles.count - i) * sizeof(tile));
      arrived(barrier, 0, -copy(tile));
      return true;
    }
  }
  return false;
}
} // namespace emulation

static inline void barrier_begin(unsigned long long *barrier, int arrivals) {
  emulation::Barrier begun = {0, (short)arrivals, (unsigned short)arrivals, 0};
  memcpy(barrier, &begun, sizeof(begun));
}
static inline void barriers_begun() {}
static inline void arrive(unsigned long long *barrier) { emulation::arrived(barrier, 1, 0); }
static inline void arrive_expecting(unsigned long long *barrier, int bytes) { emulation::arrived(barrier, 1, bytes); }
// Copies arrive as late as they may: when somebody waits for them.
static inline void wait_for(unsigned long long *barrier, int parity) {
  while (((emulation::Barrier *)barrier)->parity == parity) {
    if (!emulation::complete_copy(barrier)) {
      emulation::pause(emulation::AT_POLL);
    }
  }
}
static inline void pass(int place, int threads) {
  emulation::Meeting &own = emulation::block->meetings[place];
  emulation::happened++;
  if (++own.came == threads) {
    own.came = 0;
    own.times++;
  }
}
static inline void meet(int place, int threads) {
  int before = emulation::block->meetings[place].times;
  pass(place, threads);
  while (emulation::block->meetings[place].times == before) {
    emulation::pause(emulation::AT_POLL);
  }
  emulation::fibers[emulation::current].registersAreNew = false;
}
namespace emulation {
static inline void copy_tile(void *shared, const TensorMap &map, unsigned rank, Tiles::Tile tile) {
  const Map &of = *(const Map *)&map;
  if (of.magic != MAP || of.rank != rank || of.box[0] * of.elementBytes != 128 || shared_address(shared) % 1024 != 0) {
    fprintf(stderr, "a tile is not of a matrix that the driver knows, has no lines of 128 bytes or is not aligned to 1024\n");
    abort();
  }
  tile.to = (unsigned char *)shared;
  tile.from = &map;
  begin_copy(tile, 128 * of.lines());
}
} // namespace emulation
static inline void copy_tile(void *shared, const TensorMap &map, int column, int row, unsigned long long *barrier) {
  emulation::copy_tile(shared, map, 2, {nullptr, nullptr, 0, {column, row}, barrier});
}
static inline void copy_tile(void *shared, const TensorMap &map, int column, int second, int third, unsigned long long *barrier) {
  emulation::copy_tile(shared, map, 3, {nullptr, nullptr, 0, {column, second, third}, barrier});
}
static inline void copy_tile(void *shared, const TensorMap &map, int column, int second, int third, int fourth,
                             unsigned long long *barrier) {
  emulation::copy_tile(shared, map, 4, {nullptr, nullptr, 0, {column, second, third, fourth}, barrier});
}
static inline void copy_bytes(void *shared, const void *global, int bytes, unsigned long long *barrier) {
  if (((size_t)shared | (size_t)global | bytes) % 16 != 0 || bytes <= 0) {
    fprintf(stderr, "a copy to shared memory is not of a multiple of 16 bytes, or not aligned so\n");
    abort();
  }
  emulation::begin_copy({(unsigned char *)shared, global, bytes, {}, barrier}, bytes);
}
// A thread that wants more registers waits until others of the block have given back as many.
template <int REGISTERS> static inline void take_registers() {
  static_assert(REGISTERS % 8 == 0 && REGISTERS >= 24 && REGISTERS <= 256, "a thread has 24 to 256 registers, a multiple of 8");
  emulation::Fiber &own = emulation::fibers[emulation::current];
  if (own.registersAreNew) {
    fprintf(stderr, "registers of a warpgroup change once more, and it has not met since they did\n");
    abort();
  }
  while (emulation::block->registersLeft < REGISTERS - own.registers) {
    emulation::pause(emulation::AT_POLL);
  }
  emulation::block->registersLeft -= REGISTERS - own.registers;
  emulation::happened++;
  own.registers = REGISTERS;
  own.registersAreNew = true;
}
template <int REGISTERS> static inline void keep_registers() { take_registers<REGISTERS>(); }
