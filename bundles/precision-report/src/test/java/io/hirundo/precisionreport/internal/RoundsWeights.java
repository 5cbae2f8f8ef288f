package io.hirundo.precisionreport.internal;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Queue;
import io.hirundo.lib.precision.StoredOperandGemms;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.precision.ForwardingMath;
import java.util.Optional;

/** A third party's, that rounds weights alone, and cannot compute the layer that comes last in the backward. */
final class RoundsWeights implements PrecisionStrategy {
    @Override
    public DType parameterType() {
        return DType.FP32;
    }

    @Override
    public DType activationType() {
        return DType.FP32;
    }

    @Override
    public Support supports(DeviceInfo device, LinearShape layer) {
        return layer.name().equals("layers.0.up") ? Support.no("it has enough") : Support.YES;
    }

    @Override
    public LinearMath bind(Device device, LinearShape layer) {
        return new Math(new StoredOperandGemms(device, layer, DType.FP32, DType.FP32));
    }

    private static final class Math extends ForwardingMath {
        Math(LinearMath gemms) {
            super(gemms);
        }

        @Override
        public boolean roundsOperands() {
            return true;
        }

        @Override
        public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
            return operand == Operand.WEIGHT ? Optional.of(new RoundingLoss(8, 1, 0, 1, 4)) : Optional.empty();
        }
    }
}
