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
  private static final int AVX512 = 0x20;
  private static final int BF16 = 0x80;
  private static final int AMX = 0x800;

  Optional<String> obstacle(DType operands) {
    return switch (operands) {
      case FP32 -> has(AVX512) ? Optional.empty() : lacks("AVX-512: with less, the Vector API is as fast");
      case BF16 -> has(BF16) ? Optional.empty() : lacks("instructions for BF16 (AVX-512 BF16, or AMX)");
      default -> Optional.of("oneDNN is used for FP32 and BF16 only, not for " + operands.name().toLowerCase(Locale.ROOT));
    };
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
    return has(AVX512) ? "AVX-512" : "AVX2 or less";
  }
}
