package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.gpusuite.internal.kernels.KernelCases.Size;
import io.hirundo.kernel.GateActivation;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Kernels on rows of channels: norm, gated MLP, embedding. */
final class RowCases {
    private static final double EPSILON = 1e-5;

    private RowCases() {}

    /**
     * Dtypes of activations and parameters.
     *
     * @param statistics dtype of the norm's statistics
     */
    private record Types(DType x, DType weight, DType statistics) {
        double tolerance() {
            return x == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32;
        }
    }

    static void add(List<KernelCase> cases, Size size) {
        for (Types types : List.of(
                new Types(DType.FP32, DType.FP32, DType.FP32),
                new Types(DType.BF16, DType.BF16, DType.FP32),
                new Types(DType.BF16, DType.FP32, DType.FP32),
                new Types(DType.FP64, DType.FP64, DType.FP64))) {
            String of = " " + types.x + "/" + types.weight + " " + size;
            norm(cases, of, types, size.rows(), size.columns());
            bias(cases, of, types, size.rows(), size.columns());
            embedding(cases, of, types, size.rows() * 20, size.columns());
            gatedMlp(cases, of, types, size.rows(), size.columns());
        }
    }

    private static void norm(List<KernelCase> cases, String of, Types types, int rows, int columns) {
        cases.add(new KernelCase("norm.forward, reapply" + of, types.tolerance(), (tensors, kernels) -> {
            Tensor x = tensors.random(types.x, 1, rows, columns);
            Tensor weight = tensors.random(types.weight, 2, columns);
            Tensor r = tensors.empty(types.statistics, rows);
            Tensor y = tensors.empty(types.x, rows, columns);
            Tensor again = tensors.empty(types.x, rows, columns);
            kernels.norm().forward(tensors.queue(), x, weight, EPSILON, y, r);
            kernels.norm().reapply(tensors.queue(), x, weight, r, again);
            return List.of(y, r, again);
        }));
        cases.add(new KernelCase("norm.addForward" + of, types.tolerance(), (tensors, kernels) -> {
            Tensor x = tensors.random(types.x, 1, rows, columns);
            Tensor delta = tensors.random(types.x, 2, rows, columns);
            Tensor weight = tensors.random(types.weight, 3, columns);
            Tensor r = tensors.empty(types.statistics, rows);
            Tensor y = tensors.empty(types.x, rows, columns);
            kernels.norm().addForward(tensors.queue(), x, delta, weight, EPSILON, x, y, r);
            return List.of(x, y, r);
        }));
        cases.add(new KernelCase("norm.backward" + of, types.tolerance(), (tensors, kernels) -> {
            Tensor x = tensors.random(types.x, 1, rows, columns);
            Tensor dy = tensors.random(types.x, 2, rows, columns);
            Tensor weight = tensors.random(types.weight, 3, columns);
            Tensor r = tensors.tensor(types.statistics, i -> 0.5 + i % 3, rows);
            Tensor residual = tensors.random(types.x, 4, rows, columns);
            Tensor dx = tensors.empty(types.x, rows, columns);
            Tensor dw = tensors.random(types.weight, 5, columns);
            kernels.norm().backwardInput(tensors.queue(), dy, x, weight, r, null, dx);
            kernels.norm().backwardInput(tensors.queue(), dy, x, weight, r, residual, residual);
            kernels.norm().backwardWeight(tensors.queue(), dy, x, r, dw);
            return List.of(dx, residual, dw);
        }));
    }

    /** Columns that begin at an odd place; the others keep their values. */
    private static void bias(List<KernelCase> cases, String of, Types types, int rows, int columns) {
        cases.add(new KernelCase("bias" + of, types.tolerance(), (tensors, kernels) -> {
            Tensor bias = tensors.random(types.weight, 1, columns);
            Tensor x = tensors.random(types.x, 2, rows, columns + 3L);
            Tensor dy = tensors.random(types.x, 3, rows, columns + 3L);
            Tensor gradient = tensors.random(types.weight, 4, columns);
            kernels.bias().orElseThrow().add(tensors.queue(), bias, x, 1);
            kernels.bias().orElseThrow().addColumnSums(tensors.queue(), dy, 2, gradient);
            return List.of(x, gradient);
        }));
    }

    /** Repeated tokens, and tokens outside of the table. */
    private static void embedding(List<KernelCase> cases, String of, Types types, int tokenCount, int channels) {
        int vocabulary = 19;
        int firstToken = 5;
        cases.add(new KernelCase("embedding" + of, types.tolerance(), (tensors, kernels) -> {
            Tensor tokens = tensors.tensor(DType.INT32, i -> (i * i + 3 * i) % 31, tokenCount);
            Tensor table = tensors.random(types.weight, 1, vocabulary, channels);
            Tensor y = tensors.empty(types.x, tokenCount, channels);
            Tensor dy = tensors.random(types.x, 2, tokenCount, channels);
            // Small integers, because with a BF16 table only one side rounds the sum after each term.
            Tensor exact = tensors.tensor(types.x, i -> i % 3 - 1, tokenCount, channels);
            Tensor dTable = tensors.tensor(types.weight, i -> i % 5, vocabulary, channels);
            kernels.embedding().forward(tensors.queue(), tokens, firstToken, table, y);
            kernels.embedding()
                    .backward(tensors.queue(), types.weight == DType.BF16 ? exact : dy, tokens, firstToken, dTable);
            return List.of(y, dTable);
        }));
    }

    private static void gatedMlp(List<KernelCase> cases, String of, Types types, int rows, int columns) {
        if (types.weight != types.x) {
            return;
        }
        for (GateActivation activation : GateActivation.values()) {
            cases.add(new KernelCase("gatedMlp " + activation + of, types.tolerance(), (tensors, kernels) -> {
                Tensor gateUp = tensors.random(types.x, 1, rows, 2L * columns);
                Tensor dy = tensors.random(types.x, 2, rows, columns);
                Tensor y = tensors.empty(types.x, rows, columns);
                kernels.gatedMlp().forward(tensors.queue(), activation, gateUp, y);
                kernels.gatedMlp().backward(tensors.queue(), activation, dy, gateUp, gateUp);
                return List.of(y, gateUp);
            }));
        }
    }
}
