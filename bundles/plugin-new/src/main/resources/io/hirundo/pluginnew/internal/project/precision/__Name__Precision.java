package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import java.util.Set;

/**
 * Linear layers in FP32. One object serves all ranks of a process, so it has no state; the object that {@link #bind} returns holds a
 * layer's state.
 */
record __Name__Precision(__Name__Options options) implements PrecisionStrategy {
    @Override
    public DType parameterType() {
        return DType.FP32;
    }

    @Override
    public DType activationType() {
        return DType.FP32;
    }

    /** What the GEMMs multiply: {@code regress check --within-noise} allows what its coarsest type explains. */
    @Override
    public Set<DType> operandTypes() {
        return options.roundWeights() ? Set.of(DType.FP32, DType.BF16) : Set.of(DType.FP32);
    }

    /** Rejects unsupported layers with a reason, for example sizes that are not a multiple of a block. */
    @Override
    public Support supports(DeviceInfo device, LinearShape shape) {
        return shape.outputs() >= 1 && shape.inputs() >= 1
                ? Support.YES
                : Support.no(shape.name() + " has no elements");
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape) {
        return new __Name__LinearMath(device, shape, options.roundWeights());
    }
}
