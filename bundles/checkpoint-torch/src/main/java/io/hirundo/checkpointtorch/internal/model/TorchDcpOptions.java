package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.strategy.Choice;
import io.hirundo.strategy.Setting;

/**
 * Options of the model format {@code torch-dcp}.
 *
 * @param prefix null for any
 * @param architecture only for folders without a {@code config.json}: several families use the same names of tensors, so names do not
 *     identify the family. Its options are those that shapes do not show. Null if config.json describes the model. Not a {@code ChoiceOf}:
 *     options that are left out would get defaults, and the family could not notice that one is missing
 */
public record TorchDcpOptions(
        @Setting(
                "What stands before the names of the model's tensors, \"model.\" for instance; left out where there is one model")
        String prefix,

        @Setting(
                "The model's architecture, for a folder without config.json, with the options that shapes of tensors do not show, such as"
                        + " numAttentionHeads, maxPositionEmbeddings, rmsNormEps, ropeTheta and ropeScaling")
        Choice architecture) {
    /** For a folder that has a config.json. */
    public TorchDcpOptions() {
        this(null, null);
    }
}
