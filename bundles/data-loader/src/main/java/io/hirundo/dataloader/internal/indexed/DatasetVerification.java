package io.hirundo.dataloader.internal.indexed;

import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** Compares all blocks of an open dataset with their checksums, on all cores. */
public final class DatasetVerification {
    private static final long BATCH_BLOCKS = 256;

    private final IndexedDataset dataset;
    private final BlockSums sums;

    DatasetVerification(IndexedDataset dataset, BlockSums sums) {
        this.dataset = dataset;
        this.sums = sums;
    }

    public long blocks() {
        return sums.blocks();
    }

    /** Bytes of all blocks. */
    public long bytes() {
        return sums.endByte(sums.blocks() - 1);
    }

    /**
     * Checks every block.
     *
     * @param damaged receives the number of each block that differs, in ascending order
     * @param progress receives the bytes read so far
     * @param stop polled before each block
     * @return false if it was stopped before the end
     * @throws io.hirundo.DataException if the checksums are damaged or a file cannot be read
     */
    public boolean run(LongConsumer damaged, LongConsumer progress, BooleanSupplier stop) {
        sums.requireWhole();
        for (long first = 0; first < blocks(); first += BATCH_BLOCKS) {
            long end = Math.min(first + BATCH_BLOCKS, blocks());
            LongStream.range(first, end)
                    .parallel()
                    .filter(block -> !stop.getAsBoolean() && !sums.isIntact(block))
                    .sorted()
                    .forEachOrdered(damaged);
            if (stop.getAsBoolean()) {
                return false;
            }
            progress.accept(sums.endByte(end - 1));
        }
        return true;
    }

    /** A block, its bytes and its documents, for messages. */
    public String describe(long block) {
        return dataset.files().tokens() + ", " + sums.describe(block) + ", "
                + dataset.documentsOf(sums.firstByte(block), sums.endByte(block));
    }
}
