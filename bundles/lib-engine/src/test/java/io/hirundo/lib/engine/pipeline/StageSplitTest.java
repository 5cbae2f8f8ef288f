package io.hirundo.lib.engine.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;

class StageSplitTest {
    @Test
    void checksAConfiguredSplit() {
        assertEquals(List.of(4, 2, 1), counts(StageSplit.given(List.of(3, 2, 0), 7, 3)));
        for (List<Integer> wrong : List.of(List.of(3, 2), List.of(3, 2, 1), List.of(3, 0, 2), List.of(6, 0, -1))) {
            var failure = assertThrows(ConfigurationException.class, () -> StageSplit.given(wrong, 7, 3));
            assertTrue(failure.getMessage().startsWith("mesh.stageLayers: "), failure.getMessage());
        }
    }

    private static List<Integer> counts(List<StageSplit.Blocks> split) {
        return split.stream().map(StageSplit.Blocks::count).toList();
    }
}
