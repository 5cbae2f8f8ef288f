package io.hirundo.testkit.bench;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.HostValues;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToDoubleFunction;

/**
 * An open device, a queue, its memory ledger, and tensors whose values the host can read. Confined to one thread. Closing it closes
 * its tensors, and fails if somebody else closed one of them or left device memory allocated.
 */
public final class Bench implements AutoCloseable {
    private final Books books = new Books();
    private final List<Tensor> own = new ArrayList<>();
    private final Device device;
    private final Queue queue;
    private final MemoryProfile profile;
    private final Map<MemoryCategory, Long> before;
    private boolean closed;

    private Bench(ComputeBackend backend) {
        profile = backend.memoryProfile();
        device = backend.open(0, books);
        queue = device.newQueue("test");
        before = books.live();
    }

    /** Opens the backend's first device. The caller closes the bench. */
    public static Bench open(ComputeBackend backend) {
        return new Bench(backend);
    }

    public Device device() {
        return device;
    }

    public Queue queue() {
        return queue;
    }

    public Books books() {
        return books;
    }

    /** Bytes allocated since the bench was opened, without its own tensors, by category; without empty categories. */
    public Map<MemoryCategory, Long> heldByOthers() {
        long mine = own.stream()
                .mapToLong(tensor -> profile.allocationBytes(tensor.byteSize()))
                .sum();
        var held = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
        for (MemoryCategory category : MemoryCategory.values()) {
            long bytes = books.live(category) - before.getOrDefault(category, 0L);
            held.put(category, category == MemoryCategory.ACTIVATIONS ? bytes - mine : bytes);
        }
        held.values().removeIf(bytes -> bytes == 0);
        return held;
    }

    /** A tensor with undefined values. The bench closes it. */
    public Tensor tensor(DType dtype, long... dims) {
        Tensor tensor = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(dims), dtype);
        own.add(tensor);
        return tensor;
    }

    /** A tensor with these values, rounded to its dtype. The bench closes it. */
    public Tensor tensor(DType dtype, LongToDoubleFunction value, long... dims) {
        Tensor tensor = tensor(dtype, dims);
        write(tensor, value);
        return tensor;
    }

    /** Sets all values, rounded to the tensor's dtype. */
    public void write(Tensor tensor, LongToDoubleFunction value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(Math.max(1, tensor.byteSize()), 8);
            HostValues.fill(host, tensor.dtype(), Math.toIntExact(tensor.elements()), value);
            device.transfer().upload(queue, host, tensor);
            queue.drain();
        }
    }

    /** All values, after the queue's submitted work has ended. */
    public double[] read(Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(Math.max(1, tensor.byteSize()), 8);
            device.transfer().download(queue, tensor, host);
            queue.drain();
            return HostValues.read(host, tensor.dtype(), Math.toIntExact(tensor.elements()));
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            closeOwn();
            if (!heldByOthers().isEmpty()) {
                throw new AssertionError("memory was not released: " + heldByOthers() + " bytes");
            }
        } finally {
            queue.close();
            device.close();
        }
        if (!books.live().isEmpty()) {
            throw new AssertionError("the closed device still holds " + books.live() + " bytes");
        }
    }

    private void closeOwn() {
        for (Tensor tensor : own) {
            try {
                tensor.close();
            } catch (IllegalStateException e) {
                throw new AssertionError("the lent tensor " + tensor.shape() + " was closed by its borrower", e);
            }
        }
        own.clear();
    }
}
