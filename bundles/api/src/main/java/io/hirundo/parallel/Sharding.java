package io.hirundo.parallel;

import io.hirundo.ConfigurationException;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.Replicas;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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
 * a table), splits its inputs and outputs by different dimensions, splits other rows inside than there, or splits only its weights.
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
   * Where a weight and its gradient are on the axes with more than one rank.
   *
   * @param sharded each rank has a part of the weight
   * @param partial each rank has the weight and a part of its gradient
   * @param replicated each rank has the weight and all of its gradient
   */
  public record Placement(Set<Axis> sharded, Set<Axis> partial, Set<Axis> replicated) {}

  /** The axes of more than one rank that split a dimension. */
  public Set<Axis> axes(Dim dim) {
    return splits.getOrDefault(dim.leader().name(), Set.of()).stream()
        .filter(axis -> size(axis) > 1)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Axis.class)));
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
        throw new ConfigurationException(
            setting(axis) + " is " + ranks + ", but must divide the " + extent + " elements of " + dim.name() + " in " + of
                + (canBeShared ? ", or be a multiple of them" : "") + "; allowed are " + divisors(extent)
                + (canBeShared ? ", or multiples of " + extent : ""));
      }
    }
    return extent;
  }

  /** Rules 1 and 2. */
  public Placement placement(WeightSpec weight) {
    Set<Axis> sharded = axes(weight.shape());
    Set<Axis> partial = axes(weight.on().sections());
    partial.addAll(axes(List.of(weight.on().rows())));
    partial.removeAll(sharded);
    Set<Axis> replicated = EnumSet.noneOf(Axis.class);
    sizes.forEach((axis, ranks) -> replicated.addAll(ranks > 1 ? Set.of(axis) : Set.of()));
    replicated.removeAll(sharded);
    replicated.removeAll(partial);
    return new Placement(sharded, partial, replicated);
  }

  private Set<Axis> axes(Collection<List<Dim>> dims) {
    Set<Axis> axes = EnumSet.noneOf(Axis.class);
    dims.forEach(product -> product.forEach(dim -> axes.addAll(axes(dim))));
    return axes;
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
    return part.with(new Replicas(tensor.ranks(), tensor.rank(), placement.partial().contains(Axis.TENSOR)));
  }

  private ParameterPart narrowed(ParameterPart part, int dimension, List<Dim> product, Function<Axis, ProcessGroup> groups) {
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
          part = part.with(new Replicas(group.ranks().subList(first, first + holders), group.rank() - first, true));
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
                + product.stream().map(Dim::name).toList() + " in " + path + "; allowed is 1, or declare " + dim.name() + " first");
      }
    }
  }

  /** Rule 4. */
  public Set<Axis> needs(LayerSpec<?> layer) {
    Set<Axis> needs = axes(List.of(List.copyOf(layer.mixes())));
    layer.weights().forEach(weight -> needs.addAll(axes(summed(weight))));
    needs.addAll(otherRows(layer));
    Map<Axis, Set<String>> inputs = split(layer.inputs());
    Map<Axis, Set<String>> outputs = split(layer.outputs());
    Set<Axis> onlyWeights = EnumSet.noneOf(Axis.class);
    layer.weights().forEach(weight -> onlyWeights.addAll(axes(weight.shape())));
    onlyWeights.removeAll(ofChannels(layer));
    for (Axis axis : sizes.keySet()) {
      Set<String> in = inputs.getOrDefault(axis, Set.of());
      Set<String> out = outputs.getOrDefault(axis, Set.of());
      boolean ends = layer.inputs().isEmpty() || layer.outputs().isEmpty();
      if (onlyWeights.contains(axis) || !ends && !in.equals(out)) {
        needs.add(axis);
      }
    }
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

  /** The axes that split the channels of inputs or outputs. */
  private Set<Axis> ofChannels(LayerSpec<?> layer) {
    return axes(ends(layer).flatMap(activation -> activation.sections().stream()).toList());
  }

  /** The axes that split rows inside a layer otherwise than those of its inputs and outputs. */
  private Set<Axis> otherRows(LayerSpec<?> layer) {
    Set<Axis> other = EnumSet.noneOf(Axis.class);
    for (Activation inside : layer.internals()) {
      ends(layer).forEach(
          end -> sizes.keySet().stream().filter(axis -> !places(end, axis).equals(places(inside, axis))).forEach(other::add));
    }
    return other;
  }

  private static Stream<Activation> ends(LayerSpec<?> layer) {
    return Stream.concat(layer.inputs().stream(), layer.outputs().stream());
  }

  /** The places of rows that an axis splits. */
  private List<Integer> places(Activation activation, Axis axis) {
    return IntStream.range(0, activation.rows().size())
        .filter(place -> axes(activation.rows().get(place)).contains(axis))
        .boxed()
        .toList();
  }

  /** What each axis splits: rows by their place, because the names of places differ between the residual stream and layers. */
  private Map<Axis, Set<String>> split(List<Activation> activations) {
    Map<Axis, Set<String>> split = new EnumMap<>(Axis.class);
    for (Activation activation : activations) {
      for (int place = 0; place < activation.rows().size(); place++) {
        String row = "row " + place;
        axes(activation.rows().get(place)).forEach(axis -> split.computeIfAbsent(axis, any -> new HashSet<>()).add(row));
      }
      for (List<Dim> section : activation.sections()) {
        for (Dim dim : section) {
          axes(dim).forEach(axis -> split.computeIfAbsent(axis, any -> new HashSet<>()).add(dim.leader().name()));
        }
      }
    }
    return split;
  }

  /**
   * Checks that the ranks can divide all dimensions of a layer, and have contiguous parts of its weights.
   *
   * @throws ConfigurationException names the setting and the allowed sizes
   */
  public void checkExtents(LayerSpec<?> layer) {
    for (WeightSpec weight : layer.weights()) {
      for (List<Dim> product : weight.shape()) {
        product.forEach(dim -> extent(dim, weight.path()));
        checkOnlyOutermostIsSplit(product, weight.path());
      }
    }
    for (List<Activation> activations : List.of(layer.inputs(), layer.outputs(), layer.internals())) {
      activations.forEach(
          activation -> activation.sections().forEach(section -> section.forEach(dim -> extent(dim, layer.name()))));
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
