package io.hirundo.fp8pertensor.internal;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;

/**
 * How far the three products of one linear layer are from those in FP32 of the same operands, by strategy. Errors are those of a
 * typical row, so that rows with outliers do not hide the others: the median over the rows of what came out of the norm of the
 * difference by the norm of the exact row; of a weight gradient, over the input channels.
 */
final class LayerErrors implements AutoCloseable {
    private static final int OUTPUTS_LOOKED_AT = 1024;

    /** Of the products of a strategy. */
    record Errors(double output, double inputGradient, double weightGradient) {}

    private final Bench bench;
    private final LinearShape shape;
    private final Tensor wNK;
    private final Tensor xTK;
    private final Tensor dyTN;
    private final double[][] exact;

    /**
     * Normally distributed weights and gradients.
     *
     * @param x an element of the input, by its index
     */
    LayerErrors(int workers, int outputs, int inputs, int tokens, LongToDoubleFunction x) {
        this.bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(workers, CpuOptions.VECTOR)));
        this.shape = new LinearShape("layers.0.mlp.up", outputs, inputs);
        this.wNK = bench.tensor(DType.FP32, normal(1, 0.02), outputs, inputs);
        this.xTK = bench.tensor(DType.BF16, x, tokens, inputs);
        this.dyTN = bench.tensor(DType.BF16, normal(3, 1e-3), tokens, outputs);
        this.exact = products(new Fp32Factory().create(new NoOptions()), null);
    }

    /** The same for the same index. */
    static LongToDoubleFunction normal(long seed, double deviation) {
        return i -> deviation * new SplittableRandom(seed * 0x9e3779b97f4a7c15L + i).nextGaussian();
    }

    /** Normal, but one in 1,024 channels of one in 64 tokens is larger by a factor. */
    static LongToDoubleFunction massive(int inputs, double factor) {
        var normal = normal(2, 1);
        return i -> normal.applyAsDouble(i) * (i / inputs % 64 == 5 && i % inputs % 1024 == 17 ? factor : 1);
    }

    /** {@code earlier} inputs that the strategy has seen two steps of before; null for none. */
    Errors of(PrecisionStrategy strategy, LongToDoubleFunction earlier) {
        double[][] found = products(strategy, earlier);
        return new Errors(
                median(exact[0], found[0], (int) shape.outputs(), false),
                median(exact[1], found[1], (int) shape.inputs(), false),
                median(exact[2], found[2], (int) shape.inputs(), true));
    }

    private double[][] products(PrecisionStrategy strategy, LongToDoubleFunction earlier) {
        DType type = strategy.activationType();
        var elementwise = bench.device().kernels().elementwise();
        var device = bench.device();
        var queue = bench.queue();
        try (LinearMath math = strategy.bind(device, shape);
                Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, xTK.shape(), type);
                Tensor dy = device.allocate(MemoryCategory.ACTIVATIONS, dyTN.shape(), type);
                Tensor y = device.allocate(MemoryCategory.ACTIVATIONS, dyTN.shape(), type);
                Tensor dx = device.allocate(MemoryCategory.ACTIVATIONS, xTK.shape(), type);
                Tensor dw = device.allocate(MemoryCategory.GRADIENTS, wNK.shape(), DType.FP32)) {
            elementwise.copy(queue, dyTN, dy);
            var weight = math.prepare(queue, wNK, null);
            for (int step = 0; earlier != null && step < 2; step++) {
                bench.write(x, earlier);
                math.weightGradient(queue, dy, x, dw);
                math.memory().ifPresent(memory -> memory.endStep(queue));
                weight = math.prepare(queue, wNK, weight);
            }
            elementwise.copy(queue, xTK, x);
            elementwise.fill(queue, dw, 0);
            math.forward(queue, x, weight, y);
            math.inputGradient(queue, dy, weight, dx);
            math.weightGradient(queue, dy, x, dw);
            weight.close();
            return new double[][] {
                bench.read(y), bench.read(dx), bench.read(dw.rows(0, Math.min(OUTPUTS_LOOKED_AT, shape.outputs())))
            };
        }
    }

    /** Over rows, or over columns. */
    private static double median(double[] exact, double[] found, int columns, boolean ofColumns) {
        int rows = exact.length / columns;
        double[] differences = new double[ofColumns ? columns : rows];
        double[] norms = new double[differences.length];
        for (int i = 0; i < exact.length; i++) {
            int at = ofColumns ? i % columns : i / columns;
            differences[at] += (found[i] - exact[i]) * (found[i] - exact[i]);
            norms[at] += exact[i] * exact[i];
        }
        for (int i = 0; i < norms.length; i++) {
            differences[i] = Math.sqrt(differences[i] / norms[i]);
        }
        Arrays.sort(differences);
        return differences[differences.length / 2];
    }

    @Override
    public void close() {
        bench.close();
    }
}
