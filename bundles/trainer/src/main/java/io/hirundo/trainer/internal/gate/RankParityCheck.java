package io.hirundo.trainer.internal.gate;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.lib.engine.check.LayerErrors;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.layer.DeviceGemms;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.engine.model.RankBlocks;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.StringAllGather;
import io.hirundo.lib.engine.step.LossAndNorm;
import io.hirundo.lib.engine.step.StepRunner;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.lib.run.strategy.StrategyDifference;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parity check on one rank: runs a microbatch with the current blocks, or a replacement if these are closed, and with the new blocks.
 * Weights, optimizer state and data cursor stay unchanged.
 *
 * @param batch samples that the run has not trained on yet
 * @param step steps done; seed for the choice of the gradients that are compared
 * @param changes the strategies that change
 */
public record RankParityCheck(
        RankModel model, StepRunner steps, HostBatch batch, long step, StrategyDifference changes, ParityGate gate) {
    private static final Logger LOG = LoggerFactory.getLogger(RankParityCheck.class);

    /** The verdict of all ranks. {@code stages}: those of the new blocks. */
    public ParityGate.Verdict of(RankBlocks others, Strategies strategies, StageRequest stages) {
        if (model.blocksIfPresent().isPresent()) {
            return compare(
                    model.blocks(),
                    others,
                    changes.affects(RunPart.PRECISION) ? Double.POSITIVE_INFINITY : reordering(others));
        }
        // The current strategies are closed, so the device's own GEMMs are the baseline.
        var plain = new DeviceGemms(model.parameterType());
        try (var standIn = model.otherBlocks(
                plain, strategies.parallel(), strategies.model().architecture(), stages)) {
            return compare(standIn, others, Double.POSITIVE_INFINITY);
        } finally {
            model.exchangeBlocks(Optional.empty());
        }
    }

    /** The same on all ranks, because the loss is that of all of them. */
    private double reordering(RankBlocks others) {
        List<String> quantized = StringAllGather.exchange(
                model.rank(), Boolean.toString(others.layers().roundsOperands()));
        return ParityGate.reordering(others.precision().activationType(), quantized.contains(Boolean.toString(true)));
    }

    private ParityGate.Verdict compare(RankBlocks present, RankBlocks others, double largest) {
        try {
            model.exchangeBlocks(Optional.of(present));
            // Leaves time for the preparation: the pause stays below two microbatches.
            Set<String> left =
                    changes.affects(RunPart.LAYOUT) ? present.layers().halfOfWeights(step) : Set.of();
            LossAndNorm before = changes.affects(RunPart.LAYOUT)
                    ? present.layers().withoutWeightGradients(left, () -> steps.lossAndGradientNorm(batch, left))
                    : steps.loss(batch);
            model.exchangeBlocks(Optional.of(others));
            return ofAll(
                    changes.affects(RunPart.PRECISION)
                            ? checked(others, before, left)
                            : gate.totals(before, steps.lossAndGradientNorm(batch, left), largest));
        } finally {
            List.of(present, others).forEach(blocks -> blocks.layers().discard());
            model.exchangeBlocks(Optional.of(present));
            // The new blocks prepared the weights last, and their prepared copies may refer to moved tensors.
            present.weights().prepareAgain();
        }
    }

    private ParityGate.Verdict checked(RankBlocks others, LossAndNorm before, Set<String> left) {
        var after = new LossAndNorm[1];
        try {
            List<LayerErrors> layers = others.layers().checked(model.queue(), () -> {
                after[0] = steps.lossAndGradientNorm(batch, left);
                checkGatheredWeights(others);
            });
            layers.stream()
                    .filter(LayerErrors::unchecked)
                    .findFirst()
                    .ifPresent(layer -> LOG.warn(
                            "the parity check left out GEMMs of {}: an operand comes quantized from other ranks, and the precision does not report"
                                    + " what it multiplies; override PackedProducts.multiplied() and LinearMath.multiplied()",
                            layer.layer()));
            return ParityGate.Verdict.worst(Stream.of(
                    gate.layers(layers),
                    changes.affects(RunPart.LAYOUT)
                            ? gate.totals(before, after[0], Double.POSITIVE_INFINITY)
                            : gate.loss(before, after[0])));
        } catch (HirundoException known) {
            throw known;
        } catch (RuntimeException | LinkageError failure) {
            throw new IllegalStateException(
                    "the new strategies failed in the middle of a microbatch, where other ranks wait for this one: "
                            + Reason.of(failure) + "; continue without them with --resume",
                    failure);
        }
    }

    /** GEMMs multiply quantized weights as they were gathered; their quantization error needs the unquantized ones. */
    private void checkGatheredWeights(RankBlocks others) {
        if (!others.layers().codings().isEmpty()) {
            model.gatherUnquantizedWeights();
            try {
                others.weights().read(others.layers()::checkGatheredWeights);
            } finally {
                model.gatherWeightsForBlocks();
            }
        }
    }

    private ParityGate.Verdict ofAll(ParityGate.Verdict own) {
        return ParityGate.Verdict.worst(
                StringAllGather.exchange(model.rank(), own.line()).stream().map(ParityGate.Verdict::parse));
    }
}
