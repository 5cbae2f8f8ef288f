package io.hirundo.devicecpu.internal;

import io.hirundo.device.Event;
import io.hirundo.device.Queue;

/** Runs work in the calling thread, helped by the device's workers: when a call returns, its work has ended. */
final class CpuQueue implements Queue {
    @Override
    public Event record() {
        return Event.PAST;
    }

    @Override
    public void await(Event event) {
        event.await();
    }

    @Override
    public void drain() {}

    @Override
    public void close() {}
}
