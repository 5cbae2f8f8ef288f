package io.hirundo.lib.engine.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.data.SampleSet;
import io.hirundo.lib.engine.rank.SampleShard;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchesTest {
    /** Sample k contains the tokens k, k + 1, ... */
    private record Rising(int vocabularyBound) implements SampleSet {
        @Override
        public long count(Split split) {
            return 100;
        }

        @Override
        public void read(Split split, long index, int[] into) {
            Arrays.setAll(into, i -> (int) index + i);
        }

        @Override
        public String describe() {
            return "rising";
        }

        @Override
        public void close() {}
    }

    @Test
    void readsBatchesInOrderFromAnyStart() {
        try (var batches = batches(1000, new SampleShard(2, 0, 1), 10, 14)) {
            assertArrayEquals(new int[] {10, 11, 12, 13}, batches.next().rows().get(0));
            HostBatch second = batches.next();
            assertEquals(2, second.rows().size());
            assertArrayEquals(new int[] {13, 14, 15, 16}, second.rows().get(1));
        }
    }

    @Test
    void dividesEachMicrobatchAmongDataRanks() {
        assertEquals(
                List.of(20L, 21L, 26L, 27L),
                new SampleShard(2, 0, 3).of(20, 12).boxed().toList());
        assertEquals(
                List.of(24L, 25L, 30L, 31L),
                new SampleShard(2, 2, 3).of(20, 12).boxed().toList());
        assertEquals(List.of(22L), new SampleShard(2, 1, 3).of(20, 3).boxed().toList());
        assertEquals(List.of(), new SampleShard(2, 2, 3).of(20, 3).boxed().toList());
    }

    @Test
    void rejectsReadsPastTheEnd() {
        try (var batches = batches(1000, new SampleShard(1, 0, 1), 0, 2)) {
            batches.next();
            assertThrows(IllegalStateException.class, batches::next);
        }
    }

    @Test
    void namesATokenOutsideTheVocabulary() {
        try (var batches = batches(12, new SampleShard(1, 0, 1), 10, 14)) {
            var failure = assertThrows(DataException.class, batches::next);
            assertTrue(failure.getMessage().contains("token 12"), failure.getMessage());
        }
    }

    private static BatchPrefetcher batches(int vocabulary, SampleShard share, long first, long end) {
        return new BatchPrefetcher(new BatchReader(new Rising(0), 3, vocabulary), share, 2, first, end);
    }

    @Test
    void rejectsDataOfALargerVocabulary() {
        var failure = assertThrows(DataException.class, () -> new BatchReader(new Rising(500), 3, 499));
        assertTrue(failure.getMessage().contains("500"), failure.getMessage());
    }
}
