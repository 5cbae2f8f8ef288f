package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.conversion.ConvertedForms;
import io.hirundo.trainer.internal.conversion.SavedState;
import io.hirundo.trainer.internal.model.SavedWeights;
import io.hirundo.trainer.internal.session.RankRun;
import java.util.List;

/**
 * Memory of a rank for what a checkpoint has in another form, until it is converted.
 *
 * @param part of the run
 * @param weights in another dtype; owned
 * @param state of the optimizer, which converts it; owned
 */
record StagedForms(RankRun part, SavedWeights weights, SavedState state) implements AutoCloseable {
  /**
   * Allocates.
   *
   * @param savedType of the weights in the checkpoint
   * @throws io.hirundo.DeviceException if there is no room
   */
  static StagedForms of(RankRun part, DType savedType, ConvertedForms forms) {
    var weights = new SavedWeights(part.model(), savedType);
    try {
      return new StagedForms(part, weights, new SavedState(part.model().device(), part.model().queue(), forms));
    } catch (RuntimeException | Error failure) {
      weights.close();
      throw failure;
    }
  }

  /** What to load: these, with this memory for what is converted. */
  List<StateShard> insteadOf(List<StateShard> shards) {
    return state.insteadOf(weights.insteadOf(shards));
  }

  /** Converts what was loaded. */
  void convert() {
    weights.convert();
    state.convert(part.optimizerState());
  }

  @Override
  public void close() {
    try {
      state.close();
    } finally {
      weights.close();
    }
  }
}
