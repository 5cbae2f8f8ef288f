package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.parallel.DataFixture.Run;
import java.util.Map;
import java.util.Set;

/** Gradients from layers to the optimizer. */
public interface GradientClauses extends DataParallelOffer {
    @Clause(
            value = "Gradients of owned elements are sums over all ranks, in every step",
            remedy =
                    "gradientReady() and finishGradients(): a sum and no mean; with replicas, over the ranks of all shard groups")
    default void gradientsAreSummedOverRanks() {
        DataRanks.each(this, fixture -> {
            fixture.parameters.allocateGradients();
            for (int step = 0; step < 2; step++) {
                fixture.update(step);
                fixture.accumulate(step, 1, false);
                requireSums(fixture, step, 1, 1);
            }
        });
    }

    @Clause(
            value = "Gradients of microbatches accumulate, and each microbatch counts once",
            remedy =
                    "reducesEveryMicrobatch(): if true, gradientReady() comes after each microbatch, and finishGradients() once")
    default void microbatchesAccumulate() {
        DataRanks.each(this, fixture -> {
            fixture.parameters.allocateGradients();
            for (int step = 0; step < 2; step++) {
                fixture.update(step);
                fixture.accumulate(step, 3, false);
                requireSums(fixture, step, 3, 1);
            }
        });
    }

    @Clause(
            value = "The halves of a block's backward may be apart, as in zero-bubble schedules",
            remedy = "after() of the input half: gradients stay in memory until gradientReady()")
    default void halvesOfTheBackwardMayBeApart() {
        DataRanks.each(this, fixture -> {
            fixture.parameters.allocateGradients();
            fixture.update(0);
            fixture.accumulate(0, 1, true);
            requireSums(fixture, 0, 1, 1);
        });
    }

    @Clause(
            value =
                    "Blocks whose weights only the forward reads have gradients in their backward, and updated weights in the next forward",
            remedy =
                    "readInForwardOnly(): before() of their backward may leave weights ungathered; gradients must be available, and after() must expect it")
    default void forwardOnlyBlocksHaveGradients() {
        DataRanks.each(this, fixture -> {
            fixture.parameters.allocateGradients();
            fixture.parameters.readInForwardOnly(Set.of(0, 1));
            for (int step = 0; step < 3; step++) {
                fixture.update(step);
                fixture.accumulate(step, 2, step == 1);
                requireSums(fixture, step, 2, 1);
                fixture.requireForward(step, Map.of());
            }
        });
    }

    /** {@code factor}: how often each gradient counts. */
    private void requireSums(DataFixture fixture, int step, int microbatches, double factor) {
        double allowed = tolerance();
        assertTrue(allowed <= 0.02, () -> "tolerance() is " + allowed + " (allowed: 0.02 at most)");
        Map<String, FixtureBlocks.Sums> sums = FixtureBlocks.sums(fixture.ranks(), step, microbatches);
        for (Run run : fixture.ownedGradients()) {
            FixtureBlocks.Sums of = sums.get(run.spec().name());
            for (int i = 0; i < run.values().length; i++) {
                int element = (int) run.firstElement() + i;
                double expected = factor * of.values()[element];
                double error = Math.abs(run.values()[i] - expected);
                if (!(error <= allowed * factor * of.magnitudes()[element])) {
                    throw new AssertionError("gradient " + element + " of "
                            + run.spec().name() + " is " + run.values()[i] + " after step " + step + " of "
                            + microbatches + " microbatches, expected " + expected);
                }
            }
        }
    }

    @Clause(
            value =
                    "Layers add to gradients of the dtype that gradientType() names, and optimizers read those of Parameter.updateType()",
            remedy = "gradientType() of the strategy, and the tensors of parameters() and owned()")
    default void gradientsHaveTheDeclaredType() {
        DataRanks.each(this, fixture -> {
            fixture.parameters.allocateGradients();
            fixture.update(0);
            fixture.parameters.zeroGradients(fixture.queue());
            DType declared = strategy().gradientType(weightType(), fixture.ranks());
            for (int block = 0; block < FixtureBlocks.ALL.size(); block++) {
                fixture.parameters.before(fixture.queue(), block, Kind.BACKWARD_INPUT);
                for (ParameterSpec spec : FixtureBlocks.ALL.get(block)) {
                    Tensor gradient = fixture.parameter(spec).gradient();
                    assertEquals(declared, gradient.dtype(), () -> "dtype of the gradient of " + spec.name());
                    assertEquals(spec.shape(), gradient.shape(), () -> "shape of the gradient of " + spec.name());
                }
                fixture.parameters.after(fixture.queue(), block, Kind.BACKWARD_INPUT);
            }
            fixture.accumulate(0, 1, false);
            for (Parameter run : fixture.parameters.owned()) {
                assertEquals(
                        Parameter.updateType(weightType()),
                        run.gradient().dtype(),
                        () -> "dtype of the owned gradient of " + run.spec().name());
                assertEquals(
                        run.value().shape(),
                        run.gradient().shape(),
                        () -> "shape of the owned gradient of " + run.spec().name());
            }
        });
    }

    @Clause(
            value = "A gradient is reduced only after the sums over other axes that gradientReady() names have ended",
            remedy = "gradientReady(): its queue awaits every Pending before the reduction of the gradient begins")
    default void sumsOfOtherAxesEndFirst() {
        DataRanks.each(this, fixture -> {
            fixture.parameters.allocateGradients();
            fixture.update(0);
            fixture.withDoubledGradients();
            fixture.accumulate(0, 1, false);
            requireSums(fixture, 0, 1, 2);
        });
    }

    @Clause(
            value =
                    "Gradients that were released between steps begin at zero in the next step, in as much memory as before",
            remedy =
                    "releaseGradients() and zeroGradients(): memory that is allocated again is undefined until it is filled")
    default void releasedGradientsReturnZeroed() {
        DataRanks.each(this, fixture -> {
            fixture.parameters.allocateGradients();
            fixture.update(0);
            fixture.accumulate(0, 1, false);
            long before = fixture.bench.books().live(MemoryCategory.GRADIENTS);
            for (int step = 1; step < 3; step++) {
                fixture.parameters.releaseGradients();
                fixture.update(step);
                fixture.accumulate(step, 1, false);
                requireSums(fixture, step, 1, 1);
                assertEquals(
                        before,
                        fixture.bench.books().live(MemoryCategory.GRADIENTS),
                        "bytes of gradients after a step");
            }
        });
    }
}
