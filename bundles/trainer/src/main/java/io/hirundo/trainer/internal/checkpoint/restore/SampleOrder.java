package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.trainer.internal.checkpoint.value.SavedIntegers;
import io.hirundo.trainer.internal.checkpoint.value.SavedValues;
import java.util.Map;

/** The values of a checkpoint that the order of samples depends on. With others the run would see some samples twice and others never. */
final class SampleOrder {
    private SampleOrder() {}

    /**
     * Checks them.
     *
     * @throws ConfigurationException if the configuration has others
     */
    static void require(RunConfiguration configuration, CheckpointInfo checkpoint, Map<String, Object> values) {
        var saved = new SavedIntegers(checkpoint, "values", values);
        long consumed = saved.count(SavedValues.CONSUMED_SAMPLES);
        long seed = saved.whole(SavedValues.SEED);
        int globalBatch = configuration.training().globalBatch();
        if (consumed != checkpoint.step() * globalBatch) {
            throw new ConfigurationException("training.globalBatch: " + globalBatch + " cannot continue "
                    + checkpoint.path() + ", which was made with " + saved.count(SavedValues.GLOBAL_BATCH));
        }
        if (seed != configuration.seed()) {
            throw new ConfigurationException("seed: " + configuration.seed() + " cannot continue " + checkpoint.path()
                    + ", which was made with " + seed);
        }
    }
}
