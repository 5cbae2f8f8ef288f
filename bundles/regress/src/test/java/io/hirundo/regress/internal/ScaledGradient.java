package io.hirundo.regress.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.strategy.ForwardingPrecision;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.WeightSharers;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.precision.ForwardingMath;

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
    public PrecisionStrategy create(NoOptions options) {
        return new ForwardingPrecision(precision) {
            @Override
            public PrecisionStrategy forModel(ModelSpec model) {
                return this;
            }

            @Override
            public LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
                LinearMath math = super.bind(device, shape, sharers);
                return shape.name().equals(layer) ? new Faulty(math, device, factor, tensor(device)) : math;
            }
        };
    }

    private Tensor tensor(Device device) {
        return bytes == 0 ? null : device.allocate(MemoryCategory.WORKSPACE, Shape.of(bytes / Float.BYTES), DType.FP32);
    }

    private static final class Faulty extends ForwardingMath {
        private final Device device;
        private final double factor;
        private final Tensor superfluous;

        Faulty(LinearMath math, Device device, double factor, Tensor superfluous) {
            super(math);
            this.device = device;
            this.factor = factor;
            this.superfluous = superfluous;
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
            super.weightGradient(queue, dyTN, xTK, dwNK);
            if (factor != 1) {
                device.kernels().elementwise().scale(queue, dwNK, factor);
            }
        }

        @Override
        public void close() {
            super.close();
            if (superfluous != null) {
                superfluous.close();
            }
        }
    }
}
