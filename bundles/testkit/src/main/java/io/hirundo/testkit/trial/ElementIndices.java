package io.hirundo.testkit.trial;

import io.hirundo.model.parameter.ParameterPart;

/** The elements of a part of a tensor, by their row-major index in the complete tensor. */
public final class ElementIndices {
    private ElementIndices() {}

    /** In the order in which the part stores them. */
    public static long[] of(ParameterPart part) {
        var indices = new long[Math.toIntExact(part.shape().elements())];
        for (int i = 0; i < indices.length; i++) {
            long rest = i;
            long stride = 1;
            for (int dim = part.shape().rank() - 1; dim >= 0; dim--) {
                indices[i] += (part.offset().get(dim) + rest % part.shape().dim(dim)) * stride;
                rest /= part.shape().dim(dim);
                stride *= part.globalShape().dim(dim);
            }
        }
        return indices;
    }
}
