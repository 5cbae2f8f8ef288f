package io.hirundo.commmpi.internal.fabric;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import io.hirundo.commmpi.internal.collective.MpiWorldState;
import io.hirundo.commmpi.internal.wire.MpiWire;
import io.hirundo.commmpi.internal.wire.OpenMpi;
import io.hirundo.commmpi.internal.wire.Wire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** MPI in this process: it begins with the first world, and ends with the process if all worlds have ended well. Thread-safe. */
final class MpiProcess implements AutoCloseable {
    private static final int THREAD_SERIALIZED = 2;
    private static final int THREAD_MULTIPLE = 3;

    /**
     * How long a process whose world was ended by another stays: mpirun ends all processes with the exit code of the first that
     * fails, which ought to be the one that is to blame.
     */
    private static final long PRECEDENCE_MILLIS = 1500;

    private final List<MpiWorldState> worlds = new ArrayList<>();
    private OpenMpi mpi;
    private Wire world;

    /**
     * All processes; returns when all have begun.
     *
     * @throws ConfigurationException when there is no Open MPI, or one without threads
     */
    synchronized Wire world(String library) {
        if (world == null) {
            mpi = OpenMpi.load(library);
            begin();
            world = MpiWire.world(mpi);
        }
        return world;
    }

    /** Notes a world, whose end decides how MPI ends. */
    synchronized void began(MpiWorldState world) {
        worlds.add(world);
    }

    private void begin() {
        MemorySegment answer = Arena.global().allocate(JAVA_INT);
        mpi.call("MPI_Finalized", answer);
        if (answer.get(JAVA_INT, 0) != 0) {
            throw new CommunicationException(
                    "MPI has ended in this process and cannot be initialized again; restart the program");
        }
        mpi.call("MPI_Initialized", answer);
        if (answer.get(JAVA_INT, 0) != 0) {
            return;
        }
        mpi.call("MPI_Init_thread", MemorySegment.NULL, MemorySegment.NULL, THREAD_MULTIPLE, answer);
        // Calls come from several threads, but one at a time.
        if (answer.get(JAVA_INT, 0) < THREAD_SERIALIZED) {
            throw new ConfigurationException(
                    "mesh.fabric: this MPI serves one thread alone; give another Open MPI in mesh.fabric.options.library");
        }
    }

    /** MPI waits for all processes when it ends: not after a failure, when some may be gone. */
    @Override
    public synchronized void close() {
        if (worlds.stream().anyMatch(MpiWorldState::wasEndedByOther)) {
            letFailedProcessExitFirst();
        }
        if (world != null && !worlds.isEmpty() && worlds.stream().allMatch(MpiWorldState::hasEndedWell)) {
            mpi.call("MPI_Finalize");
        }
        world = null;
    }

    private static void letFailedProcessExitFirst() {
        try {
            Thread.sleep(PRECEDENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
