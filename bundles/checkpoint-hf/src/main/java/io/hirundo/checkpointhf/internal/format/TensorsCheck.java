package io.hirundo.checkpointhf.internal.format;

import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.tensor.Shape;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** Holds the tensors that are to be written against the tensors that their architecture has. */
final class TensorsCheck {
    private TensorsCheck() {}

    static void check(Map<String, Shape> expected, List<ModelTensor> tensors) {
        var missing = new HashSet<>(expected.keySet());
        for (ModelTensor tensor : tensors) {
            Shape shape = expected.get(tensor.path());
            if (shape == null) {
                throw new IllegalArgumentException("tensor '" + tensor.path() + "' is none of the architecture's");
            }
            if (!missing.remove(tensor.path())) {
                throw new IllegalArgumentException("tensor '" + tensor.path() + "' was given twice");
            }
            if (!tensor.shape().equals(shape)) {
                throw new IllegalArgumentException(
                        "tensor '" + tensor.path() + "' is " + tensor.shape() + ", but the architecture's is " + shape);
            }
            if (!tensor.dtype().isArithmetic()) {
                throw new IllegalArgumentException("tensor '" + tensor.path() + "' is of " + tensor.dtype());
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("tensors of the architecture are missing: "
                    + missing.stream().sorted().toList());
        }
    }
}
