package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.Tokenizer;
import io.hirundo.tokenizerhf.internal.files.TokenizerFiles;
import io.hirundo.tokenizerhf.internal.train.Trained;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafeBordersTest {
    private static final int TEXTS = 6;

    /** 350 merges for each text, as if each had a tokenizer of its own. Texts share merges, so training ends before, with every repeated pair merged. */
    private static final int VOCABULARY = 250 + TEXTS * 350;

    @TempDir
    private Path folder;

    private static String text(long seed) {
        return Texts.prose(seed, 2000) + Texts.odd(seed, 400);
    }

    /** One tokenizer for all texts: each new one is first tried in a process of its own. */
    @Test
    void chunksHaveTheTokensOfTheFullText() throws IOException {
        String all =
                LongStream.rangeClosed(1, TEXTS).mapToObj(SafeBordersTest::text).collect(Collectors.joining());
        try (Tokenizer tokenizer = TestTokenizers.open(Trained.tokenizer(folder, all, VOCABULARY))) {
            assertTrue(tokenizer.vocabularySize() > 1000, "only " + tokenizer.vocabularySize() + " tokens");
            for (long seed = 1; seed <= TEXTS; seed++) {
                String text = text(seed);
                List<String> pieces = SafeBorders.split(text, 40);
                assertTrue(pieces.size() > 20, "seed " + seed + ": only " + pieces.size() + " pieces");
                assertEquals(text, String.join("", pieces), "seed " + seed);
                int[] ids = pieces.stream()
                        .map(tokenizer::encode)
                        .flatMapToInt(IntStream::of)
                        .toArray();
                assertArrayEquals(tokenizer.encode(text), ids, "seed " + seed);
            }
        }
    }

    @Test
    void splitsOnlyBetweenALineFeedAndANonSpace() {
        assertEquals(List.of("aaaaa\n", "bbbbb"), SafeBorders.split("aaaaa\nbbbbb", 3));
        assertEquals(List.of("aaaaa\n\n \n", "bbbbb"), SafeBorders.split("aaaaa\n\n \nbbbbb", 3));
        assertEquals(List.of("aaaaa\r\u2028\n\u0085\n\u3000x"), SafeBorders.split("aaaaa\r\u2028\n\u0085\n\u3000x", 3));
        assertEquals(List.of("aaaaa\n"), SafeBorders.split("aaaaa\n", 3));
        assertEquals(List.of("aa\nb"), SafeBorders.split("aa\nb", 4));
        assertEquals(List.of(""), SafeBorders.split("", 4));
    }

    @Test
    void areUnsafeWithLookaroundAcrossThem() throws IOException {
        Path file = Trained.tokenizer(folder, Texts.prose(1, 500), 300).resolve("tokenizer.json");
        String json = Files.readString(file);
        assertTrue(holdIn(json));
        // GPT-2's pattern: of several line feeds before a word, the last is a word of its own.
        assertTrue(!holdIn(json.replace("\\\\s*[\\\\r\\\\n]+|", "")), "another pattern");
        assertTrue(
                !holdIn(json.replace("\"normalizer\" : null", "\"normalizer\" : {\"type\": \"NFC\"}")), "a normalizer");
        assertTrue(
                !holdIn(json.replace("\"rstrip\" : false", "\"rstrip\" : true")),
                "a token that takes white space with it");
        assertTrue(!holdIn(json.replace("<|end_of_text|>", "<|end\\n_of_text|>")), "a token with a line feed");
        assertTrue(!holdIn(json.replace("\"add_prefix_space\" : false", "\"add_prefix_space\" : true")), "a prefix");
    }

    private boolean holdIn(String json) throws IOException {
        Path file = Files.createDirectories(folder.resolve("changed")).resolve("tokenizer.json");
        Files.writeString(file, json);
        return TokenizerDescription.of(TokenizerFiles.read(file), new HuggingFaceOptions())
                .hasSafeBorders();
    }
}
