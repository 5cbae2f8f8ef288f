package io.hirundo.checkpointhf.internal;

/**
 * What {@code config.json} and the options of the architecture {@code llama} both say.
 *
 * @param rmsNormEps epsilon of the norms
 * @param tied whether the head's matrix is the embedding's
 * @param initializerRange standard deviation of new matrices
 */
record LlamaConfig(Sizes sizes, Heads heads, Rope rope, double rmsNormEps, boolean tied, double initializerRange) {
  /** V, C, F, blocks, and the longest sequence. */
  record Sizes(int vocabulary, int hidden, int intermediate, int layers, int maxPositions) {}

  /**
   * Heads of the attention.
   *
   * @param dim channels of a head
   */
  record Heads(int query, int keyValue, int dim) {
    long queryChannels() {
      return (long) query * dim;
    }

    long keyChannels() {
      return (long) keyValue * dim;
    }
  }

  /**
   * The rotary embedding.
   *
   * @param scaling null for none
   */
  record Rope(double theta, Scaling scaling) {}

  /** Scaling of type {@code llama3}. */
  record Scaling(double factor, double lowFreqFactor, double highFreqFactor, int originalMaxPositions) {}
}
