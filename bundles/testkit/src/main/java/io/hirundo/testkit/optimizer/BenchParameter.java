package io.hirundo.testkit.optimizer;

import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.Ownership;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.List;
import java.util.stream.Stream;

/**
 * A parameter, or a run of its elements, between other memory. Values and gradients are functions of the parameter's name and the
 * element's index in the complete parameter.
 */
final class BenchParameter implements Parameter {
    private static final int MARGIN = 16;
    private static final double OUTSIDE = -77;

    private final Bench bench;
    private final ParameterSpec spec;
    private final long firstElement;
    private final Tensor aroundValue;
    private final Tensor aroundGradient;
    private final Tensor value;
    private final Tensor gradient;

    private BenchParameter(Bench bench, DType dtype, ParameterSpec spec, long firstElement, Shape shape) {
        this.bench = bench;
        this.spec = spec;
        this.firstElement = firstElement;
        aroundValue = bench.tensor(dtype, i -> OUTSIDE, shape.elements() + 2 * MARGIN);
        aroundGradient = bench.tensor(Parameter.updateType(dtype), i -> OUTSIDE, shape.elements() + 2 * MARGIN);
        value = aroundValue.view(MARGIN, shape);
        gradient = aroundGradient.view(MARGIN, shape);
        bench.write(value, i -> random(0, firstElement + i));
        bench.write(gradient, i -> 0);
    }

    static BenchParameter whole(Bench bench, DType dtype, ParameterSpec spec) {
        return new BenchParameter(bench, dtype, spec, 0, spec.shape());
    }

    /** A run of elements: a vector regardless of the parameter's shape. */
    static BenchParameter run(Bench bench, DType dtype, ParameterSpec spec, long first, long count) {
        return new BenchParameter(bench, dtype, spec, first, Shape.of(count));
    }

    /** Matrices, one of them of two parts and one of whole blocks, and vectors; of odd sizes. */
    static List<ParameterSpec> specs() {
        return List.of(
                spec("model.embed_tokens.weight", Shape.of(11, 7)),
                new ParameterSpec(
                        "model.layers.0.self_attn.qk",
                        List.of(
                                ParameterPart.whole("model.layers.0.self_attn.q_proj.weight", Shape.of(4, 6)),
                                ParameterPart.whole("model.layers.0.self_attn.k_proj.weight", Shape.of(3, 6))),
                        Initialization.normal(1)),
                spec("model.layers.0.self_attn.q_proj.bias", Shape.of(13)),
                spec("model.layers.0.mlp.down_proj.weight", Shape.of(5, 33)),
                spec("model.layers.0.mlp.up_proj.weight", Shape.of(3, 512)),
                spec("model.norm.weight", Shape.of(7)));
    }

    private static ParameterSpec spec(String name, Shape shape) {
        return new ParameterSpec(name, List.of(ParameterPart.whole(name, shape)), Initialization.normal(1));
    }

    static List<BenchParameter> all(Bench bench, DType dtype) {
        return specs().stream().map(spec -> whole(bench, dtype, spec)).toList();
    }

    /** Every parameter as two runs, or as one if the optimizer needs all of it. */
    static List<BenchParameter> slices(Bench bench, DType dtype, Optimizer optimizer) {
        return specs().stream()
                .flatMap(spec -> {
                    long all = spec.shape().elements();
                    long cut = all / 3 + 1;
                    Ownership ownership = optimizer.ownership(spec);
                    if (ownership == Ownership.BLOCKS) {
                        cut -= cut % Ownership.BLOCK_ELEMENTS;
                    }
                    if (ownership == Ownership.TENSOR || cut == 0) {
                        return Stream.of(run(bench, dtype, spec, 0, all));
                    }
                    return Stream.of(run(bench, dtype, spec, 0, cut), run(bench, dtype, spec, cut, all - cut));
                })
                .toList();
    }

    /** Between -1 and 1, and never 0. */
    private double random(long step, long index) {
        long bits = (index * 1_000_003 + step * 7919 + spec.name().hashCode()) * 0x9E3779B97F4A7C15L;
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        return ((bits >>> 40 | 1) - 0x1p23) * 0x1p-23;
    }

    /** Sets the gradient of a step. */
    void fillGradient(long step, double factor) {
        bench.write(gradient, i -> factor * random(step, firstElement + i));
    }

    /** Sets the gradient to the distance from the lowest loss: half of the sum of squared distances. */
    void descendFromTarget() {
        double[] values = values();
        bench.write(gradient, i -> values[(int) i] - target(i));
    }

    double loss() {
        double[] values = values();
        double loss = 0;
        for (int i = 0; i < values.length; i++) {
            loss += (values[i] - target(i)) * (values[i] - target(i)) / 2;
        }
        return loss;
    }

    private double target(long i) {
        return random(-1, firstElement + i) / 2;
    }

    double[] values() {
        return bench.read(value);
    }

    double[] gradients() {
        return bench.read(gradient);
    }

    /** Fails if memory next to the value or the gradient was written to. */
    void requireMargins() {
        for (Tensor around : List.of(aroundValue, aroundGradient)) {
            double[] all = bench.read(around);
            for (int i = 0; i < MARGIN; i++) {
                if (all[i] != OUTSIDE || all[all.length - 1 - i] != OUTSIDE) {
                    throw new AssertionError("memory next to the " + (around == aroundValue ? "value" : "gradient")
                            + " of " + this + " was written to");
                }
            }
        }
    }

    @Override
    public ParameterSpec spec() {
        return spec;
    }

    @Override
    public long firstElement() {
        return firstElement;
    }

    @Override
    public Tensor value() {
        return value;
    }

    @Override
    public Tensor gradient() {
        return gradient;
    }

    @Override
    public String toString() {
        return spec.name() + (value.shape().equals(spec.shape()) ? "" : " from element " + firstElement);
    }
}
