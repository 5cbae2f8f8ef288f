package io.hirundo.lib.tensor;

import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.Shape;
import java.util.Collections;
import java.util.List;

/**
 * A rectangular slice of a tensor, as shards of weights and checkpoints are.
 *
 * @param offset of its first element in the tensor, one entry per dimension
 * @param shape of the slice
 */
public record TensorSlice(List<Long> offset, Shape shape) {
    public TensorSlice {
        offset = List.copyOf(offset);
    }

    /** The slice that is all of a tensor. */
    public static TensorSlice whole(Shape shape) {
        return new TensorSlice(Collections.nCopies(shape.rank(), 0L), shape);
    }

    /** The slice that a part is of its published tensor. */
    public static TensorSlice of(ParameterPart part) {
        return new TensorSlice(part.offset(), part.shape());
    }

    /** Whether it is within a tensor of this shape. */
    public boolean fits(Shape whole) {
        if (offset.size() != whole.rank() || shape.rank() != whole.rank()) {
            return false;
        }
        for (int dim = 0; dim < whole.rank(); dim++) {
            if (offset.get(dim) < 0 || offset.get(dim) > whole.dim(dim) - shape.dim(dim)) {
                return false;
            }
        }
        return true;
    }

    /** Whether two slices of one tensor have an element in common; empty slices must not be asked. */
    public boolean overlaps(TensorSlice other) {
        for (int dim = 0; dim < shape.rank(); dim++) {
            if (Math.max(offset.get(dim), other.offset.get(dim)) >= Math.min(end(dim), other.end(dim))) {
                return false;
            }
        }
        return true;
    }

    /**
     * The slice's elements in its tensor, as {@link SliceOverlap runs}: sources are in the tensor, targets in the slice.
     *
     * @throws IllegalArgumentException if the slice leaves the tensor
     */
    public void forEachRunIn(Shape whole, SliceOverlap.RunConsumer runs) {
        if (!fits(whole)) {
            throw new IllegalArgumentException(this + " is not within a tensor of " + whole);
        }
        SliceOverlap.of(whole(whole), this).ifPresent(overlap -> overlap.forEachRun(runs));
    }

    /** The end along a dimension, exclusive. */
    public long end(int dim) {
        return offset.get(dim) + shape.dim(dim);
    }

    @Override
    public String toString() {
        return shape + " at " + offset;
    }
}
