package io.hirundo.lib.llama;

/**
 * The settings that {@code config.json} and the options of architecture {@code llama} have in common.
 *
 * @param rmsNormEps epsilon of the norms
 * @param tied whether the output projection shares the embedding's weight
 * @param initializerRange standard deviation of initial weights
 */
public record LlamaConfig(Sizes sizes, Heads heads, Rope rope, double rmsNormEps, boolean tied, double initializerRange) {
  /** V, C, F, blocks, and the longest sequence in tokens. */
  public record Sizes(int vocabulary, int hidden, int intermediate, int layers, int maxPositions) {}

  /**
   * Heads of the attention.
   *
   * @param dim head dimension
   */
  public record Heads(int query, int keyValue, int dim) {
    /** Channels of all query heads. */
    public long queryChannels() {
      return (long) query * dim;
    }

    /** Channels of all key heads. */
    public long keyChannels() {
      return (long) keyValue * dim;
    }
  }

  /**
   * Rotary embedding.
   *
   * @param scaling null for none
   */
  public record Rope(double theta, Scaling scaling) {}

  /** Scaling of type {@code llama3}. */
  public record Scaling(double factor, double lowFreqFactor, double highFreqFactor, int originalMaxPositions) {}
}
