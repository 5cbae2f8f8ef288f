package io.hirundo.model;

import io.hirundo.tensor.Tensor;

/**
 * One microbatch on a device, sequence after sequence.
 *
 * @param sequences B
 * @param sequenceTokens S
 * @param tokensT INT32
 * @param labelsT INT32, the token that follows each
 * @param lossWeightsT FP32 loss mask
 * @param positionsT INT32 place of each token in its sequence
 */
public record MicroBatch(
    int sequences, int sequenceTokens, Tensor tokensT, Tensor labelsT, Tensor lossWeightsT, Tensor positionsT) {
  public long tokens() {
    return (long) sequences * sequenceTokens;
  }
}
