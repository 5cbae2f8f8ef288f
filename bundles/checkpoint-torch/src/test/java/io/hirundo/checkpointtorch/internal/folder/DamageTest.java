package io.hirundo.checkpointtorch.internal.folder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.checkpointtorch.internal.Golden;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Whatever the bytes are: a DataException or a folder that can be read, and nothing else. */
class DamageTest {
    private static final Path TITAN = Golden.FOLDER.resolve("torchtitan");
    private static final String TENSOR = "model.layers.0.attention.wk.weight";

    @TempDir
    private Path folder;

    @Test
    void rejectsTruncatedMetadata() throws IOException {
        byte[] whole = Files.readAllBytes(TITAN.resolve(MetadataFile.NAME));
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThrows(DataException.class, () -> MetadataFile.parse(TITAN, part));
        }
    }

    @Test
    void readsOrRejectsMetadataWithFlippedBits() throws IOException {
        byte[] whole = Files.readAllBytes(TITAN.resolve(MetadataFile.NAME));
        var random = new Random(11);
        int rejected = 0;
        for (int at = 0; at < whole.length; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            rejected += isRejected(() -> MetadataFile.parse(TITAN, flipped)) ? 1 : 0;
        }
        assertTrue(rejected > whole.length / 4, "rejected " + rejected);
    }

    @Test
    void rejectsRandomBytes() {
        var random = new Random(12);
        for (int attempt = 0; attempt < 20_000; attempt++) {
            byte[] noise = new byte[2 + random.nextInt(60)];
            random.nextBytes(noise);
            noise[0] = (byte) 0x80;
            noise[1] = 4;
            assertThrows(DataException.class, () -> MetadataFile.parse(TITAN, noise));
        }
    }

    /** Wrong offsets and extents lead to a rejection and to nothing else. */
    @Test
    void readsOrRejectsFoldersWithFlippedBits() throws IOException {
        Path damaged = Golden.copy("torchtitan", folder.resolve("damaged"));
        byte[] whole = Files.readAllBytes(damaged.resolve(MetadataFile.NAME));
        var random = new Random(13);
        for (int attempt = 0; attempt < 200; attempt++) {
            byte[] flipped = whole.clone();
            flipped[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            Files.write(damaged.resolve(MetadataFile.NAME), flipped);
            isRejected(() -> readAll(damaged));
        }
    }

    private static void readAll(Path path) {
        try (TorchFolder opened = TorchFolder.open(path);
                Arena arena = Arena.ofConfined()) {
            for (String name : opened.shapes().keySet()) {
                if (name.endsWith("wk.weight")) {
                    ChunkedTensor tensor = opened.tensor(name);
                    MemorySegment host = arena.allocate(tensor.shape().byteSize(DType.FP32), 8);
                    tensor.read(Collections.nCopies(tensor.shape().rank(), 0L), tensor.shape(), DType.FP32, host);
                }
            }
        }
    }

    @Test
    void rejectsTruncatedTensors() throws IOException {
        byte[] whole = oneTensor();
        assertDoesNotThrow(() -> TorchTensor.open(memory(whole), "here"));
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThrows(DataException.class, () -> TorchTensor.open(memory(part), "here"));
        }
    }

    @Test
    void readsOrRejectsTensorsWithFlippedBits() throws IOException {
        byte[] whole = oneTensor();
        var random = new Random(14);
        int rejected = 0;
        for (int at = 0; at < whole.length; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            rejected += isRejected(() -> TorchTensor.open(memory(flipped), "here")) ? 1 : 0;
        }
        assertTrue(rejected > 150, "the pickle alone has so many bytes, and rejected were " + rejected);
    }

    /** Every byte that an archive holds is under a CRC-32, and every byte of the elements is read. */
    @Test
    void rejectsEveryFlippedBitOfTheElements() throws IOException {
        byte[] whole = oneTensor();
        int begin = elements(whole);
        int bytes = elementBytes();
        double[] values = read(whole);
        assertEquals(bytes, values.length * Float.BYTES);
        for (int at = begin; at < begin + bytes; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) (1 << at % Byte.SIZE);
            var rejected = assertThrows(DataException.class, () -> read(flipped));
            assertTrue(
                    rejected.getMessage().contains("'data/0' does not have the CRC-32 that the archive records"),
                    rejected.getMessage());
        }
    }

    @Test
    void rejectsFlippedBitOutsideOfTheRowsThatAreRead() throws IOException {
        byte[] flipped = oneTensor();
        flipped[elements(flipped) + elementBytes() - 1] ^= 1;
        TorchTensor tensor = TorchTensor.open(memory(flipped), "here");
        var stored = stored(tensor);
        MemorySegment firstRow =
                MemorySegment.ofArray(new double[(int) tensor.shape().dim(1)]);
        var row = Shape.of(1, tensor.shape().dim(1));
        assertThrows(DataException.class, () -> stored.read(List.of(0L, 0L), row, DType.FP64, firstRow));
        assertThrows(
                DataException.class,
                () -> stored.read(List.of(0L, 0L), row, DType.FP64, firstRow),
                "the second time, too");
    }

    /** {@code torch.serialization.set_crc32_options(False)} records 0 for every entry. */
    @Test
    void readsArchivesWithoutChecksums() throws IOException {
        byte[] without = oneTensor();
        ByteBuffer zip = ByteBuffer.wrap(without).order(ByteOrder.LITTLE_ENDIAN);
        int entries = 0;
        for (int at = 0; at + 46 < without.length; at++) {
            if (zip.getInt(at) == 0x02014b50) {
                zip.putInt(at + 16, 0);
                entries++;
            }
        }
        assertTrue(entries >= 3, "entries " + entries);
        assertArrayEquals(read(oneTensor()), read(without));
    }

    /** The CRC-32 of a mapped file must not be computed in native code, where the page fault kills the process. */
    @Test
    void rejectsFilesThatAreTruncatedWhileTheyAreOpen() throws IOException {
        Path copy = Golden.copy("torchtitan", folder.resolve("copy"));
        try (TorchFolder opened = TorchFolder.open(copy)) {
            ChunkedTensor tensor = opened.tensor(TENSOR);
            truncateData(copy);
            var into = MemorySegment.ofArray(new double[(int) tensor.shape().elements()]);
            assertTruncated(copy, () -> tensor.read(List.of(0L, 0L), tensor.shape(), DType.FP64, into));
            assertTruncated(copy, () -> opened.tensor(TENSOR));
        }
    }

    private static void truncateData(Path copy) throws IOException {
        try (var files = Files.newDirectoryStream(copy, "*.distcp")) {
            for (Path file : files) {
                Files.write(file, new byte[0]);
            }
        }
    }

    private static void assertTruncated(Path copy, Executable read) {
        String said = assertThrows(DataException.class, read).getMessage();
        assertTrue(said.startsWith(copy + "/__"), said);
        assertTrue(
                said.endsWith(
                        ".distcp cannot be read any more: it was truncated while it was open, or its disk fails; fetch it again"),
                said);
    }

    private static double[] read(byte[] zip) {
        TorchTensor tensor = TorchTensor.open(memory(zip), "here");
        double[] values = new double[(int) tensor.shape().elements()];
        stored(tensor).read(List.of(0L, 0L), tensor.shape(), DType.FP64, MemorySegment.ofArray(values));
        return values;
    }

    private static ChunkedTensor stored(TorchTensor tensor) {
        var chunk = new TensorSlice(List.of(0L, 0L), tensor.shape());
        var described = new DcpTensor(TENSOR, "float32", tensor.shape(), List.of(chunk));
        return new ChunkedTensor(described, List.of(new ChunkedTensor.Part(Path.of("here"), chunk, tensor)));
    }

    private static int elementBytes() throws IOException {
        return (int) TorchTensor.open(memory(oneTensor()), "here").data().byteSize();
    }

    /** Where the elements begin: torch.save aligns them to 64 bytes, behind the name of their entry. */
    private static int elements(byte[] zip) {
        String text = new String(zip, StandardCharsets.ISO_8859_1);
        int name = text.indexOf("/data/0");
        int header = text.lastIndexOf("PK\u0003\u0004", name);
        ByteBuffer local = ByteBuffer.wrap(zip).order(ByteOrder.LITTLE_ENDIAN);
        return header + 30 + local.getShort(header + 26) + local.getShort(header + 28);
    }

    /** Where a zip says that its directory is large, it has another one that says where it is. */
    @Test
    void findsTheDirectoryOfLargeZips() throws IOException {
        byte[] large = oneTensor();
        ByteBuffer end = ByteBuffer.wrap(large)
                .order(ByteOrder.LITTLE_ENDIAN)
                .position(large.length - 22)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN);
        end.putShort(10, (short) -1).putInt(16, -1);
        assertDoesNotThrow(() -> TorchTensor.open(memory(large), "here"));
    }

    /** The tensor's bytes, as its file holds them. */
    private static byte[] oneTensor() throws IOException {
        DcpMetadata metadata = MetadataFile.read(TITAN);
        DcpItem item = metadata.item(
                        TENSOR, metadata.tensors().get(TENSOR).chunks().getFirst())
                .orElseThrow();
        byte[] file = Files.readAllBytes(TITAN.resolve(item.file()));
        return Arrays.copyOfRange(file, (int) item.offset(), (int) (item.offset() + item.length()));
    }

    private static MemorySegment memory(byte[] bytes) {
        return MemorySegment.ofArray(bytes);
    }

    private static boolean isRejected(Runnable reads) {
        try {
            reads.run();
            return false;
        } catch (DataException e) {
            return true;
        }
    }
}
