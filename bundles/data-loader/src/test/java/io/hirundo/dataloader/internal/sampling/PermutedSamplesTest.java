package io.hirundo.dataloader.internal.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.testkit.DataContract;
import io.hirundo.testkit.HirundoContract;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The default order. */
@HirundoContract
class PermutedSamplesTest extends TestDatasets implements DataContract {
    @Override
    public DataSource source() {
        return source("0.8,0.2", dataset("contract-a", 3, 0, 150, 33, 81), dataset("contract-b", 1, 1000, 90, 60));
    }

    private static List<List<Integer>> read(SampleSet samples, long from, long end) {
        var rows = new ArrayList<List<Integer>>();
        for (long index = from; index < end; index++) {
            int[] row = new int[SEQUENCE + 1];
            samples.read(Split.TRAINING, index, row);
            rows.add(Arrays.stream(row).boxed().toList());
        }
        return rows;
    }

    @ParameterizedTest
    @CsvSource({"160", "161", "167", "168", "9", "8"})
    void anEpochShowsEveryTokenAsInputOnce(int tokens) {
        try (var samples = source("1", dataset("a", 1, 0, 3, 0, tokens - 3)).open(request(1000))) {
            int perEpoch = tokens / SEQUENCE;
            for (int epoch = 0; epoch < 4; epoch++) {
                var seen = new TreeSet<Integer>();
                for (var row : read(samples, (long) epoch * perEpoch, (epoch + 1L) * perEpoch)) {
                    for (int position = 0; position <= SEQUENCE; position++) {
                        assertEquals(
                                (row.getFirst() + position) % tokens,
                                row.get(position),
                                "neighbors in the file are neighbors in a sample");
                    }
                    seen.addAll(row.subList(0, SEQUENCE));
                }
                assertEquals(perEpoch * SEQUENCE, seen.size(), "different inputs in epoch " + epoch);
            }
        }
    }

    @Test
    void epochsHaveDifferentOrdersAndBorders() {
        try (var samples = source("1", dataset("a", 1, 0, 1000)).open(request(10_000))) {
            var first = read(samples, 0, 125);
            var second = read(samples, 125, 250);
            assertTrue(
                    first.stream().allMatch(row -> row.getFirst() % SEQUENCE == 0),
                    "the first epoch begins at the first token");
            assertNotEquals(0, second.getFirst().getFirst() % SEQUENCE);
            assertTrue(first.stream().filter(second::contains).count() < 10);
            assertNotEquals(
                    IntStream.range(0, 125).map(i -> i * SEQUENCE).boxed().toList(),
                    first.stream().map(List::getFirst).toList());
        }
    }

    @Test
    void aDatasetShorterThanASampleRepeatsWithinIt() {
        try (var samples = source("1", dataset("a", 1, 0, 3)).open(request(5))) {
            for (var row : read(samples, 0, 5)) {
                for (int position = 1; position <= SEQUENCE; position++) {
                    assertEquals((row.get(position - 1) + 1) % 3, row.get(position));
                }
            }
        }
    }

    @Test
    void trainingAndValidationShareNothing() {
        int[] lengths = IntStream.generate(() -> 10).limit(100).toArray();
        try (var samples =
                source("90,10,0", dataset("a", 1, 0, lengths)).open(new SampleRequest(5, SEQUENCE, 300, 40))) {
            assertTrue(read(samples, 0, 300).stream().flatMap(List::stream).allMatch(token -> token < 900));
            assertEquals(40, samples.count(Split.VALIDATION));
            int[] row = new int[SEQUENCE + 1];
            for (long index = 0; index < 40; index++) {
                samples.read(Split.VALIDATION, index, row);
                assertTrue(Arrays.stream(row).allMatch(token -> token >= 900));
            }
        }
    }

    @Test
    void numberOfSamplesChangesNoSample() {
        WeightedPrefix[] blend = {dataset("a", .7, 0, 70, 30, 90), dataset("b", .3, 1000, 33, 44)};
        try (var few = source("80,20", blend).open(request(40));
                var many = source("80,20", blend).open(request(1_000_000_000_000L))) {
            assertEquals(read(few, 0, 40), read(many, 0, 40));
            assertEquals(40, few.count(Split.TRAINING));
            assertEquals(Optional.empty(), many.orderConflict(Optional.of(few.order())));
            assertEquals(few.cursorAfter(17), many.cursorAfter(17));
        }
    }

    @Test
    void opensATrillionSamplesImmediately() {
        long last = 1_000_000_000_000L - 1;
        try (var samples =
                source("1", dataset("a", 3, 0, 500), dataset("b", 1, 1000, 40)).open(request(last + 1))) {
            assertEquals(1, read(samples, last, last + 1).size());
            var parts = samples.cursorAfter(last + 1).parts();
            assertEquals(
                    (last + 1) / 4 * 3,
                    parts.get(folder.resolve("a").toString()).read());
            assertTrue(samples.describe().contains("training 1,000,000,000,000 samples"), samples::describe);
        }
    }

    @Test
    void blendKeepsItsWeights() {
        try (var samples = source("1", dataset("a", 3, 0, 500, 500), dataset("b", 1, 10_000, 40, 40, 40))
                .open(request(1000))) {
            assertEquals(
                    250,
                    read(samples, 0, 1000).stream()
                            .filter(row -> row.getFirst() >= 10_000)
                            .count());
        }
    }

    @Test
    void orderIsFixed() {
        // A run that is resumed by a later version reads on in this order: never change it. The numbers are of a
        // program in Python.
        try (var samples = source("1", dataset("a", 3, 0, 150, 33, 81), dataset("b", 1, 1000, 90, 60))
                .open(request(100))) {
            assertEquals(
                    List.of(96, 1128, 80, 144, 56, 1080, 40, 88, 16, 1096, 240, 168),
                    read(samples, 0, 12).stream().map(List::getFirst).toList());
            assertEquals(
                    List.of(60, 1136, 236, 180, 36, 1064),
                    read(samples, 60, 66).stream().map(List::getFirst).toList());
        }
    }

    @Test
    void everyDatasetContinuesAtItsCursor() {
        var one = dataset("a", 1, 0, 160);
        var other = dataset("b", 1, 1000, 160);
        try (var before = source("1", one, other).open(request(60))) {
            var from = before.cursorAfter(20);
            try (var after =
                    source("1", new WeightedPrefix(one.prefix(), 3), other).open(request(60), from)) {
                var rows = new ArrayList<>(read(before, 0, 20));
                rows.addAll(read(after, 20, 32));
                // Ten and nine of the first dataset's twenty, ten and three of the second's: none twice.
                assertEquals(
                        19, rows.stream().filter(row -> row.getFirst() < 1000).count());
                assertEquals(32, new TreeSet<>(rows.stream().map(List::getFirst).toList()).size());
                assertThrows(IndexOutOfBoundsException.class, () -> read(after, 19, 20));
                assertEquals(
                        new DataCursor.Part(19, 0),
                        after.cursorAfter(32).parts().get(one.prefix()));
            }
        }
    }

    @Test
    void theSameWeightsContinueTheSameOrder() {
        WeightedPrefix[] blend = {dataset("a", 1, 0, 160), dataset("b", 1, 1000, 160)};
        try (var before = source("1", blend).open(request(60));
                var after = source("1", blend).open(request(60), before.cursorAfter(20))) {
            assertEquals(read(before, 20, 60), read(after, 20, 60));
        }
    }

    @Test
    void returningDatasetContinuesAtItsCursor() {
        var one = dataset("a", 1, 0, 160);
        var other = dataset("b", 1, 1000, 160);
        try (var both = source("1", one, other).open(request(100));
                var alone = source("1", other).open(request(100), both.cursorAfter(20))) {
            assertEquals(
                    both.cursorAfter(20).parts().get(one.prefix()),
                    alone.cursorAfter(30).parts().get(one.prefix()));
            assertEquals(20, alone.cursorAfter(30).parts().get(other.prefix()).read());
        }
    }

    @Test
    void runKeepsItsOrder() {
        var set = dataset("a", 1, 0, 160);
        try (var permuted = source("1", set).open(request(20));
                var megatron = source(SampleOrder.MEGATRON, "1", set).open(request(20))) {
            for (var each : Map.of(permuted, SampleOrder.MEGATRON, megatron, SampleOrder.PERMUTED)
                    .entrySet()) {
                var failure = assertThrows(
                        ConfigurationException.class,
                        () -> source(each.getValue(), "1", set)
                                .open(request(20), each.getKey().cursorAfter(10))
                                .close());
                assertTrue(failure.getMessage().startsWith("data.source.options.order: "), failure.getMessage());
            }
        }
    }

    @Test
    void aDatasetContinuesUnderAnotherSpelling() {
        var set = dataset("a", 1, 0, 160);
        var respelled = new WeightedPrefix(folder + "/./a", 1);
        try (var before = source("1", set).open(request(20));
                var after = source("1", respelled).open(request(20), before.cursorAfter(7))) {
            assertEquals(read(before, 7, 20), read(after, 7, 20));
            assertEquals(
                    Map.of(respelled.prefix(), new DataCursor.Part(20, 0)),
                    after.cursorAfter(20).parts());
        }
    }

    @Test
    void rejectsASplitWithoutTraining() {
        var set = dataset("a", 1, 0, 50, 50);
        var failure = assertThrows(
                DataException.class, () -> source("0,1", set).open(request(100)).close());
        assertTrue(failure.getMessage().contains("none of the 2 documents for training"), failure::getMessage);
        assertThrows(
                DataException.class,
                () -> source("1", dataset("b", 1, 0, 0, 0)).open(request(100)).close());
        try (var samples = source("0,1,0", set).open(new SampleRequest(0, SEQUENCE, 0, 3))) {
            assertEquals(3, samples.count(Split.VALIDATION));
            assertEquals(0, samples.count(Split.TRAINING));
            assertFalse(samples.describe().isBlank());
        }
    }

    @Test
    void seedsGiveDifferentOrders() {
        var set = dataset("a", 1, 0, 1000);
        try (var samples = source("1", set).open(request(100));
                var others = source("1", set).open(new SampleRequest(8, SEQUENCE, 100, 0))) {
            assertNotEquals(read(samples, 0, 100), read(others, 0, 100));
        }
        assertArrayEquals(SampleOrder.values(), new SampleOrder[] {SampleOrder.PERMUTED, SampleOrder.MEGATRON});
        assertEquals(SampleOrder.PERMUTED, new IndexedOptions().order());
    }
}
