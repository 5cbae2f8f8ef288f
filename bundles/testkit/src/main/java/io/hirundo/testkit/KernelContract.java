package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.kernel.CountingBackend;
import io.hirundo.testkit.kernel.KernelsOffer;
import io.hirundo.testkit.kernel.LedgerLog;
import io.hirundo.testkit.kernel.ReversedTasks;
import java.util.Arrays;
import java.util.List;

/**
 * Contract tests for a {@link KernelProvider}: values, the order of tasks, and the memory that a plan counts.
 *
 * @param <K> the family
 */
public interface KernelContract<K> extends KernelsOffer<K> {
    /** Odd, and of several sizes of tiles. */
    List<long[]> SIZES = List.of(new long[] {1, 1}, new long[] {3, 5}, new long[] {33, 17}, new long[] {130, 65});

    @Clause(
            value = "Kernels compute what the reference computes, at odd sizes",
            remedy = "the last row and column, the dtypes of dtypes(), and whether a result is added to or overwritten")
    default void resultsAreThoseOfTheReference() {
        for (DType dtype : dtypes()) {
            for (long[] size : SIZES) {
                List<double[]> expected = results(backend(), reference(), dtype, size);
                List<double[]> actual = results(backend(), provider(), dtype, size);
                assertFalse(expected.isEmpty(), "call returns no results of " + dtype + ", so nothing is compared");
                assertEquals(expected.size(), actual.size(), "results of " + dtype);
                for (int result = 0; result < expected.size(); result++) {
                    String what =
                            "result " + result + " of " + size[0] + " rows and " + size[1] + " columns in " + dtype;
                    assertEquals(expected.get(result).length, actual.get(result).length, "elements of " + what);
                    double largest = Arrays.stream(expected.get(result))
                            .map(Math::abs)
                            .max()
                            .orElse(0);
                    for (int i = 0; i < expected.get(result).length; i++) {
                        double error = Math.abs(expected.get(result)[i] - actual.get(result)[i]);
                        String found = what + ", element " + i + ": " + actual.get(result)[i] + " instead of "
                                + expected.get(result)[i];
                        assertTrue(error <= largest * tolerance(dtype), found);
                    }
                }
            }
        }
    }

    @Clause(
            value = "Results are bitwise the same in whatever order the tasks of a kernel run",
            remedy =
                    "HostWorkers.run: tasks that add to the same elements; a sum belongs to one task, or is summed in a fixed order afterwards")
    default void orderOfTasksDoesNotMatter() {
        for (DType dtype : dtypes()) {
            long[] size = SIZES.getLast();
            List<double[]> inOrder = results(backend(), provider(), dtype, size);
            List<double[]> reversed = results(new ReversedTasks(backend()), provider(), dtype, size);
            for (int result = 0; result < inOrder.size(); result++) {
                assertArrayEquals(inOrder.get(result), reversed.get(result), "result " + result + " in " + dtype);
            }
        }
    }

    @Clause(
            value =
                    "On a device that does not compute, kernels allocate what they allocate elsewhere, and touch no memory",
            remedy =
                    "KernelProvider.open: device.computes() is false in a plan; allocate workspace before asking, through device.allocate")
    default void plansCountTheMemoryOfRuns() {
        for (DType dtype : dtypes()) {
            for (long[] size : SIZES) {
                var run = new LedgerLog(backend());
                results(run, provider(), dtype, size);
                var plan = new LedgerLog(new CountingBackend(backend()));
                results(plan, provider(), dtype, size);
                assertEquals(
                        run.lines(),
                        plan.lines(),
                        "memory of " + size[0] + " rows and " + size[1] + " columns in " + dtype);
            }
        }
    }

    /** Opens the kernels, calls them, and closes them. */
    private List<double[]> results(ComputeBackend backend, KernelProvider<K> provider, DType dtype, long[] size) {
        try (Bench bench = Bench.open(backend)) {
            K kernels = provider.open(bench.device());
            try {
                return call(kernels, bench, dtype, size[0], size[1]).stream()
                        .map(bench::read)
                        .toList();
            } finally {
                close(kernels);
            }
        }
    }

    private static void close(Object kernels) {
        if (kernels instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception failure) {
                throw new AssertionError("kernels cannot be closed: " + failure, failure);
            }
        }
    }
}
