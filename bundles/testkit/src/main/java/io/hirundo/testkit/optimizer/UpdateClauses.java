package io.hirundo.testkit.optimizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import java.util.List;

/** What a step does to weights. */
public interface UpdateClauses extends OptimizerOffer {
    @Clause(
            value = "Ranks that own runs of a parameter's elements compute the bits of a rank that owns it completely",
            remedy =
                    "what depends on the shape of a tensor instead of parameter.spec(), or on other elements; ownership() if it must")
    default void slicesUpdateAsTheWhole(Bench bench) {
        try (var whole = new BoundOptimizer(bench, optimizer(), BenchParameter.all(bench, weightType()));
                var sliced = new BoundOptimizer(
                        bench, optimizer(), BenchParameter.slices(bench, weightType(), optimizer()))) {
            whole.steps(1, 4, learningRate());
            sliced.steps(1, 4, learningRate());
            whole.numbers().requireEqual(sliced.numbers(), "runs of elements after 4 steps");
        }
    }

    @Clause(
            value = "Ranks that each own some parameters compute the bits of a single rank",
            remedy = "what couples parameters, such as a norm over all of them: a rank sees its own alone")
    default void ownersUpdateAsOneRank(Bench bench) {
        List<BenchParameter> all = BenchParameter.all(bench, weightType());
        List<BenchParameter> shared = BenchParameter.all(bench, weightType());
        try (Bench other = Bench.open(backend());
                var single = new BoundOptimizer(bench, optimizer(), all);
                var first = new BoundOptimizer(bench, optimizer(), List.of(shared.get(3), shared.get(0)));
                var second = new BoundOptimizer(
                        other,
                        optimizer(),
                        BenchParameter.all(other, weightType()).subList(1, 3));
                var third = new BoundOptimizer(bench, optimizer(), shared.subList(4, 6));
                var none = new BoundOptimizer(bench, optimizer(), List.of())) {
            for (BoundOptimizer each : List.of(single, first, second, third, none)) {
                each.steps(1, 4, learningRate());
            }
            var together = first.numbers().and(second.numbers()).and(third.numbers());
            single.numbers().requireEqual(together, "parameters of several ranks after 4 steps");
        }
    }

    @Clause(
            value =
                    "Weight decay applies to matrices: without gradients vectors (norm weights, biases) keep their bits, and matrices never grow",
            remedy = "ParameterSpec.isMatrix() decides, not the shape of the tensor")
    default void onlyMatricesDecay(Bench bench) {
        List<BenchParameter> parameters = BenchParameter.all(bench, weightType());
        List<double[]> before = parameters.stream().map(BenchParameter::values).toList();
        try (var bound = new BoundOptimizer(bench, optimizer(), parameters)) {
            for (int step = 1; step <= 3; step++) {
                bound.update(step, learningRate());
            }
        }
        for (int p = 0; p < parameters.size(); p++) {
            double[] after = parameters.get(p).values();
            for (int i = 0; i < after.length; i++) {
                double old = before.get(p)[i];
                boolean allowed = parameters.get(p).spec().isMatrix()
                        ? after[i] * old >= 0 && Math.abs(after[i]) <= Math.abs(old)
                        : after[i] == old;
                String what = "element " + i + " of " + parameters.get(p) + " was " + old + " and is " + after[i]
                        + " after 3 steps without gradients";
                assertTrue(allowed, what);
            }
        }
    }

    @Clause(
            value = "The coefficient on the device multiplies the gradients wherever they are read",
            remedy = "gradientCoefficient1 in every use of a gradient: the update and each state")
    default void coefficientScalesGradients(Bench bench) {
        try (var plain = new BoundOptimizer(bench, optimizer(), BenchParameter.all(bench, weightType()));
                var scaled = new BoundOptimizer(bench, optimizer(), BenchParameter.all(bench, weightType()))) {
            plain.steps(1, 3, learningRate(), 1);
            scaled.steps(1, 1, learningRate(), 4);
            scaled.steps(2, 2, learningRate(), 0.5);
            scaled.steps(3, 3, learningRate(), 1024);
            // Powers of two are exact.
            plain.numbers()
                    .requireEqual(scaled.numbers(), "gradients times 4, 0.5 and 1024 with the inverse coefficient");
        }
    }

    @Clause(
            value = "Zero gradients, also in the first step, leave weights and state finite",
            remedy = "divisions by a norm or a root of the gradient: add a small number")
    default void zeroGradientsStayFinite(Bench bench) {
        try (var bound = new BoundOptimizer(bench, optimizer(), BenchParameter.all(bench, weightType()))) {
            bound.update(1, learningRate());
            bound.requireFinite("after a first step without gradients");
            bound.steps(2, 3, learningRate());
            bound.steps(4, 4, learningRate(), 0x1p-30);
            bound.requireFinite("after steps with gradients");
        }
    }

    @Clause(
            value = "Gradients are read only, and memory next to weights and gradients is not written to",
            remedy = "in-place operations on parameter.gradient(); sizes of views and of the last block")
    default void writesWeightsAlone(Bench bench) {
        List<BenchParameter> parameters = BenchParameter.all(bench, weightType());
        try (var bound = new BoundOptimizer(bench, optimizer(), parameters)) {
            bound.steps(1, 1, learningRate());
            double[] before = bound.gradients();
            bound.update(2, learningRate());
            assertArrayEquals(before, bound.gradients(), "the gradients were written to");
        }
        parameters.forEach(BenchParameter::requireMargins);
    }

    @Clause(
            value = "A step with learning rate 0, as at the begin of a warm-up, changes no weight",
            remedy = "parts of the update that the learning rate does not multiply, such as weight decay")
    default void learningRateZeroChangesNoWeight(Bench bench) {
        List<BenchParameter> parameters = BenchParameter.all(bench, weightType());
        try (var bound = new BoundOptimizer(bench, optimizer(), parameters)) {
            bound.steps(1, 1, learningRate());
            List<double[]> before =
                    parameters.stream().map(BenchParameter::values).toList();
            bound.steps(2, 2, 0);
            for (int p = 0; p < parameters.size(); p++) {
                assertArrayEquals(
                        before.get(p),
                        parameters.get(p).values(),
                        parameters.get(p).toString());
            }
        }
    }

    @Clause(
            value = "60 steps halve a well-conditioned loss",
            remedy = "the sign of the update, or learningRate() of the test")
    default void lossFalls(Bench bench) {
        List<BenchParameter> parameters = BenchParameter.all(bench, weightType());
        double before = loss(parameters);
        try (var bound = new BoundOptimizer(bench, optimizer(), parameters)) {
            for (int step = 1; step <= 60; step++) {
                parameters.forEach(BenchParameter::descendFromTarget);
                bound.update(step, learningRate());
            }
        }
        double after = loss(parameters);
        assertTrue(after < before / 2, () -> "the loss was " + before + " and is " + after);
    }

    private static double loss(List<BenchParameter> parameters) {
        return parameters.stream().mapToDouble(BenchParameter::loss).sum();
    }
}
