package io.hirundo.fp8blockwise.internal;

import io.hirundo.kernel.ScaleBlock;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Support;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether the blocks of what ranks share are those of a single rank: then codes and scales are so too, to the bit, given the
 * same values. So it is where every share is a number of whole blocks. What is not split may have any extents.
 *
 * @param layers whole, by the name of their weight
 */
record BlockAlignment(Map<String, Whole> layers) {
  /** Before a model is known: nothing is split. */
  static final BlockAlignment UNKNOWN = new BlockAlignment(Map.of());

  private static final String REMEDY = "split it less, or choose blocks: shard-local";

  /** A layer of the model; its parts are split each by itself. */
  private record Whole(List<LinearPart> parts, long inputs) {
    long outputs() {
      return parts.stream().mapToLong(LinearPart::outputs).sum();
    }

    /** Ranks that share the outputs, if one of them holds so many. */
    long ranks(long held) {
      for (long ranks = 2; ranks <= outputs(); ranks++) {
        long number = ranks;
        if (parts.stream().mapToLong(part -> share(part, number)).sum() == held) {
          return ranks;
        }
      }
      throw new IllegalArgumentException(held + " outputs are no share of " + this);
    }

    /** Where there are more ranks than units of several rows, each has a whole one. */
    static long share(LinearPart part, long ranks) {
      return part.unit() > 1 && part.units() < ranks ? part.unit() : part.outputs() / ranks;
    }
  }

  static BlockAlignment of(ModelSpec model) {
    var layers = new HashMap<String, Whole>();
    model.blocks().stream()
        .flatMap(block -> block.layers().stream())
        .forEach(
            layer -> {
              switch (layer) {
                case LayerSpec.Linear linear ->
                    layers.put(linear.parameterName(), new Whole(linear.parts(), linear.inputs()));
                case LayerSpec.LossHead head ->
                    layers.put(
                        head.path(), new Whole(List.of(new LinearPart(head.path(), head.vocabulary())), head.hidden()));
                default -> {}
              }
            });
    return new BlockAlignment(layers);
  }

  /** The layer that a rank has a share of, all of it: what a single rank would compute. */
  LinearShape whole(LinearShape share) {
    Whole whole = layers.get(share.name());
    return whole == null ? share : new LinearShape(share.name(), whole.outputs(), whole.inputs());
  }

  /** {@code shape}: as a rank holds it. */
  Support supports(LinearShape shape) {
    Whole whole = layers.get(shape.name());
    if (whole == null) {
      return Support.YES;
    }
    if (shape.inputs() < whole.inputs && shape.inputs() % ScaleBlock.EXTENT != 0) {
      return cut(shape.inputs() + " of its " + whole.inputs + " inputs");
    }
    if (shape.outputs() < whole.outputs()) {
      long ranks = whole.ranks(shape.outputs());
      for (LinearPart part : whole.parts) {
        long share = Whole.share(part, ranks);
        if (share % ScaleBlock.EXTENT != 0) {
          boolean alone = whole.parts.size() == 1;
          String outputs = part.outputs() + " outputs" + (alone ? "" : " of " + part.path());
          return cut(share + " of " + (alone ? "its " : "the ") + outputs);
        }
      }
    }
    return Support.YES;
  }

  private static Support cut(String share) {
    return Support.no(
        "a rank has " + share + ", no multiple of " + ScaleBlock.EXTENT + ", which cuts blocks of a scale; " + REMEDY);
  }

  Support supportsPieces(long tokens) {
    return tokens % ScaleBlock.EXTENT == 0
        ? Support.YES
        : Support.no(
            "pieces of " + tokens + " tokens are no multiple of " + ScaleBlock.EXTENT + ", which cuts blocks of a scale; "
                + "take longer sequences, or choose blocks: shard-local");
  }
}
