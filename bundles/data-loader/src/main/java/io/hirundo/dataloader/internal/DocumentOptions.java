package io.hirundo.dataloader.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.data.DocumentRules;
import io.hirundo.strategy.Setting;

/**
 * What several documents in a sample mean. Where none of the three is chosen, a sample is one document.
 *
 * @param endToken ends a document; -1 for none
 * @param separateAttention whether a token sees its own document alone
 * @param resetPositions whether positions restart at 0 in each document
 * @param maskEnd whether the label after an end token counts for nothing
 */
public record DocumentOptions(
        @Setting(
                value = "Id of the token that ends a document; needed by the other documents settings, -1 for none",
                min = -1)
        int endToken,

        @Setting("Whether a token sees those of its own document alone")
        boolean separateAttention,

        @Setting("Whether positions begin at 0 in every document of a sample")
        boolean resetPositions,

        @Setting(
                "Whether the prediction after an end token, another document's beginning, is left out of the loss and its mean")
        boolean maskEnd) {
    public DocumentOptions() {
        this(-1, false, false, false);
    }

    /**
     * The rules.
     *
     * @throws ConfigurationException when there are some and it is not known what ends a document
     */
    public DocumentRules rules() {
        if (!separateAttention && !resetPositions && !maskEnd) {
            return DocumentRules.NONE;
        }
        if (endToken < 0) {
            throw new ConfigurationException(
                    "documents.endToken: -1 ends no document; give the id of the tokenizer's end of text, or leave separateAttention,"
                            + " resetPositions and maskEnd false");
        }
        return new DocumentRules(endToken, separateAttention, resetPositions, maskEnd);
    }
}
