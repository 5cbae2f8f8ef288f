package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.gemm.GemmOperands.Extents;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Set;

/**
 * GEMM by a library on tiles of the result, see {@link LibraryTiles}. What the library is not used for, other types and results of one
 * column, goes to our own kernels; types and the number of columns decide that, never the number of rows, so a row has the same bits
 * however many are multiplied with it.
 */
public final class LibraryGemm implements GemmKernels, AutoCloseable {
  private final WorkerPool pool;
  private final PreparedProducts prepared;
  private final Set<DType> served;
  private final VectorGemm own;

  /**
   * @param served types of operands that the library multiplies
   * @param own for all else
   */
  public LibraryGemm(WorkerPool pool, GemmLibrary library, Set<DType> served, VectorGemm own) {
    this.pool = pool;
    this.prepared = new PreparedProducts(library);
    this.served = Set.copyOf(served);
    this.own = own;
  }

  @Override
  public void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate) {
    multiply(GemmOperands.nt(aMK, bNK, cMN), accumulate);
  }

  @Override
  public void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate) {
    multiply(GemmOperands.nn(aMK, bKN, cMN), accumulate);
  }

  @Override
  public void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate) {
    multiply(GemmOperands.tn(aKM, bKN, cMN), accumulate);
  }

  /** One caller at a time: a product that is evicted from the cache must not run. */
  private synchronized void multiply(GemmOperands operands, boolean accumulate) {
    if (serves(operands)) {
      LibraryTiles tiles = new LibraryTiles(operands, accumulate, prepared);
      pool.run(tiles.tasks(), tiles);
    } else {
      own.multiply(operands, accumulate);
    }
  }

  private boolean serves(GemmOperands operands) {
    DType type = operands.a().dtype();
    Extents extents = operands.extents();
    return served.contains(type) && operands.b().dtype() == type && !operands.isFp64() && extents.m() > 0 && extents.n() > 1 && extents.k() > 0;
  }

  @Override
  public void close() {
    prepared.close();
  }
}
