// What the stub's driver knows: its devices, their memory, streams and events, and what is asked of every call.
#pragma once
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

typedef unsigned long long Address;
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600 };
enum { ILLEGAL_STATE = 401, CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901, CAPTURE_ISOLATION = 905 };

// Of a device, each at its number's place.
static const int MOST_DEVICES = 4;
static char contexts[MOST_DEVICES], pools[MOST_DEVICES];
static int devices = 1, peers = 1;
static bool access_[MOST_DEVICES][MOST_DEVICES]; // of a pool, by a device

// A kernel or product, which may run any number of times.
struct Node {
  std::function<void()> work;
  std::shared_ptr<bool> isLoaded; // whether the kernel's module is; null for a product
};
struct Graph {
  void *context;
  std::vector<Node> nodes;
  bool isInvalid = false; // since its stream was asked, while it captured, for what no graph has
};
struct Stream {
  void *context;
  std::unique_ptr<Graph> capture; // where its work goes instead, if that is not null
  std::deque<std::function<void()>> work;
  std::multimap<size_t, char *> free;
  double milliseconds = 0; // that its work took: a kernel or product 2, a copy 1
};

static std::recursive_mutex mutex;
static thread_local void *context;
static std::map<std::string, int> calls, failures;
static int broken; // what all calls return since a kernel broke the context, as the driver's do
struct Block {
  size_t bytes;
  int device;
};
static std::map<char *, Block> memory;
static std::set<Stream *> streams;
static std::set<void *> live; // streams, events, modules, graphs, pinned memory
static unsigned lastLaunch[6];
static unsigned long long releaseThreshold;
static size_t taken, cached, capacity = ~(size_t)0; // bytes that are in use, that the pool keeps, and of the GPU

#define EXPORT extern "C" __attribute__((visibility("default")))
#define BEGIN(name)                                                                                               \
  std::lock_guard<std::recursive_mutex> lock(mutex);                                                              \
  calls[name]++;                                                                                                  \
  if (broken) {                                                                                                   \
    return broken;                                                                                                \
  }                                                                                                               \
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

// A kernel or product goes to the stream, or to the graph that the stream captures.
static int push(Stream *stream, const Node &node) {
  if (!stream->capture) {
    stream->work.push_back([=] {
      stream->milliseconds += 2;
      node.work();
    });
    return SUCCESS;
  }
  if (stream->capture->isInvalid) {
    return CAPTURE_INVALIDATED;
  }
  return stream->capture->nodes.push_back(node), SUCCESS;
}

// For what a stream does not do while it captures: the graph is lost then.
static int refuse(Stream *stream, int reason) {
  if (!stream->capture) {
    return SUCCESS;
  }
  int result = stream->capture->isInvalid ? (int)CAPTURE_INVALIDATED : reason;
  return stream->capture->isInvalid = true, result;
}
#define REFUSE_IN_CAPTURE(stream, reason)                                                                         \
  if (int refused = refuse(of(stream), reason)) {                                                                 \
    return refused;                                                                                               \
  }
