package io.hirundo.trainer.internal.audit;

import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.tensor.DType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * A product of a layer as a step makes it: what an audit of it takes.
 *
 * @param layer name of the weight
 * @param calls in a step, or in what of it was seen; those of other extents than the first count as well
 * @param rows of the result of the largest call
 * @param columns of the result of the largest call
 * @param summands K of the largest call
 * @param result type of the result
 * @param left how the operand is stored that has the rows of the result
 * @param right how the operand is stored that has its columns
 * @param quantizedBytes largest memory that looking at both operands takes, and that is given back
 */
public record ProductPlan(
    String layer,
    LinearProduct product,
    int calls,
    long rows,
    long columns,
    long summands,
    DType result,
    Stored left,
    Stored right,
    long quantizedBytes) {
  /** Extent of an audited tile. */
  public static final int TILE = 32;

  /** An operand as it is multiplied: its type, and what shares a scale where that has 8 bits. */
  public record Stored(DType dtype, Optional<ScaleBlock> block) {
    static Stored of(MultipliedOperand operand) {
      return new Stored(operand.values().dtype(), operand.scaled().map(ScaledMatrix::block));
    }

    /** Scales of some rows. */
    long scales(long rows, long summands) {
      return block.map(of -> switch (of) {
        case ROW -> blocks(summands) * rows;
        case SQUARE -> ScaleBlock.SQUARE.scales(1, summands).elements();
        case MATRIX -> 1L;
      }).orElse(0L);
    }
  }

  static long blocks(long extent) {
    return (extent + ScaleBlock.EXTENT - 1) / ScaleBlock.EXTENT;
  }

  /** Of an extent; the last may be smaller. */
  public static long tiles(long extent) {
    return (extent + TILE - 1) / TILE;
  }

  /** Elements of each type that are copied for a tile. */
  public Map<DType, Long> copiedElements() {
    var elements = new EnumMap<DType, Long>(DType.class);
    long tileRows = Math.min(TILE, rows);
    long tileColumns = Math.min(TILE, columns);
    int copies = product == LinearProduct.WEIGHT_GRADIENT ? 2 : 1;
    elements.merge(result, copies * tileRows * tileColumns, Long::sum);
    add(elements, left, tileRows);
    add(elements, right, tileColumns);
    return elements;
  }

  private void add(Map<DType, Long> elements, Stored operand, long tileRows) {
    elements.merge(operand.dtype(), tileRows * summands, Long::sum);
    if (operand.block().isPresent()) {
      elements.merge(DType.FP32, operand.scales(tileRows, summands), Long::sum);
    }
  }

  /** Of another call of the same product. */
  ProductPlan plus(ProductPlan other) {
    boolean larger = other.rows * other.summands > rows * summands;
    ProductPlan most = larger ? other : this;
    return new ProductPlan(
        layer, product, calls + other.calls, Math.max(rows, other.rows), Math.max(columns, other.columns),
        Math.max(summands, other.summands), most.result, most.left, most.right, Math.max(quantizedBytes, other.quantizedBytes));
  }
}
