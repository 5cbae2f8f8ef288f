package io.hirundo.devicecuda.internal.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.devicecuda.internal.compile.Nvcc.Compiled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compiles every kernel with NVIDIA's nvcc, and compares registers, shared memory, spills, and the order in which warpgroups work, with
 * committed tables. The tables of this machine's nvcc are in {@code target}; commit them after a change. Skipped without nvcc; tables of
 * another version are not compared.
 */
class NvccTest {
    private static final Path TABLES = Path.of("src/test/resources");
    private static final String RESOURCES = "kernels-sm90.txt";
    private static final String ORDER = "order-sm90.txt";
    /** Registers of each thread when a kernel for warpgroups begins ({@code ring.cuh}). */
    private static final int AT_FIRST = 168;

    private static final Pattern KERNEL = Pattern.compile(
            "Compiling entry function '(\\w+)'.*?(\\d+) bytes spill stores, (\\d+) bytes spill loads.*?Used (\\d+) registers([^\\n]*)",
            Pattern.DOTALL);
    private static final Pattern SHARED = Pattern.compile("(\\d+) bytes smem");

    @Test
    @Timeout(300)
    void kernelResourcesMatchTheTable() throws IOException, InterruptedException, ExecutionException {
        Nvcc nvcc = Nvcc.orSkip();
        var lines = new ArrayList<String>();
        lines.add("nvcc " + nvcc.version() + ": file, kernel, registers, bytes of shared memory, bytes spilled");
        for (Compiled file : nvcc.all()) {
            // nvcc warns about wgmma instructions that are serialized, or registers that are not released, and
            // continues.
            assertFalse(file.log().contains("Potential Performance Loss"), file.log());
            lines.addAll(resources(file));
        }
        requireTable(RESOURCES, lines);
    }

    /**
     * The order of the machine code decides what overlaps, and the compiler chooses it. With any compiler: attention makes its powers before
     * it waits for the GEMM that runs meanwhile (values forward, dP backward), and a warpgroup that has given registers back uses
     * none of these.
     */
    @Test
    @Timeout(300)
    void warpgroupsWorkInTheOrderOfTheTable() throws IOException, InterruptedException, ExecutionException {
        Nvcc nvcc = Nvcc.orSkip();
        var lines = new ArrayList<String>();
        lines.add("nvcc " + nvcc.version() + ": file, kernel: what its machine code does in this order");
        for (Compiled file : nvcc.all()) {
            String sass = file.isOfWarpgroups() ? file.disassembly() : "";
            for (SassRegisters registers : SassRegisters.parse(sass)) {
                assertTrue(registers.used() <= registers.kept(), registers::toString);
                // Only code with all registers of the launch may call routines.
                assertTrue(!registers.calls() || registers.kept() == AT_FIRST, registers::toString);
            }
            for (SassOrder kernel : SassOrder.parse(sass)) {
                String line = file.name() + " " + kernel.name() + ": " + String.join(", ", kernel.events());
                if (file.name().equals("attention_warpgroup.cu")) {
                    assertTrue(kernel.makesPowersBetweenWaits(64), line);
                } else if (file.name().equals("attention_backward_warpgroup.cu")) {
                    assertTrue(kernel.makesPowersBetweenWaits(32), line);
                }
                lines.add(line);
            }
        }
        requireTable(ORDER, lines);
    }

    private static void requireTable(String name, List<String> lines) throws IOException {
        Files.write(Path.of("target").resolve(name), lines);
        List<String> table = Files.readAllLines(TABLES.resolve(name));
        assumeTrue(
                table.getFirst().equals(lines.getFirst()),
                () -> "the table is of another version: " + table.getFirst());
        assertEquals(String.join("\n", table), String.join("\n", lines));
    }

    private static List<String> resources(Compiled file) {
        var lines = new ArrayList<String>();
        Matcher kernel = KERNEL.matcher(file.log());
        while (kernel.find()) {
            Matcher shared = SHARED.matcher(kernel.group(5));
            int spilled = Integer.parseInt(kernel.group(2)) + Integer.parseInt(kernel.group(3));
            lines.add(String.join(
                    " ",
                    file.name(),
                    kernel.group(1),
                    kernel.group(4),
                    shared.find() ? shared.group(1) : "0",
                    "" + spilled));
        }
        lines.sort(null);
        if (lines.isEmpty()) {
            throw new IllegalStateException("nvcc made no kernel of " + file.name() + ": " + file.log());
        }
        return lines;
    }
}
