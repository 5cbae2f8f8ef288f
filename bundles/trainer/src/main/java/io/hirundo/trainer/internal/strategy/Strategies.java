package io.hirundo.trainer.internal.strategy;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingListener;
import io.hirundo.mesh.Fabric;
import io.hirundo.model.Architecture;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.Choice;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that a configuration chose, made but not opened: the immutable snapshot that a run works with. Whoever resolved
 * it closes it.
 *
 * @param compute where and how precisely is computed
 * @param parallel how the work is split over ranks
 * @param model what is trained
 * @param step how weights are updated
 * @param data what is learned from
 * @param outcome what is told and kept
 */
public record Strategies(Compute compute, Parallel parallel, Model model, Step step, Data data, Outcome outcome)
    implements AutoCloseable {
  /** Where and how precisely is computed. */
  public record Compute(ComputeBackend backend, PrecisionStrategy precision) {}

  /** How the work is split over ranks. */
  public record Parallel(
      Fabric fabric, PipelineSchedule schedule, TensorParallel tensor, ContextParallel context, DataParallel data) {
    Parallel with(Fabric other) {
      return new Parallel(other, schedule, tensor, context, data);
    }
  }

  /**
   * What is trained.
   *
   * @param choice the architecture's name and options, to be written with the model
   * @param format that models are read in; empty where none is
   * @param exportFormat that the trained model is written in; empty where it is not
   * @param notes what the model that the run starts from says beside its weights
   */
  public record Model(
      Architecture architecture, Choice choice, Optional<ModelFormat> format, Optional<ModelFormat> exportFormat, ModelNotes notes) {
    public Model(Architecture architecture, Choice choice, Optional<ModelFormat> format) {
      this(architecture, choice, format, format, ModelNotes.NONE);
    }
  }

  /** How weights are updated. */
  public record Step(Optimizer optimizer, LearningRateSchedule learningRate) {}

  /**
   * What is learned from.
   *
   * @param tokenizer to be written with the model, where there is one
   */
  public record Data(DataSource source, Map<String, DataSource> watched, Optional<Tokenizer> tokenizer) {}

  /**
   * What is told and kept.
   *
   * @param checkpoint how state is saved; empty for never
   * @param store where it is copied to; empty for nowhere
   * @param monitors who listens
   */
  public record Outcome(
      Optional<CheckpointStrategy> checkpoint, Optional<CheckpointStore> store, List<TrainingListener> monitors) {}

  /** The same with another device, and ranks that meet elsewhere. */
  public Strategies with(ComputeBackend backend, Fabric fabric) {
    return new Strategies(
        new Compute(backend, compute.precision()), parallel.with(fabric), model, step, data, outcome);
  }

  /** The same with nothing sent between ranks in fewer bits than it has. */
  public Strategies withValuesTravelling() {
    return new Strategies(
        new Compute(compute.backend(), new UnquantizedTransfers(compute.precision())), parallel, model, step, data, outcome);
  }

  @Override
  public void close() {
    data.tokenizer().ifPresent(Tokenizer::close);
  }
}
