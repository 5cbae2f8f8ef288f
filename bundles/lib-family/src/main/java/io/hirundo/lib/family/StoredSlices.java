package io.hirundo.lib.family;

import io.hirundo.family.StoredTensor;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** Where the elements of a parameter are in the stored tensor that holds it. */
public final class StoredSlices {
    /** Receives slices. */
    @FunctionalInterface
    public interface SliceConsumer {
        /**
         * A slice of the stored tensor.
         *
         * @param stored the slice
         * @param first row-major index, within the part that was asked for, of the slice's first element; the others follow
         */
        void accept(TensorSlice stored, long first);
    }

    private StoredSlices() {}

    /**
     * Slices of the stored tensor that together are a part of a parameter.
     *
     * @param holder the whole parameter in the stored tensor
     * @param part of that parameter
     */
    public static void forEach(StoredTensor.Part holder, ParameterPart part, SliceConsumer consumer) {
        if (!holder.path().equals(part.path()) || !holder.shape().equals(part.globalShape())) {
            throw new IllegalArgumentException(
                    part.path() + " " + part.globalShape() + " is not " + holder.path() + " " + holder.shape());
        }
        if (holder.headRows() == 0) {
            consumer.accept(slice(holder, part.offset(), part.shape()), 0);
            return;
        }
        for (long row = 0; row < part.shape().dim(0); row++) {
            ParameterPart one = part.narrow(0, row, 1);
            long stored = interleaved(one.offset().get(0), holder.headRows());
            consumer.accept(
                    slice(holder, List.of(stored, one.offset().get(1)), one.shape()),
                    row * part.shape().dim(1));
        }
    }

    /** The stored row of a published row: see {@link StoredTensor.Part#headRows}. */
    static long interleaved(long published, int headRows) {
        long channel = published % headRows;
        int half = headRows / 2;
        return published - channel + 2 * (channel % half) + channel / half;
    }

    private static TensorSlice slice(StoredTensor.Part holder, List<Long> offset, Shape shape) {
        int more = holder.offset().size() - shape.rank();
        List<Long> stored = new ArrayList<>(holder.offset());
        List<Long> dims = new ArrayList<>();
        for (int dim = 0; dim < stored.size(); dim++) {
            dims.add(dim < more ? 1 : shape.dim(dim - more));
            stored.set(dim, stored.get(dim) + (dim < more ? 0 : offset.get(dim - more)));
        }
        return new TensorSlice(stored, new Shape(dims));
    }
}
