package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.parallel.DataParallel;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.kernel.CountingBackend;
import io.hirundo.testkit.kernel.LedgerLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** What parameters and gradients allocate. */
public interface PlannedMemoryClauses extends DataParallelOffer {
    @Clause(
            value =
                    "On a device that does not compute, a step allocates what it allocates elsewhere, in the same order",
            remedy =
                    "allocations must follow from shapes, ranks and options, and not from values or from device.computes()")
    default void plansCountTheMemoryOfRuns() {
        for (int ranks : ranks()) {
            for (int rank : new TreeSet<>(List.of(0, ranks - 1))) {
                List<String> run = allocations(backend(), ranks, rank);
                List<String> plan = allocations(new CountingBackend(backend()), ranks, rank);
                assertEquals(run, plan, "memory of rank " + rank + " of " + ranks);
            }
        }
    }

    private List<String> allocations(ComputeBackend backend, int ranks, int rank) {
        var log = new LedgerLog(backend);
        DataFixture.alone(this, log, ranks, rank, fixture -> {
            fixture.parameters.allocateGradients();
            for (int step = 0; step < 2; step++) {
                fixture.update(step);
                fixture.accumulate(step, 2, false);
            }
            fixture.parameters.releaseGradients();
            fixture.update(2);
            fixture.accumulate(2, 1, true);
        });
        return log.lines();
    }

    @Clause(
            value =
                    "rehearseStep() allocates as much as the next steps take with the strategy's options, frees it, and changes nothing",
            remedy =
                    "rehearseStep(): the most that a step holds at once in addition, gathered weights and gradients together; without it, a swap runs out of memory in the next step")
    default void stepTakesWhatItRehearsed() {
        var others = new ArrayList<DataParallel>(sameBits());
        others.add(strategy());
        for (int ranks : ranks()) {
            for (DataParallel next : others) {
                for (int microbatches : List.of(1, 3)) {
                    DataFixture.alone(
                            this, backend(), ranks, 0, fixture -> requireRehearsed(fixture, next, microbatches));
                }
            }
        }
    }

    private static void requireRehearsed(DataFixture fixture, DataParallel next, int microbatches) {
        fixture.parameters.allocateGradients();
        fixture.update(0);
        fixture.accumulate(0, microbatches, false);
        fixture.update(1);
        Optional<Runnable> change = next.takeOver(fixture.parameters);
        if (change.isEmpty()) {
            return;
        }
        var books = fixture.bench.books();
        var live = books.live();
        books.takePeak();
        next.rehearseStep(fixture.parameters, Map.of(), Map.of(), microbatches, 0);
        assertEquals(live, books.live(), "bytes after rehearseStep()");
        long rehearsed = books.takePeak();
        change.get().run();
        for (int step = 2; step < 4; step++) {
            fixture.accumulate(step, microbatches, false);
            fixture.update(step);
        }
        long taken = books.takePeak();
        assertTrue(
                taken <= rehearsed,
                () -> fixture.ranks() + " ranks, " + microbatches + " microbatches: a step had " + taken
                        + " bytes at once, and its rehearsal " + rehearsed);
    }

    @Clause(
            value =
                    "Weights, gradients and collectives are booked as such, and gradients not before allocateGradients()",
            remedy =
                    "the MemoryCategory of each allocate(): WEIGHTS, GRADIENTS, COMMUNICATION, or WORKSPACE for scratch memory; inference has no gradients")
    default void memoryHasItsCategory() {
        for (int ranks : ranks()) {
            DataFixture.alone(this, backend(), ranks, 0, fixture -> {
                fixture.update(0);
                fixture.forward();
                Map<MemoryCategory, Long> inference = fixture.bench.heldByOthers();
                assertTrue(
                        inference.getOrDefault(MemoryCategory.WEIGHTS, 0L) > 0,
                        () -> "of weights, inference holds " + inference);
                assertEquals(
                        0, inference.getOrDefault(MemoryCategory.GRADIENTS, 0L), "bytes of gradients in inference");
                fixture.parameters.allocateGradients();
                fixture.accumulate(0, 1, false);
                Map<MemoryCategory, Long> training = fixture.bench.heldByOthers();
                assertEquals(
                        inference.get(MemoryCategory.WEIGHTS),
                        training.get(MemoryCategory.WEIGHTS),
                        "bytes of weights in training");
                assertTrue(
                        training.getOrDefault(MemoryCategory.GRADIENTS, 0L) > 0,
                        () -> "of gradients, training holds " + training);
                for (MemoryCategory other : List.of(MemoryCategory.OPTIMIZER, MemoryCategory.ACTIVATIONS)) {
                    assertEquals(0, training.getOrDefault(other, 0L), () -> "bytes of " + other);
                }
            });
        }
    }
}
