package io.hirundo.trainer.internal.audit;

import java.util.List;

/**
 * Draws what is audited, from seed and step alone, so that all ranks draw the same without a message.
 *
 * @param seed of the run
 * @param rate audits of a step; below 1 not every step has one
 */
public record AuditChooser(long seed, double rate) {
  /** What is drawn. Each has numbers of its own. */
  enum Purpose {
    RANK,
    LAYER,
    PRODUCT,
    CALL,
    ROW_TILE,
    COLUMN_TILE,
    COLLECTIVE_RANK,
    GROUP,
    COLLECTIVE,
    SOURCE,
    CHUNK
  }

  private static final long STEPS = 0x9e3779b97f4a7c15L;
  private static final long INDICES = 0xd1b54a32d192ed03L;
  private static final long PURPOSES = 0x8cb92ba72f3d8dd7L;

  /** Audits of a step, which counts from 1. Over all steps they are {@link #rate} a step. */
  public int count(long step) {
    return (int) (begun(step) - begun(step - 1));
  }

  private long begun(long steps) {
    return (long) Math.floor(steps * rate);
  }

  /** The {@code index}-th audit of a step. */
  public Draw draw(long step, int index) {
    return new Draw(mix(mix(seed + step * STEPS) + index * INDICES));
  }

  /** One audit. */
  public record Draw(long key) {
    /** Which rank of so many has the tile. */
    public int rank(int ranks) {
      return below(Purpose.RANK, ranks);
    }

    /** Which product of that rank's layers, each of which has one or more. */
    public ProductPlan product(List<List<ProductPlan>> layers) {
      List<ProductPlan> products = layers.get(below(Purpose.LAYER, layers.size()));
      return products.get(below(Purpose.PRODUCT, products.size()));
    }

    /** Which of the step's calls of that product. */
    public int call(ProductPlan product) {
      return below(Purpose.CALL, product.calls());
    }

    /** First row of the tile in a result of so many. */
    public long firstRow(long rows) {
      return first(Purpose.ROW_TILE, rows);
    }

    /** First column of the tile in a result of so many. */
    public long firstColumn(long columns) {
      return first(Purpose.COLUMN_TILE, columns);
    }

    private long first(Purpose purpose, long extent) {
      return (long) ProductPlan.TILE * below(purpose, Math.toIntExact(ProductPlan.tiles(extent)));
    }

    /** Uniform in {@code [0, bound)}. */
    int below(Purpose purpose, int bound) {
      double unit = (mix(key + (purpose.ordinal() + 1) * PURPOSES) >>> 11) * 0x1p-53;
      return (int) (unit * bound);
    }
  }

  /** SplitMix64 (Steele, Lea and Flood 2014). */
  private static long mix(long seed) {
    long z = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
