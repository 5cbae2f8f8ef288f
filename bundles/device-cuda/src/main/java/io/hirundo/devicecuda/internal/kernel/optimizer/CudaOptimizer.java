package io.hirundo.devicecuda.internal.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.launch.Workspace;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Kernels of {@code optimizer.cu}, which process several tensors in one launch. */
public record CudaOptimizer(Modules modules, Workspace workspace) implements OptimizerKernels {
    private static final String FILE = "optimizer";
    /** As many partial sums as fit into the workspace. */
    private static final TensorTable.Form SUMMED =
            new TensorTable.Form(1, 192, 1 << 15, Workspace.BYTES / Double.BYTES);

    private static final TensorTable.Form UPDATED = new TensorTable.Form(4, 88, 1 << 12, Integer.MAX_VALUE);
    private static final int WARP = 32;
    private static final int MAX_THREADS = 1024;

    @Override
    public void addSumOfSquares(Queue queue, Tensor x, Tensor sum1) {
        addSumOfSquares(queue, List.of(x), sum1);
    }

    @Override
    public void addSumOfSquares(Queue queue, List<Tensor> x, Tensor sum1) {
        CudaTensor sum = scalar("sum1", sum1);
        List<List<CudaTensor>> pieces = x.stream()
                .map(each -> CudaTensor.CHECK.floating("x", each))
                .flatMap(CudaOptimizer::pieces)
                .map(List::of)
                .toList();
        for (TensorTable table : TensorTable.of(SUMMED, pieces)) {
            workspace.use(queue, partial -> addSumOfSquares(queue, table, partial, sum));
        }
    }

    /** Pieces with no more partial sums than the workspace has room for. */
    private static Stream<CudaTensor> pieces(CudaTensor x) {
        long most = SUMMED.mostBlocks() * SUMMED.blockElements();
        if (x.elements() <= most) {
            return Stream.of(x);
        }
        return LongStream.iterate(0, first -> first < x.elements(), first -> first + most)
                .mapToObj(first ->
                        CudaTensor.CHECK.of("x", x.view(first, Shape.of(Math.min(most, x.elements() - first)))));
    }

    private void addSumOfSquares(Queue queue, TensorTable table, long partial, CudaTensor sum) {
        table.to(modules.launch(queue, FILE, "sum_of_squares" + CudaTensor.suffix(table.any())))
                .integer(partial)
                .run(table.blocks(), Grid.THREADS);
        table.to(modules.launch(queue, FILE, "add_partials").integer(partial))
                .tensor(sum)
                .run(1, MAX_THREADS);
    }

    @Override
    public void clipCoefficient(
            Queue queue, Tensor sumOfSquares1, double maximumNorm, Tensor norm1, Tensor coefficient1) {
        modules.launch(queue, FILE, "clip_coefficient")
                .tensor(scalar("sumOfSquares1", sumOfSquares1))
                .real(maximumNorm)
                .tensor(scalar("norm1", norm1))
                .tensor(scalar("coefficient1", coefficient1))
                .run(1, WARP);
    }

    @Override
    public void adamW(
            Queue queue,
            AdamWCoefficients coefficients,
            Tensor gradientCoefficient1,
            Tensor gradientN,
            Tensor parameterN,
            Tensor firstMomentN,
            Tensor secondMomentN) {
        var operands = new AdamWOperands(gradientN, parameterN, firstMomentN, secondMomentN);
        adamW(queue, coefficients, gradientCoefficient1, List.of(operands));
    }

    @Override
    public void adamW(
            Queue queue, AdamWCoefficients coefficients, Tensor gradientCoefficient1, List<AdamWOperands> operands) {
        CudaTensor coefficient = scalar("gradientCoefficient1", gradientCoefficient1);
        for (TensorTable table : TensorTable.of(
                UPDATED, operands.stream().map(CudaOptimizer::row).toList())) {
            table.to(modules.launch(queue, FILE, "adamw" + CudaTensor.suffix(table.any()))
                            .tensor(coefficient))
                    .real(coefficients.beta1())
                    .real(coefficients.beta2())
                    .real(coefficients.learningRate()
                            / (1 - Math.pow(coefficients.beta1(), (double) coefficients.step())))
                    .real(Math.sqrt(1 - Math.pow(coefficients.beta2(), (double) coefficients.step())))
                    .real(1 - coefficients.learningRate() * coefficients.weightDecay())
                    .real(coefficients.epsilon())
                    .run(table.blocks(), Grid.THREADS);
        }
    }

    private static List<CudaTensor> row(AdamWOperands operands) {
        CudaTensor parameter = CudaTensor.CHECK.floating("parameterN", operands.parameterN());
        long elements = parameter.elements();
        return List.of(
                CudaTensor.CHECK.vector("gradientN", operands.gradientN(), elements, parameter.dtype()),
                parameter,
                CudaTensor.CHECK.vector("firstMomentN", operands.firstMomentN(), elements, parameter.dtype()),
                CudaTensor.CHECK.vector("secondMomentN", operands.secondMomentN(), elements, parameter.dtype()));
    }

    private static CudaTensor scalar(String operand, Tensor tensor) {
        return CudaTensor.CHECK.vector(operand, tensor, 1, DType.FP64);
    }
}
