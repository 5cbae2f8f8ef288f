package io.hirundo.regress.internal;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Set;

/**
 * A precision with a fault in one layer: its weight gradient is too large by a factor, or it allocates unnecessary memory. For steps of one
 * microbatch.
 *
 * @param precision the correct precision
 * @param layer layer with the fault
 * @param factor 1 for none
 * @param bytes 0 for none
 */
record ScaledGradient(PrecisionStrategy precision, String layer, double factor, long bytes)
        implements StrategyFactory<NoOptions, PrecisionStrategy> {
    @Override
    public Class<NoOptions> optionsType() {
        return NoOptions.class;
    }

    @Override
    public Class<PrecisionStrategy> contract() {
        return PrecisionStrategy.class;
    }

    @Override
    public PrecisionStrategy create(NoOptions options) {
        return new PrecisionStrategy() {
            @Override
            public DType parameterType() {
                return precision.parameterType();
            }

            @Override
            public DType activationType() {
                return precision.activationType();
            }

            @Override
            public Set<DType> operandTypes() {
                return precision.operandTypes();
            }

            @Override
            public Support supports(DeviceInfo device, LinearShape shape) {
                return precision.supports(device, shape);
            }

            @Override
            public LinearMath bind(Device device, LinearShape shape) {
                LinearMath math = precision.bind(device, shape);
                return shape.name().equals(layer) ? new Faulty(math, device, factor, tensor(device)) : math;
            }
        };
    }

    private Tensor tensor(Device device) {
        return bytes == 0 ? null : device.allocate(MemoryCategory.WORKSPACE, Shape.of(bytes / Float.BYTES), DType.FP32);
    }

    private record Faulty(LinearMath math, Device device, double factor, Tensor superfluous) implements LinearMath {
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
            if (factor != 1) {
                device.kernels().elementwise().scale(queue, dwNK, factor);
            }
        }

        @Override
        public void close() {
            math.close();
            if (superfluous != null) {
                superfluous.close();
            }
        }
    }
}
