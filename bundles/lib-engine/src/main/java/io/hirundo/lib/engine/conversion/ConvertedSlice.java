package io.hirundo.lib.engine.conversion;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.tensors.OwnedSlices;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A rectangle of a published tensor of which a rank owns state that a checkpoint has in another form. Its blocks may begin and end outside of the
 * rectangle, because ranks divide FP32 state anywhere.
 *
 * @param run of which it is a part
 */
record ConvertedSlice(StateConversion conversion, Parameter run, OwnedSlices.Piece piece) {
    /**
     * Whether the checkpoint has the other form alone.
     *
     * @param saved keys of the checkpoint
     */
    boolean isNeeded(Set<String> saved) {
        return ConvertedForms.isNeeded(conversion, spec -> saved.contains(key(spec)));
    }

    /** Whether the rectangle is blocks of what is converted to, in rows that are blocks of both forms. */
    boolean isDivisible() {
        Shape global = piece.part().globalShape();
        return global.dim(global.rank() - 1) % Columns.unit(conversion) == 0
                && conversion.to().stream().allMatch(this::isDivisible);
    }

    private boolean isDivisible(StateSpec spec) {
        Columns columns = columns();
        return piece.offset() % spec.block() == 0
                && columns.firstWanted() % spec.block() == 0
                && columns.wanted() % spec.block() == 0;
    }

    String key(StateSpec spec) {
        return ModelWeights.OPTIMIZER_PREFIX + spec.name() + "/" + piece.part().path();
    }

    Columns columns() {
        return Columns.of(piece.part(), Columns.unit(conversion));
    }

    long rows() {
        return piece.part().shape().elements() / columns().wanted();
    }

    /** Of what {@link #allocate} allocates for all tensors of the other form. */
    long savedBytes() {
        return conversion.from().stream()
                .mapToLong(spec ->
                        rows() * (columns().all() / spec.block()) * spec.dtype().byteSize())
                .sum();
    }

    /** What to load of a tensor of the other form, into new memory. */
    StateShard allocate(Device device, StateSpec spec) {
        ParameterPart part = piece.part();
        Columns columns = columns();
        int last = part.shape().rank() - 1;
        var offset = new ArrayList<>(part.offset());
        offset.set(last, columns.first() / spec.block());
        Shape shape = withLast(part.shape(), columns.all() / spec.block());
        Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, shape, spec.dtype());
        Shape global = withLast(part.globalShape(), part.globalShape().dim(last) / spec.block());
        return new StateShard(key(spec), global, offset, tensor, part.replicas().index());
    }

    private static Shape withLast(Shape shape, long size) {
        var dims = new ArrayList<>(shape.dims());
        dims.set(dims.size() - 1, size);
        return new Shape(dims);
    }

    /** The elements of a run's state tensor. */
    Tensor in(Tensor state, StateSpec spec) {
        return state.view(
                piece.offset() / spec.block(), Shape.of(rows() * columns().wanted() / spec.block()));
    }

    /** The rectangles of a run, those of a published tensor together. */
    static Collection<List<ConvertedSlice>> byTensor(StateConversion conversion, Parameter run) {
        return OwnedSlices.of(run).stream()
                .map(piece -> new ConvertedSlice(conversion, run, piece))
                .collect(Collectors.groupingBy(
                        slice -> slice.piece().part().path(), LinkedHashMap::new, Collectors.toList()))
                .values();
    }
}
