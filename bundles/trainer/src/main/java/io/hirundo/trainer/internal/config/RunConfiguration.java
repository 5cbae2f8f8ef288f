package io.hirundo.trainer.internal.config;

import io.hirundo.device.ComputeBackend;
import io.hirundo.event.TrainingListener;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;
import java.util.List;

/** Everything that is chosen for a run. The {@code config.json} of a run directory is one of these. */
public record RunConfiguration(
    @Setting(value = "Version of this format", min = 1) int schemaVersion,
    @Setting("Seed of the initial weights and of the order of the samples") long seed,
    @Setting("What the run is called and where it is written") RunSection run,
    @Setting("The model that is trained") ModelSection model,
    @Setting("What computes") @ChoiceOf(ComputeBackend.class) Choice device,
    @Setting("Types of parameters and activations, and how GEMMs compute")
        @ChoiceOf(PrecisionStrategy.class)
        Choice precision,
    @Setting("How the training is split over ranks") MeshSection mesh,
    @Setting("Length of the training, and its batches") TrainingSection training,
    @Setting("The update rule") @ChoiceOf(Optimizer.class) Choice optimizer,
    @Setting("The learning rate of each step") @ChoiceOf(LearningRateSchedule.class) Choice learningRate,
    @Setting("What is learned from") DataSection data,
    @Setting("When the validation loss is looked at, what rounding loses, and what kernels take") EvaluationSection evaluation,
    @Setting("What the model writes while it is trained") SamplesSection samples,
    @Setting("Steps of which fingerprints of all gradients and weights are written") FingerprintsSection fingerprints,
    @Setting("When the training state is saved") CheckpointSection checkpoint,
    @Setting("How strategies are replaced while the run goes on") SwapSection swap,
    @Setting("How the run checks its own arithmetic") AuditSection audit,
    @Setting("What reports the run's progress") @ChoiceOf(TrainingListener.class) List<Choice> monitors) {

  /** The newest format that is understood. */
  public static final int SCHEMA_VERSION = 1;

  public RunConfiguration {
    monitors = List.copyOf(monitors);
  }

  /** The same, with one audit a step where there are none. */
  public RunConfiguration audited() {
    return audit.isOn()
        ? this
        : new RunConfiguration(
            schemaVersion, seed, run, model, device, precision, mesh, training, optimizer, learningRate, data, evaluation, samples, fingerprints,
            checkpoint, swap, new AuditSection(1, audit.onFinding(), audit.rollbacks()), monitors);
  }

  /** The defaults. */
  public RunConfiguration() {
    this(
        SCHEMA_VERSION,
        1234,
        new RunSection(),
        new ModelSection(),
        Choice.of("cpu"),
        Choice.of("fp32"),
        new MeshSection(),
        new TrainingSection(),
        Choice.of("adamw"),
        Choice.of("cosine"),
        new DataSection(),
        new EvaluationSection(),
        new SamplesSection(),
        new FingerprintsSection(),
        new CheckpointSection(),
        new SwapSection(),
        new AuditSection(),
        List.of(Choice.of("console"), Choice.of("jsonl")));
  }
}
