// A product of the stub of cuBLASLt: what describes it, and the naive multiplication. Constants are NVIDIA's, repeated here.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

enum { R_32F = 0, R_16BF = 14, R_8F_E4M3 = 28 };
enum { VEC128 = 4, BLK128 = 5 };

struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t ld;
};
struct Desc {
  int computeType, scaleType;
  int transA = 0, transB = 0, modeA = 0, modeB = 0;
  char fastAccumulation = 1; // so that it must be told
  const float *scalesA = nullptr, *scalesB = nullptr;
};

static float widen(const void *at, int type, uint64_t index) {
  if (type == R_32F) {
    return ((const float *)at)[index];
  }
  if (type == R_16BF) {
    uint32_t bits = (uint32_t)((const uint16_t *)at)[index] << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
  }
  int code = ((const uint8_t *)at)[index], exponent = code >> 3 & 15, mantissa = code & 7;
  float value = (code & 127) == 127 ? NAN : exponent ? std::ldexp(8.0f + mantissa, exponent - 10) : std::ldexp((float)mantissa, -9);
  return code & 128 ? -value : value;
}
static void narrow(float value, void *at, int type, uint64_t index) {
  if (type == R_32F) {
    ((float *)at)[index] = value;
    return;
  }
  uint32_t bits;
  memcpy(&bits, &value, 4);
  ((uint16_t *)at)[index] = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

struct Product {
  Desc desc;
  Layout layoutA, layoutB, layoutD;
  const void *a, *b;
  const void *c;
  void *d;
  float alpha, beta;
  void *workspace;
};
// The scale for row `row` of an operand's op, [extent, k], at k.
static float scale(int mode, const float *scales, uint64_t extent, uint64_t depth, uint64_t row, uint64_t k) {
  uint64_t blocks = (depth + 127) / 128;
  return mode == VEC128 ? scales[k / 128 * extent + row] : mode == BLK128 ? scales[row / 128 * ((blocks + 3) / 4 * 4) + k / 128] : 1;
}
// An operand's op as floats, [depth, extent]: each element is widened once, not once per element of the result.
static std::vector<float> widened(const void *at, const Layout &layout, bool depthFirst, uint64_t extent, uint64_t depth) {
  std::vector<float> values(depth * extent);
  for (uint64_t row = 0; row < extent; row++) {
    for (uint64_t k = 0; k < depth; k++) {
      values[k * extent + row] = widen(at, layout.type, depthFirst ? row * layout.ld + k : k * layout.ld + row);
    }
  }
  return values;
}
static void run(void *it) {
  auto p = (Product *)it;
  const Desc &desc = p->desc;
  uint64_t m = p->layoutD.rows, n = p->layoutD.columns, depth = desc.transA ? p->layoutA.rows : p->layoutA.columns;
  memset(p->workspace, 0xfd, 4096);
  auto a = widened(p->a, p->layoutA, desc.transA, m, depth), b = widened(p->b, p->layoutB, !desc.transB, n, depth);
  for (uint64_t column = 0; column < n; column++) {
    std::vector<float> sums(m);
    for (uint64_t first = 0; first < depth; first += 128) {
      // Sums of all rows at once, because those of one row wait for each other.
      std::vector<float> parts(m);
      for (uint64_t k = first; k < depth && k < first + 128; k++) {
        for (uint64_t row = 0; row < m; row++) {
          parts[row] += a[k * m + row] * b[k * n + column];
        }
      }
      float sb = scale(desc.modeB, desc.scalesB, n, depth, column, first);
      for (uint64_t row = 0; row < m; row++) {
        sums[row] = std::fma(parts[row] * scale(desc.modeA, desc.scalesA, m, depth, row, first), sb, sums[row]);
      }
    }
    for (uint64_t row = 0; row < m; row++) {
      uint64_t at = column * p->layoutD.ld + row;
      float before = p->beta == 0 ? 0 : p->beta * widen(p->c, p->layoutD.type, at);
      narrow(p->alpha * sums[row] + before, p->d, p->layoutD.type, at);
    }
  }
}
