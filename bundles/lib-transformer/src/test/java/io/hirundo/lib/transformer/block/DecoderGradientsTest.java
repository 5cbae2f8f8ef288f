package io.hirundo.lib.transformer.block;

import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.ModelContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestFactory;

/** Decoders with every feature, and blocks with one defect each. */
class DecoderGradientsTest {
    /** C 6, F 5, H 2, G 1, D 4, V 7. */
    private static Decoder decoder(boolean tied, Decoder.Features features, Decoder.Style style, int layers) {
        var sizes = new Decoder.Sizes(7, 6, 5, layers, 8, 1e-5, tied, 0.02);
        Heads heads = new Heads(2, 1, 4);
        return new Decoder(sizes, heads, RotaryFrequencies.of(heads.dim(), 100), features, style);
    }

    interface OfDecoder extends ModelContract {
        @Override
        default List<LayerProvider<?, ?>> providers() {
            return PlainProviders.all();
        }
    }

    @Nested
    @HirundoContract
    class Plain implements OfDecoder {
        @Override
        public Architecture architecture() {
            return decoder(false, Decoder.Features.NONE, Decoder.Style.PLAIN, 1);
        }
    }

    @Nested
    @HirundoContract
    class WithAllFeatures implements OfDecoder {
        @Override
        public Architecture architecture() {
            var attention = List.of(
                    AttentionOptions.NONE.withSoftCap(2).withScale(0.4).withWindow(3),
                    AttentionOptions.NONE.withSoftCap(2));
            var style = new Decoder.Style(true, 1, GateActivation.GELU_TANH, 1.5, OptionalDouble.of(3), attention);
            return decoder(true, new Decoder.Features(true, true, true, true), style, 2);
        }
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(DecoderGradientsTest.class, ModelContract.class);
    }

    /** A decoder whose blocks are replaced. */
    abstract static class Mutant implements OfDecoder {
        @Override
        public Architecture architecture() {
            Decoder real = decoder(false, Decoder.Features.NONE, Decoder.Style.PLAIN, 1);
            return new Architecture() {
                @Override
                public ModelSpec describe() {
                    return real.describe();
                }

                @Override
                public Block build(BlockSpec block, LayerFactory layers) {
                    Block built = real.build(block, layers);
                    return block.index() == replaced() ? mutant(built) : built;
                }
            };
        }

        /** The index of the block that is replaced: the embedding is 0, the head 2. */
        int replaced() {
            return 1;
        }

        abstract Block mutant(Block real);
    }

    private static class Forwarding implements Block {
        final Block real;

        Forwarding(Block real) {
            this.real = real;
        }

        @Override
        public List<Parameter> parameters() {
            return real.parameters();
        }

        @Override
        public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
            return real.forward(context, xTC, saved);
        }

        @Override
        public Tensor logits(StepContext context, Tensor xTC) {
            return real.logits(context, xTC);
        }

        @Override
        public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
            return real.backwardInput(context, xTC, dyTC, saved);
        }

        @Override
        public void backwardWeight(StepContext context, Tensor xTC, Saved saved) {
            real.backwardWeight(context, xTC, saved);
        }
    }

    private static Tensor doubled(StepContext context, Tensor tensor) {
        context.device().kernels().elementwise().scale(context.queue(), tensor, 2);
        return tensor;
    }

    @Breaks("gradientsAreFiniteDifferences")
    @HirundoContract
    static class AddsTheResidualTwice extends Mutant {
        @Override
        Block mutant(Block real) {
            return new Forwarding(real) {
                @Override
                public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
                    return doubled(context, super.backwardInput(context, xTC, dyTC, saved));
                }
            };
        }
    }

    @Breaks("halvesAreTheBackward")
    @HirundoContract
    static class ComputesAnotherBackwardAtOnce extends Mutant {
        @Override
        Block mutant(Block real) {
            return new Forwarding(real) {
                @Override
                public Tensor backward(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
                    return doubled(context, super.backward(context, xTC, dyTC, saved));
                }
            };
        }
    }

    @Breaks("recomputationChangesNoBit")
    @HirundoContract
    static class RecomputesSomethingElse extends Mutant {
        @Override
        Block mutant(Block real) {
            return new Forwarding(real) {
                @Override
                public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
                    Tensor dxTC = super.backwardInput(context, xTC, dyTC, saved);
                    return context.recompute() == Recompute.SELECTIVE ? doubled(context, dxTC) : dxTC;
                }
            };
        }
    }

    @Breaks("fullRecomputationChangesNoBit")
    @HirundoContract
    static class SavesSomethingElseTheSecondTime extends Mutant {
        @Override
        Block mutant(Block real) {
            return new Forwarding(real) {
                @Override
                public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
                    if (context.recompute() != Recompute.FULL || saved == null) {
                        return super.forward(context, xTC, saved);
                    }
                    try (Tensor otherTC = context.allocate(xTC.shape())) {
                        context.device().kernels().elementwise().fill(context.queue(), otherTC, 1);
                        return super.forward(context, otherTC, saved);
                    }
                }
            };
        }
    }

    @Breaks("logitsHaveTheLoss")
    @HirundoContract
    static class DoublesLogits extends Mutant {
        @Override
        int replaced() {
            return 2;
        }

        @Override
        Block mutant(Block real) {
            return new Forwarding(real) {
                @Override
                public Tensor logits(StepContext context, Tensor xTC) {
                    return doubled(context, super.logits(context, xTC));
                }
            };
        }
    }

    /** Finite differences do not see a constant. */
    @Breaks("evaluationHasTheLossOfTraining")
    @HirundoContract
    static class AddsToTheLossOfEvaluation extends Mutant {
        @Override
        Block mutant(Block real) {
            return new Forwarding(real) {
                @Override
                public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
                    if (saved == null) {
                        try (Tensor one = context.device()
                                .allocate(
                                        MemoryCategory.WORKSPACE,
                                        context.lossSum().shape(),
                                        context.lossSum().dtype())) {
                            context.device().kernels().elementwise().fill(context.queue(), one, 1);
                            context.device().kernels().elementwise().add(context.queue(), one, context.lossSum());
                        }
                    }
                    return super.forward(context, xTC, saved);
                }
            };
        }
    }

    @Breaks("backwardReleasesActivations")
    @HirundoContract
    static class LeavesActivations extends Mutant {
        @Override
        Block mutant(Block real) {
            return new Forwarding(real) {
                @Override
                public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
                    if (saved != null) {
                        saved.put("forgotten", context.allocate(xTC.shape()));
                    }
                    return super.forward(context, xTC, saved);
                }
            };
        }
    }
}
