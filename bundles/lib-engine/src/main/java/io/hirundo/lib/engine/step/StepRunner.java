package io.hirundo.lib.engine.step;

import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.lib.engine.audit.RankAudit;
import io.hirundo.lib.engine.data.DeviceBatch;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.pipeline.Microbatches;
import io.hirundo.lib.engine.rank.MicrobatchContext;
import io.hirundo.mesh.Axis;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Runs one rank's part of a step: the pipeline tasks, then gradient norm, clipping and optimizer update. */
public final class StepRunner {
    /**
     * The result of a step, the same on every rank.
     *
     * @param loss mean over the labels that count, in nats
     * @param gradientNorm global norm before clipping
     * @param signals signals of any rank
     */
    public record Outcome(double loss, double gradientNorm, StepSignals signals) {}

    private final RankModel model;
    private final RankUpdate update;
    private final StepRequest request;
    /** Null if the run is not audited. */
    private final RankAudit audit;

    /** A runner without audit. */
    public StepRunner(RankModel model, RankUpdate update, StepRequest request) {
        this(model, update, request, null);
    }

    /** {@code audit}: the audit of this rank; null for none. */
    public StepRunner(RankModel model, RankUpdate update, StepRequest request, RankAudit audit) {
        this.model = model;
        this.update = update;
        this.request = request;
        this.audit = audit;
    }

    /**
     * Runs one optimizer step.
     *
     * @param batch samples of this rank
     * @param step 1-based step number
     * @param signals the signals of this rank, requested when the gradients are complete
     */
    public Outcome step(HostBatch batch, long step, double learningRate, Supplier<StepSignals> signals) {
        if (beginsAudit(step)) {
            return auditedStep(batch, step, learningRate, signals, StepObserver.NONE);
        }
        try (var _ = model.queue().repetition("step")) {
            return stepOnce(batch, step, learningRate, signals, StepObserver.NONE);
        }
    }

    /** As {@link #step}, with an observer. All ranks must call this. */
    public Outcome observedStep(
            HostBatch batch, long step, double learningRate, Supplier<StepSignals> signals, StepObserver observer) {
        return beginsAudit(step)
                ? auditedStep(batch, step, learningRate, signals, observer)
                : stepOnce(batch, step, learningRate, signals, observer);
    }

    /** Completes the audit of the step before. Returns whether this step is audited, the same on all ranks. */
    private boolean beginsAudit(long step) {
        if (audit == null) {
            return false;
        }
        audit.finish();
        return audit.isDue(step, model.blocks().layers().audited());
    }

    /** Outside of graph capture, because an audit copies from other addresses in every step. */
    private Outcome auditedStep(
            HostBatch batch, long step, double learningRate, Supplier<StepSignals> signals, StepObserver observer) {
        Outcome outcome;
        try {
            audit.beginStep(step, model.blocks().layers().audited());
            outcome = stepOnce(batch, step, learningRate, signals, observer);
        } catch (RuntimeException | Error failure) {
            audit.abandonStep();
            throw failure;
        }
        audit.endStep(model.blocks().precision());
        return outcome;
    }

    private Outcome stepOnce(
            HostBatch batch, long step, double learningRate, Supplier<StepSignals> signals, StepObserver observer) {
        long labels = accumulateGradients(batch);
        observer.gradientsFinished();
        model.blocks().memory().endStep();
        RankUpdate.Totals totals = update.apply(step, learningRate, request.clipNorm(), signals.get());
        observer.weightsUpdated();
        return new Outcome(totals.lossSum() / labels, totals.gradientNorm(), totals.signals());
    }

    /** Result of {@link #measuredStep}. {@code rounding}: the quantization error of this rank's layers. */
    public record Measured(Outcome outcome, List<LayerRounding> rounding) {}

    /** As {@link #step}, and measures quantization error. All ranks must call this. */
    public Measured measuredStep(HostBatch batch, long step, double learningRate, Supplier<StepSignals> signals) {
        return measuredStep(batch, step, learningRate, signals, StepObserver.NONE);
    }

    /** As {@link #measuredStep}, with an observer. */
    public Measured measuredStep(
            HostBatch batch, long step, double learningRate, Supplier<StepSignals> signals, StepObserver observer) {
        Measured measured = model.withUnquantizedWeights(() -> {
            model.blocks().layers().beginRounding();
            // Outside of graph capture, because the measurement reads values in the middle of the step.
            Outcome outcome = stepOnce(batch, step, learningRate, signals, observer);
            return new Measured(outcome, model.blocks().layers().endRounding());
        });
        if (!model.blocks().layers().codings().isEmpty()) {
            // Where weights stay between steps, the unquantized ones are freed now, not at the next use of weights.
            model.weightsChanged();
        }
        return measured;
    }

    /**
     * The mean loss of the batch's first microbatch and the norm of its gradient. Layers get the same number of rows as in a step, and
     * gradients of the mean over the full batch. Weights and optimizer state stay unchanged. Gradients are undefined afterwards, as before
     * every step.
     *
     * @param without names of parameters that the norm leaves out
     */
    public LossAndNorm lossAndGradientNorm(HostBatch batch, Set<String> without) {
        begin();
        long labels = labels(batch, request.globalBatch());
        HostBatch first = firstMicrobatch(batch);
        model.pipeline()
                .trainOne(transferShape(request.microBatch()), new OnDevice(first, request.microBatch(), 1.0 / labels));
        model.blocks().weights().finishStep();
        RankUpdate.Totals found = update.measure(without);
        long tried = labelsOfFirst(first);
        return new LossAndNorm(found.lossSum() / tried, found.gradientNorm() * labels / tried);
    }

    /** The same loss from a forward pass alone. The gradient norm is NaN. */
    public LossAndNorm loss(HostBatch batch) {
        begin();
        HostBatch first = firstMicrobatch(batch);
        try (var onDevice = new DeviceBatch(model.device(), model.queue(), first, model.tokenSplit())) {
            var context =
                    new MicrobatchContext(model.rankDevice(), onDevice.batch(), Recompute.NONE, model.lossSum(), 1);
            model.pipeline().evaluate(transferShape(request.microBatch()), context);
            return new LossAndNorm(update.measure(Set.of()).lossSum() / labelsOfFirst(first), Double.NaN);
        }
    }

    private HostBatch firstMicrobatch(HostBatch batch) {
        return batch.part(0, request.microBatch());
    }

    /** The labels of the first microbatches of all data-parallel ranks. */
    private long labelsOfFirst(HostBatch first) {
        return labels(
                first,
                (long) request.microBatch() * model.rank().along(Axis.DATA).size());
    }

    /**
     * Computes the gradients of the mean loss over the global batch, starting from zero.
     *
     * @return number of labels that count in that mean
     */
    public long accumulateGradients(HostBatch batch) {
        begin();
        long labels = labels(batch, request.globalBatch());
        int count = batch.rows().size() / request.microBatch();
        model.pipeline()
                .train(
                        count,
                        transferShape(request.microBatch()),
                        new OnDevice(batch, request.microBatch(), 1.0 / labels));
        model.blocks().weights().finishStep();
        return labels;
    }

    private void begin() {
        model.blocks().weights().beginStep();
        model.device().kernels().elementwise().fill(model.queue(), model.lossSum(), 0);
    }

    private Shape transferShape(int samples) {
        return model.transferShape((long) samples * model.tokenSplit().localTokens(request.sequenceTokens()));
    }

    /**
     * The labels of the samples of all ranks. With a loss mask only the rank of a sample knows how many count, so the counts are summed over
     * ranks.
     */
    private long labels(HostBatch own, long samplesOfAll) {
        if (!own.documents().maskEnd()) {
            return samplesOfAll * request.sequenceTokens();
        }
        // If no label counts, the loss is 0 instead of 0 / 0.
        return Math.max(1, model.rank().sum(own.counted(), Axis.DATA));
    }

    /** The microbatches of the step. Each is on the device only while it is needed. */
    private final class OnDevice implements Microbatches {
        private final HostBatch batch;
        private final int samples;
        private final double gradientScale;
        private final Map<Integer, DeviceBatch> open = new HashMap<>();

        /** {@code samples}: samples of each microbatch. */
        OnDevice(HostBatch batch, int samples, double gradientScale) {
            this.batch = batch;
            this.samples = samples;
            this.gradientScale = gradientScale;
        }

        @Override
        public StepContext open(int microbatch) {
            HostBatch part = batch.part(microbatch * samples, samples);
            var onDevice = new DeviceBatch(model.device(), model.queue(), part, model.tokenSplit());
            open.put(microbatch, onDevice);
            return new MicrobatchContext(
                    model.rankDevice(), onDevice.batch(), request.recompute(), model.lossSum(), gradientScale);
        }

        @Override
        public void close(int microbatch) {
            open.remove(microbatch).close();
        }
    }
}
