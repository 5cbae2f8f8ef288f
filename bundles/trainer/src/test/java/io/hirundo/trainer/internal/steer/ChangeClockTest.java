package io.hirundo.trainer.internal.steer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.train.ChangeProgress;
import io.hirundo.train.ChangeProgress.Phase;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChangeClockTest {
    private final ChangeClock clock = new ChangeClock();

    private ChangeProgress during(Phase phase) {
        return clock.time(phase, clock::progress).orElseThrow();
    }

    @Test
    void reportsThePhaseAndHowLongItTookTheLastTime() {
        ChangeProgress first = during(Phase.PARITY_CHECK);
        assertEquals(Phase.PARITY_CHECK, first.phase());
        assertEquals(Optional.empty(), first.previous());
        Duration took = clock.previous(Phase.PARITY_CHECK).orElseThrow();
        assertTrue(took.compareTo(first.elapsed()) >= 0, took::toString);
        assertEquals(Optional.empty(), clock.progress());
        assertEquals(Optional.empty(), during(Phase.PREPARE).previous());
        assertEquals(Optional.of(took), during(Phase.PARITY_CHECK).previous());
    }

    @Test
    void failedPhaseDoesNotCountAsTheLastTime() {
        assertThrows(
                IllegalStateException.class,
                () -> clock.time(Phase.PARITY_CHECK, () -> {
                    throw new IllegalStateException("a rank has failed");
                }));
        assertEquals(Optional.empty(), clock.progress());
        assertEquals(Optional.empty(), clock.previous(Phase.PARITY_CHECK));
    }
}
