package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryCategory;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.EvaluationCompleted;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.event.TrainingEvent.RunFinished;
import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.event.TrainingListener;
import io.hirundo.mesh.Mesh;
import io.hirundo.testkit.bench.Clause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Contract tests for a {@link TrainingListener}: it must never disturb the training. */
public interface MonitorContract {
    /** The listener under test; a new one on each call. */
    TrainingListener listener();

    @Clause(
            value = "The listener handles all events of a run, and of the next run, without an exception",
            remedy = "state of the previous run when RunStarted arrives again")
    default void hearsWholeRuns(@TempDir Path folder) throws IOException {
        TrainingListener listener = listener();
        for (String name : List.of("first", "second")) {
            hear(listener, run(folder.resolve(name), 5));
        }
    }

    @Clause(
            value = "Unknown kinds of events are ignored, before a run and during it",
            remedy = "a switch over events needs a default branch: bundles define their own kinds")
    default void passesOverUnknownEvents(@TempDir Path folder) throws IOException {
        record Unheard(String what) implements TrainingEvent {}

        TrainingListener listener = listener();
        listener.on(new Unheard("before the run"));
        listener.on(started(folder, 1));
        listener.on(new Unheard("within"));
        listener.on(step(1, 2.5));
        listener.on(new RunFinished(1, false));
    }

    @Clause(
            value = "A run may end at any point: before its first step, interrupted, failed, or without RunStarted",
            remedy = "averages over no steps; state that RunStarted would have created")
    default void anyEndIsAnEnd(@TempDir Path folder) throws IOException {
        hear(listener(), List.of(new RunFailed(0, new IllegalStateException("no device"))));
        hear(listener(), List.of(started(folder.resolve("a"), 1), new RunFailed(0, new IllegalStateException())));
        hear(listener(), List.of(started(folder.resolve("b"), 1), new RunFinished(0, true)));
        hear(
                listener(),
                List.of(started(folder.resolve("c"), 8), step(8, 1), new RunFailed(8, new OutOfMemoryError("heap"))));
    }

    @Clause(
            value = "Metrics may be NaN, infinite or absent, and a step may take no time",
            remedy = "divisions, logarithms and formatting of what a diverging or resumed run reports")
    default void figuresMayBeAnything(@TempDir Path folder) throws IOException {
        var events = List.of(
                started(folder, 1),
                new StepCompleted(
                        1, new StepMetrics(Double.NaN, Double.POSITIVE_INFINITY, 0, 0, 0, 0), Map.of(), Map.of()),
                new StepCompleted(
                        2,
                        new StepMetrics(-0.0, Double.NaN, Double.MIN_VALUE, Long.MAX_VALUE, 1, 1e30),
                        Map.of(),
                        Map.of()),
                new EvaluationCompleted(2, "a \"set\"\n", Double.NaN, 0),
                new RunFinished(2, false));
        hear(listener(), events);
    }

    @Clause(
            value = "The listener writes only below the run's directory",
            remedy = "paths that are not resolved against RunStarted.directory()")
    default void writesBelowTheRun(@TempDir Path folder) throws IOException {
        Path run = folder.resolve("runs").resolve("mine");
        hear(listener(), run(run, 3));
        try (Stream<Path> all = Files.walk(folder)) {
            assertEquals(
                    List.of(),
                    all.filter(Files::isRegularFile)
                            .filter(file -> !file.startsWith(run))
                            .toList(),
                    "files outside the run");
        }
    }

    @Clause(
            value = "The listener does not delay the training, and leaves no threads running",
            remedy = "slow work belongs on another thread; threads must end with RunFinished or be daemons")
    default void holdsNothingUp(@TempDir Path folder) throws IOException {
        Set<Thread> before = Set.copyOf(Thread.getAllStackTraces().keySet());
        TrainingListener listener = listener();
        List<TrainingEvent> events = run(folder.resolve("run"), 201);
        Files.createDirectories(folder.resolve("run"));
        var nanos = new long[events.size()];
        for (int i = 0; i < nanos.length; i++) {
            long start = System.nanoTime();
            listener.on(events.get(i));
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        assertTrue(
                nanos[nanos.length / 2] < 20_000_000,
                "half of the events take more than " + nanos[nanos.length / 2] + " ns");
        Set<String> left = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread) && thread.isAlive() && !thread.isDaemon())
                .map(Thread::getName)
                .collect(Collectors.toSet());
        assertEquals(Set.of(), left, "threads that keep the program from ending");
    }

    private static void hear(TrainingListener listener, List<? extends TrainingEvent> events) throws IOException {
        for (TrainingEvent event : events) {
            if (event instanceof RunStarted started) {
                Files.createDirectories(started.directory());
            }
            listener.on(event);
        }
    }

    private static List<TrainingEvent> run(Path directory, int steps) {
        var events = new ArrayList<TrainingEvent>();
        events.add(started(directory, 1));
        for (int step = 1; step <= steps; step++) {
            events.add(step(step, 3.0 / step));
            if (step % 2 == 0) {
                events.add(new EvaluationCompleted(step, "validation", 2.75, 4096));
                events.add(new CheckpointSaved(
                        new CheckpointInfo(directory.resolve("checkpoints/step-" + step), step, 1 << 20), 5));
            }
        }
        events.add(new RunFinished(steps, false));
        return events;
    }

    private static RunStarted started(Path directory, long firstStep) {
        var device = new DeviceInfo("testkit", 0, "no device", "none", 1L << 30);
        var stages = List.of(new Stage("0", "all"));
        var plan = new RunPlan(1_000_000, firstStep, 201, 2048, 1e10);
        return new RunStarted("contract", directory, device, Mesh.ALONE, stages, plan);
    }

    private static StepCompleted step(long step, double loss) {
        var metrics = new StepMetrics(loss, 0.8, 3e-4, 2048, 500_000_000, 1e10);
        return new StepCompleted(
                step, metrics, Map.of(MemoryCategory.WEIGHTS, 1024L), Map.of(MemoryCategory.WEIGHTS, 2048L));
    }
}
