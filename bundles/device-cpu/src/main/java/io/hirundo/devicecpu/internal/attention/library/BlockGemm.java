package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;

import io.hirundo.DeviceException;
import io.hirundo.devicecpu.internal.gemm.library.PreparedProducts;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;

/**
 * The products between a tile of queries and a block of keys of one head. Letters: K keys of the block, S queries of the tile, always
 * {@link io.hirundo.devicecpu.internal.attention.AttentionTiles#QUERIES}, with zeros behind the last; D channels. BF16 operands are rows
 * without gaps, results are FP32. Addresses throughout.
 */
final class BlockGemm {
  /** Enough for any product of these extents; what a library wants beyond it is an error. */
  static final long SCRATCH_BYTES = 640 << 10;

  private final int dim;
  private final PreparedProducts products;
  private final long scratch;

  BlockGemm(int dim, PreparedProducts products, Scratch scratch) {
    this.dim = dim;
    this.products = products;
    this.scratch = scratch.take(SCRATCH_BYTES);
  }

  /** {@code result[K, S] = keys[K, D] queries[S, D]^T}. */
  void scores(int keys, long keysKD, long queriesSD, long resultKS) {
    run(keys, QUERIES, dim, operand(dim, false), operand(dim, true), false, keysKD, queriesSD, resultKS);
  }

  /** {@code sum[S, D] += probabilities[K, S]^T values[K, D]}. */
  void addToQueries(int keys, long probabilitiesKS, long valuesKD, long sumSD) {
    run(QUERIES, dim, keys, operand(QUERIES, true), operand(dim, false), true, probabilitiesKS, valuesKD, sumSD);
  }

  /** {@code sum[K, D] += probabilities[K, S] rows[S, D]}. */
  void addToKeys(int keys, long probabilitiesKS, long rowsSD, long sumKD) {
    run(keys, dim, QUERIES, operand(QUERIES, false), operand(dim, false), true, probabilitiesKS, rowsSD, sumKD);
  }

  private void run(int m, int n, int k, Operand a, Operand b, boolean accumulate, long aAddress, long bAddress, long cAddress) {
    PreparedProduct product = products.of(new TileProduct(m, n, k, a, b, new Operand(DType.FP32, n, false), accumulate));
    if (product.scratchBytes() > SCRATCH_BYTES) {
      throw new DeviceException("attention: the library needs " + product.scratchBytes() + " bytes of scratch memory for a GEMM of " + m
          + " x " + n + " x " + k + " (allowed: at most " + SCRATCH_BYTES + "); set device.options.gemm: vector");
    }
    product.run(aAddress, bAddress, cAddress, scratch);
  }

  private static Operand operand(int columns, boolean transposed) {
    return new Operand(DType.BF16, columns, transposed);
  }

  /** Copies a tile's BF16 rows of D channels one behind the other, and zeros behind the last up to S rows. */
  void copyTile(long from, long elementStride, int rows, long toSD) {
    long rowBytes = dim * 2L;
    for (int row = 0; row < rows; row++) {
      MemorySegment.copy(Memory.ALL, from + row * elementStride * 2, Memory.ALL, toSD + row * rowBytes, rowBytes);
    }
    Memory.zero(toSD + rows * rowBytes, (QUERIES - rows) * rowBytes);
  }

  /** The address of an element of queries, keys or values, and their outputs. */
  static long address(CpuTensor tensor, long element) {
    return tensor.address() + element * 2;
  }
}
