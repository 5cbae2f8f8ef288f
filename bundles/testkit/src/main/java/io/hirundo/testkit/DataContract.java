package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.testkit.bench.Clause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Contract tests for a {@link DataSource}. */
public interface DataContract {
    /** Maximum number of samples that a clause reads of a split: sources may be endless. */
    int LOOKED_AT = 200;

    /** The source under test, over existing data; a few hundred tokens are enough. */
    DataSource source();

    @Clause(
            value = "A sample has sequence length + 1 tokens, for every length, and each token is set",
            remedy = "read(): must fill all of 'into', whose length is SampleRequest.sequenceTokens() + 1")
    default void samplesAreWhole() {
        for (int sequenceTokens : List.of(1, 7, 16)) {
            try (SampleSet samples = open(1, sequenceTokens)) {
                boolean any = false;
                for (Split split : Split.values()) {
                    for (long index : indexes(samples, split)) {
                        any = true;
                        for (int token : read(samples, split, index, sequenceTokens)) {
                            assertTrue(
                                    token >= 0,
                                    "sample " + index + " of " + split + " has an unset or negative token: " + token);
                        }
                    }
                }
                assertTrue(any, "no sample of " + sequenceTokens + " tokens in any split");
            }
        }
    }

    @Clause(
            value = "Tokens are below vocabularyBound(), except those of samplesWithoutBound()",
            remedy =
                    "vocabularyBound(): the largest token id + 1, or 0 if unknown; samplesWithoutBound() names the samples that it does not cover")
    default void tokensAreBelowTheBound() {
        try (SampleSet samples = open(1, 16)) {
            int bound = samples.vocabularyBound();
            for (Split split : Split.values()) {
                Set<Long> uncovered = samples.samplesWithoutBound(split, 0).stream()
                        .flatMap(unknown ->
                                unknown.takeWhile(index -> index < LOOKED_AT).boxed())
                        .collect(Collectors.toSet());
                for (long index : indexes(samples, split)) {
                    int largest =
                            Arrays.stream(read(samples, split, index, 16)).max().orElseThrow();
                    assertTrue(
                            largest < bound || uncovered.contains(index),
                            "token " + largest + " of sample " + index + ", the bound is " + bound);
                }
            }
        }
    }

    @Clause(
            value =
                    "The same request gives the same samples in any read order, so that a resumed run continues with them",
            remedy = "a sample must depend on request, split and index only; no iterator, no unseeded shuffle")
    default void samplesFollowFromTheRequest() {
        List<int[]> inOrder;
        try (SampleSet samples = open(3, 16)) {
            inOrder = all(samples);
        }
        try (SampleSet other = open(4, 16);
                SampleSet samples = open(3, 16)) {
            all(other);
            List<Runnable> reads = new ArrayList<>();
            int at = 0;
            for (Split split : Split.values()) {
                for (long index : indexes(samples, split)) {
                    int[] expected = inOrder.get(at++);
                    reads.add(() -> assertArrayEquals(
                            expected,
                            read(samples, split, index, 16),
                            () -> "sample " + index + " of " + split + " the second time"));
                }
            }
            assertEquals(inOrder.size(), reads.size(), "samples the second time");
            Collections.shuffle(reads, new Random(1));
            reads.forEach(Runnable::run);
        }
    }

    @Clause(
            value =
                    "A longer run reads the same samples unless order() differs: steps may be added when a run is resumed",
            remedy =
                    "read(): a sample must not depend on the number of requested samples; or order() must name the difference")
    default void samplesDoNotDependOnTheirNumber() {
        try (SampleSet few = open(3, 16, 40);
                SampleSet same = open(3, 16, 40);
                SampleSet many = open(3, 16, 4_000)) {
            assertEquals(few.order(), same.order(), "order() of two sets of the same request");
            if (few.order().equals(many.order())) {
                for (long index = 0; index < Math.min(few.count(Split.TRAINING), LOOKED_AT); index++) {
                    assertArrayEquals(
                            read(few, Split.TRAINING, index, 16),
                            read(many, Split.TRAINING, index, 16),
                            "sample " + index + " of a longer run");
                }
            }
        }
    }

    @Clause(
            value = "Several threads can read samples at once",
            remedy = "buffers and positions that are shared between reads")
    default void readingIsThreadSafe() {
        try (SampleSet samples = open(3, 16)) {
            List<int[]> alone = all(samples);
            var running = IntStream.range(0, 4)
                    .mapToObj(thread -> CompletableFuture.runAsync(
                            () -> {
                                for (int round = 0; round < 20; round++) {
                                    List<int[]> mine = all(samples);
                                    for (int i = 0; i < mine.size(); i++) {
                                        assertArrayEquals(
                                                alone.get(i), mine.get(i), "sample " + i + " while other threads read");
                                    }
                                }
                            },
                            task -> Thread.ofPlatform().daemon().start(task)))
                    .toList();
            running.forEach(CompletableFuture::join);
        }
    }

    @Clause(
            value = "An index out of range throws an IndexOutOfBoundsException and returns no other sample",
            remedy = "read(): check the index against 0 and count(split)")
    default void countIsTheEnd() {
        try (SampleSet samples = open(1, 16)) {
            for (Split split : Split.values()) {
                long count = samples.count(split);
                assertTrue(count >= 0, "count of " + split + " is " + count);
                for (long index : List.of(-1L, count)) {
                    assertThrows(
                            IndexOutOfBoundsException.class,
                            () -> read(samples, split, index, 16),
                            "sample " + index + " of " + count);
                }
            }
        }
    }

    @Clause(
            value =
                    "A source can be opened repeatedly, its samples can be closed twice, and its description is one correct line",
            remedy =
                    "documents() of source and samples; state of the source that its sample sets share; close() must be"
                            + " idempotent")
    default void setsAreApart() {
        SampleSet first = open(1, 16);
        try (SampleSet second = open(1, 16)) {
            List<int[]> before = all(second);
            assertFalse(
                    first.describe().isBlank() || first.describe().contains("\n"),
                    "describe(): '" + first.describe() + "'");
            assertEquals(source().documents(), first.documents(), "documents() of the source and of its samples");
            first.close();
            first.close();
            List<int[]> after = all(second);
            for (int i = 0; i < before.size(); i++) {
                assertArrayEquals(before.get(i), after.get(i), "sample " + i + " after another set was closed");
            }
        }
    }

    private SampleSet open(long seed, int sequenceTokens) {
        return open(seed, sequenceTokens, 40);
    }

    private SampleSet open(long seed, int sequenceTokens, long trainingSamples) {
        return source().open(new SampleRequest(seed, sequenceTokens, trainingSamples, 8));
    }

    private static List<int[]> all(SampleSet samples) {
        var all = new ArrayList<int[]>();
        for (Split split : Split.values()) {
            for (long index : indexes(samples, split)) {
                all.add(read(samples, split, index, 16));
            }
        }
        return all;
    }

    private static long[] indexes(SampleSet samples, Split split) {
        return LongStream.range(0, Math.min(LOOKED_AT, samples.count(split))).toArray();
    }

    private static int[] read(SampleSet samples, Split split, long index, int sequenceTokens) {
        var into = new int[sequenceTokens + 1];
        Arrays.fill(into, -1);
        samples.read(split, index, into);
        return into;
    }
}
