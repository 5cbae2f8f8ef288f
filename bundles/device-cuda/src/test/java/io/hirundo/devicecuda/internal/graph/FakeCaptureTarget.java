package io.hirundo.devicecuda.internal.graph;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.driver.Handles;
import java.util.ArrayList;
import java.util.List;

/** A fake queue with memory that records how calls reach the stream. */
final class FakeCaptureTarget implements CaptureTarget {
    /** A kernel and its operand. */
    record FakeCall(String kernel, long operand) implements Call.Asked {
        @Override
        public void submit(Handles.Stream stream) {
            throw new AssertionError("there is no stream");
        }

        @Override
        public Call kept() {
            return this;
        }

        @Override
        public boolean isLike(Call kept) {
            return kept instanceof FakeCall other && other.kernel.equals(kernel);
        }

        @Override
        public boolean hasOperandsOf(Call kept) {
            return equals(kept);
        }

        @Override
        public String toString() {
            return kernel;
        }
    }

    /** The submitted calls, in order. */
    final List<Call> stream = new ArrayList<>();

    int graphsLaunched;
    int graphsOpen;
    boolean timed;
    boolean lacksMemory;
    boolean makesNoGraphs;
    /** Whether memory is reserved, and how much. */
    boolean reserved;

    long reservedBytes;
    boolean held;
    boolean empty = true;

    @Override
    public void submit(Call call) {
        stream.add(call);
    }

    @Override
    public boolean isTimed() {
        return timed;
    }

    @Override
    public boolean reserve(long bytes) {
        reserved = !lacksMemory;
        held = reserved;
        reservedBytes = bytes;
        return reserved;
    }

    @Override
    public boolean hold() {
        held = reserved;
        return reserved;
    }

    @Override
    public boolean isEmpty() {
        return empty;
    }

    @Override
    public void letGo() {
        held = false;
    }

    @Override
    public void release() {
        reserved = false;
        held = false;
    }

    @Override
    public Graph graph(List<Call> calls) {
        if (makesNoGraphs) {
            throw new DeviceException("no graphs today");
        }
        graphsOpen++;
        return new Graph() {
            private boolean closed;

            @Override
            public void launch() {
                if (closed) {
                    throw new AssertionError("a graph was launched after it was closed");
                }
                graphsLaunched++;
                stream.addAll(calls);
            }

            @Override
            public void close() {
                if (closed) {
                    throw new AssertionError("a graph was closed twice");
                }
                closed = true;
                graphsOpen--;
            }
        };
    }
}
