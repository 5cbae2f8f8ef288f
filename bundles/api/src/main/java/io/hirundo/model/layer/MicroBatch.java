package io.hirundo.model.layer;

import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * One microbatch on a device: this rank's tokens of every sequence, sequence after sequence. With several pieces per sequence:
 * first piece of all sequences, then second piece of all, and so on.
 *
 * @param sequences B
 * @param sequenceTokens S, tokens of a sequence on this rank
 * @param pieces pieces per sequence on this rank, of equal length; 1 without context parallelism
 * @param tokensT INT32
 * @param labelsT INT32, the token that follows each token
 * @param lossWeightsT FP32 loss mask
 * @param positionsT INT32 position of each token in its sequence, or in its document if positions are reset
 * @param documentStartsT INT32 position in the sequence where each token's document starts, for the attention mask; empty if a
 *     sequence is one document
 */
public record MicroBatch(
        int sequences,
        int sequenceTokens,
        int pieces,
        Tensor tokensT,
        Tensor labelsT,
        Tensor lossWeightsT,
        Tensor positionsT,
        Optional<Tensor> documentStartsT) {
    public long tokens() {
        return (long) sequences * sequenceTokens;
    }
}
