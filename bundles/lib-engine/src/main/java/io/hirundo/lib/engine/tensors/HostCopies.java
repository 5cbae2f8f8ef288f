package io.hirundo.lib.engine.tensors;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BiConsumer;

/** Copies values between host memory and a device. Reads wait for the queue, writes do not. */
public final class HostCopies {
    private HostCopies() {}

    /**
     * Host memory with floating-point elements.
     *
     * @param memory the bytes
     * @param dtype their type
     */
    public record HostFloats(MemorySegment memory, DType dtype) {
        public void set(long index, double value) {
            switch (dtype) {
                case FP64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
                case FP32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
                case BF16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT, index, FloatConversion.toBf16((float) value));
                default -> throw new IllegalArgumentException("parameters of type " + dtype);
            }
        }
    }

    /** Fills the parts of a parameter one after the other with values that {@code filler} writes to host memory. */
    public static void fill(Device device, Queue queue, Parameter run, BiConsumer<ParameterPart, HostFloats> filler) {
        for (OwnedSlices.Piece piece : OwnedSlices.of(run)) {
            try (Arena arena = Arena.ofShared()) {
                Tensor view = piece.in(run.value());
                MemorySegment host = arena.allocate(view.byteSize(), 64);
                filler.accept(piece.part(), new HostFloats(host, view.dtype()));
                device.transfer().uploadAtOnce(queue, host, view);
            }
        }
    }

    /** Reads FP64 scalars; waits for the queue. */
    public static double[] readScalars(Device device, Queue queue, Tensor scalars) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(scalars.byteSize(), 8);
            device.transfer().download(queue, scalars, host);
            queue.drain();
            return host.toArray(ValueLayout.JAVA_DOUBLE);
        }
    }

    /** Reads integers; waits for the queue. */
    public static int[] readInts(Device device, Queue queue, Tensor ints) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(ints.byteSize(), 8);
            device.transfer().download(queue, ints, host);
            queue.drain();
            return host.toArray(ValueLayout.JAVA_INT);
        }
    }

    /** Uploads host integers to a tensor. */
    public static void upload(Device device, Queue queue, int[] values, Tensor tensor) {
        upload(device, queue, MemorySegment.ofArray(values), tensor);
    }

    public static void upload(Device device, Queue queue, float[] values, Tensor tensor) {
        upload(device, queue, MemorySegment.ofArray(values), tensor);
    }

    public static void upload(Device device, Queue queue, double[] values, Tensor tensor) {
        upload(device, queue, MemorySegment.ofArray(values), tensor);
    }

    private static void upload(Device device, Queue queue, MemorySegment heap, Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(tensor.byteSize(), 64);
            host.copyFrom(heap);
            device.transfer().uploadAtOnce(queue, host, tensor);
        }
    }
}
