package io.hirundo.regress.internal.compare;

/**
 * Something that is not the same in two results.
 *
 * @param step that it was found in
 * @param kind what it is
 * @param tensor published name; empty for figures of the whole model
 * @param relative difference: of a figure by its value, of tensors the norm of the difference by the norm
 * @param scale by how much the norm is larger, as a part of it; 0 for figures
 * @param timesNoise how many times what rounding explains; above 1 it does not explain it
 */
public record Difference(long step, Kind kind, String tensor, double relative, double scale, double timesNoise) {
  /** What differs, in the order in which a step finds them. */
  public enum Kind {
    LOSS("loss"),
    GRADIENT("gradient"),
    GRADIENT_NORM("gradient norm"),
    WEIGHT("weight");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    public String words() {
      return words;
    }
  }

  /** NaN is beyond noise. */
  public boolean isBeyondNoise() {
    return !(timesNoise <= 1);
  }
}
