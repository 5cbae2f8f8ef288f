package io.hirundo.lib.engine.tensors;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.oracle.FingerprintSums;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;

/**
 * Copies rectangles of tensors to the host, a bounded number of elements at a time, and sums them in parallel. Sums of
 * fixed-size blocks are added in order, so that the number of processors changes no bit. Confined to the rank's thread.
 */
public final class FingerprintReader implements AutoCloseable {
    /** Largest number of elements per call. */
    public static final long ELEMENTS = 1L << 22;

    private static final int BLOCK_ELEMENTS = 1 << 15;

    private final Device device;
    private final Queue queue;
    private final Arena arena = Arena.ofShared();
    private MemorySegment host = MemorySegment.NULL;

    public FingerprintReader(Device device, Queue queue) {
        this.device = device;
        this.queue = queue;
    }

    /**
     * Adds a piece of at most {@link #ELEMENTS} elements; waits for the queue.
     *
     * @param part its place in the full tensor
     * @param sums of the full tensor
     */
    public void add(ParameterPart part, Tensor piece, FingerprintSums sums) {
        if (host.byteSize() < piece.byteSize()) {
            host = arena.allocate(piece.byteSize(), Double.BYTES);
        }
        device.transfer().download(queue, piece, host.asSlice(0, piece.byteSize()));
        queue.drain();
        long elements = part.shape().elements();
        long blocks = (elements + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
        LongStream.range(0, blocks)
                .parallel()
                .mapToObj(block -> block(
                        part,
                        piece.dtype(),
                        block * BLOCK_ELEMENTS,
                        Math.min(elements, (block + 1) * BLOCK_ELEMENTS),
                        sums))
                .toList()
                .forEach(sums::add);
    }

    private FingerprintSums block(ParameterPart part, DType dtype, long begin, long end, FingerprintSums whole) {
        var sums = whole.empty();
        boolean isVector = part.shape().rank() == 1;
        long columns = isVector ? part.shape().elements() : part.shape().dim(1);
        long stride = isVector ? 0 : part.globalShape().dim(1);
        long firstColumn = part.offset().getLast();
        double[] values = new double[(int) Math.min(columns, end - begin)];
        for (long at = begin; at < end; ) {
            long row = at / columns;
            int count = (int) (Math.min((row + 1) * columns, end) - at);
            read(dtype, at, count, values);
            long globalRow = isVector ? 0 : part.offset().getFirst() + row;
            sums.add(globalRow * stride + firstColumn + at % columns, values, count);
            at += count;
        }
        return sums;
    }

    private void read(DType dtype, long at, int count, double[] into) {
        switch (dtype) {
            case FP64 -> MemorySegment.copy(host, ValueLayout.JAVA_DOUBLE, at * Double.BYTES, into, 0, count);
            case FP32 -> {
                for (int i = 0; i < count; i++) {
                    into[i] = host.getAtIndex(ValueLayout.JAVA_FLOAT, at + i);
                }
            }
            case BF16 -> {
                for (int i = 0; i < count; i++) {
                    into[i] = Float.intBitsToFloat(host.getAtIndex(ValueLayout.JAVA_SHORT, at + i) << 16);
                }
            }
            default -> throw new IllegalArgumentException("parameters of type " + dtype);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
