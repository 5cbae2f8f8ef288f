package io.hirundo.checkpointhf.internal;

import io.hirundo.checkpoint.ModelPart;
import io.hirundo.tensor.Shape;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** Holds the parts that are to be written against the tensors that their architecture has. */
final class PartsCheck {
  private PartsCheck() {}

  static void check(Map<String, Shape> expected, List<ModelPart> parts) {
    var missing = new HashSet<>(expected.keySet());
    for (ModelPart part : parts) {
      Shape shape = expected.get(part.path());
      if (shape == null) {
        throw new IllegalArgumentException("tensor '" + part.path() + "' is none of the architecture's");
      }
      if (!missing.remove(part.path())) {
        throw new IllegalArgumentException("tensor '" + part.path() + "' was given twice");
      }
      if (!part.shape().equals(shape)) {
        throw new IllegalArgumentException(
            "tensor '" + part.path() + "' is " + part.shape() + ", but the architecture's is " + shape);
      }
      if (!part.dtype().isArithmetic()) {
        throw new IllegalArgumentException("tensor '" + part.path() + "' is of " + part.dtype());
      }
    }
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException("tensors of the architecture are missing: " + missing.stream().sorted().toList());
    }
  }
}
