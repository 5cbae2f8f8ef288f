package io.hirundo.parallel;

import io.hirundo.ConfigurationException;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.Member;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.Replicas;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Derives how weights and their gradients lie on the ranks from logical dimensions and the axes that split them. Nobody declares it,
 * because the right answer depends on the layout:
 * <ol>
 * <li>A weight is sharded along the axes that split its own dimensions.
 * <li>Its gradient is partial along the other axes that split the activation that it is applied to: it is a sum over rows and heads.
 * It is replicated along the rest.
 * <li>Tensors between layers and their gradients are complete. One exception: ranks that share a key/value head each have the
 * gradient of their own query heads, so gradients of its weights are partial among them.
 * <li>A layer must communicate along an axis that splits a dimension that it mixes or sums over (the inputs of a matrix, the entries of
 * a table), splits its inputs and outputs by different dimensions, splits other rows inside than there, or splits only its weights; also
 * along axes that split positions if a term of its loss is per sequence.
 * </ol>
 *
 * @param splits the axes that split a dimension, by its name
 * @param sizes ranks of each axis; 1 for those that are left out
 */
public record Sharding(Map<String, Set<Axis>> splits, Map<Axis, Integer> sizes) {
    /** One rank. */
    public static final Sharding NONE = new Sharding(Map.of(), Map.of());

    /** Larger groups than this are not worth a proposal. */
    private static final long LARGEST_PROPOSAL = 128;

    public Sharding {
        splits = Map.copyOf(splits);
        sizes = Map.copyOf(sizes);
    }

    /**
     * As the trainer splits dimensions: rows by the axes for data and experts, and for contexts; experts by their axis.
     *
     * @param byTensor dimensions that the tensor axis splits; see {@link TensorParallel#splits}
     */
    public static Sharding of(Mesh mesh, Set<String> byTensor) {
        Map<String, Set<Axis>> splits = new HashMap<>();
        splits.put(Dims.SEQUENCES.name(), EnumSet.of(Axis.EXPERT, Axis.DATA));
        splits.put(Dims.DISPATCHED_SEQUENCES.name(), EnumSet.of(Axis.DATA));
        splits.put(Dims.POSITIONS.name(), EnumSet.of(Axis.CONTEXT));
        splits.put(Dims.RESIDUAL_POSITIONS.name(), EnumSet.of(Axis.CONTEXT));
        splits.put(Dims.EXPERTS, EnumSet.of(Axis.EXPERT));
        byTensor.forEach(name ->
                splits.computeIfAbsent(name, any -> EnumSet.noneOf(Axis.class)).add(Axis.TENSOR));
        return new Sharding(splits, mesh.sizes());
    }

    /**
     * Where a weight and its gradient are on the axes with more than one rank.
     *
     * @param sharded each rank has a part of the weight
     * @param partial each rank has the weight and a part of its gradient
     * @param replicated each rank has the weight and all of its gradient
     */
    public record Placement(Set<Axis> sharded, Set<Axis> partial, Set<Axis> replicated) {}

    /** The axes of more than one rank that split a dimension. */
    public Set<Axis> axes(Dim dim) {
        // Without a stream: layout checks call this for each dimension of each layer.
        Set<Axis> axes = EnumSet.noneOf(Axis.class);
        axes.addAll(splits.getOrDefault(dim.leader().name(), Set.of()));
        axes.removeIf(axis -> size(axis) == 1);
        return axes;
    }

    private int size(Axis axis) {
        return sizes.getOrDefault(axis, 1);
    }

    /**
     * Elements of a dimension on each rank.
     *
     * @param of where it is, for messages
     * @throws ConfigurationException if the ranks cannot divide it; names the setting and the allowed sizes
     */
    public long extent(Dim dim, String of) {
        long extent = dim.extent();
        for (Axis axis : axes(dim)) {
            int ranks = size(axis);
            boolean canBeShared = dim.groupOf().isPresent();
            if (canBeShared && extent < ranks && ranks % extent == 0) {
                extent = 1;
            } else if (extent % ranks == 0) {
                extent /= ranks;
            } else {
                throw new ConfigurationException(setting(axis) + " is " + ranks + ", but must divide the " + extent
                        + " elements of " + dim.name() + " in " + of
                        + (canBeShared ? ", or be a multiple of them" : "") + "; allowed are " + divisors(extent)
                        + (canBeShared ? ", or multiples of " + extent : ""));
            }
        }
        return extent;
    }

    /** Rules 1 and 2, for a weight that is no {@link Member}'s. */
    public Placement placement(WeightSpec weight) {
        return placement(weight, axes(weight.shape()));
    }

    /** Rules 1 and 2. Along the axes that split the dimension of a weight's {@link Member}, other ranks have other weights in its place. */
    public Placement placement(LayerSpec<?> layer, WeightSpec weight) {
        Set<Axis> sharded = axes(weight.shape());
        layer.member(weight).ifPresent(member -> sharded.addAll(axes(member.dim())));
        return placement(weight, sharded);
    }

    private Placement placement(WeightSpec weight, Set<Axis> sharded) {
        Set<Axis> partial = axes(weight.on().sections());
        partial.addAll(axes(List.of(weight.on().rows())));
        partial.removeAll(sharded);
        Set<Axis> replicated = EnumSet.noneOf(Axis.class);
        sizes.forEach((axis, ranks) -> replicated.addAll(ranks > 1 ? Set.of(axis) : Set.of()));
        replicated.removeAll(sharded);
        replicated.removeAll(partial);
        return new Placement(sharded, partial, replicated);
    }

    Set<Axis> axes(Collection<List<Dim>> dims) {
        Set<Axis> axes = EnumSet.noneOf(Axis.class);
        dims.forEach(product -> product.forEach(dim -> axes.addAll(axes(dim))));
        return axes;
    }

    /**
     * The axes of the group that reduces the gradient of a weight and may shard it: its ranks have the same elements and other tokens. For
     * most weights all axes that split sequences and positions; for a {@link Member}'s without those that split its dimension. The ranks of
     * the tensor axis are in the {@link Replicas} of {@link #part} instead.
     */
    public Set<Axis> reductionAxes(LayerSpec<?> layer, WeightSpec weight) {
        Set<Axis> axes = EnumSet.noneOf(Axis.class);
        axes.addAll(placement(layer, weight).partial());
        axes.remove(Axis.TENSOR);
        return axes;
    }

    /**
     * Whether a rank has the weights of an element.
     *
     * @param groups the group of the rank along an axis
     */
    public boolean holds(Member member, Function<Axis, ProcessGroup> groups) {
        long first = 0;
        long count = member.dim().extent();
        for (Axis axis : axes(member.dim())) {
            count /= size(axis);
            first += groups.apply(axis).rank() * count;
        }
        return member.index() >= first && member.index() < first + count;
    }

    /**
     * A rank's part of a weight, with the other ranks of the tensor axis that hold the same. The data-parallel strategy sums gradients
     * over the axes that split sequences and positions, along which every rank has all weights.
     *
     * @param groups the group of the rank along an axis
     * @throws ConfigurationException if the ranks cannot divide it
     */
    public ParameterPart part(WeightSpec weight, Function<Axis, ProcessGroup> groups) {
        var part = ParameterPart.whole(weight.path(), weight.globalShape());
        for (int dimension = 0; dimension < weight.shape().size(); dimension++) {
            part = narrowed(part, dimension, weight.shape().get(dimension), groups);
        }
        Placement placement = placement(weight);
        if (size(Axis.TENSOR) == 1 || placement.sharded().contains(Axis.TENSOR)) {
            return part;
        }
        ProcessGroup tensor = groups.apply(Axis.TENSOR);
        return part.with(
                new Replicas(tensor.ranks(), tensor.rank(), placement.partial().contains(Axis.TENSOR)));
    }

    private ParameterPart narrowed(
            ParameterPart part, int dimension, List<Dim> product, Function<Axis, ProcessGroup> groups) {
        checkOnlyOutermostIsSplit(product, part.path());
        long inner = part.globalShape().dim(dimension);
        for (int index = 0; index < product.size(); index++) {
            Dim dim = product.get(index);
            inner /= dim.extent();
            for (Axis axis : axes(dim)) {
                ProcessGroup group = groups.apply(axis);
                long count = extent(dim, part.path());
                int holders = Math.toIntExact(group.size() * count / dim.extent());
                part = part.narrow(dimension, group.rank() / holders * count * inner, count * inner);
                if (holders > 1) {
                    int first = group.rank() / holders * holders;
                    part = part.with(
                            new Replicas(group.ranks().subList(first, first + holders), group.rank() - first, true));
                }
            }
        }
        return part;
    }

    /** A rank's part of a weight is contiguous. */
    private void checkOnlyOutermostIsSplit(List<Dim> product, String path) {
        for (Dim dim : product.subList(1, product.size())) {
            Set<Axis> axes = axes(dim);
            if (!axes.isEmpty()) {
                Axis axis = axes.iterator().next();
                throw new ConfigurationException(
                        setting(axis) + " is " + size(axis) + ", but splits " + dim.name() + ", an inner dimension of "
                                + product.stream().map(Dim::name).toList() + " in " + path
                                + "; allowed is 1, or declare " + dim.name() + " first");
            }
        }
    }

    /** Rule 4: the axes along which a layer must communicate. */
    public Set<Axis> needs(LayerSpec<?> layer) {
        return new LayerNeeds(this, layer).axes();
    }

    /**
     * Checks that the ranks can divide all dimensions of a layer, and have contiguous parts of its weights.
     *
     * @throws ConfigurationException names the setting and the allowed sizes
     */
    public void checkExtents(LayerSpec<?> layer) {
        for (WeightSpec weight : layer.weights()) {
            layer.member(weight).ifPresent(member -> extent(member.dim(), weight.path()));
            for (List<Dim> product : weight.shape()) {
                product.forEach(dim -> extent(dim, weight.path()));
                checkOnlyOutermostIsSplit(product, weight.path());
            }
        }
        for (List<Activation> activations : List.of(layer.inputs(), layer.outputs(), layer.internals())) {
            activations.forEach(activation ->
                    activation.sections().forEach(section -> section.forEach(dim -> extent(dim, layer.name()))));
        }
    }

    /** As in {@code mesh.tensor}. */
    public static String setting(Axis axis) {
        return "mesh." + axis.name().toLowerCase(Locale.ROOT);
    }

    /** As in {@code 1, 2, 4}. */
    public static String divisors(long extent) {
        return LongStream.rangeClosed(1, Math.min(extent, LARGEST_PROPOSAL))
                .filter(divisor -> extent % divisor == 0)
                .mapToObj(Long::toString)
                .collect(Collectors.joining(", "));
    }
}
