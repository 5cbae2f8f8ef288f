package io.hirundo.paralleldp.internal.gradients;

import io.hirundo.ConfigurationException;
import io.hirundo.tensor.DType;

/** The dtype in which a rank accumulates gradients until they are reduced. */
public final class GradientType {
    public static final String FP32 = "fp32";
    public static final String BF16 = "bf16";

    private GradientType() {}

    /**
     * The dtype that an option names. A rank alone has no gradients to reduce: it accumulates those that it updates with, in their own dtype.
     *
     * @param option {@link #FP32} or {@link #BF16}
     * @param updateType of the gradients that update weights
     */
    public static DType of(String option, DType updateType, int ranks) {
        if (option.equals(BF16) && updateType != DType.FP32) {
            throw new ConfigurationException("mesh.dataParallel.options.gradientType: bf16 is wrong with weights in "
                    + updateType + " (allowed: with FP32 or BF16); set it to fp32");
        }
        return option.equals(BF16) && ranks > 1 ? DType.BF16 : updateType;
    }
}
