package io.hirundo.regress.internal.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NoiseTest {
    /** For every type and any reduction length. */
    @ParameterizedTest
    @EnumSource(names = "INT32", mode = EnumSource.Mode.EXCLUDE)
    void detectsAGradientThatIsOnePercentTooLarge(DType type) {
        for (long reduction : new long[] {1, 512, 15_326, 1L << 40}) {
            assertTrue(2 * Noise.of(Set.of(type), reduction).ofScale(1) <= 0.01, type + " " + reduction);
        }
    }

    @Test
    void followsTheCoarsestOperandAndNotTheName() {
        assertEquals("fp32", Noise.of(Set.of(DType.FP64, DType.FP32), 512).dtype());
        assertEquals("bf16", Noise.of(Set.of(DType.FP32, DType.BF16), 512).dtype());
        assertEquals("fp8", Noise.of(Set.of(DType.BF16, DType.FP8_E4M3), 512).dtype());
        assertEquals("fp8", Noise.of(Set.of(DType.FP8_E5M2), 512).dtype());
        assertEquals(
                "fp32",
                Noise.between(record("bf16-like", Set.of(DType.FP32)), record("fp8-like", Set.of(DType.FP32)))
                        .dtype());
        assertEquals(
                "fp8",
                Noise.between(record("acme", Set.of(DType.FP32)), record("acme", Set.of(DType.FP8_E4M3)))
                        .dtype());
    }

    /** A golden file of an earlier version has no types. */
    @Test
    void takesTheTypesOfTheOtherResultWhereOneHasNone() {
        assertEquals(
                "fp8",
                Noise.between(record("acme", Set.of()), record("acme", Set.of(DType.FP8_E4M3)))
                        .dtype());
    }

    private static CaseRecord record(String precision, Set<DType> types) {
        return new CaseRecord(
                "one", precision, types, "", 64, List.of(), List.of(), List.of(), new CaseRecord.Speed(1, 1));
    }
}
