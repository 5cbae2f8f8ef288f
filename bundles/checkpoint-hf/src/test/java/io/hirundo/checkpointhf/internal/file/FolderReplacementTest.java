package io.hirundo.checkpointhf.internal.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.DeviceException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.checkpointhf.internal.format.HuggingFaceFormat;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderReplacementTest {
    @TempDir
    Path folder;

    private final HuggingFaceFormat format = new HuggingFaceFormat(3000, () -> TinyLlama.FAMILIES);

    @Test
    void replacesTheFormerModel() throws IOException {
        Path model = folder.resolve("model");
        write(model, false);
        Files.writeString(model.resolve("tokenizer.json"), "{}");
        write(model, true);
        assertTrue(isTied(model));
        assertFalse(Files.exists(model.resolve("tokenizer.json")));
        assertEquals(List.of("model"), names());
    }

    @Test
    void failureKeepsTheFormerModelAndNothingElse() throws IOException {
        Path model = folder.resolve("model");
        write(model, true);
        for (int failing = 0; failing < TinyLlama.parts(false, DType.FP32).size(); failing++) {
            var parts = new java.util.ArrayList<>(TinyLlama.parts(false, DType.FP32));
            ModelPart part = parts.get(failing);
            parts.set(failing, new ModelPart(part.path(), part.shape(), part.dtype(), host -> {
                throw new DeviceException("gone");
            }));
            assertThrows(DeviceException.class, () -> format.write(model, TinyLlama.architecture(false), parts));
            assertTrue(isTied(model));
            assertEquals(List.of("model"), names());
        }
    }

    @Test
    void namesAFullDisk() throws IOException {
        Path model = folder.resolve("model");
        write(model, true);
        var failure = assertThrows(StorageException.class, () -> failOnAFullDisk(model));
        assertTrue(failure.getMessage().contains(model.toString()), failure.getMessage());
        assertTrue(failure.getMessage().contains("No space left on device"), failure.getMessage());
        assertTrue(isTied(model));
        assertEquals(List.of("model"), names());
    }

    @Test
    void namesAFolderThatCannotBeCreated() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");
        var failure = assertThrows(StorageException.class, () -> write(file.resolve("model"), false));
        assertTrue(failure.getMessage().contains(file.toString()), failure.getMessage());
        assertEquals("text", Files.readString(file));
    }

    @Test
    void neverReplacesAFolderThatIsNotAModel() throws IOException {
        Path photos = Files.createDirectory(folder.resolve("photos"));
        Files.writeString(photos.resolve("bird.jpg"), "bird");
        var failure = assertThrows(StorageException.class, () -> write(photos, false));
        assertTrue(failure.getMessage().contains("is not a model's folder"), failure.getMessage());
        assertEquals("bird", Files.readString(photos.resolve("bird.jpg")));
        write(Files.createDirectory(folder.resolve("empty")), false);
        assertFalse(isTied(folder.resolve("empty")));
    }

    @Test
    void removesLeftoversOfAnInterruptedWrite() throws IOException {
        Path model = folder.resolve("model");
        write(model, false);
        Files.createDirectory(folder.resolve(".model.new"));
        Files.writeString(folder.resolve(".model.new/model.safetensors"), "half");
        write(model, true);
        assertEquals(List.of("model"), names());
    }

    @Test
    void crashBetweenTheTwoRenamesKeepsBothModels() throws IOException {
        Path model = folder.resolve("model");
        write(model, false);
        Files.move(model, folder.resolve(".model.old"));
        Files.createDirectory(folder.resolve(".model.new"));
        var missing = assertThrows(DataException.class, () -> format.open(model));
        assertTrue(missing.getMessage().contains(".model.old"), missing.getMessage());
        assertThrows(StorageException.class, () -> failOnAFullDisk(model));
        assertFalse(isTied(model));
        assertEquals(List.of("model"), names());
    }

    @Test
    void namesAMissingFolder() {
        var failure = assertThrows(DataException.class, () -> format.open(folder.resolve("nowhere")));
        assertTrue(failure.getMessage().contains("nowhere does not exist; give a folder"), failure.getMessage());
    }

    private static void failOnAFullDisk(Path model) throws IOException {
        var replacement = new FolderReplacement(model);
        try {
            replacement.attempt(() -> {
                Files.writeString(replacement.begin().resolve("part"), "half");
                throw new IOException("No space left on device");
            });
        } finally {
            replacement.discard();
        }
    }

    private void write(Path model, boolean tied) {
        format.write(model, TinyLlama.architecture(tied), TinyLlama.parts(tied, DType.FP32));
    }

    private boolean isTied(Path model) {
        try (ModelReader reader = format.open(model)) {
            return (boolean) reader.architecture().options().get("tieWordEmbeddings");
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }
}
