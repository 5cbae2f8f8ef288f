package io.hirundo.testkit.precision;

import io.hirundo.device.Device;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Guarded;
import io.hirundo.testkit.bench.Matrices;
import io.hirundo.testkit.bench.Normals;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;

/** One linear layer of a precision strategy on a bench, with the same operands each time. */
final class LinearFixture implements AutoCloseable {
    private final Bench bench;
    private final PrecisionStrategy strategy;
    private final LinearShape shape;
    private final int outputs;
    private final int inputs;
    private final double tolerance;
    final LinearMath math;
    private PreparedWeight prepared;

    /** A fixture that compares its GEMMs with the expected values. */
    static LinearFixture checked(Bench bench, PrecisionOffer contract, LinearShape shape) {
        return new LinearFixture(
                bench, bench.device(), contract, shape, Math.min(contract.tolerance(), PrecisionOffer.MAX_TOLERANCE));
    }

    /** A fixture that does not check its GEMMs. */
    static LinearFixture unchecked(Bench bench, PrecisionOffer contract, LinearShape shape) {
        return unchecked(bench, bench.device(), contract, shape);
    }

    /** The same on the bench's device, or on one with fewer kernels. */
    static LinearFixture unchecked(Bench bench, Device device, PrecisionOffer contract, LinearShape shape) {
        return new LinearFixture(bench, device, contract, shape, Double.POSITIVE_INFINITY);
    }

    private LinearFixture(Bench bench, Device device, PrecisionOffer contract, LinearShape shape, double tolerance) {
        this.bench = bench;
        this.strategy = contract.strategy();
        this.shape = shape;
        this.outputs = Math.toIntExact(shape.outputs());
        this.inputs = Math.toIntExact(shape.inputs());
        this.tolerance = tolerance;
        this.math = strategy.bind(device, shape);
    }

    /** An operand as the GEMM multiplies it; those that it does not multiply may be null. */
    MultipliedOperand multiplied(LinearProduct product, Operand operand, Tensor x, Tensor dy, Tensor w) {
        return operand == Operand.WEIGHT
                ? math.multiplied(product, prepared).orElse(MultipliedOperand.stored(w, product.contractsLast(operand)))
                : math.multiplied(bench.queue(), product, operand, operand == Operand.INPUT ? x : dy);
    }

    /** Prepares another weight for every seed, reusing the memory of the previous one. */
    Guarded prepare(int seed) {
        Guarded w = operand("w", strategy.parameterType(), seed, outputs, inputs);
        prepared = math.prepare(bench.queue(), w.tensor(), prepared);
        bench.queue().drain();
        return w;
    }

    PreparedWeight prepared() {
        return prepared;
    }

    /** {@code y}, whose memory held NaN before. */
    double[] forward(Guarded w, int tokens) {
        Guarded x = input(tokens);
        Guarded y = empty("y", tokens, outputs);
        math.forward(bench.queue(), x.tensor(), prepared, y.tensor());
        double[] result = y.result();
        unchanged(w, x);
        close(
                "y = x w^T",
                () -> Matrices.product(
                        null,
                        x.values(),
                        Matrices.rowMajor(inputs),
                        w.values(),
                        Matrices.transposed(inputs),
                        tokens,
                        inputs,
                        outputs),
                result,
                outputs,
                tokens);
        return result;
    }

    double[] inputGradient(Guarded w, int tokens) {
        Guarded dy = outputGradient(tokens);
        Guarded dx = empty("dx", tokens, inputs);
        math.inputGradient(bench.queue(), dy.tensor(), prepared, dx.tensor());
        double[] result = dx.result();
        unchanged(w, dy);
        close(
                "dx = dy w",
                () -> Matrices.product(
                        null,
                        dy.values(),
                        Matrices.rowMajor(outputs),
                        w.values(),
                        Matrices.rowMajor(inputs),
                        tokens,
                        outputs,
                        inputs),
                result,
                inputs,
                tokens);
        return result;
    }

    /** Accumulates two microbatches onto existing values. */
    double[] weightGradient(int tokens) {
        Guarded x = input(tokens);
        Guarded dy = outputGradient(tokens);
        Guarded dw = operand("dw", Parameter.updateType(strategy.parameterType()), 9, outputs, inputs);
        double[] before = dw.values();
        for (String times : List.of("once", "twice")) {
            double[] start = before;
            math.weightGradient(bench.queue(), dy.tensor(), x.tensor(), dw.tensor());
            before = dw.result();
            unchanged(x, dy);
            close(
                    "dw after dw += dy^T x was called " + times,
                    () -> Matrices.product(
                            start,
                            dy.values(),
                            Matrices.transposed(outputs),
                            x.values(),
                            Matrices.rowMajor(inputs),
                            outputs,
                            tokens,
                            inputs),
                    before,
                    inputs,
                    tokens);
        }
        return before;
    }

    /** Both gradients of two microbatches, together or one by one: each dx, read before and after dw is computed, and dw of both. */
    double[] gradients(int tokens, boolean atOnce) {
        Guarded x = input(tokens);
        Guarded dy = outputGradient(tokens);
        Guarded dw = operand("dw", Parameter.updateType(strategy.parameterType()), 9, outputs, inputs);
        var found = new ArrayList<double[]>();
        for (int microbatch = 0; microbatch < 2; microbatch++) {
            Guarded dx = empty("dx", tokens, inputs);
            if (atOnce) {
                try (GradientPair gradients = math.gradients(bench.queue(), dy.tensor(), prepared, dw.tensor())) {
                    gradients.input(dx.tensor());
                    found.add(dx.result());
                    gradients.weight(x.tensor());
                }
            } else {
                math.inputGradient(bench.queue(), dy.tensor(), prepared, dx.tensor());
                found.add(dx.result());
                math.weightGradient(bench.queue(), dy.tensor(), x.tensor(), dw.tensor());
            }
            found.add(dx.result());
        }
        unchanged(x, dy);
        found.add(dw.result());
        return found.stream().flatMapToDouble(Arrays::stream).toArray();
    }

    /** Begins both gradients, and computes neither. */
    void abandonGradients(int tokens) {
        Guarded dw = operand("dw", Parameter.updateType(strategy.parameterType()), 9, outputs, inputs);
        math.gradients(bench.queue(), outputGradient(tokens).tensor(), prepared, dw.tensor())
                .close();
        unchanged(dw);
    }

    /** A step with another weight for every seed: both gradients. */
    double[] step(int seed, int tokens) {
        Guarded w = prepare(seed);
        double[] ofInput = inputGradient(w, tokens);
        double[] ofWeight = weightGradient(tokens);
        math.memory().ifPresent(memory -> memory.endStep(bench.queue()));
        return DoubleStream.concat(Arrays.stream(ofInput), Arrays.stream(ofWeight))
                .toArray();
    }

    Guarded input(int tokens) {
        return operand("x", strategy.activationType(), 2, tokens, inputs);
    }

    Guarded outputGradient(int tokens) {
        return operand("dy", strategy.activationType(), 3, tokens, outputs);
    }

    Guarded output(int tokens) {
        return empty("y", tokens, outputs);
    }

    private Guarded empty(String name, int rows, int columns) {
        return Guarded.of(bench, name, strategy.activationType(), i -> Double.NaN, rows, columns);
    }

    private Guarded operand(String name, DType dtype, int seed, int rows, int columns) {
        return Guarded.of(bench, name, dtype, Normals.of(seed), rows, columns);
    }

    private static void unchanged(Guarded... operands) {
        List.of(operands).forEach(Guarded::requireUntouched);
    }

    private void close(String what, Supplier<double[]> expected, double[] actual, int columns, int tokens) {
        if (tolerance < Double.POSITIVE_INFINITY) {
            String where = what + " with " + tokens + " tokens, " + outputs + " outputs, " + inputs + " inputs";
            Matrices.requireClose(where, expected.get(), actual, columns, tolerance);
        }
    }

    @Override
    public void close() {
        if (prepared != null) {
            prepared.close();
        }
        math.close();
    }
}
