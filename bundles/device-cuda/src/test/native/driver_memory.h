// Of the stub's driver: memory of devices and of the host, pools, copies.
#pragma once
#include <cstdlib>

#include "driver.h"

// Whether work of a stream may touch memory.
static bool sees(void *stream, Address address) {
  auto after = memory.upper_bound((char *)address);
  if (after == memory.begin()) {
    return false;
  }
  int device = deviceOf(of(stream)->context), owner = (--after)->second.device;
  return device == owner || access_[owner][device];
}

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
  REFUSE_IN_CAPTURE(stream, CAPTURE_UNSUPPORTED) // the real one makes nodes of these, which nobody wants here
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
  REFUSE_IN_CAPTURE(stream, CAPTURE_UNSUPPORTED)
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
  REFUSE_IN_CAPTURE(stream, CAPTURE_UNSUPPORTED) // here, too
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
