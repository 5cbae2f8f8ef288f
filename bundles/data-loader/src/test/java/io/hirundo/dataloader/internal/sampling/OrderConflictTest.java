package io.hirundo.dataloader.internal.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.dataloader.internal.indexed.DatasetDescription;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.indexed.TokenType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What identifies a blend: its datasets, their order and their licenses. */
class OrderConflictTest extends TestDatasets {
    @Test
    void rejectsADatasetThatIsListedTwice() throws IOException {
        var set = dataset("a", 1, 0, 160);
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
        for (String other : List.of(set.prefix(), folder + "/./x/../a", link + "/a")) {
            var failure =
                    assertThrows(ConfigurationException.class, () -> source("1", set, new WeightedPrefix(other, 2)));
            assertTrue(failure.getMessage().startsWith("blend: " + set.prefix()), failure.getMessage());
            assertTrue(
                    failure.getMessage().endsWith("; name it once, with the sum of the weights"), failure.getMessage());
        }
    }

    @Test
    void rejectsResumingInAnotherOrder() {
        var set = dataset("a", 1, 0, 160);
        try (var permuted = source("1", set).open(request(20));
                var megatron = source(SampleOrder.MEGATRON, "1", set).open(request(20));
                var sameEpochs = source(SampleOrder.MEGATRON, "1", set).open(request(19));
                var longer = source(SampleOrder.MEGATRON, "1", set).open(request(200))) {
            assertEquals(Optional.empty(), permuted.orderConflict(Optional.of(permuted.order())));
            assertEquals(Optional.empty(), permuted.orderConflict(Optional.of("")), "another source was read before");
            assertConflict("add --set data.source.options.order=megatron", permuted, Optional.empty());
            assertConflict("add --set data.source.options.order=megatron", permuted, Optional.of(megatron.order()));
            assertEquals(Optional.empty(), megatron.orderConflict(Optional.empty()));
            assertEquals(Optional.empty(), megatron.orderConflict(Optional.of("another's")));
            assertEquals(Optional.empty(), megatron.orderConflict(Optional.of(megatron.order())));
            assertEquals(Optional.empty(), sameEpochs.orderConflict(Optional.of(sameEpochs.order())));
            assertConflict("add --set data.source.options.order=permuted", megatron, Optional.of(permuted.order()));
            assertConflict("keep training.steps", longer, Optional.of(megatron.order()));
        }
    }

    @Test
    void rejectsAnotherSequenceLengthSplitWeightOrDataset() {
        var one = dataset("a", 3, 0, 160, 40);
        var other = dataset("b", 1, 1000, 90);
        for (SampleOrder order : SampleOrder.values()) {
            try (var samples = open(source(order, "2,1", one, other))) {
                var recorded = Optional.of(samples.order());
                try (var same = open(source(order, "2,1,0", one, other));
                        var moved = open(source(order, "2,1", dataset("c", 3, 0, 160, 40), other))) {
                    assertEquals(Optional.empty(), same.orderConflict(recorded));
                    assertEquals(Optional.empty(), moved.orderConflict(recorded), "paths do not matter");
                }
                try (var longer = source(order, "2,1", one, other).open(new SampleRequest(7, SEQUENCE + 1, 20, 5))) {
                    assertConflict(
                            "training.sequenceTokens: 9 cannot continue samples of 8 tokens; add --set training.sequenceTokens=8",
                            longer,
                            recorded);
                }
                try (var split = open(source(order, "1", one, other));
                        var weight = open(source(order, "2,1", one, new WeightedPrefix(other.prefix(), 2)));
                        var larger = open(source(order, "2,1", one, dataset("d", 1, 1000, 91)));
                        var fewer = open(source(order, "2,1", one))) {
                    assertConflict("data.source.options.split: training and validation end at", split, recorded);
                    assertConflict(
                            "data.source.options.blend: the weights 3.0,2.0 cannot continue a blend of the weights 3.0,1.0",
                            weight,
                            recorded);
                    assertConflict(
                            "data.source: the datasets have 160,91 tokens for training, but had 160,90",
                            larger,
                            recorded);
                    assertConflict("data.source.options.blend: the weights 3.0 cannot continue", fewer, recorded);
                }
            }
        }
    }

    /** The path is where the cursor of a run looks a dataset up after a change of the blend. */
    @Test
    void rejectsADatasetThatTheCursorLacks() {
        var one = dataset("a", 1, 0, 160);
        var other = dataset("b", 1, 1000, 160);
        try (var before = source("1", one, other).open(request(60));
                var after = source("1", one, other).open(request(60), before.cursorAfter(20));
                var moved = source("1", dataset("c", 1, 0, 160), other).open(request(60), before.cursorAfter(20))) {
            assertEquals(Optional.empty(), after.orderConflict(Optional.of(after.order())));
            assertConflict(
                    "10,10 samples of the datasets were read before it, but finds 0,10",
                    moved,
                    Optional.of(after.order()));
        }
    }

    @Test
    void continuesOrdersOfVersionsThatRecordedLess() {
        try (var samples = open(source("1", dataset("a", 1, 0, 160)))) {
            assertEquals(Optional.empty(), samples.orderConflict(Optional.of("permuted-1")));
            assertConflict(
                    "cannot continue samples that were read in the order permuted-2",
                    samples,
                    Optional.of("permuted-2"));
        }
    }

    private static void assertConflict(String said, SampleSet samples, Optional<String> recorded) {
        String conflict = samples.orderConflict(recorded).orElse("");
        assertTrue(conflict.contains(said), conflict);
    }

    private WeightedPrefix licensed(String name, String license) {
        try (var writer = IndexedDatasetWriter.create(folder.resolve(name), TokenType.I32)) {
            writer.add(new int[] {1, 2});
            var tokenizer = new DatasetDescription.TokenizerReference("t", Map.of(), "0", 9);
            var text = new DatasetDescription.Source("texts", "f", null, 0, null, null, license);
            writer.commit(_ -> new DatasetDescription(1, 1, 2, 2, tokenizer, text, null));
        }
        return new WeightedPrefix(folder.resolve(name).toString(), 1);
    }

    @Test
    void inheritsTheLicensesOfItsDatasets() {
        var free = licensed("free", "cc0-1.0");
        var alike = licensed("alike", "cc0-1.0");
        assertEquals(Optional.of("cc0-1.0"), source("1", free, alike).license());
        assertEquals(
                Optional.of("cc0-1.0, mit"),
                source("1", free, alike, licensed("other", "mit")).license());
        assertEquals(
                Optional.of("cc0-1.0; not stated: silent, bare"),
                source("1", free, licensed("silent", null), dataset("bare", 1, 0, 20))
                        .license());
        assertEquals(Optional.empty(), source("1", dataset("bare", 1, 0, 20)).license());
    }
}
