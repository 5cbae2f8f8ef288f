package io.hirundo.trainer.internal.profile;

import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.kernel.optimizer.AdamW8BitKernels.Moment;
import io.hirundo.kernel.optimizer.AdamW8BitKernels.Update;
import io.hirundo.kernel.optimizer.OptimizerKernels.AdamWOperands;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * The least work of one call: its floating-point operations in GEMMs (none elsewhere), and each operand's bytes once, twice if it is read
 * and written.
 */
record Work(double flops, double bytes) {
    static Work of(String kernel, Object[] arguments) {
        double bytes = Arrays.stream(arguments).mapToDouble(Work::bytesOf).sum();
        return new Work(flops(kernel, arguments), bytes + again(kernel, arguments));
    }

    private static double flops(String kernel, Object[] arguments) {
        return switch (kernel) {
            case "multiplyNT" ->
                2.0
                        * ((Tensor) arguments[1]).elements()
                        * ((Tensor) arguments[2]).shape().rows();
            case "multiplyNN", "multiplyTN" ->
                2.0
                        * ((Tensor) arguments[1]).elements()
                        * ((Tensor) arguments[2]).shape().dim(-1);
            // Two causal products of S x S/2 x D forward, five backward.
            case "forward" -> arguments[1] instanceof AttentionShape shape ? 2 * product(shape) : 0;
            case "backward" -> arguments[1] instanceof AttentionShape shape ? 5 * product(shape) : 0;
            default -> 0;
        };
    }

    private static double product(AttentionShape shape) {
        return 2.0
                * shape.sequences()
                * shape.queryTokens()
                * shape.keyTokens()
                / 2
                * shape.heads().outputChannels();
    }

    /** Bytes of operands that are read and written. */
    private static double again(String kernel, Object[] arguments) {
        return switch (kernel) {
            case "multiplyTN", "multiplyNT", "multiplyNN" -> (boolean) arguments[4] ? bytesOf(arguments[3]) : 0;
            case "crossEntropyWithGradient" -> bytesOf(arguments[1]);
            case "add", "maximum" -> bytesOf(arguments[2]);
            case "scale" -> bytesOf(arguments[1]);
            case "adamW" ->
                arguments[3] instanceof List<?> list
                        ? list.stream().mapToDouble(Work::updated).sum()
                        : 3 * bytesOf(arguments[4]);
            default -> 0;
        };
    }

    private static double updated(Object update) {
        return switch (update) {
            case AdamWOperands each -> 3 * bytesOf(each.parameterN());
            case Update each -> bytesOf(each) - bytesOf(each.gradientN());
            default -> throw new IllegalArgumentException("unknown operands " + update.getClass());
        };
    }

    private static double bytesOf(Object argument) {
        return switch (argument) {
            case Tensor tensor -> tensor.byteSize();
            case QueryKeyValue heads ->
                bytesOf(heads.queryBHSD()) + bytesOf(heads.keyBGSD()) + bytesOf(heads.valueBGSD());
            case List<?> list -> list.stream().mapToDouble(Work::bytesOf).sum();
            case AdamWOperands each ->
                bytesOf(each.gradientN())
                        + bytesOf(each.parameterN())
                        + bytesOf(each.firstMomentN())
                        + bytesOf(each.secondMomentN());
            case Update each ->
                bytesOf(each.gradientN()) + bytesOf(each.parameterN()) + bytesOf(each.first()) + bytesOf(each.second());
            case Moment moment -> bytesOf(moment.quantized()) + bytesOf(moment.scales());
            case null, default -> 0;
        };
    }
}
