package io.hirundo.precision.support;

import io.hirundo.ConfigurationException;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearShape;
import java.util.Optional;

/**
 * Which layers of a model are computed in 8 bits: those that may be by some options, and whose extents Hopper's matrix products
 * take. The others are computed in bf16.
 */
public final class QuantizedLayers {
  /** What Hopper's matrix products ask of both extents. */
  private static final int MULTIPLE = 16;

  private final Options options;
  private final LayerPlaces places;

  /**
   * Which layers may be.
   *
   * @param firstInBf16 blocks at the beginning of the model that may not
   * @param lastInBf16 blocks at its end that may not
   * @param queryKeyValue whether projections to queries, keys and values may
   * @param head whether the loss head may
   */
  public record Options(int firstInBf16, int lastInBf16, boolean queryKeyValue, boolean head) {}

  /** Before a model is known: by extents alone. */
  public QuantizedLayers(Options options) {
    this(options, LayerPlaces.UNKNOWN);
  }

  private QuantizedLayers(Options options, LayerPlaces places) {
    this.options = options;
    this.places = places;
  }

  /**
   * Those of a model.
   *
   * @throws ConfigurationException where more of its blocks are to stay in BF16 than it has
   */
  public QuantizedLayers of(ModelSpec model) {
    LayerPlaces ofModel = LayerPlaces.of(model);
    if ((long) options.firstInBf16() + options.lastInBf16() > ofModel.blockCount()) {
      throw new ConfigurationException(
          "precision: firstInBf16 " + options.firstInBf16() + " and lastInBf16 " + options.lastInBf16() + " are more blocks than the model's "
              + ofModel.blockCount() + "; give fewer, or precision bf16 for all");
    }
    return new QuantizedLayers(options, ofModel);
  }

  /** Whether this one is. */
  public boolean contains(LinearShape shape) {
    return reasonForBf16(shape).isEmpty();
  }

  /** As {@link io.hirundo.precision.PrecisionStrategy#describe} says it. */
  public String describe(LinearShape shape) {
    return reasonForBf16(shape).map(reason -> "bf16 (" + reason + ")").orElse("fp8");
  }

  private Optional<String> reasonForBf16(LinearShape shape) {
    return places.excluded(shape.name(), options)
        .or(() -> notMultiple(shape.outputs(), "outputs"))
        .or(() -> notMultiple(shape.inputs(), "inputs"));
  }

  private static Optional<String> notMultiple(long extent, String what) {
    return extent % MULTIPLE == 0
        ? Optional.empty()
        : Optional.of(extent + " " + what + " are no multiple of " + MULTIPLE);
  }
}
