// Of the stub's driver: devices and their contexts.
#pragma once
#include <cstdio>

#include "driver.h"

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
  int result = SUCCESS;
  for (Stream *stream : streams) {
    if (stream->context == context) {
      int refused = refuse(stream, CAPTURE_UNSUPPORTED);
      result = refused ? refused : result;
    }
  }
  for (Stream *stream : streams) {
    if (stream->context == context && !result) {
      finish(stream);
    }
  }
  return result;
}
EXPORT int cuCtxSetCurrent(void *it) { return context = it, SUCCESS; }
