package io.hirundo.precisionreport.internal;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Queue;
import io.hirundo.lib.precision.StoredProducts;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
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
        return new Math(new StoredProducts(device, layer, DType.FP32, DType.FP32));
    }

    private record Math(LinearMath products) implements LinearMath {
        @Override
        public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
            return products.prepare(queue, wNK, reuse);
        }

        @Override
        public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
            products.forward(queue, xTK, weight, yTN);
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
            products.inputGradient(queue, dyTN, weight, dxTK);
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
            products.weightGradient(queue, dyTN, xTK, dwNK);
        }

        @Override
        public boolean roundsOperands() {
            return true;
        }

        @Override
        public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
            return operand == Operand.WEIGHT ? Optional.of(new RoundingLoss(8, 1, 0, 1, 4)) : Optional.empty();
        }

        @Override
        public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
            return products.multiplied(product, weight);
        }

        @Override
        public void close() {
            products.close();
        }
    }
}
