package io.hirundo.lib.engine.step;

import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.TensorFingerprint;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.RankSums;
import io.hirundo.lib.engine.tensors.FingerprintReader;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.engine.tensors.OwnedSlices;
import io.hirundo.lib.oracle.FingerprintSums;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Function;

/**
 * Fingerprints of one step. Each rank sums over the elements that it owns, counting only the first replica, and an all-reduce adds the
 * sums. The same tensors in another parallel layout give the same fingerprints up to FP64 rounding.
 */
public final class RankFingerprints implements StepInstrument {
    private final RankModel model;
    private final SequencedMap<String, FingerprintSums> gradients;
    private final SequencedMap<String, FingerprintSums> weights;

    public RankFingerprints(RankModel model) {
        this.model = model;
        this.gradients = none(model);
        this.weights = none(model);
    }

    /** Zero sums for all tensors of the model, because a rank has only some of them. */
    private static SequencedMap<String, FingerprintSums> none(RankModel model) {
        var sums = new LinkedHashMap<String, FingerprintSums>();
        ModelTensors.of(model.spec()).keySet().forEach(name -> sums.put(name, new FingerprintSums(name)));
        return sums;
    }

    @Override
    public void gradientsFinished() {
        add(Parameter::gradient, gradients);
    }

    @Override
    public void weightsUpdated() {
        add(Parameter::value, weights);
    }

    private void add(Function<Parameter, Tensor> tensor, SequencedMap<String, FingerprintSums> sums) {
        if (!model.device().computes()) {
            return;
        }
        try (var reader = new FingerprintReader(model.device(), model.queue())) {
            for (Parameter owned : model.sharded().owned()) {
                for (OwnedSlices.Piece piece : OwnedSlices.of(owned, FingerprintReader.ELEMENTS)) {
                    if (piece.part().replicas().isFirst()) {
                        reader.add(
                                piece.part(),
                                piece.in(tensor.apply(owned)),
                                sums.get(piece.part().path()));
                    }
                }
            }
        }
    }

    /** The fingerprints of the full model. All ranks must call this and get the same result. */
    public FingerprintsTaken ofAll(long step) {
        double[] own = new double[(gradients.size() + weights.size()) * FingerprintSums.NUMBERS];
        int at = 0;
        for (FingerprintSums sums : concatenated()) {
            System.arraycopy(sums.toArray(), 0, own, at, FingerprintSums.NUMBERS);
            at += FingerprintSums.NUMBERS;
        }
        double[] all = RankSums.of(model.rank(), model.rank().everyone(), own);
        return new FingerprintsTaken(
                step, fingerprints(all, 0), fingerprints(all, gradients.size() * FingerprintSums.NUMBERS));
    }

    private List<FingerprintSums> concatenated() {
        var all = new ArrayList<>(gradients.values());
        all.addAll(weights.values());
        return all;
    }

    private List<TensorFingerprint> fingerprints(double[] numbers, int begin) {
        var fingerprints = new ArrayList<TensorFingerprint>();
        int at = begin;
        for (String name : gradients.sequencedKeySet()) {
            fingerprints.add(FingerprintSums.fingerprint(name, numbers, at));
            at += FingerprintSums.NUMBERS;
        }
        return fingerprints;
    }
}
