package io.hirundo.lib.engine.audit;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.lib.engine.audit.AuditChooser.Draw;
import io.hirundo.lib.engine.audit.AuditChooser.Purpose;
import io.hirundo.lib.engine.fabric.CollectiveCall;
import io.hirundo.lib.engine.fabric.CollectiveCall.Kind;
import io.hirundo.lib.oracle.ElementError;
import io.hirundo.lib.oracle.SumCheck;
import io.hirundo.lib.oracle.gemm.HostElements;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A chunk of a collective. One rank of the group, the auditor, compares the result with the inputs of all ranks. */
final class CapturedChunk {
    private final CollectiveCall call;
    private final TileCapture.Tile place;
    private final int number;
    private final int auditor;
    /** Index of the rank in the group whose elements the auditor checks, for collectives that move data. */
    private final int source;

    private final int elements;
    private final long inputAt;
    private final long outputAt;
    private final DType dtype;
    private Pending exchange;
    private Pending copied;

    private CapturedChunk(
            CollectiveCall call,
            TileCapture.Tile place,
            int number,
            int auditor,
            int source,
            int elements,
            long offset,
            long part) {
        this.call = call;
        this.place = place;
        this.number = number;
        this.auditor = auditor;
        this.source = source;
        this.elements = elements;
        this.dtype = call.larger().dtype();
        boolean cutInput = call.kind() == Kind.REDUCE_SCATTER || call.kind() == Kind.ALL_TO_ALL;
        boolean joinsOutput = call.kind() == Kind.ALL_GATHER || call.kind() == Kind.ALL_TO_ALL;
        this.inputAt = offset + (cutInput ? auditor * part : 0);
        this.outputAt = offset + (joinsOutput ? source * part : 0);
    }

    /**
     * A chunk of the {@code number}-th call, checked by rank {@code rank} of the world. Empty if the call has no elements.
     *
     * @param draw the same on all ranks of the group
     */
    static Optional<CapturedChunk> of(CollectiveCall call, int number, int rank, long step, Draw draw) {
        int size = call.group().size();
        boolean inParts =
                call.kind() == Kind.ALL_GATHER || call.kind() == Kind.REDUCE_SCATTER || call.kind() == Kind.ALL_TO_ALL;
        long part = call.larger().elements() / (inParts ? size : 1);
        int elements = (int) Math.min(CollectiveAudit.CHUNK, part);
        if (elements == 0) {
            return Optional.empty();
        }
        long chunks = (part + elements - 1) / elements;
        long offset = Math.min(
                part - elements,
                elements * (long) draw.below(Purpose.CHUNK, (int) Math.min(Integer.MAX_VALUE, chunks)));
        int source = call.kind() == Kind.BROADCAST ? call.peer() : draw.below(Purpose.SOURCE, size);
        var place = new TileCapture.Tile(step, rank, call.axes());
        return Optional.of(new CapturedChunk(
                call, place, number, call.group().ranks().indexOf(rank), source, elements, offset, part));
    }

    boolean isAuditor() {
        return call.group().rank() == auditor;
    }

    /** Copies the input. To be called before the collective starts. */
    void copyInput(ChunkStaging staging) {
        if (call.kind() != Kind.RECEIVE) {
            staging.copy(call.after(), call.input().view(inputAt, Shape.of(elements)), staging.input(dtype, elements));
        }
    }

    /** Starts the all-gather of the inputs, right after the collective in the same group. */
    void exchange(ChunkStaging staging) {
        Tensor own = staging.input(dtype, elements);
        exchange = switch (call.kind()) {
            case SEND -> call.group().send(call.after(), own, call.peer());
            case RECEIVE -> call.group().receive(call.after(), staging.all(dtype, 1, elements), call.peer());
            default ->
                call.group()
                        .allGather(
                                call.after(),
                                own,
                                staging.all(dtype, call.group().size(), elements));
        };
    }

    /** Copies the result. To be called when the collective has completed. */
    void copyResult(ChunkStaging staging) {
        staging.copy(
                staging.reading(), call.output().view(outputAt, Shape.of(elements)), staging.output(dtype, elements));
        staging.reading().drain();
    }

    /** Sets what to wait for until the result has been copied. */
    void whenCopied(Pending pending) {
        copied = pending;
    }

    /** Waits for the exchange. On the auditor, queues the comparison. */
    void finish(Device device, ChunkStaging staging, AuditWorker worker) {
        exchange.await();
        if (!isAuditor()) {
            return;
        }
        copied.await();
        int ranks = call.kind() == Kind.RECEIVE ? 1 : call.group().size();
        Arena arena = Arena.ofShared();
        MemorySegment inputs = download(device, staging, staging.all(dtype, ranks, elements), arena);
        MemorySegment output = download(device, staging, staging.output(dtype, elements), arena);
        Optional<MemorySegment> own = call.kind() == Kind.RECEIVE
                ? Optional.empty()
                : Optional.of(download(device, staging, staging.input(dtype, elements), arena));
        staging.reading().drain();
        if (!device.computes()) {
            arena.close();
            return;
        }
        worker.submit(() -> {
            try (arena) {
                double[][] exchanged = read(inputs, ranks);
                own.ifPresent(input -> compareExchange(read(input, 1)[0], exchanged[auditor], worker));
                compare(exchanged, read(output, 1)[0], worker);
            }
        });
    }

    private static MemorySegment download(Device device, ChunkStaging staging, Tensor from, Arena arena) {
        MemorySegment host = arena.allocate(from.byteSize(), Double.BYTES);
        device.transfer().download(staging.reading(), from, host);
        return host;
    }

    private double[][] read(MemorySegment host, int rows) {
        var values = HostElements.of(host, dtype);
        double[][] matrix = new double[rows][elements];
        for (int row = 0; row < rows; row++) {
            values.read((long) row * elements, elements, matrix[row]);
        }
        return matrix;
    }

    /** Checks the exchange itself, which is an all-gather: if it permutes the ranks, a wrong collective may look right. */
    private void compareExchange(double[] own, double[] exchanged, AuditWorker worker) {
        ElementError error = SumCheck.move(own, exchanged);
        if (error.isWrong()) {
            worker.found(new Finding(
                    Finding.of(place, Kind.ALL_GATHER.toString(), number, 0, inputAt, error), Optional.empty()));
        }
    }

    private void compare(double[][] inputs, double[] output, AuditWorker worker) {
        ElementError error = switch (call.kind()) {
            case ALL_REDUCE ->
                call.reduction() == Reduction.MAX
                        ? SumCheck.maximum(inputs, output)
                        : SumCheck.sum(inputs, output, dtype);
            case REDUCE_SCATTER -> SumCheck.sum(inputs, output, dtype);
            case RECEIVE -> SumCheck.move(inputs[0], output);
            default -> SumCheck.move(inputs[source], output);
        };
        worker.comparedChunk();
        if (error.isWrong()) {
            worker.found(new Finding(
                    Finding.of(place, call.kind().toString(), number, 0, outputAt, error), Optional.empty()));
        }
    }

    /** Waits for the exchange without using its result. Does nothing if the world has ended. */
    void await() {
        try {
            exchange.await();
        } catch (CommunicationException ended) {
            // The operation that ended the world reports the failure.
        }
    }
}
