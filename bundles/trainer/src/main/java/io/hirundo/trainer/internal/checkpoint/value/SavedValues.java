package io.hirundo.trainer.internal.checkpoint.value;

import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.session.LocalRun;

/** What a checkpoint holds besides tensors, by key. */
public final class SavedValues {
    public static final String CONSUMED_SAMPLES = "consumedSamples";
    public static final String GLOBAL_BATCH = "globalBatch";
    public static final String SEED = "seed";
    public static final String DATA_BEGIN = "dataBegin";
    /** Steps of the run before the first one that the optimizer counts. */
    public static final String OPTIMIZER_BEGAN = "optimizerBegan";

    /** Steps that the learning-rate schedule covers. */
    public static final String SCHEDULE = "learningRateSchedule";

    /** Why training cannot continue from these weights; absent from other checkpoints. */
    public static final String RUINED = "ruined";

    /** That the last step trained nothing; absent from other checkpoints. */
    public static final String VANISHED = "vanished";

    /** Dtype of the weights; checkpoints that lack it have FP32 weights, or those of their precision. */
    public static final String PARAMETER_TYPE = "parameterType";

    private SavedValues() {}

    /** Dtype of the run's weights, also while it has no precision. */
    public static DType parameterType(LocalRun run) {
        return run.onEachRank(part -> part.model().parameterType()).getFirst();
    }
}
