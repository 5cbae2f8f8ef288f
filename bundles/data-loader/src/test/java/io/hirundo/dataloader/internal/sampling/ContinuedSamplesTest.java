package io.hirundo.dataloader.internal.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.dataloader.internal.DocumentOptions;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.indexed.TokenType;
import io.hirundo.testkit.CtrlC;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A blend that changes during a run. */
class ContinuedSamplesTest {
    private static final int SEQUENCE = 4;
    private static final int DOCUMENT = SEQUENCE + 1;
    private static final int DOCUMENTS = 40;
    /** Tokens of a dataset begin at a multiple of this, so that a token shows where it is from. */
    private static final int DATASET = 1000;

    private static final SampleRequest REQUEST = new SampleRequest(7, SEQUENCE, 60, 0);

    @TempDir
    private Path folder;

    private WeightedPrefix dataset(int number, double weight) {
        Path prefix = folder.resolve("set-" + number);
        if (!prefix.resolveSibling("set-" + number + ".idx").toFile().exists()) {
            try (var writer = IndexedDatasetWriter.create(prefix, TokenType.I32)) {
                for (int document = 0; document < DOCUMENTS; document++) {
                    int first = number * DATASET + document * DOCUMENT;
                    writer.add(IntStream.range(first, first + DOCUMENT).toArray());
                }
                writer.commit(_ -> null);
            }
        }
        return new WeightedPrefix(prefix.toString(), weight);
    }

    private static DataSource source(WeightedPrefix... blend) {
        return new IndexedFactory(new CtrlC())
                .create(new IndexedOptions(List.of(blend), "1", new DocumentOptions(), SampleOrder.MEGATRON, true));
    }

    private static List<int[]> read(SampleSet samples, long from, long end) {
        var rows = new ArrayList<int[]>();
        for (long index = from; index < end; index++) {
            int[] row = new int[SEQUENCE + 1];
            samples.read(Split.TRAINING, index, row);
            rows.add(row);
        }
        return rows;
    }

    private static long of(int dataset, List<int[]> rows) {
        return rows.stream().filter(row -> row[0] / DATASET == dataset).count();
    }

    @Test
    void everyDatasetContinuesAtItsCursor() {
        try (var before = source(dataset(1, 0.5), dataset(2, 0.5)).open(REQUEST)) {
            var from = before.cursorAfter(20);
            assertEquals(10, from.parts().get(dataset(1, 1).prefix()).read());
            try (var after = source(dataset(1, 0.75), dataset(2, 0.25)).open(REQUEST, from)) {
                var first = read(before, 0, 20);
                var then = read(after, 20, 60);
                assertEquals(10, of(1, first));
                assertEquals(30, of(1, then));
                assertEquals(10, of(2, then));
                // 40 of the first dataset's 49 samples: consecutive ones share a token, so first tokens tell samples
                // apart.
                var seen = new TreeSet<Integer>();
                for (int[] row : first) {
                    assertTrue(seen.add(row[0]), "read twice: " + row[0]);
                }
                for (int[] row : then) {
                    assertTrue(seen.add(row[0]), "read twice: " + row[0]);
                }
            }
        }
    }

    @Test
    void theSameWeightsContinueTheSameOrderOfEachDataset() {
        try (var before = source(dataset(1, 0.5), dataset(2, 0.5)).open(REQUEST);
                var after = source(dataset(1, 0.5), dataset(2, 0.5)).open(REQUEST, before.cursorAfter(20))) {
            var expected = read(before, 20, 60);
            var found = read(after, 20, 60);
            for (int index = 0; index < expected.size(); index++) {
                assertArrayEquals(expected.get(index), found.get(index));
            }
        }
    }

    @Test
    void datasetsCanJoinAndLeaveABlend() {
        try (var before = source(dataset(1, 0.5), dataset(2, 0.5)).open(REQUEST)) {
            var from = before.cursorAfter(20);
            try (var after = source(dataset(2, 0.5), dataset(3, 0.5)).open(REQUEST, from)) {
                var rows = read(after, 20, 60);
                assertEquals(0, of(1, rows));
                assertEquals(20, of(2, rows));
                assertEquals(20, of(3, rows));
            }
        }
    }

    @Test
    void reshufflesADatasetAfterItsLastSample() {
        // Fifty samples of a dataset that was asked for ten, which are one pass of forty-nine.
        var from = new DataCursor(10, Map.of(dataset(1, 1).prefix(), new DataCursor.Part(10, 10)));
        try (var after = source(dataset(1, 1)).open(REQUEST, from)) {
            var first = read(after, 10, 49).stream().map(row -> row[0]).toList();
            assertEquals(39, new TreeSet<>(first).size());
            assertEquals(
                    11,
                    new TreeSet<>(read(after, 49, 60).stream()
                                    .map(row -> row[0])
                                    .toList())
                            .size());
            assertEquals(
                    60,
                    after.cursorAfter(60).parts().get(dataset(1, 1).prefix()).read());
        }
    }

    @Test
    void resumedRunReadsTheSameSamples() {
        try (var before = source(dataset(1, 0.5), dataset(2, 0.5)).open(REQUEST)) {
            var from = before.cursorAfter(20);
            try (var after = source(dataset(1, 0.9), dataset(2, 0.1)).open(REQUEST, from);
                    var resumed = source(dataset(1, 0.9), dataset(2, 0.1)).open(REQUEST, from)) {
                assertEquals(after.cursorAfter(37), resumed.cursorAfter(37));
                assertArrayEquals(
                        read(after, 41, 42).getFirst(), read(resumed, 41, 42).getFirst());
                assertThrows(IndexOutOfBoundsException.class, () -> read(after, 19, 20));
            }
        }
    }
}
