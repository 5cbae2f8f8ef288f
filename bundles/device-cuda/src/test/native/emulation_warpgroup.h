// What warpgroup.cuh names: products are done as late as they may be. emulation_copies.h has the rest of it.
#pragma once
#include "emulation_copies.h"

namespace emulation {
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

// The K elements of a row of an operand of a product, as its descriptor says.
template <int BYTES, int K> void widen_row(float (&to)[K], unsigned long long descriptor, bool byRows, int row) {
  unsigned start = (descriptor & 0x3fff) << 4, leading = (descriptor >> 16 & 0x3fff) << 4, stride = (descriptor >> 32 & 0x3fff) << 4;
  if (byRows) {
    // 16 bytes stay together in the swizzle.
    unsigned first = start + row / 8 * stride + row % 8 * 128;
    for (int k = 0; k < K; k += 16 / BYTES) {
      const unsigned char *from = swizzled(first + k * BYTES);
      for (int i = 0; i < 16 / BYTES; i++) {
        to[k + i] = widened<BYTES>(from + i * BYTES);
      }
    }
  } else {
    unsigned first = start + row / 64 * leading + row % 64 * BYTES;
    for (int k = 0; k < K; k++) {
      to[k] = widened<BYTES>(swizzled(first + k / 8 * stride + k % 8 * 128));
    }
  }
}

// Adds a product to this thread's sums of N columns, of its two rows of A.
template <int BYTES, int K, int N, bool B_BY_ROWS> void add_product(const Products::Product &product, const float (&a)[2][K]) {
  float b[K];
  for (int j = 0; j < N / 4; j++) {
    int column = j / 2 * 8 + current % 4 * 2 + j % 2;
    widen_row<BYTES>(b, product.b, B_BY_ROWS, column);
    for (int i = 0; i < 2; i++) {
      float &to = product.sums[j / 2 * 4 + i * 2 + j % 2], sum = product.add ? to : 0;
      for (int k = 0; k < K; k++) {
        sum += a[i][k] * b[k];
      }
      to = sum;
    }
  }
}

template <int BYTES, int K, int N, bool A_BY_ROWS, bool B_BY_ROWS> void multiply_tiles(const Products::Product &product) {
  float a[2][K];
  for (int i = 0; i < 2; i++) {
    widen_row<BYTES>(a[i], product.a, A_BY_ROWS, current % 128 / 32 * 16 + current % 32 / 4 + 8 * i);
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
    sum += bits * (2 * i + 1);
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

static inline void begin_products() { emulation::fibers[emulation::current].products.areBegun = true; }
static inline void end_products() {
  emulation::Products &own = emulation::fibers[emulation::current].products;
  own.groups++;
  own.areBegun = false;
}
// Products read their tiles and fragments as late as they may: when their thread waits for them, and all others have run as far as
// they can.
template <int PENDING> static inline void wait_for_products() {
  emulation::Products &own = emulation::fibers[emulation::current].products;
  int left = 0;
  emulation::pause(emulation::AT_LATE);
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
