package io.hirundo.testkit.checkpoint;

import io.hirundo.testkit.fixture.FolderFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The contents of a store that keeps files.
 *
 * @param folder of the store; contains nothing else
 */
public record StoredFiles(Path folder) implements StoredBytes {
    @Override
    public Map<String, byte[]> all() {
        try {
            return FolderFiles.read(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void write(String name, byte[] bytes) {
        try {
            Files.write(folder.resolve(name), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void delete(String name) {
        try {
            Files.delete(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
