package io.hirundo.itests.failures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.itests.failures.SignalPlan.Moment;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Signals at random moments of a short training: while it starts, between its steps, while it saves, while it closes. Each time
 * a documented exit code, and whole files. The system property {@code hirundo.signals} says how many, {@code hirundo.seed} which.
 */
class RandomSignalsIT {
    private static final int SIGNALS = Integer.getInteger("hirundo.signals", 4);
    private static final long SEED = Long.getLong("hirundo.seed", 18);
    private static final int AT_A_TIME = 2;

    /** 12 MB of state, so that a save takes long enough to be hit by a signal. */
    private static final int VOCABULARY = 32_768;

    /** Fewer signals do not pay for a training whose start is measured: in this time none has come to its first step. */
    private static final int FEW = 20;

    private static final Duration SHORT_START = Duration.ofMillis(500);
    private static final int STEPS = 10;

    /** A training that ends before its moment has come gets no signal, and another training is begun in its place. */
    private static final int TRIES = 10;

    /** Of JVMs that have not come to {@code main} yet: SIGHUP and SIGTERM, as every program without a handler ends. */
    private static final Set<Integer> BEFORE_MAIN = Set.of(129, 143);

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    /** How a training ended; {@code run}: its name. */
    private record Ended(SignalPlan plan, String run, Program.Result result) {
        /** A second SIGHUP changes nothing, another second signal ends the process at once. */
        boolean cleanly() {
            return plan.again() == null || plan.signal().equals("HUP");
        }
    }

    @Test
    void eachSignalEndsATrainingWithADocumentedCodeAndWholeFiles() throws Exception {
        List<Ended> all = new ArrayList<>();
        try (var executor = Executors.newFixedThreadPool(AT_A_TIME);
                var signals = new Signals()) {
            Duration start = SIGNALS < FEW ? SHORT_START : durationOfStart();
            List<Future<Ended>> running = SignalPlan.random(SIGNALS, SEED, STEPS, start).stream()
                    .map(plan -> executor.submit(() -> run(plan, signals)))
                    .toList();
            for (Future<Ended> each : running) {
                all.add(each.get());
            }
        }
        print(all);
        for (Ended ended : all) {
            assertDocumented(ended);
        }
        assertCheckpointsAreWhole(all);
    }

    /** Time to the first step. */
    private Duration durationOfStart() throws Exception {
        long begin = System.nanoTime();
        Program.Running undisturbed = start("calm");
        undisturbed.awaitUntil(() -> Metrics.of(directory("calm")).lastStep() > 0);
        Duration start = Duration.ofNanos(System.nanoTime() - begin);
        Program.Result result = undisturbed.await();
        assertEquals(0, result.exitCode(), result::toString);
        return start;
    }

    private Ended run(SignalPlan plan, Signals signals) throws Exception {
        for (int attempt = 1; ; attempt++) {
            String name = plan.run() + "-" + attempt;
            Program.Running training = start(name);
            if (await(plan, name, training)) {
                signals.send(plan.signal(), training.process());
                if (plan.again() != null) {
                    Thread.sleep(plan.again());
                    signals.send(plan.signal(), training.process());
                }
                return new Ended(plan, name, training.await());
            }
            assertTrue(attempt < TRIES, () -> "always ends before " + plan);
        }
    }

    /**
     * Waits for the plan's moment, and again where it passes during the delay, for instance because a save begins.
     *
     * @return whether it came before the training ended
     */
    private boolean await(SignalPlan plan, String name, Program.Running training) throws Exception {
        while (training.process().isAlive()) {
            if (!hasCome(plan, name, training)) {
                Thread.sleep(1);
            } else if (!training.process().waitFor(plan.delay().toNanos(), TimeUnit.NANOSECONDS)) {
                if (moment(name, training) == plan.moment()) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean hasCome(SignalPlan plan, String name, Program.Running training) throws IOException {
        return switch (plan.moment()) {
            case START -> true;
            case STEPS -> Metrics.of(directory(name)).lastStep() >= plan.step();
            case SAVING -> isSaving(name);
            case CLOSING -> hasSaidItsLast(training);
        };
    }

    private Moment moment(String name, Program.Running training) throws IOException {
        if (isSaving(name)) {
            return Moment.SAVING;
        }
        if (hasSaidItsLast(training)) {
            return Moment.CLOSING;
        }
        return Metrics.of(directory(name)).lastStep() == 0 ? Moment.START : Moment.STEPS;
    }

    private boolean isSaving(String name) throws IOException {
        try (var unfinished = Files.newDirectoryStream(directory(name).resolve("checkpoints"), "step-*.tmp-*")) {
            return unfinished.iterator().hasNext();
        } catch (NoSuchFileException notYet) {
            return false;
        }
    }

    private static boolean hasSaidItsLast(Program.Running training) throws IOException {
        return Files.readString(training.out()).contains("done, ");
    }

    /** A signal in the JVM's own first milliseconds ends it with code 1 and an error of its own, before any code of ours runs. */
    private static boolean endedInJvmInitialization(Program.Result result) {
        return result.exitCode() == 1 && result.out().startsWith("Error occurred during initialization of VM");
    }

    private void assertDocumented(Ended ended) throws IOException {
        Path run = directory(ended.run);
        Program.Result result = ended.result;
        if (endedInJvmInitialization(result)) {
            assertFalse(Files.exists(run), () -> "had begun: " + ended);
            return;
        }
        assertFalse(result.err().contains("\tat ") || result.err().contains("Exception"), ended::toString);
        if (BEFORE_MAIN.contains(result.exitCode())) {
            assertFalse(Files.exists(run), () -> "had begun: " + ended);
            return;
        }
        assertTrue(result.exitCode() == 130 || result.exitCode() == 0, ended::toString);
        if (ended.cleanly()) {
            assertEquals(List.of(), list(temporary(ended.run)), ended::toString);
            assertFalse(Files.exists(run.resolve("control.sock")), ended::toString);
            assertLinesAreWhole(run.resolve("metrics.jsonl"));
        }
        if (result.exitCode() == 0) {
            assertEquals(STEPS, Metrics.of(run).lastStep(), ended::toString);
        }
    }

    private static void assertLinesAreWhole(Path metrics) throws IOException {
        if (Files.exists(metrics) && Files.size(metrics) > 0) {
            assertTrue(Files.readString(metrics).endsWith("\n"), metrics::toString);
            for (String line : Files.readAllLines(metrics)) {
                JSON.readTree(line);
            }
        }
    }

    /** Those of all trainings, checked by one command, each as another revision of its step. */
    private void assertCheckpointsAreWhole(List<Ended> all) throws Exception {
        Path together = Files.createDirectories(folder.resolve("together").resolve("checkpoints"));
        List<Path> every = new ArrayList<>();
        for (Ended ended : all) {
            Path checkpoints = directory(ended.run).resolve("checkpoints");
            if (Files.exists(checkpoints.resolve("latest"))) {
                String latest = Files.readString(checkpoints.resolve("latest")).strip();
                assertTrue(Files.isDirectory(checkpoints.resolve(latest)), () -> "the latest is not there: " + ended);
            }
            if (Files.exists(checkpoints)) {
                list(checkpoints).stream()
                        .filter(path -> path.getFileName().toString().matches("step-\\d+(.r\\d+)?"))
                        .forEach(every::add);
            }
        }
        assertFalse(every.isEmpty());
        for (int number = 0; number < every.size(); number++) {
            String step = every.get(number).getFileName().toString().replaceFirst("[.]r\\d+$", "");
            Files.move(every.get(number), together.resolve(step + ".r" + (number + 1)));
        }
        Program.Result verified =
                InProcess.command("checkpoint", "verify", together.getParent().toString());
        assertEquals(0, verified.exitCode(), verified::toString);
        assertEquals(
                every.size(),
                verified.out().lines().filter(line -> line.contains(" good, ")).count(),
                verified::toString);
    }

    private static void print(List<Ended> all) {
        Map<Moment, Map<String, Integer>> codes = new EnumMap<>(Moment.class);
        for (Ended ended : all) {
            String signals = ended.plan.again() == null ? ended.plan.signal() : ended.plan.signal() + " twice";
            codes.computeIfAbsent(ended.plan.moment(), _ -> new TreeMap<>())
                    .merge(signals + " -> " + ended.result.exitCode(), 1, Integer::sum);
        }
        System.out.println(SIGNALS + " signals, seed " + SEED);
        codes.forEach((moment, counts) -> System.out.println("  " + moment + ", "
                + counts.values().stream().mapToInt(Integer::intValue).sum() + ": " + counts));
    }

    private Program.Running start(String name) throws IOException {
        Files.createDirectory(temporary(name));
        Map<String, String> environment = Map.of("TMPDIR", temporary(name).toString());
        List<String> assignments = List.of(
                "run.name=" + name,
                "training.steps=" + STEPS,
                "checkpoint.strategy=dcp-async",
                "checkpoint.everySteps=3",
                "checkpoint.atEnd=true");
        return Program.installed(folder)
                .start(
                        environment,
                        TinyTraining.arguments(VOCABULARY, assignments).toArray(String[]::new));
    }

    private Path temporary(String run) {
        return folder.resolve("tmp-" + run);
    }

    private Path directory(String run) {
        return folder.resolve("runs").resolve(run);
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }
}
