package io.hirundo.paralleldp.internal.gradients;

import io.hirundo.ConfigurationException;
import io.hirundo.tensor.DType;

/** The dtype in which gradients are reduced. */
public final class GradientReduction {
    private GradientReduction() {}

    /** Rejects a reduction in BF16 of gradients that are not FP32. */
    public static void check(boolean inBf16, DType gradientType) {
        if (inBf16 && gradientType != DType.FP32) {
            throw new ConfigurationException("mesh.dataParallel.options.reduceInBf16: true is wrong with gradients in "
                    + gradientType + " (allowed: with FP32); set it to false");
        }
    }
}
