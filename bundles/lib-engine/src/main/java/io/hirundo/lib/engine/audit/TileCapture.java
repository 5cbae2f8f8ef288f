package io.hirundo.lib.engine.audit;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.lib.engine.audit.AuditChooser.Draw;
import io.hirundo.lib.engine.audit.TileStaging.Copy;
import io.hirundo.lib.engine.check.GemmObserver;
import io.hirundo.lib.oracle.Rounding;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Copies the drawn tiles of one layer's GEMMs in one step. The GEMMs themselves are unchanged. */
final class TileCapture implements GemmObserver {
    /** A tile with edge length {@code extent} to copy: from the {@code call}-th call of this GEMM. */
    record Wanted(LinearProduct product, int call, int extent, Draw draw) {}

    private final Device device;
    private final Queue queue;
    private final TileStaging staging;
    private final List<Wanted> wanted;
    private final Runnable makeRoom;
    private final Consumer<CapturedTile> captured;
    private final Tile tile;
    private final Map<LinearProduct, Integer> calls = new EnumMap<>(LinearProduct.class);

    /** Identifies the layer and step of a tile. */
    record Tile(long step, int rank, String layer) {}

    /**
     * Creates a capture for one layer and step.
     *
     * @param queue the queue of all GEMMs
     * @param makeRoom called before a tile is copied, because the staging buffers hold only one
     * @param captured receives each tile
     */
    TileCapture(
            Device device,
            Queue queue,
            TileStaging staging,
            Tile tile,
            List<Wanted> wanted,
            Runnable makeRoom,
            Consumer<CapturedTile> captured) {
        this.device = device;
        this.queue = queue;
        this.staging = staging;
        this.tile = tile;
        this.wanted = wanted;
        this.makeRoom = makeRoom;
        this.captured = captured;
    }

    @Override
    public void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        observe(product, work, left, right, result, false);
    }

    @Override
    public void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        observe(product, work, left, right, result, true);
    }

    private void observe(
            LinearProduct product, Runnable work, Observed left, Observed right, Tensor result, boolean added) {
        int call = calls.merge(product, 1, Integer::sum) - 1;
        List<Wanted> here = wanted.stream()
                .filter(each -> each.product() == product && each.call() == call)
                .toList();
        if (here.isEmpty()) {
            work.run();
            return;
        }
        capture(here, work, left, right, result, added);
    }

    private void capture(
            List<Wanted> here, Runnable work, Observed left, Observed right, Tensor result, boolean added) {
        Tensor matrix = result.reshape(result.shape().rows(), result.shape().dim(-1));
        if (matrix.shape().elements() == 0) {
            work.run();
            return;
        }
        makeRoom.run();
        staging.clear();
        List<Part> parts = here.stream().map(one -> Part.of(one, matrix)).toList();
        // All accumulators before the GEMM runs; there is room for one copy of everything else.
        List<Optional<Copy>> before = parts.stream()
                .map(part -> added ? Optional.of(copy(part)) : Optional.<Copy>empty())
                .toList();
        staging.keep();
        work.run();
        try (MultipliedOperand ofRows = left.multiplied().get();
                MultipliedOperand ofColumns = right.multiplied().get()) {
            for (int index = 0; index < here.size() && ofRows != null && ofColumns != null; index++) {
                makeRoom.run();
                Part part = parts.get(index);
                Copy after = copy(part);
                CapturedTile.OperandRows leftRows = copyRows(ofRows, part.firstRow(), part.rowCount());
                CapturedTile.OperandRows rightRows = copyRows(ofColumns, part.firstColumn(), part.columnCount());
                captured.accept(new CapturedTile(
                        tile,
                        here.get(index),
                        part.firstRow(),
                        part.firstColumn(),
                        leftRows,
                        rightRows,
                        before.get(index),
                        after,
                        Rounding.of(result.dtype())));
            }
        }
    }

    /** Where a tile is in the matrix. */
    private record Part(Tensor matrix, long firstRow, long firstColumn, int rowCount, int columnCount) {
        static Part of(Wanted one, Tensor matrix) {
            long rows = matrix.shape().dim(0);
            long columns = matrix.shape().dim(1);
            long firstRow = one.draw().firstRow(rows, one.extent());
            long firstColumn = one.draw().firstColumn(columns, one.extent());
            return new Part(matrix, firstRow, firstColumn, (int) Math.min(one.extent(), rows - firstRow), (int)
                    Math.min(one.extent(), columns - firstColumn));
        }
    }

    private Copy copy(Part part) {
        return copyColumns(
                part.matrix().rows(part.firstRow(), part.rowCount()),
                part.firstColumn(),
                Shape.of(part.rowCount(), part.columnCount()));
    }

    private Copy copyColumns(Tensor matrix, long firstColumn, Shape shape) {
        Copy copy = staging.take(matrix.dtype(), shape);
        device.kernels().elementwise().copyFromColumns(queue, matrix, firstColumn, staging.tensor(copy));
        return copy;
    }

    /** Copies the operand rows of a tile; columns if the operand is contracted over its rows. */
    private CapturedTile.OperandRows copyRows(MultipliedOperand operand, long first, int count) {
        Tensor values = operand.values();
        Tensor matrix = values.reshape(values.shape().rows(), values.shape().dim(-1));
        if (!operand.contractedLast()) {
            Copy copy = copyColumns(matrix, first, Shape.of(matrix.shape().dim(0), count));
            return new CapturedTile.OperandRows(copy, false, Optional.empty(), null);
        }
        Copy copy = copy(matrix.rows(first, count));
        return new CapturedTile.OperandRows(
                copy,
                true,
                operand.scaled().map(ScaledMatrix::block),
                operand.scaled()
                        .map(scaled -> copyScales(scaled, matrix.shape(), first, count))
                        .orElse(null));
    }

    private Copy copy(Tensor from) {
        Copy copy = staging.take(from.dtype(), from.shape());
        device.kernels().elementwise().copy(queue, from, staging.tensor(copy));
        return copy;
    }

    /** Copies the scales of some rows: [blocks, rows] for row scales, [1, blocks] for square blocks, or a single scale. */
    private Copy copyScales(ScaledMatrix scaled, Shape matrix, long first, int count) {
        Shape shape = scaled.block().scales(matrix.dim(0), matrix.dim(1));
        Tensor all = scaled.inverseScales().view(0, shape);
        return switch (scaled.block()) {
            case ROW -> copyColumns(all, first, Shape.of(shape.dim(0), count));
            // Tiles are aligned to 32, so a tile is inside one row of scale blocks.
            case SQUARE -> copy(all.rows(first / ScaleBlock.EXTENT, 1));
            case MATRIX -> copy(all);
        };
    }
}
