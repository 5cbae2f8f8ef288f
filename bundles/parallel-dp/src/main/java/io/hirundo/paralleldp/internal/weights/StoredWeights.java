package io.hirundo.paralleldp.internal.weights;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** Memory for weights of a layout that are gathered in one dtype. */
final class StoredWeights implements AutoCloseable {
    private final Device device;
    private final ProcessGroup group;
    private final BucketLayout layout;
    private final WeightForm.Stored form;
    private final MemoryCategory category;
    private final Map<BucketLayout.Place, Long> firsts;
    private Tensor whole;
    private List<Pending> gather = List.of();
    private PackedGather packed;

    StoredWeights(
            Device device, ProcessGroup group, BucketLayout layout, WeightForm.Stored form, MemoryCategory category) {
        this.device = device;
        this.group = group;
        this.layout = layout;
        this.form = form;
        this.category = category;
        this.firsts = form.isComplete() ? Map.of() : WeightForm.consecutive(form.places());
    }

    /** Of the memory that is taken now. */
    long byteSize() {
        return wholeByteSize() + (packed == null ? 0 : packed.byteSize());
    }

    /** Without what is on its way. */
    long wholeByteSize() {
        return whole == null ? 0 : whole.byteSize();
    }

    boolean has(BucketLayout.Place place) {
        return form.places().contains(place);
    }

    /** Takes memory for the weights, unless it is there; undefined but for the padding, which is zero. */
    void allocate(Queue queue) {
        if (whole != null) {
            return;
        }
        long elements = form.elements(layout);
        whole = device.allocate(category, Shape.of(elements), form.dtype());
        long padding = form.isComplete() ? elements - layout.usedElements() : 0;
        if (padding > 0) {
            device.kernels().elementwise().fill(queue, whole.view(elements - padding, Shape.of(padding)), 0);
        }
    }

    /** This rank's slice, perhaps empty, where the form is complete. */
    Tensor slice() {
        return layout.shards().slice(whole, group.rank());
    }

    /** Begins to gather. {@code masters}: this rank's slice in the owners' dtype; null where it is {@link #slice()} or empty. */
    void fetch(Queue queue, Tensor masters) {
        allocate(queue);
        if (form.isComplete()) {
            if (masters != null) {
                copy(queue, masters, slice());
            }
            if (group.size() > 1) {
                gather = layout.shards().allGather(queue, group, whole);
            }
        } else if (group.size() > 1) {
            packed = new PackedGather(
                    device,
                    queue,
                    group,
                    layout,
                    form.packing(),
                    form.dtype(),
                    masters,
                    (piece, values, packed) -> copy(queue, values, packed));
        } else {
            form.places()
                    .forEach(place -> copy(queue, masters.view(place.first(), Shape.of(place.elements())), of(place)));
        }
    }

    /** Later work of the queue finds what has come. */
    void finish(Queue queue) {
        gather.forEach(ended -> queue.await(ended.event()));
        gather = List.of();
        if (packed != null) {
            packed.finish(queue);
            packed.each((piece, values) -> copy(
                    queue,
                    values,
                    of(piece.place())
                            .view(
                                    piece.run().firstOfParameter(),
                                    Shape.of(piece.run().elements()))));
            packed.close();
            packed = null;
        }
    }

    /** The elements of a weight. */
    Tensor of(BucketLayout.Place place) {
        return whole.view(form.isComplete() ? place.first() : firsts.get(place), Shape.of(place.elements()));
    }

    private void copy(Queue queue, Tensor from, Tensor to) {
        device.kernels().elementwise().copy(queue, from, to);
    }

    /** Gives the memory back; nothing is on its way. */
    @Override
    public void close() {
        if (packed != null) {
            packed.close();
            packed = null;
        }
        if (whole != null) {
            whole.close();
            whole = null;
        }
    }
}
