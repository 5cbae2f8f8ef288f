package io.hirundo.checkpointtorch.internal.folder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.checkpointtorch.internal.Golden;
import io.hirundo.tensor.Shape;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with a folder is told by file and tensor. */
class FolderRejectionTest {
    private static final String NORM = "model.norm.weight";

    @TempDir
    private Path temporary;

    private Path folder;

    @BeforeEach
    void copy() throws IOException {
        folder = Golden.copy("torchtitan", temporary.resolve("folder"));
    }

    /** Replaces a text of the same length, once, in a file. */
    private void replace(String file, String text, String by) throws IOException {
        assertEquals(text.length(), by.length());
        String bytes = Files.readString(folder.resolve(file), StandardCharsets.ISO_8859_1);
        int at = bytes.indexOf(text);
        assertTrue(at >= 0, text);
        Files.writeString(
                folder.resolve(file),
                bytes.substring(0, at) + by + bytes.substring(at + text.length()),
                StandardCharsets.ISO_8859_1);
    }

    private void rejects(String tensor, String... messages) {
        var rejection = assertThrows(DataException.class, () -> {
            try (TorchFolder opened = TorchFolder.open(folder)) {
                opened.tensor(tensor);
            }
        });
        assertTrue(rejection.getMessage().startsWith(folder.toString()), rejection.getMessage());
        for (String message : messages) {
            assertTrue(rejection.getMessage().contains(message), rejection.getMessage());
        }
    }

    @Test
    void listsEntriesThatAreNotTensors() {
        try (TorchFolder opened = TorchFolder.open(folder)) {
            assertEquals(List.of("train_state"), opened.others());
            assertEquals(Shape.of(16), opened.shapes().get("optimizer.state.model.norm.weight.exp_avg"));
        }
    }

    @Test
    void namesMissingOrTruncatedFiles() throws IOException {
        byte[] whole = Files.readAllBytes(folder.resolve("__0_0.distcp"));
        Files.write(folder.resolve("__0_0.distcp"), Arrays.copyOf(whole, 1000));
        rejects(
                NORM,
                "__0_0.distcp has 1000 bytes, but the chunk of '" + NORM + "' at [0] should be ",
                "it is damaged");
        Files.delete(folder.resolve("__0_0.distcp"));
        rejects(NORM, "__0_0.distcp is missing, which holds the chunk of '" + NORM + "' at [0]");
        Files.delete(folder.resolve(".metadata"));
        rejects(NORM, ".metadata is missing; give a folder that torch.distributed.checkpoint has written to its end");
    }

    @Test
    void neverOpensFilesOutsideItsFolder() throws IOException {
        Path metadata = folder.resolve(".metadata");
        String places = Files.readString(metadata, StandardCharsets.ISO_8859_1);
        Files.writeString(metadata, places.replace("__0_0.distcp", "../_0.distcp"), StandardCharsets.ISO_8859_1);
        rejects(NORM, "which is no name of a file in the folder");
    }

    @Test
    void rejectsUnsupportedDtypes() throws IOException {
        rejects(
                "optimizer.state.model.norm.weight.step",
                "is of int64, but weights must be float64, float32, float16 or bfloat16");
        replace(".metadata", "float32", "float16");
        rejects(NORM, "has a chunk at [0] that is described as [8] of FLOAT16 and stored as [8] of FLOAT32");
    }

    @Test
    void rejectsIncompleteOrWrappedTensors() {
        folder = Golden.FOLDER.resolve("rejected");
        rejects("compressed", "is stored through 'stream.zstd', which is not read; save it without extensions");
        rejects("overlapping", "tensor 'overlapping' has chunks at [4] and [6] that overlap");
        rejects("incomplete", "tensor 'incomplete' is [16], 16 elements, but its chunks have 12");
        rejects("nowhere", "tensor 'nowhere' has no place for its chunk at [8]");
        rejects(
                "elsewhere",
                "absent.distcp is missing, which holds the chunk of 'elsewhere' at [0]; fetch the files of all ranks");
    }

    @Test
    void rejectsCodeInMetadataByName() throws IOException {
        replace(".metadata", "builtins", "os.pathx");
        rejects(NORM, "asks for 'os.pathx.getattr'");
    }

    @Test
    void rejectsTensorsThatTorchDoesNotWrite() throws IOException {
        Map<String, byte[]> entries = entries();
        TorchTensor.open(zip(entries, ZipEntry.STORED), "here");
        rejectsZip(zip(entries, ZipEntry.DEFLATED), "'data.pkl' is compressed, which torch.save does not do");

        entries.put("archive/byteorder", "little".getBytes(StandardCharsets.UTF_8));
        TorchTensor.open(zip(entries, ZipEntry.STORED), "here");
        entries.put("archive/byteorder", "big".getBytes(StandardCharsets.UTF_8));
        rejectsZip(zip(entries, ZipEntry.STORED), "its numbers are big-endian");

        entries.remove("archive/byteorder");
        entries.put("archive/data/0", new byte[8]);
        rejectsZip(zip(entries, ZipEntry.STORED), "leaves its storage");
        entries.remove("archive/data/0");
        rejectsZip(zip(entries, ZipEntry.STORED), "it has no 'data/0'");
    }

    private static void rejectsZip(MemorySegment zip, String message) {
        var rejection = assertThrows(DataException.class, () -> TorchTensor.open(zip, "here"));
        assertTrue(
                rejection.getMessage().startsWith("here: ")
                        && rejection.getMessage().contains(message),
                rejection.getMessage());
    }

    /** Of the first tensor of the file. */
    private Map<String, byte[]> entries() throws IOException {
        DcpMetadata metadata = MetadataFile.read(folder);
        DcpItem item = metadata.item(NORM, metadata.tensors().get(NORM).chunks().getFirst())
                .orElseThrow();
        byte[] file = Files.readAllBytes(folder.resolve(item.file()));
        TorchZip zip = TorchZip.open(MemorySegment.ofArray(file).asSlice(item.offset(), item.length()), "golden");
        Map<String, byte[]> entries = new TreeMap<>();
        for (String name : List.of("data.pkl", "data/0", "version")) {
            entries.put("archive/" + name, zip.checkedBytes(name, 1 << 20));
        }
        return entries;
    }

    private static MemorySegment zip(Map<String, byte[]> entries, int method) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ZipOutputStream(bytes)) {
            for (var entry : entries.entrySet()) {
                var header = new ZipEntry(entry.getKey());
                var crc = new CRC32();
                crc.update(entry.getValue());
                header.setMethod(method);
                header.setCrc(crc.getValue());
                header.setSize(entry.getValue().length);
                if (method == ZipEntry.STORED) {
                    header.setCompressedSize(entry.getValue().length);
                }
                out.putNextEntry(header);
                out.write(entry.getValue());
                out.closeEntry();
            }
        }
        return MemorySegment.ofArray(bytes.toByteArray());
    }

    /** Nobody writes to the pipe: who opened it would wait forever. */
    @Test
    void rejectsNamedPipes() throws Exception {
        Path copy = Golden.copy("torchtitan", folder.resolve("pipes"));
        Path data;
        try (Stream<Path> files = Files.list(copy)) {
            data = files.filter(file -> file.toString().endsWith(".distcp"))
                    .findFirst()
                    .orElseThrow();
        }
        for (Path pipe : List.of(data, copy.resolve(MetadataFile.NAME))) {
            Files.delete(pipe);
            assertEquals(
                    0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
            var failure = assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () -> assertThrows(DataException.class, () -> {
                        try (TorchFolder opened = TorchFolder.open(copy)) {
                            opened.shapes().keySet().forEach(opened::tensor);
                        }
                    }));
            assertTrue(
                    failure.getMessage().startsWith(pipe + " is a named pipe, not a regular file"),
                    failure.getMessage());
        }
    }
}
