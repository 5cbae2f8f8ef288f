package io.hirundo.dataloader.internal.text;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.dataloader.internal.indexed.Sha256;
import io.hirundo.dataloader.internal.stop.Stop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * The files of a source.
 *
 * @param isFolder whether the source is a folder; else it is the one file
 */
public record SourceFiles(Path source, boolean isFolder, List<Entry> entries) {
    /**
     * A file.
     *
     * @param name path below the source, or the file's name
     */
    public record Entry(Path path, String name, long bytes, long modifiedMillis) {}

    /**
     * Lists a file, or a folder with all that is below it, by name. Left out are what is hidden (its name begins with a dot),
     * what is no regular file, folders behind links, and files that were met before under another name.
     *
     * @throws DataException when there is no such source, or its files cannot be listed
     */
    public static SourceFiles list(Path source) {
        return list(source, Stop.NEVER);
    }

    /** As {@link #list(Path)}; {@code stop} ends the walk through the folder. */
    public static SourceFiles list(Path source, Stop stop) {
        try {
            var attributes = Files.readAttributes(source, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                return new SourceFiles(source, true, below(source.toRealPath(), stop));
            }
            if (!attributes.isRegularFile()) {
                throw new DataException(source + " is neither a file nor a folder; give one with text");
            }
            return new SourceFiles(
                    source, false, List.of(entry(source, source.getFileName().toString(), attributes)));
        } catch (NoSuchFileException e) {
            throw new DataException("there is no " + e.getFile() + "; give a file or folder with text", e);
        } catch (IOException e) {
            throw new DataException("cannot read " + source + ": " + Reason.of(e), e);
        }
    }

    private static Entry entry(Path path, String name, BasicFileAttributes attributes) {
        return new Entry(
                path, name, attributes.size(), attributes.lastModifiedTime().toMillis());
    }

    private static List<Entry> below(Path folder, Stop stop) throws IOException {
        List<Entry> entries = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                return path.equals(folder) || !isHidden(path) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
                stop.check(folder);
                if (!isHidden(path) && Files.isRegularFile(path)) {
                    entries.add(entry(
                            path,
                            folder.relativize(path).toString(),
                            Files.readAttributes(path, BasicFileAttributes.class)));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        entries.sort(Comparator.comparing(Entry::name));
        return withoutRepetitions(entries);
    }

    private static List<Entry> withoutRepetitions(List<Entry> entries) throws IOException {
        Set<Object> seen = new HashSet<>();
        List<Entry> kept = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            Object key = Files.readAttributes(entry.path(), BasicFileAttributes.class)
                    .fileKey();
            if (key == null || seen.add(key)) {
                kept.add(entry);
            }
        }
        return kept;
    }

    private static boolean isHidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    /** Changes when a file comes, goes, grows or is written again; reads no file. */
    public String fingerprint() {
        var digest = Sha256.digest();
        for (Entry entry : entries) {
            // Versions up to 0.27 read JSON lines of this name as plain text: what they made of it is another dataset.
            String reading = entry.name().matches("(?i).*\\.json(\\.gz)?") ? "\0lines" : "";
            String line = entry.name() + "\0" + entry.bytes() + "\0" + entry.modifiedMillis() + reading + "\n";
            digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
