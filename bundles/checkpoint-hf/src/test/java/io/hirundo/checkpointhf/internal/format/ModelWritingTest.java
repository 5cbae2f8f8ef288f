package io.hirundo.checkpointhf.internal.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsLayout;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that several write together, piece by piece. */
class ModelWritingTest {
    @TempDir
    Path folder;

    private ModelWriting begin(Path model, boolean tied, DType dtype, long maxShardBytes) {
        var tensors = TinyLlama.shapes(tied).entrySet().stream()
                .map(tensor -> new ModelTensor(tensor.getKey(), tensor.getValue(), dtype))
                .toList();
        return new HuggingFaceFormat(maxShardBytes, () -> TinyLlama.FAMILIES)
                .beginWrite(model, TinyLlama.architecture(tied), tensors)
                .orElseThrow();
    }

    /** Bytes that another rank writes are not touched. */
    @Test
    void aPieceChangesOnlyItsOwnBytes() throws IOException {
        try (var writing = begin(folder.resolve("model"), false, DType.FP32, 100_000)) {
            writing.create();
            Path file = folder.resolve(".model.new").resolve("model.safetensors");
            byte[] before = Files.readAllBytes(file);
            Arrays.fill(before, before.length - 5000, before.length, (byte) 0x77);
            Files.write(file, before);
            String name = "model.layers.1.mlp.down_proj.weight";
            Shape whole = TinyLlama.shapes(false).get(name);
            write(writing, new ParameterPart(name, whole, List.of(3L, 5L), Shape.of(7, 11)), DType.FP32);
            writing.flush();
            long begin = new SafetensorsLayout(tensors()).positions().get(name);
            byte[] after = Files.readAllBytes(file);
            for (int at = 0; at < after.length; at++) {
                long element = (at - begin) / 4;
                boolean isOwn = at >= begin
                        && element < 12 * 17
                        && element / 17 >= 3
                        && element / 17 < 10
                        && element % 17 >= 5
                        && element % 17 < 16;
                assertTrue(isOwn || after[at] == before[at], "byte " + at);
            }
            assertFalse(Arrays.equals(before, after));
        }
        assertEquals(List.of(), names());
    }

    private static List<ModelTensor> tensors() {
        return TinyLlama.parts(false, DType.FP32).stream()
                .map(part -> new ModelTensor(part.path(), part.shape(), part.dtype()))
                .toList();
    }

    @Test
    void reportsThatTheLeadersFilesAreNotVisible() {
        try (var writing = begin(folder.resolve("model"), false, DType.FP32, 100_000)) {
            var part = ParameterPart.whole("model.norm.weight", Shape.of(TinyLlama.HIDDEN));
            var failure = assertThrows(StorageException.class, () -> write(writing, part, DType.FP32));
            assertTrue(
                    failure.getMessage().contains("is not seen here; choose a folder that all machines share"),
                    failure.getMessage());
        }
    }

    @Test
    void rejectedModelDoesNotAppearAndTheFormerStays() throws IOException {
        Path model = folder.resolve("model");
        List<ModelPart> parts = TinyLlama.parts(true, DType.FP32);
        new HuggingFaceFormat(3000, () -> TinyLlama.FAMILIES).write(model, TinyLlama.architecture(true), parts);
        var before = files(model);
        try (var follower = begin(model, false, DType.FP32, 3000);
                var leader = begin(model, false, DType.FP32, 3000)) {
            leader.create();
            TinyLlama.shapes(false)
                    .forEach((name, shape) -> write(follower, ParameterPart.whole(name, shape), DType.FP32));
            follower.flush();
            assertThrows(
                    StorageException.class,
                    () -> leader.commit(written -> {
                        throw new StorageException("other losses");
                    }));
        }
        assertEquals(List.of("model"), names());
        assertSameFiles(before, files(model));
    }

    private static void write(ModelWriting writing, ParameterPart part, DType dtype) {
        Shape shape = part.shape();
        double[] all = TinyLlama.values(part.path(), part.globalShape());
        double[] own = new double[Math.toIntExact(shape.elements())];
        boolean matrix = shape.rank() > 1;
        for (int index = 0; index < own.length; index++) {
            long columns = matrix ? shape.dim(1) : 1;
            long row = part.offset().get(0) + index / columns;
            long element =
                    matrix ? row * part.globalShape().dim(1) + part.offset().get(1) + index % columns : row;
            own[index] = all[Math.toIntExact(element)];
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(shape.byteSize(dtype), 8);
            TinyLlama.fill(host, dtype, own);
            writing.write(part, host);
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private static Map<String, byte[]> files(Path folder) throws IOException {
        var files = new TreeMap<String, byte[]>();
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                files.put(entry.getFileName().toString(), Files.readAllBytes(entry));
            }
        }
        return files;
    }

    private static void assertSameFiles(Map<String, byte[]> expected, Map<String, byte[]> found) {
        assertEquals(expected.keySet(), found.keySet());
        expected.forEach((name, bytes) -> assertArrayEquals(bytes, found.get(name), name));
    }
}
