package io.hirundo.devicecuda.internal.graph;

/**
 * Memory that was allocated in a pass.
 *
 * @param number index within the pass
 * @param offsetBytes fixed offset, or {@link #IN_POOL}
 */
public record Allocation(Pass pass, int number, long bytes, long offsetBytes) {
    /** Without a fixed offset: the memory comes from the driver's pool. */
    static final long IN_POOL = -1;

    public boolean hasPlace() {
        return offsetBytes != IN_POOL;
    }
}
