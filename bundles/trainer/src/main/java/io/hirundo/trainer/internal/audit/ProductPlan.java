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
 * The shape and the operands of a layer's GEMM in a step, from which the cost of an audit follows.
 *
 * @param layer name of the weight
 * @param calls calls per step, including those of other shapes than the first
 * @param rows rows of the largest result
 * @param columns columns of the largest result
 * @param summands K of the largest call
 * @param result dtype of the result
 * @param left storage of the operand with the rows of the result
 * @param right storage of the operand with the columns of the result
 * @param quantizedBytes peak of the temporary memory to read both operands
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
  /** Edge length of an audited tile. */
  public static final int TILE = 32;

  /** An operand as it is multiplied: its dtype, and the scale block layout if it is FP8. */
  public record Stored(DType dtype, Optional<ScaleBlock> block) {
    static Stored of(MultipliedOperand operand) {
      return new Stored(operand.values().dtype(), operand.scaled().map(ScaledMatrix::block));
    }

    /** Number of scales for some rows. */
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

  /** Number of tiles along an extent; the last one may be smaller. */
  public static long tiles(long extent) {
    return (extent + TILE - 1) / TILE;
  }

  /** Elements of each dtype that are copied for a tile. */
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

  /** Adds another call of the same GEMM. */
  ProductPlan plus(ProductPlan other) {
    boolean larger = other.rows * other.summands > rows * summands;
    ProductPlan most = larger ? other : this;
    return new ProductPlan(
        layer, product, calls + other.calls, Math.max(rows, other.rows), Math.max(columns, other.columns),
        Math.max(summands, other.summands), most.result, most.left, most.right, Math.max(quantizedBytes, other.quantizedBytes));
  }
}
