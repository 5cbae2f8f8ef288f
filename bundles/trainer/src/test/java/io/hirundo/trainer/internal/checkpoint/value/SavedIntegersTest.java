package io.hirundo.trainer.internal.checkpoint.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.data.DataCursor;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Invalid values in a checkpoint. */
class SavedIntegersTest {
    private static final CheckpointInfo CHECKPOINT = new CheckpointInfo(Path.of("step-00000005"), 5, 1);

    @Test
    void rejectsInvalidSampleCounts() {
        for (Object wrong : new Object[] {-1L, 1.5, "8", List.of(), new BigInteger("99999999999999999999"), null}) {
            var values = new HashMap<String, Object>();
            values.put("consumedSamples", wrong);
            var numbers = new SavedIntegers(CHECKPOINT, "values", values);
            String shown = wrong == null ? "missing" : wrong.toString();
            assertEquals(
                    "step-00000005: field values.consumedSamples is " + shown
                            + " (allowed: a whole number of at least 0); use an older checkpoint",
                    assertThrows(CheckpointException.class, () -> numbers.count("consumedSamples"))
                            .getMessage());
        }
        var numbers = new SavedIntegers(CHECKPOINT, "values", Map.of("consumedSamples", 40L, "seed", -3));
        assertEquals(40, numbers.count("consumedSamples"));
        assertEquals(-3, numbers.whole("seed"));
    }

    @Test
    void rejectsInvalidDataCursors() {
        var whole = Map.of("sample", 8L, "parts", Map.of("web", Map.of("read", 3L, "planned", 10L)));
        assertEquals(
                new DataCursor(8, Map.of("web", new DataCursor.Part(3, 10))), SavedCursor.cursor(CHECKPOINT, whole));
        for (Object wrong : List.of(
                List.of(),
                Map.of("sample", 8L),
                Map.of("sample", -8L, "parts", Map.of()),
                Map.of("sample", 8L, "parts", Map.of("web", 3L)),
                Map.of("sample", 8L, "parts", Map.of("web", Map.of("read", 3L))),
                Map.of("sample", 8L, "parts", Map.of("web", Map.of("read", -3L, "planned", 10L))))) {
            String message = assertThrows(CheckpointException.class, () -> SavedCursor.cursor(CHECKPOINT, wrong))
                    .getMessage();
            assertEquals(1, message.lines().count(), message);
        }
    }
}
