package io.hirundo.commmpi.internal.collective;

import io.hirundo.commmpi.internal.collective.Exchange.Message;
import io.hirundo.commmpi.internal.collective.MpiGroupState.Purpose;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.lib.fabric.Call;
import io.hirundo.lib.fabric.End;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One rank's part in a collective. Data goes through host memory. Each rank gets all summands of its slice and adds them with
 * its device's kernels, one rank after the other from the first, so that each element's sum is the same wherever it is made.
 *
 * @param chunk where the next summand lies while it is added, or the sum, where the operand is too narrow for it; null where
 *     nothing is summed
 */
public record MpiCollectiveTransfer(
        Worker worker, Operation operation, MpiGroupState group, MessageHeader header, Call call, Tensor chunk) {
    /** Does everything. */
    public void run() {
        worker.perform(operation, call, this::meet, this::move);
    }

    /** Tells the others what this rank does, and hears that they do the same. */
    private boolean meet(Arena arena) {
        MemorySegment[] memory = new MemorySegment[ranks()];
        Arrays.setAll(memory, from -> Worker.host(arena, MessageHeader.BYTES));
        header.write(memory[place()]);
        MemorySegment[] own = new MemorySegment[ranks()];
        Arrays.fill(own, memory[place()]);
        if (!exchanged(Purpose.HEADER, own, memory)) {
            return false;
        }
        var disagreement = new Disagreement(
                        group, Arrays.stream(memory).map(MessageHeader::read).toList())
                .find();
        disagreement.ifPresent(reason -> worker.world().end(new End(reason, null)));
        return disagreement.isEmpty();
    }

    private boolean move(Arena arena) {
        return switch (call.signature().kind()) {
            case ALL_REDUCE -> allReduce(arena);
            case REDUCE_SCATTER -> reduceScatter(arena);
            case ALL_GATHER -> allGather(arena);
            case ALL_TO_ALL -> allToAll(arena);
            case BROADCAST -> broadcast(arena);
            case BARRIER -> true;
            case SEND, RECEIVE -> throw new IllegalStateException(call.signature() + " is not a collective");
        };
    }

    private boolean allReduce(Arena arena) {
        MemorySegment[] slices = parts(worker.download(arena, call.input()));
        MemorySegment[] summands = like(slices[place()], arena);
        if (!exchanged(Purpose.DATA, slices, summands)) {
            return false;
        }
        Tensor slice = part(place());
        reduce(summands, slice);
        worker.download(slice, slices[place()]);
        MemorySegment[] own = new MemorySegment[ranks()];
        Arrays.fill(own, slices[place()]);
        if (!exchanged(Purpose.DATA, own, slices)) {
            return false;
        }
        uploadOthers(slices);
        return true;
    }

    private boolean reduceScatter(Arena arena) {
        MemorySegment[] parts = parts(worker.download(arena, call.input()));
        MemorySegment[] summands = like(parts[place()], arena);
        if (!exchanged(Purpose.DATA, parts, summands)) {
            return false;
        }
        reduce(summands, call.output());
        return true;
    }

    private boolean allGather(Arena arena) {
        MemorySegment shard = worker.download(arena, call.input());
        MemorySegment[] own = new MemorySegment[ranks()];
        Arrays.fill(own, shard);
        MemorySegment[] shards = parts(Worker.host(arena, call.output().byteSize()));
        if (!exchanged(Purpose.DATA, own, shards)) {
            return false;
        }
        // Uploads only other ranks' shards: the input may alias this rank's part, which its owner may be changing.
        worker.device().kernels().elementwise().copy(worker.queue(), call.input(), part(place()));
        uploadOthers(shards);
        return true;
    }

    private boolean allToAll(Arena arena) {
        MemorySegment[] from = parts(worker.download(arena, call.input()));
        MemorySegment whole = Worker.host(arena, call.output().byteSize());
        MemorySegment[] to = parts(whole);
        to[place()].copyFrom(from[place()]);
        if (!exchanged(Purpose.DATA, from, to)) {
            return false;
        }
        worker.upload(whole, call.output());
        return true;
    }

    private boolean broadcast(Arena arena) {
        int root = call.signature().root();
        var messages = new ArrayList<Message>();
        if (place() == root) {
            MemorySegment data = worker.download(arena, call.input());
            for (int to = 0; to < ranks(); to++) {
                if (to != root) {
                    messages.add(new Message(group.ranks().get(to), data, true));
                }
            }
            return run(Purpose.DATA, messages);
        }
        MemorySegment data = Worker.host(arena, call.output().byteSize());
        messages.add(new Message(group.ranks().get(root), data, false));
        if (!run(Purpose.DATA, messages)) {
            return false;
        }
        worker.upload(data, call.output());
        return true;
    }

    /**
     * Sums, or finds maxima, into a tensor that nobody else needs.
     *
     * @param summands of all ranks, in their order
     */
    private void reduce(MemorySegment[] summands, Tensor into) {
        ElementwiseKernels kernels = worker.device().kernels().elementwise();
        int elementBytes = into.dtype().byteSize();
        boolean narrow = into.dtype() != chunk.dtype();
        for (long first = 0; first < into.elements(); first += chunk.elements()) {
            long count = Math.min(chunk.elements(), into.elements() - first);
            Tensor result = into.view(first, Shape.of(count));
            Tensor scratch = chunk.view(0, Shape.of(count));
            Tensor sum = narrow ? scratch : result;
            Tensor next = narrow ? result : scratch;
            worker.upload(summands[0].asSlice(first * elementBytes, count * elementBytes), result);
            if (narrow) {
                kernels.copy(worker.queue(), result, sum);
            }
            for (int from = 1; from < ranks(); from++) {
                worker.upload(summands[from].asSlice(first * elementBytes, count * elementBytes), next);
                if (call.signature().reduction() == Reduction.MAX) {
                    kernels.maximum(worker.queue(), next, sum);
                } else {
                    kernels.add(worker.queue(), next, sum);
                }
            }
            if (narrow) {
                kernels.copy(worker.queue(), sum, result);
            }
        }
    }

    /** Uploads the other ranks' parts to the output. */
    private void uploadOthers(MemorySegment[] parts) {
        for (int from = 0; from < ranks(); from++) {
            if (from != place()) {
                worker.upload(parts[from], part(from));
            }
        }
    }

    /** A rank's part of the output. */
    private Tensor part(int rank) {
        return call.output().view(first(rank), Shape.of(first(rank + 1) - first(rank)));
    }

    /** Sends each other rank its memory, and receives from each; what is this rank's own is left alone. */
    private boolean exchanged(Purpose purpose, MemorySegment[] to, MemorySegment[] from) {
        var messages = new ArrayList<Message>();
        for (int other = 0; other < ranks(); other++) {
            if (other != place()) {
                messages.add(new Message(group.ranks().get(other), from[other], false));
                messages.add(new Message(group.ranks().get(other), to[other], true));
            }
        }
        return run(purpose, messages);
    }

    private boolean run(Purpose purpose, List<Message> messages) {
        return new Exchange(worker.world(), operation, group.tag(purpose)).run(messages);
    }

    /** As much memory for each rank as this rank has, whose own stays. */
    private MemorySegment[] like(MemorySegment own, Arena arena) {
        var memory = new MemorySegment[ranks()];
        Arrays.setAll(memory, from -> from == place() ? own : Worker.host(arena, own.byteSize()));
        return memory;
    }

    /** The slices of the whole, one a rank. */
    private MemorySegment[] parts(MemorySegment whole) {
        int elementBytes = call.signature().dtype().byteSize();
        var parts = new MemorySegment[ranks()];
        Arrays.setAll(
                parts,
                index -> whole.asSlice(first(index) * elementBytes, (first(index + 1) - first(index)) * elementBytes));
        return parts;
    }

    /** Where a rank's slice of the whole begins. */
    private long first(int index) {
        return call.signature().elements() * index / ranks();
    }

    private int place() {
        return group.ranks().indexOf(worker.world().rank());
    }

    private int ranks() {
        return group.ranks().size();
    }
}
