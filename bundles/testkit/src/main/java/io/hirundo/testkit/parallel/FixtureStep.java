package io.hirundo.testkit.parallel;

import io.hirundo.mesh.Pending;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.parallel.FixtureBlocks.Pass;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongToDoubleFunction;

/**
 * The microbatches of a step on one rank, with the calls of the trainer in their order.
 *
 * @param halvesApart whether the weight half of each backward follows the input halves of all blocks
 * @param sumsOfOtherAxes what must end before a gradient is reduced
 */
record FixtureStep(
        DataFixture fixture, int step, boolean halvesApart, Function<Tensor, List<Pending>> sumsOfOtherAxes) {
    private static final int LAST = FixtureBlocks.ALL.size() - 1;

    void run(int microbatches) {
        var blocksLeft = new HashMap<String, Integer>();
        FixtureBlocks.ALL.stream()
                .flatMap(List::stream)
                .forEach(spec -> blocksLeft.merge(spec.name(), 1, Integer::sum));
        for (int microbatch = 0; microbatch < microbatches; microbatch++) {
            Map<String, Integer> left = microbatch == microbatches - 1 ? blocksLeft : null;
            forward(microbatch);
            if (halvesApart) {
                halves(microbatch, left);
            } else {
                backward(microbatch, left);
            }
        }
    }

    private void forward(int microbatch) {
        for (int block = 0; block <= LAST; block++) {
            before(block, Kind.FORWARD);
            if (block == LAST) {
                add(block, Pass.HEAD, microbatch);
            }
            after(block, Kind.FORWARD);
        }
    }

    private void backward(int microbatch, Map<String, Integer> blocksLeft) {
        for (int block = LAST; block >= 0; block--) {
            before(block, Kind.BACKWARD_INPUT);
            before(block, Kind.BACKWARD_WEIGHT);
            add(block, Pass.BACKWARD_INPUT, microbatch);
            add(block, Pass.BACKWARD_WEIGHT, microbatch);
            after(block, Kind.BACKWARD_INPUT);
            after(block, Kind.BACKWARD_WEIGHT);
            found(block, blocksLeft);
        }
    }

    private void halves(int microbatch, Map<String, Integer> blocksLeft) {
        for (int block = LAST; block >= 0; block--) {
            before(block, Kind.BACKWARD_INPUT);
            add(block, Pass.BACKWARD_INPUT, microbatch);
            after(block, Kind.BACKWARD_INPUT);
        }
        for (int block = LAST; block >= 0; block--) {
            before(block, Kind.BACKWARD_WEIGHT);
            add(block, Pass.BACKWARD_WEIGHT, microbatch);
            after(block, Kind.BACKWARD_WEIGHT);
            found(block, blocksLeft);
        }
    }

    private void before(int block, Kind kind) {
        fixture.parameters.before(fixture.queue(), block, kind);
    }

    private void after(int block, Kind kind) {
        fixture.parameters.after(fixture.queue(), block, kind);
    }

    private void add(int block, Pass pass, int microbatch) {
        for (ParameterSpec spec : FixtureBlocks.ALL.get(block)) {
            Tensor gradient = fixture.parameter(spec).gradient();
            if (fixture.hasValues()) {
                LongToDoubleFunction found =
                        FixtureBlocks.gradients(spec.name(), block, pass, fixture.world.rank(), step, microbatch);
                double[] before = fixture.bench.read(gradient);
                fixture.bench.write(gradient, i -> before[(int) i] + found.applyAsDouble(i));
            }
        }
    }

    /** {@code blocksLeft}: in the last microbatch the number of blocks whose gradients are still to come, by parameter; else null. */
    private void found(int block, Map<String, Integer> blocksLeft) {
        boolean always = fixture.parameters.reducesEveryMicrobatch();
        for (ParameterSpec spec : FixtureBlocks.ALL.get(block)) {
            boolean complete = blocksLeft != null && blocksLeft.merge(spec.name(), -1, Integer::sum) == 0;
            if (always || complete) {
                Parameter parameter = fixture.parameter(spec);
                fixture.parameters.gradientReady(
                        fixture.queue(), parameter, sumsOfOtherAxes.apply(parameter.gradient()));
                if (complete) {
                    fixture.parameters.gradientComplete(fixture.queue(), parameter);
                }
            }
        }
    }
}
