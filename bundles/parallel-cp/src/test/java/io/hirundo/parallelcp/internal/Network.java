package io.hirundo.parallelcp.internal;

import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;

/** What ranks talk through. */
interface Network extends AutoCloseable {
    /** A rank's place in it. */
    interface Place extends AutoCloseable {
        ProcessGroup group();

        @Override
        void close();
    }

    Place join(int rank, Device device);

    /** Ends every message of all ranks. */
    void abort(Throwable cause);

    /** What ended the network first, or this. */
    Throwable cause(Throwable otherwise);

    @Override
    void close();
}
