package io.hirundo.testkit.layer;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.World;
import io.hirundo.model.Activation;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.parallel.Sharding;
import io.hirundo.testkit.fixture.ElementIndices;
import io.hirundo.testkit.fixture.FixtureValues;
import io.hirundo.testkit.fixture.IdleFabric;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * What the ranks of a layout made, against one rank.
 *
 * @param alone of one rank
 * @param ranks in rank order
 */
record RankComparison(LayerSpec<?> spec, SplitLayout layout, RankPass alone, List<RankPass> ranks) {
    /** Ranks add in another order than one rank, in FP64. */
    private static final double TOLERANCE = 1e-11;

    void requireOutputs() {
        for (RankPass rank : ranks) {
            for (int i = 0; i < spec.outputs().size(); i++) {
                Activation output = spec.outputs().get(i);
                double[] expected =
                        rank.split().cut(output, alone.trained().outputs().get(i));
                requireClose(
                        "output " + i + " of rank " + rank.split().rank(),
                        expected,
                        rank.trained().outputs().get(i));
            }
        }
    }

    /** Each rank of the tensor axis has the loss of its tokens. A term of the loss counts once along axes that do not split its rows. */
    void requireLoss() {
        requireSum("the loss", Set.of(Axis.TENSOR), LayerFixture.Pass::loss);
        spec.lossTerms().forEach((term, on) -> {
            Set<Axis> once = layout.axes();
            on.rows().forEach(dim -> once.removeAll(layout.sharding().axes(dim)));
            requireSum(
                    "the loss term " + term.name(), once, pass -> pass.terms().get(term));
        });
    }

    void requireLossOfLogits() {
        for (RankPass rank : ranks) {
            requireClose(
                    "the loss of logits of rank " + rank.split().rank(),
                    new double[] {rank.evaluated().loss()},
                    new double[] {rank.lossOfLogits().orElseThrow()});
        }
    }

    /** {@code once}: axes along which each rank has the same value. */
    private void requireSum(String what, Set<Axis> once, ToDoubleFunction<LayerFixture.Pass> value) {
        double sum = 0;
        for (RankPass rank : ranks) {
            double own = value.applyAsDouble(rank.trained());
            sum += isFirst(rank, once) ? own : 0;
            double first = value.applyAsDouble(ranks.get(firstRank(rank, once)).trained());
            requireClose(what + " of rank " + rank.split().rank(), new double[] {first}, new double[] {own});
        }
        requireClose(what + " of all ranks", new double[] {value.applyAsDouble(alone.trained())}, new double[] {sum});
    }

    /** Complete on each rank, except those of shared key/value heads, which are sums over the holders of a head. */
    void requireInputGradients() {
        for (int i = 0; i < spec.inputs().size(); i++) {
            Activation input = spec.inputs().get(i);
            double[] expected = alone.trained().inputGradients().get(i);
            int width = (int) input.channels();
            var shared = new double[expected.length];
            var isShared = new boolean[expected.length];
            for (RankPass rank : ranks) {
                double[] values = rank.trained().inputGradients().get(i);
                int at = 0;
                for (int row : rank.split().rows(input)) {
                    for (int column : rank.split().columns(input)) {
                        int index = row * width + column;
                        if (rank.split().sharesGradient(input, column)) {
                            isShared[index] = true;
                            shared[index] += values[at];
                        } else {
                            requireClose(
                                    "element (" + row + ", " + column + ") of the gradient of input " + i + " on rank "
                                            + rank.split().rank(),
                                    new double[] {expected[index]},
                                    new double[] {values[at]});
                        }
                        at++;
                    }
                }
            }
            for (int index = 0; index < expected.length; index++) {
                if (isShared[index]) {
                    requireClose(
                            "element " + index + " of the gradient of input " + i
                                    + ", summed over the holders of its head",
                            new double[] {expected[index]},
                            new double[] {shared[index]});
                }
            }
        }
    }

    /** Reduced as {@link Sharding#placement} derives, on the ranks that have the weight. */
    void requireGradients() {
        for (RankPass.Gradient complete : alone.gradients()) {
            String path = complete.part().path();
            WeightSpec weight = weight(path);
            Sharding.Placement placement = layout.sharding().placement(spec, weight);
            var sum = new double[complete.values().length];
            for (RankPass rank : ranks) {
                Optional<RankPass.Gradient> own = ofWeight(rank, path);
                if (own.isPresent() != holds(rank, weight)) {
                    throw new AssertionError(layout + ": rank " + rank.split().rank()
                            + (own.isPresent() ? " has the weight " : " has no weight ") + path
                            + (own.isPresent() ? ", which belongs to another rank" : ""));
                }
                own.ifPresent(gradient -> add(rank, gradient, placement.replicated(), sum));
            }
            requireClose("the gradient of " + path + ", summed along " + placement.partial(), complete.values(), sum);
        }
    }

    private void add(RankPass rank, RankPass.Gradient own, Set<Axis> replicated, double[] sum) {
        if (isFirst(rank, replicated)) {
            long[] indices = ElementIndices.of(own.part());
            for (int i = 0; i < indices.length; i++) {
                sum[(int) indices[i]] += own.values()[i];
            }
        } else {
            String path = own.part().path();
            RankPass first = ranks.get(firstRank(rank, replicated));
            requireClose(
                    "the gradient of " + path + ", which is replicated along " + replicated + ", on rank "
                            + rank.split().rank(),
                    ofWeight(first, path).orElseThrow().values(),
                    own.values());
        }
    }

    private WeightSpec weight(String path) {
        return spec.weights().stream()
                .filter(weight -> weight.path().equals(path))
                .findFirst()
                .orElseThrow(() ->
                        new AssertionError("the layer has the weight " + path + ", which its spec does not declare"));
    }

    private static Optional<RankPass.Gradient> ofWeight(RankPass rank, String path) {
        return rank.gradients().stream()
                .filter(gradient -> gradient.part().path().equals(path))
                .findFirst();
    }

    private boolean holds(RankPass rank, WeightSpec weight) {
        World place = new IdleFabric().connect(rank.split().rank(), layout.mesh(), null);
        return spec.member(weight)
                .map(member -> layout.sharding().holds(member, place::along))
                .orElse(true);
    }

    private boolean isFirst(RankPass rank, Set<Axis> axes) {
        return axes.stream().allMatch(axis -> coordinate(rank, axis) == 0);
    }

    /** The rank at the begin of these axes. */
    private int firstRank(RankPass rank, Set<Axis> axes) {
        return layout.mesh().ranksAlong(rank.split().rank(), axes).getFirst();
    }

    private int coordinate(RankPass rank, Axis axis) {
        return layout.mesh().coordinate(rank.split().rank(), axis);
    }

    private void requireClose(String what, double[] expected, double[] actual) {
        FixtureValues.requireClose(layout + ": " + what, expected, actual, TOLERANCE);
    }
}
