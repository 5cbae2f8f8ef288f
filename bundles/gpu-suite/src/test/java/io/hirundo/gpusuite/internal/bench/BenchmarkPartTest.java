package io.hirundo.gpusuite.internal.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.testkit.bench.Books;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measures the CPU, with a shell script in place of PyTorch. */
class BenchmarkPartTest {
    private static final long COPIED_BYTES = 1 << 16;
    private static final int SECONDS = 300;
    private static final List<Benchmark> ALL = Benchmarks.of(new Benchmarks.Sizes(16, 128, 256, new Heads(2, 1, 64)));

    @TempDir
    private Path folder;

    private static Benchmark nothing(String request) {
        return Benchmark.moving(request, 1000, operands -> () -> {});
    }

    private String python(String... lines) throws IOException {
        Path file = folder.resolve("python");
        Files.write(
                file, Stream.concat(Stream.of("#!/bin/sh"), Stream.of(lines)).toList());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return file.toString();
    }

    private static Finding run(List<Benchmark> benchmarks, String python, TimeBudget allowance) {
        try (Device cpu = new CpuBackendFactory()
                .create(new CpuOptions(1, CpuOptions.REFERENCE))
                .open(0, new Books())) {
            return new BenchmarkPart(benchmarks, cpu, COPIED_BYTES, new Timing(0), python).run(allowance, line -> {});
        }
    }

    private static Finding run(List<Benchmark> benchmarks, String python) {
        return run(benchmarks, python, new TimeBudget(SECONDS, System::nanoTime));
    }

    /** The cells of a row. */
    private static List<String> row(Finding found, String request) {
        String row = found.details()
                .lines()
                .filter(line -> line.startsWith("| " + request + " |"))
                .findFirst()
                .orElseThrow();
        return Stream.of(row.split("\\|", -1)).map(String::strip).toList();
    }

    @Test
    void timesKernelsWithoutPython() {
        Finding found = run(ALL, folder.resolve("absent").toString());

        assertEquals("22 of 22 timed, no PyTorch: " + folder.resolve("absent") + " cannot be started", found.summary());
        assertEquals(List.of(), found.failures());
        List<String> norm = row(found, "norm-forward 16 128");
        assertTrue(norm.get(3).matches("[0-9.]+ GB/s") && norm.get(4).matches("[0-9]+ %"), norm::toString);
        assertEquals(List.of("", "", ""), norm.subList(5, 8));
        List<String> gradient = row(found, "fp8-weights 128 256 16");
        assertTrue(gradient.get(3).matches("[0-9.]+ TFLOP/s"), gradient::toString);
        List<String> product = row(found, "fp8 16 128 256");
        assertTrue(product.get(3).matches("[0-9.]+ TFLOP/s") && product.get(4).isEmpty(), product::toString);
        assertTrue(found.details().matches("(?s).*\\| from the GPU \\| [0-9.]+ \\|.*"), found.details());
    }

    @Test
    void alternatesBetweenBothSides() throws IOException {
        String python = python(
                "[ \"$1\" = -c ] || exit 1",
                "echo 'a library says something'",
                "echo 'READY torch 9.9, CUDA 13.0, NVIDIA H200'",
                "while read request; do",
                "  echo $request >> " + folder.resolve("requests"),
                "  case $request in fp8*) echo 'NOT no such thing' ;; *) echo 'SECONDS 0.5 its way' ;; esac",
                "done");
        Finding found = run(ALL, python);

        assertEquals("22 of 22 timed, compared with torch 9.9, CUDA 13.0, NVIDIA H200", found.summary());
        assertEquals(ALL.stream().map(Benchmark::request).toList(), Files.readAllLines(folder.resolve("requests")));
        List<String> copy = row(found, "copy 2048");
        assertEquals("500.0000", copy.get(5));
        assertEquals("its way", copy.get(7));
        assertEquals(
                List.of("", "", "no such thing"), row(found, "fp8 16 128 256").subList(5, 8));
    }

    @Test
    void formatsRatesSharesAndRatios() {
        var table = new BenchmarkTable(new CopyRates(2e9, 3e9, 4e9));
        table.add(Benchmark.moving("copy 1", 3e6, null), 0.002, new TorchSide.Answer(Optional.of(0.003), "its way"));
        table.add(
                Benchmark.computing("bf16 1 2 3", 4e9, null),
                0.001,
                new TorchSide.Answer(Optional.empty(), "no | such thing"));

        String text = table.text();
        assertTrue(
                text.contains(
                        "| within the GPU, read and written | 2.0 |\n| to the GPU | 3.0 |\n| from the GPU | 4.0 |\n"),
                text);
        assertTrue(text.contains("\n| copy 1 | 2.0000 | 1.5 GB/s | 75 % | 3.0000 | 1.50 | its way |\n"), text);
        assertTrue(text.endsWith("\n| bf16 1 2 3 | 1.0000 | 4.00 TFLOP/s |  |  |  | no / such thing |\n"), text);
    }

    /** Every kind of request has an entry. */
    @Test
    void scriptKnowsEveryRequest() throws IOException {
        try (var script = TorchSide.class.getResourceAsStream(TorchSide.SCRIPT)) {
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            for (Benchmark benchmark : ALL) {
                String kind =
                        benchmark.request().substring(0, benchmark.request().indexOf(' '));
                assertTrue(text.contains("\n    \"" + kind + "\": "), kind);
            }
        }
    }

    @Test
    void reportsAFailureOfPyTorch() throws IOException {
        Finding none = run(List.of(nothing("copy 1")), python("echo 'NONE No module named torch'"));
        assertEquals("1 of 1 timed, no PyTorch: No module named torch", none.summary());

        Finding ended = run(List.of(nothing("copy 1")), python("echo 'ImportError: broken'", "exit 3"));
        assertEquals("1 of 1 timed, no PyTorch: it ended: ImportError: broken", ended.summary());

        Finding later = run(
                List.of(nothing("copy 1"), nothing("copy 2"), nothing("copy 3")),
                python("echo READY torch", "read one; echo SECONDS 1", "read two; echo out of memory"));
        assertEquals(
                "3 of 3 timed, compared with torch; then PyTorch was gone: it ended: out of memory", later.summary());
        assertEquals("1000.0000", row(later, "copy 1").get(5));
        assertEquals("", row(later, "copy 2").get(5));
    }

    @Test
    void stopsWaitingWhenTheTimeIsOver() throws IOException {
        var seconds = new long[] {-SECONDS};
        // The budget is over after its start.
        var allowance = new TimeBudget(1, () -> (seconds[0] += SECONDS) * 1_000_000_000);
        Finding found = run(List.of(nothing("copy 1")), python("read nothing"), allowance);

        assertEquals(
                "0 of 1 timed, no PyTorch: it did not answer in time; 1 were not run for want of time",
                found.summary());
        assertFalse(found.details().contains("copy 1"), found.details());
    }

    @Test
    void reportsAFailingKernel() {
        var broken = Benchmark.moving("copy 1", 1, operands -> () -> {
            throw new DeviceException("it does not compile");
        });
        Finding found =
                run(List.of(broken, nothing("copy 2")), folder.resolve("absent").toString());

        assertEquals(List.of("copy 1: it does not compile"), found.failures());
        assertTrue(found.summary().startsWith("1 of 2 timed"), found.summary());
    }

    @Test
    void timesAlternativeKernelsUntilTheTimeIsOver() {
        List<Benchmark> gemms = Benchmarks.gemms(new Benchmarks.Sizes(16, 128, 256, new Heads(2, 1, 64)));
        var times = new AlternativeTimes("What", gemms, new Timing(0));
        try (Device cpu = new CpuBackendFactory()
                .create(new CpuOptions(1, CpuOptions.REFERENCE))
                .open(0, new Books())) {
            List<String> rows = times.table(cpu, new TimeBudget(SECONDS, System::nanoTime))
                    .lines()
                    .skip(2)
                    .toList();
            assertEquals(gemms.size(), rows.size());
            assertTrue(
                    rows.getLast().matches("\\| fp8-weights 128 256 16 \\| \\d+\\.\\d{4} \\| \\d+\\.\\d\\d \\|"),
                    rows.getLast());
            String cut = times.table(cpu, new TimeBudget(0, System::nanoTime));
            assertTrue(cut.endsWith("| bf16 16 256 128 and what follows | | not run for want of time |\n"), cut);
        }
    }
}
