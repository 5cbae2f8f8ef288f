// What the stub's driver makes of matrices, and the emulation copies their tiles by.
#pragma once

namespace emulation {
// Extents, bytes from one to the next of each but the first, and the size of tiles. Swizzled lines of 128 bytes, zeros outside.
struct Map {
  unsigned long long magic, address, extents[4], strides[3];
  unsigned rank, elementBytes, box[4], unused[8];
  int lines() const { return box[1] * box[2] * box[3]; }
};
static_assert(sizeof(Map) == 128, "a CUtensorMap has 128 bytes");
const unsigned long long MAP = 0x4d41544f524e4554;
} // namespace emulation
