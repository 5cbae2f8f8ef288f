package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.SampleTexts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every benchmark still runs, with sizes too small for figures ({@code BENCHMARK_SMOKE=1}); the profile {@code faults} runs all of them. */
class BenchmarksIT {
    private static final Path BENCHMARKS =
            Profiles.distro().resolve("../../../benchmarks").normalize();
    private static final String LLAMA = BENCHMARKS.resolve("llama-a.yaml").toString();
    private static final String STEPS = BENCHMARKS.resolve("steps-per-second").toString();

    /** A command and what it prints. */
    private record Smoke(String result, List<String> command) {
        static Smoke of(String result, String... command) {
            return new Smoke(result, List.of(command));
        }

        @Override
        public String toString() {
            return command.getFirst();
        }
    }

    /** One of each kind: a training, a class of tests, a class that writes files. */
    private static final List<Smoke> QUICK = List.of(
            Smoke.of(
                    "RESULT: median [0-9.]+ ms = [0-9.]+ tok/s; VmHWM: [0-9]+ kB",
                    "steps-per-second",
                    LLAMA,
                    "--set",
                    "model.architecture.options.hiddenSize=48",
                    "--set",
                    "model.architecture.options.intermediateSize=64",
                    "--set",
                    "device.options.kernels=reference"),
            Smoke.of("\\| qkv \\[160, 128\\].*fp8-blockwise.*", "layer-errors"),
            Smoke.of("(?s).*dcp-async.*", "checkpoint-throughput"));

    private static final List<Smoke> LONGER = List.of(
            Smoke.of("one rank +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+", "memory-per-rank"),
            Smoke.of("8B +64 +tp 1, pp 1, dp 64 +masters +[0-9.,]+ (80|141|none)", "memory-modes"),
            Smoke.of("zb-v +[0-9.]+% +[0-9.]+% +[-+0-9.]+", "pipeline-bubbles"),
            Smoke.of(
                    "RESULT: [0-9]+ steps, median .* kB of heap a step, .*; [0-9]+ kB resident after [0-9]+ steps, later at most [0-9]+ kB",
                    "steady-state",
                    LLAMA),
            Smoke.of("RESULT: idle step boundary [0-9.]+ microseconds.*", "boundary-cost"),
            Smoke.of("(?s).*sync.*", "checkpoint-stall"),
            Smoke.of("median speed .* times; peak memory .* times", "versus", LLAMA, STEPS, LLAMA),
            Smoke.of("Gemm.multiplyNT +[0-9.]+ ms +[0-9]+ calls +[0-9]+ % of its roofline", "roofline"),
            Smoke.of("\\| data 2 \\| 200 us, 6 GB/s \\|.*", "hidden-communication"),
            Smoke.of("RESULT: step .* with the gate [0-9.]+ ms = [0-9.]+ steps", "swap-cost"),
            Smoke.of("RESULT: turn 1, Hirundo, round 1: 200 tokens in .* tok/s; .* s of CPU time", "generate-versus"),
            Smoke.of("RESULT: tiny: .* bits per byte", "quickstart-sweep"),
            Smoke.of("(?s).*RESULT.*", "checkpoint-writers"),
            Smoke.of("(?s).*dcp-tiered.*|.*RESULT.*", "checkpoint-tiers"),
            Smoke.of("RESULT: step .*, stall [0-9]+ ms", "checkpoint-steps"));

    /** The second uses the output of the first. */
    private static final List<String> IN_TURN = List.of("convergence", "massive-activations");

    @TempDir
    private Path folder;

    @Test
    void everyBenchmarkIsRunHere() throws IOException {
        Set<String> known = Stream.concat(QUICK.stream(), LONGER.stream())
                .map(Smoke::toString)
                .collect(Collectors.toCollection(TreeSet::new));
        known.addAll(IN_TURN);
        assertEquals(
                benchmarks().stream()
                        .map(file -> file.getFileName().toString())
                        .collect(Collectors.toCollection(TreeSet::new)),
                known);
    }

    @Test
    void everyBenchmarkHasASmokeMode() throws IOException {
        for (Path benchmark : benchmarks()) {
            assertTrue(Files.isRegularFile(benchmark), () -> benchmark + " is no script");
            assertTrue(
                    hasSmokeMode(Files.readString(benchmark)),
                    () -> benchmark + " heeds no BENCHMARK_SMOKE; benchmarks/.common has what it takes");
        }
        assertFalse(hasSmokeMode("#!/usr/bin/env bash\n. .common\nbuild_program\n\"$hirundo\" train llama-a.yaml\n"));
    }

    /** By one of the names that {@code .common} gives it. */
    private static boolean hasSmokeMode(String script) {
        return Pattern.compile("real_or_smoke|\\$smoke\\b|\\$\\{tiny\\[@]}")
                .matcher(script)
                .find();
    }

    private static List<Path> benchmarks() throws IOException {
        try (Stream<Path> files = Files.list(BENCHMARKS)) {
            return files.filter(file -> Files.isDirectory(file) || Files.isExecutable(file))
                    .filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    static List<Smoke> quick() {
        return QUICK;
    }

    static List<Smoke> longer() {
        return LONGER;
    }

    @ParameterizedTest
    @MethodSource("quick")
    void runs(Smoke smoke) throws Exception {
        check(smoke);
    }

    @ParameterizedTest
    @MethodSource("longer")
    @EnabledIfSystemProperty(
            named = "hirundo.zoo",
            matches = "all",
            disabledReason = "takes longer: mvn verify -P faults")
    void runsLonger(Smoke smoke) throws Exception {
        check(smoke);
    }

    @Test
    @EnabledIfSystemProperty(
            named = "hirundo.zoo",
            matches = "all",
            disabledReason = "takes longer: mvn verify -P faults")
    void comparesPrecisionsAndWhatMassiveActivationsDoToThem() throws Exception {
        String text = SampleTexts.write(folder).toString();
        Program.Result compared = run(List.of(
                "env", "HIRUNDO_TEXT=" + text, BENCHMARKS.resolve("convergence").toString(), "runs"));
        assertEquals(0, compared.exitCode(), compared::toString);
        assertTrue(Files.exists(folder.resolve("runs/convergence.svg")), compared::toString);
        Program.Result massive =
                run(List.of(BENCHMARKS.resolve("massive-activations").toString(), "runs/bf16-1/model", "runs/dataset"));
        assertEquals(0, massive.exitCode(), massive::toString);
        assertTrue(massive.out().contains("RESULT: fp8-delayed"), massive::toString);
    }

    private void check(Smoke smoke) throws Exception {
        var command = new ArrayList<>(smoke.command());
        command.set(0, BENCHMARKS.resolve(command.getFirst()).toString());
        Program.Result result = run(command);
        assertEquals(0, result.exitCode(), result::toString);
        Pattern wanted = Pattern.compile(smoke.result());
        boolean said = wanted.matcher(result.out()).matches()
                || result.out().lines().anyMatch(line -> wanted.matcher(line).matches());
        assertTrue(said, () -> wanted + " is not in " + result);
    }

    private Program.Result run(List<String> command) throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out-", ".txt");
        Path err = Files.createTempFile(folder, "err-", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("HIRUNDO_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("BENCHMARK_SMOKE", "1");
        // Sizes are so small that the optimizing compiler would only cost time.
        builder.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
        return new Program.Running(builder.start(), out, err).await();
    }
}
