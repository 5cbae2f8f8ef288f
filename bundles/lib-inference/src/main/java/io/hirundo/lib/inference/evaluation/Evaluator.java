package io.hirundo.lib.inference.evaluation;

import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.lib.engine.data.BatchReader;
import io.hirundo.lib.engine.data.DeviceBatch;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.MicrobatchContext;
import io.hirundo.lib.engine.rank.SampleShard;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.layer.Recompute;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Computes the mean loss over the first validation samples of a data source. Each evaluation uses the same samples, so losses are
 * comparable.
 */
public final class Evaluator {
    /**
     * The result of an evaluation, the same on every rank.
     *
     * @param loss mean loss per counted token, in nats
     * @param tokens labels that count (all, or those that the loss mask keeps)
     */
    public record Result(double loss, long tokens) {}

    private final RankModel model;
    private final BatchReader reader;
    private final int sequenceTokens;
    private final long samples;
    private final SampleShard share;
    private final boolean countsAll;

    /** Evaluates {@code samples} validation samples, or all if there are fewer. */
    public Evaluator(RankModel model, SampleSet set, int sequenceTokens, long samples, int microBatch) {
        this.model = model;
        this.reader = new BatchReader(set, sequenceTokens, model.spec().vocabulary());
        this.sequenceTokens = sequenceTokens;
        this.samples = Math.min(samples, set.count(Split.VALIDATION));
        this.share = SampleShard.of(model.rank(), microBatch);
        this.countsAll = !set.documents().maskEnd();
    }

    public Result evaluate() {
        return evaluate(() -> false).orElseThrow();
    }

    /**
     * Returns empty if {@code stop} is true on any rank before the last batch: a mean over fewer samples is not comparable with the other
     * evaluations.
     */
    public Optional<Result> evaluate(BooleanSupplier stop) {
        try (Tensor totals2 = model.device().allocate(MemoryCategory.WORKSPACE, Shape.of(2), DType.FP64)) {
            elementwise().fill(model.queue(), model.lossSum(), 0);
            long seen = 0;
            long counted = 0;
            while (seen < samples) {
                if (stopsOnAnyRank(totals2, stop.getAsBoolean())) {
                    return Optional.empty();
                }
                long count = Math.min(share.together(), samples - seen);
                HostBatch batch = reader.read(Split.VALIDATION, share.of(seen, count));
                addLoss(padded(batch), batch.rows().size());
                seen += count;
                counted += countsAll ? 0 : batch.counted();
            }
            // If no label counts, the loss is 0 instead of 0 / 0.
            long tokens =
                    countsAll ? seen * sequenceTokens : Math.max(1, model.rank().sum(counted, Axis.DATA));
            return Optional.of(new Result(total(totals2) / tokens, tokens));
        }
    }

    /**
     * Pads the batch with samples that do not count. All data-parallel ranks must run the same collectives (FSDP gathers weights), so all
     * need the same batch size.
     */
    private HostBatch padded(HostBatch batch) {
        var rows = new ArrayList<>(batch.rows());
        while (share.dataRanks() > 1 && rows.size() < share.microBatch()) {
            rows.add(new int[sequenceTokens + 1]);
        }
        return new HostBatch(rows, batch.documents());
    }

    private void addLoss(HostBatch host, int counted) {
        try (var batch = new DeviceBatch(model.device(), model.queue(), host, counted, model.tokenSplit())) {
            model.pipeline()
                    .evaluate(
                            model.transferShape(batch.batch().tokens()),
                            new MicrobatchContext(
                                    model.rankDevice(), batch.batch(), Recompute.NONE, model.lossSum(), 1));
        }
    }

    /** Whether any rank requests a stop; the sum over ranks makes all ranks stop at the same batch. */
    private boolean stopsOnAnyRank(Tensor totals2, boolean stop) {
        if (model.rank().everyone().size() == 1) {
            return stop;
        }
        Tensor requests = totals2.rows(1, 1);
        elementwise().fill(model.queue(), requests, stop ? 1 : 0);
        return sum(requests) > 0;
    }

    /** Tensor-parallel ranks each have the full loss, so only tensor rank 0 adds it to the sum. */
    private double total(Tensor totals2) {
        Tensor loss = totals2.rows(0, 1);
        elementwise().fill(model.queue(), loss, 0);
        if (model.rank().coordinate(Axis.TENSOR) == 0) {
            elementwise().copy(model.queue(), model.lossSum(), loss);
        }
        return sum(loss);
    }

    private double sum(Tensor scalar) {
        ProcessGroup everyone = model.rank().everyone();
        model.queue()
                .await(everyone.allReduce(model.queue(), scalar, Reduction.SUM).event());
        return HostCopies.readScalars(model.device(), model.queue(), scalar)[0];
    }

    private ElementwiseKernels elementwise() {
        return model.device().kernels().elementwise();
    }
}
