package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;

import io.hirundo.DeviceException;
import io.hirundo.devicecpu.internal.gemm.library.PreparedGemms;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.tensor.DType;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The GEMMs between a tile of queries and a block of keys of one head, of one call of a kernel. Letters: K keys of the block, S queries of
 * the tile, always {@link io.hirundo.devicecpu.internal.attention.AttentionTiles#QUERIES}; D channels. BF16 operands are rows, keys and
 * values without gaps, results are FP32. Addresses throughout.
 */
final class BlockGemm {
    /** Enough for any GEMM of these extents; what a library wants beyond it is an error. */
    static final long SCRATCH_BYTES = 640 << 10;

    private final int dim;
    private final PreparedGemms gemms;
    /** Indexed by the number of keys. Concurrent tasks store the same GEMM. */
    private final AtomicReferenceArray<PreparedProduct> toQueries = new AtomicReferenceArray<>(KeyBlock.MOST + 1);

    BlockGemm(int dim, PreparedGemms gemms) {
        this.dim = dim;
        this.gemms = gemms;
    }

    /**
     * Rows of a tile of queries.
     *
     * @param rowsSD address of as many rows as there are queries in a tile
     */
    record Rows(OfStride gemms, long rowsSD) {}

    /** GEMMs with rows that are so many elements apart. */
    final class OfStride {
        private final long stride;
        private final AtomicReferenceArray<PreparedProduct> scores = new AtomicReferenceArray<>(KeyBlock.MOST + 1);
        private final AtomicReferenceArray<PreparedProduct> toKeys = new AtomicReferenceArray<>(KeyBlock.MOST + 1);

        OfStride(long stride) {
            this.stride = stride;
        }

        /** {@code result[K, S] = keys[K, D] rows[S, D]^T}. */
        void scores(int keys, long keysKD, long rowsSD, long resultKS, long scratch) {
            PreparedProduct known = scores.get(keys);
            if (known == null) {
                known = prepare(keys, QUERIES, dim, operand(dim, false), operand(stride, true), false);
                scores.set(keys, known);
            }
            known.run(keysKD, rowsSD, resultKS, scratch);
        }

        /** {@code sum[K, D] += probabilities[K, S] rows[S, D]}. */
        void addToKeys(int keys, long probabilitiesKS, long rowsSD, long sumKD, long scratch) {
            PreparedProduct known = toKeys.get(keys);
            if (known == null) {
                known = prepare(keys, dim, QUERIES, operand(QUERIES, false), operand(stride, false), true);
                toKeys.set(keys, known);
            }
            known.run(probabilitiesKS, rowsSD, sumKD, scratch);
        }

        /** A tile's rows where they are, or if it is not full, copied one behind the other, with zeros behind the last. */
        Rows rows(long from, int rows, OfStride copied, long copySD) {
            if (rows == QUERIES) {
                return new Rows(this, from);
            }
            long rowBytes = dim * 2L;
            for (int row = 0; row < rows; row++) {
                Memory.copy(from + row * stride * 2, copySD + row * rowBytes, rowBytes);
            }
            Memory.zero(copySD + rows * rowBytes, (QUERIES - rows) * rowBytes);
            return new Rows(copied, copySD);
        }
    }

    /** {@code sum[S, D] += probabilities[K, S]^T values[K, D]}. */
    void addToQueries(int keys, long probabilitiesKS, long valuesKD, long sumSD, long scratch) {
        PreparedProduct known = toQueries.get(keys);
        if (known == null) {
            known = prepare(QUERIES, dim, keys, operand(QUERIES, true), operand(dim, false), true);
            toQueries.set(keys, known);
        }
        known.run(probabilitiesKS, valuesKD, sumSD, scratch);
    }

    private PreparedProduct prepare(int m, int n, int k, Operand a, Operand b, boolean accumulate) {
        PreparedProduct product =
                gemms.of(new TileProduct(m, n, k, a, b, new Operand(DType.FP32, n, false), accumulate));
        if (product.scratchBytes() > SCRATCH_BYTES) {
            throw new DeviceException("attention: the library needs " + product.scratchBytes()
                    + " bytes of scratch memory for a GEMM of " + m + " x " + n + " x " + k + " (allowed: at most "
                    + SCRATCH_BYTES + "); set device.options.gemm: vector");
        }
        return product;
    }

    private static Operand operand(long stride, boolean transposed) {
        return new Operand(DType.BF16, stride, transposed);
    }

    /** The address of an element of queries, keys or values, and their outputs. */
    static long address(CpuTensor tensor, long element) {
        return tensor.address() + element * 2;
    }
}
