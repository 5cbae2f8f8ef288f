package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.gemm.GemmOperands.Extents;
import io.hirundo.devicecpu.internal.gemm.loops.Microkernel;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;

/**
 * GEMM with the Vector API, after Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication"
 * (2008): b is packed by all workers together, then each task packs its rows of a and multiplies them from the caches,
 * see {@link TileTask} and {@link Microkernel}. GEMMs of a few rows skip the first step, see {@link FewRows}. BF16
 * operands are widened as they are packed.
 *
 * <p>An element of the result is summed in blocks of k whose size follows from K alone, within a block in order, so it is
 * bitwise the same for any number of workers, and for any part of the rows or columns that is multiplied separately.
 *
 * <p>FP64 GEMMs are the reference's: they serve to check others, and no training runs on them.
 */
public final class VectorGemm extends OperandGemm {
    /** Rows of op(b) that a task packs of a panel. */
    private static final int PACKED_ROWS = 128;

    private final WorkerPool pool;
    private final Scratch shared;
    private final ReferenceGemm reference;

    /**
     * @param shared memory for packed b, used by this object alone
     */
    public VectorGemm(WorkerPool pool, Scratch shared) {
        this.pool = pool;
        this.shared = shared;
        this.reference = new ReferenceGemm(pool);
    }

    @Override
    public void multiply(GemmOperands operands, boolean accumulate) {
        Extents extents = operands.extents();
        if (operands.isFp64()) {
            reference.multiply(operands, accumulate);
        } else if (extents.k() == 0 && !accumulate) {
            Memory.zero(operands.c().address(), operands.c().byteSize());
        } else if (extents.m() > 0 && extents.n() > 0 && extents.k() > 0) {
            Blocking blocking = Blocking.of(extents, operands.isNarrow(), shared.bytes());
            if (FewRows.serves(operands)) {
                FewRows rows = new FewRows(operands, blocking.kBlock(), accumulate);
                pool.run(rows.tasks(), rows);
            } else {
                multiplyInSpans(operands, blocking, accumulate);
            }
        }
    }

    /** One caller at a time: the memory for packed b is one. */
    private synchronized void multiplyInSpans(GemmOperands operands, Blocking blocking, boolean accumulate) {
        Extents extents = operands.extents();
        shared.clear();
        long address = shared.take(shared.bytes());
        int kSpan = blocking.span().k();
        int nSpan = blocking.span().columns();
        for (int n = 0; n < extents.n(); n += nSpan) {
            for (int k = 0; k < extents.k(); k += kSpan) {
                int columns = Math.min(nSpan, extents.n() - n);
                PackedB packed = new PackedB(address, k, Math.min(kSpan, extents.k() - k), n, columns);
                pack(operands, packed);
                TileTask tiles = new TileTask(operands, blocking, packed, accumulate || k > 0);
                pool.run(tiles.tasks(), tiles);
            }
        }
    }

    private void pack(GemmOperands operands, PackedB packed) {
        int panels = packed.panels();
        pool.run(panels * Blocking.divideUp(packed.k(), PACKED_ROWS), (task, scratch) -> {
            int row = task / panels * PACKED_ROWS;
            packed.pack(operands, task % panels, row, Math.min(PACKED_ROWS, packed.k() - row), scratch);
        });
    }
}
