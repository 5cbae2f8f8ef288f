package io.hirundo.checkpointtorch.internal.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.checkpointtorch.internal.Golden;
import io.hirundo.checkpointtorch.internal.TorchDcpFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder and a config.json that do not belong together. */
class ModelRejectionTest {
    @TempDir
    private Path temporary;

    private void rejects(String name, String config, String message) throws IOException {
        Path folder = Golden.copy(name, temporary.resolve(name + message.hashCode()));
        Files.writeString(folder.resolve("config.json"), config);
        var format = new TorchDcpFactory(Golden.FAMILIES).create(new TorchDcpOptions());
        var rejection = assertThrows(DataException.class, () -> format.open(folder));
        assertTrue(rejection.getMessage().contains(message), rejection.getMessage());
    }

    @Test
    void rejectsDifferentSizes() throws IOException {
        rejects(
                "torchtitan",
                Golden.CONFIG.replace("\"intermediate_size\": 20", "\"intermediate_size\": 24"),
                "tensor 'model.layers.0.feed_forward.w1.weight' is [20, 16], but its model's is [24, 16]");
        rejects(
                "huggingface",
                Golden.CONFIG.replace("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3"),
                "tensor 'model.layers.2.input_layernorm.weight' is missing");
        rejects(
                "torchtitan",
                Golden.CONFIG.replace("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1"),
                "tensor 'model.layers.1.attention.wk.weight' is there, which this llama does not have");
    }

    @Test
    void rejectsATiedHeadThatDiffersFromTheEmbedding() throws IOException {
        rejects(
                "torchtitan",
                Golden.CONFIG.replace("{", "{\"tie_word_embeddings\": true,"),
                "tensor 'model.output.weight' differs from 'model.tok_embeddings.weight', although config.json ties them");
    }

    @Test
    void rejectsAnInvalidConfiguration() throws IOException {
        rejects("torchtitan", "{", "config.json is not valid JSON at byte 1: it ends too early");
        rejects("torchtitan", "null", "config.json is null (allowed: an object)");
        rejects("torchtitan", Golden.CONFIG.replace("llama", "gpt2"), "'model_type' is \"gpt2\"");
    }

    @Test
    void rejectsAPathThatIsNotAFolder() {
        var format = new TorchDcpFactory(Golden.FAMILIES).create(new TorchDcpOptions());
        var rejection = assertThrows(DataException.class, () -> format.open(temporary.resolve("none")));
        assertEquals(
                temporary.resolve("none") + " is no folder; give one that torch.distributed.checkpoint has written",
                rejection.getMessage());
    }
}
