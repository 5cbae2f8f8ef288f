package io.hirundo.lib.engine.model;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.mesh.Axis;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.DataParallel;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;

/** The dtype in which kernels add gradients up: that of activations, or a wider one. */
final class GradientType {
    private GradientType() {}

    /** Rejects a data-parallel strategy whose gradients are narrower than the activations of a precision. */
    static void require(Rank rank, DataParallel data, PrecisionStrategy precision) {
        DType parameterType = precision.parameterType();
        DType gradientType = data.gradientType(
                parameterType, rank.along(Axis.CONTEXT, Axis.DATA).size());
        DType updateType = Parameter.updateType(parameterType);
        if (gradientType != updateType && gradientType != precision.activationType()) {
            throw new ConfigurationException("mesh.dataParallel.options.gradientType: " + gradientType
                    + " is wrong with activations in " + precision.activationType() + " (allowed: " + updateType
                    + "); set it to fp32, or choose a precision with " + gradientType + " activations");
        }
    }
}
