package io.hirundo.tokenizerhf.internal.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir
    private Path folder;

    @Test
    void neverWritesThroughALink() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        Path file = folder.resolve("tokenizer.json");
        Files.createSymbolicLink(folder.resolve("tokenizer.json.part"), victim);
        WholeFile.write(file, new byte[] {1});
        assertEquals("precious", Files.readString(victim));
        assertArrayEquals(new byte[] {1}, Files.readAllBytes(file));
    }

    @Test
    void createsTheFolderOfTheFile() throws IOException {
        Path file = folder.resolve("a").resolve("b").resolve("tokenizer.json");
        WholeFile.write(file, new byte[] {2});
        assertArrayEquals(new byte[] {2}, Files.readAllBytes(file));
    }

    @Test
    void rejectsAFolderUnderTheNameOfItsPart() throws IOException {
        Path part = Files.createDirectory(folder.resolve("tokenizer.json.part"));
        Path file = folder.resolve("tokenizer.json");
        var failure = assertThrows(StorageException.class, () -> WholeFile.requireWritable(file));
        assertTrue(
                failure.getMessage().startsWith("cannot write " + file + ": " + part + " is a folder"),
                failure.getMessage());
    }
}
