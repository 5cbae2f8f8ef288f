package io.hirundo.devicecpu.internal;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;

/** Runs work in the calling thread, helped by the device's workers: when a call returns, its work has ended. */
final class CpuQueue implements Queue {
  private static final Event PAST = () -> true;

  @Override
  public Event record() {
    return PAST;
  }

  @Override
  public void await(Event event) {
    if (!event.hasHappened()) {
      throw new IllegalArgumentException("the event is of another device: on this one every recorded event has happened");
    }
  }

  @Override
  public void drain() {}

  @Override
  public void close() {}
}
