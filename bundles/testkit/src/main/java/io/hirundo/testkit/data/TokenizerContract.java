package io.hirundo.testkit.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fixture.AtOnce;
import io.hirundo.testkit.fixture.FolderFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Contract tests for a {@link Tokenizer}. */
public interface TokenizerContract {
    /** Any text may occur in data, also what UTF-8 cannot represent. */
    List<String> ODD_TEXTS = List.of(
            "\0",
            "\ud800",
            "a\udc00b",
            "\uffff",
            "\ufeff",
            "\r\n\t\u0085\u2028",
            " ".repeat(3000),
            "a".repeat(3000),
            "\ud83d\ude00".repeat(500));

    /** A new tokenizer, always with the same options. Clauses close it. */
    Tokenizer tokenizer();

    /** Texts that the tokenizer is made for: two or more that have different tokens. */
    default List<String> texts() {
        return List.of(
                "All happy families are alike.",
                "public static void main(String[] args) {\n\treturn 3.14;\n}\n",
                "Größe, naïve, élan; слово, 한국어, ツバメは家に帰る。",
                "\ud83d\ude00 \ud83d\udc69\u200d\ud83d\udc67 e\u0301 \u00bd",
                "  leading and trailing  ");
    }

    /** What decoding the tokens of a text gives: the text, unless the tokenizer normalizes. */
    default String normalized(String text) {
        return text;
    }

    @Clause(
            value = "Decoding the tokens of a text gives the text; the empty text has no tokens",
            remedy =
                    "encode() and decode(): white space, characters of several bytes, what joins tokens; normalized() if texts are changed")
    default void tokensDecodeToTheText() {
        try (Tokenizer tokenizer = tokenizer()) {
            for (String text : texts()) {
                assertEquals(normalized(text), tokenizer.decode(tokenizer.encode(text)));
            }
            assertArrayEquals(new int[0], tokenizer.encode(""), "tokens of the empty text");
            assertEquals("", tokenizer.decode(new int[0]), "text of no tokens");
        }
    }

    @Clause(
            value =
                    "Token ids are at least 0 and below vocabularySize(), for any text: the embedding has no other rows",
            remedy =
                    "vocabularySize(): the largest id + 1, special tokens included; encode(): lone surrogates and control characters")
    default void idsAreBelowTheVocabularySize() {
        try (Tokenizer tokenizer = tokenizer()) {
            int size = tokenizer.vocabularySize();
            for (OptionalInt special : List.of(tokenizer.beginOfText(), tokenizer.endOfText())) {
                special.ifPresent(
                        id -> assertTrue(id >= 0 && id < size, "special token " + id + ", vocabulary of " + size));
            }
            for (String text :
                    Stream.concat(texts().stream(), ODD_TEXTS.stream()).toList()) {
                for (int id : encoded(tokenizer, text)) {
                    assertTrue(
                            id >= 0 && id < size,
                            () -> "token " + id + " of '" + excerpt(text) + "', vocabulary of " + size);
                }
            }
        }
    }

    /** A tokenizer may have no token for a text, and says so. */
    private static int[] encoded(Tokenizer tokenizer, String text) {
        try {
            return tokenizer.encode(text);
        } catch (DataException noToken) {
            return new int[0];
        }
    }

    @Clause(
            value =
                    "encode() adds no begin or end token: data tools and prompts add them where a document begins and ends",
            remedy = "encode(): post-processors, templates; beginOfText() and endOfText() alone name these tokens")
    default void addsNoSpecialTokens() {
        try (Tokenizer tokenizer = tokenizer()) {
            for (String text : texts()) {
                for (OptionalInt special : List.of(tokenizer.beginOfText(), tokenizer.endOfText())) {
                    boolean found = special.isPresent()
                            && Arrays.stream(tokenizer.encode(text)).anyMatch(id -> id == special.getAsInt());
                    assertFalse(
                            found,
                            () -> "special token " + special.getAsInt() + " among the tokens of '" + excerpt(text)
                                    + "'");
                }
            }
        }
    }

    @Clause(
            value =
                    "The name of a special token in a text stays text for encode(), and becomes the token for encodeWithSpecialTokens()",
            remedy =
                    "encode(): names of specialTokens() are text like any other; else leave them out of specialTokens()")
    default void namesOfSpecialTokensStayText() {
        try (Tokenizer tokenizer = tokenizer()) {
            tokenizer.specialTokens().ids().forEach((name, id) -> {
                String text = texts().getFirst() + name;
                assertEquals(
                        count(tokenizer.encode(texts().getFirst()), id),
                        count(tokenizer.encode(text), id),
                        () -> "tokens " + id + " in '" + excerpt(name) + "'");
                assertEquals(normalized(text), tokenizer.decode(tokenizer.encode(text)));
                assertEquals(
                        1,
                        count(tokenizer.encodeWithSpecialTokens(name), id),
                        () -> "tokens " + id + " of '" + excerpt(name) + "' on request");
            });
        }
    }

    private static long count(int[] ids, int id) {
        return Arrays.stream(ids).filter(each -> each == id).count();
    }

    @Clause(value = "Long texts are not truncated", remedy = "encode(): limits of a model's context, fixed buffers")
    default void longTextsAreComplete() {
        String text = String.join("\n", texts()) + "\n";
        String longText = text.repeat(200_000 / text.length());
        try (Tokenizer tokenizer = tokenizer()) {
            assertTrue(
                    normalized(longText).equals(tokenizer.decode(tokenizer.encode(longText))),
                    "a text of " + longText.length() + " characters differs");
        }
    }

    @Clause(
            value = "A text has the same tokens whatever was encoded before, on any thread, and by a new tokenizer",
            remedy = "encode(): buffers and caches that threads share; dropout of merges, which must be off")
    default void tokensFollowFromTheText() {
        try (Tokenizer tokenizer = tokenizer();
                Tokenizer another = tokenizer()) {
            List<int[]> expected = texts().stream().map(tokenizer::encode).toList();
            assertFalse(
                    expected.stream().allMatch(tokens -> Arrays.equals(tokens, expected.getFirst())),
                    "all texts have the same tokens");
            for (int i = texts().size() - 1; i >= 0; i--) {
                assertArrayEquals(expected.get(i), another.encode(texts().get(i)), "tokens by a new tokenizer");
            }
            AtOnce.run(4, thread -> {
                for (int call = 0; call < 40; call++) {
                    int i = (call + thread) % texts().size();
                    assertArrayEquals(expected.get(i), tokenizer.encode(texts().get(i)), "tokens on several threads");
                }
            });
        }
    }

    @Clause(
            value =
                    "save() writes files into the folder, creates it if it is missing, and writes nothing elsewhere; an unwritable folder is named",
            remedy =
                    "save(): create the folder; StorageException with the path; two runs may save one tokenizer, with the same bytes")
    default void savesItsFiles(@TempDir Path folder) throws IOException {
        Path first = folder.resolve("run").resolve("model");
        Path second = Files.createDirectory(folder.resolve("second"));
        try (Tokenizer tokenizer = tokenizer()) {
            tokenizer.save(first);
            tokenizer.save(second);
            tokenizer.save(second);
            Map<String, byte[]> files = FolderFiles.read(first);
            Map<String, byte[]> others = FolderFiles.read(second);
            assertFalse(files.isEmpty(), "save() wrote no file");
            assertEquals(files.keySet(), others.keySet(), "files of two folders");
            files.forEach((name, bytes) -> assertArrayEquals(bytes, others.get(name), name + " in two folders"));
            assertEquals(files.size() * 2, FolderFiles.read(folder).size(), "files in the folders and around them");
            Path occupied = Files.writeString(folder.resolve("occupied"), "");
            var failure = assertThrows(StorageException.class, () -> tokenizer.save(occupied));
            assertTrue(
                    failure.getMessage().contains(occupied.toString())
                            && !failure.getMessage().contains("\n"),
                    failure.getMessage());
        }
    }

    @Clause(
            value = "close() may be called twice, and closes one tokenizer only",
            remedy = "close(): resources that tokenizers share")
    default void closesOneTokenizer() {
        Tokenizer closed = tokenizer();
        try (Tokenizer open = tokenizer()) {
            int[] expected = open.encode(texts().getFirst());
            closed.encode(texts().getFirst());
            closed.close();
            closed.close();
            assertArrayEquals(expected, open.encode(texts().getFirst()), "tokens after another tokenizer was closed");
        }
    }

    private static String excerpt(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
