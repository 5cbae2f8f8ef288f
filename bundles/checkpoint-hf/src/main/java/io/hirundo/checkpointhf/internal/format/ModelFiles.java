package io.hirundo.checkpointhf.internal.format;

import io.hirundo.DataException;
import io.hirundo.checkpointhf.internal.file.Damage;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsEntry;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsFile;
import io.hirundo.lib.input.Excerpt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/**
 * The safetensors files of a model: {@code model.safetensors}, or those that {@code model.safetensors.index.json} names.
 * Where both are there the single file counts, as for the Transformers library.
 */
public final class ModelFiles implements AutoCloseable {
    static final String SINGLE = "model.safetensors";
    public static final String INDEX = "model.safetensors.index.json";
    static final String WEIGHT_MAP = "weight_map";
    private static final Pattern FILE_NAME = Pattern.compile("[^/\\\\\\x00]{1,255}(?<=\\.safetensors)");

    /** A tensor and the file that holds it. */
    record Place(SafetensorsFile file, SafetensorsEntry tensor) {
        DataException wrong(String what) {
            return Damage.of(file.path(), tensor.name(), what);
        }
    }

    private final List<SafetensorsFile> files = new ArrayList<>();
    private final SequencedMap<String, Place> tensors = new LinkedHashMap<>();

    private ModelFiles() {}

    static ModelFiles open(Path directory) {
        var files = new ModelFiles();
        try {
            if (Files.exists(directory.resolve(SINGLE))) {
                files.add(directory.resolve(SINGLE));
            } else if (Files.exists(directory.resolve(INDEX))) {
                files.addIndexed(directory);
            } else {
                throw new DataException(directory + " holds neither " + SINGLE + " nor " + INDEX
                        + "; give a folder with weights as safetensors (pytorch_model.bin is not read)");
            }
            return files;
        } catch (RuntimeException | Error failure) {
            files.close();
            throw failure;
        }
    }

    private void addIndexed(Path directory) {
        Path index = directory.resolve(INDEX);
        Map<String, String> fileOfTensor = weightMap(index);
        for (String name : fileOfTensor.values().stream().distinct().sorted().toList()) {
            Path file = directory.resolve(name);
            if (!Files.exists(file)) {
                throw new DataException(index + " names " + Excerpt.of(name) + ", which is missing; fetch it");
            }
            add(file);
        }
        fileOfTensor.forEach((tensor, file) -> {
            Place place = tensors.get(tensor);
            if (place == null || !place.file().path().endsWith(file)) {
                throw new DataException(index + ": tensor '" + Excerpt.of(tensor) + "' should be in " + Excerpt.of(file)
                        + ", which does not hold it; fetch both again");
            }
        });
    }

    private static Map<String, String> weightMap(Path index) {
        Map<String, String> files = new LinkedHashMap<>();
        Json.readFile(
                index,
                "fetch it again",
                in -> in.object(
                        Map.of(WEIGHT_MAP, () -> {
                            // Plain names only: an index must not lead out of its folder.
                            in.fields(tensor -> files.put(
                                    tensor, in.text(FILE_NAME, "the name of a safetensors file in this folder")));
                            return files;
                        }),
                        Map.of()));
        if (files.isEmpty()) {
            throw Damage.of(index, "its '" + WEIGHT_MAP + "' is empty");
        }
        return files;
    }

    private void add(Path path) {
        SafetensorsFile file = SafetensorsFile.open(path);
        files.add(file);
        for (SafetensorsEntry tensor : file.tensors().values()) {
            Place former = tensors.putIfAbsent(tensor.name(), new Place(file, tensor));
            if (former != null) {
                throw Damage.of(
                        path,
                        tensor.name(),
                        "is in " + former.file().path().getFileName() + " too; remove one of them");
            }
        }
    }

    /** All tensors by name. */
    SequencedMap<String, Place> tensors() {
        return tensors;
    }

    @Override
    public void close() {
        files.forEach(SafetensorsFile::close);
    }
}
