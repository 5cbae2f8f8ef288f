// cuBLASLt without a GPU: records the attributes of descriptors, and multiplies naively in stream order by exactly these. It rejects
// what the library does not support on Hopper, operands without the promised alignment, an algorithm of another product, and a
// workspace that is too small. Constants are NVIDIA's, repeated here.
#include "lt_product.h"
#include <dlfcn.h>
#include <mutex>
#include <set>

#define EXPORT extern "C" __attribute__((visibility("default")))
enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };

struct Preference {
  uint64_t workspace = 0;
  uint32_t reductions = 7;
  uint32_t alignment[4] = {256, 256, 256, 256};
};
struct Algorithm {
  uint64_t data[8];
};
struct HeuristicResult {
  Algorithm algorithm;
  uint64_t workspace;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96, "cublasLtMatmulHeuristicResult_t");

static std::mutex mutex;
static std::set<void *> live;
static int heuristics, products, versionNumber = 130000, refused;


EXPORT int lt_live() { return live.size(); }
EXPORT int lt_heuristics() { return heuristics; }
EXPORT int lt_products() { return products; }
// The version from now on, and whether there are no algorithms.
EXPORT void lt_become(int version, int refuses) { versionNumber = version, refused = refuses; }

// The call so many calls from now, of those that make or set something or choose, fails with a status; 0 for the next.
static int until = -1, failure;
EXPORT void lt_fail(int calls, int status) { until = calls, failure = status; }
static int fails() { return until >= 0 && until-- == 0 ? failure : SUCCESS; }
#define MAY_FAIL                                                                                                  \
  if (int status = fails()) {                                                                                     \
    return status;                                                                                                \
  }

static void *driver(const char *name) {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return dlsym(library, name);
}
static bool inContext() { return ((int (*)())driver("stub_context"))() >= 0; }

template <class T> static int keep(void **out, T *made) {
  std::lock_guard<std::mutex> lock(mutex);
  live.insert(*out = made);
  return SUCCESS;
}
template <class T> static int drop(void *it) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!live.erase(it)) {
    return INVALID_VALUE;
  }
  delete (T *)it;
  return SUCCESS;
}
template <class T> static int set(T &to, const void *value, size_t bytes) {
  if (bytes != sizeof(T)) {
    return INVALID_VALUE;
  }
  memcpy(&to, value, bytes);
  return SUCCESS;
}

EXPORT size_t cublasLtGetVersion() { return versionNumber; }
EXPORT int cublasLtCreate(void **handle) { return inContext() ? keep(handle, new int(0)) : NOT_INITIALIZED; }
EXPORT int cublasLtDestroy(void *handle) { return drop<int>(handle); }
EXPORT int cublasLtMatmulDescCreate(void **desc, int compute, int scale) { MAY_FAIL return keep(desc, new Desc{compute, scale}); }
EXPORT int cublasLtMatmulDescDestroy(void *desc) { return drop<Desc>(desc); }
EXPORT int cublasLtMatmulDescSetAttribute(void *it, int attribute, const void *value, size_t bytes) {
  MAY_FAIL
  auto d = (Desc *)it;
  switch (attribute) {
  case 3: return set(d->transA, value, bytes);
  case 4: return set(d->transB, value, bytes);
  case 17: return set(d->scalesA, value, bytes);
  case 18: return set(d->scalesB, value, bytes);
  case 25: return set(d->fastAccumulation, value, bytes);
  case 31: return set(d->modeA, value, bytes);
  case 32: return set(d->modeB, value, bytes);
  default: return INVALID_VALUE;
  }
}
EXPORT int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld) {
  MAY_FAIL
  return keep(layout, new Layout{type, rows, columns, ld});
}
EXPORT int cublasLtMatrixLayoutDestroy(void *layout) { return drop<Layout>(layout); }
EXPORT int cublasLtMatmulPreferenceCreate(void **preference) { MAY_FAIL return keep(preference, new Preference()); }
EXPORT int cublasLtMatmulPreferenceDestroy(void *preference) { return drop<Preference>(preference); }
EXPORT int cublasLtMatmulPreferenceSetAttribute(void *it, int attribute, const void *value, size_t bytes) {
  MAY_FAIL
  auto p = (Preference *)it;
  return attribute == 1                   ? set(p->workspace, value, bytes)
         : attribute == 3                   ? set(p->reductions, value, bytes)
         : attribute >= 5 && attribute <= 8 ? set(p->alignment[attribute - 5], value, bytes)
                                            : (int)INVALID_VALUE;
}

// What a product is, all of it, so that another has another algorithm.
static uint64_t identity(const Desc &d, const Layout &a, const Layout &b, const Layout &c) {
  uint64_t hash = 14695981039346656037u;
  for (uint64_t number : {(uint64_t)d.transA, (uint64_t)d.transB, (uint64_t)d.modeA, (uint64_t)d.modeB, (uint64_t)a.type, a.rows, a.columns,
                          (uint64_t)a.ld, (uint64_t)b.type, b.rows, b.columns, (uint64_t)b.ld, (uint64_t)c.type, c.rows, c.columns,
                          (uint64_t)c.ld}) {
    hash = (hash ^ number) * 1099511628211u;
  }
  return hash;
}
static int check(const Desc &d, const Layout &a, const Layout &b, const Layout &c) {
  uint64_t m = d.transA ? a.columns : a.rows, k = d.transA ? a.rows : a.columns;
  uint64_t kOfB = d.transB ? b.columns : b.rows, n = d.transB ? b.rows : b.columns;
  if (d.computeType != 68 || d.scaleType != R_32F || k != kOfB || c.rows != m || c.columns != n || m * n * k == 0) {
    return INVALID_VALUE;
  }
  for (const Layout &it : {a, b, c}) {
    if (it.ld < (int64_t)it.rows) {
      return INVALID_VALUE;
    }
  }
  if (a.type == R_8F_E4M3 && b.type == R_8F_E4M3) {
    bool modes = (d.modeA == VEC128 || d.modeA == BLK128) && (d.modeB == VEC128 || d.modeB == BLK128) &&
                 !(d.modeA == BLK128 && d.modeB == BLK128);
    bool extents = k % 16 == 0 && m % 8 == 0 && (d.modeB != VEC128 || n % 8 == 0);
    bool aligned = d.scalesA && d.scalesB && (uintptr_t)d.scalesA % 16 == 0 && (uintptr_t)d.scalesB % 16 == 0;
    return versionNumber >= 120900 && modes && extents && aligned && d.transA == 1 && d.transB == 0 && !d.fastAccumulation &&
                   (c.type == R_16BF || c.type == R_32F)
               ? SUCCESS
               : NOT_SUPPORTED;
  }
  bool ofFloats = a.type == R_32F && b.type == R_32F && c.type == R_32F;
  bool ofHalves = a.type == R_16BF && b.type == R_16BF && (c.type == R_16BF || c.type == R_32F);
  return (ofFloats || ofHalves) && d.modeA == 0 && d.modeB == 0 ? SUCCESS : NOT_SUPPORTED;
}

EXPORT int cublasLtMatmulAlgoGetHeuristic(void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference, int asked,
                                          HeuristicResult *results, int *found) {
  std::lock_guard<std::mutex> lock(mutex);
  MAY_FAIL
  heuristics++;
  *found = 0;
  for (void *it : {handle, desc, a, b, c, d, preference}) {
    if (!live.count(it)) {
      return INVALID_VALUE;
    }
  }
  int status = refused ? (int)NOT_SUPPORTED : check(*(Desc *)desc, *(Layout *)a, *(Layout *)b, *(Layout *)d);
  auto p = (Preference *)preference;
  // Sums are to be made in the type of the computation, whatever that of the result is.
  if (status || asked != 1 || p->workspace < 4096 || p->reductions != 2) {
    return status ? status : (int)NOT_SUPPORTED;
  }

  uint64_t product = identity(*(Desc *)desc, *(Layout *)a, *(Layout *)b, *(Layout *)d);
  HeuristicResult result = {};
  result.algorithm.data[0] = product;
  for (int i = 0; i < 4; i++) {
    result.algorithm.data[1 + i] = p->alignment[i];
  }

  result.workspace = 4096;
  result.waves = 1;
  *results = result;
  return *found = 1, SUCCESS;
}

static void drop(void *it) { delete (Product *)it; }

EXPORT int cublasLtMatmul(void *handle, void *desc, const float *alpha, const void *a, void *layoutA, const void *b, void *layoutB,
                          const float *beta, const void *c, void *layoutC, void *d, void *layoutD, const Algorithm *algorithm,
                          void *workspace, size_t workspaceBytes, void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  for (void *it : {handle, desc, layoutA, layoutB, layoutC, layoutD}) {
    if (!live.count(it)) {
      return INVALID_VALUE;
    }
  }
  MAY_FAIL
  auto p = new Product{*(Desc *)desc, *(Layout *)layoutA, *(Layout *)layoutB, *(Layout *)layoutD, a, b, c, d, *alpha, *beta, workspace};
  int status = check(p->desc, p->layoutA, p->layoutB, p->layoutD);
  const void *addresses[] = {a, b, c, d};
  for (int i = 0; i < 4 && !status; i++) {
    uint64_t alignment = algorithm->data[1 + i];
    status = !alignment || (uintptr_t)addresses[i] % alignment ? (int)INVALID_VALUE : (int)SUCCESS;
  }
  if (!status && (algorithm->data[0] != identity(p->desc, p->layoutA, p->layoutB, p->layoutD) || c != d || layoutC != layoutD ||
                  workspaceBytes < 4096 || (uintptr_t)workspace % 256)) {
    status = INVALID_VALUE;
  }
  if (status) {
    delete p;
    return status;
  }
  products++;
  auto enqueue = (int (*)(void *, void (*)(void *), void (*)(void *), void *))driver("stub_enqueue");
  return enqueue(stream, run, drop, p) ? EXECUTION_FAILED : SUCCESS;
}
