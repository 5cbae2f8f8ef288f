package io.hirundo.checkpoint.support;

/**
 * What {@code config.json} and the options of the architecture {@code llama} both say.
 *
 * @param rmsNormEps epsilon of the norms
 * @param tied whether the head's matrix is the embedding's
 * @param initializerRange standard deviation of new matrices
 */
public record LlamaConfig(Sizes sizes, Heads heads, Rope rope, double rmsNormEps, boolean tied, double initializerRange) {
  /** V, C, F, blocks, and the longest sequence in tokens. */
  public record Sizes(int vocabulary, int hidden, int intermediate, int layers, int maxPositions) {}

  /**
   * Heads of the attention.
   *
   * @param dim channels of a head
   */
  public record Heads(int query, int keyValue, int dim) {
    /** Of all query heads together. */
    public long queryChannels() {
      return (long) query * dim;
    }

    /** Of all key heads together. */
    public long keyChannels() {
      return (long) keyValue * dim;
    }
  }

  /**
   * The rotary embedding.
   *
   * @param scaling null for none
   */
  public record Rope(double theta, Scaling scaling) {}

  /** Scaling of type {@code llama3}. */
  public record Scaling(double factor, double lowFreqFactor, double highFreqFactor, int originalMaxPositions) {}
}
