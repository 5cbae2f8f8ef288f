package io.hirundo.checkpointhf.internal.safetensors;

import io.hirundo.lib.tensor.StoredFloat;
import io.hirundo.tensor.DType;
import java.util.Arrays;
import java.util.Optional;

/** Element types that the safetensors format names; of those, the floating ones from 16 bits up can be read. */
public enum StoredType {
    F64(64, StoredFloat.F64),
    F32(32, StoredFloat.F32),
    F16(16, StoredFloat.F16),
    BF16(16, StoredFloat.BF16),
    BOOL(8, null),
    F4(4, null),
    F6_E2M3(6, null),
    F6_E3M2(6, null),
    F8_E4M3(8, null),
    F8_E5M2(8, null),
    F8_E8M0(8, null),
    U8(8, null),
    I8(8, null),
    U16(16, null),
    I16(16, null),
    U32(32, null),
    I32(32, null),
    U64(64, null),
    I64(64, null),
    C64(64, null);

    public static final String READABLE = "F64, F32, F16 or BF16";

    private final int bits;
    private final StoredFloat weight;

    StoredType(int bits, StoredFloat weight) {
        this.bits = bits;
        this.weight = weight;
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

    public int bits() {
        return bits;
    }

    /** Whether a weight may have this type. */
    public boolean isReadable() {
        return weight != null;
    }

    /** The same for a conversion; null where it is not readable. */
    public StoredFloat weight() {
        return weight;
    }
}
