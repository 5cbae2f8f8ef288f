// A CUDA driver without a GPU: device memory is host memory, modules are shared objects (see libnvrtc.cpp), and a stream does its
// work as late as it may: when somebody waits for it. Memory that is taken or given back is overwritten in stream order, so that
// what uses it too early or too late reads nonsense. A call on a thread without a current context fails, as with the real one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <elf.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>

#include "tensor_map.h"

typedef unsigned long long Address;
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600 };

// Of a device, each at its number's place.
static const int MOST_DEVICES = 4;
static char contexts[MOST_DEVICES], pools[MOST_DEVICES];
static int devices = 1, peers = 1;
static bool access_[MOST_DEVICES][MOST_DEVICES]; // of a pool, by a device

struct Record {
  bool happened = false;
  double milliseconds;
  struct Stream *stream;
};
struct Event {
  void *context;
  bool timed;
  std::shared_ptr<Record> record;
};
struct Stream {
  void *context;
  std::deque<std::function<void()>> work;
  std::multimap<size_t, char *> free;
  double milliseconds = 0; // that its work took: a kernel or product 2, a copy 1
};
// A launch that is still to come, as emulation.h makes it.
struct Work {
  void (*run)(Work *);
};
struct Module {
  void *context;
  void *handle;
};

static std::recursive_mutex mutex;
static thread_local void *context;
static std::map<std::string, int> calls, failures;
struct Block {
  size_t bytes;
  int device;
};
static std::map<char *, Block> memory;
static std::set<Stream *> streams;
static std::set<void *> live; // streams, events, modules, pinned memory
static unsigned lastLaunch[6];
static std::map<void *, int> sharedBytesOf; // functions that were allowed more dynamic shared memory than all have
static unsigned long long releaseThreshold;
static size_t taken, cached, capacity = ~(size_t)0; // bytes that are in use, that the pool keeps, and of the GPU

#define EXPORT extern "C" __attribute__((visibility("default")))
#define BEGIN(name)                                                                                               \
  std::lock_guard<std::recursive_mutex> lock(mutex);                                                              \
  calls[name]++;                                                                                                  \
  if (failures.count(name)) {                                                                                     \
    int failure = failures[name];                                                                                 \
    failures.erase(name);                                                                                         \
    return failure;                                                                                               \
  }
#define BEGIN_IN_CONTEXT(name)                                                                                    \
  BEGIN(name)                                                                                                     \
  if (!context) {                                                                                   \
    return INVALID_CONTEXT;                                                                                       \
  }

static Stream *of(void *stream) { return (Stream *)stream; }
static int deviceOf(void *context) { return (char *)context - contexts; }
// Whether work of a stream may touch memory.
static bool sees(void *stream, Address address) {
  auto after = memory.upper_bound((char *)address);
  if (after == memory.begin()) {
    return false;
  }
  int device = deviceOf(of(stream)->context), owner = (--after)->second.device;
  return device == owner || access_[owner][device];
}

static bool step(Stream *stream) {
  if (stream->work.empty()) {
    return false;
  }
  auto work = stream->work.front();
  stream->work.pop_front();
  work();
  return true;
}

static void finish(Stream *stream) {
  while (step(stream)) {
  }
}

// For tests.
EXPORT int stub_calls(const char *name) { return calls[name]; }
EXPORT void stub_fail(const char *name, int result) { failures[name] = result; }
EXPORT int stub_live() { return live.size() + memory.size(); }
EXPORT const unsigned *stub_last_launch() { return lastLaunch; }
// Room for so many bytes more than are in use or kept now; below 0 for any number.
EXPORT void stub_room(long long bytes) { capacity = bytes < 0 ? ~(size_t)0 : taken + cached + bytes; }
EXPORT unsigned long long stub_release_threshold() { return releaseThreshold; }

// How many GPUs there are, and whether they see each other's memory.
EXPORT void stub_devices(int count, int canSee) {
  devices = count;
  peers = canSee;
  memset(access_, 0, sizeof(access_));
}
EXPORT int stub_access(int owner, int device) { return access_[owner][device]; }
// For other stubs: work of a stream, whose context must be current.
EXPORT int stub_enqueue(void *stream, void (*run)(void *), void *what) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (!stream || of(stream)->context != context) {
    return INVALID_HANDLE;
  }
  of(stream)->work.push_back([=] {
    of(stream)->milliseconds += 2;
    run(what);
  });
  return SUCCESS;
}
EXPORT int stub_context() { return context ? deviceOf(context) : -1; }
// Pieces of work that streams have not done yet.
EXPORT int stub_pending() {
  int pending = 0;
  for (auto stream : streams) {
    pending += stream->work.size();
  }
  return pending;
}

EXPORT int cuInit(unsigned) { BEGIN("cuInit") return SUCCESS; }
EXPORT int cuDriverGetVersion(int *version) { return *version = 13000, SUCCESS; }
EXPORT int cuDeviceGetCount(int *count) { BEGIN("cuDeviceGetCount") return *count = devices, SUCCESS; }
EXPORT int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, ordinal < devices ? SUCCESS : INVALID_DEVICE; }
EXPORT int cuDeviceGetName(char *name, int length, int) { return snprintf(name, length, "NVIDIA H200 (stub)"), SUCCESS; }
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = 1ull << 30, SUCCESS; }
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  BEGIN("cuDeviceGetAttribute")
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 3 : attribute == 115 ? 1 : -1;
  return SUCCESS;
}
EXPORT int cuDeviceCanAccessPeer(int *can, int, int) { BEGIN("cuDeviceCanAccessPeer") return *can = peers, SUCCESS; }
EXPORT int cuDevicePrimaryCtxRetain(void **result, int device) { BEGIN("cuDevicePrimaryCtxRetain") return *result = contexts + device, SUCCESS; }
EXPORT int cuDevicePrimaryCtxRelease_v2(int) { BEGIN("cuDevicePrimaryCtxRelease") return SUCCESS; }
EXPORT int cuDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }
EXPORT int cuCtxSynchronize() {
  BEGIN_IN_CONTEXT("cuCtxSynchronize")
  for (Stream *stream : streams) {
    if (stream->context == context) {
      finish(stream);
    }
  }
  return SUCCESS;
}
EXPORT int cuCtxSetCurrent(void *it) { return context = it, SUCCESS; }
EXPORT int cuDeviceGetDefaultMemPool(void **pool, int device) { BEGIN("cuDeviceGetDefaultMemPool") return *pool = pools + device, SUCCESS; }
EXPORT int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  BEGIN("cuMemPoolSetAttribute")
  if ((char *)pool < pools || (char *)pool >= pools + devices || attribute != 4) {
    return INVALID_VALUE;
  }
  return releaseThreshold = *(unsigned long long *)value, SUCCESS;
}
EXPORT int cuMemPoolTrimTo(void *pool, size_t keep) {
  BEGIN("cuMemPoolTrimTo")
  if ((char *)pool < pools || (char *)pool >= pools + devices || keep != 0) {
    return INVALID_VALUE;
  }
  for (Stream *stream : streams) {
    // What a stream has still to do may use what it was given back.
    if (stream->work.empty() && deviceOf(stream->context) == (char *)pool - pools) {
      for (auto &block : stream->free) {
        cached -= block.first;
        free(block.second);
      }
      stream->free.clear();
    }
  }
  return SUCCESS;
}
// Of CUmemAccessDesc: location type 1 (device), its number, protection 3 (read and write).
EXPORT int cuMemPoolSetAccess(void *pool, const int *access, size_t count) {
  BEGIN("cuMemPoolSetAccess")
  int owner = (char *)pool - pools;
  if (owner < 0 || owner >= devices || count != 1 || access[0] != 1 || access[1] < 0 || access[1] >= devices || access[1] == owner ||
      access[2] != 3 || !peers) {
    return INVALID_VALUE;
  }
  return access_[owner][access[1]] = true, SUCCESS;
}

EXPORT int cuMemAllocAsync(Address *result, size_t bytes, void *stream) {
  BEGIN_IN_CONTEXT("cuMemAllocAsync")
  Stream *s = of(stream);
  auto old = s->free.lower_bound(bytes);
  char *at;
  if (old != s->free.end() && old->first == bytes) {
    at = old->second;
    s->free.erase(old);
    cached -= bytes;
  } else if (bytes > capacity - taken - cached) {
    return OUT_OF_MEMORY;
  } else {
    at = (char *)aligned_alloc(512, (bytes + 511) / 512 * 512);
  }
  memory[at] = {bytes, deviceOf(s->context)};
  taken += bytes;
  s->work.push_back([=] { memset(at, 0xff, bytes); });
  return *result = (Address)at, SUCCESS;
}
EXPORT int cuMemFreeAsync(Address address, void *stream) {
  BEGIN_IN_CONTEXT("cuMemFreeAsync")
  char *at = (char *)address;
  if (!memory.count(at)) {
    return INVALID_VALUE;
  }
  size_t bytes = memory[at].bytes;
  memory.erase(at);
  taken -= bytes, cached += bytes;
  of(stream)->free.emplace(bytes, at);
  of(stream)->work.push_back([=] { memset(at, 0xfe, bytes); });
  return SUCCESS;
}
EXPORT int cuMemHostAlloc(void **result, size_t bytes, unsigned) {
  BEGIN_IN_CONTEXT("cuMemHostAlloc")
  live.insert(*result = malloc(bytes));
  return SUCCESS;
}
EXPORT int cuMemFreeHost(void *at) {
  BEGIN_IN_CONTEXT("cuMemFreeHost")
  free(at);
  return live.erase(at) ? SUCCESS : INVALID_VALUE;
}
static int copy(void *to, const void *from, size_t bytes, void *stream, Address device) {
  if (!sees(stream, device)) {
    return INVALID_VALUE;
  }
  of(stream)->work.push_back([=] {
    of(stream)->milliseconds += 1;
    memmove(to, from, bytes);
  });
  return SUCCESS;
}
EXPORT int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
  BEGIN_IN_CONTEXT("cuMemcpyHtoDAsync") return copy((void *)to, from, bytes, stream, to);
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
  BEGIN_IN_CONTEXT("cuMemcpyDtoHAsync") return copy(to, (void *)from, bytes, stream, from);
}

EXPORT int cuStreamCreate(void **stream, unsigned) {
  BEGIN_IN_CONTEXT("cuStreamCreate")
  auto made = new Stream{context};
  streams.insert(made);
  live.insert(*stream = made);
  return SUCCESS;
}
EXPORT int cuStreamSynchronize(void *stream) {
  BEGIN_IN_CONTEXT("cuStreamSynchronize")
  finish(of(stream));
  return SUCCESS;
}
EXPORT int cuStreamDestroy_v2(void *stream) {
  BEGIN_IN_CONTEXT("cuStreamDestroy")
  finish(of(stream));
  for (auto &block : of(stream)->free) {
    cached -= block.first;
    free(block.second);
  }
  live.erase(stream);
  streams.erase(of(stream));
  delete (Stream *)stream;
  return SUCCESS;
}
EXPORT int cuStreamWaitEvent(void *stream, void *event, unsigned) {
  BEGIN_IN_CONTEXT("cuStreamWaitEvent")
  if (auto record = ((Event *)event)->record) {
    of(stream)->work.push_back([=] {
      while (!record->happened && step(record->stream)) {
      }
      of(stream)->milliseconds = std::max(of(stream)->milliseconds, record->milliseconds);
    });
  }
  return SUCCESS;
}
EXPORT int cuEventCreate(void **event, unsigned flags) {
  BEGIN_IN_CONTEXT("cuEventCreate")
  live.insert(*event = new Event{context, !(flags & 2)});
  return SUCCESS;
}
EXPORT int cuEventDestroy_v2(void *event) {
  BEGIN_IN_CONTEXT("cuEventDestroy")
  live.erase(event);
  delete (Event *)event;
  return SUCCESS;
}
EXPORT int cuEventRecord(void *event, void *stream) {
  BEGIN_IN_CONTEXT("cuEventRecord")
  if (((Event *)event)->context != of(stream)->context) {
    return INVALID_HANDLE;
  }
  auto record = std::make_shared<Record>();
  record->stream = of(stream);
  ((Event *)event)->record = record;
  of(stream)->work.push_back([record] {
    record->milliseconds = record->stream->milliseconds;
    record->happened = true;
  });
  return SUCCESS;
}
EXPORT int cuEventQuery(void *event) {
  BEGIN_IN_CONTEXT("cuEventQuery")
  auto record = ((Event *)event)->record;
  if (!record || record->happened) {
    return SUCCESS;
  }
  step(record->stream);
  return NOT_READY;
}
EXPORT int cuEventSynchronize(void *event) {
  BEGIN_IN_CONTEXT("cuEventSynchronize")
  auto record = ((Event *)event)->record;
  while (record && !record->happened && step(record->stream)) {
  }
  return SUCCESS;
}
EXPORT int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  BEGIN_IN_CONTEXT("cuEventElapsedTime")
  auto first = (Event *)from, second = (Event *)to;
  if (!first->timed || !second->timed || !first->record || !second->record) {
    return INVALID_HANDLE;
  }
  if (!first->record->happened || !second->record->happened) {
    return NOT_READY;
  }
  return *milliseconds = second->record->milliseconds - first->record->milliseconds, SUCCESS;
}
EXPORT int cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) { return cuEventElapsedTime(milliseconds, from, to); }

EXPORT int cuModuleLoadData(void **module, const void *image) {
  BEGIN_IN_CONTEXT("cuModuleLoadData")
  auto header = (const Elf64_Ehdr *)image;
  if (memcmp(image, ELFMAG, SELFMAG) != 0) {
    return 200;
  }
  char name[] = "/tmp/hirundo-module-XXXXXX";
  int file = mkstemp(name);
  size_t bytes = header->e_shoff + (size_t)header->e_shentsize * header->e_shnum;
  bool written = write(file, image, bytes) == (ssize_t)bytes;
  close(file);
  void *handle = written ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(name);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    return 200;
  }
  live.insert(*module = new Module{context, handle});
  return SUCCESS;
}
EXPORT int cuModuleUnload(void *module) {
  BEGIN_IN_CONTEXT("cuModuleUnload")
  live.erase(module);
  dlclose(((Module *)module)->handle);
  delete (Module *)module;
  return SUCCESS;
}
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  BEGIN_IN_CONTEXT("cuModuleGetFunction")
  *function = dlsym(((Module *)module)->handle, name);
  return *function ? SUCCESS : NOT_FOUND;
}
EXPORT int cuTensorMapEncodeTiled(emulation::Map *map, int type, unsigned rank, void *address, const unsigned long long *extents,
                                  const unsigned long long *strides, const unsigned *box, const unsigned *steps, int interleave,
                                  int swizzle, int, int fill) {
  BEGIN_IN_CONTEXT("cuTensorMapEncodeTiled")
  unsigned elementBytes = type == 0 ? 1 : type == 9 ? 2 : 0;
  if ((size_t)map % 64 != 0 || rank < 2 || rank > 4 || elementBytes == 0 || (size_t)address % 16 != 0 ||
      strides[0] < extents[0] * elementBytes || box[0] * elementBytes != 128 || interleave != 0 || swizzle != 3 || fill != 0) {
    return INVALID_VALUE;
  }
  emulation::Map made = {emulation::MAP, (Address)address, {}, {}, rank, elementBytes, {1, 1, 1, 1}, {}};
  for (unsigned i = 0; i < rank; i++) {
    if (extents[i] == 0 || extents[i] >> 32 || steps[i] != 1 || box[i] == 0 || box[i] > 256) {
      return INVALID_VALUE;
    }
    made.extents[i] = extents[i];
    made.box[i] = box[i];
  }
  for (unsigned i = 0; i + 1 < rank; i++) {
    if (strides[i] % 16 != 0 || strides[i] >> 40 || (i > 0 && strides[i] % strides[i - 1] != 0)) {
      return INVALID_VALUE;
    }
    made.strides[i] = strides[i];
  }
  return *map = made, SUCCESS;
}
static unsigned sharedBytesAllowed(void *function) {
  auto found = sharedBytesOf.find(function);
  return found == sharedBytesOf.end() ? 48 << 10 : found->second;
}
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  BEGIN_IN_CONTEXT("cuFuncSetAttribute")
  if (attribute != 8 || value < 0 || value > 227 << 10) {
    return INVALID_VALUE;
  }
  return sharedBytesOf[function] = value, SUCCESS;
}
EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned sharedBytes, void *stream, void **parameters, void **extra) {
  BEGIN_IN_CONTEXT("cuLaunchKernel")
  unsigned launch[6] = {gx, gy, gz, bx, by, bz};
  memcpy(lastLaunch, launch, sizeof(launch));
  if (of(stream)->context != context) {
    return INVALID_HANDLE;
  }
  if (extra || sharedBytes > sharedBytesAllowed(function) || gx == 0 || gy == 0 || gz == 0 || gy > 65535 || gz > 65535) {
    return INVALID_VALUE;
  }
  auto bind = (Work * (*)(const unsigned *, const unsigned *, unsigned, void **)) function;
  Work *work = bind(launch, launch + 3, sharedBytes, parameters);
  if (!work) {
    return INVALID_VALUE;
  }
  of(stream)->work.push_back([=] {
    of(stream)->milliseconds += 2;
    work->run(work);
    free(work);
  });
  return SUCCESS;
}
