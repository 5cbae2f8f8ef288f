package io.hirundo.checkpointhf.internal.format;

import io.hirundo.strategy.Setting;

/**
 * Options of the model format {@code huggingface}.
 *
 * @param maxShardBytes a model with more bytes of weights is spread over several files of at most so many bytes each; a
 *     tensor that is larger has a file of its own
 */
public record HuggingFaceOptions(
        @Setting(value = "Most bytes of weights in one file; more are spread over several", min = 1)
        long maxShardBytes) {
    /** As the Transformers library does. */
    public HuggingFaceOptions() {
        this(5_000_000_000L);
    }
}
