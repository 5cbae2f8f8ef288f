// Of the stub's driver: streams and events.
#pragma once
#include <algorithm>

#include "driver.h"

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

// What happens when the stream has come here.
static std::shared_ptr<Record> record(Stream *stream) {
  auto made = std::make_shared<Record>();
  made->stream = stream;
  stream->work.push_back([made] {
    made->milliseconds = made->stream->milliseconds;
    made->happened = true;
  });
  return made;
}
static void await(Stream *stream, std::shared_ptr<Record> record) {
  stream->work.push_back([=] {
    while (!record->happened && step(record->stream)) {
    }
    stream->milliseconds = std::max(stream->milliseconds, record->milliseconds);
  });
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
  REFUSE_IN_CAPTURE(stream, CAPTURE_UNSUPPORTED)
  finish(of(stream));
  return SUCCESS;
}
EXPORT int cuStreamDestroy_v2(void *stream) {
  BEGIN_IN_CONTEXT("cuStreamDestroy")
  REFUSE_IN_CAPTURE(stream, CAPTURE_UNSUPPORTED)
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
  REFUSE_IN_CAPTURE(stream, CAPTURE_ISOLATION)
  if (auto record = ((Event *)event)->record) {
    await(of(stream), record);
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
  REFUSE_IN_CAPTURE(stream, CAPTURE_UNSUPPORTED) // the real one allows it, for work that forks
  ((Event *)event)->record = record(of(stream));
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
