// What warpgroup.cuh names where blocks work on the same memory: numbers, turns, copies to global memory that are done as late as they
// may be, and writes for products and copies, which do not see them before they are shown.
#pragma once

// Others run first, as far as they can.
static inline int take_number(int *counter) {
  int number = (*counter)++;
  emulation::happened++;
  emulation::pause(emulation::AT_LAST);
  return number;
}
static inline void wait_for_turn(const int *turns, int turn) {
  while (*turns != turn) {
    emulation::pause(emulation::AT_OTHERS);
  }
}
static inline void pass_turn(int *turns, int next) {
  *turns = next;
  emulation::happened++;
  emulation::pause(emulation::AT_LAST);
}

namespace emulation {
static inline void begin_leaving(Leaving copy) {
  Leaving &own = fibers[current].leaving;
  if (own.bytes != 0 || ((size_t)copy.to | (size_t)copy.from | copy.bytes) % 16 != 0 || copy.bytes <= 0) {
    fprintf(stderr, "a copy to global memory is not of a multiple of 16 bytes, not aligned so, or not its thread's only one\n");
    abort();
  }
  own = copy;
  if (!own.adds) {
    memset(own.to, 0xff, own.bytes);
  }
}
} // namespace emulation

static inline void put_bytes(void *global, const void *shared, int bytes) {
  emulation::begin_leaving({global, shared, bytes, false, nullptr});
}
static inline void add_floats(float *global, const float *shared, int bytes) {
  emulation::begin_leaving({global, shared, bytes, true, nullptr});
}
static inline void wait_until_taken() {
  emulation::pause(emulation::AT_LATE);
  emulation::Leaving &own = emulation::fibers[emulation::current].leaving;
  if (own.bytes && !own.taken) {
    own.taken = (unsigned char *)malloc(own.bytes);
    memcpy(own.taken, own.from, own.bytes);
  }
}
static inline void wait_until_written() {
  wait_until_taken();
  emulation::pause(emulation::AT_LAST);
  emulation::Leaving &own = emulation::fibers[emulation::current].leaving;
  for (int i = 0; i < own.bytes / 4; i++) {
    float &to = ((float *)own.to)[i], taken = ((const float *)own.taken)[i];
    to = own.adds ? to + taken : taken;
  }
  free(own.taken);
  own = {};
}

template <class T> static inline void write_for_others(void *shared, const T &value) {
  static_assert(sizeof(T) <= sizeof(emulation::Hidden::Value::value), "a thread writes 16 bytes at once, or less");
  emulation::Hidden &own = emulation::fibers[emulation::current].hidden;
  if (own.count == emulation::Hidden::MOST) {
    fprintf(stderr, "too much is written for products and copies, and not shown to them\n");
    abort();
  }
  // Nonsense from now on: whoever still reads what was there sees it.
  memset(shared, 0xff, sizeof(T));
  emulation::Hidden::Value &hidden = own.values[own.count++];
  hidden.to = shared;
  hidden.bytes = sizeof(T);
  memcpy(hidden.value, &value, sizeof(T));
}
static inline void show_to_others() {
  emulation::Hidden &own = emulation::fibers[emulation::current].hidden;
  for (int i = 0; i < own.count; i++) {
    memcpy(own.values[i].to, own.values[i].value, own.values[i].bytes);
  }
  own.count = 0;
}
