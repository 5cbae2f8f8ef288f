// What warpgroup.cuh names: whatever works in the background is done as late as it may be.
#pragma once
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

// What the stub's driver makes of a matrix.
struct Map {
  unsigned long long magic, address, columns, rows, strideBytes;
  unsigned boxColumns, boxRows, elementBytes;
};
const unsigned long long MAP = 0x4d41544f524e4554;

static inline unsigned char *swizzled(unsigned address) { return dynamicShared + (address ^ (address >> 7 & 7) << 4); }

static inline void begin_copy(Tiles::Tile tile, int bytesToCome) {
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
  unsigned at = shared_address(tile.to), line = map.boxColumns * map.elementBytes;
  for (unsigned y = 0; y < map.boxRows; y++) {
    for (unsigned x = 0; x < map.boxColumns; x++) {
      unsigned char *to = swizzled(at + y * line + x * map.elementBytes);
      unsigned long long row = tile.row + y, column = tile.column + x;
      if (row < map.rows && column < map.columns) {
        memcpy(to, (const char *)map.address + row * map.strideBytes + column * map.elementBytes, map.elementBytes);
      } else {
        memset(to, 0, map.elementBytes);
      }
    }
  }
  return map.boxRows * line;
}

// Has the first of a barrier's copies arrive; false where none is under way.
static inline bool complete_copy(unsigned long long *barrier) {
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

struct OfE4m3 {
  float values[256];
  OfE4m3() {
    for (int bits = 0; bits < 256; bits++) {
      int exponent = bits >> 3 & 15;
      float magnitude = exponent ? ldexpf(8 + bits % 8, exponent - 10) : ldexpf(bits % 8, -9);
      values[bits] = (bits & 0x7f) == 0x7f ? NAN : bits & 0x80 ? -magnitude : magnitude;
    }
  }
};
static const OfE4m3 ofE4m3;
static inline float of_e4m3(unsigned char bits) { return ofE4m3.values[bits]; }

// Element (row, k) of an operand of a product, as its descriptor says.
template <int BYTES> const unsigned char *element(unsigned long long descriptor, bool byRows, int row, int k) {
  unsigned start = (descriptor & 0x3fff) << 4, leading = (descriptor >> 16 & 0x3fff) << 4, stride = (descriptor >> 32 & 0x3fff) << 4;
  return swizzled(start + (byRows ? row / 8 * stride + row % 8 * 128 + k * BYTES
                                  : row / 64 * leading + row % 64 * BYTES + k / 8 * stride + k % 8 * 128));
}

template <int BYTES, int K, bool A_BY_ROWS, bool B_BY_ROWS> void multiply_tiles(const Products::Product &product) {
  int lane = current % 32, first = current % 128 / 32 * 16 + lane / 4;
  float a[2][K], b[K];
  auto widen = [](const unsigned char *bits) {
    if (BYTES == 2) {
      return __uint_as_float((unsigned)(bits[0] | bits[1] << 8) << 16);
    }
    return of_e4m3(*bits);
  };
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < K; k++) {
      a[i][k] = widen(element<BYTES>(product.a, A_BY_ROWS, first + 8 * i, k));
    }
  }
  for (int j = 0; j < 32; j++) {
    int column = j / 2 * 8 + lane % 4 * 2 + j % 2;
    for (int k = 0; k < K; k++) {
      b[k] = widen(element<BYTES>(product.b, B_BY_ROWS, column, k));
    }
    for (int i = 0; i < 2; i++) {
      float &sum = product.sums[j / 2 * 4 + i * 2 + j % 2];
      sum = product.add ? sum : 0;
      for (int k = 0; k < K; k++) {
        sum += a[i][k] * b[k];
      }
    }
  }
}

static inline void begin_product(float *sums, unsigned long long a, unsigned long long b, bool add, void (*multiply)(const Products::Product &)) {
  Products &own = fibers[current].products;
  if (own.count == Products::MOST || a >> 62 != 1 || b >> 62 != 1) {
    fprintf(stderr, "too many products of a warpgroup are under way, or their operands are not swizzled in lines of 128 bytes\n");
    abort();
  }
  own.pending[own.count++] = {sums, a, b, add, multiply, own.groups};
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
static inline void copy_tile(void *shared, const TensorMap &map, int column, int row, unsigned long long *barrier) {
  const emulation::Map &of = *(const emulation::Map *)&map;
  if (of.magic != emulation::MAP || of.boxColumns * of.elementBytes != 128 || shared_address(shared) % 1024 != 0) {
    fprintf(stderr, "a tile is not of a matrix that the driver knows, has no lines of 128 bytes or is not aligned to 1024\n");
    abort();
  }
  emulation::begin_copy({(unsigned char *)shared, &map, 0, column, row, barrier}, 128 * of.boxRows);
}
static inline void copy_bytes(void *shared, const void *global, int bytes, unsigned long long *barrier) {
  if (((size_t)shared | (size_t)global | bytes) % 16 != 0 || bytes <= 0) {
    fprintf(stderr, "a copy to shared memory is not of a multiple of 16 bytes, or not aligned so\n");
    abort();
  }
  emulation::begin_copy({(unsigned char *)shared, global, bytes, 0, 0, barrier}, bytes);
}
template <int REGISTERS> static inline void keep_registers() {}
template <int REGISTERS> static inline void take_registers() {}
static inline void begin_products() {}
static inline void end_products() { emulation::fibers[emulation::current].products.groups++; }
// Products read their tiles as late as they may: when their thread waits for them.
template <int PENDING> static inline void wait_for_products() {
  emulation::Products &own = emulation::fibers[emulation::current].products;
  int left = 0;
  for (int i = 0; i < own.count; i++) {
    emulation::Products::Product product = own.pending[i];
    if (product.group >= own.groups - PENDING) {
      own.pending[left++] = product;
    } else {
      product.multiply(product);
    }
  }
  own.count = left;
}
static inline void are_known(float (&)[64]) {}
template <bool A_BY_ROWS, bool B_BY_ROWS>
static inline void multiply_tiles_bf16(float (&sums)[64], unsigned long long a, unsigned long long b, bool add) {
  emulation::begin_product(sums, a, b, add, emulation::multiply_tiles<2, 16, A_BY_ROWS, B_BY_ROWS>);
}
static inline void multiply_tiles_e4m3(float (&sums)[64], unsigned long long a, unsigned long long b, bool add) {
  emulation::begin_product(sums, a, b, add, emulation::multiply_tiles<1, 32, true, true>);
}
