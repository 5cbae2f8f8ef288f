package io.hirundo.gpusuite.internal.layouts;

import java.util.Map;

/**
 * What rounds, and how far a layout may then be from a single rank on the same device.
 *
 * <p>What was seen is of the CPU's two sets of kernels. In fp32 sums are made in another order: losses were off by 9e-9, norms by
 * 1e-7, the worst gradient by 1.2e-6. That a norm's weight is not summed over tensor ranks shows in the norm of all by 2e-5 and in
 * its own gradient by 0.8. Ranks that share layers or the batch make the same products of the same bits in every precision, and add
 * up gradients in FP32: losses were off by 3e-16, norms by 3e-10, gradients by 5e-8; a later step may turn a rounding of BF16 now and
 * then. Where matrices or sequences are split, terms are rounded before they are added up: in bf16 losses were off by 7e-5, norms by
 * 4.5e-4, the worst gradient by 1.2e-2; in fp8-blockwise, where that turns codes, by 3.1e-4, 1.9e-3 and 7e-2. With the scales of
 * another tensor rank's rows these become 9e-4, 1e-2 to 3e-2, and 0.4; with weights that a rank has not been sent losses are off by 2e-2.
 *
 * @param options of the strategy
 * @param wholeLayers where ranks share layers or the batch
 * @param splitSums where they share matrices or sequences
 */
public record Precision(String name, Map<String, Object> options, Closeness wholeLayers, Closeness splitSums) {
  /**
   * How far.
   *
   * @param loss of each step, relative
   * @param norm of each step's gradients, relative
   * @param gradient of the first step, of each tensor: norm of the difference over the norm
   */
  record Closeness(double loss, double norm, double gradient) {}

  private static final Closeness SUMS_IN_FP32 = new Closeness(1e-6, 2e-6, 1e-5);

  private static final Closeness SAME_BITS = new Closeness(2e-5, 3e-4, 1e-5);

  public static final Precision FP32 = new Precision("fp32", Map.of(), SUMS_IN_FP32, SUMS_IN_FP32);

  static final Precision BF16 = new Precision("bf16", Map.of(), SAME_BITS, new Closeness(2e-4, 1.5e-3, 3e-2));

  /** Splits of a small model cut blocks of 128. */
  static final Precision FP8 =
      new Precision("fp8-blockwise", Map.of("blocks", "shard-local"), SAME_BITS, new Closeness(6e-4, 6e-3, 0.15));

  /** What is allowed to a layout. */
  Closeness closeness(Layout layout) {
    return layout.splitsSums() ? splitSums : wholeLayers;
  }

  /** The section {@code precision} of a configuration. */
  Map<String, Object> choice() {
    return Map.of("name", name, "options", options);
  }
}
