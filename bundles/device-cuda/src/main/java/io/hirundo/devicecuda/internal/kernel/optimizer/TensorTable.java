package io.hirundo.devicecuda.internal.kernel.optimizer;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.Launch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The tensors of a multi-tensor launch, in the layout of {@code Tensors} in {@code optimizer.cu}. Tensors of a row have equal size, and all
 * rows have the same dtypes.
 */
final class TensorTable {
    /**
     * The layout of a kernel's tables.
     *
     * @param pointers tensors per row
     * @param mostRows maximum rows of a table
     * @param blockElements elements of each tensor of a row per block
     * @param mostBlocks maximum blocks of a launch, up to 2^31 - 1
     */
    record Form(int pointers, int mostRows, long blockElements, long mostBlocks) {
        private long addressesBytes() {
            return (long) mostRows * pointers * Long.BYTES;
        }

        private long elementsBytes() {
            return (long) mostRows * Long.BYTES;
        }

        private long blocks(List<CudaTensor> row) {
            return Math.ceilDiv(row.getFirst().elements(), blockElements);
        }
    }

    private final Form form;
    private final List<List<CudaTensor>> rows = new ArrayList<>();
    private long blocks;

    private TensorTable(Form form) {
        this.form = form;
    }

    /** As few tables as possible for the rows, in order. A single row never exceeds the blocks of a launch. */
    static List<TensorTable> of(Form form, List<List<CudaTensor>> rows) {
        var tables = new ArrayList<TensorTable>();
        for (List<CudaTensor> row : rows) {
            if (tables.isEmpty() || !tables.getLast().hasRoomFor(row)) {
                tables.add(new TensorTable(form));
            }
            tables.getLast().add(row);
        }
        return tables;
    }

    private boolean hasRoomFor(List<CudaTensor> row) {
        return rows.size() < form.mostRows()
                && rows.getFirst().getFirst().dtype() == row.getFirst().dtype()
                && blocks + form.blocks(row) <= form.mostBlocks();
    }

    private void add(List<CudaTensor> row) {
        rows.add(row);
        blocks += form.blocks(row);
    }

    /** One of the tensors, for their common dtype. */
    CudaTensor any() {
        return rows.getFirst().getFirst();
    }

    long blocks() {
        return blocks;
    }

    /** Adds the table to a launch's parameters. */
    Launch to(Launch launch) {
        long firstBlocksAt = form.addressesBytes() + form.elementsBytes();
        long countAt = firstBlocksAt + (form.mostRows() + 1L) * Integer.BYTES;
        MemorySegment bytes = launch.structure(countAt + Integer.BYTES);
        long firstBlock = 0;
        for (int row = 0; row < rows.size(); row++) {
            List<CudaTensor> tensors = rows.get(row);
            for (int pointer = 0; pointer < tensors.size(); pointer++) {
                bytes.setAtIndex(
                        JAVA_LONG, (long) row * form.pointers() + pointer, launch.address(tensors.get(pointer)));
            }
            bytes.set(
                    JAVA_LONG,
                    form.addressesBytes() + (long) row * Long.BYTES,
                    tensors.getFirst().elements());
            bytes.set(JAVA_INT, firstBlocksAt + (long) row * Integer.BYTES, (int) firstBlock);
            firstBlock += form.blocks(tensors);
        }
        bytes.set(JAVA_INT, firstBlocksAt + (long) rows.size() * Integer.BYTES, (int) firstBlock);
        bytes.set(JAVA_INT, countAt, rows.size());
        return launch;
    }
}
