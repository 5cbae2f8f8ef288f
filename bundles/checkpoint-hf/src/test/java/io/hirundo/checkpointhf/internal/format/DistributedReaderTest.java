package io.hirundo.checkpointhf.internal.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What PyTorch's reader of distributed checkpoints takes from our folders, by the rules of its {@code
 * torch/distributed/checkpoint/hf_storage.py} and {@code _hf_utils.py}, which are stated here once more: every file that ends in
 * {@code .safetensors}; its header; a data type that it knows; and where the header has no {@code DCP_SHARDING_INFO}, pieces that
 * begin at 0, so that a tensor's size is that of its largest piece.
 */
class DistributedReaderTest {
    /** Others it takes for the default type without a word. */
    private static final Set<String> TYPES = Set.of("F16", "F32", "F64", "I8", "U8", "I16", "I32", "I64", "BF16");

    @TempDir
    Path folder;

    /** A tensor as that reader sees it. */
    private record Seen(Path file, String dtype, List<Long> shape, long begin, long end) {}

    @ParameterizedTest
    @CsvSource({"FP32, false, 100000", "BF16, true, 100000", "FP64, false, 2000"})
    void findsAllTensors(DType dtype, boolean tied, long maxShardBytes) throws IOException {
        Path model = folder.resolve("model");
        new HuggingFaceFormat(maxShardBytes, () -> TinyLlama.FAMILIES)
                .write(model, TinyLlama.architecture(tied), TinyLlama.parts(tied, dtype));

        Map<String, Seen> seen = new HashMap<>();
        try (Stream<Path> files = Files.list(model)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".safetensors"))
                    .toList()) {
                read(file).forEach((name, tensor) -> assertNull(seen.put(name, tensor), name + " is there twice"));
            }
        }

        Map<String, Shape> expected = TinyLlama.shapes(tied);
        assertEquals(expected.keySet(), seen.keySet());
        for (Map.Entry<String, Seen> entry : seen.entrySet()) {
            Seen tensor = entry.getValue();
            Shape shape = expected.get(entry.getKey());
            assertTrue(TYPES.contains(tensor.dtype()), tensor::toString);
            assertEquals(shape.dims(), tensor.shape());
            // torch.frombuffer and reshape want exactly these.
            assertEquals(shape.byteSize(dtype), tensor.end() - tensor.begin());
        }
    }

    private static Map<String, Seen> read(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int length = Math.toIntExact(
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong());
        JsonNode header = Json.mapper().readTree(bytes, 8, length);
        JsonNode metadata = header.path("__metadata__");
        assertTrue(metadata.path("DCP_SHARDING_INFO").isMissingNode(), "tensors would be pieces");
        // The safetensors library behind it takes texts only.
        metadata.forEach(value -> assertTrue(value.isTextual()));
        Map<String, Seen> seen = new HashMap<>();
        for (Map.Entry<String, JsonNode> entry : header.properties()) {
            if (!entry.getKey().equals("__metadata__")) {
                JsonNode tensor = entry.getValue();
                JsonNode offsets = tensor.path("data_offsets");
                List<Long> shape = tensor.path("shape")
                        .valueStream()
                        .map(JsonNode::longValue)
                        .toList();
                long begin = offsets.get(0).longValue();
                long end = offsets.get(1).longValue();
                assertTrue(8 + length + end <= bytes.length, entry::toString);
                seen.put(entry.getKey(), new Seen(file, tensor.path("dtype").textValue(), shape, begin, end));
            }
        }
        return seen;
    }
}
