package io.hirundo.trainer.internal.experts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.commlocal.internal.fabric.LocalFactory;
import io.hirundo.commlocal.internal.fabric.LocalOptions;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.model.Member;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.layer.LayerCase;
import io.hirundo.testkit.layer.LayerDrive;
import io.hirundo.testkit.mutant.Mutants;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What experts need of the API, with a toy: an axis, weights of some ranks, rows for other ranks, and a term of the loss. */
class ToyExpertsTest {
    @Nested
    @HirundoContract
    class Sound extends Experts {}

    /** Rows of one expert go to the rank of another. */
    @HirundoContract
    static class NumbersExpertsBackwards extends FewExperts {
        @Override
        ToyExperts spec() {
            return new ToyExperts() {
                @Override
                public Optional<Member> member(WeightSpec weight) {
                    return super.member(weight)
                            .map(member -> new Member(member.dim(), ToyExperts.EXPERTS - 1 - member.index()));
                }
            };
        }
    }

    /** A balance of a rank's tokens, which depends on the layout. */
    @HirundoContract
    static class BalancesTokensOfTheRank extends FewExperts {
        @Override
        void afterForward(StepContext context) {
            var elementwise = context.device().kernels().elementwise();
            elementwise.scale(
                    context.queue(),
                    context.lossSum(spec().balance()),
                    context.batch().sequences());
        }
    }

    @Test
    void contractFindsWrongExperts() {
        assertEquals(
                Set.of(
                        "splitOutputsAreThoseOfOneRank",
                        "splitInputGradientsAreThoseOfOneRank",
                        "splitGradientsAreThoseOfOneRank"),
                Mutants.failures(NumbersExpertsBackwards.class).keySet());
        assertEquals(
                Set.of("gradientsAreFiniteDifferences", "splitOutputsAreThoseOfOneRank"),
                Mutants.failures(BalancesTokensOfTheRank.class).keySet());
    }

    static class Experts implements LayerContract {
        ToyExperts spec() {
            return new ToyExperts();
        }

        void afterForward(StepContext context) {}

        @Override
        public LayerCase<?> layer() {
            return new LayerCase<>(spec(), new Drive(this));
        }

        @Override
        public List<LayerProvider<?, ?>> providers() {
            return List.of(new RunningExperts.Provider());
        }

        @Override
        public Fabric fabric() {
            return new LocalFactory().create(new LocalOptions());
        }

        @Override
        public List<Integer> expertRanks() {
            return List.of(2, 4);
        }

        @Override
        public int sequences() {
            return 8;
        }

        @Override
        public List<Integer> tensorRanks() {
            return List.of(2);
        }

        /** Not along the context axis, because the balance is of complete sequences. */
        @Override
        public Set<Axis> splits() {
            return EnumSet.of(Axis.TENSOR, Axis.DATA, Axis.EXPERT);
        }
    }

    /** On fewer ranks, for speed. */
    static class FewExperts extends Experts {
        @Override
        public List<Integer> expertRanks() {
            return List.of(2);
        }

        @Override
        public int sequences() {
            return 4;
        }
    }

    private record Drive(Experts of) implements LayerDrive<RunningExperts> {
        @Override
        public List<Tensor> forward(RunningExperts layer, StepContext context, List<Tensor> inputs) {
            try (var routed = layer.forward(context, inputs.getFirst())) {
                of.afterForward(context);
                return List.of(routed.output(context));
            }
        }

        @Override
        public Passed train(
                RunningExperts layer, StepContext context, List<Tensor> inputs, List<Tensor> outputGradients) {
            try (var routed = layer.forward(context, inputs.getFirst())) {
                of.afterForward(context);
                Tensor dxTC = layer.backward(context, outputGradients.getFirst(), inputs.getFirst(), routed);
                return new Passed(List.of(routed.output(context)), List.of(dxTC));
            }
        }
    }
}
