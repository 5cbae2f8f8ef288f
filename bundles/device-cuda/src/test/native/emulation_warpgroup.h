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

// What the stub's driver makes of a matrix, or more: extents, bytes from one to the next of the second, and the size of tiles.
struct Map {
  unsigned long long magic, address, extents[4], strides[3];
  unsigned rank, elementBytes, box[4];
  int lines() const { return box[1] * box[2] * box[3]; }
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
// Of BF16, or of E4M3.
template <int BYTES> float widened(const unsigned char *bits) {
  return BYTES == 2 ? __uint_as_float((unsigned)(bits[0] | bits[1] << 8) << 16) : ofE4m3.values[*bits];
}

// Element (row, k) of an operand of a product, as its descriptor says.
template <int BYTES> const unsigned char *element(unsigned long long descriptor, bool byRows, int row, int k) {
  unsigned start = (descriptor & 0x3fff) << 4, leading = (descriptor >> 16 & 0x3fff) << 4, stride = (descriptor >> 32 & 0x3fff) << 4;
  return swizzled(start + (byRows ? row / 8 * stride + row % 8 * 128 + k * BYTES
                                  : row / 64 * leading + row % 64 * BYTES + k / 8 * stride + k % 8 * 128));
}

// Adds a product to this thread's sums of N columns, of its two rows of A.
template <int BYTES, int K, int N, bool B_BY_ROWS> void add_product(const Products::Product &product, const float (&a)[2][K]) {
  float b[K];
  for (int j = 0; j < N / 4; j++) {
    int column = j / 2 * 8 + current % 4 * 2 + j % 2;
    for (int k = 0; k < K; k++) {
      b[k] = widened<BYTES>(element<BYTES>(product.b, B_BY_ROWS, column, k));
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

template <int BYTES, int K, int N, bool A_BY_ROWS, bool B_BY_ROWS> void multiply_tiles(const Products::Product &product) {
  float a[2][K];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < K; k++) {
      a[i][k] = widened<BYTES>(element<BYTES>(product.a, A_BY_ROWS, current % 128 / 32 * 16 + current % 32 / 4 + 8 * i, k));
    }
  }
  add_product<BYTES, K, N, B_BY_ROWS>(product, a);
}

struct Fragment {
  unsigned registers[4];
};
// Fragments of A, which are read when the product is done: they must be what they were when it was begun.
template <int N, bool B_BY_ROWS> void multiply_fragments(const Products::Product &product) {
  Fragment own;
  memcpy(&own, product.fragment, sizeof(own));
  if (memcmp(&own, product.begun, sizeof(own)) != 0) {
    fprintf(stderr, "fragments of a product of a warpgroup have changed before it was waited for\n");
    abort();
  }
  Exchange<Fragment> all(own);
  float a[2][16];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 16; k++) {
      unsigned pair = all.get(current % 32 / 4 * 4 + k / 2 % 4).registers[i + k / 8 * 2];
      a[i][k] = __uint_as_float(k % 2 ? pair & 0xffff0000 : pair << 16);
    }
  }
  add_product<2, 16, N, B_BY_ROWS>(product, a);
}

static inline unsigned checksum(const float *sums, int count) {
  unsigned sum = 0, bits;
  for (int i = 0; i < count; i++) {
    memcpy(&bits, sums + i, 4);
    sum = sum * 31 + bits;
  }
  return sum;
}

static inline void begin_product(Products::Product product) {
  Products &own = fibers[current].products;
  if (own.count == Products::MOST || (!product.fragment && product.a >> 62 != 1) || product.b >> 62 != 1) {
    fprintf(stderr, "too many products of a warpgroup are under way, or their operands are not swizzled in lines of 128 bytes\n");
    abort();
  }
  if (!own.areBegun) {
    fprintf(stderr, "a product of a warpgroup does not wait for what its registers were written with\n");
    abort();
  }
  if (product.fragment) {
    memcpy(product.begun, product.fragment, sizeof(product.begun));
  }
  product.checksum = checksum(product.sums, product.sumCount);
  product.group = own.groups;
  own.pending[own.count++] = product;
}

// Does it. Its sums must be what products before it, of the same sums, have left.
static inline void end_product(const Products::Product &product, Products::Product *later, int count) {
  if (checksum(product.sums, product.sumCount) != product.checksum) {
    fprintf(stderr, "sums of a product of a warpgroup have changed before it was waited for\n");
    abort();
  }
  product.multiply(product);
  unsigned left = checksum(product.sums, product.sumCount);
  for (int i = 0; i < count; i++) {
    later[i].checksum = later[i].sums == product.sums ? left : later[i].checksum;
  }
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
  emulation::Meeting &own = emulation::meetings[place];
  emulation::happened++;
  if (++own.came == threads) {
    own.came = 0;
    own.times++;
  }
}
static inline void meet(int place, int threads) {
  int before = emulation::meetings[place].times;
  pass(place, threads);
  while (emulation::meetings[place].times == before) {
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
  while (emulation::registersLeft < REGISTERS - own.registers) {
    emulation::pause(emulation::AT_POLL);
  }
  emulation::registersLeft -= REGISTERS - own.registers;
  emulation::happened++;
  own.registers = REGISTERS;
  own.registersAreNew = true;
}
template <int REGISTERS> static inline void keep_registers() { take_registers<REGISTERS>(); }
static inline void begin_products() { emulation::fibers[emulation::current].products.areBegun = true; }
static inline void end_products() {
  emulation::Products &own = emulation::fibers[emulation::current].products;
  own.groups++;
  own.areBegun = false;
}
// Products read their tiles and fragments as late as they may: when their thread waits for them, and all others went on as far as
// they could.
template <int PENDING> static inline void wait_for_products() {
  emulation::Products &own = emulation::fibers[emulation::current].products;
  int left = 0;
  for (int turn = 0; turn < 3; turn++) {
    emulation::pause(emulation::READY);
  }
  for (int i = 0; i < own.count; i++) {
    if (own.pending[i].group >= own.groups - PENDING) {
      own.pending[left++] = own.pending[i];
    } else {
      emulation::end_product(own.pending[i], own.pending + i + 1, own.count - i - 1);
    }
  }
  own.count = left;
}
template <int N> static inline void are_known(float (&)[N]) {}
template <int N> static inline void are_read(const unsigned (&)[N][4]) {}
template <bool A_BY_ROWS, bool B_BY_ROWS, int N>
static inline void multiply_tiles_bf16(float (&sums)[N], unsigned long long a, unsigned long long b, bool add) {
  emulation::begin_product({sums, N, a, nullptr, b, add, emulation::multiply_tiles<2, 16, 2 * N, A_BY_ROWS, B_BY_ROWS>});
}
template <bool B_BY_ROWS, int N>
static inline void multiply_fragments_bf16(float (&sums)[N], const unsigned (&a)[4], unsigned long long b, bool add) {
  emulation::begin_product({sums, N, 0, a, b, add, emulation::multiply_fragments<2 * N, B_BY_ROWS>});
}
static inline void multiply_tiles_e4m3(float (&sums)[64], unsigned long long a, unsigned long long b, bool add) {
  emulation::begin_product({sums, 64, a, nullptr, b, add, emulation::multiply_tiles<1, 32, 128, true, true>});
}
