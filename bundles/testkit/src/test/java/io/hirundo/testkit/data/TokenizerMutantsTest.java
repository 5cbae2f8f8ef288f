package io.hirundo.testkit.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.StorageException;
import io.hirundo.data.SpecialTokens;
import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each, and the clause that detects it. */
class TokenizerMutantsTest {
    private static final int END = 1 << 16;

    @Test
    void soundTokenizerKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(
                List.of(TokenizerMutantsTest.class, TokenizerFileMutants.class), TokenizerContract.class);
    }

    @HirundoContract
    static class Sound implements TokenizerContract {
        @Override
        public Tokenizer tokenizer() {
            return new Chars();
        }
    }

    /** A token for each char, and one that ends a text. */
    static class Chars implements Tokenizer {
        @Override
        public int vocabularySize() {
            return END + 1;
        }

        @Override
        public int[] encode(String text) {
            return text.chars().toArray();
        }

        @Override
        public String decode(int[] ids) {
            var text = new StringBuilder();
            Arrays.stream(ids).filter(id -> id != END).forEach(id -> text.append((char) id));
            return text.toString();
        }

        @Override
        public SpecialTokens specialTokens() {
            return SpecialTokens.of(Map.of("<end>", END));
        }

        @Override
        public OptionalInt beginOfText() {
            return OptionalInt.empty();
        }

        @Override
        public OptionalInt endOfText() {
            return OptionalInt.of(END);
        }

        @Override
        public void save(Path directory) {
            try {
                Files.createDirectories(directory);
                Files.writeString(directory.resolve("chars.txt"), "chars");
            } catch (IOException e) {
                throw new StorageException(directory + " cannot be written", e);
            }
        }

        @Override
        public void close() {}
    }

    @Breaks({"tokensDecodeToTheText", "longTextsAreComplete"})
    @HirundoContract
    static class StripsTexts extends Sound {
        @Override
        public Tokenizer tokenizer() {
            return new Chars() {
                @Override
                public int[] encode(String text) {
                    return super.encode(text.strip());
                }
            };
        }
    }

    @Breaks("idsAreBelowTheVocabularySize")
    @HirundoContract
    static class ForgetsSpecialTokens extends Sound {
        @Override
        public Tokenizer tokenizer() {
            return new Chars() {
                @Override
                public int vocabularySize() {
                    return END;
                }
            };
        }
    }

    @Breaks("idsAreBelowTheVocabularySize")
    @HirundoContract
    static class HasNoTokenForSurrogates extends Sound {
        @Override
        public Tokenizer tokenizer() {
            return new Chars() {
                @Override
                public int[] encode(String text) {
                    return text.equals("\ud800") ? new int[] {-1} : super.encode(text);
                }
            };
        }
    }

    @Breaks("addsNoSpecialTokens")
    @HirundoContract
    static class EndsEveryText extends Sound {
        @Override
        public Tokenizer tokenizer() {
            return new Chars() {
                @Override
                public int[] encode(String text) {
                    return text.isEmpty()
                            ? new int[0]
                            : IntStream.concat(text.chars(), IntStream.of(END)).toArray();
                }
            };
        }
    }

    @Breaks("namesOfSpecialTokensStayText")
    @HirundoContract
    static class ReadsNamesOfSpecialTokens extends Sound {
        @Override
        public Tokenizer tokenizer() {
            return new Chars() {
                @Override
                public int[] encode(String text) {
                    return text.endsWith("<end>")
                            ? IntStream.concat(
                                            text.substring(0, text.length() - 5).chars(), IntStream.of(END))
                                    .toArray()
                            : super.encode(text);
                }
            };
        }
    }

    @Breaks("namesOfSpecialTokensStayText")
    @HirundoContract
    static class NeverReadsNames extends Sound {
        @Override
        public Tokenizer tokenizer() {
            return new Chars() {
                @Override
                public int[] encodeWithSpecialTokens(String text) {
                    return encode(text);
                }
            };
        }
    }

    @Breaks("longTextsAreComplete")
    @HirundoContract
    static class TruncatesLongTexts extends Sound {
        @Override
        public Tokenizer tokenizer() {
            return new Chars() {
                @Override
                public int[] encode(String text) {
                    return text.chars().limit(131_072).toArray();
                }
            };
        }
    }

    @Breaks("tokensFollowFromTheText")
    @HirundoContract
    static class SharesABuffer extends Sound {
        @Override
        public Tokenizer tokenizer() {
            return new Chars() {
                private int[] ids = {};

                @Override
                public int[] encode(String text) {
                    ids = super.encode(text);
                    LockSupport.parkNanos(1000);
                    return ids;
                }
            };
        }
    }

    /** Each tokenizer numbers chars from another one. */
    @Breaks("tokensFollowFromTheText")
    @HirundoContract
    static class NumbersCharsOtherwiseEachTime extends Sound {
        private int tokenizers;

        @Override
        public Tokenizer tokenizer() {
            int first = tokenizers++;
            return new Chars() {
                @Override
                public int[] encode(String text) {
                    return text.chars().map(id -> (id + first) % END).toArray();
                }

                @Override
                public String decode(int[] ids) {
                    return super.decode(Arrays.stream(ids)
                            .map(id -> id == END ? END : (id + END - first) % END)
                            .toArray());
                }
            };
        }
    }
}
