package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.devicecpu.internal.gemm.ScaledRows;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.host.GemmLibrary;

/** GEMMs of quantized FP8 matrices by a library that multiplies BF16, see {@link LibraryScaledTiles}. */
public final class LibraryScaledGemm implements AutoCloseable {
    private final WorkerPool pool;
    private final PreparedGemms prepared;

    public LibraryScaledGemm(WorkerPool pool, GemmLibrary library) {
        this.pool = pool;
        this.prepared = new PreparedGemms(library);
    }

    /**
     * Multiplies, one caller at a time: a GEMM that is evicted from the cache must not run. The operands have been checked, and none is
     * empty.
     */
    public synchronized void multiply(ScaledRows aMK, ScaledRows bNK, CpuTensor cMN, boolean accumulate) {
        LibraryScaledTiles tiles = new LibraryScaledTiles(aMK, bNK, cMN, accumulate, prepared);
        pool.run(tiles.tasks(), tiles);
    }

    @Override
    public void close() {
        prepared.close();
    }
}
