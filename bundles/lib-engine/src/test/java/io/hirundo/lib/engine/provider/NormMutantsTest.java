package io.hirundo.lib.engine.provider;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.lib.transformer.PlainNorm;
import io.hirundo.model.Activation;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.layer.LayerCase;
import io.hirundo.testkit.layer.LayerDrives;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Norms with one defect each in what only {@link LayerDrives#residualNorm} calls. */
class NormMutantsTest {
    private static final int HIDDEN = 4;

    @Test
    void contractFindsWrongResiduals() {
        for (Class<?> mutant : List.of(NormalizesTheDelta.class, KeepsNoSum.class, ForgetsTheResidual.class)) {
            Set<String> failures = Mutants.failures(mutant).keySet();
            assertTrue(
                    failures.contains("gradientsAreFiniteDifferences"),
                    mutant.getSimpleName() + " fails only " + failures);
        }
        assertTrue(
                Mutants.failures(ReappliesWithoutWeight.class).containsKey("evaluationComputesTheOutputsOfTraining"));
    }

    @HirundoContract
    static class NormalizesTheDelta extends Mutant {
        @Override
        NormLayer mutant(NormLayer real) {
            return new Forwarding(real) {
                @Override
                public Normalized addForward(StepContext context, Tensor xTC, Tensor deltaTC) {
                    return real.forward(context, deltaTC);
                }
            };
        }
    }

    @HirundoContract
    static class KeepsNoSum extends Mutant {
        @Override
        NormLayer mutant(NormLayer real) {
            return new Forwarding(real) {
                @Override
                public Normalized addForward(StepContext context, Tensor xTC, Tensor deltaTC) {
                    try (Tensor sumTC = context.allocate(deltaTC.shape())) {
                        elementwise(context).copy(context.queue(), deltaTC, sumTC);
                        return super.addForward(context, xTC, sumTC);
                    }
                }
            };
        }
    }

    @HirundoContract
    static class ForgetsTheResidual extends Mutant {
        @Override
        NormLayer mutant(NormLayer real) {
            return new Forwarding(real) {
                @Override
                public Tensor backwardInput(
                        StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor residualGradientTC) {
                    return super.backwardInput(context, dyTC, xTC, inverseRmsT, null);
                }
            };
        }
    }

    @HirundoContract
    static class ReappliesWithoutWeight extends Mutant {
        @Override
        NormLayer mutant(NormLayer real) {
            return new Forwarding(real) {
                @Override
                public Tensor reapply(StepContext context, Tensor xTC, Tensor inverseRmsT) {
                    Tensor yTC = super.reapply(context, xTC, inverseRmsT);
                    elementwise(context).scale(context.queue(), yTC, 2);
                    return yTC;
                }
            };
        }
    }

    private static ElementwiseKernels elementwise(StepContext context) {
        return context.device().kernels().elementwise();
    }

    private static class Forwarding implements NormLayer {
        final NormLayer real;

        Forwarding(NormLayer real) {
            this.real = real;
        }

        @Override
        public List<Parameter> parameters() {
            return real.parameters();
        }

        @Override
        public Normalized forward(StepContext context, Tensor xTC) {
            return real.forward(context, xTC);
        }

        @Override
        public Normalized addForward(StepContext context, Tensor xTC, Tensor deltaTC) {
            return real.addForward(context, xTC, deltaTC);
        }

        @Override
        public Tensor reapply(StepContext context, Tensor xTC, Tensor inverseRmsT) {
            return real.reapply(context, xTC, inverseRmsT);
        }

        @Override
        public Tensor backwardInput(
                StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor residualGradientTC) {
            return real.backwardInput(context, dyTC, xTC, inverseRmsT, residualGradientTC);
        }

        @Override
        public void backwardWeight(StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT) {
            real.backwardWeight(context, dyTC, xTC, inverseRmsT);
        }
    }

    private abstract static class Mutant implements LayerContract {
        abstract NormLayer mutant(NormLayer real);

        @Override
        public LayerCase<?> layer() {
            return new LayerCase<>(
                    new LayerSpec.Norm("norm.weight", Activation.residual(HIDDEN), 1e-5),
                    LayerDrives.residualNorm(HIDDEN));
        }

        @Override
        public List<Integer> tensorRanks() {
            return List.of(2);
        }

        @Override
        public List<LayerProvider<?, ?>> providers() {
            return List.of(new LayerProvider<NormLayer, LayerSpec.Norm>() {
                @Override
                public Class<LayerSpec.Norm> specType() {
                    return LayerSpec.Norm.class;
                }

                @Override
                public NormLayer create(LayerSpec.Norm spec, LayerScope scope) {
                    return mutant(new PlainNorm(scope.parameter(spec.weight()), spec.epsilon(), spec.weightOffset()));
                }
            });
        }
    }
}
