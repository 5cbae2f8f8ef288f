package io.hirundo.testkit.precision;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MessageCoding;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.util.List;
import java.util.Optional;

/** Packs weights and operands as FP32, and transfers as BF16. Mutants extend it. */
class TravellingPrecision extends SoundPrecision {
    @Override
    public LinearMath bind(Device device, LinearShape shape) {
        return new Math(device, shape);
    }

    @Override
    public Optional<MessageCoding> betweenStages(Device device) {
        return Optional.of(new Messages(device));
    }

    static class Math extends SoundPrecision.Math {
        Math(Device device, LinearShape shape) {
            super(device, shape);
        }

        @Override
        public Optional<WeightCoding> coding() {
            return Optional.of(new Coding(this));
        }

        @Override
        public Optional<PackedProducts> packed() {
            return Optional.of(new Packed(this));
        }

        @Override
        public boolean roundsOperands() {
            return true;
        }

        @Override
        public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
            var values = (ScalarTensor) x;
            long nonZero = 0;
            double squares = 0;
            for (long i = 0; i < x.elements(); i++) {
                nonZero += values.get(i) != 0 ? 1 : 0;
                squares += values.get(i) * values.get(i);
            }
            return Optional.of(new RoundingLoss(nonZero, 0, 0, 0, squares));
        }
    }

    static class Coding implements WeightCoding {
        private final Math math;

        Coding(Math math) {
            this.math = math;
        }

        @Override
        public DType codeType() {
            return DType.FP32;
        }

        @Override
        public Shape magnitudes() {
            return Shape.of(1);
        }

        @Override
        public void measure(Queue queue, Tensor run, long firstElement, Tensor magnitudes) {}

        @Override
        public void encode(Queue queue, Tensor run, long firstElement, Tensor magnitudes, Tensor codes) {
            math.device.kernels().elementwise().copy(queue, run, codes);
        }

        @Override
        public PreparedWeight prepare(Queue queue, CodedWeight weight, PreparedWeight reuse) {
            Shape shape = Shape.of(math.shape.outputs(), math.shape.inputs());
            Copy copy = reuse == null
                    ? new Copy(math.device.allocate(MemoryCategory.WEIGHTS, shape, DType.FP32))
                    : (Copy) reuse;
            for (CodedWeight.Run run : weight.runs()) {
                Tensor place = copy.tensor.view(
                        run.firstElement(), Shape.of(run.codes().elements()));
                math.device.kernels().elementwise().copy(queue, run.codes(), place);
            }
            return copy;
        }
    }

    static class Packed implements PackedProducts {
        private final Math math;

        Packed(Math math) {
            this.math = math;
        }

        @Override
        public boolean packs(Operand operand, Contraction over, long rows) {
            return true;
        }

        @Override
        public PackedOperand allocate(Operand operand, Contraction over, long rows, int pieces) {
            long features = operand == Operand.INPUT ? math.shape.inputs() : math.shape.outputs();
            return message(math.device, DType.FP32, pieces, rows, features);
        }

        @Override
        public void pack(Queue queue, Operand operand, Contraction over, Tensor xMK, PackedOperand piece) {
            math.device.kernels().elementwise().copy(queue, xMK, rows(piece));
        }

        @Override
        public void forward(Queue queue, PackedOperand x, PreparedWeight weight, Tensor yTN) {
            math.forward(queue, rows(x), weight, yTN);
        }

        @Override
        public void inputGradient(Queue queue, PackedOperand dy, PreparedWeight weight, Tensor dxTK) {
            math.inputGradient(queue, rows(dy), weight, dxTK);
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, PackedOperand x, Tensor dwNK) {
            math.weightGradient(queue, dyTN, rows(x), dwNK);
        }

        @Override
        public void weightGradient(Queue queue, PackedOperand dy, Tensor xTK, Tensor dwNK) {
            math.weightGradient(queue, rows(dy), xTK, dwNK);
        }

        @Override
        public Optional<MultipliedOperand> multiplied(Queue queue, Contraction over, PackedOperand packed) {
            return Optional.of(MultipliedOperand.stored(rows(packed), over == Contraction.FEATURES));
        }
    }

    static class Messages implements MessageCoding {
        final Device device;

        Messages(Device device) {
            this.device = device;
        }

        @Override
        public PackedOperand allocate(long rows, long columns) {
            return message(device, DType.BF16, 1, rows, columns);
        }

        @Override
        public void pack(Queue queue, Tensor xMK, PackedOperand message) {
            device.kernels().elementwise().copy(queue, xMK, rows(message));
        }

        @Override
        public void unpack(Queue queue, PackedOperand message, Tensor xMK) {
            device.kernels().elementwise().copy(queue, rows(message), xMK);
        }
    }

    static PackedOperand message(Device device, DType type, int pieces, long rows, long columns) {
        return new PackedOperand(
                List.of(device.allocate(MemoryCategory.COMMUNICATION, Shape.of(pieces, rows, columns), type)));
    }

    /** The rows of all pieces, concatenated. */
    static Tensor rows(PackedOperand packed) {
        Tensor all = packed.tensors().getFirst();
        return all.reshape(all.shape().dim(0) * all.shape().dim(1), all.shape().dim(2));
    }
}
