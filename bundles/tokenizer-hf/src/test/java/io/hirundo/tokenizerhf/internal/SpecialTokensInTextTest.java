package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.data.Tokenizer;
import io.hirundo.tokenizerhf.internal.train.Trained;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpecialTokensInTextTest {
    @TempDir
    private Path folder;

    /** Goldens of transformers 5.24, made by tools/interop/special_tokens.py. */
    @ParameterizedTest
    @ValueSource(strings = {"bytes.json", "lower.json", "pieces.json"})
    void hasTheIdsOfTransformersAsTextAndAsTokens(String name) throws IOException, URISyntaxException {
        Path goldens = Path.of(SpecialTokensInTextTest.class
                .getResource("/special-tokens/goldens.json")
                .toURI());
        try (Tokenizer asText = TestTokenizers.open(goldens.resolveSibling(name));
                Tokenizer asTokens = TestTokenizers.open(
                        new HuggingFaceOptions(goldens.resolveSibling(name).toString(), null, null, true))) {
            int compared = 0;
            for (JsonNode golden : new ObjectMapper().readTree(goldens.toFile())) {
                if (golden.path("tokenizer").asText().equals(name)) {
                    String text = golden.path("text").asText();
                    assertArrayEquals(ids(golden.path("asText")), asText.encode(text), text);
                    assertArrayEquals(ids(golden.path("asTokens")), asText.encodeWithSpecialTokens(text), text);
                    assertArrayEquals(ids(golden.path("asTokens")), asTokens.encode(text), text);
                    compared++;
                }
            }
            assertEquals(18, compared);
        }
    }

    private static int[] ids(JsonNode list) {
        return IntStream.range(0, list.size()).map(i -> list.path(i).intValue()).toArray();
    }

    @Test
    void aNameChangesNoTokensBeforeIt() throws IOException {
        Trained.tokenizer(folder, Texts.prose(1, 500), 300);
        String prose = Texts.prose(2, 2_000).strip();
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            int[] whole = tokenizer.encode(prose);
            int[] named = tokenizer.encode(prose + "\n<|end_of_text|>");
            assertEquals(prose + "\n<|end_of_text|>", tokenizer.decode(named));
            assertTrue(Arrays.stream(named).noneMatch(id -> id >= 298), "a special token");
            assertArrayEquals(whole, Arrays.copyOf(named, whole.length));
            assertEquals(
                    Map.of("<|begin_of_text|>", 298, "<|end_of_text|>", 299),
                    tokenizer.specialTokens().ids());
        }
    }

    /** These models look for names in the text themselves. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{'type': 'Unigram', 'unk_id': 0, 'vocab': [['<unk>', 0.0], ['</s>', 0.0], ['<', -2], ['/', -2], ['s', -2.5], ['>', -2], ['a', -1]]}; 6 2 3 4 5",
                "{'type': 'WordLevel', 'unk_token': '<unk>', 'vocab': {'<unk>': 0, '</s>': 1, 'a': 2}}; 0",
                "{'type': 'WordPiece', 'unk_token': '<unk>', 'continuing_subword_prefix': '', 'max_input_chars_per_word': 99,"
                        + " 'vocab': {'<unk>': 0, '</s>': 1, '<': 2, '/': 3, 's': 4, '>': 5, 'a': 6}}; 6 2 3 4 5",
            })
    void keepsTextThatTheModelWouldTakeForATokenOfItsVocabulary(String model, String expected) throws IOException {
        Path file = Files.writeString(folder.resolve("tokenizer.json"), """
        {"added_tokens": [{"id": 0, "content": "<unk>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
          {"id": 1, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
         "model": %s}
        """.formatted(model.replace('\'', '"')));
        try (Tokenizer tokenizer = TestTokenizers.open(file)) {
            assertEquals(
                    expected,
                    String.join(
                            " ",
                            Arrays.stream(tokenizer.encode("a</s>"))
                                    .mapToObj(String::valueOf)
                                    .toList()));
            assertEquals(1, tokenizer.encodeWithSpecialTokens("</s>")[0]);
        }
    }

    @Test
    void aDeclaredEndIsAControlTokenAlsoIfTheFileDoesNotCallItSpecial() throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), """
        {"added_tokens": [{"id": 3, "content": "<e>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": true, "special": false}],
         "model": {"type": "BPE", "vocab": {"<": 0, "e": 1, ">": 2}, "merges": []}}
        """);
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            assertArrayEquals(new int[] {3}, tokenizer.encode("<e>"));
        }
        Files.writeString(folder.resolve("tokenizer_config.json"), "{\"eos_token\": \"<e>\"}");
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            assertArrayEquals(new int[] {0, 1, 2}, tokenizer.encode("<e>"));
            assertEquals(
                    List.of("<e>"), List.copyOf(tokenizer.specialTokens().ids().keySet()));
        }
    }
}
