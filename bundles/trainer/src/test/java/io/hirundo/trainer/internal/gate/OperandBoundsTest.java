package io.hirundo.trainer.internal.gate;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.engine.check.LayerErrors.Quantization;
import io.hirundo.lib.oracle.gemm.OperandError;
import io.hirundo.lib.run.section.GateSection;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of quantization bounds in docs/swap.md. */
class OperandBoundsTest {
    private record Quantized(String name, DType type) {
        Quantization error() {
            return type == DType.FP32
                    ? Quantization.NONE
                    : new Quantization(0, OperandError.largest(type), Quantization.NONE.scaling());
        }
    }

    private static final Quantized FP32 = new Quantized("fp32", DType.FP32);
    private static final Quantized BF16 = new Quantized("bf16", DType.BF16);
    private static final Quantized E4M3 = new Quantized("E4M3", DType.FP8_E4M3);
    private static final Quantized E5M2 = new Quantized("E5M2", DType.FP8_E5M2);

    private static String row(Quantized left, Quantized right) {
        double bound = left.error().with(right.error()).largest();
        String text = bound == 0 ? "0: nothing is quantized" : rounded(bound);
        return String.format(
                "| %s, %s | %s | %s |\n",
                left.name(), right.name(), text, rounded(Math.min(bound, new GateSection().output())));
    }

    private static String rounded(double bound) {
        return new BigDecimal(bound)
                .round(new MathContext(2))
                .stripTrailingZeros()
                .toPlainString();
    }

    @Test
    void equalThoseOfThePage() throws IOException {
        String table = Stream.of(row(FP32, FP32), row(FP32, BF16), row(BF16, BF16), row(E4M3, E4M3), row(E4M3, E5M2))
                .collect(Collectors.joining());
        assertTrue(
                Files.readString(Path.of("../../docs/swap.md")).contains(table),
                () -> "docs/swap.md must have\n" + table);
    }
}
