package io.hirundo.commmpi.internal.fabric;

import io.hirundo.strategy.Setting;

/**
 * Options of the fabric {@code mpi}.
 *
 * @param timeoutSeconds deadline of every wait for another rank
 * @param library what the dynamic linker is asked for: a name that it finds, or a path
 */
public record MpiOptions(
        @Setting(value = "How long a rank waits for the others before the world is ended, in seconds", min = 1)
        int timeoutSeconds,

        @Setting("Open MPI's shared library: a name that the dynamic linker finds, or a path")
        String library) {
    public MpiOptions() {
        this(600, "libmpi.so.40");
    }
}
