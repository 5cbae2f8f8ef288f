// What tensor_core.cuh names: sums in FP32 in the order of k, which a GPU's are not.
#pragma once

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
struct Row {
  unsigned char bytes[16];
};
} // namespace emulation

static inline void multiply_bf16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  emulation::multiply(c, a, b0, b1, 2, [](unsigned pair, int i) { return __uint_as_float(i ? pair & 0xffff0000 : pair << 16); });
}
static inline void multiply_e4m3(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  emulation::multiply(c, a, b0, b1, 4, [](unsigned four, int i) { return emulation::of_e4m3(four >> 8 * i & 0xff); });
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
