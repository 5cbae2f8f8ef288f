package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingListener;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each, and the clause that detects it. */
class MonitorMutantsTest {
    @Test
    void whoDoesNothingKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Silent.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(MonitorMutantsTest.class, MonitorContract.class);
    }

    @HirundoContract
    static class Silent implements MonitorContract {
        @Override
        public TrainingListener listener() {
            return event -> {};
        }
    }

    @Breaks("hearsWholeRuns")
    @HirundoContract
    static class HearsOneRun implements MonitorContract {
        @Override
        public TrainingListener listener() {
            return new TrainingListener() {
                private Path directory;

                @Override
                public void on(TrainingEvent event) {
                    if (event instanceof RunStarted started) {
                        if (directory != null) {
                            throw new IllegalStateException("still at " + directory);
                        }
                        directory = started.directory();
                    }
                }
            };
        }
    }

    @Breaks("passesOverUnknownEvents")
    @HirundoContract
    static class KnowsAllEvents implements MonitorContract {
        @Override
        public TrainingListener listener() {
            return event -> {
                if (!event.getClass().getPackage().equals(TrainingEvent.class.getPackage())) {
                    throw new IllegalArgumentException("unknown: " + event);
                }
            };
        }
    }

    @Breaks("anyEndIsAnEnd")
    @HirundoContract
    static class ExpectsABeginning implements MonitorContract {
        @Override
        public TrainingListener listener() {
            return new TrainingListener() {
                private Path directory;

                @Override
                public void on(TrainingEvent event) {
                    if (event instanceof RunStarted started) {
                        directory = started.directory();
                    } else if (event instanceof RunFailed) {
                        directory = directory.resolve("failure");
                    }
                }
            };
        }
    }

    @Breaks("figuresMayBeAnything")
    @HirundoContract
    static class ExpectsNumbers implements MonitorContract {
        private BigDecimal last = BigDecimal.ZERO;

        @Override
        public TrainingListener listener() {
            return event -> {
                if (event instanceof StepCompleted step) {
                    last = new BigDecimal(step.metrics().loss());
                }
            };
        }
    }

    @Breaks("writesBelowTheRun")
    @HirundoContract
    static class WritesBesideTheRun implements MonitorContract {
        @Override
        public TrainingListener listener() {
            return event -> {
                if (event instanceof RunStarted started) {
                    try {
                        Files.writeString(started.directory().resolveSibling("runs.log"), "one more");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            };
        }
    }

    @Breaks("holdsNothingUp")
    @HirundoContract
    static class LeavesAThread implements MonitorContract {
        @Override
        public TrainingListener listener() {
            return event -> {
                if (event instanceof RunStarted) {
                    Thread.ofPlatform().start(() -> LockSupport.parkNanos(3_000_000_000L));
                }
            };
        }
    }
}
