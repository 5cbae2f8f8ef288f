// What tensor_core.cuh names: sums in FP32 in the order of k, which a GPU's are not.
#pragma once

namespace emulation {
struct Fragments {
  unsigned a[4], b[2];
};
struct Row {
  unsigned char bytes[16];
};
} // namespace emulation

static inline void multiply_bf16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  using namespace emulation;
  Exchange<Fragments> all({{a[0], a[1], a[2], a[3]}, {b0, b1}});
  auto widen = [](unsigned pair, int i) { return __uint_as_float(i ? pair & 0xffff0000 : pair << 16); };
  int g = current % 32 / 4, t = current % 4;
  for (int i = 0; i < 4; i++) {
    int row = g + 8 * (i / 2), column = 2 * t + i % 2;
    for (int k = 0; k < 16; k++) {
      // The thread of its group that has k, and in which register.
      int thread = k / 2 % 4, half = k / 8;
      unsigned mine = all.get(row % 8 * 4 + thread).a[row / 8 + 2 * half], other = all.get(column * 4 + thread).b[half];
      c[i] += widen(mine, k % 2) * widen(other, k % 2);
    }
  }
}
static inline void load_matrices(unsigned (&r)[4], const void *row) {
  emulation::Exchange<emulation::Row> rows(*(const emulation::Row *)row);
  int lane = emulation::current % 32;
  for (int i = 0; i < 4; i++) {
    const emulation::Row &own = rows.get(8 * i + lane / 4);
    memcpy(&r[i], own.bytes + lane % 4 * 4, 4);
  }
}
static inline void load_transposed(unsigned (&r)[4], const void *row) {
  emulation::Exchange<emulation::Row> rows(*(const emulation::Row *)row);
  int lane = emulation::current % 32;
  for (int i = 0; i < 4; i++) {
    for (int half = 0; half < 2; half++) {
      const emulation::Row &own = rows.get(8 * i + lane % 4 * 2 + half);
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
