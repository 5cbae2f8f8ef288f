package io.hirundo.testkit.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.model.layer.Recompute;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fixture.FiniteDifferences;
import java.util.Map;
import java.util.Set;

/** What an architecture's blocks compute on one rank. */
public interface ModelClauses extends ModelOffer {
    /** Of each weight, whose gradient is checked. */
    int ELEMENTS = 8;

    @Clause(
            value =
                    "Gradients of all weights are those of finite differences in FP64, within 1e-6 of the largest one or of 1",
            remedy = "backwardInput() and backwardWeight() of the blocks, from the last one to the first")
    default void gradientsAreFiniteDifferences(Bench bench) {
        try (var fixture = new ModelFixture(this, bench, Recompute.NONE)) {
            Map<String, double[]> gradients = fixture.train(true);
            for (Parameter parameter : fixture.parameters()) {
                String name = parameter.spec().name();
                FiniteDifferences.check(
                        fixture, "the gradient of " + name, parameter.value(), gradients.get(name), ELEMENTS);
            }
        }
    }

    @Clause(
            value = "backward() computes the bits of backwardInput() and then backwardWeight()",
            remedy = "Block.backward(): zero-bubble schedules run the halves, others both at once")
    default void halvesAreTheBackward(Bench bench) {
        try (var fixture = new ModelFixture(this, bench, Recompute.NONE)) {
            requireEqual("in halves", fixture.train(false), fixture.train(true));
        }
    }

    @Clause(
            value = "Selective recomputation computes the bits of saved activations",
            remedy = "what blocks recompute where context.recompute() is SELECTIVE")
    default void recomputationChangesNoBit(Bench bench) {
        requireSameBits(bench, Recompute.SELECTIVE);
    }

    @Clause(
            value =
                    "Full recomputation, a forward that saves nothing and a second one that does, computes the bits of saved activations",
            remedy = "state that a forward leaves in a block; what blocks do where saved is null")
    default void fullRecomputationChangesNoBit(Bench bench) {
        requireSameBits(bench, Recompute.FULL);
    }

    private void requireSameBits(Bench bench, Recompute recompute) {
        Map<String, double[]> gradients;
        try (var fixture = new ModelFixture(this, bench, Recompute.NONE)) {
            gradients = fixture.train(true);
        }
        try (var fixture = new ModelFixture(this, bench, recompute)) {
            requireEqual("with recompute " + recompute, gradients, fixture.train(true));
        }
    }

    @Clause(
            value = "The last block's logits have the loss that it adds",
            remedy = "Block.logits() of the head: a norm, a scale or a soft cap")
    default void logitsHaveTheLoss(Bench bench) {
        try (var fixture = new ModelFixture(this, bench, Recompute.NONE)) {
            fixture.train(true);
            assertEquals(fixture.loss(), fixture.lossOfLogits(), 1e-12 * Math.abs(fixture.loss()), "loss of logits");
        }
    }

    private static void requireEqual(String how, Map<String, double[]> expected, Map<String, double[]> actual) {
        expected.forEach((name, gradient) ->
                assertArrayEquals(gradient, actual.get(name), "the gradient of " + name + " " + how));
    }

    @Clause(
            value = "A forward that saves nothing has the loss of one that saves activations",
            remedy = "what blocks do where saved is null, as in evaluation")
    default void evaluationHasTheLossOfTraining(Bench bench) {
        try (var fixture = new ModelFixture(this, bench, Recompute.NONE)) {
            double evaluated = fixture.evaluate();
            fixture.train(true);
            assertEquals(fixture.loss(), evaluated, 1e-12 * Math.abs(evaluated), "loss");
        }
    }

    @Clause(
            value = "A backward empties saved, and forward and backward release all other activations",
            remedy =
                    "Saved.drop() after the last use; close what is neither saved nor returned, because plans count on it")
    default void backwardReleasesActivations(Bench bench) {
        for (Recompute recompute : Recompute.values()) {
            try (var fixture = new ModelFixture(this, bench, recompute)) {
                fixture.evaluate();
                var before = bench.heldByOthers();
                fixture.evaluate();
                fixture.train(true);
                fixture.train(false);
                assertEquals(before, bench.heldByOthers(), "bytes that stay allocated with recompute " + recompute);
                assertEquals(
                        Set.of(),
                        fixture.leftInSaved(),
                        "names in saved after backwardWeight with recompute " + recompute);
            }
        }
    }
}
