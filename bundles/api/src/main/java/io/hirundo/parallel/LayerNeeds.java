package io.hirundo.parallel;

import io.hirundo.mesh.Axis;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.LossTerm;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Along which axes a layer must communicate: rule 4 of {@link Sharding}. */
record LayerNeeds(Sharding sharding, LayerSpec<?> layer) {
    Set<Axis> axes() {
        Set<Axis> needs = sharding.axes(List.of(List.copyOf(layer.mixes())));
        layer.weights().forEach(weight -> needs.addAll(sharding.axes(summed(weight))));
        layer.lossTerms().forEach((term, on) -> needs.addAll(sharding.axes(List.of(mixed(term, on)))));
        needs.addAll(otherRows());
        needs.addAll(onlyOfWeights());
        needs.addAll(otherEnds());
        return needs;
    }

    /** The dimension of a weight that outputs are sums over, or that they are looked up along. */
    private static List<List<Dim>> summed(WeightSpec weight) {
        return switch (weight.use()) {
            case MATRIX -> List.of(weight.shape().get(1));
            case TABLE -> List.of(weight.shape().getFirst());
            case VECTOR -> List.of();
        };
    }

    /** All rows but sequences, which are the first ones. */
    private static List<Dim> mixed(LossTerm term, Activation on) {
        List<Dim> rows = on.rows();
        return switch (term.per()) {
            case TOKEN -> List.of();
            case SEQUENCE -> rows.subList(1, rows.size());
        };
    }

    /** The axes that split rows inside the layer otherwise than those of its inputs and outputs. */
    private Set<Axis> otherRows() {
        Set<Axis> other = EnumSet.noneOf(Axis.class);
        for (Activation inside : layer.internals()) {
            ends().forEach(end -> sharding.sizes().keySet().stream()
                    .filter(axis -> !places(end, axis).equals(places(inside, axis)))
                    .forEach(other::add));
        }
        return other;
    }

    private Stream<Activation> ends() {
        return Stream.concat(layer.inputs().stream(), layer.outputs().stream());
    }

    /** The places of rows that an axis splits. */
    private List<Integer> places(Activation activation, Axis axis) {
        return IntStream.range(0, activation.rows().size())
                .filter(place -> sharding.axes(activation.rows().get(place)).contains(axis))
                .boxed()
                .toList();
    }

    /** The axes that split weights, or decide who has them, but no channels of inputs or outputs. */
    private Set<Axis> onlyOfWeights() {
        Set<Axis> axes = EnumSet.noneOf(Axis.class);
        layer.weights()
                .forEach(weight -> axes.addAll(sharding.placement(layer, weight).sharded()));
        axes.removeAll(sharding.axes(
                ends().flatMap(activation -> activation.sections().stream()).toList()));
        return axes;
    }

    /** The axes that split inputs and outputs by different dimensions. */
    private Set<Axis> otherEnds() {
        Set<Axis> other = EnumSet.noneOf(Axis.class);
        if (layer.inputs().isEmpty() || layer.outputs().isEmpty()) {
            return other;
        }
        Map<Axis, Set<String>> inputs = split(layer.inputs());
        Map<Axis, Set<String>> outputs = split(layer.outputs());
        sharding.sizes().keySet().stream()
                .filter(axis -> !inputs.getOrDefault(axis, Set.of()).equals(outputs.getOrDefault(axis, Set.of())))
                .forEach(other::add);
        return other;
    }

    /** What each axis splits: rows by their place, because the names of places differ between the residual stream and layers. */
    private Map<Axis, Set<String>> split(List<Activation> activations) {
        Map<Axis, Set<String>> split = new EnumMap<>(Axis.class);
        for (Activation activation : activations) {
            for (int place = 0; place < activation.rows().size(); place++) {
                String row = "row " + place;
                sharding.axes(activation.rows().get(place))
                        .forEach(axis -> split.computeIfAbsent(axis, any -> new HashSet<>())
                                .add(row));
            }
            for (List<Dim> section : activation.sections()) {
                for (Dim dim : section) {
                    sharding.axes(dim)
                            .forEach(axis -> split.computeIfAbsent(axis, any -> new HashSet<>())
                                    .add(dim.leader().name()));
                }
            }
        }
        return split;
    }
}
