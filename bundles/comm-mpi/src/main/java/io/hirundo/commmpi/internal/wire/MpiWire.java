package io.hirundo.commmpi.internal.wire;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Messages over a communicator of Open MPI with all processes. */
public final class MpiWire implements Wire {
    /** MPI_Status of Open MPI begins with MPI_SOURCE; it has 24 bytes. */
    private static final int STATUS_BYTES = 24;

    private static final int ANY_SOURCE = -1;

    private final OpenMpi mpi;
    private final MemorySegment communicator;
    private final MemorySegment bytes;
    /** Where calls put their results; used within {@link OpenMpi#together} alone. */
    private final MemorySegment request = Arena.global().allocate(ADDRESS);

    private final MemorySegment number = Arena.global().allocate(JAVA_INT);
    private final MemorySegment status = Arena.global().allocate(STATUS_BYTES, 8);

    private MpiWire(OpenMpi mpi, MemorySegment communicator) {
        this.mpi = mpi;
        this.communicator = communicator;
        this.bytes = mpi.handle("ompi_mpi_byte");
        // An error is to be thrown, instead of ending the process.
        mpi.call("MPI_Comm_set_errhandler", communicator, mpi.handle("ompi_mpi_errors_return"));
    }

    /** All processes that mpirun started. */
    public static MpiWire world(OpenMpi mpi) {
        return new MpiWire(mpi, mpi.handle("ompi_mpi_comm_world"));
    }

    @Override
    public int rank() {
        return ask("MPI_Comm_rank");
    }

    @Override
    public int size() {
        return ask("MPI_Comm_size");
    }

    private int ask(String function) {
        var answer = new int[1];
        mpi.together(() -> {
            mpi.call(function, communicator, number);
            answer[0] = number.get(JAVA_INT, 0);
        });
        return answer[0];
    }

    @Override
    public Transmission send(MemorySegment memory, int to, int tag) {
        return begin("MPI_Isend", memory, to, tag);
    }

    @Override
    public Transmission receive(MemorySegment memory, int from, int tag) {
        return begin("MPI_Irecv", memory, from, tag);
    }

    private Transmission begin(String function, MemorySegment memory, int peer, int tag) {
        var begun = new Begun();
        mpi.together(() -> {
            mpi.call(function, memory, Math.toIntExact(memory.byteSize()), bytes, peer, tag, communicator, request);
            begun.handle = request.get(ADDRESS, 0);
        });
        return begun;
    }

    @Override
    public int caller(int tag) {
        var source = new int[] {ANY_SOURCE};
        mpi.together(() -> {
            mpi.call("MPI_Iprobe", ANY_SOURCE, tag, communicator, number, status);
            if (number.get(JAVA_INT, 0) != 0) {
                source[0] = status.get(JAVA_INT, 0);
            }
        });
        return source[0];
    }

    @Override
    public Wire separate() {
        MemorySegment slot = Arena.global().allocate(ADDRESS);
        mpi.call("MPI_Comm_dup", communicator, slot);
        return new MpiWire(mpi, slot.get(ADDRESS, 0));
    }

    /** A request of MPI. */
    private final class Begun implements Transmission {
        private MemorySegment handle;
        private boolean ended;

        @Override
        public boolean hasEnded() {
            if (!ended) {
                mpi.together(() -> {
                    request.set(ADDRESS, 0, handle);
                    mpi.call("MPI_Test", request, number, MemorySegment.NULL);
                    ended = number.get(JAVA_INT, 0) != 0;
                });
            }
            return ended;
        }
    }
}
