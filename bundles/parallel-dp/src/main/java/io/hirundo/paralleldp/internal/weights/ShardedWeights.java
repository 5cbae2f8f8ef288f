package io.hirundo.paralleldp.internal.weights;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.precision.CodedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The weights of a layout on one rank: a slice of master weights, which this rank updates, and the weights that layers read, gathered
 * from all ranks in the form that they need. Weights that are read in the dtype of the masters need no copy in a group of one rank;
 * where all of them are, and stay gathered, the slice lies among them.
 */
public final class ShardedWeights implements AutoCloseable {
    private final Device device;
    private final ProcessGroup group;
    private final BucketLayout layout;
    private final DType masterType;
    private final boolean resident;
    private final List<StoredWeights> stored = new ArrayList<>();
    /** Null before its first use, while the slice lies among the gathered weights, and where it is empty. */
    private Tensor masters;

    private boolean isInside;

    private WeightForm form;
    private PackedGather codes;
    private boolean isHere;
    private int uses;
    private long version;

    /**
     * Takes no memory yet.
     *
     * @param resident whether gathered weights stay; otherwise they come and go
     */
    public ShardedWeights(Device device, ProcessGroup group, BucketLayout layout, DType masterType, boolean resident) {
        this.device = device;
        this.group = group;
        this.layout = layout;
        this.masterType = masterType;
        this.resident = resident;
    }

    /** This rank's slice of the layout, in the dtype of the masters; it may move with a change of the form. Zero at first. */
    public Tensor masters() {
        if (isInside) {
            return stored.getFirst().slice();
        }
        if (masters == null) {
            try (Queue queue = device.newQueue("memory of weights")) {
                allocateMasters(queue);
                queue.drain();
            }
        }
        return masters;
    }

    private void allocateMasters(Queue queue) {
        if (masters == null && owns()) {
            masters = device.allocate(MemoryCategory.WEIGHTS, Shape.of(layout.sliceElements(group.rank())), masterType);
            device.kernels().elementwise().fill(queue, masters, 0);
        }
    }

    BucketLayout layout() {
        return layout;
    }

    /** From the next fetch on. */
    void become(Queue queue, WeightForm wanted) {
        changed(queue);
        boolean sameMemory = form != null && form.stored().equals(wanted.stored());
        if (sameMemory) {
            form = wanted;
            return;
        }
        boolean inside = resident && !isAlone() && wanted.isOnly(masterType);
        if (isInside && owns()) {
            Tensor slice = stored.getFirst().slice();
            allocateMasters(queue);
            device.kernels().elementwise().copy(queue, slice, masters);
        }
        isInside = false;
        // Whoever tries again after a failure must not find the memory of a form that is gone.
        form = null;
        stored.forEach(StoredWeights::close);
        stored.clear();
        for (WeightForm.Stored each : wanted.stored()) {
            if (!isMaster(each)) {
                stored.add(new StoredWeights(
                        device, group, layout, each, resident ? MemoryCategory.WEIGHTS : MemoryCategory.COMMUNICATION));
            }
        }
        if (!inside) {
            allocateMasters(queue);
        }
        if (resident) {
            stored.forEach(each -> each.allocate(queue));
        }
        if (inside) {
            moveInside(queue);
        }
        form = wanted;
    }

    /** The memory of a {@link #become} and the next fetch. */
    FormCost costOf(WeightForm wanted) {
        long mastersBytes = layout.sliceElements(group.rank()) * masterType.byteSize();
        long presentMasters = masters == null ? 0 : mastersBytes;
        long presentCodes = codes == null ? 0 : codes.byteSize();
        long presentStored = stored.stream().mapToLong(StoredWeights::byteSize).sum();
        long present = presentMasters + presentCodes + presentStored;
        List<WeightForm.Stored> others =
                wanted.stored().stream().filter(each -> !isMaster(each)).toList();
        List<Long> wholes = others.stream()
                .map(each ->
                        FormCost.allocated(each.elements(layout) * each.dtype().byteSize()))
                .toList();
        long transferBytes = others.stream()
                .filter(each -> !each.isComplete() && !isAlone())
                .mapToLong(each -> each.packing().elements() * each.dtype().byteSize())
                .sum();
        long coded = wanted.codes().isEmpty()
                ? 0
                : wanted.codes().elements() * wanted.codings().codeType().byteSize();
        long all = wholes.stream().mapToLong(Long::longValue).sum();
        long largest = wholes.stream().mapToLong(Long::longValue).max().orElse(0);
        if (!resident) {
            return new FormCost(
                    present,
                    presentMasters,
                    presentMasters,
                    coded + all,
                    transferBytes,
                    Math.max(largest, transferBytes));
        }
        if (form != null && form.stored().equals(wanted.stored())) {
            long kept = presentMasters
                    + stored.stream().mapToLong(StoredWeights::wholeByteSize).sum();
            return new FormCost(present, kept, kept, coded, transferBytes, transferBytes);
        }
        boolean inside = !isAlone() && wanted.isOnly(masterType);
        long during = isInside || !inside ? mastersBytes : presentMasters;
        long most = Math.max(isInside ? presentStored + mastersBytes : 0, during + all);
        return new FormCost(
                present,
                most,
                all + (inside ? 0 : mastersBytes),
                coded,
                transferBytes,
                Math.max(largest, mastersBytes));
    }

    private void moveInside(Queue queue) {
        isInside = true;
        if (!owns()) {
            return;
        }
        Tensor slice = stored.getFirst().slice();
        if (masters == null) {
            device.kernels().elementwise().fill(queue, slice, 0);
        } else {
            device.kernels().elementwise().copy(queue, masters, slice);
            masters.close();
            masters = null;
        }
    }

    /** Whether these are read from the masters of this rank. */
    private boolean isMaster(WeightForm.Stored each) {
        return isAlone() && each.dtype() == masterType;
    }

    /** The elements of a parameter, while they are in use; with its name for messages. */
    public Tensor whole(BucketLayout.Place place, String name) {
        requireUse(name);
        if (form == null) {
            throw new IllegalStateException("the weights of " + name + " were not gathered yet: call weightsChanged()");
        }
        if (form.isCoded(place)) {
            throw new IllegalStateException("the weights of " + name + " were gathered quantized, for its GEMMs alone");
        }
        return stored.stream()
                .filter(each -> each.has(place))
                .findFirst()
                .map(each -> each.of(place))
                .orElseGet(() -> masters.view(place.first(), Shape.of(place.elements())));
    }

    /** A parameter that was gathered quantized, while it is in use and not {@link #forgetCodes forgotten}. */
    public Optional<CodedWeight> coded(BucketLayout.Place place, String name) {
        if (form == null || codes == null || !form.isCoded(place)) {
            return Optional.empty();
        }
        requireUse(name);
        var runs = new ArrayList<CodedWeight.Run>();
        codes.each((piece, values) -> {
            if (piece.place().equals(place)) {
                runs.add(new CodedWeight.Run(piece.run().firstOfParameter(), values));
            }
        });
        return Optional.of(new CodedWeight(form.codings().magnitudes(name), runs));
    }

    private void requireUse(String name) {
        if (uses == 0 && !resident) {
            throw new IllegalStateException("the weights of " + name
                    + " are whole only while a block that has them works: call before(), then after()");
        }
    }

    /** Grows whenever values may have changed or moved. */
    public long version() {
        return version;
    }

    /** Starts the all-gather of weights that are neither gathered nor in flight. */
    public void fetch(Queue queue) {
        if (isHere || form == null || stored.isEmpty() && form.codes().isEmpty()) {
            return;
        }
        isHere = true;
        version++;
        if (!form.codes().isEmpty()) {
            codes = new PackedGather(
                    device,
                    queue,
                    group,
                    layout,
                    form.codes(),
                    form.codings().codeType(),
                    masters,
                    (piece, values, packed) -> {
                        String name = form.name(piece.place());
                        form.codings()
                                .of(name)
                                .encode(
                                        queue,
                                        values,
                                        piece.run().firstOfParameter(),
                                        form.codings().magnitudes(name),
                                        packed);
                    });
        }
        stored.forEach(each -> each.fetch(queue, masters));
    }

    /** Fetches, and keeps what has come until it is released. */
    public void acquire(Queue queue) {
        fetch(queue);
        awaitGather(queue);
        uses++;
    }

    public void release() {
        uses--;
    }

    /** Gives the memory of what has come back, unless it is in use or resident. */
    public void forget(Queue queue) {
        if (uses == 0 && isHere && !resident) {
            awaitGather(queue);
            isHere = false;
            forgetCodes();
            stored.forEach(StoredWeights::close);
        }
    }

    /** Gives the memory of quantized values back: nobody reads them any more, and none are on their way. */
    public void forgetCodes() {
        if (codes != null) {
            codes.close();
            codes = null;
        }
    }

    /** What was gathered before is out of date. */
    public void changed(Queue queue) {
        if (uses > 0) {
            throw new IllegalStateException("weights have changed while a block works with them");
        }
        awaitGather(queue);
        forget(queue);
        forgetCodes();
        isHere = false;
        version++;
    }

    /** Later work of the queue finds all that has come. */
    public void awaitGather(Queue queue) {
        stored.forEach(each -> each.finish(queue));
        if (codes != null) {
            codes.finish(queue);
        }
    }

    @Override
    public void close() {
        forgetCodes();
        stored.forEach(StoredWeights::close);
        if (masters != null) {
            masters.close();
        }
    }

    /** Whether this rank's slice is not empty. */
    private boolean owns() {
        return layout.sliceElements(group.rank()) > 0;
    }

    private boolean isAlone() {
        return group.size() == 1;
    }
}
