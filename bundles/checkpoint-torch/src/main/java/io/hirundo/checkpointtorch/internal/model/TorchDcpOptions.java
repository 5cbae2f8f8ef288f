package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.strategy.Choice;
import io.hirundo.strategy.Setting;

/**
 * Options of the model format {@code torch-dcp}.
 *
 * @param prefix null for any
 * @param architecture only for folders without a {@code config.json}: families share names of tensors, so these do not tell it. Its options
 *     are those that shapes do not show. Null if config.json describes the model. Not a {@code ChoiceOf}: the options that are left out
 *     would get defaults, and the family could not tell that one is missing
 */
public record TorchDcpOptions(
    @Setting("What stands before the names of the model's tensors, \"model.\" for instance; left out where there is one model") String prefix,
    @Setting("The model's architecture, with those of its options that the shapes of tensors do not show; left out where the folder has a config.json")
        Choice architecture) {
  /** For a folder that has a config.json. */
  public TorchDcpOptions() {
    this(null, null);
  }
}
