package io.hirundo.lib.engine.step;

import io.hirundo.lib.engine.data.DeviceBatch;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.pipeline.Microbatches;
import io.hirundo.lib.engine.rank.MicrobatchContext;
import io.hirundo.mesh.Axis;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import java.util.ArrayDeque;
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

    public StepRunner(RankModel model, RankUpdate update, StepRequest request) {
        this.model = model;
        this.update = update;
        this.request = request;
    }

    /** As {@link #step(HostBatch, long, double, Supplier, List)} without instruments. */
    public Outcome step(HostBatch batch, long step, double learningRate, Supplier<StepSignals> signals) {
        return step(batch, step, learningRate, signals, List.of());
    }

    /**
     * Runs one optimizer step.
     *
     * @param batch samples of this rank
     * @param step 1-based step number
     * @param signals the signals of this rank, requested when the gradients are complete
     * @param instruments begun in this order and ended in reverse
     */
    public Outcome step(
            HostBatch batch,
            long step,
            double learningRate,
            Supplier<StepSignals> signals,
            List<? extends StepInstrument> instruments) {
        boolean captured = instruments.stream().allMatch(StepInstrument::allowsGraphCapture);
        var begun = new ArrayDeque<StepInstrument>();
        try (var _ = captured ? model.queue().repetition("step") : null) {
            for (StepInstrument instrument : instruments) {
                begun.push(instrument);
                instrument.begin(step);
            }
            long labels = accumulateGradients(batch);
            begun.forEach(StepInstrument::gradientsFinished);
            model.blocks().memory().endStep();
            RankUpdate.Totals totals = update.apply(step, learningRate, request.clipNorm(), signals.get());
            begun.forEach(StepInstrument::weightsUpdated);
            while (!begun.isEmpty()) {
                begun.peek().end();
                begun.pop();
            }
            return new Outcome(totals.lossSum() / labels, totals.gradientNorm(), totals.signals());
        } catch (RuntimeException | Error failure) {
            begun.forEach(instrument -> abandon(instrument, failure));
            throw failure;
        }
    }

    private static void abandon(StepInstrument instrument, Throwable failure) {
        try {
            instrument.abandon();
        } catch (RuntimeException | Error further) {
            failure.addSuppressed(further);
        }
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
