package io.hirundo.trainer.internal.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.data.DataCursor;
import io.hirundo.data.SampleSet;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Which samples are read before the first step, to find tokens beyond the vocabulary. */
class RunDataTest {
    private static final int VOCABULARY = 1000;

    private final RunConfiguration configuration = new SteeredRun(Path.of("none")).configuration();
    private final int batch = configuration.training().globalBatch();

    /** As many samples have a million tokens. */
    private final int million = (1 << 20) / configuration.training().sequenceTokens();

    private final List<Long> trained = new ArrayList<>();
    private final List<Long> validated = new ArrayList<>();

    /** All tokens of this training sample are beyond the vocabulary. */
    private long ruined = -1;

    /** Two datasets in turn; the tokens of the one with even samples are known if {@code bound} is above 0. */
    private final class Samples implements SampleSet {
        private final int bound;

        Samples(int bound) {
            this.bound = bound;
        }

        @Override
        public long count(Split split) {
            return 1L << 40;
        }

        @Override
        public void read(Split split, long index, int[] into) {
            (split == Split.TRAINING ? trained : validated).add(index);
            Arrays.fill(into, split == Split.TRAINING && index == ruined ? VOCABULARY : 0);
        }

        @Override
        public int vocabularyBound() {
            return bound;
        }

        @Override
        public List<LongStream> samplesWithoutBound(Split split, long first) {
            var odd = LongStream.range(first, count(split)).filter(sample -> sample % 2 == 1);
            return bound == 0 ? SampleSet.super.samplesWithoutBound(split, first) : List.of(odd);
        }

        @Override
        public String describe() {
            return "two datasets";
        }

        @Override
        public void close() {}
    }

    private void rehearse(int bound, long stepsDone) {
        var strategies = new Strategies.Data(_ -> new Samples(bound), Map.of(), Optional.empty());
        try (var data = RunData.open(configuration, strategies, DataCursor.BEGINNING)) {
            data.rehearse(configuration, VOCABULARY, stepsDone);
        }
    }

    @Test
    void readsAMillionTokensOfDataThatNobodyKnows() {
        rehearse(0, 0);
        assertEquals(LongStream.range(0, million).boxed().toList(), trained);
        assertEquals(
                LongStream.range(0, configuration.evaluation().samples())
                        .boxed()
                        .toList(),
                validated);
    }

    @Test
    void readsFromTheNextStepOn() {
        rehearse(0, 7);
        assertEquals(7L * batch, trained.getFirst());
        assertEquals(million, trained.size());
    }

    @Test
    void readsADatasetThatNobodyKnowsBesideOneThatIsKnown() {
        rehearse(VOCABULARY, 0);
        assertEquals(million, trained.size());
        assertTrue(trained.stream().allMatch(sample -> sample % 2 == 1));
        ruined = 41;
        var failure = assertThrows(DataException.class, () -> rehearse(VOCABULARY, 0));
        assertTrue(failure.getMessage().startsWith("sample 41 holds token 1000, "), failure.getMessage());
    }

    @Test
    void rejectsAKnownBoundBeyondTheVocabulary() {
        var failure = assertThrows(DataException.class, () -> rehearse(VOCABULARY + 1, 0));
        assertTrue(
                failure.getMessage().startsWith("the data was made for a vocabulary of 1001 "), failure.getMessage());
        assertEquals(List.of(), trained);
    }
}
