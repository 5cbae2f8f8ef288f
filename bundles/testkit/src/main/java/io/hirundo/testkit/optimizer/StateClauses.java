package io.hirundo.testkit.optimizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fabric.Substitute;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What an optimizer keeps between steps. */
public interface StateClauses extends OptimizerOffer {
    @Clause(
            value =
                    "state() lists exactly what declaredState() declares for each parameter, shaped like its value, and zero",
            remedy =
                    "declaredState() and OptimizerRun.state(): names, dtypes and shapes; bind() fills new memory with zeros")
    default void stateIsDeclared(Bench bench) {
        for (DType dtype : dtypes()) {
            Optimizer optimizer = optimizer();
            List<BenchParameter> parameters = BenchParameter.slices(bench, dtype, optimizer);
            var declared = new ArrayList<String>();
            for (BenchParameter parameter : parameters) {
                List<StateSpec> specs = optimizer
                        .declaredState(parameter.spec(), dtype)
                        .orElseThrow(() -> new AssertionError("declaredState() declares nothing for "
                                + parameter.spec().name()));
                for (StateSpec spec : specs) {
                    long first = parameter.firstElement() / spec.block();
                    declared.add(form(
                            spec.name(), parameter, first, parameter.value().elements() / spec.block(), spec.dtype()));
                }
            }
            try (var bound = new BoundOptimizer(bench, optimizer, parameters)) {
                var listed = new ArrayList<String>();
                for (State state : bound.state()) {
                    Tensor tensor = state.tensor();
                    listed.add(form(
                            state.name(),
                            state.parameter(),
                            state.parameter().firstElement(),
                            tensor.elements(),
                            tensor.dtype()));
                    assertTrue(
                            Arrays.stream(bench.read(state.tensor())).allMatch(x -> x == 0),
                            () -> state.name() + " does not begin at zero");
                }
                assertEquals(
                        declared.stream().sorted().toList(),
                        listed.stream().sorted().toList());
            }
        }
    }

    private static String form(String name, Parameter parameter, long first, long elements, DType dtype) {
        return name + " of " + parameter.spec().name() + " from element " + first + ": " + elements + " " + dtype;
    }

    @Clause(
            value =
                    "All optimizer memory is listed by state(): a resumed run has nothing else; scratch memory is workspace",
            remedy =
                    "memory that bind() or step() allocates as OPTIMIZER and state() does not list, or in another category than WORKSPACE")
    default void memoryIsListed(Bench bench) {
        try (var bound = new BoundOptimizer(bench, optimizer(), BenchParameter.all(bench, weightType()))) {
            bound.steps(1, 2, learningRate());
            long listed = bound.state().stream()
                    .mapToLong(state -> backend()
                            .memoryProfile()
                            .allocationBytes(state.tensor().byteSize()))
                    .sum();
            var held = bench.heldByOthers();
            held.remove(MemoryCategory.WORKSPACE);
            assertEquals(listed, held.getOrDefault(MemoryCategory.OPTIMIZER, 0L), "bytes of optimizer memory");
            held.remove(MemoryCategory.OPTIMIZER);
            assertTrue(held.isEmpty(), () -> "memory is booked as " + held);
        }
    }

    @Clause(
            value = "A run that is saved and resumed with a new optimizer computes the bits of an unbroken run",
            remedy =
                    "everything that a step depends on must be in state(), in values and gradients, or be passed to step(): no fields that steps change")
    default void resumesBitwise(Bench bench) {
        BoundOptimizer.Numbers expected;
        try (var unbroken = new BoundOptimizer(bench, optimizer(), BenchParameter.all(bench, weightType()))) {
            unbroken.steps(1, 7, learningRate());
            expected = unbroken.numbers();
        }
        BoundOptimizer.Numbers saved;
        try (var first = new BoundOptimizer(bench, optimizer(), BenchParameter.all(bench, weightType()))) {
            first.steps(1, 4, learningRate());
            saved = first.numbers();
        }
        try (var resumed = new BoundOptimizer(bench, optimizer(), BenchParameter.all(bench, weightType()))) {
            resumed.restore(saved);
            resumed.steps(5, 7, learningRate());
            expected.requireEqual(resumed.numbers(), "resumed after step 4, at step 7");
        }
    }

    @Clause(
            value = "close() frees all memory; a bind() that runs out of memory leaves none allocated",
            remedy = "bind(): what was allocated before the failing allocation; close(): every tensor")
    default void freesItsMemory(Bench bench) {
        List<BenchParameter> parameters = BenchParameter.all(bench, weightType());
        try (var bound = new BoundOptimizer(bench, optimizer(), parameters)) {
            bound.steps(1, 1, learningRate());
        }
        assertTrue(
                bench.heldByOthers().isEmpty(), () -> "after close() " + bench.heldByOthers() + " bytes are allocated");
        for (int allowed = 0; !binds(bench, parameters, allowed); allowed++) {
            String when = "after allocation " + (allowed + 1) + " failed in bind() ";
            assertTrue(bench.heldByOthers().isEmpty(), () -> when + bench.heldByOthers() + " bytes are allocated");
        }
    }

    /** Whether bind() succeeds with so many allocations. */
    private boolean binds(Bench bench, List<BenchParameter> parameters, int allowed) {
        int[] left = {allowed};
        Device limited = Substitute.like(Device.class, bench.device(), "allocate", (real, arguments) -> {
            if (left[0]-- == 0) {
                throw new DeviceException("no memory left");
            }
            return real.call();
        });
        try {
            optimizer().bind(limited, List.copyOf(parameters)).close();
            return true;
        } catch (DeviceException e) {
            return false;
        }
    }
}
