package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.lib.engine.conversion.ConvertedForms;
import io.hirundo.lib.engine.conversion.SavedState;
import io.hirundo.lib.engine.model.SavedWeights;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.session.RankRun;
import java.util.List;

/**
 * Tensors of a rank to load at once, and memory for those that a checkpoint has in another form, until they are converted.
 *
 * @param shards to load
 * @param conversion of what was loaded
 * @param memory to release afterwards
 */
record StagedForms(List<StateShard> shards, Runnable conversion, Runnable memory) implements AutoCloseable {
    /**
     * All that is not optimizer state in another form. Weights in another dtype need memory.
     *
     * @param savedType of the weights in the checkpoint
     * @throws io.hirundo.DeviceException if there is no room
     */
    static StagedForms weights(RankRun part, DType savedType, List<StateShard> wanted) {
        var weights = new SavedWeights(part.model(), savedType);
        return new StagedForms(weights.insteadOf(wanted), weights::convert, weights::close);
    }

    /**
     * Optimizer state, which the optimizer converts.
     *
     * @throws io.hirundo.DeviceException if there is no room
     */
    static StagedForms state(RankRun part, ConvertedForms forms) {
        var state = new SavedState(part.model().device(), part.model().queue(), forms);
        return new StagedForms(state.shards(), () -> state.convert(part.state().optimizerState()), state::close);
    }

    @Override
    public void close() {
        memory.run();
    }
}
