package io.hirundo.dataloader.internal.indexed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.stop.Stop;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockSumsTest {
    /** Of two bytes: three and a half blocks. */
    private static final int DOCUMENT_TOKENS = 1000;

    private static final int DOCUMENTS = 7 * BlockSums.BLOCK_BYTES / 2 / 2 / DOCUMENT_TOKENS;

    @TempDir
    private Path folder;

    private Path prefix;

    @BeforeEach
    void write() {
        prefix = folder.resolve("set");
        var random = new Random(1);
        DatasetWriterTest.write(
                prefix,
                TokenType.U16,
                IntStream.range(0, DOCUMENTS)
                        .mapToObj(_ -> random.ints(DOCUMENT_TOKENS, 0, 60_000).toArray())
                        .toList());
    }

    private Path file(String suffix) {
        return folder.resolve("set" + suffix);
    }

    private void flip(String suffix, long at) throws IOException {
        try (var file = new RandomAccessFile(file(suffix).toFile(), "rw")) {
            file.seek(at);
            int value = file.read();
            file.seek(at);
            file.write(value ^ 4);
        }
    }

    private static void readAll(IndexedDataset dataset) {
        for (int sequence = 0; sequence < dataset.sequences(); sequence++) {
            dataset.read(sequence);
        }
    }

    private List<Long> verify() {
        var damaged = new ArrayList<Long>();
        try (var dataset = IndexedDataset.open(prefix)) {
            assertTrue(dataset.verification().run(damaged::add, _ -> {}, () -> false));
        }
        return damaged;
    }

    @Test
    void recordsTheSha256OfEveryBlock() throws Exception {
        byte[] bin = Files.readAllBytes(file(".bin"));
        byte[] sums = Files.readAllBytes(file(".sums"));
        assertEquals(64 + 4 * 32 + 32, sums.length);
        var sha256 = MessageDigest.getInstance("SHA-256");
        for (int block = 0; block < 4; block++) {
            int end = Math.min((block + 1) << 18, bin.length);
            assertArrayEquals(
                    sha256.digest(Arrays.copyOfRange(bin, block << 18, end)),
                    Arrays.copyOfRange(sums, 64 + 32 * block, 96 + 32 * block));
        }
        assertArrayEquals(sha256.digest(Files.readAllBytes(file(".idx"))), Arrays.copyOfRange(sums, 32, 64));
        assertEquals(
                bin.length, ByteBuffer.wrap(sums).order(ByteOrder.LITTLE_ENDIAN).getLong(16));
        assertEquals(List.of(), verify());
    }

    @Test
    void danglingLinkIsNotADatasetWithoutChecksums() throws Exception {
        Files.move(file(".sums"), folder.resolve("elsewhere"));
        Files.createSymbolicLink(file(".sums"), Path.of("nowhere"));
        var failure = assertThrows(
                DataException.class, () -> IndexedDataset.open(prefix).close());
        assertTrue(failure.getMessage().contains(file(".sums").toString()), failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 262_143, 262_144, 900_000})
    void readFindsAFlippedBit(int at) throws IOException {
        flip(".bin", at);
        long block = at >> 18;
        int document = at / 2 / DOCUMENT_TOKENS;
        try (var dataset = IndexedDataset.open(prefix)) {
            var failure = assertThrows(DataException.class, () -> dataset.read(document));
            int first = (int) (block << 18) / 2 / DOCUMENT_TOKENS;
            long end = Math.min((block + 1) << 18, Files.size(file(".bin")));
            assertEquals(
                    file(".bin") + ", block " + block + " (bytes " + (block << 18) + " to " + (end - 1)
                            + "), documents " + first + " to "
                            + (end - 1) / 2 / DOCUMENT_TOKENS
                            + ": it differs from its checksum; copy or make the dataset again, and look for more with hirundo data verify "
                            + prefix,
                    failure.getMessage());
            // Another block is as good as before.
            dataset.read(at < 500_000 ? DOCUMENTS - 1 : 0);
        }
        assertEquals(List.of(block), verify());
        try (var unverified = IndexedDataset.open(prefix, false, Stop.NEVER)) {
            readAll(unverified);
        }
    }

    @Test
    void verifiesABlockOnce() throws IOException {
        try (var dataset = IndexedDataset.open(prefix)) {
            readAll(dataset);
            flip(".bin", 5);
            // Whatever happens behind the first look is not looked for again.
            readAll(dataset);
        }
    }

    @Test
    void readsADatasetWithoutChecksums() throws IOException {
        Files.delete(file(".sums"));
        flip(".bin", 5);
        try (var dataset = IndexedDataset.open(prefix)) {
            readAll(dataset);
            var failure = assertThrows(DataException.class, dataset::verification);
            assertTrue(failure.getMessage().startsWith("there is no " + file(".sums")), failure.getMessage());
        }
    }

    @Test
    void rejectsChecksumsOfOtherFiles() throws IOException {
        byte[] sums = Files.readAllBytes(file(".sums"));
        DatasetWriterTest.write(prefix, TokenType.U16, List.of(new int[] {1, 2, 3}));
        Files.write(file(".sums"), sums);
        assertRejected("belongs to other files: " + file(".bin") + " has 6 bytes, not 916000");
    }

    @Test
    void rejectsDamagedChecksums() throws IOException {
        byte[] sums = Files.readAllBytes(file(".sums"));
        for (int length : new int[] {0, 7, 95, 96, sums.length - 1, sums.length + 1}) {
            Files.write(file(".sums"), Arrays.copyOf(sums, length));
            assertRejected(" is ", "cut short");
        }
        Files.write(file(".sums"), sums);
        flip(".sums", 8);
        assertRejected("has version 5");
        Files.write(file(".sums"), sums);
        flip(".sums", 70);
        assertSumsDamaged(this::verify);
        // Not "the .bin is damaged", although block 0 differs from its checksum.
        try (var dataset = IndexedDataset.open(prefix)) {
            assertSumsDamaged(() -> dataset.read(0));
            dataset.read(DOCUMENTS - 1);
        }
        Files.write(file(".sums"), sums);
        flip(".sums", 40);
        assertSumsDamaged(() -> IndexedDataset.open(prefix).close());
    }

    private void assertSumsDamaged(Executable read) {
        var failure = assertThrows(DataException.class, read);
        assertTrue(
                failure.getMessage()
                        .startsWith(file(".sums") + " is damaged: it differs from its own checksum; copy or make"),
                failure.getMessage());
    }

    private void truncate(String suffix) throws IOException {
        Files.write(file(suffix), new byte[0]);
    }

    private void assertTruncated(String suffix, Executable read) {
        assertEquals(
                file(suffix)
                        + " cannot be read any more: it was truncated while it was open, or its disk fails; copy or make the dataset again",
                assertThrows(DataException.class, read).getMessage());
    }

    @Test
    void verificationRejectsAFileThatIsTruncatedMeanwhile() throws IOException {
        for (String suffix : List.of(".bin", ".sums")) {
            byte[] bytes = Files.readAllBytes(file(suffix));
            try (var dataset = IndexedDataset.open(prefix)) {
                truncate(suffix);
                assertTruncated(suffix, () -> dataset.verification().run(_ -> {}, _ -> {}, () -> false));
            }
            Files.write(file(suffix), bytes);
        }
    }

    @Test
    void readsRejectAFileThatIsTruncatedMeanwhile() throws IOException {
        try (var dataset = IndexedDataset.open(prefix);
                var unverified = IndexedDataset.open(prefix, false, Stop.NEVER)) {
            truncate(".bin");
            assertTruncated(".bin", () -> dataset.readTokens(0, new int[10], 0, 10));
            assertTruncated(".bin", () -> unverified.readTokens(0, new int[10], 0, 10));
            truncate(".idx");
            assertTruncated(".idx", () -> dataset.read(0));
            assertTruncated(".idx", () -> dataset.length(1));
            assertTruncated(".idx", () -> dataset.firstToken(1));
            assertTruncated(".idx", () -> dataset.documentOf(1));
        }
    }

    @Test
    void rejectsADamagedIndexWhenItIsOpened() throws IOException {
        // Lengths of two documents, and the place of the second, agree with each other: nothing but a checksum can
        // tell.
        try (var index = new RandomAccessFile(file(".idx").toFile(), "rw")) {
            index.seek(34);
            index.write(new byte[] {(byte) 0xe7, 3, 0, 0, (byte) 0xe9, 3, 0, 0});
            index.seek(34 + 4L * DOCUMENTS + 8);
            index.write(new byte[] {(byte) 0xce, 7});
        }
        var failure = assertThrows(
                DataException.class, () -> IndexedDataset.open(prefix).close());
        assertTrue(failure.getMessage().startsWith(file(".idx") + " is damaged"), failure.getMessage());
    }

    private void assertRejected(String... said) {
        var failure = assertThrows(
                DataException.class, () -> IndexedDataset.open(prefix).close());
        assertTrue(failure.getMessage().startsWith(file(".sums") + " "), failure.getMessage());
        assertTrue(
                failure.getMessage()
                        .endsWith("copy or make the dataset again, or delete this file if the .bin and .idx are right"),
                failure.getMessage());
        for (String each : said) {
            assertTrue(failure.getMessage().contains(each), failure.getMessage());
        }
    }
}
