package io.hirundo.trainer.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ExitCode;
import io.hirundo.testkit.CtrlC;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunStartTest {
    private final CtrlC interruption = new CtrlC();
    private final CountDownLatch never = new CountDownLatch(1);

    private void awaitForever() {
        try {
            never.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void endsAStartThatNeverChecks() {
        var start = new RunStart(interruption, 1);
        int code = start.call(() -> {
            interruption.press();
            awaitForever();
            return ExitCode.OK;
        });
        assertEquals(ExitCode.INTERRUPTED, code);
        assertThrows(CancellationException.class, start::isOver);
        never.countDown();
    }

    @Test
    void waitsForStepsToSaveTheirState() {
        var start = new RunStart(interruption, 1);
        int code = start.call(() -> {
            start.isOver();
            interruption.press();
            sleep();
            return ExitCode.STORAGE;
        });
        assertEquals(ExitCode.STORAGE, code);
    }

    /** As a fetch of a checkpoint, which removes what it has fetched. */
    @Test
    void waitsForAStartThatEndsItself() {
        int code = new RunStart(interruption, 40_000).call(() -> {
            interruption.press();
            sleep();
            return ExitCode.DATA;
        });
        assertEquals(ExitCode.DATA, code);
    }

    private static void sleep() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
