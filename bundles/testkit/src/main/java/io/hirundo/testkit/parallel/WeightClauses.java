package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Clause;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What layers read. */
public interface WeightClauses extends DataParallelOffer {
    /** Dtypes that layers ask for, by parameter: those of the masters, BF16 everywhere, BF16 for some. */
    private static List<Map<String, DType>> forms() {
        var all = new TreeMap<String, DType>();
        var some = new TreeMap<String, DType>();
        for (ParameterSpec spec : FixtureBlocks.PARAMETERS) {
            all.put(spec.name(), DType.BF16);
            if (!spec.name().contains("o_proj")) {
                some.put(spec.name(), DType.BF16);
            }
        }
        return List.of(Map.of(), all, some);
    }

    @Clause(
            value = "Layers read the weights of the last update, bitwise, on every rank and in both directions",
            remedy =
                    "weightsChanged() makes gathered weights out of date, also where a gather is in flight; before() waits for those of its block")
    default void layersReadUpdatedWeights() {
        DataRanks.each(this, fixture -> {
            fixture.parameters.allocateGradients();
            for (int step = 0; step < 3; step++) {
                // As where a run resumes: nobody reads the weights that were initialized.
                fixture.update(step + 10);
                fixture.update(step);
                fixture.requireForward(step, Map.of());
                for (int block = FixtureBlocks.ALL.size() - 1; block >= 0; block--) {
                    fixture.parameters.before(fixture.queue(), block, Kind.BACKWARD_INPUT);
                    fixture.parameters.before(fixture.queue(), block, Kind.BACKWARD_WEIGHT);
                    fixture.requireWeights(block, step, Map.of());
                    fixture.parameters.after(fixture.queue(), block, Kind.BACKWARD_INPUT);
                    fixture.parameters.after(fixture.queue(), block, Kind.BACKWARD_WEIGHT);
                }
                fixture.requireMasters(step);
            }
        });
    }

    @Clause(
            value =
                    "before() reports changed weights to each block after every update, and only then if weights stay available",
            remedy =
                    "before(): returns true at a block's first call after weightsChanged(); layers quantize their weights again whenever it does")
    default void changedWeightsAreReported() {
        DataRanks.each(this, fixture -> {
            for (int step = 0; step < 3; step++) {
                fixture.update(step);
                for (int pass = 0; pass < 2; pass++) {
                    for (int block = 0; block < FixtureBlocks.ALL.size(); block++) {
                        boolean changed = fixture.parameters.before(fixture.queue(), block, Kind.FORWARD);
                        fixture.parameters.after(fixture.queue(), block, Kind.FORWARD);
                        String where = "block " + block + " after update " + (step + 1) + ", call " + (pass + 1);
                        if (pass == 0) {
                            assertTrue(changed, () -> where + ": before() returned false");
                        } else if (fixture.parameters.keepsWeights()) {
                            assertFalse(changed, () -> where + ": before() returned true, and keepsWeights() does too");
                        }
                    }
                }
            }
        });
    }

    @Clause(
            value =
                    "Layers read weights in the dtype that hold() names, or in that of the masters, rounded to nearest even; masters stay exact",
            remedy =
                    "hold(): what layers read is a copy where its dtype differs; it may be called again between two steps, without weightsChanged()")
    default void weightsHaveTheHeldDtype() {
        List<Map<String, DType>> forms = forms();
        DataRanks.each(this, fixture -> {
            fixture.update(0);
            fixture.requireForward(0, Map.of());
            for (int form : new int[] {1, 2, 0, 2, 1, 0, 1}) {
                fixture.parameters.hold(forms.get(form));
                fixture.requireForward(0, forms.get(form));
                fixture.requireMasters(0);
            }
            fixture.update(1);
            fixture.requireForward(1, forms.get(1));
            fixture.requireMasters(1);
        });
    }

    @Clause(
            value =
                    "rehearse() allocates as much as hold() and the next gathers then need, frees it, and changes nothing",
            remedy =
                    "rehearse(): the peak of the change, and that of a block's gathered weights, in device memory; without it, a swap runs out of memory halfway")
    default void holdTakesWhatItRehearsed() {
        List<Map<String, DType>> forms = forms();
        for (int ranks : ranks()) {
            for (Map<String, DType> from : forms) {
                for (Map<String, DType> to : forms) {
                    DataFixture.alone(this, backend(), ranks, 0, fixture -> {
                        fixture.parameters.hold(from);
                        fixture.update(0);
                        fixture.forward();
                        var books = fixture.bench.books();
                        books.takePeak();
                        fixture.forward();
                        long present = books.takePeak();
                        var live = books.live();
                        fixture.parameters.rehearse(to, Map.of());
                        assertEquals(live, books.live(), "bytes after rehearse()");
                        long rehearsed = books.takePeak();
                        fixture.parameters.hold(to);
                        fixture.update(1);
                        fixture.forward();
                        long taken = books.takePeak();
                        assertTrue(
                                taken <= Math.max(rehearsed, present),
                                () -> ranks + " ranks: with hold(), " + taken
                                        + " bytes were allocated at once; with rehearse() " + rehearsed
                                        + ", and before " + present);
                    });
                }
            }
        }
    }

    @Clause(
            value =
                    "Quantized all-gathers give the quantized values of the unsharded weight, with the amax over all ranks; a strategy may gather unquantized instead",
            remedy =
                    "encode() and coded(): all-reduce magnitudes with MAX before encode() of the runs; runs of all ranks cover the weight; encode(Map.of()) ends it")
    default void quantizedGathersMatchTheUnshardedWeight() {
        DataRanks.each(this, fixture -> {
            var codings = QuotientQuantization.ofMatrices(fixture.bench);
            for (int step = 0; step < 4; step++) {
                boolean coded = step != 2;
                fixture.parameters.encode(coded ? codings : Map.of());
                fixture.update(step);
                for (int block = 0; block < FixtureBlocks.ALL.size(); block++) {
                    boolean changed = fixture.parameters.before(fixture.queue(), block, Kind.FORWARD);
                    for (ParameterSpec spec : FixtureBlocks.ALL.get(block)) {
                        var found = fixture.parameters.coded(spec.name());
                        if (found.isEmpty()) {
                            fixture.requireValue(spec, step, weightType());
                        } else {
                            assertTrue(
                                    coded && codings.containsKey(spec.name()),
                                    () -> "coded() returns " + spec.name() + ", which encode() did not name");
                            assertTrue(
                                    changed,
                                    () -> "coded() returns " + spec.name()
                                            + ", and before() reported no changed weights");
                            QuotientQuantization.require(fixture.bench, spec, found.get(), step, weightType());
                        }
                    }
                    fixture.parameters.after(fixture.queue(), block, Kind.FORWARD);
                }
                fixture.requireMasters(step);
            }
        });
    }
}
