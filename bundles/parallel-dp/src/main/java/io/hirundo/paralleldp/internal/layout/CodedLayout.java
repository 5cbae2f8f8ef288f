package io.hirundo.paralleldp.internal.layout;

import java.util.List;
import java.util.Optional;

/**
 * How the weights of a layout travel when some of them have codings.
 *
 * @param names of all parameters, in the order of declaration
 * @param codes those that have codings
 * @param others those that have none
 */
public record CodedLayout(BucketLayout layout, List<String> names, Codings codings, Packing codes, Packing others) {
  /** Empty where no weight of the layout has a coding. */
  public static Optional<CodedLayout> of(BucketLayout layout, List<String> names, Codings codings) {
    Packing codes = Packing.of(layout, place -> codings.has(names.get(place.parameter())));
    Packing others = Packing.of(layout, place -> !codings.has(names.get(place.parameter())));
    return codes.isEmpty() ? Optional.empty() : Optional.of(new CodedLayout(layout, names, codings, codes, others));
  }

  public boolean isCoded(BucketLayout.Place place) {
    return codings.has(name(place));
  }

  String name(BucketLayout.Place place) {
    return names.get(place.parameter());
  }

  /** Of the parameters without codings. */
  public long otherElements() {
    return layout.places().stream().filter(place -> !isCoded(place)).mapToLong(BucketLayout.Place::elements).sum();
  }

  /** Where one of these begins, when they lie one behind the other. */
  public long firstOfOthers(BucketLayout.Place other) {
    return layout.places().stream()
        .filter(place -> !isCoded(place) && place.first() < other.first())
        .mapToLong(BucketLayout.Place::elements)
        .sum();
  }
}
