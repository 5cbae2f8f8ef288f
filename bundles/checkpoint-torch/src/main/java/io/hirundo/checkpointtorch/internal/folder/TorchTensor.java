package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.DataException;
import io.hirundo.checkpointtorch.internal.pickle.PickledObject;
import io.hirundo.checkpointtorch.internal.pickle.PickledReference;
import io.hirundo.checkpointtorch.internal.pickle.PickledTuple;
import io.hirundo.checkpointtorch.internal.pickle.Unpickler;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * A tensor written by {@code torch.save}.
 *
 * @param data the elements of its storage
 * @param first its first element in the storage
 * @param strides in elements of the storage, one per dimension
 */
record TorchTensor(TorchFloat type, Shape shape, ZipData data, long first, List<Long> strides) {
    private static final int MOST_PICKLE_BYTES = 1 << 20;
    private static final byte[] LITTLE = {'l', 'i', 't', 't', 'l', 'e'};

    /** {@code where}: name of the bytes, for messages. */
    static TorchTensor open(MemorySegment zip, String where) {
        TorchZip file = TorchZip.open(zip, where);
        // Versions before 2.1 do not record the byte order; machines that train models are little-endian.
        if (file.has("byteorder") && !Arrays.equals(file.checkedBytes("byteorder", 64), LITTLE)) {
            throw new DataException(
                    where + ": its numbers are big-endian, which is not read; save it on another machine");
        }
        byte[] pickle = file.checkedBytes("data.pkl", MOST_PICKLE_BYTES);
        Object value = Unpickler.read(pickle, where, TorchNames.ofTensors(), true);
        return tensor(file, arguments(file, value, 0));
    }

    /** The arguments that rebuild the tensor; a parameter wraps a tensor. */
    private static PickledTuple arguments(TorchZip file, Object value, int depth) {
        if (value instanceof PickledObject object && object.arguments().size() > 0) {
            if (object.type().equals(TorchNames.REBUILD_PARAMETER) && depth == 0) {
                return arguments(file, object.arguments().get(0), 1);
            }
            if (object.type().equals(TorchNames.REBUILD_TENSOR)
                    && object.arguments().size() >= 4) {
                return object.arguments();
            }
        }
        throw file.wrong("it holds no plain tensor");
    }

    private static TorchTensor tensor(TorchZip file, PickledTuple arguments) {
        boolean isStorage = arguments.get(0) instanceof PickledReference reference
                && reference.id() instanceof PickledTuple id
                && id.size() == 5
                && "storage".equals(id.get(0))
                && id.get(2) instanceof String;
        if (!isStorage || !(arguments.get(1) instanceof Long first) || first < 0) {
            throw file.wrong("its tensor has no storage");
        }
        var storage = (PickledTuple) ((PickledReference) arguments.get(0)).id();
        TorchFloat type = Arrays.stream(TorchFloat.values())
                .filter(each -> each.storage().equals(storage.get(1)))
                .findFirst()
                .orElseThrow(() -> file.wrong("its storage is not of " + TorchFloat.READABLE));
        List<Long> dims = Sizes.read(arguments.get(2)).orElseThrow(() -> file.wrong("its tensor has no shape"));
        List<Long> strides = Sizes.read(arguments.get(3)).orElseThrow(() -> file.wrong("its tensor has no strides"));
        ZipData data = file.data("data/" + storage.get(2));
        var tensor = new TorchTensor(type, new Shape(dims), data, first, strides);
        if (strides.size() != dims.size() || !tensor.fits()) {
            throw file.wrong("a tensor " + tensor.shape() + " of strides " + strides + " leaves its storage");
        }
        return tensor;
    }

    private boolean fits() {
        try {
            if (shape.elements() == 0) {
                return true;
            }
            long last = first;
            for (int dim = 0; dim < shape.rank(); dim++) {
                last = Math.addExact(last, Math.multiplyExact(shape.dim(dim) - 1, strides.get(dim)));
            }
            return last < data.byteSize() / type.stored().byteSize();
        } catch (ArithmeticException e) {
            return false;
        }
    }

    /**
     * Converts a run of elements along the last dimension.
     *
     * @param index of the first
     * @param conversion from the checked {@link #data}
     * @param into the first element that is written
     */
    void convert(long[] index, long count, FloatConversion conversion, long into) {
        long from = first;
        for (int dim = 0; dim < index.length; dim++) {
            from += index[dim] * strides.get(dim);
        }
        long step = strides.isEmpty() ? 1 : strides.getLast();
        if (step == 1) {
            conversion.convert(from, into, count);
        } else {
            for (long element = 0; element < count; element++) {
                conversion.convert(from + element * step, into + element, 1);
            }
        }
    }
}
