package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.gemm.ScaledGemm;
import io.hirundo.devicecpu.internal.gemm.ScaledRows;
import io.hirundo.devicecpu.internal.gemm.library.LibraryScaledGemm;
import io.hirundo.devicecpu.internal.quantize.ReferenceBlockScaled.GemmOfScaled;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * FP8 matrices with the Vector API, bit for bit as {@link ReferenceBlockScaled} makes them, and so their GEMMs, unless a library multiplies:
 * that adds the products of a block of k in another order.
 */
public final class VectorBlockScaled implements BlockScaledKernels {
    private final WorkerPool pool;
    private final Optional<LibraryScaledGemm> library;

    /** @param library empty to multiply with the Vector API too */
    public VectorBlockScaled(WorkerPool pool, Optional<LibraryScaledGemm> library) {
        this.pool = pool;
        this.library = library;
    }

    @Override
    public void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK) {
        quantize(new QuantizedTiles(ScaledOperands.of(xMK, rule, false, rowsMK).requireBlocks()));
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM) {
        quantize(
                new QuantizedTiles(ScaledOperands.of(xMK, rule, true, columnsKM).requireBlocks()));
    }

    @Override
    public void quantizeBoth(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        var tiles = new QuantizedTwins(
                ScaledOperands.of(xMK, rule, false, rowsMK).requireBlocks(),
                ScaledOperands.of(xMK, rule, true, columnsKM).requireBlocks());
        pool.run(tiles.tasks(), tiles);
    }

    private void quantize(QuantizedTiles tiles) {
        pool.run(tiles.tasks(), tiles);
    }

    @Override
    public void dequantize(Queue queue, ScaledMatrix rowsMK, Tensor xMK) {
        new ReferenceBlockScaled(pool).dequantize(queue, rowsMK, xMK);
    }

    @Override
    public void multiplyNT(Queue queue, ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN, boolean accumulate) {
        GemmOfScaled checked = GemmOfScaled.of(aMK, bNK, cMN);
        ScaledRows a = ScaledRows.of(aMK);
        ScaledRows b = ScaledRows.of(bNK);
        if (library.isPresent() && a.rows() > 0 && b.rows() > 0 && a.columns() > 0) {
            library.get().multiply(a, b, checked.c(), accumulate);
        } else {
            var product = new ScaledGemm(a, b, checked.c(), accumulate);
            pool.run(product.tasks(), product);
        }
    }
}
