package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.strategy.Setting;

/**
 * Options of the model format {@code torch-dcp}, for folders without a {@code config.json}.
 *
 * @param prefix null for any
 * @param family name of the model's architecture; null if config.json tells it. Families share names of tensors, so these do not
 * @param numAttentionHeads 0 if config.json has it; likewise the others
 * @param ropeScaling null for none
 */
public record TorchDcpOptions(
    @Setting("What stands before the names of the model's tensors, \"model.\" for instance; left out where there is one model") String prefix,
    @Setting("The model's architecture, \"llama\" for instance; left out where the folder has a config.json") String family,
    @Setting(value = "Query heads; 0 where the folder has a config.json", min = 0) int numAttentionHeads,
    @Setting(value = "Longest sequence, in tokens; 0 where the folder has a config.json", min = 0) int maxPositionEmbeddings,
    @Setting(value = "Epsilon of the norms; 0 where the folder has a config.json", min = 0) double rmsNormEps,
    @Setting(value = "Base of the rotary frequencies; 0 where the folder has a config.json", min = 0) double ropeTheta,
    @Setting("Stretching of the rotary frequencies as in Llama 3.1; null for none, and where the folder has a config.json")
        TorchDcpRopeScaling ropeScaling) {
  /** For a folder that has a config.json. */
  public TorchDcpOptions() {
    this(null, null, 0, 0, 0, 0, null);
  }
}
