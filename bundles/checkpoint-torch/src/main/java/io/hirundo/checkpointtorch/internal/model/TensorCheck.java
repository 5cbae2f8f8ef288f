package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.DataException;
import io.hirundo.checkpointtorch.internal.folder.ChunkedTensor;
import io.hirundo.checkpointtorch.internal.folder.TorchFolder;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/** Compares a folder's tensors with those of its model. */
final class TensorCheck {
    private static final long BLOCK_BYTES = 16L << 20;

    private final TorchFolder folder;
    private final KeyMap keys;
    private final FamilyModel<?> model;

    TensorCheck(TorchFolder folder, KeyMap keys, FamilyModel<?> model) {
        this.folder = folder;
        this.keys = keys;
        this.model = model;
    }

    /** The model's tensors by the name of their format, in the order of its layers. */
    SequencedMap<String, ChunkedTensor> tensors() {
        Map<String, Shape> found = folder.shapes();
        var tensors = new LinkedHashMap<String, ChunkedTensor>();
        Set<String> known = new HashSet<>();
        for (var tensor : model.tensors()) {
            String name = keys.inFolder(tensor.name());
            if (!found.containsKey(name)) {
                throw folder.wrong(
                        name,
                        "is missing; fetch the model again, or check that config.json and folder belong together");
            }
            if (!found.get(name).equals(tensor.shape())) {
                throw folder.wrong(name, "is " + found.get(name) + ", but its model's is " + tensor.shape());
            }
            known.add(name);
            tensors.put(tensor.name(), folder.tensor(name));
        }
        model.copies().forEach((copy, original) -> {
            String name = keys.inFolder(copy);
            if (found.containsKey(name)) {
                known.add(name);
                requireSame(tensors.get(original), folder.tensor(name));
            }
        });
        rejectOthers(found.keySet(), known);
        folder.warnOfMissingChecksums();
        return tensors;
    }

    private void rejectOthers(Set<String> found, Set<String> known) {
        Set<String> namespaces = model.namespaces();
        for (String name : found) {
            boolean isOther = name.startsWith(keys.prefix())
                    && namespaces.stream()
                            .anyMatch(each ->
                                    name.startsWith(each + ".", keys.prefix().length()))
                    && !known.contains(name)
                    && !model.isIgnored(name);
            if (isOther) {
                throw folder.wrong(
                        name,
                        "is there, which this " + model.choice().name()
                                + " does not have; check that config.json and folder belong together");
            }
        }
    }

    /** A copy, a tied head for instance, must equal its original: otherwise it is ambiguous which one counts. */
    private void requireSame(ChunkedTensor original, ChunkedTensor copy) {
        if (!copy.dtype().equals(original.dtype()) || !copy.shape().equals(original.shape())) {
            throw differs(copy, original);
        }
        Shape shape = original.shape();
        long rows = shape.dim(0);
        long blockRows = Math.max(1, BLOCK_BYTES / Double.BYTES / (shape.elements() / rows));
        for (long row = 0; row < rows; row += blockRows) {
            Shape block = new Shape(withFirst(Math.min(blockRows, rows - row), shape.dims()));
            List<Long> offset = withFirst(row, Collections.nCopies(shape.rank(), 0L));
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment one = arena.allocate(block.byteSize(DType.FP64), Double.BYTES);
                MemorySegment other = arena.allocate(block.byteSize(DType.FP64), Double.BYTES);
                original.read(offset, block, DType.FP64, one);
                copy.read(offset, block, DType.FP64, other);
                if (one.mismatch(other) >= 0) {
                    throw differs(copy, original);
                }
            }
        }
    }

    private static List<Long> withFirst(long first, List<Long> others) {
        var all = new ArrayList<>(others);
        all.set(0, first);
        return all;
    }

    private DataException differs(ChunkedTensor copy, ChunkedTensor original) {
        return folder.wrong(
                copy.name(),
                "differs from '" + original.name()
                        + "', although config.json ties them; set tie_word_embeddings to false there");
    }
}
