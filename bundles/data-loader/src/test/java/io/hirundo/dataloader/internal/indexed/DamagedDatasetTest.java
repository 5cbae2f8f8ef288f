package io.hirundo.dataloader.internal.indexed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.stop.Stop;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong with a dataset is told before it is used, with the file's name, in one line. */
class DamagedDatasetTest {
    private static final int LENGTHS = 34;
    private static final int POINTERS = LENGTHS + 3 * 4;
    private static final int BORDERS = POINTERS + 3 * 8;

    @TempDir
    private Path folder;

    private Path prefix;

    @BeforeEach
    void writeDataset() {
        prefix = folder.resolve("set");
        DatasetWriterTest.write(prefix, TokenType.U16, List.of(new int[] {1, 2, 3}, new int[] {4, 5}, new int[] {6}));
    }

    @Test
    void rejectsANegativeTokenOfADatasetWithoutDescription() throws IOException {
        Path negative = folder.resolve("negative");
        DatasetWriterTest.write(negative, TokenType.I32, List.of(new int[] {1, 2}, new int[] {3, 4}));
        Files.deleteIfExists(folder.resolve("negative.json"));
        try (var tokens = new RandomAccessFile(folder.resolve("negative.bin").toFile(), "rw")) {
            tokens.seek(8);
            tokens.writeInt(-1);
        }
        try (IndexedDataset dataset = IndexedDataset.open(negative, false, Stop.NEVER)) {
            var failure = assertThrows(DataException.class, dataset::largestToken);
            assertTrue(failure.getMessage().contains("negative.bin holds token -1 at 2"), failure.getMessage());
        }
    }

    private static Arguments damage(String said, Consumer<ByteBuffer> change) {
        return Arguments.of(said, change);
    }

    static Stream<Arguments> damages() {
        return Stream.of(
                damage("does not begin with MMIDIDX", index -> index.put(3, (byte) 'X')),
                damage("version 2", index -> index.putLong(9, 2)),
                damage("type code 9", index -> index.put(17, (byte) 9)),
                damage("floating-point", index -> index.put(17, (byte) 7)),
                damage("type code 0", index -> index.put(17, (byte) 0)),
                damage("102 bytes, but its 4 sequences", index -> index.putLong(18, 4)),
                damage("102 bytes, but its 2 sequences", index -> index.putLong(18, 2)),
                damage("counts -1 sequences", index -> index.putLong(18, -1)),
                damage("which cannot be", index -> index.putLong(18, Long.MAX_VALUE)),
                damage("which cannot be", index -> index.putLong(26, Long.MAX_VALUE / 4)),
                damage("which cannot be", index -> index.putLong(26, 0)),
                damage("sequence 1 the length -2", index -> index.putInt(LENGTHS + 4, -2)),
                damage("sequence 1 begin at byte 6 instead of 8", index -> index.putInt(LENGTHS, 4)),
                damage("sequence 0 begin at byte 2 instead of 0", index -> index.putLong(POINTERS, 2)),
                damage("sequence 2 begin at byte -10", index -> index.putLong(POINTERS + 16, -10)),
                damage("document 0 begin at sequence 1", index -> index.putLong(BORDERS, 1)),
                damage("document 2 begin at sequence 0, after 1", index -> index.putLong(BORDERS + 16, 0)),
                damage("ends its documents at sequence 2 of 3", index -> index.putLong(BORDERS + 24, 2)),
                // Wider tokens move the pointers.
                damage("instead of 12", index -> index.put(17, (byte) 4)));
    }

    @ParameterizedTest
    @MethodSource("damages")
    void rejectsADamagedIndex(String said, Consumer<ByteBuffer> change) throws IOException {
        Path index = folder.resolve("set.idx");
        byte[] bytes = Files.readAllBytes(index);
        change.accept(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        Files.write(index, bytes);
        assertRejected(index, said);
    }

    @Test
    void rejectsATruncatedIndex() throws IOException {
        Path index = folder.resolve("set.idx");
        byte[] bytes = Files.readAllBytes(index);
        for (int length = 0; length < bytes.length; length++) {
            Files.write(index, java.util.Arrays.copyOf(bytes, length));
            assertRejected(index, "is cut short");
        }
        Files.write(index, java.util.Arrays.copyOf(bytes, bytes.length + 1));
        assertRejected(index, "is too long");
        Files.write(index, java.util.Arrays.copyOf(bytes, bytes.length + 3));
        assertRejected(index, "multimodal");
    }

    @Test
    void rejectsTokensOfAnotherIndex() throws IOException {
        Path bin = folder.resolve("set.bin");
        Files.write(bin, new byte[11]);
        assertRejected(bin, "is cut short: 11 bytes");
        Files.write(bin, new byte[13]);
        assertRejected(bin, "does not belong to its index");
        Files.delete(bin);
        assertRejected(bin, "there is no");
    }

    @Test
    void rejectsAMissingDatasetWithTheRemedy() {
        prefix = folder.resolve("other");
        assertRejected(folder.resolve("other.idx"), "hirundo data tokenize");
        prefix = folder.resolve("set.bin");
        assertRejected(folder.resolve("set.bin.idx"), "give the prefix set, without");
    }

    @Test
    void rejectsAFolderInPlaceOfAFile() throws IOException {
        Files.delete(folder.resolve("set.bin"));
        Files.createDirectory(folder.resolve("set.bin"));
        assertRejected(folder.resolve("set.bin"), "is a folder");
    }

    /** To open one blocks until somebody writes to it. */
    @ParameterizedTest
    @ValueSource(strings = {".bin", ".idx", ".json", ".sums"})
    void rejectsANamedPipeAtOnce(String suffix) throws Exception {
        Path file = folder.resolve("set" + suffix);
        Files.deleteIfExists(file);
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", file.toString())
                        .inheritIO()
                        .start()
                        .waitFor());
        assertTimeoutPreemptively(
                Duration.ofMinutes(1), () -> assertRejected(file, "is a named pipe, not a regular file"));
    }

    @ParameterizedTest
    @ValueSource(strings = {".bin", ".idx", ".json", ".sums"})
    void rejectsAnEndlessDevice(String suffix) throws IOException {
        Path file = folder.resolve("set" + suffix);
        Files.deleteIfExists(file);
        Files.createSymbolicLink(file, Path.of("/dev/zero"));
        assertRejected(file, "is a device, not a regular file");
    }

    @Test
    void rejectsAnEmptyDataset() throws IOException {
        var index = ByteBuffer.allocate(42).order(ByteOrder.LITTLE_ENDIAN);
        index.put(DatasetIndex.MAGIC)
                .putLong(1)
                .put((byte) 8)
                .putLong(0)
                .putLong(1)
                .putLong(0);
        Files.write(folder.resolve("set.idx"), index.array());
        Files.write(folder.resolve("set.bin"), new byte[0]);
        assertRejected(folder.resolve("set.idx"), "holds no sequences");
    }

    @Test
    void rejectsADescriptionOfAnotherDataset() throws IOException {
        Path description = folder.resolve("set.json");
        Files.writeString(description, "{ no json");
        assertRejected(description, "is no description");
        Files.writeString(description, "{}");
        assertRejected(description, "is no description");
        for (String crafted : List.of(
                "{\"schemaVersion\": 1, \"documents\": 3, \"tokens\": 6, \"largestToken\": 2147483647, \"tokenizer\": TOKENIZER, \"source\": SOURCE}",
                "{\"schemaVersion\": 1, \"documents\": 3, \"tokens\": 6, \"largestToken\": 6, \"tokenizer\": {\"name\": null, \"options\": null,"
                        + " \"sha256\": null, \"vocabularySize\": 7}, \"source\": SOURCE}",
                "{\"schemaVersion\": 1, \"documents\": 3, \"tokens\": 6, \"largestToken\": 6, \"tokenizer\": TOKENIZER, \"source\": {\"path\": null,"
                        + " \"fingerprint\": null, \"maximumBytes\": null, \"seed\": 1, \"textField\": null}}",
                "{\"" + "x".repeat(100_000))) {
            Files.writeString(
                    description,
                    crafted.replace(
                                    "TOKENIZER",
                                    "{\"name\": \"a\", \"options\": {}, \"sha256\": \"00\", \"vocabularySize\": 7}")
                            .replace(
                                    "SOURCE",
                                    "{\"path\": \"a\", \"fingerprint\": \"0\", \"maximumBytes\": null, \"seed\": 1, \"textField\": null}"));
            assertRejected(description, "is no description");
        }
        Files.write(description, new byte[(1 << 20) + 1]);
        assertRejected(description, "is larger than 1,048,576 bytes");
        Files.delete(description);
        Files.createDirectory(description);
        assertRejected(description, "is a folder, not a regular file");
        Files.delete(description);
        Path other = folder.resolve("other");
        try (var writer = IndexedDatasetWriter.create(other, TokenType.U16)) {
            writer.add(new int[] {1});
            writer.commit(DatasetWriterTest::describe);
        }
        Files.copy(folder.resolve("other.json"), description, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertRejected(description, "describes another dataset");
    }

    @Test
    void rejectsATokenOutsideOfTheVocabulary() throws IOException {
        DatasetWriterTest.write(prefix, TokenType.I64, List.of(new int[] {1, 2}));
        Files.delete(folder.resolve("set.sums"));
        try (var bin = new RandomAccessFile(folder.resolve("set.bin").toFile(), "rw")) {
            bin.seek(12);
            bin.write(1);
        }
        try (var dataset = IndexedDataset.open(prefix)) {
            var failure = assertThrows(DataException.class, () -> dataset.read(0));
            assertTrue(failure.getMessage().contains("set.bin, sequence 0"), failure::getMessage);
        }
    }

    @Test
    void reportsAFileThatIsTruncatedDuringTheRun() throws IOException {
        DatasetWriterTest.write(prefix, TokenType.U16, List.of(new int[100_000], new int[100_000]));
        try (var dataset = IndexedDataset.open(prefix);
                var bin = new RandomAccessFile(folder.resolve("set.bin").toFile(), "rw")) {
            bin.setLength(8_192);
            assertThrows(DataException.class, () -> dataset.read(1));
            assertEquals(100_000, dataset.length(1));
        }
    }

    @Test
    void readsBeyondTwoGigabytes() throws IOException {
        // Three sequences of 2^30 tokens of four bytes, so that places within one are beyond, too. The file is sparse.
        int length = 1 << 30;
        long end = 3L * length * 4;
        var index = ByteBuffer.allocate(102).order(ByteOrder.LITTLE_ENDIAN);
        index.put(DatasetIndex.MAGIC).putLong(1).put((byte) 4).putLong(3).putLong(4);
        index.putInt(length).putInt(length).putInt(length);
        index.putLong(0).putLong(4L * length).putLong(8L * length);
        index.putLong(0).putLong(1).putLong(2).putLong(3);
        Files.write(folder.resolve("set.idx"), index.array());
        Files.delete(folder.resolve("set.sums"));
        try (var bin = new RandomAccessFile(folder.resolve("set.bin").toFile(), "rw")) {
            bin.setLength(end);
            bin.seek(end - 8);
            bin.write(new byte[] {1, 2, 0, 0, 3, 0, 0, 0});
        }
        try (var dataset = IndexedDataset.open(prefix)) {
            assertEquals(3L * length, dataset.tokens());
            int[] last = new int[3];
            dataset.read(2, length - 3, last, 0, 3);
            assertArrayEquals(new int[] {0, 513, 3}, last);
        }
    }

    private void assertRejected(Path named, String said) {
        var failure = assertThrows(
                DataException.class, () -> IndexedDataset.open(prefix).close());
        assertTrue(failure.getMessage().contains(named.toString()), failure::getMessage);
        assertTrue(failure.getMessage().contains(said), failure::getMessage);
        assertFalse(failure.getMessage().contains("\n"), failure::getMessage);
    }
}
