package io.hirundo.storefolder.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.lib.store.CopyIndex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Foreign or unreadable files in a run's folder of the store are not touched, and their links are not followed. */
class ForeignFilesTest {
    @TempDir
    private Path root;

    private CheckpointInfo checkpoint(long step) throws IOException {
        Path folder = Files.createDirectories(root.resolve("checkpoints/step-" + step));
        Files.writeString(folder.resolve("data"), "of step " + step);
        return new CheckpointInfo(folder, step, 9);
    }

    @Test
    void keepsForeignFiles() throws IOException {
        // As where somebody names the folder of the runs themselves as the store.
        Path others = Files.createDirectories(root.resolve("run/checkpoints/step-1"));
        Files.writeString(others.resolve("data"), "mine");
        Files.writeString(root.resolve("run/log.txt"), "mine");
        try (var session = new FolderSession(root, "run")) {
            session.put(checkpoint(5), done -> {});
            assertEquals(
                    List.of(5L),
                    session.list().stream().map(StoredCheckpoint::step).toList());
        }
        assertEquals("mine", Files.readString(others.resolve("data")));
        assertEquals("mine", Files.readString(root.resolve("run/log.txt")));
    }

    @Test
    void keepsFilesOfADamagedIndex() throws IOException {
        try (var session = new FolderSession(root, "run")) {
            session.put(checkpoint(5), done -> {});
            Path index = root.resolve("run/step-5.index");
            String text = Files.readString(index);
            Files.writeString(index, text.replace("data", "date"));
            session.put(checkpoint(6), done -> {});
            assertEquals(
                    List.of(6L),
                    session.list().stream().map(StoredCheckpoint::step).toList());
            Files.writeString(index, text);
            assertEquals(
                    List.of(6L, 5L),
                    session.list().stream().map(StoredCheckpoint::step).toList());
        }
    }

    @Test
    void ignoresAnIndexThatIsNotARegularFile() throws Exception {
        try (var session = new FolderSession(root, "run")) {
            session.put(checkpoint(5), done -> {});
            Path pipe = root.resolve("run/step-7.index");
            assertEquals(
                    0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
            Files.createSymbolicLink(root.resolve("run/step-8.index"), Path.of("/dev/zero"));
            Files.createSymbolicLink(root.resolve("run/step-9.index"), Path.of("step-9.index"));
            Files.createDirectory(root.resolve("run/step-10.index"));
            List<Long> steps = assertTimeoutPreemptively(
                    Duration.ofMinutes(1),
                    () -> session.list().stream().map(StoredCheckpoint::step).toList());
            assertEquals(List.of(5L), steps);
        }
    }

    @Test
    void rejectsAnIndexWithPathsOutsideItsFolder() {
        for (String name : List.of("../data", "/data", "a/../../data", "./data")) {
            var rejection = rejection("part 64\nfile 4 00000000 " + name + "\n");
            assertTrue(rejection.contains("which is not a file of a checkpoint"), rejection);
        }
    }

    @Test
    void rejectsAnIndexWhosePartsDoNotMatchItsFiles() {
        for (String lines : List.of("part 2\nfile 4 00000000 data\n", "part 4\nfile 4 00000000,00000000 data\n")) {
            assertEquals("here names files whose parts do not add up to their sizes", rejection(lines));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "part x\\nfile 4 00000000 data; has a line 'part x' (allowed: part and a whole number of at least 1)",
                "part -1\\nfile 4 00000000 data; has a line 'part -1' (allowed: part and a whole number of at least 1)",
                "page 64\\nfile 4 00000000 data; has a line 'page 64' (allowed: part and",
                "part 64\\nfile 4 0000000g data; has a line 'file 4 0000000g data' (allowed: file BYTES CHECKSUMS NAME)",
                "part 64\\nfile 4 00000000; has a line 'file 4 00000000' (allowed: file BYTES CHECKSUMS NAME)",
                "part 64\\nfile 4; has a line 'file 4'",
                "part 64\\nfile 99999999999999999999 00000000 data; has a line 'file 99999999999999999999",
                "part 64\\nfile 4 00000000 a\\nfile 4 00000000 a; names 'a' twice",
                "part 64\\nfile 4 00000000 a\\0b; names 'a\\u0000b', which is not a valid file name",
                "part 1\\nfile 999999999999999999 00000000 a; names files whose parts do not add up to their sizes",
            })
    void rejectsCraftedIndexInOneLine(String lines, String expected) {
        String rejection = rejection(lines.replace("\\n", "\n").replace("\\0", "\0") + "\n");
        assertTrue(rejection.startsWith("here " + expected), rejection);
        assertEquals(1, rejection.lines().count());
    }

    @Test
    void shortensLongNames() {
        String rejection = rejection("part 64\nfile 4 00000000 ../" + "n".repeat(5_000) + "\n");
        assertTrue(rejection.length() < 300 && rejection.contains("(4,923 more characters)"), rejection);
    }

    @Test
    void rejectsAnEmptyIndex() {
        assertEquals("here ends before the line 'part'", rejection(""));
    }

    /** Nobody writes to the pipe: who opened it would wait forever. */
    @Test
    void ignoresANamedPipeInPlaceOfAnIndex() throws Exception {
        Path pipe = Files.createDirectories(root.resolve("run")).resolve("step-5.index");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        try (var session = new FolderSession(root, "run")) {
            assertEquals(List.of(), assertTimeoutPreemptively(Duration.ofSeconds(60), session::list));
        }
    }

    /** What an attempt that was cut off has left is taken up: not where somebody has linked it elsewhere. */
    @Test
    void neverWritesACopyThroughALink() throws IOException {
        Path others = Files.createDirectory(root.resolve("others"));
        Path name;
        try (var session = new FolderSession(root, "run")) {
            session.put(checkpoint(5), done -> {});
            try (Stream<Path> entries = Files.list(root.resolve("run"))) {
                name = entries.filter(entry -> !entry.toString().endsWith(".index"))
                        .findFirst()
                        .orElseThrow();
            }
            Files.move(name, root.resolve("moved"));
            Files.createSymbolicLink(name, others);
            var failure = assertThrows(StoreException.class, () -> session.put(checkpoint(5), done -> {}));
            assertTrue(failure.getMessage().contains("is a symbolic link"), failure.getMessage());
        }
        try (Stream<Path> entries = Files.list(others)) {
            assertEquals(0, entries.count());
        }
    }

    @Test
    void rejectsALinkInPlaceOfTheRunBeforeAnythingIsCopied() throws IOException {
        Path link = Files.createSymbolicLink(root.resolve("run"), Files.createDirectory(root.resolve("others")));
        try (var session = new FolderSession(root, "run")) {
            var failure = assertThrows(ConfigurationException.class, session::list);
            assertEquals(
                    "checkpoint.store.options.path: " + link
                            + " is a symbolic link, through which nothing is copied; remove it, or give another run.name",
                    failure.getMessage());
        }
    }

    private static CheckpointInfo deep(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(folder.resolve("a/b/data"), "of step 5");
        return new CheckpointInfo(folder, 5, 9);
    }

    /** At any depth: the run's folder, the checkpoint's, one in it, a file. */
    @ParameterizedTest
    @ValueSource(strings = {"run", "run/FILES", "run/FILES/a", "run/FILES/a/b", "run/FILES/a/b/data"})
    void rejectsALinkAtAnyDepth(String place) throws IOException {
        Path store = Files.createDirectory(root.resolve("store"));
        CheckpointInfo checkpoint = deep(root.resolve("step-5"));
        Path elsewhere = root.resolve("elsewhere");
        try (var session = new FolderSession(store, "run")) {
            session.put(checkpoint, done -> {});
            Path link = store.resolve(place.replace("FILES", filesOf(store.resolve("run"))));
            Files.move(link, elsewhere);
            Files.createSymbolicLink(link, elsewhere);
            if (!Files.isDirectory(elsewhere)) {
                Files.writeString(elsewhere, "something of the same size".substring(0, 9));
            }
            List<Path> before = listed(elsewhere);
            var failure = assertThrows(StoreException.class, () -> session.put(checkpoint, done -> {}));
            assertTrue(
                    failure.getMessage().contains(link + " is a symbolic link")
                            || failure.getMessage().contains(link + ": is a symbolic link"),
                    failure.getMessage());
            assertEquals(before, listed(elsewhere));
            if (!Files.isDirectory(elsewhere)) {
                assertEquals("something", Files.readString(elsewhere));
            }
        }
    }

    private static String filesOf(Path run) throws IOException {
        try (Stream<Path> entries = Files.list(run)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !name.endsWith(".index"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static List<Path> listed(Path folder) throws IOException {
        try (Stream<Path> entries = Files.walk(folder)) {
            return entries.sorted().toList();
        }
    }

    @Test
    void deletesNothingThroughALink() throws IOException {
        try (var session = new FolderSession(root, "run")) {
            session.put(checkpoint(5), done -> {});
            StoredCheckpoint copy = session.list().getFirst();
            Files.move(root.resolve("run"), root.resolve("moved"));
            Files.createSymbolicLink(root.resolve("run"), root.resolve("moved"));
            List<Path> before = listed(root.resolve("moved"));
            assertThrows(StoreException.class, () -> session.delete(copy));
            assertEquals(before, listed(root.resolve("moved")));
        }
    }

    /** Of an index with a checksum that is right. */
    private static String rejection(String lines) {
        String body = "hirundo checkpoint copy 1\nstep 5\n" + lines;
        var crc = new CRC32C();
        crc.update(body.getBytes(StandardCharsets.UTF_8));
        String text = body + "crc32c %08x\n".formatted((int) crc.getValue());
        return assertThrows(CheckpointException.class, () -> CopyIndex.parse(text, "here"))
                .getMessage();
    }
}
