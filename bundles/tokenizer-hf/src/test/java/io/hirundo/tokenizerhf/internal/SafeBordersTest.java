package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.Tokenizer;
import io.hirundo.tokenizerhf.internal.train.Trained;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafeBordersTest {
  private static final int TEXTS = 6;

  @TempDir private Path folder;

  private static String text(long seed) {
    return Texts.prose(seed, 2000) + Texts.odd(seed, 400);
  }

  /** One tokenizer for all texts: each new one is first tried in a process of its own. */
  @Test
  void chunksHaveTheTokensOfTheFullText() throws IOException {
    List<String> texts = LongStream.rangeClosed(1, TEXTS).mapToObj(SafeBordersTest::text).toList();
    try (Tokenizer tokenizer = TestTokenizers.open(Trained.tokenizer(folder, String.join("", texts), 600))) {
      for (String text : texts) {
        List<String> pieces = SafeBorders.split(text, 40);
        assertTrue(pieces.size() > 20, "only " + pieces.size() + " pieces");
        assertEquals(text, String.join("", pieces));
        int[] ids = pieces.stream().map(tokenizer::encode).flatMapToInt(IntStream::of).toArray();
        assertArrayEquals(tokenizer.encode(text), ids);
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
    assertTrue(!holdIn(json.replace("\"normalizer\" : null", "\"normalizer\" : {\"type\": \"NFC\"}")), "a normalizer");
    assertTrue(!holdIn(json.replace("\"rstrip\" : false", "\"rstrip\" : true")), "a token that takes white space with it");
    assertTrue(!holdIn(json.replace("<|end_of_text|>", "<|end\\n_of_text|>")), "a token with a line feed");
    assertTrue(!holdIn(json.replace("\"add_prefix_space\" : false", "\"add_prefix_space\" : true")), "a prefix");
  }

  private boolean holdIn(String json) throws IOException {
    Path file = folder.resolve("changed.json");
    Files.writeString(file, json);
    return TokenizerDescription.of(TokenizerFiles.read(file)).hasSafeBorders();
  }
}
