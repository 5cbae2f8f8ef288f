package io.hirundo.checkpointhf.internal.description;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.tensor.DType;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes {@code config.json}. Ids of tokens that the family does not write are null, because the Transformers library would take those of
 * its class where they are left out, which a smaller vocabulary lacks; {@link DescriptionFiles} sets
 * them where they are known.
 */
public final class ConfigText {
    private ConfigText() {}

    /**
     * The file's bytes.
     *
     * @param configuration as the model's family writes it
     * @param dtype of the weights
     */
    public static byte[] of(Map<String, Object> configuration, DType dtype) {
        Map<String, Object> json = new LinkedHashMap<>(configuration);
        for (String id : new String[] {FolderNotes.BEGIN, FolderNotes.END, FolderNotes.PADDING}) {
            json.putIfAbsent(id, null);
        }
        json.put("torch_dtype", torchName(dtype));
        try {
            String text =
                    Json.mapper()
                                    .writerWithDefaultPrettyPrinter()
                                    .writeValueAsString(Json.mapper().valueToTree(json)) + "\n";
            return text.getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of JSON values that cannot be written", e);
        }
    }

    private static String torchName(DType dtype) {
        return switch (dtype) {
            case FP64 -> "float64";
            case FP32 -> "float32";
            case BF16 -> "bfloat16";
            case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalArgumentException("weights of type " + dtype);
        };
    }
}
