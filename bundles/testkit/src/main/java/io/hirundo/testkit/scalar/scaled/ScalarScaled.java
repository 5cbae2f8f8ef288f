package io.hirundo.testkit.scalar.scaled;

import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.Fp8Values;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.util.List;

/** An 8-bit matrix [rows, columns] with scales; checked. */
record ScalarScaled(ScalarTensor codes, ScalarTensor inverseScales, ScaleBlock block, int rows, int columns) {
    static ScalarScaled of(String operand, ScaledMatrix matrix) {
        ScalarTensor codes = codes(operand + ".codesMK", matrix.codesMK());
        int rows = Math.toIntExact(codes.shape().rows());
        int columns = Math.toIntExact(codes.shape().dim(-1));
        Shape scales = matrix.block().scales(rows, columns);
        return new ScalarScaled(
                codes, fp32(operand + ".inverseScales", matrix.inverseScales(), scales), matrix.block(), rows, columns);
    }

    static ScalarTensor codes(String operand, Tensor tensor) {
        ScalarTensor codes = ScalarTensor.of(operand, tensor);
        if (codes.dtype() != DType.FP8_E4M3 && codes.dtype() != DType.FP8_E5M2) {
            throw new IllegalArgumentException(operand + " is " + codes + " (allowed: FP8_E4M3, FP8_E5M2)");
        }
        return codes;
    }

    static ScalarTensor fp32(String operand, Tensor tensor, Shape shape) {
        ScalarTensor checked = ScalarTensor.of(operand, tensor);
        if (checked.dtype() != DType.FP32 || !checked.shape().equals(shape)) {
            throw new IllegalArgumentException(operand + " is " + checked + " (allowed: " + shape + " FP32)");
        }
        return checked;
    }

    ScalarScaled requireBlock(String operand, ScaleBlock... allowed) {
        for (ScaleBlock each : allowed) {
            if (block == each) {
                return this;
            }
        }
        throw new IllegalArgumentException(
                operand + " has scales for " + block + " (allowed: " + List.of(allowed) + ")");
    }

    ScalarScaled requireShape(String operand, long otherRows, long otherColumns) {
        if (rows != otherRows || columns != otherColumns) {
            throw new IllegalArgumentException(operand + " is [" + rows + ", " + columns + "] (allowed: [" + otherRows
                    + ", " + otherColumns + "])");
        }
        return this;
    }

    int scaleIndex(int element) {
        return Math.toIntExact(block.scaleIndex(rows, columns, element / columns, element % columns));
    }

    /** Each block's largest magnitude in the order of the scales, without NaNs. */
    float[] amaxes(double[] x) {
        var amaxes = new float[Math.toIntExact(inverseScales.elements())];
        for (int i = 0; i < x.length; i++) {
            float magnitude = (float) Math.abs(x[i]);
            int at = scaleIndex(i);
            amaxes[at] = magnitude > amaxes[at] ? magnitude : amaxes[at];
        }
        return amaxes;
    }

    /** Sets all codes and scales; padding of the scales keeps its values. */
    void quantize(double[] x, DType source, float[] amaxes, ScaleRule rule) {
        var quantized = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            quantized[i] = (float) x[i] * scale(amaxes[scaleIndex(i)], codes.dtype(), source, rule);
        }
        codes.setValues(quantized);
        setScales(source, amaxes, rule);
    }

    void setScales(DType source, float[] amaxes, ScaleRule rule) {
        int last = -1;
        for (int i = 0; i < codes.elements(); i++) {
            int at = scaleIndex(i);
            if (at != last) {
                inverseScales.set(at, 1 / scale(amaxes[at], codes.dtype(), source, rule));
                last = at;
            }
        }
    }

    /** The formula of {@link io.hirundo.kernel.scaled.BlockScaledKernels}. */
    static float scale(float amax, DType codes, DType source, ScaleRule rule) {
        if (amax == 0 || Float.isInfinite(amax)) {
            return 1;
        }
        float scale = (float) Fp8Values.of(codes).largest() / amax;
        if (Float.isInfinite(scale)) {
            // The largest BF16 has the 8 upper bits of its mantissa.
            scale = source == DType.BF16 ? 0x1.fep127f : Float.MAX_VALUE;
        }
        return rule == ScaleRule.POWER_OF_TWO ? Math.scalb(1f, Math.getExponent(scale)) : scale;
    }
}
