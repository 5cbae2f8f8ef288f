package io.hirundo.lib.engine.pipeline;

import io.hirundo.model.Block;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.StepContext;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A model chunk: consecutive blocks of the model on one rank. Owns the activations between its blocks. The input of a block is kept until
 * the weight gradients of the block are computed.
 */
public final class ModelChunk {
    private final int firstBlock;
    private final List<Block> blocks;
    private final boolean endsModel;
    private final BlockWeights weights;

    /**
     * Creates a chunk from blocks and the hooks for their weights.
     *
     * @param firstBlock index of the first block among all blocks of this rank
     * @param endsModel whether the last block is the output head of the model
     */
    public ModelChunk(int firstBlock, List<Block> blocks, boolean endsModel, BlockWeights weights) {
        this.firstBlock = firstBlock;
        this.blocks = List.copyOf(blocks);
        this.endsModel = endsModel;
        this.weights = weights;
    }

    public List<Block> blocks() {
        return blocks;
    }

    /**
     * Activations that the forward pass of one microbatch saves for the backward pass.
     *
     * @param inputs input of each block, [T, C]
     * @param saved saved activations of each block
     * @param output output of the last block, owned by the caller; null at the end of the model
     */
    public record Activations(List<Tensor> inputs, List<SavedTensors> saved, Tensor output) {}

    /** Forward pass that saves activations for the backward pass. Takes ownership of the input. */
    public Activations forward(StepContext context, Tensor input) {
        var inputs = new ArrayList<Tensor>();
        var kept = new ArrayList<SavedTensors>();
        Tensor x = input;
        for (int index = 0; index < blocks.size(); index++) {
            var saved = new SavedTensors();
            inputs.add(x);
            kept.add(saved);
            weights.before(firstBlock + index, Kind.FORWARD);
            x = blocks.get(index).forward(context, x, isRecomputed(context, index, x) ? null : saved);
            weights.after(firstBlock + index, Kind.FORWARD);
        }
        return new Activations(inputs, kept, x);
    }

    /** Forward pass without a backward pass. Closes the input and returns the output. The loss is added to the context's loss sum. */
    public Tensor evaluate(StepContext context, Tensor input) {
        Tensor x = input;
        for (int index = 0; index < blocks.size(); index++) {
            weights.before(firstBlock + index, Kind.FORWARD);
            Tensor y = blocks.get(index).forward(context, x, null);
            weights.after(firstBlock + index, Kind.FORWARD);
            closeIfAny(x);
            x = y;
        }
        return x;
    }

    /** Logits of every position, [T, V], owned by the caller. Only for a chunk that is the full model. */
    public Tensor logits(StepContext context) {
        try (Tensor hTC = beforeHead(context)) {
            return headLogits(context, hTC);
        }
    }

    /** Logits of the last position of a batch of one sequence, [1, V], owned by the caller. Only for a chunk that is the full model. */
    public Tensor lastLogits(StepContext context) {
        try (Tensor hTC = beforeHead(context)) {
            return headLogits(context, hTC.rows(hTC.shape().dim(0) - 1, 1));
        }
    }

    /** Output of the last block before the head, [T, C], owned by the caller. */
    private Tensor beforeHead(StepContext context) {
        Tensor x = null;
        for (int index = 0; index < blocks.size() - 1; index++) {
            weights.before(firstBlock + index, Kind.FORWARD);
            Tensor y = blocks.get(index).forward(context, x, null);
            weights.after(firstBlock + index, Kind.FORWARD);
            closeIfAny(x);
            x = y;
        }
        return x;
    }

    private Tensor headLogits(StepContext context, Tensor hTC) {
        int last = firstBlock + blocks.size() - 1;
        weights.before(last, Kind.FORWARD);
        Tensor logits = blocks.getLast().logits(context, hTC);
        weights.after(last, Kind.FORWARD);
        return logits;
    }

    /** Full backward pass, block by block. Closes {@code dy} and returns the gradient of the input. */
    public Tensor backward(StepContext context, Activations activations, Tensor dyOfOutput, boolean lastMicrobatch) {
        Tensor dy = dyOfOutput;
        for (int index = blocks.size() - 1; index >= 0; index--) {
            weights.before(firstBlock + index, Kind.BACKWARD_INPUT);
            weights.before(firstBlock + index, Kind.BACKWARD_WEIGHT);
            Tensor x = activations.inputs().get(index);
            try (SavedTensors saved = activations.saved().get(index)) {
                recompute(context, index, x, saved);
                dy = blocks.get(index).backward(context, x, dy, saved);
            }
            closeIfAny(x);
            weights.after(firstBlock + index, Kind.BACKWARD_INPUT);
            weights.after(firstBlock + index, Kind.BACKWARD_WEIGHT);
            weights.gradientsFound(firstBlock + index, lastMicrobatch);
        }
        return dy;
    }

    /** Input-gradient half of the backward pass for all blocks. {@link #backwardWeight} must follow. */
    public Tensor backwardInput(StepContext context, Activations activations, Tensor dyOfOutput) {
        Tensor dy = dyOfOutput;
        for (int index = blocks.size() - 1; index >= 0; index--) {
            weights.before(firstBlock + index, Kind.BACKWARD_INPUT);
            Tensor x = activations.inputs().get(index);
            SavedTensors saved = activations.saved().get(index);
            recompute(context, index, x, saved);
            dy = blocks.get(index).backwardInput(context, x, dy, saved);
            weights.after(firstBlock + index, Kind.BACKWARD_INPUT);
        }
        return dy;
    }

    /** Weight-gradient half of the backward pass for all blocks. */
    public void backwardWeight(StepContext context, Activations activations, boolean lastMicrobatch) {
        for (int index = blocks.size() - 1; index >= 0; index--) {
            weights.before(firstBlock + index, Kind.BACKWARD_WEIGHT);
            Tensor x = activations.inputs().get(index);
            try (SavedTensors saved = activations.saved().get(index)) {
                blocks.get(index).backwardWeight(context, x, saved);
            }
            closeIfAny(x);
            weights.after(firstBlock + index, Kind.BACKWARD_WEIGHT);
            weights.gradientsFound(firstBlock + index, lastMicrobatch);
        }
    }

    private void recompute(StepContext context, int index, Tensor x, SavedTensors saved) {
        if (isRecomputed(context, index, x)) {
            blocks.get(index).forward(context, x, saved).close();
        }
    }

    /** The embedding and the head are not recomputed: they save almost nothing, and the head's forward pass adds to the loss. */
    private boolean isRecomputed(StepContext context, int index, Tensor x) {
        boolean isHead = endsModel && index == blocks.size() - 1;
        return context.recompute() == Recompute.FULL
                && x != null
                && !isHead
                && blocks.get(index).backwardReadsParameters();
    }

    private static void closeIfAny(Tensor tensor) {
        if (tensor != null) {
            tensor.close();
        }
    }
}
