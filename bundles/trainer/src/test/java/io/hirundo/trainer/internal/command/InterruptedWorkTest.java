package io.hirundo.trainer.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.testkit.CtrlC;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ctrl-C ends a command even if its work never checks for an interruption. */
class InterruptedWorkTest {
    private final CtrlC interruption = new CtrlC();

    @Test
    @Timeout(60)
    void abandonsWorkThatNeverChecks() throws InterruptedException {
        var begun = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        var user = Thread.ofPlatform().start(() -> {
            await(begun);
            interruption.press();
        });
        Optional<Integer> outcome = interruption.call("never", () -> {
            begun.countDown();
            await(never);
            return 0;
        });
        assertEquals(Optional.empty(), outcome);
        user.join();
        never.countDown();
    }

    @Test
    void returnsTheResultOrThrowsTheExceptionOfTheWork() {
        assertEquals(Optional.of(3), interruption.call("three", () -> 3));
        var failure = new ConfigurationException("wrong");
        var error = new StackOverflowError();
        assertSame(
                failure,
                assertThrows(ConfigurationException.class, () -> interruption.call("fails", () -> fail(failure))));
        assertSame(
                error,
                assertThrows(
                        StackOverflowError.class,
                        () -> interruption.call("fails", () -> {
                            throw error;
                        })));
    }

    private static int fail(RuntimeException failure) {
        throw failure;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
