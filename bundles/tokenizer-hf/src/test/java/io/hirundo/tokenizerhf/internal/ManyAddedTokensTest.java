package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.data.Tokenizer;
import io.hirundo.tokenizerhf.internal.files.TokenizerFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library's load time grows with the square of the number of added tokens. */
class ManyAddedTokensTest {
    @TempDir
    private Path folder;

    private void write(int tokens, boolean special) throws IOException {
        var root = new ObjectMapper().createObjectNode();
        for (int i = 0; i < tokens; i++) {
            root.withArray("added_tokens")
                    .addObject()
                    .put("id", 3 + i)
                    .put("content", "<" + i + ">")
                    .put("single_word", false)
                    .put("lstrip", false)
                    .put("rstrip", false)
                    .put("normalized", false)
                    .put("special", special);
        }
        var model = root.putObject("model").put("type", "BPE");
        model.putObject("vocab").put("<", 0).put("7", 1).put(">", 2);
        model.putArray("merges");
        Files.writeString(folder.resolve("tokenizer.json"), root.toString());
    }

    @Test
    void tokensThatTheTrialDoesNotLoadWork() throws IOException {
        write(2_500, false);
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            assertArrayEquals(new int[] {3 + 2_499, 1, 3}, tokenizer.encode("<2499>7<0>"));
            assertEquals("<2499> 7", tokenizer.decode(new int[] {3 + 2_499, 1}));
        }
    }

    @Test
    void textWithNamesOfSpecialTokensLoadsNone() throws IOException {
        write(20, true);
        var files = TokenizerFiles.read(folder);
        var description = TokenizerDescription.of(files, new HuggingFaceOptions(folder.toString(), null, null, false));
        byte[] json = TextOnlyTokenizer.of(files, description);
        assertEquals(
                "[]", new ObjectMapper().readTree(json).path("added_tokens").toString());
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            assertArrayEquals(new int[] {0, 1, 2}, tokenizer.encode("<7>"));
            assertArrayEquals(new int[] {3 + 7}, tokenizer.encodeWithSpecialTokens("<7>"));
        }
    }
}
