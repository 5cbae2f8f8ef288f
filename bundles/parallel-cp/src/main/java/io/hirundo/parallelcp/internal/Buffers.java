package io.hirundo.parallelcp.internal;

import io.hirundo.device.Device;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A pool of buffers for K/V transfers. Buffers in use when a pass fails live until the device closes: a transfer may still read
 * or write them.
 */
final class Buffers implements AutoCloseable {
    private final Device device;
    private final Shape shape;
    private final DType dtype;
    private final Deque<KeyValue> free = new ArrayDeque<>();

    /** A pool of buffers with the shapes of {@code like}. */
    Buffers(Device device, KeyValue like) {
        this.device = device;
        this.shape = like.keyNGsD().shape();
        this.dtype = like.keyNGsD().dtype();
    }

    KeyValue take() {
        return free.isEmpty() ? KeyValue.allocate(device, shape, dtype) : free.pop();
    }

    void giveBack(KeyValue buffer) {
        free.push(buffer);
    }

    @Override
    public void close() {
        free.forEach(KeyValue::close);
        free.clear();
    }
}
