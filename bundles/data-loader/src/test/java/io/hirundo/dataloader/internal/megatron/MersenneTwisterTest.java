package io.hirundo.dataloader.internal.megatron;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.dataloader.internal.sampling.Checksum;
import io.hirundo.dataloader.internal.stop.Stop;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MersenneTwisterTest {
    @Test
    void equalsTheAuthorsReferenceOutput() {
        // First outputs of mt19937ar with its default seed.
        var random = new MersenneTwister(5489);
        assertArrayEquals(
                new long[] {3499211612L, 581869302L, 3890346734L, 3586334585L, 545404204L},
                IntStream.range(0, 5)
                        .mapToLong(_ -> Integer.toUnsignedLong(random.nextInt()))
                        .toArray());
    }

    /** Checksums of {@code numpy.random.RandomState(seed).shuffle(numpy.arange(n))}; of an array of two words beyond 32 bits. */
    @ParameterizedTest
    @CsvSource({
        "1234, 10, 4104775202",
        "1234, 1000, 1218496395",
        "1234, 70000, 3046704623",
        "1099511627783, 1000, 2299325956",
        "-1, 1000, 83171429"
    })
    void itShufflesLikeNumpy(long seed, int count, long checksum) {
        int[] values = IntStream.range(0, count).toArray();
        new MersenneTwister(seed).shuffle(values, 0, count, Stop.NEVER);
        assertEquals(checksum, Checksum.of(values));
    }

    @Test
    void shufflesARangeOnly() {
        int[] values = IntStream.range(0, 14).toArray();
        new MersenneTwister(1234).shuffle(values, 2, 12, Stop.NEVER);
        // The golden of ten values, two higher.
        assertArrayEquals(new int[] {0, 1, 9, 4, 11, 3, 2, 10, 6, 7, 8, 5, 12, 13}, values);
    }
}
