package io.hirundo.testkit.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fixture.FolderFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.io.TempDir;

/**
 * What writes leave in a folder: those that succeed, that fail, that the check rejects, and those of several ranks. All clauses pass for a
 * format that says that it only reads.
 */
public interface ModelWriteClauses extends ModelFormatOffer {
    @Clause(
            value = "A format that only reads says so; one that writes rejects a folder that cannot be written",
            remedy =
                    "isWritable() and write(): ConfigurationException that names a format to write, or StorageException that names the folder")
    default void writesWhatItSays(@TempDir Path folder) throws IOException {
        ModelFormat format = format();
        if (!format.isWritable()) {
            assertThrows(
                    ConfigurationException.class,
                    () -> format.write(folder.resolve("model"), architecture(), parts(DType.FP32, 1)));
            assertTrue(FolderFiles.read(folder).isEmpty(), "files of a format that only reads");
            return;
        }
        Path occupied = Files.writeString(folder.resolve("occupied"), "").resolve("model");
        var failure = assertThrows(
                StorageException.class, () -> format.write(occupied, architecture(), parts(DType.FP32, 1)));
        StoredModel.requireLine(failure, occupied.toString());
    }

    @Clause(
            value = "A model appears complete or not at all: a write that fails leaves the earlier model, and no files",
            remedy = "write(): files under other names, and one rename at the end; remove them if a download throws")
    default void failedWritesChangeNothing(@TempDir Path folder) throws IOException {
        if (format().isWritable()) {
            var failing = new ArrayList<>(parts(DType.FP32, 2));
            ModelPart last = failing.removeLast();
            var lost = new StorageException("the device is lost");
            failing.add(new ModelPart(last.path(), last.shape(), last.dtype(), host -> {
                throw lost;
            }));
            Path fresh = folder.resolve("fresh");
            assertSame(
                    lost, assertThrows(StorageException.class, () -> format().write(fresh, architecture(), failing)));
            assertTrue(FolderFiles.read(folder).isEmpty(), () -> "files after a first write failed");
            requireKeepsTheEarlier(
                    folder,
                    model -> assertSame(
                            lost,
                            assertThrows(
                                    StorageException.class, () -> format().write(model, architecture(), failing))));
        }
    }

    private void requireKeepsTheEarlier(Path folder, Consumer<Path> failingWrite) throws IOException {
        Path model = stored(folder, DType.FP32, 1);
        Map<String, byte[]> before = FolderFiles.read(folder);
        failingWrite.accept(model);
        assertEquals(before.keySet(), FolderFiles.read(folder).keySet(), "files after a failed write");
        try (ModelReader reader = format().open(model)) {
            new StoredModel(this).requireSame(reader, 1, DType.FP32);
        }
    }

    @Clause(
            value = "A second write replaces the model and leaves no file of the first",
            remedy = "write(): files of the earlier model")
    default void writesReplaceTheModel(@TempDir Path folder) throws IOException {
        if (format().isWritable()) {
            Path model = stored(folder, DType.FP32, 1);
            int files = FolderFiles.read(folder).size();
            stored(folder, DType.FP32, 2);
            try (ModelReader reader = format().open(model)) {
                new StoredModel(this).requireSame(reader, 2, DType.FP32);
            }
            assertEquals(files, FolderFiles.read(folder).size(), "files after a second write");
        }
    }

    @Clause(
            value = "The check gets the written model; one that throws fails the write, and the earlier model stays",
            remedy = "write() with a check: open the new files before the rename; rethrow")
    default void rejectedModelsFailTheWrite(@TempDir Path folder) throws IOException {
        if (format().isWritable()) {
            var rejection = new StorageException("other logits");
            requireKeepsTheEarlier(
                    folder,
                    model -> assertSame(
                            rejection,
                            assertThrows(
                                    StorageException.class,
                                    () -> format().write(model, architecture(), parts(DType.FP32, 2), written -> {
                                        new StoredModel(this).requireSame(written, 2, DType.FP32);
                                        throw rejection;
                                    }))));
        }
    }

    @Clause(
            value = "Files that the check adds to folder() become visible with the model",
            remedy = "ModelReader.folder(): empty, unless it is the folder that is renamed")
    default void addedFilesAppearWithTheModel(@TempDir Path folder) throws IOException {
        if (format().isWritable()) {
            Path model = folder.resolve("model");
            var added = new ArrayList<Path>();
            format().write(
                            model,
                            architecture(),
                            parts(DType.FP32, 1),
                            written -> written.folder().ifPresent(place -> {
                                assertFalse(
                                        Files.exists(model.resolve("notes.txt")),
                                        "a file in the folder before the model appears");
                                try {
                                    added.add(Files.writeString(place.resolve("notes.txt"), "added"));
                                } catch (IOException e) {
                                    throw new AssertionError("folder() cannot be written: " + e, e);
                                }
                                assertFalse(
                                        Files.exists(model.resolve("notes.txt")),
                                        "an added file is visible before the model");
                            }));
            assertEquals(
                    !added.isEmpty(),
                    Files.exists(model.resolve("notes.txt")),
                    "the added file is in the model's folder");
        }
    }

    @Clause(
            value =
                    "Pieces that several ranks write in any order give the files of one writer, for formats that allow it",
            remedy = "beginWrite(): positions must follow from its arguments; write() must touch no byte of others")
    default void ranksWriteTogether(@TempDir Path folder) throws IOException {
        for (DType dtype : DTYPES) {
            Path place = Files.createDirectory(folder.resolve(dtype.name()));
            Path model = place.resolve("model");
            var tensors = tensors().entrySet().stream()
                    .map(tensor -> new ModelTensor(tensor.getKey(), tensor.getValue(), dtype))
                    .toList();
            if (!format().isWritable()
                    || format().beginWrite(model, architecture(), tensors).isEmpty()) {
                return;
            }
            writeTogether(model, tensors, dtype);
            Map<String, byte[]> many = FolderFiles.read(model);
            Map<String, byte[]> one = FolderFiles.read(stored(Files.createDirectory(place.resolve("one")), dtype, 1));
            assertEquals(one.keySet(), many.keySet(), "files");
            one.forEach((name, bytes) ->
                    assertTrue(Arrays.equals(bytes, many.get(name)), () -> name + " differs from that of one writer"));
        }
    }

    private void writeTogether(Path model, List<ModelTensor> tensors, DType dtype) {
        var fixture = new StoredModel(this);
        var random = new Random(11);
        List<ModelWriting> writers = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            writers.add(format().beginWrite(model, architecture(), tensors).orElseThrow());
        }
        assertFalse(Files.exists(model), "beginWrite() touches storage");
        List<ParameterPart> pieces = fixture.pieces(random);
        Collections.shuffle(pieces, random);
        writers.getFirst().create();
        pieces.forEach(piece -> fixture.write(writers.get(random.nextInt(3)), piece, dtype, 1));
        writers.forEach(ModelWriting::flush);
        assertFalse(Files.exists(model), "the model appears before commit()");
        writers.getFirst().commit(written -> fixture.requireSame(written, 1, dtype));
        writers.forEach(ModelWriting::close);
    }
}
