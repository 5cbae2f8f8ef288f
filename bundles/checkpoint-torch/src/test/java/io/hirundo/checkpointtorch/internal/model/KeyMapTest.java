package io.hirundo.checkpointtorch.internal.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.checkpointtorch.internal.Golden;
import io.hirundo.family.FamilyFormat;
import io.hirundo.lib.family.StoredFamily;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyMapTest {
    private static final Path FOLDER = Path.of("folder");
    private static final List<StoredFamily<?>> ALL =
            StoredFamily.of(Golden.FAMILIES, List.of(FamilyFormat.TORCH_DCP, FamilyFormat.HUGGING_FACE));

    @ParameterizedTest
    @CsvSource({
        "model.embed_tokens.weight, huggingface, ''",
        "model.model.embed_tokens.weight, huggingface, model.",
        "state.model.model.embed_tokens.weight, huggingface, state.model.",
        "tok_embeddings.weight, torch-dcp, ''",
        "model.tok_embeddings.weight, torch-dcp, model."
    })
    void aModelIsFoundUnderAnyPrefix(String embedding, String format, String prefix) {
        var names = List.of("optimizer.state." + embedding + ".exp_avg", embedding, "norm.weight");
        var keys = new KeyMap(StoredFamily.of(Golden.FAMILIES, List.of(format)), prefix);
        assertEquals(keys, KeyMap.find(FOLDER, names, null, ALL));
        assertEquals(keys, KeyMap.find(FOLDER, names, prefix, ALL));
    }

    @Test
    void rejectsNoModelAndSeveralModels() {
        rejects(
                List.of("a", "b", "my_tok_embeddings.weight"),
                null,
                "holds no model of an installed family: none of its 3 tensors (a, b, my_tok");
        rejects(
                List.of("tok_embeddings.weight"),
                "ema.",
                "holds no model of an installed family under the prefix 'ema.'");
        rejects(
                List.of("tok_embeddings.weight", "ema.tok_embeddings.weight"),
                null,
                "holds several models, under the prefixes '' and 'ema.'; choose one with the option prefix");
        assertEquals(
                "ema.",
                KeyMap.find(FOLDER, List.of("tok_embeddings.weight", "ema.tok_embeddings.weight"), "ema.", ALL)
                        .prefix());
    }

    @Test
    void saysThatNoFamilyIsInstalled() {
        var rejection = assertThrows(
                DataException.class, () -> KeyMap.find(FOLDER, List.of("tok_embeddings.weight"), null, List.of()));
        assertEquals(
                "folder: no model family is installed that could read it; install the bundle of the model's family",
                rejection.getMessage());
    }

    private static void rejects(List<String> names, String prefix, String message) {
        var rejection = assertThrows(DataException.class, () -> KeyMap.find(FOLDER, names, prefix, ALL));
        assertTrue(rejection.getMessage().contains(message), rejection.getMessage());
    }
}
