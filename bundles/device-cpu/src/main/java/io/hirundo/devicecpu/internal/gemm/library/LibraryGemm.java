package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.devicecpu.internal.gemm.GemmOperands;
import io.hirundo.devicecpu.internal.gemm.GemmOperands.Extents;
import io.hirundo.devicecpu.internal.gemm.OperandGemm;
import io.hirundo.devicecpu.internal.gemm.VectorGemm;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.tensor.DType;
import java.util.Set;

/**
 * GEMM by a library on tiles of the result, see {@link LibraryTiles}. What the library is not used for, other types and results of one
 * column, goes to our own kernels. Types, columns and the depth of sums decide that, never the number of rows, so a row has the same bits
 * however many are multiplied with it.
 */
public final class LibraryGemm extends OperandGemm {
    /** A single row is multiplied twice, in a worker's memory: its copies may take half of that. */
    private static final long MOST_ROW_BYTES = Scratch.WORKER_BYTES / 4;

    private final WorkerPool pool;
    private final PreparedGemms prepared;
    private final Set<DType> served;
    private final VectorGemm own;

    /**
     * @param served types of operands that the library multiplies
     * @param own for all else
     */
    public LibraryGemm(WorkerPool pool, GemmLibrary library, Set<DType> served, VectorGemm own) {
        this.pool = pool;
        this.prepared = new PreparedGemms(library);
        this.served = Set.copyOf(served);
        this.own = own;
    }

    /** One caller at a time: a GEMM that is evicted from the cache must not run. */
    @Override
    public synchronized void multiply(GemmOperands operands, boolean accumulate) {
        if (serves(operands)) {
            LibraryTiles tiles = new LibraryTiles(operands, accumulate, prepared, pool.size());
            pool.run(tiles.tasks(), tiles);
        } else {
            own.multiply(operands, accumulate);
        }
    }

    private boolean serves(GemmOperands operands) {
        DType type = operands.a().dtype();
        Extents extents = operands.extents();
        return served.contains(type)
                && operands.b().dtype() == type
                && (long) extents.k() * type.byteSize() <= MOST_ROW_BYTES
                && extents.m() > 0
                && extents.n() > 1
                && extents.k() > 0;
    }

    @Override
    public void close() {
        prepared.close();
    }
}
