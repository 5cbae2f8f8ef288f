package io.hirundo.devicecuda.internal.compile;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/** NVIDIA's compiler, if this machine has it, and the kernels it made. Results are cached between builds, by sources and version. */
record Nvcc(String version) {
    private static final Path SOURCES = Path.of("src/main/cuda/sm90");
    private static final Path CACHE = Path.of("target/nvcc");
    private static final Pattern VERSION = Pattern.compile("V(\\d+\\.\\d+\\.\\d+)");

    /**
     * A compiled kernel file.
     *
     * @param name the source's
     * @param log what the compiler said of registers and spills
     */
    record Compiled(String name, String log, Path cubin) {
        /** Whether it has kernels for warpgroups, which are alone on a multiprocessor. */
        boolean isOfWarpgroups() throws IOException {
            return Files.readString(SOURCES.resolve(name)).contains("KERNEL_ALONE");
        }

        /** Its machine code as text. Skips the test without nvdisasm. */
        String disassembly() throws InterruptedException {
            try {
                return run(List.of("nvdisasm", "-c", cubin.toString()));
            } catch (IOException absent) {
                assumeTrue(false, "there is no nvdisasm");
                throw new IllegalStateException(absent);
            }
        }
    }

    /** Skips the test without nvcc. */
    static Nvcc orSkip() throws InterruptedException {
        String text = "";
        try {
            text = run(List.of("nvcc", "--version"));
        } catch (IOException absent) {
            assumeTrue(false, "there is no nvcc");
        }
        Matcher matcher = VERSION.matcher(text);
        assumeTrue(matcher.find(), "nvcc does not say its version");
        return new Nvcc(matcher.group(1));
    }

    /** All kernel files, by name. */
    List<Compiled> all() throws IOException, InterruptedException, ExecutionException {
        try (var compilers = Executors.newFixedThreadPool(2)) {
            var results = new ArrayList<Future<Compiled>>();
            for (Path file : sources(".cu")) {
                results.add(compilers.submit(() -> compile(file)));
            }
            var all = new ArrayList<Compiled>();
            for (Future<Compiled> result : results) {
                all.add(result.get());
            }
            return all;
        }
    }

    private static List<Path> sources(String ending) throws IOException {
        try (var files = Files.list(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    private Compiled compile(Path file) throws IOException, InterruptedException {
        var sum = new CRC32();
        sum.update(Files.readAllBytes(file));
        for (Path header : sources(".cuh")) {
            sum.update(Files.readAllBytes(header));
        }
        Files.createDirectories(CACHE);
        String name = file.getFileName().toString();
        String key = name + "-" + version + "-" + Long.toHexString(sum.getValue());
        Path cubin = CACHE.resolve(key + ".cubin");
        Path log = CACHE.resolve(key + ".txt");
        if (!Files.exists(log)) {
            String text = run(List.of(
                    "nvcc",
                    "-std=c++17",
                    "-gencode=arch=compute_90a,code=sm_90a",
                    "-cubin",
                    "-Xptxas",
                    "-v",
                    "-o",
                    cubin.toString(),
                    file.toString()));
            // Last, so that a log stands for a complete cubin.
            Files.writeString(log, text);
        }
        return new Compiled(name, Files.readString(log), cubin);
    }

    static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", command) + ": " + text);
        }
        return text;
    }
}
