package io.hirundo.model;

import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * One microbatch on a device: what this rank has of every sequence. Sequence after sequence; where a rank has several pieces
 * of each, the first pieces of all sequences, then the second, and so on.
 *
 * @param sequences B
 * @param sequenceTokens S, tokens of a sequence on this rank
 * @param pieces that a rank has of each sequence, all of the same length: 1 without context parallelism
 * @param tokensT INT32
 * @param labelsT INT32, the token that follows each
 * @param lossWeightsT FP32 loss mask
 * @param positionsT INT32 place of each token in its sequence, or in its document where positions begin anew there
 * @param documentStartsT INT32 place in its sequence where the document of each token begins, which an attention must not look
 *     beyond; empty where a sequence is one document
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
