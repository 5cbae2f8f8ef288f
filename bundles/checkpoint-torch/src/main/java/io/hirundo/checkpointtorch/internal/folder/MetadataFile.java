package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.checkpointtorch.internal.pickle.PickledDict;
import io.hirundo.checkpointtorch.internal.pickle.PickledGlobal;
import io.hirundo.checkpointtorch.internal.pickle.PickledList;
import io.hirundo.checkpointtorch.internal.pickle.PickledObject;
import io.hirundo.checkpointtorch.internal.pickle.PickledTuple;
import io.hirundo.checkpointtorch.internal.pickle.Unpickler;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads {@code .metadata}: pickled instances of the classes of {@code torch/distributed/checkpoint/metadata.py}. */
final class MetadataFile {
    static final String NAME = ".metadata";

    private static final long LEAST_LIMIT_BYTES = 16L << 20;
    private static final long MOST_LIMIT_BYTES = 1L << 30;
    private static final int MOST_SHOWN = 300;
    /** Less than any chunk needs in a pickle; bounds the memory of shared values. */
    private static final int CHUNK_BYTES = 8;

    private final Path file;
    private final LinkedHashMap<String, DcpTensor> tensors = new LinkedHashMap<>();
    private final List<String> others = new ArrayList<>();
    private final Map<String, Map<List<Long>, DcpItem>> items = new HashMap<>();
    private long chunksLeft;

    private MetadataFile(Path file) {
        this.file = file;
    }

    /** A sixteenth of the heap: a pickle's values need about ten times its size. */
    private static int maxBytes() {
        return (int) Math.clamp(Runtime.getRuntime().maxMemory() / 16, LEAST_LIMIT_BYTES, MOST_LIMIT_BYTES);
    }

    static DcpMetadata read(Path folder) {
        Path file = folder.resolve(NAME);
        try {
            return parse(file, InputFiles.readAllBytes(file, maxBytes()));
        } catch (NoSuchFileException e) {
            throw new DataException(
                    file + " is missing; give a folder that torch.distributed.checkpoint has written to its end", e);
        } catch (IrregularFileException | FileTooLargeException e) {
            throw new DataException(Reason.of(e) + "; give a folder that torch.distributed.checkpoint has written", e);
        } catch (IOException e) {
            throw new DataException(file + " cannot be read: " + Reason.of(e), e);
        }
    }

    /** {@code file}: name, for messages. */
    static DcpMetadata parse(Path file, byte[] bytes) {
        return new MetadataFile(file).parse(bytes);
    }

    private DcpMetadata parse(byte[] bytes) {
        chunksLeft = bytes.length / CHUNK_BYTES;
        Object value = Unpickler.read(bytes, file.toString(), TorchNames.ofMetadata(), false);
        PickledObject metadata = object(value, "Metadata", "the value");
        PickledDict described = dict(metadata, "state_dict_metadata");
        for (int index = 0; index < described.size(); index++) {
            addDescribed(text(described.key(index), "a name"), described.value(index));
        }
        PickledDict stored = dict(metadata, "storage_data");
        for (int index = 0; index < stored.size(); index++) {
            addStored(
                    object(stored.key(index), "MetadataIndex", "a key"),
                    object(stored.value(index), "_StorageInfo", "a place"));
        }
        return new DcpMetadata(tensors, List.copyOf(others), items);
    }

    private void addDescribed(String name, Object value) {
        if (value instanceof PickledObject object && object.type().name().equals("BytesStorageMetadata")) {
            others.add(name);
            return;
        }
        PickledObject tensor = object(value, "TensorStorageMetadata", "'" + Excerpt.of(name) + "'");
        Shape shape = new Shape(sizes(tensor, "size", name));
        List<TensorSlice> chunks = new ArrayList<>();
        PickledList list = tensor.field("chunks")
                .filter(PickledList.class::isInstance)
                .map(PickledList.class::cast)
                .orElseThrow(() -> wrong("'" + Excerpt.of(name) + "' has no list of chunks"));
        chunksLeft -= list.size();
        if (chunksLeft < 0) {
            throw wrong("has more chunks than it has room for");
        }
        for (int index = 0; index < list.size(); index++) {
            chunks.add(chunk(
                    name,
                    shape,
                    object(list.get(index), "ChunkStorageMetadata", "a chunk of '" + Excerpt.of(name) + "'")));
        }
        tensors.put(name, new DcpTensor(name, dtype(tensor, name), shape, List.copyOf(chunks)));
    }

    private TensorSlice chunk(String name, Shape shape, PickledObject value) {
        var chunk = new TensorSlice(sizes(value, "offsets", name), new Shape(sizes(value, "sizes", name)));
        if (!chunk.fits(shape)) {
            throw wrong("the chunk " + chunk.shape() + " at " + chunk.offset() + " leaves '" + Excerpt.of(name) + "' "
                    + shape);
        }
        return chunk;
    }

    /** The state is a tuple whose first element is the dtype. */
    private String dtype(PickledObject tensor, String name) {
        Object first = tensor.field("properties")
                .map(properties -> object(
                                properties, "TensorProperties", "the properties of '" + Excerpt.of(name) + "'")
                        .state())
                .map(state -> state instanceof PickledTuple tuple && tuple.size() > 0 ? tuple.get(0) : state)
                .orElse(null);
        if (first instanceof PickledGlobal dtype && dtype.module().equals("torch")) {
            return dtype.name();
        }
        throw wrong("'" + Excerpt.of(name) + "' has no data type");
    }

    private void addStored(PickledObject index, PickledObject info) {
        String name = text(index.field("fqn").orElse(null), "a stored name");
        if (index.field("offset").isEmpty()) {
            // An entry that is not a tensor.
            return;
        }
        String path = text(info.field("relative_path").orElse(null), "the file of '" + Excerpt.of(name) + "'");
        if (path.matches("\\.{0,2}|.*[/\\\\\\x00].*")) {
            // Plain names only: metadata must not refer to files outside the folder.
            throw wrong("'" + Excerpt.of(name) + "' should be in '" + Excerpt.of(path)
                    + "', which is no name of a file in the folder");
        }
        var item = new DcpItem(path, number(info, "offset", name), number(info, "length", name), transforms(info));
        items.computeIfAbsent(name, _ -> new HashMap<>()).put(sizes(index, "offset", name), item);
    }

    private static String transforms(PickledObject info) {
        Object transforms = info.field("transform_descriptors").orElse(null);
        if (transforms == null || transforms instanceof PickledList list && list.size() == 0) {
            return "";
        }
        return transforms instanceof PickledList list && list.get(0) instanceof String first ? first : "an extension";
    }

    private long number(PickledObject object, String field, String name) {
        if (object.field(field).orElse(null) instanceof Long number && number >= 0) {
            return number;
        }
        throw wrong("'" + Excerpt.of(name) + "' has no " + field);
    }

    private List<Long> sizes(PickledObject object, String field, String name) {
        Optional<List<Long>> sizes = Sizes.read(object.field(field).orElse(null));
        return sizes.orElseThrow(() -> wrong("'" + Excerpt.of(name) + "' has no " + field));
    }

    private PickledDict dict(PickledObject object, String field) {
        if (object.field(field).orElse(null) instanceof PickledDict dict) {
            return dict;
        }
        throw wrong("has no " + field);
    }

    private PickledObject object(Object value, String type, String what) {
        if (value instanceof PickledObject object && object.type().name().equals(type)) {
            return object;
        }
        throw wrong(what + " is no " + type);
    }

    private String text(Object value, String what) {
        if (value instanceof String text) {
            return text;
        }
        throw wrong(what + " is no text");
    }

    private DataException wrong(String what) {
        String shown = what.length() > MOST_SHOWN ? what.substring(0, MOST_SHOWN) + "..." : what;
        return new DataException(file + ": " + shown + "; it is damaged or of a version that is not read");
    }
}
