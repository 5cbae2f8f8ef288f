package io.hirundo.testkit.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What a folder contains. */
public final class FolderFiles {
    private FolderFiles() {}

    /** The bytes of all files in a folder and its subfolders, by path relative to it. */
    public static Map<String, byte[]> read(Path folder) throws IOException {
        var files = new TreeMap<String, byte[]>();
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) paths.filter(Files::isRegularFile)::iterator) {
                files.put(folder.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }
}
