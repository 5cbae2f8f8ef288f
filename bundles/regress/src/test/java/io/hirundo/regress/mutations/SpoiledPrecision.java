package io.hirundo.regress.mutations;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.strategy.ForwardingPrecision;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.ParityBound;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightSharers;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.precision.ForwardingMath;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * A precision with a fault in one layer.
 *
 * @param sound the correct precision
 * @param spoil the fault
 * @param stale whether the layer keeps its first prepared weight
 */
record SpoiledPrecision(PrecisionStrategy sound, Spoil spoil, boolean stale)
        implements StrategyFactory<NoOptions, PrecisionStrategy> {
    static final String LAYER = "model.layers.1.self_attn.o_proj.weight";

    @Override
    public PrecisionStrategy create(NoOptions options) {
        return new ForwardingPrecision(sound) {
            @Override
            public PrecisionStrategy forModel(ModelSpec model) {
                return this;
            }

            /** No own bounds: checks must detect the fault by its effect. */
            @Override
            public ParityBound parity() {
                return ParityBound.NONE;
            }

            @Override
            public LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
                LinearMath math = super.bind(device, shape, sharers);
                return shape.name().equals(LAYER) ? new Spoiled(device, math, spoil, stale) : math;
            }
        };
    }

    private static final class Spoiled extends ForwardingMath {
        private final Device device;
        private final LinearMath math;
        private final Spoil spoil;
        private final boolean stale;
        private final Map<LinearProduct, Long> calls = new EnumMap<>(LinearProduct.class);
        private Tensor weightNK;

        Spoiled(Device device, LinearMath math, Spoil spoil, boolean stale) {
            super(math);
            this.device = device;
            this.math = math;
            this.spoil = spoil;
            this.stale = stale;
        }

        private void gemm(LinearProduct kind, Queue queue, Tensor left, Tensor right, Tensor result, Runnable sound) {
            boolean isRehearsal = left.shape().rows() < Experiment.TOKENS;
            long call = isRehearsal ? 0 : calls.merge(kind, 1L, Long::sum);
            spoil.gemm(new Spoil.Gemm(device, math, kind, queue, left, right, result, call, sound));
        }

        /** The master weights, which the spoiled GEMMs multiply. */
        @Override
        public Optional<DType> weightType() {
            return Optional.empty();
        }

        @Override
        public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
            weightNK = wNK;
            return stale && reuse != null ? reuse : math.prepare(queue, wNK, reuse);
        }

        @Override
        public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
            gemm(LinearProduct.OUTPUT, queue, xTK, weightNK, yTN, () -> math.forward(queue, xTK, weight, yTN));
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
            gemm(
                    LinearProduct.INPUT_GRADIENT,
                    queue,
                    dyTN,
                    weightNK,
                    dxTK,
                    () -> math.inputGradient(queue, dyTN, weight, dxTK));
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
            gemm(
                    LinearProduct.WEIGHT_GRADIENT,
                    queue,
                    dyTN,
                    xTK,
                    dwNK,
                    () -> math.weightGradient(queue, dyTN, xTK, dwNK));
        }
    }
}
