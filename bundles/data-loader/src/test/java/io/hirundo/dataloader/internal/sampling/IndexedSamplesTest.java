package io.hirundo.dataloader.internal.sampling;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.data.DataSource;
import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.dataloader.internal.DocumentOptions;
import io.hirundo.testkit.CtrlC;
import io.hirundo.testkit.DataContract;
import io.hirundo.testkit.HirundoContract;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

@HirundoContract
class IndexedSamplesTest extends TestDatasets implements DataContract {
    @Override
    public DataSource source() {
        var blend = List.of(dataset("contract-a", 3, 0, 150, 33, 81), dataset("contract-b", 1, 1000, 90, 60));
        return new IndexedFactory(new CtrlC())
                .create(new IndexedOptions(
                        blend, "0.8,0.2", new DocumentOptions(33, true, false, true), SampleOrder.MEGATRON, true));
    }

    private static SampleSet open(String split, SampleRequest request, WeightedPrefix... blend) {
        return source(SampleOrder.MEGATRON, split, blend).open(request);
    }

    private static int[] read(SampleSet samples, Split split, long index, int sequence) {
        int[] into = new int[sequence + 1];
        samples.read(split, index, into);
        return into;
    }

    @Test
    void samplesCarryTheDocumentRules() {
        var set = dataset("a", 1, 0, 7, 3, 9, 4, 6);
        var options = new IndexedOptions(
                List.of(set), "1", new DocumentOptions(2, true, false, true), SampleOrder.MEGATRON, true);
        var source = new IndexedFactory(new CtrlC()).create(options);
        assertEquals(new DocumentRules(2, true, false, true), source.documents());
        try (var samples = source.open(new SampleRequest(1234, 8, 7, 3))) {
            assertEquals(source.documents(), samples.documents());
        }
        assertEquals(DocumentRules.NONE, new DocumentOptions(2, false, false, false).rules());
        var rejection =
                assertThrows(ConfigurationException.class, () -> new DocumentOptions(-1, false, true, false).rules());
        assertTrue(rejection.getMessage().startsWith("documents.endToken: -1"), rejection.getMessage());
    }

    @Test
    void cutsSamplesFromTheShuffledDocuments() {
        var set = dataset("a", 1, 0, 7, 3, 9, 4, 6);
        try (var samples = open("1", new SampleRequest(1234, 8, 7, 3), set)) {
            assertEquals(7, samples.count(Split.TRAINING));
            assertEquals(0, samples.count(Split.VALIDATION));
            // The golden's shuffle begins with sample 6, at (7, 4): document 0 from token 4, then 1, then 3, which ends
            // the data.
            assertArrayEquals(new int[] {4, 5, 6, 7, 8, 9, 19, 20, 21}, read(samples, Split.TRAINING, 0, 8));
            // Its third is sample 0: all of document 2, which is nine long.
            assertArrayEquals(new int[] {10, 11, 12, 13, 14, 15, 16, 17, 18}, read(samples, Split.TRAINING, 2, 8));
        }
    }

    @Test
    void anEpochShowsEveryTokenAsInputOnce() {
        int[] lengths = IntStream.range(0, 200).map(i -> i * 37 % 23).toArray();
        int tokens = Arrays.stream(lengths).sum();
        var set = dataset("a", 1, 0, lengths);
        try (var samples = open("1", new SampleRequest(5, 16, 1, 0), set)) {
            assertEquals((tokens - 1) / 16, samples.count(Split.TRAINING));
            int[] seen = new int[tokens];
            for (long i = 0; i < samples.count(Split.TRAINING); i++) {
                int[] sample = read(samples, Split.TRAINING, i, 16);
                Arrays.stream(sample, 0, 16).forEach(token -> seen[token]++);
            }
            assertEquals(samples.count(Split.TRAINING) * 16, Arrays.stream(seen).sum());
            assertEquals(1, Arrays.stream(seen).max().orElseThrow());
        }
    }

    @Test
    void trainingAndValidationShareNothing() {
        int[] lengths = IntStream.generate(() -> 10).limit(100).toArray();
        try (var samples = open("90,10,0", new SampleRequest(5, 8, 300, 40), dataset("a", 1, 0, lengths))) {
            for (long i = 0; i < samples.count(Split.TRAINING); i++) {
                assertTrue(Arrays.stream(read(samples, Split.TRAINING, i, 8)).allMatch(token -> token < 900));
            }
            assertTrue(samples.count(Split.VALIDATION) >= 40);
            for (long i = 0; i < samples.count(Split.VALIDATION); i++) {
                assertTrue(Arrays.stream(read(samples, Split.VALIDATION, i, 8)).allMatch(token -> token >= 900));
            }
        }
    }

    @Test
    void samplesAreIndependentOfEarlierReads() {
        var one = dataset("a", .7, 0, 70, 30, 90, 40, 60, 11, 5);
        var other = dataset("b", .3, 1000, 33, 44, 55, 66);
        var request = new SampleRequest(99, 8, 400, 10);
        int[][] first = new int[400][];
        try (var samples = open("80,20", request, one, other)) {
            Arrays.setAll(first, i -> read(samples, Split.TRAINING, i, 8));
        }
        try (var samples = open("80,20", request, one, other)) {
            // Backwards, in a resumed run, and by many threads at once.
            IntStream.range(0, 400)
                    .parallel()
                    .map(i -> 399 - i)
                    .forEach(i -> assertArrayEquals(first[i], read(samples, Split.TRAINING, i, 8)));
            read(samples, Split.VALIDATION, 3, 8);
            assertArrayEquals(first[200], read(samples, Split.TRAINING, 200, 8));
        }
        try (var samples = open("80,20", new SampleRequest(100, 8, 400, 10), one, other)) {
            assertFalse(IntStream.range(0, 400)
                    .allMatch(i -> Arrays.equals(first[i], read(samples, Split.TRAINING, i, 8))));
        }
    }

    @Test
    void blendKeepsItsWeights() {
        var one = dataset("a", 3, 0, 500, 500);
        var other = dataset("b", 1, 10_000, 40, 40, 40);
        try (var samples = open("1", new SampleRequest(1, 4, 1000, 0), one, other)) {
            assertEquals(1000, samples.count(Split.TRAINING));
            long fromOther = IntStream.range(0, 1000)
                    .filter(i -> read(samples, Split.TRAINING, i, 4)[0] >= 10_000)
                    .count();
            assertEquals(250, fromOther);
        }
    }

    @Test
    void omitsADatasetTooSmallForAPart() {
        var one = dataset("a", 1, 0, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50);
        var tiny = dataset("b", 1, 10_000, 40);
        try (var samples = open("90,10", new SampleRequest(1, 4, 100, 5), one, tiny)) {
            for (long i = 0; i < samples.count(Split.VALIDATION); i++) {
                assertTrue(read(samples, Split.VALIDATION, i, 4)[0] < 10_000);
            }
            assertEquals(5, samples.count(Split.VALIDATION));
        }
    }

    @Test
    void rejectsDataWithoutTraining() {
        var set = dataset("a", 1, 0, 50, 50);
        var failure = assertThrows(
                DataException.class,
                () -> open("0,1", new SampleRequest(1, 4, 100, 5), set).close());
        assertTrue(failure.getMessage().contains("none of the 2 documents for training"), failure::getMessage);
        // Asked for none, as an evaluation does: all is for validation.
        try (var samples = open("0,1,0", new SampleRequest(0, 4, 0, 1), set)) {
            assertEquals(24, samples.count(Split.VALIDATION));
        }
    }

    @Test
    void rejectsDocumentsWithoutTokens() {
        var set = dataset("a", 1, 0, 0, 0);
        assertThrows(
                DataException.class,
                () -> open("1", new SampleRequest(1, 4, 100, 5), set).close());
    }

    @Test
    void rejectsMisuse() {
        var set = dataset("a", 1, 0, 50, 50);
        try (var samples = open("1", new SampleRequest(1, 4, 10, 0), set)) {
            assertThrows(IllegalArgumentException.class, () -> samples.read(Split.TRAINING, 0, new int[4]));
            assertThrows(IndexOutOfBoundsException.class, () -> samples.read(Split.TRAINING, -1, new int[5]));
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> samples.read(Split.TRAINING, samples.count(Split.TRAINING), new int[5]));
            assertThrows(IndexOutOfBoundsException.class, () -> samples.read(Split.VALIDATION, 0, new int[5]));
        }
        assertThrows(
                DataException.class,
                () -> open("1", new SampleRequest(1, 8192, Long.MAX_VALUE / 2, 0), set)
                        .close());
        assertThrows(
                DataException.class,
                () -> open("1", new SampleRequest(1, 4, 1L << 33, 0), set).close());
    }

    @Test
    void rejectsInvalidOptions() {
        assertThrows(IllegalArgumentException.class, () -> new WeightedPrefix("a", 0));
        assertThrows(IllegalArgumentException.class, () -> new WeightedPrefix("a", Double.NaN));
        assertThrows(
                IllegalArgumentException.class,
                () -> new IndexedOptions(List.of(), "x", new DocumentOptions(), SampleOrder.MEGATRON, true));
        assertThrows(ConfigurationException.class, () -> new IndexedFactory(new CtrlC()).create(new IndexedOptions()));
        assertEquals("990,10,0", new IndexedOptions().split());
        assertNotEquals(0, new WeightedPrefix().weight());
    }

    @Test
    void saysHowOftenTinyDataIsRead() {
        for (SampleOrder order : SampleOrder.values()) {
            var data = TestDatasets.source(order, "1,1", dataset("a", 1, 7, 20, 20, 20, 20));
            try (var samples = data.open(new SampleRequest(1, 4, 25, 15))) {
                String said = samples.repetition().orElseThrow();
                assertTrue(said.contains("the 25 samples of training read the data in 3 epochs"), said);
                assertTrue(said.contains("the 15 samples of an evaluation read the validation part in 2 epochs"), said);
            }
            try (var samples = data.open(new SampleRequest(1, 4, 5, 5))) {
                assertTrue(samples.repetition().isEmpty(), order.name());
            }
        }
    }

    /** More tokens than are read at every opening. All are 0: a hole in the file. */
    private WeightedPrefix large(double weight) throws IOException {
        int tokens = (1 << 24) + 1;
        var large = dataset("large", weight, 0, 0);
        Path prefix = Path.of(large.prefix());
        var index = ByteBuffer.allocate(62).order(ByteOrder.LITTLE_ENDIAN).put("MMIDIDX\0\0".getBytes(US_ASCII));
        index.putLong(1)
                .put((byte) 4)
                .putLong(1)
                .putLong(2)
                .putInt(tokens)
                .putLong(0)
                .putLong(0)
                .putLong(1);
        Files.delete(prefix.resolveSibling("large.sums"));
        Files.write(prefix.resolveSibling("large.idx"), index.array());
        try (var file = new RandomAccessFile(prefix.resolveSibling("large.bin").toFile(), "rw")) {
            file.setLength(4L * tokens);
        }
        return large;
    }

    @Test
    void namesTheSamplesOfADatasetWhoseTokensNobodyKnows() throws IOException {
        var known = dataset("known", 9, 1, 300);
        WeightedPrefix unknown = large(1);
        for (SampleOrder order : SampleOrder.values()) {
            try (var samples = TestDatasets.source(order, "1", known, unknown).open(new SampleRequest(1, 4, 100, 0))) {
                assertEquals(301, samples.vocabularyBound());
                List<LongStream> streams = samples.samplesWithoutBound(Split.TRAINING, 10);
                assertEquals(1, streams.size());
                assertArrayEquals(
                        LongStream.range(10, samples.count(Split.TRAINING))
                                .filter(sample -> read(samples, Split.TRAINING, sample, 4)[1] == 0)
                                .toArray(),
                        streams.getFirst().toArray(),
                        order.name());
                try (var continued = TestDatasets.source(order, "1", known, unknown)
                        .open(new SampleRequest(1, 4, 100, 0), samples.cursorAfter(50))) {
                    assertArrayEquals(
                            LongStream.range(60, continued.count(Split.TRAINING))
                                    .filter(sample -> read(continued, Split.TRAINING, sample, 4)[1] == 0)
                                    .toArray(),
                            continued
                                    .samplesWithoutBound(Split.TRAINING, 60)
                                    .getFirst()
                                    .toArray());
                }
            }
            try (var samples = TestDatasets.source(order, "1", known).open(new SampleRequest(1, 4, 100, 0))) {
                assertEquals(List.of(), samples.samplesWithoutBound(Split.TRAINING, 0));
            }
        }
    }

    @Test
    void boundOfASmallDatasetWithoutADescriptionIsRead() {
        try (var samples = open("1", new SampleRequest(1, 4, 10, 0), dataset("a", 1, 7, 50))) {
            int[] tokens = new int[5];
            int largest = 0;
            for (int sample = 0; sample < 10; sample++) {
                samples.read(Split.TRAINING, sample, tokens);
                largest = Math.max(largest, Arrays.stream(tokens).max().orElseThrow());
            }
            assertTrue(
                    samples.vocabularyBound() > largest && samples.vocabularyBound() <= 57,
                    "bound " + samples.vocabularyBound());
            assertTrue(samples.describe().contains("1 documents, 50 tokens"), samples::describe);
        }
    }
}
