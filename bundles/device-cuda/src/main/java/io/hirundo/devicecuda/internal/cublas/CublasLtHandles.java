package io.hirundo.devicecuda.internal.cublas;

import io.hirundo.DeviceException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Objects created by cuBLASLt that are destroyed together. */
final class CublasLtHandles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CublasLtHandles.class);

    private final CublasLt library;
    private final Deque<Thing> things = new ArrayDeque<>();

    private record Thing(String kind, long handle) {}

    CublasLtHandles(CublasLt library) {
        this.library = library;
    }

    /**
     * Adds an object.
     *
     * @param kind for example {@code cublasLtMatrixLayout}
     */
    long keep(String kind, long handle) {
        things.push(new Thing(kind, handle));
        return handle;
    }

    /** Destroys all objects in reverse order. A failure is logged, and the others are still destroyed. */
    @Override
    public void close() {
        while (!things.isEmpty()) {
            Thing thing = things.pop();
            try {
                library.destroy(thing.kind, thing.handle);
            } catch (DeviceException failure) {
                LOG.warn("{} is left: {}", thing.kind, failure.getMessage());
            }
        }
    }
}
