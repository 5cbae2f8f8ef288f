package io.hirundo.itests.program;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/**
 * A training that is stopped as soon as a condition holds, and also when the wait for that fails: it would continue during the commands of
 * later tests.
 *
 * @param control the bundles' own {@code io.hirundo.train.RunControl}, the service of a running training
 */
record TrainingUntil(Callable<Boolean> condition, BundleContext context, Class<?> control) {
    private static final long BETWEEN_LOOKS_MILLIS = 20;

    /** Returns the exit code. */
    int await(FutureTask<Integer> training) throws Exception {
        try {
            awaitCondition(training);
        } catch (Exception | AssertionError failure) {
            try {
                stop(training);
            } catch (Exception goesOn) {
                failure.addSuppressed(goesOn);
            }
            throw failure;
        }
        return stop(training);
    }

    private void awaitCondition(FutureTask<Integer> training) throws Exception {
        long deadline = System.nanoTime() + Program.LIMIT.toNanos();
        while (!condition.call()) {
            assertFalse(
                    training.isDone() || System.nanoTime() > deadline,
                    "ended too early, or did not do what was waited for");
            Thread.sleep(BETWEEN_LOOKS_MILLIS);
        }
    }

    private int stop(FutureTask<Integer> training) throws Exception {
        ServiceReference<?>[] running = context.getAllServiceReferences(control.getName(), null);
        if (running != null) {
            control.getMethod("stop").invoke(context.getService(running[0]));
        }
        return training.get(Program.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
}
