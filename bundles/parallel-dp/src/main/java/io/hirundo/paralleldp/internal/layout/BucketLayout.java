package io.hirundo.paralleldp.internal.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Consecutive parameters in one buffer, which the ranks of a group divide: rank r has the r-th of equal
 * slices, wherever parameters begin or end (distributed optimizer, Rajbhandari et al. 2020, arXiv 1910.02054).
 *
 * @param places of the parameters, from the bucket's beginning
 * @param elements with padding, a multiple of the ranks and of {@link #ALIGNMENT_ELEMENTS}
 * @param ranks of the group that divides the bucket
 */
public record BucketLayout(List<Place> places, long elements, int ranks) {
  /** So that slices begin where wide loads and network packets like to. */
  static final int ALIGNMENT_ELEMENTS = 128;

  /**
   * A parameter in its bucket.
   *
   * @param parameter index in the order of declaration
   * @param first where it begins in the bucket
   */
  public record Place(int parameter, long first, long elements) {
    long end() {
      return first + elements;
    }
  }

  /**
   * A part of a parameter.
   *
   * @param firstOfBucket where it begins in the bucket
   * @param firstOfParameter where it begins in the parameter
   */
  public record Run(long firstOfBucket, long firstOfParameter, long elements) {}

  public BucketLayout {
    places = List.copyOf(places);
  }

  /**
   * Fills buckets with the last declared parameter first, because its gradient is the first to be known.
   *
   * @param parameterElements in the order of declaration
   * @param closingElements a bucket that holds as many takes no further parameter
   */
  public static List<BucketLayout> of(List<Long> parameterElements, long closingElements, int ranks) {
    var buckets = new ArrayList<BucketLayout>();
    var parameters = new ArrayList<Integer>();
    long used = 0;
    for (int parameter = parameterElements.size() - 1; parameter >= 0; parameter--) {
      parameters.add(parameter);
      used += parameterElements.get(parameter);
      if (used >= closingElements || parameter == 0) {
        buckets.add(packed(parameters, parameterElements, ranks));
        parameters.clear();
        used = 0;
      }
    }
    return List.copyOf(buckets);
  }

  /**
   * A bucket of these parameters.
   *
   * @param parameters indices, in the order of the bucket
   * @param parameterElements of all parameters
   */
  public static BucketLayout packed(List<Integer> parameters, List<Long> parameterElements, int ranks) {
    var places = new ArrayList<Place>();
    long used = 0;
    for (int parameter : parameters) {
      long elements = parameterElements.get(parameter);
      places.add(new Place(parameter, used, elements));
      used += elements;
    }
    return new BucketLayout(places, padded(used, ranks), ranks);
  }

  /** Elements up to the padding. */
  public long usedElements() {
    return places.getLast().end();
  }

  public long sliceElements() {
    return elements / ranks;
  }

  public long sliceFirst(int rank) {
    return rank * sliceElements();
  }

  /** What a rank's slice has of a parameter. */
  public Optional<Run> run(Place place, int rank) {
    long first = Math.max(place.first(), sliceFirst(rank));
    long end = Math.min(place.end(), sliceFirst(rank + 1));
    return first < end ? Optional.of(new Run(first, first - place.first(), end - first)) : Optional.empty();
  }

  private static long padded(long used, int ranks) {
    long unit = (long) ALIGNMENT_ELEMENTS / gcd(ALIGNMENT_ELEMENTS, ranks) * ranks;
    return Math.ceilDiv(used, unit) * unit;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
