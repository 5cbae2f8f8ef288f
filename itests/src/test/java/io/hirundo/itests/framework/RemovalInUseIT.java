package io.hirundo.itests.framework;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleSet;
import io.hirundo.itests.program.Profiles;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.train.RunStatus;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.CoreOptions;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.OptionUtils;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/** A bundle that is uninstalled during a step is removed when the step has ended, however long that takes. */
@ExtendWith(PaxExamExtension.class)
public class RemovalInUseIT {
    /** What the component runtime waits for a stop and for a lock in this framework; else it is 60 s and 5 s. */
    private static final List<String> TIMEOUT_PROPERTIES =
            List.of("ds.stop.timeout.milliseconds", "ds.lock.timeout.milliseconds");

    private static final String TIMEOUT_MILLIS = "1000";

    /** Longer than all timeouts of the framework together. */
    private static final long STEP_SECONDS = 5;

    @Inject
    private BundleContext context;

    @Configuration
    public Option[] configuration() {
        Option[] timeouts = TIMEOUT_PROPERTIES.stream()
                .map(name -> CoreOptions.frameworkProperty(name).value(TIMEOUT_MILLIS))
                .toArray(Option[]::new);
        return OptionUtils.combine(Profiles.options("minimal"), timeouts);
    }

    @Test
    public void duringALongStep() throws Exception {
        TIMEOUT_PROPERTIES.forEach(name -> assertEquals(TIMEOUT_MILLIS, context.getProperty(name), name));
        var samples = new StallingSamples(200);
        var offer = context.registerService(
                StrategyFactory.class,
                new Stalling(samples),
                new Hashtable<>(Map.of("hirundo.kind", "data", "hirundo.name", "stalling")));
        Path jar = Profiles.jar("minimal", "hirundo-precision-native");
        Bundle precision = FrameworkRun.bundle(context, "io.hirundo.precision-native");
        try (var run = new FrameworkRun(context, "data.source={name: stalling, options: {}}")) {
            run.await(() -> samples.reached.getCount() == 0);
            // The prefetched batches are consumed, so the step now waits.
            run.await(() -> run.step() == samples.stepsBeforeTheStall());
            var removal = new FutureTask<Void>(() -> {
                precision.uninstall();
                return null;
            });
            new Thread(removal, "removal").start();
            Thread.sleep(TimeUnit.SECONDS.toMillis(STEP_SECONDS));

            assertFalse(removal.isDone(), "the bundle went in the middle of a step");
            assertEquals(Bundle.STOPPING, precision.getState());
            // Classes that the strategy has not used yet can still be loaded.
            precision.loadClass("io.hirundo.precisionnative.internal.Bf16Factory");
            othersComeAndGo();
            samples.goOn.countDown();
            removal.get(1, TimeUnit.MINUTES);

            run.await(() -> run.control().status().state() == RunStatus.State.PAUSED);
            assertTrue(
                    run.control().status().reason().contains("fp32"),
                    run.control().status().reason());
            context.installBundle(jar.toUri().toString()).start();
            run.awaitSteps(3);
            assertEquals(130, run.stop());
        } finally {
            offer.unregister();
        }
    }

    /** While one bundle waits, others can stop and start. */
    private void othersComeAndGo() throws Exception {
        Bundle other = FrameworkRun.bundle(context, "io.hirundo.device-meta");
        other.stop();
        other.start();
        String offered = "(&(hirundo.kind=device)(hirundo.name=meta))";
        assertEquals(
                1, context.getServiceReferences(StrategyFactory.class, offered).size());
    }

    private record Stalling(StallingSamples samples) implements StrategyFactory<NoOptions, DataSource> {
        @Override
        public DataSource create(NoOptions options) {
            return request -> samples;
        }
    }

    /** Arbitrary tokens; reading one sample blocks until the test releases it. */
    private static final class StallingSamples implements SampleSet {
        private static final int GLOBAL_BATCH = 4;

        private final long stallsAt;
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        StallingSamples(long stallsAt) {
            this.stallsAt = stallsAt;
        }

        long stepsBeforeTheStall() {
            return stallsAt / GLOBAL_BATCH;
        }

        @Override
        public long count(Split split) {
            return split == Split.TRAINING ? Long.MAX_VALUE : 0;
        }

        @Override
        public void read(Split split, long index, int[] into) {
            Arrays.setAll(into, i -> (int) ((index * 31 + i * 7L) % 64));
            if (index == stallsAt) {
                reached.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public int vocabularyBound() {
            return 64;
        }

        @Override
        public String describe() {
            return "samples that stall";
        }

        @Override
        public void close() {}
    }
}
