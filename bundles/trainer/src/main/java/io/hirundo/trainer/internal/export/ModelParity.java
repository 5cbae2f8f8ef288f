package io.hirundo.trainer.internal.export;

import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.trainer.internal.evaluation.BlockwiseModel;
import io.hirundo.trainer.internal.evaluation.ModelProbe;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Compares a run's model, as it is when this is made, with what files mean by the definition of their format: a conversion that
 * went wrong is told before anything is trained on it, or before the model that is written appears.
 */
final class ModelParity {
  private final ModelProbe probe;
  private final double[] here;
  private final long step;
  private final double allowed;
  private Optional<ModelCompared> found = Optional.empty();

  private ModelParity(ModelProbe probe, double[] here, long step, double allowed) {
    this.probe = probe;
    this.here = here;
    this.step = step;
    this.allowed = allowed;
  }

  /** All processes must ask. Empty where it is switched off, or the model cannot be asked: its precision may have gone. */
  static Optional<ModelParity> of(LocalRun run) {
    var configuration = run.configuration();
    double tolerance = configuration.model().parityTolerance();
    if (tolerance == 0 || !run.device().computes() || run.first().blocks() == null) {
      return Optional.empty();
    }
    ModelProbe probe = ModelProbe.of(run.first(), configuration.training().sequenceTokens());
    double[] here = run.onEachRank(part -> probe.losses(part.model())).getFirst();
    run.resetClock();
    return Optional.of(new ModelParity(probe, here, run.stepsDone(), allowed(tolerance, run.strategies().compute().precision())));
  }

  /** Of a model that one rank goes through block by block, after so many steps; empty where {@code tolerance} is 0. */
  static Optional<ModelParity> of(BlockwiseModel model, long step, double tolerance) {
    if (tolerance == 0 || !model.rank().device().computes()) {
      return Optional.empty();
    }
    ModelProbe probe = ModelProbe.of(model.architecture().describe());
    return Optional.of(new ModelParity(probe, probe.losses(model), step, allowed(tolerance, model.compute().precision())));
  }

  /** What a precision says that its products may be off, a loss may be off too; most say nothing of that. */
  private static double allowed(double tolerance, PrecisionStrategy precision) {
    double rounding = precision.parity().output();
    return Double.isInfinite(rounding) ? tolerance : tolerance + rounding;
  }

  /** Refuses a model that was loaded from files which mean another one. */
  void requireLoaded(Path folder, ModelReader reader) {
    if (!passes(folder, reader)) {
      throw new DataException("model.from: what was loaded from " + refusal());
    }
  }

  /** Refuses files that mean another model than the run's. */
  void requireWritten(Path folder, ModelReader reader) {
    if (!passes(folder, reader)) {
      throw new StorageException("what was to become " + refusal());
    }
  }

  /** What was found; empty before, and where the format does not say what its files mean. */
  Optional<ModelCompared> found() {
    return found;
  }

  private boolean passes(Path folder, ModelReader reader) {
    OptionalDouble difference = probe.difference(here, reader);
    if (difference.isEmpty()) {
      return true;
    }
    found = Optional.of(new ModelCompared(step, folder, difference.getAsDouble(), allowed));
    // What is not a number does not pass.
    return found.get().difference() <= allowed;
  }

  private String refusal() {
    return String.format(
        Locale.ROOT,
        "%s computes other losses than its files say: they differ by %.3g of the deviation of its logits, allowed are %.3g; choose a"
            + " more exact precision, or set model.parityTolerance, 0 for no comparison",
        found.get().model(), found.get().difference(), allowed);
  }
}
