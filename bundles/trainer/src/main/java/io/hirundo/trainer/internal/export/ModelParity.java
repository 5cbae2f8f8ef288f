package io.hirundo.trainer.internal.export;

import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.lib.inference.evaluation.BlockwiseModel;
import io.hirundo.lib.inference.evaluation.ModelProbe;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Compares a run's model, as of construction, with the losses that its files imply by their format's definition. Finds a wrong
 * conversion before training starts on it, or before the exported model appears.
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

    /** Collective. Empty where the check is off, or the model has no blocks because its precision is missing. */
    static Optional<ModelParity> of(LocalRun run) {
        var configuration = run.configuration();
        double tolerance = configuration.model().parityTolerance();
        if (tolerance == 0
                || !run.device().computes()
                || run.first().blocksIfPresent().isEmpty()) {
            return Optional.empty();
        }
        ModelProbe probe = ModelProbe.of(run.first(), configuration.training().sequenceTokens());
        double[] here = run.onEachRank(part -> probe.losses(part.model())).getFirst();
        run.resetClock();
        return Optional.of(new ModelParity(
                probe,
                here,
                run.stepsDone(),
                allowed(tolerance, run.strategies().compute().precision())));
    }

    /** For a model that one rank computes block by block, after so many steps; empty where {@code tolerance} is 0. */
    static Optional<ModelParity> of(BlockwiseModel model, long step, double tolerance) {
        if (tolerance == 0 || !model.rank().device().computes()) {
            return Optional.empty();
        }
        ModelProbe probe = ModelProbe.of(model.architecture().describe());
        return Optional.of(new ModelParity(
                probe,
                probe.losses(model),
                step,
                allowed(tolerance, model.compute().precision())));
    }

    /** A loss may differ by the error bound that the precision states for its GEMMs; most state none. */
    private static double allowed(double tolerance, PrecisionStrategy precision) {
        double rounding = precision.parity().output();
        return Double.isInfinite(rounding) ? tolerance : tolerance + rounding;
    }

    /** Rejects a loaded model that computes other losses than its files. */
    void requireLoaded(Path folder, ModelReader reader) {
        if (!passes(folder, reader)) {
            throw new DataException("model.from: what was loaded from " + rejection());
        }
    }

    /** Rejects exported files that compute other losses than the run's model. */
    void requireWritten(Path folder, ModelReader reader) {
        if (!passes(folder, reader)) {
            throw new StorageException("what was to become " + rejection());
        }
    }

    /** The result; empty before the check, and where the format has no reference computation. */
    Optional<ModelCompared> found() {
        return found;
    }

    private boolean passes(Path folder, ModelReader reader) {
        OptionalDouble difference = probe.difference(here, reader);
        if (difference.isEmpty()) {
            return true;
        }
        found = Optional.of(new ModelCompared(step, folder, difference.getAsDouble(), allowed));
        // NaN fails this comparison.
        return found.get().difference() <= allowed;
    }

    private String rejection() {
        return String.format(
                Locale.ROOT,
                "%s computes other losses than its files say: they differ by %.3g of the deviation of its logits, allowed are %.3g; choose a"
                        + " more exact precision, or set model.parityTolerance, 0 for no comparison",
                found.get().model(),
                found.get().difference(),
                allowed);
    }
}
