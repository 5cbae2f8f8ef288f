package io.hirundo.paralleldp.internal.weights;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** All-gathers of tensors that are sharded as master weights are, one layout at a time, for those who shard them in another way. */
public final class OwnedGather {
    private final Device device;
    private final ProcessGroup group;
    private final List<BucketLayout> layouts;
    private final List<Parameter> parameters;
    private final Map<String, Parameter> owned = new HashMap<>();

    /**
     * For the ranks of a group.
     *
     * @param parameters all, in the order of declaration
     * @param owned the runs of this rank
     */
    public OwnedGather(
            Device device,
            ProcessGroup group,
            List<BucketLayout> layouts,
            List<Parameter> parameters,
            List<Parameter> owned) {
        this.device = device;
        this.group = group;
        this.layouts = List.copyOf(layouts);
        this.parameters = List.copyOf(parameters);
        owned.forEach(run -> this.owned.put(run.spec().name(), run));
    }

    /** Whether parameters and slices begin at multiples of so many elements. */
    public boolean isDivisible(int block) {
        return layouts.stream().allMatch(layout -> layout.isDivisible(block));
    }

    /**
     * See {@link io.hirundo.parallel.ShardedParameters#gatherOwned}.
     *
     * @param block elements of a parameter for each element of the tensors
     */
    public void gather(
            Queue queue,
            DType dtype,
            int block,
            Function<Parameter, Tensor> ofOwned,
            BiConsumer<String, Tensor> reader) {
        for (BucketLayout ofElements : layouts) {
            BucketLayout layout = ofElements.inBlocks(block);
            try (Tensor whole = device.allocate(MemoryCategory.COMMUNICATION, Shape.of(layout.elements()), dtype)) {
                for (BucketLayout.Place place : layout.places()) {
                    layout.run(place, group.rank()).ifPresent(run -> {
                        Tensor own = ofOwned.apply(owned.get(name(place)));
                        if (own != null) {
                            device.kernels()
                                    .elementwise()
                                    .copy(queue, own, whole.view(run.firstOfBucket(), Shape.of(run.elements())));
                        }
                    });
                }
                if (group.size() > 1) {
                    layout.shards().allGather(queue, group, whole).forEach(ended -> queue.await(ended.event()));
                }
                for (BucketLayout.Place place : layout.places()) {
                    if (place.elements() == 0) {
                        // Smaller than a block, so it has no such tensor.
                        continue;
                    }
                    reader.accept(name(place), whole.view(place.first(), Shape.of(place.elements())));
                }
            }
        }
    }

    /** Allocates and frees the memory of the largest layout; throws where there is no room. */
    public void rehearse(DType dtype) {
        long elements = layouts.stream().mapToLong(BucketLayout::elements).max().orElse(0);
        device.allocate(MemoryCategory.COMMUNICATION, Shape.of(elements), dtype).close();
    }

    private String name(BucketLayout.Place place) {
        return parameters.get(place.parameter()).spec().name();
    }
}
