package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.checkpointtorch.internal.pickle.PickledObject;
import io.hirundo.checkpointtorch.internal.pickle.PickledTuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists of non-negative integers in pickles: shapes, offsets, strides. */
final class Sizes {
    private static final int MOST_DIMS = 16;

    private Sizes() {}

    /** A {@code torch.Size} or a tuple; empty for anything else. */
    static Optional<List<Long>> read(Object value) {
        if (value instanceof PickledObject object
                && object.type().equals(TorchNames.SIZE)
                && object.arguments().size() == 1) {
            return readTuple(object.arguments().get(0));
        }
        return readTuple(value);
    }

    private static Optional<List<Long>> readTuple(Object value) {
        if (!(value instanceof PickledTuple tuple) || tuple.size() > MOST_DIMS) {
            return Optional.empty();
        }
        List<Long> numbers = new ArrayList<>(tuple.size());
        for (int index = 0; index < tuple.size(); index++) {
            if (!(tuple.get(index) instanceof Long number) || number < 0) {
                return Optional.empty();
            }
            numbers.add(number);
        }
        return Optional.of(List.copyOf(numbers));
    }
}
