package io.hirundo.checkpointhf.internal.safetensors;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpointhf.internal.file.Json;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where everything is in a safetensors file that is to be written. Wide types come first, so that every tensor is aligned to its
 * type.
 */
public final class SafetensorsLayout {
    private static final int ALIGNMENT_BYTES = 8;

    private final byte[] header;
    private final Map<String, Long> positions = new LinkedHashMap<>();
    private final long byteSize;

    public SafetensorsLayout(List<ModelTensor> tensors) {
        ObjectNode json = Json.mapper().createObjectNode();
        // Of all that PyTorch's distributed checkpoints look for here, DCP_SHARDING_INFO stays away: tensors are whole.
        json.putObject(SafetensorsHeader.METADATA).put("format", "pt");
        Map<String, Long> begins = new LinkedHashMap<>();
        long end = 0;
        for (ModelTensor tensor : byWidth(tensors)) {
            long begin = end;
            begins.put(tensor.path(), begin);
            end += tensor.byteSize();
            ObjectNode entry = json.putObject(tensor.path());
            entry.put("dtype", StoredType.of(tensor.dtype()).name());
            tensor.shape().dims().forEach(entry.withArray("shape")::add);
            entry.putArray("data_offsets").add(begin).add(end);
        }
        this.header = header(json);
        this.byteSize = header.length + end;
        begins.forEach((path, begin) -> positions.put(path, header.length + begin));
    }

    private static List<ModelTensor> byWidth(List<ModelTensor> tensors) {
        Comparator<ModelTensor> width =
                Comparator.comparingInt(tensor -> tensor.dtype().byteSize());
        return tensors.stream().sorted(width.reversed()).toList();
    }

    private static byte[] header(ObjectNode json) {
        byte[] text;
        try {
            text = Json.mapper().writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of JSON values that cannot be written", e);
        }
        int padded = Math.ceilDiv(text.length, ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
        byte[] spaced = Arrays.copyOf(text, padded);
        Arrays.fill(spaced, text.length, padded, (byte) ' ');
        return ByteBuffer.allocate(SafetensorsHeader.LENGTH_BYTES + padded)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(padded)
                .put(spaced)
                .array();
    }

    /** The file's first bytes. */
    public byte[] header() {
        return header.clone();
    }

    /** Of the whole file. */
    public long byteSize() {
        return byteSize;
    }

    /** By tensor, the byte of the file where its values begin. */
    public Map<String, Long> positions() {
        return positions;
    }
}
