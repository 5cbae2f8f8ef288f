package io.hirundo.lib.engine.model;

import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.lib.engine.tensors.FiniteWeights;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.lib.engine.tensors.OwnedSlices;
import io.hirundo.lib.engine.tensors.WeightInitializer;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Loads and saves a model's weights and training state, tensor by tensor under their published names. */
public final class ModelWeights {
    /** Of a weight's key in a checkpoint; its published name follows. */
    public static final String KEY_PREFIX = "model/";

    /** Of an optimizer state tensor's key; the name of the state, {@code /}, and the weight's published name follow. */
    public static final String OPTIMIZER_PREFIX = "optimizer/";

    private final RankModel model;

    public ModelWeights(RankModel model) {
        this.model = model;
    }

    /** Initializes the weights. Does nothing on a device that does not compute. */
    public void initialize(long seed) {
        if (model.device().computes()) {
            new WeightInitializer(seed).initialize(model.device(), model.queue(), owned());
        }
        model.weightsChanged();
    }

    /**
     * Loads weights from storage.
     *
     * @param from the model, for messages
     * @throws io.hirundo.DataException where a weight is NaN or infinite
     */
    public void load(ModelReader reader, String from) {
        if (model.device().computes()) {
            for (Parameter parameter : owned()) {
                HostCopies.fill(model.device(), model.queue(), parameter, (part, host) -> {
                    reader.read(part, host.dtype(), host.memory());
                    FiniteWeights.require(from, part, host);
                });
            }
        }
        model.weightsChanged();
    }

    /** The training state that this rank owns: parameters and optimizer state. */
    public List<StateShard> stateShards(List<OptimizerRun.State> optimizerState) {
        var shards = new ArrayList<StateShard>();
        for (Parameter parameter : owned()) {
            shards.addAll(shards(KEY_PREFIX, parameter, parameter.value()));
        }
        for (OptimizerRun.State state : optimizerState) {
            shards.addAll(shards(OPTIMIZER_PREFIX + state.name() + "/", state.parameter(), state.tensor()));
        }
        return shards;
    }

    /** Keys of the checkpoint tensors that a state tensor is a part of. */
    public static Stream<String> keys(OptimizerRun.State state) {
        return OwnedSlices.of(state.parameter()).stream()
                .map(piece ->
                        OPTIMIZER_PREFIX + state.name() + "/" + piece.part().path());
    }

    /** The rectangles of published tensors that a run's tensor holds. */
    static List<StateShard> shards(String prefix, Parameter run, Tensor tensor) {
        return OwnedSlices.of(run).stream()
                .map(piece -> {
                    ParameterPart part = piece.part();
                    return new StateShard(
                            prefix + part.path(),
                            part.globalShape(),
                            part.offset(),
                            piece.in(tensor),
                            part.replicas().index());
                })
                .toList();
    }

    private List<Parameter> owned() {
        return model.sharded().owned();
    }
}
