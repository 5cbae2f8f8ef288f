package io.hirundo.devicecuda.internal.kernel.gemm;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.CublasLtGemms;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * Kernels of {@code quantize.cu}, with one block per 128 x 128 elements; FP8 GEMMs by cuBLASLt, the own tensor-core kernels, or the naive
 * kernel with one thread per element.
 *
 * @param cublasLt cuBLASLt; empty if it is not available
 */
public record CudaBlockScaled(Modules modules, Optional<CublasLtGemms> cublasLt, WarpgroupGemms warpgroups)
        implements BlockScaledKernels {
    private static final String FILE = "quantize";
    private static final long TILE = ScaleBlock.EXTENT;

    /** Requirements of Hopper's FP8 GEMMs on extents. */
    private static final int RESULT_STEP = 8;

    private static final int INNER_STEP = 16;

    @Override
    public void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK) {
        CudaTensor x = CudaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        quantize(
                queue,
                x,
                "",
                rule,
                Scaled.of("rowsMK", rowsMK, x.shape().rows(), x.shape().columns()));
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM) {
        CudaTensor x = CudaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        quantize(
                queue,
                x,
                "_transposed",
                rule,
                Scaled.of("columnsKM", columnsKM, x.shape().columns(), x.shape().rows()));
    }

    /** One launch if both results have the same dtype and block layout. */
    @Override
    public void quantizeBoth(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        CudaTensor x = CudaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        long rows = x.shape().rows();
        long columns = x.shape().columns();
        Scaled straight = Scaled.of("rowsMK", rowsMK, rows, columns);
        Scaled transposed = Scaled.of("columnsKM", columnsKM, columns, rows);
        if (straight.block != transposed.block || straight.codes.dtype() != transposed.codes.dtype()) {
            BlockScaledKernels.super.quantizeBoth(queue, xMK, rule, rowsMK, columnsKM);
            return;
        }
        modules.launch(
                        queue,
                        FILE,
                        "quantize_both" + straight.blockName() + CudaTensor.suffix(x)
                                + CudaTensor.suffix(straight.codes))
                .tensor(x)
                .integer(rows)
                .integer(columns)
                .flag(rule == ScaleRule.EXACT)
                .tensor(straight.codes)
                .tensor(straight.inverseScales)
                .tensor(transposed.codes)
                .tensor(transposed.inverseScales)
                .run(Math.ceilDiv(columns, TILE), Math.ceilDiv(rows, TILE), Grid.THREADS);
    }

    private void quantize(Queue queue, CudaTensor x, String transposed, ScaleRule rule, Scaled result) {
        long rows = x.shape().rows();
        long columns = x.shape().columns();
        modules.launch(
                        queue,
                        FILE,
                        "quantize" + result.blockName() + transposed + CudaTensor.suffix(x)
                                + CudaTensor.suffix(result.codes))
                .tensor(x)
                .integer(rows)
                .integer(columns)
                .flag(rule == ScaleRule.EXACT)
                .tensor(result.codes)
                .tensor(result.inverseScales)
                .run(Math.ceilDiv(columns, TILE), Math.ceilDiv(rows, TILE), Grid.THREADS);
    }

    @Override
    public void dequantize(Queue queue, ScaledMatrix rowsMK, Tensor xMK) {
        CudaTensor x = CudaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        Scaled scaled = Scaled.of("rowsMK", rowsMK, x.shape().rows(), x.shape().columns());
        modules.launch(
                        queue,
                        FILE,
                        "dequantize" + scaled.blockName() + CudaTensor.suffix(scaled.codes) + CudaTensor.suffix(x))
                .tensor(scaled.codes)
                .tensor(scaled.inverseScales)
                .tensor(x)
                .integer(x.shape().rows())
                .integer(x.shape().columns())
                .run(Grid.of(x.elements()), Grid.THREADS);
    }

    @Override
    public void multiplyNT(Queue queue, ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN, boolean accumulate) {
        if (aMK.block() != ScaleBlock.ROW) {
            throw new IllegalArgumentException(
                    "aMK has scales for " + aMK.block() + ", needed are those for " + ScaleBlock.ROW);
        }
        CudaTensor c = CudaTensor.CHECK.of("cMN", cMN, DType.FP32, DType.BF16);
        long m = c.shape().rows();
        long n = c.shape().columns();
        long k = CudaTensor.CHECK.of("aMK.codesMK", aMK.codesMK()).shape().columns();
        Scaled a = Scaled.of("aMK", aMK, m, k);
        Scaled b = Scaled.of("bNK", bNK, n, k);
        if (c.elements() > 0 && k > 0 && cublasLt.isPresent() && byLibrary(queue, a, b, c, k, accumulate)) {
            return;
        }
        if (c.elements() > 0
                && k > 0
                && warpgroups.multiplyE4m3(
                        queue, a.codes, a.inverseScales, b.codes, b.inverseScales, b.block, c, accumulate)) {
            return;
        }
        modules.launch(
                        queue,
                        FILE,
                        "multiply" + b.blockName() + CudaTensor.suffix(a.codes) + CudaTensor.suffix(b.codes)
                                + CudaTensor.suffix(c))
                .tensor(a.codes)
                .tensor(a.inverseScales)
                .tensor(b.codes)
                .tensor(b.inverseScales)
                .tensor(c)
                .integer(m)
                .integer(n)
                .integer(k)
                .flag(accumulate)
                .run(Grid.of(c.elements()), Grid.THREADS);
    }

    private boolean byLibrary(Queue queue, Scaled a, Scaled b, CudaTensor c, long k, boolean accumulate) {
        CublasLtGemms library = cublasLt.orElseThrow();
        if (!library.hasBlockScales()) {
            return false;
        }
        if (a.codes.dtype() != DType.FP8_E4M3 || b.codes.dtype() != DType.FP8_E4M3) {
            library.own(a.codes.dtype() + " and " + b.codes.dtype());
            return false;
        }
        if (c.shape().rows() % RESULT_STEP != 0 || c.shape().columns() % RESULT_STEP != 0 || k % INNER_STEP != 0) {
            library.own("8-bit matrices with rows that are no multiple of " + RESULT_STEP
                    + " or columns that are none of " + INNER_STEP);
            return false;
        }
        if (!a.isAligned() || !b.isAligned()) {
            library.own("8-bit matrices that do not begin at a multiple of " + CudaTensor.ALIGNMENT_BYTES + " bytes");
            return false;
        }
        // b is row-major, a transpose for the library: the only order in which Hopper supports FP8 GEMMs.
        return library.multiply(
                queue,
                new CublasLtGemms.Operand(a.codes, false, a.inverseScales, a.block),
                new CublasLtGemms.Operand(b.codes, true, b.inverseScales, b.block),
                c,
                accumulate);
    }

    /** A checked FP8 matrix. */
    private record Scaled(CudaTensor codes, CudaTensor inverseScales, ScaleBlock block) {
        static Scaled of(String operand, ScaledMatrix matrix, long rows, long columns) {
            CudaTensor codes = CudaTensor.CHECK.matrix(
                    operand + ".codesMK", matrix.codesMK(), rows, columns, DType.FP8_E4M3, DType.FP8_E5M2);
            CudaTensor scales = CudaTensor.CHECK.exactly(
                    operand + ".inverseScales",
                    matrix.inverseScales(),
                    matrix.block().scales(rows, columns),
                    DType.FP32);
            return new Scaled(codes, scales, matrix.block());
        }

        boolean isAligned() {
            return codes.isAligned() && inverseScales.isAligned();
        }

        String blockName() {
            return switch (block) {
                case ROW -> "_row";
                case SQUARE -> "_square";
                case MATRIX ->
                    throw new IllegalArgumentException("this device has no GEMMs of matrices with one scale");
            };
        }
    }
}
