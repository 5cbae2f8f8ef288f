package io.hirundo.dataloader.internal.megatron;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.dataloader.internal.sampling.Checksum;
import io.hirundo.dataloader.internal.stop.Stop;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goldens: the first is Megatron's own; the others come from its algorithm, written again in Python with numpy's RandomState. */
class SampleIndexTest {
    private static final int[] LENGTHS = {7, 3, 9, 4, 6};

    private static SampleIndex index(int[] lengths, int first, int end, int sequence, long samples, long seed) {
        long tokens = Arrays.stream(lengths, first, end).asLongStream().sum();
        var plan = EpochPlan.of(tokens, sequence, samples);
        return SampleIndex.build(i -> lengths[i], new DataSplit.Part(first, end), sequence, plan, seed, Stop.NEVER);
    }

    @Test
    void equalsMegatronsGolden() {
        var plan = EpochPlan.of(29, 8, 7);
        assertEquals(2, plan.epochs());
        assertFalse(plan.lastIsSeparate());
        assertEquals(7, plan.samples());
        var index = index(LENGTHS, 0, 5, 8, 7, 1234);
        assertArrayEquals(new int[] {2, 2, 4, 1, 0, 3, 4, 0, 1, 3}, index.documents());
        assertArrayEquals(new int[] {0, 0, 1, 3, 4, 6, 7, 9}, index.startDocument());
        assertArrayEquals(new int[] {0, 8, 7, 0, 5, 2, 4, 2}, index.startOffset());
        assertArrayEquals(new int[] {6, 4, 0, 5, 3, 2, 1}, index.shuffle());
    }

    @Test
    void shufflesAShortLastEpochSeparately() {
        var plan = EpochPlan.of(29, 3, 10);
        assertEquals(new EpochPlan(2, 19, 9), plan);
        assertTrue(plan.lastIsSeparate());
        var index = index(LENGTHS, 0, 5, 3, 10, 99);
        assertArrayEquals(new int[] {2, 0, 4, 3, 1, 4, 3, 2, 0, 1}, index.documents());
        assertArrayEquals(
                new int[] {2, 8, 0, 7, 6, 3, 1, 4, 5, 10, 18, 12, 14, 17, 9, 11, 16, 13, 15}, index.shuffle());
    }

    /** Checksums of documents, sample table (documents, offsets) and shuffle; with empty documents, and parts of a dataset. */
    @ParameterizedTest
    @CsvSource({
        "0, 5, 2, 31, 42, 3132183166, 879756199, 2336746345, 4203817701",
        "1, 7, 2, 28, 7, 1236997534, 1970411226, 318093120, 2945726574",
    })
    void smallGoldens(
            int first,
            int end,
            int sequence,
            int samples,
            long seed,
            long documents,
            long table,
            long offsets,
            long shuffle) {
        assertGolden(
                index(new int[] {7, 3, 9, 4, 6, 1, 0, 12}, first, end, sequence, samples, seed),
                documents,
                table,
                offsets,
                shuffle);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 4950, 60000, 3898523180, 2706919431, 3095204610, 342605584",
        "0, 4950, 40000, 1260331267, 4009482106, 696886240, 2511693796",
        "4950, 5000, 500, 841533935, 72422565, 2321656743, 1298092521",
    })
    void largerGoldens(int first, int end, int samples, long documents, long table, long offsets, long shuffle) {
        int[] lengths =
                IntStream.range(0, 5_000).map(i -> (i * 7919 + 13) % 977).toArray();
        assertGolden(index(lengths, first, end, 128, samples, 20260101), documents, table, offsets, shuffle);
    }

    private static void assertGolden(SampleIndex index, long documents, long table, long offsets, long shuffle) {
        assertEquals(documents, Checksum.of(index.documents()));
        assertEquals(table, Checksum.of(index.startDocument()));
        assertEquals(offsets, Checksum.of(index.startOffset()));
        assertEquals(shuffle, Checksum.of(index.shuffle()));
    }

    @Test
    void usesTheFewestEpochs() {
        // 17 tokens: two samples of eight and the label of the last.
        assertEquals(new EpochPlan(1, 2, 2), EpochPlan.of(17, 8, 2));
        assertEquals(1, EpochPlan.of(17, 8, 0).epochs());
        assertEquals(2, EpochPlan.of(16, 8, 2).epochs());
        // Less than one sample in the data.
        assertEquals(new EpochPlan(9, 1, 1), EpochPlan.of(1, 8, 1));
        // Three epochs; the last is separate as long as fewer than int(0.8 * 9) of its nine samples are needed after
        // the 19 before.
        assertEquals(new EpochPlan(3, 29, 19), EpochPlan.of(100, 10, 20));
        assertTrue(EpochPlan.of(100, 10, 25).lastIsSeparate());
        assertFalse(EpochPlan.of(100, 10, 26).lastIsSeparate());
    }

    /** Hundreds of millions of samples take many seconds. */
    @Test
    void everyPartOfTheWorkEndsWhenTheUserInterruptsIt() {
        int[] polls = {0};
        int[] lengths = new int[1 << 17];
        Arrays.fill(lengths, 2);
        EpochPlan plan = EpochPlan.of(2L * lengths.length, 1, 2L * lengths.length - 1);
        var part = new DataSplit.Part(0, lengths.length);
        SampleIndex.build(i -> lengths[i], part, 1, plan, 1, new Stop(() -> polls[0]++ < 0));
        int all = polls[0];
        assertTrue(all >= 6, "polls: " + all);
        for (int last = 1; last <= all; last++) {
            int after = last;
            polls[0] = 0;
            var failure = assertThrows(
                    HirundoException.class,
                    () -> SampleIndex.build(i -> lengths[i], part, 1, plan, 1, new Stop(() -> ++polls[0] >= after)));
            assertEquals(ExitCode.INTERRUPTED, failure.exitCode());
            assertEquals(after, polls[0]);
        }
    }
}
