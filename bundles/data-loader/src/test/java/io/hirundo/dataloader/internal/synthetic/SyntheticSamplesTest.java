package io.hirundo.dataloader.internal.synthetic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.testkit.DataContract;
import io.hirundo.testkit.HirundoContract;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@HirundoContract
class SyntheticSamplesTest implements DataContract {
    @Override
    public DataSource source() {
        return new SyntheticFactory().create(new SyntheticOptions(97, 1));
    }

    private static SampleSet open(int vocabulary, long seed, long runSeed) {
        return new SyntheticFactory()
                .create(new SyntheticOptions(vocabulary, seed))
                .open(new SampleRequest(runSeed, 4, 10, 5));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 12, 97, 256, 360, 1024, 32_000, 99_990})
    void everyTokenOccursOncePerPeriod(int vocabulary) {
        try (var samples = open(vocabulary, 1, 1)) {
            int[] into = new int[vocabulary + 1];
            samples.read(Split.TRAINING, 3, into);
            assertEquals(into[0], into[vocabulary]);
            assertEquals(vocabulary, Arrays.stream(into).distinct().count());
            assertEquals(vocabulary - 1, Arrays.stream(into).max().orElseThrow());
        }
    }

    @Test
    void largestVocabularyDoesNotOverflow() {
        try (var samples = open(Integer.MAX_VALUE - 3, 1, 1)) {
            int[] into = new int[10_000];
            samples.read(Split.TRAINING, 3, into);
            assertEquals(
                    10_000,
                    Arrays.stream(into).filter(token -> token >= 0).distinct().count());
        }
    }

    @Test
    void samplesDependOnSeedPartAndIndexOnly() {
        try (var samples = open(32_000, 1, 1);
                var same = open(32_000, 1, 1);
                var other = open(32_000, 2, 1);
                var run = open(32_000, 1, 2)) {
            int[] first = read(samples, Split.TRAINING, 3);
            read(same, Split.TRAINING, 9);
            assertArrayEquals(first, read(same, Split.TRAINING, 3));
            assertFalse(Arrays.equals(first, read(other, Split.TRAINING, 3)));
            assertFalse(Arrays.equals(first, read(run, Split.TRAINING, 3)));
            assertFalse(Arrays.equals(first, read(samples, Split.TRAINING, 4)));
            assertFalse(Arrays.equals(first, read(samples, Split.VALIDATION, 3)));
            assertEquals(10, samples.count(Split.TRAINING));
            assertEquals(5, samples.count(Split.VALIDATION));
            assertEquals(32_000, samples.vocabularyBound());
        }
    }

    /** Random tokens do not follow from the one before, and the loss of a model that knows the rule is what is printed. */
    @Test
    void noiseBoundsTheLoss() {
        int vocabulary = 50;
        double noise = 0.3;
        var request = new SampleRequest(1, 4, 10, 5);
        try (var pure = open(vocabulary, 1, 1);
                var noisy = new SyntheticFactory()
                        .create(new SyntheticOptions(vocabulary, 1, noise))
                        .open(request)) {
            int[] rule = new int[vocabulary];
            int[] period = new int[vocabulary + 1];
            pure.read(Split.TRAINING, 3, period);
            for (int i = 0; i < vocabulary; i++) {
                rule[period[i]] = period[i + 1];
            }
            int[] tokens = new int[200_001];
            noisy.read(Split.TRAINING, 3, tokens);
            double sum = 0;
            for (int i = 0; i + 1 < tokens.length; i++) {
                double random = noise / vocabulary;
                sum -= Math.log(tokens[i + 1] == rule[tokens[i]] ? 1 - noise + random : random);
            }
            String described = noisy.describe();
            double printed = Double.parseDouble(described.substring(described.lastIndexOf(' ') + 1));
            assertEquals(printed, sum / (tokens.length - 1), 0.02);
            assertEquals(vocabulary, Arrays.stream(tokens).distinct().count());
        }
    }

    private static int[] read(SampleSet samples, Split split, long index) {
        int[] into = new int[5];
        samples.read(split, index, into);
        return into;
    }
}
