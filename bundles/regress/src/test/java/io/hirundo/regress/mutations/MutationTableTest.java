package io.hirundo.regress.mutations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.regress.mutations.Experiment.Outcome;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The checks detect exactly the faults that docs/correctness.md lists. */
class MutationTableTest {
    @TempDir
    private Path folder;

    static List<Fault> all() {
        return Faults.all();
    }

    /** One fault of each kind. */
    static List<Fault> few() {
        var names = List.of(
                "weight gradient x 1.01, one microbatch a step",
                "output lacks the last of 64 tokens",
                "data: gradients are not reduced");
        return Faults.all().stream()
                .filter(fault -> names.contains(fault.name()))
                .toList();
    }

    /** One fault of each place that the few leave out. */
    static List<Fault> more() {
        var names = List.of(
                "exponent bit, once", "bf16: stale weights: every GEMM uses those of the first step",
                "tensor: an eighth of a sum lacks the other ranks",
                        "pipeline: activations of the microbatch before arrive",
                "AdamW's epsilon 1e-4 instead of 1e-3", "samples in another order");
        return Faults.all().stream()
                .filter(fault -> names.contains(fault.name()))
                .toList();
    }

    @Test
    void thereAreThirtyFaults() {
        assertTrue(Faults.all().size() >= 30, () -> Faults.all().size() + " faults");
        assertEquals(
                Faults.all().size(),
                Faults.all().stream().map(Fault::name).distinct().count());
        assertEquals(3, few().size());
        assertEquals(6, more().size());
    }

    @ParameterizedTest
    @MethodSource("few")
    void noticesOneFaultOfEachKind(Fault fault) throws Exception {
        check(fault);
    }

    @ParameterizedTest
    @MethodSource("more")
    @Tag("matrix")
    void noticesOneFaultOfEachPlace(Fault fault) throws Exception {
        check(fault);
    }

    @ParameterizedTest
    @MethodSource("all")
    @Tag("soak")
    void noticesEachFaultAsDocumented(Fault fault) throws Exception {
        check(fault);
    }

    private void check(Fault fault) throws Exception {
        var experiment = new Experiment(folder);
        check("gate", fault.unnoticed().gate(), experiment.gate(fault));
        check("regress", fault.unnoticed().regress(), experiment.regress(fault));
        check("audit", fault.unnoticed().audit(), experiment.audit(fault));
    }

    private static void check(String who, String unnoticed, Outcome outcome) {
        assertEquals(unnoticed.isEmpty(), outcome.noticed(), () -> who + ": " + outcome.text());
    }

    /** Validates the table itself: without a fault no check reports anything. */
    @Test
    void noticesNothingWithoutAFault() throws Exception {
        var experiment = new Experiment(folder);
        Fault none = Faults.none();
        assertFalse(experiment.gate(none).noticed());
        assertFalse(experiment.regress(none).noticed());
        assertFalse(experiment.audit(none).noticed());
    }
}
