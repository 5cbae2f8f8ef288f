package io.hirundo.testkit.precision;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.function.LongToDoubleFunction;

/** A layer with some outputs of a larger one. Operands are those of the full layer, restricted to these outputs. */
final class SplitPart implements AutoCloseable {
    static final int TOKENS = 5;

    private final Bench bench;
    private final PrecisionStrategy strategy;
    private final int first;
    private final int count;
    private final int inputs;
    private final Tensor w;
    private final LinearMath math;
    private PreparedWeight prepared;

    /** {@code weight}: of the full layer, row-major. */
    SplitPart(
            Bench bench,
            PrecisionStrategy strategy,
            LinearShape part,
            int first,
            double[] weight,
            WeightSharers sharers) {
        this.bench = bench;
        this.strategy = strategy;
        this.first = first;
        this.count = Math.toIntExact(part.outputs());
        this.inputs = Math.toIntExact(part.inputs());
        this.w = bench.tensor(strategy.parameterType(), i -> weight[(int) (first * (long) inputs + i)], count, inputs);
        this.math = strategy.bind(bench.device(), part, sharers);
    }

    /** Prepares the weight again, reusing the memory. */
    void prepare() {
        prepared = math.prepare(bench.queue(), w, prepared);
    }

    double[] y() {
        Tensor y = activations(i -> Double.NaN, count);
        math.forward(bench.queue(), x(), prepared, y);
        return bench.read(y);
    }

    /** {@code dx} if the loss depends on some outputs only; indices count outputs of the full layer. */
    double[] dx(int from, int to) {
        Tensor dx = activations(i -> Double.NaN, inputs);
        math.inputGradient(bench.queue(), dy(from, to), prepared, dx);
        return bench.read(dx);
    }

    void weightGradient() {
        Tensor dw = bench.tensor(Parameter.updateType(strategy.parameterType()), i -> 0, count, inputs);
        math.weightGradient(bench.queue(), dy(first, first + count), x(), dw);
    }

    private Tensor x() {
        return activations(i -> Math.cos(1.3 * i), inputs);
    }

    /** All values have one magnitude, so that every dtype represents it, whichever outputs are scaled together. */
    private Tensor dy(int from, int to) {
        return activations(
                i -> {
                    long token = i / count;
                    long output = first + i % count;
                    return output < from || output >= to ? 0 : Math.copySign(1, Math.cos(1.3 * token + 2.1 * output));
                },
                count);
    }

    private Tensor activations(LongToDoubleFunction value, int columns) {
        return bench.tensor(strategy.activationType(), value, TOKENS, columns);
    }

    @Override
    public void close() {
        if (prepared != null) {
            prepared.close();
        }
        math.close();
    }
}
