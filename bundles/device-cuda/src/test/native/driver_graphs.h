// Of the stub's driver: what streams capture, and graphs. Stricter than the real one: captures are relaxed and of one stream, have
// kernels and products only, and what they become is launched in its own context.
#pragma once
#include "driver_streams.h"

struct Exec {
  void *context;
  std::vector<Node> nodes;
  std::shared_ptr<Record> last; // the end of its last launch
};
static std::set<Graph *> graphs;
static std::set<Exec *> execs;

EXPORT int cuStreamBeginCapture_v2(void *stream, int mode) {
  BEGIN_IN_CONTEXT("cuStreamBeginCapture")
  if (mode != 2 || of(stream)->context != context) {
    return INVALID_VALUE;
  }
  if (of(stream)->capture) {
    return ILLEGAL_STATE;
  }
  return of(stream)->capture.reset(new Graph{context, {}}), SUCCESS;
}
EXPORT int cuStreamIsCapturing(void *stream, int *status) {
  BEGIN_IN_CONTEXT("cuStreamIsCapturing")
  auto &capture = of(stream)->capture;
  return *status = !capture ? 0 : capture->isInvalid ? 2 : 1, SUCCESS;
}
// It ends also where this fails.
EXPORT int cuStreamEndCapture(void *stream, Graph **graph) {
  std::unique_ptr<Graph> captured;
  {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    captured.swap(of(stream)->capture);
    *graph = nullptr;
  }
  BEGIN_IN_CONTEXT("cuStreamEndCapture")
  if (!captured) {
    return ILLEGAL_STATE;
  }
  if (captured->isInvalid) {
    return CAPTURE_INVALIDATED;
  }
  graphs.insert(*graph = captured.release());
  live.insert(*graph);
  return SUCCESS;
}
EXPORT int cuGraphGetNodes(Graph *graph, const Node **nodes, size_t *count) {
  BEGIN_IN_CONTEXT("cuGraphGetNodes")
  if (!graphs.count(graph)) {
    return INVALID_VALUE;
  }
  size_t most = nodes ? *count : 0;
  for (size_t i = 0; i < most; i++) {
    nodes[i] = i < graph->nodes.size() ? &graph->nodes[i] : nullptr;
  }
  *count = nodes ? std::min(most, graph->nodes.size()) : graph->nodes.size();
  return SUCCESS;
}
EXPORT int cuGraphDestroy(Graph *graph) {
  BEGIN_IN_CONTEXT("cuGraphDestroy")
  if (!graphs.erase(graph)) {
    return INVALID_VALUE;
  }
  live.erase(graph);
  delete graph;
  return SUCCESS;
}

// With kernels of a module that is unloaded the real one does anything.
static bool areLoaded(const std::vector<Node> &nodes) {
  for (const Node &node : nodes) {
    if (node.isLoaded && !*node.isLoaded) {
      fprintf(stderr, "a graph has a kernel of a module that was unloaded\n");
      return false;
    }
  }
  return true;
}
EXPORT int cuGraphInstantiateWithFlags(Exec **exec, Graph *graph, unsigned long long flags) {
  BEGIN_IN_CONTEXT("cuGraphInstantiateWithFlags")
  if (!graphs.count(graph) || flags != 0 || !areLoaded(graph->nodes)) {
    return INVALID_VALUE;
  }
  execs.insert(*exec = new Exec{graph->context, graph->nodes, nullptr});
  live.insert(*exec);
  return SUCCESS;
}
// After what the stream has to do, and after its own launches in whatever stream.
EXPORT int cuGraphLaunch(Exec *exec, void *stream) {
  BEGIN_IN_CONTEXT("cuGraphLaunch")
  if (!execs.count(exec) || !areLoaded(exec->nodes)) {
    return INVALID_VALUE;
  }
  if (of(stream)->context != context || exec->context != context) {
    return INVALID_HANDLE;
  }
  REFUSE_IN_CAPTURE(stream, CAPTURE_UNSUPPORTED) // the real one makes a node of it
  if (exec->last && !exec->last->happened && exec->last->stream != of(stream)) {
    await(of(stream), exec->last);
  }
  for (const Node &node : exec->nodes) {
    push(of(stream), node);
  }
  exec->last = record(of(stream));
  return SUCCESS;
}
// What it has still to do it does.
EXPORT int cuGraphExecDestroy(Exec *exec) {
  BEGIN_IN_CONTEXT("cuGraphExecDestroy")
  if (!execs.erase(exec)) {
    return INVALID_VALUE;
  }
  live.erase(exec);
  delete exec;
  return SUCCESS;
}
