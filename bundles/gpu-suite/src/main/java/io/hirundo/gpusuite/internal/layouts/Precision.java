package io.hirundo.gpusuite.internal.layouts;

import java.util.Map;

/**
 * A precision, and how far a layout may differ from a single rank on the same device.
 *
 * <p>The measured values are from the CPU's two sets of kernels. In fp32, sums are in another order: losses differed by 9e-9, norms by
 * 1e-7, the worst gradient by 1.2e-6. A norm weight that is not reduced over tensor-parallel ranks changes the global norm by 2e-5 and its
 * own gradient by 0.8. Pipeline- and data-parallel ranks compute bitwise equal GEMMs in every precision, and accumulate gradients in FP32:
 * losses differed by 3e-16, norms by 3e-10, gradients by 5e-8; in later steps a BF16 rounding may flip occasionally. With split matrices or
 * sequences, terms are rounded before they are summed: in bf16 losses differed by 7e-5, norms by 4.5e-4, the worst gradient by 1.2e-2; in
 * fp8-blockwise, where that changes quantized values, by 3.1e-4, 1.9e-3 and 7e-2. With the scales of another tensor-parallel rank's rows
 * these become 9e-4, 1e-2 to 3e-2, and 0.4; with weights that a rank has not received, losses differ by 2e-2.
 *
 * @param options options of the strategy
 * @param wholeLayers bounds for pipeline and data parallelism
 * @param splitSums bounds for tensor and context parallelism
 */
public record Precision(String name, Map<String, Object> options, Closeness wholeLayers, Closeness splitSums) {
    /**
     * Bounds of relative differences.
     *
     * @param loss loss of each step
     * @param norm gradient norm of each step
     * @param gradient each gradient of the first step: norm of the difference divided by the norm
     */
    record Closeness(double loss, double norm, double gradient) {}

    private static final Closeness SUMS_IN_FP32 = new Closeness(1e-6, 2e-6, 1e-5);

    private static final Closeness SAME_BITS = new Closeness(2e-5, 3e-4, 1e-5);

    public static final Precision FP32 = new Precision("fp32", Map.of(), SUMS_IN_FP32, SUMS_IN_FP32);

    static final Precision BF16 = new Precision("bf16", Map.of(), SAME_BITS, new Closeness(2e-4, 1.5e-3, 3e-2));

    /** Shard-local, because splits of a small model cut blocks of 128. */
    static final Precision FP8 =
            new Precision("fp8-blockwise", Map.of("blocks", "shard-local"), SAME_BITS, new Closeness(6e-4, 6e-3, 0.15));

    /** The bounds for a layout. */
    Closeness closeness(Layout layout) {
        return layout.splitsSums() ? splitSums : wholeLayers;
    }

    /** The section {@code precision} of a configuration. */
    Map<String, Object> choice() {
        return Map.of("name", name, "options", options);
    }
}
