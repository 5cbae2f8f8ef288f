package io.hirundo.devicecuda.internal.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compiles every kernel with NVIDIA's nvcc, and compares registers, shared memory and spills with the committed table. The table of this
 * machine's nvcc is in {@code target/kernels-sm90.txt}; commit it after a change. Skipped without nvcc, and with another version than that
 * of the table. Results are cached between builds.
 */
class NvccTest {
  private static final Path SOURCES = Path.of("src/main/cuda/sm90");
  private static final Path TABLE = Path.of("src/test/resources/kernels-sm90.txt");
  private static final Path FOUND = Path.of("target/kernels-sm90.txt");
  private static final Pattern VERSION = Pattern.compile("V(\\d+\\.\\d+\\.\\d+)");
  private static final Pattern KERNEL =
      Pattern.compile(
          "Compiling entry function '(\\w+)'.*?(\\d+) bytes spill stores, (\\d+) bytes spill loads.*?Used (\\d+) registers([^\\n]*)",
          Pattern.DOTALL);
  private static final Pattern SHARED = Pattern.compile("(\\d+) bytes smem");

  @Test
  @Timeout(300)
  void kernelResourcesMatchTheTable() throws IOException, InterruptedException, ExecutionException {
    String version = version();
    var lines = new ArrayList<String>();
    lines.add("nvcc " + version + ": file, kernel, registers, bytes of shared memory, bytes spilled");
    try (var compilers = Executors.newFixedThreadPool(2)) {
      var results = new ArrayList<Future<List<String>>>();
      for (Path file : sources(".cu")) {
        results.add(compilers.submit(() -> compile(file, version)));
      }
      for (Future<List<String>> result : results) {
        lines.addAll(result.get());
      }
    }
    Files.write(FOUND, lines);
    List<String> table = Files.readAllLines(TABLE);
    assumeTrue(table.getFirst().equals(lines.getFirst()), () -> "the table is of another version: " + table.getFirst());
    assertEquals(String.join("\n", table), String.join("\n", lines));
  }

  private static List<Path> sources(String ending) throws IOException {
    try (var files = Files.list(SOURCES)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }

  private static String version() throws InterruptedException {
    String text = "";
    try {
      text = run(List.of("nvcc", "--version"));
    } catch (IOException absent) {
      assumeTrue(false, "there is no nvcc");
    }
    Matcher matcher = VERSION.matcher(text);
    assumeTrue(matcher.find(), "nvcc does not say its version");
    return matcher.group(1);
  }

  private static List<String> compile(Path file, String version) throws IOException, InterruptedException {
    var sum = new CRC32();
    sum.update(Files.readAllBytes(file));
    for (Path header : sources(".cuh")) {
      sum.update(Files.readAllBytes(header));
    }
    Path folder = Files.createDirectories(Path.of("target/nvcc"));
    String name = file.getFileName().toString();
    Path log = folder.resolve(name + "-" + version + "-" + Long.toHexString(sum.getValue()) + ".log");
    if (!Files.exists(log)) {
      Path cubin = folder.resolve(name + ".cubin");
      String text =
          run(
              List.of(
                  "nvcc", "-std=c++17", "-gencode=arch=compute_90a,code=sm_90a", "-cubin", "-Xptxas", "-v", "-o", cubin.toString(),
                  file.toString()));
      Files.writeString(log, text);
    }
    String said = Files.readString(log);
    // nvcc warns about wgmma instructions that are serialized, or registers that are not released, and continues.
    assertFalse(said.contains("Potential Performance Loss"), said);
    return resources(name, said);
  }

  private static List<String> resources(String file, String log) {
    var lines = new ArrayList<String>();
    Matcher kernel = KERNEL.matcher(log);
    while (kernel.find()) {
      Matcher shared = SHARED.matcher(kernel.group(5));
      int spilled = Integer.parseInt(kernel.group(2)) + Integer.parseInt(kernel.group(3));
      lines.add(String.join(" ", file, kernel.group(1), kernel.group(4), shared.find() ? shared.group(1) : "0", "" + spilled));
    }
    lines.sort(null);
    if (lines.isEmpty()) {
      throw new IllegalStateException("nvcc made no kernel of " + file + ": " + log);
    }
    return lines;
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", command) + ": " + text);
    }
    return text;
  }
}
