// Of the stub's driver: modules, maps of tiles, launches.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include "driver.h"
#include "tensor_map.h"

// A launch that is still to come, as emulation.h makes it.
struct Work {
  void (*run)(Work *);
};
struct Module {
  void *context;
  void *handle;
  std::shared_ptr<bool> isLoaded = std::make_shared<bool>(true);
};
static std::map<void *, std::shared_ptr<bool>> isLoaded; // of functions, by the module that each was last found in
static std::map<void *, int> sharedBytesOf; // functions that were allowed more dynamic shared memory than all have

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
  *((Module *)module)->isLoaded = false;
  dlclose(((Module *)module)->handle);
  delete (Module *)module;
  return SUCCESS;
}
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  BEGIN_IN_CONTEXT("cuModuleGetFunction")
  *function = dlsym(((Module *)module)->handle, name);
  if (!*function) {
    return NOT_FOUND;
  }
  return isLoaded[*function] = ((Module *)module)->isLoaded, SUCCESS;
}
EXPORT int cuTensorMapEncodeTiled(emulation::Map *map, int type, unsigned rank, void *address, const unsigned long long *extents,
                                  const unsigned long long *strides, const unsigned *box, const unsigned *steps, int interleave,
                                  int swizzle, int, int fill) {
  BEGIN_IN_CONTEXT("cuTensorMapEncodeTiled")
  unsigned elementBytes = type == 0 ? 1 : type == 9 ? 2 : 0;
  if ((size_t)map % 128 != 0 || rank < 2 || rank > 4 || elementBytes == 0 || (size_t)address % 16 != 0 ||
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
  std::shared_ptr<Work> work(bind(launch, launch + 3, sharedBytes, parameters), free);
  if (!work) {
    return INVALID_VALUE;
  }
  return push(of(stream), {[work] { work->run(work.get()); }, isLoaded[function]});
}
