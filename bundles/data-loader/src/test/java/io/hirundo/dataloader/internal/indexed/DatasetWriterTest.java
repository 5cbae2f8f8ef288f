package io.hirundo.dataloader.internal.indexed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.BusyException;
import io.hirundo.DataException;
import io.hirundo.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DatasetWriterTest {
    @TempDir
    private Path folder;

    static DatasetDescription describe(IndexedDatasetWriter writer) {
        var tokenizer = new DatasetDescription.TokenizerReference("test", Map.of("file", "a"), "00ff", 300);
        var source = new DatasetDescription.Source("texts", "f", null, 1, null, null, "cc0-1.0");
        return new DatasetDescription(
                1, writer.documents(), writer.tokens(), writer.largestToken(), tokenizer, source, null);
    }

    static void write(Path prefix, TokenType type, List<int[]> documents) {
        try (var writer = IndexedDatasetWriter.create(prefix, type)) {
            documents.forEach(writer::add);
            writer.commit(_ -> null);
        }
    }

    @Test
    void indexEqualsMegatronsBitwise() throws Exception {
        Path prefix = folder.resolve("golden");
        write(prefix, TokenType.U16, List.of(new int[] {1, 2, 3}, new int[] {4, 65535}, new int[] {6}));
        byte[] index = Files.readAllBytes(folder.resolve("golden.idx"));
        assertEquals(102, index.length);
        assertEquals(
                "3f86d8b51d9ce3f0962a40d1948215874c708993fd205d40af71059494ede356",
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(index)));
        assertArrayEquals(
                new byte[] {1, 0, 2, 0, 3, 0, 4, 0, -1, -1, 6, 0}, Files.readAllBytes(folder.resolve("golden.bin")));
    }

    @ParameterizedTest
    @EnumSource(TokenType.class)
    void readsItsOwnDataset(TokenType type) {
        var random = new Random(7);
        int most = type.bytes() == 1 ? 128 : 30_000;
        // Enough for several buffers; empty documents are documents.
        List<int[]> documents = Stream.generate(
                        () -> random.ints(random.nextInt(300), 0, most).toArray())
                .limit(2_001)
                .toList();
        Path prefix = folder.resolve("deep/er/set");
        write(prefix, type, documents);
        try (var dataset = IndexedDataset.open(prefix)) {
            assertEquals(type, dataset.type());
            assertEquals(2_001, dataset.documents());
            assertEquals(
                    documents.stream().mapToLong(document -> document.length).sum(), dataset.tokens());
            for (int i = 0; i < documents.size(); i++) {
                assertArrayEquals(documents.get(i), dataset.read(i));
            }
            for (int i = 0; i < documents.size(); i++) {
                if (documents.get(i).length > 0) {
                    assertEquals(i, dataset.sequenceOf(dataset.firstToken(i)));
                    assertEquals(i, dataset.sequenceOf(dataset.firstToken(i + 1) - 1));
                    assertEquals(i, dataset.documentOf(i));
                }
            }
            int[] into = new int[10];
            dataset.read(4, 3, into, 2, 5);
            assertArrayEquals(Arrays.copyOfRange(documents.get(4), 3, 8), Arrays.copyOfRange(into, 2, 7));
            assertThrows(IndexOutOfBoundsException.class, () -> dataset.read(4, dataset.length(4) - 4, into, 0, 5));
        }
    }

    @Test
    void extremeTokensKeepTheirSign() {
        write(folder.resolve("a"), TokenType.U16, List.of(new int[] {0, 65_535}));
        write(folder.resolve("b"), TokenType.I16, List.of(new int[] {-32_768, 32_767}));
        write(folder.resolve("c"), TokenType.I32, List.of(new int[] {-1, Integer.MAX_VALUE}));
        write(folder.resolve("d"), TokenType.U8, List.of(new int[] {0, 255}));
        for (var each : Map.of("a", 65_535, "b", 32_767, "c", Integer.MAX_VALUE, "d", 255)
                .entrySet()) {
            try (var dataset = IndexedDataset.open(folder.resolve(each.getKey()))) {
                assertEquals(each.getValue(), dataset.read(0)[1]);
            }
        }
    }

    @Test
    void aSmallVocabularyTakesTwoBytes() {
        assertEquals(TokenType.U16, TokenType.forVocabulary(65_499));
        assertEquals(TokenType.I32, TokenType.forVocabulary(65_500));
    }

    @Test
    void rejectsATokenThatDoesNotFit() {
        try (var writer = IndexedDatasetWriter.create(folder.resolve("x"), TokenType.U16)) {
            assertThrows(DataException.class, () -> writer.add(new int[] {65_536}));
            assertThrows(DataException.class, () -> writer.add(new int[] {-1}));
        }
        assertEquals(List.of(), files());
    }

    @Test
    void unfinishedWriterLeavesNothing() {
        try (var writer = IndexedDatasetWriter.create(folder.resolve("x"), TokenType.U16)) {
            writer.add(new int[1_000_000]);
            assertFalse(Files.exists(folder.resolve("x.bin")));
        }
        assertEquals(List.of(), files());
    }

    @Test
    void rejectsADatasetWithoutTokens() {
        try (var writer = IndexedDatasetWriter.create(folder.resolve("x"), TokenType.U16)) {
            assertThrows(DataException.class, () -> writer.commit(DatasetWriterTest::describe));
        }
        assertEquals(List.of(), files());
    }

    @Test
    void replacesAllFilesOfTheOldDataset() {
        try (var writer = IndexedDatasetWriter.create(folder.resolve("x"), TokenType.U16)) {
            writer.add(new int[] {1, 299, 2});
            writer.commit(DatasetWriterTest::describe);
        }
        assertEquals(List.of("x.bin", "x.idx", "x.json", "x.sums"), files());
        try (var old = IndexedDataset.open(folder.resolve("x"))) {
            assertEquals(299, old.description().orElseThrow().largestToken());
            assertEquals(
                    Map.of("file", "a"),
                    old.description().orElseThrow().tokenizer().options());
            write(folder.resolve("x"), TokenType.I32, List.of(new int[] {5}));
            // An open reader continues to read the old one.
            assertArrayEquals(new int[] {1, 299, 2}, old.read(0));
        }
        assertEquals(List.of("x.bin", "x.idx", "x.sums"), files());
    }

    @Test
    void twoWritersDoNotInterfere() {
        try (var first = IndexedDatasetWriter.create(folder.resolve("x"), TokenType.U16)) {
            first.add(new int[] {1, 2});
            assertThrows(BusyException.class, () -> IndexedDatasetWriter.create(folder.resolve("x"), TokenType.U16));
            first.commit(_ -> null);
        }
        try (var dataset = IndexedDataset.open(folder.resolve("x"))) {
            assertArrayEquals(new int[] {1, 2}, dataset.read(0));
        }
    }

    /** A disk with room for this many bytes in all files together. */
    private static OutputFile.Opener diskOf(long bytes) {
        long[] left = {bytes};
        return file -> {
            OutputFile real = OutputFile.open(file);
            return new OutputFile() {
                @Override
                public void write(ByteBuffer buffer, long at) throws IOException {
                    left[0] -= buffer.remaining();
                    if (left[0] < 0) {
                        throw new IOException("No space left on device");
                    }
                    real.write(buffer, at);
                }

                @Override
                public void read(ByteBuffer buffer, long at) throws IOException {
                    real.read(buffer, at);
                }

                @Override
                public void force() throws IOException {
                    real.force();
                }

                @Override
                public void close() throws IOException {
                    real.close();
                }
            };
        };
    }

    private void fill(OutputFile.Opener disk) {
        try (var writer = IndexedDatasetWriter.create(folder.resolve("x"), TokenType.U16, disk)) {
            for (int i = 0; i < 100; i++) {
                writer.add(new int[5_000]);
            }
            writer.commit(DatasetWriterTest::describe);
        }
    }

    @Test
    void fullDiskKeepsTheOldDatasetOnly() {
        write(folder.resolve("x"), TokenType.U16, List.of(new int[] {1, 2}));
        // Four blocks, the last of which is shorter.
        long needed = 1_000_000 + 34 + 100 * 12 + 101 * 8 + 64 + 4 * 32 + 32;
        // Full at once, in the tokens, at their end, in the lengths, in the pointers, and one byte before the end.
        for (long room : new long[] {0, 300_000, 999_999, 1_000_001, 1_000_500, needed - 1}) {
            var failure = assertThrows(StorageException.class, () -> fill(diskOf(room)));
            assertTrue(failure.getMessage().contains("No space left on device"), failure::getMessage);
            assertEquals(List.of("x.bin", "x.idx", "x.sums"), files());
        }
        try (var dataset = IndexedDataset.open(folder.resolve("x"))) {
            assertArrayEquals(new int[] {1, 2}, dataset.read(0));
        }
        fill(diskOf(needed));
        assertEquals(List.of("x.bin", "x.idx", "x.json", "x.sums"), files());
    }

    @Test
    void neverWritesThroughALinkInPlaceOfAnUnfinishedFile() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        Path prefix = folder.resolve("set");
        Files.createSymbolicLink(new DatasetFiles(prefix).partial().tokens(), victim);
        assertThrows(StorageException.class, () -> write(prefix, TokenType.U16, List.of(new int[] {1, 2})));
        assertEquals("precious", Files.readString(victim));
    }

    @Test
    void replacesALinkInPlaceOfAnUnfinishedDescription() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "precious");
        Path prefix = folder.resolve("set");
        Files.createSymbolicLink(new DatasetFiles(prefix).partial().description(), victim);
        try (var writer = IndexedDatasetWriter.create(prefix, TokenType.U16)) {
            writer.add(new int[] {1, 2});
            writer.commit(DatasetWriterTest::describe);
        }
        assertEquals("precious", Files.readString(victim));
    }

    @Test
    void namesAParentThatIsNotAFolder() throws IOException {
        Files.writeString(folder.resolve("file"), "x");
        Path prefix = folder.resolve("file/x");
        var failure = assertThrows(StorageException.class, () -> IndexedDatasetWriter.create(prefix, TokenType.U16));
        assertTrue(failure.getMessage().contains(prefix.toString()), failure::getMessage);
    }

    private List<String> files() {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
