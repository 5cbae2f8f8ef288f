package io.hirundo.paralleldp.internal.layout;

import io.hirundo.model.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the layouts of a rank's parameters, one after the other, in the same order on all ranks. Where the optimizer needs no whole parameters,
 * all slices are equal; where it needs blocks, parameters and slices begin with one. Otherwise parameters that must stay in one piece have layouts of their own, and the others are cut where they level
 * the ranks.
 */
public final class Layouts {
  private static final Logger LOG = LoggerFactory.getLogger(Layouts.class);

  /** Above this the fullest rank's share is worth a warning: the bound of balanced real models. */
  private static final double LARGE_IMBALANCE = 1.03;

  private final List<Long> elements;
  private final int ranks;
  /** Parameters and slices begin at multiples of this. */
  private final int alignment;
  private final Set<Integer> wholes = new HashSet<>();
  /** Null where all parameters are cut evenly. */
  private final WholeOwners owners;
  /** What each rank still gets of the parameters that are cut. */
  private final List<Long> fills;

  private Layouts(List<ParameterSpec> specs, int ranks, Function<ParameterSpec, Ownership> ownership) {
    this.elements = specs.stream().map(spec -> spec.shape().elements()).toList();
    this.ranks = ranks;
    boolean inBlocks = ranks > 1 && specs.stream().anyMatch(spec -> ownership.apply(spec) == Ownership.BLOCKS);
    this.alignment = inBlocks ? Ownership.BLOCK_ELEMENTS : 1;
    if (ranks > 1) {
      IntStream.range(0, specs.size()).filter(index -> ownership.apply(specs.get(index)) == Ownership.TENSOR).forEach(wholes::add);
    }
    this.owners = wholes.isEmpty() ? null : new WholeOwners(elements, wholes::contains, ranks);
    this.fills = owners == null ? List.of() : owners.fills();
  }

  /**
   * For these parameters.
   *
   * @param rank of the group; the first one logs how even the ranks are
   */
  public static Layouts of(List<ParameterSpec> specs, int rank, int ranks, Function<ParameterSpec, Ownership> ownership) {
    var layouts = new Layouts(specs, ranks, ownership);
    if (layouts.owners != null && rank == 0) {
      layouts.log();
    }
    return layouts;
  }

  private void log() {
    double imbalance = imbalance();
    String percent = String.format(Locale.ROOT, "%.1f", (imbalance - 1) * 100);
    if (imbalance > LARGE_IMBALANCE) {
      LOG.warn(
          "the optimizer needs {} whole parameters: the fullest of {} data ranks owns {} % more than an even share, because there are too few or"
              + " too large ones; fewer data ranks are more even",
          wholes.size(), ranks, percent);
    } else {
      LOG.debug("{} whole parameters, the fullest of {} data ranks owns {} % more than an even share", wholes.size(), ranks, percent);
    }
  }

  /** Elements of the rank that owns most, over an even share. */
  public double imbalance() {
    return owners == null ? 1 : owners.imbalance();
  }

  /**
   * Layouts of parameters that are sent together: one, or one with those in one piece and one with the others.
   *
   * @param parameters indices, in their order
   */
  public List<BucketLayout> of(List<Integer> parameters) {
    if (owners == null) {
      return List.of(BucketLayout.packed(parameters, elements, ranks, alignment));
    }
    var layouts = new ArrayList<BucketLayout>();
    List<Integer> whole = parameters.stream().filter(wholes::contains).sorted(Comparator.comparing(owners::owner)).toList();
    if (!whole.isEmpty()) {
      layouts.add(BucketLayout.owned(whole, elements, owners::owner, ranks));
    }
    List<Integer> cut = parameters.stream().filter(parameter -> !wholes.contains(parameter)).toList();
    if (!cut.isEmpty()) {
      layouts.add(BucketLayout.filling(cut, elements, fills, alignment));
    }
    return layouts;
  }

  /** Of all parameters, filled as {@link BucketLayout#groups} does. */
  public List<BucketLayout> buckets(long closingElements) {
    return BucketLayout.groups(elements, closingElements).stream().flatMap(group -> of(group).stream()).toList();
  }
}
