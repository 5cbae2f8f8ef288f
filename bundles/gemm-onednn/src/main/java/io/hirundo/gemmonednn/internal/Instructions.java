package io.hirundo.gemmonednn.internal;

import io.hirundo.tensor.DType;
import java.util.Locale;
import java.util.Optional;

/**
 * The instructions that oneDNN has found on this processor, or been restricted to by {@code DNNL_MAX_CPU_ISA}.
 *
 * @param bits of {@code dnnl_cpu_isa_t}: one for each set of instructions
 */
record Instructions(int bits) {
    private static final int AVX2 = 0x4;
    private static final int AVX512 = 0x20;
    private static final int BF16 = 0x80;
    private static final int AMX = 0x800;

    Optional<String> obstacle(DType operands) {
        return switch (operands) {
            case FP32 -> has(AVX2) ? Optional.empty() : lacks("AVX2");
            case BF16 -> has(BF16) ? Optional.empty() : lacks("instructions for BF16 (AVX-512 BF16, or AMX)");
            default ->
                Optional.of("oneDNN is used for FP32 and BF16 only, not for "
                        + operands.name().toLowerCase(Locale.ROOT));
        };
    }

    /**
     * Whether FP32 is faster than by the Vector API (docs/performance.md): with 256-bit vectors it is, and on processors of Intel with 512
     * bits, of which those that the gain was measured on have AMX; on AMD's both are as fast.
     */
    boolean isFasterInFp32() {
        return has(AVX2) && !has(AVX512) || has(AMX);
    }

    private boolean has(int instructions) {
        return (bits & instructions) != 0;
    }

    private static Optional<String> lacks(String what) {
        return Optional.of("this processor, or DNNL_MAX_CPU_ISA, has no " + what);
    }

    @Override
    public String toString() {
        if (has(AMX)) {
            return "AMX";
        }
        if (has(BF16)) {
            return "AVX-512 BF16";
        }
        if (has(AVX512)) {
            return "AVX-512";
        }
        return has(AVX2) ? "AVX2" : "less than AVX2";
    }
}
