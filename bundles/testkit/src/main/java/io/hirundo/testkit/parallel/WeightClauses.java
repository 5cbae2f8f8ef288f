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
        for (ParameterSpec spec : TrialBlocks.PARAMETERS) {
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
        DataRanks.each(this, trial -> {
            trial.parameters.allocateGradients();
            for (int step = 0; step < 3; step++) {
                // As where a run resumes: nobody reads the weights that were initialized.
                trial.update(step + 10);
                trial.update(step);
                trial.requireForward(step, Map.of());
                for (int block = TrialBlocks.ALL.size() - 1; block >= 0; block--) {
                    trial.parameters.before(trial.queue(), block, Kind.BACKWARD_INPUT);
                    trial.parameters.before(trial.queue(), block, Kind.BACKWARD_WEIGHT);
                    trial.requireWeights(block, step, Map.of());
                    trial.parameters.after(trial.queue(), block, Kind.BACKWARD_INPUT);
                    trial.parameters.after(trial.queue(), block, Kind.BACKWARD_WEIGHT);
                }
                trial.requireMasters(step);
            }
        });
    }

    @Clause(
            value =
                    "before() reports changed weights to each block after every update, and only then if weights stay available",
            remedy =
                    "before(): returns true at a block's first call after weightsChanged(); layers quantize their weights again whenever it does")
    default void changedWeightsAreReported() {
        DataRanks.each(this, trial -> {
            for (int step = 0; step < 3; step++) {
                trial.update(step);
                for (int pass = 0; pass < 2; pass++) {
                    for (int block = 0; block < TrialBlocks.ALL.size(); block++) {
                        boolean changed = trial.parameters.before(trial.queue(), block, Kind.FORWARD);
                        trial.parameters.after(trial.queue(), block, Kind.FORWARD);
                        String where = "block " + block + " after update " + (step + 1) + ", call " + (pass + 1);
                        if (pass == 0) {
                            assertTrue(changed, () -> where + ": before() returned false");
                        } else if (trial.parameters.keepsWeights()) {
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
        DataRanks.each(this, trial -> {
            trial.update(0);
            trial.requireForward(0, Map.of());
            for (int form : new int[] {1, 2, 0, 2, 1, 0, 1}) {
                trial.parameters.hold(forms.get(form));
                trial.requireForward(0, forms.get(form));
                trial.requireMasters(0);
            }
            trial.update(1);
            trial.requireForward(1, forms.get(1));
            trial.requireMasters(1);
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
                    DataTrial.alone(this, backend(), ranks, 0, trial -> {
                        trial.parameters.hold(from);
                        trial.update(0);
                        trial.forward();
                        var books = trial.bench.books();
                        books.takePeak();
                        trial.forward();
                        long present = books.takePeak();
                        var live = books.live();
                        trial.parameters.rehearse(to, Map.of());
                        assertEquals(live, books.live(), "bytes after rehearse()");
                        long rehearsed = books.takePeak();
                        trial.parameters.hold(to);
                        trial.update(1);
                        trial.forward();
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
        DataRanks.each(this, trial -> {
            var codings = TrialQuantization.ofMatrices(trial.bench);
            for (int step = 0; step < 4; step++) {
                boolean coded = step != 2;
                trial.parameters.encode(coded ? codings : Map.of());
                trial.update(step);
                for (int block = 0; block < TrialBlocks.ALL.size(); block++) {
                    boolean changed = trial.parameters.before(trial.queue(), block, Kind.FORWARD);
                    for (ParameterSpec spec : TrialBlocks.ALL.get(block)) {
                        var found = trial.parameters.coded(spec.name());
                        if (found.isEmpty()) {
                            trial.requireValue(spec, step, weightType());
                        } else {
                            assertTrue(
                                    coded && codings.containsKey(spec.name()),
                                    () -> "coded() returns " + spec.name() + ", which encode() did not name");
                            assertTrue(
                                    changed,
                                    () -> "coded() returns " + spec.name()
                                            + ", and before() reported no changed weights");
                            TrialQuantization.require(trial.bench, spec, found.get(), step, weightType());
                        }
                    }
                    trial.parameters.after(trial.queue(), block, Kind.FORWARD);
                }
                trial.requireMasters(step);
            }
        });
    }
}
