package io.hirundo.trainer.internal.audit;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightSharers;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.precision.ForwardingMath;
import io.hirundo.trainer.internal.strategy.ForwardingPrecision;

/** {@code fp32} with one wrong element in each tile that a fault selects. */
final class BrokenTiles implements StrategyFactory<NoOptions, PrecisionStrategy> {
    /** Edge length in small GEMMs ({@link ProductPlan#tile}), which tests use. */
    static final int TILE = 16;

    /** Factor of a wrong element: flips a bit in the upper half of the mantissa. */
    private static final double FACTOR = 1 + 0x1p-6;

    /** Selects the wrong tiles; called for every GEMM. */
    @FunctionalInterface
    interface Fault {
        boolean reaches(String layer, LinearProduct product, long tileRow, long tileColumn);
    }

    private final PrecisionStrategy exact = new Fp32Factory().create(new NoOptions());
    private final Fault fault;

    BrokenTiles(Fault fault) {
        this.fault = fault;
    }

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
        return new ForwardingPrecision(exact) {
            @Override
            public PrecisionStrategy forModel(ModelSpec model) {
                return this;
            }

            @Override
            public LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
                return new Broken(super.bind(device, shape, sharers), device, shape.name());
            }
        };
    }

    private final class Broken extends ForwardingMath {
        private final Device device;
        private final String layer;

        Broken(LinearMath math, Device device, String layer) {
            super(math);
            this.device = device;
            this.layer = layer;
        }

        private void spoil(Queue queue, LinearProduct product, Tensor result) {
            long rows = result.shape().rows();
            long columns = result.shape().dim(-1);
            for (long row = 0; row < rows; row += TILE) {
                for (long column = 0; column < columns; column += TILE) {
                    if (fault.reaches(layer, product, row / TILE, column / TILE)) {
                        device.kernels()
                                .elementwise()
                                .scale(queue, result.view(row * columns + column, Shape.of(1)), FACTOR);
                    }
                }
            }
        }

        @Override
        public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
            super.forward(queue, xTK, weight, yTN);
            spoil(queue, LinearProduct.OUTPUT, yTN);
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
            super.inputGradient(queue, dyTN, weight, dxTK);
            spoil(queue, LinearProduct.INPUT_GRADIENT, dxTK);
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
            super.weightGradient(queue, dyTN, xTK, dwNK);
            spoil(queue, LinearProduct.WEIGHT_GRADIENT, dwNK);
        }
    }
}
