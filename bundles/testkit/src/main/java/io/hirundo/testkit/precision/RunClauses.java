package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.StepMemory;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import io.hirundo.testkit.kernel.DeclaredKernels;
import java.util.List;
import java.util.Set;

/** How a run uses a strategy besides its GEMMs: parity checks between two steps, and weights sharded over ranks. */
public interface RunClauses extends PrecisionOffer {
    @Clause(
            value =
                    "Work that is computed between two steps and discarded, as in the parity check, leaves no trace in later steps",
            remedy = "StepMemory.discard(): must forget what GEMMs recorded since the last step, except for the weight")
    default void parityCheckLeavesNoTrace(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            try (var tried = LinearFixture.unchecked(bench, this, shape);
                    var untouched = LinearFixture.unchecked(bench, this, shape)) {
                tried.step(1, 8);
                untouched.step(1, 8);
                // With the current weight, and a microbatch that no step has seen.
                Guarded w = tried.prepare(2);
                tried.forward(w, 64);
                tried.inputGradient(w, 64);
                tried.weightGradient(64);
                tried.math.memory().ifPresent(StepMemory::discard);
                for (int step = 2; step <= 4; step++) {
                    assertArrayEquals(
                            Layers.bits(untouched.step(step, 8)),
                            Layers.bits(tried.step(step, 8)),
                            "step " + step + " of " + shape);
                }
            }
        }
    }

    @Clause(
            value =
                    "A device with the families that kernels() declares has all that bind() and GEMMs need: others are rejected before the run",
            remedy = "kernels(): families that bind() or a GEMM looks up and cannot do without")
    default void kernelsAreDeclared(Bench bench) {
        Set<Class<?>> declared = strategy().kernels();
        for (LinearShape shape : Layers.supported(this, bench)) {
            DeclaredKernels.lacking(bench.device(), declared, limited -> multiply(bench, limited, shape))
                    .ifPresent(lacks -> {
                        throw new AssertionError(
                                shape + " fails although the device has " + declared + ": " + lacks, lacks);
                    });
        }
    }

    @Clause(
            value =
                    "Each family that kernels() declares is needed by some layer: a device without it would be rejected for nothing",
            remedy = "kernels(): families that bind() and GEMMs can do without, and those of other options")
    default void declaredKernelsAreNeeded(Bench bench) {
        List<LinearShape> shapes = Layers.supported(this, bench);
        List<Class<?>> unneeded = DeclaredKernels.unneeded(
                bench.device(),
                strategy().kernels(),
                limited -> shapes.forEach(shape -> multiply(bench, limited, shape)));
        assertEquals(List.of(), unneeded, "families that no GEMM needs");
    }

    private void multiply(Bench bench, Device device, LinearShape shape) {
        try (var fixture = LinearFixture.unchecked(bench, device, this, shape)) {
            fixture.forward(fixture.prepare(1), 8);
            fixture.step(2, 8);
        }
    }

    @Clause(
            value =
                    "If ranks agree on the amaxes of a weight's shards, the shards are quantized like the unsharded weight",
            remedy =
                    "bind() with WeightSharers: agree() must raise a shard's amaxes before they are used, for the weight and "
                            + "its transpose, in every prepare() whatever the shard's values, and must not be called at another time")
    default void partsAreRoundedAsTheWhole(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            if (shape.outputs() > 1) {
                new SplitFixture(bench, strategy(), shape).run();
            }
        }
    }
}
