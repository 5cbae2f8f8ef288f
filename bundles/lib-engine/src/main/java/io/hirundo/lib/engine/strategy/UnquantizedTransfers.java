package io.hirundo.lib.engine.strategy;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MessageCoding;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** Computes as another precision does, but sends unquantized values between ranks: to compare communication bytes. */
final class UnquantizedTransfers extends ForwardingPrecision {
    private final PrecisionStrategy precision;

    UnquantizedTransfers(PrecisionStrategy precision) {
        super(precision);
        this.precision = precision;
    }

    @Override
    public PrecisionStrategy forModel(ModelSpec model) {
        return new UnquantizedTransfers(precision.forModel(model));
    }

    @Override
    public LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
        return new PlainTransferMath(precision.bind(device, shape, sharers));
    }

    @Override
    public Optional<MessageCoding> betweenStages(Device device) {
        return Optional.empty();
    }

    /** Hides optional capabilities of the delegate, so that only unquantized operations are left. */
    private record PlainTransferMath(LinearMath math) implements LinearMath {
        @Override
        public Optional<DType> weightType() {
            return math.weightType();
        }

        @Override
        public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
            return math.prepare(queue, wNK, reuse);
        }

        @Override
        public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
            math.forward(queue, xTK, weight, yTN);
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
            math.inputGradient(queue, dyTN, weight, dxTK);
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
            math.weightGradient(queue, dyTN, xTK, dwNK);
        }

        @Override
        public MultipliedOperand multiplied(Queue queue, LinearProduct product, Operand operand, Tensor x) {
            return math.multiplied(queue, product, operand, x);
        }

        @Override
        public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
            return math.multiplied(product, weight);
        }

        @Override
        public void close() {
            math.close();
        }
    }
}
