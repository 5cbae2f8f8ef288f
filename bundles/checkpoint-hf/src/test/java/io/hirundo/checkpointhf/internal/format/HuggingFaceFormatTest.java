package io.hirundo.checkpointhf.internal.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsEntry;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsFile;
import io.hirundo.checkpointhf.internal.safetensors.StoredType;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HuggingFaceFormatTest {
    @TempDir
    Path folder;

    private final ModelFormat format = new HuggingFaceFactory(TinyLlama.FAMILIES).create(new HuggingFaceOptions());

    @Test
    void tiedModelHasNoHead() {
        Path model = folder.resolve("model");
        format.write(model, TinyLlama.architecture(true), TinyLlama.parts(true, DType.FP32));
        assertModel(model, true, DType.FP32);
    }

    /** As a copy over the file does, or a disk that fails. */
    @Test
    void rejectsAModelThatIsTruncatedWhileItIsOpen() throws IOException {
        Path model = folder.resolve("model");
        format.write(model, TinyLlama.architecture(false), TinyLlama.parts(false, DType.FP32));
        try (ModelReader reader = format.open(model)) {
            Path file = model.resolve("model.safetensors");
            Files.write(file, new byte[0]);
            Shape shape = TinyLlama.shapes(false).get(TinyLlama.EMBEDDING);
            var into = MemorySegment.ofArray(new double[(int) shape.elements()]);
            var failure = assertThrows(
                    DataException.class,
                    () -> reader.read(ParameterPart.whole(TinyLlama.EMBEDDING, shape), DType.FP64, into));
            assertEquals(
                    file
                            + " cannot be read any more: it was truncated while it was open, or its disk fails; fetch it again",
                    failure.getMessage());
        }
    }

    @Test
    void smallShardsGiveSeveralFilesAndAnIndex() throws IOException {
        Path model = folder.resolve("model");
        var sharded = new HuggingFaceFormat(2000, () -> TinyLlama.FAMILIES);
        sharded.write(model, TinyLlama.architecture(false), TinyLlama.parts(false, DType.FP32));
        assertModel(model, false, DType.FP32);
        JsonNode index = new JsonMapper()
                .readTree(model.resolve("model.safetensors.index.json").toFile());
        long bytes = TinyLlama.shapes(false).values().stream()
                .mapToLong(shape -> shape.byteSize(DType.FP32))
                .sum();
        assertEquals(bytes, index.path("metadata").path("total_size").longValue());
        var named = new TreeSet<String>();
        index.path("weight_map").forEach(file -> named.add(file.textValue()));
        int shards = named.size();
        assertTrue(shards > 3, named::toString);
        assertEquals("model-00001-of-%05d.safetensors".formatted(shards), named.first());
        try (Stream<Path> files = Files.list(model)) {
            assertEquals(shards + 2, files.count());
        }
        for (String file : named) {
            // A header of some hundred bytes comes on top.
            assertTrue(Files.size(model.resolve(file)) < 2000 + 1500, file);
        }
    }

    @Test
    void mixedDtypesAreKept() throws IOException {
        Path model = folder.resolve("model");
        var parts = TinyLlama.shapes(false).entrySet().stream()
                .map(entry -> TinyLlama.part(
                        entry.getKey(), entry.getValue(), entry.getValue().rank() == 1 ? DType.FP32 : DType.BF16))
                .toList();
        format.write(model, TinyLlama.architecture(false), parts);
        assertModel(model, false, DType.FP64);
        try (var file = SafetensorsFile.open(model.resolve("model.safetensors"))) {
            assertEquals(StoredType.F32, file.tensors().get("model.norm.weight").type());
            assertEquals(StoredType.BF16, file.tensors().get(TinyLlama.HEAD).type());
            // Wide types first: whatever their sizes, all are aligned to their type.
            var widths = file.tensors().values().stream()
                    .map(tensor -> tensor.type().bits())
                    .toList();
            assertEquals(widths.stream().sorted(Comparator.reverseOrder()).toList(), widths);
        }
        JsonNode config = new JsonMapper().readTree(model.resolve("config.json").toFile());
        assertEquals("bfloat16", config.path("torch_dtype").textValue());
    }

    @Test
    void headerHasTheMetadataThatTransformersRequires() throws IOException {
        Path model = folder.resolve("model");
        format.write(model, TinyLlama.architecture(false), TinyLlama.parts(false, DType.FP32));
        byte[] bytes = Files.readAllBytes(model.resolve("model.safetensors"));
        assertEquals(0, bytes[0] % 8);
        String text = new String(bytes, 8, 60, java.nio.charset.StandardCharsets.UTF_8);
        assertTrue(text.startsWith("{\"__metadata__\":{\"format\":\"pt\"}"), text);
    }

    @Test
    void readsAFileOfLibtorch() throws Exception {
        Path file = Path.of(HuggingFaceFormatTest.class
                .getResource("logits_step1.safetensors")
                .toURI());
        try (var tensors = SafetensorsFile.open(file);
                Arena arena = Arena.ofConfined()) {
            SafetensorsEntry logits = tensors.tensors().firstEntry().getValue();
            int count = Math.toIntExact(logits.shape().elements());
            MemorySegment host = arena.allocate(8L * count, 8);
            tensors.read(logits, bytes -> {
                new FloatConversion(bytes, logits.type().weight(), host, DType.FP64).convert(0, 0, count);
                return null;
            });
            double[] values = TinyLlama.values(host, DType.FP64, count);
            assertEquals(-0.16215733f, (float) values[0]);
            assertEquals(0.16035895f, (float) values[count - 1]);
            double sum = 0;
            for (double value : values) {
                sum += value;
            }
            assertEquals(31.68946705444614, sum, 1e-6);
        }
    }

    @Test
    void rejectsPartsOfAnotherArchitecture() {
        Path model = folder.resolve("model");
        var parts = TinyLlama.parts(false, DType.FP32);
        var less = parts.subList(1, parts.size());
        assertThrows(IllegalArgumentException.class, () -> format.write(model, TinyLlama.architecture(false), less));
        var tied = TinyLlama.architecture(true);
        assertThrows(IllegalArgumentException.class, () -> format.write(model, tied, parts));
        assertThrows(ConfigurationException.class, () -> format.write(model, Choice.of("mamba"), parts));
        assertFalse(Files.exists(model));
    }

    private void assertModel(Path model, boolean tied, DType wanted) {
        Map<String, Shape> shapes = TinyLlama.shapes(tied);
        try (ModelReader reader = format.open(model);
                Arena arena = Arena.ofConfined()) {
            assertEquals(TinyLlama.architecture(tied), reader.architecture());
            assertEquals(List.copyOf(shapes.keySet()), List.copyOf(reader.paths()));
            shapes.forEach((name, shape) -> {
                int count = Math.toIntExact(shape.elements());
                MemorySegment host = arena.allocate(shape.byteSize(wanted), 8);
                reader.read(ParameterPart.whole(name, shape), wanted, host);
                assertArrayEquals(TinyLlama.values(name, shape), TinyLlama.values(host, wanted, count), name);
            });
        }
    }
}
