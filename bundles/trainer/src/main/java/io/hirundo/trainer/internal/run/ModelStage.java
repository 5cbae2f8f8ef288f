package io.hirundo.trainer.internal.run;

import io.hirundo.model.Block;
import io.hirundo.model.Recompute;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The blocks of one rank and their activations, microbatch by microbatch. Owns what lies between blocks: the input of a
 * block is kept until its weight gradients are made.
 */
final class ModelStage {
  private final List<Block> blocks;

  ModelStage(List<Block> blocks) {
    this.blocks = List.copyOf(blocks);
  }

  List<Block> blocks() {
    return blocks;
  }

  /** Forward without a backward to come; the loss is in the context. */
  void evaluate(StepContext context) {
    Tensor x = runUpToHead(context);
    try (x) {
      blocks.getLast().forward(context, x, null);
    }
  }

  /** Logits of every position, owned by the caller. */
  Tensor logits(StepContext context) {
    Tensor x = runUpToHead(context);
    try (x) {
      return blocks.getLast().logits(context, x);
    }
  }

  /** Forward that keeps what the backward needs. */
  Activations forward(StepContext context) {
    var activations = new Activations();
    Tensor x = null;
    for (int index = 0; index < blocks.size(); index++) {
      var saved = new SavedTensors();
      activations.inputs.add(x);
      activations.saved.add(saved);
      x = blocks.get(index).forward(context, x, isRecomputed(context, index) ? null : saved);
    }
    return activations;
  }

  /** Both halves of the backward, block by block. */
  void backward(StepContext context, Activations activations) {
    Tensor dy = null;
    for (int index = blocks.size() - 1; index >= 0; index--) {
      dy = backwardInput(context, activations, index, dy);
      backwardWeight(context, activations, index);
    }
  }

  /** The first half for all blocks; {@link #backwardWeight(StepContext, Activations)} must follow. */
  void backwardInput(StepContext context, Activations activations) {
    Tensor dy = null;
    for (int index = blocks.size() - 1; index >= 0; index--) {
      dy = backwardInput(context, activations, index, dy);
    }
  }

  /** The second half for all blocks. */
  void backwardWeight(StepContext context, Activations activations) {
    for (int index = blocks.size() - 1; index >= 0; index--) {
      backwardWeight(context, activations, index);
    }
  }

  private Tensor backwardInput(StepContext context, Activations activations, int index, Tensor dy) {
    Tensor x = activations.inputs.get(index);
    SavedTensors saved = activations.saved.get(index);
    if (isRecomputed(context, index)) {
      Tensor again = blocks.get(index).forward(context, x, saved);
      again.close();
    }
    return blocks.get(index).backwardInput(context, x, dy, saved);
  }

  private void backwardWeight(StepContext context, Activations activations, int index) {
    Tensor x = activations.inputs.get(index);
    try (SavedTensors saved = activations.saved.get(index)) {
      blocks.get(index).backwardWeight(context, x, saved);
    }
    if (x != null) {
      x.close();
    }
  }

  /** The ends of a model keep next to nothing, and the head's forward has effects that must not happen twice. */
  private boolean isRecomputed(StepContext context, int index) {
    return context.recompute() == Recompute.FULL && index > 0 && index < blocks.size() - 1;
  }

  private Tensor runUpToHead(StepContext context) {
    Tensor x = null;
    for (Block block : blocks.subList(0, blocks.size() - 1)) {
      Tensor y = block.forward(context, x, null);
      if (x != null) {
        x.close();
      }
      x = y;
    }
    return x;
  }

  /** What one microbatch's forward keeps. */
  static final class Activations {
    private final List<Tensor> inputs = new ArrayList<>();
    private final List<SavedTensors> saved = new ArrayList<>();

    private Activations() {}
  }
}
