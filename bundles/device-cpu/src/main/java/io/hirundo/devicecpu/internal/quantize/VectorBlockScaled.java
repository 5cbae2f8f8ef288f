package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.gemm.ScaledGemm;
import io.hirundo.devicecpu.internal.quantize.ReferenceBlockScaled.Product;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.Tensor;

/** FP8 matrices and their GEMMs with the Vector API, bit for bit as {@link ReferenceBlockScaled} makes them. */
public final class VectorBlockScaled implements BlockScaledKernels {
  private final WorkerPool pool;

  public VectorBlockScaled(WorkerPool pool) {
    this.pool = pool;
  }

  @Override
  public void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK) {
    quantize(new QuantizedTiles(ScaledOperands.of(xMK, rule, false, rowsMK).requireBlocks()));
  }

  @Override
  public void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM) {
    quantize(new QuantizedTiles(ScaledOperands.of(xMK, rule, true, columnsKM).requireBlocks()));
  }

  @Override
  public void quantizeBoth(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
    var tiles =
        new QuantizedTwins(
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
    Product checked = Product.of(aMK, bNK, cMN);
    var product = new ScaledGemm(aMK, bNK, checked.c(), accumulate);
    pool.run(product.tasks(), product);
  }
}
