package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.checkpointtorch.internal.pickle.PickledGlobal;
import io.hirundo.lib.tensor.StoredFloat;
import java.util.Arrays;
import java.util.Optional;

/** PyTorch's names of supported weight dtypes. */
enum TorchFloat {
    FLOAT64("float64", "DoubleStorage", StoredFloat.F64),
    FLOAT32("float32", "FloatStorage", StoredFloat.F32),
    FLOAT16("float16", "HalfStorage", StoredFloat.F16),
    BFLOAT16("bfloat16", "BFloat16Storage", StoredFloat.BF16);

    static final String READABLE = "float64, float32, float16 or bfloat16";

    private final String dtype;
    private final PickledGlobal storage;
    private final StoredFloat stored;

    TorchFloat(String dtype, String storage, StoredFloat stored) {
        this.dtype = dtype;
        this.storage = new PickledGlobal("torch", storage);
        this.stored = stored;
    }

    static Optional<TorchFloat> ofType(String dtype) {
        return Arrays.stream(values()).filter(type -> type.dtype.equals(dtype)).findFirst();
    }

    /** The class of its storages. */
    PickledGlobal storage() {
        return storage;
    }

    StoredFloat stored() {
        return stored;
    }
}
