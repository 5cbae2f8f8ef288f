package io.hirundo.dataloader.internal.sequential;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.indexed.TokenType;
import io.hirundo.testkit.CtrlC;
import io.hirundo.testkit.DataContract;
import io.hirundo.testkit.HirundoContract;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@HirundoContract
class SequentialSamplesTest implements DataContract {
    private static final int TOKENS = 23;

    @TempDir
    private Path folder;

    /** The tokens 0 to 22 in documents of uneven lengths, an empty one in front, between, and at the end. */
    @BeforeEach
    void write() {
        try (var writer = IndexedDatasetWriter.create(folder.resolve("rising"), TokenType.forVocabulary(TOKENS))) {
            int next = 0;
            for (int length : new int[] {0, 5, 1, 0, 10, 7, 0}) {
                int first = next;
                int[] document = new int[length];
                Arrays.setAll(document, i -> first + i);
                writer.add(document);
                next += length;
            }
            writer.commit(done -> null);
        }
    }

    @Override
    public DataSource source() {
        return new SequentialFactory(new CtrlC())
                .create(new SequentialOptions(folder.resolve("rising").toString()));
    }

    @Test
    void consecutiveSamplesShareOneTokenAndARemainderIsOmitted() {
        try (SampleSet samples = open(5)) {
            assertEquals(4, samples.count(Split.VALIDATION));
            for (int sample = 0; sample < 4; sample++) {
                int[] tokens = new int[6];
                samples.read(Split.VALIDATION, sample, tokens);
                int first = sample * 5;
                assertArrayEquals(new int[] {first, first + 1, first + 2, first + 3, first + 4, first + 5}, tokens);
            }
        }
    }

    @Test
    void everyLengthReadsTheSameTokens() {
        for (int sequenceTokens = 1; sequenceTokens < TOKENS; sequenceTokens++) {
            try (SampleSet samples = open(sequenceTokens)) {
                assertEquals((TOKENS - 1) / sequenceTokens, samples.count(Split.TRAINING));
                int last = (int) samples.count(Split.TRAINING) - 1;
                int[] tokens = new int[sequenceTokens + 1];
                samples.read(Split.TRAINING, last, tokens);
                assertEquals(last * sequenceTokens, tokens[0]);
                assertEquals((last + 1) * sequenceTokens, tokens[sequenceTokens]);
            }
        }
    }

    @Test
    void tooLongASequenceHasNoSamples() {
        try (SampleSet samples = open(TOKENS)) {
            assertEquals(0, samples.count(Split.VALIDATION));
            assertThrows(IndexOutOfBoundsException.class, () -> samples.read(Split.VALIDATION, 0, new int[TOKENS + 1]));
        }
    }

    @Test
    void rejectsAnotherSequenceLengthOrDataset() {
        try (SampleSet samples = open(5);
                SampleSet same = open(5);
                SampleSet others = open(4)) {
            assertEquals(Optional.empty(), samples.orderConflict(Optional.of(same.order())));
            assertEquals(Optional.empty(), samples.orderConflict(Optional.empty()));
            String conflict = samples.orderConflict(Optional.of(others.order())).orElse("");
            assertEquals(
                    "training.sequenceTokens: 5 cannot continue samples of 4 tokens; add --set training.sequenceTokens=4",
                    conflict);
            assertTrue(samples.orderConflict(Optional.of("sequential;tokens=7"))
                    .orElse("")
                    .startsWith("data.source: the datasets have " + TOKENS));
        }
    }

    private SampleSet open(int sequenceTokens) {
        return source().open(new SampleRequest(0, sequenceTokens, 0, 0));
    }
}
