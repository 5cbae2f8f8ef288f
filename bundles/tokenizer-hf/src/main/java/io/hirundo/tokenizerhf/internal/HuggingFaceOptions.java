package io.hirundo.tokenizerhf.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code huggingface}.
 *
 * @param file a {@code tokenizer.json}, or a folder that contains one
 */
public record HuggingFaceOptions(
    @Setting(value = "A tokenizer.json, or a folder that has one", required = true) String file) {
  public HuggingFaceOptions() {
    this("");
  }
}
