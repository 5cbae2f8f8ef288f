package io.hirundo.testkit.optimizer;

import io.hirundo.device.Device;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An optimizer bound to parameters on a bench. */
final class BoundOptimizer implements AutoCloseable {
    /** Elements of values and states: parameter, or state and parameter, to values by index in the complete parameter. */
    record Numbers(Map<String, Map<Long, Double>> byName) {
        /** Fails with the first element that differs. */
        void requireEqual(Numbers actual, String how) {
            if (!byName.keySet().equals(actual.byName.keySet())) {
                throw new AssertionError(
                        how + ": there are " + actual.byName.keySet() + ", expected " + byName.keySet());
            }
            byName.forEach((name, values) -> {
                Map<Long, Double> others = actual.byName.get(name);
                values.forEach((index, value) -> {
                    if (!value.equals(others.get(index))) {
                        throw new AssertionError(how + ": element " + index + " of " + name + " is " + others.get(index)
                                + ", expected " + value + ", bitwise");
                    }
                });
            });
        }

        /** Both, of parameters or runs that do not overlap. */
        Numbers and(Numbers other) {
            var all = new TreeMap<String, Map<Long, Double>>();
            List.of(this, other)
                    .forEach(one -> one.byName.forEach((name, values) ->
                            all.computeIfAbsent(name, none -> new TreeMap<>()).putAll(values)));
            return new Numbers(all);
        }
    }

    private final Bench bench;
    private final List<BenchParameter> parameters;
    private final OptimizerRun run;
    private final Tensor coefficient1;

    BoundOptimizer(Bench bench, Optimizer optimizer, List<BenchParameter> parameters) {
        this(bench, bench.device(), optimizer, parameters);
    }

    /** {@code device}: the bench's, or one with fewer kernels. */
    BoundOptimizer(Bench bench, Device device, Optimizer optimizer, List<BenchParameter> parameters) {
        this.bench = bench;
        this.parameters = parameters;
        coefficient1 = bench.tensor(DType.FP64, i -> 1, 1);
        run = optimizer.bind(device, List.copyOf(parameters));
    }

    List<State> state() {
        return run.state();
    }

    /** Steps with random gradients times a factor, which the coefficient takes back. */
    void steps(long first, long last, double learningRate, double factor) {
        bench.write(coefficient1, i -> 1 / factor);
        for (long step = first; step <= last; step++) {
            for (BenchParameter parameter : parameters) {
                parameter.fillGradient(step, factor);
            }
            update(step, learningRate);
        }
    }

    void steps(long first, long last, double learningRate) {
        steps(first, last, learningRate, 1);
    }

    /** One step with the gradients as they are. */
    void update(long step, double learningRate) {
        run.step(bench.queue(), step, learningRate, coefficient1);
        bench.queue().drain();
    }

    /** All values and states. */
    Numbers numbers() {
        var all = new TreeMap<String, Map<Long, Double>>();
        for (BenchParameter parameter : parameters) {
            put(all, parameter.spec().name(), parameter.firstElement(), parameter.values());
        }
        for (State state : run.state()) {
            String name = state.name() + " of " + state.parameter().spec().name();
            put(all, name, state.parameter().firstElement(), bench.read(state.tensor()));
        }
        return new Numbers(all);
    }

    private static void put(Map<String, Map<Long, Double>> all, String name, long first, double[] values) {
        Map<Long, Double> into = all.computeIfAbsent(name, none -> new TreeMap<>());
        for (int i = 0; i < values.length; i++) {
            into.put(first + i, values[i]);
        }
    }

    /** Writes what another one of the same parameters holds, as a resumed run does. */
    void restore(Numbers saved) {
        for (BenchParameter parameter : parameters) {
            write(parameter.value(), saved.byName().get(parameter.spec().name()), parameter.firstElement());
        }
        for (State state : run.state()) {
            Map<Long, Double> values = saved.byName()
                    .get(state.name() + " of " + state.parameter().spec().name());
            write(state.tensor(), values, state.parameter().firstElement());
        }
    }

    private void write(Tensor tensor, Map<Long, Double> values, long first) {
        bench.write(tensor, i -> values.get(first + i));
    }

    void requireFinite(String when) {
        numbers().byName().forEach((name, values) -> {
            if (!values.values().stream().allMatch(Double::isFinite)) {
                throw new AssertionError(when + ": " + name + " is not finite");
            }
        });
    }

    /** The gradients of all parameters, one after the other. */
    double[] gradients() {
        return parameters.stream()
                .map(BenchParameter::gradients)
                .flatMapToDouble(Arrays::stream)
                .toArray();
    }

    @Override
    public void close() {
        run.close();
    }
}
