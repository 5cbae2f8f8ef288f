package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SaveTimerTest {
    /** Close to overflow, which a nanosecond clock may reach. */
    private long nanos = Long.MAX_VALUE - 5;

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void isUpOncePerInterval() {
        var timer = new SaveTimer(() -> nanos);
        pass(59);
        assertFalse(timer.isUp(60));
        assertTrue(timer.isUp(59));
        pass(1);
        assertTrue(timer.isUp(60));
        timer.restart();
        assertFalse(timer.isUp(60));
        pass(60);
        assertTrue(timer.isUp(60));
    }

    @Test
    void isNeverUpForZero() {
        var timer = new SaveTimer(() -> nanos);
        pass(1_000_000);
        assertFalse(timer.isUp(0));
    }
}
