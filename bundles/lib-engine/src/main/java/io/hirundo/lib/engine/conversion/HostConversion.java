package io.hirundo.lib.engine.conversion;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Converts tensors on a device through host memory, some rows at a time.
 *
 * @param queue drained when a conversion returns
 */
public record HostConversion(Device device, Queue queue) {
    /** Host memory for one row at least, and a few MiB where rows are shorter. */
    private static final long MAX_ELEMENTS = 1 << 20;

    /**
     * Whether {@link #convert} can convert elements of a run that begin here.
     *
     * @param first the run's first element in its parameter
     */
    public static boolean isDivisible(StateConversion conversion, long first, long elements) {
        long unit = Columns.unit(conversion);
        return first % unit == 0 && elements % unit == 0;
    }

    /**
     * Converts consecutive elements.
     *
     * @param elements of the parameter
     * @param from read only, in the order of {@link StateConversion#from}
     * @param to filled, in the order of {@link StateConversion#to}
     */
    public void convert(StateConversion conversion, long elements, List<Tensor> from, List<Tensor> to) {
        long unit = Columns.unit(conversion);
        convert(conversion, elements / unit, Columns.consecutive(unit), from, to);
    }

    /**
     * Converts rows.
     *
     * @param from contiguous, with an element for each block of all columns
     * @param to contiguous, with an element for each block of the wanted columns
     */
    void convert(StateConversion conversion, long rows, Columns columns, List<Tensor> from, List<Tensor> to) {
        long most = Math.max(1, MAX_ELEMENTS / columns.all());
        for (long row = 0; row < rows; row += most) {
            convert(conversion, row, Math.min(most, rows - row), columns, from, to);
        }
    }

    private void convert(
            StateConversion conversion, long row, long rows, Columns columns, List<Tensor> from, List<Tensor> to) {
        try (Arena arena = Arena.ofConfined()) {
            var reader = new Rows(conversion.from(), row, rows, columns.all());
            List<MemorySegment> read = reader.allocate(arena);
            for (int index = 0; index < from.size(); index++) {
                device.transfer().download(queue, reader.in(from, index), read.get(index));
            }
            queue.drain();
            List<MemorySegment> written = new Rows(conversion.to(), row, rows, columns.all()).allocate(arena);
            conversion.convert(
                    rows * columns.all(),
                    read.stream().map(MemorySegment::asReadOnly).toList(),
                    written);
            var writer = new Rows(conversion.to(), row, rows, columns.wanted());
            for (int index = 0; index < to.size(); index++) {
                keepWanted(conversion.to().get(index), rows, columns, written.get(index));
                device.transfer().uploadAtOnce(queue, written.get(index), writer.in(to, index));
            }
        }
    }

    /** Moves the wanted columns to the beginning. */
    private static void keepWanted(StateSpec spec, long rows, Columns columns, MemorySegment memory) {
        if (columns.areAllWanted()) {
            return;
        }
        long elementBytes = spec.dtype().byteSize();
        long rowBytes = columns.all() / spec.block() * elementBytes;
        long wantedBytes = columns.wanted() / spec.block() * elementBytes;
        long first = columns.firstWanted() / spec.block() * elementBytes;
        for (long row = 0; row < rows; row++) {
            MemorySegment.copy(memory, row * rowBytes + first, memory, row * wantedBytes, wantedBytes);
        }
    }

    /** Some rows of tensors. */
    private record Rows(List<StateSpec> specs, long first, long count, long columns) {
        List<MemorySegment> allocate(Arena arena) {
            return specs.stream()
                    .map(spec -> arena.allocate(
                            count * columns / spec.block() * spec.dtype().byteSize(), 64))
                    .toList();
        }

        Tensor in(List<Tensor> tensors, int index) {
            long rowElements = columns / specs.get(index).block();
            return tensors.get(index).view(first * rowElements, Shape.of(count * rowElements));
        }
    }
}
