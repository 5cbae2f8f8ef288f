package io.hirundo.devicecuda.internal.kernel.gemm;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.LogOnce;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.Launch;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.tensor.DType;

/**
 * The own GEMM kernels on Hopper's tensor cores, {@code gemm_bf16.cu} and {@code gemm_e4m3.cu}. They support matrices whose rows are
 * multiples of 16 bytes; the naive kernels compute the others.
 *
 * @param multiprocessors number of multiprocessors, and so of persistent blocks that share the tiles of a result
 * @param wide whether each warpgroup multiplies 64 x 256 of a BF16 tile, not 128 x 128
 * @param log logs once what is not supported
 */
public record WarpgroupGemms(Modules modules, int multiprocessors, boolean wide, LogOnce log) {
    /** Threads of a block of three warpgroups. */
    public static final int THREADS = 384;

    /** Tile sizes in BF16: along K, along the rows of an operand, and of the result. */
    private static final int BF16_STEP = 64;

    private static final int BF16_ROWS = 128;
    private static final int BF16_COLUMNS = 256;
    private static final int BF16_SHARED_BYTES = 196_672;

    private static final int E4M3_TILE = 128;
    private static final int E4M3_SHARED_BYTES = 202_848;

    /**
     * {@code c = (accumulate ? c : 0) + a b} in BF16; at most one of the operands is transposed.
     *
     * @param inner columns of a as it is read
     * @return false if the operands are not supported; nothing is launched then
     */
    boolean multiplyBf16(
            Queue queue,
            CudaTensor a,
            boolean aTransposed,
            CudaTensor b,
            boolean bTransposed,
            CudaTensor c,
            long inner,
            boolean accumulate) {
        long m = c.shape().rows();
        long n = c.shape().columns();
        if (a.dtype() != DType.BF16 || b.dtype() != DType.BF16) {
            log.info("products of " + a.dtype() + " and " + b.dtype() + " matrices: the naive kernel multiplies");
            return false;
        }
        if (!isTheirs(a, b, c)) {
            return reject("BF16 matrices");
        }
        String kernel = (wide ? "wide_" : "multiply_")
                + (aTransposed ? "t" : "n")
                + (bTransposed ? "t" : "n")
                + CudaTensor.suffix(c);
        Launch launch = modules.launch(queue, "gemm_bf16", kernel)
                .matrix(a, aTransposed ? m : inner, aTransposed ? inner : m, aTransposed ? BF16_STEP : BF16_ROWS)
                .matrix(b, bTransposed ? inner : n, bTransposed ? n : inner, bTransposed ? BF16_COLUMNS : BF16_STEP);
        run(launch, c, inner, accumulate, BF16_ROWS, BF16_COLUMNS, BF16_SHARED_BYTES);
        return true;
    }

    /**
     * {@code c = (accumulate ? c : 0) + a b^T} in E4M3; a has row-block scales.
     *
     * @param block scale block layout of b
     * @return false if the operands are not supported; nothing is launched then
     */
    boolean multiplyE4m3(
            Queue queue,
            CudaTensor a,
            CudaTensor aScales,
            CudaTensor b,
            CudaTensor bScales,
            ScaleBlock block,
            CudaTensor c,
            boolean accumulate) {
        if (a.dtype() != DType.FP8_E4M3 || b.dtype() != DType.FP8_E4M3) {
            log.info("products of 8-bit matrices that are not both E4M3: the naive kernel multiplies");
            return false;
        }
        if (!isTheirs(a, b, c) || !aScales.isAligned() || !bScales.isAligned()) {
            return reject("E4M3 matrices");
        }
        long inner = a.shape().columns();
        String kernel = (block == ScaleBlock.SQUARE ? "multiply_square" : "multiply_row") + CudaTensor.suffix(c);
        Launch launch = modules.launch(queue, "gemm_e4m3", kernel)
                .matrix(a, inner, a.shape().rows(), E4M3_TILE)
                .tensor(aScales)
                .matrix(b, inner, b.shape().rows(), E4M3_TILE)
                .tensor(bScales);
        run(launch, c, inner, accumulate, E4M3_TILE, E4M3_TILE, E4M3_SHARED_BYTES);
        return true;
    }

    private boolean reject(String kind) {
        log.info(
                "products of " + kind + " whose rows are no multiple of " + CudaTensor.ALIGNMENT_BYTES
                        + " bytes, or that do not begin at one, or whose result has an odd number of columns: the naive kernel multiplies");
        return false;
    }

    /** Results are written two elements at a time. */
    private static boolean isTheirs(CudaTensor a, CudaTensor b, CudaTensor c) {
        return hasWholeLines(a)
                && hasWholeLines(b)
                && c.isAligned(2L * c.dtype().byteSize())
                && c.shape().columns() % 2 == 0;
    }

    private static boolean hasWholeLines(CudaTensor matrix) {
        return matrix.isAligned()
                && matrix.shape().columns() * matrix.dtype().byteSize() % CudaTensor.ALIGNMENT_BYTES == 0;
    }

    private void run(
            Launch launch,
            CudaTensor c,
            long inner,
            boolean accumulate,
            int tileRows,
            int tileColumns,
            int sharedBytes) {
        long m = c.shape().rows();
        long n = c.shape().columns();
        long tiles = Math.ceilDiv(m, (long) tileRows) * Math.ceilDiv(n, (long) tileColumns);
        launch.tensor(c)
                .integer(m)
                .integer(n)
                .integer(inner)
                .flag(accumulate)
                .shared(sharedBytes)
                .run(Math.min(tiles, multiprocessors), THREADS);
    }
}
