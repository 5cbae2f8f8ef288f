package io.hirundo.devicemeta.internal.kernel.scaled;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** 8-bit matrices: a maximum and a product for each quantized element, {@code 2 M N K} operations for a GEMM. */
public record MetaBlockScaled(Work work) implements BlockScaledKernels {
    /** An 8-bit matrix with checked operands. */
    record Scaled(MetaTensor codes, MetaTensor inverseScales) {
        static Scaled of(String operand, ScaledMatrix matrix, long rows, long columns) {
            return new Scaled(
                    MetaTensor.CHECK.matrix(
                            operand + ".codesMK", matrix.codesMK(), rows, columns, DType.FP8_E4M3, DType.FP8_E5M2),
                    MetaTensor.CHECK.exactly(
                            operand + ".inverseScales",
                            matrix.inverseScales(),
                            matrix.block().scales(rows, columns),
                            DType.FP32));
        }
    }

    @Override
    public void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK) {
        MetaTensor x = MetaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        requireBlocks("rowsMK", rowsMK);
        book(
                queue,
                "blockScaled.quantize",
                x,
                Scaled.of("rowsMK", rowsMK, x.shape().rows(), x.shape().columns()));
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM) {
        MetaTensor x = MetaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        requireBlocks("columnsKM", columnsKM);
        Scaled result =
                Scaled.of("columnsKM", columnsKM, x.shape().columns(), x.shape().rows());
        book(queue, "blockScaled.quantizeTransposed", x, result);
    }

    /** One maximum and two products for each element, which is read once. */
    @Override
    public void quantizeBoth(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        MetaTensor x = MetaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        requireBlocks("rowsMK", rowsMK);
        requireBlocks("columnsKM", columnsKM);
        Scaled rows = Scaled.of("rowsMK", rowsMK, x.shape().rows(), x.shape().columns());
        Scaled columns =
                Scaled.of("columnsKM", columnsKM, x.shape().columns(), x.shape().rows());
        work.book(
                queue,
                "blockScaled.quantizeBoth",
                3 * x.elements(),
                x,
                rows.codes,
                rows.inverseScales,
                columns.codes,
                columns.inverseScales);
    }

    private static void requireBlocks(String operand, ScaledMatrix matrix) {
        if (matrix.block() == ScaleBlock.MATRIX) {
            throw new IllegalArgumentException(
                    operand + " has one scale for all; that is made of a magnitude, by MatrixScaledKernels");
        }
    }

    private void book(Queue queue, String kernel, MetaTensor x, Scaled result) {
        work.book(queue, kernel, 2 * x.elements(), x, result.codes, result.inverseScales);
    }

    @Override
    public void dequantize(Queue queue, ScaledMatrix rowsMK, Tensor xMK) {
        MetaTensor x = MetaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        requireBlocks("rowsMK", rowsMK);
        Scaled scaled = Scaled.of("rowsMK", rowsMK, x.shape().rows(), x.shape().columns());
        work.book(queue, "blockScaled.dequantize", x.elements(), x, scaled.codes, scaled.inverseScales);
    }

    @Override
    public void multiplyNT(Queue queue, ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN, boolean accumulate) {
        if (aMK.block() == ScaleBlock.SQUARE) {
            throw new IllegalArgumentException("aMK has scales for squares, needed are those for rows or one for all");
        }
        MetaTensor c = MetaTensor.CHECK.of("cMN", cMN, DType.FP32, DType.BF16);
        long m = c.shape().rows();
        long n = c.shape().columns();
        long k = MetaTensor.CHECK.of("aMK.codesMK", aMK.codesMK()).shape().columns();
        Scaled a = Scaled.of("aMK", aMK, m, k);
        Scaled b = Scaled.of("bNK", bNK, n, k);
        work.book(
                queue, "blockScaled.multiplyNT", 2 * m * n * k, a.codes, a.inverseScales, b.codes, b.inverseScales, c);
    }
}
