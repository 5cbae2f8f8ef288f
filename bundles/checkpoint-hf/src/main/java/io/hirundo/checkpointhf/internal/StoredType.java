package io.hirundo.checkpointhf.internal;

import io.hirundo.tensor.DType;
import java.util.Arrays;
import java.util.Optional;

/** Element types that the safetensors format names; of those, the floating ones from 16 bits up can be read. */
enum StoredType {
  F64(64, true),
  F32(32, true),
  F16(16, true),
  BF16(16, true),
  BOOL(8, false),
  F4(4, false),
  F6_E2M3(6, false),
  F6_E3M2(6, false),
  F8_E4M3(8, false),
  F8_E5M2(8, false),
  F8_E8M0(8, false),
  U8(8, false),
  I8(8, false),
  U16(16, false),
  I16(16, false),
  U32(32, false),
  I32(32, false),
  U64(64, false),
  I64(64, false),
  C64(64, false);

  static final String READABLE = "F64, F32, F16 or BF16";

  private final int bits;
  private final boolean readable;

  StoredType(int bits, boolean readable) {
    this.bits = bits;
    this.readable = readable;
  }

  static Optional<StoredType> named(String name) {
    return Arrays.stream(values()).filter(type -> type.name().equals(name)).findFirst();
  }

  static StoredType of(DType dtype) {
    return switch (dtype) {
      case FP64 -> F64;
      case FP32 -> F32;
      case BF16 -> BF16;
      case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalArgumentException("weights of type " + dtype);
    };
  }

  int bits() {
    return bits;
  }

  /** Whether a weight may have this type. */
  boolean isReadable() {
    return readable;
  }

  /** Whether an element is stored as it is in memory. */
  boolean isSameAs(DType dtype) {
    return dtype != DType.INT32 && this == of(dtype);
  }

  /** Bytes of an element of a readable type. */
  int byteSize() {
    return bits / Byte.SIZE;
  }
}
