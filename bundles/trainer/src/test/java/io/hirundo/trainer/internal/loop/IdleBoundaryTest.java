package io.hirundo.trainer.internal.loop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A step boundary without change requests costs almost nothing. */
@Isolated("measures time")
class IdleBoundaryTest {
    private static final int STEPS = 1200;
    private static final double MAX_MICROS = 20;

    @TempDir
    private Path folder;

    @Test
    void takesAFewMicrosecondsAStep() {
        double median = IdleBoundary.medianMicros(folder, STEPS);
        assertTrue(median < MAX_MICROS, "microseconds: " + median);
    }
}
