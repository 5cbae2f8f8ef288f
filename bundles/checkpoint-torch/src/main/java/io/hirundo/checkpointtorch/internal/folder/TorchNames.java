package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.checkpointtorch.internal.pickle.PickledGlobal;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Python classes and functions in checkpoints. */
final class TorchNames {
    static final PickledGlobal SIZE = new PickledGlobal("torch", "Size");
    static final PickledGlobal REBUILD_TENSOR = new PickledGlobal("torch._utils", "_rebuild_tensor_v2");
    static final PickledGlobal REBUILD_PARAMETER = new PickledGlobal("torch._utils", "_rebuild_parameter");

    private static final PickledGlobal ORDERED_DICT = new PickledGlobal("collections", "OrderedDict");
    private static final String[] DTYPES = {
        "float64",
        "float32",
        "float16",
        "bfloat16",
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "int64",
        "int32",
        "int16",
        "int8",
        "uint64",
        "uint32",
        "uint16",
        "uint8",
        "bool",
        "complex64",
        "complex128"
    };

    private TorchNames() {}

    /**
     * Names allowed in {@code .metadata}: the classes of {@code torch.distributed.checkpoint} in versions 2.0 to 2.9 and of their fields.
     */
    static Set<PickledGlobal> ofMetadata() {
        var names = new HashSet<PickledGlobal>(Set.of(SIZE, ORDERED_DICT));
        add(
                names,
                "torch.distributed.checkpoint.metadata",
                "Metadata",
                "MetadataIndex",
                "TensorStorageMetadata",
                "BytesStorageMetadata",
                "ChunkStorageMetadata",
                "TensorProperties",
                "_MEM_FORMAT_ENCODING",
                "StorageMeta");
        // Location of the properties in versions 2.0 and 2.1.
        add(names, "torch.distributed._shard.sharded_tensor.metadata", "TensorProperties", "MEM_FORMAT_ENCODING");
        add(names, "torch.distributed.checkpoint.filesystem", "_StorageInfo");
        add(names, "torch.serialization", "_get_layout");
        add(names, "torch", DTYPES);
        // Python 3.11 pickles enumeration members with getattr; here it is a name like any other.
        add(names, "builtins", "getattr");
        // The path of the written folder, in StorageMeta; Python 3.13 moved the classes.
        add(names, "pathlib", "Path", "PosixPath", "WindowsPath");
        add(names, "pathlib._local", "Path", "PosixPath", "WindowsPath");
        return names;
    }

    /** Names allowed in a stored tensor. */
    static Set<PickledGlobal> ofTensors() {
        var names = new HashSet<PickledGlobal>(Set.of(REBUILD_TENSOR, REBUILD_PARAMETER, ORDERED_DICT));
        for (TorchFloat type : TorchFloat.values()) {
            names.add(type.storage());
        }
        return names;
    }

    private static void add(Set<PickledGlobal> names, String module, String... added) {
        Arrays.stream(added).map(name -> new PickledGlobal(module, name)).forEach(names::add);
    }
}
