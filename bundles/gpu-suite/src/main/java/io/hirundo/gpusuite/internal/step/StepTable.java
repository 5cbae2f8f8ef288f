package io.hirundo.gpusuite.internal.step;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Formats step times and the targets as Markdown. */
final class StepTable {
    /** An implementation and its precision. */
    enum Side {
        BF16("bf16"),
        TORCH("PyTorch, bf16"),
        FP8("fp8-blockwise");

        private final String text;

        Side(String text) {
            this.text = text;
        }

        /** The precision of one of our sides. */
        String precision() {
            return text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * A measured step.
     *
     * @param modelFlops model FLOPs; 0 if unknown
     * @param idleShare fraction of the time in which the GPU ran no kernel; empty if unknown
     * @param remark which implementation was measured
     */
    record Timed(double seconds, double modelFlops, OptionalDouble idleShare, String remark) {}

    /** Peak of an H100 or H200 SXM from NVIDIA's data sheets: dense BF16 tensor cores. */
    private static final double PEAK_FLOPS = 989e12;

    private static final double AIM_UTILIZATION = 0.6;
    private static final double AIM_IDLE = 0.01;
    private static final double AIM_TORCH_SPEEDUP = 1.1;
    private static final double AIM_FP8_STEP = 1.2;
    private static final double AIM_FP8_BLOCKS = 1.35;

    private final StringBuilder rows = new StringBuilder();
    private final Map<Side, Double> whole = new EnumMap<>(Side.class);
    private final Map<Side, Double> blocks = new EnumMap<>(Side.class);
    private double wholeFlops;
    private OptionalDouble idleShare = OptionalDouble.empty();

    void add(StepSizes sizes, boolean isWhole, Side side, Timed timed) {
        double seconds = timed.seconds;
        (isWhole ? whole : blocks).put(side, seconds);
        if (isWhole) {
            wholeFlops = Math.max(wholeFlops, timed.modelFlops);
        }
        if (isWhole && side == Side.BF16) {
            idleShare = timed.idleShare;
        }
        boolean known = timed.modelFlops > 0;
        row(
                isWhole,
                side,
                format("%.1f", seconds * 1e3),
                format("%.0f", sizes.tokens() / seconds),
                known ? format("%.1f", timed.modelFlops / seconds / 1e12) : "",
                known ? percent(timed.modelFlops / seconds / PEAK_FLOPS) : "",
                idle(timed.idleShare),
                timed.remark);
    }

    /** Adds a side without a measured step. */
    void lacks(boolean isWhole, Side side, String why) {
        row(isWhole, side, "", "", "", "", "", why);
    }

    private void row(boolean isWhole, Side side, String... cells) {
        String all = String.join(
                " | ", Stream.of(cells).map(cell -> cell.replace("|", "/")).toList());
        rows.append("| ")
                .append(isWhole ? "whole" : "blocks alone")
                .append(" | ")
                .append(side)
                .append(" | ")
                .append(all)
                .append(" |\n");
    }

    /** A short summary. */
    String summary() {
        if (!whole.containsKey(Side.BF16)) {
            return "no step of bf16 was timed";
        }
        var text = new StringBuilder(
                format("%.1f ms a step in bf16, %s of the peak", whole.get(Side.BF16) * 1e3, utilization()));
        torchSpeedup(whole).ifPresent(times -> text.append(format(", %.2f times PyTorch's speed", times)));
        fp8(whole).ifPresent(times -> text.append(format("; fp8-blockwise %.2f times the fastest bf16", times)));
        return text.toString();
    }

    String text() {
        return "One sequence, micro batch 1, gradients clipped by their norm, AdamW with FP32 master weights and moments; the same on both"
                + " sides. Blocks alone are steps with a vocabulary of "
                + StepSizes.SMALL_VOCABULARY + ", their optimizer's work included. MFU is the model's FLOP of a step"
                + " (six for each matrix element and token, causal attention counted half, nothing computed twice) over its time and "
                + format("%.0f TFLOP/s", PEAK_FLOPS / 1e12)
                + ", the dense BF16 peak of an H100 SXM, in all precisions. Idle is the share of a step in which no kernel ran, by what kernels take in"
                + " a further step in which each is timed.\n\n"
                + "| Step | | ms | tokens/s | TFLOP/s | MFU | idle | PyTorch's way |\n|---|---|---|---|---|---|---|---|\n"
                + rows
                + "\n| Aim | wanted | found |\n|---|---|---|\n"
                + format("| MFU in bf16 | %s | %s |%n", percent(AIM_UTILIZATION), utilization())
                + format("| idle in bf16 | %s | %s |%n", percent(AIM_IDLE), idle(idleShare))
                + aim("speed in bf16, whole step, by PyTorch's", AIM_TORCH_SPEEDUP, torchSpeedup(whole))
                + aim("speed in bf16, blocks alone, by PyTorch's", AIM_TORCH_SPEEDUP, torchSpeedup(blocks))
                + aim("speed in fp8-blockwise, whole step, by the fastest bf16's", AIM_FP8_STEP, fp8(whole))
                + aim("speed in fp8-blockwise, blocks alone, by the fastest bf16's", AIM_FP8_BLOCKS, fp8(blocks));
    }

    private static String aim(String what, double wanted, OptionalDouble found) {
        return format(
                "| %s | %.2f | %s |%n", what, wanted, found.isPresent() ? format("%.2f", found.getAsDouble()) : "");
    }

    private String utilization() {
        return Optional.ofNullable(whole.get(Side.BF16))
                .map(seconds -> percent(wholeFlops / seconds / PEAK_FLOPS))
                .orElse("");
    }

    private static OptionalDouble torchSpeedup(Map<Side, Double> seconds) {
        return seconds.containsKey(Side.BF16) && seconds.containsKey(Side.TORCH)
                ? OptionalDouble.of(seconds.get(Side.TORCH) / seconds.get(Side.BF16))
                : OptionalDouble.empty();
    }

    private static OptionalDouble fp8(Map<Side, Double> seconds) {
        double fastest = Math.min(
                seconds.getOrDefault(Side.BF16, Double.POSITIVE_INFINITY),
                seconds.getOrDefault(Side.TORCH, Double.POSITIVE_INFINITY));
        return seconds.containsKey(Side.FP8) && fastest < Double.POSITIVE_INFINITY
                ? OptionalDouble.of(fastest / seconds.get(Side.FP8))
                : OptionalDouble.empty();
    }

    private static String idle(OptionalDouble share) {
        return share.isPresent() ? percent(share.getAsDouble()) : "";
    }

    private static String percent(double share) {
        return format("%.1f %%", 100 * share);
    }

    private static String format(String text, Object... values) {
        return String.format(Locale.ROOT, text, values);
    }
}
