package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Moves a model's weights and training state in and out, tensor by tensor under their published names. */
public final class ModelWeights {
  private final RankModel model;

  public ModelWeights(RankModel model) {
    this.model = model;
  }

  /** Fresh weights. A device that does not compute has none. */
  void initialize(long seed) {
    if (model.device().computes()) {
      var initializer = new WeightInitializer(seed);
      model.parameters().forEach(parameter -> initializer.initialize(model.device(), model.queue(), parameter));
    }
    model.weightsChanged();
  }

  /** Weights of a model on storage. */
  public void load(ModelReader reader) {
    if (model.device().computes()) {
      for (Parameter parameter : model.parameters()) {
        HostCopies.fillParts(
            model.device(),
            model.queue(),
            parameter,
            (part, host) -> reader.read(part, host.dtype(), host.memory()));
      }
    }
    model.weightsChanged();
  }

  /** Writes the model as it is now. */
  void export(ModelFormat format, Path directory, Choice architecture) {
    var parts = new ArrayList<ModelPart>();
    for (Parameter parameter : model.parameters()) {
      HostCopies.forEachPart(
          parameter,
          parameter.value(),
          (part, view) ->
              parts.add(
                  new ModelPart(
                      part.path(),
                      part.globalShape(),
                      view.dtype(),
                      host -> {
                        model.device().transfer().download(model.queue(), view, host);
                        model.queue().drain();
                      })));
    }
    format.write(directory, architecture, parts);
  }

  /** All tensors of the training state: parameters and what the optimizer keeps. */
  List<StateShard> stateShards(List<OptimizerRun.State> optimizerState) {
    var shards = new ArrayList<StateShard>();
    for (Parameter parameter : model.parameters()) {
      addShards(shards, "model/", parameter, parameter.value());
    }
    for (OptimizerRun.State state : optimizerState) {
      addShards(shards, "optimizer/" + state.name() + "/", state.parameter(), state.tensor());
    }
    return shards;
  }

  private static void addShards(List<StateShard> shards, String prefix, Parameter parameter, Tensor whole) {
    HostCopies.forEachPart(
        parameter,
        whole,
        (part, view) ->
            shards.add(new StateShard(prefix + part.path(), part.globalShape(), part.offset(), view, 0)));
  }
}
