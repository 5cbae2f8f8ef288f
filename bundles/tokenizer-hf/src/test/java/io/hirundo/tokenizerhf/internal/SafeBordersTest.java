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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafeBordersTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void chunksHaveTheTokensOfTheFullText(long seed) throws IOException {
    String text = Texts.prose(seed, 2000) + Texts.odd(seed, 400);
    try (Tokenizer tokenizer = TestTokenizers.open(Trained.tokenizer(folder, text, 600))) {
      List<String> pieces = SafeBorders.split(text, 40);
      assertTrue(pieces.size() > 20, "only " + pieces.size() + " pieces");
      assertEquals(text, String.join("", pieces));
      int[] ids = pieces.stream().map(tokenizer::encode).flatMapToInt(IntStream::of).toArray();
      assertArrayEquals(tokenizer.encode(text), ids);
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
