package io.hirundo.trainer.internal.evaluation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DataException;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.fixture.TinyRun;
import io.hirundo.trainer.internal.parity.GoldenStep;
import io.hirundo.trainer.internal.parity.Layouts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogitReaderTest {
    private static TinyRun open() {
        var run = new TinyRun(new CpuOptions(1, CpuOptions.VECTOR), Layouts.FP32, 1, Recompute.NONE);
        run.load(GoldenStep.FLOAT64.initialWeights());
        run.model.weightsChanged();
        return run;
    }

    @Test
    void acceptsLastTokenOfVocabulary() {
        try (var run = open()) {
            assertEquals(256, new LogitReader(run.model).afterLast(new int[] {1, 255}).length);
        }
    }

    /** A kernel would read out of bounds of the embedding weights. */
    @ParameterizedTest
    @ValueSource(ints = {256, -1})
    void rejectsTokensOutsideVocabulary(int token) {
        try (var run = open()) {
            var reader = new LogitReader(run.model);
            assertEquals(
                    "the text holds token " + token
                            + ", outside the model's vocabulary of 256: use the model's tokenizer for it",
                    assertThrows(DataException.class, () -> reader.afterLast(new int[] {1, token}))
                            .getMessage());
        }
    }
}
