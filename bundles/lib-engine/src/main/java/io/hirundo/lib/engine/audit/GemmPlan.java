package io.hirundo.lib.engine.audit;

import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
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
public record GemmPlan(
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
    /** Largest edge length of an audited tile: not above the scale block size, so that a tile needs the scales of one row of blocks. */
    public static final int TILE = 32;

    /** Edge length in small GEMMs. It divides {@link #TILE}, so that a tile crosses no block border either. */
    private static final int SMALL_TILE = 16;

    /** Below this number of rows and columns, copying the operand rows of a 32 x 32 tile costs too large a fraction of a step. */
    private static final long SMALL_ROWS = 2L * TILE * 16;

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
                    })
                    .orElse(0L);
        }
    }

    static long blocks(long extent) {
        return (extent + ScaleBlock.EXTENT - 1) / ScaleBlock.EXTENT;
    }

    /** Edge length of a tile in this GEMM: 32, or 16 in small GEMMs. */
    public int tile() {
        return rows + columns < SMALL_ROWS ? SMALL_TILE : TILE;
    }

    /** Number of tiles in the result. The last one of a row or column may be smaller. */
    public long tiles() {
        return tiles(rows, tile()) * tiles(columns, tile());
    }

    /** Number of tiles with this edge length along a dimension. */
    static long tiles(long dimension, int tile) {
        return (dimension + tile - 1) / tile;
    }

    /** Elements of each dtype that are copied for a tile. */
    public Map<DType, Long> copiedElements() {
        return stagedElements(1);
    }

    /** Elements of each dtype in the buffers if so many tiles of one call are audited: each accumulator is copied before the GEMM. */
    Map<DType, Long> stagedElements(int tiles) {
        var elements = new EnumMap<DType, Long>(DType.class);
        long tileRows = Math.min(tile(), rows);
        long tileColumns = Math.min(tile(), columns);
        int copies = product == LinearProduct.WEIGHT_GRADIENT ? 1 + tiles : 1;
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

    /** The same counts with another layer's name. */
    GemmPlan named(String other) {
        return new GemmPlan(other, product, calls, rows, columns, summands, result, left, right, quantizedBytes);
    }

    /** Adds another call of the same GEMM. */
    GemmPlan plus(GemmPlan other) {
        boolean larger = other.rows * other.summands > rows * summands;
        GemmPlan most = larger ? other : this;
        return new GemmPlan(
                layer,
                product,
                calls + other.calls,
                Math.max(rows, other.rows),
                Math.max(columns, other.columns),
                Math.max(summands, other.summands),
                most.result,
                most.left,
                most.right,
                Math.max(quantizedBytes, other.quantizedBytes));
    }
}
