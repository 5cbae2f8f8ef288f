// A CUDA driver without a GPU: device memory is host memory, modules are shared objects (see libnvrtc.cpp), and a stream does its
// work as late as it may: when somebody waits for it. Memory that is taken or given back is overwritten in stream order, so that
// what uses it too early or too late reads nonsense. What a stream captures it does when its graph is launched, and as often. A call
// on a thread without a current context fails, as with the real one.
#include "driver_devices.h"
#include "driver_graphs.h"
#include "driver_memory.h"
#include "driver_modules.h"
#include "driver_streams.h"

// For tests.
EXPORT int stub_calls(const char *name) { return calls[name]; }
EXPORT void stub_break(int result) { broken = result; }
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
// For other stubs: work of a stream, whose context must be current. It runs once, or as often as a graph that the stream captures.
// `drop` frees `what` when nobody needs it any more, also after a rejection.
EXPORT int stub_enqueue(void *stream, void (*run)(void *), void (*drop)(void *), void *what) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::shared_ptr<void> shared(what, drop);
  if (!stream || of(stream)->context != context) {
    return INVALID_HANDLE;
  }
  return push(of(stream), {[=] { run(shared.get()); }, nullptr});
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
