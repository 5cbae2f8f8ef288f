package io.hirundo.data;

/**
 * How a sample with several packed documents is handled; the same as Megatron-LM's options {@code reset-attention-mask}, {@code
 * reset-position-ids} and {@code eod-mask-loss}.
 *
 * @param endToken ends a document and belongs to it
 * @param separateAttention whether tokens attend only within their own document
 * @param resetPositions whether position ids restart at 0 in every document
 * @param maskEnd whether the loss mask excludes the label after an end token, which belongs to the next document
 */
public record DocumentRules(int endToken, boolean separateAttention, boolean resetPositions, boolean maskEnd) {
    /** A sample is one document. */
    public static final DocumentRules NONE = new DocumentRules(-1, false, false, false);
}
